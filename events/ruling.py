"""What people decided about a roll: vetoes, flavour, fates, amendments, disputes, rulings.

The reason is the text (`urim.events.table.TextSaid`) at the end of the commit.
"""

from typing import Literal, TypeAlias

from .base import JSON, Effect
from .roll import RollEventBase

Ruling: TypeAlias = Literal["stands", "amend", "void", "replay"]
"""What a narrator decides about a dispute."""


class DeclarationVetoed(RollEventBase, frozen=True, tag="declaration-vetoed/1"):
    """A narrator refused a declaration before the first throw; only a replacement lets it go on."""


class DeclarationReplaced(RollEventBase, frozen=True, tag="declaration-replaced/1"):
    """A narrator put another ability in place of the declared one; `declared` is the whole."""

    declared: JSON
    effects: tuple[Effect, ...] = ()


class FlavourNamed(RollEventBase, frozen=True, tag="flavour-named/1"):
    """Words that the final dice of a hand spell, named for the story; never a number."""

    hand: str
    words: tuple[str, ...]
    tone: str


class FateDecided(RollEventBase, frozen=True, tag="fate-decided/1"):
    """What a narrator made of damage: the character killed, the part destroyed, or spared."""

    character: str
    fate: Literal["killed", "destroyed", "spared"]
    part: str | None = None


class RollAmended(RollEventBase, frozen=True, tag="roll-amended/2"):
    """What `character` had declared was wrong; `declared` is the corrected whole.

    Where the roll was resolved, `outcome` and `effects` replace the announced ones; applied damage
    lapses, and is announced behind this where it still holds. `needless` are all entries of the
    roll that count no more, because nobody would have been asked for them: a location die, or a
    choice.
    """

    character: str
    declared: JSON
    outcome: JSON | None = None
    effects: tuple[Effect, ...] = ()
    needless: tuple[int, ...] = ()


class DisputeRaised(RollEventBase, frozen=True, tag="dispute-raised/1"):
    """A seat disputes the roll."""


class RulingMade(RollEventBase, frozen=True, tag="ruling-made/2"):
    """A narrator decided the dispute raised by entry `dispute`; what was ruled is done behind this.

    The roll stands; or it is amended, or voided, by the next events of the commit. A `replay` voids
    it, and it is declared again as roll `instead`, which no other ruling has.
    """

    dispute: int
    ruling: Ruling
    instead: int | None = None


RulingEvent: TypeAlias = (
    DeclarationVetoed
    | DeclarationReplaced
    | FlavourNamed
    | FateDecided
    | RollAmended
    | DisputeRaised
    | RulingMade
)
"""Every event by which people decide about a roll."""
