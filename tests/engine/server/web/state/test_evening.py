"""The page's state plays against a real server, from Node: what it is sent, and what goes wrong."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.stages.online import TABLE, Online
from tests.engine.server.web.page import Page, page
from tests.engine.server.web.state.played import DECLARE, ENTER, entered, with_evening
from urim.engine.core.commands import LeaveSeat, Note

LEVELS = ("player", "table")

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
        assert seen[0]["state"] in states  # later ones depend on how often it was tried
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
