"""What a log keeps beside its entries is what they hold; one request's answer is its own."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.service import TABLE, declare, noting, seated
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Damaged
from urim.events.entry import Entry, withhold
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import Commit, Request
from urim.events.log.whole import check_answer, check_kept, check_payloads, check_requests

Commits = tuple[Commit, ...]


@pytest.fixture(scope="module")
def kept() -> tuple[tuple[Entry, ...], Commits]:
    """A table's entries and requests: 5 entries without a request, a note and a roll with one."""

    async def run() -> tuple[tuple[Entry, ...], Commits]:
        log = MemoryLog()
        service = Service(log, MemorySecrets())
        await seated(service)
        await service.submit(TABLE, NARRATOR, noting("a thing to remember"), "note-1")
        await service.submit(TABLE, "p1", declare(), "roll-1")
        await service.close()
        return await log.read(TABLE), await log.requests(TABLE)

    return asyncio.run(run())


def test_what_is_kept_fits(kept: tuple[tuple[Entry, ...], Commits]) -> None:
    entries, requests = kept
    assert [(each.start, each.request.id) for each in requests] == [(5, "note-1"), (7, "roll-1")]
    check_requests(entries, requests)
    check_payloads(entries)


def renamed(commit: Commit, **changes: str) -> Commit:
    """The commit as the answer to another request."""
    return replace(commit, request=replace(commit.request, **changes))


WRONG: dict[str, tuple[Callable[[Commits], Sequence[Commit]], int | None]] = {
    "none": (lambda _: (), 5),
    "the first alone": (lambda kept: kept[:1], 7),
    "another id": (lambda kept: (renamed(kept[0], id="note-2"), kept[1]), 5),
    "another seat": (lambda kept: (kept[0], renamed(kept[1], seat="p2")), 7),
    "exchanged": (lambda kept: (replace(kept[0], request=kept[1].request), kept[1]), 5),
    "one entry less": (lambda kept: (replace(kept[0], stop=6), kept[1]), 5),
    "one entry later": (lambda kept: (replace(kept[0], start=6), kept[1]), 5),
    "a commit without a request": (lambda kept: (*kept, Commit(other(), 4, 5)), 4),
    "inside a commit": (lambda kept: (*kept, Commit(other(), 6, 7)), 6),
    "beyond the end": (lambda kept: (*kept, Commit(other(), 99, 100)), 99),
    "two of a commit": (lambda kept: (*kept, Commit(other(), 5, 7)), 5),
}


def other() -> Request:
    """A request that nobody sent."""
    return Request("never", "p1", bytes(32))


@pytest.mark.parametrize("what", WRONG)
def test_requests_that_are_not_those_of_the_entries_are_damage(
    kept: tuple[tuple[Entry, ...], Commits], what: str
) -> None:
    change, seq = WRONG[what]
    with pytest.raises(Damaged) as damage:
        check_requests(kept[0], change(kept[1]))
    assert damage.value.seq == seq


def test_damage_says_what_was_asked_and_what_is_kept(
    kept: tuple[tuple[Entry, ...], Commits],
) -> None:
    entries, (note, roll) = kept
    size = len(entries)
    early = "request 'note-1' of seat narrator, up to entry {},"
    never = "request 'never' of seat p1, up to entry 0,"
    for commits, words in [
        ((note,), f"request 'roll-1' of seat p1, up to entry {size - 1}, was asked here, but no r"),
        (
            (replace(note, stop=6), roll),
            f"{early.format(6)} was asked here, but {early.format(5)} is kept",
        ),
        (
            (Commit(other(), 0, 1), note, roll),
            f"no request was asked here, but {never} is kept",
        ),
    ]:
        with pytest.raises(Damaged, match=words):
            check_requests(entries, commits)


def test_a_log_may_grow_while_it_is_read_and_not_shrink(
    kept: tuple[tuple[Entry, ...], Commits],
) -> None:
    entries, commits = kept
    size = len(entries)
    check_kept(entries, commits, commits)
    check_kept(entries[:7], commits[:1], commits)
    check_kept(entries[:5], (), commits)
    for left, named, last in ((5, "note-1", 6), (6, "note-1", 6), (7, "roll-1", size - 1)):
        words = f"request '{named}' was answered up to entry {last}, and there are {left} entries"
        with pytest.raises(Damaged, match=words) as damage:
            check_kept(entries[:left], commits, commits)
        assert damage.value.seq == left


def test_an_answer_is_that_of_its_request(kept: tuple[tuple[Entry, ...], Commits]) -> None:
    commit = kept[0][5:7]
    check_answer(NARRATOR, "note-1", commit)
    for seat, id in ((NARRATOR, "roll-1"), ("p1", "note-1")):
        with pytest.raises(Damaged, match="kept as the answer") as damage:
            check_answer(seat, id, commit)
        assert damage.value.seq == 5


async def test_a_request_whose_row_was_renamed_is_not_answered_with_another_commit() -> None:
    log = MemoryLog()
    service = Service(log, MemorySecrets())
    await seated(service)
    await service.submit(TABLE, "p1", noting("mine"), "note-1")
    answers = log._tables[TABLE].answers  # noqa: SLF001 - as a program that changes the rows
    answers["p1", "note-2"] = answers.pop(("p1", "note-1"))
    with pytest.raises(Damaged, match="'note-2'"):
        await service.submit(TABLE, "p1", noting("mine"), "note-2")


def test_a_payload_is_missing_unless_a_later_check_finds_what_erases_it(
    kept: tuple[tuple[Entry, ...], Commits],
) -> None:
    entries = list(kept[0])
    for seq in range(len(entries)):
        without = [*entries[:seq], withhold(entries[seq]), *entries[seq + 1 :]]
        with pytest.raises(Damaged, match="its payload is missing") as damage:
            check_payloads(without)
        assert damage.value.seq == seq
