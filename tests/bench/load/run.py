"""A run of many tables: honest ones alone, then beside seats that misbehave, then alone again."""

import asyncio
import os
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from msgspec import Struct

from tests.bench.load.honest import MISBEHAVING, Party, Place, Reader, Taken, every_reader
from tests.bench.load.misbehaving import WAYS, Seat, Way, misbehave
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets, Secrets
from urim.events.log.sqlite import SqliteLog

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * PAGE


def held() -> "Held":
    """What this process holds now."""
    return Held(len(list(Path("/proc/self/fd").iterdir())), len(asyncio.all_tasks()))


class Setting(Struct, frozen=True, kw_only=True):
    """How many tables play how many turns in each phase, with pauses of so many seconds.

    Phases alternate: alone, beside seats that misbehave, alone. The first tables have one each.
    """

    tables: int
    turns: tuple[int, ...]
    pause: float
    ways: tuple[str, ...] = tuple(WAYS)
    seed: int = 1


class Sample(Struct, frozen=True):
    """What the process has at a moment: bytes of memory, descriptors, threads, entries, tasks.

    `wal` is the bytes of the write-ahead log.
    """

    rss: int
    descriptors: int
    threads: int
    entries: int
    tasks: int
    wal: int


class Phase(Struct):
    """A phase: what honest commands took, on tables where a seat misbehaves and on others."""

    name: str
    clean: Taken
    beside: Taken
    lags: list[float]
    samples: list[Sample]


class Held(Struct, frozen=True):
    """What a process must give back: descriptors and tasks."""

    descriptors: int
    tasks: int


class Run(Struct):
    """All phases, what the seats that misbehaved were answered, what was held before and after."""

    phases: list[Phase]
    answers: dict[str, Counter[str]]
    before: Held
    after: Held | None = None
    entries: int = 0
    resumed: int = 0


class Tables:
    """A service on a real file, with all tables opened, and everybody subscribed."""

    def __init__(self, service: Service, setting: Setting, file: Path) -> None:
        self.service = service
        self.file = file
        self.parties: list[Party] = []
        luck = Random(setting.seed)  # noqa: S311 - nothing secret
        for at in range(setting.tables):
            misbehaving = at < len(setting.ways)
            place = Place(service, f"load{at:04}", misbehaving=misbehaving)
            seed = luck.getrandbits(64)
            self.parties.append(Party(place, seed, witness=at % 2 == 0))
        self.seats = {
            name: Seat(party.place, file)
            for name, party in zip(setting.ways, self.parties, strict=False)
        }

    @property
    def readers(self) -> list[Reader]:
        """Every honest subscription."""
        return every_reader(self.parties)

    async def open(self) -> None:
        """Open all tables."""
        for party in self.parties:
            place = party.place
            await place.opened((*party.seats, *([MISBEHAVING] if place.misbehaving else [])))

    def sample(self) -> Sample:
        """What the process has now."""
        wal = self.file.with_name(f"{self.file.name}-wal")
        now = held()
        return Sample(
            resident(),
            now.descriptors,
            threading.active_count(),
            sum(len(party.place.leaves) for party in self.parties),
            now.tasks,
            wal.stat().st_size if wal.exists() else 0,
        )

    async def phase(self, name: str, turns: int, pause: float, ways: Sequence[str]) -> Phase:
        """One phase, until every honest table has played its turns."""
        phase = Phase(name, Taken(), Taken(), [], [self.sample()])
        seats = [(self.seats[way], WAYS[way]) for way in ways if way in self.seats]
        async with _beside(self, phase, seats), asyncio.TaskGroup() as group:
            for party in self.parties:
                taken = phase.beside if party.place.misbehaving else phase.clean
                group.create_task(party.play(turns, pause, taken))
        phase.samples.append(self.sample())
        return phase


@asynccontextmanager
async def _beside(
    tables: Tables, phase: Phase, seats: Sequence[tuple[Seat, Way]]
) -> AsyncGenerator[None]:
    watch = asyncio.create_task(_watch(tables, phase))
    tasks = [asyncio.create_task(misbehave(seat, way)) for seat, way in seats]
    try:
        yield
    finally:
        for seat, _ in seats:
            seat.over.set()
        await asyncio.gather(*tasks)
        watch.cancel()


async def _watch(tables: Tables, phase: Phase) -> None:
    """A sample about every second, and how late the loop is."""
    loop = asyncio.get_running_loop()
    while True:
        for _ in range(10):
            start = loop.time()
            await asyncio.sleep(0.1)
            phase.lags.append(loop.time() - start - 0.1)
        phase.samples.append(tables.sample())


async def run(file: Path, setting: Setting, secrets: Secrets | None = None) -> Run:
    """Play all phases, check that nothing is lost, and close everything."""
    before = held()
    log = await SqliteLog.open(file)
    service = Service(log, secrets or MemorySecrets())
    tables = Tables(service, setting, file)
    answers = {name: seat.answers for name, seat in tables.seats.items()}
    found = Run([], answers, before)
    try:
        await tables.open()
        readers = [asyncio.create_task(reader.follow()) for reader in tables.readers]
        for at, turns in enumerate(setting.turns):
            name = "beside" if at % 2 else "alone"
            ways = setting.ways if at % 2 else ()
            found.phases.append(await tables.phase(name, turns, setting.pause, ways))
        await _settled(tables, readers)
        found.entries = sum([await party.place.check() for party in tables.parties])
        for reader in tables.readers:
            await reader.check()
            found.resumed += reader.resumed
    finally:
        await service.close()
        await log.close()
    found.after = held()
    return found


async def _settled(tables: Tables, readers: Sequence["asyncio.Task[None]"]) -> None:
    """End all subscriptions, once each has what was kept."""
    # A command that was given up may still be at work: who asks for the table waits for it.
    for party in tables.parties:
        await tables.service.state(party.place.table)
    await tables.service.end_subscriptions()
    await asyncio.gather(*readers)
    assert not any(tables.service.present(party.place.table) for party in tables.parties)
