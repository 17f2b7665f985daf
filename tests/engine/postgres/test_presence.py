"""Who is at a table is known at every server of a database, as a hint, and fades with a server."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

import asyncpg
import pytest

from tests.engine.helpers.stages.hosted import NARRATOR
from tests.engine.helpers.stages.service import TABLE, noting, seated
from tests.engine.helpers.stages.sockets import Client, entered
from tests.engine.postgres.test_many import pair, served
from urim.engine.client import Host
from urim.engine.client.http import draw_client, exchange
from urim.engine.client.link import read_link
from urim.engine.service import Service, presence
from urim.engine.service.feed import Message, Present
from urim.events.log.location import DatabaseUrl
from urim.events.log.postgres import bells

pytestmark = pytest.mark.slow

NEVER = 3_600.0
"""Seconds: nothing is repeated, and nothing fades."""


class Watched:
    """A subscription, and who it was told is present."""

    def __init__(self, messages: "AsyncGenerator[Message]") -> None:
        self.messages = messages
        self.told: tuple[str, ...] = ()

    async def next(self) -> None:
        """Wait until it is told who is present, once more."""
        async with asyncio.timeout(30):
            while not isinstance(message := await anext(self.messages), Present):
                pass
        self.told = message.seats

    async def until(self, *seats: str) -> None:
        """Wait until these are present."""
        while self.told != seats:
            await self.next()


@asynccontextmanager
async def watching(service: Service, seat: str) -> AsyncGenerator[Watched]:
    """A subscription of a seat, once it is present itself."""
    async with aclosing(service.subscribe(TABLE, seat)) as messages:
        found = Watched(messages)
        await found.next()
        yield found


async def test_seats_at_one_service_are_present_at_the_other_at_once(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "EVERY", NEVER)

    async with served(place) as here, served(place) as there:
        await seated(here)
        size = (await here.state(TABLE)).size
        async with watching(here, "narrator") as narrator:
            await narrator.until("narrator")
            async with watching(there, "p1") as one:
                await one.until("narrator", "p1")
                await narrator.until("narrator", "p1")
                async with watching(here, "p1") as more, watching(there, "p2") as two:
                    for each in (two, more, narrator, one):
                        await each.until("narrator", "p1", "p2")
                    assert here.present(TABLE) == there.present(TABLE) == two.told
                await narrator.until("narrator", "p1")
            await narrator.until("narrator")
            async with watching(there, "p2") as two:
                await two.until("narrator", "p2")
        assert here.present(TABLE) == there.present(TABLE) == ()
        assert (await here.state(TABLE)).size == size


async def test_seats_of_a_service_that_closes_are_gone_at_once(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "EVERY", NEVER)

    async with served(place) as here:
        await seated(here)
        async with watching(here, "p2") as two:
            async with served(place) as there:
                one = Watched(there.subscribe(TABLE, "p1"))  # who does not end it
                await one.until("p1", "p2")
                await two.until("p1", "p2")
            await two.until("p2")


BAD = ("", "|", "\n\n", "x", "x table001", "x table001|P1", "x table001|p1 <b>", f"x {TABLE}|..")


async def test_hints_that_are_none_change_nothing(place: DatabaseUrl) -> None:
    async with served(place) as here:
        await seated(here)
        async with watching(here, "p2") as two:
            await two.until("p2")
            admin = await asyncpg.connect(place.reveal())
            for words in BAD:
                await admin.execute("SELECT pg_notify($1, $2)", bells.HINTS, words)
            for number in range(2 * presence.MOST):
                words = f"server{number} {TABLE}|p{number:03}"
                await admin.execute("SELECT pg_notify($1, $2)", bells.HINTS, words)
            await admin.close()
            await two.until(*(f"p{number:03}" for number in range(presence.MOST)), "p2")


async def test_seats_that_are_repeated_do_not_fade(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "EVERY", 0.05)

    async with served(place) as here, served(place) as there:
        await seated(here)
        async with watching(here, "p1") as one, watching(there, "p2") as two:
            await one.until("p1", "p2")
            await two.until("p1", "p2")
            await asyncio.sleep(4 * presence.MISSED * presence.EVERY)
            for service in (here, there):  # one that was held up is back soon
                async with watching(service, "p1") as again:
                    await again.until("p1", "p2")


# --- servers --------------------------------------------------------------------------------------

OFTEN = (
    "-c",
    "from urim.engine.service import presence as it; it.EVERY = 0.3; import urim.__main__",
)
"""`urim`, but what its servers repeat they repeat every 0.3 seconds."""


async def told(client: Client, *seats: str) -> None:
    """Wait until a client is sent that these are present."""
    if [*seats] not in [frame["seats"] for frame in client.of("present")[-1:]]:
        await client.until("present", where=lambda frame: frame["seats"] == [*seats])


async def test_a_table_opened_at_one_server_is_played_at_the_other_and_the_seats_of_a_dead_one_fade(
    place: DatabaseUrl,
) -> None:
    async with pair(place, OFTEN) as servers, AsyncExitStack() as sockets:
        links = await servers.open(TABLE, "p1", "p2")
        tokens = {
            seat: (await exchange(read_link(link), draw_client())).token
            for seat, link in links.items()
        }

        async def sits(seat: str) -> Client:
            return await sockets.enter_async_context(entered(servers, TABLE, tokens[seat]))

        narrator, one = await sits(NARRATOR), await sits("p1")
        assert servers.spare is not None
        servers.relay.server_port = servers.spare.port
        two = await sits("p2")
        for client in (narrator, one, two):
            await told(client, NARRATOR, "p1", "p2")
        done = await two.done("note", noting("text"))
        await narrator.until_size(done["size"])
        await servers.open("table002")
        async with Host(servers.url, servers.host_token) as host:
            assert {*await host.tables()} == {TABLE, "table002"}
        await servers.kill()
        await told(two, "p2")
        servers.spare.process.send_signal(signal.SIGTERM)
        assert await two.closed() == 1012
