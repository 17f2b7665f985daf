"""Every command takes a database's URL where it takes a log's file; its password is nobody's."""

import asyncio
import json
import logging
import socket
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.tree import ROOT
from urim.engine.service.beside import secrets_of
from urim.engine.service.moving import copy_secrets
from urim.errors import Refused
from urim.events.log.location import DatabaseUrl, located, without_passwords
from urim.events.log.opening import open_log

COUNTER = str(ROOT / "tests" / "scenarios" / "milhamah" / "counter.toml")

PASSWORD = "hush-hush"  # noqa: S105 - the test's own

TABLE = "fixture0"

BUNDLE = "bundle.urim.jsonl"


def secretive(place: DatabaseUrl) -> str:
    """The same URL with a password in it, which a server that trusts does not ask for."""
    return place.reveal().replace("//urim@", f"//urim:{PASSWORD}@")


def ran(*words: str, code: int = 0) -> str:
    """What a command prints; it shows no password, and ends with that code."""
    done = urim(*words)
    assert done.exit_code == code, done.output
    assert PASSWORD not in done.output + done.stdout + done.stderr
    return done.stdout if code == 0 else done.output


READING = {
    "tables": ("tables", "{url}"),
    "show": ("show", "{url}", TABLE, "--roll", "2"),
    "replay": ("replay", "{url}", TABLE, "--roll", "2"),
    "moves": ("moves", "{url}", TABLE, "--seat", "narrator"),
    "fairness": ("fairness", "{url}", TABLE),
    "whatif": ("whatif", "{url}", TABLE, "--roll", "2", "--void"),
    "jsonl": ("export", "{url}", TABLE, "--format", "jsonl"),
    "scenario": ("export", "{url}", TABLE, "--format", "scenario"),
}
"""Commands that only read."""


@pytest.mark.slow
def test_what_is_kept_in_a_database_is_read_as_from_a_file(
    place: DatabaseUrl, tmp_path: Path
) -> None:
    url, file = secretive(place), str(tmp_path / "fight.db")
    for at in (url, file):
        assert f"kept as table {TABLE} in " in ran("run", COUNTER, "--log", at)
    for words in READING.values():
        in_database, in_file = (
            ran(*(each.format(url=at) for each in words), "--json") for at in (url, file)
        )
        assert in_database == in_file != ""
    assert f"{TABLE}: milhamah, version 3; 3 rolls, all the same" in ran("rerun", url)
    assert " is whole: " in " ".join(ran("check", url).split())


def test_a_table_is_played_erased_signed_and_audited_in_a_database(
    place: DatabaseUrl, tmp_path: Path
) -> None:
    url, bundle, page = secretive(place), str(tmp_path / BUNDLE), str(tmp_path / "case.html")
    ran("open", url, "--system", "plain", "--id", "evening1")
    ran("enter", url, "evening1", "Dana", "--seat", "narrator", "--owner", "narrator")
    ran("declare", url, "evening1", "expression=4d6kh3", "--seat", "narrator")
    ran("roll", url, "evening1", "--seat", "narrator")
    ran("resolve", url, "evening1", "--seat", "narrator")
    found = objects(ran("show", url, "evening1", "--json"))
    assert found[-1]["type"]
    shown = objects(ran("key", "show", url, "evening1", "--json"))[0]
    assert shown["made"] is False
    ran("export", url, "evening1", "--format", "bundle", "--out", bundle)
    assert "Nothing is wrong" in ran("audit", bundle, "--key", shown["vkey"])
    ran("case", url, "evening1", "--roll", "1", "--out", page)
    lines = ran("export", url, "evening1", "--format", "jsonl").splitlines()
    named = next(json.loads(each)["seq"] for each in lines if json.loads(each)["class"] == "text")
    ran("erase", url, "evening1", str(named), "--yes")
    assert "no epoch" not in ran("epoch", url, "evening1", "--yes", code=2)
    ran("dice", "2d6", "--log", url)
    assert " is whole: " in " ".join(ran("check", url).split())
    assert len(objects(ran("tables", url, "--json"))) == 2


def test_reading_makes_nothing_in_an_empty_database(place: DatabaseUrl) -> None:
    for words in (*READING.values(), ("check", "{url}"), ("erase", "{url}", TABLE, "1", "--yes")):
        said = ran(*(each.format(url=secretive(place)) for each in words), code=2)
        assert "holds no log" in said
    with pytest.raises(Refused, match="holds no log"):
        asyncio.run(open_log(place, make=False))


