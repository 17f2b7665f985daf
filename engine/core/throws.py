"""From an offered throw to its event: who throws which dice, answering which commitment."""

from typing import cast

from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events.base import Thrown
from ...events.codec import Event
from ...projections.rollstate import RollState
from ...rules.ruleset import Offer
from .amend import voided
from .attempt import Attempt, others_here, roll_of, seat_of
from .commands import CommitNonce, Reroll, RollDice, Throw, Void, Witness
from .dice import Source, ThrowRequest
from .guards import binding_of, must_be_bound, passable, withholds
from .limits import DICE
from .offers import price_of


def thrown(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """A hand's first throw, or the dice it takes over, or no dice at all."""
    command = cast(RollDice, attempt.command)
    roll, offer = attempt.known_roll, attempt.known_offer
    kinds = offer.dice if command.option is None else offer.dice[: command.option]
    proof = None
    taken = None
    if offer.link:
        taken, dice = _taken_over(attempt)
    elif kinds:
        first = 1 + sum(len(hand.dice) for hand in roll.roll.hands)
        named = tuple((f"d{first + at}", kind) for at, kind in enumerate(kinds))
        dice, proof = source.throw(_throw_ask(attempt, command, offer, named))
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


def _taken_over(attempt: Attempt) -> tuple[int, tuple[Thrown, ...]]:
    """The parent's dice, as they lie, that the first hand of this roll starts from."""
    roll, ruleset = attempt.known_roll, attempt.table.game.ruleset
    number, link = cast(tuple[int, str], roll.follows)
    _, dice = ruleset.follow(roll.roll.declaration, link, roll_of(attempt.table, number).roll)
    return number, tuple(Thrown(die.id, die.kind, die.face) for die in dice)


def rerolled(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """Some dice of a hand thrown again, dice beyond the free ones paid for."""
    command = cast(Reroll, attempt.command)
    roll, offer = attempt.known_roll, attempt.known_offer
    hand = roll.roll.hand(offer.hand)
    kinds = {die.id: die.kind for die in hand.dice} if hand else {}
    named = tuple((id, kinds[id]) for id in command.dice)
    dice, proof = source.throw(_throw_ask(attempt, command, offer, named))
    effects = price_of(offer, len(command.dice))
    return (rolled.DiceRerolled(attempt.seat, roll.number, offer.hand, dice, proof, effects),)


def _throw_ask(
    attempt: Attempt, command: Throw, offer: Offer, named: tuple[tuple[str, str], ...]
) -> ThrowRequest:
    if len(named) > DICE:
        raise Refused("too-many", f"{len(named)} dice in one throw", allowed=[f"at most {DICE}"])
    roll = attempt.known_roll
    must_answer(attempt, command)
    throw_ask = ThrowRequest(
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
        return throw_ask
    waiting = roll.outstanding
    return replace(throw_ask, committed=waiting.seq, leaf=waiting.leaf, commit=waiting.commit)


def must_answer(attempt: Attempt, command: Throw) -> None:
    """Check that a throw answers the outstanding commitment with the nonces its level asks for.

    Raises Refused "commitment" or "nonce", naming what was expected. Where nothing is committed
    (dice that are not fair), neither may be given.
    """
    roll = attempt.known_roll
    if roll.outstanding is None:
        if command.committed is not None or command.nonce is not None:
            raise Refused(
                "nonce", "these dice take no commitment and no nonce", allowed=["neither"]
            )
        return
    if command.committed != roll.outstanding.seq:
        raise Refused(
            "commitment",
            f"throw {roll.throws} of roll {roll.number} answers entry {command.committed}, "
            f"which is not the outstanding commitment",
            allowed=[f"entry {roll.outstanding.seq}"],
        )
    LEVELS[roll.level](attempt, command, roll)


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


LEVELS = {"server": _server, "player": _player, "table": _table}
"""What each level asks of a throw."""


def _nothing_to_prove(command: Throw, offer: Offer) -> None:
    given = [name for name in ("committed", "nonce", "faces") if getattr(command, name) is not None]
    if given:
        raise Refused(
            "nonce",
            f"{', '.join(given)} given, but {offer.hand} throws no dice",
            allowed=["neither"],
        )


def nonce_bound(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The roller's nonce bound for the next throw, and the seats asked for theirs."""
    command = cast(CommitNonce, attempt.command)
    roll = attempt.known_roll
    if roll.outstanding is None or command.committed != roll.outstanding.seq:
        expected = roll.outstanding.seq if roll.outstanding else "none"
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


def witnessed(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The nonce of a seat that was asked."""
    command = cast(Witness, attempt.command)
    return (
        rolled.WitnessGiven(attempt.seat, command.roll, attempt.known_roll.throws, command.nonce),
    )


def passed_over(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The silent seats, without which the throw goes on."""
    roll = attempt.known_roll
    return (rolled.SeatsPassedOver(attempt.seat, roll.number, roll.throws, passable(attempt)),)


def reported(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The throw withheld; and its roll voided, where that is the table's policy."""
    roll, binding = attempt.known_roll, withholds(attempt)
    told = rolled.NonceWithheld(attempt.seat, roll.number, roll.throws, binding.seat)
    if binding.witnessing.withheld == "wait":
        return (told,)
    return (told, *voided(attempt.table, attempt.seat, roll, source))


def voided_by_hand(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The roll voided as a narrator asks, the nonce bound for its next throw opened if given."""
    nonce = cast(Void, attempt.command).nonce
    if nonce is not None:
        must_be_bound(attempt, nonce)
    return voided(attempt.table, attempt.seat, attempt.known_roll, source, nonce)
