"""Opening a table is done once, whatever was cut short before: its id is never lost."""

import asyncio
import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.stages.epochs import fits, outstanding, thrown
from tests.engine.helpers.stages.service import TABLE, declare, made, on_each_log, sat_down
from tests.events.traced import must_trace
from tests.tree import ROOT
from urim.engine.cli.keep import keep
from urim.engine.core.commands import OpenTable
from urim.engine.service import Service, opening
from urim.engine.service.secrets import FileSecrets, MemorySecrets, Secrets
from urim.engine.table import Table
from urim.errors import Refused, Unavailable
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Answered, Appended, Conflict, EventLog, Request
from urim.events.log.sqlite import SqliteLog

OPENING = OpenTable(TABLE, "milhamah", {}, "fair")

OTHER_PROCESS = """
import asyncio, os, signal, sys
from pathlib import Path
from urim.engine.core.commands import OpenTable
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.events.log.sqlite import SqliteLog

async def run(path, what):
    log = await SqliteLog.open(path)
    append = log.append

    async def cut(*words):
        if what == "struck":
            return await append(*words)
        if what == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        print("here", flush=True)
        sys.stdin.readline()
        return await append(*words)

    log.append = cut
    service = Service(log, FileSecrets.beside(path))
    await service.open_table("narrator", OpenTable("table001", "milhamah", {}, "fair"), "a")
    await log.close()

asyncio.run(run(Path(sys.argv[1]), sys.argv[2]))
"""


def other(path: Path, what: str) -> "subprocess.Popen[str]":
    """Another process that opens the table: killed, or waiting, between secret and first entry."""
    command = [sys.executable, "-c", OTHER_PROCESS, str(path / "table.db"), what]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


async def plays(log: EventLog, secrets: Secrets) -> None:
    """A throw at the open table opens what was committed to, for services that know nothing."""
    await sat_down(Service(log, secrets))
    await Service(log, secrets).submit(TABLE, "p1", declare())
    commit = await outstanding(Service(log, secrets))
    event = await thrown(Service(log, secrets))
    assert event.proof is not None
    assert fits(commit, event.proof.seed)


# --- a process that was killed between the secret and the first entry -----------------------------


def killed(path: Path) -> bytes:
    """Kill a process that opens the table; the secret that it left."""
    with other(path, "killed") as process:
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    return (path / "table.db.secrets" / TABLE).read_bytes()


@pytest.mark.parametrize("request_id", ["a", "b"])
def test_an_opening_that_was_killed_is_made_good_by_the_next(
    tmp_path: Path, request_id: str
) -> None:
    left = killed(tmp_path)

    async def run() -> None:
        async with made("sqlite", tmp_path) as (log, secrets):
            service = Service(log, secrets)
            first = await service.open_table("narrator", OPENING, request_id)
            assert first == await log.read(TABLE)
            again = Service(log, secrets)
            assert await again.open_table("narrator", OPENING, request_id) == first
            await plays(log, secrets)

    asyncio.run(run())
    kept = tmp_path / "table.db.secrets"
    assert (kept / f"{TABLE}.aside").read_bytes() == left
    assert (kept / TABLE).read_bytes() != left


def test_a_table_played_in_memory_is_kept_where_an_opening_was_killed(tmp_path: Path) -> None:
    left = killed(tmp_path)
    table = Table("milhamah", dice="fair", id=TABLE)

    async def run() -> None:
        async with made("sqlite", tmp_path) as (log, secrets):
            assert isinstance(secrets, FileSecrets)
            assert await keep(log, secrets, table.aggregate)
            assert not await keep(log, secrets, table.aggregate)
            assert secrets.find(TABLE) == table.aggregate.environment.secret
            await plays(log, secrets)

    asyncio.run(run())
    assert (tmp_path / "table.db.secrets" / f"{TABLE}.aside").read_bytes() == left


