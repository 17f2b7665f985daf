"""Scarterra against an oracle of its own: random rolls, and every throw of small pools."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace as changed

from tests.oracles import by_icepool
from tests.oracles import scarterra as oracle
from tests.oracles.by_rules import throws
from tests.oracles.scarterra_pools import CHART, Sheet, Throw, pool
from urim import Table
from urim.engine.table import CharacterHandle, RollHandle
from urim.errors import Refused
from urim.events.base import Face
from urim.rules.ruleset import Damage, Die, Hand, Outcome

FACES = tuple(range(1, 11))
NAMES = ("c1", "c2", "c3", "c4")
ATTRIBUTES = ("Dexterity", "Stamina", "Wits", "Willpower")
ABILITIES = ("Archery", "Dodge", "Ride")
SOAKS = ("Stamina", "Stamina + Armor", "Armor")
LEVELS = ([0, -1, -1, -2, -2, -5], [0, -1, -3], [-1])


def options_of(luck: Random) -> dict[str, Any]:
    """A value for every reading."""
    return {
        "resisted_tie": luck.choice(["defender", "attacker", "neither"]),
        "declined": luck.choice(["zero", "simple"]),
        "resisted_extended": luck.choice(["lead", "own"]),
        "extended_botch": luck.choice(["ruin", "setback"]),
        "cooperative_botch": luck.choice(["all", "any"]),
        "retry_step": luck.randint(0, 3),
        "actions_by": luck.choice(["turn", "each"]),
        "health_levels": luck.choice(LEVELS),
        "soak_pays_wounds": luck.choice([True, False]),
        "soak_by": luck.choice(SOAKS),
        "soak_difficulty": luck.randint(2, 10),
        "weapon_damage": luck.randint(0, 2),
    }


def side_of(luck: Random, *, reflexive: bool = False) -> dict[str, Any]:
    """What anybody declares who throws dice."""
    side: dict[str, Any] = {}
    if luck.random() < 0.3:
        side["dots"] = luck.randint(0, 6)
    else:
        side["attribute"] = luck.choice(ATTRIBUTES)
        if luck.random() < 0.6:
            side["ability"] = luck.choice(ABILITIES)
    if luck.random() < 0.3:
        side["modifiers"] = {"rain": luck.randint(-3, -1), "luck": luck.randint(0, 3)}
    if luck.random() < 0.6:
        side["difficulty"] = luck.choice([*range(2, 11), *CHART.values()])
    if reflexive:
        side["reflexive"] = True
    elif luck.random() < 0.2:
        side["actions"] = luck.randint(2, 3)
        side["action"] = luck.randint(1, side["actions"])
    return side


def declared_by(luck: Random) -> dict[str, Any]:
    """A declaration of any kind."""
    kind = luck.choice(["simple", "reflexive", "resisted", "attack", "cooperative"])
    declared = side_of(luck, reflexive=kind == "reflexive")
    if kind in ("resisted", "attack"):
        declared["opponent"] = "c2"
    if kind == "cooperative":
        declared["helpers"] = luck.sample(["c2", "c3", "c4"], luck.randint(1, 3))
    if kind == "attack":
        declared["combat"] = True
        if luck.random() < 0.4:
            declared["weapon"] = luck.randint(0, 3)
        if luck.random() < 0.4:
            declared["soak"] = luck.choice(SOAKS)
    if kind not in ("attack", "reflexive") and luck.random() < 0.5:
        declared["target"] = luck.randint(1, 8)
        if luck.random() < 0.4:
            declared["deadline"] = luck.randint(1, 4)
    if luck.random() < 0.2:
        declared["binary"] = True
    return declared


class Evening:
    """A table under random readings, and the same in the oracle's words."""

    def __init__(self, luck: Random) -> None:
        self.luck, self.options = luck, options_of(luck)
        self.table = Table("scarterra", dice="scripted", options=self.options)
        self.seen: Counter[str] = Counter()
        self.characters: dict[str, CharacterHandle] = {}
        for name in NAMES:
            dots = {trait: luck.randint(0, 5) for trait in (*ATTRIBUTES, *ABILITIES, "Armor")}
            if luck.random() < 0.2:
                dots[luck.choice(["Stamina", "Armor"])] = 0
            wounds = luck.randint(0, 3) if luck.random() < 0.4 else 0
            wounds = min(wounds, len(self.options["health_levels"]))
            handle = self.table.character(name, attributes=dots, tracks={"wounds": wounds})
            self.characters[handle.id] = handle

    def sheets(self) -> dict[str, Sheet]:
        """Everybody's sheet as of now."""
        return {
            name: Sheet(
                {each: handle.sheet.whole(each) for each in handle.sheet.attributes},
                handle.sheet.tracks.get("wounds", 0),
            )
            for name, handle in self.characters.items()
        }

    def play(self) -> None:
        """One roll and what follows it."""
        throw = Throw("c1", declared_by(self.luck), self.sheets())
        begun = self.declare(throw)
        if begun is None:
            return
        roll, throw = self.resolved(begun, throw)
        for _ in range(2):
            if not self.offered(roll, "again"):
                break
            after = side_of(self.luck)
            if throw.declared.get("target"):
                after["target"] = throw.declared["target"]
            again = Throw("c1", after, self.sheets(), after=throw)
            tried = self.declare(again, (roll, "again"))
            if tried is None:
                break
            roll, throw = self.resolved(tried, again)
        if oracle.hits(self.options, throw):
            self.strike(roll, throw)

    def declare(self, throw: Throw, follows: tuple[RollHandle, str] | None = None) -> Any:
        """The roll on the table; None where it is refused, and then the oracle refuses it too."""
        allowed = pool(self.options, throw, throw.who) is not None
        try:
            roll = self.table.declare(self.characters[throw.who], follows=follows, **throw.declared)
        except Refused:
            assert not allowed, (self.options, throw)
            return None
        assert allowed, (self.options, throw)
        return roll

    def resolved(self, roll: RollHandle, throw: Throw) -> tuple[RollHandle, Throw]:
        """The roll answered, thrown and resolved, equal to the oracle's at its end."""
        throw = self.answered(roll, throw)
        while True:
            throw = replace(throw, rounds=(*throw.rounds, self.thrown(roll, throw)))
            over = not throw.declared.get("target") or oracle.is_over(self.options, throw)
            assert over != any(offer.trigger == "roll" for offer in roll.offers)
            if over or self.luck.random() < 0.1:
                break
        expected = oracle.outcome(self.options, throw)
        assert told(roll.resolve()) == expected, (self.options, throw)
        again = oracle.may_be_tried_again(self.options, throw)
        assert self.offered(roll, "again") == again, (self.options, throw)
        self.seen.update([expected["degree"], expected["figures"]["kind"]])
        return roll, throw

    def answered(self, roll: RollHandle, throw: Throw) -> Throw:
        """Everybody who is asked reacts, or declines, in any order."""
        for who in self.luck.sample(throw.asked, len(throw.asked)):
            answer = side_of(self.luck)
            tried = replace(throw, answers={**throw.answers, who: answer})
            if self.luck.random() < 0.7 and self.reacts(roll, tried, who):
                throw = tried
                continue
            roll.decline(self.characters[who])
            throw = replace(throw, answers={**throw.answers, who: None})
        return throw

    def reacts(self, roll: RollHandle, throw: Throw, who: str) -> bool:
        """Whether a reaction is accepted, on the table and by the oracle."""
        allowed = pool(self.options, throw, who) is not None
        try:
            roll.react(self.characters[who], **throw.side(who))
        except Refused:
            assert not allowed, (self.options, throw)
            return False
        assert allowed, (self.options, throw)
        return True

    def thrown(self, roll: RollHandle, throw: Throw) -> dict[str, list[int]]:
        """A round's faces, as many as the oracle counts dice."""
        faces: dict[str, list[int]] = {}
        for who in throw.throwing:
            dice = pool(self.options, throw, who)
            assert dice is not None
            few = self.luck.choice([FACES, FACES, (1, 2, 3), (1, 6, 8), (6, 9, 10)])
            faces[who] = [self.luck.choice(few) for _ in range(dice)]
            offer = next(offer for offer in roll.offers if offer.trigger == "roll")
            assert offer.character == who
            roll.roll(offer.hand, faces=faces[who])
        return faces

    def strike(self, roll: RollHandle, throw: Throw) -> None:
        """A hit does its damage, or is soaked first."""
        victim = self.sheets()["c2"]
        soakable = oracle.may_be_soaked(self.options, throw, victim)
        assert self.offered(roll, "soak") == soakable
        if soakable and self.luck.random() < 0.7:
            declared = {"modifiers": {"shield": 1}} if self.luck.random() < 0.3 else {}
            soak = Throw("c2", declared, self.sheets(), soaks=throw)
            begun = self.declare(soak, (roll, "soak"))
            if begun is not None:
                roll, throw = self.resolved(begun, soak)
        self.seen.update(["soaked" if throw.soaks else "not soaked"])
        expected = oracle.damage(self.options, throw, victim)
        assert hurt(roll.apply_damage()) == expected, (self.options, throw)
        filled = expected["figures"].get("filled", 0)
        assert self.sheets()["c2"].wounds == victim.wounds + filled

    def offered(self, roll: RollHandle, link: str) -> bool:
        """Whether a roll may follow by that link."""
        return link in [offer.link for offer in roll.offers]


