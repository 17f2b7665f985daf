"""The account of a roll as Markdown, for a chat, an issue or a case file.

Every text of the account is escaped: a name cannot add markup of its own.
"""

import re
from collections.abc import Iterable, Iterator

from ...projections.account import Account, ShownHand
from ...projections.isolates import isolated
from ...projections.result import Item, Line, Result, beside, written
from .text import Pen

PEN = Pen()
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+.!|~-])")
"""What Markdown may read as markup."""


def escaped(text: object) -> str:
    """The text with all that Markdown could read as markup escaped, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(PEN.write(text).split("\n")))


def markdown(account: Account) -> str:
    """The whole account, ending in a line break."""
    return "\n".join(_lines(account)) + "\n"


def _lines(account: Account) -> Iterator[str]:
    after = f", {escaped(account.link)} to roll {account.before[-1]}" if account.before else ""
    yield f"## Roll {account.roll} by {escaped(isolated(account.who))}{after}"
    yield ""
    if account.marks:
        yield f"*{', '.join(account.marked)}*"
        yield ""
    for step in account.steps:
        yield f"- {escaped(step.text)}"
        if step.hand is not None:
            yield f"  {_hand(step.hand)}"
    for result in (account.outcome, account.damage):
        if result is not None:
            yield from ("", f"### {escaped(result.headline)}", *sums(result))


def _hand(hand: ShownHand) -> str:
    """A hand's dice: frozen ones in bold, earlier faces that do not count struck out."""
    dice: list[str] = []
    for die in hand.dice:
        marks = ((escaped(face), "" if counts else "~~") for face, counts in die.earlier)
        before = "".join(f"{mark}{face}{mark} " for face, mark in marks)
        face = f"**{escaped(die.face)}**" if die.frozen else escaped(die.face)
        dice.append(f"{escaped(die.die)} {before}{face}")
    return f"*{escaped(hand.label)}:* {', '.join(dice) or 'no dice'}"


def sums(result: Result) -> Iterator[str]:
    """The lines below a result's heading: what it is the sum of, and its notes."""
    if result.reason:
        yield from ("", escaped(result.reason))
    if result.items:
        yield from ("", "| | | |", "|---:|---|---|")
        for item, terms in written(result.items):
            yield from _rows(item, terms)
    if result.notes:
        yield ""
    yield from (f"- {escaped(note)}" for note in result.notes)


def _rows(item: Item, terms: Iterable[tuple[str, Line]]) -> Iterator[str]:
    for value, term in terms:
        yield f"| {escaped(value)} | {_label(term)} | {_beside(term)} |"
    total = item.total
    if item.fact:
        yield f"| | {_label(total)}: **{escaped(total.text)}** | {_beside(total)} |"
    else:
        value = f"**{'= ' if item.terms else ''}{escaped(total.text)}**"
        yield f"| {value} | {_label(total)} | {_beside(total, item.then)} |"


def _label(line: Line) -> str:
    """The label of a line, and whose it is."""
    return escaped(f"{line.whose}'s {line.label}" if line.whose else line.label)


def _beside(line: Line, then: Iterable[str] = ()) -> str:
    return escaped("; ".join(beside(line, then)))
