"""A client of one seat as a process of its own: it plays what the table waits for.

python -m tests.engine.helpers.stages.seat_process DIRECTORY [LINK]

It joins with the link, or resumes. Each line that comes in is a request's body, to be done in its
turn, or `until N`: it goes on until the table has N entries and nothing is under way, prints what
it has, and ends. It prints a JSON object a line: `{"size", "characters", "rolls", "hidden"}`
whenever something came, at the end `{"lines", "head"}`, and `{"fault"}` for what ended it.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from tests.engine.helpers.stages.acting import FAST, act, to_reveal
from urim.engine.client import Client, join, resume
from urim.engine.core.commands import Reveal
from urim.engine.core.parse import read_command
from urim.errors import UrimError


def say(found: dict[str, Any]) -> None:
    """Print an object as a line."""
    sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    sys.stdout.flush()


class Orders:
    """What is to be done, as it comes in."""

    def __init__(self) -> None:
        self.bodies: asyncio.Queue[str] = asyncio.Queue()
        self.until: int | None = None
        self.news = asyncio.Event()

    async def read(self) -> None:
        """Take lines until there are no more."""
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line.startswith("until "):
                self.until = int(line.split()[1])
            else:
                self.bodies.put_nowait(line)
            self.news.set()


async def hear(client: Client, orders: Orders) -> None:
    """Take what happens, and report where the table is. A fault ends the process."""
    before = ""
    async for _ in client:
        rolls = client.state.rolls.values()
        found = {
            "size": client.state.size,
            "characters": sorted(client.state.characters),
            "rolls": {roll.number: roll.state for roll in rolls},
            "hidden": [roll.number for roll in rolls if roll.hidden],
        }
        now = json.dumps(found)
        if now != before:
            say(found)
        before = now
        orders.news.set()


async def step(client: Client, orders: Orders) -> bool:
    """Do one thing; whether there was one."""
    await client.caught_up()
    if not orders.bodies.empty():
        await client.do(read_command(orders.bodies.get_nowait().encode()))
        return True
    mine = [each for each in client.awaiting() if each.trigger not in ("open_share", "break_throw")]
    if mine:
        await act(client, mine[0])
        return True
    hidden = to_reveal(client)
    if hidden:
        await client.do(Reveal(hidden[0]))
    return bool(hidden)


async def play(client: Client, orders: Orders) -> None:
    """Play to the end."""
    while True:
        orders.news.clear()
        if await step(client, orders):
            continue
        until = orders.until
        if until is not None and client.state.size >= until and not client.pending:
            return
        await orders.news.wait()


async def main(directory: Path, link: str | None) -> None:
    """Join, or resume, and play."""
    client = await (
        resume(directory, manners=FAST) if link is None else join(link, directory, manners=FAST)
    )
    async with client:
        orders = Orders()
        hearing = asyncio.create_task(hear(client, orders))
        reading = asyncio.create_task(orders.read())
        playing = asyncio.create_task(play(client, orders))
        try:
            await asyncio.wait({hearing, playing}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                hearing.result()
            playing.result()
        except UrimError as error:
            say({"fault": f"{type(error).__name__}: {error}"})
            raise
        finally:
            for task in (hearing, playing):
                task.cancel()
        say({"lines": [line.decode() for line in client.lines], "head": client.head_size})
    reading.cancel()


if __name__ == "__main__":
    place, *more = sys.argv[1:]
    asyncio.run(main(Path(place), more[0] if more else None))