def told(found: Outcome) -> dict[str, Any]:
    """An outcome as the oracle gives one."""
    assert found.effects == ()
    return {
        "degree": found.degree,
        "margin": found.margin,
        "figures": dict(found.figures),
        "readings": found.readings,
    }


def hurt(found: Damage) -> dict[str, Any]:
    """A damage as the oracle gives one."""
    assert found.target == "c2"
    return {
        "amount": found.amount,
        "figures": dict(found.figures),
        "effects": [(effect.track, effect.delta) for effect in found.effects],
        "readings": found.readings,
    }


@pytest.mark.prove
def test_random_rolls_come_out_as_the_oracle_says(count: int, seed: int) -> None:
    luck = Random(f"scarterra {seed}")  # noqa: S311  a draw that repeats
    seen: Counter[str] = Counter()
    while sum(seen[kind] for kind in KINDS) < count:
        evening = Evening(luck)
        evening.play()
        seen += evening.seen
    if count >= 400:
        assert set(KINDS) | {"soaked", "not soaked", "standoff", "undecided"} <= set(seen)


KINDS = (
    "simple",
    "extended",
    "resisted",
    "resisted and extended",
    "cooperative",
    "cooperative and extended",
    "reflexive",
    "soak",
)


# --- every throw of small pools -------------------------------------------------------------------


