"""A wrong declaration is put right, a roll is voided, and all that follows from them with it."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engine.helpers.decide_cases import failed, wounded
from tests.engine.helpers.stage import (
    MISS,
    NATURAL,
    ROOT,
    code_of,
    fight,
    hit,
    pray,
    replayed,
    strike,
    tracks,
)
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.events import ruling
from urim.projections.health import health
from urim.rules.age_of_magic.declare import TIREDNESS


def events(table: Table, after: int) -> list[tuple[str, int | None]]:
    """Kind and roll of the events since a size."""
    return [
        (type(record.event).__name__, getattr(record.event, "roll", None))
        for record in table.aggregate.records[after:]
        if record
    ]


def history_refused(table: Table, number: int, **fields: Any) -> bool:
    """Whether an amendment of Etgar's declaration is refused because of what happened since."""
    before = table.state
    code = code_of(table.submit, NARRATOR, c.worded(c.Amend(number, "c1", fields), "wrong"))
    assert table.state is before or not code
    return code == "history"


# --- what was declared ----------------------------------------------------------------------------


def test_an_amended_target_changes_the_outcome_and_nothing_that_was_thrown() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, (*NATURAL[1:], "ד"), target=4)
    assert roll.resolve().degree == "failure"
    before = table.state.size
    roll.amend("it was easy", target="beginner")
    assert events(table, before) == [("RollAmended", 1), ("TextSaid", None)]
    outcome = roll.outcome
    assert outcome is not None
    assert (outcome.degree, outcome.margin) == ("success", 1)
    assert (roll.state.state, roll.state.throws) == ("resolved", 1)
    assert table.state.notes_about(before) == ("it was easy",)
    assert replayed(table)


def test_a_live_roll_is_amended_where_it_stands() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    roll.amend("wrong", target=5)
    assert roll.state.state == "rolled"
    assert roll.state.roll.declaration.target == 5
    assert roll.outcome is None


def test_an_amended_reaction_changes_the_outcome() -> None:
    table, etgar, toad = fight()
    roll = strike(table, etgar, toad)
    assert roll.outcome is not None and roll.outcome.figures["opponent_root"] == "חננ"
    roll.amend("another root", toad, root="דהו")
    assert roll.outcome is not None
    assert roll.outcome.figures["opponent_root"] == "דהו"
    assert dict(roll.state.roll.reactions)["c2"].root == "דהו"
    assert replayed(table)


def test_of_two_characters_the_one_that_is_named_is_corrected() -> None:
    """Whichever of them came to the table first."""
    table, etgar, toad = fight()
    roll = strike(table, toad, etgar)
    before = roll.state.roll.declaration
    roll.amend("another root", etgar, root="דהו")
    assert roll.state.roll.declaration == before
    assert dict(roll.state.roll.reactions)["c1"].root == "דהו"


def test_a_declined_reaction_cannot_be_amended() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, root=ROOT, rating=2, opponent=toad.id)
    roll.decline()
    assert code_of(roll.amend, "wrong", toad, rating=4) == "unknown"
    assert (
        code_of(table.submit, NARRATOR, c.worded(c.Amend(1, "c9", {"rating": 4}), "?")) == "unknown"
    )


def test_what_was_taken_from_the_sheet_stays() -> None:
    table, etgar, _ = fight()
    table.submit(NARRATOR, c.SetTrack("c1", "xr", 2))
    roll = pray(table, etgar)
    assert code_of(roll.amend, "wrong", xr=5) == "not-yours"
    assert code_of(roll.amend, "wrong", colour="red") == "unknown"
    roll.amend("wrong", target=1)
    assert roll.state.roll.declaration.xr == 2


