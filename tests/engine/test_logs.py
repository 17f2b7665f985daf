"""What Urim says to a program's log: what was asked and by whom, never a secret or hidden thing."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.helpers.stage import NONCES, ROOT, code_of, fight
from tests.engine.helpers.timed import anchor, asking, opening
from urim.engine import logs
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.entry import Entry


@pytest.fixture
def as_before() -> Iterator[None]:
    """The standard logger as it was, once the test is over."""
    standard = logging.getLogger("urim")
    handlers, level, propagate = standard.handlers[:], standard.level, standard.propagate
    yield
    standard.handlers[:], standard.propagate = handlers, propagate
    standard.setLevel(level)


@pytest.fixture
def stream(as_before: None) -> io.StringIO:
    """Everything that Urim logs, as JSON lines."""
    out = io.StringIO()
    logs.configure(level="DEBUG", json=True, stream=out)
    return out


def logged_lines(stream: io.StringIO) -> list[dict[str, Any]]:
    """The lines logged."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def secret_roll() -> Table:
    """A whole hidden roll of fair dice at level `table`, and a refusal in it."""
    table, etgar, _ = fight("fair", level="table")
    table.declare(etgar, visibility="gm", root=ROOT, rating=4, label="a secret label")
    roll = table.state.rolls[1]
    anchor(table, "p1", NARRATOR)
    for throw, dice in enumerate((None, ("d1", "d2"))):
        table.submit("p1", asking(table, NARRATOR, dice=dice), f"a{throw}")
        table.submit(NARRATOR, opening(table, NARRATOR), f"n{throw}")
        wrong = c.OpenShare(1, NONCES[throw])
        assert code_of(table.submit, "p1", wrong) == "nonce"
        table.submit("p1", opening(table, "p1"), f"t{throw}")
    assert roll.visibility == "gm"
    table.submit(NARRATOR, c.worded(c.Note(0), "a secret note"))
    table.submit(NARRATOR, c.worded(c.Void(1), "a secret reason"))
    return table


def test_a_decided_command_is_logged_with_table_roll_request_and_seat(stream: io.StringIO) -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2)
    table.submit("p1", c.RollDice(1, "initiator", faces=tuple("וחרטלשנכ")), "r1")
    line = logged_lines(stream)[-1]
    assert line["event"] == "command decided"
    assert (line["table"], line["roll"], line["request"]) == ("fixture0", 1, "r1")
    assert (line["seat"], line["command"]) == ("p1", "RollDice")
    assert line["events"] == ["DiceRolled"]
    assert (line["size"], line["level"]) == (table.state.size, "info")


def test_a_refused_command_is_logged_with_its_code(stream: io.StringIO) -> None:
    table, *_ = fight()
    assert code_of(table.submit, "p1", c.Resolve(1)) == "unknown"
    line = logged_lines(stream)[-1]
    assert (line["event"], line["code"], line["roll"]) == ("command refused", "unknown", 1)


def test_a_whole_hidden_fair_roll_leaves_no_secret_in_the_log(stream: io.StringIO) -> None:
    table = secret_roll()
    logged = stream.getvalue()
    assert "command decided" in logged and "command refused" in logged
    for secret in secrets_of(table):
        assert secret not in logged


def secrets_of(table: Table) -> set[str]:
    """Every text that must not be in the log: secret, salts, seeds, nonces, payloads, notes."""
    secret = table.aggregate.environment.secret
    found = {secret.hex(), repr(secret), "secret label", "secret note", "secret reason"}
    found |= set(NONCES)
    for entry in table.entries:
        found |= texts_of(entry)
    return found - {""}


def texts_of(entry: Entry) -> set[str]:
    """The salt, the payload, and every hex number in it."""
    payload = (entry.payload or b"").decode()
    salt = entry.salt or b""
    words = {word for word in payload.replace('"', " ").split() if len(word) >= 40}
    return {payload, salt.hex(), repr(salt), *words}


def test_the_search_for_secrets_would_find_them(stream: io.StringIO) -> None:
    table = secret_roll()
    payload = (table.entries[7].payload or b"").decode()
    logs.logger.info("careless", payload=payload)
    assert any(secret in "".join(line.get("payload", "") for line in logged_lines(stream))
               for secret in secrets_of(table))  # fmt: skip


def test_the_library_says_nothing_unless_it_is_asked_to(capsys: pytest.CaptureFixture[str]) -> None:
    secret_roll()
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("as_before")
def test_a_program_may_read_the_log_as_text() -> None:
    out = io.StringIO()
    logs.configure(level="INFO", stream=out)
    fight()
    assert "command decided" in out.getvalue()
    assert not logging.getLogger("urim").propagate  # or a line would be written twice


@pytest.mark.usefixtures("as_before")
def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="LOUD"):
        logs.configure(level="LOUD", stream=io.StringIO())


# --- what it costs --------------------------------------------------------------------------------

THROW = """
import sys
from urim import Table
from urim.engine import logs
{configured}
table = Table("sagatafl", dice="seeded:7")
roll = table.declare(table.character("Rachel"), trait="Observation", rating=3)
roll.roll()
print("structlog" in sys.modules)
"""
"""A program that plays a throw, then prints whether structlog was imported."""


def fresh(configured: str = "") -> subprocess.CompletedProcess[str]:
    """THROW in a process of its own, with a statement before the table is opened."""
    words = [sys.executable, "-c", THROW.format(configured=configured)]
    return subprocess.run(words, capture_output=True, text=True, check=True)


def test_a_program_without_a_log_never_imports_structlog() -> None:
    done = fresh()
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_a_program_with_a_log_imports_it_and_gets_every_event() -> None:
    done = fresh("logs.configure(level='INFO', json=True)")
    assert done.stdout == "True\n"
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["command"] for line in lines][-2:] == ["Declare", "RollDice"]
    assert list(lines[-1]) == [
        *("seat", "request", "table", "command", "roll", "events", "size"),
        *("event", "level", "timestamp"),
    ]


def test_a_program_that_configures_the_standard_log_gets_every_event() -> None:
    standard = "import logging; logging.basicConfig(level='INFO', format='%(levelname)s')"
    done = fresh(standard)
    assert done.stdout == "True\n"
    assert set(done.stderr.split()) == {"INFO"}
