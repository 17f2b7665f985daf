"""What another decision would have given: the what-ifs that matter for a roll, decided again."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ...errors import Refused, UrimError
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...projections.isolates import apart
from ...projections.lexicon import Lexicon, name_text
from ...projections.phrases import counted_out
from ...projections.result import damage_result, outcome_result
from ...projections.verdicts import RULED
from ...projections.wording import chances_text, counted
from ...rules.words import ENGLISH
from ..core.rerun import Commit
from ..core.visibility import involved
from ..whatif.alternatives import Alternative, of_command, of_readings
from ..whatif.changes import Instead, Reading, Voided
from ..whatif.difference import Fallen, RollDifference, WhatIf, what_if
from ..whatif.seen import Item, commits_among, items_of
from ..whatif.side import Side
from .chain import Chain
from .disputed import STANDS, Wish, disputed_of
from .facts import Otherwise, Step
from .source import Source, asked_body
from .subject import Subject

MOST = 6
"""Other decisions that are shown, at most."""

TRIED = 12
"""Other readings that are tried, at most: each decides the whole table again."""

DISPUTED = 3
"""Other decisions about the very things in dispute, at most."""

ROWS = 8
"""Differences of one decision that are shown, at most."""


def otherwise_of(
    source: Source, chain: Chain, steps: tuple[Step, ...], subjects: Iterable[Subject] = ()
) -> tuple[Otherwise, ...]:
    """What other decisions would have given: what is disputed, rulings and choices, then readings.

    `subjects` are what the disputes are about. What would change nothing is left out, but where it
    can be said why.
    """
    try:
        items = items_of(source.entries)
    except UrimError:  # a forged log may say nothing that can be decided again
        return ()
    disputed = {wish.title: wish for each in subjects for wish in disputed_of(each)}
    decided = [*list(disputed.values())[:DISPUTED], *_rulings(source, chain)]
    decided += _decided(source, chain, steps, items)
    found = list(_unvoided(source, chain))
    found += [each for wish in decided for each in tried(source, chain, steps, items, wish)]
    read = [
        each
        for wish in list(_readings(source, chain))[:TRIED]
        for each in tried(source, chain, steps, items, wish)
    ]
    shown = [each for each in found if each.changes or each.why]
    return tuple([*shown[: MOST - 1], *(each for each in read if each.changes)][:MOST])


# --- the decisions --------------------------------------------------------------------------------


def _rulings(source: Source, chain: Chain) -> Iterator[Wish]:
    """The roll void; or where a ruling changed it, that it stands."""
    main = source.state.rolls[chain.number]
    if main.state != "voided":
        yield Wish("ruling", "the roll were void", (Voided(chain.number),))
    for roll in chain.rolls:
        for entry in roll.trail:
            event = entry.event
            if isinstance(event, ruling.RulingMade) and event.ruling != "stands" and entry.first:
                by = name_text(source.state, event.by)
                was = RULED[event.ruling]
                title = f"{by} had ruled that roll {roll.number} stands (and not: {was})"
                yield Wish("ruling", title, (Instead(entry.seq, STANDS),))


def _unvoided(source: Source, chain: Chain) -> Iterator[Otherwise]:
    """A roll that was voided, and not by a ruling: what had been announced of it."""
    roll = source.state.rolls[chain.number]
    ruled = any(isinstance(e.event, ruling.RulingMade) for e in roll.trail)
    outcome, damage = outcome_result(source.state, roll), damage_result(source.state, roll)
    if roll.state != "voided" or ruled or outcome is None:
        return
    changes = [("outcome", "void", outcome.headline)]
    if damage is not None:
        changes.append(("damage", "none", f"{damage.head}: {damage.text}"))
    note = "This is what had been announced before the void."
    yield Otherwise(kind="ruling", title="the roll had not been voided", changes=tuple(changes),
                    notes=(note,))  # fmt: skip


def _decided(
    source: Source, chain: Chain, steps: tuple[Step, ...], items: tuple[Item, ...]
) -> Iterator[Wish]:
    """Each other choice, number of dice and answer that was possible, in this order."""
    found = [
        (commit, each)
        for roll in chain.rolls
        for commit in commits_among(items)
        for each in _possible(source, commit, roll.number)
    ]
    for kind, words in TITLES.items():
        for commit, each in found:
            if each.kind == kind:
                place = _place(steps, commit.seq)
                yield Wish("choice", words(each, commit.command, place), (each.change,))


def _possible(source: Source, commit: Commit, roll: int) -> list[Alternative]:
    """What was possible in place of a command; nothing where a forged log cannot be followed."""
    try:
        lexicon = Lexicon(source.state)
        return list(of_command(commit, roll, source.before.get(commit.seq), lexicon))
    except (UrimError, LookupError):
        return []


def _dice_title(each: Alternative, command: Any, place: int) -> str:
    dice = counted(int(each.what), "die", "dice")
    return f"{each.who} had thrown {dice} and not {command.option} at step {place}"


TITLES: Mapping[str, Callable[[Alternative, Any, int], str]] = MappingProxyType(
    {
        "choice": lambda each, command, place: f"{each.who} had chosen {each.what}",
        "dice": _dice_title,
        "answer": lambda each, command, place: f"{each.who} had not answered",
    }
)
"""The words of each sort of decision that is looked at; of a number of dice the nearest first."""


def _readings(source: Source, chain: Chain) -> Iterator[Wish]:
    """Each other value of each reading that decided something in the chain."""
    for each in of_readings(source.state, chain.rolls, ENGLISH):
        yield Wish("reading", f"the table had read it so: {each.what}", (each.change,))


# --- what they give -------------------------------------------------------------------------------


def tried(
    source: Source, chain: Chain, steps: tuple[Step, ...], items: tuple[Item, ...], wish: Wish
) -> Iterator[Otherwise]:
    """What another decision gives; nothing where it is not possible."""
    try:
        found = what_if(items, wish.changes)
    except (Refused, UrimError):
        return
    changes = [*_rolls(chain, found), *_tracks(source, chain, found)]
    own = {_place(steps, seq) for seq in wish.about}
    notes = (*_untouched(source, chain, found), *_notes(source, steps, found, own))
    why = "" if changes else _unchanged(source, chain, found)
    yield Otherwise(
        kind=wish.kind, title=wish.title, changes=tuple(changes[:ROWS]), notes=notes, why=why
    )


def _unchanged(source: Source, chain: Chain, found: WhatIf) -> str:
    """Why nothing is another: the roll counts for nothing, or a reading decides it; else ""."""
    if source.state.rolls[chain.number].state == "voided":
        return f"roll {chain.number} is void anyway"
    lexicon = Lexicon(source.state.with_rules_of(source.state.rolls[chain.number]))
    names = dict.fromkeys(
        name
        for each in found.rolls
        for name in _readings_of(each.after)
        if name not in _readings_of(each.before)
    )
    clauses = [lexicon.reading(name) for name in names if lexicon.reads(name)]
    return f"at this table {'; '.join(clauses)}" if clauses else ""


def _readings_of(side: Side | None) -> tuple[str, ...]:
    """The readings that decided a roll."""
    parts = (side.outcome, side.damage) if side else ()
    return tuple(name for each in parts if each for name in each.readings)


def _rolls(chain: Chain, found: WhatIf) -> Iterator[tuple[str, str, str]]:
    """Outcome and damage of each roll that comes out otherwise."""
    several = len(found.rolls) > 1 or len(chain.rolls) > 1
    for each in found.rolls:
        name = f" of roll {each.roll}" if several or each.roll != chain.number else ""
        yield from _sides(each, name)


def _sides(each: RollDifference, name: str) -> Iterator[tuple[str, str, str]]:
    outcome = _outcome(each.before), _outcome(each.after)
    damage = _damage(each.before), _damage(each.after)
    if outcome[0] != outcome[1]:
        yield (f"outcome{name}", *outcome)
    if damage[0] != damage[1]:
        yield (f"damage{name}", *damage)


def _outcome(side: Side | None) -> str:
    if side is None:
        return "never declared"
    if not side.known:
        return "not known"
    if side.state == "voided":
        return "void"
    words = side.outcome_words
    if words is None:
        return "not ended"
    told = words.headline
    return told if side.announced else f"not ended; by the dice so far {told}"


def _damage(side: Side | None) -> str:
    if side is None or side.state == "voided":
        return "none"
    if not side.known:
        return "not known"
    words = side.damage_words
    return "none" if words is None else f"{words.head}: {words.text}"


def _tracks(source: Source, chain: Chain, found: WhatIf) -> Iterator[tuple[str, str, str]]:
    hurt = {
        (change.who, change.track)
        for roll in chain.rolls
        if (damage := damage_result(source.state, roll)) is not None
        for change in damage.changes
    }
    for each in found.tracks:
        unknown = not each.known and (each.who, each.label) in hurt
        if unknown or (each.known and each.before != each.after):
            after = str(each.after) if each.known else "not known"
            yield f"{each.who}, {each.label} now", str(each.before), after


def _untouched(source: Source, chain: Chain, found: WhatIf) -> Iterator[str]:
    """Why a reading leaves one side as it is: what was set when a character came in is no start."""
    if not any(isinstance(change, Reading) for change in found.changes):
        return
    touched = {each.track for each in found.tracks if each.before != each.after}
    changed = {(each.who, each.track) for each in found.tracks if each.before != each.after}
    people = {id for roll in chain.rolls for id in involved(source.state, roll)}
    labels = {each.track: each.label for each in found.tracks}
    for record in source.records:
        event = None if record is None else record.event
        if not isinstance(event, tabled.CharacterEntered) or event.character not in people:
            continue
        who = name_text(source.state, event.character)
        for track, value in asked_tracks(source, record).items():
            if track in touched and (who, track) not in changed:
                yield (
                    f"{who} is not touched by it: {labels[track]} were set to {value} when the"
                    " character came to the table."
                )


def asked_tracks(source: Source, record: RecordedEvent | None) -> dict[str, int]:
    """The tracks that somebody set when a character came in; others begin as the table reads."""
    found = asked_body(source.entries[record.seq]).get("tracks") if record is not None else None
    return found if isinstance(found, dict) else {}


def _notes(
    source: Source, steps: tuple[Step, ...], found: WhatIf, own: Container[int]
) -> Iterator[str]:
    """What falls away beside the `own` steps, which dice are not used, and which never fell."""
    fallen = [each for each in found.fallen if _place(steps, each.entry) not in own]
    if fallen:
        places = [_place(steps, each.entry) for each in fallen]
        known = sorted({place for place in places if place})
        which = counted_out("step", "steps", known) if known else "later commands"
        more = len(fallen) - sum(bool(place) for place in places)
        also = f" and {counted(more, 'command')} outside this case" if known and more else ""
        yield f"Then {which}{also} would not be allowed."
    yield from _turnings(source, fallen)
    for roll in found.rolls:
        yield from _unused(roll)
    for each in found.missing[:2]:
        dice = ", ".join(die.die for die in each.dice)
        yield f"It would need dice that were never thrown ({dice}), and none is made up."
        if each.chances:
            yield f"It might have come to {apart(chances_text(each.chances))}."


def _turnings(source: Source, fallen: Iterable[Fallen]) -> Iterator[str]:
    """That dice were turned in what falls away: others might have been turned instead."""
    for each in fallen:
        events = (
            r.event for r in source.records if r and source.entries[r.seq].commit == each.entry
        )
        if any(isinstance(event, rolled.DiceAdjusted) for event in events):
            allowed = (
                f"; allowed: {', '.join(each.refusal.allowed)}" if each.refusal.allowed else ""
            )
            yield (
                f"Refused there: {apart(each.refusal.why)}{apart(allowed)}. So this counts no"
                " turning at all, and others may have been possible."
            )


def _unused(each: RollDifference) -> Iterator[str]:
    """Dice that fell, and that the roll would not have: which it uses, and which not."""
    if each.before is None or each.after is None or not each.after.known:
        return
    hands = {hand.hand: hand for hand in each.after.hands}
    for hand in each.before.hands:
        if (after := hands.get(hand.hand)) is None:
            continue
        kept = [die.die for die in after.dice]
        gone = [die.die for die in hand.dice if die.die not in kept]
        if len(kept) < len(hand.dice):
            used = f"of {', '.join(kept)} as they fell" if kept else "without dice"
            yield f"Roll {each.roll} would be {used}, not with {', '.join(gone)}."


def _place(steps: tuple[Step, ...], entry: int) -> int:
    return next((step.number for step in steps if entry in step.entries), 0)
