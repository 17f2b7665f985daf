"""A table changes a reading: rolls declared later go by it, those under way by their own."""

from collections.abc import Mapping
from typing import Any

from msgspec import json
from msgspec.structs import replace

from tests.engine.helpers.audited import event_of, judged, loud
from tests.engine.helpers.pips import PIPS
from tests.engine.helpers.stage import code_of
from tests.engine.helpers.tables.forging import note
from urim.engine.audit import audit
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sight import sight
from urim.engine.table import RollHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.events.base import Face
from urim.events.checkpoint import public_key
from urim.events.codec import recorded
from urim.events.table import ReadingSet
from urim.projections.history import history
from urim.projections.lexicon import Lexicon
from urim.projections.result import outcome_result

LATER = "From tonight on."


def table_of(system: str, **options: Any) -> FixtureTable:
    """A table with one character."""
    table = FixtureTable(system, **options)
    table.character("Ann", attributes={"BLE": 3})
    return table


def read(table: Table, name: str, value: Any) -> ReadingSet:
    """A narrator sets a reading; its event."""
    table.submit(NARRATOR, c.worded(c.SetReading(name, value), LATER))
    event = event_of(table.entries, len(table.entries) - 2)
    assert isinstance(event, ReadingSet)
    return event


def declared(table: Table, expression: str) -> RollHandle:
    """A roll of plain dice, not thrown yet."""
    table.submit("p1", c.Declare("c1", {"expression": expression}))
    return RollHandle(table, len(table.state.rolls))


def degree(roll: RollHandle, *faces: int) -> str:
    """How a roll ends with these faces."""
    roll.roll(faces=faces)
    roll.resolve()
    outcome = roll.state.roll.outcome
    assert outcome is not None
    return outcome.degree


def test_a_roll_ends_by_the_readings_it_was_declared_under() -> None:
    table = table_of("plain")
    before = declared(table, "1d20 > 7")
    assert read(table, "greater", "or equal").value == "or equal"
    after = declared(table, "1d20 > 7")
    assert (degree(before, 7), degree(after, 7)) == ("failure", "success")
    read(table, "greater", "strict")
    assert degree(declared(table, "1d20 > 7"), 7) == "failure"
    assert not loud(judged(table.entries))


def test_a_roll_that_follows_goes_as_a_whole_by_the_readings_of_its_own_declaration() -> None:
    """Also what it takes from the roll before, which went by others."""
    green = {"dice": {"green": 4, "blue": 4}}
    for first, then, said, dice in (
        ("fresh", "dice", {}, {"red": 4, "blue": 4}),
        ("dice", "fresh", green, green["dice"]),
        ("dice", "none", {}, None),
    ):
        wind = {"skill_roots": {"wind": "רוח"}}
        options = {"counter": first, "reactor_botch": False, **wind}
        table = Table("milhamah", dice="scripted", options=options)
        etgar, toad = (table.character(name, attributes={"wind": 3}) for name in ("Etgar", "Toad"))
        roll = table.declare(etgar, root="אב", rating=1, opponent=toad.id)
        roll.react(root="חננ", rating=3)
        for faces in ("רוחאלקכט", "חננגלקכט"):
            roll.roll(faces=tuple(faces))
            roll.stand()
        roll.resolve()
        read(table, "counter", then)
        wish = {"root": "רוח", "rating": 2, **said}
        declare = c.Declare(toad.id, wish, follows=(roll.number, "counter"))
        if dice is None:
            assert code_of(table.submit, toad.seat, declare) == "not-offered"
            continue
        table.submit(toad.seat, declare)
        assert table.state.rolls[2].roll.declaration.dice == dice
        assert not loud(judged(table.entries))


def test_a_soak_that_would_have_no_dice_by_what_is_read_now_is_refused() -> None:
    table = Table("scarterra", dice="manual")
    ann = table.character("Ann", attributes={"Strength": 3})
    bob = table.character("Bob", attributes={"Stamina": 3})
    attack = table.declare(ann, attribute="Strength", opponent=bob.id, combat=True)
    attack.decline()
    attack.roll(faces=(9, 9, 9))
    attack.resolve()
    read(table, "soak_by", "Armor")
    declare = c.Declare(bob.id, {}, follows=(attack.number, "soak"))
    before = table.state
    assert code_of(table.submit, bob.seat, declare) == "out-of-range"
    assert table.state is before


def test_every_view_says_which_reading_held() -> None:
    table = table_of("plain")
    rolls = [declared(table, "1d20 > 7")]
    degree(rolls[0], 7)
    read(table, "greater", "or equal")
    rolls.append(declared(table, "1d20 > 7"))
    degree(rolls[1], 7)
    state = table.state
    found = [json.encode(outcome_result(state, roll.state)).decode() for roll in rolls]
    now = Lexicon(state).reading("greater")
    assert [now in each for each in found] == [False, True]
    assert sight(state, "p1").options["greater"] == "or equal"
    lines = [line.text for line in history(state, map(recorded, table.entries))]
    assert f"Rolls declared from here on: {now}." in lines


def test_what_changes_faces_says_so_and_earlier_rolls_keep_theirs() -> None:
    table = table_of("milhamah")
    event = read(table, "location_die", "letters")
    assert [len(faces) for faces in event.faces.values()] == [22]
    assert list(event.faces) == ["location"]
    assert len(table.state.game.faces["location"]) == 22
    assert len(table.state.game.at(0).faces["location"]) == 24
    assert not read(table, "cipher_dice", 2).faces


def turned(options: Any) -> Mapping[str, tuple[Face, ...]]:
    """Dice of Pips whose faces a reading turns round."""
    return {"d6": (1, 2, 3, 4, 5, 6) if options.guarded else (6, 5, 4, 3, 2, 1)}


TURNED = replace(PIPS, faces=turned)


def test_dice_show_the_faces_of_their_rolls_declaration_to_an_audit() -> None:
    table = FixtureTable(TURNED, seed="turned")
    ann = table.character("Ann")
    rolls = [table.declare(ann, dice=5)]
    assert read(table, "guarded", value=False).faces == {"d6": (6, 5, 4, 3, 2, 1)}
    rolls.append(table.declare(ann, dice=5))
    for roll in rolls:
        roll.roll(option=5)
    origin, secret = f"urim.local/t/{table.state.id}", bytes(32)
    signed = note(table.entries, origin, secret)
    bundle = b"".join(bundle_of(table.aggregate, "", signed, [public_key(origin, secret)]))
    report = audit(bundle, rulesets=lambda _: TURNED)
    assert [each for each in report.remarks if each.word == "wrong"] == []


def test_the_same_value_again_is_nothing_new() -> None:
    table = table_of("plain")
    size = table.state.size
    table.submit(NARRATOR, c.worded(c.SetReading("greater", "strict"), LATER))
    assert table.state.size == size
