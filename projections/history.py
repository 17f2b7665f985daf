"""A table's log for reading aloud: one line an event, names and letters isolated.

Names, roots and faces may be written from right to left; each stands in Unicode isolates
(FSI … PDI), so that numbers and names beside it read in the right order.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from ..events import roll as rolled
from ..events import ruling
from ..events import table as tabled
from ..events.base import JSON, Effect, Laid, Thrown
from ..events.codec import Recorded
from .health import health
from .outcomes import outcomes
from .tables import TableState

FSI, PDI = "\u2068", "\u2069"
NBSP = "\u00a0"
"""Keeps a die and its face on one line."""


class Line(Struct, frozen=True):
    """One event in words; `roll` is None where it belongs to no roll."""

    seq: int
    at: int
    roll: int | None
    text: str


def isolated(text: object) -> str:
    """The text between isolates, so that its direction is its own."""
    return f"{FSI}{text}{PDI}"


def history(state: TableState, records: Iterable[Recorded | None]) -> tuple[Line, ...]:
    """Every event that can be read, in log order; `state` is the table after the last of them.

    A line says where what was announced is no longer what counts, and why.
    """
    changed = _changes(state)
    lines: list[Line] = []
    for record in records:
        if record is None:
            continue
        text = WORDS[type(record.event)](state, record.event)
        text += f" {changed[record.seq]}" if record.seq in changed else ""
        lines.append(Line(record.seq, record.at, getattr(record.event, "roll", None), text))
    return tuple(lines)


def _changes(state: TableState) -> dict[int, str]:
    """What to add to the lines of announcements that no longer hold, by sequence."""
    notes: dict[int, str] = {}
    for character in state.characters:
        for blow in health(state, character).applications:
            if blow.differs and blow.announced:
                notes[blow.seq] = f"[counts {blow.amount} now: {_figures(blow.figures)}]"
    for told in outcomes(state):
        if told.differs:
            last = max(entry.seq for entry in state.rolls[told.roll].trail if _announces(entry))
            given = {"degree": told.derived.degree, "margin": told.derived.margin}
            notes[last] = f"[the rules give {_announced(state, given)}]"
    for roll in state.rolls.values():
        settled = [entry for entry in roll.trail if _announces(entry)]
        lapsed = settled if roll.state == "voided" else settled[:-1]
        why = "voided" if roll.state == "voided" else "amended"
        notes |= {entry.seq: f"[{why} since]" for entry in lapsed}
        until = settled[-1].seq if settled else -1
        blows = (e.seq for e in roll.trail if isinstance(e.event, rolled.DamageApplied))
        gone = (seq for seq in blows if roll.state == "voided" or seq < until)
        notes |= dict.fromkeys(gone, f"[lapsed: the roll was {why}]")
    return notes


def _announces(entry: Recorded) -> bool:
    event = entry.event
    amended = isinstance(event, ruling.RollAmended) and event.outcome is not None
    return amended or isinstance(event, rolled.RollResolved)


def _figures(figures: Mapping[str, object]) -> str:
    return ", ".join(f"{_spaced(name)} {_counted(value)}" for name, value in figures.items())


def _counted(value: Any) -> str:
    """A figure; two numbers are what a track was before a blow and after it."""
    match value:
        case [int(before), int(after)]:
            return f"{before} → {after}"
        case _:
            return _value(value)


def _spaced(name: str) -> str:
    """A field's name, or one that a player gave, in words."""
    return _apart(name.replace("_", " "))


