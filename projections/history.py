"""A table's log as sentences: one line an event, names and letters isolated."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from ..events import roll as rolled
from ..events import ruling
from ..events import table as tabled
from ..events.base import JSON, AdjustedDie, Effect, EventBase, Thrown
from ..events.codec import RecordedEvent
from ..rules.words import spaced as unmarked
from .handlers import row
from .hanging import Hanging, hanging
from .health import health
from .isolates import apart, isolated
from .lexicon import Lexicon, name_text
from .outcomes import outcomes
from .tables import TableState
from .wording import rating_text

__all__ = ["WORDS", "HistoryLine", "history"]


NBSP = "\u00a0"
"""Keeps a die and its face on one line."""


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
    changed = _changes(state)
    lines: list[HistoryLine] = []
    first: RecordedEvent | None = None
    for record in records:
        if record is None:
            continue
        first = record if record.first else first
        about = record
        if isinstance(record.event, tabled.TextSaid):
            text, about = _text(first, record.event.text), first or record
        else:
            text = WORDS[type(record.event)](state, record.event)
        text += f" {changed[record.seq]}" if record.seq in changed else ""
        lines.append(HistoryLine(record.seq, record.at, getattr(about.event, "roll", None), text))
    return tuple(lines)


def _text(first: RecordedEvent | None, text: str) -> str:
    """The text of a commit after what it is, by the commit's first event."""
    words = isolated(text)
    match first.event if first else None:
        case tabled.SeatTaken() | tabled.SeatNamed() as event:
            return f"Seat {event.seat} is called {words}."
        case tabled.CharacterEntered() | tabled.CharacterNamed() as event:
            return f"Character {event.character} is called {words}."
        case tabled.Noted() as event:
            return f"Note on entry {event.about}: {words}"
        case rolled.RollDeclared():
            return f"Label: {words}"
        case _:
            return f"Reason: {words}"


def _changes(state: TableState) -> dict[int, str]:
    """What to add to the lines of announcements that no longer hold, by sequence."""
    notes: dict[int, str] = {}
    for character in state.characters:
        for blow in health(state, character).applications:
            if blow.differs and blow.announced:
                notes[blow.seq] = f"[counts {blow.amount} now]"
    for each in outcomes(state):
        if each.differs:
            last = max(entry.seq for entry in state.rolls[each.roll].trail if _announces(entry))
            given = {"degree": each.derived.degree, "margin": each.derived.margin}
            notes[last] = f"[the rules give {outcome_text(state, given)}]"
    for roll in state.rolls.values():
        settled = [entry for entry in roll.trail if _announces(entry)]
        lapsed = settled if roll.state == "voided" else settled[:-1]
        why = "voided" if roll.state == "voided" else "amended"
        notes |= {entry.seq: f"[{why} since]" for entry in lapsed}
        until = settled[-1].seq if settled else -1
        blows = (e.seq for e in roll.trail if isinstance(e.event, rolled.DamageApplied))
        gone = (seq for seq in blows if roll.state == "voided" or seq < until)
        notes |= dict.fromkeys(gone, f"[lapsed: the roll was {why}]")
    for left in hanging(state):
        words = _hangs(state, left)
        notes[left.seq] = f"{notes[left.seq]} {words}" if left.seq in notes else words
    return notes | _again(state)


def _hangs(state: TableState, left: Hanging) -> str:
    amount = f"{left.amount} {spaced(left.track)}"
    if left.twice:
        rolls = " and ".join(f"roll {number}" for number in left.sources)
        return f"[{amount} of it spent twice: in {rolls} too, before this was revealed]"
    rolls = " and ".join(_fallen(state, number) for number in left.sources)
    return f"[counted {amount} of {rolls}]"


def _fallen(state: TableState, number: int) -> str:
    why = "is void" if state.rolls[number].state == "voided" else "was amended"
    return f"roll {number}, which {why}"


def _again(state: TableState) -> dict[int, str]:
    """How often a seat has withheld a throw, from the second time on."""
    every = (entry for roll in state.rolls.values() for entry in roll.trail)
    times = Counter[str]()
    notes: dict[int, str] = {}
    for entry in sorted(every, key=lambda entry: entry.seq):
        if isinstance(entry.event, rolled.NonceWithheld):
            times[entry.event.seat] += 1
            notes[entry.seq] = f"[{times[entry.event.seat]} times so far]"
    return {seq: note for seq, note in notes.items() if note != "[1 times so far]"}


def _announces(entry: RecordedEvent) -> bool:
    event = entry.event
    amended = isinstance(event, ruling.RollAmended) and event.outcome is not None
    return amended or isinstance(event, rolled.RollResolved)


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


def _damage(state: TableState, event: rolled.DamageApplied) -> str:
    found, who = event.damage, name_text(state, event.target)
    place, amount = found["figures"].get("location"), Lexicon(state).amount(found["amount"])
    return f"{who} takes {amount}{f', {value_text(place)}' if place else ''}."


def _amended(state: TableState, event: ruling.RollAmended) -> str:
    again = f" Now {outcome_text(state, event.outcome)}." if event.outcome else ""
    what = declaration_text(state, event.declared)
    return f"Roll {event.roll} is amended for {name_text(state, event.character)}: {what}.{again}"


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


