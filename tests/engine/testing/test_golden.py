"""Golden logs: written for reading, compared event by event, rewritten only when that is asked."""

from pathlib import Path

import pytest

from tests import tree
from tests.engine.helpers.gone import still_read
from urim.engine.core.commands import Erase
from urim.engine.table import Table
from urim.engine.testing.golden import (
    UPDATE,
    Golden,
    events_of,
    golden_events,
    golden_text,
    read_golden,
)
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events.codec import EVENTS

GOLDEN_EVENTS = tree.ROOT / "tests" / "events" / "golden"


def prayer(seed: str = "7", **declared: int) -> FixtureTable:
    """A table on which somebody threw."""
    table = FixtureTable("milhamah", seed=seed)
    rachel = table.character("Rachel", attributes={"BLE": 3})
    table.declare(rachel, root="אשר", rating=3, modifiers=declared).roll()
    return table


def compared(folder: Path, table: Table, *, update: bool = False, test: str = "test_it") -> str:
    """The message of comparing a table; "" where it is as its golden log."""
    golden = Golden(folder / "test_file.py", test, update=update)
    try:
        golden(table)
    except AssertionError as failure:
        return str(failure)
    return ""


@pytest.mark.urim("milhamah", seed="golden", options={"cipher_dice": 2})
def test_the_log_of_a_blow_is_the_golden_one(urim_table: FixtureTable, urim_golden: Golden) -> None:
    etgar = urim_table.character("Etgar", attributes={"BLE": 3})
    toad = urim_table.character("Toad", tracks={"soak": 2})
    roll = urim_table.declare(etgar, root="רוח", rating=5, opponent=toad.id, combat=True)
    roll.decline()
    roll.roll()
    roll.reroll("d1", "d2")
    roll.stand()
    roll.resolve()
    urim_golden(urim_table)


def test_a_log_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    message = compared(tmp_path, prayer())
    file = tmp_path / "golden" / "test_file" / "test_it.json"
    assert message == f"there is no golden log {file}: write it with {UPDATE}"
    assert not file.exists()


def test_a_log_that_was_written_is_the_same_again(tmp_path: Path) -> None:
    assert compared(tmp_path, prayer(), update=True) == ""
    assert compared(tmp_path, prayer()) == ""
    assert [path.name for path in (tmp_path / "golden" / "test_file").iterdir()] == ["test_it.json"]


def test_what_differs_is_told_by_event_and_field(tmp_path: Path) -> None:
    compared(tmp_path, prayer(), update=True)
    head, *lines = compared(tmp_path, prayer(far=1)).splitlines()
    assert UPDATE in head
    assert lines == [
        "! 4 RollDeclared",
        "      declaration.modifiers.far: expected nothing, found 1",
    ]


def test_an_event_more_or_less_is_told(tmp_path: Path) -> None:
    table = prayer()
    compared(tmp_path, table, update=True)
    table.seat("p9")
    assert compared(tmp_path, table).splitlines()[1].startswith("+ 6 was not expected: SeatTaken")
    compared(tmp_path, table, update=True)
    assert compared(tmp_path, prayer()).splitlines()[1].startswith("- 6 did not come: SeatTaken")


def test_fair_dice_make_no_golden_log(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no two logs of it are alike"):
        compared(tmp_path, Table("milhamah"))


def test_each_log_of_a_test_has_a_name_of_its_own(tmp_path: Path) -> None:
    golden = Golden(tmp_path / "test_file.py", "test_it", update=True)
    golden(prayer())
    golden(prayer("8"), "another")
    with pytest.raises(Refused, match="was compared already"):
        golden(prayer(), "another")
    assert golden.file() != golden.file("another")


def test_names_that_a_disk_does_not_take_stay_apart(tmp_path: Path) -> None:
    files = [
        Golden(tmp_path / "t.py", name).file() for name in ("test[a/b]", "test[a:b]", "x" * 300)
    ]
    assert len(set(files)) == 3
    assert all(file.parent == tmp_path / "golden" / "t" and len(file.name) < 130 for file in files)


def test_an_erased_event_is_a_gap_that_is_kept(tmp_path: Path) -> None:
    table = prayer()
    table.submit("narrator", Erase(3))
    assert events_of(table)[3] is None
    assert golden_events(golden_text(events_of(table))) == events_of(table)


def test_every_event_there_is_goes_into_a_golden_log_and_comes_back() -> None:
    text = "[" + ",".join(p.read_text("utf-8") for p in still_read(GOLDEN_EVENTS)) + "]"
    events = golden_events(text)
    assert {type(event) for event in events} == set(EVENTS.values())
    assert golden_events(golden_text(events)) == events
    assert max(map(len, golden_text(events).splitlines())) < 200


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"type": "no-such/1"}]', "[\ud800]"])
def test_what_is_no_golden_log_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(Refused) as refused:
        read_golden(tmp_path / "log.json")
    assert refused.value.code == "unreadable"
