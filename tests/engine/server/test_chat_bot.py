"""The bot of docs/examples: rolls are played through its buttons alone, of any system."""

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.helpers.stages.sooner import PATIENCE
from tests.tree import ROOT
from urim.engine.client.buttons import Button
from urim.engine.client.store import ticket_in
from urim.engine.core.commands import EnterCharacter, SetTable
from urim.rules import ruleset_named

BOT = ROOT / "docs" / "examples" / "chat_bot.py"
THIRD_PARTY = ROOT / "tests" / "third_party" / "tidewater"
SEATS = {"gm": NARRATOR, "dana": "p1", "yon": "p2"}
"""The seats of the chat's users."""

ORDER = ("react", "roll", "resolve", "adjust", "freeze", "apply_damage")
"""Which button is pressed first where there are several; no other one is."""


def bot_module() -> ModuleType:
    spec = util.spec_from_file_location("chat_bot", BOT)
    assert spec is not None
    assert spec.loader is not None
    found = util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


bot = bot_module()


class FakeChat:
    """A chat whose users are the test: it keeps what the bot sends."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[Any] = asyncio.Queue()
        self.posts: list[tuple[str, str]] = []
        self.directs: list[tuple[str, str]] = []
        self.buttons: dict[str, tuple[Button, ...]] = {}
        self.here = set[str]()
        self.news = asyncio.Event()

    async def events(self) -> AsyncGenerator[Any]:
        while (heard := await self.heard.get()) is not None:
            yield heard

    async def post(self, channel: str, text: str) -> None:
        self.posts.append((channel, text))
        self.news.set()

    async def direct(self, user: str, text: str, buttons: Sequence[Button] = ()) -> None:
        if text.startswith("You may"):
            self.buttons[user] = tuple(buttons)
        elif text.startswith("You are seat"):
            self.here.add(user)
        else:
            self.directs.append((user, text))
        self.news.set()

    # --- its users --------------------------------------------------------------------------------

    def say(self, user: str, text: str) -> None:
        self.heard.put_nowait(bot.Heard(user, text))

    def press(self, user: str, button: Button, values: Mapping[str, str]) -> None:
        self.heard.put_nowait(bot.Heard(user, "", button, values))

    async def until(self, holds: Callable[[], Any]) -> Any:
        """Wait until something holds of what the bot sent."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not (found := holds()):
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            labels = {user: [b.label for b in found] for user, found in self.buttons.items()}
            pytest.fail(f"{self.posts[-2:]}, {self.directs[-2:]}, {labels}")
        return found

    def next_button(self) -> tuple[str, Button] | None:
        """The button of a player that is pressed next, and by whom."""
        found = [
            (ORDER.index(button.trigger), user, button)
            for user, buttons in self.buttons.items()
            for button in buttons
            if user != "gm" and button.trigger in ORDER and not button.declines
            if button.option is not None or button.trigger != "adjust"
        ]
        found.sort(key=lambda each: each[:2])
        return found[0][1:] if found else None

    def is_resolved(self) -> bool:
        return any("resolved" in text for _, text in self.posts)

    def is_gone(self, user: str, button: Button) -> bool:
        return button not in self.buttons[user]

    async def play(self, answers: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Press buttons until a roll is resolved; the triggers that were pressed."""
        pressed: list[str] = []
        while True:
            await self.until(lambda: self.next_button() or self.is_resolved())
            if (found := self.next_button()) is None or self.is_resolved():
                return pressed
            user, button = found
            values = {"dice": " ".join(button.offer.dice)} if button.offer else {}
            pressed.append(button.trigger)
            self.press(user, button, {**values, **answers.get(button.trigger, {})})
            await self.until(partial(self.is_gone, user, button))


@asynccontextmanager
async def chatting(served: Served, store: Path, *, join: bool = True) -> AsyncGenerator[FakeChat]:
    """A bot that runs, with everybody there."""
    chat = FakeChat()
    async with asyncio.timeout(2 * PATIENCE), asyncio.TaskGroup() as tasks:
        tasks.create_task(bot.Bot(chat, store).run())
        for user, seat in SEATS.items() if join else ():
            role: Any = "narrator" if seat == NARRATOR else "player"
            secret = served.invitation("table001", role, seat)
            chat.say(user, f"/join tavern {served.url}/#i={secret}")
        yield chat
        chat.heard.put_nowait(None)


def opened(served: Served, system: str, level: str, ratings: Mapping[str, Any]) -> None:
    """A table with two characters, each of a player."""
    served.open("table001", ruleset=system, source="fair", level=level)
    for who, seat in (("ruth", "p1"), ("dan", "p2")):
        command = EnterCharacter(who, seat, dict(ratings))
        served.run(served.service.submit("table001", NARRATOR, command))


@pytest.fixture
def tidewater(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """Somebody else's system, as installed: its module, and its entry point."""
    site = tmp_path / "site"
    info = site / "urim_tidewater-1.dist-info"
    info.mkdir(parents=True)
    (site / "tidewater.py").write_bytes((THIRD_PARTY / "tidewater.py").read_bytes())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: urim-tidewater\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[urim.rules]\ntidewater = tidewater:RULESET\n")
    monkeypatch.syspath_prepend(site)
    yield "tidewater"
    ruleset_named.cache_clear()
    sys.modules.pop("tidewater", None)


async def test_an_opposed_roll_is_played_by_buttons(served: Served, tmp_path: Path) -> None:
    opened(served, "milhamah", "table", {"BLE": 3, "GRA": 2})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", "/roll ruth attribute=BLE opponent=dan")
        pressed = await chat.play({"react": {"attribute": "GRA"}})
        assert pressed[0] == "react"
        assert {"roll", "freeze"} <= set(pressed)
        await chat.until(chat.is_resolved)
        assert {place for place, _ in chat.posts} == {"tavern"}
        assert not chat.directs


async def test_so_is_one_of_a_system_of_somebody_else(
    served: Served, tmp_path: Path, tidewater: str
) -> None:
    opened(served, tidewater, "player", {"grit": 1})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", "/roll ruth dice=3 opponent=dan")
        pressed = await chat.play({"react": {"dice": "2"}})
        assert pressed == ["react", "roll", "roll"]  # the opponent ends it
        await chat.until(chat.is_resolved)
        assert re.search("^(won|lost), margin [-+]?[0-9]", chat.posts[-1][1], re.MULTILINE)


async def test_who_asks_is_told_what_is_best_where_a_narrator_allows_it(
    served: Served, tmp_path: Path
) -> None:
    opened(served, "plain", "player", {})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", "/roll ruth expression=2d6ro1")

        async def asks(text: str) -> None:
            """Ask until that is said: a client may be behind the channel."""
            while not any(said.startswith(text) for _, said in chat.directs):
                chat.say("dana", "/odds 1 margin")
                await asyncio.sleep(0.05)

        await asks("no narrator allows advice in roll 1")
        served.run(served.service.submit("table001", NARRATOR, SetTable("advice", value=True)))
        await asks("At best ")


async def test_what_another_ends_is_said_once(served: Served, tmp_path: Path) -> None:
    opened(served, "sagatafl", "player", {"Lockpicking": 3})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", "/roll ruth trait=Lockpicking opponent=dan")
        assert await chat.play({"react": {"trait": "Lockpicking"}}) == ["react", "roll", "roll"]
        await chat.until(chat.is_resolved)
        chat.say("yon", "/roll dan trait=Lockpicking")
        await chat.until(lambda: "Roll 2 of dan: resolved" in chat.posts[-1][1])
        ends = [text.splitlines()[0] for _, text in chat.posts if "resolved" in text]
        assert ends == ["Roll 1 of ruth: resolved", "Roll 2 of dan: resolved"]
        assert not chat.directs


async def test_a_hidden_roll_is_shown_directly_to_who_may_see_it(
    served: Served, tmp_path: Path
) -> None:
    opened(served, "plain", "player", {})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", "/roll ruth expression=1d20 visibility=gm")  # which needs no decision
        seen = {"dana", "gm"}
        await chat.until(
            lambda: {user for user, text in chat.directs if "resolved" in text} == seen
        )
        assert {user for user, _ in chat.directs} == seen
        assert not chat.posts
        reveal = await chat.until(
            lambda: next((b for b in chat.buttons["gm"] if b.trigger == "reveal"), None)
        )
        chat.press("gm", reveal, {})
        await chat.until(lambda: chat.posts)
        assert "resolved" in chat.posts[0][1]


async def test_a_bot_goes_on_after_a_restart_and_repeats_nothing(
    served: Served, tmp_path: Path
) -> None:
    opened(served, "milhamah", "player", {"BLE": 3})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", "/roll ruth attribute=BLE")  # thrown at once: its dice may be frozen
        await chat.until(lambda: chat.posts and "rolled" in chat.posts[-1][1])
    async with chatting(served, tmp_path / "bot", join=False) as chat:
        assert await chat.play({})
        await chat.until(lambda: "resolved" in chat.posts[-1][1])
        assert not any("declared" in text for _, text in chat.posts)


def put_out(served: Served, seat: Path) -> None:
    """Revoke the token in a client's directory."""
    found = ticket_in(seat)
    assert found is not None
    headers = {"Authorization": f"Bearer {found.token}"}
    assert httpx.delete(f"{served.url}/access", headers=headers).status_code == 200


async def test_who_is_let_in_no_more_is_told_so_and_the_others_play(
    served: Served, tmp_path: Path
) -> None:
    opened(served, "plain", "player", {})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
    put_out(served, tmp_path / "bot" / "%23tavern" / "%40yon")
    async with chatting(served, tmp_path / "bot", join=False) as chat:
        await chat.until(lambda: chat.here == {"gm", "dana"} and chat.directs)
        assert [user for user, _ in chat.directs] == ["yon"]
        chat.say("dana", "/roll ruth expression=1d20")
        await chat.until(chat.is_resolved)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/roll ruth expression=1q20", "1q20"),
        ("/roll dan expression=1d20", "dan"),
        ("/roll ruth", "expression"),
        ("/roll ruth expression", "/roll WHO name=value"),
        ("/join tavern http://127.0.0.1:1/#i=urim-i1-A", "/roll WHO name=value"),
        ("/join", "/roll WHO name=value"),
    ],
)
async def test_what_is_refused_is_answered(
    served: Served, tmp_path: Path, text: str, answer: str
) -> None:
    opened(served, "plain", "player", {})
    async with chatting(served, tmp_path / "bot") as chat:
        await chat.until(lambda: len(chat.here) == len(SEATS))
        chat.say("dana", text)
        await chat.until(lambda: chat.directs)
        assert chat.directs[0][0] == "dana"
        assert answer in chat.directs[0][1]
        assert not chat.posts


def test_it_is_small() -> None:
    assert len(BOT.read_text(encoding="utf-8").splitlines()) <= 140
