"""A bot for a chat with channels and direct messages: one process, a client for each of its users.

`/join CHANNEL LINK` is sent to it directly, once. `/roll CHARACTER name=value …` declares, hidden
with `visibility=self`, and does what needs no decision; `/odds ROLL` says what is best. Buttons are
legal moves: so any system works. What all may see goes to the channel, the rest to each user.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote, unquote

from urim.engine.client import Client, join, resume
from urim.engine.client.buttons import Button, Values, buttons, filled_in, press
from urim.engine.core.commands import Declare
from urim.engine.core.sight import RollSight
from urim.engine.core.step import PLAIN
from urim.engine.seat.happened import Contradicted, EpochSeen, NotMine, Taken, Undone
from urim.errors import Refused, UrimError


class Heard(NamedTuple):
    """What a user wrote; or the button they pressed, with what they filled in where it asks."""

    user: str
    text: str
    pressed: Button | None = None
    values: Values | None = None


class Chat(Protocol):
    """What the bot needs of a chat."""

    def events(self) -> AsyncIterator[Heard]: ...
    async def post(self, channel: str, text: str) -> None: ...
    async def direct(self, user: str, text: str, buttons: Sequence[Button] = ()) -> None: ...


class Bot:
    """Plays for everybody who joined; what it must not forget is in `store`, a directory."""

    def __init__(self, chat: Chat, store: Path) -> None:
        self.chat, self.store = chat, store
        self.clients: dict[str, tuple[str, Client]] = {}
        self.buttons: dict[str, tuple[Button, ...]] = {}
        self.shown: dict[tuple[str, int, bool], tuple[int, str]] = {}
        self.turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self.live = False  # what was there before a restart is not shown again

    async def run(self) -> None:
        """Play until the chat ends."""
        async with asyncio.TaskGroup() as self.tasks, AsyncExitStack() as self.open:
            for seat in sorted(self.store.glob("*/*/seat.json")):
                channel, user = (unquote(part)[1:] for part in seat.parent.parts[-2:])
                await self.answer(user, self.add(user, channel, resume(seat.parent)))
            self.live = True
            async for heard in self.chat.events():
                self.tasks.create_task(self.answer(heard.user, self.do(heard)))

    async def add(self, user: str, channel: str, joining: Awaitable[Client]) -> None:
        client = await self.open.enter_async_context(await joining)
        self.clients[user] = channel, client
        await self.chat.direct(user, f"You are seat {client.seat} of {client.table}.")
        await self.show(user)
        self.tasks.create_task(self.follow(user))

    async def follow(self, user: str) -> None:
        try:
            async for happened in self.clients[user][1]:
                if isinstance(happened, Taken):
                    await self.show(user)
                elif isinstance(happened, (NotMine, Undone, EpochSeen, Contradicted)):
                    await self.chat.direct(user, f"Warning: {happened}")
        except UrimError as error:
            await self.chat.direct(user, f"You are out: {error}")

    async def answer(self, user: str, doing: Awaitable[None]) -> None:
        try:
            await doing
        except Refused as refused:
            await self.chat.direct(user, str(refused))
        except ValueError:
            await self.chat.direct(user, "/join CHANNEL LINK once; /roll WHO name=value …; /odds N")
        except UrimError as error:
            await self.chat.direct(user, f"Not now: {error}")

    async def do(self, heard: Heard) -> None:
        _, client = self.clients.get(heard.user, ("", None))
        match heard.text.split():
            case _ if heard.pressed is not None and client is not None:
                await press(client, heard.pressed, heard.values)
                await self.go_on(heard.user, heard.pressed.roll)
            case ["/join", channel, link] if client is None:
                place = self.store / quote(f"#{channel}", "") / quote(f"@{heard.user}", "")
                await self.add(heard.user, channel, join(link, place))
            case ["/roll", who, *words] if client is not None:
                given = filled_in(dict(word.split("=", 1) for word in words))
                seen = given.pop("visibility", "public")
                async with self.turns[heard.user]:
                    await client.roll(Declare(who, given, visibility=seen))
            case ["/odds", roll, *aim] if client is not None:
                odds = await client.odds(int(roll), " ".join(aim))
                ways = "\n".join(f"{w.worth:.3f}: {w.trigger} {w.taken}" for w in odds.ways[:3])
                await self.chat.direct(heard.user, f"At best {odds.worth:.3f}.\n{ways}")
            case ["/join" | "/roll" | "/odds", *_]:
                raise ValueError(heard.text)

    async def go_on(self, user: str, roll: int) -> None:
        async with self.turns[user]:
            await self.clients[user][1].go_on(roll)

    async def show(self, user: str) -> None:
        """Show what is new of each roll, once where everybody sees it; and the user's buttons."""
        channel, client = self.clients[user]
        sight = client.state_sight()
        for roll in sight.rolls:
            text, place = in_words(roll), user if roll.hidden else channel
            size, before = self.shown.get((place, roll.roll, roll.hidden), (-1, ""))
            if size < sight.size:
                self.shown[place, roll.roll, roll.hidden] = sight.size, text
                if text != before and self.live:
                    await (self.chat.direct if roll.hidden else self.chat.post)(place, text)
        found = buttons(client)
        for of in client.legal_moves():  # another's throw may have left nothing to decide
            if of.roll is not None and of.step is not None and of.step.trigger in PLAIN:
                found = tuple(b for b in found if (b.roll, b.offer) != (of.roll, of.step))
                self.tasks.create_task(self.answer(user, self.go_on(user, of.roll)))
        if found != self.buttons.get(user, ()):
            self.buttons[user] = found
            await self.chat.direct(user, "You may:" if found else "You may wait.", found)


def in_words(roll: RollSight) -> str:
    """A roll in a few lines."""
    hands = (f"{h.label}: {' '.join(str(die.face) for die in h.dice)}" for h in roll.hands)
    ends = (", ".join(filter(None, (e.head, e.text))) for e in (roll.outcome, roll.damage) if e)
    return "\n".join([f"Roll {roll.roll} of {roll.character}: {roll.state}", *hands, *ends])
