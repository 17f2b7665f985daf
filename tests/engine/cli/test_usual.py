"""One word, one meaning; and what is left out because a variable says it."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.engine.helpers.cli_runs import objects, urim
from urim.engine.cli.commands import COMMANDS
from urim.engine.cli.frame import load

TABLE = "evening1"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A table of plain dice with Ann, of p1, who rolled for herself alone."""
    path = tmp_path / "night.db"
    for words in (
        ("open", path, "--system", "plain", "--id", TABLE, "--level", "server"),
        ("seat", path, TABLE, "p1", "--seat", "narrator"),
        ("enter", path, TABLE, "Ann", "--seat", "p1"),
        ("declare", path, TABLE, "expression=1d6", "--visibility", "self", "--seat", "p1"),
    ):
        assert urim(*map(str, words)).exit_code == 0, words
    return path


def usual(monkeypatch: pytest.MonkeyPatch, table: object, seat: str = "") -> None:
    """What the variables say from here on."""
    monkeypatch.setenv("URIM_TABLE", str(table))
    monkeypatch.setenv("URIM_AS", seat)


# --- what is left out -----------------------------------------------------------------------------


def test_the_usual_table_and_seat_are_left_out(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual(monkeypatch, f"{db} {TABLE}", "p1")
    long = "A long doubt. " * 40  # no file has such a name
    for words in (
        ("roll",), ("resolve",), ("declare", "expression=2d6"), ("note", "3", "so"),
        ("dispute", long, "--roll", "1"), ("dispute", "--roll", "1", "--", "-- so"),
    ):  # fmt: skip
        done = urim(*words)
        assert done.exit_code == 0, (words, done.output)
    assert {each["seat"] for each in objects(urim("moves", "--json").stdout)} == {"p1"}
    assert urim("show", "--roll", "1").exit_code == 0


def test_what_is_named_goes_before_what_is_usual(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual(monkeypatch, "nowhere.db nothing1", "p9")
    assert urim("note", str(db), TABLE, "3", "so", "--seat", "p1").exit_code == 0
    done = urim("note", "3", "so", "--seat", "p1")
    assert (done.exit_code, "there is no file nowhere.db" in done.stderr) == (2, True)
    done = urim("note", str(db), TABLE, "3", "so")
    assert (done.exit_code, "no seat 'p9'" in done.stderr) == (2, True)


@pytest.mark.parametrize("words", ["night.db", "http://127.0.0.1:1/tables/x"])
def test_a_usual_table_that_is_none_is_refused(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual(monkeypatch, words)
    done = urim("show")
    why = f"URIM_TABLE is {words!r}, neither DB TABLE nor a table's URL"
    assert (done.exit_code, why in done.stderr) == (2, True)


def test_without_either_the_seat_is_missing(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual(monkeypatch, "")
    done = urim("roll", str(db), TABLE)
    assert (done.exit_code, "--seat is missing" in done.stderr) == (2, True)


# --- what a seat may see --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("export", "--format", "jsonl"),
        ("export", "--format", "bundle"),
        ("export", "--format", "character", "--character", "Ann"),
        ("whatif", "--roll", "1"),
        ("case", "--roll", "1"),
        ("luck",),
    ],
)
def test_a_seat_goes_by_its_name_too(db: Path, words: tuple[str, ...]) -> None:
    word, *more = words
    assert urim("name-seat", str(db), TABLE, "p1", "Ruth", "--seat", "p1").exit_code == 0
    by_id, by_name = (urim(word, str(db), TABLE, *more, "--seat", who) for who in ("p1", "Ruth"))
    assert (by_name.exit_code, by_name.stdout) == (0, by_id.stdout)


@pytest.mark.parametrize("words", [("show", "--roll", "1"), ("replay", "--roll", "1")])
def test_a_seat_is_shown_what_it_may_see(db: Path, words: tuple[str, ...]) -> None:
    word, *more = words
    own = urim(word, str(db), TABLE, *more, "--seat", "p1")
    assert (own.exit_code, "1d6" in own.stdout) == (0, True)
    assert urim("name-seat", str(db), TABLE, "p1", "Ruth", "--seat", "p1").exit_code == 0
    named = urim(word, str(db), TABLE, *more, "--seat", "Ruth")
    assert named.stdout == urim(word, str(db), TABLE, *more, "--seat", "p1").stdout
    other = urim(word, str(db), TABLE, *more, "--seat", "narrator")
    assert (other.exit_code, "1d6" in other.stdout) == (2, False)
    nobody = urim(word, str(db), TABLE, *more, "--seat", "p9")
    assert (nobody.exit_code, "no seat 'p9'" in nobody.stderr) == (2, True)


# --- one word, one meaning ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("roll DB evening1 --as p1", "--seat"),
        ("moves DB evening1 --as=p1", "--seat"),
        ("export DB evening1 --as jsonl", "--format"),
        ("show DB evening1 --roll 1 --as html", "--format"),
    ],
)
def test_the_former_word_is_refused_with_the_new_one(db: Path, line: str, now: str) -> None:
    done = urim(*(word.replace("DB", str(db)) for word in line.split()))
    assert done.exit_code == 2
    assert f"no option '--as'; allowed: {now}" in done.stderr


OTHERWISE = {
    "--dice": "where dice come from, when a table is opened; elsewhere some of those thrown",
    "--host": "an address to listen on, and the name of a server whose tables have one key",
    "--request": "schema writes that of a request alone; elsewhere it is a request's id",
    "--seat": "an audit takes the seat's key with it",
}
"""Options that do not take the same in all commands, and why."""


def options(name: str, command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """The options of a command and of its own commands."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from options(f"{name} {each.name}", each)
    for param in command.params:
        if isinstance(param, click.Option):
            yield from ((word, param) for word in param.opts)


def test_an_option_takes_the_same_in_every_command() -> None:
    found: dict[str, set[object]] = defaultdict(set)
    for name in COMMANDS:
        for word, option in options(name, load(name)):
            choices = getattr(option.type, "choices", None)
            kind = "a choice" if choices else "a flag" if option.is_flag else option.metavar
            found[word].add(kind)
    assert {word for word, kinds in found.items() if len(kinds) > 1} == OTHERWISE.keys()
