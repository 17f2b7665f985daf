"""Every command three times: it does, it refuses, it stays quiet."""

from typing import get_args

import pytest

from tests.engine.helpers.decide_cases import (
    ALL_CASES,
    CASES,
    Case,
    declared,
    failed,
    prayed,
    seated,
    wounded,
)
from tests.engine.helpers.stage import MISS, ROOT, code_of, fight, pray
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.projections.automaton import State

ALL = pytest.mark.parametrize("case", ALL_CASES.values(), ids=list(ALL_CASES))

STATE_AFTER: dict[type, State] = {
    c.Declare: "declared",
    c.React: "reacted",
    c.Withdraw: "voided",
    c.RollDice: "rolled",
    c.Freeze: "frozen",
    c.Reroll: "rerolled",
    c.Adjust: "adjusted",
    c.Choose: "adjusted",
    c.Resolve: "resolved",
    c.ApplyDamage: "damaged",
    c.Amend: "damaged",  # what still holds is announced again in the commit
    c.Void: "voided",
    c.Ask: "declared",
    c.OpenShare: "declared",
    c.BreakThrow: "declared",
    c.Reveal: "declared",
    c.Dispute: "rolled",
    c.Rule: "rolled",
    c.Veto: "declared",
    c.Replace: "declared",
    c.Flavour: "resolved",
    c.DecideFate: "damaged",
    c.Confirm: "rolled",
}
"""The state in which each command of CASES that is about a roll leaves roll 1."""

IN_ANY_STATE = (c.Reveal,)
"""Commands about a roll that is voided too."""

WAITING = (c.OpenShare, c.BreakThrow)
"""Commands about a throw that waits for shares: nothing else happens to its roll meanwhile."""

OVER = [kind for kind in STATE_AFTER if kind not in (c.Declare, *IN_ANY_STATE, *WAITING)]


def events(table: Table, after: int) -> tuple[type, ...]:
    """The kinds of the events since a size."""
    return tuple(type(record.event) for record in table.aggregate.records[after:] if record)


def test_every_command_has_its_three_tests() -> None:
    assert {*CASES, c.OpenTable} == set(get_args(c.AnyCommand))


@ALL
def test_a_command_leads_to_its_events(case: Case) -> None:
    table = case.stage()
    before = table.state.size
    entries = table.submit(case.seat, case.command)
    assert events(table, before) == case.events
    assert [entry.seq for entry in entries] == list(range(before, table.state.size))


def test_every_command_about_a_roll_has_its_state() -> None:
    of_rolls = {kind for kind in CASES if issubclass(kind, c.RollCommand)}
    assert set(STATE_AFTER) == {c.Declare, *of_rolls}


@pytest.mark.parametrize(("kind", "state"), STATE_AFTER.items())
def test_a_command_leaves_its_roll_in_a_state(kind: type, state: State) -> None:
    case = CASES[kind]
    table = case.stage()
    table.submit(case.seat, case.command)
    assert table.state.rolls[1].state == state


@pytest.mark.parametrize("kind", OVER)
def test_a_voided_roll_is_over_for_every_command(kind: type) -> None:
    case = CASES[kind]
    table = case.stage()
    table.submit(NARRATOR, c.worded(c.Void(1), "It never happened."))
    assert code_of(table.submit, case.seat, case.command) == "wrong-state"


@ALL
def test_a_command_that_may_not_be_is_refused_and_changes_nothing(case: Case) -> None:
    table = case.stage()
    before, root = table.state, table.aggregate.frontier.root()
    with pytest.raises(Refused) as refused:
        table.submit(case.other, case.wrong, "a-request")
    assert refused.value.code == case.code
    assert (table.state, table.aggregate.frontier.root()) == (before, root)
    assert table.aggregate.answered(case.other, "a-request", b"") is None


@ALL
def test_a_command_given_again_stays_quiet(case: Case) -> None:
    table = case.stage()
    first = table.submit(case.seat, case.command, "a-request")
    state = table.state
    assert table.submit(case.seat, case.command, "a-request") == first or not first
    assert table.state is state
    if case.same:
        assert table.submit(case.seat, case.command, "another") == ()
        assert table.state == state


@ALL
def test_nobody_without_a_seat_is_heard(case: Case) -> None:
    table = case.stage()
    assert code_of(table.submit, "stranger", case.command) == "unknown"
    if table.state.ask is not None:  # then nobody sits down, and nobody leaves
        return
    table.seat("gone")
    table.submit("gone", c.LeaveSeat("gone"))
    assert code_of(table.submit, "gone", case.command) == "unknown"


def test_a_table_is_opened_once() -> None:
    table = seated()
    opening = c.OpenTable("another1", "milhamah", source="scripted")
    assert code_of(table.submit, NARRATOR, opening) == "taken"
    assert events(table, 0)[0] is tabled.TableOpened


