"""`urim serve` as a process: how it starts, what it refuses, and how it ends."""

import asyncio
import json
import signal
import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.engine.helpers.cli_runs import process
from tests.engine.helpers.stages.server import Served
from tests.engine.helpers.stages.serving import begun, serving
from urim import __version__
from urim.engine.cli.shared import PASSED, UNUSABLE
from urim.engine.core.commands import EnterCharacter, SetTrack, worded
from urim.engine.server.process.config import Config
from urim.engine.server.process.listener import listener_of
from urim.engine.server.process.server import opened, purging, run
from urim.engine.server.running import Running
from urim.errors import Unavailable

TABLE = "table001"

KEPT = 5.0
"""Seconds for which httpx, on which the client is built, keeps a connection that is idle."""


def refusal(*words: str, **env: str) -> dict[str, object]:
    """What `urim serve` says that does not start."""
    done = process("serve", *words, "--json", **env)
    assert done.returncode == UNUSABLE, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


# --- starting -------------------------------------------------------------------------------------


def test_the_host_s_link_is_printed_once_and_lets_the_host_in(tmp_path: Path) -> None:
    database = tmp_path / "night.db"
    with serving(database) as first:
        assert first.url.startswith("http://127.0.0.1:")
        assert first.host_link is not None
        url, _, secret = first.host_link.partition("/#h=")
        assert url == first.url
        assert secret.startswith("urim-h1-")
        assert httpx.get(f"{first.url}/health").json() == {"status": "ok", "version": __version__}
        assert first.end(signal.SIGTERM) == (PASSED, "")
    with serving(database) as second:
        assert second.host_link is None


@pytest.mark.slow
def test_a_new_host_link_is_made_beside_a_running_server(tmp_path: Path) -> None:
    database = tmp_path / "night.db"
    with serving(database) as running:
        port = running.url.rpartition(":")[2]
        done = process("serve", str(database), "--new-host-link", "--port", port, "--json")
        made = json.loads(done.stdout)
        assert made["type"] == "host-link"
        assert made["host_link"].startswith(f"{running.url}/#h=urim-h1-")
        assert made["host_link"] != running.host_link
        assert httpx.get(f"{running.url}/health").is_success


@pytest.mark.slow
def test_for_people_it_prints_sentences(tmp_path: Path) -> None:
    done = process("serve", str(tmp_path / "a.db"), "--new-host-link")
    assert done.returncode == UNUSABLE
    with Served(tmp_path):
        pass
    done = process("serve", str(tmp_path / "table.db"), "--new-host-link", COLUMNS="200")
    assert done.stdout.startswith(b"the host's link, shown once: http://127.0.0.1:8000/#h=urim-h1-")


