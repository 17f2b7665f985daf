"""What a seat asks for: each request once, each nonce for one throw, and never behind its back."""

import json
from collections.abc import Callable
from contextlib import AsyncExitStack, aclosing

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.players import ALONE, Evening, Player
from tests.engine.helpers.stages.service import TABLE
from tests.sealing import json_of, resealed, sealed_raw
from urim.engine.bundle.read import entry_of
from urim.engine.core.commands import (
    AnyCommand,
    Declare,
    Erase,
    GiveCharacter,
    LeaveSeat,
    Note,
    RollDice,
    Void,
    Withdraw,
    worded,
)
from urim.engine.core.parse import read_logged
from urim.engine.core.request import read_request
from urim.engine.core.view import view_of
from urim.engine.seat import Seat
from urim.engine.seat.happened import Done, EpochSeen, NotDone, NotMine, Undone
from urim.engine.seat.heads import Forked
from urim.engine.seat.requests import Requests
from urim.engine.seat.stored import read_stored
from urim.engine.service.feed import Behind, Commit, Left, Subscription
from urim.errors import Damaged, Refused
from urim.events.asked import Asked
from urim.events.line import entry_line
from urim.events.log.protocol import CaughtUp

THROW = RollDice(1, "initiator")


async def begun(level: str = "player") -> Evening:
    """A table of that level at which people sit."""
    evening = Evening()
    await evening.begin(level=level, anchored=level == "table")
    return evening


def code_of(call: Callable[[], object]) -> str:
    """How a call is refused."""
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def is_live(seat: Seat) -> bool:
    """Whether a seat has caught up."""
    return seat.live


def nonce_in(data: bytes) -> str:
    """The nonce that a request gives."""
    found = read_logged(read_request(data).body)
    nonce = getattr(found, "nonce", None)
    assert isinstance(nonce, str)
    return nonce


# --- requests -------------------------------------------------------------------------------------


async def test_a_request_is_the_same_bytes_until_it_is_answered_and_done_once() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    first = p1.seat.say(Note(0), "a note")
    second = p1.seat.ask(Declare("c1", ALONE))
    assert p1.seat.resend() == (first, second)
    stored = p1.seat.stored()
    assert read_stored(stored.written()) == stored
    p1.restart()
    await p1.sync()
    assert p1.seat.resend() == (first, second)
    await evening.service.submit_request(TABLE, "p1", first)
    await p1.sync()
    id = read_request(first).request
    assert id is not None
    assert [each for each in p1.happened if isinstance(each, Done)] == [Done(id, 6)]
    assert p1.seat.resend() == (second,)
    assert p1.seat.answer(id, [6, 7]) == ()
    with pytest.raises(Damaged):
        p1.seat.answer(id, [5])


async def test_ids_differ_from_run_to_run_though_an_old_state_is_resumed() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    stored = p1.seat.stored()
    runs = [Seat.resume(stored, [evening.key]) for _ in range(2)]
    ids = {read_request(seat.ask(Note(0))).request for seat in (*runs, *runs)}
    assert len(ids) == 4


async def test_an_answer_must_be_borne_out_by_the_log() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    id = read_request(p1.seat.ask(Declare("c1", ALONE))).request
    assert id is not None
    assert p1.seat.answer(id, [6]) == (Done(id, 6),)
    await evening.players["p2"].send(evening.players["p2"].seat.say(Note(0), "mine"))
    with pytest.raises(Damaged, match="is not in it") as damaged:
        await p1.sync()
    assert damaged.value.seq == 6


async def test_the_log_must_say_what_was_asked() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    await evening.service.submit_request(TABLE, "p1", p1.seat.ask(Declare("c1", ALONE)))
    [commit, *_] = await evening.sent("p1", p1.seat.size - 1)
    assert isinstance(commit, Commit)
    entry = entry_of(commit.entries[0])
    assert entry.payload is not None and entry.salt is not None
    body = entry.payload.replace(b'rating\\":2', b'rating\\":3')
    assert body != entry.payload
    other = sealed_raw(entry.seq, entry.at, body, entry.salt, entry.kind)
    with pytest.raises(Damaged, match="asked for something else"):
        p1.seat.receive(replace(commit, entries=(entry_line(other),)))


def test_a_request_is_logged_once() -> None:
    requests = Requests("p1", "aa", bytes)
    id = str(requests.made(Note(0)).request)
    asked = Asked(id, requests.pending[0].body)
    assert requests.logged(6, "p1", asked)
    assert not requests.logged(6, "p1", asked)
    with pytest.raises(Damaged, match="in entry 6 already"):
        requests.logged(9, "p1", asked)


