"""A command of a seat is decided: it leads to events, or is refused, and changes nothing itself.

Pure: dice come from a given source. Handlers of commands about a roll are in `declare`, `throws`,
`amend` and below; those of all others in `decide_table`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import Event
from ...projections.handlers import on
from ...projections.rolls import adjusted, frozen
from ...projections.tables import Rulesets, TableState
from ...projections.tracks import applied, pending
from ...rules import ruleset_named
from .amend import amended, replaced
from .attempt import Attempt, CommandAt, roll_of, seat_of, unknown_command
from .commands import (
    Adjust,
    Amend,
    AnyCommand,
    ApplyDamage,
    Ask,
    BreakThrow,
    Choose,
    Confirm,
    DecideFate,
    Declare,
    Dispute,
    Flavour,
    Freeze,
    OpenShare,
    React,
    Replace,
    Reroll,
    Resolve,
    Reveal,
    RollCommand,
    RollDice,
    Rule,
    Veto,
    Void,
    Withdraw,
)
from .decide_table import CORE, decide_table
from .declare import damage_event, declared, effects_taken, json_of_outcome, reacted
from .fitting import fitting
from .guards import ask_unseen, typed_throws, voids_unseen
from .machine import fire, hold
from .offers import offers, sheets
from .parse import name_of
from .rule import ruled
from .sources import Source
from .throws import rerolled, share_opened, throw_asked, throw_broken, thrown
from .visibility import hidden, must_know, roll_about
from .void import voided, voided_by_narrator


class Draft(Struct, frozen=True):
    """An event about to be sealed, and whether its entry is hidden."""

    event: Event
    hidden: bool


def decide(
    table: TableState | None,
    seat: str,
    command: AnyCommand,
    source: Source,
    *,
    now: int,
    rulesets: Rulesets = ruleset_named,
    command_at: CommandAt = unknown_command,
    core: int = CORE,
) -> tuple[Draft, ...]:
    """The events that a seat's command leads to, in order; empty where it changes nothing.

    The first is about what was asked, and a seat that may see it sees who asked; what follows from
    it comes behind. A command's text is no event of these: it is sealed behind them.

    `table` is None before the table is opened, under `core`. `now` is the time that their entries
    would get, in milliseconds since 1970; `command_at` gives the command behind an entry of the
    log, which an amendment needs. Raises Refused where the command may not be, naming what was
    wrong with which value and what would be allowed now.
    """
    _must_have_words(command)
    if not isinstance(command, (Declare, RollCommand)):
        events = decide_table(table, seat, command, source, now, rulesets, core)
        return tuple(Draft(event, _about_hidden(table, event)) for event in events)
    if table is None:
        raise Refused("unknown", "the table is not open yet", allowed=["open"])
    seat_of(table, seat)
    roll = None if isinstance(command, Declare) else table.rolls.get(command.roll)
    attempt = Attempt(table, seat, command, roll, now=now, command_at=command_at)
    if roll is None and not isinstance(command, Declare):
        ask_unseen(attempt)
        roll_of(table, attempt.number, seat)
    if roll is not None and not voids_unseen(attempt):
        must_know(table, seat, roll, attempt.trigger)
    fire(attempt)
    events = ROLL_COMMANDS[type(command)](command, attempt, source)
    hold(attempt, events)
    drafts = [Draft(event, _seals(attempt, event)) for event in events]
    # Hidden ones last: an open entry behind them could hang on what nobody may see.
    return (*drafts[:1], *sorted(drafts[1:], key=lambda draft: draft.hidden))


def _must_have_words(command: AnyCommand) -> None:
    rule = command.text_rule
    if rule is not None and rule.needed and getattr(command, "text", None) is None:
        what = name_of(type(command))
        why = f"{what} needs a {rule.name}"
        raise Refused("malformed", why, allowed=["its hash, 64 hex digits, and the text with it"])


# --- what is hidden -------------------------------------------------------------------------------


def _seals(attempt: Attempt, event: Event) -> bool:
    if isinstance(event, rolled.RollDeclared):
        return event.visibility != "public"
    number = getattr(event, "roll", None)
    roll = attempt.table.rolls.get(number) if number else attempt.roll
    return hidden(attempt.table, event, roll)


def _about_hidden(table: TableState | None, event: Event) -> bool:
    """Whether an event is about an entry of a hidden roll: a note on it, or its text erased."""
    if table is None or not isinstance(event, (tabled.Noted, tabled.EntryErased)):
        return False
    about = event.about if isinstance(event, tabled.Noted) else event.seq
    return hidden(table, event, roll_about(table, about))


# --- dice and their outcome -----------------------------------------------------------------------


def _freeze(command: Freeze, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    hand = attempt.known_roll.roll.hand(command.hand)
    if hand is not None and frozen(hand, command.dice) == hand:
        return ()
    return (rolled.DiceFrozen(attempt.seat, command.roll, command.hand, command.dice),)


def _adjust(command: Adjust, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    hand = attempt.known_roll.roll.hand(command.hand)
    if hand is not None and adjusted(hand, command.dice) == hand:
        return ()
    return (
        rolled.DiceAdjusted(attempt.seat, command.roll, command.hand, command.means, command.dice),
    )


def _choose(command: Choose, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    who = attempt.known_offer.character
    return (rolled.ChoiceMade(attempt.seat, command.roll, who, command.choice, command.option),)


def _resolve(command: Resolve, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    table, roll = attempt.table, attempt.known_roll
    outcome = table.game.ruleset.outcome(roll.roll)
    tracks = applied(table.game, table.tracks, pending(roll))
    effects = effects_taken(table, tracks, outcome.effects)
    resolved = rolled.RollResolved(attempt.seat, roll.number, json_of_outcome(outcome), effects)
    return (resolved,)


def _apply_damage(command: ApplyDamage, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    roll = attempt.known_roll
    damage = attempt.table.game.ruleset.damage(roll.roll, sheets(attempt.table))
    return (damage_event(attempt.seat, roll.number, damage),)


# --- rulings and the story ------------------------------------------------------------------------


def _veto(command: Veto, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return (ruling.DeclarationVetoed(attempt.seat, attempt.known_roll.number),)


def _withdraw(command: Withdraw, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return voided(attempt.table, attempt.seat, attempt.known_roll, source)


def _reveal(command: Reveal, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    roll = attempt.known_roll
    entries = len(roll.trail) if attempt.table.core >= tabled.COUNTED else None
    return (rolled.RollRevealed(attempt.seat, roll.number, entries),)


def _dispute(command: Dispute, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return (ruling.DisputeRaised(attempt.seat, attempt.known_roll.number),)


def _confirm(command: Confirm, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    typed = typed_throws(attempt.known_roll)
    if command.throw not in typed:
        why = f"throw {command.throw} of roll {command.roll} was not typed in"
        raise Refused("unknown", why, allowed=map(str, typed))
    if attempt.seat in typed[command.throw]:
        why = f"seat {attempt.seat!r} typed or confirmed throw {command.throw} already"
        raise Refused("not-yours", why, allowed=["another seat"])
    return (rolled.ThrowConfirmed(attempt.seat, command.roll, command.throw),)


def _flavour(command: Flavour, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    letters = tuple(map(attempt.table.game.ruleset.spelling, command.words))
    fitting(
        offers(attempt.table, attempt.known_roll),
        replace(command, words=letters),
        attempt.known_roll,
    )
    return (
        ruling.FlavourNamed(attempt.seat, command.roll, command.hand, command.words, command.tone),
    )


def _fate(command: DecideFate, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    damage = attempt.known_roll.damage
    target = damage.target if damage else attempt.known_roll.roll.character
    return (ruling.FateDecided(attempt.seat, command.roll, target, command.fate, command.part),)


# --- all of them ----------------------------------------------------------------------------------

ROLL_COMMANDS: Mapping[type, Callable[[Any, Attempt, Source], tuple[Event, ...]]] = dict(
    (
        on(Declare, declared),
        on(React, reacted),
        on(RollDice, thrown),
        on(Freeze, _freeze),
        on(Reroll, rerolled),
        on(Adjust, _adjust),
        on(Choose, _choose),
        on(Resolve, _resolve),
        on(ApplyDamage, _apply_damage),
        on(Amend, amended),
        on(Void, voided_by_narrator),
        on(Replace, replaced),
        on(Withdraw, _withdraw),
        on(Veto, _veto),
        on(Flavour, _flavour),
        on(DecideFate, _fate),
        on(Reveal, _reveal),
        on(Dispute, _dispute),
        on(Rule, ruled),
        on(Confirm, _confirm),
        on(Ask, throw_asked),
        on(OpenShare, share_opened),
        on(BreakThrow, throw_broken),
    )
)
"""The handler of each command about a roll, called once the machine has let it through."""
