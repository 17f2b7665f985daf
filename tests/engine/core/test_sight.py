"""The sight of a seat: of every scenario, as JSON by its schema, equal to that of its own fold."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from msgspec.json import decode, encode
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.stage import MISS, NATURAL, ROOT, fight, hit, pray, strike
from tests.engine.helpers.timed import BREAK, ask, committed, open_shares, share, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.schema import schema
from urim.engine.core.sight import AskSight, DisputeSight, EffectSight, SeatSight, Sight, sight
from urim.engine.table import Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events.base import Visibility
from urim.projections.tables import TableState
from urim.rules import BUILT_IN, ruleset_named

ROLLS: dict[Visibility, dict[str, str]] = {
    "public": {NARRATOR: "everything", "p1": "everything", "p2": "everything", "p3": "everything"},
    "gm": {NARRATOR: "everything", "p1": "everything", "p2": "everything", "p3": ""},
    "blind": {NARRATOR: "everything", "p1": "declaration", "p2": "declaration", "p3": ""},
    "self": {NARRATOR: "", "p1": "everything", "p2": "", "p3": ""},
}
"""How much of a roll of p1's against p2 each seat sees."""


def of(table: Table, seat: str) -> Sight:
    """The sight of a seat of a table in memory, which is that of its own fold."""
    found = sight(table.state, seat)
    own = Aggregate(table.aggregate.environment)
    own.load(table.aggregate.view(seat))
    assert sight(own.opened, seat) == found
    return found


@cache
def validator(system: str | None) -> Draft202012Validator:
    """The schema of a system's answers, ready to check values."""
    made = schema(None if system is None else ruleset_named(system), "answers")
    meta.validate(made)
    return Draft202012Validator(made)


def here(state: TableState) -> list[str]:
    """The seats with somebody on them."""
    return sorted(id for id, seat in state.seats.items() if seat.here)


# --- every scenario -------------------------------------------------------------------------------


@pytest.mark.sampled(25)
@pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
def test_a_sight_survives_its_json_and_is_that_of_the_seats_own_fold(path: Path) -> None:
    table = plays.kept_of(path).play.aggregate
    for seat in here(table.opened):
        found = sight(table.opened, seat)
        again = decode(encode(found), type=Sight)
        assert encode(again) == encode(found)
        own = Aggregate(table.environment)
        own.load(table.view(seat))
        assert sight(own.opened, seat) == found


@pytest.mark.sampled(25)
@pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
def test_some_rolls_of_a_sight_are_those_of_the_whole(path: Path) -> None:
    table = plays.kept_of(path).play.aggregate.opened
    for seat in here(table):
        whole = sight(table, seat)
        assert sight(table, seat, rolls=()) == replace(whole, rolls=(), texts=())
        for number in range(1, table.next_roll + 1):
            alone = tuple(each for each in whole.rolls if each.roll == number)
            assert sight(table, seat, rolls=[number]).rolls == alone


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", BUILT_IN)
def test_every_sight_is_valid_by_the_schema_of_its_system_and_of_any(system: str) -> None:
    paths = [path for path in plays.files() if system in path.as_posix()]
    assert paths
    for path in paths:
        state = plays.kept_of(path).play.aggregate.opened
        found = json.loads(encode(sight(state, here(state)[0])))
        validator(system).validate(found)
        validator(None).validate(found)


def test_a_schema_refuses_what_is_no_sight() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    found = json.loads(encode(of(table, NARRATOR)))
    for broken in (
        {**found, "rolls": [{**found["rolls"][0], "state": "frozn"}]},
        {**found, "rolls": [{**found["rolls"][0], "declaration": {"root": 3}}]},
        {**found, "type": "view"},
        {key: value for key, value in found.items() if key != "size"},
    ):
        assert not validator("milhamah").is_valid(broken)


# --- what is hidden -------------------------------------------------------------------------------


def secret(visibility: Visibility) -> Table:
    """Roll 1 is p1's against p2, with a label, dice and a note about them; p3 looks on."""
    table, etgar, toad = fight()
    table.seat("p3")
    said: dict[str, Any] = {"root": ROOT, "rating": 2, "opponent": toad.id}
    roll = table.declare(etgar, visibility=visibility, label="THE LABEL", **said)
    if visibility != "self":
        roll.react(root="חננ", rating=3)
    table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL)) if visibility != "self" else None
    last = len(table.entries) - 1
    table.submit_worded("p1" if visibility == "self" else NARRATOR, c.Note(last), "THE NOTE")
    return table


