"""What may be different, and what is refused with what would be allowed."""

from typing import Any

import pytest

from tests.cases import played
from tests.engine.helpers.stage import fight, hit, pray
from urim.engine.core.commands import (
    Ask,
    Declare,
    Dispute,
    Erase,
    Freeze,
    OpenTable,
    React,
    Reroll,
    SetReading,
    SetTrack,
    Void,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.core.odds import chances
from urim.engine.core.rerun import commits_of
from urim.engine.table import RollHandle, Table
from urim.engine.whatif.changes import (
    Amended,
    Change,
    Declared,
    Instead,
    Reading,
    Voided,
    Withdrawn,
    Without,
)
from urim.engine.whatif.difference import WhatIf, what_if
from urim.engine.whatif.seen import Sealed, items_of, lines_of
from urim.errors import Refused
from urim.events.entry import Entry
from urim.projections.isolates import FSI, PDI


def of(table: Table, *changes: Change, **given: Any) -> WhatIf:
    """The what-if of a table."""
    return what_if(items_of(table.entries), changes, **given)


def refusal(table: Table, *changes: Change, **given: Any) -> Refused:
    """How it is refused."""
    with pytest.raises(Refused) as caught:
        of(table, *changes, **given)
    return caught.value


def entry_of(table: Table, kind: type) -> int:
    """Where the first command of a kind is asked."""
    return next(c.seq for c in commits_of(table.entries) if isinstance(c.command, kind))


@pytest.fixture(scope="module")
def fought() -> Table:
    """Two blows that landed."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    hit(table, etgar, toad)
    return table


def test_a_void_gives_back_what_the_roll_took_and_what_later_ones_met_differs(
    fought: Table,
) -> None:
    found = of(fought, Voided(1))
    first, second = found.rolls
    assert first.after is not None and first.after.state == "voided" and not first.after.changes
    assert second.before is not None and second.after is not None
    facts = [{f.key: f.text for f in side.facts} for side in (second.before, second.after)]
    assert [each["armour"] for each in facts] == ["0", "2"]
    assert [each["location"] for each in facts] == ["belly", "belly"]
    light = next(each for each in found.tracks if each.track == "light")
    assert (light.who.strip(FSI + PDI), light.before, light.after) == ("Toad", 3, 1)


def test_a_roll_withdrawn_at_once_lets_all_of_it_fall_away_and_says_where(fought: Table) -> None:
    found = of(fought, Withdrawn(1))
    assert [each.step for each in found.fallen] == list(range(2, 11))
    assert {each.roll for each in found.fallen} == {1}
    assert {each.refusal.code for each in found.fallen} == {"wrong-state"}
    assert found.fallen[0].refusal.allowed == ("declare",)


def test_several_changes_are_made_at_once(fought: Table) -> None:
    both = of(fought, Withdrawn(1), Voided(2))
    assert [each.after and each.after.state for each in both.rolls] == ["voided", "voided"]
    assert all(each.before == each.after for each in both.tracks if each.character == "c1")


def test_a_die_that_never_fell_is_named_and_none_is_invented() -> None:
    table, etgar, _ = fight("seeded:7")
    roll = table.declare(etgar, root="רוח", rating=2)
    roll.roll()
    roll.reroll("d1")
    roll.stand()
    roll.resolve()
    found = of(table, Instead(entry_of(table, Reroll), {"dice": ["d2"]}))
    [gap] = found.missing
    assert [(each.die, each.kind) for each in gap.dice] == [("d2", "red-b")]
    assert [each.step for each in gap.behind] == [4, 5]
    [one] = found.rolls
    assert one.after is not None and not one.after.known and one.after.outcome is None
    assert not found.fallen and found.uncertain == ()
    assert not any(each.known for each in found.tracks if each.character == "c1")


def attacked(rating: int) -> tuple[Table, RollHandle]:
    """A roll against somebody who answers with so many dice; the roller's have fallen."""
    table = Table("sagatafl", dice="scripted")
    one, two = (table.character(name, attributes={"Any": 3}) for name in ("One", "Two"))
    roll = table.declare(one, rating=3, opponent="c2")
    roll.react(two, rating=rating)
    roll.roll(hand="initiator", faces=(9, 9, 2))
    return table, roll


def test_where_dice_never_fell_the_odds_of_then_are_said() -> None:
    table, roll = attacked(1)
    roll.roll(hand="reactor", faces=(5,))
    more = Instead(entry_of(table, React), {"reaction": {"rating": 2}})
    there = chances(attacked(2)[0].state, 1)
    assert sum(there.values()) == pytest.approx(1)
    assert of(table, more).missing[0].chances == there  # who has the log may know
    assert of(table, more, seat="p1").missing[0].chances == {}  # it goes on: that were advice
    roll.resolve()
    assert of(table, more, seat="p1").missing[0].chances == there


def test_who_voids_a_roll_of_which_dice_are_missing_knows_it_again() -> None:
    table, etgar, _ = fight("seeded:7")
    roll = table.declare(etgar, root="רוח", rating=2)
    roll.roll()
    roll.reroll("d1")
    table.submit(NARRATOR, worded(Void(1), "a quarrel"))
    found = of(table, Instead(entry_of(table, Reroll), {"dice": ["d2"]}))
    assert found.missing and not found.rolls
    assert all(each.known for each in found.tracks)


def test_typed_faces_are_those_of_the_dice_that_were_thrown() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    roll.reroll("d1", faces="ו")
    found = of(table, Instead(entry_of(table, Reroll), {"dice": ["d2"]}))
    assert [each.dice[0].die for each in found.missing] == ["d2"]


def test_a_command_that_was_never_asked_leaves_what_came_before_it() -> None:
    table, etgar, _ = fight("seeded:7")
    roll = table.declare(etgar, root="רוח", rating=2)
    roll.roll()
    first = {die.id: die.face for die in table.state.rolls[1].roll.hands[0].dice}
    roll.reroll("d1", "d2")
    roll.stand()
    roll.resolve()
    again = entry_of(table, Reroll)
    found = of(table, Without(again))
    [one] = found.rolls
    assert one.after is not None and one.after.known and one.after.outcome is not None
    assert {die.die: die.face for die in one.after.hands[0].dice} == first
    assert not found.fallen and not found.missing


def test_without_its_declaration_a_roll_falls_away(fought: Table) -> None:
    found = of(fought, Without(entry_of(fought, Declare)))
    assert {each.roll for each in found.fallen} == {1}
    assert found.rolls[0].after is None
    assert refusal(fought, Without(10_000)).code == "unknown"
    assert refusal(fought, Without(0)).code == "unknown"


# --- refused --------------------------------------------------------------------------------------


def test_a_refusal_names_what_is_allowed(fought: Table) -> None:
    opening, freeze = entry_of(fought, OpenTable), entry_of(fought, Freeze)
    assert "first_roll_natural" in refusal(fought, Reading("nature", 1)).allowed
    wrong = refusal(fought, Reading("natural_bonus_opposed", 7))
    assert (wrong.code, wrong.allowed) == ("malformed", ("1", "len"))
    assert str(freeze) in [
        *refusal(fought, Instead(freeze + 1000, {})).allowed,
        *(str(each.seq) for each in commits_of(fought.entries)),
    ]
    assert refusal(fought, Instead(freeze, {"faces": 1})).allowed == ("roll", "hand", "dice")
    assert refusal(fought, Instead(opening, {"level": "high"})).code == "malformed"
    assert "rating" in refusal(fought, Declared(1, {"rate": 1})).allowed
    assert refusal(fought, Voided(9)).allowed == ("1 to 2",)
    assert refusal(fought, Amended(9, {})).allowed == ("1 to 2",)
    assert refusal(fought).allowed


def test_a_change_that_is_not_possible_is_refused_as_the_command_would_be(fought: Table) -> None:
    freeze = entry_of(fought, Freeze)
    assert refusal(fought, Instead(freeze, {"dice": ["d99"]})).code == "unknown"
    assert refusal(fought, Declared(1, {"rating": 10_000})).code == "out-of-range"
    assert refusal(fought, Voided(1), Amended(1, {"root": "חננ"})).code == "wrong-state"


def test_a_roll_that_a_ruling_declared_is_not_declared_otherwise() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    roll.dispute("The wind blew.")
    roll.rule("replay", "It did.")
    assert refusal(table, Declared(2, {"rating": 1})).code == "not-offered"
    assert refusal(table, Withdrawn(2)).code == "not-offered"


# --- what is hidden -------------------------------------------------------------------------------


def test_a_hidden_roll_is_there_for_those_alone_who_may_see_it() -> None:
    table, etgar, toad = fight()
    pray(table, etgar)
    secret = table.declare(toad, root="חננ", rating=1, visibility="gm")
    table.submit(NARRATOR, SetTrack("c1", "soak", 1))
    hidden = secret.state.trail[0].seq
    assert [each.roll for each in of(table, Voided(2)).rolls] == [2]
    for seat in ("p1", "", "nobody"):
        assert refusal(table, Voided(2), seat=seat).code == "not-seen"
        assert refusal(table, Instead(hidden, {}), seat=seat).code == "not-seen"
        assert [each.roll for each in of(table, Voided(1), seat=seat).rolls] == [1]


def test_what_something_sealed_allowed_does_not_fall_away() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    roll.dispute("The wind blew.")
    roll.rule("stands", "It did not.")
    items = items_of(table.entries)
    [at] = [n for n, c in enumerate(items) if isinstance(getattr(c, "command", None), Dispute)]
    lines = lines_of(items[at])
    gone = Sealed(tuple(Entry(e.seq, e.at, "hidden", b"", b"", lines[0].seq) for e in lines))
    same = Instead(0, {"ruleset": "milhamah"})
    found = what_if((*items[:at], gone, *items[at + 1 :]), [same])
    assert (found.fallen, found.rolls) == ((), ())


def test_a_text_of_what_changes_nothing_any_more_was_never_here() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    roll.amend("A slip.", rating=3)
    table.submit(NARRATOR, Erase(table.state.size - 1))
    found = of(table, Declared(1, {"rating": 3}))
    assert [each.refusal.code for each in found.fallen] == ["unknown"]


def test_a_throw_left_out_takes_no_later_throw_with_it() -> None:
    host = played("milhamah").host
    items = items_of(host.entries)
    asks = [c.seq for c in commits_of(host.entries) if isinstance(c.command, Ask)]
    again = asks[-4]
    found = what_if(items, [Without(again)])
    own = range(again, again + 6)  # the ask, its plan, three shares
    later = {each.entry: each.refusal.code for each in found.fallen if each.entry not in own}
    assert "unknown" not in later.values()
    assert not set(asks[-3:-1]) & set(later)
    [one] = found.rolls
    assert one.after is not None and one.after.announced and not found.missing


def test_another_reading_is_read_throughout_whoever_set_it_meanwhile() -> None:
    table = Table("plain", dice="manual")
    ann = table.character("Ann")
    for value in ("or equal", "strict"):
        table.submit(NARRATOR, worded(SetReading("greater", value), "From now on."))
        roll = table.declare(ann, expression="1d20 > 7")
        roll.roll(faces=[7])
        roll.resolve()
    degrees = ["success", "failure"]
    assert [each.roll.outcome.degree for each in table.state.rolls.values()] == degrees  # type: ignore[union-attr]
    for value, changed in (("strict", 1), ("or equal", 2)):
        found = of(table, Reading("greater", value)).rolls
        assert [each.roll for each in found] == [changed]
