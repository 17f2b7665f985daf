"""History has a line for every event, isolates right-to-left text, and names later changes."""

import re
from typing import get_args

import pytest
from msgspec.structs import replace

from tests.engine.helpers.decide_cases import AGAIN, CASES, RULED, ruled
from tests.engine.helpers.stage import ROOT, fight, hit, pray
from urim.engine.core import commands as c
from urim.engine.core.aggregate import environment
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.engine.table.shares import Shares
from urim.events.codec import Event
from urim.events.roll import RollDeclared
from urim.events.table import TextSaid
from urim.projections.history import (
    WORDS,
    WORDS_OF_ENTRY,
    HistoryLine,
    changed_fields,
    history,
)
from urim.projections.isolates import FSI, PDI, isolated

HEBREW = re.compile("[א-ת]")


def lines(table: Table) -> tuple[HistoryLine, ...]:
    """The table's history."""
    return history(table.state, table.aggregate.records)


def line_of(table: Table, kind: str, nth: int = 0) -> str:
    """The text of the nth event of a kind."""
    found = [
        line.text
        for line, record in zip(lines(table), table.aggregate.records, strict=True)
        if type(record.event if record else None).__name__ == kind
    ]
    return found[nth].replace(FSI, "").replace(PDI, "")


def every_table() -> list[Table]:
    """Tables on which every command did what it does, and one of fair dice."""
    tables = []
    for case in CASES.values():
        table = case.stage()
        table.submit(case.seat, case.command)
        tables.append(table)
    return tables


def outside(text: str) -> str:
    """What of a line stands in no isolate."""
    kept, depth = "", 0
    for letter in text:
        depth += (letter == FSI) - (letter == PDI)
        kept += letter if depth == 0 and letter != PDI else ""
    return kept


def test_every_event_has_words() -> None:
    assert {*WORDS, *WORDS_OF_ENTRY, TextSaid} == set(get_args(Event))


def test_every_event_is_a_line_of_its_own_in_the_order_of_the_log() -> None:
    for table in every_table():
        found = lines(table)
        records = [record for record in table.aggregate.records if record]
        assert [line.seq for line in found] == [record.seq for record in records]
        assert [line.at for line in found] == [record.at for record in records]
        assert all(line.text and "\n" not in line.text for line in found)


def test_isolates_are_balanced_in_every_line() -> None:
    for table in every_table():
        for line in lines(table):
            depth = 0
            for letter in line.text:
                depth += (letter == FSI) - (letter == PDI)
                assert depth >= 0, line
            assert depth == 0, line


def test_no_letter_that_is_read_from_the_right_stands_outside_an_isolate() -> None:
    table, etgar, _ = fight(options={"skill_roots": {"קפץ": ROOT}})
    table.submit("p1", c.worded(c.EnterCharacter("c9", "p1", {"קפץ": 2}, {}), "רחל"))
    table.submit("p1", c.worded(c.Note(0), "שלום"))
    roll = pray(
        table, etgar, modifiers={"רחוק": 1}, status={"ברכה": {"R": 1}}, skill="קפץ", label="תפילה"
    )
    roll.resolve()
    table.submit(NARRATOR, c.Flavour(1, "initiator", ("זק",)))
    placed, attacker, toad = fight(
        options={"location_wild": "initiator", "skill_roots": {"jump": "חננ"}}
    )
    blow = placed.declare(attacker, root=ROOT, rating=5, opponent=toad.id, combat=True)
    blow.react(root="חננ", rating=3)
    blow.roll(faces="וחרטלשנכ")
    blow.stand()
    blow.choose("natural", "allow")
    blow.roll(faces="שזגכלקבט")
    blow.stand()
    blow.roll(faces="*")
    blow.choose("location", "מ")
    blow.resolve()
    blow.apply_damage()
    placed.submit(NARRATOR, c.DecideFate(1, "destroyed", "בטן"))
    for each in (table, placed, *every_table()):
        for line in lines(each):
            assert not HEBREW.search(outside(line.text)), line.text


def test_isolated_text_stands_between_the_marks() -> None:
    assert isolated("שלום") == f"{FSI}שלום{PDI}"


def test_a_line_belongs_to_its_roll() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    numbers = [line.roll for line in lines(table)]
    assert numbers[:7] == [None] * 7
    assert set(numbers[7:]) == {1}


