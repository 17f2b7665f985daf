"""Odds are what brute force over concrete dice finds, as fractions, with everything left to do."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

from tests.oracles import by_dyce, by_icepool
from tests.oracles.by_places import Game, Place, by_way, ends, on, throws
from tests.oracles.by_places import ways as each_way
from tests.oracles.by_rules import declared
from tests.third_party.tidewater import tidewater
from urim import Table
from urim.engine.core.offers import sheets
from urim.errors import Refused
from urim.events.base import Thrown
from urim.projections import falling, places
from urim.projections.aims import MARGIN, SUCCESS, Aim, aim_of
from urim.projections.choosing import sets
from urim.projections.odds import coming, odds, ways
from urim.rules.ruleset import Offer, Outcome, Roll, Ruleset, Sheet, Sheets
from urim.rules.values import sorted_faces

Wish = dict[str, Any]
Case = tuple[Wish, Wish, Wish, dict[str, int]]
"""A declaration, a reaction where somebody reacts, options, how many faces a die has."""

RATINGS: Mapping[str, int] = {"Any": 3, "ST": 2, "luck": 1, "BLE": 2}


def sagatafl(chance: Random) -> Case:
    opponent = {"opponent": "c2"} if chance.random() < 0.6 else {}
    wish = {"rating": chance.randint(1, 3), "rd": chance.randint(1, 14), **opponent}
    if not opponent and chance.random() < 0.5:
        wish["saving_throw"] = True
    reaction = {"rating": chance.randint(1, 2), "rd": chance.randint(2, 12)}
    return wish, reaction, {"opposed": chance.choice(["scale", "successes"])}, {"d12": 5}


def majesty(chance: Random) -> Case:
    wish = {"kind": "check", "value": chance.randint(0, 4), "opposing": chance.randint(0, 4)}
    options = {"wrap": chance.random() < 0.5, "fewer_adjustments": chance.random() < 0.7}
    if chance.random() < 0.5:
        wish = {**wish, "opponent": "c2"}
    return wish, {}, options, {"d12": 2}


def scarterra(chance: Random) -> Case:
    wish: Wish = {"dots": chance.randint(1, 3), "difficulty": chance.randint(2, 10)}
    reaction = {"dots": chance.randint(1, 2), "difficulty": chance.randint(3, 9)}
    if chance.random() < 0.5:
        wish = {"dots": 2, "target": chance.randint(1, 3), "deadline": 2}
    if chance.random() < 0.6:
        wish["opponent"] = "c2"
    elif chance.random() < 0.4:
        wish["helpers"] = ["c2"]
    if len(wish) > 3:
        wish["dots"], reaction["dots"] = 1, 1
    tie = chance.choice(["defender", "attacker", "neither"])
    botch = chance.choice(["ruin", "setback"])
    return wish, reaction, {"resisted_tie": tie, "extended_botch": botch}, {"d10": 3}


def age_of_magic(chance: Random) -> Case:
    wish: Wish = {"skill": "Any", "characteristic": "ST", "difficulty": chance.randint(1, 9)}
    if chance.random() < 0.6:
        wish["luck"] = chance.choice([3, -3])
    ceiling, same = chance.choice(["basic", "none"]), chance.random() < 0.5
    options = {"ceiling": ceiling, "same_n_twice": same, "overdraw_dice": chance.randint(0, 1)}
    return wish, {}, options, {"d6": 6}


def plain(chance: Random) -> Case:
    terms = ("3d6kh2", "2d4", "2d6ro1", "3d4dl1", "1d8", "3d6cs>3", "2d6rr<3", "3d6ro<3kh2")
    more = chance.choice(["", "+1", "+1d4", "-1d6", "-1d4ro1", " >= 7", "-1d6 > 3"])
    return {"expression": chance.choice(terms) + more}, {}, {}, {}


def milhamah(chance: Random) -> Case:
    dice, against = chance.choice([-6, -6, -5]), chance.random() < 0.4
    root = chance.choice(["אש", "קדק", "שו", "בנה", "את"])
    wish: Wish = {"root": root, "rating": chance.randint(0, 2)}
    wish["status"] = {"few": {"D": -7 if against else dice}}
    if against:
        wish |= {"opponent": "c2", "combat": chance.random() < 0.3}
    else:
        wish["target"] = chance.randint(1, 2)
    reaction = {"root": chance.choice(["אש", "קת"]), "rating": 1, "status": {"few": {"D": -7}}}
    options = {
        "cipher_dice": chance.randint(0, 2),
        "reactor_natural": chance.random() < 0.5,
        "first_roll_natural": chance.choice(["both", "opposed"]),
    }
    if chance.random() < 0.3 and (against or dice == -6):  # with three alike it takes minutes
        wish["dice"] = {"red": 1 if against else 2}
    kinds = dict.fromkeys(("red-a", "red-b", "blue-a", "blue-b", "green-a", "green-b"), 5)
    return wish, reaction, options, kinds


SYSTEMS: Mapping[str, Callable[[Random], Case]] = {
    case.__name__: case for case in (sagatafl, majesty, scarterra, age_of_magic, plain, milhamah)
}

AIMS = ("success", "above 0", "margin", "failure", "not failure", "botch", "not botch")


def drawn(system: str, chance: Random) -> tuple[Ruleset, Roll, Sheets]:
    """A small roll, with all its reactions, of dice that have some of their faces alone."""
    wish, reaction, options, sizes = SYSTEMS[system](chance)
    table = Table(system, dice="scripted", options=options)
    one, two = (table.character(name, attributes=RATINGS) for name in ("One", "Two"))
    roll = table.declare(one, **wish)
    if any(offer.trigger == "react" and offer.due for offer in roll.offers):
        if reaction and chance.random() < 0.8:
            roll.react(two, **reaction)
        else:
            roll.decline(two)
    rules = table.state.game.ruleset
    known = rules.faces(roll.state.roll.options)
    if sizes:
        few = {
            kind: tuple(chance.choice([known[kind][0], *known[kind]]) for _ in range(size))
            for kind, size in sizes.items()
        }
        if "location" in known:
            few["location"] = known["location"][:2]
        rules = replace(rules, faces=lambda _: few)
    return rules, roll.state.roll, sheets(table.state)


EACH = 3
"""Rolls a system for every ten that the count asks for."""


def worth_by(aim: Aim) -> Callable[[Mapping[tuple[str, int], Fraction]], Fraction]:
    """The aim's worth of chances."""
    return lambda found: sum(
        (chance * aim.of_an_end(*end) for end, chance in found.items()), Fraction(0)
    )


