"""tests/asvs.toml has the whole standard and names what there is; a server keeps what it says."""

from pathlib import Path
from typing import Any

import pytest

from tests import asvs, tree
from tests.engine.helpers.stages.server import Served
from tests.engine.helpers.stages.serving import serving
from tests.engine.server import asvs as trying
from tests.engine.server.asvs import LAST, NAMES, OWN, main
from tests.engine.server.attacking import ATTACKS
from tests.engine.server.process.test_server import self_signed
from urim.engine.server.admission import origins
from urim.engine.server.admission.guesses import Guesses

FAST: dict[str, Any] = {"rate": 100_000.0, "burst": 100_000}


def test_every_requirement_is_stated_once() -> None:
    assert len(asvs.STANDARD) == 253
    assert sorted(asvs.STATED) == sorted(asvs.STANDARD)


def test_what_keeps_a_requirement_is_there() -> None:
    assert not {each.where for each in asvs.KEPT.values() if not (tree.ROOT / each.where).is_file()}


def test_every_try_is_named_and_there() -> None:
    assert {*OWN} <= NAMES <= {*OWN, *(each.name for each in ATTACKS)}
    assert {*LAST} <= NAMES


@pytest.mark.slow
def test_a_server_keeps_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    for path, data in zip((key, certificate), self_signed(), strict=True):
        path.write_bytes(data)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    words = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    words += [word for name, value in FAST.items() for word in (f"--{name}", f"{value:g}")]
    with serving(tmp_path / "night.db", *words) as running:
        assert running.host_link is not None
        code = main([running.host_link, "--rest", "0"])
    said = capsys.readouterr().out
    assert not [line for line in said.splitlines() if "NOT KEPT" in line]
    assert code == 0
    lines = dict(line.split(maxsplit=1) for line in said.splitlines())
    assert [*lines] == asvs.STANDARD
    assert {number for number, each in lines.items() if each == "kept"} == {
        number for number, each in asvs.KEPT.items() if each.tries
    }


SEEING = {
    *("what answers may run", "a type to be guessed", "an address told to others"),
    *("a page of another origin", "an address inside is called"),
    *("a hundred guesses of one address", "another address in a header", "an old version of tls"),
    "tokens that repeat",
}
"""Tries that see the faults below, one that has none to see, and one that cannot be tried."""


def test_a_server_that_does_not_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trying, "NAMES", SEEING)
    monkeypatch.delitem(origins.HEADERS, "X-Content-Type-Options")
    monkeypatch.delitem(origins.HEADERS, "Referrer-Policy")
    monkeypatch.setitem(origins.HEADERS, "Content-Security-Policy", "default-src 'self'")
    faults: dict[str, Any] = {"origins": ("https://evil.example",), "calls": ("127.0.0.1:80",)}
    known = {"guesses": Guesses(burst=10_000, rate=10_000)}
    with Served(tmp_path, known=known, **FAST, **faults) as served:
        link = served.run(served.access.host_link(served.here.now(), new=True))
        assert link is not None
        assert main([f"{served.url}/#h={link.reveal()}", "--rest", "0"]) == 1
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert {number for number, each in said.items() if each.startswith("NOT KEPT")} == {
        *("1.3.6", "2.4.1", "3.2.1", "3.4.2", "3.4.3", "3.4.4", "3.4.5", "3.4.6", "3.5.1"),
        *("4.1.3", "6.3.1", "15.3.4"),
    }
    assert (said["12.1.1"], said["7.2.3"]) == ("not tried: plain http", "kept")
