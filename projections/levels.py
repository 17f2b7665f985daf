"""The level of a throw: who adds entropy to it, as the table and the roll stand before it.

    server   nobody but the server
    player   the roller's client, after the commitment
    table    a share of every seat that is asked, the roller among them

A level is a throw's. The declaration may name one. Else every fair throw is due at `table` while
another seat has an anchor, but at a table of level `server`, or of one machine: there, and where
nobody else has one, the table's level is due. Where `table` is due and nobody else can be asked,
the throw is at `player`.
"""

from collections.abc import Container

from ..events import roll as rolled
from ..events.base import Level
from ..events.share import LENGTH
from ..events.table import COUNTED
from .rollstate import RollState
from .tables import TableState


def anchored(table: TableState, seat: str) -> tuple[str, ...]:
    """The other seats that may be asked for shares: somebody is there, and has an anchor. By id."""
    return tuple(
        id
        for id, other in sorted(table.seats.items())
        if id != seat and other.here and other.anchor is not None
    )


def awake(table: TableState, seat: str) -> tuple[str, ...]:
    """Those of them that did not keep a share back, or did something since. By id."""
    return tuple(id for id in anchored(table, seat) if id not in table.kept_back)


def askable(table: TableState, seat: str) -> tuple[str, ...]:
    """Those of them whose chain has a link left: it is renewed once the last one was asked for."""
    chains = ((id, table.seats[id].anchor) for id in awake(table, seat))
    return tuple(id for id, chain in chains if chain is not None and chain.asks < LENGTH)


def level_due(table: TableState, seat: str, roll: RollState) -> Level:
    """The level that is due for a throw that this seat makes next in the roll."""
    if roll.level is not None or table.source != "fair" or table.one_machine:
        return roll.level or table.level
    early = table.core < COUNTED
    watched = _watched_early(table, seat, roll) if early else table.level != "server"
    return "table" if watched and anchored(table, seat) else table.level


def _watched_early(table: TableState, seat: str, roll: RollState) -> bool:
    """Whether a throw asks others in a log of version 0.2, whatever level its table has."""
    return roll.hidden or (seat in table.seats and table.seats[seat].role == "narrator")


def level_next(table: TableState, seat: str, roll: RollState) -> Level:
    """The level at which that throw is made: that which is due, if anybody else can be asked."""
    due = level_due(table, seat, roll)
    return "player" if due == "table" and not awake(table, seat) else due


def level_of(roll: RollState, throw: int, unseen: Container[int] = ()) -> Level | None:
    """The level at which a throw of a roll was made, from the roll's entries.

    `unseen` are entries of throws over commitments that their seats did not see: the host may have
    had their nonces first. None where it was not made, or broken off, and where dice are not fair.
    """
    asked = False
    for entry in roll.trail:
        event = entry.event
        asked |= isinstance(event, rolled.ThrowAsked) and event.throw == throw
        proof = getattr(event, "proof", None)
        if proof is not None and proof.throw == throw:
            if proof.source != "fair":
                return None
            if proof.nonce is None or entry.seq in unseen:
                return "server"
            return "table" if asked else "player"
    return None
