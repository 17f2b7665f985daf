"""The dice of a Scarterra roll once more, from the book and the reference alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Json = Mapping[str, Any]
Figures = dict[str, Any]

DEFAULTS: Final[Json] = {
    "resisted_tie": "defender",
    "tie_at_zero": "failure",
    "below_zero": "counts",
    "declined": "zero",
    "resisted_extended": "lead",
    "extended_botch": "ruin",
    "cooperative_botch": "all",
    "retry_step": 1,
    "actions_by": "turn",
    "health_levels": [0, -1, -1, -2, -2, -5],
    "soak_pays_wounds": False,
    "soak_by": "Stamina + Armor",
    "soak_difficulty": 6,
    "weapon_damage": 0,
}
CHART: Final = {
    3: "easy",
    4: "routine",
    5: "straightforward",
    6: "standard",
    7: "challenging",
    8: "difficult",
    9: "extremely difficult",
}
IDLE: Final = {2: "hardly_fails", 10: "botches_as_often"}


@dataclass(frozen=True)
class Sheet:
    """A character's dots by trait, and how many health levels it has lost."""

    dots: Mapping[str, int]
    wounds: int = 0


@dataclass(frozen=True)
class Throw:
    """A roll: what `who` declared, the others answered (None: declined), and each round threw.

    `soaks`: the attack that this one soaks. `after`: the failed one that this one tries again.
    """

    who: str
    declared: Json
    sheets: Mapping[str, Sheet]
    answers: Mapping[str, Json | None] = field(default_factory=dict)
    rounds: Sequence[Mapping[str, Sequence[int]]] = ()
    soaks: "Throw | None" = None
    after: "Throw | None" = None

    @property
    def asked(self) -> tuple[str, ...]:
        """Who may answer: anybody who resists, then the helpers."""
        opponent = [self.opponent] if self.opponent else []
        return (*opponent, *self.declared.get("helpers", ()))

    @property
    def opponent(self) -> str | None:
        """Who may resist; of a further try, who did the first time."""
        before = self.after.opponent if self.after else None
        found: str | None = self.declared.get("opponent", before)
        return found

    @property
    def throwing(self) -> tuple[str, ...]:
        """Who throws dice, in turn: the roller, and all who did not decline."""
        return (self.who, *(who for who in self.asked if self.answers.get(who) is not None))

    def side(self, who: str) -> Json:
        """What somebody rolls with, as declared."""
        return self.declared if who == self.who else self.answers[who] or {}


class Read:
    """The readings of a table that notes which were used."""

    def __init__(self, options: Json) -> None:
        self._options = {**DEFAULTS, **options}
        self.used: set[str] = set()

    def peek(self, name: str) -> Any:
        """A reading's value, looked at without deciding anything."""
        return self._options[name]

    def __getitem__(self, name: str) -> Any:
        self.used.add(name)
        return self._options[name]


def dots(throw: Throw, who: str, read: Read) -> dict[str, int]:
    side, has = throw.side(who), throw.sheets[who].dots
    if throw.soaks is not None:
        by = throw.soaks.declared.get("soak") or read["soak_by"]
        return {trait: has.get(trait, 0) for trait in by.split(" + ")}
    if side.get("dots") is not None:
        return {"declared": side["dots"]}
    return {side[trait]: has[side[trait]] for trait in ("attribute", "ability") if side.get(trait)}


def _actions(side: Json) -> tuple[int, int]:
    """What this action loses, and what the last of the turn loses."""
    many = side.get("actions") or 1
    if many == 1:
        return 0, 0
    each = range(many, 2 * many)
    return -each[(side.get("action") or 1) - 1], -each[-1]


def _pays(throw: Throw, who: str, read: Read) -> bool:
    """Whether wounds take dice away: not from a reflexive roll that takes no ability."""
    if not throw.sheets[who].wounds:
        return False
    side = throw.side(who)
    if throw.soaks is not None:
        return len(dots(throw, who, read)) == 2 and bool(read["soak_pays_wounds"])
    return bool(side.get("ability")) or not side.get("reflexive")


def penalty(wounds: int, read: Read) -> int:
    levels: Sequence[int] = read["health_levels"]
    return [0, *levels, *levels[-1:]][min(wounds, len(levels) + 1)]


def difficulty(throw: Throw, who: str, read: Read) -> int:
    """What a die must show for this side."""
    if throw.soaks is not None:
        return int(read["soak_difficulty"])
    named = throw.side(who).get("difficulty")
    if who != throw.who:
        if named is not None:
            return _number(named)
        return 6 if who == throw.opponent else difficulty(throw, throw.who, read)
    base, tries = _base(throw), _tries(throw)
    return min(10, base + tries * int(read["retry_step"])) if tries and base < 10 else base


def _number(named: str | int) -> int:
    if isinstance(named, int):
        return named
    return next(number for number, name in CHART.items() if name == named)


def _base(throw: Throw) -> int:
    named = throw.declared.get("difficulty")
    if named is not None:
        return _number(named)
    return _base(throw.after) if throw.after else 6


def _tries(throw: Throw) -> int:
    return 1 + _tries(throw.after) if throw.after else 0


def pool(options: Json, throw: Throw, who: str) -> int | None:
    """How many d10 a side throws; None where the rules refuse it."""
    read = Read(options)
    if _pays(throw, who, read) and throw.sheets[who].wounds > len(read["health_levels"]):
        return None  # out of action
    figures = _pool(throw, who, read)
    whole = figures["pool"] - figures.get("action_penalty", 0)
    last = _actions(throw.side(who))[1]
    if read["actions_by"] == "turn" and whole + last < 1:
        return None
    return figures["pool"] if figures["pool"] > 0 else None


def _pool(throw: Throw, who: str, read: Read) -> Figures:
    """The figures of a side's dice."""
    side = throw.side(who)
    has = dots(throw, who, read)
    figures: Figures = {f"dots:{trait}": number for trait, number in has.items()}
    if side.get("dots") is not None:
        figures = {"declared_dots": side["dots"]}
    dice = sum(has.values())
    if more := side.get("modifiers"):
        figures |= {f"modifiers:{name}": number for name, number in more.items()}
        dice += sum(more.values())
    loses, last = _actions(side)
    if loses:
        figures["action"], figures["actions"] = side.get("action") or 1, side["actions"]
        figures["action_penalty"] = loses
    if _pays(throw, who, read):
        wounds = throw.sheets[who].wounds
        figures |= {"wounds": wounds, "wound_penalty": penalty(wounds, read)}
        dice += figures["wound_penalty"]
    if dice + last < 1:
        _ = read["actions_by"]
    return figures | {"pool": dice + loses}


def side_figures(throw: Throw, who: str, read: Read) -> Figures:
    number = difficulty(throw, who, read)
    figures = _pool(throw, who, read) | {"difficulty": number}
    if number in CHART:
        figures["difficulty_called"] = CHART[number]
    else:
        figures["hardly_worth_rolling"] = IDLE[number]
    if who == throw.who and throw.after is not None:
        first, tries = _base(throw), _tries(throw)
        figures |= {"further_try": tries, "first_difficulty": first}
        if first < 10:
            step = read["retry_step"]
            figures |= {"harder_each": step, "harder": tries * step}
    return figures