def on_the_way(system: str, chance: Random, begun: int) -> tuple[Game, Place, Aim]:
    """A roll and an aim; where it has begun, at a place up to three steps on the way."""
    rules, roll, sheet = drawn(system, chance)
    aim = aim_of(chance.choice(AIMS))
    game, place = Game(rules, sheet, worth_by(aim), False, {}), Place(roll)
    for _ in range(chance.randint(1, 3) if begun else 0):
        place = on(game, place, chance)
    return game, place, aim


def compared(system: str, number: int, seed: int) -> None:
    """One roll drawn from a seed, its dice not thrown yet or at a place on the way."""
    label = f"{system}-{seed}-{number}"
    game, place, aim = on_the_way(system, Random(label), number % 2)  # noqa: S311  cases, not dice
    rules, sheet = game.rules, game.sheet
    asked = rules, place.roll, sheet, aim, dict(place.means)
    found = odds(*asked).chances()
    at_root = place._replace(put=())
    assert found == ends(game, at_root), (label, place.roll)
    assert sum(found.values()) == 1
    told = [way.spread.chances() for way in ways(*asked)]
    possible = list(by_way(game, at_root))
    assert told[0] == found, (label, place.roll)
    assert all(each in possible for each in told), (label, place.roll)
    if number % 5 == 1 and system == "milhamah":
        some = Game(rules, sheet, game.worth, True, {})
        more = ends(some, at_root)
        assert more is not None
        assert game.worth(more) == game.worth(found), (label, place.roll)


