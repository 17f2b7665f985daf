"""Who follows a table is connected to it, as long as it does; then others' dice may ask for it."""

import asyncio
from contextlib import aclosing

from tests.engine.helpers.stages.service import TABLE, declare, on_each_log, seated
from urim.engine.core.commands import Declare, EnterCharacter
from urim.engine.service import Service
from urim.engine.service.follow import Presence
from urim.engine.service.secrets import Secrets
from urim.events.codec import recorded
from urim.events.log.protocol import EventLog
from urim.events.roll import RollDeclared


async def level(service: Service, seat: str, command: Declare) -> str:
    """The trust level of a roll that names none."""
    [entry] = await service.submit(TABLE, seat, command)
    event = recorded(entry).event
    assert isinstance(event, RollDeclared)
    return event.level


@on_each_log
async def test_a_narrators_dice_ask_whoever_follows_and_nobody_once_it_is_gone(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await seated(service, dice="fair")
    await service.submit(TABLE, "narrator", EnterCharacter("c2", "narrator", {"BLE": 3}))
    narrators = Declare("c2", declare().declaration)
    assert await level(service, "narrator", narrators) == "player"
    async with aclosing(service.follow(TABLE, "p2")) as rows:
        await anext(rows)
        assert await level(service, "narrator", narrators) == "table"
        assert await level(service, "p1", declare()) == "player"
        assert await level(service, "p1", declare("gm")) == "table"
        assert await level(Service(log, secrets), "narrator", narrators) == "player"
    assert await level(service, "narrator", narrators) == "player"
    async with aclosing(service.follow(TABLE, "narrator")) as rows:
        await anext(rows)
        assert await level(service, "narrator", narrators) == "player"


def test_a_seat_that_follows_twice_is_there_until_the_second_ends() -> None:
    async def run() -> None:
        presence = Presence()
        async with presence.following("table001", "p1"):
            async with presence.following("table001", "p1"), presence.following("table002", "p2"):
                assert presence.at("table001") == {"p1"}
                assert presence.at("table002") == {"p2"}
            assert presence.at("table001") == {"p1"}
            assert presence.at("table002") == frozenset()
        assert presence.at("table001") == frozenset()

    asyncio.run(run())


@on_each_log
async def test_a_follower_that_is_cancelled_is_gone(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await seated(service, dice="fair")

    async def listen() -> None:
        async with aclosing(service.follow(TABLE, "p2")) as rows:
            async for _ in rows:
                heard.set()

    heard = asyncio.Event()
    task = asyncio.create_task(listen())
    await heard.wait()
    assert await level(service, "p1", declare("gm")) == "table"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await level(service, "p1", declare("gm")) == "player"
