"""A what-if for a terminal: each roll as it was beside what it would be, and what falls away."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.json import encode
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...projections.account import ShownHand
from ...projections.corrections.changes import Change as TrackChange
from ...projections.isolates import isolated
from ...projections.phrases import spaced, value_text
from ...projections.result import Result
from ...projections.wording import chances_text
from ..whatif.alternatives import Alternative, Kind
from ..whatif.changes import Change, Instead, Reading
from ..whatif.difference import Fallen, Gone, Missing, RollDifference, WhatIf
from ..whatif.side import Fact, Side
from .text import Pen

NARROW = 60
"""Columns below which the two sides stand below one another."""

WAS, WOULD = "as it was", "what if"

HAD_BEEN: Mapping[Kind, str] = {
    "withdrawn": "if {who} had withdrawn the roll at once",
    "choice": "if {who} had chosen: {what}",
    "dice": "if {who} had thrown another number of dice: {what}",
    "answer": "if {who} had not answered",
    "reading": "if the table read the book so: {what}",
}
"""What could have been otherwise, in words, by its kind."""

Row = tuple[str, str, str]
"""What is compared, and how it is on either side."""


def whatif_parts(
    found: WhatIf, pen: Pen, width: int, roll: int | None = None
) -> Iterator[RenderableType]:
    """A what-if, the roll that was asked about first."""
    yield from _rolls(found, pen, width, roll)
    ends = list(_tracks(found))
    if ends:
        yield pen.text("In the end", "bold")
        yield from _compared(ends, pen, width)
    if found.fallen:
        yield pen.text("What falls away", "bold")
        yield from _fallen(found.fallen, pen)
        yield Text()
    if found.missing:
        yield pen.text("What was never thrown", "bold")
        for gap in found.missing:
            yield from _missing(gap, pen)
        yield Text()
    if found.uncertain:
        rolls = ", ".join(map(str, found.uncertain))
        why = "given as if what is not known had changed no track"
        yield pen.text(f"Behind that, {why}: roll {rolls}.", "dim")


def alternative_parts(
    found: Iterable[Alternative], pen: Pen, roll: int
) -> Iterator[RenderableType]:
    """What could have been otherwise in a roll, each above the option that asks about it."""
    every = list(found)
    if not every:
        yield pen.text(f"Nothing that roll {roll} could have been instead is known.")
    for each in every:
        yield pen.text(HAD_BEEN[each.kind].format(who=each.who, what=each.what))
        yield pen.text(f"  {option_of(each.change)}", "dim")


def option_of(change: Change) -> str:
    """The option of `urim whatif --roll N` that asks about an alternative, as a shell takes it."""
    match change:
        case Instead():
            fields = [f"{name}={_word(value)}" for name, value in change.fields.items()]
            words = ["--instead", str(change.seq), *fields]
        case Reading():
            words = ["--reading", f"{change.name}={_word(change.value)}"]
        case _:
            words = ["--withdraw"]
    return shlex.join(words)


def _word(value: object) -> str:
    """A value as the command line reads it: nothing for null."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list, dict)):
        return encode(value).decode("utf-8")
    return "" if value is None else str(value)


def _rolls(found: WhatIf, pen: Pen, width: int, roll: int | None) -> Iterator[RenderableType]:
    """The rolls that come out otherwise; of the one asked about at least that it does not."""
    if roll is not None and all(each.roll != roll for each in found.rolls):
        yield pen.text(f"Roll {roll} comes out the same.")
        yield Text()
    elif not found.rolls:
        yield pen.text("Every roll comes out the same.")
        yield Text()
    for each in sorted(found.rolls, key=lambda each: (each.roll != roll, each.roll)):
        yield pen.text(f"Roll {each.roll}, {each.who}", "bold")
        yield from _compared(list(_rows(each, pen)), pen, width)


# --- two sides ------------------------------------------------------------------------------------


def _compared(rows: Iterable[Row], pen: Pen, width: int) -> Iterator[RenderableType]:
    """The rows side by side, or below one another where there is no room."""
    if width < NARROW:
        for what, was, would in rows:
            yield pen.text(f"{what}:")
            yield pen.text(f"  {WAS}: {was}", "dim")
            yield pen.text(f"  {WOULD}: {would}")
    else:
        grid = Table(box=None, pad_edge=False, show_edge=False)
        grid.add_column("")
        grid.add_column(WAS, style="dim", header_style="dim", ratio=1)
        grid.add_column(WOULD, ratio=1)
        for row in rows:
            grid.add_row(*map(pen.text, row))
        yield grid
    yield Text()


def _rows(each: RollDifference, pen: Pen) -> Iterator[Row]:
    """What is not the same of a roll."""
    left, right = each.before, each.after
    yield from _unequal([("the roll", _state(left), _state(right)), *_declared(left, right)])
    yield from _unequal(_dice(left, right))
    if left is not None and right is not None and not right.known:
        known = [("outcome", _outcome(left)), ("damage", _damage(left))]
        yield from ((what, was, NOT_KNOWN) for what, was in known if was != NOTHING)
        return
    yield from _unequal(
        [
            ("outcome", _outcome(left), _outcome(right)),
            *_facts(left, right),
            ("damage", _damage(left), _damage(right)),
            *_marks(left, right, pen),
        ]
    )


def _unequal(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if row[1] != row[2])


