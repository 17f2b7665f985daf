"""The page's state plays against a real server, from Node: what it is sent, and what goes wrong."""

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.online import TABLE, Online, online, played
from tests.engine.server.web.page import Page, page
from urim.engine.core.commands import BreakThrow, Declare, EnterCharacter, LeaveSeat, Note, Void
from urim.projections.rollstate import BREAKING

LEVELS = ("player", "table")

ENTER = '{do: "enter/1", character: "c1", seat: "p1", attributes: {Lockpicking: 3}}'
DECLARE = '{do: "declare/1", character: "c1", declaration: {trait: "Lockpicking", rd: 7}}'

OF_ANOTHER_VERSION = """
const meta = { getAttribute: () => "0.0.0" };
globalThis.document = { querySelector: () => meta };
"""
"""What the shell of an older server says."""

SEEN_LINKS = "globalThis.links = []; app.link.subscribe((link) => links.push(link)); return 1"
"""Keeps how the connection was."""

CAME_BACK = 'await once(() => links.some((link) => link.state !== "live"))'
"""The connection was lost since; it may be there again already."""

NO_SOCKETS = """
globalThis.Real = WebSocket;
globalThis.WebSocket = class extends Real { constructor() { super("ws://127.0.0.1:1"); } };
"""
"""From here on none opens, as behind some proxies."""


ANCHORED = (
    "await once(() => ['narrator', 'p1'].every((id) => app.live.value.seats[id]?.anchor));"
    "await once(() => app.seal.value.head?.size === app.live.value.size)"
)
"""Both publish an anchor as they come in."""


@asynccontextmanager
async def evening(path: Path, level: str = "player") -> AsyncGenerator[tuple[Online, Page]]:
    """A table with a narrator's client, and the page of a player who sat down."""
    async with online(path, opened=False) as found:
        opened: dict[str, Any] = {"ruleset": "sagatafl", "source": "fair", "level": level}
        await asyncio.to_thread(found.served.open, TABLE, {}, **opened)
        await found.sit("narrator")
        _, _, secret = (await found.link("p1")).partition("/#")
        async with page(found.wire.url) as ruth:
            await ruth.do(f'await app.begin("#{secret}"); return app.join(app.place.value.secret)')
            await ruth.live()
            await ruth.do(ANCHORED)
            yield found, ruth


def with_evening(
    path: Path, test: Callable[[Online, Page], Awaitable[None]], level: str = "player"
) -> None:
    """Run a test in an evening."""

    async def run() -> None:
        async with evening(path, level) as (found, ruth):
            await test(found, ruth)

    played(run)


async def entered(ruth: Page) -> None:
    assert (await ruth.do(f'return app.ask({ENTER}, "Ruth")'))["type"] == "done"


# --- what goes well -------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_a_roll_is_played_to_its_end(tmp_path: Path, level: str) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        assert (await ruth.do(f"return app.ask({DECLARE})"))["type"] == "done"
        refused = await ruth.do('return app.ask({do: "resolve/1", roll: 1})')
        assert (refused["type"], refused["code"]) == ("refused", "wrong-state")
        assert (await ruth.do('return app.throwDice(1, "initiator")'))["type"] == "done"
        await ruth.do(
            "const may = () => app.moves.value.get(1)?.moves.map((move) => move.trigger);"
            'await once(() => may()?.includes("resolve"))'
        )
        assert (await ruth.do('return app.ask({do: "resolve/1", roll: 1})'))["type"] == "done"
        await ruth.do("await once(() => app.sight.value?.size === app.live.value.size)")
        await ruth.do("await once(() => app.accounts.value.get(1)?.outcome)")
        await ruth.do("await once(() => app.seal.value.head?.size === app.live.value.size)")
        said = await ruth.do(
            "const roll = app.live.value.rolls.get(1);"
            "const asked = app.live.value.log.filter((each) => each.type === 'throw-asked/1');"
            "return [roll.state, asked.length, roll.hands[0].dice.length,"
            " app.sight.value.rolls[0].state, app.system.value.name, app.seal.value.state,"
            " app.live.value.characters.c1.name]"
        )
        assert said == [
            "resolved",
            int(level != "server"),
            3,
            "resolved",
            "sagatafl",
            "green",
            "Ruth",
        ]
        parts = await ruth.do("return app.seal.value.parts.filter((part) => part.state !== 'ok')")
        assert [part["what"] for part in parts] == ["rules"]
        then = "app.until.value = 0; return [app.table.value.size, app.live.value.size > 1]"
        assert await ruth.do(then) == [1, True]

    with_evening(tmp_path, test, level)


