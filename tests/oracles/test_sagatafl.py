"""Sagatafl against an oracle of its own: random rolls, and every throw of small pools."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.oracles import by_icepool
from tests.oracles import sagatafl as oracle
from tests.oracles.by_rules import throws
from urim import Table
from urim.engine.core.commands import Replace, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, RollHandle
from urim.errors import Refused
from urim.events.base import Face
from urim.rules.ruleset import Die, Hand, Outcome

FACES = tuple(range(1, 13))
TRAITS = ("Lockpicking", "Hearing", "Sight", "Body")


def options_of(luck: Random) -> dict[str, Any]:
    """A value for every reading, and what a Sense is at this table."""
    return {
        "spec_and_edge": luck.choice(["one", "two"]),
        "no_dice": luck.choice(["refused", "one"]),
        "sense_rolls": luck.choice(["safe", "as set"]),
        "opposed": luck.choice(["scale", "successes"]),
        "declined": luck.choice(["unopposed", "zero"]),
        "sense_traits": luck.choice([[], ["Hearing"], ["Hearing", "Sight"]]),
    }


def side_of(luck: Random) -> dict[str, Any]:
    """What either side may declare."""
    side: dict[str, Any] = {}
    if luck.random() < 0.8:
        side["trait"] = luck.choice(TRAITS)
    if "trait" not in side or luck.random() < 0.3:
        side["rating"] = luck.randint(0, 5)
    for name in ("specialisation", "edge"):
        if luck.random() < 0.35:
            side[name] = f"some {name}"
    if luck.random() < 0.7:
        side["rd"] = luck.choice(["routine", "default", "very hard", *range(1, 31)])
    if luck.random() < 0.4:
        side["modifiers"] = {"dark": luck.randint(1, 5), "tools": luck.randint(-5, -1)}
    return side


def thrown(luck: Random, dice: int) -> list[int]:
    """Random faces; often low ones, of which Fumbles are made."""
    most = luck.choice([12, 12, 7, 3])
    return [luck.randint(1, most) for _ in range(dice)]


def told(found: Outcome) -> dict[str, Any]:
    """An outcome as the oracle gives one."""
    return {
        "degree": found.degree,
        "margin": found.margin,
        "figures": dict(found.figures),
        "readings": found.readings,
    }


def narrated(luck: Random, roll: RollHandle, declared: dict[str, Any]) -> None:
    """The narrator may say whether the roll is Safe."""
    safe = luck.choice([None, None, True, False])
    if safe is not None:
        declared["safe"] = safe
        roll.table.submit(NARRATOR, worded(Replace(roll.number, {**declared}), "so it is"))


@pytest.mark.prove
def test_random_rolls_come_out_as_the_oracle_says(count: int, seed: int) -> None:
    luck = Random(f"sagatafl {seed}")  # noqa: S311  a draw that repeats
    seen: Counter[str] = Counter()
    while seen.total() < count:
        options = options_of(luck)
        table = Table("sagatafl", dice="scripted", options=options)
        sheets = [{trait: luck.randint(0, 5) for trait in TRAITS} for _ in range(2)]
        one, two = (
            table.character(name, attributes=sheet)
            for name, sheet in zip(("One", "Two"), sheets, strict=True)
        )
        found = played(luck, options, one, two, sheets)
        seen.update([found] if found else [])
    if count >= 100:
        assert {"won", "lost", "nothing changes", "partial success"} <= set(seen)


def played(
    luck: Random,
    options: Mapping[str, Any],
    one: CharacterHandle,
    two: CharacterHandle,
    sheets: list[dict[str, int]],
) -> str:
    """One random roll on the table and by the oracle; its degree, "" where it is refused."""
    declared = side_of(luck)
    if luck.random() < 0.5:
        declared["opponent"] = two.id
    elif luck.random() < 0.5:
        declared["saving_throw"] = True
    dice = oracle.dice_of(options, declared, sheets[0])
    try:
        roll = one.table.declare(one, **declared)
    except Refused:
        assert dice is None, declared
        return ""
    assert dice is not None, declared
    narrated(luck, roll, declared)
    reaction: dict[str, Any] | None = None
    theirs: list[int] = []
    if "opponent" in declared:
        reaction, theirs = answered(luck, options, roll, two, sheets[1])
    faces = thrown(luck, dice)
    roll.roll("initiator", faces=faces)
    if reaction is not None:
        roll.roll("reactor", faces=theirs)
    expected = oracle.outcome(
        options,
        declared,
        sheets[0],
        faces,
        reaction=reaction,
        their_sheet=sheets[1],
        their_faces=theirs,
    )
    assert told(roll.resolve()) == expected, (options, declared, reaction)
    return str(expected["degree"])


def answered(
    luck: Random,
    options: Mapping[str, Any],
    roll: RollHandle,
    two: CharacterHandle,
    sheet: Mapping[str, int],
) -> tuple[dict[str, Any] | None, list[int]]:
    """The opponent's reaction and faces; None where it declines."""
    reaction = side_of(luck)
    dice = oracle.dice_of(options, reaction, sheet)
    if dice is None:
        with pytest.raises(Refused):
            roll.react(two, **reaction)
    if dice is None or luck.random() < 0.3:
        roll.decline(two)
        return None, []
    roll.react(two, **reaction)
    return reaction, thrown(luck, dice)