# --- the table of bad input -----------------------------------------------------------------------

EVERY = (
    *READING.values(),
    ("run", COUNTER, "--log", "{url}"),
    ("dice", "1d6", "--log", "{url}"),
    ("open", "{url}", "--system", "plain"),
    ("check", "{url}"),
    ("key", "show", "{url}", TABLE),
    ("export", "{url}", TABLE, "--format", "bundle"),
    ("erase", "{url}", TABLE, "1", "--yes"),
    ("epoch", "{url}", TABLE, "--yes"),
    ("case", "{url}", TABLE, "--roll", "1"),
    ("roll", "{url}", TABLE, "--seat", "narrator"),
    ("submit", "{url}", TABLE, '{{"do": "roll"}}', "--seat", "narrator"),
    ("serve", "{url}", "--port", "0"),
    ("serve", "{url}", "--port", "8001", "--new-host-link"),
    ("play", "{url}", "--port", "0", "--no-browser"),
)


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_a_database_that_is_not_there_is_a_refusal_in_one_sentence(
    words: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        port = nobody.getsockname()[1]
        url = f"postgresql://urim:{PASSWORD}@127.0.0.1:{port}/tables"
        with caplog.at_level(logging.DEBUG):
            said = ran(*(each.format(url=url) for each in words), code=2)
    assert f"the database tables at 127.0.0.1:{port} cannot be reached" in said
    assert len(said.strip().splitlines()) == 1
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "{url}"),
        ("backup", "{url}", "night.db"),
        ("backup", "night.db", "{url}"),
        ("restore", "{url}", "night.db"),
        ("show", "night.db", "{url}", "{url}"),
        ("tables", "{url}", "{url}"),
        ("{url}",),
        ("tables", "--{url}"),
        ("show", "{url}"),
        ("serve", "night.db", "--url", "{url}"),
        ("serve", "night.db", "--tls-cert", "{url}"),
        ("dice", "{url}"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("json_too", [False, True])
def test_wrong_uses_show_no_password(
    words: tuple[str, ...], *, json_too: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"postgresql://urim:{PASSWORD}@127.0.0.1:1/tables"
    ran(*(each.format(url=url) for each in words), *(["--json"] if json_too else []), code=2)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:p%40ss@h:5/d?host=/x&password=q", "postgresql://u@h:5/d?host=/x"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("postgresql://h/d?sslpassword=q&sslmode=require", "postgresql://h/d?sslmode=require"),
        ("postgresql://u:p@[::1/d", "the URL of a database"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    at = located(url)
    assert isinstance(at, DatabaseUrl)
    assert (str(at), at.name, repr(at), at.reveal()) == (
        shown,
        shown,
        f"DatabaseUrl({shown!r})",
        url,
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no 'postgresql://u:p:q@r@h/d' here", "no 'postgresql://u@h/d' here"),
        ("postgresql://h/d?user=u&password=pq&x=1", "postgresql://h/d?user=u&password=&x=1"),
        ("http://h/tables/x#p1", "http://h/tables/x#p1"),
    ],
)
def test_a_text_loses_the_passwords_in_it(text: str, shown: str) -> None:
    assert without_passwords(text) == shown


def test_other_secrets_than_those_of_the_table_are_refused_when_it_is_loaded(
    place: DatabaseUrl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = secretive(place)
    ran("open", url, "--system", "plain", "--id", "evening1", "--request", "first")
    ran("key", "show", url, "evening1")
    kept, shared = secrets_of(place), str(tmp_path / "another")
    with monkeypatch.context() as other:
        other.setenv("URIM_SECRETS", shared)
        entering = ("enter", url, "evening1", "Dana", "--seat", "narrator")
        assert f"{shared}/key is missing" in ran(*entering, code=2)
        elsewhere = secrets_of(place)
        copy_secrets(kept, elsewhere, ["evening1"])
        elsewhere.vault.write_over("evening1", f"{bytes(32).hex()}\n".encode())
        assert "request 'first' was not answered by this table" in ran(*entering, code=2)
        elsewhere.vault.write_over("key", f"{bytes(32).hex()}\n".encode())
        assert f"{shared}/key" in ran(*entering, code=2)
    ran(*entering)