def hand(name: str, who: str, faces: tuple[Face, ...]) -> Hand:
    """A hand of d10 with these faces."""
    dice = (Die(f"d{at}", "d10", (face,), face, face) for at, face in enumerate(faces, 1))
    return Hand(name, who, tuple(dice))


def shown(faces: tuple[Face, ...]) -> list[int]:
    """Faces as numbers."""
    return [int(face) for face in faces]


ALONE = [(1, 2), (1, 6), (1, 10), (2, 3), (2, 6), (3, 4), (3, 6), (3, 8), (3, 10), (4, 6), (5, 7)]


@pytest.mark.sampled(19)
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(("dice", "number"), ALONE)
def test_every_throw_of_a_pool(dice: int, number: int, binary: bool) -> None:
    declared: dict[str, Any] = {"dots": dice, "difficulty": number, "binary": binary}
    table = Table("scarterra", dice="scripted")
    roll = table.declare(table.character("One"), **declared).state.roll
    throw = Throw("c1", declared, {"c1": Sheet({})})
    odds: Counter[Any] = Counter()
    for faces, ways in throws(FACES, dice):
        hands = (hand("initiator", "c1", faces),)
        found = table.state.game.ruleset.outcome(changed(roll, hands=hands))
        expected = oracle.outcome({}, replace(throw, rounds=({"c1": shown(faces)},)))
        assert told(found) == expected, faces
        botched = found.degree == "botch"
        odds[("botch", found.margin) if botched else found.margin] += ways
    exact = {net: Fraction(ways, 10**dice) for net, ways in odds.items()}
    assert exact == by_icepool.scarterra(dice, number)


