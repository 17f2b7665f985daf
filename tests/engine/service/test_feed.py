"""What a subscriber gets: whole commits, once and in order; and what a commit shows or hides."""

import asyncio
import json
from contextlib import aclosing
from itertools import groupby
from typing import Any

import pytest

from tests.engine.helpers.stages.client import Client, listening, seq_of, taken, view_of
from tests.engine.helpers.stages.service import (
    TABLE,
    at_a_table,
    declare,
    mark,
    noting,
    on_each_log,
    seated,
    throw,
)
from urim.engine.core.commands import (
    EnterCharacter,
    Erase,
    GiveCharacter,
    LeaveSeat,
    Note,
    React,
    Reveal,
    TakeSeat,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.feed import Commit, Feed, Left, Present
from urim.engine.service.secrets import Secrets
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events.entry import HIDDEN, Entry
from urim.events.line import entry_line
from urim.events.log.bell import Bell
from urim.events.log.protocol import CaughtUp, EventLog

WRITERS = 6
NOTES = 8
"""Of each writer, two entries each."""


def parts(line: bytes) -> dict[str, Any]:
    """What a line says."""
    found = json.loads(line)
    assert isinstance(found, dict)
    return found


def whole(lines: tuple[bytes, ...]) -> dict[int, bool]:
    """By sequence whether a line has its payload."""
    return {seq_of(line): "payload" in parts(line) for line in lines}


# --- history and live -----------------------------------------------------------------------------


@at_a_table()
async def test_a_subscriber_gets_history_then_a_mark_then_what_happens(service: Service) -> None:
    async with aclosing(service.subscribe(TABLE, "p2")) as messages:
        client = Client()
        *history, marked = await client.catch_up(messages)
        assert [len(each.entries) for each in history if isinstance(each, Commit)] == [1, 1, 1, 2]
        assert marked == CaughtUp(5)
        assert await anext(messages) == Present(("p2",))
        await service.submit(TABLE, "p1", declare())
        await service.submit(TABLE, "p1", noting("twice as long"))
        live = [await anext(messages) for _ in range(2)]
    assert [message.size for message in live if isinstance(message, Commit)] == [6, 8]
    for message in live:
        client.take(message)
    assert client.lines == await view_of(service, TABLE, "p2")


@at_a_table()
async def test_who_resumes_gets_what_came_since_and_always_whole_commits(service: Service) -> None:
    view = await view_of(service, TABLE, "p2")
    for after in range(-1, 5):
        client = Client(view[: 3 if after == 3 else after + 1])
        async with aclosing(service.subscribe(TABLE, "p2", after)) as messages:
            await client.catch_up(messages)
        assert client.lines == view
        assert client.bytes == sum(map(len, view[3 if after == 3 else after + 1 :]))
    with pytest.raises(Refused, match="after is 5") as refused:
        await anext(service.subscribe(TABLE, "p2", 5))
    assert refused.value.allowed == ("-1 to 4",)


@at_a_table()
async def test_while_many_write_each_commit_comes_once_whole_and_in_order(service: Service) -> None:
    size = 5 + WRITERS * NOTES * 2
    clients: list[Client] = []

    async def write(writer: int) -> None:
        for turn in range(NOTES):
            await service.submit(TABLE, "p1", noting(f"{writer}/{turn}"))

    async def listen() -> None:
        clients.append(client := Client())
        marked = False
        async with aclosing(service.subscribe(TABLE, "p2")) as messages:
            async for message in messages:
                client.take(message)
                if isinstance(message, Commit):
                    commits = [parts(line)["commit"] for line in message.entries]
                    assert len(set(commits)) == 1
                marked = marked or isinstance(message, CaughtUp)
                if marked and len(client.lines) == size:
                    break

    async def join() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(listen())
                await asyncio.sleep(0.001)

    await asyncio.gather(join(), *map(write, range(WRITERS)))
    view = await view_of(service, TABLE, "p2")
    commits = [len(list(group)) for _, group in groupby(parts(line)["commit"] for line in view)]
    assert sum(commits) == size
    assert all(client.lines == view for client in clients)


# --- sight ----------------------------------------------------------------------------------------


@at_a_table()
async def test_what_was_sealed_comes_with_the_commit_that_reveals_it(service: Service) -> None:
    async with listening(service, "p2") as (client, messages):
        await service.submit(TABLE, "p1", declare("gm"))
        await service.submit(TABLE, "p1", throw())
        sealed = await taken(client, messages, 7)
        assert [whole(each.entries) for each in sealed if isinstance(each, Commit)] == [
            {5: False},
            {6: False},
        ]
        await service.submit(TABLE, "narrator", Reveal(1))
        [revealed] = await taken(client, messages, 8)
        assert isinstance(revealed, Commit)
        assert whole(revealed.entries) == {7: True}
        assert whole(revealed.changed) == {5: True, 6: True}
        assert client.lines == await view_of(service, TABLE, "p2")
        await service.submit(TABLE, "narrator", TakeSeat("p3"))
        [later] = await taken(client, messages, 9)
        assert isinstance(later, Commit)
        assert later.changed == ()


@at_a_table()
async def test_a_character_given_takes_the_sight_of_its_rolls_along(service: Service) -> None:
    await service.submit(TABLE, "p1", declare("gm"))
    async with listening(service, "p1") as one, listening(service, "p2") as two:
        await service.submit(TABLE, "narrator", GiveCharacter("c1", "p2"))
        for seat, (client, messages), sees in (("p1", one, False), ("p2", two, True)):
            while len(client.lines) < 7:
                message = await anext(messages)
                client.take(message)
                if isinstance(message, Commit):
                    assert whole(message.changed) == {5: sees}
            assert client.lines == await view_of(service, TABLE, seat)


@at_a_table()
async def test_who_reacts_sees_the_roll_from_then_on(service: Service) -> None:
    await service.submit(TABLE, "narrator", EnterCharacter("c2", "p2", {"GRA": 2}))
    asking = declare("blind")
    await service.submit(TABLE, "p1", type(asking)("c1", {**asking.declaration, "opponent": "c2"}))
    async with listening(service, "p2") as (client, messages):
        await service.submit(TABLE, "p2", React(1, "c2", {"root": "חננ", "rating": 3}))
        await taken(client, messages, 8)
        assert client.lines == await view_of(service, TABLE, "p2")


@at_a_table()
async def test_a_narrator_who_resumes_is_not_sent_old_hidden_entries_again(
    service: Service,
) -> None:
    for _ in range(30):
        await service.submit(TABLE, "p1", declare("gm"))
    client = Client(await view_of(service, TABLE, "narrator"))
    await service.submit(TABLE, "narrator", TakeSeat("p3"))
    await service.submit(TABLE, "narrator", mark())
    async with listening(service, "narrator", client):
        assert client.lines == await view_of(service, TABLE, "narrator")
        assert client.bytes == sum(map(len, client.lines[35:]))


@at_a_table()
async def test_a_seat_that_leaves_is_sent_what_it_may_have_then_and_no_more(
    service: Service,
) -> None:
    await service.submit(TABLE, "p1", declare("gm"))
    async with listening(service, "p1") as (client, messages):
        await service.submit(TABLE, "narrator", LeaveSeat("p1"))
        await service.submit(TABLE, "narrator", mark())
        [commit, last] = [message async for message in messages]
        client.take(commit)
        assert isinstance(commit, Commit)
        assert whole(commit.changed) == {5: False}
        assert last == Left(7)
        assert client.lines == (await view_of(service, TABLE, "p1"))[:7]
    with pytest.raises(Refused):
        await anext(service.subscribe(TABLE, "p1", 6))


# --- as it was then ------------------------------------------------------------------------------


def hidden_then_shown() -> tuple[FixtureTable, int, int]:
    """A hidden roll, a note about it that is erased, and its reveal: the note, the reveal."""
    table = FixtureTable("milhamah", dice="scripted")
    roll = table.declare(table.character("Rachel"), root="אשר", rating=0, visibility="gm")
    table.character("Toad")
    declared = roll.state.trail[0].seq
    table.submit(NARRATOR, worded(Note(declared), "gone soon"))
    note = len(table.entries) - 1
    table.submit(NARRATOR, Erase(note))
    roll.roll(faces="אטיגדהוז")
    roll.resolve()
    shown = len(table.entries)
    roll.reveal()
    return table, note, shown


def test_history_up_to_a_size_shows_what_a_seat_saw_when_the_table_had_it() -> None:
    table, note, shown = hidden_then_shown()
    feed = Feed(table.state.id, Bell())
    feed.advance(table.aggregate)
    client = Client()
    for commit in feed.history("p2", 0, shown):
        client.take(commit)
    sealed = [seq for seq, line in enumerate(client.lines) if "payload" not in parts(line)]
    assert sealed == [e.seq for e in table.entries[:shown] if e.kind in HIDDEN or e.seq == note]
    for commit in feed.history("p2", shown, shown + 1):
        client.take(commit)
    assert [seq for seq, line in enumerate(client.lines) if "payload" not in parts(line)] == [note]


def test_who_fell_behind_is_not_sent_a_text_that_was_erased_since() -> None:
    table = FixtureTable("milhamah", dice="scripted")
    table.character("Rachel")
    feed = Feed(table.state.id, Bell())
    feed.advance(table.aggregate)
    table.submit("p1", worded(Note(0), "gone soon"))
    feed.advance(table.aggregate)
    assert b"gone soon" in b"".join(feed.live("p1", 0)[0].entries)
    table.submit(NARRATOR, Erase(len(table.entries) - 1))
    feed.advance(table.aggregate)
    assert b"gone soon" not in b"".join(feed.live("p1", 0)[0].entries)


def test_the_erasure_of_what_a_seat_had_not_seen_yet_changes_nothing_for_it() -> None:
    table, note, shown = hidden_then_shown()
    feed = Feed(table.state.id, Bell())
    feed.advance(table.aggregate)
    history = feed.history("p2", note + 1, shown + 1)
    found = {commit.size: whole(commit.changed) for commit in history}
    assert found.pop(shown + 1), "it was shown"
    assert not any(found.values())


# --- erased texts ---------------------------------------------------------------------------------


@on_each_log
async def test_an_erased_text_is_sealed_for_all_who_had_it(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service)
    [_, text] = await service.submit(TABLE, "p1", noting("gone soon"))
    before = await view_of(service, TABLE, "p2")
    async with listening(service, "p2") as (client, messages):
        await service.submit(TABLE, "p1", Erase(text.seq))
        [erased] = await taken(client, messages, 8)
        assert isinstance(erased, Commit)
        assert whole(erased.changed) == {text.seq: False}
        assert client.lines == await view_of(service, TABLE, "p2")
    for again in (service, Service(log, secrets)):
        async with listening(again, "p2", Client(before)) as (late, _):
            assert late.lines == client.lines
        async with listening(again, "p2") as (new, _):
            assert new.lines == client.lines


@at_a_table()
async def test_a_text_erased_after_a_seat_lost_sight_of_it_is_sealed_for_it_too(
    service: Service,
) -> None:
    [declared] = await service.submit(TABLE, "p1", declare("gm"))
    [_, text] = await service.submit(TABLE, "narrator", noting("gone soon", declared.seq))
    client = Client(await view_of(service, TABLE, "p1"))
    assert b"gone soon" in client.lines[text.seq]
    await service.submit(TABLE, "narrator", GiveCharacter("c1", "p2"))
    await service.submit(TABLE, "narrator", Erase(text.seq))
    async with listening(service, "p1", client):
        assert client.lines == await view_of(service, TABLE, "p1")


# --- encodings ------------------------------------------------------------------------------------


@at_a_table()
async def test_an_entry_is_encoded_at_most_twice_for_all(service: Service) -> None:
    encoded: list[tuple[int, bool]] = []

    def counted(entry: Entry) -> bytes:
        encoded.append((entry.seq, entry.payload is not None))
        return entry_line(entry)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("urim.engine.service.encoded.entry_line", counted)
        async with asyncio.TaskGroup() as group, listening(service, "narrator") as (one, first):

            async def listen(seat: str) -> None:
                async with listening(service, seat) as (client, messages):
                    await taken(client, messages, 8)

            for seat in ("p1", "p2", "narrator") * 3:
                group.create_task(listen(seat))
            while service.present(TABLE) != ("narrator", "p1", "p2"):
                one.take(await anext(first))
            await service.submit(TABLE, "p1", declare("gm"))
            await service.submit(TABLE, "p1", throw())
            await service.submit(TABLE, "narrator", Reveal(1))
            await taken(one, first, 8)
    assert len(encoded) == len(set(encoded))
    assert set(encoded) == {(seq, True) for seq in range(8)} | {(5, False), (6, False)}