def test_ids_are_told_as_names() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    assert line_of(table, "RollDeclared").startswith("Roll 1: Etgar declares root רוח")
    assert "opponent Toad" in line_of(table, "RollDeclared")
    assert line_of(table, "DamageApplied").startswith("Toad takes 5 points, belly")
    assert line_of(table, "DiceFrozen").startswith("Etgar freezes d1")


def test_an_adjustment_is_a_sentence_that_names_its_means() -> None:
    case = CASES[c.Adjust]
    table = case.stage()
    table.submit(case.seat, case.command)
    assert line_of(table, "DiceAdjusted") == "A cipher on the action of Etgar: d5\u00a0א."


TEXTS = {
    c.TakeSeat: "Seat p9 is called Ruth.",
    c.NameSeat: "Seat p1 is called Dan.",
    c.NameTable: "The table is called Friday evening.",
    c.EnterCharacter: "Character c9 is called Frog.",
    c.NameCharacter: "Character c1 is called Gideon.",
    c.SetReading: "Reason: Two from now on.",
    c.Note: "Note on entry 0: it begins",
    c.Declare: "Label: A prayer",
    c.Amend: "Reason: why",
    c.Void: "Reason: why",
    c.Dispute: "Reason: why?",
    c.Rule: "Reason: so",
    c.Veto: "Reason: no",
    c.Replace: "Reason: so",
}
"""The line of the text that each command of CASES brings."""


def test_a_text_has_a_line_that_says_what_it_is() -> None:
    assert set(TEXTS) == {kind for kind in CASES if kind.text_rule is not None}  # type: ignore[attr-defined]
    for kind, text in TEXTS.items():
        table = CASES[kind].stage()
        table.submit(CASES[kind].seat, CASES[kind].command)
        assert texts_of(table)[-1] == text
        rolls = {line.seq: line.roll for line in lines(table)}
        assert rolls[table.state.size - 1] == rolls[table.entries[-1].commit]


def test_a_name_that_was_erased_is_told_by_its_id() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    table.submit(NARRATOR, c.Erase(3))
    found = lines(table)
    assert 3 not in [line.seq for line in found]
    assert any("c1" in line.text for line in found if line.seq == 7)


def test_history_says_where_a_blow_no_longer_counts_as_announced_and_why() -> None:
    table, etgar, toad = fight()
    first = hit(table, etgar, toad)
    hit(table, etgar, toad)
    assert "counts" not in line_of(table, "DamageApplied", 1)
    first.void("a slip")
    assert line_of(table, "RollResolved").endswith("[voided since]")
    assert line_of(table, "DamageApplied").endswith("[no longer counts: the roll was voided]")
    now = "[what it marks now: armour, belly -2; soak -2; light +1]"
    assert now in line_of(table, "DamageApplied", 1)
    assert "[" not in line_of(table, "RollResolved", 1)


def test_history_says_that_an_announcement_was_amended() -> None:
    table, etgar, toad = fight()
    roll = hit(table, etgar, toad)
    roll.amend("two letters", root="רו")
    assert line_of(table, "RollResolved").endswith("[amended since]")
    assert line_of(table, "DamageApplied").endswith("[no longer counts: the roll was amended]")
    amended = line_of(table, "RollAmended")
    assert f"Roll 1 is amended for Etgar: root {ROOT} → רו." in amended
    assert "Now critical success, 4 points." in amended
    assert "[" not in amended
    assert "[" not in line_of(table, "DamageApplied", 1)


def test_damage_that_is_amended_twice_is_compared_with_what_it_was_last() -> None:
    table, etgar, toad = fight()
    roll = hit(table, etgar, toad)
    roll.amend("two letters", root="רו")
    roll.amend("three of them", root=ROOT)
    assert "now takes 4 points" in line_of(table, "DamageApplied", 1)
    assert "instead of 5 points" in line_of(table, "DamageApplied", 1)
    assert "now takes 5 points" in line_of(table, "DamageApplied", 2)
    assert "instead of 4 points" in line_of(table, "DamageApplied", 2)


