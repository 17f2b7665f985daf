"""Snapshots in a database: services share them, each reads on as of what it took up."""

import asyncio
from collections.abc import Generator
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.engine.helpers.snapshotted import (
    LITTLE,
    Answers,
    answers,
    ask,
    copied,
    differing,
    evening,
    often,
    requests,
    right,
    run,
    serving,
)
from tests.engine.postgres.others import asked
from tests.engine.snapshots.stores import KEY, SnapshotSuite, written
from tests.pairs.play import TABLE
from urim.engine.core.commands import Erase, Note, worded
from urim.engine.service import Service
from urim.engine.service.postgres.snapshots import PostgresSnapshots
from urim.engine.snapshots.protocol import HEAD, StaleSnapshot
from urim.engine.snapshots.rows import SnapshotStore, TableRows
from urim.engine.snapshots.table import TableSnapshot
from urim.events.log.location import DatabaseUrl

pytestmark = [pytest.mark.usefixtures(often.__name__), pytest.mark.slow]


class TestPostgresSnapshots(SnapshotSuite):
    """The suite, on a database of each test's own."""

    @pytest.fixture(autouse=True)
    def _at(self, place: DatabaseUrl) -> None:
        self.at = place

    @contextmanager
    def make_store(self) -> Generator[SnapshotStore]:
        """An empty one."""
        with store(self.at) as found:
            yield found


@contextmanager
def store(place: DatabaseUrl) -> Generator[PostgresSnapshots]:
    """Snapshots in a database, nearly none of them in memory."""
    found = PostgresSnapshots(place.reveal(), LITTLE)
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def one(place: DatabaseUrl) -> Generator[PostgresSnapshots]:
    """The snapshots of a service."""
    with store(place) as found:
        yield found


@pytest.fixture
def other(place: DatabaseUrl) -> Generator[PostgresSnapshots]:
    """Those of another one on the same database."""
    with store(place) as found:
        yield found


def taken_up(store: PostgresSnapshots, size: int) -> TableRows:
    """The rows of the table, whose latest snapshot is of this size."""
    rows = store.table(TABLE, KEY)
    assert rows.read(HEAD, 0) == f"{size}".encode()
    return rows


# --- rows -----------------------------------------------------------------------------------------


def test_who_took_up_an_older_snapshot_reads_on_as_of_then(
    one: PostgresSnapshots, other: PostgresSnapshots, place: DatabaseUrl
) -> None:
    written(one.table(TABLE, KEY), 10, [("kind", 1, b"ten"), ("kind", 2, b"for ever")])
    older = taken_up(one, 10)
    newer = taken_up(other, 10)
    written(newer, 20, [("kind", 1, b"twenty"), ("kind", 3, b"new")])
    assert newer.read("kind", 1) == b"twenty"
    assert older.read("kind", 1) == b"ten"
    assert older.read("kind", 3) is None
    assert older.read_range("kind", 0, 9) == [(1, b"ten"), (2, b"for ever")]
    assert older.numbers("kind") == [1, 2]
    with pytest.raises(StaleSnapshot, match="has another snapshot by now"):
        written(older, 15, [("kind", 1, b"fifteen")])
    assert older.stale
    latest = taken_up(one, 20)
    assert latest.read("kind", 1) == b"twenty"
    for size in (30, 40):
        written(latest, size, [("kind", 1, f"{size}".encode())])
    forms = asked(place, "SELECT size FROM urim_snapshots.rows WHERE number = 1 ORDER BY size")
    assert forms == [(30,), (40,)]  # the latest, and what those read who took up the one before
    assert newer.read("kind", 2) == b"for ever"
    with pytest.raises(StaleSnapshot, match="is missing"):
        raise newer.thrown_away("a row is missing")  # too old by now: it is read no more
    assert taken_up(other, 40).read("kind", 1) == b"40"


def test_of_two_that_load_a_table_at_once_the_first_head_counts(
    one: PostgresSnapshots, other: PostgresSnapshots, place: DatabaseUrl
) -> None:
    first, second = one.table(TABLE, KEY), other.table(TABLE, KEY)
    for rows in (first, second):
        assert rows.read(HEAD, 0) is None
        rows.start_over()
        rows.write([("kind", 1, b"half")], (), 5)
        rows.wrote(5)
    killed = one.table(TABLE, KEY)
    killed.write([("kind", 1, b"of a process that ends here")], (), 5)
    assert [rows.read("kind", 1) for rows in (first, second)] == [b"half"] * 2
    written(second, 10, [("kind", 1, b"whole")])
    with pytest.raises(StaleSnapshot):
        written(first, 12, [("kind", 1, b"late")])
    third = one.table(TABLE, KEY)
    third.start_over()
    with pytest.raises(StaleSnapshot):
        third.write([("kind", 1, b"half")], (), 5)
    assert taken_up(one, 10).read("kind", 1) == b"whole"
    found = asked(place, "SELECT DISTINCT generation FROM urim_snapshots.rows")
    assert found == asked(place, "SELECT generation FROM urim_snapshots.heads")


def test_a_row_is_overwritten_in_every_form_it_had(
    one: PostgresSnapshots, other: PostgresSnapshots, place: DatabaseUrl
) -> None:
    first = one.table(TABLE, KEY)
    written(first, 10, [("entries", 1, b"a text")])
    older = taken_up(other, 10)
    for size in (20, 30):
        written(first, size, [("entries", 1, b"a text")])
    older.write([("entries", 1, b"erased")], [("entries", 1)], 10)  # though others went on
    assert first.read("entries", 1) == b"erased"
    assert taken_up(one, 30).read("entries", 1) == b"erased"
    bodies = asked(place, "SELECT body FROM urim_snapshots.rows WHERE kind = 'entries'")
    assert [body[16:] for (body,) in bodies] == [b"erased"]


