"""Services whose tables have snapshots every three entries, and all that they answer."""

import asyncio
import atexit
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager, closing
from functools import cache, partial, wraps
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeAlias, TypeVar

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.heads import NEVER
from tests.pairs.play import TABLE, Pair, table_of
from urim.engine.core.aggregate import TICK, Environment
from urim.engine.core.commands import Asking, BreakThrow, OpenTable, apart
from urim.engine.core.sources import source_named
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.engine.snapshots import table as snapshot_table
from urim.engine.snapshots.file import ENDING, Snapshots
from urim.engine.snapshots.rows import SnapshotStore
from urim.errors import Refused, Unavailable, UrimError
from urim.events.log.protocol import CaughtUp
from urim.events.log.sqlite import SqliteLog
from urim.projections.rollstate import BREAKING

T = TypeVar("T")

DATABASE = "table.db"
SYSTEM = "age_of_magic"
SEED = "snapshots-attacked-26"
SECRET = sha256(SEED.encode()).digest()
OFTEN = 3
"""Entries from one snapshot to the next in these tests."""

LITTLE = 1
"""Bytes of rows in memory: none, so each is read from its file."""

Answers: TypeAlias = dict[str, Any]


TICKS = [TICK]
"""The time from one commit to the next, in milliseconds."""


def environments(dice: str, secret: bytes | None) -> Environment:
    """An environment whose clock and salts are the same each time."""
    found = table_of(SEED, dice, TICKS).environment
    if secret is None:
        return found
    return replace(found, secret=secret, source=source_named(dice, secret))


@asynccontextmanager
async def serving(
    folder: Path,
    *,
    snapshots: bool = True,
    memory: int = LITTLE,
    rows: SnapshotStore | None = None,
) -> AsyncGenerator[Service]:
    """A service on the database of a folder, with these `rows` if any; all are closed."""
    log = await SqliteLog.open(folder / DATABASE, poll=0.01)
    if snapshots and rows is None:
        rows = Snapshots.beside(folder / DATABASE, memory)
    secrets = FileSecrets.beside(folder / DATABASE)
    service = Service(log, secrets, environments=environments, sign_every=NEVER, snapshots=rows)
    try:
        yield service
    finally:
        await service.close()
        await log.close()


def run(work: Callable[[Service], Awaitable[T]], folder: Path, **given: Any) -> T:
    """What some work gives on such a service."""

    async def all_of_it() -> T:
        async with serving(folder, **given) as service, asyncio.timeout(120):
            return await work(service)

    return asyncio.run(all_of_it())


