"""What Scarterra refuses: by code, naming the value and what is allowed, changing nothing."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.rules.scarterra.table import Cast, hit, seated
from urim.engine.core.commands import (
    Amend,
    Asking,
    Declare,
    React,
    Resolve,
    RollDice,
    worded,
)
from urim.errors import Refused


class Case(NamedTuple):
    """A seat's command and how it is refused: the code, words of the refusal, words allowed."""

    command: Asking
    code: str
    value: str
    allowed: str = ""
    seat: str = "p1"
    before: Callable[[Cast], Any] = lambda cast: None


def ann(**declared: Any) -> Asking:
    """Ann's declaration; one die unless it says otherwise."""
    return Declare("c1", {"dots": 1} | declared)


def bare(**declared: Any) -> Asking:
    """Ann's declaration without dots."""
    return Declare("c1", declared)


def resisted(cast: Cast) -> None:
    """A roll that waits for Bert's reaction."""
    cast[0].declare(cast[1], dots=1, opponent="c2")


def helped(cast: Cast) -> None:
    """A roll that waits for Bert's help."""
    cast[0].declare(cast[1], dots=1, helpers=["c2"])


def failed(cast: Cast) -> None:
    """A roll that failed against Bert."""
    roll = cast[0].declare(cast[1], dots=1, opponent="c2")
    roll.decline()
    roll.roll(faces=[2])
    roll.resolve()


def climbing(cast: Cast) -> None:
    """An extended roll after its first round, with the second begun."""
    roll = cast[0].declare(cast[1], dots=1, helpers=["c2"], target=9)
    roll.react(dots=1)
    for _ in range(2):
        roll.roll(faces=[6])
    roll.roll("2:initiator", faces=[6])


def struck(cast: Cast) -> None:
    """A hit on Bert that can be soaked."""
    hit(*cast[:3])


def wounded(cast: Cast) -> None:
    """A hit that put Bert out of action."""
    hit(*cast[:3], weapon=9).apply_damage()


def soak(**declared: Any) -> Asking:
    """Bert's soak of the first roll."""
    return Declare("c2", declared, follows=(1, "soak"))


def again(**declared: Any) -> Asking:
    """Ann's further try of the first roll."""
    return Declare("c1", {"dots": 1} | declared, follows=(1, "again"))


def bert(**reaction: Any) -> Asking:
    """Bert's reaction to the first roll."""
    return React(1, "c2", reaction)


def throw(hand: str, *faces: int) -> Asking:
    """A throw in the first roll."""
    return RollDice(1, hand, faces=faces)


