"""Extended, cooperative and contested rolls of Scarterra: many rounds, and their progress."""

import re

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from tests.rules.rolls import hand, sheets
from tests.rules.scarterra.rolls import ANN, scarterra
from tests.rules.scarterra.table import Cast, now, offered, seated
from urim.engine.core.limits import PAYLOAD
from urim.errors import Refused
from urim.projections.outcomes import so_far
from urim.rules.figures import Value
from urim.rules.ruleset import Outcome
from urim.rules.scarterra import RULESET, Options, Reaction
from urim.rules.scarterra.declare import HELPERS_MOST, ROUNDS_MOST, TARGET_MOST
from urim.rules.scarterra.score import hand_name


@pytest.fixture
def cast() -> Cast:
    """A table with Ann, Bert and Cid."""
    return seated()


def of_round(found: Outcome, number: int) -> dict[str, Value]:
    """The figures of a round, without its number."""
    pattern = re.compile(f"round_([a-z]+):{number}(?![0-9])(.*)")
    shown = ((pattern.fullmatch(key), value) for key, value in found.figures.items())
    return {"".join(match.groups()): value for match, value in shown if match}


def test_a_climb_is_offered_further_rounds_until_it_is_done(cast: Cast) -> None:
    table, ann, _, _ = cast
    climb = table.declare(ann, dots=3, target=5)
    assert so_far(table.state.game, climb.state) is None
    assert offered(climb) == ["roll initiator!"]
    climb.roll(faces=[6, 7, 2])
    assert offered(climb) == ["roll 2:initiator", "resolve"]
    assert climb.offers[0].note == "2 of 5 successes after 1 roll."
    assert (now(climb).figures["percent"], now(climb).degree) == (40, "partial success")
    climb.roll(faces=[2, 3, 4])
    climb.roll(faces=[8, 8, 8])
    assert offered(climb) == ["resolve"]
    done = climb.resolve()
    assert (done.degree, done.margin) == ("success", 0)
    assert of_round(done, 1) == {"successes:c1": 2, "ones:c1": 0, "net:c1": 2, "total": 2}
    assert of_round(done, 2)["total"] == 2
    assert of_round(done, 3) == {"successes:c1": 3, "ones:c1": 0, "net:c1": 3, "total": 5}


def test_half_way_up_the_cliff_one_may_give_up(cast: Cast) -> None:
    table, ann, _, _ = cast
    climb = table.declare(ann, dots=5, target=10)
    climb.roll(faces=[6, 6, 6, 6, 6])
    given_up = climb.resolve()
    assert (given_up.degree, given_up.margin) == ("partial success", -5)
    assert (given_up.figures["total"], given_up.figures["percent"]) == (5, 50)


def test_a_deadline_ends_an_extended_roll(cast: Cast) -> None:
    table, ann, _, _ = cast
    wall = table.declare(ann, dots=1, target=5, deadline=2)
    wall.roll(faces=[6])
    assert wall.offers[0].note == "1 of 5 successes after 1 of 2 rolls."
    wall.roll(faces=[6])
    assert offered(wall) == ["resolve"]
    assert wall.resolve().figures["deadline_missed"] is True


def test_a_botch_ruins_the_work_and_a_failure_adds_nothing(cast: Cast) -> None:
    table, ann, _, _ = cast
    sword = table.declare(ann, dots=2, target=9)
    sword.roll(faces=[6, 6])
    sword.roll(faces=[6, 1])
    assert now(sword).figures["total"] == 2
    sword.roll(faces=[1, 2])
    assert offered(sword) == ["resolve"]
    assert sword.offers[0].note == "0 of 9 successes after 3 rolls, ruined."
    ruined = sword.resolve()
    assert ruined.degree == "botch"
    shown = {"successes:c1": 0, "ones:c1": 1, "net:c1": -1, "botch:c1": True}
    assert of_round(ruined, 3) == {**shown, "lost": 2, "total": 0}
    assert ruined.readings == ("extended_botch",)


def test_a_rounds_other_hands_are_due_once_its_first_is_thrown(cast: Cast) -> None:
    table, ann, bert, cid = cast
    barn = table.declare(ann, dots=2, target=10, helpers=[bert.id, cid.id])
    assert offered(barn) == ["react!", "react!"]
    barn.react(cid, dots=1)
    barn.react(bert, attribute="Dexterity")
    for awaited in ([bert.id, cid.id], [cid.id]):
        barn.roll(faces=[6, 6])
        assert offered(barn) == [f"roll helper:{awaited[0]}!"]
        assert now(barn).figures["waiting_for"] == awaited
    barn.roll(faces=[1])
    assert of_round(now(barn), 1) == {"net:c1": 2, "net:c2": 2, "net:c3": -1, "total": 3}
    barn.roll("2:initiator", faces=[2, 2])
    assert offered(barn) == [f"roll 2:helper:{bert.id}!"]
    with pytest.raises(Refused, match=f"2:helper:{bert.id}"):
        barn.resolve()


