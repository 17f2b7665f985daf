"""`urim fairness` says in a sentence whether dice are unusual, then shows what that rests on."""

import asyncio
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from tests.engine.helpers.cli_runs import objects, process, urim
from tests.engine.render.test_plot import drawn
from tests.plays import SCENARIOS
from urim.engine.cli.fairness import tallied
from urim.engine.core.aggregate import Environment
from urim.engine.core.sources import Fair
from urim.engine.table import RollHandle, Table
from urim.errors import Damaged
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog

HONEST, CHEATED, NAMED, SCRIPTED = "honest00", "cheated0", "named000", "fixture0"


def fixed() -> Environment:
    """Fair dice that fall alike in every run."""
    return Environment(
        Fair(bytes(32)),
        lambda state: 0,
        lambda table, seq: seq.to_bytes(32),
        bytes(32),
        text_salt=lambda table, seq: f"{seq:032x}",
    )


def table_of(id: str, rolls: int, voids: Callable[[RollHandle], bool]) -> Table:
    """A table of two players whose rolls are voided where `voids` says so."""
    table = Table("milhamah", id=id, level="server", environment=fixed())
    players = [table.character(name, attributes={"BLE": 3}) for name in ("Rachel", "עמוס")]
    for number in range(rolls):
        dice = {"red": 4, "green": 4} if number % 3 else {"blue": 4, "red": 4}
        roll = table.declare(players[number % 2], root="אשר", rating=3, target="average", dice=dice)
        roll.roll()
        if voids(roll):
            roll.void("a slip")
    return table


def low(roll: RollHandle) -> bool:
    """Whether hardly any letter of the root fell."""
    return sum(die.face in set("אשר") for die in roll.state.roll.hands[0].dice) < 2


@cache
def played() -> dict[str, tuple[Entry, ...]]:
    """The logs of a table without voids, and of one that voids what is low."""
    return {
        HONEST: table_of(HONEST, 60, lambda roll: roll.number % 20 == 0).entries,
        CHEATED: table_of(CHEATED, 250, low).entries,
    }


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database with these tables, and one whose dice were scripted."""
    path = tmp_path / "night.db"
    counter = SCENARIOS / "milhamah" / "counter.toml"
    assert urim("run", str(counter), "--log", str(path)).exit_code == 0
    keep(path, played())
    return path


def keep(db: Path, tables: Mapping[str, tuple[Entry, ...]]) -> None:
    """Keep these tables in a database."""

    async def write() -> None:
        log = await SqliteLog.open(db)
        for id, entries in tables.items():
            await log.append(id, entries, 0)
        await log.close()

    asyncio.run(write())


# --- what it says ---------------------------------------------------------------------------------


def test_fair_dice_are_nothing_unusual(db: Path) -> None:
    done = urim("fairness", str(db), HONEST)
    assert (done.exit_code, done.stderr) == (0, "")
    assert re.search(
        r"^480 fair dice: nothing unusual \(p = [\d.]+\)\.$", done.stdout, re.MULTILINE
    )
    assert "voided rolls: 3 of 60" in done.stdout
    assert "alarm" not in done.stdout


def test_selective_voids_are_found_and_named(db: Path) -> None:
    done = urim("fairness", str(db), CHEATED)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split("\n\n")[0].split())
    assert re.search(
        r"2,000 fair dice: alarm\. By luck the dice of (voided rolls|rolls that)", shown
    )
    assert re.search(r"this far at one table in [\d,]+ at most\.$", shown)


def test_dice_that_are_not_fair_are_not_called_so(db: Path) -> None:
    done = urim("fairness", str(db), SCRIPTED)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    assert re.search(
        r"No fair dice, so there is nothing to test; \d+ scripted dice are not tested\.$", shown
    )


def test_faces_are_drawn_against_what_is_expected(db: Path) -> None:
    shown = urim("fairness", str(db), HONEST).stdout
    [red] = [each for each in objects_of(db, HONEST) if is_figure(each, "thrown", "red-a")]
    for fall in red["faces"]:
        assert re.search(rf"{re.escape(fall['face'])}\S* [■□+]+ +{fall['count']} 10\.0", shown)
    assert red["dice"] == 120


def test_a_seat_is_called_by_its_name_until_that_is_erased(db: Path) -> None:
    table = Table("milhamah", id=NAMED, level="server", environment=fixed())
    table.seat("p1", name="דנה")
    who = table.character("Rachel", attributes={"BLE": 3}, seat="p1")
    table.declare(who, root="אשר", rating=3, target="average").roll()
    keep(db, {NAMED: table.entries})
    shown = urim("fairness", str(db), NAMED).stdout
    assert "seat p1 דנה: 1 roll, 0 voided" in shown
    assert urim("erase", "--yes", str(db), NAMED, "2").exit_code == 0
    assert "seat p1: 1 roll, 0 voided" in urim("fairness", str(db), NAMED).stdout


def test_a_damaged_entry_is_no_evidence() -> None:
    *first, last = played()[HONEST]
    with pytest.raises(Damaged, match="does not match its digest"):
        tallied([*first, replace(last, payload=b"{}")])


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_it_fits_a_terminal_that_shows_little(db: Path, encoding: str) -> None:
    done = process("fairness", str(db), CHEATED, PYTHONIOENCODING=encoding, NO_COLOR="1")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert not [line for line in text.splitlines() if cell_len(line) > 80]
    assert "…" not in text
    assert ("####" in text) == (encoding == "ascii")


# --- as JSON --------------------------------------------------------------------------------------


def objects_of(db: Path, table: str) -> list[dict[str, Any]]:
    """What the command says to programs."""
    return objects(urim("fairness", str(db), table, "--json").stdout)


def is_figure(each: dict[str, Any], of: str, kind: str | None) -> bool:
    """Whether an object is that figure."""
    return (each.get("type"), each.get("of"), each.get("kind")) == ("figure", of, kind)


def test_programs_get_every_figure(db: Path) -> None:
    head, *rest = objects_of(db, CHEATED)
    assert (head["type"], head["dice"], head["verdict"]) == ("fairness", 2_000, "alarm")
    assert (head["table"], head["rolls"], head["untested"]) == (CHEATED, 250, {})
    seats = [each for each in rest if each["type"] == "seat"]
    assert [each["seat"] for each in seats] == ["p1", "p2"]
    assert sum(each["voided"] for each in seats) == head["voids"]
    figures = [each for each in rest if each["type"] == "figure"]
    assert {(each["of"], each["seat"]) for each in figures} == {
        *(("thrown", None), ("kept", None), ("voided", None)),
        *(("seat", "p1"), ("seat", "p2")),
    }
    for of in ("thrown", "kept", "voided"):
        kinds = [each for each in figures if each["of"] == of]
        assert sum(each["dice"] for each in kinds[1:]) == kinds[0]["dice"]
        assert kinds[0]["kind"] is None


# --- the plot -------------------------------------------------------------------------------------


def test_a_plot_shows_how_it_went(db: Path) -> None:
    path = db.parent / "fair.svg"
    done = urim("fairness", str(db), CHEATED, "--plot", str(path))
    assert done.exit_code == 0
    assert f"{path} is written" in done.stdout.replace("\n", "")
    texts, curves = drawn(path.read_text("utf-8"))
    assert {"red-a", "blue-b", "voided rolls", "kept rolls", "alarm: 10,000"} <= set(texts)
    assert len(curves) == 8
    assert all(len(points.split()) > 10 for points in curves)
    again = db.parent / "again.svg"
    urim("fairness", str(db), CHEATED, "--json", "--plot", str(again))
    assert again.read_bytes() == path.read_bytes()