def test_a_field_that_a_later_version_added_and_nobody_filled_was_not_amended() -> None:
    table, etgar, _ = fight("scripted")
    table.declare(etgar, root=ROOT, rating=2).amend("you have three", rating=3)
    roll = table.state.rolls[1]
    declared, amended = roll.trail
    assert isinstance(declared.event, RollDeclared)
    before = {k: v for k, v in declared.event.declaration.items() if k != "modifiers"}
    older = replace(declared, event=replace(declared.event, declaration=before))
    rolls = table.state.rolls.set(1, replace(roll, trail=(older, amended)))
    assert changed_fields(replace(table.state, rolls=rolls), amended) == {"rating": (2, 3)}


@pytest.mark.parametrize(
    ("command", "text", "replaces"),
    [
        (c.Void(1, against=RULED), "Roll 1 is voided.", True),
        (c.Amend(1, "c1", {"modifiers": {"far": 1}}, against=RULED), "Roll 1 is amended", True),
        (c.Rule(1, AGAIN, "void", against=RULED), "rules on the dispute of entry", True),
        (c.Rule(1, AGAIN, "replay", against=RULED), "rules on the dispute of entry", True),
        (c.Rule(1, AGAIN, "stands"), "rules on the dispute of entry", False),
    ],
)
def test_what_contradicts_a_ruling_says_so(
    command: c.AnyCommand, text: str, replaces: bool
) -> None:
    table = ruled()
    first = table.submit(NARRATOR, c.worded(command, "so"))[0].seq
    [line] = (each.text for each in lines(table) if each.seq == first)
    assert text in line
    assert (f" This replaces the ruling of entry {RULED}." in line) == replaces


def test_a_declaration_is_told_without_what_is_empty_or_settled() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    words = "Roll 1: Etgar declares root רוח, rating 2, target 2, dice red 4; blue 4."
    assert line_of(table, "RollDeclared") == words


def test_a_declined_reaction_and_hidden_rolls_are_shown_as_such() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, visibility="gm", root=ROOT, rating=2, opponent=toad.id)
    roll.decline()
    assert line_of(table, "RollDeclared").startswith("Roll 1 (gm): Etgar declares")
    assert line_of(table, "ReactionDeclared") == "Toad declines to react."


def texts_of(table: Table) -> list[str]:
    """The lines without their isolates."""
    return [line.text.replace(FSI, "").replace(PDI, "") for line in lines(table)]


def broken() -> Table:
    """Roll 1: p2 keeps its share back twice; the narrator, who has an anchor, is left out once."""
    time = [1_000_000]
    usual = replace(environment("fair", bytes(32)), clock=lambda state: time[0])
    table = Table("milhamah", level="table", environment=usual)
    etgar = table.character("Etgar", attributes={"אשר": 3})
    table.seat("p2")
    shares = Shares()
    for seat in ("p1", "p2", NARRATOR):
        table.submit(seat, c.AnchorShares(shares.draw(table.state.id, seat)))
    table.declare(etgar, root="אשר", rating=2)
    for asked in (("p1", "p2"), ("p1", "p2", NARRATOR)):
        waiting = table.state.rolls[1].outstanding
        assert waiting is not None
        table.submit("p1", c.Ask(1, "initiator", waiting.seq, asked))
        table.submit("p1", c.OpenShare(1, shares.share(table.state, "p1") or ""))
        time[0] += 10_000
        table.submit(NARRATOR, c.BreakThrow(1))
    return table


def test_a_throw_broken_off_has_its_line_and_how_often_its_seat_kept_back() -> None:
    table = broken()
    texts = texts_of(table)
    assert "Throw 0 will show d1, d2, d3, d4, d5, d6, d7, d8 of the action." in texts
    asks = "Throw 0: p1 asks p2 for shares, and gives one; narrator left out."
    assert asks in texts
    assert "Throw 0: p1 opens a share." in texts
    assert "Throw 1: p1 asks narrator, p2 for shares, and gives one." in texts
    assert "Throw 0 is broken off: no share of p2. Its seed is opened." in texts
    last = "Throw 1 is broken off: no share of narrator, p2. Its seed is opened."
    assert texts[-1] == f"{last} [p2: 2 times so far]"
    anchors = [text for text in texts if "publishes a chain of shares" in text]
    assert len(anchors) == 3
    table.submit(NARRATOR, c.worded(c.Void(1), "why"))
    assert texts_of(table)[-2] == "Roll 1 is voided; the seed of throw 2 is opened."
