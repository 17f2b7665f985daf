"""Whom a throw at level `table` waits for, and how much longer.

The time runs from the entry that bound the nonce for the seats asked, and from the last of their
answers for the roller. It is the log's time: an entry's, or what the next one would get.
"""

from ...errors import Refused
from ...events.throw import nonce_commitment, throw_id
from ...projections.rollstate import Binding, RollState
from .attempt import Ask, here


def binding_of(ask: Ask) -> Binding:
    """The nonce bound for the roll's next throw. Raises Refused("nonce") where there is none."""
    if ask.known_roll.binding is None:
        why = f"no nonce is bound for throw {ask.known_roll.throws} of roll {ask.known_roll.number}"
        raise Refused("nonce", why, allowed=["commit_nonce"])
    return ask.known_roll.binding


def must_be_bound(ask: Ask, nonce: str) -> None:
    """Refuse with "nonce" another nonce than the one bound for the roll's next throw."""
    roll, bound = ask.known_roll, binding_of(ask).nonce_commit
    if nonce_commitment(throw_id(ask.table.id, roll.number, roll.throws), nonce).hex() != bound:
        raise Refused("nonce", f"nonce {nonce} is not the bound one", allowed=[bound])


def must_be_unbound(roll: RollState) -> None:
    """Refuse with "nonce" while a nonce is bound for the roll's next throw.

    Whoever holds it, and the seed, may know by now what will come: nothing is put right before.
    """
    if roll.binding is not None:
        why = f"a nonce is bound for throw {roll.throws} of roll {roll.number}, which comes first"
        raise Refused("nonce", why, allowed=["roll or reroll", "void"])


def passable(ask: Ask) -> tuple[str, ...]:
    """The silent seats that may be passed over now: all of them, or before the time those who left.

    Raises Refused: "nonce" where nobody is silent, "due" with the seconds to wait.
    """
    binding = binding_of(ask)
    if not binding.silent:
        why = f"every seat asked for throw {binding.throw} of roll {ask.known_roll.number} is heard"
        raise Refused("nonce", why, allowed=["roll or reroll"])
    if ask.now >= binding.until:
        return binding.silent
    gone = tuple(seat for seat in binding.silent if not here(ask.table, seat))
    if not gone:
        raise _early(ask, binding, f"{_named(binding.silent)} may still give a nonce")
    return gone


def withholds(ask: Ask) -> Binding:
    """The nonce bound by a roller who was given every other one and did not throw in time.

    Raises Refused: "nonce" where the throw waits for others, or was reported; "not-yours" for the
    roller; "due" with the seconds to wait.
    """
    binding = binding_of(ask)
    place = f"throw {binding.throw} of roll {ask.known_roll.number}"
    if ask.seat == binding.seat:
        why = f"seat {ask.seat!r} would report itself; {place} is its own to make"
        raise Refused("not-yours", why, allowed=["roll or reroll"])
    if binding.reported:
        why = f"{_named((binding.seat,))} was reported for {place} already"
        raise Refused("nonce", why, allowed=["once a throw"])
    if binding.silent:
        why = f"{place} waits for {_named(binding.silent)}"
        raise Refused("nonce", why, allowed=["witness", "pass_over"])
    if ask.now < binding.until:
        raise _early(ask, binding, f"{_named((binding.seat,))} may still make {place}")
    return binding


def _early(ask: Ask, binding: Binding, why: str) -> Refused:
    left = -((ask.now - binding.until) // 1_000)  # rounded up
    return Refused("due", f"{why}, for {left} s", allowed=[f"in {left} s"])


def _named(seats: tuple[str, ...]) -> str:
    return f"seat {', '.join(map(repr, seats))}"
