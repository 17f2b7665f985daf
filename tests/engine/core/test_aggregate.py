"""One table in memory: asked twice it answers once; a log that was touched is not taken over."""

from collections.abc import Callable
from typing import cast

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import MISS, ROOT, code_of, fight, hit, pray
from tests.sealing import resealed, sealed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, Environment, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.errors import Damaged, Defect, Refused
from urim.events.asked import Text
from urim.events.entry import Entry, withhold
from urim.projections.tables import TableState

OPEN = c.OpenTable("fixture0", "milhamah", source="scripted")


def loaded(table: Table, entries: tuple[Entry, ...]) -> Aggregate:
    """Another aggregate that took over these entries."""
    aggregate = Aggregate(table.aggregate.environment)
    aggregate.load(entries)
    return aggregate


# --- the same request -----------------------------------------------------------------------------


def test_the_same_request_gets_the_same_entries_and_adds_none() -> None:
    table, *_ = fight()
    command = c.worded(c.TakeSeat("p9", "player"), "Ruth")
    first = table.submit(NARRATOR, command, "r1")
    assert table.submit(NARRATOR, command, "r1") == first
    assert [entry.seq for entry in first] == [7, 8]
    assert table.state.size == 9


def test_the_same_request_gives_the_same_dice() -> None:
    table, etgar, _ = fight("fair", level="server")
    roll = table.declare(etgar, root=ROOT, rating=2)
    command = c.RollDice(1, "initiator", 7)
    first = table.submit("p1", command, "r1")
    faces = [die.face for die in roll.state.roll.hands[0].dice]
    assert table.submit("p1", command, "r1") == first
    assert [die.face for die in roll.state.roll.hands[0].dice] == faces
    assert roll.state.throws == 1


def test_another_command_under_the_same_request_is_refused() -> None:
    table, *_ = fight()
    table.submit(NARRATOR, c.TakeSeat("p9"), "r1")
    assert code_of(table.submit, NARRATOR, c.TakeSeat("p8"), "r1") == "request-reused"


def test_another_seats_request_of_the_same_id_is_another() -> None:
    table, *_ = fight()
    table.submit("p1", c.worded(c.Note(0), "mine"), "r1")
    entries = table.submit("p2", c.worded(c.Note(0), "mine too"), "r1")
    assert [entry.seq for entry in entries] == [9, 10]


def test_a_refused_request_may_be_made_again() -> None:
    table, etgar, _ = fight()
    assert code_of(table.submit, "p1", c.Resolve(1), "r1") == "unknown"
    pray(table, etgar)
    assert table.submit("p1", c.Resolve(1), "r1")


def test_a_request_is_answered_with_what_its_seat_may_see_now() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, visibility="blind", root=ROOT, rating=2)
    command = c.RollDice(1, "initiator", faces=MISS)
    (first,) = table.submit("p1", command, "r1")
    (again,) = table.submit("p1", command, "r1")
    assert (first.salt, first.payload) == (again.salt, again.payload) == (None, None)
    table.submit(NARRATOR, c.Reveal(1))
    (seen,) = table.submit("p1", command, "r1")
    assert seen.payload is not None and seen.leaf == again.leaf


def test_a_request_whose_text_was_erased_is_answered_without_it() -> None:
    table, *_ = fight()
    note = c.worded(c.Note(0), "a secret")
    noted, text = table.submit("p1", note, "r1")
    table.submit("p1", c.Erase(8))
    assert table.submit("p1", note, "r1") == (noted, withhold(text))
    another = c.Worded(note.command, Text(note.text.salt, "another"))
    assert table.submit("p1", another, "r1") == (noted, withhold(text))
    assert code_of(table.submit, "p1", c.worded(c.Note(0), "a secret"), "r1") == "request-reused"
    assert [entry.seq for entry in table.submit("p2", note, "r1")] == [10, 11]


# --- prepared, kept -------------------------------------------------------------------------------