@pytest.mark.parametrize("visibility", ROLLS)
@pytest.mark.parametrize("seat", ["narrator", "p1", "p2", "p3"])
def test_a_seat_has_of_a_roll_what_it_may_see(visibility: Visibility, seat: str) -> None:
    found = of(secret(visibility), seat)
    text, part = encode(found).decode(), ROLLS[visibility][seat]
    assert [roll.seen for roll in found.rolls] == ([part] if part else [])
    assert ("THE LABEL" in text) == (part != "")
    assert (ROOT in encode(found.rolls).decode()) == (part != "")
    assert ("THE NOTE" in text) == (part == "everything")
    thrown = part == "everything" and visibility != "self"
    assert any(roll.hands for roll in found.rolls) == thrown
    if part == "declaration":
        assert found.rolls[0].state == "reacted"
        assert [each.character for each in found.rolls[0].reactions] == ["c2"]


def others_see(visibility: Visibility, rating: int, faces: tuple[str, ...], words: str) -> bytes:
    """All that the seats which may not see a roll see of a table with it, as JSON."""
    table, etgar, toad = fight()
    table.seat("p3")
    roll = table.declare(etgar, visibility=visibility, root=ROOT, rating=rating, label=words)
    roll.roll(faces=faces)
    pray(table, toad)
    seats = ("p2", "p3", *([NARRATOR] if visibility == "self" else []))
    return b"".join(encode(sight(table.state, seat)) for seat in seats)


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_what_is_hidden_makes_no_difference_to_what_others_see(
    visibility: Visibility, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = (2, MISS, "one"), (5, NATURAL, "another")
    assert others_see(visibility, *one) == others_see(visibility, *other)
    monkeypatch.setattr("urim.engine.core.sight.view_of", lambda table, seat: table)
    assert others_see(visibility, *one) != others_see(visibility, *other), (
        "this is seen where the whole table is shown"
    )


def test_a_revealed_roll_is_seen_by_everybody() -> None:
    table = secret("gm")
    table.submit(NARRATOR, c.Reveal(1))
    for seat in ("p2", "p3"):
        [roll] = of(table, seat).rolls
        assert (roll.hidden, roll.seen, roll.marks) == (False, "everything", ("revealed",))
        assert [die.face for die in roll.hands[0].dice] == list(NATURAL)


# --- what is in it --------------------------------------------------------------------------------


def test_seats_characters_and_readings_are_in_it() -> None:
    table, _, _ = fight()
    table.seat("p3", name="Dana")
    table.submit("p3", c.LeaveSeat("p3"))
    found = of(table, "p1")
    assert (found.table, found.seat, found.size) == (table.state.id, "p1", len(table.entries))
    assert found.seats[-1] == SeatSight("p3", "Dana", "player", here=False)
    toad = found.characters[1]
    assert (toad.id, toad.name, toad.seat) == ("c2", "Toad", "p2")
    assert toad.attributes["GRA"] == 2 and toad.tracks["soak"] == 2
    assert found.tracks["soak"].least == 0 and found.kinds["location"] == "part of the body"
    assert found.options["skill_roots"]["wind"] == ROOT
    assert found.readings and all(found.readings.values())
    assert [each.text for each in found.texts] == ["Etgar", "Toad", "Dana"]


def test_a_blow_is_in_it_with_what_was_announced() -> None:
    table, etgar, toad = fight()
    roll = hit(table, etgar, toad)
    [found] = of(table, "p3" if "p3" in table.state.seats else "p2").rolls
    announced, damage = roll.outcome, roll.state.damage
    assert announced is not None and damage is not None
    assert found.outcome is not None and found.damage is not None
    assert (found.outcome.degree, found.outcome.figures) == (announced.degree, announced.figures)
    assert found.outcome.text == "5 points"
    assert (found.damage.target, found.damage.amount) == ("c2", damage.amount)
    effects = [EffectSight(e.character, e.track, e.delta, e.to) for e in damage.effects]
    assert list(found.damage.effects) == effects
    assert "Toad" in found.damage.head
    labels = {hand.name: hand.label for hand in found.hands}
    assert labels["location"] == "the part of the body"


def test_a_dispute_is_open_until_it_is_ruled_on() -> None:
    table, etgar, toad = fight()
    strike(table, etgar, toad)
    [raised, _] = table.submit_worded("p2", c.Dispute(1), "Was that a hit?")
    [found] = of(table, "p1").rolls
    assert found.disputes == (DisputeSight(raised.seq, "p2", None),)
    assert (found.marks, found.disputed) == (("disputed",), (1,))
    [ruled, _] = table.submit_worded(NARRATOR, c.Rule(1, raised.seq, "stands"), "It was.")
    [found] = of(table, "p1").rolls
    assert found.disputes == (DisputeSight(raised.seq, "p2", "stands", ruled.seq),)
    about = {text.text: (text.about, text.roll) for text in of(table, "p1").texts}
    assert about["Was that a hit?"] == (f"entry:{raised.seq}", 1)


def test_an_erased_text_is_gone() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    [_, note] = table.submit_worded("p1", c.Note(4), "SHAME")
    assert "SHAME" in encode(of(table, "p2")).decode()
    table.submit("p1", c.Erase(note.seq))
    assert "SHAME" not in encode(of(table, "p2")).decode()


def test_a_throw_that_waits_for_shares_is_in_it() -> None:
    table, time = timed("p1", "p2", "p3", NARRATOR)
    outstanding = committed(table)
    ask(table, "p2", NARRATOR)
    open_shares(table, "p2")
    expected = AskSight(
        roll=1,
        throw=0,
        seat="p1",
        seq=table.state.size - 2,
        at=time.now,
        committed=outstanding,
        asked=((NARRATOR, 1), ("p1", 1), ("p2", 1)),
        waiting=(NARRATOR, "p1"),
        left=("p3",),
        until=time.now + BREAK,
    )
    for seat in ("p1", "p2", "p3", NARRATOR):
        assert of(table, seat).ask == expected
    open_shares(table, "p1", NARRATOR)
    assert of(table, "p2").ask is None


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_so_is_one_of_a_roll_that_the_seat_does_not_see(visibility: Visibility) -> None:
    table, _ = timed(visibility=visibility)
    ask(table, "p3")
    found = of(table, "p3")
    assert found.rolls == ()
    assert found.ask is not None
    assert (found.ask.roll, found.ask.asked) == (1, (("p1", 1), ("p3", 1)))
    open_shares(table, "p3")
    assert {of(table, seat).ask for seat in ("p1", "p2", "p3", NARRATOR)} == {
        replace(found.ask, waiting=("p1",))
    }


def test_a_seat_has_its_anchor_and_how_often_it_was_asked() -> None:
    table, _ = timed()
    throw(table, "p2")
    ask(table, "p2", dice=("d1",))
    seats = {seat.id: (seat.anchor, seat.asks) for seat in of(table, "p3").seats}
    assert seats == {
        NARRATOR: (None, 0),
        "p1": (share(table, "p1", 0), 2),
        "p2": (share(table, "p2", 0), 2),
        "p3": (share(table, "p3", 0), 0),
    }


def test_who_kept_back_is_in_it_until_it_does_something() -> None:
    table, time = timed()
    ask(table, "p2", "p3")
    open_shares(table, "p3", "p1")
    time.now += BREAK
    table.submit("p3", c.BreakThrow(1))
    assert of(table, "p1").kept_back == ("p2",)
    table.submit("p2", c.worded(c.Note(0), "here again"))
    assert of(table, "p1").kept_back == ()


def test_words_are_in_the_language_that_was_asked_for() -> None:
    book = ruleset_named("milhamah")
    words = {**book.words, "he": {"hand.initiator": "היוזם", "degree.botch": "פספוס"}}
    both = replace(book, words=words)
    given = replace(environment("scripted"), rulesets=lambda name: both)
    table = Table("milhamah", environment=given)
    roll = pray(table, table.character("Etgar", attributes={"BLE": 3}))
    roll.resolve()
    [english], [hebrew] = (sight(table.state, "p1", language=each).rolls for each in ("en", "he"))
    assert english.hands[0].label == "the action" and "היוזם" in hebrew.hands[0].label
    assert english.outcome is not None and hebrew.outcome is not None
    assert english.outcome.head != hebrew.outcome.head
    assert english.outcome.text == hebrew.outcome.text, "English where there is no word"
    assert english.outcome.degree == hebrew.outcome.degree
    assert sight(table.state, "p1", language="he").language == "he"


@pytest.mark.parametrize("seat", ["ghost", "p3"])
def test_a_seat_that_is_not_there_has_no_sight(seat: str) -> None:
    table, etgar, _ = fight()
    pray(table, etgar, MISS)
    table.seat("p3")
    table.submit("p3", c.LeaveSeat("p3"))
    with pytest.raises(Refused) as refused:
        sight(table.state, seat)
    assert refused.value.code == "unknown"


def test_what_counts_on_a_void_roll_is_told_with_the_roll_that_took_it() -> None:
    table = FixtureTable("age_of_magic", dice="scripted")
    cogan = table.character("Cogan", attributes={"Lore": 4, "WI": 3}, tracks={"tiredness": 0})
    wish: dict[str, Any] = {"skill": "Lore", "characteristic": "WI", "difficulty": 7}
    first, *_ = (table.declare(cogan, **wish, push=True) for _ in range(3))
    table.submit(cogan.seat, c.Withdraw(first.number))
    found = of(table, cogan.seat)
    assert [(roll.roll, [(each.had, each.now) for each in roll.hangs]) for roll in found.rolls] == [
        (1, []),
        (2, [(2, 1)]),
        (3, [(3, 2)]),
    ]