CASES = [
    Case(bare(), "malformed", "name an attribute", "Dexterity"),
    Case(bare(ability="Archery"), "malformed", "'Archery'", "Dexterity"),
    Case(bare(attribute="Archery", ability="Archery"), "malformed", "'Archery'", "Dexterity"),
    Case(bare(attribute="Charm"), "unknown", "'Charm'", "Archery"),
    Case(ann(dots=101), "out-of-range", "101"),
    Case(ann(dots=-1), "out-of-range", "-1"),
    Case(ann(dots=0), "out-of-range", "pool of 0", "1 or more"),
    Case(ann(modifiers={"rain": -3}), "out-of-range", "pool of -2", "1 or more"),
    Case(ann(dots=100, modifiers={"luck": 1}), "out-of-range", "pool of 101", "at most 100"),
    Case(ann(modifiers={"rain": 101}), "out-of-range", "101"),
    Case(ann(modifiers={f"m{n}": 1 for n in range(21)}), "too-long", "modifiers"),
    Case(ann(difficulty=1), "out-of-range", "1"),
    Case(ann(difficulty=11), "out-of-range", "11"),
    Case(ann(difficulty="nasty"), "unknown", "'nasty'", "standard"),
    Case(ann(dots=5, action=2, actions=3), "out-of-range", "3 actions", "2 actions"),
    Case(ann(dots=9, action=3, actions=2), "out-of-range", "action 3 of 2", "1 to 2"),
    Case(ann(dots=9, actions=21), "out-of-range", "21"),
    Case(ann(dots=9, actions=2, reflexive=True), "malformed", "one of 2", "actions = 1"),
    Case(ann(reflexive=True, target=5), "malformed", "reflexive and extended (target 5)"),
    Case(ann(reflexive=True, opponent="c2"), "malformed", "reflexive and resisted (by c2)"),
    Case(ann(reflexive=True, helpers=["c2", "c3"]), "malformed", "cooperative (with c2, c3)"),
    Case(ann(reflexive=True, opponent="c2", combat=True), "malformed", "reflexive and an attack"),
    Case(ann(opponent="c1"), "malformed", "c1"),
    Case(ann(opponent="c9"), "unknown", "'c9'", "c2"),
    Case(
        ann(opponent="c2", helpers=["c3"]),
        "malformed",
        "resisted (by c2) and cooperative (with c3)",
        "resisted and extended",
    ),
    Case(ann(helpers=["c2", "c2"]), "malformed", "c2 is named twice"),
    Case(ann(helpers=["c1"]), "malformed", "c1"),
    Case(ann(helpers=[f"c{n}" for n in range(2, 11)]), "too-long", "helpers"),
    Case(ann(combat=True), "malformed", "None"),
    Case(ann(combat=True, opponent="c2", target=3), "malformed", "attack in combat and extended"),
    Case(ann(opponent="c2", weapon=2), "malformed", "weapon 2"),
    Case(ann(opponent="c2", combat=True, weapon=101), "out-of-range", "101"),
    Case(ann(opponent="c2", combat=True, soak="Luck"), "malformed", "'Luck'"),
    Case(ann(target=0), "out-of-range", "0"),
    Case(ann(target=101), "out-of-range", "101"),
    Case(ann(deadline=3), "malformed", "deadline of 3"),
    Case(ann(target=5, deadline=101), "out-of-range", "101"),
    Case(ann(luck=7), "unknown", "luck"),
    Case(ann(wounds=0), "not-yours", "wounds = 0", "leave it out"),
    Case(ann(retry={"difficulty": 2, "times": 1}), "not-yours", "retry", "leave it out"),
    Case(bert(), "malformed", "name an attribute", "Stamina", "p2", resisted),
    Case(bert(dots=1, attribute_dots=5), "not-yours", "5", "leave it out", "p2", resisted),
    Case(bert(attribute="Dexterity", target=3), "unknown", "target", "", "p2", resisted),
    Case(bert(dots=1, reflexive=True), "malformed", "reflexively", "", "p2", helped),
    Case(React(1, "c3", {"dots": 1}), "not-offered", "react c3", "react", "p3", resisted),
    Case(throw("initiator", 6), "not-offered", "initiator", "react", "p1", resisted),
    Case(throw("2:initiator", 6), "not-offered", "2:initiator", "2:helper:c2", "p1", climbing),
    Case(throw("2:helper:c2", 6), "not-yours", "Bert", "p2", "p1", climbing),
    Case(throw("2:helper:c2", 11), "face", "11", "10", "p2", climbing),
    Case(throw("2:helper:c2", 6, 6), "dice-left", "1", "", "p2", climbing),
    Case(Resolve(1), "due", "2:helper:c2", "2:helper:c2", "p1", climbing),
    Case(again(combat=True, opponent="c2"), "malformed", "another attack", "", "p1", failed),
    Case(again(opponent="c3"), "malformed", "c3", "c2", "p1", failed),
    Case(again(helpers=["c3"]), "malformed", "c3", "", "p1", failed),
    Case(again(), "not-offered", "'again'", "soak by Bert", "p1", struck),
    Case(soak(), "not-offered", "'soak'", "again by Ann", "p2", failed),
    Case(soak(attribute="Stamina"), "malformed", "attribute: 'Stamina'", "modifiers", "p2", struck),
    Case(soak(difficulty=5), "out-of-range", "5", "6", "p2", struck),
    Case(soak(modifiers={"cold": -3}), "out-of-range", "pool of 0", "1 or more", "p2", struck),
    Case(Declare("c2", {"dots": 5}), "not-offered", "8 wounds", "reflexive", "p2", wounded),
    Case(
        worded(Amend(1, "c1", {"dots": 2}), "more"),
        "history",
        "other dice",
        "declare again",
        "narrator",
        climbing,
    ),
    Case(
        worded(Amend(1, "c1", {"wounds": 3}), "hurt"),
        "not-yours",
        "wounds",
        "void",
        "narrator",
        climbing,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code} {case.value}")
def test_what_cannot_be_is_refused_and_changes_nothing(case: Case) -> None:
    cast = seated(health_levels=[0, -1, -1, -2, -2, -5, -5])
    case.before(cast)
    table = cast[0]
    before, entries = table.state, table.entries
    with pytest.raises(Refused) as refused:
        table.submit(case.seat, case.command)
    assert refused.value.code == case.code
    assert case.value in str(refused.value)
    assert case.allowed in " ".join(refused.value.allowed)
    assert (table.state, table.entries) == (before, entries)


def test_there_are_as_many_cases_as_there_are_ways() -> None:
    assert len(CASES) >= 25
    assert len({case.code for case in CASES}) >= 10
