"""What a client remembers of a host that cheats, and what it never does behind a player's back."""

import asyncio
import json
import shutil
import threading
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from tests.engine.client.test_faults import ended, serve_copy
from tests.engine.helpers.stages.acting import ANSWER, FAST
from tests.engine.helpers.stages.online import TABLE, Online, online, played
from tests.engine.helpers.stages.players import ALONE, OPPOSED
from urim.engine.client import Manners, NotAdmitted, join, resume
from urim.engine.client import store as stores
from urim.engine.client.connection import connected, entering
from urim.engine.client.happenings import MOST, Happenings
from urim.engine.client.store import Store, ticket_in
from urim.engine.core.commands import Declare, Note, React, RollDice, worded
from urim.engine.seat.happened import Done, HeadSeen, NotMine, Taken
from urim.engine.seat.heads import Forked
from urim.engine.seat.stored import Stored, read_stored
from urim.engine.service import files
from urim.errors import Damaged, Refused, Unavailable
from urim.events.checkpoint import public_key, read_key
from urim.projections.levels import level_of

SELDOM = Manners(first=0.01, most=0.03, patience=20.0, keep=3600.0)


async def note(evening: Online, words: str) -> None:
    """Somebody else writes a note."""
    service = evening.served.service
    work = service.submit(TABLE, "narrator", worded(Note(0), words))
    await asyncio.to_thread(evening.served.run, work)


def kept(evening: Online) -> Stored:
    """What is on disk of p1."""
    return read_stored((evening.path / "p1" / "state").read_bytes())


# --- what is kept ---------------------------------------------------------------------------------


async def test_a_fork_is_kept_with_its_notes_and_raised_again(tmp_path: Path) -> None:
    async with online(tmp_path / "h", "p1", level="player") as evening:
        await evening.clients.pop("p1").close()
        await evening.stop()
        shutil.copytree(tmp_path / "h", tmp_path / "copy")
        await evening.serve()
        p1 = await resume(tmp_path / "h" / "p1", manners=SELDOM)
        size = p1.state.size
        for words in "ab":
            await note(evening, words)
        while p1.head_size < size + 2:
            await anext(p1)
        await serve_copy(evening, tmp_path / "copy")
        for words in "xyz":
            await note(evening, words)
        first = await ended(p1)
        assert isinstance(first, Forked)
        stored = kept(evening)  # before anybody is shown the fault
        assert stored.fault is not None and stored.size >= size + 2
        await p1.close()
        with pytest.raises(Forked) as again:
            await resume(tmp_path / "h" / "p1", manners=FAST)
        assert again.value.why == first.why
        assert (again.value.earlier, again.value.later) == (first.earlier, first.later)
        keys = [read_key(each) for each in _ticket_keys(tmp_path / "h" / "p1")]
        assert again.value.proved(keys) == first.proved(keys)
        store = tmp_path / "h" / "p1"
        with pytest.raises(Forked, match="at no epoch of its own"):
            await resume(store, after_restore=True, manners=FAST)


def _ticket_keys(path: Path) -> tuple[str, ...]:
    ticket = ticket_in(path)
    assert ticket is not None
    return ticket.keys


def test_an_older_state_never_takes_the_place_of_a_newer_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        store = Store(tmp_path / "s")
        begun, go = threading.Event(), threading.Event()
        write_over, count = files.write_over, 0

        def slow(path: Path, data: bytes) -> None:
            nonlocal count
            count += 1
            if count == 1:
                begun.set()
                go.wait(10)
            write_over(path, data)

        monkeypatch.setattr(stores, "write_over", slow)
        old = asyncio.create_task(store.keep(Stored(TABLE, "p1", "aa")))
        await asyncio.to_thread(begun.wait, 10)
        old.cancel()
        with suppress(asyncio.CancelledError):
            await old
        new = asyncio.create_task(store.keep(Stored(TABLE, "p1", "bb")))
        asyncio.get_running_loop().call_later(0.05, go.set)
        await new
        await asyncio.to_thread(store.close)
        assert read_stored((tmp_path / "s" / "state").read_bytes()).device == "bb"
        with pytest.raises(Unavailable):
            await store.keep(Stored(TABLE, "p1", "cc"))
        assert read_stored((tmp_path / "s" / "state").read_bytes()).device == "bb"

    played(run)


