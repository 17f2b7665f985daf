"""Tables go from a file to a database and back, with what lets them be played on there."""

from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.tree import ROOT
from urim.events.log.location import DatabaseUrl

COUNTER = str(ROOT / "tests" / "scenarios" / "milhamah" / "counter.toml")


def ran(*words: object, code: int = 0) -> str:
    """What a command prints; it ends with that code."""
    done = urim(*map(str, words))
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A log with two tables, one of them with a secret, a key and a signed head."""
    found = tmp_path / "night.db"
    ran("run", COUNTER, "--log", found)
    ran("open", found, "--system", "plain", "--id", "evening1", "--request", "first")
    ran("enter", found, "evening1", "Dana", "--seat", "narrator", "--owner", "narrator")
    return found


def entries(at: object, table: str) -> str:
    """All entries of a table."""
    return ran("export", at, table, "--format", "jsonl")


@pytest.mark.slow
def test_a_log_goes_into_a_database_is_played_there_and_comes_back(
    file: Path, place: DatabaseUrl, tmp_path: Path
) -> None:
    url, back = place.reveal(), tmp_path / "back.db"
    key = ran("key", "show", file, "evening1")
    ran("copy", file, url, "--secrets")
    for table in ("evening1", "fixture0"):
        assert entries(url, table) == entries(file, table)
    assert ran("key", "show", url, "evening1") == key
    assert "no new" not in ran("copy", file, url, "--secrets")  # again changes nothing
    ran("declare", url, "evening1", "expression=4d6kh3", "--seat", "narrator")
    ran("roll", url, "evening1", "--seat", "narrator")
    ran("copy", url, back, "--secrets")
    assert entries(back, "evening1") == entries(url, "evening1") != entries(file, "evening1")
    ran("resolve", back, "evening1", "--seat", "narrator")
    for at in (url, back):
        assert " is whole: " in " ".join(ran("check", at).split())


@pytest.mark.slow
def test_what_differs_is_refused_by_its_first_entry_and_nothing_is_written(
    file: Path, place: DatabaseUrl
) -> None:
    url = place.reveal()
    ran("copy", file, url, "--table", "evening1", "--secrets")
    differs = entries(url, "evening1").count("entry")
    ran("declare", url, "evening1", "expression=1d6", "--seat", "narrator")
    ran("declare", file, "evening1", "expression=2d6", "--seat", "narrator")
    for longer, shorter in ((file, url), (url, file)):
        # It has commits that would go on where the other one ends.
        size = len(entries(shorter, "evening1"))
        while len(entries(longer, "evening1")) <= size:
            ran("note", longer, "evening1", "0", "so", "--seat", "narrator")
        before = entries(file, "evening1"), entries(url, "evening1")
        said = ran("copy", longer, shorter, "--table", "evening1", code=2)
        assert f"has another table 'evening1': entry {differs} differs" in said
        assert (entries(file, "evening1"), entries(url, "evening1")) == before


def test_another_key_is_refused_before_anything_is_written(file: Path, place: DatabaseUrl) -> None:
    url = place.reveal()
    ran("dice", "1d6", "--log", url)
    ran("key", "show", url, objects(ran("tables", url, "--json"))[0]["table"])
    said = ran("copy", file, url, "--secrets", code=2)
    assert "is there, and another one" in said
    assert len(objects(ran("tables", url, "--json"))) == 1


def test_a_database_is_not_copied_onto_itself(place: DatabaseUrl) -> None:
    assert "is the log itself" in ran("copy", place.reveal(), place.reveal(), code=2)
