"""An evening of processes: a server, and three clients that are cut off again and again."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.helpers.cli_runs import process
from tests.engine.helpers.stages.client import view_of
from tests.engine.helpers.stages.hosted import NARRATOR, Hosted, hosted
from tests.engine.helpers.stages.online import CHARACTERS
from tests.engine.helpers.stages.players import ALONE, OPPOSED
from tests.engine.helpers.stages.server import bearer
from tests.tree import ROOT
from urim.engine.client.store import Store, Ticket
from urim.engine.core.commands import AnyCommand, Declare, EnterCharacter
from urim.engine.core.parse import body_of
from urim.engine.service import Service
from urim.events.codec import asked_in, recorded
from urim.events.roll import DiceRerolled, DiceRolled
from urim.projections.levels import level_of

TABLE = "table001"
SEATS = (NARRATOR, "p1", "p2")
CUT_EVERY = 3
"""So often is all cut, counted in what clients report."""

BOTH = {1: "resolved", 2: "resolved"}


class Player:
    """The process of a seat's client. `told` is what it printed."""

    def __init__(self, directory: Path, *link: str) -> None:
        self.directory = directory
        self.told: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.engine.helpers.stages.seat_process", directory, *link],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def ask(self, command: AnyCommand) -> None:
        """Let it do this, in its turn."""
        self._order(body_of(command).decode())

    def until(self, size: int) -> None:
        """Let it end once the table has so many entries."""
        self._order(f"until {size}")

    def _order(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    async def next(self) -> dict[str, Any]:
        """The next thing that it prints."""
        assert self._process.stdout is not None
        line = await asyncio.to_thread(self._process.stdout.readline)
        assert line, self._process.communicate()
        self.told.append(json.loads(line))
        return self.told[-1]

    async def ended(self) -> dict[str, Any]:
        """Wait for its end; what it has then."""
        while "lines" not in (found := await self.next()):
            assert "fault" not in found, found
        assert self._process.stdin is not None
        self._process.stdin.close()
        await asyncio.to_thread(self._process.wait)
        assert self._process.returncode == 0
        return found

    def kill(self) -> None:
        """End it by SIGKILL, where it has not ended."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


class Evening:
    """The clients of a table, each a process."""

    def __init__(self, host: Hosted, path: Path) -> None:
        self.host = host
        self.path = path
        self.players: dict[str, Player] = {}

    async def play(self) -> None:
        """An opposed roll beside a hidden one, with cuts, a restart and a client that is killed."""
        for character, seat, ratings in CHARACTERS:
            self.players[seat].ask(EnterCharacter(character, seat, ratings))
        narrator, p1 = self.players[NARRATOR], self.players["p1"]
        while len((await narrator.next())["characters"]) < len(CHARACTERS):
            pass
        p1.ask(Declare("c1", OPPOSED))
        p1.ask(Declare("c1", ALONE, "gm"))
        reports = 0
        restarted = killed = False
        while True:
            found = await narrator.next()
            assert "fault" not in found, found
            rolls = {int(number): state for number, state in found["rolls"].items()}
            if rolls == BOTH and not found["hidden"]:
                break
            reports += 1
            if reports % CUT_EVERY == 0:
                self.host.relay.cut()
            if found["size"] >= 10 and not killed:
                killed = True
                self.players["p2"].kill()
                self.players["p2"] = Player(self.path / "p2")
            if found["size"] >= 13 and not restarted:
                restarted = True
                await self.host.end()
                await self.host.serve()
        assert killed
        assert restarted
        self.size = narrator.told[-1]["size"]

    def ticket(self, seat: str) -> Ticket:
        """What a client's directory says of its seat."""
        store = Store(self.path / seat)
        try:
            found = store.ticket()
        finally:
            store.close()
        assert found is not None
        return found


async def bundle_is_right(evening: Evening, seat: str) -> int:
    """Audit the bundle that a seat is given, by the key that its client keeps; its throws."""
    ticket = evening.ticket(seat)
    async with httpx.AsyncClient(base_url=ticket.url, headers=bearer(ticket.token)) as http:
        answer = await http.get(f"/tables/{TABLE}/bundle")
    assert answer.status_code == 200
    path = evening.path / f"{seat}.urim.jsonl"
    path.write_bytes(answer.content)
    done = await asyncio.to_thread(process, "audit", str(path), "--key", ticket.keys[0], "--json")
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    assert found["failed"] == []
    assert found["entries"] == evening.size
    assert found["rules"]["verdict"] in ("pass", "sealed")
    return sum(of["throws"] for of in found["seats"].values())


@pytest.mark.slow
async def test_three_clients_and_a_server_each_a_process(tmp_path: Path) -> None:
    async with hosted(tmp_path) as host:
        evening = Evening(host, tmp_path)
        links = await host.open(TABLE, "p1", "p2")
        try:
            for seat in SEATS:
                evening.players[seat] = Player(tmp_path / seat, links[seat])
            await evening.play()
            for player in evening.players.values():
                player.until(evening.size)
            ended = {seat: await each.ended() for seat, each in evening.players.items()}
        finally:
            for player in evening.players.values():
                player.kill()
        throws = await asyncio.gather(*(bundle_is_right(evening, seat) for seat in SEATS))
        await host.end()
        assert host.starts == 2
        assert host.relay.cuts >= 5
        await host.read(lambda service: as_the_log(service, evening, ended, throws))


async def as_the_log(
    service: Service,
    evening: Evening,
    ended: dict[str, dict[str, Any]],
    throws: list[int],
) -> None:
    """Every client has what the log shows its seat, every throw is one that was verified."""
    entries = await service.log.read(TABLE)
    assert len(entries) == evening.size
    for seat in SEATS:
        lines = [line.encode() for line in ended[seat]["lines"]]
        assert lines == await view_of(service, TABLE, seat)
    state = await service.state(TABLE)
    assert {roll.number: roll.state for roll in state.rolls.values()} == BOTH
    rolls = state.rolls.values()
    levels = {level_of(roll, throw) for roll in rolls for throw in range(roll.throws)}
    assert levels == {"table"}
    events = [recorded(entry).event for entry in entries]
    thrown = [event.roll for event in events if isinstance(event, (DiceRolled, DiceRerolled))]
    assert set(thrown) == {1, 2}
    assert set(throws) == {len(thrown)}
    asked = [asked_in(entry) for entry in entries if entry.seq == entry.commit]
    assert max(Counter(each.request for each in asked if each is not None).values()) == 1
