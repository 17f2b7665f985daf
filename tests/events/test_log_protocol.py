"""What all logs share: requests of one form, and a way to follow that no ring can slip past."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from tests.sealing import sealed_raw
from urim.errors import Refused
from urim.events.entry import Entry
from urim.events.log.bell import Bell
from urim.events.log.protocol import PAGE, CaughtUp, Request, follow_rows

MAC = bytes(32)


@pytest.mark.parametrize(
    ("id", "seat", "mac", "what"),
    [
        ("", "p1", MAC, "request id '' is not of its form"),
        ("~5", "p1", MAC, "request id '~5' is not of its form"),
        ("a b", "p1", MAC, "request id 'a b' is not of its form"),
        ("a/1", "p1", MAC, "request id 'a/1' is not of its form"),
        ("a\n", "p1", MAC, "request id 'a.n' is not of its form"),
        ("אשר", "p1", MAC, "request id 'אשר' is not of its form"),
        ("x" * 65, "p1", MAC, "request id 'xxx"),
        ("a", "", MAC, "seat is ''"),
        ("a", "P 1", MAC, "seat is 'P 1'"),
        ("a", "p1", b"", "mac has 0 bytes"),
        ("a", "p1", bytes(33), "mac has 33 bytes"),
    ],
)
def test_a_request_not_of_its_form_is_refused(id: str, seat: str, mac: bytes, what: str) -> None:
    with pytest.raises(Refused, match=what) as refusal:
        Request(id, seat, mac)
    assert refusal.value.code == "malformed"
    assert refusal.value.allowed


@pytest.mark.parametrize("id", ["a", "azAZ09._-", "x" * 64])
def test_a_request_id_of_its_form_is_taken(id: str) -> None:
    assert Request(id, "p1", MAC).id == id


class Rows:
    """Rows that others add to at the worst of times: just after someone saw that none are new."""

    def __init__(self, before: int, later: int) -> None:
        self.rows = [self.entry(seq) for seq in range(before)]
        self.later = later
        self.bell = Bell()
        self.limits = set[int]()

    @staticmethod
    def entry(seq: int) -> Entry:
        return sealed_raw(seq, 0, b"{}")

    async def size(self) -> int:
        return len(self.rows)

    async def page(self, after: int, limit: int) -> Sequence[Entry]:
        self.limits.add(limit)
        read = self.rows[after + 1 : after + 1 + limit]
        if self.later and not read:
            self.later -= 1
            self.rows.append(self.entry(len(self.rows)))
            self.bell.ring()
        await asyncio.sleep(0)
        return read


def followed_while_growing(before: int, later: int, after: int = -1) -> list[Entry | CaughtUp]:
    """What a follower gets of rows that grow each time they are read."""

    async def scenario() -> list[Entry | CaughtUp]:
        rows = Rows(before, later)
        async with (
            asyncio.timeout(10),
            aclosing(follow_rows(rows.page, rows.size, rows.bell, after)) as followed,
        ):
            heard = [await anext(followed) for _ in range(before + later - after)]
        assert rows.limits == {PAGE}
        return heard

    return asyncio.run(scenario())


@pytest.mark.parametrize("before", [0, 1, 3, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE])
@pytest.mark.parametrize("later", [0, 1, 2, 5])
def test_an_entry_kept_just_after_a_look_in_vain_is_neither_missed_nor_told_twice(
    before: int, later: int
) -> None:
    heard = followed_while_growing(before, later)
    assert [item.seq for item in heard if isinstance(item, Entry)] == list(range(before + later))
    assert heard.index(CaughtUp(before)) == before


class Fast(Rows):
    """Rows that others add to once their size is known, and before they are read."""

    async def size(self) -> int:
        found = len(self.rows)
        self.rows += [self.entry(seq) for seq in range(found, found + self.later)]
        self.later = 0
        return found


@pytest.mark.parametrize("before", [0, 3, PAGE - 1, PAGE, PAGE + 44])
def test_the_mark_comes_after_what_was_there_at_the_start(before: int) -> None:
    async def scenario() -> list[Entry | CaughtUp]:
        rows = Fast(before, 2)
        async with (
            asyncio.timeout(10),
            aclosing(follow_rows(rows.page, rows.size, rows.bell, -1)) as followed,
        ):
            return [await anext(followed) for _ in range(before + 3)]

    heard = asyncio.run(scenario())
    assert heard.index(CaughtUp(before)) == before
    assert [item.seq for item in heard if isinstance(item, Entry)] == list(range(before + 2))


async def test_every_ring_wakes_all_who_wait_and_none_who_come_later() -> None:
    bell = Bell()
    early = [bell.ticket(), bell.ticket()]
    bell.ring()
    assert all(ticket.is_set() for ticket in early)
    assert not bell.ticket().is_set()