async def test_a_close_that_was_cancelled_closes_all_the_same(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", level="player") as evening:
        p1 = evening.clients.pop("p1")
        closing = asyncio.create_task(p1.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await p1.close()
        async with await resume(tmp_path / "p1", manners=FAST) as again:
            assert again.live


# --- whom it trusts -------------------------------------------------------------------------------


async def test_keys_hold_for_a_seat_that_is_kept_too(tmp_path: Path) -> None:
    async with online(tmp_path, level="player") as evening:
        link, store = await evening.link("p1"), tmp_path / "p1"
        await (await join(link, store, manners=FAST)).close()
        [own] = _ticket_keys(store)
        strange = public_key("urim.local/t/table001", bytes(range(32)))
        with pytest.raises(Damaged, match="not the one that was given"):
            await join(link, store, keys=[strange], manners=FAST)
        with pytest.raises(Damaged, match="not the one that was given"):
            await resume(store, keys=[strange], manners=FAST)
        async with await resume(store, keys=[read_key(own), strange], manners=FAST) as p1:
            assert p1.live
        assert _ticket_keys(store) == (own, strange.vkey)


async def enter(url: str) -> None:
    """Come in there, with a token."""
    async with connected(url, TABLE) as connection:
        await connection.send(entering("urim-t1-S", -1, waiting=False))
        async for _ in connection.frames():
            pass


async def test_a_token_follows_no_redirect() -> None:
    got: list[object] = []

    async def elsewhere(socket: ServerConnection) -> None:
        got.append(await socket.recv())

    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: ws://localhost:%d/x\r\n" % port)
        writer.write(b"Content-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with serve(elsewhere, "127.0.0.1", 0) as other:
        port = next(iter(other.sockets)).getsockname()[1]
        async with await asyncio.start_server(redirect, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            with pytest.raises(NotAdmitted, match="302"):
                await enter(url)
    assert got == []


# --- what it does by itself -----------------------------------------------------------------------


def test_what_waits_for_later_costs_nothing_once_it_is_done(tmp_path: Path) -> None:
    def later(text: str) -> str:
        frame = json.loads(text)
        if frame["type"] == "done":
            request = frame["request"]
            return json.dumps({"type": "later", "request": request, "seconds": 0.01, "why": "x"})
        return text

    async def run() -> None:
        async with online(tmp_path, "p1", level="player") as evening:
            p1 = evening.clients["p1"]
            evening.wire.change = later
            await p1.say(Note(0), "one")
            await asyncio.sleep(0.1)
            seat, count = p1._own, 0  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            own = seat.resend

            def counted() -> tuple[bytes, ...]:
                nonlocal count
                count += 1
                return own()

            seat.resend = counted  # type: ignore[method-assign]
            await asyncio.sleep(0.3)
            assert count < 10
            evening.wire.change = lambda text: text
            await evening.stop()
            count = 0
            await asyncio.sleep(0.3)
            assert count < 200
            await evening.serve()

    played(run)


async def test_a_seat_opens_again_once_the_epoch_is_accepted(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", "p2", "narrator", level="table") as evening:
        p1, p2 = evening.clients["p1"], evening.clients["p2"]
        await p1.do(Declare("c1", ALONE))
        service = evening.served.service
        await asyncio.to_thread(evening.served.run, service.begin_epoch(TABLE, restored=True))
        while p1.state.epoch == 0:
            await anext(p1)
        assert not any(seat.anchor for seat in p1.state.seats.values())
        await asyncio.sleep(0.05)  # nobody anchors by now, nor will
        assert not any(seat.anchor for seat in p1.state.seats.values())
        for each in (p1, p2, evening.clients["narrator"]):
            while each.state.epoch == 0:
                await anext(each)
            each.accept_epoch()
        async with asyncio.timeout(20):
            await evening.anchored()
            await p1.throw(1, "initiator")
        assert level_of(p1.state.rolls[1], 0) == "table"
        async with asyncio.timeout(20):
            while p2.state.rolls[1].throws == 0:
                await anext(p2)


async def test_who_can_open_no_share_of_its_own_asks_for_none_and_is_warned_again(
    tmp_path: Path,
) -> None:
    async with online(tmp_path, "p1", "p2") as evening:
        service = evening.served.service
        strange = service.submit(TABLE, "p1", Declare("c1", ALONE))
        seq = (await asyncio.to_thread(evening.served.run, strange))[0].seq
        for _ in range(2):
            p1 = evening.clients["p1"]
            await p1.say(Note(0), "what came before is here now")
            assert p1.warnings == (NotMine(seq),)
            async with asyncio.timeout(20):
                with pytest.raises(Refused, match="is not this client's to open") as refused:
                    await p1.throw(1, "initiator")
            assert (refused.value.code, refused.value.allowed) == ("nonce", ("anchor",))
            await p1.caught_up()
            assert p1.state.ask is None
            await evening.restart("p1")
        async with asyncio.timeout(20):
            await evening.clients["p1"].anchor()
            await evening.clients["p1"].throw(1, "initiator")
        assert level_of(evening.clients["p1"].state.rolls[1], 0) == "table"
        await evening.restart("p1")
        assert not evening.clients["p1"].warnings


async def test_a_throw_never_takes_the_answer_of_another_hands(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", "p2", level="server") as evening:
        p1, p2 = evening.clients["p1"], evening.clients["p2"]
        await p1.do(Declare("c1", OPPOSED))
        while not p2.awaiting():
            await anext(p2)
        await p2.do(React(1, "c2", ANSWER))
        while "roll" not in {each.trigger for each in p1.awaiting()}:
            await anext(p1)
        first = asyncio.create_task(p1.do(RollDice(1, "initiator")))
        await asyncio.sleep(0)
        found = await asyncio.gather(p1.throw(1, "reactor"), return_exceptions=True)
        assert list(found) != [await first]


# --- what happened --------------------------------------------------------------------------------


def test_what_nobody_takes_is_kept_short_and_no_warning_is_lost() -> None:
    happenings = Happenings()
    happenings.add([NotMine(7)])
    for seq in range(3 * MOST):
        happenings.add([Taken(seq, seq + 1), HeadSeen(seq + 1), Done(f"r-{seq}", seq)])
        assert len(happenings) <= MOST
    assert happenings.warnings == (NotMine(7),)
    found = []
    while happenings:
        found.append(happenings.take())
    assert found[0] == NotMine(7)
    assert found[-1] == Done(f"r-{3 * MOST - 1}", 3 * MOST - 1)
    taken = [each for each in found if isinstance(each, Taken)]
    assert (taken[0].start, taken[-1].stop) == (0, 3 * MOST)
    assert all(one.stop == two.start for one, two in pairwise(taken))
