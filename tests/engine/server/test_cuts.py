"""A connection that is cut after any byte: the client goes on, and the end is the same."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.engine.helpers.stages.acting import FAST
from tests.engine.helpers.stages.players import ALONE
from tests.engine.helpers.stages.relay import Relay, Way
from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.events.sqlite.runs import chance
from tests.pairs.compare import DIGEST
from urim.engine.client import join
from urim.engine.core.commands import Declare, EnterCharacter, Note, Resolve, RollDice
from urim.engine.core.view import view_of
from urim.events.codec import asked_in, recorded

FACES = tuple("שזגכלקבט")
WAYS: tuple[Way, ...] = ("down", "up")


class Table:
    """A fixed play by one client, each time at another table."""

    def __init__(self, served: Served, relay: Relay, path: Path, number: int) -> None:
        self.served = served
        self.relay = relay
        self.id = f"table{number:05}"
        self.path = path / self.id
        self.carried: dict[Way, int] = {}

    async def play(self, way: Way, after: int | None) -> list[Any]:
        """Play, cut once after so many bytes; what is there at the end."""
        await asyncio.to_thread(self._open)
        secret = await asyncio.to_thread(self.served.invitation, self.id, "player", "p1")
        self.relay.cut_after(way, after)
        client = await join(f"{self.relay.url}/#i={secret}", self.path, manners=FAST)
        async with client:
            await client.do(Declare("c1", ALONE))
            await client.do(RollDice(1, "initiator", faces=FACES))
            await client.say(Note(4), "by the door")
            await client.do(Resolve(1))
            self.carried = self.relay.carried
            self.relay.cut_after(way, None)
            assert not client.pending
            assert client.fault is None
            state = await asyncio.to_thread(self._state)
            assert client.state == view_of(state, "p1")
            sight = msgspec.to_builtins(client.state_sight())
        return [await asyncio.to_thread(self._log), self._told(sight)]

    def _open(self) -> None:
        self.served.open(self.id, {"p1": "player"})
        entering = EnterCharacter("c1", "p1", {"BLE": 3})
        self.served.run(self.served.service.submit(self.id, NARRATOR, entering))

    def _state(self) -> Any:
        return self.served.run(self.served.service.state(self.id))

    def _log(self) -> list[tuple[str, str]]:
        """What was asked and what became of it, entry by entry: nothing twice."""
        entries = self.served.run(self.served.service.log.read(self.id))
        asked = [asked_in(entry) for entry in entries if entry.seq == entry.commit]
        known = [each.request for each in asked if each is not None]
        assert len(known) == len(set(known))
        return [(entry.kind, type(recorded(entry).event).__name__) for entry in entries]

    def _told(self, sight: Any) -> str:
        """What the client shows of the table, but for digests, times, and the table's own id."""
        return DIGEST.sub("#", str(timeless(sight))).replace(self.id, "table")


def timeless(value: Any) -> Any:
    """A structure without its times."""
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if name != "at"}
    return [timeless(each) for each in value] if isinstance(value, (list, tuple)) else value


def cut_at(whole: dict[Way, int], count: int, seed: int) -> list[tuple[Way, int]]:
    """Bytes after which to cut: spread over all that is carried, each drawn in its own part."""
    luck = chance("cuts", seed)
    found: list[tuple[Way, int]] = []
    for way in WAYS:
        share = -(-count // len(WAYS))
        for part in range(share):
            first, last = (whole[way] * each // share for each in (part, part + 1))
            found.append((way, luck.randrange(first, max(first + 1, last))))
    return found[:count]


@pytest.mark.slow
@pytest.mark.prove
def test_a_cut_after_any_byte_changes_nothing(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """200 cuts where the count asks for 500 or more."""
    how_many = max(10, min(200, count * 2 // 5))

    async def run() -> tuple[dict[Way, int], int]:
        async with Relay() as relay:
            served = Served(tmp_path, origins=(relay.url,), rate=1e5, burst=100_000)
            await asyncio.to_thread(served.__enter__)
            try:
                relay.server_port = int(served.url.rpartition(":")[2])
                return await cut_again_and_again(served, relay)
            finally:
                await asyncio.to_thread(served.stop)

    async def cut_again_and_again(served: Served, relay: Relay) -> tuple[dict[Way, int], int]:
        first = Table(served, relay, tmp_path, 0)
        uncut = await first.play("down", None)
        hits = 0
        for number, (way, after) in enumerate(cut_at(first.carried, how_many, seed), 1):
            cuts = relay.cuts
            found = await Table(served, relay, tmp_path, number).play(way, after)
            assert found == uncut, (way, after)
            hits += relay.cuts > cuts
        return first.carried, hits

    whole, hits = asyncio.run(run())
    tried(f"{hits} cuts in {whole['down']:,} bytes down and {whole['up']:,} up")
    # What is sent differs by a signed head or two: the last bytes may not be there.
    assert hits >= how_many * 0.95
