"""What docs/deploy ships: systemd takes its unit, and clients play through a rolling restart."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.engine.helpers.stages.deployed import HERE, INSTALLED, UNIT, Deployed, deployed
from tests.engine.server.test_kills import Kills
from tests.events.postgres.server import run_now
from tests.events.sqlite.runs import chance
from urim.events.log.location import DatabaseUrl

EXPOSED = "20"
"""The most that `systemd-analyze security` may give the unit, in tenths."""


def analyzed(*words: str) -> "subprocess.CompletedProcess[str]":
    """What systemd-analyze says."""
    program = shutil.which("systemd-analyze")
    assert program is not None, "systemd-analyze is not here: apt-get install systemd"
    asked = [program, "--no-pager", *words]
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


async def bounded(servers: Deployed) -> None:
    """A body of the size that a server takes comes through nginx, and a longer one does not."""
    async with httpx.AsyncClient(base_url=servers.url) as http:
        url = "/access/exchange"
        most = b'{"secret":"' + b"x" * (64 * 1024 - 13) + b'"}'
        for body, status in ((most, 422), (most + b" ", 413)):
            head = {"Content-Type": "application/json"}
            assert (await http.post(url, content=body, headers=head)).status_code == status


@pytest.mark.prove
def test_clients_play_through_rolling_restarts_and_nothing_is_lost_or_doubled(
    place: DatabaseUrl,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    seed: int,
    tried: Callable[[str], None],
) -> None:
    how_many = max(4, min(100, count // 10))

    async def scenario() -> Kills:
        async with deployed(place) as servers:
            certificate = tmp_path / "cert.pem"
            certificate.write_bytes(servers.nginx.certificate)
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            await bounded(servers)
            kills = Kills(servers, tmp_path, chance("rolling restarts", seed))
            while kills.kills < how_many:
                await kills.some(min(10, how_many - kills.kills))
            return kills

    kills = run_now(scenario())
    tried(
        f"{kills.kills} restarts, {kills.acknowledged:,} acknowledged, "
        f"{kills.in_flight} under way at a stop and done"
    )
    assert kills.acknowledged > how_many