def worths_of(game: Game, fallen: Sequence[Place]) -> list[Fraction]:
    """What each of these places is worth."""
    worths: list[Fraction] = []
    for each in fallen:
        found = ends(game, each)
        assert found is not None
        worths.append(game.worth(found))
    return worths


def as_they_fall(rules: Ruleset) -> Ruleset:
    """The system where nobody throws dice again or adjusts any, or goes on, who need not."""

    def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
        every = rules.offers(roll, sheet)
        every = tuple(
            each for each in every if (each.due or each.trigger != "reroll") and not each.means
        )
        ends = any(each.trigger == "resolve" for each in every)
        ends = ends and not any(each.due for each in every)
        return tuple(each for each in every if not (ends and each.trigger == "roll"))

    return replace(rules, offers=offers)


def throw_compared(system: str, number: int, seed: int) -> bool:
    """A throw of a roll drawn from a seed; whether there was one."""
    label = f"throw-{system}-{seed}-{number}"
    chance = Random(label)  # noqa: S311  cases, not dice
    game, place, aim = on_the_way(system, chance, number % 2)
    place = place._replace(put=())
    possible = list(throws(game, place))
    if not possible:
        return False
    name, fallen = chance.choice(possible)
    at = chance.randrange(len(fallen))
    hand = next(hand for hand in fallen[at].roll.hands if hand.name == name)
    before = {die.id: len(die.thrown) for old in place.roll.hands for die in old.dice}
    dice = [
        Thrown(die.id, die.kind, die.face)
        for die in hand.dice
        if len(die.thrown) > before.get(die.id, 0)
    ]
    given = game.rules, place.roll, game.sheet, aim
    kinds = {die.die: die.kind for die in dice}
    for stands in (False, True):
        told = coming(*given, name, kinds, dict(place.means), stands=stands)
        standing = game._replace(rules=as_they_fall(game.rules), known={})
        worths = worths_of(standing if stands else game, fallen)
        wanted = {worth: Fraction(many, len(worths)) for worth, many in Counter(worths).items()}
        assert (told.fell(dice), told.chances) == (worths[at], wanted), (label, stands, place.roll)
        assert told.expected == sum(worths, ZERO) / len(worths)
    return True