def test_a_name_is_given_with_the_seat_and_the_seat_can_be_given_up(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await ruth.do('return app.ask({do: "name-seat/1", seat: "p1"}, "Ruth <b>")')
        assert await ruth.do("return app.live.value.seats.p1.name") == "Ruth <b>"
        await found.stop()  # where the token cannot be taken back now, it is not forgotten
        assert await ruth.do("return (await app.leave()).type") == "refused"
        assert await ruth.do("return [app.place.value.name, app.seats().length]") == ["table", 1]
        await found.serve()
        assert await ruth.do("return (await app.leave()).type") == "done"
        assert await ruth.do("return [app.place.value.name, app.seats().length]") == ["start", 0]

    with_evening(tmp_path, test)


# --- shares ---------------------------------------------------------------------------------------


async def later(found: Online) -> None:
    """Ten seconds pass, for the table."""
    aggregate = await found.served.service.aggregate(TABLE)
    real = aggregate.environment.clock
    late = replace(aggregate.environment, clock=lambda state: real(state) + BREAKING)
    aggregate.environment = late


@pytest.mark.slow
def test_a_throw_that_waits_is_broken_off_and_the_roll_goes_on(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        await ruth.do(f"return app.ask({DECLARE})")
        await found.clients.pop("narrator").close()
        await ruth.do('globalThis.thrown = app.throwDice(1, "initiator"); return 1')
        await ruth.do("await once(() => app.live.value.ask?.waiting.join() === 'narrator')")
        early = await ruth.do("return app.breakOff(1)")
        assert (early["type"], early["code"]) == ("refused", "due")
        await asyncio.to_thread(lambda: found.served.run(later(found)))
        assert (await ruth.do("return app.breakOff(1)"))["type"] == "done"
        outcome = await ruth.do("return thrown")
        assert (outcome["type"], outcome["code"]) == ("refused", "broken")
        assert outcome["why"] == "the throw was broken off: no share of narrator came"
        # Who kept back and sent nothing since is not asked.
        again = await ruth.do('return app.throwDice(1, "initiator")')
        assert again["type"] == "done", again
        said = await ruth.do(
            "const roll = app.live.value.rolls.get(1);"
            "const throws = roll.throws.map((each) => each.throw);"
            "return [roll.state, roll.breaks.map((each) => each.kept), throws]"
        )
        assert said == ["rolled", [["narrator"]], [1]]
        await ruth.do("await once(() => app.seal.value.head?.size === app.live.value.size)")
        assert await ruth.do("return app.seal.value.state") == "green"

    with_evening(tmp_path, test, "table")


def test_a_page_that_slept_through_a_throw_says_so_and_is_asked_again(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        narrator = found.clients["narrator"]
        await narrator.caught_up()
        await narrator.do(EnterCharacter("c9", "narrator", {"Lockpicking": 3}))
        for _ in range(2):
            await narrator.do(Declare("c9", {"trait": "Lockpicking", "rd": 7}))
        throwing = asyncio.create_task(narrator.throw(1, "initiator"))
        await ruth.do("app.sleep()")
        while narrator.state.ask is None:
            await anext(narrator)
        await asyncio.to_thread(lambda: found.served.run(later(found)))
        await narrator.do(BreakThrow(1))
        await throwing  # p1 is not asked again, and it is no throw of shares
        await ruth.do(
            "app.wake(); await once(() => app.live.value.log.some((each) =>"
            " each.type === 'noted/1' && each.by === 'p1'))"
        )
        await narrator.caught_up()
        await narrator.throw(2, "initiator")
        await ruth.do("await once(() => app.live.value.rolls.get(2).state === 'rolled')")
        asked = await ruth.do(
            "return app.live.value.log.filter((each) => each.type === 'throw-asked/1')"
            ".map(({ event }) => event.asked.map(([seat]) => seat))"
        )
        assert asked[0] == asked[-1] == ["narrator", "p1"]

    with_evening(tmp_path, test, "table")


@pytest.mark.slow
def test_another_device_of_the_seat_takes_part_and_this_one_says_so(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        mine = await ruth.do("return app.sharing.value.anchor")
        assert mine and await ruth.do("return app.live.value.seats.p1.anchor") == mine
        _, _, secret = (await found.link("p1")).partition("/#")
        async with page(found.wire.url) as phone:
            await phone.do(f'await app.begin("#{secret}"); return app.join(app.place.value.secret)')
            await phone.do("await once(() => app.sharing.value.anchor)")
            [notice] = await phone.do("return app.notices.value")
            assert notice["text"] == "shares.elsewhere"
            await ruth.do("await once(() => app.sharing.value.trouble)")
            seen = await ruth.do("return app.sharing.value")
            assert (seen["anchor"], seen["trouble"]["what"]) == ("", "anchor")
            await ruth.do("app.acceptShares(); await once(() => app.sharing.value.anchor)")
            assert await ruth.do("return app.sharing.value.trouble") is None
            await phone.do("await once(() => app.sharing.value.trouble)")

    with_evening(tmp_path, test, "table")


def test_what_is_done_in_the_seat_s_name_elsewhere_or_undone_by_others_is_said(
    tmp_path: Path,
) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        narrator = found.clients["narrator"]
        await narrator.caught_up()
        await narrator.do(EnterCharacter("c9", "narrator", {"Lockpicking": 3}))
        await narrator.do(Declare("c9", {"trait": "Lockpicking", "rd": 7}))
        await narrator.throw(1, "initiator")  # the page opens a share for it
        await narrator.say(Void(1), "It never was.")
        await ruth.do(
            'await once(() => app.notices.value.some(({text}) => text === "shares.undone"))'
        )
        assert await ruth.do("return app.sharing.value.trouble") is None
        host = found.served.service.submit(TABLE, "p1", Declare("c1", {"trait": "Lockpicking"}))
        [entry] = await asyncio.to_thread(found.served.run, host)
        await ruth.do("await once(() => app.sharing.value.trouble)")
        trouble = await ruth.do("return app.sharing.value.trouble")
        assert trouble == {"what": "command", "seq": entry.seq}

    with_evening(tmp_path, test, "table")


@pytest.mark.slow
def test_hidden_throws_ask_the_page_too(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        narrator = found.clients["narrator"]
        await narrator.caught_up()
        await narrator.do(EnterCharacter("c9", "narrator", {"Lockpicking": 3}))
        declared = Declare("c9", {"trait": "Lockpicking", "rd": 7}, "self")
        await narrator.do(declared)
        await narrator.throw(1, "initiator")
        await ruth.do(
            "await once(() => app.live.value.log.some((each) =>"
            " each.type === 'share-opened/1' && each.by === 'p1'))"
        )
        await ruth.do("await once(() => app.live.value.ask === null)")
        assert await ruth.do("return app.live.value.rolls.get(1).sealed") is True

    with_evening(tmp_path, test)


# --- cuts -----------------------------------------------------------------------------------------


def test_cuts_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        found.wire.cut_after = 8
        found.wire.cut()
        each = 'app.ask({do: "note/1", about: 0}, `${number}`)'
        asked = f"return Promise.all([1, 2, 3, 4, 5, 6].map((number) => {each}))"
        outcomes = await ruth.do(asked)
        assert [outcome["type"] for outcome in outcomes] == ["done"] * 6
        found.wire.cut_after = None
        await ruth.live()
        texts = await ruth.do("return [...app.live.value.texts.values()].map((each) => each.text)")
        assert sorted(texts) == ["1", "2", "3", "4", "5", "6"]
        assert found.wire.cuts > 1

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_it_comes_back_to_a_server_that_was_restarted(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        size = await ruth.do("return app.live.value.size")
        await ruth.do(OF_ANOTHER_VERSION)
        await found.stop()
        await ruth.do('await once(() => app.link.value.state !== "live")')
        asking = 'globalThis.asked = app.ask({do: "note/1", about: 0}, "later"); return 1'
        await ruth.do(asking)
        await found.serve()
        assert (await ruth.do("return asked"))["type"] == "done"
        assert await ruth.do("return app.live.value.size") == size + 2
        await ruth.do("await once(() => app.stale.value)")
        await ruth.do("await once(() => app.seal.value.head?.size === app.live.value.size)")
        assert await ruth.do("return app.seal.value.state") == "green"

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_a_server_that_was_gone_for_long_is_not_polled(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await ruth.do(SEEN_LINKS)
        await found.stop()
        # Sockets failed, and then what was asked over HTTP too.
        await ruth.do('await once(() => links.filter((l) => l.state === "offline").length > 1)')
        await found.serve()
        await ruth.live()
        assert not await ruth.do('return links.some((link) => link.state === "polling")')

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_without_a_socket_entries_are_polled(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await ruth.do(NO_SOCKETS)
        found.wire.cut()
        await ruth.do('await once(() => app.link.value.state === "polling")')
        assert await ruth.do("return app.link.value.why") == "no-socket"
        await entered(ruth)
        await ruth.do(f"await app.ask({DECLARE})")
        assert (await ruth.do('return app.throwDice(1, "initiator")'))["type"] == "done"
        await found.clients["narrator"].say(Note(0), "from elsewhere")
        await ruth.do(
            'await once(() => [...app.live.value.texts.values()].at(-1).text === "from elsewhere")'
        )
        await ruth.do("await once(() => app.waiting.value.mine.length === 1)")
        await ruth.do("await once(() => app.seal.value.head?.size === app.live.value.size)")
        assert await ruth.do("return app.seal.value.state") == "green"
        await ruth.do("globalThis.WebSocket = globalThis.Real")
        await ruth.live()

    with_evening(tmp_path, test)


@pytest.mark.slow
@pytest.mark.parametrize(("code", "states"), [(4413, {"connecting", "live"}), (4429, {"offline"})])
def test_a_server_that_closes_for_a_while_is_tried_again(
    tmp_path: Path, code: int, states: set[str]
) -> None:
    async def test(found: Online, ruth: Page) -> None:
        size = await ruth.do("return app.live.value.size")
        await ruth.do(SEEN_LINKS)
        found.wire.cut_after, found.wire.code = 1, code
        found.wire.cut()
        await ruth.do(f'await once(() => links.some((link) => link.why === "closed: {code}"))')
        found.wire.cut_after = found.wire.code = None
        await found.clients["narrator"].say(Note(0), "meanwhile")
        await ruth.do(f"await once(() => app.live.value.size === {size + 2})")
        await ruth.live()
        seen = await ruth.do(f'return links.filter((l) => l.why === "closed: {code}")')
        assert {each["state"] for each in seen} <= states
        assert not await ruth.do('return links.some((link) => link.state === "polling")')

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_after_sleep_it_is_back_at_once(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await ruth.do("app.sleep()")
        assert await ruth.do("return app.link.value.state") == "offline"
        await found.clients["narrator"].say(Note(0), "meanwhile")
        await ruth.do("app.wake()")
        await ruth.live()
        assert await ruth.do("return [...app.live.value.texts.values()].at(-1).text") == "meanwhile"
        # The socket is open still, as far as the page knows, and leads nowhere.
        sockets = found.wire.sockets
        found.wire.deaf = True
        await ruth.do(SEEN_LINKS)
        await ruth.do(f"app.wake(); {CAME_BACK}")
        await ruth.live()
        assert found.wire.sockets > sockets

    with_evening(tmp_path, test)


# --- what goes wrong ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_token_that_was_revoked_ends_it(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        access = found.served.access
        await asyncio.to_thread(found.served.run, access.revoke_seat(TABLE, "p1"))
        await ruth.do('await once(() => app.place.value.name === "dead")')
        assert await ruth.do("return app.place.value.why") == "no-token"
        refused = await ruth.do(f"return app.ask({ENTER})")
        assert (refused["type"], refused["code"]) == ("refused", "stopped")
        assert await ruth.do("return app.live.value.id") == TABLE  # it can still be read

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_a_seat_that_left_ends_it(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await found.clients["narrator"].do(LeaveSeat("p1"))
        await ruth.do('await once(() => app.place.value.name === "dead")')
        assert await ruth.do("return app.place.value.why") == "left"

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_a_link_that_opens_nothing_is_said_to(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        async with page(found.wire.url) as other:
            refused = await other.do(f'return app.join("urim-i1-{"x" * 43}")')
            assert (refused["type"], refused["code"]) == ("refused", "no-token")
            assert await other.do("return app.place.value.name") == "dead"
            await other.do('await app.begin("#nonsense")')
            assert await other.do("return app.place.value") == {"name": "dead", "why": "malformed"}

    with_evening(tmp_path, test)


def twice(frame: dict[str, Any]) -> dict[str, Any]:
    """An entry comes again, as another one."""
    line = frame["entries"][0]
    return {**frame, "entries": [{**line, "digest": "0" * 64}, *frame["entries"]]}


def left_out(frame: dict[str, Any]) -> dict[str, Any]:
    """The first entry of a commit is left out."""
    return {**frame, "entries": frame["entries"][1:]}


def altered(frame: dict[str, Any]) -> dict[str, Any]:
    """An entry says something else."""
    line = frame["entries"][-1]
    return {
        **frame,
        "entries": [*frame["entries"][:-1], {**line, "payload": line["payload"].replace("t", "T")}],
    }


def no_json(frame: dict[str, Any]) -> dict[str, Any]:
    """An entry holds what is no JSON."""
    return {**frame, "entries": [{**line, "payload": "{"} for line in frame["entries"]]}


def other_head(frame: dict[str, Any]) -> dict[str, Any]:
    """The head is of another log."""
    lines = frame["head"].split("\n")
    lines[2] = "A" * 43 + "="
    return {**frame, "head": "\n".join(lines)}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("tampers", [twice, left_out, altered, no_json, other_head])
def test_a_server_that_tampers_is_caught(
    tmp_path: Path, tampers: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        size = await ruth.do("return app.live.value.size")

        def change(text: str) -> str:
            frame = json.loads(text)
            mine = frame["type"] == "commit" and frame["size"] == size + 2
            return (
                json.dumps(tampers(frame), ensure_ascii=False) if mine and frame["head"] else text
            )

        found.wire.change = change
        await ruth.do(SEEN_LINKS)
        found.wire.cut()
        await ruth.do(CAME_BACK)
        await ruth.live()
        await ruth.do('globalThis.noted = app.ask({do: "note/1", about: 0}, "a note"); return 1')
        await ruth.do('await once(() => app.seal.value.state === "red")')
        [fault, *_] = await ruth.do("return app.seal.value.wrong")
        assert fault["seq"] is None or fault["seq"] >= size - 1, fault
        refused = await ruth.do(f"return app.ask({DECLARE})")
        assert (refused["type"], refused["code"]) == ("refused", "seal")
        saved = await ruth.do("return app.bundle()")
        assert saved["name"] == f"{TABLE}.urim.jsonl"
        assert saved["text"].startswith('{"format":"urim-bundle/3"')

    with_evening(tmp_path, test)


@pytest.mark.slow
def test_a_server_that_lost_entries_is_caught_and_a_backup_can_be_accepted(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        size = await ruth.do("return app.live.value.size")
        backup = tmp_path / "backup"
        await found.stop()
        shutil.copytree(tmp_path, backup, ignore=shutil.ignore_patterns("narrator", "backup"))
        await found.serve()
        await ruth.live()
        await entered(ruth)
        await found.stop()
        shutil.copytree(backup, tmp_path, dirs_exist_ok=True)
        await found.serve()
        await ruth.do('await once(() => app.link.value.state === "stopped")')
        assert await ruth.do("return app.link.value.why") == "forked"
        await ruth.do('await once(() => app.seal.value.state === "red")')
        await ruth.do("await app.acceptBackup()")
        # What was kept of the old chain is gone: it begins another one.
        await ruth.do(f"await once(() => app.live.value.size === {size + 1})")
        last = "return app.live.value.log.at(-1).type"
        assert await ruth.do(last) == "share-anchored/1"
        await ruth.do('await once(() => app.seal.value.state === "green")')
        await entered(ruth)  # it is as long as what is gone again, and began no epoch
        await ruth.do('await once(() => app.seal.value.state === "red")')
        [fork] = await ruth.do("return app.seal.value.forks")
        assert "at no epoch of its own" in fork["why"]
        assert [int(note.split("\n")[1]) > size for note in fork["notes"]] == [True, True]

    with_evening(tmp_path, test)
