"""Cheats at level `table`: with the nonces of the roller and the witnesses, and with their time."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended, made
from tests.cheats.ground import blank, fallen, ground
from tests.cheats.host import Host
from tests.cheats.stages import brawl, prayer, restore
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events import throw as urim1
from urim.events.roll import (
    NonceCommitted,
    NonceWithheld,
    RollVoided,
    SeatsPassedOver,
    WitnessGiven,
)

PLANTED = Planted()

LONG = 10 * 60_000
"""Milliseconds after which no witness is waited for."""


@PLANTED(
    "2b",
    "commitment published once the nonce was bound",
    8,
    "the throw answers the new epoch, for which no N was bound: it stands before that entry",
)
def committed_between(honest: bool) -> Made:
    """An epoch begins once the nonce is bound; the twin's roller binds a nonce for it anew."""
    host = brawl("table")
    number = prayer(host)
    if honest:
        host.bind(number, "p1", host.nonce())
        restore(host)
        host.throw(number)
        return ended(host, number)
    nonce = host.nonce()
    host.bind(number, "p1", nonce)
    event = blank(host, number, nonce=nonce)
    given = host.roll(number).binding
    assert given is not None
    restore(host)
    seed = urim1.seed_from(str(host.source.open(host.state.id, number, 0)))
    base = replace(ground(host, event), seed=seed, witnesses=given.given)
    onward = host.source.commit(host.state.id, number, 1)
    entry = host.write(fallen(event, base, next=onward))
    return ended(host, number, entry)


@PLANTED(
    "7",
    "witness nonce dropped",
    9,
    "it is in the log, so it is in T, and with it the dice are others",
)
def witness_left_out(honest: bool) -> Made:
    """A witness's nonce is logged, and the dice fall without it."""
    host = brawl("table")
    number = prayer(host)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        return event if honest else fallen(event, replace(base, witnesses=base.witnesses[1:]))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED(
    "7b",
    "witness nonce dropped from the log",
    8,
    "the dice fall as told, but a seat that was asked neither gave nor was passed over",
)
def witness_unlogged(honest: bool) -> Made:
    """A seat that was asked never appears again, and the dice fall without it."""
    host = brawl("table")
    number = prayer(host)
    nonce = host.nonce()
    host.bind(number, "p1", nonce, silent=() if honest else ("p2",))
    return ended(host, number, unasked(host, number, nonce))


def unasked(host: Host, number: int, nonce: str) -> int:
    """A throw with the nonces that are in the log, whatever the engine would have waited for."""
    event = blank(host, number, nonce=nonce)
    return host.write(fallen(event, ground(host, event)))


@PLANTED("8", "witness nonce forged", 8, "the dice follow from it, but nobody had asked that seat")
def witness_invented(honest: bool) -> Made:
    """A nonce of a seat that nobody asked, chosen by the host; the twin's seat was asked."""
    host = brawl("table")
    number = prayer(host)
    nonce = host.nonce()
    asked = (NARRATOR, "p2") if honest else (NARRATOR,)
    host.bind(number, "p1", nonce, asked, silent=("p2",))
    entry = host.write(WitnessGiven("p2", number, 0, host.nonce()))
    unasked(host, number, nonce)
    return ended(host, number, entry)


@PLANTED(
    "8b",
    "witness nonce forged after the throw",
    8,
    "the dice follow from it, but when they fell that seat had not been heard",
)
def witness_late(honest: bool) -> Made:
    """A witness's nonce that enters the log after the throw that it had a part in."""
    host = brawl("table")
    number = prayer(host)
    nonce, late = host.nonce(), host.nonce()
    host.bind(number, "p1", nonce, silent=("p2",))
    if honest:
        host.write(WitnessGiven("p2", number, 0, late))
        return ended(host, number, unasked(host, number, nonce))
    event = blank(host, number, nonce=nonce)
    base = ground(host, event)
    host.write(fallen(event, replace(base, witnesses=(*base.witnesses, ("p2", late)))))
    # Nothing that folds the log knows what to make of it, so that the log ends here.
    size = len(host.entries)
    given = host.sealed(size, WitnessGiven("p2", number, 0, late))
    return made(host, (*host.entries, *given), entry=size)


@PLANTED("9", "c does not match N", 8, "the dice follow from c, but N was bound to another")
def nonce_unbound(honest: bool) -> Made:
    """The roller opens another nonce than it bound, once it has seen the witnesses'."""
    host = brawl("table")
    number = prayer(host)

    def twist(event: Any) -> Any:
        if honest:
            return event
        return fallen(event, replace(ground(host, event), nonce=host.nonce()))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED(
    "9b",
    "nonce bound twice",
    8,
    "c fits the second N, but that was bound when the witnesses' nonces were known",
)
def nonce_bound_twice(honest: bool) -> Made:
    """The roller binds another nonce once it knows the witnesses'; the twin binds one."""
    host = brawl("table")
    number = prayer(host)
    nonce = host.nonce()
    host.bind(number, "p1", nonce)
    entry = None
    if not honest:
        waiting = host.roll(number).outstanding
        assert waiting is not None
        nonce = host.nonce()
        bound = urim1.nonce_commitment(f"{host.state.id}/{number}/0", nonce).hex()
        entry = host.write(NonceCommitted("p1", number, 0, bound, waiting.seq, ("p2",)))
        host.write(WitnessGiven("p2", number, 0, host.nonce()))
    unasked(host, number, nonce)
    return ended(host, number, entry)


@PLANTED(
    "7c",
    "nobody asked to witness",
    10,
    "the throw is whole, but at level table somebody is asked wherever others are there",
)
def nobody_asked(honest: bool) -> Made:
    """A roller that asks nobody; the twin is alone at the table."""
    host = brawl("table")
    number = prayer(host)
    nonce = host.nonce()
    if honest:
        host.bind(number, "p1", nonce, asked=("p2",))
        return ended(host, number, unasked(host, number, nonce))
    waiting = host.roll(number).outstanding
    assert waiting is not None
    bound = urim1.nonce_commitment(f"{host.state.id}/{number}/0", nonce).hex()
    entry = host.write(NonceCommitted("p1", number, 0, bound, waiting.seq, ()))
    unasked(host, number, nonce)
    return ended(host, number, entry)


@PLANTED(
    "7d",
    "witness passed over too early",
    10,
    "the throw is whole, but that seat still had time by the log's own clock",
)
def passed_over_early(honest: bool) -> Made:
    """A seat passed over at once; the twin's had its time."""
    host = brawl("table")
    number = prayer(host)
    nonce = host.nonce()
    host.bind(number, "p1", nonce, silent=("p2",))
    host.pause = LONG if honest else 0
    entry = host.write(
        SeatsPassedOver("p1", number, 0, ("p2",)), at=host.state.at + 1_000 + host.pause
    )
    host.pause = 0
    unasked(host, number, nonce)
    return ended(host, number, entry)


@PLANTED(
    "16b",
    "a roll voided because its roller is said to withhold",
    10,
    "the void opens its seed, but by the log's own clock the roller still had time",
)
def withheld_early(honest: bool) -> Made:
    """A roller reported at once, whose roll is voided; the twin's had its time."""
    host = brawl("table")
    number = prayer(host)
    host.bind(number, "p1", host.nonce())
    if honest:
        host.pause = LONG
        host.ask("p2", commands.ReportWithheld(number))
        return made(host)
    seed = host.source.open(host.state.id, number, 0)
    report = NonceWithheld("p2", number, 0, "p1")
    return made(host, entry=host.write(report, RollVoided("p2", number, 0, seed)))
