"""Rolls of Allies of Majesty, scored by the ruleset and by an oracle that shares no code."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.oracles import majesty as oracle
from tests.oracles.by_rules import declared, throws
from urim import Table
from urim.engine.table import RollHandle
from urim.rules.figures import name_of
from urim.rules.majesty import Options
from urim.rules.readings import readings_of
from urim.rules.ruleset import Die, Hand, Offer, Outcome

SHEETS: list[dict[str, int]] = [
    {"Precision": 12, "Guard": 5, "Will": 81, "Nerve": 53, "Doubt": -7},
    {"Precision": 7, "Guard": 9, "Wits": 6, "Will": 67},
]


def drawn_options(chance: Random) -> dict[str, Any]:
    """A value of every reading."""
    return {each.name: chance.choice((each.default, *each.others)) for each in readings_of(Options)}


def drawn_roll(chance: Random) -> tuple[dict[str, Any], tuple[dict[str, Any] | None] | None]:
    """A declaration, and the reaction that it waits for: (None,) declines, None is not asked."""
    kind = chance.choice(["strike", "resist", "check"])
    wish: dict[str, Any] = {"kind": kind, "opponent": "c2"}
    if kind == "strike" and chance.random() < 0.5:
        pass
    elif chance.random() < 0.5:
        wish["value"] = chance.randint(-3, 25)
    else:
        wish["attribute"] = chance.choice(["Precision", "Will", "Nerve", "Doubt"])
    magic = [{"cost": chance.randint(0, 120)}, {"spp": chance.randint(0, 8)}]
    if chance.random() < 0.3:
        given = chance.choice(magic if kind == "resist" else [{"opposing": chance.randint(-5, 25)}])
        if chance.random() < 0.4:  # a trap's, or a cost
            del wish["opponent"]
        return {**wish, **given}, None
    if kind != "resist" and chance.random() < 0.4:
        wish["opposing_attribute"] = chance.choice(["Wits", "Will", "Song"])
    answers: list[dict[str, Any] | None] = [None, {"value": chance.randint(-5, 30)}]
    answers += magic if kind == "resist" else [{"attribute": "Wits"}]
    if kind == "strike" or wish.get("opposing_attribute"):
        answers += [{}] if wish.get("opposing_attribute") != "Song" else []
    return wish, (chance.choice(answers),)


def adjust(roll: RollHandle, offer: Offer, chance: Random) -> None:
    """Dice moved at random, all Adjustments used where that is due."""
    left = offer.most if offer.due else chance.randint(0, offer.most)
    moved: dict[str, Any] = {}
    for die in chance.sample(offer.dice, len(offer.dice)):
        faces = {face: cost for face, cost in offer.to[die].items() if cost <= left}
        if not faces:
            continue
        most = max(faces.values())
        wanted = [face for face, cost in faces.items() if not offer.due or cost == most]
        moved[die] = chance.choice(wanted)
        left -= faces[moved[die]]
    table = roll.table
    who = table.narrator if offer.narrator else table.state.characters[offer.character].seat
    if moved:
        roll.adjust(moved)
        assert roll.state.trail[-1].event.by == who


def answer(roll: RollHandle, reaction: dict[str, Any] | None) -> None:
    """The reaction given, or declined."""
    if reaction is None:
        roll.decline()
    else:
        roll.react(**reaction)


def scored(outcome: Outcome) -> dict[str, Any]:
    """The ruleset's outcome as the oracle writes it."""
    return {"degree": outcome.degree, "margin": outcome.margin, "figures": outcome.figures}


@pytest.mark.prove
def test_every_figure_is_the_oracles(count: int, seed: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(count):
        chance = Random(f"majesty {seed} {number}")  # noqa: S311 - dice of a test
        options = drawn_options(chance)
        table = Table("majesty", dice="scripted", options=options)
        who = [
            table.character(name, attributes=each) for name, each in zip("AB", SHEETS, strict=True)
        ]
        wish, reaction = drawn_roll(chance)
        roll = table.declare(who[0], **wish)
        if reaction is not None:
            answer(roll, reaction[0])
        fell = chance.choices(range(1, 13), weights=[3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3], k=7)
        roll.roll(faces=fell)
        for offer in roll.offers:
            if offer.trigger == "adjust":
                adjust(roll, offer, chance)
        shown = [int(die.face) for die in roll.state.roll.hands[0].dice]
        found = scored(roll.resolve())
        assert found == oracle.figures(options, wish, SHEETS, reaction, fell, shown), number
        seen.update(name_of(key) for key in found["figures"])
        seen.update([found["degree"]])
    if count >= 25:
        assert {"declined", "epic_roll", "moved", "defensive_hits", "cost", "narrator_adjusts"} <= {
            *seen
        }


POOLS = [(dice, kind) for dice in range(1, 7) for kind in ("strike", "resist", "check")]
WISHES: dict[str, dict[str, Any]] = {
    "strike": {"kind": "strike", "value": 3, "opposing": 3, "opponent": "c2"},
    "resist": {"kind": "resist", "value": 3, "cost": 25},
    "check": {"kind": "check", "value": 3, "opposing": 3},
}


@pytest.mark.sampled(4, rest=8)
@pytest.mark.parametrize("net_zero", ["no effect", "negative"])
@pytest.mark.parametrize(("dice", "kind"), [*POOLS, (7, "check")])
def test_the_odds_of_every_net_are_the_oracles(dice: int, kind: str, net_zero: str) -> None:
    """So many of the seven dice, every throw of them."""
    wish = {key: value for key, value in WISHES[kind].items() if key != "opponent"}
    ruleset, roll, _ = declared("majesty", wish, {}, {"net_zero": net_zero})
    exact: Counter[int] = Counter()
    for faces, weight in throws(tuple(range(1, 13)), dice):
        lying = tuple(Die(f"d{at}", "d12", (a,), a, a) for at, a in enumerate(faces, 1))
        outcome = ruleset.outcome(replace(roll, hands=(Hand("initiator", "c1", lying),)))
        exact[outcome.margin] += weight
        if dice < 4:
            shown = [int(str(face)) for face in faces]
            given = {"net_zero": net_zero}
            assert scored(outcome) == oracle.figures(given, wish, [{}, {}], None, shown, shown)
    assert {net: Fraction(n, 12**dice) for net, n in exact.items()} == oracle.odds(dice)