async def test_a_nonce_must_be_logged_as_it_was_given() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    await evening.service.submit_request(TABLE, "p1", p1.seat.ask(THROW))
    [commit, *_] = await evening.sent("p1", p1.seat.size - 1)
    assert isinstance(commit, Commit)
    entry = entry_of(commit.entries[0])
    event = json_of(entry)
    event["proof"]["nonce"] = "ab" * 32
    other = resealed(entry, json.dumps(event, separators=(",", ":")).encode())
    with pytest.raises(Damaged, match=r"die d[0-9]+ .* must show"):
        p1.seat.receive(replace(commit, entries=(entry_line(other),)))


async def test_a_head_of_what_is_not_here_yet_is_no_fork_while_a_history_comes() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    p1.seat.begin()
    messages = await evening.sent("p1", p1.seat.size - 1)
    await evening.service.submit(TABLE, "p1", Declare("c1", ALONE))
    note = await evening.service.checkpoint(TABLE)
    p1.seat.head(note)
    for message in messages:
        p1.seat.receive(message)
    p1.seat.begin()
    with pytest.raises(Forked, match="went back"):
        p1.seat.receive(messages[-1])


async def test_a_refusal_ends_a_request_and_its_nonce_stays_that_of_the_throw() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    wrong = p1.seat.ask(RollDice(1, "reactor"))
    with pytest.raises(Refused):
        await p1.send(wrong)
    assert isinstance(p1.happened[-1], NotDone)
    assert p1.seat.resend() == ()
    p1.restart()
    await p1.sync()
    right = p1.seat.ask(THROW)
    assert nonce_in(right) == nonce_in(wrong)
    await p1.send(right)
    await p1.sync()
    assert p1.seat.stored().held == ()
    assert p1.seat.state.rolls[1].throws == 1
    assert not any(isinstance(each, NotMine) for each in p1.happened)
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    assert nonce_in(p1.seat.ask(RollDice(2, "initiator"))) != nonce_in(right)


# --- nonces ---------------------------------------------------------------------------------------


async def test_an_epoch_is_said_and_gets_a_nonce_once_it_is_accepted() -> None:
    evening = await begun()
    p1, p2 = evening.players["p1"], evening.players["p2"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    await p2.sync()
    drawn = p1.seat.ask(THROW)
    await evening.service.begin_epoch(TABLE, restored=True)
    for player, throws in ((p1, ((1, 0),)), (p2, ())):
        player.restart()
        await player.sync()
        [seen] = [each for each in player.happened if isinstance(each, EpochSeen)]
        assert (seen.epoch, seen.throws) == (1, throws)
        assert seen.unneeded
        assert "nothing that you had seen is gone" in str(seen)
    assert code_of(lambda: p1.seat.ask(THROW)) == "commitment"
    late = evening.player("p2")  # which was never here, and cannot know
    await late.sync()
    [seen] = [each for each in late.happened if isinstance(each, EpochSeen)]
    assert not seen.unneeded
    assert "gone" not in str(seen)
    p1.seat.accept_epoch()
    p1.restart()
    await p1.sync()
    again = p1.seat.ask(THROW)
    assert nonce_in(again) != nonce_in(drawn)
    await p1.send(again)


GIVES = GiveCharacter("c1", "p2")


@pytest.mark.parametrize("command", [Withdraw(1), GIVES], ids=["withdraw", "give"])
@pytest.mark.parametrize("own", [True, False])
async def test_a_command_in_a_seat_s_name_that_it_did_not_send_is_said_and_ends_its_part(
    command: AnyCommand, own: bool
) -> None:
    evening = await begun()
    one, two = evening.players["p1"], evening.player("p1")
    await one.anchor()
    await one.ask(Declare("c1", ALONE))
    await two.sync()
    await (one if own else two).ask(command)
    await one.sync()
    strange = [each for each in one.happened if isinstance(each, NotMine)]
    assert strange == ([] if own else [NotMine(8)])
    one.restart()
    assert one.seat.stored().distrust == (-1 if own else 8)
    assert not one.seat.should_anchor


@pytest.mark.parametrize("drawn", [True, False])
async def test_a_roll_that_another_ends_once_its_nonce_is_out_is_said(drawn: bool) -> None:
    evening = await begun()
    one, narrator = evening.players["p1"], evening.players["narrator"]
    await one.ask(Declare("c1", ALONE))
    await one.sync()
    if drawn:
        one.seat.ask(THROW)
    await narrator.sync()
    await narrator.ask(worded(Void(1), "It never was."))
    await one.sync()
    undone = [each for each in one.happened if isinstance(each, Undone)]
    assert undone == ([Undone(7, 1)] if drawn else [])


async def test_what_another_client_of_the_seat_throws_is_said() -> None:
    evening = await begun()
    one, two = evening.players["p1"], evening.player("p1")
    await two.sync()
    await one.ask(Declare("c1", ALONE))
    await one.sync()
    await two.sync()
    held = two.seat.ask(THROW)
    await one.ask(THROW)
    for player in (one, two):
        await player.sync()
    assert not any(isinstance(each, NotMine) for each in one.happened)
    assert [each for each in two.happened if isinstance(each, NotMine)] == [
        NotMine(6),
        NotMine(7),
    ]
    with pytest.raises(Refused):
        await two.send(held)


async def test_nothing_is_drawn_before_what_was_shown_is_here_or_a_head_covers_it() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    strict = Seat(TABLE, "p1", [evening.key], over_heads=True)
    for message in await evening.sent("p1"):
        strict.receive(message)
    assert code_of(lambda: strict.ask(THROW)) == "due"
    strict.head(await evening.service.checkpoint(TABLE))
    strict.ask(THROW)
    again = Seat.resume(p1.seat.stored(), [evening.key])
    messages = await evening.sent("p1")
    confirmed = [again.confirmed]
    for message in messages:
        again.receive(message)
        confirmed.append(again.confirmed)
    size = len(messages)
    assert confirmed == [*[False] * (size - 1), True, True]
    again.ask(THROW)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"type":"seat/2"}', b"\xff", b"[" * 100_000])
