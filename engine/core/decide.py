"""What a command leads to: events, or a refusal. Pure; the dice come from a given source."""

from collections.abc import Callable, Collection, Mapping
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import Event
from ...projections.rolls import adjusted, frozen
from ...projections.tables import TableState
from .amend import amended, replaced
from .attempt import Attempt, roll_of, seat_of
from .commands import (
    Adjust,
    Amend,
    AnyCommand,
    ApplyDamage,
    Choose,
    CommitNonce,
    Confirm,
    DecideFate,
    Declare,
    Dispute,
    Flavour,
    Freeze,
    OpenTable,
    PassOver,
    React,
    Replace,
    ReportWithheld,
    Reroll,
    Resolve,
    Reveal,
    RollCommand,
    RollDice,
    Rule,
    Veto,
    Void,
    Witness,
)
from .decide_table import decide_table
from .declare import declared, effects_of, reacted, said
from .dice import Source
from .guards import disputes, typed_throws
from .machine import fire
from .offers import fitting, offers, sheets
from .throws import nonce_bound, passed_over, reported, rerolled, thrown, voided_by_hand, witnessed
from .visibility import hidden, must_know, roll_about


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
    connected: Collection[str] = (),
) -> tuple[Draft, ...]:
    """The events that a seat's command leads to, in order; empty where it changes nothing.

    `table` is None before the table is opened. `now` is the time that their entries would get, in
    milliseconds since 1970; `connected` are the seats that follow along. Raises Refused where the
    command may not be, naming what was wrong with which value and what would be allowed now.
    """
    if isinstance(command, OpenTable) and command.source != source.name:
        raise Refused(
            "malformed",
            f"the dice of this table are {source.name}, not {command.source}",
            allowed=[source.name],
        )
    if not isinstance(command, (Declare, RollCommand)):
        events = decide_table(table, seat, command)
        return tuple(Draft(event, _about_hidden(table, event)) for event in events)
    if table is None:
        raise Refused("unknown", "the table is not open yet", allowed=["open"])
    seat_of(table, seat)
    roll = None if isinstance(command, Declare) else roll_of(table, command.roll)
    attempt = Attempt(table, seat, command, roll, now=now, connected=connected)
    if roll is not None:
        must_know(table, seat, roll, attempt.trigger)
    fire(attempt)
    events = ROLL_COMMANDS[type(command)](attempt, source)
    events = _with_reason(attempt, events)
    return tuple(Draft(event, _seals(attempt, event, events[0])) for event in events)


