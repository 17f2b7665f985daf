"""A table's log as sentences: one line an event, names and letters isolated."""

import json
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..events import roll as rolled
from ..events import ruling
from ..events import table as tabled
from ..events.base import JSON, EventBase
from ..events.codec import RecordedEvent
from .corrections.annotations import annotations
from .handlers import row
from .isolates import apart, isolated
from .lexicon import Lexicon, name_text
from .phrases import (
    counted_out,
    declaration_text,
    dice_text,
    effects_text,
    outcome_text,
    shown,
    spaced,
    value_text,
)
from .settings import in_words
from .tables import TableState, read
from .verdicts import contradicted, ruled
from .wording import rating_text

__all__ = ["WORDS", "WORDS_OF_ENTRY", "HistoryLine", "changed_fields", "history"]


class HistoryLine(Struct, frozen=True):
    """One event in words; `roll` is None where it belongs to no roll.

    A text belongs to what its commit is about.
    """

    seq: int
    at: int
    roll: int | None
    text: str


def history(state: TableState, records: Iterable[RecordedEvent | None]) -> tuple[HistoryLine, ...]:
    """Every event that can be read, in log order; `state` is the table after the last of them.

    A line says where what was announced is no longer what counts, and why.
    """
    readable = [record for record in records if record is not None]
    changed = annotations(state, readable)
    lines: list[HistoryLine] = []
    first: RecordedEvent | None = None
    for record in readable:
        first = record if record.first else first
        about = record
        if isinstance(record.event, tabled.TextSaid):
            text, about = _text(first, record.event.text), first or record
        else:
            text = _words(state, record) + contradicted(state, record)
        text += changed[record.seq]
        lines.append(HistoryLine(record.seq, record.at, getattr(about.event, "roll", None), text))
    return tuple(lines)


def _words(state: TableState, record: RecordedEvent) -> str:
    kind = type(record.event)
    of_entry = WORDS_OF_ENTRY.get(kind)
    if of_entry is not None:
        return of_entry(state, record)
    return WORDS[kind](state, record.event)


def _text(first: RecordedEvent | None, text: str) -> str:
    """The text of a commit after what it is, by the commit's first event."""
    words = isolated(text)
    match first.event if first else None:
        case tabled.SeatTaken() | tabled.SeatNamed() as event:
            return f"Seat {event.seat} is called {words}."
        case tabled.TableSet():
            return f"The table is called {words}."
        case tabled.CharacterEntered() | tabled.CharacterNamed() as event:
            return f"Character {event.character} is called {words}."
        case tabled.Noted() as event:
            return f"Note on entry {event.about}: {words}"
        case rolled.RollDeclared():
            return f"Label: {words}"
        case _:
            return f"Reason: {words}"


def _roller(state: TableState, event: rolled.RollEventBase) -> str:
    roll = state.rolls.get(event.roll)
    return name_text(state, roll.roll.character) if roll else "somebody"


def _hand_of(state: TableState, roll: int, hand: str) -> str:
    known = state.rolls.get(roll)
    found = known.roll.hand(hand) if known else None
    return name_text(state, found.character) if found else "somebody"


def _declared(state: TableState, event: rolled.RollDeclared) -> str:
    after = f", {event.follows[1]} to roll {event.follows[0]}" if event.follows else ""
    seen = "" if event.visibility == "public" else f" ({event.visibility})"
    return (
        f"Roll {event.roll}{seen}{after}: {name_text(state, event.character)} declares "
        f"{declaration_text(state, event.declaration)}{effects_text(state, event.effects)}."
    )


def _reacted(state: TableState, event: rolled.ReactionDeclared) -> str:
    who = name_text(state, event.character)
    if event.reaction is None or event.reaction.get("declined"):
        return f"{who} declines to react."
    reaction = declaration_text(state, event.reaction)
    return f"{who} reacts with {reaction}{effects_text(state, event.effects)}."


