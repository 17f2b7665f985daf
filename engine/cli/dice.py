"""The command `urim dice`: plain dice at once, fair ones of this machine, kept where asked to."""

import sys
from collections.abc import Sequence

import click

from ...errors import Defect
from ...events.base import JSON
from ...events.log.location import Location
from ...projections.result import outcome_result
from ...rules.plain.outcome import kept_of
from ...rules.ruleset import Outcome
from ..render.account import roll_panel
from ..render.dice import dice_rows
from ..render.text import Page, page, pen_of
from ..table import CharacterHandle, RollHandle, Table
from .frame import LOG, command
from .shared import print_objects

SYSTEM, ROLLER = "plain", "You"


@command(
    click.Argument(
        ["expressions"],
        nargs=-1,
        required=True,
        metavar="EXPRESSION...",
        help="As 4d6kh3+2 or '1d20+5 >= 15 # to hit'.",
    ),
    LOG,
)
def dice(expressions: Sequence[str], *, log: Location | None, as_json: bool) -> None:
    """Throw plain dice; no table is needed.

    What is behind a # is the roll's label. With --log the rolls are kept as a table of their own,
    which can be shown, exported and audited like any other. If one expression is refused, nothing
    is thrown.
    """
    table = Table(SYSTEM)
    roller = table.character(ROLLER)
    wishes = list(map(labelled, expressions))
    trial = Table(SYSTEM).character(ROLLER)  # of a table that is thrown away
    for expression, _ in wishes:
        trial.table.declare(trial, expression=expression)
    rolls = [rolled(roller, expression, label) for expression, label in wishes]
    kept: str | None = None
    if log is not None:
        from .keep import keep_at  # noqa: PLC0415  it brings the databases

        kept = keep_at(log, table.aggregate)
    done = list(zip(rolls, (label for _, label in wishes), strict=True))
    if as_json:
        print_objects(dice_object(roll, label, kept) for roll, label in done)
        return
    _show(page(sys.stdout), done)
    if log is not None:
        out = page(sys.stdout, soft_wrap=True)
        out.print(pen_of(out).text(f"kept as table {kept} in {log}"))


def labelled(text: str) -> tuple[str, str | None]:
    """An expression, and the label behind its #, if there is one."""
    expression, _, label = text.partition("#")
    return expression.strip(" "), label.strip() or None


def rolled(roller: CharacterHandle, expression: str, label: str | None) -> RollHandle:
    """A roll from its declaration to its outcome: every throw, and every reroll that is due."""
    roll = roller.table.declare(roller, label=label, expression=expression)
    while (offer := roll.offers[0]).trigger != "resolve":
        if offer.trigger == "roll":
            roll.roll(offer.hand)
        else:
            roll.reroll(*offer.dice)
    roll.resolve()
    return roll


def dice_object(roll: RollHandle, label: str | None, table: str | None) -> JSON:
    """A roll as JSON: its outcome, each die's faces and what is kept of them, its table if any."""
    outcome, found = outcome_of(roll), outcome_result(roll.table.state, roll.state)
    hands, numbers = roll.state.roll.hands, kept_of(roll.state.roll)
    return {
        "type": "dice",
        "headline": found and found.headline,
        "expression": outcome.figures["expression"],
        "label": label,
        "degree": outcome.degree,
        "margin": outcome.margin,
        "total": outcome.figures["total"],
        "figures": outcome.figures,
        "readings": list(outcome.readings),
        "dice": [
            {
                "die": die.id,
                "kind": die.kind,
                "thrown": list(die.thrown),
                "kept": list(numbers[die.id]),
            }
            for hand in hands
            for die in hand.dice
        ],
        "table": table,
        "roll": roll.number,
    }


def outcome_of(roll: RollHandle) -> Outcome:
    """The outcome of a roll that is resolved."""
    if roll.outcome is None:
        raise Defect(f"roll {roll.number} has no outcome")
    return roll.outcome


def _show(out: Page, rolls: list[tuple[RollHandle, str | None]]) -> None:
    pen = pen_of(out)
    for roll, label in rolls:
        if label is not None:
            out.print(pen.text(label, "bold"))
        for hand in roll.state.roll.hands:
            out.print(dice_rows(hand, pen, out.width))
        panel = roll_panel(pen, roll.table.state, roll.number, damage=False)
        if panel is not None:
            out.print(panel)
