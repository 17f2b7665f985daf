"""The rows of the automaton are an automaton, and what is none is refused when it is read."""

import pytest
from msgspec.structs import replace

from urim.errors import Defect, Refused
from urim.events import roll as rolled
from urim.events import ruling
from urim.events.codec import EVENTS
from urim.projections.automaton import (
    AFTER,
    ROWS,
    STATES,
    TRIGGERS,
    Row,
    after,
    checked,
    state_named,
)


def changed(command: str, **fields: object) -> tuple[Row, ...]:
    """The rows with one command's rows changed."""
    return tuple(replace(row, **fields) if row.command == command else row for row in ROWS)


def test_the_rows_are_an_automaton() -> None:
    assert checked(ROWS) == ROWS
    assert {row.trigger for row in ROWS} == set(TRIGGERS)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (changed("veto", sources=("declared", "asleep")), "row veto veto: no such {'asleep'}"),
        (changed("veto", to="asleep"), "row veto veto: no such {'asleep'}"),
        (changed("veto", trigger="forbid"), "row forbid veto: no such 'forbid'"),
        (changed("react", to="="), "states that nothing leads to: reacted"),
        (changed("freeze", to="rolled"), "states that nothing leads to: frozen"),
        (
            tuple(replace(r, sources=tuple(s for s in r.sources if s != "damaged")) for r in ROWS),
            "states that nothing leads out of: damaged",
        ),
        (
            (*ROWS, Row("adjust", "x", (rolled.DiceFrozen,), ("rolled",), "adjusted", "asked", "")),
            "DiceFrozen leads from rolled to frozen and to adjusted",
        ),
    ],
    ids=["a source", "a target", "a trigger", "unreached", "frozen unreached", "stuck", "two ways"],
)
def test_what_is_no_automaton_is_refused(rows: tuple[Row, ...], why: str) -> None:
    with pytest.raises(Defect) as defect:
        checked(rows)
    assert why in str(defect.value)


def test_every_event_of_a_roll_has_a_row() -> None:
    of_rolls = {kind for kind in EVENTS.values() if issubclass(kind, rolled.RollEventBase)}
    assert {kind for kind, _ in AFTER} == of_rolls


def test_an_event_without_a_row_leaves_the_state_as_it_is() -> None:
    frozen = rolled.DiceFrozen("p1", 1, "initiator", ())
    assert after(frozen, "rolled") == "frozen"
    for state in set(STATES) - {"rolled", "frozen", "rerolled", "adjusted"}:
        assert after(frozen, state) == state


def test_an_amendment_takes_a_settled_roll_back_and_leaves_one_that_goes_on() -> None:
    amended = ruling.RollAmended("narrator", 1, "c1", {}, None)
    assert [after(amended, state) for state in ("declared", "frozen")] == ["declared", "frozen"]
    assert [after(amended, state) for state in ("resolved", "damaged")] == ["resolved"] * 2
    assert after(amended, "voided") == "voided"


def test_a_state_is_known_by_its_name() -> None:
    assert [state_named(name) for name in STATES[1:]] == [*STATES[1:]]
    for name in (STATES[0], "gone", 3):
        with pytest.raises(Refused, match=f"a roll has no state {name!r}") as refused:
            state_named(name)
        assert refused.value.allowed == STATES[1:]