def test_bytes_that_are_no_state_are_refused(data: bytes) -> None:
    assert code_of(lambda: read_stored(data)) == "unreadable"


# --- live -----------------------------------------------------------------------------------------


async def follow(player: Player, messages: Subscription) -> None:
    """Receive live what there is."""
    size = (await player.service.state(TABLE)).size
    while not player.seat.live or player.seat.size < size:
        player.happened += player.seat.receive(await anext(messages))


async def test_live_commits_are_folded_as_they_come_whatever_they_show_or_hide() -> None:
    evening = await begun()
    async with AsyncExitStack() as stack:
        feeds: dict[str, Subscription] = {}
        for id, player in evening.players.items():
            feed = evening.service.subscribe(TABLE, id, player.seat.begin())
            feeds[id] = await stack.enter_async_context(aclosing(feed))

        async def agree() -> None:
            state = await evening.service.state(TABLE)
            for id, player in evening.players.items():
                await follow(player, feeds[id])
                assert player.seat.state == view_of(state, id)
                view = await evening.service.view(TABLE, id)
                assert player.seat.lines == tuple(map(entry_line, view))

        p1 = evening.players["p1"]
        await p1.ask(Declare("c1", ALONE, "gm", level="player"))
        await agree()
        assert [len(p.seat.state.rolls) for p in evening.players.values()] == [1, 1, 0]
        await p1.ask(THROW)
        await p1.send(p1.seat.say(Note(7), "about the hidden throw"))
        await agree()
        await p1.ask(GiveCharacter("c1", "p2"))
        await agree()
        assert [len(p.seat.state.rolls) for p in evening.players.values()] == [1, 0, 1]
        await evening.service.submit(TABLE, "narrator", Erase(9))
        await p1.send(p1.seat.say(Note(0), "open"))
        await agree()
        await p1.ask(Erase(p1.seat.size - 1))
        await agree()
        p2 = evening.players["p2"]
        await p2.ask(GiveCharacter("c1", "p1"))
        await agree()
        late = evening.player("p2")
        await late.sync()
        assert late.seat.lines == p2.seat.lines


async def test_who_is_behind_subscribes_again_and_who_left_is_not_served() -> None:
    evening = await begun()
    p2 = evening.players["p2"]
    assert is_live(p2.seat)
    assert p2.seat.receive(Behind(p2.seat.size)) == (Behind(p2.seat.size),)
    assert not is_live(p2.seat)
    await evening.service.submit(TABLE, "narrator", LeaveSeat("p2"))
    async with aclosing(evening.service.subscribe(TABLE, "p2", p2.seat.size - 1)) as messages:
        with pytest.raises(Refused):
            await anext(messages)
    commit = (await evening.sent("p1", p2.seat.size - 1))[0]
    p2.seat.receive(commit)
    size = p2.seat.size
    assert p2.seat.receive(Left(size)) == (Left(size),)
    assert p2.seat.receive(CaughtUp(size))[-1] == CaughtUp(size)
