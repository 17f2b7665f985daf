"""Names, notes and reasons: who may write them about what, once some of them are erased."""

import pytest

from tests.engine.helpers.audited import LEGAL, failures, going_on, judged, loud, without
from tests.engine.helpers.stage import ROOT, fight, pray
from urim.engine.core.commands import Erase, LeaveSeat, NameCharacter, NameSeat, Note, Void
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events import table as tabled
from urim.events.entry import Entry


def secret() -> tuple[Table, int]:
    """A table with an open roll (1) and a secret one (2) of the toad's; gives its declaration."""
    table, etgar, toad = fight()
    pray(table, etgar)
    roll = pray(table, toad, visibility="self")
    return table, roll.state.trail[0].seq


def voided(table: Table) -> list[Entry]:
    """The log with its open roll voided, the reason left out."""
    table.submit(NARRATOR, Void(1, "out of turn"))
    return list(table.entries[:-1])


@pytest.mark.parametrize("kind", [NameSeat, NameCharacter])
def test_a_name_may_be_given_again_once_the_one_between_is_erased(kind: type) -> None:
    table, _, _ = fight()
    who, by = ("p1", "p1") if kind is NameSeat else ("c1", "p1")
    seqs = [table.submit(by, kind(who, name))[0].seq for name in ("Ann", "Bob", "Ann")]
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
    note = tabled.Noted(NARRATOR, seq, "I know.")
    entries = going_on(table.entries, note, kind="hidden")
    assert failures(judged(entries)) == [(LEGAL, len(entries) - 1)]


def test_whoever_sees_it_does_and_the_note_is_hidden() -> None:
    table, seq = secret()
    note = tabled.Noted("p2", seq, "I know.")
    assert loud(judged(going_on(table.entries, note, kind="hidden"))) == []
    shown = going_on(table.entries, note)
    assert failures(judged(shown)) == [(LEGAL, len(shown) - 1)]


def test_a_reason_is_about_what_was_done_and_by_who_did_it() -> None:
    table, seq = secret()
    entries = voided(table)
    void = len(entries) - 1
    assert loud(judged(going_on(entries, tabled.Noted(NARRATOR, void, "So.")))) == []
    elsewhere = going_on(entries, tabled.Noted(NARRATOR, seq, "So."), kind="hidden")
    assert failures(judged(elsewhere)) == [(LEGAL, void + 1)]
    nobodys = going_on(entries, tabled.Noted("ghost", void, "So."))
    assert failures(judged(nobodys)) == [(LEGAL, void + 1)]


def test_a_note_on_a_hidden_note_that_was_erased_is_let_be() -> None:
    table, seq = secret()
    first = table.submit("p2", Note(seq, "I wonder."))[0].seq
    second = table.submit("p2", Note(first, "No more."))[0]
    assert second.kind == "hidden"
    table.submit("p2", Erase(first))
    assert loud(judged(table.entries)) == []


def test_a_text_is_erased_once() -> None:
    table, _, _ = fight()
    note = table.submit("p1", Note(0, "a note"))[0].seq
    gone = tabled.EntryErased("p1", note)
    still_there = going_on(table.entries, gone, gone)
    assert failures(judged(still_there)) == [(LEGAL, len(still_there) - 1)]
    table.submit("p1", Erase(note))
    entries = going_on(table.entries, tabled.EntryErased("p1", note))
    assert failures(judged(entries)) == [(LEGAL, len(entries) - 1)]


def test_a_label_and_a_reason_may_be_missing() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2, label="A prayer")
    assert loud(judged(without(table.entries, len(table.entries) - 1))) == []
    assert loud(judged(voided(table))) == []