def _thrown(state: TableState, event: rolled.DiceRolled) -> str:
    who = name_text(state, event.character)
    dice, hand = dice_text(event.dice), Lexicon(state).hand(event.hand)
    if event.taken is not None:
        return f"{who} takes over the dice of roll {event.taken} ({hand}): {dice}."
    source = f" ({event.proof.source})" if event.proof else ""
    return f"{who} throws {hand}{source}: {dice}."


def _rerolled(state: TableState, event: rolled.DiceRerolled) -> str:
    who = _hand_of(state, event.roll, event.hand)
    return f"{who} rerolls {dice_text(event.dice)}{effects_text(state, event.effects)}."


def _frozen(state: TableState, event: rolled.DiceFrozen) -> str:
    who = _hand_of(state, event.roll, event.hand)
    hand = Lexicon(state).hand(event.hand)
    return f"{who} freezes {', '.join(event.dice) or 'nothing'} ({hand})."


def _adjusted(state: TableState, event: rolled.DiceAdjusted) -> str:
    who = _hand_of(state, event.roll, event.hand)
    dice = dice_text(event.dice) if event.dice else "taken back"
    lexicon = Lexicon(state)
    means, hand = lexicon.of("means", event.means), lexicon.hand(event.hand)
    return f"{means[:1].upper()}{means[1:]} on {hand} of {who}: {dice}."


def _damage(state: TableState, record: RecordedEvent) -> str:
    event: Any = record.event
    found, who = event.damage, name_text(state, event.target)
    place, amount = found["figures"].get("location"), Lexicon(state).amount(found["amount"])
    taken = f"{amount}{f', {value_text(place)}' if place else ''}"
    before = _amount_before(state, record, event.roll)
    if before is None:
        return f"{who} takes {taken}."
    if before == found["amount"]:
        return f"{who} still takes {taken}."
    return f"{who} now takes {taken}, instead of {Lexicon(state).amount(before)}."


def _amount_before(state: TableState, record: RecordedEvent, roll: int) -> int | None:
    """The amount that the roll's damage had until an amendment announced it again."""
    blows = [each for each in state.rolls[roll].trail if type(each.event) is type(record.event)]
    earlier: list[Any] = [each.event for each in blows if each.seq < record.seq]
    if not earlier or len(earlier) == len(blows):
        return None
    before: int = earlier[-1].damage["amount"]
    return before


def _amended(state: TableState, record: RecordedEvent) -> str:
    event: Any = record.event
    who, gone = name_text(state, event.character), _not_needed(event.needless)
    after = gone
    if event.outcome is not None:
        roller = _roller(state, event)
        of = "" if event.character == state.rolls[event.roll].roll.character else f" {roller}:"
        after += f" Now{of} {outcome_text(state, event.outcome)}."
    what = ", ".join(
        f"{spaced(name)} {shown(state, then)} → {shown(state, now)}"
        for name, (then, now) in changed_fields(state, record).items()
    )
    if not what:  # it follows an amended roll, and only what the rules fill in is another
        return f"Roll {event.roll} of {who} is counted again, with the same dice.{after}"
    return f"Roll {event.roll} is amended for {who}: {what}.{after}"


def _not_needed(entries: Iterable[int]) -> str:
    """Which entries an amendment lets fall."""
    every = sorted(entries)
    if not every:
        return ""
    verbs = ("was", "counts") if len(every) == 1 else ("were", "count")
    which = counted_out("Entry", "Entries", every)
    return f" {which} {verbs[0]} not needed, and no longer {verbs[1]}."


def changed_fields(state: TableState, record: RecordedEvent) -> dict[str, tuple[Any, Any]]:
    """The fields that people declare, of which an amendment or a replacement made others.

    Each as it was then, and as it is now; one that stays empty is none.
    """
    event: Any = record.event
    before, after = _declared_before(state, record), event.declared
    names = [each for each in (*after, *before) if each not in state.game.ruleset.settled]
    pairs = {name: (before.get(name), after.get(name)) for name in dict.fromkeys(names)}
    return {
        name: (then, now)
        for name, (then, now) in pairs.items()
        if then != now and not (_is_empty(then) and _is_empty(now))
    }