def test_a_character_given_to_its_own_seat_stays_quiet() -> None:
    table = seated()
    assert table.submit("p1", c.GiveCharacter("c1", "p1")) == ()


def test_freezing_nothing_where_nothing_is_frozen_stays_quiet() -> None:
    table = prayed()
    assert table.submit("p1", c.Freeze(1, "initiator", ())) == ()
    assert table.state.rolls[1].state == "rolled"


def test_an_adjustment_of_nothing_stays_quiet() -> None:
    table = prayed()
    assert table.submit("p1", c.Adjust(1, "initiator", "cipher", ())) == ()


def test_a_track_set_to_what_it_is_holds_though_what_made_it_so_is_voided() -> None:
    table = wounded()
    assert table.submit(NARRATOR, c.SetTrack("c2", "light", 1))
    table.submit(NARRATOR, c.worded(c.Void(1), "why"))
    assert table.state.tracks["c2"]["light"] == 1


def test_a_track_is_set_within_its_bounds() -> None:
    table = seated()
    assert code_of(table.submit, NARRATOR, c.SetTrack("c1", "light", 4)) == "out-of-range"
    assert code_of(table.submit, NARRATOR, c.SetTrack("c1", "mana", 1)) == "unknown"


def test_a_vetoed_declaration_goes_on_only_once_it_is_replaced() -> None:
    table = declared()
    table.submit(NARRATOR, c.worded(c.Veto(1), "no"))
    answer = c.React(1, "c2", None)
    assert code_of(table.submit, "p2", answer) == "not-offered"
    assert code_of(table.submit, NARRATOR, c.worded(c.Veto(1), "no")) == "not-offered"
    table.submit(NARRATOR, c.worded(c.Replace(1, {"root": "אשר"}), "so"))
    assert table.submit("p2", answer)
    assert table.state.rolls[1].roll.declaration.root == "אשר"


def test_a_replacement_puts_back_what_the_first_declaration_cost() -> None:
    table, etgar, _ = fight()
    table.submit(NARRATOR, c.SetTrack("c1", "xr", 2))
    roll = table.declare(etgar, root=ROOT, rating=1)
    assert etgar.sheet.tracks.get("xr", 0) == 0
    roll.replace("so", rating=2)
    assert (etgar.sheet.tracks.get("xr", 0), roll.state.roll.declaration.xr) == (0, 2)


def test_a_dispute_is_decided_once() -> None:
    table = prayed()
    table.submit("p2", c.worded(c.Dispute(1), "why?"))
    table.submit(NARRATOR, c.worded(c.Rule(1, 9, "stands"), "so"))
    assert code_of(table.submit, NARRATOR, c.worded(c.Rule(1, 9, "void"), "so")) == "unknown"
    assert table.state.notes_about(9) == ("why?",)
    assert table.state.notes_about(11) == ("so",)


def test_a_following_roll_is_offered_once_to_one_character() -> None:
    table = failed()
    wish = {"root": "גט", "rating": 1}
    assert code_of(table.submit, "p1", c.Declare("c1", wish, follows=(1, "counter")))
    assert code_of(table.submit, "p2", c.Declare("c2", wish, follows=(1, "again")))
    table.submit("p2", c.Declare("c2", wish, follows=(1, "counter")))
    assert code_of(table.submit, "p2", c.Declare("c2", wish, follows=(1, "counter")))
    assert table.state.followers(1)[0].number == 2


def test_a_following_roll_declares_only_what_it_is_offered() -> None:
    table = failed()
    wish = {"root": ROOT, "rating": 1}
    command = c.Declare("c2", wish, follows=(1, "counter"))
    assert code_of(table.submit, "p2", command) == "not-offered"


def test_dice_taken_over_are_no_throw_and_need_no_proof() -> None:
    table = failed()
    table.submit("p2", c.Declare("c2", {"root": "גט", "rating": 1}, follows=(1, "counter")))
    table.submit("p1", c.React(2, "c1", None))
    assert code_of(table.submit, "p2", c.RollDice(2, "initiator", faces=MISS)) == "nonce"
    table.submit("p2", c.RollDice(2, "initiator"))
    record = table.aggregate.records[-1]
    assert record is not None and isinstance(record.event, rolled.DiceRolled)
    assert (record.event.proof, record.event.taken) == (None, 1)
    assert [item.face for item in record.event.dice] == list("גטואאאאא")
    assert table.state.rolls[2].throws == 0


def test_a_narrator_resolves_for_anybody_and_does_nothing_else_for_them() -> None:
    table = prayed()
    assert code_of(table.submit, NARRATOR, c.Freeze(1, "initiator", ("d1",))) == "not-yours"
    table.submit(NARRATOR, c.Resolve(1))
    assert table.state.rolls[1].state == "resolved"


def test_a_label_is_a_note_about_the_declaration() -> None:
    table, etgar, _ = fight()
    pray(table, etgar, label="A prayer")
    assert table.state.notes_about(7) == ("A prayer",)
