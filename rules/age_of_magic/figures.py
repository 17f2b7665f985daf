"""What the figures of Age of Magic are, how its numbers add up, and why a degree is what it is.

Points are half points here, whole numbers. Halves, the penalty for tiredness, damage and soak are
from other pages of the author's, and so have no heading of the book.
"""

from collections.abc import Iterator, Mapping

from ..figures import Figure, Sum, Term, name_of, owned
from ..ruleset import Damage, Outcome, Roll
from .damage import NAMES, SOAK_STEPS
from .score import FIRST, PER_DIE, SECOND

DICE, PUSH, LUCK = "Dice rolls", "Pushing dice rolls", "Luck and unluck"
AGAIN = ("luck_v_unluck", "same_n_twice")
"""The readings of luck that decide whether there is a second throw, and of how many dice."""

PER_LEVEL = 10  # "Dice rolls": a tiredness level for 5 points
PER_WOUND = 6  # a wound is a size greater for each 3 points
PER_STEP = 10  # a Soak takes a step off for each 5 points

PARTS: Mapping[str, Figure] = {
    "skill": Figure(form="halves", heading=DICE, parts=("name",)),
    "specialism": Figure(form="halves", heading=DICE, parts=("name",)),
    "characteristic": Figure(form="halves", heading=DICE, parts=("name",)),
    "weapon": Figure(form="halves"),
    "margin_of_the_hit": Figure(form="halves"),
    "modifiers": Figure(form="halves", heading=DICE, parts=("name",)),
    "talent": Figure(form="halves", heading=DICE),
    "limitation": Figure(form="halves", heading=DICE),
    "push": Figure(form="halves", heading=PUSH, readings=("push_floor",)),
    "no_knowledge": Figure(form="halves", heading="Penalty for lack of knowledge"),
    "tiredness": Figure(form="halves", heading=PUSH, readings=("push_floor",), parts=("name",)),
    "luck": Figure(form="halves", heading=LUCK),
    "unluck": Figure(form="halves", heading=LUCK),
    "luck_of_others": Figure(form="halves", heading=LUCK, parts=("character",)),
    "unluck_of_others": Figure(form="halves", heading=LUCK, parts=("character",)),
}
"""All that makes the basic value."""

FIGURES: Mapping[str, Figure] = {
    "hit_by": Figure(form="halves", fact=True),
    **owned(PARTS, "roller"),
    "declined": Figure(form="characters", heading=LUCK),
    "basic": Figure(form="halves", heading=DICE, whose="roller"),
    "ceiling": Figure(form="halves", heading=DICE, readings=("ceiling",)),
    "no_ceiling": Figure(form="flag", heading=DICE, readings=("ceiling",)),
    "risk": Figure(unit="die", heading=DICE, readings=AGAIN, parts=("name",), dice="count"),
    "dice": Figure(form="halves", heading=DICE, parts=("name",), dice="sum"),
    "throw": Figure(form="halves", heading=DICE, readings=("ceiling",), parts=("name",)),
    "chosen": Figure(form="name", heading=LUCK, readings=("best_result", *AGAIN)),
    "stands": Figure(form="name", heading=LUCK, readings=("best_result", *AGAIN)),
    "paid_for": Figure(unit="die", heading=DICE),
    "overdrawn": Figure(unit="die", heading=DICE, readings=("overdraw_dice",)),
    "result": Figure(
        form="halves", heading=DICE, readings=("best_result", "ceiling"), whose="roller"
    ),
    "difficulty": Figure(form="halves", heading=DICE, fact=True),
    "more_levels": Figure(unit="level", heading=DICE),
    "levels_regained": Figure(unit="level", heading=DICE),
    "levels_lost": Figure(unit="level", heading=DICE),
    "margin": Figure(form="halves", unit="point"),
    "damage": Figure(form="halves", fact=True),
    "ST": Figure(form="halves"),
    "armour": Figure(form="halves"),
    "through": Figure(form="halves"),
    "size": Figure(unit="wound_step"),
    "before_the_soak": Figure(form="name"),
    "steps_down": Figure(unit="step"),
    "wound": Figure(form="name"),
    "amount": Figure(unit="wound_step"),
}
"""Every figure, in the order in which they explain a roll: the basic value, the throws, the end."""


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """How the numbers of an outcome add up, the margin last."""
    figures = outcome.figures
    needed = (Term("difficulty", -1),) if "difficulty" in figures else ()
    throws = [name for name in (FIRST, SECOND) if f"throw:{name}" in figures]
    return (
        *_basic(outcome),
        *(_throw(outcome, f"throw:{name}", name) for name in throws),
        *_overdrawn(outcome),
        _better(outcome) if throws else _throw(outcome, "result", FIRST),
        Sum(total="margin", terms=(Term("result"), *needed)),
        *_levels(outcome),
    )


