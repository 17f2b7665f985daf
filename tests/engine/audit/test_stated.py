"""What only the rules know and nobody forbids is stated: it fails nothing."""

from collections.abc import Sequence

from tests.engine.helpers.audited import judged, loud
from tests.engine.helpers.stage import fight, hit, strike
from urim.engine.core.commands import (
    EnterCharacter,
    RemoveCharacter,
    SetAttribute,
    SetTrack,
    Void,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.entry import Entry


def stated(entries: Sequence[Entry]) -> list[tuple[str, int | None]]:
    """The kinds that are stated by the rules, with their entries; nothing else is said."""
    report = judged(entries)
    assert (loud(report), report.rules.verdict) == ([], "pass")
    return [(each.kind, each.seq) for each in report.rules.remarks]


def set_to(table: Table, *values: int) -> list[int]:
    """A track of c1 is set to each of these; gives the entries."""
    return [table.submit(NARRATOR, SetTrack("c1", "xr", value))[-1].seq for value in values]


def test_damage_that_was_resolved_and_never_applied() -> None:
    table, etgar, toad = fight()
    roll = strike(table, etgar, toad)
    assert stated(table.entries) == [("damage-left", roll.state.trail[-1].seq)]
    roll.apply_damage()
    assert stated(table.entries) == []
    left = strike(table, etgar, toad)
    table.submit(NARRATOR, worded(Void(left.number), "No."))
    assert stated(table.entries) == []


def test_a_track_that_was_set_and_set_back() -> None:
    table, _, _ = fight()
    _, *again = set_to(table, 1, 0, 2, 1)
    assert stated(table.entries) == [("set-back", again[0]), ("set-back", again[2])]


def test_a_track_that_was_set_onwards_alone() -> None:
    table, etgar, toad = fight()
    set_to(table, 1, 2, 3)
    hit(table, etgar, toad)
    assert stated(table.entries) == []


def test_a_rating_that_was_set_and_set_back() -> None:
    table, etgar, _ = fight()
    name, before = next(iter(table.state.characters[etgar.id].attributes.items()))
    for value in (int(before) + 1, int(before)):
        table.submit(NARRATOR, SetAttribute(etgar.id, name, value))
    assert stated(table.entries) == [("set-back", len(table.entries) - 1)]


def test_a_character_that_was_removed_and_brought_back() -> None:
    table, etgar, _ = fight()
    sheet = table.state.characters[etgar.id]
    table.submit(NARRATOR, RemoveCharacter(etgar.id))
    twin = EnterCharacter("c9", sheet.seat, {**sheet.attributes})
    seq = table.submit(sheet.seat, twin)[-1].seq
    assert stated(table.entries) == [("brought-back", seq)]
