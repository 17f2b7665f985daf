"""Rolls of Age of Magic, scored by the ruleset and by an oracle that shares no code with it."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.oracles import age_of_magic as oracle
from tests.oracles.by_rules import odds
from urim import Table
from urim.engine.core.commands import React
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, RollHandle
from urim.rules.age_of_magic import Options
from urim.rules.readings import readings_of
from urim.rules.ruleset import Outcome

LEVEL = "tiredness"


def halves(chance: Random, least: int, most: int) -> float:
    """A number of points, half of them with a half."""
    doubled = chance.randint(2 * least, 2 * most)
    return doubled // 2 if doubled % 2 == 0 else doubled / 2


def drawn_options(chance: Random) -> dict[str, Any]:
    """A value of every reading."""
    return {each.name: chance.choice((each.default, *each.others)) for each in readings_of(Options)}


def drawn_sheet(chance: Random) -> dict[str, float]:
    """Scores, gifts and armour."""
    found: dict[str, float] = {
        "Brawling": halves(chance, -1, 9),
        "Fists": halves(chance, 0, 3),
        "Elbows": halves(chance, 0, 3),
        "Soak": halves(chance, 0, 9),
        "ST": halves(chance, -2, 6),
        "EN": halves(chance, 0, 5),
        "armour": halves(chance, 0, 4),
    }
    gifts = ("luck", "unluck", "talent:Brawling", "limitation:Soak")
    return found | {gift: 1 for gift in gifts if chance.random() < 0.5}


def drawn_extras(chance: Random, sheet: dict[str, float], *, last: bool) -> dict[str, Any]:
    """What any roll may declare besides its scores; no push where it would be the `last` one."""
    found: dict[str, Any] = {}
    if chance.random() < 0.5:
        names = chance.sample(["dark", "high ground", "wet"], chance.randint(1, 3))
        found["modifiers"] = {name: halves(chance, -4, 6) for name in names}
    if sheet.get("luck") and chance.random() < 0.6:
        found["luck"] = chance.choice([3, -3])
    if not last and chance.random() < 0.3:
        found["push"] = True
    return found


def drawn_declaration(chance: Random, sheet: dict[str, float], *, last: bool) -> dict[str, Any]:
    """A roll with a skill."""
    kind = chance.choice(["simple", "simple", "attack", "attack", "trance", "tiring"])
    found: dict[str, Any] = {"kind": kind, "skill": "Brawling", "characteristic": "ST"}
    if chance.random() < 0.4:
        found["specialism"] = "Fists"
        found |= chance.choice([{}, {"specialisms": ["Elbows"]}])
    if chance.random() < 0.2:
        found["points"] = {"Brawling": halves(chance, 0, 12)}
    if kind in ("attack", "tiring") or chance.random() < 0.6:
        found["difficulty"] = halves(chance, -2, 12)
    if kind == "attack":
        found |= {"targets": ["c2"], "weapon": halves(chance, 0, 12)}
    elif chance.random() < 0.5:
        found["targets"] = chance.choice([["c2"], ["c2", "c3"]])
    if not sheet.get("talent:Brawling") and chance.random() < 0.2:
        found["limitation"] = True
    if chance.random() < 0.2:
        found["no_knowledge"] = True
    return found | drawn_extras(chance, sheet, last=last)


def reacted(roll: RollHandle, chance: Random) -> list[tuple[str, dict[str, Any] | None]]:
    """Luck chosen or declined, unluck perhaps, until the dice may be thrown."""
    found: list[tuple[str, dict[str, Any] | None]] = []
    while open_ones := [offer for offer in roll.offers if offer.trigger == "react"]:
        offer = chance.choice(open_ones)
        if not offer.due and not any(each.due for each in open_ones) and chance.random() < 0.5:
            break
        seat = NARRATOR if offer.narrator else roll.table.state.characters[offer.character].seat
        answer: dict[str, Any] | None = None
        if not (offer.due and chance.random() < 0.4):
            answer = {"fate": str(offer.options[0]), "modifier": chance.choice([3, -3])}
        roll.table.submit(seat, React(roll.number, offer.character, answer))
        found.append((offer.character, answer))
    return found


def thrown(roll: RollHandle, expected: oracle.Roll, chance: Random) -> list[list[int]]:
    """One throw or two, with the risks that the oracle allows and no others."""
    throws: list[list[int]] = []
    risks: list[int] | None = list(range(expected.most() + 1))
    while risks is not None:
        (offer,) = (offer for offer in roll.offers if offer.trigger == "roll")
        if offer.options:
            assert list(offer.options) == risks
        else:
            assert [len(offer.dice)] == risks
        faces = chance.choices(
            range(1, 7), k=min(chance.choice(risks), 6) if offer.options else risks[0]
        )
        roll.roll(option=len(faces) if offer.options else None, faces=faces or None)
        throws.append(faces)
        risks = expected.second(len(faces)) if len(throws) == 1 else None
    assert [offer.trigger for offer in roll.offers] == ["resolve"]
    return throws


def scored(outcome: Outcome, who: CharacterHandle) -> dict[str, Any]:
    """The ruleset's outcome as the oracle writes it."""
    assert all((each.character, each.track) == (who.id, LEVEL) for each in outcome.effects)
    return {
        "degree": outcome.degree,
        "margin": outcome.margin,
        "figures": outcome.figures,
        LEVEL: sum(each.delta for each in outcome.effects),
    }


