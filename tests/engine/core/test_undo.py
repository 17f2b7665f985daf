"""Undo that undoes: an amendment counts where its roll stood, whatever happened since."""

from typing import Any

import pytest

from tests.engine.helpers.stage import fight, hit, pray, replayed
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events import ruling

Hit = tuple[Table, RollHandle, CharacterHandle]


@pytest.fixture
def table_of_a_hit() -> Hit:
    """A critical hit on the toad, whose damage has landed."""
    table, etgar, toad = fight()
    return table, hit(table, etgar, toad), toad


def own(table: Table, who: CharacterHandle) -> dict[str, int]:
    """A character's tracks."""
    return dict(table.state.tracks[who.id])


def rests(table: Table, who: CharacterHandle, **values: int) -> None:
    """A narrator sets tracks, as after a night."""
    for track, value in values.items():
        table.submit(NARRATOR, c.SetTrack(who.id, track, value))


def test_a_merit_point_that_was_spent_since_does_not_come_back() -> None:
    table = FixtureTable("milhamah", dice="scripted")
    rachel = table.character("Rachel", attributes={"BLE": 2})
    first = table.declare(rachel, attribute="BLE", target="heroic")
    first.roll(faces=tuple("אשרגדהוז"))
    first.stand()
    first.choose("natural", "merit")
    first.resolve()
    assert own(table, rachel)["merit"] == 1
    second = table.declare(rachel, attribute="BLE")
    second.roll(faces=tuple("בגדהוזחט"))
    second.reroll("d1", "d2", "d3", faces=tuple("אשר"))
    assert own(table, rachel)["merit"] == 0
    first.amend("It was easier.", target="beginner")
    assert own(table, rachel)["merit"] == 0
    assert replayed(table)


def test_a_nights_rest_is_not_undone_by_what_is_put_right_in_an_older_roll() -> None:
    table = FixtureTable("age_of_magic", dice="scripted")
    porter = table.character("Porter", attributes={"EN": 2}, tracks={"tiredness": 0})
    march: dict[str, Any] = {"skill": "March", "characteristic": "EN", "kind": "tiring"}
    roll = table.declare(porter, difficulty=5, points={"March": -2}, **march)
    roll.roll(option=0)
    roll.resolve()
    tired = own(table, porter)["tiredness"]
    assert tired > 0
    rests(table, porter, tiredness=0)
    roll.amend("The load was lighter.", points={"March": -1.5})
    assert own(table, porter)["tiredness"] == 0
    assert replayed(table)


def test_healed_wounds_stay_healed_when_an_old_blow_is_put_right() -> None:
    table, etgar, toad = fight()
    blow = hit(table, etgar, toad)
    assert own(table, toad)["light"] == 1
    rests(table, toad, light=0, soak=2, **{"armour:belly": 2})
    healed = own(table, toad)
    blow.amend("He stood higher.", modifiers={"height": 1})
    assert own(table, toad) == healed
    assert blow.state.state == "damaged"
    assert replayed(table)


def test_damage_that_still_holds_is_announced_in_the_same_commit() -> None:
    table, etgar, toad = fight()
    blow = hit(table, etgar, toad)
    pray(table, etgar).resolve()
    before = table.state.size
    blow.amend("He stood higher.", modifiers={"height": 1})
    kinds = [type(record.event).__name__ for record in table.aggregate.records[before:] if record]
    assert kinds == ["RollAmended", "DamageApplied", "TextSaid"]
    assert blow.state.state == "damaged"


def test_a_location_die_falls_where_it_was_no_combat(table_of_a_hit: Hit) -> None:
    table, blow, toad = table_of_a_hit
    assert [hand.name for hand in blow.state.roll.hands][-1] == "location"
    before = table.state.size
    blow.amend("They only danced.", combat=False)
    amended = table.aggregate.records[before]
    assert amended is not None
    assert isinstance(amended.event, ruling.RollAmended)
    fallen = [table.aggregate.records[seq] for seq in amended.event.needless]
    kinds = [type(record.event).__name__ for record in fallen if record]
    assert kinds == ["DiceRolled"]
    assert "location" not in [hand.name for hand in blow.state.roll.hands]
    assert (blow.state.state, blow.state.damage) == ("resolved", None)
    assert own(table, toad).get("light", 0) == 0
    assert replayed(table)


def test_what_fell_counts_again_where_the_amendment_is_amended(table_of_a_hit: Hit) -> None:
    table, blow, toad = table_of_a_hit
    was, hurt = blow.state.roll, own(table, toad)
    blow.amend("They only danced.", combat=False)
    blow.amend("They did not.", combat=True)
    assert blow.state.roll.hands == was.hands
    assert blow.state.roll.outcome == was.outcome
    assert replayed(table)
    assert own(table, toad) != hurt
    blow.apply_damage()
    assert own(table, toad) == hurt


def test_dice_that_would_have_been_others_do_not_fall() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    with pytest.raises(Refused, match="other dice") as refusal:
        roll.amend("wrong", dice={"green": 4, "red": 4})
    assert refusal.value.code == "history"


def test_a_reroll_that_nobody_would_have_had_falls_with_its_faces() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    first = roll.state.roll.hands
    roll.reroll("d1", faces="ט")
    roll.amend("He cannot do that.", rating=0)
    amended = table.aggregate.records[-2]
    assert amended is not None
    assert isinstance(amended.event, ruling.RollAmended)
    assert amended.event.needless == (amended.seq - 1,)
    assert roll.state.roll.hands == first
    assert replayed(table)


def test_a_roll_that_goes_on_does_not_come_to_wait_for_what_nobody_can_do() -> None:
    table, etgar, toad = fight()
    roll = pray(table, etgar)
    with pytest.raises(Refused, match="would wait for: react") as refusal:
        roll.amend("The toad was there.", opponent=toad.id)
    assert refusal.value.allowed == ("void and declare again",)
    waiting = table.declare(etgar, attribute="BLE")
    waiting.amend("The toad was there.", opponent=toad.id)
    waiting.react(root="חננ", rating=3)
    assert waiting.state.state == "reacted"
