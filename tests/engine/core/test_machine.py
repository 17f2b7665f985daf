"""The table of transitions, the machine built from it, and replay agree on every cell."""

from typing import get_args

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import fight, hit
from urim.engine.core import machine
from urim.engine.core.attempt import Attempt
from urim.engine.core.commands import AnyRollCommand, Declare, Resolve
from urim.engine.core.decide import ROLL_COMMANDS
from urim.engine.core.guards import GUARDS
from urim.engine.core.machine import ANY, CELLS, SETTLED, STATES, TRANSITIONS, TRIGGERS
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import ruling
from urim.events.base import Thrown
from urim.events.codec import Event, RecordedEvent
from urim.projections.rolls import MOVES, evolve
from urim.projections.rollstate import LIVE, ON_TABLE, RollState
from urim.projections.tables import TableState

EVERY_CELL = [(state, trigger) for state in STATES for trigger in TRIGGERS]
COMMANDS = (Declare, *get_args(AnyRollCommand))


@pytest.fixture(scope="module")
def table() -> TableState:
    """A table with one roll that went all the way."""
    played, etgar, toad = fight()
    hit(played, etgar, toad)
    return played.state


def an_ask(table: TableState, state: str, trigger: str) -> Attempt:
    """Somebody asks to fire a trigger in a state."""
    attempt = Attempt(table, "p1", Resolve(1), table.rolls[1], trigger)
    attempt.state = state
    return attempt


@pytest.fixture
def open_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards that let everybody through, so that the table alone decides."""
    monkeypatch.setattr(machine, "GUARDS", dict.fromkeys(GUARDS, lambda attempt: True))
    monkeypatch.setattr(machine, "MACHINE", machine.build())


@pytest.mark.parametrize(("state", "trigger"), EVERY_CELL)
@pytest.mark.usefixtures("open_machine")
def test_a_trigger_fires_just_where_the_table_says_and_leads_where_it_says(
    table: TableState, state: str, trigger: str
) -> None:
    rows = [row for row in TRANSITIONS if row.trigger == trigger and state in row.sources]
    assert len(rows) <= 1
    attempt = an_ask(table, state, trigger)
    if rows:
        machine.fire(attempt)
        assert attempt.state == (state if rows[0].to == "=" else rows[0].to)
    else:
        with pytest.raises(Refused) as refused:
            machine.fire(attempt)
        assert refused.value.code == "wrong-state"
        assert refused.value.allowed == machine.triggers_of(state)
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
        "commit_nonce": rolled.NonceCommitted("p1", 1, 0, "0" * 64, 0, ()),
        "witness": rolled.WitnessGiven("p2", 1, 0, "0" * 64),
        "pass_over": rolled.SeatsPassedOver("p1", 1, 0, ("p2",)),
        "report_withheld": rolled.NonceWithheld("p2", 1, 0, "p1"),
        "confirm": rolled.ThrowConfirmed("p2", 1, 0),
        "flavour": ruling.FlavourNamed("narrator", 1, "initiator", ("א",), "harmless"),
        "fate": ruling.FateDecided("narrator", 1, "c2", "spared"),
        "reveal": rolled.RollRevealed("narrator", 1),
        "dispute": ruling.DisputeRaised("p2", 1),
        "rule": ruling.RulingMade("narrator", 1, 1, "stands"),
    }  # fmt: skip
    return events[trigger]


@pytest.mark.parametrize(("state", "trigger"), sorted(CELLS))
@pytest.mark.usefixtures("open_machine")
def test_replay_moves_a_roll_where_the_machine_does(
    table: TableState, state: str, trigger: str
) -> None:
    attempt = an_ask(table, state, trigger)
    machine.fire(attempt)
    roll: RollState | None = None
    if state != "new":
        bound = evolve(table.rolls[1], _entry(the_event("commit_nonce", state)), table.game)
        roll = replace(bound, state=state)
    after = evolve(roll, _entry(the_event(trigger, state)), table.game)
    assert after.state == attempt.state


def _entry(event: Event) -> RecordedEvent:
    return RecordedEvent(99, 0, bytes(32), event)


def test_every_moving_event_is_the_event_of_a_trigger() -> None:
    moving = {type(the_event(trigger, "rolled")) for trigger in TRIGGERS} & set(MOVES)
    assert moving | {rolled.ChoiceMade} == set(MOVES)  # `adjust` has two


def test_a_choice_moves_a_roll_as_an_adjustment_does() -> None:
    assert MOVES[rolled.ChoiceMade] == CELLS["rolled", "adjust"].to


def test_every_guard_is_named_once_and_used() -> None:
    assert {row.guard for row in TRANSITIONS} == set(GUARDS)
    assert all(name == guard.__name__ for name, guard in GUARDS.items())


def test_every_command_fires_a_trigger_and_every_trigger_has_a_command() -> None:
    assert {command.trigger for command in COMMANDS} == set(TRIGGERS)
    assert set(ROLL_COMMANDS) == set(COMMANDS)


def test_a_guard_that_refuses_leaves_the_state_alone(table: TableState) -> None:
    attempt = an_ask(table, "rolled", "void")
    with pytest.raises(Refused) as refused:
        machine.fire(attempt)
    assert (refused.value.code, attempt.state) == ("not-yours", "rolled")


def test_the_machine_registers_nothing_that_it_is_fired_on(table: TableState) -> None:
    for _ in range(3):
        with pytest.raises(Refused):
            machine.fire(an_ask(table, "rolled", "void"))
    assert machine.MACHINE.models == []


def test_a_voided_roll_can_only_be_talked_about() -> None:
    assert machine.triggers_of("voided") == ("reveal", "dispute", "rule")
    assert machine.triggers_of("new") == ("declare",)


def test_the_states_are_those_of_the_projections() -> None:
    assert (*LIVE, *SETTLED) == ANY
    assert set(ON_TABLE) < set(LIVE)
    assert set(MOVES.values()) == set(STATES) - {"new"}


def test_the_markdown_table_has_a_line_for_every_row() -> None:
    lines = machine.markdown().splitlines()
    assert len(lines) == len(TRANSITIONS) + 2
    for row, line in zip(TRANSITIONS, lines[2:], strict=True):
        assert line == (
            f"| `{row.trigger}` | {' '.join(row.sources)} | {row.to} | {row.guard}: {row.needs} |"
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
        for state in (ON_TABLE if source == "lying" else [source])
    }
    assert arrows == {
        ("[*]" if source == "new" else source, row.to, row.trigger)
        for row in TRANSITIONS
        if row.to != "="
        for source in row.sources
    }