def test_what_the_sheet_says_of_an_amended_field_is_amended_with_it() -> None:
    """The scores of the day it was declared, also such as the sheet alone has said."""
    table = Table("sagatafl", dice="manual")
    asta = table.character("Asta", attributes={"Lockpicking": 3, "Stealth": 2})
    roll = table.declare(asta, trait="Lockpicking", rd=7)
    table.submit(NARRATOR, c.SetAttribute("c1", "Stealth", 9))
    roll.amend("She crept.", trait="Stealth")
    made = roll.state.roll.declaration
    assert (made.trait, made.sheet_rating) == ("Stealth", 2)
    table = Table("age_of_magic", dice="manual")
    sheet = {"Trance": 2, "Fists": 1, "Lore": 3, "WI": 4, "talent:Lore": 1}
    ann = table.character("Ann", attributes=sheet)
    roll = table.declare(ann, skill="Trance", characteristic="WI", difficulty=8)
    roll.amend("Two of them helped.", specialism="Fists", specialisms=["Trance"], skill="Lore")
    made = roll.state.roll.declaration
    assert (made.skill_halves, made.specialism_halves, made.specialisms_halves) == (6, 2, (4,))
    assert (made.talent, made.characteristic_halves) == (True, 8)
    assert code_of(roll.amend, "no", skill="Swordplay") == "unknown"
    assert replayed(table)


@pytest.mark.parametrize(
    "fields",
    [
        {"dice": {"green": 4, "red": 4}},
        {"opponent": None},
    ],
    ids=str,
)
def test_an_amendment_under_which_it_could_not_have_happened_is_refused(
    fields: dict[str, Any],
) -> None:
    assert history_refused(wounded(), 1, **fields)


def test_an_amendment_that_makes_something_due_is_refused() -> None:
    table, etgar, toad = fight()
    roll = table.declare(etgar, root=ROOT, rating=5, opponent=toad.id)
    roll.react(root="חננ", rating=3)
    roll.roll(faces=NATURAL)
    roll.stand()
    roll.choose("natural", "allow")
    roll.roll(faces=MISS)
    roll.stand()
    assert roll.resolve().degree == "critical success"
    assert history_refused(table, 1, combat=True)  # a place would have to be thrown


def test_an_amendment_to_a_character_that_is_not_there_is_refused() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    assert code_of(roll.amend, "wrong", opponent="c9") == "unknown"


# --- damage ---------------------------------------------------------------------------------------


def test_amended_damage_lands_again_with_the_amendment() -> None:
    table, etgar, toad = fight()
    roll = hit(table, etgar, toad)
    assert tracks(table)["c2"] == {"light": 1}  # armour 2, soak 2, one wound
    roll.amend("two letters", root="רו")
    assert roll.state.state == "damaged"
    assert roll.state.damage is not None
    assert roll.state.damage.amount == 4
    assert tracks(table)["c2"] == {}
    assert [blow.amount for blow in health(table.state, "c2").applications] == [4]
    assert replayed(table)


def test_damage_that_lapsed_gives_back_what_a_later_blow_found_gone() -> None:
    table, etgar, toad = fight()
    first, second = hit(table, etgar, toad), hit(table, etgar, toad)
    assert tracks(table)["c2"] == {"light": 3, "serious": 2, "critical": 1}
    first.amend("It was a game.", combat=False)
    assert tracks(table)["c2"] == {"light": 1}
    (blow,) = health(table.state, "c2").applications
    assert (blow.roll, blow.differs) == (second.number, True)


# --- what follows ---------------------------------------------------------------------------------


def countered() -> tuple[Table, RollHandle]:
    """Roll 1 failed, and roll 2 counters it."""
    table = failed()
    wish = {"root": "גט", "rating": 1}
    table.submit("p2", c.Declare("c2", wish, follows=(1, "counter")))
    roll = RollHandle(table, 2)
    roll.decline()
    roll.roll()
    return table, roll


def test_what_follows_is_amended_with_the_roll_that_still_offers_it() -> None:
    table, _ = countered()
    before = table.state.size
    table.submit(NARRATOR, c.worded(c.Amend(1, "c1", {"modifiers": {"far": 1}}), "far"))
    assert events(table, before) == [("RollAmended", 1), ("RollAmended", 2), ("TextSaid", None)]
    assert table.state.rolls[2].state == "rolled"
    assert replayed(table)


def test_what_follows_is_voided_behind_the_amendment_that_no_longer_offers_it() -> None:
    table, _ = countered()
    before = table.state.size
    table.submit(NARRATOR, c.worded(c.Amend(1, "c1", {"root": "אבג"}), "another root"))
    assert table.state.rolls[1].roll.outcome is not None
    assert table.state.rolls[1].roll.outcome.degree == "success"
    assert events(table, before) == [("RollAmended", 1), ("RollVoided", 2), ("TextSaid", None)]
    assert table.state.rolls[2].state == "voided"
    assert table.state.notes_about(before) == ("another root",)


