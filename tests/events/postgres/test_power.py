"""When the power fails, whatever was not synced may be gone: nothing acknowledged is among it.

strace records what a server of PostgreSQL and its writers ask of their disk. The states that a
crash may leave are made from it, and a real server recovers from each.
"""

import random
import signal
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import pytest

from tests.conftest import MANY
from tests.events.crashes import Disk, Files, held, put
from tests.events.postgres.child import PHASES, POWER, TABLES, WRITERS
from tests.events.postgres.runs import kept_in, on_log
from tests.events.postgres.server import (
    Databases,
    Server,
    binaries,
    initdb,
    name_in,
    run_now,
    running,
)
from tests.events.sqlite.runs import chance, commits_of, insist, signed
from tests.events.traced import Call, must_trace, record
from urim.errors import UrimError
from urim.events.entry import Entry
from urim.events.log.postgres import PostgresLog

pytestmark = pytest.mark.slow

# One trace serves all tests of the file.

LOCK = "postmaster.pid"
"""A server does not start on one that is torn, or names a process that is somebody's by then."""

Promise = tuple[str, str, int, int, int]
"""Table, who, turn, start and stop of a commit that was acknowledged."""


class Life(NamedTuple):
    """A traced server: what was on its disk, what it and its writers did, and its database."""

    base: Files
    calls: list[Call]
    database: str

    def phase(self, name: str) -> range:
        """Where in the calls a phase is; the first one has the start of the server."""
        marks = {line[1]: at for at, line in self.lines() if line[0] == "P"}
        starts, stops = {**marks, next(iter(PHASES)): 0}, dict(pairwise(marks))
        return range(starts[name], marks[stops[name]])

    def lines(self, stop: int | None = None) -> Iterator[tuple[int, list[str]]]:
        """What was reported, word by word, before a call or until the end, and at which call."""
        for at, call in enumerate(self.calls[:stop]):
            if call.what == "say":
                yield at, call.data.decode().split()

    def promised(self, moment: int) -> list[Promise]:
        """What was acknowledged before a call."""
        return [
            (table, who, int(turn), int(start), int(stop))
            for _, (kind, *words) in self.lines(moment)
            if kind == "A"
            for table, who, turn, start, stop in [words]
        ]

    def crash(self, moment: int, luck: random.Random, unsynced: str = "") -> Files:
        """What may be on the disk if the power fails at a call, and some files are never synced."""
        disk = Disk(self.base)
        for call in self.calls[:moment]:
            if call.what != "sync" or not fnmatchcase(call.file, unsynced):
                disk.do(call)
        files = disk.after_crash(luck)
        files.pop(LOCK, None)
        return files


@pytest.fixture(scope="module")
def life() -> Life:
    """The life of a server on segments of 1 MB, so that many are filled and used again."""
    must_trace()
    with running(POWER, files=partial(initdb, words=("--wal-segsize=1",))) as server:
        url = run_now(Databases(server.url).new())
        on_log(url, PostgresLog.tables)
        server.stop(signal.SIGINT)
        base, name = held(server.data), name_in(url)
        words = ("tests.events.postgres.child", "power", str(server.folder), name)
        return Life(base, record(server.data, *words, there=base), name)


def laid(files: Files, server: Server) -> None:
    """The files that a crash left."""
    server.data.mkdir(mode=0o700)
    put(files, server.data)
    server.own(server.data, *(server.data / name for name in files))


def broken(life: Life, files: Files, promised: list[Promise]) -> list[str]:
    """What a server that starts on these files does not keep of what was promised."""
    programs = binaries()
    assert programs is not None
    server = Server(
        programs, ["log_min_messages=fatal", "full_page_writes=on"], files=partial(laid, files)
    )
    url = server.url_of(life.database)

    async def goes_on(log: PostgresLog) -> Promise:
        size = len(await log.read(TABLES[0]))
        start = await insist(log, TABLES[0], 2, "after", 0, known=size)
        return (TABLES[0], "after", 0, start, start + 2)

    try:
        server.start()
        problems = [*faults(kept_in(url), promised)]
        later = on_log(url, goes_on)
        problems += faults(kept_in(url), [*promised, later])
    # It does not start, does not answer, or has halves or damage.
    except (AssertionError, TimeoutError, UrimError) as error:
        return [f"{type(error).__name__}: {error}"]
    finally:
        server.remove()
    return problems


