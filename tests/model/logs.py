"""The log of the model: its entries, and what an audit makes of them, one entry at a time.

`step` is the audit: it gives what the log comes to with one entry more, or None where that entry is
a failure or a look that nothing later can mend. Each rule is one row of GUARDS, or one branch of
how an entry is folded, by its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from tests.model.shares import Rules

Link = tuple[str | int, int]
"""A chain and a place in it: an honest seat's chains are numbered, all others are `LEAGUE`."""

LEAGUE = "league"


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """One entry, made by `entry`: entries of the same fields are the same object.

    kind: anchor, declare, effect, ask, throw, nonce, break or epoch. who: whose anchor, which seat
    rolls. chain: the number of an honest seat's own chain, LEAGUE for one that the league knows.
    deed: whether the declared roll is the one that counts. bit: of a chain of the league, of the S
    behind the published C (of a throw: of the S it opens), of a nonce. dice: which dice. at: the
    place of the C that an ask answers. parts: (seat, i) of an ask, (seat, bit) of a throw.
    """

    kind: str
    who: str = ""
    chain: str | int = LEAGUE
    deed: bool = False
    bit: int = 0
    dice: int = 0
    at: int = 0
    parts: tuple[tuple[str, int], ...] = ()


@cache
def entry(  # the fields of Entry
    kind: str,
    who: str = "",
    chain: str | int = LEAGUE,
    *,
    deed: bool = False,
    bit: int = 0,
    dice: int = 0,
    at: int = 0,
    parts: tuple[tuple[str, int], ...] = (),
) -> Entry:
    """The one entry with these fields, so that logs are compared and hashed at once."""
    return Entry(kind, who, chain, deed, bit, dice, at, parts)


Log = tuple[Entry, ...]
Leaf = tuple[int, Entry]
"""An entry and its place: the same leaf can stand behind another past."""


class Anchor(NamedTuple):
    """A seat's newest anchor: its chain, the league's bit, how many asks named it since."""

    chain: str | int
    bit: int
    asks: int


class Roll(NamedTuple):
    """The roll that waits for its throw: whether it is the deed, who rolls, S, and where C is."""

    deed: bool
    roller: str
    bit: int
    leaf: Leaf


class Open(NamedTuple):
    """The open ask, with the S that it answers and the anchors that stood before it."""

    leaf: Leaf
    bit: int
    anchors: Mapping[str, Anchor]


class Thrown(NamedTuple):
    """One throw: the leaf that it answers (an ask's; a C's for a nonce), and whose bits it has."""

    leaf: Leaf
    links: tuple[tuple[str, Link, int], ...]


@dataclass(frozen=True)
class Fold:
    """What a log comes to.

    made: every anchor, with the epoch that it stands behind. face: what the deed's throw shows.
    honest: the seats whose shares were asked for it. left: whether an ask was left open.
    """

    size: int
    last: Entry
    anchors: Mapping[str, Anchor]
    made: tuple[tuple[str, str | int, Leaf | None], ...] = ()
    epoch: Leaf | None = None
    roll: Roll | None = None
    ask: Open | None = None
    effect: int = 0
    deeds: int = 0
    asks: int = 0
    face: int | None = None
    asked: tuple[str, ...] = ()
    thrown: tuple[Thrown, ...] = ()
    broken: frozenset[Leaf] = frozenset()


EMPTY = Fold(0, entry("nothing"), {})


def place(rules: Rules, fold: Fold, seat: str) -> Link:
    """The link that the open ask wants of a seat; or the newest one where it does not say."""
    assert fold.ask is not None
    anchors = fold.ask.anchors if "anchored-before" in rules else fold.anchors
    anchor = anchors[seat]
    named = dict(fold.ask.leaf[1].parts)
    return anchor.chain, named.get(seat, anchor.asks)


# --- what an audit refuses ------------------------------------------------------------------------

QUIET = ("declare", "effect", "ask")
"""What changes the table; an anchor between ask and throw is the matter of `anchored-before`."""


def _unanchored(fold: Fold, entry: Entry) -> bool:
    if entry.kind == "anchor":
        return fold.ask is not None
    return entry.kind == "ask" and any(seat not in fold.anchors for seat, _ in entry.parts)


def _miscounted(fold: Fold, entry: Entry) -> bool:
    if entry.kind != "ask":
        return False
    counts = {seat: anchor.asks + 1 for seat, anchor in fold.anchors.items()}
    return any(i != counts.get(seat, 1) for seat, i in entry.parts)


def _leaves_open(fold: Fold, entry: Entry) -> bool:
    return fold.ask is not None and entry.kind in ("declare", "ask")


Guard = Callable[[Fold, Entry], bool]

GUARDS: Mapping[str, Guard] = {
    "committed": lambda fold, entry: bool(
        entry.kind == "throw" and fold.ask and entry.bit != fold.ask.bit
    ),
    "dice-asked": lambda fold, entry: bool(
        entry.kind == "throw" and fold.ask and entry.dice != fold.ask.leaf[1].dice
    ),
    "all-open": lambda fold, entry: bool(
        entry.kind == "throw"
        and fold.ask
        and {seat for seat, _ in fold.ask.leaf[1].parts} - {seat for seat, _ in entry.parts}
    ),
    "anchored-before": _unanchored,
    "anchor-look": lambda fold, entry: entry.kind == "anchor" and entry.who in fold.anchors,
    "counted": _miscounted,
    "quiet": lambda fold, entry: fold.ask is not None and entry.kind in QUIET,
    "open-look": _leaves_open,
    "break-look": lambda _, entry: entry.kind == "break",
    "again-look": lambda fold, entry: entry.deed and fold.deeds > 0,
    "epoch-look": lambda _, entry: entry.kind == "epoch",
}
"""The rule -> whether an entry breaks it. What the other rules of a log say, the fold does."""