async def test_what_a_killed_opening_had_begun_does_not_come_back(tmp_path: Path) -> None:
    """It was killed as its first entry was synced, and the next between its secret and its entry.

    The entry is in the write-ahead log, and no process that has the log open sees it.
    """
    must_trace()
    path = tmp_path / "table.db"
    strike = ("-e", "trace=fdatasync", "-e", "inject=fdatasync:signal=KILL:when=1")
    command = ["strace", "-f", "-o", "/dev/null", *strike, sys.executable, "-c", OTHER_PROCESS]

    async with made("sqlite", tmp_path) as (log, secrets):
        words = [*command, str(path), "struck"]
        await asyncio.to_thread(subprocess.run, words, cwd=ROOT, check=False)
        assert isinstance(secrets, FileSecrets)
        assert secrets.find(TABLE) is not None
        assert await log.read(TABLE) == ()
        assert len(await kept_in(after_a_crash(path, "first"))) == 1
        held = await opening.kept(log, secrets, TABLE, bytes(32))
        assert held is not None
        held.release()
        assert await kept_in(after_a_crash(path, "second")) == ()


def after_a_crash(path: Path, name: str) -> Path:
    """The log as it is where all processes are gone, and with them the memory that they share."""
    folder = path.with_name(name)
    folder.mkdir()
    for each in (path.name, f"{path.name}-wal"):
        shutil.copy(path.with_name(each), folder / each)
    return folder / path.name


async def kept_in(path: Path) -> tuple[Entry, ...]:
    """What a log has of the table."""
    log = await SqliteLog.open(path)
    found = await log.read(TABLE)
    await log.close()
    return found


# --- a process that is between the two ------------------------------------------------------------


def test_a_process_that_is_just_opening_a_table_keeps_its_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        own = (tmp_path / "table.db.secrets" / TABLE).read_bytes()
        async with made("sqlite", tmp_path) as (log, secrets):
            service = Service(log, secrets)
            monkeypatch.setattr(opening, "TRIES", 3)
            with pytest.raises(Unavailable, match="another process is opening table 'table001'"):
                await service.open_table("narrator", OPENING, "a")
            monkeypatch.setattr(opening, "TRIES", 1_000)
            waiting = asyncio.create_task(service.open_table("narrator", OPENING, "a"))
            await asyncio.sleep(0.1)
            assert not waiting.done()
            process.stdin.write("\n")
            process.stdin.flush()
            assert await waiting == await log.read(TABLE)
            assert await asyncio.to_thread(process.wait) == 0
            await plays(log, secrets)
        kept = tmp_path / "table.db.secrets"
        assert (kept / TABLE).read_bytes() == own
        assert not [*kept.glob("*.aside*")]

    with other(tmp_path, "waits") as process:
        asyncio.run(run(process))


def test_a_secret_is_held_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = FileSecrets(tmp_path / "secrets")
    link = os.link

    def linked(unfinished: Path, path: Path) -> None:
        link(unfinished, path)
        assert secrets.find(TABLE) == bytes(32)
        assert secrets.left(TABLE) is None

    monkeypatch.setattr(os, "link", linked)
    secrets.keep(TABLE, bytes(32)).release()
    assert secrets.left(TABLE) is not None


# --- the same process -----------------------------------------------------------------------------


class Failing(SqliteLog):
    """A log whose first append fails: before it keeps anything."""

    failed = False

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        if not self.failed:
            self.failed = True
            raise Unavailable("the disk went away")
        return await super().append(table, entries, expected, request)


@pytest.mark.parametrize("again", ["a", "b"])
async def test_a_table_opened_at_the_second_try_is_under_the_secret_in_its_file(
    tmp_path: Path, again: str
) -> None:
    path = tmp_path / "table.db"
    log, secrets = await Failing.open(path), FileSecrets.beside(path)
    service = Service(log, secrets)
    with pytest.raises(Unavailable, match="went away"):
        await service.open_table("narrator", OPENING, "a")
    before = secrets.find(TABLE)
    first = await service.open_table("narrator", OPENING, again)
    assert secrets.find(TABLE) == before
    assert await Service(log, secrets).open_table("narrator", OPENING, again) == first
    await plays(log, secrets)
    await log.close()