def test_what_is_prepared_and_not_kept_changes_nothing() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    aggregate = table.aggregate
    before = (aggregate.state, tuple(aggregate.entries), aggregate.frontier, aggregate.records[:])
    prepared = aggregate.prepare("p1", aggregate.body(c.Resolve(1)), "r1")
    after = (aggregate.state, tuple(aggregate.entries), aggregate.frontier, aggregate.records[:])
    assert after == before
    assert prepared.state.rolls[1].state == "resolved"
    assert aggregate.answered("p1", "r1", aggregate.body(c.Resolve(1))) is None


def test_a_commit_is_not_kept_once_the_table_went_on() -> None:
    table, *_ = fight()
    aggregate = table.aggregate
    late = c.worded(c.Note(0), "late")
    prepared = aggregate.prepare("p1", aggregate.body(c.apart(late)[0]), text=late.text)
    table.submit("p1", c.worded(c.Note(0), "early"))
    with pytest.raises(Defect, match="kept at 9"):
        aggregate.keep(prepared)
    assert table.state.size == len(aggregate.entries) == 9


def test_a_commit_that_cannot_be_folded_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = fight()
    before = (table.state, table.entries)

    def broken(*given: object) -> TableState:
        raise Damaged("cannot be folded")

    monkeypatch.setattr("urim.engine.core.aggregate.fold", broken)
    with pytest.raises(Damaged):
        table.submit("p1", c.worded(c.Note(0), "lost"))
    assert (table.state, table.entries) == before


def test_an_event_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = fight()
    before = (table.state, table.entries)
    monkeypatch.setattr("urim.engine.core.door.PAYLOAD", 200)
    assert code_of(table.submit, "p1", c.EnterCharacter("c9", "p1", {"BLE": 3})) == "too-long"
    assert (table.state, table.entries) == before
    assert table.submit("p1", c.GiveCharacter("c1", "p2"))
    # To the last byte: the same event at a table where it is just as long as one may be.
    longest = len(max((each.payload or b"" for each in table.entries), key=len))
    for most, code in ((longest, ""), (longest - 1, "too-long")):
        monkeypatch.setattr("urim.engine.core.door.PAYLOAD", most)
        assert code_of(fight) == code


def test_a_table_must_be_opened_first() -> None:
    aggregate = Aggregate(environment("scripted"))
    assert code_of(aggregate.submit, NARRATOR, c.worded(c.Note(0), "x")) == "unknown"
    assert code_of(lambda: aggregate.opened) == "unknown"


@pytest.mark.parametrize("seat", ["", "Narrator", "a b", "p1\n", "x" * 33])
def test_a_table_is_opened_by_a_seat_of_its_form(seat: str) -> None:
    aggregate = Aggregate(environment("scripted"))
    assert code_of(aggregate.submit, seat, OPEN) == "malformed"


# --- time and secrets -----------------------------------------------------------------------------


def test_time_never_goes_back() -> None:
    times = iter([5_000, 9_000, 3_000, 9_001])
    clock = cast(Callable[[TableState | None], int], lambda state: next(times))
    timed: Environment = replace(environment("scripted"), clock=clock)
    aggregate = Aggregate(timed)
    aggregate.submit(NARRATOR, OPEN)
    for text in ("a", "b", "c"):
        aggregate.submit(NARRATOR, c.worded(c.Note(0), text))
    times_of = [entry.at for entry in aggregate.entries]
    assert times_of == [5_000, 9_000, 9_000, 9_000, 9_000, 9_001, 9_001]


def test_a_fresh_table_has_a_secret_and_salts_of_its_own() -> None:
    one, other = environment("fair"), environment("fair")
    assert len(one.secret) == 32 and one.secret != other.secret
    assert len(one.salt("fixture0", 0)) == 32
    assert one.salt("fixture0", 0) != one.salt("fixture0", 0)


# --- taken over -----------------------------------------------------------------------------------


