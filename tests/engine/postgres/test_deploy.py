"""What docs/deploy ships: systemd takes its unit, and clients play through nginx and restarts."""

import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.engine.helpers.stages.deployed import (
    HERE,
    INSTALLED,
    UNIT,
    Deployed,
    deployed,
    said,
    words,
)
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import Client, entered
from tests.engine.server.test_kills import Kills
from tests.events.postgres.server import run_now
from tests.events.sqlite.runs import chance
from tests.tools import needed
from urim.engine.client.http import draw_client, exchange
from urim.engine.client.link import read_link
from urim.engine.server.admission.origins import origins
from urim.engine.server.process.config import Config
from urim.events.log.location import DatabaseUrl

pytestmark = pytest.mark.slow

EXPOSED = "20"
"""The most that `systemd-analyze security` may give the unit, in tenths."""


def analyzed(*words: str) -> "subprocess.CompletedProcess[str]":
    """What systemd-analyze says."""
    asked = [str(needed("systemd-analyze")), "--no-pager", *words]
    return subprocess.run(asked, capture_output=True, check=False, encoding="utf-8")


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    path = tmp_path / UNIT.name
    unit = UNIT.read_text(encoding="utf-8")
    path.write_text(unit.replace(INSTALLED, HERE), encoding="utf-8")
    found = analyzed("verify", "--man=no", str(path))
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_the_unit_gives_its_server_few_rights() -> None:
    found = analyzed("security", "--offline=yes", f"--threshold={EXPOSED}", str(UNIT))
    assert found.returncode == 0, found.stdout


def test_a_server_at_another_address_is_asked_there_whether_it_is_ready() -> None:
    [line] = said("ExecStartPost")
    asked = words(line, "8001", {"URIM_SERVE_HOST": "10.0.0.5"})[-1]
    config = Config(host="10.0.0.5", port=8001, behind_proxy=True, url="https://dice.example")
    assert asked.removesuffix("/ready") in origins(config)


def trust(servers: Deployed, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every client of this process trust nginx's certificate."""
    certificate = path / "cert.pem"
    certificate.write_bytes(servers.nginx.certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))


async def bounded(servers: Deployed) -> None:
    """A body of the size that a server takes comes through nginx, and a longer one does not."""
    async with httpx.AsyncClient(base_url=servers.url) as http:
        url = "/access/exchange"
        most = b'{"secret":"' + b"x" * (64 * 1024 - 13) + b'"}'
        for body, status in ((most, 422), (most + b" ", 413)):
            head = {"Content-Type": "application/json"}
            assert (await http.post(url, content=body, headers=head)).status_code == status


# --- sockets --------------------------------------------------------------------------------------

SOCKETS = 3
"""Of each seat."""


class Sockets:
    """Tables whose sockets are opened through nginx, and where they are then."""

    def __init__(self, servers: Deployed, stack: AsyncExitStack) -> None:
        self.servers = servers
        self.stack = stack
        self.requests = 0

    async def open(self, table: str) -> dict[str, str]:
        """Open a table with three seats: their tokens."""
        links = await self.servers.open(table, "p1", "p2")
        exchanged = {
            seat: await exchange(read_link(link), draw_client()) for seat, link in links.items()
        }
        return {seat: found.token for seat, found in exchanged.items()}

    async def sit(self, table: str, tokens: dict[str, str]) -> list[Client]:
        """A few sockets of every seat."""
        return [
            await self.stack.enter_async_context(entered(self.servers, table, token))
            for token in tokens.values()
            for _ in range(SOCKETS)
        ]

    async def counted(self) -> dict[str, int]:
        """How many sockets each server has that runs, by its port."""
        found: dict[str, int] = {}
        for port in self.servers.running:
            async with httpx.AsyncClient() as http:
                header = {"Authorization": f"Bearer {self.servers.host_token}"}
                text = (await http.get(f"http://127.0.0.1:{port}/metrics", headers=header)).text
            [line] = re.findall(r"^urim_sockets_open (\S+)$", text, re.MULTILINE)
            found[port] = int(float(line))
        return found

    async def played(self, sockets: list[Client]) -> None:
        """A command at each socket is done, and comes to every other one."""
        for client in sockets:
            self.requests += 1
            done = await client.done(f"note-{self.requests}", noting("text"))
            assert done["type"] == "done", done
            for other in sockets:
                if done["size"] not in [frame["size"] for frame in other.of("commit")]:
                    await other.until_size(done["size"])


async def test_a_table_s_sockets_are_at_one_server_and_at_the_other_when_that_is_gone(
    place: DatabaseUrl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deployed(place) as servers, AsyncExitStack() as stack:
        trust(servers, tmp_path, monkeypatch)
        await bounded(servers)
        both = Sockets(servers, stack)
        tables: dict[str, str] = {}
        before = dict.fromkeys(servers.ports, 0)
        for table in (f"table{number:03}" for number in range(64)):
            sockets = await both.sit(table, tokens := await both.open(table))
            counted = await both.counted()
            more = {port: counted[port] - before[port] for port in counted}
            [tables[table]] = [port for port, number in more.items() if number]
            assert sum(more.values()) == len(sockets) == 9
            before = counted
            if {*tables.values()} == {*servers.ports}:
                break
        else:
            raise AssertionError("one server has all tables")
        # The last table is at a server where no other one is.
        gone = tables[table]
        [other] = {*servers.ports} - {gone}
        await servers.stop(gone, signal.SIGKILL)
        for client in sockets:
            assert await client.closed() is None
        moved = await both.sit(table, tokens)
        assert await both.counted() == {other: before[other] + len(moved)}
        await both.played(moved[::SOCKETS])
        await servers.serve()
        back = await both.sit(table, tokens)
        assert await both.counted() == {other: before[other] + len(moved), gone: len(back)}
        # Half of the table is at each server now.
        await both.played([*moved[::SOCKETS], *back[::SOCKETS]])


# --- a rolling restart ----------------------------------------------------------------------------


@pytest.mark.prove
def test_clients_play_through_rolling_restarts_and_nothing_is_lost_or_doubled(
    place: DatabaseUrl,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    seed: int,
    tried: Callable[[str], None],
) -> None:
    how_many = 2 * max(1, count // 25)

    async def scenario() -> tuple[Kills, int]:
        async with deployed(place) as servers:
            trust(servers, tmp_path, monkeypatch)
            kills = Kills(servers, tmp_path, chance("rolling restarts", seed))
            while kills.kills < how_many:
                await kills.some(min(10, how_many - kills.kills))
            return kills, servers.killed

    kills, killed = run_now(scenario())
    tried(
        f"{how_many // 2} restarts of each of two servers, {killed} of them by SIGKILL; "
        f"{kills.acknowledged:,} commands, {kills.in_flight} of them under way at an end; "
        f"the longest waited {kills.longest:.1f} s"
    )
    assert kills.kills == how_many == 2 * killed
    assert kills.acknowledged > how_many
