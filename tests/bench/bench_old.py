"""What is asked of tables by their age, over five doublings; and how a run grows with its rolls.

The oldest is measured against the youngest: it may take half as much again, and a run of eight
times as many rolls ten times as long.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TypeAlias

from tests.bench import measure, script
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.engine.helpers.stage import fight, hit
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import awaiting, moves
from urim.engine.render.play import show_play
from urim.engine.render.text import page
from urim.engine.scenario import parse_scenario, play
from urim.engine.service.reading import read_by
from urim.errors import Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.rules.words import ENGLISH

TABLE = "bench000"
ORIGIN = f"urim.local/t/{TABLE}"
KEY = script.SECRET
TIMES = 20
"""How often each is asked in a round."""

YOUNG = 1 / 1.5
"""A young table may take so much of what an old one takes, not less."""

SHORT = 1 / 10
"""The same of a run of fewer rolls."""

Work: TypeAlias = Callable[[Aggregate], object]


def rows(size: Size, folder: Path) -> list[Row]:
    """A group for each thing that is asked; then scenarios that are played and written."""
    found: list[Row] = []
    for what, varied in {"At an old table": False, "At an old table with secrets": True}.items():
        tables = {each: table(each, varied=varied) for each in size.ages}
        for name, work in ASKED.items():
            found += _asked(size, f"{what}: {name}", work, tables)
    return [*found, *_voids(size), *_runs(size)]


def table(entries: int, *, varied: bool = False) -> Aggregate:
    """A table of at least so many entries; half of the rolls of a varied one are hidden."""
    found = Aggregate(script.around())
    for commit in script.commits(TABLE, entries, varied=varied):
        found.load(commit.entries)
    return found


def _asked(size: Size, name: str, work: Work, tables: Mapping[int, Aggregate]) -> list[Row]:
    def again(known: Aggregate) -> None:
        for _ in range(TIMES):
            work(known)

    ways = {age: partial(timed, partial(again, known)) for age, known in tables.items()}
    taken = measure.in_turn(ways, size.starts)
    old, young = (f"at {age:,} entries" for age in (max(taken), min(taken)))
    ends = {old: taken[max(taken)], young: taken[min(taken)]}
    more = {old: measure.as_power(taken, "entries")}
    return measure.rows(name, "time", TIMES, ends, aims={young: YOUNG}, more=more)


# --- what is asked --------------------------------------------------------------------------------


def decided(seat: str, command: asked.Asking) -> Work:
    """A command that is decided, sealed and folded, or refused; nothing of it is kept."""
    plain, text = asked.apart(command)
    body = Aggregate.body(plain)

    def work(known: Aggregate) -> None:
        with suppress(Refused):
            known.prepare(seat, body, None, text)

    return work


def voided(known: Aggregate) -> None:
    """A void of the latest roll."""
    number = known.opened.last_roll
    plain, text = asked.apart(asked.worded(asked.Void(number), "It never was."))
    known.prepare(NARRATOR, Aggregate.body(plain), None, text)


def bundled(known: Aggregate) -> None:
    """The bundle of roll 1."""
    head = Checkpoint(ORIGIN, len(known.entries), known.frontier.root())
    note, key = sign(head, KEY), public_key(ORIGIN, KEY)
    for _ in bundle_of(known, script.STRIKER, note, [key], 1):
        pass


ASKED: Mapping[str, Work] = {
    "a note on an old entry": decided(script.STRIKER, asked.worded(asked.Note(9), "It fell.")),
    "a dispute of an old roll": decided(script.TOAD, asked.worded(asked.Dispute(1), "It fell.")),
    "a name": decided(NARRATOR, asked.worded(asked.NameCharacter("c1"), "Etgar")),
    "a refused throw": decided(script.TOAD, asked.RollDice(1, "initiator")),
    "a refused erasure": decided(script.TOAD, asked.Erase(0)),
    "a roll that is declared": decided(script.STRIKER, asked.Declare("c1", script.STRIKE)),
    "a void of the latest roll": voided,
    "the moves in a roll": lambda known: moves(known.opened, script.STRIKER, 1),
    "what waits for a seat": lambda known: awaiting(known.opened, script.STRIKER),
    "the account of a roll": lambda known: read_by(known, script.STRIKER).account(1, ENGLISH),
    "the bundle of a roll": bundled,
}
"""What is asked of a table, by the name of its group."""


# --- voids ----------------------------------------------------------------------------------------


def _voids(size: Size) -> list[Row]:
    return [row for entries in (size.ages[0], size.ages[-1]) for row in _folds(size, entries)]


def _folds(size: Size, entries: int) -> list[Row]:
    logs = {"half of the rolls voided": blows(entries, halved=True), "none voided": blows(entries)}
    ways: dict[str, measure.Way] = {
        name: partial(timed, partial(folded, log)) for name, log in logs.items()
    }
    taken = measure.in_turn(ways, size.starts)
    each = {name: [took * entries / len(logs[name]) for took in taken[name]] for name in logs}
    group = f"Blows of {entries:,} entries folded again"
    return measure.rows(group, "entry", entries, each, aims={"none voided": HALVED})


HALVED = 1 / 2
"""So much of what an entry takes where half of the rolls are voided, it may take where none is."""


def blows(entries: int, *, halved: bool = False) -> tuple[Entry, ...]:
    """A log of at least so many entries, all of them blows that land; every second one voided."""
    table, etgar, toad = fight()
    while len(table.aggregate.entries) < entries:
        roll = hit(table, etgar, toad)
        if halved and roll.number % 2:
            roll.void("It never was.")
    return table.entries


def folded(log: tuple[Entry, ...]) -> None:
    """The table of a log."""
    Aggregate(environment("scripted")).load(log)


# --- scenarios ------------------------------------------------------------------------------------

HEAD = """\
title = "Long"
system = "milhamah"
character = [
    { name = "Etgar", attributes = { BLE = 3, VIG = 2 } },
    { name = "Toad", attributes = { GRA = 2, VIG = 2 }, tracks = { soak = 2 } },
]
"""

PRAYER = """
[[step]]
do = "declare"
as = "Etgar"
root = "רוח"
attribute = "BLE"
target = "average"
[[step]]
do = "roll"
faces = ["ב", "ח", "ג", "ט", "ד", "ל", "ה", "מ"]
[[step]]
do = "resolve"
"""

BLOW = """
[[step]]
do = "declare"
as = "Etgar"
root = "רוח"
rating = 5
opponent = "Toad"
combat = true
[[step]]
do = "react"
root = "חננ"
rating = 3
[[step]]
do = "roll"
faces = ["ו", "ח", "ר", "ט", "ל", "ש", "נ", "כ"]
[[step]]
do = "stand"
[[step]]
do = "choose"
choice = "natural"
option = "allow"
[[step]]
do = "roll"
faces = ["ש", "ז", "ג", "כ", "ל", "ק", "ב", "ט"]
[[step]]
do = "stand"
[[step]]
do = "choose"
choice = "gain"
option = "none"
[[step]]
do = "roll"
faces = ["מ"]
[[step]]
do = "resolve"
[[step]]
do = "apply_damage"
"""

PEACE = 9
"""Prayers before each blow."""


def _runs(size: Size) -> list[Row]:
    ways: dict[str, measure.Way] = {
        f"{rolls:,} rolls": partial(timed, partial(run, rolls)) for rolls in size.played
    }
    *_, short = ways
    taken = measure.in_turn(ways, size.starts)
    return measure.rows("A scenario played and written", "run", 1, taken, aims={short: SHORT})


def run(rolls: int) -> None:
    """What `urim run` does with a scenario of so many rolls."""
    text = HEAD + "".join(BLOW if at % 10 == PEACE else PRAYER for at in range(rolls))
    played = asyncio.run(play(parse_scenario(text), MemoryLog()))
    show_play(page(StringIO()), played)
    assert not played.failures


def test_old_tables(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
