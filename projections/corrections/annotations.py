"""Annotations of a history's lines: what was announced there and holds no more, and why."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from ...events import roll as rolled
from ...events import ruling
from ...events.codec import RecordedEvent
from ...rules.ruleset import Damage
from ..lexicon import Lexicon
from ..outcomes import outcome_of
from ..phrases import counted_out, outcome_text, shown, spaced
from ..rolls import needless
from ..rollstate import RollState
from ..tables import TableState
from ..verdicts import dispute_notes
from .changes import changes_of
from .dependencies import CORRECTIONS
from .stale import (
    Stale,
    by_track,
    last_correction,
    stale,
    stale_after,
    stale_by_roll,
)


def annotations(state: TableState, records: Sequence[RecordedEvent]) -> dict[int, str]:
    """What to add to the lines of those of the records that no longer hold, by sequence."""
    notes = dict.fromkeys((record.seq for record in records), "")
    for seq, words in _notes(state, records):
        if seq in notes:
            notes[seq] += f" [{words}]"
    return notes


def _notes(state: TableState, records: Sequence[RecordedEvent]) -> Iterator[tuple[int, str]]:
    """What to add to lines, those of the records and perhaps others: entry and words."""
    changes = changes_of(state, records)
    for change in changes:
        then, now = change.announced, change.damage
        if then is not None and now is not None and _otherwise(then, now):
            marks = _marks(by_track(now.effects))
            same = then.amount == now.amount
            amount = "" if same else f"{Lexicon(state).amount(now.amount)}: "
            yield change.seq, f"what it marks now: {amount}{marks}"
    seqs, kinds = {record.seq for record in records}, {type(record.event) for record in records}
    for roll in _rolls_of(state, records):
        yield from _announced(state, roll, seqs)
        yield from dispute_notes(state, roll)
    for seq, those in groupby(stale(state, changes), lambda left: left.seq):
        yield seq, stale_text(state, those)
    if kinds.intersection(CORRECTIONS):
        yield from _by_correction(state, records)
    if rolled.ThrowBroken in kinds:
        yield from _again(state)


def _otherwise(then: Damage, now: Damage) -> bool:
    """Whether damage marks something else than was announced."""
    return (then.amount, by_track(then.effects)) != (now.amount, by_track(now.effects))


def _rolls_of(state: TableState, records: Iterable[RecordedEvent]) -> list[RollState]:
    events = (record.event for record in records)
    numbers = {event.roll for event in events if isinstance(event, rolled.RollEventBase)}
    found = (state.rolls.get(number) for number in sorted(numbers))
    return [roll for roll in found if roll is not None]


def _announced(
    state: TableState, roll: RollState, seqs: Container[int]
) -> Iterator[tuple[int, str]]:
    """Where a roll announced what holds no more; `seqs` are the entries asked for."""
    voided = roll.state == "voided"
    why = "voided" if voided else "amended"
    settled = [entry.seq for entry in roll.trail if _announces(entry)]
    last = settled[-1] if settled else -1
    amendments = {e.seq for e in roll.trail if isinstance(e.event, ruling.RollAmended)}
    for seq in settled:
        if voided or seq != last:
            amends = seq in amendments and voided
            yield seq, "the roll was voided since" if amends else f"{why} since"
    derived = outcome_of(state.game, roll) if last in seqs else None
    if derived is not None and derived.differs:
        given = {key: getattr(derived.derived, key) for key in ("degree", "margin", "figures")}
        yield last, f"the rules give {outcome_text(state, given)}"
    for entry in roll.trail:
        if not voided and entry.seq > last:
            continue
        if isinstance(entry.event, rolled.DamageApplied):
            yield entry.seq, f"no longer counts: the roll was {why}"
        elif isinstance(entry.event, ruling.FateDecided):
            yield entry.seq, f"decided before the roll was {why}"
    for seq in needless(roll.trail):
        yield seq, "not needed since the roll was amended"


def stale_text(state: TableState, stale: Iterable[Stale]) -> str:
    """In words, what one entry took that is there no more, by the rolls that it came from."""
    found: list[str] = []
    for (twice, sources), those in groupby(stale, lambda left: (left.twice, left.sources)):
        what = "; ".join(_stale(state, left) for left in those)
        if twice:
            rolls = " and ".join(f"roll {number}" for number in sources)
            found.append(f"spent twice: {what}; {rolls} spent it too, before this was revealed")
        else:
            rolls = " and ".join(_fallen(state, number) for number in sources)
            found.append(f"had counted on {rolls}: {what}")
    return "; ".join(found)


def stale_texts(
    state: TableState, rolls: Iterable[RollState] | None = None
) -> Mapping[int, tuple[str, ...]]:
    """By roll, as `stale_by_roll`: a sentence for each entry that took what is there no more."""
    return {
        number: tuple(
            f"Roll {number} {stale_text(state, those)}."
            for _, those in groupby(found, lambda left: left.seq)
        )
        for number, found in stale_by_roll(state, rolls).items()
    }


def _stale(state: TableState, left: Stale) -> str:
    """What was, and what would be now."""
    if left.refused is not None:
        return f"it would be refused now, {left.refused}"
    if left.what == "follows":
        return f"by roll {left.had}, which it follows"
    if left.what in FATES:
        return f"{left.what} by {_marks(left.had)} then, {_marks(left.now)} now"
    if left.what in state.game.ruleset.settled and not left.twice:
        had, now = (shown(state, value) for value in (left.had, left.now))
        return f"{spaced(left.what)} {had} then, {now} now"
    return f"{left.had} {spaced(left.what)} spent, {left.now} there now"


def _marks(marked: Mapping[str, int]) -> str:
    """What damage marked, by track."""
    return "; ".join(f"{spaced(track)} {by:+}" for track, by in marked.items()) or "nothing"


FATES = ("killed", "destroyed", "spared")
"""What a narrator may make of damage."""


def _by_correction(
    state: TableState, records: Iterable[RecordedEvent]
) -> Iterator[tuple[int, str]]:
    """The last correction of every roll that the records correct, and what is stale since."""
    events = (record.event for record in records)
    numbers = {event.roll for event in events if isinstance(event, CORRECTIONS)}
    on = dict[int, dict[int, None]]()
    for left in stale_after(state, sorted(numbers)):
        for number in () if left.twice else left.sources:
            on.setdefault(number, {})[left.roll] = None
    for number in numbers & on.keys():
        rolls = counted_out("roll", "rolls", on[number])
        yield last_correction(state.rolls[number]), f"{rolls} had counted on it"


def _fallen(state: TableState, number: int) -> str:
    why = "is void" if state.rolls[number].state == "voided" else "was amended"
    return f"roll {number}, which {why}"


def _again(state: TableState) -> Iterator[tuple[int, str]]:
    """How often a seat has kept its share back, from the second time on."""
    every = (entry for roll in state.rolls.values() for entry in roll.trail)
    times = Counter[str]()
    for entry in sorted(every, key=lambda entry: entry.seq):
        if isinstance(entry.event, rolled.ThrowBroken):
            times.update(entry.event.kept)
            again = [seat for seat in entry.event.kept if times[seat] > 1]
            for seat in again:
                yield entry.seq, f"{state.name_of(seat)}: {times[seat]} times so far"


def _announces(entry: RecordedEvent) -> bool:
    event = entry.event
    amended = isinstance(event, ruling.RollAmended) and event.outcome is not None
    return amended or isinstance(event, rolled.RollResolved)
