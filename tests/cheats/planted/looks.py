"""What no proof can forbid, and an audit shows: rolls picked, gifts, a clock ahead, parts."""

import json

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, head, made
from tests.cheats.host import Host
from tests.cheats.stages import brawl, prayer, restore, void
from urim.engine.bundle.write import bundle_of, end_line
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import read_key

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
    return Made(b"".join([lines[0], *entries, end_line(len(entries))]), host.vkey)


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
