"""What people decided about a roll: vetoes, flavour, fates, amendments, disputes, rulings.

The reason is the text (`urim.events.table.TextSaid`) at the end of the commit.
"""

from typing import Literal, TypeAlias

from .base import JSON, Effect
from .roll import RollEventBase


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


class RollAmended(RollEventBase, frozen=True, tag="roll-amended/1"):
    """What `character` had declared was wrong; `declared` is the corrected whole.

    Where the roll was resolved, `outcome` and `effects` replace the announced ones; applied damage
    lapses.
    """

    character: str
    declared: JSON
    outcome: JSON | None = None
    effects: tuple[Effect, ...] = ()


class DisputeRaised(RollEventBase, frozen=True, tag="dispute-raised/1"):
    """A seat disputes the roll."""


class RulingMade(RollEventBase, frozen=True, tag="ruling-made/1"):
    """A narrator decided the dispute raised by entry `dispute`."""

    dispute: int
    ruling: Literal["stands", "amend", "void", "replay"]


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
