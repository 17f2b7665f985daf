"""The machine of the automaton's rows: one door, and what a command led to held against them."""

from typing import get_args

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import fight, hit
from urim.engine.core import machine
from urim.engine.core.attempt import Attempt
from urim.engine.core.commands import AnyRollCommand, Declare, Dispute, Resolve, worded
from urim.engine.core.decide import ROLL_COMMANDS
from urim.engine.core.guards import GUARDS
from urim.engine.core.machine import DOORS
from urim.engine.core.parse import name_of
from urim.errors import Defect, Refused
from urim.events import roll as rolled
from urim.events import ruling
from urim.events.base import Thrown
from urim.events.codec import Event, RecordedEvent
from urim.projections.automaton import (
    ON_TABLE,
    ROWS,
    SETTLED,
    STATES,
    TRIGGERS,
    State,
    Trigger,
    target,
)
from urim.projections.rolls import evolve
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState

EVERY_CELL = [(state, trigger) for state in STATES for trigger in TRIGGERS]
COMMANDS = (Declare, *get_args(AnyRollCommand))


@pytest.fixture(scope="module")
def table() -> TableState:
    """A table with one roll that went all the way."""
    played, etgar, toad = fight()
    hit(played, etgar, toad)
    return played.state


def an_attempt(table: TableState, state: State, trigger: str) -> Attempt:
    """Somebody tries to fire a trigger in a state."""
    attempt = Attempt(table, "p1", Resolve(1), table.rolls[1], trigger)
    attempt.state = state
    return attempt


