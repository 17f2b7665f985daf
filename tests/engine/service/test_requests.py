"""Requests checked a page at a time are as good as all of them checked at once."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.service import TABLE, declare, noting, seated
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service, requests
from urim.engine.service.requests import check_kept, furthest
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Damaged
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Commit, EventLog, Request
from urim.events.log.whole import check_requests

NOTES = 9
SECRET = bytes(32)


class Rows:
    """A log of which requests alone are read; it notes how many at a time."""

    def __init__(self, commits: Sequence[Commit]) -> None:
        self.commits = sorted(commits, key=lambda commit: commit.start)
        self.most = 0

    async def requests(
        self, table: str, after: int = -1, limit: int | None = None
    ) -> tuple[Commit, ...]:
        """The requests, as a log gives them."""
        found = tuple(commit for commit in self.commits if commit.start > after)[:limit]
        self.most = max(self.most, len(found))
        return found


@pytest.fixture(scope="module")
def kept() -> tuple[tuple[Entry, ...], tuple[Commit, ...]]:
    """A table's entries and requests: commits without a request, of one entry and of two."""

    async def run() -> tuple[tuple[Entry, ...], tuple[Commit, ...]]:
        log = MemoryLog()
        service = Service(log, MemorySecrets())
        await seated(service)
        for number in range(NOTES):
            await service.submit(TABLE, NARRATOR, noting(f"note {number}"), f"note-{number}")
            await service.submit(TABLE, "p1", declare(), f"roll-{number}")
        await service.close()
        return await log.read(TABLE), await log.requests(TABLE)

    return asyncio.run(run())


def checked(entries: Sequence[Entry], rows: Rows, start: int = 0) -> None:
    """Check them a page at a time; a secret is gone."""

    async def run() -> None:
        log = cast(EventLog, rows)
        before = await furthest(log, TABLE, start)
        await check_kept(log, TABLE, entries, before, (None,), start)

    asyncio.run(run())


@pytest.mark.parametrize("page", [1, 2, 3, 7, 1_000])
def test_a_page_is_all_that_is_read_at_once(
    kept: tuple[tuple[Entry, ...], tuple[Commit, ...]], page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "PAGE", page)
    entries, commits = kept
    starts = [0, *(commit.start for commit in commits), len(entries)]
    for start in starts:
        rows = Rows(commits)
        checked(entries, rows, start)
        assert rows.most <= page + 2  # to the end of a commit, and one


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", [1, 2, 3, 7, 1_000])
def test_the_first_fault_is_found_wherever_it_is(
    kept: tuple[tuple[Entry, ...], tuple[Commit, ...]], page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "PAGE", page)
    entries, commits = kept
    other = Request("never", "p1", bytes(32))
    for at, commit in enumerate(commits):
        rest = [*commits[:at], *commits[at + 1 :]]
        for wrong in (
            [],
            [commit, replace(commit, request=other)],
            [replace(commit, request=other)],
            [replace(commit, start=commit.start + 1, stop=commit.stop + 1)],
            [commit, *[replace(commit, request=other)] * 9],
        ):
            with pytest.raises(Damaged) as whole:
                check_requests(entries, [*rest, *wrong])
            with pytest.raises(Damaged) as paged:
                checked(entries, Rows([*rest, *wrong]))
            last = any(each.stop > len(entries) for each in wrong)
            # All at once, two requests of one commit are found before one that is missing.
            first = {len(entries)} if last else {commit.start, whole.value.seq}
            assert paged.value.seq in first


def test_the_furthest_answer_is_that_of_any_page(
    kept: tuple[tuple[Entry, ...], tuple[Commit, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, commits = kept
    for page in range(1, len(commits) + 2):
        monkeypatch.setattr(requests, "PAGE", page)
        for at, commit in enumerate(commits):
            far = replace(commit, stop=len(entries) + 1)
            rows = Rows([*commits[:at], far, *commits[at + 1 :]])
            assert asyncio.run(furthest(cast(EventLog, rows), TABLE, 0)) == far
            with pytest.raises(Damaged, match="was answered up to entry") as damage:
                checked(entries, rows)
            assert damage.value.seq == len(entries)
    assert asyncio.run(furthest(cast(EventLog, Rows(())), TABLE, 0)) is None


def test_a_log_may_have_grown_since_its_entries_were_read(
    kept: tuple[tuple[Entry, ...], tuple[Commit, ...]],
) -> None:
    entries, commits = kept

    async def run(size: int, before: Commit | None) -> None:
        await check_kept(cast(EventLog, Rows(commits)), TABLE, entries[:size], before, (None,))

    for commit in commits:
        asyncio.run(run(commit.stop, commit))
        asyncio.run(run(commit.start, None))
        with pytest.raises(Damaged):
            asyncio.run(run(commit.start, commit))


def test_macs_are_of_the_entries_of_their_page(
    kept: tuple[tuple[Entry, ...], tuple[Commit, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, commits = kept
    for page in (2, 1_000):
        monkeypatch.setattr(requests, "PAGE", page)
        log = cast(EventLog, Rows(commits))
        with pytest.raises(Damaged, match="was not answered by this table") as damage:
            asyncio.run(check_kept(log, TABLE, entries, None, (SECRET,)))
        assert damage.value.seq == commits[0].start