TWO = [
    ({"opponent": "c2"}, {"resisted_tie": "defender"}, (2, 6), (2, 6)),
    ({"opponent": "c2"}, {"resisted_tie": "attacker"}, (2, 6), (2, 6)),
    ({"opponent": "c2"}, {"resisted_tie": "neither"}, (2, 6), (2, 6)),
    ({"opponent": "c2"}, {}, (3, 8), (1, 6)),
    ({"opponent": "c2"}, {}, (1, 5), (3, 8)),
    ({"opponent": "c2", "target": 2}, {"resisted_extended": "lead"}, (2, 6), (2, 6)),
    ({"opponent": "c2", "target": 2}, {"resisted_extended": "own"}, (2, 6), (2, 6)),
    ({"opponent": "c2"}, {"below_zero": "stops"}, (2, 6), (2, 6)),
    ({"opponent": "c2"}, {"tie_at_zero": "tie"}, (2, 6), (2, 6)),
    ({"helpers": ["c2"]}, {"below_zero": "stops"}, (2, 6), (2, 6)),
    ({"helpers": ["c2"]}, {"cooperative_botch": "all"}, (2, 6), (2, 6)),
    ({"helpers": ["c2"]}, {"cooperative_botch": "any"}, (3, 7), (1, 6)),
    ({"helpers": ["c2"], "target": 3}, {"extended_botch": "setback"}, (2, 6), (2, 4)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("more", "options", "one", "two"), TWO)
def test_every_throw_of_two_pools(
    more: Mapping[str, Any],
    options: Mapping[str, Any],
    one: tuple[int, int],
    two: tuple[int, int],
) -> None:
    table = Table("scarterra", dice="scripted", options=options)
    first, second = table.character("One"), table.character("Two")
    declared: dict[str, Any] = {"dots": one[0], "difficulty": one[1], **more}
    answer: dict[str, Any] = {"dots": two[0], "difficulty": two[1]}
    handle = table.declare(first, **declared)
    handle.react(second, **answer)
    throw = Throw("c1", declared, dict.fromkeys(("c1", "c2"), Sheet({})), {"c2": answer})
    roll, score = handle.state.roll, table.state.game.ruleset.outcome
    name = "reactor" if "opponent" in more else "helper:c2"
    margins: Counter[int] = Counter()
    for (ours, ways), (theirs, others) in product(throws(FACES, one[0]), throws(FACES, two[0])):
        hands = (hand("initiator", "c1", ours), hand(name, "c2", theirs))
        found = score(changed(roll, hands=hands))
        rounds = ({"c1": shown(ours), "c2": shown(theirs)},)
        assert told(found) == oracle.outcome(options, replace(throw, rounds=rounds)), hands
        margins[found.margin] += ways * others
    if "target" in more:
        return
    sign = -1 if "opponent" in more else 1
    exact = {net: Fraction(ways, 10 ** (one[0] + two[0])) for net, ways in margins.items()}
    assert exact == together(one, two, sign, options)


def together(
    one: tuple[int, int], two: tuple[int, int], sign: int, options: Mapping[str, Any]
) -> dict[int, Fraction]:
    """The odds of the margin, from icepool's odds of either side alone."""
    odds: dict[int, Fraction] = {}
    either = by_icepool.scarterra(*one).items(), by_icepool.scarterra(*two).items()
    for (ours, chance), (theirs, other) in product(*either):
        botches = [isinstance(net, tuple) for net in (ours, theirs)]
        nets = [net[1] if isinstance(net, tuple) else net for net in (ours, theirs)]
        if options.get("below_zero") == "stops" or (sign < 0 and max(nets) <= 0):
            nets = [max(0, net) for net in nets]
        spoilt = all(botches) or (options.get("cooperative_botch") == "any" and any(botches))
        margin = 0 if sign > 0 and spoilt else nets[0] + sign * nets[1]
        odds[margin] = odds.get(margin, Fraction(0)) + chance * other
    return odds
