"""What may happen next in a roll, step by step, and on which dice."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.rolls import brief, milhamah, one, sheet, sheets
from urim import Table
from urim.engine.core.commands import Choose
from urim.errors import Refused
from urim.rules.milhamah import RULESET, Reaction
from urim.rules.milhamah.declare import Status
from urim.rules.milhamah.letters import opposites
from urim.rules.ruleset import Offer, Roll

OWN = {"faces": {"red-a": ("אב", "גד", "הו", "זח", "טי", "ר*")}}
PLAIN = "רובגדאאא"
NATURAL = "רוחבגדאא"
ALLOW = {"natural": "allow"}
NO_FLIPS = {"cipher_dice": 0}


def offered(roll: Roll, *known: Any) -> list[str]:
    """The offers in short, flavour left out."""
    found = RULESET.offers(roll, sheets(*known))
    return [brief(offer) for offer in found if offer.trigger != "flavour"]


def offer(roll: Roll, words: str, *known: Any) -> Offer:
    return one(RULESET.offers(roll, sheets(*known)), words)


def test_an_unopposed_roll_begins_with_its_throw() -> None:
    roll = milhamah(dice={"green": 3, "red": 2})
    assert offered(roll) == ["roll initiator!"]
    thrown = offer(roll, "roll initiator")
    assert thrown.dice == ("green-a", "green-b", "green-a", "red-a", "red-b")
    assert (thrown.character, thrown.link) == ("etgar", "")


def test_an_opponent_answers_before_the_first_throw() -> None:
    roll = milhamah(opponent="toad")
    assert offered(roll) == ["react!"]
    assert offer(roll, "react").character == "toad"
    reaction = Reaction(root="חננ", rating=3)
    assert offered(milhamah(reaction=reaction)) == ["roll initiator!"]
    assert offered(milhamah(declined=True)) == ["roll initiator!"]


def test_a_thrown_hand_may_be_frozen_rerolled_and_flipped_or_resolved() -> None:
    roll = milhamah(PLAIN, rating=3, options=OWN)
    assert offered(roll) == [
        "freeze initiator", "reroll initiator", "adjust initiator cipher", "resolve",
    ]  # fmt: skip
    assert offer(roll, "freeze initiator").dice == tuple(f"d{i}" for i in range(1, 9))
    reroll = offer(roll, "reroll initiator")
    assert (reroll.most, reroll.extra, reroll.extra_cost) == (3, 0, ("", 0))
    flip = offer(roll, "adjust initiator cipher")
    assert flip.most == 1
    assert flip.to["d1"] == {"*": 1}
    assert flip.to["d3"] == {"א": 1}


def test_frozen_dice_are_neither_rerolled_nor_flipped() -> None:
    roll = milhamah(PLAIN, rating=9, initiator={"frozen": (0, 1)})
    assert offer(roll, "freeze initiator").dice[0] == "d1"
    reroll = offer(roll, "reroll initiator")
    assert (reroll.most, reroll.dice[0]) == (6, "d3")
    assert set(offer(roll, "adjust initiator cipher").to) == set(reroll.dice)


def test_flips_are_told_from_where_the_die_fell() -> None:
    roll = milhamah(PLAIN, options=OWN)
    (hand,) = roll.hands
    (other,) = opposites(RULESET.faces(roll.options)["red-a"], "ר")
    flipped = replace(hand, dice=(replace(hand.dice[0], face=other), *hand.dice[1:]))
    cipher = offer(replace(roll, hands=(flipped,)), "adjust initiator cipher")
    assert (cipher.most, cipher.to["d1"]) == (1, {"*": 1})
    for fell, shown in (("ר", other), (other, "ר")):
        die = replace(hand.dice[0], landed=fell, face=shown, frozen=True)
        kept = replace(hand, dice=(die, *hand.dice[1:]))
        assert "adjust initiator cipher" not in offered(replace(roll, hands=(kept,)))


@pytest.mark.parametrize(
    ("options", "status", "means", "most"),
    [
        ({}, {}, (), 1),
        ({}, {}, ("cipher",), 0),
        ({"cipher_dice": 3}, {}, ("cipher",), 2),
        ({}, {"seer": Status(C=2)}, ("cipher",), 2),
        ({}, {"blind": Status(C=-1)}, (), 0),
    ],
)
def test_so_many_dice_a_hand_may_be_flipped(
    options: Any, status: Any, means: tuple[str, ...], most: int
) -> None:
    roll = milhamah(PLAIN, rating=1, options=options, status=status, initiator={"means": means})
    found = [one.most for one in RULESET.offers(roll, sheets()) if one.means == "cipher"]
    assert found == ([most] if most else [])


@pytest.mark.parametrize(
    ("rating", "status", "rerolls", "most"),
    [
        (3, {}, 0, 3),
        (11, {}, 0, 8),
        (3, {}, 1, None),
        (0, {}, 0, None),
        (3, {"cursed": Status(no_reroll=True, rerolls=(2,))}, 0, None),
        (3, {"blessed": Status(rerolls=(2, "X"))}, 0, 3),
        (3, {"blessed": Status(rerolls=(2, "X"))}, 1, 2),
        (3, {"blessed": Status(rerolls=(2, "X"))}, 2, 3),
        (3, {"blessed": Status(rerolls=(2, "X"))}, 3, None),
        (0, {"blessed": Status(rerolls=(2,))}, 0, 2),  # one without dice never bars the next
        (1, {"strong": Status(R=2)}, 0, 3),
    ],
)
def test_each_reroll_has_its_own_x(
    rating: int, status: Any, rerolls: int, most: int | None
) -> None:
    roll = milhamah(
        PLAIN, rating=rating, status=status, options=NO_FLIPS, initiator={"rerolls": rerolls}
    )
    found = [one.most for one in RULESET.offers(roll, sheets()) if one.trigger == "reroll"]
    assert found == ([] if most is None else [most])
    assert ("freeze initiator" in offered(roll)) == (most is not None)


@pytest.mark.parametrize(
    ("ble", "merit", "rating", "extra"),
    [
        (2, 5, 2, 2),
        (2, 5, 3, 2),
        (5, 2, 3, 2),
        (9, 9, 3, 5),
        (9, 9, 8, 0),
        (0, 9, 3, 0),
        (-1, 9, 3, 0),
        (3, 0, 3, 0),
    ],
)
def test_merit_points_add_dice_to_a_reroll(ble: int, merit: int, rating: int, extra: int) -> None:
    etgar = sheet("etgar", {"BLE": ble}, merit=merit)
    reroll = offer(milhamah(PLAIN, rating=rating), "reroll initiator", etgar)
    assert (reroll.most, reroll.extra) == (rating, extra)
    assert reroll.extra_cost == (("merit", 1) if extra else ("", 0))


def test_without_ble_or_merit_points_no_dice_are_added() -> None:
    roll = milhamah(PLAIN, rating=3)
    for etgar in (sheet("etgar", {"BLE": 3}), sheet("etgar", merit=3), sheet("etgar", {"BLE": -1})):
        assert offer(roll, "reroll initiator", etgar).extra == 0


def test_merit_points_alone_make_a_reroll() -> None:
    etgar = sheet("etgar", {"BLE": 1}, merit=1)
    reroll = offer(milhamah(PLAIN), "reroll initiator", etgar)
    assert (reroll.most, reroll.extra) == (0, 1)


def test_a_hand_that_stands_is_left_alone() -> None:
    roll = milhamah(PLAIN, rating=3, initiator={"frozen": range(8)})
    assert offered(roll) == ["resolve"]


def test_a_throw_of_no_dice_is_closed_at_once() -> None:
    assert offered(milhamah("", rating=3)) == ["resolve"]


def test_etgars_seven_dice_against_the_toad() -> None:
    roll = milhamah(PLAIN, rating=5, reaction=Reaction(root="חננ", rating=3))
    assert offer(roll, "reroll initiator").most == 7


def test_etgars_climb_rerolls_four() -> None:
    etgar = sheet("etgar", {"VIG": 2, "Athletics": 2})
    declaration = RULESET.Declaration(root="רוח", attribute="VIG", skill="Athletics", target=6)
    settled, _ = RULESET.settle(RULESET.Options(), declaration, etgar, None)
    assert offer(replace(milhamah(PLAIN), declaration=settled), "reroll initiator").most == 4


@pytest.mark.parametrize(
    ("names", "most"),
    [((), 3), (("unnoticed", "already fighting"), 5), (("complete cover", "ambushed"), 1)],
)
def test_circumstances_change_x_when_opposed(names: tuple[str, ...], most: int) -> None:
    reaction = Reaction(root="חננ", rating=3)
    roll = milhamah(PLAIN, rating=3, reaction=reaction, circumstances=names)
    assert offer(roll, "reroll initiator").most == most
    unopposed = milhamah(PLAIN, rating=3, circumstances=names)
    assert offer(unopposed, "reroll initiator").most == 3


def test_an_unopposed_natural_root_is_closed_before_its_choice() -> None:
    assert offered(milhamah(NATURAL, rating=1, options=NO_FLIPS))[0] == "freeze initiator!"
    stands = milhamah(NATURAL, rating=1, initiator={"frozen": range(8)})
    assert offered(stands) == ["adjust natural!", "resolve"]
    assert offer(stands, "adjust natural").options == ("bonus", "merit")
    assert offered(replace(stands, choices={"natural": "merit"})) == ["resolve"]


def test_an_opposed_roll_goes_on_hand_by_hand() -> None:
    reaction = Reaction(root="חננ", rating=1, dice={"red": 1, "green": 1})
    both: dict[str, Any] = {"rating": 1, "reaction": reaction, "options": NO_FLIPS}
    closed = {"frozen": range(8)}
    assert offered(milhamah(PLAIN, **both)) == [
        "freeze initiator!", "reroll initiator", "resolve",
    ]  # fmt: skip
    stands = milhamah(PLAIN, initiator=closed, **both)
    assert offered(stands) == ["roll reactor!", "resolve"]
    thrown = offer(stands, "roll reactor")
    assert (thrown.character, thrown.dice) == ("toad", ("red-a", "green-a"))
    replied = milhamah(PLAIN, reply="חב", initiator=closed, **both)
    assert offered(replied) == ["freeze reactor!", "reroll reactor", "resolve"]
    assert {
        one.character for one in RULESET.offers(replied, sheets()) if one.hand == "reactor"
    } == {"toad"}
    done = milhamah(PLAIN, reply="חב", initiator=closed, reactor={"frozen": (0, 1)}, **both)
    assert offered(done) == ["resolve"]


def test_an_opposed_natural_root_may_prevent_the_reaction() -> None:
    roll = milhamah(NATURAL, reaction=Reaction(root="חננ", rating=1), options=NO_FLIPS)
    assert offered(roll) == ["adjust natural!", "resolve"]
    assert offer(roll, "adjust natural").options == ("prevent", "allow")
    assert offered(replace(roll, choices={"natural": "prevent"})) == ["resolve"]
    assert offered(replace(roll, choices={"natural": "allow"})) == ["roll reactor!", "resolve"]


def test_a_closed_hand_is_not_opened_by_a_later_merit_point() -> None:
    rich = sheet("etgar", {"BLE": 3}, merit=3)
    poor = sheet("etgar", {"BLE": 3})
    both: dict[str, Any] = {"reaction": Reaction(root="חננ", rating=0), "options": NO_FLIPS}
    assert "reroll initiator" in offered(milhamah(PLAIN, **both), rich)
    assert "roll reactor!" in offered(milhamah(PLAIN, **both), poor)
    assert offered(milhamah(PLAIN, reply="חב", **both), rich) == ["resolve"]
    natural = milhamah(NATURAL, choices={"natural": "merit"}, options=NO_FLIPS)
    assert offered(natural, rich) == ["resolve"]
    rewarded = milhamah("בב", reply="חב", choices={"reward": "xr"}, **both)
    toad = sheet("toad", {"BLE": 1}, merit=1)
    assert offered(rewarded, toad) == ["resolve"]
    chosen = ALLOW | {"gain": "none"}
    hit = milhamah(NATURAL, reply="בב", combat=True, location="ו", choices=chosen, **both)
    assert offered(hit, toad) == ["resolve"]


def test_a_botch_lets_the_opponent_choose_his_reward() -> None:
    roll = milhamah("בבב", reply="חבב", options=NO_FLIPS)
    assert offered(roll) == ["adjust reward!", "resolve"]
    reward = offer(roll, "adjust reward")
    assert (reward.character, reward.options) == ("toad", ("both", "xr", "pocket", "none"))
    one_only = milhamah("בבב", reply="חבב", options=NO_FLIPS | {"botch_rewards": "one"})
    assert offer(one_only, "adjust reward").options == ("xr", "pocket", "none")
    assert offered(milhamah("בבב", reply="בבב", options=NO_FLIPS)) == ["resolve"]


def test_what_another_page_says_is_offered_with_its_source() -> None:
    rich = sheet("etgar", {"BLE": 2}, merit=2)
    found = RULESET.offers(milhamah("רבב", rating=1), sheets(rich))
    notes = {one.trigger: one.note for one in found if one.note}
    page = "By another page of the author's: "
    assert notes == {
        "reroll": page + "a Merit Point adds a die to a reroll, at most BLE.",
        "adjust": page + "red dice turn by Atbash.",
    }
    poor = RULESET.offers(milhamah("רבב", rating=1), sheets())
    assert [one.note for one in poor if one.note] == [notes["adjust"]]


def test_a_choice_before_its_time_names_the_freeze_that_is_due() -> None:
    table = Table("milhamah", dice="scripted")
    etgar = table.character("Etgar")
    table.declare(etgar, root="רוח", rating=2).roll(faces="רוחבגדהז")
    with pytest.raises(Refused, match="waits for: freeze initiator") as refused:
        table.submit(etgar.seat, Choose(1, "natural", "bonus"))
    assert refused.value.code == "not-offered"
    assert refused.value.allowed[0].startswith("freeze initiator d1 d2")


HANDS = st.fixed_dictionaries(
    {"frozen": st.sets(st.integers(0, 3)), "rerolls": st.integers(0, 2)},
    optional={"means": st.just(("cipher",))},
)
FACES = st.text(alphabet="רוחב*", min_size=4, max_size=4)


@given(FACES, st.none() | FACES, HANDS, HANDS, st.integers(0, 5), st.integers(0, 2))
def test_only_unfrozen_dice_of_the_one_open_hand_are_handled(
    faces: str, reply: str | None, initiator: Any, reactor: Any, rating: int, merit: int
) -> None:
    both = (sheet(who, {"BLE": 2}, merit=merit) for who in ("etgar", "toad"))
    roll = milhamah(faces, reply=reply, initiator=initiator, reactor=reactor, rating=rating)
    found = RULESET.offers(roll, sheets(*both))
    handled = [one for one in found if one.trigger in ("freeze", "reroll") or one.means]
    assert len({one.hand for one in handled}) <= 1
    free = {die.id for hand in roll.hands for die in hand.dice if not die.frozen}
    for one_of in handled:
        if one_of.trigger != "freeze":
            assert set(one_of.dice) <= free
            assert one_of.most + one_of.extra > 0
    assert ("freeze" in [one.trigger for one in handled]) == bool(handled)
    open_hands = {one.hand for one in handled}
    assert all(one.hand not in open_hands for one in found if one.trigger == "flavour")
    assert [one.trigger for one in found].count("resolve") == 1
