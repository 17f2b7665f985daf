"""What the figures of Sagatafl are, how its numbers add up, and why a degree is what it is."""

from collections.abc import Iterator, Mapping

from ..figures import Figure, Sum, Term, name_of, owned
from ..ruleset import Hand, Outcome, Roll, Want, reaction_of, to_reach
from .declare import Side
from .outcome import FUMBLE_MOST, INITIATOR, REACTOR, THEIRS

ROLLING, SUCCESSES, NONE, SAFE = "Rolling", "Successes", "No Successes", "Safe Rolls"
OPPOSED = "Opposed Rolls"

SIDE: Mapping[str, Figure] = {
    "trait": Figure(form="name", heading=ROLLING),
    "rating": Figure(unit="die", heading=ROLLING),
    "specialisation": Figure(form="name", heading=ROLLING),
    "edge": Figure(form="name", heading=ROLLING),
    "extra_dice": Figure(unit="die", heading=ROLLING, readings=("spec_and_edge",)),
    "dice": Figure(unit="die", heading=ROLLING, readings=("no_dice",), dice="count", counts="no"),
    "stated_rd": Figure(heading=SUCCESSES),
    "modifiers": Figure(parts=("name",)),
    "rd": Figure(heading=SUCCESSES, fact=True),
    "cannot_fail": Figure(form="flag", heading=SUCCESSES),
    "cannot_succeed": Figure(form="flag", heading=SUCCESSES),
    "successes": Figure(unit="success", heading=SUCCESSES, dice="count"),
    "highest_die": Figure(heading=NONE, dice="sum"),
    "below_rd": Figure(heading=NONE),
    "safe_roll": Figure(form="flag", heading=SAFE, readings=("sense_rolls",)),
    "level": Figure(readings=("sense_rolls",)),
    "senses": Figure(form="name", heading=SAFE, readings=("sense_rolls",)),
    "result": Figure(form="name"),
    "scale": Figure(heading=OPPOSED, readings=("opposed", "declined")),
}
"""The figures that each side of an opposed roll has, in the order in which they explain it."""

FIGURES: Mapping[str, Figure] = {
    **owned(SIDE, "roller", "modifiers", "below_rd", "cannot_fail", "cannot_succeed"),
    "saving_throw": Figure(form="flag", heading="Saving Throws"),
    "declined": Figure(form="characters", heading=OPPOSED, readings=("declined",)),
    "unopposed": Figure(form="flag", heading=OPPOSED, readings=("declined",)),
    "opponent": Figure(form="character", heading=OPPOSED),
    **{f"{THEIRS}{name}": figure for name, figure in SIDE.items()},
    "only_successes": Figure(form="flag", heading=OPPOSED, readings=("opposed",)),
    "assumed": Figure(form="flag", heading=OPPOSED),
}
"""Every figure; the opponent's have names of their own."""


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """How the numbers of an outcome add up, the margin last."""
    if "scale" not in outcome.figures:
        return (*_side(outcome, ""), Sum(total="margin", terms=(Term("level"),)))
    ahead = (Term("scale"), Term(f"{THEIRS}scale", -1))
    theirs = _side(outcome, THEIRS) if f"{THEIRS}level" in outcome.figures else ()
    return (*_side(outcome, ""), *theirs, Sum(total="margin", terms=ahead))


def _side(outcome: Outcome, whose: str) -> Iterator[Sum]:
    """Dice, RD and level of one side, and its place on the scale where the roll is opposed."""
    figures = outcome.figures
    extra = (Term(f"{whose}extra_dice"),) if f"{whose}extra_dice" in figures else ()
    yield Sum(total=f"{whose}dice", terms=(Term(f"{whose}rating"), *extra), least=1)
    if f"{whose}stated_rd" in figures:
        changes = (Term(key) for key in figures if name_of(key) == f"{whose}modifiers")
        yield Sum(total=f"{whose}rd", terms=(Term(f"{whose}stated_rd"), *changes))
    level, below = f"{whose}level", f"{whose}below_rd"
    if f"{whose}successes" in figures:
        yield Sum(total=level, terms=(Term(f"{whose}successes"),))
    else:
        yield Sum(total=below, terms=(Term(f"{whose}rd"), Term(f"{whose}highest_die", -1)))
        worst = -1 if f"{whose}safe_roll" in figures else -FUMBLE_MOST
        yield Sum(total=level, terms=(Term(below, -1),), least=worst)
    if f"{whose}scale" in figures:
        yield _place(outcome, whose)


def _place(outcome: Outcome, whose: str) -> Sum:
    """A side's place on the scale: nS is n, f-1 is 0, F-n is 1 - n, or 0 as well."""
    total, level = f"{whose}scale", Term(f"{whose}level")
    if "only_successes" in outcome.figures:
        return Sum(total=total, terms=(level,), least=0)
    if f"{whose}successes" in outcome.figures:
        return Sum(total=total, terms=(level,))
    return Sum(total=total, terms=(level, Term("beyond_failure", constant=1)))


def counts(roll: Roll) -> Mapping[str, tuple[str, ...]]:
    """Each side's dice: all, those that reach its RD, or the highest where none does."""
    found: dict[str, tuple[str, ...]] = {}
    sides: tuple[tuple[str, str, Side | None], ...] = (
        ("", INITIATOR, roll.declaration),
        (THEIRS, REACTOR, reaction_of(roll)),
    )
    for whose, name, side in sides:
        hand = roll.hand(name)
        if hand is not None and side is not None:
            found |= {f"{whose}{key}": dice for key, dice in _counts(side, hand).items() if dice}
    return found


def wants(roll: Roll, hand: Hand) -> tuple[Want, ...]:
    """The RD that dice of a side are to reach."""
    side: Side | None = roll.declaration if hand.name == INITIATOR else reaction_of(roll)
    return () if side is None else to_reach(side.difficulty, hand)


def _counts(side: Side, hand: Hand) -> Mapping[str, tuple[str, ...]]:
    reached = tuple(die.id for die in hand.dice if int(die.face) >= side.difficulty)
    highest = max(hand.dice, key=lambda die: int(die.face))
    return {
        "dice": tuple(die.id for die in hand.dice),
        "successes": reached,
        "highest_die": () if reached else (highest.id,),
    }


def reason(outcome: Outcome) -> str:
    """Why the roll succeeds, fails or Fumbles, how a saving throw ends, or who is ahead."""
    figures = outcome.figures
    if "scale" in figures:
        return "away" if "declined" in figures else outcome.degree.replace(" ", "_")
    if "saving_throw" in figures:
        kept = "partial_1S" if outcome.margin > 0 else "partial_f"
        return {"success": "saved", "failure": "not_saved"}.get(outcome.degree, kept)
    if "successes" in figures:
        return "success"
    if "safe_roll" in figures:
        return "safe"
    below = figures["below_rd"]
    if below == 1:
        return "failure"
    return "fumble" if below == -outcome.margin else "worst_fumble"
