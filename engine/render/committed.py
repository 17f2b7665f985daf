"""What a command added to a table, as its seat may see it, and what may come next."""

from collections.abc import Iterator, Sequence

from msgspec import to_builtins
from msgspec.structs import replace
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...events.codec import asked_in
from ...projections.disputes import dependents, under_dispute
from ...projections.history import history
from ...projections.isolates import bare
from ...projections.rulings import open_disputes
from ...projections.tables import TableState
from ..core.aggregate import Aggregate
from ..core.attempt import here
from ..core.moves import Awaiting, awaiting, in_language, legal_in, legal_moves
from ..core.offers import describe
from ..core.view import view_of
from ..core.visibility import visible_part
from .account import announced
from .dice import dice_rows
from .json import entry_object
from .table import SEQ
from .text import Pen

SEALED = "is in the log, sealed: this seat may not see it."
"""What is said of an entry that the seat itself may not see."""


# --- for people -----------------------------------------------------------------------------------


def committed_parts(
    view: Aggregate, seqs: Sequence[int], pen: Pen, width: int
) -> Iterator[RenderableType]:
    """The new entries of a seat's view in words, then the dice and results that they changed."""
    grid = Table.grid()
    grid.add_column(width=SEQ, style="dim", no_wrap=True)
    grid.add_column()
    for seq, words in lines(view, seqs).items():
        grid.add_row(str(seq), pen.text(words))
    yield grid
    state = view.opened
    events = [record.event for seq in seqs if (record := view.records[seq]) is not None]
    hands = ((getattr(event, "roll", 0), getattr(event, "hand", None)) for event in events)
    for number, name in dict.fromkeys(hands):
        hand = None if name is None else state.rolls[number].roll.hand(name)
        if hand is not None:
            yield dice_rows(hand, pen, width)
    for event in events:
        panel = announced(pen, state, event)
        if panel is not None:
            yield panel


def lines(view: Aggregate, seqs: Sequence[int]) -> dict[int, str]:
    """Entries of a seat's view in words, by sequence."""
    found = dict.fromkeys(seqs, SEALED)
    known = [view.records[seq] for seq in seqs]
    return found | {line.seq: line.text for line in history(view.opened, known)}


def waiting_part(silent: Sequence[str], pen: Pen) -> RenderableType:
    """What a throw waits for."""
    who = ", ".join(silent)
    return pen.text(f"The throw waits for a share of {who}: each opens it with `urim open-share`.")


def next_parts(state: TableState, seat: str, number: int | None, pen: Pen) -> Iterator[Text]:
    """What may come next in a roll: the offers to this seat, and what waits for others."""
    if number is None:
        return
    if visible_part(state, seat, state.rolls[number]) == "everything":
        for parent in under_dispute(state, state.rolls[number]):
            if parent != number:
                yield pen.text(f"roll {parent}, which it depends on, is under dispute", "dim")
    for words in _offered(state, seat, number):
        yield pen.text(f"{pen.glyph('to')} {words}", "dim")
    if visible_part(state, seat, state.rolls[number]) != "everything":
        return
    for other in sorted(state.seats):
        for each in awaiting(state, other) if other != seat and here(state, other) else ():
            if each.roll == number:
                yield pen.text(f"waits for seat {other}: {each.why}", "dim")


def _disputed(state: TableState, seat: str, number: int | None) -> Iterator[str]:
    """Which rolls are under dispute, as far as the seat sees them, and what depends on them."""
    view = view_of(state, seat)
    for roll in sorted(view.rolls.values(), key=lambda roll: roll.number):
        depends = [each.number for each in dependents(view, roll)]
        if open_disputes(roll) and number in (None, roll.number, *depends):
            rolls = ", ".join(f"roll {each}" for each in depends)
            more = f"; {rolls} depend{'s' if len(depends) == 1 else ''} on it" if depends else ""
            yield f"roll {roll.number} is under dispute{more}"


def _offered(state: TableState, seat: str, number: int) -> list[str]:
    moves = legal_in(state, seat, number)
    return list(dict.fromkeys(describe(offer) for move in moves for offer in move.offers))


def moves_parts(
    state: TableState, seat: str, number: int | None, now: int, pen: Pen
) -> Iterator[RenderableType]:
    """What waits for a seat, then all that it may do, roll by roll."""
    waits, name = list(_waits(state, seat, number, now)), pen.isolated(state.name_of(seat))
    yield pen.text(f"What waits for {name}:" if waits else f"Nothing waits for {name}.", "bold")
    grid = Table.grid(padding=(0, 2))
    for each in waits:
        grid.add_row(f"roll {each.roll}", pen.text(each.trigger), pen.text(each.why))
    if waits:
        yield grid
    for words in _disputed(state, seat, number):
        yield pen.text(f"{words[:1].upper()}{words[1:]}.")
    yield pen.text(f"What {name} may do:", "bold")
    grid = Table.grid(padding=(0, 2))
    for of in legal_moves(state, seat, now=now):
        if number not in (None, of.roll):
            continue
        place = "a new roll" if of.roll is None else f"roll {of.roll}"
        for move in of.moves:
            words = "; ".join(dict.fromkeys(describe(offer) for offer in move.offers))
            if of.roll is None:
                who = (state.name_of(offer.character) for offer in move.offers)
                words = f"a roll of {', '.join(map(pen.isolated, who))}"
            grid.add_row(pen.text(place, "dim"), pen.text(move.trigger), pen.text(words))
        for words in of.hangs:
            grid.add_row(pen.text(place, "dim"), pen.text(""), pen.text(words))
    yield grid


def _waits(state: TableState, seat: str, number: int | None, now: int) -> Iterator[Awaiting]:
    every = awaiting(state, seat, now=now)
    yield from (each for each in every if number in (None, each.roll))


# --- as JSON --------------------------------------------------------------------------------------


def committed_object(view: Aggregate, seat: str, seqs: Sequence[int], roll: int | None) -> JSON:
    """What a request added: its id as the log has it, and its entries as the seat may see them."""
    words, state = lines(view, seqs), view.opened
    first = next((seq for seq in seqs if view.records[seq] is not None), None)
    asked = None if first is None else asked_in(view.entries[first])
    entries = [
        {
            **entry_object(view.entries[seq]),
            "roll": state.entry_rolls.get(seq),
            "text": None if view.records[seq] is None else bare(words[seq]),
        }
        for seq in seqs
    ]
    known = {"table": state.id, "seat": seat, "request": asked.request if asked else None}
    return {"type": "committed", **known, "roll": roll, "entries": entries}


def waiting_object(state: TableState, seat: str, number: int, silent: Sequence[str]) -> JSON:
    """A throw that waits for the shares of other seats."""
    throw = state.ask.throw if state.ask else None
    known = {"table": state.id, "seat": seat, "roll": number}
    return {"type": "waiting", **known, "throw": throw, "seats": list(silent)}


def moves_objects(state: TableState, seat: str, number: int | None, now: int) -> Iterator[JSON]:
    """What waits for a seat, one object each, then its legal moves, one object a roll."""
    for each in _waits(state, seat, number, now):
        yield {"type": "awaiting", "seat": seat, **bare(to_builtins(each))}
    for of in legal_moves(state, seat, now=now):
        if number in (None, of.roll):
            found = replace(of, moves=in_language(state, of.moves))
            yield {"type": "moves", "seat": seat, **bare(to_builtins(found))}
