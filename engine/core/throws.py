"""A throw is made once its commitment is answered and every nonce is given that its level asks."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events.base import Level, Thrown
from ...events.codec import Event
from ...projections.rollstate import RollState
from ...rules.ruleset import Offer
from .attempt import Attempt, others_here, roll_of, seat_of
from .commands import CommitNonce, PassOver, ReportWithheld, Reroll, RollDice, Throw, Witness
from .guards import binding_of, must_be_bound, passable, withholds
from .offers import price_of
from .sources import Source, ThrowRequest
from .visibility import outstanding_for
from .void import voided

# --- the throw ------------------------------------------------------------------------------------


def thrown(command: RollDice, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """A hand's first throw, or the dice it takes over, or no dice at all."""
    roll, offer = attempt.known_roll, attempt.known_offer
    kinds = offer.dice if command.option is None else offer.dice[: command.option]
    proof = None
    taken = None
    if offer.link:
        taken, dice = _taken_over(attempt)
    elif kinds:
        first = 1 + sum(len(hand.dice) for hand in roll.roll.hands)
        named = tuple((f"d{first + at}", kind) for at, kind in enumerate(kinds))
        dice, proof = source.throw(_throw_request(attempt, command, offer, named))
    else:
        dice = ()
        if roll.binding is not None:
            why = f"no dice thrown, but a nonce is bound for throw {roll.throws}"
            raise Refused("nonce", why, allowed=["one die or more"])
    if proof is None:
        _nothing_to_prove(command, offer)
    return (
        rolled.DiceRolled(
            attempt.seat,
            roll.number,
            offer.character,
            offer.hand,
            dice,
            command.option,
            proof,
            taken,
        ),
    )


