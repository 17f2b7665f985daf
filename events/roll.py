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
    part, 64 hex digits each; `next` commits to the seed of the roll's next throw. Typed dice
    carry `throw` and `source` alone.
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


class RollDeclared(RollEventBase, frozen=True, tag="roll-declared/1"):
    """A character set out to roll; the declaration is settled: it holds the sheet's numbers.

    `follows` is the number of an earlier roll and the link by which this one follows it. `effects`
    are prices paid at once. `commit` is the commitment to the seed of throw 0.
    """

    character: str
    declaration: JSON
    visibility: Visibility
    level: Level
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


class NonceCommitted(RollEventBase, frozen=True, tag="nonce-committed/1"):
    """The roller bound its nonce for a throw and `asked` other seats for theirs. Always open."""

    throw: int
    nonce_commit: str
    committed: int
    asked: tuple[str, ...]


class WitnessGiven(RollEventBase, frozen=True, tag="witness-given/1"):
    """A seat that was asked gave its nonce, 64 hex digits. Always open."""

    throw: int
    nonce: str


class SeatsPassedOver(RollEventBase, frozen=True, tag="seats-passed-over/1"):
    """The throw goes on without seats that were asked and gave no nonce in time. Always open."""

    throw: int
    seats: tuple[str, ...]


class NonceWithheld(RollEventBase, frozen=True, tag="nonce-withheld/1"):
    """`seat` bound its nonce, knew every other one, and did not throw in time. Always open.

    `by` is the seat that reported it.
    """

    throw: int
    seat: str


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


class RollVoided(RollEventBase, frozen=True, tag="roll-voided/1"):
    """The roll counts for nothing; the outstanding throw's seed, and any nonce, are opened."""

    throw: int | None = None
    seed: str | None = None
    nonce: str | None = None


class RollRevealed(RollEventBase, frozen=True, tag="roll-revealed/1"):
    """A hidden roll was made visible to everybody. Always open."""


class ThrowConfirmed(RollEventBase, frozen=True, tag="throw-confirmed/1"):
    """A seat other than the one that typed them confirmed the faces of a throw of physical dice."""

    throw: int


RollEvent: TypeAlias = (
    RollDeclared
    | ReactionDeclared
    | NonceCommitted
    | WitnessGiven
    | SeatsPassedOver
    | NonceWithheld
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