def _declared_before(state: TableState, record: RecordedEvent) -> JSON:
    """What the character of an amendment had declared, or reacted, last before it."""
    amendment: Any = record.event
    roll = state.rolls[amendment.roll]
    who = getattr(amendment, "character", roll.roll.character)
    found: JSON = {}
    for event in (entry.event for entry in roll.trail if entry.seq < record.seq):
        if getattr(event, "character", roll.roll.character) != who:
            continue
        match event:
            case rolled.RollDeclared():
                found = event.declaration
            case rolled.ReactionDeclared():
                found = event.reaction or {}
            case ruling.RollAmended() | ruling.DeclarationReplaced():
                found = event.declared
            case _:
                pass
    return found


def _is_empty(value: Any) -> bool:
    """Whether a field was left out, or has nothing in it."""
    return value is None or (isinstance(value, Sized) and not value)


def _seated(state: TableState, event: tabled.SeatTaken) -> str:
    return f"{name_text(state, event.seat)} takes a seat as {event.role}."


def _entered(state: TableState, event: tabled.CharacterEntered) -> str:
    ratings = ", ".join(
        f"{isolated(name)} {rating_text(rating)}" for name, rating in event.attributes.items()
    )
    who, seat = name_text(state, event.character), name_text(state, event.seat)
    return f"{who} enters, played by {seat}: {ratings or 'no ratings'}."


def _names(state: TableState, seats: Iterable[str]) -> str:
    return ", ".join(name_text(state, seat) for seat in seats)


def _planned(state: TableState, event: rolled.ThrowPlanned) -> str:
    dice = ", ".join(die for die, _ in event.dice)
    return f"Throw {event.throw} will show {dice} of {Lexicon(state).hand(event.hand)}."


def _asked(state: TableState, event: rolled.ThrowAsked) -> str:
    who = name_text(state, event.by)
    others = _names(state, [seat for seat, _ in event.asked if seat != event.by])
    left = f"; {_names(state, event.left)} left out" if event.left else ""
    return f"Throw {event.throw}: {who} asks {others} for shares, and gives one{left}."


def _share(state: TableState, event: rolled.ShareOpened) -> str:
    return f"Throw {event.throw}: {name_text(state, event.by)} opens a share."


def _broken(state: TableState, event: rolled.ThrowBroken) -> str:
    kept = _names(state, event.kept)
    return f"Throw {event.throw} is broken off: no share of {kept}. Its seed is opened."


def _anchored(state: TableState, event: tabled.ShareAnchored) -> str:
    return f"{name_text(state, event.by)} publishes a chain of shares, {event.anchor[:8]}."


def _read(state: TableState, event: tabled.ReadingSet) -> str:
    """From the event alone: a reading may be set more than once."""
    try:
        then = replace(state, game=read(state.game, event.name, event.value, 0))
    except (ValueError, TypeError):  # a forged one
        return f"The reading {apart(event.name)} is set to {_json_text(event.value)}."
    return f"Rolls declared from here on: {Lexicon(then).reading(event.name)}."


def _set(state: TableState, event: tabled.TableSet) -> str:
    if event.name == "name" and event.value is None:
        return f"{name_text(state, event.by)} names the table."
    found = in_words(event.name, event.value)
    return found or f"The table's {apart(event.name)} is set to {_json_text(event.value)}."