def test_everybodys_botch_ruins_a_cooperative_work(cast: Cast) -> None:
    table, ann, bert, _ = cast
    barn = table.declare(ann, dots=1, target=10, helpers=[bert.id])
    barn.react(dots=1)
    for faces in ([6], [2]):
        barn.roll(faces=faces)
    assert now(barn).figures["total"] == 1
    barn.roll("2:initiator", faces=[1])
    barn.roll(faces=[1])
    assert barn.resolve().degree == "botch"


def test_a_tug_of_war_runs_either_way_and_no_botch_ruins_it(cast: Cast) -> None:
    table, ann, bert, _ = cast
    war = table.declare(ann, dots=2, target=4, opponent=bert.id)
    war.react(attribute="Dexterity")
    for faces in ([1, 2], [6, 6]):
        war.roll(faces=faces)
    assert war.offers[0].note == "The opponent leads by 3 of 4 after 1 roll."
    assert (now(war).degree, now(war).margin) == ("undecided", -3)
    war.roll("2:initiator", faces=[6, 6])
    war.roll(faces=[1, 2])
    assert now(war).figures["total"] == 0
    assert war.offers[0].note == "Neither side leads after 2 rolls; 4 are needed."
    war.roll("3:initiator", faces=[2, 2])
    war.roll(faces=[6, 6])
    war.roll("4:initiator", faces=[2, 2])
    war.roll(faces=[6, 6])
    assert offered(war) == ["resolve"]
    lost = war.resolve()
    assert (lost.degree, lost.margin, lost.figures["leader"]) == ("failure", -4, bert.id)
    assert offered(war) == ["declare again"]


def test_a_contest_is_lost_at_the_target_exactly(cast: Cast) -> None:
    table, ann, bert, _ = cast
    war = table.declare(ann, dots=1, target=2, opponent=bert.id)
    war.react(attribute="Dexterity")
    for name, faces in (("initiator", [6]), ("reactor", [2, 2])):
        war.roll(name, faces=faces)
    for name, faces in (("2:initiator", [1]), ("2:reactor", [1, 1])):
        war.roll(name, faces=faces)
    assert now(war).figures["total"] == 1  # both botched, and nothing is ruined
    assert now(war).readings == ("resisted_extended",)
    for name, faces in (("3:initiator", [1]), ("3:reactor", [6, 2])):
        war.roll(name, faces=faces)
    for name, faces in (("4:initiator", [2]), ("4:reactor", [6, 2])):
        war.roll(name, faces=faces)
    assert offered(war) == ["resolve"]
    assert (war.resolve().degree, war.state.throws) == ("failure", 8)


def test_work_is_not_ruined_before_everybody_has_thrown(cast: Cast) -> None:
    table, ann, bert, _ = cast
    barn = table.declare(ann, dots=1, target=5, helpers=[bert.id])
    barn.react(dots=1)
    barn.roll(faces=[1])
    assert (now(barn).degree, now(barn).figures["waiting_for"]) == ("failure", ["c2"])
    barn.roll(faces=[1])
    assert now(barn).degree == "botch"


@pytest.mark.parametrize("own", [1, 6])
def test_the_longest_roll_of_the_most_helpers_can_still_be_told(own: int) -> None:
    """All botch, or all but one: then what they take away is announced as well."""
    helpers = tuple(f"{'h' * 31}{number}" for number in range(HELPERS_MOST))
    roll = scarterra(dots=1, target=TARGET_MOST)
    every = {"initiator": ANN, **{f"helper:{who}": who for who in helpers}}
    roll = replace(
        roll,
        options=Options(extended_botch="setback"),
        declaration=replace(roll.declaration, helpers=helpers),
        reactions=tuple((who, Reaction(dots=1)) for who in helpers),
        hands=tuple(
            hand(hand_name(name, number), who, (own if who == ANN else 1,), kind="d10")
            for number in range(1, ROUNDS_MOST + 1)
            for name, who in every.items()
        ),
    )
    found = RULESET.outcome(roll)
    assert f"round_total:{ROUNDS_MOST}" in found.figures
    assert len(encode(found)) < 0.9 * PAYLOAD
    assert [offer.trigger for offer in RULESET.offers(roll, sheets())] == ["resolve"]


def test_a_round_that_nobody_would_have_thrown_falls_and_comes_back(cast: Cast) -> None:
    table, ann, _, _ = cast
    climb = table.declare(ann, dots=2, target=4)
    climb.roll(faces=[6, 7])
    climb.roll(faces=[6, 7])
    climb.resolve()
    hands = climb.state.roll.hands
    climb.amend("A lower cliff.", target=2)
    assert climb.state.roll.hands == hands[:1]
    climb.amend("It was as high as that.", target=4)
    assert climb.state.roll.hands == hands
