"""What no proof can forbid, and an audit shows: rolls picked, gifts, a clock ahead, parts."""

import json
from collections.abc import Callable

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, head, made
from tests.cheats.host import Host
from tests.cheats.stages import brawl, circle, prayer, restore, void
from urim.engine.bundle.write import bundle_of, end_line
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import read_key
from urim.events.merkle import Tree

PLANTED = Planted()

AHEAD = 32_000_000_000_000
"""Milliseconds from the clock of these games to the year 3000."""


@PLANTED("35")
def healthy_epoch(honest: bool) -> Made:
    """The host begins an epoch over a log that lacks nothing; the twin's plays on."""
    host = brawl()
    number = prayer(host)
    entry = None if honest else restore(host)
    host.throw(number)
    host.finish(number)
    return made(host, entry=entry)


@PLANTED("46")
def without_its_void(honest: bool) -> Made:
    """The file of a roll leaves out that it was voided; the twin's is the whole table."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    host.finish(number)
    gone = void(host, number)
    if honest:
        return made(host)
    lines = [*bundle_of(host.aggregate, "", head(host), [read_key(host.vkey)], number)]
    entries = [line for line in lines[1:-1] if json.loads(line)["commit"] != gone]
    assert len(entries) < len(lines) - 2
    tree = Tree(entry.leaf for entry in host.entries)
    proof = tree.multiproof([json.loads(line)["seq"] for line in entries], tree.size)
    return Made(b"".join([lines[0], *entries, end_line(len(entries), proof)]), host.vkey)


@PLANTED("48")
def left_lying(honest: bool) -> Made:
    """Rolls that fell badly are left lying, and declared again; the twin resolves them."""
    host = brawl()
    entry = None
    for _ in range(5):
        number = prayer(host)
        entry = host.state.size - 1
        host.throw(number)
        if honest:
            host.finish(number)
    return made(host, entry=entry)


@PLANTED("48b", play=brawl, honest_play=brawl, by="p1")
@PLANTED("48c", play=lambda: brawl("server"), honest_play=brawl, by="p1", dropper="p1")
@PLANTED("48d", play=lambda: brawl("table"), honest_play=circle)
def dropped_unthrown(
    honest: bool,
    play: Callable[[], Host],
    honest_play: Callable[[], Host],
    by: str = NARRATOR,
    dropper: str = NARRATOR,
) -> Made:
    """A roll is dropped before its dice fall and declared again; the twin knows nothing."""
    host = honest_play() if honest else play()
    drop(host, prayer(host), by if honest else dropper)
    number = prayer(host)
    entry = host.state.size - 1
    return finished(host, number, entry, thrown=False)


def drop(host: Host, number: int, seat: str) -> None:
    """A roll is voided by a narrator, or taken back by its own seat."""
    if seat == NARRATOR:
        void(host, number)
    else:
        host.ask(seat, commands.Withdraw(number))


@PLANTED("48e")
def shared_and_left(honest: bool) -> Made:
    """At level table a roll is left once its dice lie; the twin's before shares are asked for."""
    host = circle()
    first = prayer(host)
    if not honest:
        host.throw(first)
    number = prayer(host)
    entry = host.state.size - 1
    return finished(host, number, entry, thrown=False)


@PLANTED("48f")
def declared_twice(honest: bool) -> Made:
    """The second of two is thrown first, and dropped; the twin's first is resolved by then."""
    host = circle()
    first = prayer(host)
    entry = host.state.size - 1
    second = prayer(host)
    if honest:
        host.throw(first)
        host.finish(first)
    host.throw(second)
    if honest:
        return made(host, entry=entry)
    return finished(host, first, entry, thrown=False)


@PLANTED("48g")
def dropped_between(honest: bool) -> Made:
    """Between a roll that is dropped and its like stands one that was never thrown."""
    host = circle()
    first = prayer(host)
    host.throw(first)
    if honest:
        host.finish(first)
    drop(host, prayer(host), "p1")
    number = prayer(host)
    entry = host.state.size - 1
    return finished(host, number, entry, thrown=False)


@PLANTED("49")
def best_revealed(honest: bool) -> Made:
    """The best of six hidden rolls is revealed; the twin reveals them all."""
    host = brawl()
    rolls = [prayer(host, target=3 + each, visibility="gm") for each in range(6)]
    for number in rolls:
        host.throw(number)
        host.finish(number)
    for number in rolls if honest else rolls[:1]:
        host.ask(NARRATOR, commands.Reveal(number))
    return made(host)


@PLANTED("49b")
def passed_over(honest: bool) -> Made:
    """The second hidden roll is revealed, not the first; the twin reveals the first before it."""
    host = brawl()
    shown = []
    for target in (4, 5):
        number = prayer(host, target=target, visibility="gm")
        host.throw(number)
        host.finish(number)
        shown.append(number)
        if honest and len(shown) == 1:
            host.ask(NARRATOR, commands.Reveal(number))
    if not honest:
        host.ask(NARRATOR, commands.Reveal(shown[1]))
    return made(host)


@PLANTED("16b")
def voided_twice(honest: bool) -> Made:
    """Two rolls are voided once their dice lie; the twin voids them before."""
    host = brawl()
    entry = None
    for target in (4, 5):
        number = prayer(host, target=target)
        if not honest:
            host.throw(number)
        entry = void(host, number)
    return made(host, entry=entry)


@PLANTED("44c")
def given_for_a_throw(honest: bool) -> Made:
    """Another seat throws for a character and gives it back; the twin's owner throws."""
    host = brawl()
    number = prayer(host)
    host.ask("p1", commands.GiveCharacter("c1", "p2"))
    if not honest:
        host.throw(number)
    entry = host.ask("p2", commands.GiveCharacter("c1", "p1"))
    return finished(host, number, entry, thrown=not honest)


@PLANTED("44d")
def given_past_its_share(honest: bool) -> Made:
    """Another seat throws for a character and leaves out its owner; the twin asks everybody."""
    host = circle()
    number = prayer(host)
    host.ask("p1", commands.GiveCharacter("c1", "p2"))
    host.ask_for(number, "p2", "initiator", seats=() if honest else ("p2", NARRATOR))
    host.open_all()
    entry = host.ask("p2", commands.GiveCharacter("c1", "p1"))
    host.finish(number)
    return made(host, entry=entry)


@PLANTED("58")
def year_3000(honest: bool) -> Made:
    """The clock of the host is put ahead by a thousand years; the twin's is right."""
    host = brawl()
    number = prayer(host)
    host.pause = 0 if honest else AHEAD
    entry = host.throw(number)
    host.pause = 0
    return finished(host, number, entry, thrown=True)


def finished(host: Host, number: int, entry: int, *, thrown: bool) -> Made:
    """The table once the roll came out."""
    if not thrown:
        host.throw(number)
    host.finish(number)
    return made(host, entry=entry)
