"""What happened in a roll, from its declaration to its damage, and how each throw can be proved.

Rolls are numbered from 1 within their table; throws from 0 within their roll.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from .base import JSON, AdjustedDie, Effect, EventBase, Level, Thrown, Visibility


class Proof(Struct, frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """What makes a throw checkable by anyone; the byte formats are those of `urim/1`.

    `throw` counts from 0 in the roll. `committed` is the sequence of the entry that published the
    commitment this throw answers; `seed` is the server's secret it opens and `nonce` the roller's
    part (at level `table` its share), 64 hex digits each; `next` commits to the seed of the roll's
    next throw. Typed dice carry `throw` and `source` alone.
    """

    throw: int
    source: Literal["fair", "seeded", "scripted", "manual"]
    committed: int | None = None
    seed: str | None = None
    nonce: str | None = None
    next: str | None = None


class RollEventBase(EventBase, frozen=True):
    """An event of roll number `roll`."""

    roll: int


class RollDeclared(RollEventBase, frozen=True, tag="roll-declared/2"):
    """A character set out to roll; the declaration is settled: it holds the sheet's numbers.

    `level` is that which the declaration named, None where it named none. `follows` is the number
    of an earlier roll and the link by which this one follows it. `effects` are prices paid at once.
    `commit` is the commitment to the seed of throw 0.
    """

    character: str
    declaration: JSON
    visibility: Visibility
    level: Level | None = None
    follows: tuple[int, str] | None = None
    effects: tuple[Effect, ...] = ()
    commit: str | None = None


class ReactionDeclared(RollEventBase, frozen=True, tag="reaction-declared/1"):
    """A character answered a declaration.

    Where it declined, `reaction` is None, or has `declined` and what the rules take from its sheet.
    """

    character: str
    reaction: JSON | None
    effects: tuple[Effect, ...] = ()


class ThrowPlanned(RollEventBase, frozen=True, tag="throw-planned/1"):
    """What a throw at level `table` will show, written before anybody opens a share for it.

    `trigger` is that of the throw, `option` how many of the offered dice are thrown, where that is
    a choice; `dice` are (id, kind) of every die in order. One that is thrown again inside the throw
    stands here once.
    """

    throw: int
    trigger: Literal["roll", "reroll"]
    hand: str
    dice: tuple[tuple[str, str], ...]
    option: int | None = None


class ThrowAsked(RollEventBase, frozen=True, tag="throw-asked/1"):
    """The roller asked for shares of a throw, its own among them. Always open.

    `committed` is the entry of the commitment that the throw answers. `asked` are (seat, i) by
    seat: `i` counts the asks since the seat's anchor that named it, this one too, and says which
    link of its chain it opens. `left` are the seats that have an anchor and are not asked.
    """

    throw: int
    committed: int
    asked: tuple[tuple[str, int], ...]
    left: tuple[str, ...] = ()


class ShareOpened(RollEventBase, frozen=True, tag="share-opened/1"):
    """A seat that was asked opened its share of a throw, 64 hex digits. Always open.

    The commit of the last one holds the throw.
    """

    throw: int
    share: str


class ThrowBroken(RollEventBase, frozen=True, tag="throw-broken/1"):
    """A throw was broken off, for seats `kept` their shares back. Always open.

    The roll stands where it stood before the ask. `seed` opens the commitment, so that who knows
    the shares can compute what would have come; `next` commits to the seed of the next throw, which
    has the next number.
    """

    throw: int
    kept: tuple[str, ...]
    seed: str
    next: str


class DiceRolled(RollEventBase, frozen=True, tag="dice-rolled/1"):
    """The first throw of a hand.

    `option` is how many of the offered dice were thrown, where that was a choice; `taken` is the
    roll whose dice and faces were taken over instead of a throw.
    """

    character: str
    hand: str
    dice: tuple[Thrown, ...]
    option: int | None = None
    proof: Proof | None = None
    taken: int | None = None


class DiceFrozen(RollEventBase, frozen=True, tag="dice-frozen/1"):
    """The complete set of a hand's dice that are frozen from now on."""

    hand: str
    dice: tuple[str, ...]


class DiceRerolled(RollEventBase, frozen=True, tag="dice-rerolled/1"):
    """Some dice of a hand were thrown again; `effects` are the price of more than the free ones."""

    hand: str
    dice: tuple[Thrown, ...]
    proof: Proof
    effects: tuple[Effect, ...] = ()


class DiceAdjusted(RollEventBase, frozen=True, tag="dice-adjusted/1"):
    """The complete set of a hand's dice that show another face than after its last throw."""

    hand: str
    means: str
    dice: tuple[AdjustedDie, ...]


class ChoiceMade(RollEventBase, frozen=True, tag="choice-made/1"):
    """One of the options that the rules offered under the name `choice`; final."""

    character: str
    choice: str
    option: str


class RollResolved(RollEventBase, frozen=True, tag="roll-resolved/1"):
    """The outcome as announced: `outcome` holds degree, margin, figures and readings."""

    outcome: JSON
    effects: tuple[Effect, ...] = ()


class DamageApplied(RollEventBase, frozen=True, tag="damage-applied/1"):
    """The damage as announced: `damage` holds amount, figures and readings."""

    target: str
    damage: JSON
    effects: tuple[Effect, ...] = ()


class RollVoided(RollEventBase, frozen=True, tag="roll-voided/2"):
    """The roll counts for nothing; the seed of the outstanding throw is opened."""

    throw: int | None = None
    seed: str | None = None


class RollRevealed(RollEventBase, frozen=True, tag="roll-revealed/2"):
    """A hidden roll was made visible to everybody. Always open.

    `entries` is how many entries of the log before this one hold an event of the roll, hidden or
    not: from here on everybody may have them all. None in a log of version 0.2, which counts none.
    """

    entries: int | None = None


class ThrowConfirmed(RollEventBase, frozen=True, tag="throw-confirmed/1"):
    """A seat other than the one that typed them confirmed the faces of a throw of physical dice."""

    throw: int


RollEvent: TypeAlias = (
    RollDeclared
    | ReactionDeclared
    | ThrowPlanned
    | ThrowAsked
    | ShareOpened
    | ThrowBroken
    | DiceRolled
    | DiceFrozen
    | DiceRerolled
    | DiceAdjusted
    | ChoiceMade
    | RollResolved
    | DamageApplied
    | RollVoided
    | RollRevealed
    | ThrowConfirmed
)
"""Every event of a roll's own course."""
