"""What leaves a log: every scenario's table comes back from its export as it was."""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import plays
from tests.engine.helpers.stage import fight, hit, pray, strike, tracks
from urim.engine.core.causes import WITHOUT_ASKING as PROOFS
from urim.engine.core.commands import Confirm, EnterCharacter, Note, OpenTable, TakeSeat
from urim.engine.core.limits import NARRATOR
from urim.engine.scenario import parse_scenario
from urim.engine.scenario.export import as_toml, entry_lines, in_ascii, scenario_text
from urim.engine.scenario.write import WITHHELD
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.codec import decode
from urim.events.entry import Entry, verify, withhold
from urim.projections.tables import TableState

FILES = [pytest.param(path, id=plays.name_of(path)) for path in plays.files()]
WORKED = [each for each in FILES if "readings" not in str(each.id)]
"""Those that are not there for a reading's sake: their tables are much alike."""


def outcomes(state: TableState) -> Mapping[int, Any]:
    """State, outcome and damage of every roll, effects and figures included."""
    rolls = sorted(state.rolls.values(), key=lambda roll: roll.number)
    return {roll.number: (roll.state, roll.roll.outcome, roll.damage) for roll in rolls}


@cache
def exported(path: Path) -> str:
    """The export of a scenario's whole table, made once."""
    return scenario_text(plays.kept_of(path).log)


def back(text: str) -> plays.Kept:
    """An export played; everything that it expects must hold."""
    kept = plays.kept(parse_scenario(text))
    assert [str(failure) for failure in kept.play.failures] == []
    return kept


def kinds(entries: tuple[Entry, ...]) -> list[str | None]:
    """The types of the events on a log, None where one was erased; of proofs, none."""
    return [
        decode(e.payload).__class__.__name__ if e.payload else None for e in comparable(entries)
    ]


def comparable(entries: tuple[Entry, ...]) -> list[Entry]:
    """The entries that an export has: none about proofs alone, nor a reason of its own."""
    events = ((entry, decode(entry.payload) if entry.payload else None) for entry in entries)
    own = ((entry, getattr(event, "text", "") == WITHHELD, event) for entry, event in events)
    return [entry for entry, reason, event in own if not (reason or isinstance(event, PROOFS))]


# --- scenarios ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES)
def test_every_scenario_comes_out_the_same_after_its_export(path: Path) -> None:
    kept = plays.kept_of(path)
    again = back(exported(path))
    then, now = kept.play.aggregate.opened, again.play.aggregate.opened
    assert outcomes(now) == outcomes(then)
    assert dict(now.tracks) == dict(then.tracks)
    assert kinds(again.log) == kinds(kept.log)
    assert [entry.kind for entry in comparable(again.log) if entry.payload] == [
        entry.kind for entry in comparable(kept.log) if entry.payload
    ]


@pytest.mark.parametrize("path", WORKED)
def test_an_export_of_an_export_is_the_same(path: Path) -> None:
    once = exported(path)
    titles = ("title = ", "about = ")
    twice = scenario_text(back(once).log)
    assert [line for line in once.splitlines() if not line.startswith(titles)] == [
        line for line in twice.splitlines() if not line.startswith(titles)
    ]


@pytest.mark.parametrize("path", WORKED)
def test_every_roll_comes_out_the_same_alone(path: Path) -> None:
    kept = plays.kept_of(path)
    then = outcomes(kept.play.aggregate.opened)
    for number in then:
        now = outcomes(back(scenario_text(kept.log, number)).play.aggregate.opened)
        assert then[number] in now.values()


def test_a_roll_is_exported_with_the_sheets_of_its_moment() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    second = hit(table, etgar, toad)
    text = scenario_text(table.entries, second.number)
    again = back(text).play.aggregate.opened
    assert [roll.number for roll in again.rolls.values()] == [1]
    assert again.rolls[1].damage == second.state.damage
    assert dict(again.tracks["c2"]) == dict(table.state.tracks["c2"])


def test_what_other_rolls_did_in_between_is_put_into_the_export_of_one() -> None:
    table, etgar, toad = fight()
    first = strike(table, etgar, toad)
    hit(table, etgar, toad)
    first.apply_damage()
    again = back(scenario_text(table.entries, first.number)).play.aggregate.opened
    assert again.rolls[1].damage == first.state.damage


def test_a_table_opened_by_another_seat_is_exported_as_the_narrators() -> None:
    table = Table("milhamah", dice="scripted")
    fresh = type(table.aggregate)(table.aggregate.environment)
    fresh.submit("dana", OpenTable("table001", "milhamah", {}, "scripted"))
    fresh.submit("dana", TakeSeat("narrator"))
    fresh.submit("dana", EnterCharacter("rachel", "narrator", {"BLE": 3}, {}, "Rachel"))
    fresh.submit("narrator", Note(0, "mine"))
    again = back(scenario_text(tuple(fresh.entries))).play.aggregate.opened
    assert again.by == NARRATOR
    assert again.characters["rachel"].seat == "dana"
    assert again.texts["entry:0"][0].by == "dana"


