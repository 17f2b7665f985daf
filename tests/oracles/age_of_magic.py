"""Age of Magic once more, from the book alone: every figure of a roll, from its JSON.

Points are exact fractions here; only a figure is written in half points, as `halves`. Nothing is
the program's.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

JSON = dict[str, Any]
Points = Fraction

DEFAULTS: JSON = {
    "ceiling": "basic",
    "overdraw_dice": 0,
    "push_floor": "refuse",
    "best_result": "by_role",
    "luck_v_unluck": "cancel",
    "same_n_twice": True,
}

LEVELS = (
    ("Fresh", Points(0)),
    ("Normal", Points(0)),
    ("Slightly tired", Points(-1, 2)),
    ("Quite tired", Points(-1)),
    ("Tired", Points(-3, 2)),
    ("Very tired", Points(-2)),
    ("Exhausted", Points(-3)),
    ("Reeling", Points(-4)),
    ("Unconscious", Points(-4)),
)

WOUNDS = ("None", "Scratch", "Light", "Medium", "Serious", "Critical", "Fatal")


class Roll:
    """A roll of `who` as it was declared, its sheet, the reactions to it, and what it follows.

    `before` is what a damage roll takes from the hit (`margin`, `weapon`), a soak from the damage.
    """

    def __init__(
        self,
        options: JSON,
        declared: JSON,
        sheet: Mapping[str, float],
        tired: int,
        reactions: Sequence[tuple[str, JSON | None]] = (),
        before: JSON | None = None,
        who: str = "c1",
    ) -> None:
        self.who = who
        self.options = {**DEFAULTS, **options}
        self.declared = declared
        self.sheet = sheet
        self.level = tired + bool(declared.get("push"))
        self.reactions = reactions
        self.before = before or {}
        self.kind = declared.get("kind", "simple")

    # --- the basic value --------------------------------------------------------------------------

    def scores(self) -> list[tuple[str, Points]]:
        """The skill, specialisms and characteristic that the roll names, by their figures."""
        given = dict(self.declared)
        if self.kind == "damage":
            given["characteristic"] = "ST"
        named = [(field, given.get(field)) for field in ("skill", "specialism")]
        named += [("specialism", name) for name in given.get("specialisms", ())]
        named.append(("characteristic", given.get("characteristic")))
        points = {**self.sheet, **self.declared.get("points", {})}
        return [(f"{field}:{name}", Points(points.get(name, 0))) for field, name in named if name]

    def added(self) -> dict[str, Points]:
        """What adds to the scores by the rules alone, by the name of its figure."""
        skill = self.declared.get("skill")
        gifts = {
            gift: self.declared.get(gift) or self.sheet.get(f"{gift}:{skill}", 0) > 0
            for gift in ("talent", "limitation")
        }
        margin = Points(self.before.get("margin", 0))
        damage = self.kind == "damage"
        return {
            "weapon": Points(self.before.get("weapon", 0)) if damage else Points(0),
            "margin_of_the_hit": Points(floor(margin), 2) if damage else Points(0),
            "talent": Points(2 if gifts["talent"] else 0),
            "limitation": Points(-2 if gifts["limitation"] else 0),
            "push": Points(3 if self.declared.get("push") else 0),
            "no_knowledge": Points(-3 if self.declared.get("no_knowledge") else 0),
        }

    def modifiers(self) -> dict[str, Points]:
        """Bonuses and penalties by name."""
        given = self.declared.get("modifiers", {})
        return {name: Points(value) for name, value in given.items()}

    def fates(self) -> list[tuple[str, str, int]]:
        """Who is lucky or unlucky, and which way it bends the roll."""
        own = self.declared.get("luck")
        found = [(self.who, "luck", own)] if own else []
        return found + [(who, r["fate"], r["modifier"]) for who, r in self.reactions if r]

    def basic(self) -> Points:
        """The sum of everything."""
        total = sum((points for _, points in self.scores()), Points(0))
        total += sum(self.added().values()) + sum(self.modifiers().values())
        return total + LEVELS[self.level][1] + sum(points for *_, points in self.fates())

    # --- risk, and two throws ---------------------------------------------------------------------

    def paid_for(self) -> int:
        """Dice that the basic value pays for, three points each."""
        return floor(max(self.basic(), Points(0)) / 3)

    def most(self) -> int:
        """The greatest risk."""
        return self.paid_for() + int(self.options["overdraw_dice"])

    def high(self) -> bool | None:
        """Whether the higher of two results stands; None where there is one throw."""
        wishes: list[bool] = []
        for who, fate, points in self.fates():
            of_role = (who == self.who) is (fate == "luck")
            wishes.append(of_role if self.options["best_result"] == "by_role" else points > 0)
        up, down = wishes.count(True), wishes.count(False)
        if up == down or (up and down and self.options["luck_v_unluck"] == "cancel"):
            return None
        return up > down

    def second(self, first: int) -> list[int] | None:
        """The risks of a second throw, after a first of so many dice; None where there is none."""
        if self.high() is None:
            return None
        if not self.options["same_n_twice"]:
            return list(range(self.most() + 1)) if self.most() else None
        return [first] if first else None

    def fell(self, faces: Sequence[int]) -> Points:
        """The result of a throw, as the dice fell."""
        return self.basic() - 3 * len(faces) + sum(faces)

    def result(self, faces: Sequence[int]) -> Points:
        """The same under the ceiling in force."""
        fell = self.fell(faces)
        return min(fell, self.basic()) if self.options["ceiling"] == "basic" else fell

    def stands(self, throws: Sequence[Sequence[int]]) -> int:
        """Which throw stands: the first of those that are as good."""
        results = [self.result(faces) for faces in throws]
        return results.index(max(results) if self.high() in (None, True) else min(results))

    # --- what comes of it -------------------------------------------------------------------------

    def outcome(self, throws: Sequence[Sequence[int]]) -> JSON:
        """Degree, margin (in half points), every figure, and what the roller's tiredness does."""
        result = self.result(throws[self.stands(throws)])
        degree, margin, more, change = self._decided(result)
        level = max(0, min(self.level + change, len(LEVELS) - 1))  # nobody is fresher or worse
        figures = self._explained() | self._thrown(throws)
        beyond = max(map(len, throws)) - self.paid_for()
        if beyond > 0:
            figures |= {"paid_for": self.paid_for(), "overdrawn": beyond}
        figures["result"] = halves(result)
        return {
            "degree": degree,
            "margin": halves(margin),
            "figures": figures | more,
            "tiredness": level - self.level,
        }

    def _decided(self, result: Points) -> tuple[str, Points, JSON, int]:
        if self.kind == "damage":
            return "damage", result, {}, 0
        if self.kind == "soak":
            taken = {"damage": halves(self.before["damage"]), "steps_down": steps(result)}
            return "soak", result, taken, 0
        needed = self.declared.get("difficulty", 5 if self.kind == "trance" else None)
        if needed is None:
            return "result", result, {}, 0
        margin = result - Points(needed)
        reached = margin >= 0
        more: JSON = {"difficulty": halves(Points(needed))}
        change = 0
        if self.kind == "trance":
            if reached:
                more["more_levels"] = floor(margin / 5)
            more["levels_regained"] = 1 + floor(margin / 5) if reached else 0
            change = -more["levels_regained"]
        if self.kind == "tiring":
            more["levels_lost"] = change = 0 if reached else ceil(-margin / 5)
        return "success" if reached else "failure", margin, more, change

    def _explained(self) -> JSON:
        found: JSON = {}
        if self.kind == "damage":
            found["hit_by"] = halves(self.before["margin"])
        found |= {name: halves(points) for name, points in self.scores()}
        found |= {name: halves(points) for name, points in self.added().items() if points}
        for name, points in self.modifiers().items():
            if points:
                found[f"modifiers:{name}"] = halves(points)
        name, penalty = LEVELS[self.level]
        if penalty:
            found[f"tiredness:{name}"] = halves(penalty)
        for who, fate, bent in self.fates():
            found[fate if who == self.who else f"{fate}_of_others:{who}"] = 2 * bent
        if away := [who for who, reaction in self.reactions if reaction is None]:
            found["declined"] = away
        return found | {"basic": halves(self.basic())}

    def _thrown(self, throws: Sequence[Sequence[int]]) -> JSON:
        found: JSON = {}
        for name, faces in zip(("first", "second"), throws, strict=False):
            found[f"risk:{name}"] = len(faces)
            if faces:
                found[f"dice:{name}"] = 2 * sum(faces)
            if len(throws) > 1:
                found[f"throw:{name}"] = halves(self.result(faces))
        if any(self.fell(faces) > self.basic() for faces in throws):
            capped = self.options["ceiling"] == "basic"
            found |= {"ceiling": halves(self.basic())} if capped else {"no_ceiling": True}
        if len(throws) > 1:
            found["stands"] = ("first", "second")[self.stands(throws)]
            if len({self.result(faces) for faces in throws}) > 1:
                found["chosen"] = "higher" if self.high() else "lower"
        return found


