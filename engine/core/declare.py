"""A declaration or a reaction is settled by the rules: read, filled from the sheet, paid for."""

from collections.abc import Container
from typing import get_args

from msgspec import Struct, to_builtins

from ...errors import Refused
from ...events import roll as rolled
from ...events.base import JSON, Effect, Level
from ...events.codec import Event
from ...events.table import SPENT
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...projections.tracks import Tracks, taken
from ...rules.ruleset import Damage, Outcome, Roll
from .attempt import Attempt, character_of, present, roll_of
from .commands import Declare, React
from .offers import sheets
from .parse import read_as, shown
from .sources import Source
from .visibility import involved

RISING_LEVELS: tuple[Level, ...] = get_args(Level)
"""The levels of fair dice, by how many add entropy: the server, the roller, every seat."""


# --- declare --------------------------------------------------------------------------------------


def declared(command: Declare, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The declaration settled, completed where it follows a roll, its first throw committed to."""
    table, game = attempt.table, attempt.table.game
    narrator = table.seats[attempt.seat].role == "narrator"
    wish = read_declaration(table, command.declaration, narrator=narrator)
    link = command.follows[1] if command.follows else None
    sheet = table.sheet(command.character)
    declaration, effects = game.ruleset.settle(game.options, wish, sheet, link)
    if command.follows:
        parent = roll_of(table, command.follows[0])
        _in_the_open(parent, command.visibility)
        link = command.follows[1]
        declaration, _ = game.ruleset.completed(game.options, declaration, link, parent.roll)
        _one_of_the_offered(attempt, declaration)
    roll = Roll(
        options=game.options, character=command.character, declaration=declaration, link=link
    )
    named = involved(table, roll_of(table, command.follows[0])) if command.follows else ()
    must_be_there(table, declaration, besides=named)
    game.ruleset.offers(roll, sheets(table))  # refuses what can never go on
    number = table.next_roll
    return (
        rolled.RollDeclared(
            attempt.seat,
            number,
            command.character,
            json_of(declaration),
            command.visibility,
            level_of(attempt, command),
            command.follows,
            effects,
            source.commit(table.id, number, 0),
        ),
    )


def level_of(attempt: Attempt, command: Declare) -> Level | None:
    """The level that the declaration names, the table's or a higher one; None where it names none.

    Raises Refused("out-of-range") for a lower one, or for one that no throw of the table has.
    """
    table = attempt.table
    highest = RISING_LEVELS.index("player" if table.one_machine else "table")
    allowed = RISING_LEVELS[RISING_LEVELS.index(table.level) : highest + 1]
    if command.level is None or command.level in allowed:
        return command.level
    why = f"level {command.level} is not one of this table, whose own is {table.level}"
    raise Refused("out-of-range", why, allowed=allowed)


def must_be_there(table: TableState, declaration: Struct, *, besides: Container[str]) -> None:
    """Refuse with "unknown" a declaration that names a character who is not at the table.

    Of those that were taken away it may name `besides` alone.
    """
    for who in table.game.ruleset.involves(declaration):
        if who in besides:
            character_of(table, who)
        else:
            present(table, who)


def _in_the_open(parent: RollState, visibility: str) -> None:
    """What follows a roll is public, and nothing follows a hidden one before it is revealed.

    Else a reader could infer what is hidden: the roll that follows waits for damage, or stops it.
    """
    if visibility != "public":
        why = f"what follows roll {parent.number} is public, not {visibility}"
        raise Refused("not-offered", why, allowed=["visibility public"])


def _one_of_the_offered(attempt: Attempt, declaration: Struct) -> None:
    offer = attempt.known_offer
    value = getattr(declaration, offer.choice) if offer.choice else None
    if offer.choice and value not in offer.options:
        raise Refused(
            "not-offered",
            f"{offer.choice} {value!r} is not offered for {offer.link}",
            allowed=map(str, offer.options),
        )


# --- react ----------------------------------------------------------------------------------------


def reacted(command: React, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The reaction settled, or the character declining."""
    roll, game = attempt.known_roll, attempt.table.game
    sheet = sheets(attempt.table, roll)(command.character)
    if command.reaction is None:
        instead = game.ruleset.decline(roll.roll, sheet)
        left = None if instead is None else json_of(instead)
        return (rolled.ReactionDeclared(attempt.seat, roll.number, command.character, left),)
    narrator = attempt.table.seats[attempt.seat].role == "narrator"
    _not_reserved(attempt.table, command.reaction, narrator=narrator)
    wish = read_as(command.reaction, game.ruleset.Reaction)
    reaction, effects = game.ruleset.answer(roll.roll, wish, sheet)
    return (
        rolled.ReactionDeclared(
            attempt.seat, roll.number, command.character, json_of(reaction), effects
        ),
    )


# --- what players and narrators may fill in -------------------------------------------------------


def read_declaration(table: TableState, declaration: JSON, *, narrator: bool) -> Struct:
    """The system's declaration, its reserved fields left alone.

    Raises Refused for what is not of its form, and for a field that only settling, or only a
    narrator, may fill.
    """
    _not_reserved(table, declaration, narrator=narrator)
    return read_as(declaration, table.game.ruleset.Declaration)


def must_have(before: Struct, fields: JSON) -> None:
    """Refuse with "unknown" a field that a declaration or reaction does not have."""
    known = before.__struct_fields__
    for name in fields:
        if name not in known:
            why = f"no field {name!r} in a {type(before).__name__}"
            raise Refused("unknown", why, allowed=known)


def _not_reserved(table: TableState, wish: JSON, *, narrator: bool) -> None:
    ruleset = table.game.ruleset
    for name in ruleset.narrators:
        if name in wish and not narrator:
            raise Refused(
                "needs-leave",
                f"{name} = {shown(wish[name])} is the narrator's to set",
                allowed=["ask a narrator to replace or amend it"],
            )
    for name in ruleset.settled:
        if name in wish:
            raise Refused(
                "not-yours",
                f"{name} = {shown(wish[name])} is taken from the sheet",
                allowed=["leave it out"],
            )


# --- as the log has it ----------------------------------------------------------------------------


def json_of(value: Struct) -> JSON:
    """A system's declaration or reaction as the JSON object in its event."""
    found: JSON = to_builtins(value)
    return found


def damage_event(seat: str, roll: int, damage: Damage) -> rolled.DamageApplied:
    """The event that announces the damage of a roll."""
    announced = json_of_outcome(damage)
    return rolled.DamageApplied(seat, roll, damage.target, announced, damage.effects)


def effects_taken(
    table: TableState, tracks: Tracks, effects: tuple[Effect, ...]
) -> tuple[Effect, ...]:
    """What an outcome really costs and gives on these tracks, which the rules did not see.

    In a log of before `SPENT` it is announced as the rules give it, and its tracks are clamped.
    """
    return effects if table.core < SPENT else taken(table.game, tracks, effects)


def json_of_outcome(announced: Outcome | Damage) -> JSON:
    """An outcome or damage as its event has it; target and effects are fields of the event."""
    found: JSON = to_builtins(announced)
    return {key: value for key, value in found.items() if key not in ("target", "effects")}
