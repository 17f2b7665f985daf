"""What the log has about what people dispute: kinds of facts, and which of them a text asks for.

A text is looked through for words alone, and nothing is concluded from it: what is shown are facts
of the log, under the heading of their kind.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...projections.isolates import isolated
from ...projections.lexicon import Lexicon, name_text
from ...projections.phrases import shown, spaced
from ...projections.rollstate import RollState
from ...projections.wording import rating_text
from ...rules.words import spaced as words_of
from .chain import Chain, hand_named
from .facts import Answer, Step
from .source import Source, asked_body

MOST = 4
"""Sentences of a kind, at most."""


class Asked(Struct, frozen=True):
    """A roll under dispute, and the words of the dispute, in lower case."""

    source: Source
    chain: Chain
    steps: tuple[Step, ...]
    roll: RollState
    text: str

    @property
    def lexicon(self) -> Lexicon:
        """The words of the table."""
        return Lexicon(self.source.state)

    def step(self, seq: int) -> int:
        """The step of an entry."""
        return next((each.number for each in self.steps if seq in each.entries), 0)

    def hands(self) -> Iterator[tuple[int, str, str, Any]]:
        """Each event that handles dice of the chain: its step, character, hand, and itself."""
        for roll in self.chain.rolls:
            for entry in roll.trail:
                if isinstance(entry.event, HANDLING):
                    hand = roll.roll.hand(entry.event.hand)
                    if hand is not None:
                        yield self.step(entry.seq), hand.character, hand.name, entry.event

    def first_dice(self) -> int:
        """The step at which the first die of the chain fell; 0 where none did."""
        fell = (step for step, _, _, event in self.hands() if isinstance(event, THROWING))
        return min(fell, default=0)


HANDLING = (rolled.DiceRolled, rolled.DiceRerolled, rolled.DiceFrozen, rolled.DiceAdjusted)
THROWING = (rolled.DiceRolled, rolled.DiceRerolled)


def answers(asked: Asked) -> tuple[Answer | None, tuple[Answer, ...]]:
    """The facts that fit the words of a dispute best, if any do; then others worth knowing."""
    found = {kind: Answer(kind, tuple(facts(asked))[:MOST]) for kind, _, facts in KINDS}
    known = {kind: each for kind, each in found.items() if each.sentences}
    hits = {kind: _hits(asked, words) for kind, words, _ in KINDS if kind in known}
    hits = {kind: count for kind, count in hits.items() if count}
    if not hits:
        return None, tuple(known[kind] for kind in (ORDER,) if kind in known)
    best = max(hits, key=lambda kind: hits[kind])
    others = [kind for kind in known if kind != best and (kind in hits or kind == ORDER)]
    return known[best], tuple(known[kind] for kind in others)


def _hits(asked: Asked, words: Callable[[Asked], Iterable[str]]) -> int:
    return sum(bool(re.search(word, asked.text)) for word in words(asked))


# --- the order of steps ---------------------------------------------------------------------------


def _order(asked: Asked) -> Iterator[str]:
    """For two people: the last touch of the one before, or after, the first die of the other."""
    handled = list(asked.hands())
    first: dict[tuple[str, str], int] = {}
    for step, who, hand, event in handled:
        if isinstance(event, THROWING):
            first.setdefault((who, hand), step)
    for (other, other_hand), fell in first.items():
        for (who, hand), begun in first.items():
            if who == other or begun >= fell:
                continue
            touched = [step for step, *of, _ in handled if of == [who, hand]]
            name, named = (name_text(asked.source.state, each) for each in (who, other))
            last, late = max(step for step in touched if step < fell), max(touched)
            dice, its = (hand_named(asked.lexicon, each) for each in (hand, other_hand))
            yield (
                f"{name} last touched the dice{dice} at step {last};"
                f" the first die of {named}{its} fell at step {fell}."
            )
            if late > fell:
                yield f"{name} touched those dice after that too, last at step {late}."


# --- dice -----------------------------------------------------------------------------------------


def _dice(asked: Asked) -> Iterator[str]:
    """What was done to the dice that are named, else to all: turned, thrown again, kept."""
    named = set(re.findall(r"\bd\d+\b", asked.text))
    for step, who, _, event in asked.hands():
        name = name_text(asked.source.state, who)
        dice = [each if isinstance(each, str) else each.die for each in event.dice]
        if named and not named & set(dice):
            continue
        which = ", ".join(dict.fromkeys(dice))
        if isinstance(event, rolled.DiceAdjusted) and dice:
            means = asked.lexicon.of("means", event.means)
            to = ", ".join(f"{each.die} to {isolated(each.face)}" for each in event.dice)
            yield f"{name} turned {to}, by {means}, at step {step}."
        elif isinstance(event, rolled.DiceRerolled):
            yield f"{name} threw {which} again at step {step}."
        elif isinstance(event, rolled.DiceFrozen) and dice:
            yield f"{name} kept {which} at step {step}."


def _dice_words(asked: Asked) -> Iterator[str]:
    yield from (
        r"\bd\d+\b",
        r"\bkep[t]?\b|\bkeep",
        r"\bagain\b|\brerol|\brethr",
        r"\bdice\b|\bdie\b",
    )
    yield from (r"\bturn", r"\bmov(e|ed)\b", r"\bchang", r"\badjust", r"\bflip")
    for _, _, _, event in asked.hands():
        if isinstance(event, rolled.DiceAdjusted):
            yield from map(re.escape, asked.lexicon.of("means", event.means).lower().split())


# --- who declared what ----------------------------------------------------------------------------


DECLARING: Mapping[type, str] = {
    rolled.RollDeclared: "declaration",
    rolled.ReactionDeclared: "reaction",
    ruling.DeclarationReplaced: "declared",
    ruling.RollAmended: "declared",
}
"""Events that declare something, and the field that holds it."""


def _declarations(asked: Asked) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Each declaration, answer, replacement and amendment: its entry, character and fields."""
    settled = asked.source.state.game.ruleset.settled
    for roll in asked.chain.rolls:
        for entry in roll.trail:
            event: Any = entry.event
            fields = DECLARING.get(type(event))
            if fields is not None:
                who = getattr(event, "character", roll.roll.character)
                given = getattr(event, fields) or {}
                yield entry.seq, who, {k: v for k, v in given.items() if k not in settled}