def played(
    roll: RollHandle, expected: oracle.Roll, who: CharacterHandle, chance: Random
) -> Fraction:
    """A declared roll brought to its end, equal to the oracle's in every figure; its result."""
    expected.reactions = reacted(roll, chance)
    throws = thrown(roll, expected, chance)
    found = scored(roll.resolve(), who)
    assert found == expected.outcome(throws)
    return expected.result(throws[expected.stands(throws)])


@pytest.mark.prove
def test_every_figure_is_the_oracles(count: int, seed: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(count):
        chance = Random(f"age of magic {seed} {number}")  # noqa: S311 - dice of a test
        options = drawn_options(chance)
        table = Table("age_of_magic", dice="scripted", options=options)
        sheets = [drawn_sheet(chance) for _ in range(3)]
        tired = chance.randint(0, 7)
        owners = (NARRATOR, None, None)
        cast = [
            table.character(name, attributes=each, tracks={LEVEL: tired}, seat=owner)
            for name, each, owner in zip("ABC", sheets, owners, strict=True)
        ]
        last = tired == 7 and options["push_floor"] == "refuse"
        wish = drawn_declaration(chance, sheets[0], last=last)
        expected = oracle.Roll(options, wish, sheets[0], tired)
        roll = table.declare(cast[0], **wish)
        result = played(roll, expected, cast[0], chance)
        assert roll.outcome is not None
        names = {key.partition(":")[0] for key in roll.outcome.figures}
        seen.update([*names, *roll.outcome.readings, roll.outcome.degree])
        awake = cast[0].sheet.tracks.get(LEVEL, 0) < 8
        if wish["kind"] == "attack" and roll.outcome.degree == "success" and awake:
            margin = result - Fraction(wish["difficulty"])
            seen[_hurt(table, roll, cast, sheets, wish, margin, chance)] += 1
    if count >= 100:
        rare = {"declined", "overdrawn", "stands", "unluck_of_others", "levels_lost"}
        assert rare | {each.name for each in readings_of(Options)} <= {*seen}
        assert len({*oracle.WOUNDS} & {*seen}) >= 5


def _hurt(
    table: Table,
    attack: RollHandle,
    cast: list[CharacterHandle],
    sheets: list[dict[str, float]],
    wish: dict[str, Any],
    margin: Fraction,
    chance: Random,
) -> str:
    """The damage of a hit, perhaps a soak, and the wound that is left."""
    options = table.state.game.options
    given = {name: getattr(options, name) for name in oracle.DEFAULTS}
    tired = [who.sheet.tracks.get(LEVEL, 0) for who in cast]
    extras = drawn_extras(chance, sheets[0], last=tired[0] == 7)
    before = {"margin": margin, "weapon": wish["weapon"]}
    blow = oracle.Roll(given, {**extras, "kind": "damage"}, sheets[0], tired[0], before=before)
    roll = table.declare(cast[0], follows=(attack, "damage"), **extras)
    damage, soaked = played(roll, blow, cast[0], chance), None
    if chance.random() < 0.6:
        declared: dict[str, Any] = {"skill": "Soak", "characteristic": "EN"}
        wanted = {**declared, "kind": "soak"}
        dealt = {"damage": damage}
        saved = oracle.Roll(given, wanted, sheets[1], tired[1], before=dealt, who="c2")
        roll = table.declare(cast[1], follows=(roll, "soak"), **declared)
        soaked = played(roll, saved, cast[1], chance)
    done = roll.apply_damage()
    size, figures = oracle.wound(damage, sheets[1], soaked)
    assert (done.target, done.amount, done.figures) == ("c2", size, figures)
    assert cast[1].sheet.tracks.get(oracle.WOUNDS[size].lower(), 0) == (1 if size else 0)
    return str(figures["wound"])


@pytest.mark.parametrize("ceiling", ["basic", "none"])
@pytest.mark.parametrize(
    ("basic", "dice"), [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2), (7, 2), (9, 3), (12, 4), (17, 5)]
)
def test_the_odds_of_one_throw_are_the_oracles(basic: int, dice: int, ceiling: str) -> None:
    exact = odds(
        "age_of_magic",
        {"skill": "Brawling", "characteristic": "ST"},
        lambda outcome: Fraction(outcome.margin, 2),
        attributes={"Brawling": basic, "ST": 0},
        options={"ceiling": ceiling},
        dice=dice,
    )
    assert exact == oracle.odds(basic, dice, ceiling=ceiling == "basic")


@pytest.mark.parametrize("ceiling", ["basic", "none"])
@pytest.mark.parametrize(
    ("luck", "reading"), [(3, "by_role"), (-3, "by_role"), (-3, "by_modifier")]
)
@pytest.mark.parametrize("dice", [1, 2])
def test_the_odds_of_two_throws_are_the_oracles(
    dice: int, luck: int, reading: str, ceiling: str
) -> None:
    exact = odds(
        "age_of_magic",
        {"skill": "Brawling", "characteristic": "ST", "luck": luck},
        lambda outcome: Fraction(outcome.margin, 2),
        attributes={"Brawling": 9, "ST": 0, "luck": 1},
        options={"ceiling": ceiling, "best_result": reading},
        dice=dice,
        second="second",
    )
    keep = "lower" if reading == "by_modifier" else "higher"
    assert exact == oracle.odds(9 + luck, dice, ceiling=ceiling == "basic", keep=keep)