def step(rules: Rules, fold: Fold, entry: Entry) -> Fold | None:
    """What the log comes to with one entry more; None where a rule makes that a finding."""
    if any(name in rules and broken(fold, entry) for name, broken in GUARDS.items()):
        return None
    after = STEPS[entry.kind](rules, fold, entry)
    return replace(after, size=fold.size + 1, last=entry)


# --- what an entry does ---------------------------------------------------------------------------


def _anchor(_: Rules, fold: Fold, entry: Entry) -> Fold:
    anchors = {**fold.anchors, entry.who: Anchor(entry.chain, entry.bit, 0)}
    return replace(fold, anchors=anchors, made=(*fold.made, (entry.who, entry.chain, fold.epoch)))


def _declare(_: Rules, fold: Fold, entry: Entry) -> Fold:
    roll = Roll(entry.deed, entry.who, entry.bit, (fold.size, entry))
    deeds = fold.deeds + entry.deed
    face = None if entry.deed else fold.face
    return replace(fold, roll=roll, ask=None, deeds=deeds, face=face)


def _effect(_: Rules, fold: Fold, __: Entry) -> Fold:
    return replace(fold, effect=1 - fold.effect)


def _ask(rules: Rules, fold: Fold, entry: Entry) -> Fold:
    assert fold.roll is not None
    named = {seat for seat, _ in entry.parts} if "who-asked" in rules else set(fold.anchors)
    anchors = {
        seat: anchor._replace(asks=anchor.asks + (seat in named))
        for seat, anchor in fold.anchors.items()
    }
    ask = Open((fold.size, entry), fold.roll.bit, anchors)
    return replace(fold, ask=ask, anchors=anchors, asks=fold.asks + 1)


def _throw(rules: Rules, fold: Fold, entry: Entry) -> Fold:
    assert fold.roll is not None
    assert fold.ask is not None
    dice = entry.dice if "plan-holds" in rules else entry.dice ^ fold.effect
    links = tuple((seat, place(rules, fold, seat), bit) for seat, bit in entry.parts)
    thrown = (*fold.thrown, Thrown(fold.ask.leaf, links))
    done = replace(fold, roll=None, ask=None, thrown=thrown)
    if not fold.roll.deed:
        return done
    face = (entry.bit + dice + sum(bit for _, bit in entry.parts)) % 2
    asked = fold.ask.leaf[1].parts if "who-asked" in rules else entry.parts
    return replace(done, face=face, asked=tuple(seat for seat, _ in asked))


def _nonce(_: Rules, fold: Fold, entry: Entry) -> Fold:
    assert fold.roll is not None
    thrown = Thrown(fold.roll.leaf, ((fold.roll.roller, ("c", 0), entry.bit),))
    done = replace(fold, roll=None, thrown=(*fold.thrown, thrown))
    if not fold.roll.deed:
        return done
    return replace(done, face=fold.roll.bit ^ entry.bit, asked=(fold.roll.roller,))


def _given_back(rules: Rules, fold: Fold) -> Fold:
    """The open ask is over without a throw; unless shares are spent, its links are asked again."""
    if fold.ask is None or "spent" in rules:
        return replace(fold, ask=None)
    named = dict(fold.ask.leaf[1].parts) if "who-asked" in rules else fold.ask.anchors
    anchors = {
        seat: anchor._replace(asks=anchor.asks - (seat in named))
        for seat, anchor in fold.anchors.items()
    }
    return replace(fold, ask=None, anchors=anchors, broken=fold.broken | {fold.ask.leaf})


def _break(rules: Rules, fold: Fold, entry: Entry) -> Fold:
    assert fold.roll is not None
    roll = fold.roll._replace(bit=entry.bit, leaf=(fold.size, entry))
    return replace(_given_back(rules, fold), roll=roll)


def _epoch(rules: Rules, fold: Fold, entry: Entry) -> Fold:
    leaf = (fold.size, entry)
    if fold.ask is not None and "epoch-breaks" not in rules:
        after = replace(fold, ask=fold.ask._replace(bit=entry.bit))
    else:
        after = _given_back(rules, fold)
    roll = fold.roll and fold.roll._replace(bit=entry.bit, leaf=leaf)
    anchors = {} if "chains-end" in rules else after.anchors
    return replace(after, roll=roll, anchors=anchors, epoch=leaf)


STEPS: Mapping[str, Callable[[Rules, Fold, Entry], Fold]] = {
    "anchor": _anchor,
    "declare": _declare,
    "effect": _effect,
    "ask": _ask,
    "throw": _throw,
    "nonce": _nonce,
    "break": _break,
    "epoch": _epoch,
}
"""The kind of an entry -> what the log comes to with it."""