def test_names_that_a_step_would_misread_are_told_apart() -> None:
    table = Table("milhamah", dice="scripted")
    root = table.character("רוח", attributes={"BLE": 3})
    table.character("c1", attributes={"BLE": 1})
    table.character("Twin")
    table.character("Twin")
    pray(table, root)
    again = back(scenario_text(table.entries)).play.aggregate.opened
    assert again.rolls[1].roll.declaration == table.state.rolls[1].roll.declaration
    assert again.rolls[1].roll.character == "c1"
    assert [again.name_of(f"c{number}") for number in range(1, 5)] == [
        "רוח (c1)",
        "c1 (c2)",
        "Twin (c3)",
        "Twin (c4)",
    ]


def test_fair_dice_are_exported_as_the_faces_that_fell() -> None:
    table, etgar, _ = fight("fair")
    roll = table.declare(etgar, attribute="BLE")
    faces = roll.roll()
    text = scenario_text(table.entries)
    assert 'dice = "scripted"' in text
    hand = back(text).play.aggregate.opened.rolls[1].roll.hands[0]
    assert tuple(die.face for die in hand.dice) == faces
    proof = decode(table.entries[-1].payload or b"")
    assert str(getattr(proof, "proof").seed) not in text  # noqa: B009 - the event is a union


def test_physical_dice_stay_typed_ones_and_their_confirmation_is_kept() -> None:
    table, etgar, _ = fight("manual")
    pray(table, etgar)
    table.seat("p3")
    table.submit("p3", Confirm(1, 0))
    text = scenario_text(table.entries)
    assert 'dice = "manual"' in text
    assert kinds(back(text).log)[-1] == "ThrowConfirmed"


def test_a_view_with_something_withheld_makes_no_scenario() -> None:
    table, etgar, _ = fight()
    pray(table, etgar, visibility="gm")
    for entries in (table.aggregate.view("p2"), (*table.entries[:-1], withhold(table.entries[-1]))):
        with pytest.raises(Refused, match="is withheld"):
            scenario_text(entries)


def test_a_roll_that_is_not_there_is_refused() -> None:
    table, *_ = fight()
    with pytest.raises(Refused, match="no roll 7"):
        scenario_text(table.entries, 7)


def test_rules_that_have_changed_since_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    table, etgar, toad = fight()
    strike(table, etgar, toad)
    monkeypatch.setattr(
        "urim.engine.core.decide.json_of_outcome",
        lambda announced: {"degree": "better", "margin": 9},
    )
    with pytest.raises(Refused) as refused:
        scenario_text(table.entries)
    assert refused.value.code == "history"


# --- TOML -----------------------------------------------------------------------------------------


def test_toml_in_ascii_says_the_same() -> None:
    text = as_toml({"title": "רוח 🎲 é", "step": [{"do": "roll", "ש": {"a": ["ב"]}}]})
    plain = in_ascii(text)
    assert plain.isascii()
    assert "\\U0001F3B2" in plain
    assert tomllib.loads(plain) == tomllib.loads(text)


# --- JSON Lines -----------------------------------------------------------------------------------


def test_lines_hold_what_everybody_may_have() -> None:
    table, etgar, _ = fight()
    pray(table, etgar, visibility="gm")
    lines = list(entry_lines(table.entries))
    assert [line["payload"] is None for line in lines][-2:] == [True, True]
    assert not any(line["payload"] is None for line in lines[:-2])
    own = list(entry_lines(table.entries, etgar.seat))
    assert not any(line["payload"] is None for line in own)
    for line in json.loads(json.dumps([*lines, *own])):
        raw = {key: line[key] for key in ("digest", "leaf", "salt")}
        digest, leaf, salt = (bytes.fromhex(value) if value else None for value in raw.values())
        payload = line["payload"].encode() if line["payload"] else None
        assert digest is not None and leaf is not None
        verify(Entry(line["seq"], line["at"], line["class"], digest, leaf, salt, payload))


def test_lines_of_a_roll_are_its_entries() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    prayer = pray(table, etgar)
    found = [line["seq"] for line in entry_lines(table.entries, number=prayer.number)]
    assert found == [entry.seq for entry in prayer.state.trail]
    assert tracks(table)["c2"]


def test_lines_for_a_seat_that_is_not_there_are_refused() -> None:
    table, *_ = fight()
    with pytest.raises(Refused, match="no seat 'p9'"):
        list(entry_lines(table.entries, "p9"))


# --- level table ----------------------------------------------------------------------------------


def test_a_roll_that_was_voided_for_a_throw_withheld_is_voided_by_a_narrator_in_its_export() -> (
    None
):
    path = plays.SCENARIOS / "witnesses" / "withheld-void.toml"
    text = exported(path)
    assert f'reason = "{WITHHELD}"' in text
    for number in (None, 1):
        state = back(scenario_text(plays.kept_of(path).log, number)).play.aggregate.opened
        assert state.rolls[1].state == "voided"


def test_a_roll_that_went_on_though_its_throw_was_withheld_goes_on_in_its_export() -> None:
    path = plays.SCENARIOS / "witnesses" / "withheld-wait.toml"
    text = exported(path)
    assert "set-witnessing" in text
    assert WITHHELD not in text
    alone = back(scenario_text(plays.kept_of(path).log, 1)).play.aggregate.opened
    assert alone.rolls[1].state == "resolved"
