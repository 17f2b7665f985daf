"""Names, notes and reasons: who may write them about what, once some of them are erased."""

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import failures, judged, loud, told
from tests.engine.helpers.bodies import asked_for, asked_on, command_for
from tests.engine.helpers.stage import ROOT, fight, pray
from urim.engine.core.commands import Erase, LeaveSeat, NameCharacter, NameSeat, Note, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.entry import withhold


def secret() -> tuple[Table, int]:
    """A table with an open roll (1) and a secret one (2) of the toad's; gives its declaration."""
    table, etgar, toad = fight()
    pray(table, etgar)
    roll = pray(table, toad, visibility="self")
    return table, roll.state.trail[0].seq


@pytest.mark.parametrize("kind", [NameSeat, NameCharacter])
def test_a_name_may_be_given_again_once_the_one_between_is_erased(kind: type) -> None:
    table, _, _ = fight()
    who, by = ("p1", "p1") if kind is NameSeat else ("c1", "p1")
    seqs = [table.submit(by, worded(kind(who), name))[-1].seq for name in ("Ann", "Bob", "Ann")]
    table.submit(by, Erase(seqs[1]))
    assert table.entries[seqs[1]].payload is None
    assert loud(judged(table.entries)) == []


def test_a_name_may_be_said_with_the_seat_though_it_was_said_before() -> None:
    table, _, _ = fight()
    for _ in range(2):
        table.seat("p9", name="Ann")
        table.submit(NARRATOR, LeaveSeat("p9"))
    assert loud(judged(table.entries)) == []


def test_who_may_not_see_a_roll_writes_no_note_about_it() -> None:
    table, seq = secret()
    note = tabled.Noted(NARRATOR, seq)
    entries = asked_for(table.entries, note, kind="hidden")
    assert failures(judged(entries)) == [len(table.entries)]


def test_whoever_sees_it_does_and_the_note_is_hidden() -> None:
    table, seq = secret()
    note = tabled.Noted("p2", seq)
    size = len(table.entries)
    assert loud(judged(asked_for(table.entries, note, kind="hidden"))) == []
    shown = asked_for(table.entries, note)
    assert failures(judged(shown)) == [size]


def test_a_note_on_a_hidden_note_that_was_erased_is_left_alone() -> None:
    table, seq = secret()
    first = table.submit("p2", worded(Note(seq), "I wonder."))
    second = table.submit("p2", worded(Note(first[0].seq), "No more."))
    assert [entry.kind for entry in second] == ["hidden", "hidden-text"]
    table.submit("p2", Erase(first[1].seq))
    assert table.entries[-1].kind == "hidden"
    assert loud(judged(table.entries)) == []
    for seat in ("p1", "p2", NARRATOR, ""):
        assert loud(judged(table.aggregate.view(seat))) == []


def test_a_text_is_erased_once() -> None:
    table, _, _ = fight()
    note = table.submit("p1", worded(Note(0), "a note"))[-1].seq
    gone = tabled.EntryErased("p1", note)
    still_there = asked_for(table.entries, gone, gone)
    assert failures(judged(still_there)) == [len(still_there) - 1]
    table.submit("p1", Erase(note))
    entries = asked_for(table.entries, tabled.EntryErased("p1", note))
    assert failures(judged(entries)) == [len(entries) - 1]


def test_only_a_text_is_erased_not_what_it_is_about() -> None:
    table, _, _ = fight()
    note, text = (entry.seq for entry in table.submit("p1", worded(Note(0), "a note")))
    assert failures(judged(asked_for(table.entries, tabled.EntryErased("p1", note)))) == [
        len(table.entries)
    ]
    assert loud(judged(asked_for(table.entries, tabled.EntryErased("p1", text)))) == []


def test_a_label_may_be_missing_where_the_command_names_none_and_a_reason_may_not() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2)
    assert loud(judged(table.entries)) == []
    entries, void = table.entries, rolled.RollVoided(NARRATOR, 1)
    size = len(entries)
    assert loud(judged(asked_on(entries, command_for(void), void))) == []
    silent = asked_on(entries, replace(command_for(void), text=None), void)
    assert failures(judged(silent)) == [size]
    assert any("needs a reason" in why for _, why in told(judged(silent)))


def test_an_erased_text_is_there_still_and_one_that_is_missing_is_not() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2, label="A prayer")
    label = table.entries[-1]
    assert label.kind == "text"
    gone = [*table.entries[:-1], withhold(label)]
    assert loud(judged(gone)) == []
    assert failures(judged(table.entries[:-1])) == [label.commit]
