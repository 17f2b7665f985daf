"""The laws about figures: each is declared and flat, and every sum comes out."""

from collections.abc import Iterator, Mapping, Sequence
from string import Formatter

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
from ....rules.readings import readings_of
from ....rules.ruleset import Damage, Outcome, Roll, Ruleset
from ....rules.words import ENGLISH, Words
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
        if roll.outcome is not None:
            history.report.constants |= constants(ruleset, roll.outcome)
            for why in faults_of_reason(ruleset, roll.outcome):
                raise LawBroken("words", why, history.story)


def constants(ruleset: Ruleset, outcome: Outcome) -> set[str]:
    """The names of the numbers in its sums that are no figures."""
    terms = (term for each in ruleset.sums(outcome) for term in each.terms)
    return {name_of(term.figure) for term in terms if term.constant is not None}


def faults_of_reason(ruleset: Ruleset, outcome: Outcome) -> Iterator[str]:
    """What is wrong with the sentence that says why an outcome has its degree."""
    words = ruleset.words.get(ENGLISH, {})
    key = ruleset.reason(outcome)
    sentence = words.get(f"reason.{key}")
    if not words:  # its names do
        return
    if not key:  # it is no more than a number
        if words.get(f"degree.{outcome.degree}", outcome.degree):
            yield f"the degree {outcome.degree!r} has a word, and no reason"
        return
    if sentence is None:
        yield f"no sentence says why a roll is {outcome.degree!r}: the word 'reason.{key}'"
        return
    if not sentence.endswith("."):
        yield f"'reason.{key}' is no sentence: {sentence!r}"
    asked = {name for _, name, _, _ in Formatter().parse(sentence) if name}
    for name in sorted(asked - {*outcome.figures, "margin"}):
        yield f"'reason.{key}' names {name!r}, which is no figure of that outcome"
    for name in sorted(asked & ruleset.figures.keys()):
        if ruleset.figures[name].form == "flag":
            yield f"'reason.{key}' names {name!r}, which is a flag and no text"


def faults_of_words(ruleset: Ruleset, constants: set[str]) -> Iterator[str]:
    """The words of figures, units and readings that are missing, or about nothing."""
    words = ruleset.words.get(ENGLISH, {})
    if not words:  # its names do
        return
    named = {key.partition(".")[2] for key in words if key.startswith("figure.")}
    for name in sorted(named - {*ruleset.figures, *constants}):
        yield f"the word 'figure.{name}' is of no figure, and of no number of a sum"
    units = {key.partition(".")[2] for key in words if key.startswith("unit.")}
    for name in sorted(units - {figure.unit for figure in ruleset.figures.values()}):
        yield f"the word 'unit.{name}' counts nothing"
    for name in sorted(constants & ruleset.figures.keys()):
        yield f"{name!r} is a figure, and a number of a sum that is none"
    yield from _of_clauses(ruleset, words)


def _of_clauses(ruleset: Ruleset, words: Words) -> Iterator[str]:
    """Each value of a reading has one clause, and each clause is of one."""
    clauses, used = (
        {key.partition(".")[2] for key in words if key.startswith("reading.")},
        set[str](),
    )
    for reading in readings_of(ruleset.Options):
        for value in (reading.default, *reading.others):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            own = clauses & {reading.name, f"{reading.name}.{text}"}
            used |= own
            if len(own) != 1:
                yield f"{reading.name} = {value!r} has {len(own)} clauses, and should have one"
    for name in sorted(clauses - used):
        yield f"the clause 'reading.{name}' is of no value"


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
    for hand in roll.hands:
        own = {die.id: die.face for die in hand.dice}
        for want in ruleset.wants(roll, hand):
            shown = [own.get(die) for die in want.dice]
            if any(
                face != want.face and not (want.least and _pips(face) > _pips(want.face))
                for face in shown
            ):
                yield f"of hand {hand.name!r} {want.face!r} is wanted, and {want.dice} show {shown}"
    for key, value in outcome.figures.items() if outcome else ():
        figure = ruleset.figures.get(name_of(key))
        if figure is None or not figure.dice:
            continue
        shown = [faces[die] for die in counts.get(key, ())]
        made = len(shown) if figure.dice == "count" else sum(_pips(face) for face in shown)
        made *= 2 if figure.form == "halves" else 1
        if made != value:
            yield f"the figure {key!r} is {value!r}, and the {figure.dice} of its dice {made}"


def _pips(face: int | str | None) -> int:
    return face if isinstance(face, int) else 0