def alone(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an async test in a loop of its own."""

    @wraps(test)
    def runs(**given: Any) -> None:
        asyncio.run(asyncio.wait_for(test(**given), 120))

    return runs


# --- a table in which much happens ----------------------------------------------------------------


@cache
def requests(system: str, seed: str, steps: int) -> Sequence[tuple[str, Asking]]:
    """What seats ask for at a table, from its first request on; in the end no throw waits."""
    pair = Pair(system, seed)
    for _ in range(steps):
        pair.step()
    while pair.states[0].ask is not None:
        pair.step()
    return [(seats[0], asked[0]) for seats, asked in pair.requests]


async def ask(service: Service, seat: str, asked: Asking, request: str) -> bool:
    """Do what a seat asks; whether it was done."""
    plain, _ = apart(asked)
    TICKS[0] = BREAKING if isinstance(plain, BreakThrow) else TICK
    try:
        if isinstance(plain, OpenTable):
            await service.open_table(seat, plain, request)
        else:
            await service.submit(TABLE, seat, asked, request)
    except Refused:
        return False
    return True


def played(folder: Path, asked: Sequence[tuple[str, Asking]], start: int = 0) -> None:
    """Play a table to its end, with snapshots behind nearly every request."""

    async def work(service: Service) -> None:
        for number, (seat, asking) in enumerate(asked[start:], start):
            await ask(service, seat, asking, f"r{number}")
            await asyncio.sleep(0)
        await service.checkpoint(TABLE)

    run(work, folder)


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots every three entries, and tables under a secret that is known."""
    monkeypatch.setattr(snapshot_table, "EVERY", OFTEN)
    monkeypatch.setattr("urim.engine.service.commands.new_secret", lambda: SECRET)


@cache
def evening(system: str = SYSTEM, steps: int = 100) -> tuple[Path, Answers]:
    """A folder with a closed table of many kinds of rows, to be copied, and what it answers."""
    folder = Path(mkdtemp(prefix="urim-snapshots-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    played(folder, requests(system, SEED, steps))
    return folder, right(folder)


def copied(folder: Path, to: Path) -> Path:
    """A copy of a folder, in place of what is there."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    return to


def right(folder: Path, seats: Collection[str] = ()) -> Answers:
    """What a service without snapshots answers on the log of a folder, to `seats` or every one."""
    other = Path(mkdtemp(prefix="urim-right-"))
    try:
        asked = partial(answers, seats=seats)
        return run(asked, copied(folder, other / "copy"), snapshots=False)
    finally:
        shutil.rmtree(other)


# --- all answers ----------------------------------------------------------------------------------


async def answers(service: Service, seats: Collection[str] = ()) -> Answers:
    """All that a service answers to `seats`, or every one; `refused` is how often it could not.

    Each question is asked once more then.
    """
    refused = 0

    async def asked(question: Callable[[], Awaitable[Any]]) -> Any:
        nonlocal refused
        try:
            return await question()
        except Refused as error:
            return error.code, error.why
        except Unavailable:
            refused += 1
        try:
            return await question()
        except Refused as error:
            return error.code, error.why

    state: Any = await asked(partial(service.state, TABLE))
    seats, rolls = sorted(seats or state.seats), range(state.next_roll + 1)
    found: Answers = {"size": state.size, "tracks": state.tracks, "seats": dict(state.seats)}
    for seat in seats:
        questions: dict[str, Callable[[], Awaitable[Any]]] = {
            "view": partial(service.view, TABLE, seat),
            "sight": partial(service.sight, TABLE, seat),
            "legal moves": partial(service.legal_moves, TABLE, seat),
            "waiting": partial(service.waiting, TABLE, seat),
            "bundle": partial(_bundle, service, seat),
            "history": partial(_history, service, seat),
        }
        for roll in rolls:
            questions[f"account of {roll}"] = partial(service.account, TABLE, seat, roll)
            questions[f"moves of {roll}"] = partial(service.moves, TABLE, seat, roll)
        for what, question in questions.items():
            found[f"{what}, {seat}"] = await asked(question)
    return found | {"refused": refused}


async def _bundle(service: Service, seat: str) -> list[bytes]:
    return [line async for line in await service.bundle(TABLE, seat)]


async def _history(service: Service, seat: str) -> list[Any]:
    found: list[Any] = []
    async with aclosing(service.subscribe(TABLE, seat)) as messages:
        async for message in messages:
            found.append(message)
            if isinstance(message, CaughtUp):
                break
    return found


def differing(wanted: Answers, found: Answers) -> list[str]:
    """The questions to which the answers differ."""
    assert wanted.keys() == found.keys()
    return [what for what, is_ in wanted.items() if what != "refused" and found[what] != is_]


def refusal_of(folder: Path, **given: Any) -> str:
    """How a service refuses the table of a folder; "" where it does not."""

    async def work(service: Service) -> str:
        try:
            await service.view(TABLE, "p1")
        except UrimError as error:
            return f"{type(error).__name__}: {error}"
        return ""

    return run(work, folder, **given)


# --- the file -------------------------------------------------------------------------------------


def snapshots_of(folder: Path) -> Path:
    """The file of snapshots in a folder."""
    return folder / f"{DATABASE}{ENDING}"


def changed(folder: Path, *statements: tuple[str, Sequence[object]]) -> int:
    """Change the file of snapshots of a closed service; how many rows were changed."""
    with closing(sqlite3.connect(snapshots_of(folder), isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(*statement)
        return connection.total_changes


def rows_in(folder: Path) -> list[tuple[str, int, bytes]]:
    """The kinds, numbers and bytes of all rows of the table."""
    with closing(sqlite3.connect(snapshots_of(folder))) as connection:
        found = connection.execute("SELECT kind, number, body FROM rows WHERE tbl = ?", (TABLE,))
        return found.fetchall()
