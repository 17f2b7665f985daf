"""Processes share a store: uses are counted once, all hear who is out, a kill spends nothing."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.engine.access.helpers import (
    NOW,
    TABLE,
    by_narrator,
    child,
    client,
    entered,
    known,
    on_store,
)
from urim.engine.access.protocol import Admitted, Issued
from urim.engine.access.sqlite import SqliteAccess


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store may be."""
    return tmp_path / "access.db"


def invited(path: Path, uses: int) -> Issued:
    """An invitation to so many new seats."""
    return on_store(path, lambda store: store.invite(by_narrator(None, uses), NOW))


def left(path: Path) -> int:
    """The uses that are left of the one invitation; 0 where it is spent."""
    listed = on_store(path, lambda store: store.invitations(TABLE, NOW))
    return sum(each.left for each in listed)


def exchanged(path: Path, issued: Issued, who: int) -> Admitted | None:
    """An exchange by this process."""
    secret = issued.secret.reveal()
    return on_store(path, lambda store: store.exchange(secret, client(who), NOW))


@pytest.mark.slow
def test_of_two_processes_clients_as_many_come_in_as_there_are_uses(path: Path) -> None:
    issued = invited(path, 20)
    secret = issued.secret.reveal()
    # Clients 10 to 24 ask both of them.
    children = [child("exchange", path, secret, first, 25, "whole") for first in (0, 10)]
    lines = [line for each in children for line in each.communicate()[0].decode().splitlines()]
    assert len(lines) == 50
    came = [line.split() for line in lines if line.startswith("T ")]
    assert len({who for _, who, _ in came}) == 20
    assert left(path) == 0

    async def scenario(store: SqliteAccess) -> None:
        assert len({each.seat for each in await store.holders(TABLE, NOW)}) == 20
        for _, _, token in came:
            assert token.startswith("urim-t1-")

    on_store(path, scenario)


@pytest.mark.slow
def test_who_holds_a_token_hears_what_another_process_revokes(path: Path) -> None:
    async def scenario(store: SqliteAccess) -> None:
        one = await entered(store, by_narrator("p1"), 1)
        two = await entered(store, by_narrator("p2"), 2)
        held = {one.grant.id, two.grant.id}
        async with aclosing(store.follow(lambda: held, every=1_000)) as following:
            heard = asyncio.ensure_future(anext(following))
            other = await asyncio.to_thread(child, "revoke", path, TABLE, "p2")
            output, _ = await asyncio.to_thread(other.communicate)
            assert output == b"1\n"
            assert await heard == {two.grant.id}
        assert await known(store, two) is None
        assert await known(store, one) == one.grant

    on_store(path, scenario)


@pytest.mark.parametrize(("build", "mark", "left_then"), [("before", b"B", 2), ("after", b"C", 1)])
def test_a_kill_around_the_commit_leaves_a_use_or_a_way_to_the_token(
    path: Path, build: str, mark: bytes, left_then: int
) -> None:
    issued = invited(path, 2)
    with child("exchange", path, issued.secret.reveal(), 1, 1, build) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == mark
        process.kill()
        assert process.stdout.read() == b""
    assert left(path) == left_then
    again = exchanged(path, issued, 1)
    assert again is not None
    assert left(path) == 1
    assert on_store(path, lambda store: known(store, again)) == again.grant
    # Once it was used, neither this client nor its link gets another.
    assert exchanged(path, issued, 1) is None
    assert exchanged(path, issued, 2) is not None
    assert left(path) == 0


@pytest.mark.slow
@pytest.mark.prove
def test_a_process_killed_while_many_come_in_spends_no_use_twice(path: Path, count: int) -> None:
    kills = max(3, min(40, count // 12))
    issued = invited(path, 100)
    first, came = 0, dict[int, str]()
    for kill in range(kills):
        # Few enough that there are uses for all, however late it is killed.
        with child("exchange", path, issued.secret.reveal(), first, 40, "whole") as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(1 + kill % 2)]
            process.kill()
            lines += process.stdout.read().splitlines(keepends=True)
        for line in lines:
            if line.endswith(b"\n"):
                _, who, token = line.decode().split()
                came[int(who)] = token
        first = len(came)
        # The one in flight: perhaps it was admitted, and asks again.
        again = exchanged(path, issued, first)
        assert again is not None
        came[first] = again.token.reveal()
        first = len(came)
        assert left(path) == 100 - first
        if first > 50:
            break

    async def scenario(store: SqliteAccess) -> None:
        seats = set[str | None]()
        for token in came.values():
            grant = await store.lookup(token, NOW)
            assert grant is not None
            seats.add(grant.seat)
        assert len(seats) == len(came)

    on_store(path, scenario)