def _asked_for(asked: Asked, seq: int) -> dict[str, Any]:
    """The fields as somebody asked for them, in words that the rules then settled."""
    body = asked_body(asked.source.entries[seq])
    found = body.get("declaration") or body.get("reaction") or body.get("fields") or {}
    return found if isinstance(found, dict) else {}


def _declared(asked: Asked) -> Iterator[str]:
    """The fields that the dispute's words name, else all; and before which die."""
    state, first = asked.source.state, asked.first_dice()
    for seq, who, fields in _declarations(asked):
        given = {k: v for k, v in fields.items() if v not in (None, False, 0, "", [], {})}
        wish = _asked_for(asked, seq)
        named = {
            key: value
            for key, value in fields.items()
            if any(_named(asked, w) for w in (*_parts(key, value), *_parts("", wish.get(key))))
        }
        step = asked.step(seq)
        said = ", ".join(
            f"{spaced(key)} {shown(state, value)}{_as_asked(wish.get(key), value)}"
            for key, value in (named or given).items()
        )
        if not said:
            continue
        when = ""
        if first:
            when = "before any die fell" if step < first else "after the first die"
            when = f", {when} (step {first})"
        yield f"{name_text(state, who)}: {said}, since step {step}{when}."
        yield from _on_the_sheet(asked, who, seq)


def _on_the_sheet(asked: Asked, who: str, seq: int) -> Iterator[str]:
    """The ratings that the dispute's words name, as they were when somebody declared."""
    known = asked.source.state.characters.get(who)
    for name, rating in (known.attributes_before(seq) if known else {}).items():
        if _named(asked, words_of(name).lower()):
            sheet = f"{spaced(name)} on the sheet of {name_text(asked.source.state, who)}"
            yield f"{sheet} at step {asked.step(seq)}: {rating_text(rating)}."


def _as_asked(wish: Any, value: Any) -> str:
    """The word that somebody asked with, where the rules made a number of it."""
    return f" (asked for as {isolated(wish)})" if isinstance(wish, str) and wish != value else ""


def _parts(name: str, value: Any) -> Iterator[str]:
    """The words by which somebody may name a field, or its value."""
    yield from words_of(name).lower().split()
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _parts(str(key), item)
    elif isinstance(value, str):
        yield from words_of(value).lower().split()


SHORT = 3
"""Letters of a word that says something, at least."""


COMMON = ("dice", "die", "roll", "the", "and", "for")
"""Words that name a field, and are in every dispute."""


def _named(asked: Asked, word: str) -> bool:
    return (
        len(word) >= SHORT
        and word not in COMMON
        and bool(re.search(rf"\b{re.escape(word)}\b", asked.text))
    )


def _declared_words(asked: Asked) -> Iterator[str]:
    yield from (r"\bdeclar", r"\bannounc", r"\bdifficult", r"\bmodifier", r"\bhad (a|an|the|my)\b")
    for seq, _, fields in _declarations(asked):
        wish = _asked_for(asked, seq)
        for key, value in fields.items():
            for word in (*_parts(key, value), *_parts("", wish.get(key))):
                if len(word) >= SHORT and word not in COMMON:
                    yield rf"\b{re.escape(word)}\b"


# --- what was visible -----------------------------------------------------------------------------


def _visible(asked: Asked) -> Iterator[str]:
    for roll in asked.chain.rolls:
        if roll.visibility == "public":
            yield f"Roll {roll.number} was open: everybody at the table saw each die as it fell."
        elif roll.revealed_at is None:
            yield f"Roll {roll.number} is hidden ({roll.visibility}), and was not revealed."
        else:
            seen = asked.step(roll.revealed_at)
            yield f"Roll {roll.number} was hidden ({roll.visibility}) until step {seen}."


ORDER = "Which came first"

Words = Callable[[Asked], Iterable[str]]
Facts = Callable[[Asked], Iterator[str]]

KINDS: tuple[tuple[str, Words, Facts], ...] = (
    (
        ORDER,
        lambda _: (r"\bbefore\b", r"\bafter\b", r"\bfirst\b", r"\balready\b", r"\bwait",
                   r"\bthen\b", r"\blate\b|\blater\b", r"\b(saw|seen|knew)\b.*\b(dice|die|throw)"),
        _order,
    ),
    ("What was done to the dice", _dice_words, _dice),
    ("Who declared what, and when", _declared_words, _declared),
    (
        "What could be seen",
        lambda _: (r"\bhidden\b", r"\bsecret", r"\bsee\b|\bsaw\b|\bseen\b", r"\bpeek", r"\blook"),
        _visible,
    ),
)  # fmt: skip
"""Kinds of facts: what each is called, the words that ask for it, and its facts."""
