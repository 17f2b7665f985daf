"""How a roll's result came out: its sums line by line, by the system's figures and words.

A result is made from what was announced alone. A line has its number as a field of its own and its
texts as plain words; what writes it lays it out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from ..rules.figures import (
    MARGIN,
    Figure,
    Form,
    Numbers,
    Sum,
    Term,
    form_within,
    name_of,
    number,
    term_value,
    value_of,
)
from ..rules.ruleset import Damage, Outcome, Roll
from ..rules.words import ENGLISH
from .corrections.changes import Change, changes_in_words, changes_now, now_text
from .lexicon import FORGED, Lexicon, name_text
from .rollstate import RollState
from .same import Same
from .tables import TableState

__all__ = (
    "Change",
    "Item",
    "Line",
    "Result",
    "as_read",
    "beside",
    "damage_result",
    "figures_of_dice",
    "outcome_result",
    "see",
    "signed",
    "written",
)

T = TypeVar("T", Outcome, Damage)

IDLE: tuple[Any, ...] = (None, False, 0, "", [])
"""Figures that changed nothing."""


class Line(Struct, frozen=True, kw_only=True):
    """A figure in words: its key and label, its value, and the value as text.

    `number` is the value where it is a number, in the system's unit, with the sign that it has in
    its sum. `whose` is the name of the character whose it is, where the label does not have it.
    `unit` is what it counts, in the right form. `heading` is the part of the book that has
    its rule, `readings` are the clauses of those that decided it, `dice` are those that make it.
    """

    key: str
    label: str
    text: str
    number: int | None = None
    unit: str = ""
    heading: str = ""
    readings: tuple[str, ...] = ()
    dice: tuple[str, ...] = ()
    whose: str = ""


def signed(term: Line, *, first: bool) -> str:
    """A term's number as it is written in a sum: `+ 2`, `− 1`; the first one without a plus."""
    sign = "−" if term.text.startswith("-") else "" if first else "+"
    return f"{sign} {term.text.lstrip('-')}".lstrip()


def as_read(clause: str) -> str:
    """The clause of a reading, as it is written below a line."""
    return f"at this table: {clause}"


def beside(line: Line, then: Iterable[str] = ()) -> tuple[str, ...]:
    """What is written beside a line, in parts: its dice, what was done to it, heading, readings."""
    rule = see(line.heading)
    parts = (" ".join(line.dice), *then, rule, *map(as_read, line.readings))
    return tuple(part for part in parts if part)


def see(heading: str) -> str:
    """The part of the book that has a rule, as it is written beside a line."""
    return f"see {heading}" if heading else ""


class Item(Struct, frozen=True):
    """A fact, or a sum: its total, the terms in order, and what was done to their sum, in words.

    Terms that add nothing are left out, but not from the margin.
    """

    total: Line
    terms: tuple[Line, ...] = ()
    then: tuple[str, ...] = ()

    @property
    def fact(self) -> bool:
        """Whether it is a fact, and no sum."""
        return not self.terms and not self.then


def written(items: Iterable[Item]) -> Iterator[tuple[Item, tuple[tuple[str, Line], ...]]]:
    """Each item with its terms as they are written, each with its number and sign.

    A sum that goes on from the total above it does not repeat it.
    """
    above: Line | None = None
    for item in items:
        on = len(item.terms) + len(item.then) > 1 and _goes_on(above, item.terms)
        terms = ((signed(term, first=not at), term) for at, term in enumerate(item.terms))
        yield item, tuple(terms)[on:]
        above = above if item.fact else item.total


def _goes_on(total: Line | None, terms: Sequence[Line]) -> bool:
    """Whether the first term is the total above its sum."""
    if total is None or not terms:
        return False
    return (total.key, total.number) == (terms[0].key, terms[0].number)


