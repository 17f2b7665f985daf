"""A log decided again: as it was, and on a table that differs in one thing."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.again import again, fallen
from tests.engine.helpers.bundles import honest
from tests.engine.helpers.decide_cases import answered
from tests.engine.helpers.stage import MISS, NATURAL, ROOT, fight, pray
from urim.engine.core.commands import (
    Amend,
    BeginEpoch,
    Declare,
    Erase,
    Freeze,
    Note,
    OpenTable,
    Reroll,
    Resolve,
    RollDice,
    Void,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.core.rerun import Commit, Done, NeedsDie, Numbers, commits_of
from urim.engine.table import Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Damaged, Refused
from urim.events.codec import RecordedEvent
from urim.events.entry import withhold
from urim.events.table import SeatTaken


def commits(table: Table) -> list[Commit]:
    """The table's commits."""
    return list(commits_of(table.entries))


def changed(every: Sequence[Commit], kind: type, **fields: Any) -> list[Commit]:
    """The commits, the first command of a kind with other fields."""
    at = next(n for n, commit in enumerate(every) if isinstance(commit.command, kind))
    other = replace(every[at], command=replace(every[at].command, **fields))
    return [*every[:at], other, *every[at + 1 :]]


# --- as it was ------------------------------------------------------------------------------------


def test_a_commit_holds_who_asked_for_what_with_which_text() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    asked = worded(Void(1), "a quarrel")
    table.submit(NARRATOR, asked, "the-void")
    last = commits(table)[-1]
    assert (last.seat, last.request, last.command) == (NARRATOR, "the-void", asked.command)
    assert last.text == asked.text
    assert [type(event).__name__ for event in last.events] == ["RollVoided"]


def test_the_same_log_leads_to_the_same_entries() -> None:
    for path in plays.files()[:20]:
        found = list(again(commits_of(plays.kept_of(path).log)))
        assert all(isinstance(each.ending, Done) and not each.differs for each in found)


def test_an_erased_text_changes_nothing() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    table.submit("p1", worded(Note(3), "a remark"))
    seq = table.state.size - 1
    table.submit("p1", Erase(seq))
    table.submit("p1", worded(Note(3), "another"))
    found = list(again(commits(table)))
    assert not [each for each in found if each.differs or not isinstance(each.ending, Done)]
    assert found[-1].state == table.state


def test_an_epoch_commits_again_and_the_first_commitment_was_the_declarations() -> None:
    entries = honest().entries
    found = list(again(commits_of(entries)))
    assert any(isinstance(each.commit.command, BeginEpoch) for each in found)
    assert not [each for each in found if each.differs or not isinstance(each.ending, Done)]


def test_a_withheld_entry_is_no_log_to_decide_again() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    entries = [*table.entries[:-1], withhold(table.entries[-1])]
    with pytest.raises(Damaged):
        list(commits_of(entries))


def test_a_changed_event_is_named_beside_what_it_should_be() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    every = commits(table)
    record = every[-1].records[0]
    forged: Any = replace(record.event, hand="2:initiator")
    other = replace(every[-1], records=(RecordedEvent(record.seq, record.at, b"", forged, True),))
    differs = list(again([*every[:-1], other]))[-1].differs
    assert [(type(a).__name__, type(b).__name__) for a, b in differs] == [("DiceRolled",) * 2]
    assert differs[0] == (record.event, forged)


# --- in one thing differently ---------------------------------------------------------------------


def test_another_reading_shows_what_it_would_have_changed() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    roll.stand()
    roll.resolve()
    every = commits(table)
    opening: Any = every[0].command
    other = changed(every, OpenTable, options={**opening.options, "first_roll_natural_bonus": 5})
    found = list(again(other))
    assert [type(each.commit.command) for each in found if each.differs][:1] == [OpenTable]
    assert all(isinstance(each.ending, Done) for each in found)