def test_what_follows_is_voided_with_the_roll_and_behind_it() -> None:
    table, _ = countered()
    before = table.state.size
    table.submit(NARRATOR, c.worded(c.Void(1), "why"))
    assert events(table, before) == [("RollVoided", 1), ("RollVoided", 2), ("TextSaid", None)]
    assert table.state.notes_about(before) == ("why",)
    assert replayed(table)


def test_a_follower_that_was_voided_may_follow_again() -> None:
    table, _ = countered()
    table.submit(NARRATOR, c.worded(c.Void(2), "why"))
    table.submit("p2", c.Declare("c2", {"root": "גט", "rating": 1}, follows=(1, "counter")))
    assert [roll.number for roll in table.state.followers(1)] == [3]


# --- one after another ----------------------------------------------------------------------------


def test_a_second_amendment_is_made_to_what_the_first_left() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, (*NATURAL[1:], "ד"), target=4)
    roll.resolve()
    roll.amend("one", target=3)
    roll.amend("two", modifiers={"near": -1})
    declaration = roll.state.roll.declaration
    assert (declaration.target, declaration.modifiers) == (3, {"near": -1})
    assert roll.outcome is not None and roll.outcome.margin == 0
    kinds = [type(entry.event) for entry in roll.state.trail]
    assert kinds.count(ruling.RollAmended) == 2
    assert replayed(table)


def test_an_amendment_and_then_a_void_leave_nothing() -> None:
    table, etgar, toad = fight()
    before = tracks(table)
    roll = hit(table, etgar, toad)
    roll.amend("two letters", root="רו")
    roll.void("all of it")
    assert tracks(table) == before
    assert health(table.state, "c2").applications == ()
    assert code_of(roll.amend, "again", target=1) == "wrong-state"
    assert replayed(table)


# --- voids ----------------------------------------------------------------------------------------

PLACES = st.sampled_from("מבשת")
DEEDS = st.one_of(
    st.tuples(st.just("hit"), st.booleans(), PLACES),
    st.tuples(st.just("pray"), st.booleans(), st.sampled_from(["bonus", "merit"])),
    st.tuples(st.just("mend"), st.booleans(), st.integers(0, 3)),
)


def do(table: Table, deed: tuple[str, bool, Any]) -> RollHandle | None:
    """One deed of somebody's: a blow, a prayer answered, or the narrator's hand."""
    what, by_toad, how = deed
    mine, theirs = (
        CharacterHandle(table, id) for id in (("c2", "c1") if by_toad else ("c1", "c2"))
    )
    if what == "hit":
        return hit(table, mine, theirs, place=how)
    if what == "mend":
        table.submit(NARRATOR, c.SetTrack(mine.id, "light", how))
        return None
    roll = pray(table, mine, NATURAL, rating=0)
    roll.stand()
    roll.choose("natural", how)
    roll.resolve()
    return roll


FATES = st.sampled_from(["kept", "voided", "amended"])


def amend(roll: RollHandle) -> None:
    """What is wrong with a roll is put right."""
    blow = roll.state.roll.declaration.combat
    fields: dict[str, Any] = {"root": "רו"} if blow else {"target": "heroic"}
    roll.amend("wrong", None, **fields)


@given(st.lists(st.tuples(DEEDS, FATES), max_size=8))
@example([(("hit", True, "מ"), "voided"), (("mend", False, 3), "kept")])
@example([(("hit", True, "מ"), "amended"), (("mend", False, 0), "kept")])
@example([(("pray", True, "merit"), "amended"), (("hit", True, "ב"), "voided")])
def test_health_is_that_of_a_table_where_all_was_right_from_the_start(
    deeds: list[tuple[tuple[str, bool, Any], str]],
) -> None:
    """Voided rolls do nothing, and it is all one whether a roll is amended at once or at last."""
    table, without = fight()[0], fight()[0]
    rolls = [(do(table, deed), fate) for deed, fate in deeds]
    for roll, fate in rolls:
        if roll is not None and fate == "voided":
            roll.void("never was")
        elif roll is not None and fate == "amended":
            amend(roll)
    for deed, fate in deeds:
        roll = do(without, deed) if fate != "voided" or deed[0] == "mend" else None
        if roll is not None and fate == "amended":
            amend(roll)
    assert tracks(table) == tracks(without)
    for who in ("c1", "c2"):
        found, wanted = health(table.state, who), health(without.state, who)
        assert [blow.figures for blow in found.applications] == [
            blow.figures for blow in wanted.applications
        ]
    assert replayed(table)


