"""Which rolls a case is about, and the steps that were taken in them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from ...errors import UrimError
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...projections.account import ShownHand, account
from ...projections.corrections.annotations import annotations
from ...projections.history import history
from ...projections.isolates import FSI, PDI, isolated
from ...projections.lexicon import Lexicon, name_text
from ...projections.outcomes import so_far
from ...projections.phrases import counted_out, declaration_text, effects_text
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...projections.wording import counted
from ...rules.ruleset import Offer
from ..core.labels import labels
from ..core.offers import offers
from .facts import Quote, Step
from .likely import likely
from .source import Source

MOST = 8
"""Rolls of a case, at most."""

PLUMBING = (rolled.ThrowPlanned, rolled.ThrowAsked, rolled.ShareOpened)
"""Events that are part of a throw which is still to come."""


class Chain(Struct, frozen=True):
    """The rolls of a case in their order: those that the roll follows, itself, those after it."""

    number: int
    rolls: tuple[RollState, ...]

    @property
    def numbers(self) -> frozenset[int]:
        """Their numbers."""
        return frozenset(roll.number for roll in self.rolls)


def chain_of(state: TableState, roll: RollState) -> Chain:
    """The chain of a roll: what it follows, and what follows it, voided or not."""
    before: list[RollState] = []
    above = roll
    while above.follows is not None and above.follows[0] in state.rolls:
        above = state.rolls[above.follows[0]]
        before.insert(0, above)
    return Chain(roll.number, (*before[-MOST // 2 :], roll, *_after(state, roll))[:MOST])


def _after(state: TableState, roll: RollState) -> Iterator[RollState]:
    for number in state.following.get(roll.number, ()):
        if number in state.rolls:
            yield state.rolls[number]
            yield from _after(state, state.rolls[number])


# --- steps ----------------------------------------------------------------------------------------


def steps_of(source: Source, chain: Chain) -> tuple[Step, ...]:
    """Every step of the rolls, in the order of the log."""
    teller = Teller(source, chain)
    found: list[Step] = []
    waiting: list[RecordedEvent] = []
    own = [r for r in source.records if r and _roll(source, r.seq) in chain.numbers]
    for commit, held in groupby(own, lambda record: source.entries[record.seq].commit):
        records = list(held)
        if all(isinstance(r.event, PLUMBING) for r in records):
            waiting += records
            continue
        found.append(teller.step(len(found) + 1, commit, waiting, records))
        waiting = []
    if waiting:
        found.append(teller.step(len(found) + 1, waiting[0].seq, [], waiting))
    return tuple(numbered(step, found) for step in found)


def _roll(source: Source, seq: int) -> int | None:
    return source.state.entry_rolls.get(seq)


ENTRIES = re.compile(r"\b(E|e)ntr(?:y|ies) (\d+(?:(?:, | and )\d+)*)")

APART = re.compile(f"({FSI}[^{FSI}{PDI}]*{PDI})")
"""Names, and what people wrote: nothing in them is a reference."""


def numbered(step: Step, steps: Sequence[Step]) -> Step:
    """The step with the steps that its sentences name, in place of entries."""
    place = {seq: each.number for each in steps for seq in each.entries}

    def called(found: re.Match[str]) -> str:
        numbers = [place.get(int(each)) for each in re.findall(r"\d+", found[2])]
        known = sorted({each for each in numbers if each is not None})
        first = "S" if found[1] == "E" else "s"
        return counted_out(f"{first}tep", f"{first}teps", known) if known else "it"

    def renamed(text: str) -> str:
        parts = APART.split(text)
        return "".join(p if p.startswith(FSI) else ENTRIES.sub(called, p) for p in parts)

    return Step(
        number=step.number, entries=step.entries, at=step.at, roll=step.roll, part=step.part,
        does=tuple(map(renamed, step.does)), allowed=step.allowed, likely=step.likely,
        hands=step.hands, quotes=step.quotes,
    )  # fmt: skip


class Teller:
    """Says what happened in the rolls of a chain, command by command."""

    def __init__(self, source: Source, chain: Chain) -> None:
        self.source = source
        self.chain = chain
        self.state = source.state
        self.lexicon = Lexicon(source.state)
        self._hands: dict[int, ShownHand] = {}
        for roll in chain.rolls:
            found = account(self.state, source.records, roll.number)
            self._hands |= {step.seq: step.hand for step in found.steps if step.hand}
        own = [r for r in source.records if r is not None]
        self._lines = {line.seq: line.text for line in history(self.state, own)}
        self._since = annotations(self.state, own)

    def step(
        self, number: int, commit: int, waiting: list[RecordedEvent], records: list[RecordedEvent]
    ) -> Step:
        """What one command led to; `waiting` are the asks and shares that came before its dice."""
        first = records[0]
        roll = self._about(first)
        quotes = tuple(self._quotes(commit, records))
        shares = [r for r in (*waiting, *records) if isinstance(r.event, rolled.ShareOpened)]
        every = [r for r in records if not isinstance(r.event, (*PLUMBING, tabled.TextSaid))]
        does = [self.says(record) for record in every] or self._waits(records)
        if shares and every:
            who = ", ".join(dict.fromkeys(name_text(self.state, r.event.by) for r in shares))
            does.append(f"Secret numbers came from {who}.")
        return Step(
            number=number,
            entries=(*(r.seq for r in waiting), *self._entries(commit, records)),
            at=first.at,
            roll=roll,
            part=self._part(roll),
            does=tuple(does),
            allowed=tuple(text for r in records for text in self._allowed(r)),
            likely=tuple(text for r in records for text in likely(self.source, r)),
            hands=tuple(self._hands[r.seq] for r in records if r.seq in self._hands),
            quotes=quotes,
        )

    def _part(self, number: int) -> str:
        """Which roll it is and how it follows, where the case has several."""
        if len(self.chain.rolls) == 1:
            return ""
        link = self.state.rolls[number].roll.link if number != self.chain.number else None
        return f"{self.lexicon.of('link', link)}, roll {number}" if link else f"roll {number}"

    def _entries(self, commit: int, records: list[RecordedEvent]) -> list[int]:
        """The entries of a commit, its erased text too."""
        found = [r.seq for r in records]
        after = found[-1] + 1
        if after < self.state.size and _is_text(self.source.entries[after]):
            found += [after] * (self.source.entries[after].commit == commit)
        return found

    def _about(self, record: RecordedEvent) -> int:
        event: Any = record.event
        seq = event.seq if isinstance(event, tabled.EntryErased) else record.seq
        return _roll(self.source, seq) or self.chain.number

    def _waits(self, records: list[RecordedEvent]) -> list[str]:
        shares = [r for r in records if isinstance(r.event, rolled.ShareOpened)]
        came = f"; {counted(len(shares), 'share')} came" if shares else ""
        return [f"A throw was asked for, and waits for the shares of the seats{came}."]

    def _quotes(self, commit: int, records: list[RecordedEvent]) -> Iterator[Quote]:
        """The words that came with the command; None where they were erased."""
        first = records[0].event
        what = WHAT.get(type(first), "reason")
        said = [r.event.text for r in records if isinstance(r.event, tabled.TextSaid)]
        by = name_text(self.state, first.by)
        if said:
            yield Quote(by, what, said[0])
        elif any(_is_text(each) for each in self.source.entries if each.commit == commit):
            yield Quote(by, what, None)

    # --- deeds ------------------------------------------------------------------------------------

    def says(self, record: RecordedEvent) -> str:
        """An event as a sentence, in the words of the page."""
        own = SAYS.get(type(record.event))
        if own is None:
            return self._lines[record.seq]
        return own(self, record.event) + self._since[record.seq]

    def who(self, event: Any) -> str:
        """The character whose hand an event handles."""
        if hasattr(event, "character"):
            return name_text(self.state, event.character)
        roll = self.state.rolls.get(event.roll)
        hand = roll.roll.hand(event.hand) if roll else None
        return name_text(self.state, hand.character) if hand else "somebody"

    # --- what was allowed -------------------------------------------------------------------------

    def _allowed(self, record: RecordedEvent) -> Iterator[str]:
        """What the rules offered where dice were kept, thrown again, turned, or chosen about."""
        event: Any = record.event
        trigger = TRIGGERS.get(type(event))
        before = self.source.before.get(record.seq)
        if trigger is None or before is None or event.roll not in before.rolls:
            return
        try:
            offered = offers(before, before.rolls[event.roll])
        except UrimError:  # a forged log may leave a system without an answer
            return
        for offer in offered:
            if offer.trigger == trigger and _fits(offer, event):
                after = self.source.before.get(record.seq + 1, self.state)
                rule = rule_text(before, after, offer, event.roll)
                yield f"{allowed_text(before, offer)}{rule}"
                return


def _is_text(entry: Entry) -> bool:
    return entry.kind in ("text", "hidden-text") and entry.payload is None


def _fits(offer: Offer, event: Any) -> bool:
    if isinstance(event, rolled.ChoiceMade):
        return offer.choice == event.choice and offer.character == event.character
    means = getattr(event, "means", None)
    return offer.hand == event.hand and (means is None or offer.means == means)


def allowed_text(state: TableState, offer: Offer) -> str:
    """What an offer allowed, in the words of the page."""
    called, count = labels(state, offer), len(offer.dice)
    which = "the only die" if count == 1 else f"these {count} dice"
    if offer.trigger == "freeze":
        return f"The rules allowed keeping any of {which}."
    if offer.trigger == "reroll":
        more = offer.extra and (
            f", and {offer.extra} more at {offer.extra_cost[1]} {called.track} each"
        )
        if offer.least >= count:
            return f"The rules allowed throwing {which} again, all of them."
        many = "any" if offer.most >= count else f"{offer.most} at most"
        return f"The rules allowed throwing {many} of {which} again{more or ''}."
    if offer.choice:
        return f"The rules offered: {' or '.join(called.options)}."
    if offer.trigger == "roll":
        if offer.options:
            return f"The rules left open how many: {offer.options[0]} to {offer.options[-1]} dice."
        return f"The rules asked for {counted(count, 'die', 'dice')}."
    return f"The rules allowed turning dice by {called.means}, {offer.most} at most."


def rule_text(before: TableState, after: TableState, offer: Offer, number: int) -> str:
    """The rule by which it was offered, with the figures as they were; "" where none is known.

    Before any die fell a system may have no figures yet: then those right after the throw are told,
    of which no rule for a throw names one that the dice make.
    """
    lexicon = Lexicon(before)
    found = so_far(before.game, before.rolls[number]) or so_far(after.game, after.rolls[number])
    figures = {} if found is None else found.figures
    values = {
        key: lexicon.value(lexicon.declared(key).form, value) for key, value in figures.items()
    }
    hand = next((part for part in offer.hand.split(":") if not part.isdecimal()), "")
    values["count"] = counted(len(offer.dice), "die", "dice")
    rule = lexicon.rule(offer.trigger, (offer.choice, offer.means, hand), values)
    return "" if rule is None else f" Rule: “{rule[0]}”: {rule[1]}."


# --- the words of the page ------------------------------------------------------------------------


def _die_names(dice: Iterable[str], every: int) -> str:
    names = list(dice)
    if not names:
        return "no die"
    return f"all {every} dice" if len(names) == every > 1 else ", ".join(names)


def hand_named(lexicon: Lexicon, hand: str) -> str:
    """Which dice they are, in brackets; nothing where the word for them is just that."""
    label = lexicon.hand(hand)
    return "" if label == "the dice" else f" ({label})"


def _thrown(teller: Teller, event: rolled.DiceRolled) -> str:
    who, hand = teller.who(event), hand_named(teller.lexicon, event.hand)
    if event.taken is not None:
        return f"{who} takes over the dice of roll {event.taken}{hand}."
    count = counted(len({die.die for die in event.dice}), "die", "dice")
    typed = ", thrown by people and typed in" if _source(event) == "manual" else ""
    return f"{who} throws {count}{hand}{typed}."


def _source(event: Any) -> str:
    return event.proof.source if event.proof is not None else ""


def _again(teller: Teller, event: rolled.DiceRerolled) -> str:
    dice = ", ".join(dict.fromkeys(die.die for die in event.dice))
    price = effects_text(teller.state, event.effects)
    return f"{teller.who(event)} throws {dice} again{price}."


def _kept(teller: Teller, event: rolled.DiceFrozen) -> str:
    roll = teller.state.rolls[event.roll]
    hand = roll.roll.hand(event.hand)
    every = len(hand.dice) if hand else 0
    return f"{teller.who(event)} keeps {_die_names(event.dice, every)}."


def _turned(teller: Teller, event: rolled.DiceAdjusted) -> str:
    means = teller.lexicon.of("means", event.means)
    if not event.dice:
        return f"{teller.who(event)} undoes what was turned by {means}."
    dice = ", ".join(f"{each.die} to {isolated(each.face)}" for each in event.dice)
    return f"{teller.who(event)} turns {dice}, by {means}."


def _declared(teller: Teller, event: rolled.RollDeclared) -> str:
    state = teller.state
    what = declaration_text(state, event.declaration, mark=":") or "no more than that"
    hidden = "" if event.visibility == "public" else f", hidden ({event.visibility})"
    after = ""
    if event.follows:
        link = teller.lexicon.of("link", event.follows[1])
        after = f" ({link} to roll {event.follows[0]})"
    price = effects_text(state, event.effects)
    return f"{name_text(state, event.character)} declares{after}{hidden} {what}{price}."


def _reacted(teller: Teller, event: rolled.ReactionDeclared) -> str:
    who = name_text(teller.state, event.character)
    if event.reaction is None or event.reaction.get("declined"):
        return f"{who} does not answer it."
    what = declaration_text(teller.state, event.reaction, mark=":") or "no more than that"
    price = effects_text(teller.state, event.effects)
    return f"{who} answers with {what}{price}."


def _broken(teller: Teller, event: rolled.ThrowBroken) -> str:
    kept = ", ".join(name_text(teller.state, seat) for seat in event.kept)
    return f"The throw is broken off: no share of {kept} came. Nothing fell."


def _voided(teller: Teller, event: rolled.RollVoided) -> str:
    return f"Roll {event.roll} is void: it counts for nothing."


def _erased(teller: Teller, event: tabled.EntryErased) -> str:
    return f"{name_text(teller.state, event.by)} erases the words of entry {event.seq}."


SAYS: Mapping[type, Callable[[Teller, Any], str]] = {
    rolled.RollDeclared: _declared,
    rolled.ReactionDeclared: _reacted,
    rolled.DiceRolled: _thrown,
    rolled.DiceRerolled: _again,
    rolled.DiceFrozen: _kept,
    rolled.DiceAdjusted: _turned,
    rolled.ThrowBroken: _broken,
    rolled.RollVoided: _voided,
    tabled.EntryErased: _erased,
}
"""Events that the page calls otherwise than the history does."""

TRIGGERS: Mapping[type, str] = {
    rolled.DiceRolled: "roll",
    rolled.DiceFrozen: "freeze",
    rolled.DiceRerolled: "reroll",
    rolled.DiceAdjusted: "adjust",
    rolled.ChoiceMade: "adjust",
}
"""What the rules must have offered before an event."""

WHAT: Mapping[type, str] = {
    rolled.RollDeclared: "label",
    tabled.Noted: "note",
    ruling.DisputeRaised: "dispute",
    ruling.RulingMade: "ruling",
}
"""What a text is, by the first event of its commit."""