@pytest.fixture
def open_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards that let everybody through, so that the table alone decides."""
    built = machine.build(guards=dict.fromkeys(GUARDS, lambda attempt: True))
    monkeypatch.setattr(machine, "DOORS", machine.doors(built))


@pytest.mark.parametrize(("state", "trigger"), EVERY_CELL)
@pytest.mark.usefixtures("open_machine")
def test_a_trigger_fires_just_where_the_table_says_and_leads_where_it_says(
    table: TableState, state: State, trigger: Trigger
) -> None:
    rows = [row for row in ROWS if row.trigger == trigger and state in row.sources]
    attempt = an_attempt(table, state, trigger)
    if rows:
        machine.fire(attempt)
        assert {target(row, state) for row in rows} == {attempt.state}
    else:
        with pytest.raises(Refused) as refused:
            machine.fire(attempt, legal=("this", "that"))
        assert refused.value.code == "wrong-state"
        assert refused.value.allowed == ("this", "that")
        assert attempt.state == state


def the_event(trigger: str, state: str) -> Event:
    """An event that the trigger leads to in that state."""
    proof = rolled.Proof(0, "scripted")
    settled = state in SETTLED
    declared = {"root": "רוח", "rating": 1, "target": 2, "dice": {}}
    events: dict[str, Event] = {
        "declare": rolled.RollDeclared("p1", 1, "c1", declared, "public", "player"),
        "veto": ruling.DeclarationVetoed("narrator", 1),
        "replace": ruling.DeclarationReplaced("narrator", 1, declared),
        "react": rolled.ReactionDeclared("p2", 1, "c2", None),
        "roll": rolled.DiceRolled("p1", 1, "c1", "more", (Thrown("d99", "red-a", "א"),)),
        "freeze": rolled.DiceFrozen("p1", 1, "initiator", ()),
        "reroll": rolled.DiceRerolled("p1", 1, "initiator", (), proof),
        "adjust": rolled.DiceAdjusted("p1", 1, "initiator", "cipher", ()),
        "resolve": rolled.RollResolved("p1", 1, {"degree": "x", "margin": 0, "figures": {}}),
        "apply_damage": rolled.DamageApplied("p1", 1, "c2", {"amount": 0, "figures": {}}),
        "amend": ruling.RollAmended(
            "narrator", 1, "c1", declared,
            {"degree": "x", "margin": 0, "figures": {}} if settled else None,
        ),
        "void": rolled.RollVoided("narrator", 1),
        "withdraw": rolled.RollVoided("p1", 1),
        "ask": rolled.ThrowPlanned("p1", 1, 3, "roll", "initiator", (("d1", "red-a"),)),
        "open_share": rolled.ShareOpened("p2", 1, 3, "0" * 64),
        "break_throw": rolled.ThrowBroken("p1", 1, 3, ("p2",), "0" * 64, "1" * 64),
        "confirm": rolled.ThrowConfirmed("p2", 1, 0),
        "flavour": ruling.FlavourNamed("narrator", 1, "initiator", ("א",), "harmless"),
        "fate": ruling.FateDecided("narrator", 1, "c2", "spared"),
        "reveal": rolled.RollRevealed("narrator", 1),
        "dispute": ruling.DisputeRaised("p2", 1),
        "rule": ruling.RulingMade("narrator", 1, 1, "stands"),
    }  # fmt: skip
    return events[trigger]


@pytest.mark.parametrize(("state", "trigger"), sorted(DOORS))
@pytest.mark.usefixtures("open_machine")
def test_replay_moves_a_roll_where_the_machine_does(
    table: TableState, state: State, trigger: Trigger
) -> None:
    attempt = an_attempt(table, state, trigger)
    machine.fire(attempt)
    roll: RollState | None = None
    if state != "new":
        roll = replace(table.rolls[1], state=state)
    after = evolve(roll, _entry(the_event(trigger, state)), table.game)
    assert after.state == attempt.state


def _entry(event: Event) -> RecordedEvent:
    return RecordedEvent(99, 0, bytes(32), event)


def test_every_guard_is_named_once_and_used() -> None:
    assert {row.guard for row in ROWS} == set(GUARDS)
    assert all(name == guard.__name__ for name, guard in GUARDS.items())


def test_every_command_fires_a_trigger_and_every_trigger_has_a_command() -> None:
    tags = {(command.trigger, name_of(command)) for command in COMMANDS}
    assert tags == {(row.trigger, row.command) for row in ROWS}
    assert {trigger for trigger, _ in tags} == set(TRIGGERS)
    assert set(ROLL_COMMANDS) == set(COMMANDS)


def test_a_guard_that_refuses_leaves_the_state_alone(table: TableState) -> None:
    attempt = an_attempt(table, "rolled", "void")
    with pytest.raises(Refused) as refused:
        machine.fire(attempt)
    assert (refused.value.code, attempt.state) == ("not-yours", "rolled")


def test_the_machine_registers_nothing_that_it_is_fired_on(table: TableState) -> None:
    for _ in range(3):
        with pytest.raises(Refused):
            machine.fire(an_attempt(table, "rolled", "void"))
    assert machine.MACHINE.models == []


def test_a_voided_roll_can_only_be_revealed() -> None:
    assert machine.triggers_of("voided") == ("reveal",)
    assert machine.triggers_of("new") == ("declare",)


def test_the_markdown_table_has_a_line_for_every_row() -> None:
    lines = machine.markdown().splitlines()
    assert len(lines) == len(ROWS) + 2
    for row, line in zip(ROWS, lines[2:], strict=True):
        events = ", ".join(event.__name__ for event in row.events)
        assert line == (
            f"| `{row.trigger}` | `{row.command}` | {events} | {' '.join(row.sources)} | {row.to} "
            f"| {row.guard}: {row.needs} |"
        )


def test_the_diagram_has_an_arrow_for_every_row_that_moves() -> None:
    lines = machine.mermaid().splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert [line.strip() for line in lines[2:6]] == list(ON_TABLE)
    arrows = {
        (state, to, trigger)
        for line in lines[7:]
        for way, triggers in (line.strip().split(": "),)
        for source, to in (way.split(" --> "),)
        for trigger in triggers.split(", ")
        for state in (ON_TABLE if source == "on_table" else [source])
    }
    assert arrows == {
        ("[*]" if source == "new" else source, row.to, row.trigger)
        for row in ROWS
        if row.to != "="
        for source in row.sources
    }


def test_what_leads_out_of_every_state_with_dice_leads_out_of_their_box_alone() -> None:
    arrows = [line.strip().split(": ") for line in machine.mermaid().splitlines()[7:]]
    boxed = [row for row in ROWS if row.to != "=" and {*ON_TABLE} <= {*row.sources}]
    assert boxed
    for row in boxed:
        ways = [
            way.split(" --> ") for way, triggers in arrows if row.trigger in triggers.split(", ")
        ]
        sources = {source for source, to in ways if to == row.to}
        assert sources & {"on_table", *ON_TABLE} == {"on_table"}


# --- the machine refuses rows that are none -------------------------------------------------------


def test_a_row_with_an_unknown_guard_is_refused_when_the_machine_is_built() -> None:
    rows = (*ROWS[:-1], replace(ROWS[-1], guard="rules_well"))
    with pytest.raises(Defect, match="row rule rule: no guard 'rules_well'"):
        machine.build(rows)


def test_two_rows_of_a_trigger_that_lead_two_ways_are_refused() -> None:
    choose = next(row for row in ROWS if row.command == "choose")
    rows = [replace(row, to="frozen") if row == choose else row for row in ROWS]
    with pytest.raises(Defect, match="adjust leads from rolled two ways"):
        machine.build(rows)


def test_a_guard_that_says_no_without_refusing_is_a_fault(
    table: TableState, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = machine.build(guards=dict.fromkeys(GUARDS, lambda attempt: False))
    monkeypatch.setattr(machine, "DOORS", machine.doors(silent))
    with pytest.raises(Defect, match="neither passes nor refuses"):
        machine.fire(an_attempt(table, "rolled", "void"))


# --- what a command led to is held against the rows -----------------------------------------------


def fired(table: TableState, trigger: Trigger, state: State, after: State) -> Attempt:
    """An attempt on roll 1 that the machine moved from one state to another."""
    known = table.rolls[1]
    moved = replace(table, rolls=table.rolls.set(1, replace(known, state=state)))
    attempt = Attempt(moved, "p1", Resolve(1), moved.rolls[1], trigger)
    attempt.state = after
    return attempt


def test_events_that_follow_the_rows_are_let_through(table: TableState) -> None:
    machine.hold(fired(table, "freeze", "rolled", "frozen"), [the_event("freeze", "rolled")])
    machine.hold(fired(table, "freeze", "rolled", "frozen"), [])
    asked = rolled.ThrowAsked("p1", 1, 3, 7, (("p1", 1), ("p2", 1)))
    machine.hold(fired(table, "ask", "rolled", "rolled"), [the_event("ask", "rolled"), asked])
    share = the_event("open_share", "rolled")
    for last in ("roll", "reroll"):
        shares = [share, the_event(last, "rolled")]
        machine.hold(fired(table, "open_share", "rolled", "rolled"), shares)


@pytest.mark.parametrize(
    ("events", "why"),
    [
        (("reroll",), "DiceRerolled leaves roll 1 rerolled, and freeze leads to frozen"),
        (("freeze", "apply_damage"), "DamageApplied has no row from frozen, roll 1"),
        (("declare",), "RollDeclared has no row from rolled, roll 1"),
    ],
)
def test_events_that_the_rows_do_not_know_are_a_fault(
    table: TableState, events: tuple[str, ...], why: str
) -> None:
    led_to = [the_event(trigger, "rolled") for trigger in events]
    with pytest.raises(Defect) as defect:
        machine.hold(fired(table, "freeze", "rolled", "frozen"), led_to)
    assert why in str(defect.value)


def test_a_command_whose_events_leave_the_rows_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played, etgar, _ = fight()
    roll = played.declare(etgar, root="רוח", rating=3, target=2)
    before = len(played.entries)
    wrong = the_event("freeze", "declared")
    monkeypatch.setitem(ROLL_COMMANDS, Dispute, lambda *given: (wrong,))
    with pytest.raises(Defect):
        played.submit("p1", worded(Dispute(roll.number), "a reason"))
    assert len(played.entries) == before