# --- what the rules fill in by themselves ---------------------------------------------------------


@pytest.mark.parametrize("how", ["amend", "replace"])
def test_what_was_filled_in_is_filled_in_again_and_what_was_said_stays(how: str) -> None:
    roots = {"attribute_roots": {"BLE": "ברך", "GRA": "חנן"}}
    cases: tuple[tuple[dict[str, Any], int], ...] = (({}, 7), ({"rating": 5}, 5))
    for said, rating in cases:
        table = Table("milhamah", dice="manual", options=roots)
        etgar = table.character("Etgar", attributes={"BLE": 3, "GRA": 7})
        roll = table.declare(etgar, attribute="BLE", **said)
        getattr(roll, how)("It was GRA.", attribute="GRA")
        made = roll.state.roll.declaration
        assert (made.attribute, made.rating, made.root) == ("GRA", rating, "חננ")
        assert replayed(table)
    sheet = {"Lore": 3, "talent:Lore": 1, "Fists": 2, "Sw": 3, "limitation:Sw": 1, "WI": 4}
    for skill, marks in (("Fists", (False, False)), ("Sw", (False, True))):
        table = Table("age_of_magic", dice="manual")
        ann = table.character("Ann", attributes=sheet)
        roll = table.declare(ann, skill="Lore", characteristic="WI", difficulty=8)
        getattr(roll, how)("Another skill.", skill=skill)
        made = roll.state.roll.declaration
        assert (made.talent, made.limitation) == marks


def test_what_was_said_stays_though_the_rules_would_have_filled_it_in() -> None:
    table = Table("majesty", dice="seeded:1")
    ann = table.character("Ann", attributes={"Precision": 12})
    roll = table.declare(ann, kind="check", attribute="Precision", opposing=4)
    roll.replace("A strike.", kind="strike")
    roll.replace("No, a check.", kind="check")
    assert roll.state.roll.declaration.opposing == 4
    table = Table("milhamah", dice="manual", options={"attribute_roots": {"BLE": ROOT}})
    etgar = table.character("Etgar", attributes={"BLE": 5, "GRA": 7})
    roll = table.declare(etgar, root=ROOT, rating=2)
    roll.replace("As on the sheet.", attribute="BLE", rating=None)
    roll.replace("Of another.", attribute="GRA")
    assert roll.state.roll.declaration.rating == 7, "null is not said"
    roll.void("Once more.")
    roll = table.declare(etgar, attribute="BLE", rating=5)
    table.submit(NARRATOR, c.SetAttribute("c1", "BLE", 3))
    for number in (2, 3):  # a replay is replayed
        roll.dispute("He said 5.")
        roll = roll.rule("replay", "He did.")
        assert (roll.number, roll.state.roll.declaration.rating) == (number + 1, 5)
    assert replayed(table)


def test_a_roller_s_own_answer_is_no_part_of_its_declaration() -> None:
    table = Table("age_of_magic", dice="seeded:1")
    ann = table.character("Ann", attributes={"Lore": 3, "WI": 4, "unluck": 1})
    roll = table.declare(ann, skill="Lore", characteristic="WI", difficulty=8)
    roll.react(ann, fate="unluck", modifier=-3)
    roll.replace("Harder.", difficulty=9)
    roll.amend("Harder still.", difficulty=10)
    assert roll.state.roll.declaration.difficulty == 10
    roll.dispute("No.")
    assert roll.rule("replay", "Again.").state.roll.declaration.difficulty == 10


def test_a_replacement_counts_on_the_sheet_of_its_own_moment() -> None:
    table = Table("age_of_magic", dice="manual", options={"push_floor": "refuse"})
    ann = table.character("Ann", attributes={"Lore": 3, "WI": 4})
    table.submit(NARRATOR, c.SetTrack("c1", "tiredness", len(TIREDNESS) - 2))
    roll = table.declare(ann, skill="Lore", characteristic="WI", difficulty=8)
    assert code_of(roll.replace, "Pushed.", push=True) == "not-offered"
    table.submit(NARRATOR, c.SetTrack("c1", "tiredness", 0))
    roll.replace("Pushed.", push=True)
    roll.replace("Harder.", difficulty=9)
    roll.amend("Harder still.", difficulty=10)
    made = roll.state.roll.declaration
    assert (made.push, made.difficulty) == (True, 10)


