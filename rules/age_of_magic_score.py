"""What an Age of Magic roll comes to: basic value, risk, the throw that stands, degrees, damage."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from .age_of_magic_declare import UNCONSCIOUS, Declaration, Options, halves, penalty, shown
from .readings import Consulted
from .ruleset import Damage, Effect, Hand, Outcome, Roll, Sheets

PER_DIE = 6  # "Dice rolls": three points, in half points, for one D
FIRST, SECOND = "first", "second"

WOUNDS: tuple[tuple[int, str], ...] = (
    (0, "None"),
    (6, "Scratch"),
    (12, "Light"),
    (18, "Medium"),
    (24, "Serious"),
    (30, "Critical"),
)
"""The damage that a wound's name reaches up to, in half points; anything beyond is Fatal."""

NAMES = (*(name for _, name in WOUNDS), "Fatal")
SOAK_STEPS = (0, 10, 20, 30, 40, 50)
"""The Soak result, in half points, up to which a wound is 0, 1, 2 … steps less; beyond all, 6."""


class Standing(Struct, frozen=True):
    """The results of a roll's throws in half points, and which of them stands."""

    results: tuple[int, ...]
    stands: int

    @property
    def result(self) -> int:
        """The result that stands."""
        return self.results[self.stands]


def parts(roll: Roll) -> tuple[tuple[str, int], ...]:
    """What the basic value is made of, by name, in half points; what is nothing is left out."""
    told: Declaration = roll.declaration
    strikes = told.kind == "damage"
    found = [
        (told.skill or "", told.skill_halves),
        (told.characteristic or "", told.characteristic_halves),
        ("weapon", halves("weapon", told.weapon) if strikes else 0),
        ("margin of the hit", told.margin_halves // 2 if strikes else 0),
        *((name, halves(name, points)) for name, points in told.modifiers.items()),
        ("talent", 4 * told.talent),
        ("limitation", -4 * told.limitation),
        ("push", 6 * told.push),
        ("no knowledge", -6 * told.no_knowledge),
        ("luck", 2 * (told.luck or 0)),
        penalty(told.tired),
        *(
            (f"{reaction.fate} of {who}", 2 * reaction.modifier)
            for who, reaction in roll.reactions
            if reaction is not None
        ),
    ]
    return tuple((name, value) for name, value in found if value)


def basic(roll: Roll) -> int:
    """The basic value in half points; it may be negative."""
    return sum(value for _, value in parts(roll))


def most_risk(roll: Roll) -> int:
    """How many dice of risk the basic value can pay for."""
    options: Options = roll.options
    return max(basic(roll), 0) // PER_DIE + options.overdraw_dice


def wish(roll: Roll, opts: Any) -> int:
    """Which of two throws shall stand: the higher (1), the lower (-1), no second one at all (0).

    Luck wishes for its character's good and unluck for its harm; what is good for a target is bad
    for the roller ("Luck and unluck").
    """
    told: Declaration = roll.declaration
    wishes = [1] if told.luck is not None else []
    for who, reaction in roll.reactions:
        if reaction is not None:
            good = 1 if who == roll.character else -1
            wishes.append(good if reaction.fate == "luck" else -good)
    total = sum(wishes)
    opposed = len(set(wishes)) > 1
    if opposed and total and opts.luck_v_unluck == "cancel":
        return 0
    return (total > 0) - (total < 0)


def standing(roll: Roll, opts: Any) -> Standing:
    """The throws' results and the one that stands."""
    value = basic(roll)
    thrown = [hand for hand in roll.hands if hand.name in (FIRST, SECOND)]
    results = tuple(_result(value, hand, opts) for hand in thrown) or (value,)
    pick = max if wish(roll, opts) >= 0 else min
    return Standing(results, results.index(pick(results)))


def _result(value: int, hand: Hand, opts: Any) -> int:
    """(basic − 3n) + the sum of n dice, in half points; the ceiling counts only where it cuts."""
    result = value - PER_DIE * len(hand.dice) + 2 * sum(int(die.face) for die in hand.dice)
    return value if result > value and opts.ceiling == "basic" else result


def outcome(roll: Roll) -> Outcome:
    """What the roll comes to as it lies. Margins are in half points.

    Figures: the parts of `basic`, `throws` as "nD+rest", `dice`, `results` in points and which
    `stands`; `difficulty`; the degree's own figures (`levels`, `damage`, `steps`).
    """
    opts = Consulted(roll.options)
    told: Declaration = roll.declaration
    value = basic(roll)
    stood = standing(roll, opts)
    figures: dict[str, Any] = {
        "parts": [f"{name} {shown(value)}" for name, value in parts(roll)],
        "basic": shown(value),
        "throws": [_written(value, hand) for hand in roll.hands],
        "dice": [[die.face for die in hand.dice] for hand in roll.hands],
        "ceiling": shown(value) if roll.options.ceiling == "basic" else "none",
        "results": [shown(result) for result in stood.results],
        "stands": ("first", "second")[stood.stands],
        "result": shown(stood.result),
        "result_halves": stood.result,
    }
    if any(len(hand.dice) * PER_DIE > max(value, 0) for hand in roll.hands):
        figures["overdrawn"] = bool(opts.overdraw_dice)
    if told.push and told.tired >= UNCONSCIOUS:
        figures["floor"] = opts.push_floor
    if SECOND in [hand.name for hand in roll.hands]:
        figures["same_risk"] = opts.same_n_twice
    degree, margin, more, effects = DEGREES[told.kind](roll, stood.result)
    return Outcome(degree, margin, figures | more, opts.names, effects)


def _written(value: int, hand: Hand) -> str:
    rest = value - PER_DIE * len(hand.dice)
    return f"{len(hand.dice)}D{'' if rest < 0 else '+'}{shown(rest)}" if hand.dice else shown(value)


Degree = tuple[str, int, dict[str, Any], tuple[Effect, ...]]


def needed(roll: Roll) -> int:
    """The difficulty in half points; 5 where a scale has its own and none is declared, else 0."""
    told: Declaration = roll.declaration
    usual = 5 if told.kind in ("trance", "tiring") else 0
    return halves("difficulty", usual if told.difficulty is None else told.difficulty)


def _simple(roll: Roll, result: int) -> Degree:
    margin = result - needed(roll)
    said = {"difficulty": shown(needed(roll)), "margin_points": shown(margin)}
    return ("success" if margin >= 0 else "failure"), margin, said, ()


def _trance(roll: Roll, result: int) -> Degree:
    """One level at the difficulty, another for each 5 points beyond ("Dice rolls", Trance)."""
    degree, margin, said, _ = _simple(roll, result)
    levels = 0 if margin < 0 else 1 + margin // 10
    effects = (Effect(roll.character, "tiredness", -levels),) if levels else ()
    return degree, margin, {**said, "levels_regained": levels}, effects


def _tiring(roll: Roll, result: int) -> Degree:
    """One level per 5 points, or part thereof, by which the roll failed ("Dice rolls")."""
    degree, margin, said, _ = _simple(roll, result)
    levels = 0 if margin >= 0 else -(margin // 10)
    effects = (Effect(roll.character, "tiredness", levels),) if levels else ()
    return degree, margin, {**said, "levels_lost": levels}, effects


def _damage(roll: Roll, result: int) -> Degree:
    return "damage", result, {"damage": shown(result)}, ()


def _soak(roll: Roll, result: int) -> Degree:
    steps = steps_down(result)
    return "soak", result, {"steps_down": steps}, ()


DEGREES: Mapping[str, Any] = {
    "simple": _simple,
    "attack": _simple,
    "trance": _trance,
    "tiring": _tiring,
    "damage": _damage,
    "soak": _soak,
}
"""What a result means, by the roll's kind."""


def steps_down(result: int) -> int:
    """How many steps a Soak result (half points) makes a wound lighter."""
    return sum(result > least for least in SOAK_STEPS)


def wound(damage: int) -> int:
    """The wound that damage (half points) makes: its place in NAMES, None (0) to Fatal (6)."""
    return sum(damage > most for most, _ in WOUNDS)


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """The wound that a damage roll, or the soak after it, leaves its target with (optional rules).

    The result less the target's ST and armour, both as the sheet has them at that point, names the
    wound; the Soak result makes it lighter, never less than none. `amount` is the wound's place, 0
    (None) to 6 (Fatal).
    """
    told: Declaration = roll.declaration
    opts = Consulted(roll.options)
    result = standing(roll, opts).result
    soaked = told.kind == "soak"
    target = roll.character if soaked else told.targets[0]
    known = sheet(target).attributes
    raw = told.damage_halves if soaked else result
    hold = 2 * (known.get("ST", 0) + known.get("armour", 0))
    worst = wound(raw - hold)
    steps = steps_down(result) if soaked else 0
    left = max(0, worst - steps)
    figures: dict[str, Any] = {
        "damage": shown(raw),
        "ST": known.get("ST", 0),
        "armour": known.get("armour", 0),
        "through": shown(raw - hold),
        "before_soak": NAMES[worst],
        "steps_down": steps,
        "wound": NAMES[left],
    }
    effects = (Effect(target, NAMES[left].lower(), 1),) if left else ()
    return Damage(target, left, figures, opts.names, effects)