def _json_text(value: Any) -> str:
    """A value that may be any JSON."""
    return isolated(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _voided(state: TableState, event: rolled.RollVoided) -> str:
    opened = f"; the seed of throw {event.throw} is opened" if event.seed else ""
    return f"Roll {event.roll} is voided{opened}."


def _spelt(state: TableState, event: ruling.FlavourNamed) -> str:
    words = ", ".join(map(isolated, event.words))
    hand = Lexicon(state).hand(event.hand)
    return f"The dice of {hand} spell {words} ({event.tone})."


def _replaced(state: TableState, event: ruling.DeclarationReplaced) -> str:
    now = declaration_text(state, event.declared)
    who = _roller(state, event)
    return f"Before the throw, what {who} declares in roll {event.roll} is replaced: {now}."


def _vetoed(state: TableState, event: ruling.DeclarationVetoed) -> str:
    return f"The declaration of roll {event.roll} is refused by {name_text(state, event.by)}."


def _opened(state: TableState, event: tabled.TableOpened) -> str:
    return f"Table {event.table} opens: {state.game.ruleset.title}, dice {event.source}."


def _resolved(state: TableState, event: rolled.RollResolved) -> str:
    effects = effects_text(state, event.effects)
    return f"{_roller(state, event)}: {outcome_text(state, event.outcome)}{effects}."


WORDS: Mapping[type[EventBase], Callable[[TableState, Any], str]] = dict(
    [
        row(tabled.TableOpened, _opened),
        row(tabled.SeatTaken, _seated),
        row(tabled.SeatNamed, lambda s, e: f"{name_text(s, e.by)} names seat {e.seat}."),
        row(tabled.SeatLeft, lambda s, e: f"{name_text(s, e.seat)} leaves."),
        row(tabled.CharacterEntered, _entered),
        row(
            tabled.CharacterNamed,
            lambda s, e: f"{name_text(s, e.by)} names character {e.character}.",
        ),
        row(
            tabled.CharacterGiven,
            lambda s, e: f"{name_text(s, e.character)} is handed to {name_text(s, e.seat)}.",
        ),
        row(
            tabled.CharacterRemoved,
            lambda s, e: f"{name_text(s, e.by)} takes {name_text(s, e.character)} away.",
        ),
        row(
            tabled.TrackSet,
            lambda s, e: f"{name_text(s, e.character)}: {apart(e.track)} is set to {e.value}.",
        ),
        row(
            tabled.AttributeSet,
            lambda s, e: (
                f"{name_text(s, e.character)}: {apart(e.attribute)} is set to "
                f"{rating_text(e.value)}."
            ),
        ),
        row(tabled.ReadingSet, _read),
        row(tabled.TableSet, _set),
        row(tabled.ShareAnchored, _anchored),
        row(tabled.Noted, lambda s, e: f"{name_text(s, e.by)} writes a note on entry {e.about}."),
        row(tabled.EntryErased, lambda s, e: f"The text of entry {e.seq} is erased."),
        row(tabled.EpochBegun, lambda s, e: f"Epoch {e.epoch} begins, after a restore."),
        row(rolled.RollDeclared, _declared),
        row(rolled.ReactionDeclared, _reacted),
        row(rolled.ThrowPlanned, _planned),
        row(rolled.ThrowAsked, _asked),
        row(rolled.ShareOpened, _share),
        row(rolled.ThrowBroken, _broken),
        row(rolled.DiceRolled, _thrown),
        row(rolled.DiceFrozen, _frozen),
        row(rolled.DiceRerolled, _rerolled),
        row(rolled.DiceAdjusted, _adjusted),
        row(
            rolled.ChoiceMade,
            lambda s, e: (
                f"{name_text(s, e.character)} chooses {Lexicon(s).choice(e.choice, e.option)}."
            ),
        ),
        row(rolled.RollResolved, _resolved),
        row(rolled.RollVoided, _voided),
        row(rolled.RollRevealed, lambda s, e: f"Roll {e.roll} is revealed."),
        row(rolled.ThrowConfirmed, lambda s, e: f"{name_text(s, e.by)} confirms throw {e.throw}."),
        row(ruling.DeclarationVetoed, _vetoed),
        row(ruling.DeclarationReplaced, _replaced),
        row(ruling.FlavourNamed, _spelt),
        row(
            ruling.FateDecided,
            lambda s, e: (
                f"{name_text(s, e.character)}: {e.fate}{f' ({apart(e.part)})' if e.part else ''}."
            ),
        ),
        row(ruling.DisputeRaised, lambda s, e: f"{name_text(s, e.by)} disputes roll {e.roll}."),
        row(ruling.RulingMade, ruled),
    ]
)
"""Each event in words, but for these."""

WORDS_OF_ENTRY: Mapping[type[EventBase], Callable[[TableState, RecordedEvent], str]] = {
    rolled.DamageApplied: _damage,
    ruling.RollAmended: _amended,
}
"""Events whose words depend on what their roll was before them."""