class Result(Struct, frozen=True, kw_only=True):
    """An outcome or damage, as announced.

    `head` is the degree, or who takes the damage; `number` the margin or the amount, `text` what
    came out, or the amount, in words; a number that is what came out is the head, and there is no
    text. `headline` is all of that in one line. `reason` is why, a sentence. `idle` are the labels
    of figures that changed nothing, by what they say. `remarks` are sentences: flags that a system
    calls so, where they are set. `readings` are the clauses of those that decided and belong to no
    line. `changes` are those that count now; `now` says so where that is no longer what was
    announced.
    """

    sort: Literal["outcome", "damage"]
    head: str
    number: int
    text: str
    reason: str = ""
    items: tuple[Item, ...] = ()
    idle: tuple[tuple[str, tuple[str, ...]], ...] = ()
    remarks: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    now: str = ""
    headline: str = ""

    def __post_init__(self) -> None:
        force_setattr(self, "headline", f"{self.head}{self.between}{self.text}")

    @property
    def between(self) -> str:
        """What stands between the head and the text."""
        return " takes " if self.sort == "damage" else ", " * bool(self.text)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is below the sums, each a line: tracks, figures that changed nothing, readings."""
        return (
            *([self.now] if self.now else []),
            *(f"{each.who}: {each.track} {each.before} → {each.after}" for each in self.changes),
            *(f"{'; '.join(labels)}: {text}" for text, labels in self.idle),
            *self.remarks,
            *map(as_read, self.readings),
        )


def outcome_result(
    state: TableState, roll: RollState, *, language: str = ENGLISH, outcome: Outcome | None = None
) -> Result | None:
    """The announced outcome of a roll, or the one that is given; None where there is none."""
    announced = outcome or roll.roll.outcome
    if announced is None:
        return None
    lexicon = Lexicon(state.with_rules_of(roll), language)
    figures = {**announced.figures, "margin": announced.margin}
    counts, people = figures_of_dice(lexicon, roll.roll), {"roller": roll.roll.character}
    found = _Reckoning(lexicon, figures, counts, announced.readings, people)
    head, text = lexicon.announced(announced)
    sums = _sums(lexicon.rules.sums, announced, figures)
    if lexicon.alone(announced):
        sums = tuple(each for each in sums if each.total != MARGIN)  # it is the head
    counted = changes_now(lexicon, roll, damage=False) if announced.effects else ()
    items, idle = found.items(announced.figures, sums)
    return Result(
        sort="outcome",
        head=head,
        number=announced.margin,
        text=text,
        reason=lexicon.reason(announced),
        items=items,
        idle=idle,
        remarks=found.remarks(announced.figures),
        readings=found.left(),
        changes=changes_in_words(lexicon, counted),
    )


def damage_result(
    state: TableState, roll: RollState, *, language: str = ENGLISH, damage: Damage | None = None
) -> Result | None:
    """The damage of a roll as it was announced, or as given; None where there is none."""
    announced = damage or roll.damage
    if announced is None:
        return None
    lexicon = Lexicon(state.with_rules_of(roll), language)
    margin = roll.roll.outcome.margin if roll.roll.outcome else 0
    figures = {**announced.figures, "margin": margin, "amount": announced.amount}
    people = {"roller": roll.roll.character, "target": announced.target}
    found = _Reckoning(lexicon, figures, {}, announced.readings, people)
    counted = changes_now(lexicon, roll, damage=True)
    items, idle = found.items(
        announced.figures, _sums(state.game.ruleset.damage_sums, announced, figures)
    )
    return Result(
        sort="damage",
        head=name_text(state, announced.target),
        number=announced.amount,
        text=lexicon.amount(announced.amount),
        items=items,
        idle=idle,
        remarks=found.remarks(announced.figures),
        readings=found.left(),
        changes=changes_in_words(lexicon, counted),
        now=now_text(announced, counted),
    )


def _sums(
    function: Callable[[T], tuple[Sum, ...]], announced: T, numbers: Numbers
) -> tuple[Sum, ...]:
    """The sums of what was announced, as far as they can be formed: of what was forged, not all."""
    found: list[Sum] = []
    with suppress(*FORGED):
        for each in function(announced):
            with suppress(*FORGED):
                value_of(numbers, each)
                found.append(each)
    return tuple(found)


def figures_of_dice(lexicon: Lexicon, roll: Roll) -> Mapping[str, tuple[str, ...]]:
    """The dice of each figure, each once: a die stands for its throws."""
    made = lexicon.rules.counts(roll).items()
    return {key: tuple(dict.fromkeys(name_of(die) for die in dice)) for key, dice in made}


# --- sums -----------------------------------------------------------------------------------------


class _Reckoning:
    """Lines of one outcome or damage; it remembers which readings stand at a line."""

    def __init__(
        self,
        lexicon: Lexicon,
        figures: Mapping[str, Any],
        counts: Mapping[str, tuple[str, ...]],
        readings: Sequence[str],
        owners: Mapping[str, str],
    ) -> None:
        self.lexicon = lexicon
        self.figures = figures
        self.counts = counts
        self.readings = readings
        self.names = {
            key: lexicon.name(str(value))
            for key, value in figures.items()
            if self.declared(key).form == "character"
        }
        self.owners = {**self.names, **{key: lexicon.name(id) for key, id in owners.items()}}
        self._shown = set[str]()

    def declared(self, key: str) -> Figure:
        """What the system says of a figure."""
        return self.lexicon.declared(key)

    def line(self, key: str) -> Line:
        """A figure in words."""
        return self._line(key, self.figures.get(key), self.declared(key))

    def term(self, term: Term, sum_: Sum, same: Term | None = None) -> Line:
        """A figure as it is in a sum, or a constant of the book; by the label of its `same`."""
        declared, form = self.declared(term.figure), form_within(self.lexicon.rules.figures, sum_)
        bought = declared.form != form  # dice that cost points are points in their sum
        if bought:
            declared = replace(declared, form=form, unit="")
        line = self._line(term.figure, term_value(self.figures, term), declared)
        if line.number == 0 and term.times < 0:
            line = replace(line, text=f"-{line.text}")
        if same is not None:
            line = self._called(line, same)
        often = abs(term.times)
        if not often and self.figures.get(term.figure):
            return replace(line, label=f"{line.label}, which count as 0")
        if often in (0, 1) or bought:
            return line
        return replace(line, label=f"{line.label}, {often} times")

    def label(self, key: str, count: int | None = None) -> str:
        """What a figure is called, the characters of the roll in it."""
        return self.lexicon.figure(key, self.names, count=count)

    def _called(self, line: Line, same: Term) -> Line:
        """The line by the label of the figure that it is equal to, and with the dice of that."""
        label = self.label(same.figure, line.number)
        dice = line.dice or self.counts.get(same.figure, ())
        return replace(line, label=label, dice=dice, whose=self._whose(same.figure, label))

    def _whose(self, key: str, label: str) -> str:
        """The name of the character whose a figure is, unless its label has a name."""
        named = any(name in label for name in self.owners.values())
        return "" if named else self.owners.get(self.declared(key).whose, "")

    def _line(self, key: str, value: Any, declared: Figure) -> Line:
        number = value if type(value) is int else None
        decided = [name for name in declared.readings if name in self.readings]
        decided = [name for name in decided if name not in self._shown]
        self._shown |= set(decided)
        whole = (number or 0) / (2 if declared.form == "halves" else 1)
        return Line(
            key=key,
            label=(label := self.label(key, number)),
            text=self.lexicon.value(declared.form, value),
            number=number,
            unit=self.lexicon.unit(declared.unit, whole),
            heading=declared.heading,
            readings=tuple(map(self.lexicon.reading, decided)),
            dice=self.counts.get(key, ()),
            whose=self._whose(key, label),
        )

    def items(
        self, announced: Mapping[str, Any], sums: Sequence[Sum]
    ) -> tuple[tuple[Item, ...], tuple[tuple[str, tuple[str, ...]], ...]]:
        """Facts, then sums, each in the order in which they explain; and what changed nothing.

        A sum is where its total is announced, the margin's at the end. A figure that is a term of a
        sum is in that sum alone. A figure that is only equal to another is not written as a sum of
        its own where it is a term.
        """
        by_total = {each.total: each for each in sums}
        inside = {term.figure for each in sums for term in each.terms}
        same = Same({each.total: self._equal(each) for each in sums}, sums, self._alike)
        bounds = {each.most for each in sums if any(self._then(each))} - {*by_total}
        found: list[Item] = []
        idle: dict[str, list[str]] = {}
        for key in (*announced, *(key for key in by_total if key not in announced)):
            value = self.figures.get(key)
            if key in by_total and (value or any(self._terms(by_total[key]))):
                if not same.left_out(key):
                    above = next((item.total for item in reversed(found) if not item.fact), None)
                    found.append(self._item(by_total[key], same, above))
            elif value and (key in inside or key in bounds or self._remark(key)):
                continue
            elif value in IDLE:
                if self._remark(key):
                    continue
                if key in {*inside, *by_total} and not self.declared(key).dice:
                    continue  # it would add nothing, and no die is there to be looked at
                text = "none" if type(value) is int else self.lexicon.value("flag", bool(value))
                idle.setdefault(text, []).append(self.label(key))
            else:
                found.append(Item(self.line(key)))
        found.sort(key=lambda item: not item.fact)
        return tuple(found), tuple((text, tuple(labels)) for text, labels in idle.items())

    def remarks(self, announced: Mapping[str, Any]) -> tuple[str, ...]:
        """The sentences of the flags that are set and have one."""
        return tuple(text for key in announced if self.figures[key] and (text := self._remark(key)))

    def _remark(self, key: str) -> str:
        """The sentence that a system calls a flag by; "" for any other figure."""
        label = self.label(key) if self.declared(key).form == "flag" else ""
        return label if label.endswith(".") else ""

    def _terms(self, sum_: Sum) -> list[Term]:
        """The terms that add something; of the margin all, for it compares, and of a whole sum."""
        every = sum_.total == "margin" or sum_.whole
        return [term for term in sum_.terms if every or term_value(self.figures, term)]

    def _equal(self, sum_: Sum) -> Term | None:
        """The one term that a total is equal to; None where more was done."""
        terms = self._terms(sum_)
        if len(terms) != 1 or terms[0].times != 1 or any(self._then(sum_)):
            return None
        return terms[0]

    def _alike(self, figure: str, other: str) -> bool:
        """Whether two figures count the same, as far as both have a unit."""
        one, two = self.declared(figure).unit, self.declared(other).unit
        return one == two or not one or not two

    def _item(self, sum_: Sum, same: Same, above: Line | None) -> Item:
        """A sum: it goes on from the total above it, or begins with what is not taken away."""
        if part := self._part(sum_):
            total = self.line(sum_.total)
            return Item(replace(total, text=f"{total.text} ({part})"))
        equal = same.of(sum_.total)
        if equal is not None:
            total = self.line(sum_.total)
            dice = total.dice or self.counts.get(equal.figure, ())
            label = self.label(equal.figure, total.number)
            return Item(replace(total, dice=dice), (), (f"= {label}",))
        found = [self.term(term, sum_, same.within(term, sum_)) for term in self._terms(sum_)]
        first = next((line for line in found if not line.text.startswith("-")), None)
        first = found[0] if _goes_on(above, found) else first
        terms = (*([first] if first else []), *(line for line in found if line is not first))
        then = tuple(self._then(sum_))
        total = self.line(sum_.total)
        if lesser := self._lesser(sum_):
            return Item(total, (), (lesser,))
        if total.heading:  # once for the sum, and at the terms that have a rule elsewhere
            terms = tuple(
                replace(term, heading="") if term.heading == total.heading else term
                for term in terms
            )
        return Item(total, terms, then)

    def _part(self, sum_: Sum) -> str:
        """How much of how much, where a sum is a part in percent."""
        whole = sum_.terms[0].figure if [term.times for term in sum_.terms] == [100] else ""
        if not whole or not isinstance(sum_.per, str):
            return ""
        return f"{number(self.figures, whole)} of {number(self.figures, sum_.per)}"

    def _lesser(self, sum_: Sum) -> str:
        """Of which two figures a total is the lesser, where it is that and no more; else ""."""
        terms, most = self._terms(sum_), sum_.most
        if len(terms) != 1 or sum_.per != 1 or terms[0].times != 1:
            return ""
        [term] = terms
        done = term_value(self.figures, term)
        if not isinstance(most, str) or done <= number(self.figures, most):
            return ""
        form = self.declared(sum_.total).form
        own = f"{self.lexicon.value(form, done)} ({self.label(term.figure, done)})"
        return f"the lesser of {own} and {self._bound(most, form)}"

    def _then(self, sum_: Sum) -> Iterator[str]:
        """What was done to the sum of the terms, where it changed it."""
        done = sum(term_value(self.figures, term) for term in sum_.terms)
        form = self.declared(sum_.total).form
        if sum_.per != 1:
            per = number(self.figures, sum_.per)
            done = -(-done // per) if sum_.up else done // per
            rounded = "up" if sum_.up else "down"
            of = form_within(self.lexicon.rules.figures, sum_)
            each = self._bound(sum_.per, "number" if of == form else of)
            yield f"one for each {each}, rounded {rounded}"
        if sum_.least is not None and done < (least := number(self.figures, sum_.least)):
            done = least
            yield f"but at least {self._bound(sum_.least, form)}"
        if sum_.most is not None and done > number(self.figures, sum_.most):
            yield f"but at most {self._bound(sum_.most, form)}"

    def _bound(self, bound: int | str, form: Form) -> str:
        text = self.lexicon.value(form, number(self.figures, bound))
        return text if isinstance(bound, int) else f"{text} ({self.label(bound)})"

    def left(self) -> tuple[str, ...]:
        """The clauses of the readings that decided and stand at no line."""
        return tuple(
            self.lexicon.reading(name) for name in self.readings if name not in self._shown
        )