def _declared(left: Side | None, right: Side | None) -> Iterator[Row]:
    """The fields of the declaration and of answers that are others, where both are there."""
    if left is None or right is None or "voided" in (left.state, right.state):
        return
    was, would = ({"declared": side.declared, **_answers(side)} for side in (left, right))
    for of in dict.fromkeys((*was, *would)):
        one, two = was.get(of) or {}, would.get(of) or {}
        for name in dict.fromkeys((*one, *two)):
            yield f"{of}: {spaced(name)}", _value(one.get(name)), _value(two.get(name))


def _answers(side: Side) -> dict[str, JSON | None]:
    return {f"answer of {who}": answer for who, answer in side.answers}


def _value(value: Any) -> str:
    return NOTHING if value in (None, "", [], {}) else value_text(value)


def _dice(left: Side | None, right: Side | None) -> Iterator[Row]:
    """The dice as they are in the end, of hands that are on both sides."""
    if left is None or right is None:
        return
    other = {hand.hand: hand for hand in right.hands}
    for hand in left.hands:
        if hand.hand in other:
            yield f"{hand.label}", _faces(hand), _faces(other[hand.hand])


def _faces(hand: ShownHand) -> str:
    faces = " ".join(isolated(str(die.face)) for die in hand.dice)
    frozen = sum(die.frozen for die in hand.dice)
    return f"{faces}, {frozen} frozen" if frozen else faces


NOT_KNOWN = "not known"

NOTHING = "none"


def _state(side: Side | None) -> str:
    """How a roll ended."""
    if side is None:
        return "not there"
    if not side.known:
        return f"{side.state}, then {NOT_KNOWN}" if side.state else NOT_KNOWN
    open_ = side.state not in ("voided", "resolved", "damaged")
    return f"{side.state}, not resolved" if open_ else str(side.state)


def _outcome(side: Side | None) -> str:
    return _result(side.outcome_words if side else None)


def _damage(side: Side | None) -> str:
    return _result(side.damage_words if side else None)


def _result(result: Result | None) -> str:
    return NOTHING if result is None else result.headline


def _facts(left: Side | None, right: Side | None) -> Iterator[Row]:
    """The figures of both sides, by their labels; the margin and the amount are in the sentences.

    A label is in the form for one only where no side has more, or none.

    Where a blow is on one side alone, all that is something in its figures: where it hit, what it
    met. Of an outcome that is on one side alone its sentence is enough.
    """
    for of in ("outcome", "damage"):
        was, would = _figures(left, of), _figures(right, of)
        alone = not was or not would
        for key in dict.fromkeys((*was, *would)):
            one, two = was.get(key), would.get(key)
            both = [each for each in (one, two) if each is not None]
            fact = next((each for each in both if each.number not in (1, -1)), one or two)
            if fact is None or (alone and (of == "outcome" or _idle(fact))):
                continue
            yield fact.label, one.text if one else NOTHING, two.text if two else NOTHING


def _figures(side: Side | None, of: str) -> dict[str, Fact]:
    facts = side.facts if side else ()
    return {each.key: each for each in facts if each.of == of and each.key not in SENTENCES}


def _idle(fact: Fact) -> bool:
    """Whether a figure changed nothing."""
    return fact.number == 0 or fact.text in ("no", "")


SENTENCES = ("margin", "amount")


def _marks(left: Side | None, right: Side | None, pen: Pen) -> Iterator[Row]:
    """The tracks that the roll changes, each from where to where."""
    was, would = _changes(left, pen), _changes(right, pen)
    for what in dict.fromkeys((*was, *would)):
        yield what, was.get(what, "unchanged"), would.get(what, "unchanged")


def _changes(side: Side | None, pen: Pen) -> dict[str, str]:
    found: dict[str, tuple[TrackChange, TrackChange]] = {}
    for each in side.changes if side else ():
        what = f"{each.who}: {each.track}"
        found[what] = (found[what][0] if what in found else each, each)
    to = pen.glyph("to")
    return {what: f"{first.before} {to} {last.after}" for what, (first, last) in found.items()}


def _tracks(found: WhatIf) -> Iterator[Row]:
    """The tracks that would end otherwise."""
    for each in found.tracks:
        would = str(each.after) if each.known else NOT_KNOWN
        if str(each.before) != would:
            yield f"{each.who}: {each.label}", str(each.before), would


# --- what falls away, and what was never thrown ---------------------------------------------------


def _where(gone: Gone) -> str:
    place = "" if gone.roll is None else f"roll {gone.roll}, step {gone.step}, "
    return f"{place}entry {gone.entry}"


def _fallen(found: Sequence[Fallen], pen: Pen) -> Iterator[RenderableType]:
    """Each command, and behind those that meet the same refusal that one."""
    for refusal, those in groupby(found, lambda each: each.refusal):
        for each in those:
            yield pen.text(f"{_where(each)}: {each.text}")
        allowed = f"; allowed: {', '.join(refusal.allowed)}" if refusal.allowed else ""
        more = f" and {refusal.left_out} more" if refusal.left_out else ""
        yield pen.text(f"  {refusal.why}{allowed}{more}", "dim")


def _missing(gap: Missing, pen: Pen) -> Iterator[RenderableType]:
    dice = ", ".join(f"{each.die} ({each.kind})" for each in gap.dice)
    yield pen.text(f"{_where(gap)}: {gap.text}")
    yield pen.text(f"  It would need {dice}, which never fell in this throw.", "dim")
    if gap.chances:
        yield pen.text(f"  It might have come to {chances_text(gap.chances)}.", "dim")
    if gap.behind:
        entries = ", ".join(str(each.entry) for each in gap.behind)
        yield pen.text(f"  Not known from there on: entry {entries}.", "dim")
