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
from .attempt import Ask, others_here, roll_of, seat_of
from .commands import CommitNonce, Reroll, RollDice, Throw, Void, Witness
from .dice import Source, ThrowAsk
from .guards import binding_of, must_be_bound, passable, withholds
from .limits import DICE
from .offers import price_of


def thrown(ask: Ask, source: Source) -> tuple[Event, ...]:
    """A hand's first throw, or the dice it takes over, or no dice at all."""
    command = cast(RollDice, ask.command)
    roll, offer = ask.known_roll, ask.known_offer
    kinds = offer.dice if command.option is None else offer.dice[: command.option]
    proof = None
    taken = None
    if offer.link:
        taken, dice = _taken_over(ask)
    elif kinds:
        first = 1 + sum(len(hand.dice) for hand in roll.roll.hands)
        named = tuple((f"d{first + at}", kind) for at, kind in enumerate(kinds))
        dice, proof = source.throw(_throw_ask(ask, command, offer, named))
    else:
        dice = ()
        if roll.binding is not None:
            why = f"no dice thrown, but a nonce is bound for throw {roll.throws}"
            raise Refused("nonce", why, allowed=["one die or more"])
    if proof is None:
        _nothing_to_prove(command, offer)
    return (
        rolled.DiceRolled(
            ask.seat, roll.number, offer.character, offer.hand, dice, command.option, proof, taken
        ),
    )


def _taken_over(ask: Ask) -> tuple[int, tuple[Thrown, ...]]:
    """The parent's dice, as they lie, that the first hand of this roll starts from."""
    roll, ruleset = ask.known_roll, ask.table.game.ruleset
    number, link = cast(tuple[int, str], roll.follows)
    _, dice = ruleset.follow(roll.roll.declaration, link, roll_of(ask.table, number).roll)
    return number, tuple(Thrown(die.id, die.kind, die.face) for die in dice)


def rerolled(ask: Ask, source: Source) -> tuple[Event, ...]:
    """Some dice of a hand thrown again, dice beyond the free ones paid for."""
    command = cast(Reroll, ask.command)
    roll, offer = ask.known_roll, ask.known_offer
    hand = roll.roll.hand(offer.hand)
    kinds = {die.id: die.kind for die in hand.dice} if hand else {}
    named = tuple((id, kinds[id]) for id in command.dice)
    dice, proof = source.throw(_throw_ask(ask, command, offer, named))
    effects = price_of(offer, len(command.dice))
    return (rolled.DiceRerolled(ask.seat, roll.number, offer.hand, dice, proof, effects),)


def _throw_ask(
    ask: Ask, command: Throw, offer: Offer, named: tuple[tuple[str, str], ...]
) -> ThrowAsk:
    if len(named) > DICE:
        raise Refused("too-many", f"{len(named)} dice in one throw", allowed=[f"at most {DICE}"])
    roll = ask.known_roll
    must_answer(ask, command)
    throw_ask = ThrowAsk(
        table=ask.table.id,
        roll=roll.number,
        throw=roll.throws,
        roller=ask.seat,
        dice=named,
        faces=ask.table.game.faces,
        again=offer.again,
        nonce=command.nonce,
        witnesses=roll.binding.given if roll.binding else (),
        typed=command.faces,
    )
    if roll.outstanding is None:
        return throw_ask
    waiting = roll.outstanding
    return replace(throw_ask, committed=waiting.seq, leaf=waiting.leaf, commit=waiting.commit)


def must_answer(ask: Ask, command: Throw) -> None:
    """Check that a throw answers the outstanding commitment with the nonces its level asks for.

    Raises Refused "commitment" or "nonce", naming what was expected. Where nothing is committed
    (dice that are not fair), neither may be given.
    """
    roll = ask.known_roll
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
    LEVELS[roll.level](ask, command, roll)


def _server(ask: Ask, command: Throw, roll: RollState) -> None:
    if command.nonce is not None:
        raise Refused("nonce", "level server takes no nonce", allowed=["none"])


def _player(ask: Ask, command: Throw, roll: RollState) -> None:
    if command.nonce is None:
        raise Refused("nonce", "level player needs the roller's nonce", allowed=["64 hex digits"])


def _table(ask: Ask, command: Throw, roll: RollState) -> None:
    _player(ask, command, roll)
    binding = binding_of(ask)
    if binding.seat != ask.seat:
        why = f"seat {ask.seat!r} did not bind the nonce of throw {roll.throws}"
        raise Refused("nonce", why, allowed=[f"seat {binding.seat!r}"])
    if binding.silent:
        why = f"nonces are missing from {', '.join(binding.silent)}"
        raise Refused("nonce", why, allowed=["witness", "pass_over"])
    must_be_bound(ask, str(command.nonce))


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


def nonce_bound(ask: Ask, source: Source) -> tuple[Event, ...]:
    """The roller's nonce bound for the next throw, and the seats asked for theirs."""
    command = cast(CommitNonce, ask.command)
    roll = ask.known_roll
    if roll.outstanding is None or command.committed != roll.outstanding.seq:
        expected = roll.outstanding.seq if roll.outstanding else "none"
        raise Refused(
            "commitment",
            f"entry {command.committed} is not the outstanding commitment",
            allowed=[str(expected)],
        )
    others = others_here(ask.table, ask.seat)
    for seat in command.asked:
        seat_of(ask.table, seat)
    if ask.seat in command.asked or len(set(command.asked)) != len(command.asked):
        why = "each other seat is asked once, the roller never"
        raise Refused("malformed", why, allowed=others)
    if others and not command.asked:
        raise Refused("nonce", "nobody is asked for a nonce, and others are here", allowed=others)
    asked = tuple(sorted(command.asked))
    return (
        rolled.NonceCommitted(
            ask.seat, roll.number, roll.throws, command.nonce_commit, command.committed, asked
        ),
    )


def witnessed(ask: Ask, source: Source) -> tuple[Event, ...]:
    """The nonce of a seat that was asked."""
    command = cast(Witness, ask.command)
    return (rolled.WitnessGiven(ask.seat, command.roll, ask.known_roll.throws, command.nonce),)


def passed_over(ask: Ask, source: Source) -> tuple[Event, ...]:
    """The silent seats, without which the throw goes on."""
    roll = ask.known_roll
    return (rolled.SeatsPassedOver(ask.seat, roll.number, roll.throws, passable(ask)),)


def reported(ask: Ask, source: Source) -> tuple[Event, ...]:
    """The throw withheld; and its roll voided, where that is the table's policy."""
    roll, binding = ask.known_roll, withholds(ask)
    told = rolled.NonceWithheld(ask.seat, roll.number, roll.throws, binding.seat)
    if binding.witnessing.withheld == "wait":
        return (told,)
    return (told, *voided(ask.table, ask.seat, roll, source))


def voided_by_hand(ask: Ask, source: Source) -> tuple[Event, ...]:
    """The roll voided as a narrator asks, the nonce bound for its next throw opened if given."""
    nonce = cast(Void, ask.command).nonce
    if nonce is not None:
        must_be_bound(ask, nonce)
    return voided(ask.table, ask.seat, ask.known_roll, source, nonce)
