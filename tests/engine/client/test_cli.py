"""The single commands at a table's URL: each is a client, run to its end."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from tests.engine.helpers.stages.server import Served

TABLE = "table001"

PLACE = "0" * 64
"""Where a client puts the anchor, or the share, that it keeps."""

Urim = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """A server with a table of fair dice at level `table`."""
    with Served(tmp_path, linger=0.0, rate=1000.0, burst=1000) as found:
        found.open(TABLE, {}, source="fair", level="table")
        yield found


@pytest.fixture
def urim(tmp_path: Path) -> Urim:
    """Run `urim` as somebody, with a state directory of their own."""

    def run(who: str, *words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / who), "COLUMNS": "100"}
        line = [sys.executable, "-m", "urim", *words]
        return subprocess.run(
            line, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def objects(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    """What a command printed as JSON."""
    assert done.returncode == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_a_roll_at_level_table_from_two_shells(served: Served, urim: Urim, tmp_path: Path) -> None:
    urls = {}
    for who in ("p1", "p2"):
        link = f"{served.url}/#i={served.invitation(TABLE, 'player', who)}"
        urls[who] = urim(who, "join", link).stdout.strip()
    url = urls["p1"]
    assert set(urls.values()) == {f"{served.url}/tables/{TABLE}"}
    [place] = (tmp_path / "p1" / "urim" / "seats").iterdir()
    assert oct(place.stat().st_mode)[-3:] == "700"
    assert urim("p1", "enter", url, "Etgar", "BLE=3", "--owner", "p1").returncode == 0
    [declared] = objects(urim("p1", "declare", url, "root=רוח", "rating=2", "--json"))
    assert declared["roll"] == 1
    for who in ("p1", "p2"):
        anchored = urim(who, "submit", url, json.dumps({"do": "anchor-shares/1", "anchor": PLACE}))
        assert anchored.returncode == 0, anchored
    [waiting] = [e for e in objects(urim("p1", "roll", url, "--json")) if e["type"] == "waiting"]
    assert "p2" in json.dumps(waiting)
    found = urim("p2", "moves", url)
    assert "roll 1" in found.stdout.lower()
    share = {"do": "open_share/1", "roll": 1, "share": PLACE}
    opened = urim("p2", "submit", url, json.dumps(share))
    assert opened.returncode == 0, opened
    assert "Etgar" in urim("p2", "show", url).stdout
    assert "all the same" in urim("p2", "rerun", url).stdout
    state = served.run(served.service.state(TABLE))
    assert state.rolls[1].state == "rolled"
    done = urim("p1", "submit", url, '{"do": "note", "about": 0, "text": "so it went"}')
    assert done.returncode == 0, done


@pytest.mark.slow
def test_what_is_refused_is_printed_as_with_a_database(served: Served, urim: Urim) -> None:
    link = f"{served.url}/#i={served.invitation(TABLE, 'player', 'p1')}"
    url = f"{served.url}/tables/{TABLE}"
    nobody = urim("p1", "moves", url)
    assert nobody.returncode == 2
    assert "urim join" in nobody.stderr
    assert urim("p1", "join", link).returncode == 0
    for words, code in (
        (("resolve", url, "--roll", "7"), "unknown"),
        (("seat", url, "p9"), "not-yours"),
        (("note", url, "0", "x", "--seat", "narrator"), "not-yours"),
        (("note", url, "0", "x", "--request", "mine"), "malformed"),
        (("moves", f"{url}#p3"), "malformed"),
        (("moves", f"{url}x"), "unknown"),
        (("join", link.replace("#i=", "#")[:-1]), "malformed"),
        (("join", link[:-2] + ("AA" if link[-2:] != "AA" else "BB")), "not-yours"),
    ):
        done = urim("p1", *words, "--json")
        assert done.returncode == 2, (words, done)
        assert json.loads(done.stdout.splitlines()[-1])["code"] == code, (words, done)


def test_a_second_seat_at_a_table_has_a_url_of_its_own(served: Served, urim: Urim) -> None:
    urls = []
    for seat in ("p1", "p2"):
        link = f"{served.url}/#i={served.invitation(TABLE, 'player', seat)}"
        urls.append(urim("p1", "join", link).stdout.strip())
    url = f"{served.url}/tables/{TABLE}"
    assert urls == [url, f"{url}#p2"]
    assert urim("p1", "moves", urls[1]).returncode == 0