def _apart(word: str) -> str:
    """The word, isolated where it may be written from right to left."""
    return word if word.isascii() else isolated(word)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not None}
        return "; ".join(f"{_spaced(str(key))} {_value(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(_value, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return isolated(value) if isinstance(value, str) else str(value)


def _given(state: TableState, json: JSON) -> str:
    """What a declaration says: fields in order, without those that say nothing, ids as names."""
    said = {key: value for key, value in json.items() if value not in (None, False, 0, "", [], {})}
    named = {key: _named(state, value) for key, value in said.items()}
    return ", ".join(f"{_spaced(key)} {_value(value)}" for key, value in named.items())


def _named(state: TableState, value: Any) -> Any:
    if isinstance(value, list):
        return [_named(state, item) for item in value]
    if isinstance(value, dict):
        return {key: _named(state, item) for key, item in value.items()}
    known = isinstance(value, str) and value in state.characters
    return state.name_of(value) if known else value


def _who(state: TableState, id: str) -> str:
    return isolated(state.name_of(id))


def _dice(dice: Iterable[Thrown | Laid]) -> str:
    return ", ".join(f"{item.die}{NBSP}{isolated(item.face)}" for item in dice) or "no dice"


def _effects(state: TableState, effects: tuple[Effect, ...]) -> str:
    said = (
        f"{_who(state, item.character)} {_apart(item.track)} {item.delta:+d}" for item in effects
    )
    text = ", ".join(said)
    return f" ({text})" if text else ""


def _announced(state: TableState, outcome: JSON) -> str:
    return f"{outcome['degree']}, margin {outcome['margin']} {state.game.ruleset.unit}".rstrip()


Words = Callable[[TableState, Any], str]


def _roller(state: TableState, event: rolled.RollEvent) -> str:
    roll = state.rolls.get(event.roll)
    return _who(state, roll.roll.character) if roll else "somebody"


def _hand_of(state: TableState, roll: int, hand: str) -> str:
    known = state.rolls.get(roll)
    found = known.roll.hand(hand) if known else None
    return _who(state, found.character) if found else "somebody"


def _declared(state: TableState, event: Any) -> str:
    after = f", {event.follows[1]} to roll {event.follows[0]}" if event.follows else ""
    seen = "" if event.visibility == "public" else f" ({event.visibility})"
    return (
        f"Roll {event.roll}{seen}{after}: {_who(state, event.character)} declares "
        f"{_given(state, event.declaration)}{_effects(state, event.effects)}."
    )


def _reacted(state: TableState, event: Any) -> str:
    who = _who(state, event.character)
    if event.reaction is None:
        return f"{who} declines to react."
    return f"{who} reacts with {_given(state, event.reaction)}{_effects(state, event.effects)}."


def _thrown(state: TableState, event: Any) -> str:
    who = _who(state, event.character)
    if event.taken is not None:
        return (
            f"{who} takes over the dice of roll {event.taken} ({event.hand}): {_dice(event.dice)}."
        )
    source = f" ({event.proof.source})" if event.proof else ""
    return f"{who} throws {event.hand}{source}: {_dice(event.dice)}."


def _rerolled(state: TableState, event: Any) -> str:
    who = _hand_of(state, event.roll, event.hand)
    return f"{who} rerolls {_dice(event.dice)}{_effects(state, event.effects)}."


def _frozen(state: TableState, event: Any) -> str:
    who = _hand_of(state, event.roll, event.hand)
    return f"{who} freezes {', '.join(event.dice) or 'nothing'} ({event.hand})."


def _adjusted(state: TableState, event: Any) -> str:
    who = _hand_of(state, event.roll, event.hand)
    dice = _dice(event.dice) if event.dice else "taken back"
    return f"{event.means} on {event.hand} of {who}: {dice}."


def _damage(state: TableState, event: Any) -> str:
    found = event.damage
    return f"{_who(state, event.target)} takes {found['amount']}: {_figures(found['figures'])}."


def _amended(state: TableState, event: Any) -> str:
    again = f" Now {_announced(state, event.outcome)}." if event.outcome else ""
    what = _given(state, event.declared)
    return f"Roll {event.roll} is amended for {_who(state, event.character)}: {what}.{again}"


def _seated(state: TableState, event: Any) -> str:
    return f"{_who(state, event.seat)} takes a seat as {event.role}."


def _entered(state: TableState, event: Any) -> str:
    ratings = ", ".join(f"{isolated(name)} {value}" for name, value in event.attributes.items())
    who, seat = _who(state, event.character), _who(state, event.seat)
    return f"{who} enters, played by {seat}: {ratings or 'no ratings'}."


def _bound(state: TableState, event: Any) -> str:
    asked = ", ".join(event.asked) or "nobody"
    return f"Throw {event.throw}: the roller binds a nonce, asking {asked}."


def _spelt(state: TableState, event: Any) -> str:
    words = ", ".join(map(isolated, event.words))
    return f"The dice of {event.hand} spell {words} ({event.tone})."


def _replaced(state: TableState, event: Any) -> str:
    return f"The declaration of roll {event.roll} is replaced: {_given(state, event.declared)}."


def _vetoed(state: TableState, event: Any) -> str:
    return f"The declaration of roll {event.roll} is refused by {_who(state, event.by)}."


def _opened(state: TableState, event: Any) -> str:
    return f"Table {event.table} opens: {state.game.ruleset.title}, dice {event.source}."


def _resolved(state: TableState, event: Any) -> str:
    effects = _effects(state, event.effects)
    return f"{_roller(state, event)}: {_announced(state, event.outcome)}{effects}."


WORDS: Mapping[type, Words] = {
    tabled.TableOpened: _opened,
    tabled.SeatTaken: _seated,
    tabled.SeatNamed: lambda s, e: f"Seat {e.seat} is called {isolated(e.name)}.",
    tabled.SeatLeft: lambda s, e: f"{_who(s, e.seat)} leaves.",
    tabled.CharacterEntered: _entered,
    tabled.CharacterNamed: lambda s, e: f"Character {e.character} is called {isolated(e.name)}.",
    tabled.CharacterGiven: lambda s, e: f"{_who(s, e.character)} is handed to {_who(s, e.seat)}.",
    tabled.TrackSet: lambda s, e: f"{_who(s, e.character)}: {_apart(e.track)} is set to {e.value}.",
    tabled.Noted: lambda s, e: f"Note on entry {e.about}: {isolated(e.text)}",
    tabled.EntryErased: lambda s, e: f"The text of entry {e.seq} is erased.",
    tabled.EpochBegun: lambda s, e: f"Epoch {e.epoch} begins, after a restore.",
    rolled.RollDeclared: _declared,
    rolled.ReactionDeclared: _reacted,
    rolled.NonceCommitted: _bound,
    rolled.WitnessGiven: lambda s, e: f"Throw {e.throw}: {_who(s, e.by)} gives a nonce.",
    rolled.DiceRolled: _thrown,
    rolled.DiceFrozen: _frozen,
    rolled.DiceRerolled: _rerolled,
    rolled.DiceAdjusted: _adjusted,
    rolled.ChoiceMade: lambda s, e: (
        f"{_who(s, e.character)} chooses {_spaced(e.choice)}: {_apart(e.option)}."
    ),
    rolled.RollResolved: _resolved,
    rolled.DamageApplied: _damage,
    rolled.RollVoided: lambda s, e: f"Roll {e.roll} is voided.",
    rolled.RollRevealed: lambda s, e: f"Roll {e.roll} is revealed.",
    rolled.ThrowConfirmed: lambda s, e: f"{_who(s, e.by)} confirms throw {e.throw}.",
    ruling.DeclarationVetoed: _vetoed,
    ruling.DeclarationReplaced: _replaced,
    ruling.FlavourNamed: _spelt,
    ruling.FateDecided: lambda s, e: (
        f"{_who(s, e.character)}: {e.fate}{f' ({_apart(e.part)})' if e.part else ''}."
    ),
    ruling.RollAmended: _amended,
    ruling.DisputeRaised: lambda s, e: f"{_who(s, e.by)} disputes roll {e.roll}.",
    ruling.RulingMade: lambda s, e: f"Ruling on the dispute of entry {e.dispute}: {e.ruling}.",
}
"""Each event in words."""
