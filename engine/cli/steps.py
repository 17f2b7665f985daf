"""What needs no decision is done at once, behind what a seat asks for in a shell."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...projections.tables import TableState
from ..core.commands import ApplyDamage, Command, Reroll, Resolve, RollDice
from ..core.step import steps_from
from ..core.view import view_of
from ..table import Table
from .ask import Done, Wish, ask, kept_under

STEPPED: Mapping[str, type[Command]] = {
    "roll": RollDice,
    "reroll": Reroll,
    "resolve": Resolve,
    "apply_damage": ApplyDamage,
}
"""The command of a step that needs no decision."""

LONGEST = 56
"""Characters of a request whose steps have names of their own, at most."""


def go_on(table: Table, done: Done, request: str | None) -> Done:
    """Do what needs no decision in the roll that was declared; all of it, with the declaration.

    The steps behind request ID are ID.s1, ID.s2, …: repeated, they give the same entries.
    """
    seqs, number, at = [*done.seqs], done.roll or 0, 1
    while request and (kept := kept_under(table.aggregate, done.seat, f"{request}.s{at}")):
        seqs += kept[1]
        at += 1
    view = partial(_view, table, done.seat)
    for place, step in enumerate(steps_from(view, done.seat, number, declared=True), at):
        given: dict[str, Any] = {"roll": number} | ({"hand": step.hand} if step.hand else {})
        given |= {"dice": list(step.dice)} if step.trigger == "reroll" else {}
        id = f"{request}.s{place}" if request else None
        more = ask(table, done.seat, Wish(STEPPED[step.trigger], given), id)
        seqs += more.seqs
        if more.silent:
            return Done(done.seat, tuple(seqs), number, more.silent)
    return Done(done.seat, tuple(seqs), number)


def _view(table: Table, seat: str) -> TableState:
    return view_of(table.state, seat)