def rerolled(command: Reroll, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """Some dice of a hand thrown again; those beyond the free ones are paid for."""
    roll, offer = attempt.known_roll, attempt.known_offer
    hand = roll.roll.hand(offer.hand)
    kinds = {die.id: die.kind for die in hand.dice} if hand else {}
    named = tuple((id, kinds[id]) for id in command.dice)
    dice, proof = source.throw(_throw_request(attempt, command, offer, named))
    effects = price_of(offer, len(command.dice))
    return (rolled.DiceRerolled(attempt.seat, roll.number, offer.hand, dice, proof, effects),)


def _taken_over(attempt: Attempt) -> tuple[int, tuple[Thrown, ...]]:
    """The parent's number and dice, which the first hand of this roll takes over as they are."""
    roll, ruleset = attempt.known_roll, attempt.table.game.ruleset
    if roll.follows is None:
        why = f"roll {roll.number} follows no roll that it could take dice from"
        raise Refused("not-offered", why)
    number, link = roll.follows
    _, dice = ruleset.follow(roll.roll.declaration, link, roll_of(attempt.table, number).roll)
    return number, tuple(Thrown(die.id, die.kind, die.face) for die in dice)


def _throw_request(
    attempt: Attempt, command: Throw, offer: Offer, named: tuple[tuple[str, str], ...]
) -> ThrowRequest:
    roll = attempt.known_roll
    must_answer(attempt, command)
    request = ThrowRequest(
        table=attempt.table.id,
        roll=roll.number,
        throw=roll.throws,
        roller=attempt.seat,
        dice=named,
        faces=attempt.table.game.faces,
        again=offer.again,
        nonce=command.nonce,
        witnesses=roll.binding.given if roll.binding else (),
        typed=command.faces,
    )
    if roll.outstanding is None:
        return request
    waiting = roll.outstanding
    return replace(request, committed=waiting.seq, leaf=waiting.leaf, commit=waiting.commit)


def _nothing_to_prove(command: Throw, offer: Offer) -> None:
    given = [name for name in ("committed", "nonce", "faces") if getattr(command, name) is not None]
    if given:
        raise Refused(
            "nonce",
            f"{', '.join(given)} given, but {offer.hand} throws no dice",
            allowed=["neither"],
        )


# --- what a throw answers -------------------------------------------------------------------------


def must_answer(attempt: Attempt, command: Throw) -> None:
    """Check that a throw answers the outstanding commitment with the nonces its level asks for.

    Raises Refused "commitment" or "nonce", naming what was expected. Where nothing is committed
    (dice that are not fair), neither may be given.
    """
    roll = attempt.known_roll
    waiting = outstanding_for(attempt.table, attempt.seat, roll)
    if waiting is None:
        if command.committed is not None or command.nonce is not None:
            raise Refused(
                "nonce", "these dice take no commitment and no nonce", allowed=["neither"]
            )
        return
    if command.committed != waiting.seq:
        raise Refused(
            "commitment",
            f"throw {waiting.throw} of roll {roll.number} answers entry {command.committed}, "
            f"which is not the outstanding commitment",
            allowed=[f"entry {waiting.seq}"],
        )
    NONCE_CHECKS[roll.level](attempt, command, roll)


def _server(attempt: Attempt, command: Throw, roll: RollState) -> None:
    if command.nonce is not None:
        raise Refused("nonce", "level server takes no nonce", allowed=["none"])


def _player(attempt: Attempt, command: Throw, roll: RollState) -> None:
    if command.nonce is None:
        raise Refused("nonce", "level player needs the roller's nonce", allowed=["64 hex digits"])


def _table(attempt: Attempt, command: Throw, roll: RollState) -> None:
    _player(attempt, command, roll)
    binding = binding_of(attempt)
    if binding.seat != attempt.seat:
        why = f"seat {attempt.seat!r} did not bind the nonce of throw {roll.throws}"
        raise Refused("nonce", why, allowed=[f"seat {binding.seat!r}"])
    if binding.silent:
        why = f"nonces are missing from {', '.join(binding.silent)}"
        raise Refused("nonce", why, allowed=["witness", "pass_over"])
    must_be_bound(attempt, str(command.nonce))


NONCE_CHECKS: Mapping[Level, Callable[[Attempt, Throw, RollState], None]] = {
    "server": _server,
    "player": _player,
    "table": _table,
}
"""What each level asks of the nonces of a throw."""


# --- nonces at level `table` ----------------------------------------------------------------------


def nonce_bound(command: CommitNonce, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The roller's nonce bound for the next throw, and the seats asked for theirs."""
    roll = attempt.known_roll
    waiting = outstanding_for(attempt.table, attempt.seat, roll)
    if waiting is None or command.committed != waiting.seq:
        expected = waiting.seq if waiting else "none"
        raise Refused(
            "commitment",
            f"entry {command.committed} is not the outstanding commitment",
            allowed=[str(expected)],
        )
    others = others_here(attempt.table, attempt.seat)
    for seat in command.asked:
        seat_of(attempt.table, seat)
    if attempt.seat in command.asked or len(set(command.asked)) != len(command.asked):
        why = "each other seat is asked once, the roller never"
        raise Refused("malformed", why, allowed=others)
    if others and not command.asked:
        raise Refused("nonce", "nobody is asked for a nonce, and others are here", allowed=others)
    asked = tuple(sorted(command.asked))
    return (
        rolled.NonceCommitted(
            attempt.seat, roll.number, roll.throws, command.nonce_commit, command.committed, asked
        ),
    )


def witnessed(command: Witness, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The nonce of a seat that was asked."""
    return (
        rolled.WitnessGiven(attempt.seat, command.roll, attempt.known_roll.throws, command.nonce),
    )


def passed_over(command: PassOver, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The silent seats passed over: the throw goes on without them."""
    roll = attempt.known_roll
    return (rolled.SeatsPassedOver(attempt.seat, roll.number, roll.throws, passable(attempt)),)


def reported(command: ReportWithheld, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The throw withheld; and its roll voided, where that is the table's policy."""
    roll, binding = attempt.known_roll, withholds(attempt)
    report = rolled.NonceWithheld(attempt.seat, roll.number, roll.throws, binding.seat)
    if binding.witnessing.withheld == "wait":
        return (report,)
    return (report, *voided(attempt.table, attempt.seat, roll, source))