def played() -> Table:
    """A table on which something happened, and a name was erased."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    table.submit("p1", c.worded(c.NameCharacter("c1"), "Gideon"))
    table.submit(NARRATOR, c.Erase(3))
    pray(table, toad).void("a slip")
    return table


def test_a_log_taken_over_is_the_same_table() -> None:
    table = played()
    again = loaded(table, table.entries)
    assert again.opened == table.state
    assert again.frontier.root() == table.aggregate.frontier.root()
    assert again.entries == table.aggregate.entries
    assert again.records == table.aggregate.records


def test_a_log_may_be_taken_over_in_parts() -> None:
    table = played()
    for cut in range(1, len(table.entries)):
        again = loaded(table, table.entries[:cut])
        again.load(table.entries[cut:])
        assert again.opened == table.state


TAMPERED: dict[str, tuple[int, Callable[[Entry], Entry]]] = {
    "a gap": (9, lambda entry: replace(entry, seq=10)),
    "time": (9, lambda entry: resealed(entry, at=0)),
    "a payload": (9, lambda entry: replace(entry, payload=(entry.payload or b"") + b" ")),
    "a salt": (9, lambda entry: replace(entry, salt=bytes(32))),
    "a class": (9, lambda entry: replace(entry, kind="hidden")),
    "a leaf": (9, lambda entry: replace(entry, leaf=bytes(32))),
    "half withheld": (9, lambda entry: replace(entry, salt=None)),
    "no event": (9, lambda entry: sealed(9, entry.at, b'{"type":"x"}')),
    "the first withheld": (0, withhold),
}
"""What was done to an entry, and to which."""


@pytest.mark.parametrize(("seq", "touch"), TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_entry_is_named(seq: int, touch: Callable[[Entry], Entry]) -> None:
    table = played()
    entries = list(table.entries)
    entries[seq] = touch(entries[seq])
    with pytest.raises(Damaged) as damage:
        loaded(table, tuple(entries))
    assert damage.value.seq == entries[seq].seq


def test_a_log_of_a_system_that_is_not_installed_is_refused() -> None:
    table = played()
    bare = replace(table.aggregate.environment, rulesets=_nothing_installed)
    with pytest.raises(Refused, match="not here"):
        Aggregate(bare).load(table.entries)


def _nothing_installed(name: str) -> object:
    raise Refused("unknown", f"{name} is not here")


# --- erasure --------------------------------------------------------------------------------------


def test_an_erased_name_is_gone_and_the_root_stays() -> None:
    table, *_ = fight()
    leaf = table.entries[3].leaf
    assert table.state.name_of("c1") == "Etgar"
    table.submit(NARRATOR, c.Erase(3))
    assert table.state.name_of("c1") == "c1"
    assert table.entries[3].payload is None and table.entries[3].salt is None
    assert table.entries[3].leaf == leaf
    again = loaded(table, table.entries)
    assert again.frontier.root() == table.aggregate.frontier.root()
    assert again.opened == table.state


def test_an_erased_name_leaves_the_one_before_it_or_after_it() -> None:
    table, *_ = fight()
    table.submit("p1", c.worded(c.NameCharacter("c1"), "Gideon"))
    table.submit(NARRATOR, c.Erase(3))
    assert table.state.name_of("c1") == "Gideon"
    assert loaded(table, table.entries).opened.name_of("c1") == "Gideon"


def test_what_is_erased_is_erased_once_by_its_writer_or_a_narrator() -> None:
    table, *_ = fight()
    table.submit("p1", c.worded(c.Note(0), "mine"))
    assert code_of(table.submit, "p1", c.Erase(7)) == "not-offered"
    assert code_of(table.submit, "p2", c.Erase(8)) == "not-yours"
    table.submit("p1", c.Erase(8))
    assert code_of(table.submit, "p1", c.Erase(8)) == "not-offered"
    assert table.state.notes_about(0) == ()