def test_an_answer_does_not_wait_until_its_head_was_acknowledged() -> None:
    with (
        listener_of(Config(port=0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.slow
def test_a_port_that_is_in_use_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        found = refusal(str(tmp_path / "night.db"), "--port", port)
    assert found["code"] == "taken"
    assert found["why"] == f"127.0.0.1, port {port} is in use by another program"
    assert not (tmp_path / "night.db").exists()


def test_no_answer_waits_until_its_head_is_acknowledged(tmp_path: Path) -> None:
    with Served(tmp_path) as served, httpx.Client(base_url=served.url) as client:
        assert client.get("/health").is_success
        held = tuple(served.connections)
        assert held
        for each in held:  # one that asked whether it is up may be there still
            connection = each.transport.get_extra_info("socket")
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_connection_is_kept_longer_than_clients_keep_it(tmp_path: Path) -> None:
    """Who asks again as the other end closes gets no answer, and cannot know what was done."""
    with Served(tmp_path) as served, httpx.Client(base_url=served.url) as client:
        assert client.get("/health").is_success

        async def left() -> list[float]:
            due = [each.timeout_keep_alive_task for each in served.connections]
            return [each.when() - asyncio.get_running_loop().time() for each in due if each]

        assert [seconds > 2 * KEPT for seconds in served.run(left())] == [True]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--host", "192.0.2.1"], "not-offered"),
        (["--host", "0.0.0.0", "--behind-proxy"], "due"),  # noqa: S104
        (["--host", "192.0.2.1", "--behind-proxy"], "unreadable"),
        (["--port", "many"], "out-of-range"),
        (["--origin", "*"], "malformed"),
        (["--config", "none.toml"], "unreadable"),
        (["--tls-cert", "none.pem", "--tls-key", "none.pem"], "unreadable"),
        (["--new-host-link", "--port", "0"], "unreadable"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(
    words: list[str], code: str, tmp_path: Path
) -> None:
    assert refusal(str(tmp_path / "night.db"), *words)["code"] == code
    assert not list(tmp_path.iterdir())


def test_a_variable_that_is_no_setting_is_refused(tmp_path: Path) -> None:
    found = refusal(str(tmp_path / "night.db"), URIM_SERVE_PROT="1")
    assert (found["type"], found["code"]) == ("refusal", "unknown")


@pytest.mark.slow
def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "night.db").write_text("no database\n" * 100)
    assert refusal(str(tmp_path / "night.db"), "--port", "0")["code"] == "unreadable"


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    missing.mkdir()
    hide = "import sys\nsys.modules['litestar'] = None\n"
    (missing / "sitecustomize.py").write_text(hide)
    found = refusal(str(tmp_path / "night.db"), PYTHONPATH=str(missing))
    assert found["code"] == "due"
    assert found["allowed"] == [
        'pip install "path/to/urim[server]", with the path of the checkout or the wheel'
    ]


@pytest.mark.slow
def test_it_speaks_tls(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    key_bytes, certificate_bytes = self_signed()
    key.write_bytes(key_bytes)
    certificate.write_bytes(certificate_bytes)
    words = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    with serving(tmp_path / "night.db", *words) as running:
        assert running.url.startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=str(certificate))
        assert httpx.get(f"{running.url}/health", verify=trusting).is_success


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({}, None),
        ({"behind_proxy": True, "url": "https://dice.example"}, "max-age=31536000"),
        ({"behind_proxy": True, "url": "https://dice.example:8443"}, None),
        ({"behind_proxy": True, "url": "http://dice.example"}, None),
    ],
)
def test_a_browser_that_came_by_https_is_told_to_stay_there(
    tmp_path: Path, settings: dict[str, Any], sent: str | None
) -> None:
    with Served(tmp_path, **settings) as served:
        for host in (served.url, settings.get("url", served.url), "http://evil.example"):
            header = {"Host": host.partition("://")[2]}
            answer = httpx.get(f"{served.url}/health", headers=header)
            assert answer.headers.get("strict-transport-security") == sent


def self_signed() -> tuple[bytes, bytes]:
    """A key and a certificate for 127.0.0.1, PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private, made.public_bytes(serialization.Encoding.PEM)


# --- ending ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_while_it_lingers_it_answers_and_is_not_ready(name: str, tmp_path: Path) -> None:
    with serving(tmp_path / "night.db", "--linger", "3600") as running:
        assert httpx.get(f"{running.url}/ready").json() == {"status": "ok"}
        running.process.send_signal(getattr(signal, name))
        while (answer := httpx.get(f"{running.url}/ready")).is_success:
            pass
        assert answer.status_code == 503
        assert answer.json() == {"status": "stopping"}
        assert httpx.get(f"{running.url}/health").is_success
        # One more SIGTERM changes nothing; SIGINT ends it at once.
        running.process.send_signal(signal.SIGTERM)
        assert httpx.get(f"{running.url}/health").is_success
        assert running.end(signal.SIGINT)[0] == -signal.SIGINT


def test_a_server_that_is_starting_ends_too(tmp_path: Path) -> None:
    started = begun(tmp_path / "night.db")
    started.terminate()
    started.communicate(timeout=60)
    assert started.returncode in (-signal.SIGTERM, PASSED)


def test_at_the_end_heads_are_signed(tmp_path: Path) -> None:
    served = Served(tmp_path)
    with served:
        served.open(TABLE, source="fair")
        size = len(served.run(served.log.read(TABLE)))
    with Served(tmp_path) as again:
        head = again.run(again.log.last_head(TABLE))
    assert head is not None
    assert head.size == size


# --- beside each other ----------------------------------------------------------------------------


@pytest.mark.slow
def test_two_servers_have_one_database(tmp_path: Path) -> None:
    with Served(tmp_path) as one, Served(tmp_path) as other:
        tokens = one.open(TABLE)
        entering = worded(EnterCharacter("c1", "p1", {"BLE": 3}), "Etgar")
        other.run(other.service.submit(TABLE, "narrator", entering))
        one.run(one.service.submit(TABLE, "narrator", SetTrack("c1", "xr", 1)))
        seen = [served.run(served.service.view(TABLE, "p1")) for served in (one, other)]
        assert seen[0] == seen[1]
        # What one revokes, the other no longer knows.
        now = one.here.now()
        assert other.run(other.access.lookup(tokens["p1"], now)) is not None
        one.run(one.access.revoke_seat(TABLE, "p1"))
        assert other.run(other.access.lookup(tokens["p1"], now)) is None


@pytest.mark.sampled(1)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_server_that_is_stopped_as_it_starts_leaves_nothing(
    steps: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def stopped() -> int:
        config, began = Config(port=0), list[int]()
        with listener_of(config) as listener:
            async with opened(tmp_path / "night.db", config) as running:
                serving = asyncio.create_task(run(running, [listener], lambda: began.append(1)))
                for _ in range(steps):
                    await asyncio.sleep(0)
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving
        assert began == []
        return len(asyncio.all_tasks())

    assert asyncio.run(stopped()) == 1
    assert [each for each in caplog.records if each.levelname == "ERROR"] == []


class Purged:
    """A store of access that cannot be purged the first time."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.times: list[int] = []
        self.twice = asyncio.Event()

    async def purge(self, now: int) -> int:
        """Purge, if it is not the first time."""
        self.times.append(now)
        if len(self.times) == 1:
            raise self.error
        self.twice.set()
        return 0


@pytest.mark.parametrize("error", [Unavailable("the disk is full"), OSError("gone")])
def test_the_store_of_access_is_purged_again_and_again(error: Exception) -> None:
    async def run() -> list[int]:
        store: Any = Purged(error)
        here = Running(front=store, access=store, now=lambda: 7)
        async with purging(here, every=0), asyncio.timeout(60):
            await store.twice.wait()
        return list(store.times)

    assert asyncio.run(run())[:2] == [7, 7]
