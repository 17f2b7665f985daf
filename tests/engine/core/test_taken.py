"""What an outcome says was spent or gained is what the tracks took of it."""

from typing import Any

from immutables import Map

from urim.engine.table import RollHandle
from urim.engine.testing.plugin.tables import FixtureTable
from urim.events.base import Effect
from urim.events.roll import RollResolved
from urim.events.ruling import RollAmended
from urim.projections.outcomes import outcome_of
from urim.projections.tracks import taken

SCORES = {"Trance": 6, "WI": 13}


def trance(tiredness: int, *, times: int = 1) -> list[RollHandle]:
    """Trances that regain four levels of tiredness each, by one who has so many."""
    table = FixtureTable("age_of_magic", dice="scripted")
    ann = table.character("Ann", attributes=SCORES, tracks={"tiredness": tiredness})
    wish: dict[str, Any] = {"skill": "Trance", "characteristic": "WI", "kind": "trance"}
    found = list[RollHandle]()
    for _ in range(times):
        roll = table.declare(ann, **wish, difficulty=1)
        roll.roll(option=0)
        assert roll.resolve().figures["levels_regained"] == 4
        found.append(roll)
    return found


def announced(roll: RollHandle) -> list[tuple[Effect, ...]]:
    """What each outcome of a roll was announced to cost and give."""
    events = (entry.event for entry in roll.state.trail)
    return [event.effects for event in events if isinstance(event, (RollResolved, RollAmended))]


def test_an_outcome_regains_what_was_lost_and_no_more() -> None:
    """The trance of the book gave −8 where the track went from 1 to 0."""
    assert announced(*trance(1)) == [(Effect("c1", "tiredness", -1),)]
    assert announced(*trance(6)) == [(Effect("c1", "tiredness", -4),)]
    assert announced(*trance(0)) == [()]


def test_what_tracks_took_is_no_reason_to_say_that_the_rules_give_something_else() -> None:
    [roll] = trance(1)
    found = outcome_of(roll.table.state.game, roll.state)
    assert found is not None
    assert not found.differs
    assert found.derived.effects == (Effect("c1", "tiredness", -4),)


def test_an_amended_outcome_takes_what_was_there_in_the_place_of_the_first() -> None:
    roll, rest = trance(6, times=2)
    table = roll.table
    assert announced(rest) == [(Effect("c1", "tiredness", -2),)]
    roll.amend("He was disturbed.", difficulty=11)
    assert announced(roll) == [
        (Effect("c1", "tiredness", -4),),
        (Effect("c1", "tiredness", -2),),
    ]
    assert table.state.tracks["c1"]["tiredness"] == 2
    rest.amend("He was not.", difficulty=6)
    assert announced(rest)[1] == (Effect("c1", "tiredness", -3),)
    assert table.state.tracks["c1"]["tiredness"] == 1


def test_effects_are_taken_one_after_another() -> None:
    table = FixtureTable("age_of_magic", dice="scripted")
    table.character("Ann", attributes=SCORES)
    tracks = Map({"c1": Map({"tiredness": 7})})
    asked = tuple(Effect("c1", "tiredness", by) for by in (3, -10, -1, 2))
    found = taken(table.state.game, tracks, asked)
    assert [each.delta for each in found] == [1, -8, 2]
    set_to = (Effect("c1", "tiredness", 0, to=20),)
    assert taken(table.state.game, tracks, set_to) == (Effect("c1", "tiredness", 0, to=8),)