def test_what_a_void_has_made_impossible_is_replaced_by_what_is_possible() -> None:
    table = Table("age_of_magic", dice="seeded:1", options={"push_floor": "refuse"})
    ann = table.character("Ann", attributes={"Lore": 30, "WI": 9})
    table.submit(NARRATOR, c.SetTrack("c1", "tiredness", len(TIREDNESS) - 2))
    wish: dict[str, Any] = {"skill": "Lore", "characteristic": "WI", "difficulty": 2}
    rest = table.declare(ann, kind="trance", **wish)
    rest.roll(option=0)
    rest.resolve()
    roll = table.declare(ann, push=True, **wish)
    rest.void("There was no rest.")
    roll.replace("Then she does not push.", push=False)
    assert (roll.state.roll.declaration.push, ann.sheet.tracks["tiredness"]) == (False, 7)


def test_what_a_roll_took_from_the_one_before_is_not_amended_away() -> None:
    table = Table("age_of_magic", dice="seeded:1")
    ann, _ = (
        table.character(name, attributes={"Sw": 8, "DX": 6, "ST": 6}) for name in ("Ann", "Bob")
    )
    wish: dict[str, Any] = {"skill": "Sw", "characteristic": "DX", "difficulty": 5}
    attack = table.declare(ann, kind="attack", targets=["c2"], weapon=3, **wish)
    attack.roll(option=0)
    attack.resolve()
    damage = table.declare(ann, follows=(attack, "damage"))
    damage.roll(option=0)
    for name, value in (("weapon", 99), ("targets", [])):
        before = table.state
        assert code_of(damage.amend, "wrong", **{name: value}) == "not-yours"
        assert table.state is before


def test_a_further_try_is_amended_to_nobody_who_did_not_resist_the_first() -> None:
    table = Table("scarterra", dice="manual")
    ann, *_ = (table.character(name, attributes={"Wits": 2}) for name in ("Ann", "Bob", "Dan"))
    first = table.declare(ann, attribute="Wits", opponent="c2")
    first.decline()
    first.roll(faces=(2, 2))
    first.resolve()
    again = table.declare(ann, follows=(first, "again"), attribute="Wits")
    for other, code in (("c3", "malformed"), (None, "not-yours")):
        assert code_of(again.amend, "wrong", opponent=other) == code
    first.amend("It was easy.", difficulty=4)


def test_a_reaction_is_amended_on_the_sheet_it_was_given_on() -> None:
    table = Table("scarterra", dice="manual")
    ann, bob = (table.character(name, attributes={"Wits": 2}) for name in ("Ann", "Bob"))
    table.submit(NARRATOR, c.SetTrack("c2", "wounds", 7))
    roll = table.declare(ann, attribute="Wits", opponent=bob.id)
    table.submit(NARRATOR, c.SetTrack("c2", "wounds", 0))
    roll.react(attribute="Wits")
    roll.amend("It was hard.", bob, difficulty=8)
    assert roll.state.roll.reactions[0][1].difficulty == 8


def test_what_a_roll_cost_stays_as_it_was_when_another_field_is_amended() -> None:
    """Though the XR that it took was given by a roll that is void since."""
    table = Table("milhamah", dice="scripted", options={"reactor_botch": False})
    etgar, toad = (table.character(name, attributes={"BLE": 3}) for name in ("Etgar", "Toad"))
    given = table.declare(etgar, root=ROOT, rating=2, opponent=toad.id)
    given.react(root="חננ", rating=3)
    for faces in ("שזגכלקבט", "חננגלקכט"):
        given.roll(faces=tuple(faces))
        given.stand()
    given.choose("reward", "xr")
    given.resolve()
    taken = table.declare(toad, root=ROOT, rating=2)
    assert taken.state.roll.declaration.xr > 0
    given.void("never was")
    taken.amend("easier", target=1)
    assert taken.state.roll.declaration.target == 1
