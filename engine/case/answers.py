"""What the log has about what people dispute: facts, under the heading of their kind."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...events import roll as rolled
from ...events import ruling
from ...events.codec import RecordedEvent
from ...projections.history import changed_fields
from ...projections.isolates import isolated
from ...projections.lexicon import name_text
from ...projections.phrases import shown, spaced
from ...projections.rollstate import RollState
from ...projections.wording import rating_text
from .chain import hand_named
from .facts import Answer
from .subject import THROWING, Declared, Handled, Kind, Subject

MOST = 4
"""Sentences of a kind, at most."""

BESIDE: Mapping[Kind, tuple[str, ...]] = {"order": ("dice", "visible"), "dice": ("visible",)}
"""What people ask for beside the answer; of a hidden roll always what could be seen."""


def answers(subject: Subject) -> tuple[Answer | None, tuple[Answer, ...]]:
    """The facts that a dispute is about, if the log shows which; then others worth knowing."""
    kind = subject.kind
    hidden = any(roll.visibility != "public" for roll in subject.chain.rolls)
    beside = dict.fromkeys((*BESIDE.get(kind, ()), *(("visible",) if hidden else ())))
    found = [_answer(subject, each) for each in ((kind, *beside) if kind else tuple(beside))]
    known = [each for each in found if each.sentences]
    first = known[0] if kind and known and known[0].kind == FACTS[kind][0] else None
    return first, tuple(each for each in known if each is not first)


def _answer(subject: Subject, kind: str) -> Answer:
    heading, facts = FACTS[kind]
    return Answer(heading, tuple(facts(subject))[:MOST])


def _of_roll(subject: Subject, number: int) -> str:
    """Which roll it is, where the case has several."""
    return f" (roll {number})" if len(subject.chain.rolls) > 1 else ""


# --- the order of steps ---------------------------------------------------------------------------


def _order(subject: Subject) -> Iterator[str]:
    """Of each whose dice changed: the last touch before the first die of who disputes, or after."""
    handled = list(subject.handled())
    hands = {(each.roll, each.hand): each for each in reversed(handled)}
    firsts = sorted(hands.values(), key=lambda each: each.seq)
    accused = {(each.roll, each.hand) for each in subject.deeds}
    for theirs in (each for each in firsts if (each.roll, each.hand) in accused):
        for own in (each for each in firsts if subject.own(each.who)):
            touched = [
                each.step
                for each in handled
                if (each.roll, each.hand) == (theirs.roll, theirs.hand)
            ]
            yield from _pair(subject, theirs, own, touched)
            yield from _later(subject, theirs, own, firsts)


def _pair(subject: Subject, theirs: Handled, own: Handled, touched: list[int]) -> Iterator[str]:
    """Two hands: whose dice lay when the other's first one fell."""
    name, named = (name_text(subject.source.state, each.who) for each in (theirs, own))
    dice, its = (hand_named(subject.lexicon, each.hand) for each in (theirs, own))
    if theirs.step > own.step:
        yield (
            f"{name} first touched the dice{dice} at step {theirs.step}, after the first die of"
            f" {named}{its} fell at step {own.step}."
        )
        return
    last = max(step for step in touched if step < own.step or step == theirs.step)
    yield (
        f"{name} last touched the dice{dice} at step {last};"
        f" the first die of {named}{its} fell at step {own.step}."
    )
    if max(touched) > own.step:
        yield f"{name} touched those dice after that too, last at step {max(touched)}."


def _later(subject: Subject, theirs: Handled, own: Handled, firsts: list[Handled]) -> Iterator[str]:
    """Other dice of theirs that fell after the other's first one."""
    name = name_text(subject.source.state, theirs.who)
    for each in firsts:
        if each.who == theirs.who and each.hand != theirs.hand and each.step > own.step:
            dice = hand_named(subject.lexicon, each.hand)
            yield f"Later, at step {each.step}, {name} threw {', '.join(each.dice)}{dice} too."


# --- dice -----------------------------------------------------------------------------------------


def _dice(subject: Subject) -> Iterator[str]:
    """What was done to the dice that are named, else to those of the others: changed, or kept."""
    named = subject.named_dice
    for each in subject.handled():
        if named & set(each.dice) if named else not subject.own(each.who):
            yield from _done(subject, each)