def _basic(outcome: Outcome) -> Iterator[Sum]:
    """The basic value, and what it has of the attack: half a point for each whole one, 0 too."""
    figures = outcome.figures
    if "margin_of_the_hit" in figures:
        yield Sum(total="margin_of_the_hit", terms=(Term("hit_by"),), per=2)
    made_of = [Term(key) for key in figures if name_of(key) in PARTS]
    hit = "hit_by" in figures
    if hit and "margin_of_the_hit" not in figures:
        made_of.append(Term("nothing_of_the_hit", constant=0))
    yield Sum(total="basic", terms=(*made_of,), whole=hit)


def _throw(outcome: Outcome, total: str, name: str) -> Sum:
    """(basic − 3n) + the sum of n dice, at most the ceiling where it cuts."""
    terms = (Term("basic"), Term(f"risk:{name}", -PER_DIE), Term(f"dice:{name}"))
    return Sum(
        total=total,
        terms=terms if outcome.figures[f"risk:{name}"] else terms[:1],
        most="ceiling" if "ceiling" in outcome.figures else None,
    )


def _overdrawn(outcome: Outcome) -> Iterator[Sum]:
    """The dice of the greater risk that the basic value does not pay for."""
    if "overdrawn" not in outcome.figures:
        return
    risks = {key: value for key, value in outcome.figures.items() if name_of(key) == "risk"}
    greatest = max(risks, key=lambda key: risks[key])
    yield Sum(total="paid_for", terms=(Term("basic"),), per=PER_DIE, least=0)
    yield Sum(total="overdrawn", terms=(Term(greatest), Term("paid_for", -1)))


def _better(outcome: Outcome) -> Sum:
    """The throw that stands; of two results that differ the higher or the lower."""
    figures = outcome.figures
    stands = (Term(f"throw:{figures['stands']}"),)
    other = f"throw:{FIRST if figures['stands'] == SECOND else SECOND}"
    if figures.get("chosen") == "lower":
        return Sum(total="result", terms=stands, most=other)
    return Sum(total="result", terms=stands, least=other)


def _levels(outcome: Outcome) -> Iterator[Sum]:
    """Levels of tiredness, and the steps of a Soak."""
    figures = outcome.figures
    beyond = (Term("result"), Term("difficulty", -1))
    missing = (Term("difficulty"), Term("result", -1))
    if "more_levels" in figures:
        yield Sum(total="more_levels", terms=beyond, per=PER_LEVEL)
        first = Term("first_level", constant=1)
        yield Sum(total="levels_regained", terms=(first, Term("more_levels")))
    elif "levels_regained" in figures:
        yield Sum(total="levels_regained", terms=beyond, per=PER_LEVEL, least=0)
    if "levels_lost" in figures:
        yield Sum(total="levels_lost", terms=missing, per=PER_LEVEL, up=True, least=0)
    if "steps_down" in figures:
        yield _sized("steps_down", "result", PER_STEP, len(SOAK_STEPS))


def damage_sums(damage: Damage) -> tuple[Sum, ...]:
    """What gets through ST and armour, and the size of the wound, less the steps of a Soak."""
    left = (Term("damage"), Term("ST", -1), Term("armour", -1))
    through = Sum(total="through", terms=left, whole=True)
    if "size" not in damage.figures:
        return through, _sized("amount", "through", PER_WOUND, len(NAMES) - 1)
    lighter = (Term("size"), Term("steps_down", -1))
    return (
        through,
        _sized("size", "through", PER_WOUND, len(NAMES) - 1),
        Sum(total="amount", terms=lighter, least=0),
    )


def _sized(total: str, figure: str, per: int, most: int) -> Sum:
    """One for so many half points of the figure or a part of them."""
    return Sum(total=total, terms=(Term(figure),), per=per, up=True, least=0, most=most)


def counts(roll: Roll) -> Mapping[str, tuple[str, ...]]:
    """The dice of risk of each throw, which are those that are added too."""
    ids = {hand.name: tuple(die.id for die in hand.dice) for hand in roll.hands}
    return {
        f"{figure}:{name}": dice
        for name, dice in ids.items()
        if dice
        for figure in ("risk", "dice")
    }


def reason(outcome: Outcome) -> str:
    """Why the result is a success or a failure, or what it is for."""
    figures = outcome.figures
    if "difficulty" not in figures:
        return "no_steps" if figures.get("steps_down") == 0 else outcome.degree
    if "levels_regained" in figures:
        return "trance" if outcome.margin >= 0 else "no_trance"
    if "levels_lost" in figures:
        return "not_tired" if outcome.margin >= 0 else "tired"
    if outcome.margin == 0:
        return "just_reached"
    return "reached" if outcome.margin > 0 else "not_reached"