def _with_reason(attempt: Attempt, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events with the command's reason or label behind them, an entry of its own."""
    text = getattr(attempt.command, "reason", None) or getattr(attempt.command, "label", None)
    if not text or not events:
        return events
    main = max((at for at, event in enumerate(events) if _is_of(attempt, event)), default=0)
    return (*events, tabled.Noted(attempt.seat, attempt.table.size + main, text))


def _is_of(attempt: Attempt, event: Event) -> bool:
    return attempt.roll is not None and getattr(event, "roll", None) == attempt.roll.number


def _seals(attempt: Attempt, event: Event, first: Event) -> bool:
    if isinstance(first, rolled.RollDeclared):
        return first.visibility != "public"
    number = getattr(event, "roll", None)
    roll = attempt.table.rolls.get(number) if number else attempt.roll
    return hidden(attempt.table, event, roll)


def _about_hidden(table: TableState | None, event: Event) -> bool:
    """Whether a note is about an entry of a hidden roll."""
    if table is None or not isinstance(event, tabled.Noted):
        return False
    return hidden(table, event, roll_about(table, event.about))


def _freeze(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(Freeze, attempt.command)
    hand = attempt.known_roll.roll.hand(command.hand)
    if hand is not None and frozen(hand, command.dice) == hand:
        return ()
    return (rolled.DiceFrozen(attempt.seat, command.roll, command.hand, command.dice),)


def _adjust(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(Adjust, attempt.command)
    hand = attempt.known_roll.roll.hand(command.hand)
    if hand is not None and adjusted(hand, command.dice) == hand:
        return ()
    return (
        rolled.DiceAdjusted(attempt.seat, command.roll, command.hand, command.means, command.dice),
    )


def _choose(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(Choose, attempt.command)
    who = attempt.known_offer.character
    return (rolled.ChoiceMade(attempt.seat, command.roll, who, command.choice, command.option),)


def _resolve(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    outcome = attempt.table.game.ruleset.outcome(attempt.known_roll.roll)
    return (
        rolled.RollResolved(
            attempt.seat, attempt.known_roll.number, said(outcome), effects_of(outcome.effects)
        ),
    )


def _apply_damage(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    damage = attempt.table.game.ruleset.damage(attempt.known_roll.roll, sheets(attempt.table))
    return (
        rolled.DamageApplied(
            attempt.seat,
            attempt.known_roll.number,
            damage.target,
            said(damage),
            effects_of(damage.effects),
        ),
    )


def _amend(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return amended(attempt, cast(Amend, attempt.command), source)


def _replace(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return replaced(attempt, cast(Replace, attempt.command))


def _veto(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return (ruling.DeclarationVetoed(attempt.seat, attempt.known_roll.number),)


def _flavour(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(Flavour, attempt.command)
    letters = tuple(map(attempt.table.game.ruleset.spelling, command.words))
    fitting(
        offers(attempt.table, attempt.known_roll),
        replace(command, words=letters),
        attempt.known_roll,
    )
    return (
        ruling.FlavourNamed(attempt.seat, command.roll, command.hand, command.words, command.tone),
    )


def _fate(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(DecideFate, attempt.command)
    damage = attempt.known_roll.damage
    target = damage.target if damage else attempt.known_roll.roll.character
    return (ruling.FateDecided(attempt.seat, command.roll, target, command.fate, command.part),)


def _reveal(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return (rolled.RollRevealed(attempt.seat, attempt.known_roll.number),)


def _dispute(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    return (ruling.DisputeRaised(attempt.seat, attempt.known_roll.number),)


def _rule(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(Rule, attempt.command)
    open_ones = disputes(attempt.known_roll)
    if command.dispute not in open_ones:
        raise Refused(
            "unknown",
            f"entry {command.dispute} is no open dispute of roll {command.roll}",
            allowed=map(str, open_ones),
        )
    return (ruling.RulingMade(attempt.seat, command.roll, command.dispute, command.ruling),)


def _confirm(attempt: Attempt, source: Source) -> tuple[Event, ...]:
    command = cast(Confirm, attempt.command)
    typed = typed_throws(attempt.known_roll)
    if command.throw not in typed:
        why = f"throw {command.throw} of roll {command.roll} was not typed in"
        raise Refused("unknown", why, allowed=map(str, typed))
    if attempt.seat in typed[command.throw]:
        why = f"seat {attempt.seat!r} typed or confirmed throw {command.throw} already"
        raise Refused("not-yours", why, allowed=["another seat"])
    return (rolled.ThrowConfirmed(attempt.seat, command.roll, command.throw),)


ROLL_COMMANDS: Mapping[type, Callable[[Attempt, Source], tuple[Event, ...]]] = {
    Declare: declared,
    React: reacted,
    RollDice: thrown,
    Freeze: _freeze,
    Reroll: rerolled,
    Adjust: _adjust,
    Choose: _choose,
    Resolve: _resolve,
    ApplyDamage: _apply_damage,
    Amend: _amend,
    Void: voided_by_hand,
    Replace: _replace,
    Veto: _veto,
    Flavour: _flavour,
    DecideFate: _fate,
    Reveal: _reveal,
    Dispute: _dispute,
    Rule: _rule,
    Confirm: _confirm,
    CommitNonce: nonce_bound,
    Witness: witnessed,
    PassOver: passed_over,
    ReportWithheld: reported,
}
"""What each command about a roll leads to, once the machine has let it through."""
