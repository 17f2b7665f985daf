"""What a dispute is about, as far as the log shows it, in whatever language it is written.

Four signs, the surest first: the fields that its ruling amended; dice that it names by their ids;
values of a declaration, or ratings of a sheet, that it names as the log and the rules write them;
and else the deeds before it that were somebody else's free choice: dice thrown again or turned.
Nothing is concluded from the words of a language.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...events.codec import RecordedEvent
from ...projections.history import changed_fields
from ...projections.lexicon import Lexicon
from ...projections.rollstate import RollState
from ...rules.forms import Line, fields_of
from ...rules.words import spaced
from .chain import Chain
from .facts import Step
from .source import Source, asked_body

Kind: TypeAlias = Literal["order", "dice", "declared", ""]
"""What it is about: who was first at the dice, what was done to them, what was declared; or ""."""

HANDLING = (rolled.DiceRolled, rolled.DiceRerolled, rolled.DiceFrozen, rolled.DiceAdjusted)
THROWING = (rolled.DiceRolled, rolled.DiceRerolled)


class Handled(Struct, frozen=True):
    """An event that handles dice: its entry, step, roll, character, hand, and itself."""

    seq: int
    step: int
    roll: int
    who: str
    hand: str
    event: Any

    @property
    def dice(self) -> tuple[str, ...]:
        """The ids of its dice, each once."""
        ids = (each if isinstance(each, str) else each.die for each in self.event.dice)
        return tuple(dict.fromkeys(ids))

    @property
    def free(self) -> bool:
        """Whether it was a choice that changed a face: thrown again, or turned."""
        turned = isinstance(self.event, rolled.DiceAdjusted) and bool(self.event.dice)
        return turned or isinstance(self.event, rolled.DiceRerolled)


class Declared(Struct, frozen=True):
    """A declaration or a reaction: its entry, roll, character, fields, and the wish behind them."""

    seq: int
    roll: int
    who: str
    fields: Mapping[str, Any]
    wish: Mapping[str, Any]
    reaction: bool


class Subject(Struct, frozen=True):
    """A dispute by `seat` at entry `seq`, its words in lower case ("" where they are erased)."""

    source: Source
    chain: Chain
    steps: tuple[Step, ...]
    seat: str
    seq: int
    text: str

    @property
    def lexicon(self) -> Lexicon:
        """The words of the table."""
        return Lexicon(self.source.state)

    def step(self, seq: int) -> int:
        """The step of an entry."""
        return next((each.number for each in self.steps if seq in each.entries), 0)

    def trail(self) -> Iterator[tuple[RollState, RecordedEvent]]:
        """Every entry of the chain's rolls."""
        for roll in self.chain.rolls:
            yield from ((roll, entry) for entry in roll.trail)

    def own(self, who: str) -> bool:
        """Whether the seat that disputes plays the character."""
        known = self.source.state.characters.get(who)
        return known is not None and known.seat == self.seat

    # --- the signs --------------------------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """What it is about."""
        if self.amended:
            return "declared"
        if self.named_dice:
            return "dice"
        if self.named_fields or self.ratings:
            return "declared"
        if not self.deeds:
            return ""
        own = any(self.own(each.who) for each in self.handled() if isinstance(each.event, THROWING))
        return "order" if own else "dice"

    @property
    def amended(self) -> tuple[tuple[str, str], ...]:
        """The fields that a ruling on it amended, each with whose they are."""
        ruled = {
            self.source.entries[entry.seq].commit
            for _, entry in self.trail()
            if isinstance(entry.event, ruling.RulingMade) and entry.event.dispute == self.seq
        }
        return tuple(
            (entry.event.character, field)
            for _, entry in self.trail()
            if isinstance(entry.event, ruling.RollAmended)
            and self.source.entries[entry.seq].commit in ruled
            for field in changed_fields(self.source.state, entry)
        )

    @property
    def named_dice(self) -> frozenset[str]:
        """The dice of the chain that it names."""
        every = {die for each in self.handled() for die in each.dice}
        return frozenset(every & set(re.findall(r"\bd\d+\b", self.text)))

    @property
    def named_fields(self) -> tuple[tuple[str, str], ...]:
        """The fields whose value it names, each with whose they are; else those that it names."""
        every = [(each, *item) for each in self.declared() for item in each.fields.items()]
        by_value = [
            (each.who, field)
            for each, field, value in every
            if any(map(self.names, _values(value, each.wish.get(field))))
        ]
        given = [(each.who, field) for each, field, value in every if _scalar(value)]
        return tuple(by_value) or tuple(pair for pair in given if self.names(spaced(pair[1])))

    @property
    def ratings(self) -> tuple[tuple[str, str], ...]:
        """The ratings that it names, (character, name): of its own side, where that has one."""
        found = [
            (who, name)
            for who in dict.fromkeys(each.who for each in self.declared())
            for name in self.sheet(who, self.seq)
            if self.names(spaced(name))
        ]
        return tuple(each for each in found if self.own(each[0])) or tuple(found)

    @property
    def deeds(self) -> tuple[Handled, ...]:
        """What was done freely to dice before it: to those named, else by others than its seat."""
        named = self.named_dice
        return tuple(
            each
            for each in self.handled()
            if each.free and each.seq < self.seq
            if (named & set(each.dice) if named else not self.own(each.who))
        )

    def names(self, word: str) -> bool:
        """Whether its words hold this one, whole."""
        plain = word.lower().strip()
        whole = rf"(?<!\w){re.escape(plain)}(?!\w)"
        return len(plain) >= SHORT and re.search(whole, self.text) is not None

    # --- what the log has -------------------------------------------------------------------------

    def handled(self) -> Iterator[Handled]:
        """Each event that handles dice of the chain."""
        for roll, entry in self.trail():
            if isinstance(entry.event, HANDLING):
                hand = roll.roll.hand(entry.event.hand)
                if hand is not None:
                    at, who = self.step(entry.seq), hand.character
                    yield Handled(entry.seq, at, roll.number, who, hand.name, entry.event)

    def declared(self) -> Iterator[Declared]:
        """Each declaration and reaction of the chain, as it was first given."""
        for roll, entry in self.trail():
            event = entry.event
            if isinstance(event, (rolled.RollDeclared, rolled.ReactionDeclared)):
                reaction = isinstance(event, rolled.ReactionDeclared)
                given = getattr(event, "reaction" if reaction else "declaration")
                fields = self.without_settled(given or {})
                wish = self.wish(entry.seq)
                yield Declared(entry.seq, roll.number, event.character, fields, wish, reaction)

    def without_settled(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that somebody gave, without those that the rules fill."""
        settled = self.source.state.game.ruleset.settled
        return {key: value for key, value in given.items() if key not in settled}

    def wish(self, seq: int) -> Mapping[str, Any]:
        """The fields as somebody asked for them, in words that the rules then settled."""
        entries = self.source.entries
        body = asked_body(entries[entries[seq].commit])
        found = body.get("declaration") or body.get("reaction") or body.get("fields") or {}
        return found if isinstance(found, dict) else {}

    def sheet(self, who: str, seq: int) -> Mapping[str, int | float]:
        """The ratings of a character before an entry."""
        known = self.source.state.characters.get(who)
        return known.attributes_before(seq) if known else {}

    # --- what somebody argues for -----------------------------------------------------------------

    def argued_lines(self, each: Declared) -> Iterator[tuple[str, Line]]:
        """Lines of the system's charts that it names for a field, other than the one declared."""
        rules = self.source.state.game.ruleset
        for field in fields_of(rules.Reaction if each.reaction else rules.Declaration):
            chart = rules.chart(field.picks.chart) if field.picks.of == "chart" else None
            if chart is None or (each.who, field.name) not in self.named_fields:
                continue
            now = (each.fields.get(field.name), each.wish.get(field.name))
            for line in chart.lines:
                other = line.value not in now and line.number not in now
                if other and self.names(str(line.value)):
                    yield field.name, line

    def argued_rating(self) -> tuple[str, str, int] | None:
        """The rating that it names, and the one number that it says: (character, name, number)."""
        numbers = {int(each) for each in re.findall(r"(?<![\w.])\d{1,3}(?![\w])", self.text)}
        if len(self.ratings) != 1 or len(numbers) != 1:
            return None
        [(who, name)], [number] = self.ratings, numbers
        return None if self.sheet(who, self.seq).get(name) == number else (who, name, number)


SHORT = 3
"""Letters of a name that can be looked for in a text, at least."""


def subject_of(
    source: Source, chain: Chain, steps: tuple[Step, ...], entry: RecordedEvent
) -> Subject:
    """The subject of the dispute that this entry raised."""
    step = next((each for each in steps if entry.seq in each.entries), None)
    words = step.quotes[0].text if step and step.quotes else None
    return Subject(source, chain, steps, entry.event.by, entry.seq, (words or "").lower())


def _values(*given: Any) -> Iterator[str]:
    """The words in the values of a field: as it was settled, and as it was asked for."""
    for each in given:
        if isinstance(each, dict):
            yield from (spaced(str(key)) for key in each)
        elif isinstance(each, str):
            yield spaced(each)


def _scalar(value: Any) -> bool:
    """Whether a field holds one thing: dice by their colours are called dice by everybody."""
    return value not in (None, False, "", [], {}) and not isinstance(value, (dict, list))