def test_what_another_threw_away_is_never_mixed_with_what_came_after(
    one: PostgresSnapshots, other: PostgresSnapshots
) -> None:
    rows = one.table(TABLE, KEY)
    written(rows, 10, [("kind", 1, b"of a log that was lost"), ("kind", 2, b"too")])
    assert other.forget(TABLE)
    written(other.table(TABLE, KEY), 5, [("kind", 1, b"of the log that is there")])
    assert rows.read("kind", 1) is None
    for read in (lambda: rows.numbers("kind"), lambda: rows.read_range("kind", 0, 9)):
        with pytest.raises(StaleSnapshot):
            read()
    raise_ = rows.thrown_away("row 1 of kind is missing")
    assert isinstance(raise_, StaleSnapshot)
    assert taken_up(other, 5).read("kind", 1) == b"of the log that is there"


def test_a_row_that_was_changed_throws_the_table_away(
    one: PostgresSnapshots, place: DatabaseUrl
) -> None:
    rows = one.table(TABLE, KEY)
    written(rows, 10, [("kind", 1, b"mine")])
    asked(place, "UPDATE urim_snapshots.rows SET body = body || '?'::bytea")
    with pytest.raises(StaleSnapshot, match="row 1 of kind is not what was written"):
        rows.read("kind", 1)
    assert rows.stale
    assert asked(place, "SELECT 1 FROM urim_snapshots.heads") == []
    assert asked(place, "SELECT 1 FROM urim_snapshots.rows") == []


def test_without_the_right_to_make_them_they_are_private(place: DatabaseUrl) -> None:
    role = "urim_without_rights"
    asked(place, f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN OTHERS THEN END $$")
    parts = urlsplit(place.reveal())
    _, _, host = parts.netloc.rpartition("@")
    url = parts._replace(netloc=f"{role}@{host}").geturl()
    with store(DatabaseUrl(url)) as found:
        rows = found.table(TABLE, KEY)
        written(rows, 10, [("kind", 1, b"mine")])
        assert found.table(TABLE, KEY).read("kind", 1) == b"mine"
        assert found.forget(TABLE)
        assert rows.stale
    there = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'urim_snapshots'"
    assert asked(place, there) == []


# --- services -------------------------------------------------------------------------------------

STEPS = 60
"""Of an evening: each row that is read is asked of the database."""

SOME = ("narrator", "p1")
"""Seats that are asked, of six."""

asked_some = partial(answers, seats=SOME)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the evening's folder."""
    return copied(evening(steps=STEPS)[0], tmp_path / "copy")


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of what size each snapshot was that was taken up."""
    found: list[int] = []
    whole = TableSnapshot.take_up

    def take_up(self: TableSnapshot, *given: Any) -> bool:
        assert whole(self, *given)
        found.append(self.size)
        return True

    monkeypatch.setattr(TableSnapshot, "take_up", take_up)
    return found


def test_what_one_service_wrote_another_takes_up(
    folder: Path, place: DatabaseUrl, sizes: list[int]
) -> None:
    wanted = right(folder, SOME)
    found = wanted
    for _ in range(2):
        with store(place) as rows:
            found = run(asked_some, folder, rows=rows)
        assert not differing(wanted, found)
        assert not found["refused"]
    assert sizes == [found["size"]]


@pytest.mark.sampled(0, rest=1)
@pytest.mark.parametrize("turns", [1, 16])
def test_two_services_that_share_them_are_both_right(
    folder: Path, place: DatabaseUrl, sizes: list[int], turns: int
) -> None:
    """Each writes for so many turns, while the other one does nothing."""
    asking = requests("age_of_magic", "another", 50)[8:]

    async def work() -> Answers:
        with store(place) as first, store(place) as second:
            async with serving(folder, rows=first) as one, serving(folder, rows=second) as other:
                for number, (seat, what) in enumerate(asking):
                    service = (one, other)[number // turns % 2]
                    await ask(service, seat, what, f"again-{number}")
                    await asyncio.sleep(0.01)
                await one.checkpoint(TABLE)
                wanted = await asyncio.to_thread(right, folder, SOME)
                for each in (one, other):
                    found = await asked_some(each)
                    assert not differing(wanted, found)
                    assert not found["refused"]
                return wanted

    wanted = asyncio.run(work())
    with store(place) as rows:
        assert not differing(wanted, run(asked_some, folder, rows=rows))
    assert len(sizes) > 1


def test_a_text_that_one_service_erases_is_in_no_row_of_the_other(
    folder: Path, place: DatabaseUrl
) -> None:
    words = "to be forgotten for ever"

    async def noted(service: Service, times: int, text: str) -> None:
        for _ in range(times):
            await service.submit(TABLE, "narrator", worded(Note(0), text))
            await asyncio.sleep(0.01)

    async def work() -> None:
        with store(place) as first, store(place) as second:
            async with serving(folder, rows=first) as one, serving(folder, rows=second) as other:
                await noted(one, 1, words)
                seq = (await one.state(TABLE)).size - 1
                await noted(other, 9, "more")
                await noted(one, 2, "and more")
                await one.submit(TABLE, "narrator", Erase(seq))
                await noted(other, 9, "and again")
                async with aclosing(one.subscribe(TABLE, "narrator")) as messages:
                    await anext(messages)

    asyncio.run(work())
    texts = asked(
        place,
        "SELECT count(*), count(*) FILTER (WHERE position($1::bytea IN body) > 0) "
        "FROM urim_snapshots.rows WHERE kind = 'entries'",
        words.encode(),
    )
    assert texts[0][0] > 20
    assert texts[0][1] == 0
