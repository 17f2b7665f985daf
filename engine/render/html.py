"""The account of a roll as HTML: one article without styles of its own, for any page.

Every text is escaped; names are in <bdi>, so that each reads in its own direction.
"""

from collections.abc import Iterable, Iterator
from html import escape

from ...projections.account import Account, ShownDie, ShownHand
from ...projections.isolates import FSI, PDI, isolated
from ...projections.result import Item, Line, Result, beside, written
from .text import Pen

PEN = Pen()


def text_of(text: object) -> str:
    """The text escaped, isolates as <bdi>."""
    return escape(PEN.write(text)).replace(FSI, "<bdi>").replace(PDI, "</bdi>")


def html(account: Account) -> str:
    """The whole account as one <article>, ending in a line break."""
    return "\n".join(_lines(account)) + "\n"


def _lines(account: Account) -> Iterator[str]:
    yield f'<article class="roll" data-roll="{account.roll}" data-state="{account.state}">'
    after = f", {text_of(account.link)} to roll {account.before[-1]}" if account.before else ""
    yield f"<h2>Roll {account.roll} by {text_of(isolated(account.who))}{after}</h2>"
    if account.marks:
        yield f'<p class="marks">{", ".join(account.marked)}</p>'
    yield "<ol>"
    for step in account.steps:
        hand = "" if step.hand is None else _hand(step.hand)
        yield f'<li value="{step.seq}">{text_of(step.text)}{hand}</li>'
    yield "</ol>"
    for result in (account.outcome, account.damage):
        if result is not None:
            yield from _result(result)
    yield "</article>"


def _hand(hand: ShownHand) -> str:
    dice = "".join(map(_die, hand.dice)) or "<li>no dice</li>"
    return f'<p>{text_of(hand.label)}</p><ul class="dice">{dice}</ul>'


def _die(die: ShownDie) -> str:
    marks = {"frozen": die.frozen, "adjusted": die.adjusted, "thrown": die.again}
    classes = " ".join(["die", *(name for name, holds in marks.items() if holds)])
    tags = ((face, "span" if counts else "del") for face, counts in die.earlier)
    before = "".join(f"<{tag}>{text_of(face)}</{tag}> " for face, tag in tags)
    return (
        f'<li class="{classes}" data-kind="{text_of(die.kind)}">'
        f"{text_of(die.die)} {before}<b><bdi>{text_of(die.face)}</bdi></b></li>"
    )


def _result(result: Result) -> Iterator[str]:
    yield f'<section class="{result.sort}">'
    yield f"<h3>{text_of(result.head)}{result.between}{text_of(result.text)}</h3>"
    if result.reason:
        yield f"<p>{text_of(result.reason)}</p>"
    if result.items:
        yield "<table>"
        for item, terms in written(result.items):
            yield from _rows(item, terms)
        yield "</table>"
    yield from (f"<p>{text_of(note)}</p>" for note in result.notes)
    yield "</section>"


def _rows(item: Item, terms: Iterable[tuple[str, Line]]) -> Iterator[str]:
    yield from (_row(text_of(value), term) for value, term in terms)
    equals = "= " if item.terms else ""
    yield _row(f"<b>{equals}{text_of(item.total.text)}</b>", item.total, item.then)


def _row(value: str, line: Line, then: Iterable[str] = ()) -> str:
    label, note = text_of(line.label), text_of("; ".join(beside(line, then)))
    return f"<tr><td>{value}</td><th>{label}</th><td>{note}</td></tr>"
