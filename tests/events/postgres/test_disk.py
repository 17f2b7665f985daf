"""A disk that is full costs nothing that was kept, and all goes on once there is room."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.events.postgres.child import TABLES
from tests.events.postgres.runs import asked, kept_in
from tests.events.postgres.server import Databases, Server, run_now, running
from tests.events.sqlite.runs import chance, commits_of
from urim.errors import Unavailable
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import FAULTS

pytestmark = pytest.mark.slow

SIZE = 160
"""Megabytes of the disk: a server's files take a third of them before anything is in them."""

SETTINGS = (
    # No part of the disk is kept for later, and a checkpoint that gives room back is soon done.
    *("max_wal_size=32MB", "min_wal_size=32MB", "wal_recycle=off"),
    "checkpoint_completion_target=0",
    # Recovery has no room either: a server that gives up ends, and is started when there is some.
    "restart_after_crash=off",
)

NEXT = ("SELECT pg_switch_wal()", "SELECT pg_logical_emit_message(true, 'urim', '')")
"""Lets the server begin another part of its write-ahead log, which takes room."""

WRITERS = 8

PATIENCE = 60
"""Seconds until writers that do not go on are given up."""


@contextmanager
def disk() -> Generator[Path]:
    """A small disk of its own, in memory, where anybody may go. Skips where none can be made."""
    place = Path(tempfile.mkdtemp(prefix="urim-disk-"))
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    options = f"size={SIZE}m,mode=0755,uid={os.geteuid()},gid={os.getegid()}"
    try:
        words = [*as_root, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        done = subprocess.run(words, capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no disk can be made to be filled: {done.stderr.decode().strip()}")
        try:
            yield place
        finally:
            subprocess.run([*as_root, "umount", place], check=True)
    finally:
        place.rmdir()


def fill(filler: Path) -> None:
    """Let a file take all the room that its disk has by now."""
    with suppress(OSError), filler.open("ab") as file:  # the server may be quicker
        if free := shutil.disk_usage(filler.parent).free:
            os.posix_fallocate(file.fileno(), filler.stat().st_size, free)


class Load:
    """Writers who go on until `done`, each asking for a commit until it is kept."""

    def __init__(self, log: PostgresLog) -> None:
        self.log = log
        self.promised: list[tuple[str, str, int]] = []
        self.failures: list[str] = []
        self.starts = 0
        self.done = asyncio.Event()

    async def write(self, writer: int) -> None:
        """Append to a table that others append to as well."""
        table, who, size, turn = TABLES[writer % len(TABLES)], f"w{writer}", 0, 0
        while not self.done.is_set():
            length = 1 + turn % 3
            size = await asked(
                self.log, table, who, turn, length, size, filler=4_000, failed=self._failed
            )
            self.promised.append((table, who, turn))
            turn += 1

    def _failed(self, error: Unavailable) -> None:
        self.failures.append(str(error))

    async def fails(self, filler: Path) -> None:
        """Keep the disk full until three commits of each writer have failed."""
        size = len(self.failures) + 3 * WRITERS
        async with asyncio.timeout(PATIENCE):
            while len(self.failures) < size:
                fill(filler)  # a checkpoint of the server makes room
                await asyncio.sleep(0.01)

    async def gives_up(self, server: Server, filler: Path) -> None:
        """Keep the disk full until the write-ahead log has no room and the server ended."""
        assert server.process is not None
        async with asyncio.timeout(PATIENCE):
            while server.process.poll() is None:
                fill(filler)
                with suppress(*FAULTS):
                    await Databases(server.url).run(*NEXT)
                await asyncio.sleep(0.01)

    async def goes_on(self, server: Server) -> None:
        """Wait for three commits of each writer; a server that ended meanwhile is started."""
        size = len(self.promised) + 3 * WRITERS
        async with asyncio.timeout(PATIENCE):
            while len(self.promised) < size:
                assert server.process is not None
                if server.process.poll() is not None:
                    await asyncio.to_thread(server.start)
                    self.starts += 1
                await asyncio.sleep(0.01)


async def filled(server: Server, filler: Path, times: int, luck: Callable[[], float]) -> Load:
    """Fill the disk again and again under load, and make room; what the writers met with."""
    url = await Databases(server.url).new()
    log = await PostgresLog.open(url)
    load = Load(log)
    async with asyncio.TaskGroup() as writing:
        for writer in range(WRITERS):
            writing.create_task(load.write(writer))
        for time in range(times):
            await load.goes_on(server)
            await asyncio.sleep(luck() * 0.1)
            if time % 2:
                await load.gives_up(server, filler)
            else:  # the write-ahead log has room, the tables have none
                await Databases(server.url).run(*NEXT)
                fill(filler)
            await load.fails(filler)
            await asyncio.to_thread(filler.unlink)
        await load.goes_on(server)
        load.done.set()
    await log.close()
    kept = await asyncio.to_thread(kept_in, url)
    found = Counter(
        (table, who, turn) for table in kept for who, turn, _, _ in commits_of(kept[table])
    )
    assert found == Counter(load.promised)
    return load


@pytest.mark.prove
def test_a_full_disk_loses_doubles_and_halves_nothing_and_all_goes_on_with_room(
    count: int, seed: int, tried: Callable[[str], None]
) -> None:
    times = max(2, count // 10)
    with disk() as place, running(SETTINGS, base=place) as server:
        load = run_now(filled(server, place / "filler", times, chance("disk", seed).random))
    full = sum("could not extend" in each or "No space left" in each for each in load.failures)
    assert full > 0
    assert load.starts >= times // 2
    tried(
        f"{times} times full, {full:,} commits refused for it, {load.starts} times the server "
        f"gave up, {len(load.promised):,} acknowledged"
    )
