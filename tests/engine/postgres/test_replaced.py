"""What one service replaces or throws away of a shared snapshot never reaches who asks another."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, closing
from typing import Any

import pytest

from tests.engine.helpers.stages.service import TABLE, noting
from tests.engine.postgres.test_held_up import ASKED, played, serving
from urim.engine.core.commands import Erase
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service, feed
from urim.engine.service.postgres.snapshots import PostgresSnapshots
from urim.engine.snapshots import table as tables
from urim.events.log.location import DatabaseUrl
from urim.events.log.protocol import CaughtUp

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "EVERY", 20)


@asynccontextmanager
async def shared(place: DatabaseUrl) -> AsyncGenerator[tuple[Service, PostgresSnapshots]]:
    """A service with a table that has a snapshot, and the store of another one."""
    with closing(PostgresSnapshots(place.reveal())) as other:
        async with serving(place) as service:
            await played(service)
            yield service, other


async def thrown_away(service: Service, other: PostgresSnapshots) -> None:
    """The snapshot that the service reads from is thrown away by another one, once it is there."""
    for _ in range(500):
        await service.legal_moves(TABLE, NARRATOR)  # perhaps it is to be loaded, and written, again
        if await asyncio.to_thread(other.forget, TABLE):
            return
        await asyncio.sleep(0.01)
    pytest.fail("no snapshot was written")


def opened(service: Service) -> object:
    """The table as it is in memory: another one once it was opened again."""
    found = service._cache.loaded(TABLE)  # noqa: SLF001
    assert found is not None
    return found.snapshot


async def test_whatever_is_asked_is_answered_from_the_table_opened_again(
    place: DatabaseUrl,
) -> None:
    async with shared(place) as (service, other):
        for what, ask in ASKED.items():
            wanted = await ask(service)
            await thrown_away(service, other)
            before = opened(service)
            found = await ask(service)
            assert opened(service) is not before, what
            assert found == wanted or what in {"decide", "bundle"}


async def test_what_was_appended_is_answered_and_never_appended_again(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other service throws the snapshot away between the append and its answer."""
    async with shared(place) as (service, other):
        append = service.log.append

        async def appended(*given: Any) -> Any:
            answer = await append(*given)
            assert await asyncio.to_thread(other.forget, TABLE)
            return answer

        erased = (await service.submit(TABLE, "p1", noting("Once.")))[1].seq
        for _ in range(12):  # then its entry is in a row, which is read before the answer
            await service.submit(TABLE, NARRATOR, noting("More."))
            await asyncio.sleep(0.01)
        monkeypatch.setattr(service.log, "append", appended)
        size = (await service.state(TABLE)).size
        entries = await service.submit(TABLE, "p1", Erase(erased))
        assert [entry.seq for entry in entries] == [size]
        assert (await service.state(TABLE)).size == size + 1


async def test_a_history_goes_on_where_it_was_when_its_rows_were_thrown_away(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "SLICE", 1)

    async def heard(service: Service, other: PostgresSnapshots | None = None) -> list[object]:
        found: list[object] = []
        async with aclosing(service.subscribe(TABLE, "p1")) as messages:
            async for message in messages:
                found.append(message)
                if len(found) == 3 and other is not None:
                    await thrown_away(service, other)
                if isinstance(message, CaughtUp):
                    return found
        raise AssertionError("it ended")

    async with shared(place) as (service, other):
        wanted = await heard(service)
        assert await heard(service, other) == wanted