def _bound(state: TableState, event: rolled.NonceCommitted) -> str:
    asked = _names(state, event.asked) or "nobody"
    return f"Throw {event.throw}: {name_text(state, event.by)} binds a nonce, asking {asked}."


def _passed_over(state: TableState, event: rolled.SeatsPassedOver) -> str:
    silent = _names(state, event.seats)
    return f"Throw {event.throw} goes on without {silent}, passed over: no nonce came."


def _withheld(state: TableState, event: rolled.NonceWithheld) -> str:
    who, by = name_text(state, event.seat), name_text(state, event.by)
    return f"Throw {event.throw}: {who} withholds the bound nonce and does not throw, says {by}."


def _witnessing(state: TableState, event: tabled.WitnessingSet) -> str:
    then = {"void": "voids its roll", "wait": "is waited for"}[event.withheld]
    seconds = f"{event.seconds} s"
    return f"Who is asked for a nonce, and then the roller, has {seconds}; a throw withheld {then}."


def _voided(state: TableState, event: rolled.RollVoided) -> str:
    opened = f"; the seed of throw {event.throw} is opened" if event.seed else ""
    opened += ", and the nonce bound for it" if event.nonce else ""
    return f"Roll {event.roll} is voided{opened}."


def _spelt(state: TableState, event: ruling.FlavourNamed) -> str:
    words = ", ".join(map(isolated, event.words))
    hand = Lexicon(state).hand(event.hand)
    return f"The dice of {hand} spell {words} ({event.tone})."


def _replaced(state: TableState, event: ruling.DeclarationReplaced) -> str:
    now = declaration_text(state, event.declared)
    return f"The declaration of roll {event.roll} is replaced: {now}."


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
        row(tabled.WitnessingSet, _witnessing),
        row(tabled.Noted, lambda s, e: f"{name_text(s, e.by)} writes a note on entry {e.about}."),
        row(tabled.EntryErased, lambda s, e: f"The text of entry {e.seq} is erased."),
        row(tabled.EpochBegun, lambda s, e: f"Epoch {e.epoch} begins, after a restore."),
        row(rolled.RollDeclared, _declared),
        row(rolled.ReactionDeclared, _reacted),
        row(rolled.NonceCommitted, _bound),
        row(
            rolled.WitnessGiven,
            lambda s, e: f"Throw {e.throw}: {name_text(s, e.by)} gives a nonce.",
        ),
        row(rolled.SeatsPassedOver, _passed_over),
        row(rolled.NonceWithheld, _withheld),
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
        row(rolled.DamageApplied, _damage),
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
        row(ruling.RollAmended, _amended),
        row(ruling.DisputeRaised, lambda s, e: f"{name_text(s, e.by)} disputes roll {e.roll}."),
        row(
            ruling.RulingMade,
            lambda s, e: f"Ruling on the dispute of entry {e.dispute}: {e.ruling}.",
        ),
    ]
)
"""Each event in words."""


def spaced(name: str) -> str:
    """A field's name, or one that a player gave, in words."""
    return apart(unmarked(name))


def value_text(value: Any) -> str:
    """Any JSON value in words."""
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not None}
        return "; ".join(f"{spaced(str(key))} {value_text(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(value_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rating_text(value)
    return isolated(value) if isinstance(value, str) else str(value)


def declaration_text(state: TableState, json: JSON) -> str:
    """A declaration: its fields in order, ids as names; no empty ones, none that settling fills."""
    settled = state.game.ruleset.settled
    given = {
        key: value
        for key, value in json.items()
        if value not in (None, False, 0, "", [], {}) and key not in settled
    }
    named = {key: _named(state, value) for key, value in given.items()}
    return ", ".join(f"{spaced(key)} {value_text(value)}" for key, value in named.items())


def _named(state: TableState, value: Any) -> Any:
    if isinstance(value, list):
        return [_named(state, item) for item in value]
    if isinstance(value, dict):
        return {key: _named(state, item) for key, item in value.items()}
    known = isinstance(value, str) and value in state.characters
    return state.name_of(value) if known else value


def dice_text(dice: Iterable[Thrown | AdjustedDie]) -> str:
    """Dice and their faces."""
    return ", ".join(f"{item.die}{NBSP}{isolated(item.face)}" for item in dice) or "no dice"


def effects_text(state: TableState, effects: tuple[Effect, ...]) -> str:
    """What was spent, gained or set, in brackets; nothing where there is nothing."""
    changes = (
        f"{name_text(state, item.character)} {apart(item.track)} "
        f"{f'{item.delta:+d}' if item.to is None else f'set to {item.to}'}"
        for item in effects
    )
    text = ", ".join(changes)
    return f" ({text})" if text else ""


def outcome_text(state: TableState, outcome: JSON) -> str:
    """Degree and margin of an outcome."""
    lexicon = Lexicon(state)
    return f"{lexicon.of('degree', outcome['degree'])}, margin {lexicon.margin(outcome['margin'])}"
