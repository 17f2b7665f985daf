"""What went before: rolls of the same people that came to nothing, and how often that was."""

from collections import Counter
from collections.abc import Iterator, Mapping

from ...events import roll as rolled
from ...projections.isolates import isolated
from ...projections.lexicon import name_text
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...projections.wording import counted
from ..core.visibility import involved
from .chain import Chain
from .facts import Earlier, Past, Quote
from .source import Source

SHOWN = 5
"""Rolls that are named one by one, at most."""

DONE = ("resolved", "damaged")

WORDS: Mapping[str, str] = {
    "late": "voided after dice had fallen",
    "early": "voided before any die fell",
    "withdrawn": "withdrawn before any die fell",
    "vetoed": "refused before any die fell",
    "lying": "left lying",
}
"""How a roll comes to nothing."""


def past_of(source: Source, chain: Chain) -> Past:
    """What went before the first roll of the chain."""
    state, first = source.state, min(chain.numbers)
    main = state.rolls[chain.number]
    people = sorted(involved(state, main) | {main.roll.character})
    before = sorted(
        (roll for roll in state.rolls.values() if roll.number < first), key=lambda r: r.number
    )
    found = [roll for roll in before if roll.roll.character in people]
    nothing = [(roll, ended) for roll in found if (ended := how(state, roll))]
    sentences = [*_each(state, people, found), *_alike(main, found), *_broken(state, found)]
    if state.withheld:
        sentences.append("Hidden rolls that this page may not show are not counted.")
    latest = nothing[-SHOWN:]
    earlier = tuple(_earlier(source, roll, ended) for roll, ended in reversed(latest))
    return Past(tuple(sentences), earlier, len(nothing) - len(latest))


def how(state: TableState, roll: RollState) -> str:
    """How a roll came to nothing, a key of WORDS; "" where it counts."""
    if roll.state in DONE:
        return ""
    if roll.state != "voided":
        return "vetoed" if roll.vetoed else "lying"
    if any(isinstance(entry.event, THROWN) for entry in roll.trail):
        return "late"
    voided = next(e for e in roll.trail if isinstance(e.event, rolled.RollVoided))
    return "withdrawn" if voided.event.by == roll.seat and voided.first else "early"


THROWN = (rolled.DiceRolled, rolled.DiceRerolled)


def _each(state: TableState, people: list[str], found: list[RollState]) -> Iterator[str]:
    """For each of the people: how many rolls before this one, and what became of them."""
    for who in people:
        own = [roll for roll in found if roll.roll.character == who]
        ends = Counter(how(state, roll) for roll in own)
        if not own:
            yield f"{name_text(state, who)} had made no roll before this one."
            continue
        parts = [f"{ends[key]} {words}" for key, words in WORDS.items() if ends[key]]
        if not parts:
            parts = ["none voided, withdrawn or left lying"]
        count = counted(len(own), "roll")
        yield f"{name_text(state, who)} before this: {count}, {', '.join(parts)}."


def _alike(main: RollState, found: list[RollState]) -> Iterator[str]:
    """How often the same was declared and came to nothing."""
    same = [
        roll
        for roll in found
        if roll.roll.character == main.roll.character
        and roll.roll.declaration == main.roll.declaration
        and roll.state not in DONE
    ]
    if same:
        times = {1: "once", 2: "twice"}.get(len(same), f"{len(same)} times")
        yield f"The very same was declared before and came to nothing {times}."


def _broken(state: TableState, found: list[RollState]) -> Iterator[str]:
    count = sum(isinstance(e.event, rolled.ThrowBroken) for roll in found for e in roll.trail)
    if count:
        yield f"Throws of theirs broken off before this: {count}."


def _earlier(source: Source, roll: RollState, ended: str) -> Earlier:
    state = source.state
    who = name_text(state, roll.roll.character)
    dice = tuple(_dice(state, roll))
    if ended == "lying":
        text = f"Roll {roll.number} of {who} was {WORDS[ended]}, neither ended nor voided."
        return Earlier(roll.number, text, dice, ())
    last = next((e for e in reversed(roll.trail) if type(e.event) in ENDING), roll.trail[-1])
    by = name_text(state, last.event.by)
    outcome = roll.roll.outcome
    had = f" It had ended: {isolated(outcome.degree)}." if outcome is not None else ""
    text = f"Roll {roll.number} of {who} was {WORDS[ended]}, by {by}.{had}"
    commit = source.entries[last.seq].commit
    quotes: list[Quote] = []
    for entry, record in zip(source.entries, source.records, strict=True):
        if entry.commit == commit and entry.kind in ("text", "hidden-text"):
            event = None if record is None else record.event
            quotes.append(Quote(by, "reason", getattr(event, "text", None)))
    return Earlier(roll.number, text, dice, tuple(quotes))


def _dice(state: TableState, roll: RollState) -> Iterator[str]:
    """The dice of each hand as they lay in the end."""
    for hand in roll.roll.hands:
        if hand.dice:
            faces = " ".join(isolated(die.face) for die in hand.dice)
            yield f"Its dice, {name_text(state, hand.character)}: {faces}."


ENDING = (rolled.RollVoided,)