def _done(subject: Subject, each: Handled) -> Iterator[str]:
    name, which = name_text(subject.source.state, each.who), ", ".join(each.dice)
    where = f"at step {each.step}{_of_roll(subject, each.roll)}"
    event = each.event
    if isinstance(event, rolled.DiceAdjusted) and event.dice:
        means = subject.lexicon.of("means", event.means)
        to = ", ".join(f"{die.die} to {isolated(die.face)}" for die in event.dice)
        yield f"{name} turned {to}, by {means}, {where}."
    elif isinstance(event, rolled.DiceRerolled):
        yield f"{name} threw {which} again {where}."
    elif isinstance(event, rolled.DiceFrozen) and which:
        yield f"{name} kept {which} {where}."


# --- who declared what ----------------------------------------------------------------------------


def _declared(subject: Subject) -> Iterator[str]:
    """What was declared under the fields that it is about, by whom, when; and who changed that."""
    about = subject.amended or subject.named_fields
    state, told = subject.source.state, set(subject.ratings)
    for each in subject.declared():
        given = {
            key: value
            for key, value in each.fields.items()
            if ((each.who, key) in about if about else value not in (None, False, 0, "", [], {}))
        }
        words = _fields(subject, given, each.wish)
        if words and (about or not told):
            who, at = name_text(state, each.who), subject.step(each.seq)
            roll = _of_roll(subject, each.roll)
            yield f"{who}{roll}: {words}, since step {at}{_when(subject, at)}."
        yield from (
            _on_the_sheet(subject, *rating, each) for rating in told if rating[0] == each.who
        )
    for of, entry in subject.trail():
        yield from _changed(subject, of, entry)


def _fields(subject: Subject, given: Mapping[str, Any], wish: Mapping[str, Any]) -> str:
    state = subject.source.state
    return ", ".join(
        f"{spaced(key)} {shown(state, value)}{_as_asked(wish.get(key), value)}"
        for key, value in given.items()
    )


def _when(subject: Subject, step: int) -> str:
    """Whether a step was before the first die of the chain fell."""
    fell = (each.step for each in subject.handled() if isinstance(each.event, THROWING))
    first = min(fell, default=0)
    if not first:
        return ""
    when = "before any die fell" if step < first else "after the first die"
    return f", {when} (step {first})"


def _on_the_sheet(subject: Subject, who: str, name: str, each: Declared) -> str:
    """A rating as it was when somebody declared."""
    sheet = f"{spaced(name)} on the sheet of {name_text(subject.source.state, who)}"
    rating = subject.sheet(who, each.seq).get(name)
    there = "none" if rating is None else rating_text(rating)
    return f"{sheet} at step {subject.step(each.seq)}: {there}."


def _changed(subject: Subject, roll: RollState, entry: RecordedEvent) -> Iterator[str]:
    """Who changed a declaration, when, from what to what."""
    state, event = subject.source.state, entry.event
    if not isinstance(event, (ruling.RollAmended, ruling.DeclarationReplaced)):
        return
    who = getattr(event, "character", roll.roll.character)
    wish = subject.wish(entry.seq)
    changes = [
        f"{spaced(key)} {shown(state, old)} → {shown(state, new)}{_as_asked(wish.get(key), new)}"
        for key, (old, new) in changed_fields(state, entry).items()
    ]
    if changes:
        by, role = name_text(state, event.by), state.seats[event.by].role
        at = subject.step(entry.seq)
        yield (
            f"{by} ({role}) changed it for {name_text(state, who)}{_of_roll(subject, roll.number)}"
            f" at step {at}{_when(subject, at)}: {', '.join(changes)}."
        )


def _as_asked(wish: Any, value: Any) -> str:
    """The word that somebody asked with, where the rules made a number of it."""
    return f" (asked for as {isolated(wish)})" if isinstance(wish, str) and wish != value else ""


# --- what was visible -----------------------------------------------------------------------------


def _visible(subject: Subject) -> Iterator[str]:
    for roll in subject.chain.rolls:
        if roll.visibility == "public":
            yield f"Roll {roll.number} was open: everybody at the table saw each die as it fell."
        elif roll.revealed_at is None:
            yield f"Roll {roll.number} is hidden ({roll.visibility}), and was not revealed."
        else:
            seen = subject.step(roll.revealed_at)
            yield f"Roll {roll.number} was hidden ({roll.visibility}) until step {seen}."


FACTS: Mapping[str, tuple[str, Callable[[Subject], Iterator[str]]]] = {
    "order": ("Which came first", _order),
    "dice": ("What was done to the dice", _dice),
    "declared": ("Who declared what, and when", _declared),
    "visible": ("What could be seen", _visible),
}
"""Kinds of facts: what each is called, and its facts."""