# --- every throw of small pools -------------------------------------------------------------------


def hand(name: str, who: str, faces: tuple[Face, ...]) -> Hand:
    """A hand of d12 with these faces."""
    dice = (Die(f"d{at}", "d12", (face,), face, face) for at, face in enumerate(faces, 1))
    return Hand(name, who, tuple(dice))


ALONE = [
    (dice, rd, extra)
    for dice, rd in ((1, 1), (1, 8), (1, 13), (2, 4), (2, 12), (3, 6), (3, 8), (3, 20), (4, 9))
    for extra in ({}, {"saving_throw": True})
]


@pytest.mark.sampled(32)
@pytest.mark.parametrize("safe", [None, True])
@pytest.mark.parametrize(("dice", "rd", "extra"), ALONE)
def test_every_throw_of_a_pool(
    dice: int, rd: int, extra: dict[str, Any], safe: bool | None
) -> None:
    declared: dict[str, Any] = {"rating": dice, "rd": rd, **extra}
    table = Table("sagatafl", dice="scripted")
    roll = table.declare(table.character("One"), **declared).state.roll
    roll = replace(roll, declaration=replace(roll.declaration, safe=safe))
    odds: Counter[str] = Counter()
    for faces, ways in throws(FACES, dice):
        found = table.state.game.ruleset.outcome(
            replace(roll, hands=(hand("initiator", "c1", faces),))
        )
        shown = [int(face) for face in faces]
        expected = oracle.outcome({}, {**declared, "safe": safe}, {}, shown)
        assert told(found) == expected, faces
        odds[oracle.shorthand(found.margin)] += ways
    exact = {written: Fraction(ways, 12**dice) for written, ways in odds.items()}
    assert exact == by_icepool.sagatafl(dice, rd, safe=bool(safe))


OPPOSED = [(1, 8, 1, 8), (1, 4, 2, 12), (2, 8, 1, 6), (2, 7, 2, 9), (3, 8, 1, 8)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("opposed", ["scale", "successes"])
@pytest.mark.parametrize(("dice", "rd", "theirs", "their_rd"), OPPOSED)
def test_every_throw_of_two_pools(
    dice: int, rd: int, theirs: int, their_rd: int, opposed: str
) -> None:
    options = {"opposed": opposed}
    table = Table("sagatafl", dice="scripted", options=options)
    one, two = table.character("One"), table.character("Two")
    declared: dict[str, Any] = {"rating": dice, "rd": rd, "opponent": two.id}
    reaction: dict[str, Any] = {"rating": theirs, "rd": their_rd}
    handle = table.declare(one, **declared)
    handle.react(two, **reaction)
    roll, score = handle.state.roll, table.state.game.ruleset.outcome
    odds: Counter[int] = Counter()
    for (faces, ways), (others, more) in product(throws(FACES, dice), throws(FACES, theirs)):
        hands = (hand("initiator", one.id, faces), hand("reactor", two.id, others))
        found = score(replace(roll, hands=hands))
        expected = oracle.outcome(
            options,
            declared,
            {},
            [int(face) for face in faces],
            reaction=reaction,
            their_faces=[int(face) for face in others],
        )
        assert told(found) == expected, (faces, others)
        odds[found.margin] += ways * more
    exact = {margin: Fraction(ways, 12 ** (dice + theirs)) for margin, ways in odds.items()}
    assert exact == margins(opposed, (dice, rd), (theirs, their_rd))


def margins(opposed: str, *pools: tuple[int, int]) -> dict[int, Fraction]:
    """The odds of who is ahead by how much, from icepool's odds of either side alone."""
    one: dict[int, Fraction] = {}
    two: dict[int, Fraction] = {}
    for odds, (dice, rd) in zip((one, two), pools, strict=True):
        for written, chance in by_icepool.sagatafl(dice, rd).items():
            fumble = 1 + oracle.level(written) if opposed == "scale" else 0
            place = oracle.level(written) if written.endswith("S") else fumble
            odds[place] = odds.get(place, Fraction(0)) + chance
    ahead: dict[int, Fraction] = {}
    for (ours, chance), (theirs, other) in product(one.items(), two.items()):
        ahead[ours - theirs] = ahead.get(ours - theirs, Fraction(0)) + chance * other
    return ahead
