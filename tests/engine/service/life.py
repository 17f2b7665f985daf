"""The life of a table in a service, step by step: every part of it can be asked again.

What is asked again gives the same answer, so a life that was cut short is lived to its end by
asking all of it again, from the first.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tests.engine.helpers.stages.epochs import fits
from tests.engine.helpers.stages.heads import NEVER
from tests.engine.helpers.stages.service import TABLE, declare, mark
from urim.engine.core.commands import (
    Asking,
    EnterCharacter,
    Erase,
    Note,
    OpenTable,
    RollDice,
    TakeSeat,
    worded,
)
from urim.engine.service import Service
from urim.engine.service.heads import read_unverified
from urim.engine.service.secrets import FileSecrets
from urim.errors import Damaged, Refused
from urim.events.asked import Asked
from urim.events.codec import asked_in, recorded
from urim.events.entry import Entry, withhold
from urim.events.log.sqlite import SqliteLog
from urim.events.merkle import root_of
from urim.events.roll import DiceRolled, RollDeclared

OTHER = "table002"
DATABASE = "table.db"
NONCE = "ab" * 32
SALT = "cd" * 16

GONE = (8, 10)
"""The texts that are erased."""

Part: TypeAlias = Callable[[Service], Awaitable[str]]
"""Something that is asked of a service, and what it answered, in one word."""


def answer(entries: Sequence[Entry]) -> str:
    """What stays of some entries, whatever is erased."""
    return ",".join(f"{entry.seq}:{entry.leaf.hex()}" for entry in entries)


def opens(table: str, dice: str, request: str = "open") -> Part:
    """A table is opened."""

    async def part(service: Service) -> str:
        command = OpenTable(table, "milhamah", {}, dice)
        return answer(await service.open_table("narrator", command, request))

    return part


def asks(request: str, seat: str, command: Asking, table: str = TABLE) -> Part:
    """A seat asks for something."""

    async def part(service: Service) -> str:
        return answer(await service.submit(table, seat, command, request))

    return part


async def signs(service: Service, table: str = TABLE) -> str:
    """The head is asked for: its size and root."""
    try:
        head = read_unverified(await service.checkpoint(table))
    except Refused as refused:
        if refused.code != "out-of-range":  # an epoch began, and nothing was done since
            raise
        return ""
    return f"{head.size}:{head.root.hex()}"


async def epoch(service: Service) -> str:
    """An epoch begins, where none has, or where the log was restored since."""
    try:
        begun = (await service.state(TABLE)).epoch
    except Damaged:
        begun = 0
    if not begun:
        await service.begin_epoch(TABLE, restored=True)
    return f"{(await service.state(TABLE)).epoch}"


LIFE: dict[str, tuple[Part, ...]] = {
    "opening": (opens(TABLE, "fair"), opens(OTHER, "manual")),
    "committing": (
        asks("sit-1", "narrator", TakeSeat("p1")),
        asks("sit-2", "narrator", TakeSeat("p2")),
        asks("enter", "narrator", worded(EnterCharacter("c1", "p1", {"BLE": 3}), "Etgar", SALT)),
        asks("declare", "p1", declare()),
        asks("throw", "p1", RollDice(1, "initiator", 5, NONCE)),
        asks("note-1", "p1", worded(Note(0), "gone soon", SALT)),
        asks("note-2", "p1", worded(Note(0), "gone too", SALT)),
        asks("declare-2", "p1", declare("gm")),
    ),
    "signing": (
        signs,
        asks("mark-1", "narrator", mark(1)),
        signs,
        asks("mark-2", "narrator", mark(2)),
        signs,
    ),
    "erasing": (
        asks("erase-1", "p1", Erase(GONE[0])),
        asks("erase-2", "p1", Erase(GONE[1])),
    ),
    "epoch": (epoch, asks("declare-3", "p1", declare())),
    "closing": tuple(asks(f"mark-{n}", "narrator", mark(n)) for n in (3, 4, 5)),
}
"""All that is asked, by step. The database is opened before each step, and closed after it."""

REQUESTS = 17
"""How many of these are requests on the one table."""

ERASES = {("erasing", n): seq for n, seq in enumerate(GONE)}


class Promise(NamedTuple):
    """What a process was answered: which part of which step, in which word."""

    step: str
    part: int
    word: str


def promises(lines: Sequence[str]) -> list[Promise]:
    """Those that a process has printed."""
    found = (line.split(" ") for line in lines if line.startswith("A "))
    return [Promise(step, int(part), word) for _, step, part, word in found]


async def lived(folder: Path, steps: Sequence[str] = tuple(LIFE)) -> list[Promise]:
    """Live these steps on the files in a folder, to their end."""
    made: list[Promise] = []
    log = await SqliteLog.open(folder / DATABASE)
    service = Service(log, FileSecrets.beside(folder / DATABASE), sign_every=NEVER)
    try:
        for step in steps:
            for number, part in enumerate(LIFE[step]):
                made.append(Promise(step, number, await part(service)))
    finally:
        await service.close()
        await log.close()
    return made


async def kept(folder: Path, promised: Sequence[Promise]) -> None:
    """All that was promised is kept, and the life goes on to its end, whatever was cut short."""
    before = await first_look(folder, promised)
    again = await lived(folder)
    words = {(each.step, each.part): each.word for each in again}
    for each in promised:
        if not changes(each):
            assert words[each.step, each.part] == each.word, each
    log = await SqliteLog.open(folder / DATABASE)
    await log.check()
    entries = await log.read(TABLE)
    assert await log.tables() == (TABLE, OTHER)
    assert len(await log.read(OTHER)) == 1
    head = await log.last_head(TABLE)
    await log.close()
    for old, new in zip(before, entries, strict=False):
        assert new in (old, withhold(old))
    whole(entries)
    for each in promised:
        if LIFE[each.step][each.part] is signs and each.word:
            size, root = each.word.split(":")
            assert root_of([entry.leaf for entry in entries[: int(size)]]).hex() == root
    note = FileSecrets.beside(folder / DATABASE).heads.find(TABLE)
    assert head is not None
    assert (head.size, head.note) == (len(entries), note)
    assert all(lasts(path.name) for path in rest(folder))


async def first_look(folder: Path, promised: Sequence[Promise]) -> tuple[Entry, ...]:
    """What is there at once, before anything is asked again; a restored log is made good."""
    log = await SqliteLog.open(folder / DATABASE)
    entries = await log.read(TABLE)
    for each in promised:
        if not changes(each) and each.step != "opening":
            found = answer([entries[int(word.split(":")[0])] for word in each.word.split(",")])
            assert found == each.word, each
        erased = ERASES.get((each.step, each.part))
        assert erased is None or entries[erased].payload is None, each
    service = Service(log, FileSecrets.beside(folder / DATABASE), sign_every=NEVER)
    try:
        if entries:
            await service.state(TABLE)
    except Damaged as damaged:
        if "urim epoch" not in damaged.why:
            raise
        assert all(each.step != "epoch" for each in promised)
        await service.begin_epoch(TABLE)
    await service.close()
    await log.close()
    return entries


def rest(folder: Path) -> list[Path]:
    """What is in a folder beside a closed database and its secrets."""
    known = {DATABASE, f"{DATABASE}.secrets"}
    return [path for path in folder.iterdir() if path.name not in known]


def lasts(name: str) -> bool:
    """Whether a file may stay of a process that was killed: an unfinished one, of no use."""
    return re.fullmatch(re.escape(DATABASE) + r"\.[0-9a-f]{16}(\.new)?", name) is not None


def changes(promise: Promise) -> bool:
    """Whether the answer may be another one later."""
    return LIFE[promise.step][promise.part] in (signs, epoch)


def whole(entries: Sequence[Entry]) -> None:
    """Everything was done once, and what was thrown is what was committed to."""
    asked = [found.request for found in map(asking, entries) if found is not None]
    own = [request for request in asked if not request.startswith("~")]
    assert len(own) == len(set(own)) == REQUESTS
    assert all(entries[seq].payload is None for seq in GONE)
    committed, thrown = (recorded(entries[seq]).event for seq in (5, 6))
    assert isinstance(committed, RollDeclared)
    assert isinstance(thrown, DiceRolled)
    assert committed.commit is not None
    assert thrown.proof is not None
    assert fits(committed.commit, thrown.proof.seed)


def asking(entry: Entry) -> Asked | None:
    """What an entry that begins a commit was asked by."""
    return asked_in(entry) if entry.seq == entry.commit else None