def halves(points: Points) -> int:
    """Points as so many halves."""
    return int(2 * points)


def steps(soak: Points) -> int:
    """Steps that a Soak takes off: one for each 5 points or part of them, six at most."""
    return min(6, max(0, ceil(soak / 5)))


def wound(
    damage: Points, target: Mapping[str, float], soak: Points | None = None
) -> tuple[int, JSON]:
    """The size of the wound that is left, and every figure of the damage."""
    strength, armour = Points(target.get("ST", 0)), Points(target.get("armour", 0))
    through = damage - strength - armour
    size = min(6, max(0, ceil(through / 3)))
    figures: JSON = {
        "damage": halves(damage),
        "ST": halves(strength),
        "armour": halves(armour),
        "through": halves(through),
    }
    if soak is not None:
        figures |= {"size": size, "before_the_soak": WOUNDS[size], "steps_down": steps(soak)}
        size = max(0, size - steps(soak))
    return size, figures | {"wound": WOUNDS[size]}


def odds(basic: int, dice: int, *, ceiling: bool, keep: str = "one") -> dict[int, Fraction]:
    """The exact odds of every result; `keep` says which of two throws stands, if there are two."""
    one: dict[int, Fraction] = {}
    for faces in product(range(1, 7), repeat=dice):
        result = basic - 3 * dice + sum(faces)
        result = min(basic, result) if ceiling else result
        one[result] = one.get(result, Fraction(0)) + Fraction(1, 6**dice)
    if keep == "one":
        return one
    found: dict[int, Fraction] = {}
    for (a, p), (b, q) in product(one.items(), repeat=2):
        best = max(a, b) if keep == "higher" else min(a, b)
        found[best] = found.get(best, Fraction(0)) + p * q
    return found
