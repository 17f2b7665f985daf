"""`urim play` as a process: its page, a table opened by its links, its end, what it refuses."""

import json
import re
import signal
import socket
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import httpx
import pytest

from tests.engine.helpers.cli_runs import process
from tests.engine.helpers.stages.server import bearer
from tests.engine.helpers.stages.serving import Serving, listening, started
from urim.engine.cli.shared import PASSED, UNUSABLE
from urim.engine.server.qr import qr_lines

TABLE = "evening7"

LAN = "127.0.0.2"
"""An address of this machine that is private, and another one than the usual."""

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="it has one address of its own")


def playing(folder: Path, *words: str, **env: str) -> AbstractContextManager[Serving]:
    """It as a process, on any free port, with the user's data in a folder."""
    env |= {"XDG_DATA_HOME": str(folder), "HOME": str(folder)}
    return listening(started("play", "--port", "0", "--json", *words, **env))


def came(url: str, secret: str) -> dict[str, Any]:
    """What a link's secret is exchanged for, at an origin."""
    client = {"secret": secret, "client": token_urlsafe(24)}
    answer = httpx.post(f"{url}/access/exchange", json=client)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_an_evening_through_its_links(tmp_path: Path) -> None:
    with playing(tmp_path, "--lan", "--host", LAN, "--no-browser") as running:
        assert running.host_link is not None
        url, _, secret = running.host_link.partition("/#h=")
        assert url == running.url
        port = url.rpartition(":")[2]
        lan = f"http://{LAN}:{port}"
        assert running.said["network"] == [lan]
        assert Path(running.said["file"]).parent.parent == tmp_path

        page = httpx.get(f"{url}/")
        assert page.headers["content-type"].startswith("text/html")
        assert '<div id="root">' in page.text
        host = bearer(came(url, secret)["token"])
        wish = {"table": TABLE, "ruleset": "plain", "request": "open-1"}
        opened = httpx.post(f"{url}/tables", json=wish, headers=host).json()
        gm = bearer(came(url, opened["invitation"])["token"])
        asked = {"role": "player", "name": "for Ruth"}
        invited = httpx.post(f"{url}/tables/{TABLE}/invitations", json=asked, headers=gm).json()

        # A phone comes by the network's address: the page, the way in, and the table.
        [link] = invited["links"]
        there, _, secret = link["url"].partition("/#i=")
        assert there == lan
        assert httpx.get(f"{lan}/web/vendor/preact.mjs").is_success
        ruth = bearer(came(lan, secret)["token"])
        headers = {**ruth, "Origin": lan}
        assert httpx.get(f"{lan}/tables/{TABLE}", headers=headers).is_success

        name = {"Host": f"{socket.gethostname().lower()}:{port}"}
        assert httpx.get(f"{lan}/", headers=name).is_success
        for foreign in ({"Host": f"dice.example:{port}"}, {"Origin": "http://dice.example"}):
            assert httpx.get(f"{lan}/", headers=foreign).json()["code"] == "foreign"

        assert running.end(signal.SIGTERM) == (PASSED, "")

    # The second evening: who was in is in, and there is a link for another browser.
    with playing(tmp_path, "--no-browser") as again:
        assert again.said["network"] == []
        assert again.host_link is not None
        secret = again.host_link.partition("/#h=")[2]
        for token in (host, bearer(came(again.url, secret)["token"])):
            answer = httpx.get(f"{again.url}/tables", headers=token)
            assert answer.json() == {"tables": [TABLE]}
        with pytest.raises(httpx.ConnectError):
            httpx.get(again.url.replace("127.0.0.1", LAN))
        assert again.end(signal.SIGINT) == (PASSED, "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a program by its first line")
def test_the_browser_is_opened_at_the_host_s_link(tmp_path: Path) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.new\nmv {opened}.new {opened}\n')
    browser.chmod(0o700)
    with playing(tmp_path, str(tmp_path / "night.db"), BROWSER=f"{browser} %s") as running:
        assert running.said["file"] == str(tmp_path / "night.db")
        while not opened.exists():
            assert running.process.poll() is None
        assert opened.read_text("utf-8") == running.host_link


@pytest.mark.slow
def test_for_people_it_prints_sentences_and_a_code_for_phones(tmp_path: Path) -> None:
    words = ("play", str(tmp_path / "night.db"), "--port", "0", "--lan", "--host", LAN)
    process = started(*words, "--no-browser", PYTHONIOENCODING="utf-8")
    try:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or set(lines[-1].strip()) != {"▀"}:  # the end of the code
            lines.append(process.stdout.readline())
            assert lines[-1], process.communicate()
    finally:
        process.kill()
        process.communicate()
    text = "".join(lines)
    assert f"the tables are kept in {tmp_path / 'night.db'}" in text
    found = re.search(rf"in the local network: (http://{LAN}:\d+)$", text, re.MULTILINE)
    assert found is not None
    secret = text.partition("lets the host in, once: ")[2].partition("#")[2].partition("\n")[0]
    assert secret.startswith("h=urim-h1-")
    code = "".join(line for line in lines if "█" in line or "▀" in line)
    assert code == qr_lines(f"{found[1]}/#{secret}") + "\n"


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--lan", "--host", "8.8.8.8"], "not-offered", "8.8.8.8 is no private address"),
        (["--lan", "--host", "0.0.0.0"], "not-offered", "0.0.0.0 is every address"),  # noqa: S104
        (["--lan", "--host", "laptop"], "malformed", "'laptop' is no address"),
        (["--lan", "--host", "10.255.255.1"], "unreadable", "nobody can listen on 10.255.255.1"),
        (["--host", "192.168.1.5"], "due", "192.168.1.5 is for the local network"),
        (["--port", "65536"], "out-of-range", "the port is 65536"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], code: str, why: str, tmp_path: Path) -> None:
    done = process("play", str(tmp_path / "night.db"), "--no-browser", *words, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["code"]) == (UNUSABLE, code)
    assert found["why"].startswith(why)
    assert found["allowed"]
    assert not (tmp_path / "night.db").exists()


@pytest.mark.slow
def test_a_port_that_is_named_is_taken_or_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = process("play", str(tmp_path / "a.db"), "--no-browser", "--port", port, "--json")
    assert json.loads(done.stdout)["code"] == "taken"
