"""The law that a reading which acted before the outcome is listed in the outcome.

Commands about a roll are decided again, on the table before them, under other values of readings.
Where one then leads to another declaration or reaction, or throws other dice, the reading has
acted; so it has where what is declared, rerolled or adjusted is refused then. It has not where only
a price differs, which is no part of the outcome, or the time at which something is done.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ....errors import Refused
from ....events.codec import Event, event_json
from ....projections.rollstate import game
from ....projections.tables import TableState
from ...core.commands import (
    Adjust,
    Amend,
    AnyCommand,
    Declare,
    React,
    Reroll,
    RollDice,
)
from ...core.decide import decide
from .play import History
from .trial import Acted, LawBroken, Moment

ACTING = (Declare, React, RollDice, Reroll, Adjust)
"""Commands of which a reading can decide something, before the outcome."""

REFUSED_THEN = (Declare, React, Reroll, Adjust)
"""Those of them that a reading decides by allowing them; another throw may only come earlier."""


OTHER_DICE = ("dice-short", "dice-left", "face")
"""Codes of refusals that say: the faces typed for a throw are those of other dice."""


class Asked(Struct, frozen=True):
    """What a seat asked about a roll, and the table before it."""

    before: TableState
    seat: str
    command: AnyCommand


def note_acting(
    history: History, asked: Asked, number: int, tried: Iterable[tuple[str, Any, Any]]
) -> None:
    """Note which of the readings tried have acted in what was just asked."""
    command = asked.command
    found = history.acted.setdefault(number, {})
    _go_on(found, command)
    if not isinstance(command, ACTING) or (isinstance(command, Adjust) and not command.dice):
        return
    hand = command.hand if isinstance(command, Adjust) else ""
    event: Any = history.state.rolls[number].trail[-1].event
    for reading, value, options in tried:
        if reading in found:
            continue
        then = _event(history, _under(asked.before, options), asked)
        if isinstance(then, Refused):
            if not isinstance(command, REFUSED_THEN) and then.code not in OTHER_DICE:
                continue
            tag = event.__struct_config__.tag
            found[reading] = Acted(f"{reading} = {value!r} would have refused {tag}", hand)
        elif _deciding(then) != _deciding(event):
            found[reading] = Acted(f"{reading} = {value!r} would have made it {then}", hand)


def _go_on(found: dict[str, Acted], command: AnyCommand) -> None:
    """What an amendment corrects, or dice put otherwise, no reading has acted in any more."""
    if isinstance(command, Amend):
        found.clear()
    for reading, acted in list(found.items()):
        if acted.hand and acted.hand == getattr(command, "hand", ""):
            if isinstance(command, Adjust):
                del found[reading]
            elif isinstance(command, Reroll):  # what it has settled is final
                found[reading] = replace(acted, hand="")


def _under(state: TableState, options: Any) -> TableState:
    """The table as if these options had been in force, but for what has happened."""
    rolls = state.rolls
    for roll in state.rolls.values():
        rolls = rolls.set(roll.number, replace(roll, roll=replace(roll.roll, options=options)))
    return replace(state, game=game(state.game.ruleset, options), rolls=rolls)


def _event(history: History, state: TableState, asked: Asked) -> Event | Refused | None:
    """The first event that the command leads to on that table, or its refusal; None for neither."""
    aggregate = history.aggregate
    try:
        drafts = decide(
            state, asked.seat, asked.command, aggregate.environment.source, now=state.at,
            rulesets=aggregate.environment.rulesets, command_at=aggregate.command_at,
        )  # fmt: skip
    except Refused as error:
        return error
    return drafts[0].event if drafts else None


def _deciding(event: Any) -> bytes | None:
    """An event as its outcome depends on it, without what was paid."""
    if event is None:
        return None
    return event_json(replace(event, effects=()) if hasattr(event, "effects") else event)


def check_acting(history: History, moment: Moment) -> None:
    """Every reading that has acted in a resolved roll is listed in its outcome."""
    outcome = moment.roll.roll.outcome
    if outcome is None:
        return
    for reading, acted in history.acted.get(moment.roll.number, {}).items():
        if reading not in outcome.readings:
            raise LawBroken("listed", f"{acted.why}, and is not listed", history.story)
