"""The people of a release's table, who play on with the code of today, at a service."""

import asyncio
import json
import shutil
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from tests.engine.helpers.bodies import command_in
from tests.engine.helpers.tables.host import Host, Twist
from tests.releases.keep import DATABASE, PLAYERS
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import AnyCommand, Ask, Declare, RollDice, apart
from urim.engine.core.parse import body_of
from urim.engine.service import Service
from urim.engine.service.secrets import ENDING, FileSecrets
from urim.events.base import Face
from urim.events.log.sqlite import SqliteLog
from urim.projections.levels import anchored

DECLARED = rb"{\"do\":\"declare/"
"""What stands in the body of every command that declares a roll."""


class House:
    """A copy of a release's database, open, and a loop of its own."""

    def __init__(self, release: Path, to: Path) -> None:
        self.release = release
        shutil.copy(release / DATABASE, to)
        secrets = Path(shutil.copytree(release / f"{DATABASE}{ENDING}", to / f"{DATABASE}{ENDING}"))
        for path in (secrets, *secrets.rglob("*")):  # a repository keeps no such modes
            path.chmod(0o700 if path.is_dir() else 0o600)
        self.people = json.loads((release / PLAYERS).read_text(encoding="utf-8"))
        self.loop = asyncio.new_event_loop()
        self.log = self.run(SqliteLog.open(to / DATABASE))
        self.service = Service(self.log, FileSecrets.beside(to / DATABASE))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Wait for something."""
        return self.loop.run_until_complete(work)

    def close(self) -> None:
        """Close it all."""
        self.run(self.service.close())
        self.run(self.log.close())
        self.loop.close()

    def bundle(self, table: str, seat: str) -> bytes:
        """A table as a file, as a seat may see it now."""

        async def lines() -> bytes:
            return b"".join([line async for line in await self.service.bundle(table, seat)])

        found: bytes = self.run(lines())
        return found


class Guest(Host):
    """Everybody at one table, with the keys and chains that they had."""

    def __init__(self, house: House, table: str) -> None:
        known = house.people["tables"][table]
        self.house = house
        self.seed = f"{table} again"  # nonces of today, not those of then
        self.sent = self.pause = 0
        self.grain = ""
        self.chains = dict(known["chains"])
        self.keys = {seat: bytes.fromhex(key) for seat, key in known["keys"].items()}
        self.private = bytes.fromhex(house.people["host"])
        self.origin = known["vkey"].partition("+")[0]
        self.aggregate = Aggregate(environment("manual"))
        self.aggregate.load(house.run(house.log.read(table)))

    def ask(
        self,
        seat: str,
        command: AnyCommand,
        twist: Twist | None = None,
        *,
        words: str | None = None,
    ) -> int:
        """Ask the service, and load what came of it; gives the sequence of its first event."""
        asking = self.worded(command, words)
        request, signed = self.signed(seat, body_of(apart(asking)[0]))
        size, table = self.state.size, self.state.id
        self.house.run(self.house.service.submit(table, seat, asking, request, signed))
        self.aggregate.load(self.house.run(self.house.log.read(table))[size:])
        return size

    def open_all(self, twist: Twist | None = None, *, but: tuple[str, ...] = ()) -> int:
        """Open every share that is waited for; gives the last entry."""
        assert self.state.ask is not None
        for seat in self.state.ask.waiting:
            self.open(seat)
        return self.state.size - 1

    def throw(
        self,
        number: int,
        hand: str = "",
        twist: Twist | None = None,
        faces: tuple[Face, ...] | None = None,
    ) -> int:
        """Throw a hand, with as few dice as may be; physical ones show their first face."""
        offer = self.offer(number, "roll", hand)
        if not offer.options or offer.link:
            if self.state.source == "manual" and not offer.link:
                faces = tuple(self.state.game.faces[kind][0] for kind in offer.dice)
            return super().throw(number, hand, twist, faces)
        few, seat = int(offer.options[0]), self.owner(offer)
        if not few or not self.shares(number, seat):
            answer = self.answer(number, seat) if few else (None, None)
            return self.ask(seat, RollDice(number, offer.hand, *answer, option=few))
        waiting = self.roll(number).outstanding
        assert waiting is not None
        seats = tuple(sorted((seat, *anchored(self.state, seat))))
        self.ask(seat, Ask(number, offer.hand, waiting.seq, seats, few))
        return self.open_all()

    def declared(self) -> tuple[str, Declare]:
        """The last roll that was declared in the open: by whom, and the command."""
        found = [
            (self.event(entry.seq).by, command_in(entry))
            for entry in self.entries
            if entry.kind == "open" and entry.payload and DECLARED in entry.payload
        ]
        seat, command = found[-1]
        assert isinstance(command, Declare)
        return seat, command