def faults(kept: Mapping[str, tuple[Entry, ...]], promised: list[Promise]) -> Iterator[str]:
    """What was promised and is not kept, and what is kept twice or out of order."""
    found = [(table, *commit) for table in kept for commit in commits_of(kept[table])]
    for promise in {*promised} - {*found}:
        yield f"{promise} is lost"
    turns: dict[str, list[int]] = {}
    for _, who, turn, _, _ in found:
        turns.setdefault(who, []).append(turn)
    for who, those in turns.items():
        if those != [*range(len(those))]:
            yield f"{who} wrote {those}"


@pytest.mark.prove
def test_no_power_failure_loses_doubles_or_halves_a_commit(
    life: Life, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck, how_many, acknowledged = chance("power", seed), max(2, count // 10), 0
    for moment in luck.choices(life.phase("full"), k=how_many):
        promised = life.promised(moment)
        assert broken(life, life.crash(moment, luck), promised) == [], moment
        acknowledged += len(promised)
    calls = len(life.phase("full"))
    tried(f"{how_many} crash states of {calls:,} calls, {acknowledged:,} acknowledged before")


class Control(NamedTuple):
    """What must lose: a phase of the life, and files of which no sync is followed.

    `harm` is in the words of all that is found. `rare`: in so few states that only where MANY are
    tried they are tried until one has lost.
    """

    phase: str
    unsynced: str = ""
    harm: str = ""
    rare: bool = False


CONTROLS = {
    "synchronous_commit = off": Control("hasty", harm="is lost"),
    "write-ahead log not synced": Control("full", "pg_wal/*"),
    "tables not synced": Control("full", "base/*", rare=True),
    "names of the write-ahead log not synced": Control("full", "pg_wal", rare=True),
    "full_page_writes = off": Control("torn", rare=True),
}


@pytest.mark.prove
@pytest.mark.parametrize("name", CONTROLS)
def test_without_what_a_log_relies_on_acknowledged_commits_are_lost(
    name: str, life: Life, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    control, luck = CONTROLS[name], chance(name, seed)
    how_many, losses, states = max(1, count // 10), 0, 0
    while states < how_many or (not losses and (MANY or not control.rare)):
        moment = luck.choice(life.phase(control.phase))
        files = life.crash(moment, luck, control.unsynced)
        found = broken(life, files, life.promised(moment))
        assert all(control.harm in each for each in found), moment
        losses += bool(found)
        states += 1
    tried(f"{losses} of {states} states lost what was acknowledged, or could not be read")


def test_what_is_lost_doubled_or_out_of_order_is_found() -> None:
    first, second = signed(0, 2, "w", 0), signed(2, 1, "w", 1)
    promised = [(TABLES[0], "w", 0, 0, 2), (TABLES[0], "w", 1, 2, 3)]

    def found(*entries: Entry) -> list[str]:
        return [*faults({TABLES[0]: entries}, promised)]

    assert found(*first, *second) == []
    assert found(*first) == [f"{promised[1]} is lost"]
    assert found(*first, *second, *signed(3, 1, "w", 1)) == ["w wrote [0, 1, 1]"]
    assert "w wrote [1, 0]" in found(*signed(0, 1, "w", 1), *signed(1, 2, "w", 0))
    with pytest.raises(AssertionError, match="ends inside a commit"):
        found(*first[:1])


def test_the_traced_life_has_all_that_a_server_does_to_its_disk(life: Life) -> None:
    did = {(call.what, call.file.partition("/")[0]) for call in life.calls}
    for what, where in (("write", "base"), ("write", "pg_wal"), ("write", "pg_xact")):
        assert {(what, where), ("sync", where)} <= did
    control = [call for call in life.calls if call.file == "global/pg_control"]
    assert {(call.what, call.place, len(call.data)) for call in control} == {
        ("write", 0, 8192),
        ("sync", 0, 0),
    }
    renamed = {call.data.decode() for call in life.calls if call.what == "rename"}
    written = {call.file for call in life.calls if call.what == "write"}
    assert {name for name in renamed & written if name.startswith("pg_wal/")}
    names = [words[1] for _, words in life.lines() if words[0] == "P"]
    assert names == [*PHASES, "end"]
    assert len(life.promised(len(life.calls))) == WRITERS * sum(
        phase.turns for phase in PHASES.values()
    )