class Late(MemoryLog):
    """A log whose first append fails, and is kept all the same: later, before the next."""

    late: tuple[Any, ...] | None = ()

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        if self.late == ():
            self.late = (table, entries, expected, request)
            raise Unavailable("the connection went away")
        if self.late:
            await super().append(*self.late)
            self.late = None
        return await super().append(table, entries, expected, request)


@pytest.mark.parametrize("again", ["a", "b"])
async def test_a_secret_stays_where_the_first_try_was_kept_all_the_same(again: str) -> None:
    log, secrets = Late(), MemorySecrets()
    service = Service(log, secrets)
    with pytest.raises(Unavailable, match="went away"):
        await service.open_table("narrator", OPENING, "a")
    if again == "a":
        await service.open_table("narrator", OPENING, "a")
    else:
        with pytest.raises(Refused, match="open already"):
            await service.open_table("narrator", OPENING, "b")
    assert await Service(log, secrets).open_table("narrator", OPENING, "a")
    await plays(log, secrets)


@pytest.mark.parametrize("ends", ["closed", "opened"])
async def test_an_opening_that_failed_holds_its_secret_until_it_is_settled(
    tmp_path: Path, ends: str
) -> None:
    path = tmp_path / "table.db"
    log, secrets = await Failing.open(path), FileSecrets.beside(path)
    service = Service(log, secrets)
    with pytest.raises(Unavailable):
        await service.open_table("narrator", OPENING, "a")
    assert secrets.left(TABLE) is None
    if ends == "closed":
        await service.close()
    else:
        await service.open_table("narrator", OPENING, "b")
    left = secrets.left(TABLE)
    assert left is not None
    left.release()
    await log.close()


class Endless(MemoryLog):
    """A log whose appends are never answered."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()

    async def append(
        self, table: str, entries: Sequence[Entry], expected: int, request: Request | None = None
    ) -> Appended | Conflict | Answered:
        self.begun.set()
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize("kind", ["memory", "files"])
def test_an_opening_that_the_end_of_its_loop_cut_short_holds_its_secret(
    tmp_path: Path, kind: str
) -> None:
    kept: Secrets = MemorySecrets() if kind == "memory" else FileSecrets(tmp_path / "secrets")

    async def run() -> None:
        log = Endless()
        service = Service(log, kept)
        task = asyncio.create_task(service.open_table("narrator", OPENING, "a"))
        await log.begun.wait()
        assert not task.done()

    asyncio.run(run())
    gc.collect()
    assert kept.left(TABLE) is None


@on_each_log
async def test_an_opening_that_is_refused_leaves_no_secret(log: EventLog, secrets: Secrets) -> None:
    with pytest.raises(Refused, match="no system called"):
        await Service(log, secrets).open_table("narrator", OpenTable(TABLE, "chess"), "a")
    assert secrets.find(TABLE) is None


@on_each_log
async def test_of_services_that_open_a_table_at_once_one_opens_it(
    log: EventLog, secrets: Secrets
) -> None:
    calls = (Service(log, secrets).open_table("narrator", OPENING, f"{n}") for n in range(4))
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(each, tuple) for each in found) == 1
    assert sum(isinstance(each, Refused) and each.code == "taken" for each in found) == 3
    await plays(log, secrets)


@on_each_log
async def test_a_request_to_open_that_is_sent_to_services_at_once_is_done_once(
    log: EventLog, secrets: Secrets
) -> None:
    calls = (Service(log, secrets).open_table("narrator", OPENING, "a") for _ in range(4))
    first, *rest = await asyncio.gather(*calls)
    assert rest == [first] * 3
    assert await log.read(TABLE) == first
    await plays(log, secrets)
