"""No command on a database shows a table that is not what its heads were signed for."""

import shutil
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import urim
from tests.engine.helpers.stages.heads import entries_in, exchanged, signed_thrice
from tests.engine.helpers.stages.service import TABLE
from tests.plays import SCENARIOS
from tests.sealing import sealed
from urim.events.table import TrackSet

WHY = f"table {TABLE}: entries 5 to 7 are not those signed for"


@pytest.fixture
def rewritten(tmp_path: Path) -> Path:
    """A database signed at 5, 8 and 12 entries, in which a track was exchanged for another."""
    path = signed_thrice(tmp_path)
    forged = TrackSet("narrator", "c1", "merit", 9)
    exchanged(path, sealed(6, entries_in(path)[6].at, forged))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("show", "DB", TABLE),
        ("show", "DB", TABLE, "--at", "3"),
        ("export", "DB", TABLE, "--format", "jsonl"),
        ("export", "DB", TABLE, "--format", "scenario"),
        ("export", "DB", TABLE, "--format", "bundle"),
        ("fairness", "DB", TABLE),
    ],
    ids=" ".join,
)
def test_a_rewritten_table_is_refused(rewritten: Path, words: tuple[str, ...]) -> None:
    done = urim(*(word if word != "DB" else str(rewritten) for word in words))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "entries 5 to 7 are not" in done.stderr


def test_the_list_of_tables_says_which_was_rewritten(rewritten: Path) -> None:
    done = urim("tables", str(rewritten))
    assert done.exit_code == 2
    assert WHY in done.stderr


def test_a_table_as_it_was_signed_is_shown(tmp_path: Path) -> None:
    assert urim("show", str(signed_thrice(tmp_path)), TABLE).exit_code == 0


# --- an older copy of the database ----------------------------------------------------------------


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A database that was put back to a copy from before its last signed head."""
    path, copy = tmp_path / "night.db", tmp_path / "copy"
    assert (
        urim("run", str(SCENARIOS / "milhamah" / "counter.toml"), "--log", str(path)).exit_code == 0
    )
    shutil.copy(path, copy)
    assert urim("erase", "--yes", str(path), "fixture0", "3").exit_code == 0
    shutil.copy(copy, path)
    return path


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "words",
    [
        ("tables", "DB"),
        ("show", "DB", "fixture0"),
        ("replay", "DB", "fixture0", "--roll", "1"),
        ("export", "DB", "fixture0", "--format", "jsonl"),
        ("export", "DB", "fixture0", "--format", "scenario"),
        ("fairness", "DB", "fixture0"),
    ],
    ids=" ".join,
)
def test_who_only_reads_compares_with_the_heads_in_the_database(
    older: Path, words: tuple[str, ...]
) -> None:
    assert urim(*(word if word != "DB" else str(older) for word in words)).exit_code == 0


@pytest.mark.parametrize(
    "words",
    [("export", "DB", "fixture0", "--format", "bundle"), ("erase", "DB", "fixture0", "7", "--yes")],
    ids=" ".join,
)
def test_who_signs_compares_with_the_head_beside_it_too(
    older: Path, words: tuple[str, ...]
) -> None:
    done = urim(*(word if word != "DB" else str(older) for word in words))
    assert done.exit_code == 2
    assert "went back from 30 entries" in done.stderr
