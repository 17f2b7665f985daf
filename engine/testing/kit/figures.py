"""The laws about figures: each is declared and flat, and every sum comes out."""

from collections.abc import Iterator, Mapping, Sequence

from ....errors import Defect, Refused
from ....projections.tables import TableState
from ....rules.figures import (
    NUMBERS,
    OUTSIDE,
    TYPES,
    Figure,
    Numbers,
    Sum,
    Value,
    name_of,
    parts_of,
    value_of,
)
from ....rules.ruleset import Damage, Outcome, Roll, Ruleset
from ...core.offers import sheets
from .contract import highest, lowest
from .play import History
from .trial import LawBroken, Moment, lawful


def check_figures(history: History, moment: Moment) -> None:
    """The moment's roll: its figures so far, the dice that make them, and its damage."""
    ruleset, roll = moment.state.game.ruleset, moment.roll.roll
    with lawful(history.story):
        for why in _of_roll(ruleset, roll, moment.state):
            raise LawBroken("figures", why, history.story)


def _of_roll(ruleset: Ruleset, roll: Roll, state: TableState) -> Iterator[str]:
    try:
        outcome = roll.outcome or ruleset.outcome(roll)
    except Refused:
        outcome = None
    yield from faults_of_dice(ruleset, roll, outcome)
    if outcome is None:
        return
    yield from faults_of_outcome(ruleset, outcome)
    if roll.damaged:
        for ends in (lowest(state), highest(state), sheets(state)):
            yield from faults_of_damage(ruleset, ruleset.damage(roll, ends), outcome)


def faults_of_outcome(ruleset: Ruleset, outcome: Outcome) -> Iterator[str]:
    """What is wrong with the figures of an announced outcome, each fault a sentence."""
    sums = ruleset.sums(outcome)
    yield from _declared(ruleset.figures, outcome.figures)
    yield from _summed(
        ruleset.figures,
        outcome.figures,
        {**outcome.figures, "margin": outcome.margin},
        sums,
        "margin",
    )


def faults_of_damage(ruleset: Ruleset, damage: Damage, outcome: Outcome) -> Iterator[str]:
    """What is wrong with the figures of announced damage, and of the outcome that made it."""
    numbers = {**damage.figures, "margin": outcome.margin, "amount": damage.amount}
    yield from _declared(ruleset.figures, damage.figures)
    yield from _summed(
        ruleset.figures, damage.figures, numbers, ruleset.damage_sums(damage), "amount"
    )


def _declared(declared: Mapping[str, Figure], figures: Mapping[str, Value]) -> Iterator[str]:
    """Every figure is declared, has the parts that it should have, and a value of its form."""
    for key, value in figures.items():
        figure = declared.get(name_of(key))
        if figure is None or key in OUTSIDE:
            yield f"the figure {key!r} is not declared"
        elif len(parts_of(key)) < len(figure.parts) or (parts_of(key) and not figure.parts):
            yield f"the figure {key!r} has other parts than {figure.parts}"
        elif not _fits(figure, value):
            yield f"the figure {key!r} is {value!r}, which is no {figure.form}"


def _fits(figure: Figure, value: object) -> bool:
    alone = TYPES.get(figure.form)
    if alone is not None:
        return type(value) is alone
    return type(value) is list and all(type(item) is str for item in value)


def _summed(
    declared: Mapping[str, Figure],
    figures: Mapping[str, Value],
    numbers: Numbers,
    sums: Sequence[Sum],
    end: str,
) -> Iterator[str]:
    """Every sum comes out, and every number is in one, or a fact, or made of dice."""
    totals = [each.total for each in sums]
    used = {end}
    for each in sums:
        try:
            found = value_of(numbers, each)
        except Defect as error:
            yield f"the sum of {each.total!r}: {error}"
            continue
        if numbers.get(each.total) != found:
            yield f"{each.total} is {numbers.get(each.total)!r}; its sum {each} gives {found}"
        bounds = (key for key in (each.per, each.least, each.most) if isinstance(key, str))
        used |= {each.total, *bounds, *(term.figure for term in each.terms)}
    if end not in totals:
        yield f"no sum gives the {end}"
    if len(set(totals)) < len(totals):
        yield f"a number has two sums: {sorted(totals)}"
    for key in figures:
        figure = declared.get(name_of(key))
        if figure is None or figure.form not in NUMBERS or figure.fact or figure.dice:
            continue
        if key not in used:
            yield f"the number {key!r} is in no sum, is no fact, and is made of no dice"


def faults_of_dice(ruleset: Ruleset, roll: Roll, outcome: Outcome | None) -> Iterator[str]:
    """The dice of each figure are there, and are as many, or show as much, as it says."""
    every = [die for hand in roll.hands for die in hand.dice]
    faces = {f"{die.id}:{at}": face for die in every for at, face in enumerate(die.thrown, 1)}
    faces |= {die.id: die.face for die in every}
    counts = ruleset.counts(roll)
    for key, dice in counts.items():
        if name_of(key) not in ruleset.figures:
            yield f"counts names {key!r}, which is not declared"
        if missing := [die for die in dice if die not in faces]:
            yield f"counts of {key!r} names {missing}, which are no dice of the roll"
    for key, value in outcome.figures.items() if outcome else ():
        figure = ruleset.figures.get(name_of(key))
        if figure is None or not figure.dice:
            continue
        shown = [faces[die] for die in counts.get(key, ())]
        made = len(shown) if figure.dice == "count" else sum(_pips(face) for face in shown)
        made *= 2 if figure.form == "halves" else 1
        if made != value:
            yield f"the figure {key!r} is {value!r}, and the {figure.dice} of its dice {made}"


def _pips(face: int | str) -> int:
    return face if isinstance(face, int) else 0