def test_another_command_is_followed_as_far_as_it_leads() -> None:
    table = answered()
    table.submit("p1", RollDice(1, "initiator", faces=NATURAL))
    table.submit("p1", Freeze(1, "initiator", ("d1", "d2")))
    found = list(again(changed(commits(table), Freeze, dice=("d1",))))
    assert [type(each.commit.command) for each in found if each.differs] == [Freeze]
    assert found[-1].state is not None
    hand = found[-1].state.rolls[1].roll.hand("initiator")
    assert hand is not None and [die.id for die in hand.dice if die.frozen] == ["d1"]


def test_what_is_possible_no_more_falls_away_and_says_why() -> None:
    table = answered()
    table.submit("p1", RollDice(1, "initiator", faces=NATURAL))
    table.submit("p1", Freeze(1, "initiator", ("d1", "d2")))
    table.submit("p1", Reroll(1, "initiator", faces=tuple("א"), dice=("d3",)))
    found = list(again(changed(commits(table), Freeze, dice=("d1", "d2", "d3"))))
    assert [kind for kind, _ in fallen(found)] == [Reroll]


def test_a_die_that_was_never_thrown_is_named() -> None:
    table, etgar, _ = fight("seeded:7")
    roll = table.declare(etgar, root=ROOT, rating=2)
    roll.roll()
    roll.reroll("d1")
    found = list(again(changed(commits(table), Reroll, dice=("d2",))))
    assert found[-1].ending == NeedsDie(1, 1, "d2")


def test_one_more_command_at_the_end_shows_what_it_would_lead_to() -> None:
    table, etgar, _ = fight("seeded:7")
    roll = pray(table, etgar, None)
    roll.stand()
    every = commits(table)
    more = replace(every[-1], seat="p1", command=Resolve(1))
    ending = list(again([*every, more]))[-1].ending
    assert isinstance(ending, Done)
    assert [type(draft.event).__name__ for draft in ending.drafts] == ["RollResolved"]


def test_an_amendment_reads_the_commands_of_its_roll() -> None:
    table, etgar, _ = fight("seeded:7")
    roll = pray(table, etgar, None)
    roll.stand()
    roll.resolve()
    table.submit(NARRATOR, worded(Amend(1, "c1", {"rating": 3}), "it was 3"))
    found = list(again(commits(table)))
    assert not [each for each in found if each.differs or not isinstance(each.ending, Done)]


def test_typed_dice_are_the_commands_own() -> None:
    table, etgar, _ = fight()
    pray(table, etgar, MISS)
    found = list(again(changed(commits(table), RollDice, faces=NATURAL)))
    assert [type(each.commit.command) for each in found if each.differs] == [RollDice]
    short = list(again(changed(commits(table), RollDice, faces=("א",))))
    assert fallen(short) == [(RollDice, "dice-short")]


def test_faces_typed_for_dice_that_fall_by_themselves_are_refused() -> None:
    table, etgar, _ = fight("seeded:7")
    pray(table, etgar, None)
    found = list(again(changed(commits(table), RollDice, faces=MISS)))
    assert fallen(found) == [(RollDice, "face")]


def test_a_body_that_is_no_command_is_refused() -> None:
    table = FixtureTable("milhamah")
    table.append(SeatTaken(NARRATOR, "p1", "player"))
    with pytest.raises(Refused):
        commits(table)


# --- numbers --------------------------------------------------------------------------------------


def test_numbers_that_move_are_renumbered_in_later_commands() -> None:
    table, etgar, _ = fight("seeded:7")
    pray(table, etgar, None)
    declared = next(each for each in commits(table) if isinstance(each.command, Declare))
    numbers = Numbers()
    numbers.take(declared, declared.seq + 2, [replace(declared.events[0], roll=5)])
    assert numbers.renumbered(Resolve(1)) == Resolve(5)
    note: Any = numbers.renumbered(worded(Note(declared.seq), "about it").command)
    assert note.about == declared.seq + 2


def test_what_never_was_has_no_number() -> None:
    numbers = Numbers()
    for command in (Resolve(1), worded(Note(3), "about it").command):
        with pytest.raises(Refused) as caught:
            numbers.renumbered(command)
        assert caught.value.code == "unknown"
