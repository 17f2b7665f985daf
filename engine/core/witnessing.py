"""A throw at level `table` but for its dice: nonces bound, given, waited for in vain, withheld."""

from typing import cast

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import Fact
from .amend import voided
from .attempt import Ask, others_here, seat_of
from .commands import CommitNonce, Void, Witness
from .dice import Source
from .waiting import must_be_bound, passable, withholds


def nonce_bound(ask: Ask, source: Source) -> tuple[Fact, ...]:
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


def witnessed(ask: Ask, source: Source) -> tuple[Fact, ...]:
    """The nonce of a seat that was asked."""
    command = cast(Witness, ask.command)
    return (rolled.WitnessGiven(ask.seat, command.roll, ask.known_roll.throws, command.nonce),)


def passed_over(ask: Ask, source: Source) -> tuple[Fact, ...]:
    """The silent seats, without which the throw goes on."""
    roll = ask.known_roll
    return (rolled.SeatsPassedOver(ask.seat, roll.number, roll.throws, passable(ask)),)


def reported(ask: Ask, source: Source) -> tuple[Fact, ...]:
    """The throw withheld; and its roll voided, where that is the table's policy."""
    roll, binding = ask.known_roll, withholds(ask)
    told = rolled.NonceWithheld(ask.seat, roll.number, roll.throws, binding.seat)
    if binding.witnessing.withheld == "wait":
        return (told,)
    return (told, *voided(ask.table, ask.seat, roll, source))


def voided_by_hand(ask: Ask, source: Source) -> tuple[Fact, ...]:
    """The roll voided as a narrator asks, the nonce bound for its next throw opened if given."""
    nonce = cast(Void, ask.command).nonce
    if nonce is not None:
        must_be_bound(ask, nonce)
    return voided(ask.table, ask.seat, ask.known_roll, source, nonce)
