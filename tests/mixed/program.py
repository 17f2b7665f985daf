"""The program of a release, or of today, as people have it: in processes of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.engine.helpers.cli_runs import urim
from tests.engine.helpers.stages.serving import Serving, serving
from tests.engine.helpers.stages.sooner import PATIENCE

Done = subprocess.CompletedProcess[str]

QUICK = ("--rate", "100000", "--burst", "100000")

CALLED: Mapping[str, str] = {"--owner": "--seat", "--seat": "--as", "--format": "--as"}
"""What version 0.2 calls the options of today."""

HOST = """
import asyncio, json, sys
from urim.engine.client import Host
from urim.engine.client.http import draw_client, exchange
from urim.engine.client.link import read_link

async def main(url, token, table, system, level, *seats):
    async with Host(url, token) as host:
        opened = await host.open_table(table, system, level=level)
        found = {"host": host.token}
    token = (await exchange(read_link(opened), draw_client())).token
    async with Host(url, token) as host:
        found["narrator"] = await host.invite(table, "narrator", "narrator")
        found |= {seat: await host.invite(table, seat=seat) for seat in seats}
    print(json.dumps(found))

asyncio.run(main(*sys.argv[1:]))
"""
"""Opens a table at a server; the host's token, and a link for the narrator and for each player."""

SEAT = """
import asyncio, sys
from pathlib import Path
from urim.engine.client import resume
from urim.engine.core.commands import Declare, EnterCharacter, Resolve, worded
from urim.errors import Refused

def ended(client):
    return sum(each.state == "resolved" for each in client.state.rolls.values())

async def main(place, rolls):
    async with await resume(Path(place)) as client:
        who = f"c{client.seat[1:]}"
        if who not in client.state.characters:
            await client.do(worded(EnterCharacter(who, client.seat), "Asta"))
        done = await client.do(Declare(who, {"expression": "2d6"}))
        roll = client.state.entry_rolls[done.seq]
        while True:
            try:  # no move is offered while the other's throw waits, and this one waits for that
                await client.throw(roll, "dice")
                break
            except Refused as refused:  # the other player anchored just then, so it takes shares
                if "ask" not in refused.allowed:
                    raise
        await client.do(Resolve(roll))
        while ended(client) < int(rolls):
            await anext(client)
        print(sum(b"share-opened/" in each for each in client.lines))

asyncio.run(main(*sys.argv[1:]))
"""
"""Rolls dice at a table, and stays until so many rolls have ended; how many shares were opened."""

LONG = """
import asyncio, sys
from pathlib import Path
from urim.engine.core.commands import Note, OpenTable, worded
from urim.engine.service import Service
from urim.engine.service.beside import secrets_of, snapshots_of
from urim.events.log.opening import open_log

async def main(place, table, notes):
    path = Path(place)
    log = await open_log(path)
    service = Service(log, secrets_of(path), snapshots=snapshots_of(path))
    if not await log.read(table, limit=1):
        await service.open_table("narrator", OpenTable(table, "plain", {}, "fair", "player"))
    for number in range(int(notes)):
        await service.submit(table, "narrator", worded(Note(0), f"note {number}"))
    print((await service.state(table)).size)
    await service.close()
    await log.close()

asyncio.run(main(*sys.argv[1:]))
"""
"""Opens a table where it is not there yet, writes so many notes, and says its size."""


class Program:
    """`urim` of one version, with the folder in which its users keep their seats.

    `folder` is where Python finds it, None for the checkout.
    """

    def __init__(self, home: Path, folder: Path | None = None) -> None:
        self.home = home
        self.folder = folder
        self.env = {} if folder is None else {"PYTHONPATH": str(folder)}

    def urim(self, who: str, *words: str) -> Done:
        """Run a command as somebody, in the words of today."""
        said = words if self.folder is None else tuple(CALLED.get(each, each) for each in words)
        state = str(self.home / who)
        return self._run("-m", "urim", *said, XDG_STATE_HOME=state, COLUMNS="200")

    def does(self, who: str, *words: str) -> list[dict[str, Any]]:
        """Run a command that succeeds, and give what it printed with --json."""
        done = self.urim(who, *words, "--json")
        assert done.returncode == 0, done
        return [json.loads(line) for line in done.stdout.splitlines()]

    def runs(self, script: str, *words: str) -> str:
        """Run a script that succeeds, and give what it printed."""
        done = self._run("-c", script, *words)
        assert done.returncode == 0, done
        return done.stdout

    def joins(self, who: str, link: str) -> str:
        """Have somebody take a seat by `urim join`; the table's URL."""
        [found] = self.does(who, "join", link)
        return str(found["url"])

    def rolls(self, who: str, rolls: int = 0) -> int:
        """Have a client roll with the seat that somebody took; see `SEAT`."""
        [place] = (self.home / who / "urim" / "seats").iterdir()
        return int(self.runs(SEAT, str(place), str(rolls)))

    def opens(self, at: Serving, token: str, table: str, level: str, *seats: str) -> dict[str, str]:
        """Open a table of plain dice; see `HOST`."""
        found: dict[str, str] = json.loads(
            self.runs(HOST, at.url, token, table, "plain", level, *seats)
        )
        return found

    def _run(self, *words: str, **env: str) -> Done:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.home,
            env={**os.environ, **self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )

    @contextmanager
    def serves(self, database: Path, port: int = 0) -> Generator[Serving]:
        """A server that listens."""
        with serving(database, *QUICK, URIM_SERVE_PORT=str(port), **self.env) as running:
            yield running


def port_of(at: Serving) -> int:
    """The port that a server listens on."""
    return int(at.url.rpartition(":")[2])


def today(*words: str) -> str:
    """Run a command of today that succeeds."""
    done = urim(*words)
    assert done.exit_code == 0, (words, done.output)
    return done.stdout


def audited(database: Path, table: str) -> None:
    """The table is audited, by what its narrator may see."""
    bundle = database.with_name(f"{table}.urim.jsonl")
    words = ("--format", "bundle", "--seat", "narrator", "--out", str(bundle), "--force")
    today("export", str(database), table, *words)
    key = today("key", "show", str(database), table).strip()
    today("audit", str(bundle), "--key", key)
