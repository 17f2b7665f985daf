"""What leaves a log: every scenario's table comes back from its export as it was."""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import plays
from tests.engine.helpers.audited import evening
from tests.engine.helpers.stage import ROOT, fight, hit, pray, strike, tracks
from tests.engine.helpers.tables.stages import brawl, prayer, restore
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.core.commands import (
    Confirm,
    Dispute,
    EnterCharacter,
    Erase,
    GiveCharacter,
    LeaveSeat,
    Note,
    OpenTable,
    Replace,
    TakeSeat,
    Void,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.scenario import parse_scenario
from urim.engine.scenario.export import as_toml, entry_lines, in_ascii, scenario_text
from urim.engine.scenario.write import of_proofs
from urim.engine.table import Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.base import Visibility
from urim.events.codec import decode
from urim.events.entry import Entry, verify, withhold
from urim.projections.tables import TableState

FILES = [pytest.param(path, id=plays.name_of(path)) for path in plays.files()]
PROOFS = (
    tabled.ShareAnchored,
    rolled.ThrowPlanned,
    rolled.ThrowAsked,
    rolled.ShareOpened,
    rolled.ThrowBroken,
    tabled.EpochBegun,
)
"""Events about proofs alone, which no export has."""

EVENINGS = 100
"""Five times the evenings of a system that are enough."""

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
    found = comparable(entries)
    return [decode(e.payload).event.__class__.__name__ if e.payload else None for e in found]


def comparable(entries: tuple[Entry, ...]) -> list[Entry]:
    """The entries that an export has: none about proofs alone."""
    events = ((entry, decode(entry.payload).event if entry.payload else None) for entry in entries)
    return [entry for entry, event in events if not isinstance(event, PROOFS)]


# --- scenarios ------------------------------------------------------------------------------------


@pytest.mark.sampled(12, rest=12)
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


@pytest.mark.sampled(10, rest=12)
@pytest.mark.parametrize("path", WORKED)
def test_an_export_of_an_export_is_the_same(path: Path) -> None:
    once = exported(path)
    titles = ("title = ", "about = ")
    twice = scenario_text(back(once).log)
    assert [line for line in once.splitlines() if not line.startswith(titles)] == [
        line for line in twice.splitlines() if not line.startswith(titles)
    ]


@pytest.mark.sampled(9, rest=12)
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
    rachel = EnterCharacter("rachel", "narrator", {"BLE": 3}, {})
    fresh.submit("dana", worded(rachel, "Rachel"))
    fresh.submit("narrator", worded(Note(0), "mine"))
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
    proof = decode(table.entries[-1].payload or b"").event
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
        lambda announced: {"degree": "better", "margin": 9, "figures": {}},
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
        place = (line["seq"], line["at"], line["class"])
        verify(Entry(*place, digest, leaf, line["commit"], salt, payload))


def test_lines_of_a_roll_are_its_entries() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    prayer = pray(table, etgar)
    found = [line["seq"] for line in entry_lines(table.entries, number=prayer.number)]
    assert found == [entry.seq for entry in prayer.state.trail]
    assert tracks(table)["c2"]


def test_which_sealed_lines_are_of_a_hidden_roll_is_hidden_too() -> None:
    table, etgar, _ = fight()
    table.seat("p3")
    prayer = pray(table, etgar, visibility="gm")
    asked = [(seat, number) for seat in ("", "p3") for number in (prayer.number, 7)]
    found: list[Refused] = []
    for seat, number in asked:
        with pytest.raises(Refused) as refused:
            list(entry_lines(table.entries, seat, number))
        found.append(refused.value)
    assert {error.code for error in found} == {"not-seen"}
    whys = [error.why.replace("roll 7", f"roll {prayer.number}") for error in found]
    assert whys[0] == whys[1] and whys[2] == whys[3]
    own = [line["seq"] for line in entry_lines(table.entries, etgar.seat, prayer.number)]
    assert own == [entry.seq for entry in prayer.state.trail]


def test_of_a_blind_roll_who_takes_part_has_the_lines_that_it_may_see() -> None:
    table, etgar, _ = fight()
    prayer = pray(table, etgar, visibility="blind")
    lines = list(entry_lines(table.entries, etgar.seat, prayer.number))
    assert [line["seq"] for line in lines] == [prayer.state.trail[0].seq]
    assert lines[0]["payload"] is not None


def test_lines_for_a_seat_that_is_not_there_are_refused() -> None:
    table, *_ = fight()
    with pytest.raises(Refused, match="no seat 'p9'"):
        list(entry_lines(table.entries, "p9"))


# --- level table ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [None, 1])
def test_a_throw_that_was_broken_off_leaves_no_step_in_an_export(number: int | None) -> None:
    path = plays.SCENARIOS / "shares" / "broken.toml"
    text = scenario_text(plays.kept_of(path).log, number)
    assert not any(word in text for word in ("break", "share", "ask", "anchor"))
    again = back(text).play.aggregate.opened
    assert again.rolls[1].state == "resolved"


def test_a_key_of_a_seat_leaves_no_step_in_an_export() -> None:
    key = TakeSeat("p1", key="wqcWQkkWPxlWEKo9ZGGFJjBAR8yqRHH5vRBUEKhMBzU=")
    assert of_proofs(key)
    assert not of_proofs(TakeSeat("p1"))


# --- evenings on real dice ------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", TRIALS)
def test_an_evening_comes_out_the_same_after_its_export(system: str, count: int) -> None:
    """Plays a table for every fifth that the count asks for, every system's; each roll alone too.

    They have epochs, throws at every level, hidden rolls, people who leave, texts that are erased.
    """
    for number in range(max(1, min(count, EVENINGS) // 5)):
        table = evening(system, number, 1)
        entries = tuple(table.host.entries)
        now = back(scenario_text(entries)).play.aggregate.opened
        then = outcomes(table.state)
        assert outcomes(now) == then, f"table {number}"
        assert dict(now.tracks) == dict(table.state.tracks), f"table {number}"
        for roll, outcome in then.items():
            alone = back(scenario_text(entries, roll)).play.aggregate.opened
            assert outcome in outcomes(alone).values(), f"table {number}, roll {roll}"


# --- what was asked -------------------------------------------------------------------------------


def test_a_null_that_means_the_same_as_nothing_is_left_out() -> None:
    table, etgar, _ = fight()
    declared = pray(table, etgar, opponent=None)
    text = scenario_text(table.entries)
    again = back(text).play.aggregate.opened
    assert "opponent" not in text
    assert again.rolls[1].roll.declaration == declared.state.roll.declaration


def test_a_null_that_changes_something_makes_no_scenario() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, root=ROOT, rating=5, opponent=toad.id)
    table.submit(NARRATOR, worded(Replace(roll.number, {"opponent": None}), "There is nobody."))
    with pytest.raises(Refused, match="no step of a scenario can express") as refused:
        scenario_text(table.entries)
    assert refused.value.code == "malformed"


def test_an_erased_text_keeps_its_place() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    noted = table.submit(NARRATOR, worded(Note(0), "A secret."))
    voided = table.submit(NARRATOR, worded(Void(1), "Another secret."))
    for entry in (noted[-1], voided[-1], table.entries[3]):
        table.submit(NARRATOR, Erase(entry.seq))
    text = scenario_text(table.entries)
    again = back(text)
    assert "secret" not in text
    assert kinds(again.log) == kinds(table.entries)
    assert again.play.aggregate.opened.rolls[1].state == "voided"


def test_an_epoch_and_throws_at_level_table_leave_no_step() -> None:
    host = brawl("table")
    number = prayer(host)
    restore(host)
    host.throw(number)
    host.finish(number)
    text = scenario_text(host.entries)
    assert not any(name in text for name in ("epoch", "nonce", "share", "anchor"))
    assert outcomes(back(text).play.aggregate.opened) == outcomes(host.state)


@pytest.mark.parametrize("visibility", ["public", "gm"])
def test_a_note_about_what_an_export_leaves_out_is_about_its_roll(visibility: Visibility) -> None:
    host = brawl("table")
    number = prayer(host, visibility=visibility)
    prayer(host, "c2", visibility="gm")
    host.anchor("p1", "p2")
    bound = host.ask_for(number, "p1", "initiator")
    host.ask("p1", Note(bound), words="That was quick.")
    again = back(scenario_text(host.entries))
    noted = [entry for entry in again.log if isinstance(event_in(entry), tabled.Noted)]
    about = again.log[event_in(noted[0]).about]
    assert event_in(about).roll == number


def test_a_note_about_an_epoch_is_about_the_table() -> None:
    host = brawl()
    prayer(host, visibility="gm")
    host.ask("p2", Note(restore(host)), words="What happened?")
    again = back(scenario_text(host.entries)).play.aggregate.opened
    assert again.texts["entry:0"][0].text == "What happened?"


def test_a_roll_alone_is_of_a_character_that_was_given_away() -> None:
    host = brawl()
    host.ask(NARRATOR, GiveCharacter("c1", NARRATOR))
    number = prayer(host)
    host.ask(NARRATOR, GiveCharacter("c1", "p1"))
    again = back(scenario_text(host.entries, number)).play.aggregate.opened
    assert again.characters["c1"].seat == "p1"


def test_a_seat_that_was_left_before_a_roll_is_taken_again_in_its_export() -> None:
    host = brawl()
    host.seat("p3")
    for seat in ("p2", "p3"):
        host.ask(NARRATOR, LeaveSeat(seat))
    number = prayer(host)
    for seat in ("p2", "p3"):
        host.ask(NARRATOR, TakeSeat(seat))
    host.ask("p3", Dispute(number), words="I was away.")
    again = back(scenario_text(host.entries, number)).play.aggregate.opened
    assert {id for id, seat in again.seats.items() if seat.here} == {NARRATOR, "p1", "p2", "p3"}


def event_in(entry: Entry) -> Any:
    """The event of an entry; None where it was erased."""
    return decode(entry.payload).event if entry.payload else None
