"""A client of a feed: it keeps the lines that it was sent, and knows how many bytes they were."""

import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, asynccontextmanager

from tests.engine.helpers.stages.service import TABLE
from urim.engine.service import Service
from urim.engine.service.feed import Commit, Message, Present, Subscription
from urim.events.line import entry_line
from urim.events.log.protocol import CaughtUp


class Client:
    """The lines of a table's entries, as a seat was sent them; it may begin with some."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        self.lines = list(lines)
        self.bytes = 0

    @property
    def after(self) -> int:
        """Where it would resume."""
        return len(self.lines) - 1

    def take(self, message: Message) -> None:
        """Take a message over; a commit must go on where the last one ended."""
        if not isinstance(message, Commit):
            return
        before = len(self.lines)
        self.lines += message.entries
        assert len(self.lines) == message.size
        assert [seq_of(line) for line in message.entries] == list(range(before, message.size))
        for line in message.changed:
            assert seq_of(line) < before
            self.lines[seq_of(line)] = line
        self.bytes += sum(map(len, message.entries)) + sum(map(len, message.changed))

    async def catch_up(self, subscription: Subscription, most: int = 1_000_000) -> list[Message]:
        """Take all up to the mark, or so many messages at most."""
        found: list[Message] = []
        async for message in subscription:
            if len(found) == most:
                break
            self.take(message)
            found.append(message)
            if isinstance(message, CaughtUp):
                break
        return found


def seq_of(line: bytes) -> int:
    """The sequence of the entry in a line."""
    found = json.loads(line)["seq"]
    assert isinstance(found, int)
    return found


async def view_of(service: Service, table: str, seat: str) -> list[bytes]:
    """The lines of a seat's view."""
    return [entry_line(entry) for entry in await service.view(table, seat)]


@asynccontextmanager
async def listening(
    service: Service, seat: str, client: Client | None = None
) -> AsyncGenerator[tuple[Client, Subscription], None]:
    """A client that has caught up and heard who is present."""
    client = client or Client()
    async with aclosing(service.subscribe(TABLE, seat, client.after)) as messages:
        await client.catch_up(messages)
        assert isinstance(await anext(messages), Present)
        yield client, messages


async def taken(client: Client, messages: Subscription, size: int) -> list[Message]:
    """All messages until the client has so many lines."""
    found: list[Message] = []
    while len(client.lines) < size:
        found.append(await anext(messages))
        client.take(found[-1])
    return found