@pytest.mark.prove
@pytest.mark.sampled(1, rest=2)
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_a_throw_was_worth_is_what_brute_force_says(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    rolls = max(1, EACH * count // 10)
    found = sum(throw_compared(system, number, seed) for number in range(rolls))
    assert found
    tried(f"{found} throws")


@pytest.mark.prove
@pytest.mark.sampled(3, rest=1)
@pytest.mark.parametrize("system", SYSTEMS)
def test_odds_are_those_of_brute_force(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    rolls = max(1, EACH * count // 10)
    for number in range(rolls):
        compared(system, number, seed)
    tried(f"{rolls} rolls")


@pytest.mark.parametrize("aim", ["success", "margin", "natural success"])
def test_a_first_throw_that_was_natural_counts_though_its_dice_were_turned(aim: str) -> None:
    status = {"few": {"D": -5, "colours": ["red"], "no_reroll": True}}
    wish = {"root": "את", "rating": 0, "target": 2, "status": status}
    options = {"cipher_dice": 2, "first_roll_natural": "both", "first_roll_natural_bonus": 3}
    known, roll, _ = declared("milhamah", wish, {}, options)
    few = {"red-a": ("א", "ת"), "red-b": ("ז",), "location": ("א",)}
    rules = replace(known, faces=lambda _: few)
    wanted = aim_of(aim)
    game = Game(rules, nobody, worth_by(wanted), some=False, known={})
    assert odds(rules, roll, nobody, wanted).chances() == ends(game, Place(roll))


# --- a system of others, other people's dice, and what is too much --------------------------------


@pytest.mark.parametrize("grit", [0, 1, 2])
def test_a_system_of_others_has_odds_by_its_tally_alone(grit: int) -> None:
    rules = replace(tidewater.RULESET, faces=lambda _: {"d8": (1, 4, 6, 8)})
    wish = tidewater.Declaration(dice=2, opponent="c2", grit=grit)
    reaction = ("c2", tidewater.Reaction(dice=2))
    roll = Roll(
        options=tidewater.Options(), character="c1", declaration=wish, reactions=(reaction,)
    )
    aim = aim_of("won")
    game = Game(rules, nobody, worth_by(aim), some=False, known={})
    found = odds(rules, roll, nobody, aim).chances()
    assert found == ends(game, Place(roll))
    assert found == odds(replace(rules, tally=sorted_faces), roll, nobody, aim).chances()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("expression", [text for text in by_icepool.PLAIN if "!" not in text])
def test_plain_dice_have_the_odds_of_icepool(expression: str) -> None:
    rules, roll, _ = declared("plain", {"expression": expression}, {}, {})
    found = odds(rules, roll, nobody, SUCCESS).chances()
    exact = by_icepool.plain(expression)
    if any(isinstance(total, bool) for total in exact):
        holds = sum((chance for (degree, _), chance in found.items() if degree == "success"), ZERO)
        assert holds == exact.get(True, ZERO)
    else:
        totals: dict[int, Fraction] = {}
        for (_, margin), chance in found.items():
            totals[margin] = totals.get(margin, ZERO) + chance
        assert totals == exact


@pytest.mark.parametrize("expression", by_dyce.PLAIN)
def test_plain_dice_have_the_odds_of_dyce(expression: str) -> None:
    rules, roll, _ = declared("plain", {"expression": expression}, {}, {})
    found = odds(rules, roll, nobody, MARGIN).margins()
    assert found == by_dyce.chances(by_dyce.PLAIN[expression]())


def test_ways_are_told_of_figures_that_name_a_part_of_an_expression() -> None:
    rules, roll, _ = declared("plain", {"expression": "2d4ro1"}, {}, {})
    game = Game(rules, nobody, worth_by(SUCCESS), some=False, known={})
    (thrown,) = each_way(game, Place(roll))
    assert isinstance(thrown, list)
    found = [ways(rules, place.roll, nobody, SUCCESS) for place in thrown]
    again = {way.taken: way.plain for told in found for way in told if way.taken}
    assert again == dict.fromkeys([("d1",), ("d2",), ("d1", "d2")], False)  # all dice count for it


def test_what_was_announced_is_all_that_comes() -> None:
    rules, roll, _ = declared("plain", {"expression": "1d6"}, {}, {})
    told = replace(roll, outcome=Outcome("total", 4, {}))
    assert odds(rules, told, nobody, SUCCESS).chances() == {("total", 4): 1}
    assert ways(rules, told, nobody, SUCCESS) == ()


def test_a_reaction_that_is_awaited_is_refused() -> None:
    table = Table("sagatafl", dice="scripted")
    one, _ = (table.character(name, attributes=RATINGS) for name in ("One", "Two"))
    roll = table.declare(one, rating=2, opponent="c2")
    with pytest.raises(Refused, match="c2 has not reacted yet"):
        odds(table.state.game.ruleset, roll.state.roll, sheets(table.state), SUCCESS)


@pytest.mark.parametrize(
    ("module", "limit", "most", "why"),
    [
        (falling, "TALLIES", 2, "3 dice of initiator count in over 2 ways"),
        (places, "STEPS", 12, "the dice of initiator count in too many ways: over 12 steps"),
        (places, "STEPS", 0, "a roll of 0 hands or more has too many places: over 0 steps"),
    ],
)
def test_what_is_too_much_is_refused_with_the_number(
    module: ModuleType, limit: str, most: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, most)
    rules, roll, _ = declared("sagatafl", {"rating": 3}, {}, {})
    with pytest.raises(Refused, match=why):
        odds(rules, roll, nobody, SUCCESS)


def test_sets_of_dice_that_are_too_many_are_refused_so(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("milhamah", dice="scripted")
    roll = table.declare(table.character("One"), root="אש", rating=3, status={"few": {"D": -4}})
    roll.roll(faces=(*"גגגג",))
    monkeypatch.setattr(places, "STEPS", 20)  # the roll, and the roll with its dice frozen
    with pytest.raises(Refused, match="of 4 dice too many sets may be thrown again: over 20 steps"):
        odds(table.state.game.ruleset, roll.state.roll, sheets(table.state), SUCCESS)


@pytest.mark.parametrize(
    ("hand", "dice", "why"),
    [
        ("nothing", [Thrown("d1", "d12", 1)], "no throw of such dice of nothing"),
        ("initiator", [Thrown("d1", "d13", 1)], "no throw of such dice"),
        ("initiator", [Thrown("d1", "d12", 13)], "no such dice fall"),
    ],
)
def test_a_throw_that_nobody_could_make_is_refused(hand: str, dice: list[Thrown], why: str) -> None:
    rules, roll, _ = declared("sagatafl", {"rating": 1}, {}, {})
    with pytest.raises(Refused, match=why):
        coming(rules, roll, nobody, SUCCESS, hand, {die.die: die.kind for die in dice}).fell(dice)


def test_whether_a_throw_is_too_much_does_not_depend_on_what_fell() -> None:
    table = Table("sagatafl", dice="scripted")
    one, two = (table.character(name, attributes=RATINGS) for name in ("One", "Two"))
    roll = table.declare(one, rating=1, opponent="c2")
    roll.react(two, rating=1)
    given = table.state.game.ruleset, roll.state.roll, sheets(table.state), SUCCESS, "initiator"

    def is_too_much(face: int, steps: int) -> bool:
        try:
            coming(*given, {"d1": "d12"}, steps=steps).fell([Thrown("d1", "d12", face)])
        except Refused:
            return True
        return False

    found = [{is_too_much(face, steps) for face in (1, 7, 12)} for steps in range(0, 1_000, 10)]
    assert {len(each) for each in found} == {1}
    assert (found[0], found[-1]) == ({True}, {False})


def test_a_roll_that_may_go_on_for_ever_is_refused_at_once() -> None:
    wish = {"dots": 3, "difficulty": 6, "target": 5}
    rules, roll, _ = declared("scarterra", wish, {}, {})
    with pytest.raises(Refused, match="the roll may go on for over 40 throws"):
        odds(rules, roll, nobody, SUCCESS)


@pytest.mark.parametrize(("least", "most"), [(1, 1), (0, 2), (3, 5), (6, 6), (1, 6)])
def test_every_set_is_found_once_and_none_is_looked_for_in_vain(least: int, most: int) -> None:
    alike = [["d1", "d2"], ["d3"], ["d4", "d5", "d6"]]
    wanted = {
        tuple(die for ids, many in zip(alike, counts, strict=True) for die in ids[:many])
        for counts in product(range(3), range(2), range(4))
        if least <= sum(counts) <= most
    }
    found = list(sets(alike, least, most))
    assert (set(found), len(found)) == (wanted, len(wanted))
    # With each die looked at in vain that would be a thousand million sets.
    assert len(list(sets([[f"d{at}"] for at in range(30)], 1, 1))) == 30


def nobody(who: str) -> Sheet:
    """The sheet of somebody without anything."""
    return Sheet(who, {}, {})


ZERO = Fraction(0)
