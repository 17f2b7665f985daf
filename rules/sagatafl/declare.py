"""What is declared before the dice fall in Sagatafl, and how many dice are thrown for it."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct, structs

from ...errors import Refused
from ...events.base import Effect
from ..forms import CHARACTER, SHEET, chart, empty, field, numbers
from ..ruleset import Roll, Rollable, Sheet, must_name_another
from .options import Name, Options

RATING_MOST = 100  # far beyond any character; keeps a throw within what an engine accepts
RD_LEAST, RD_MOST = 1, 30

DIFFICULTIES: Mapping[str, int] = {"routine": 4, "default": 8, "very hard": 12}
"""Roll Difficulties that have a name (another page of the author, not the one on rolls)."""

CHARTS = (numbers("difficulties", "Roll Difficulties", DIFFICULTIES, unit="RD"),)

TRAIT, DIFFICULTY, ROLL = "Trait", "Difficulty", "Roll"
"""The headings of the form."""

Rating = Annotated[int, Meta(ge=0, le=RATING_MOST)]
Difficulty = Annotated[int, Meta(ge=RD_LEAST, le=RD_MOST)]
Change = Annotated[int, Meta(ge=-RD_MOST, le=RD_MOST)]


class Side(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What either side of a roll declares."""

    trait: Annotated[
        Name | None,
        field("Trait", "What is rolled for, by its name on the sheet.", group=TRAIT, picks=SHEET),
    ] = None
    rating: Annotated[
        Rating | None,
        field("Rating", "The trait's dice; left out, the sheet's.", group=TRAIT),
    ] = None
    specialisation: Annotated[
        Name | None,
        field("Specialisation", "The one that applies, for an extra die.", group=TRAIT, said="+"),
    ] = None
    edge: Annotated[
        Name | None,
        field("Edge", "The Edge of the stat that applies, for an extra die.", group=TRAIT),
    ] = None
    rd: Annotated[
        Name | Difficulty,
        field(
            "Roll Difficulty",
            "How hard it is, a number or a name. (The names are from another page of the author.)",
            group=DIFFICULTY,
            picks=chart("difficulties"),
            said="vs",
        ),
    ] = "default"
    modifiers: Annotated[
        dict[Name, Change],
        Meta(max_length=20),
        field(
            "Modifiers",
            "What changes the difficulty, by name: penalties above 0, bonuses below. (The signs are"
            " from another page of the author.)",
            group=DIFFICULTY,
        ),
    ] = {}
    safe: Annotated[
        bool | None,
        field(
            "Safe roll",
            "Whether the roll is Safe; left out, what is usual for the trait.",
            group=ROLL,
        ),
    ] = None
    sheet_rating: Annotated[
        int | None, field("Rating on the sheet", "Where no rating is declared.", group=TRAIT)
    ] = None

    @property
    def rated(self) -> int:
        """The rating that counts, in dice."""
        return (self.sheet_rating or 0) if self.rating is None else self.rating

    @property
    def difficulty(self) -> int:
        """The settled Roll Difficulty with all that modifies it."""
        return int(self.rd) + sum(self.modifiers.values())


class Declaration(Side, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the initiator rolls for, and how hard it is."""

    saving_throw: Annotated[
        bool,
        field("Saving throw", "It can succeed in part.", group=ROLL, when=empty("opponent")),
    ] = False
    opponent: Annotated[
        Name | None,
        field(
            "Opponent",
            "A character who rolls against this one; it makes the roll opposed.",
            group=ROLL,
            when=empty("saving_throw"),
            picks=CHARACTER,
            said="vs",
        ),
    ] = None


class Reaction(Side, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The opponent's own roll, against a difficulty of its own."""


class Pool(Struct, frozen=True):
    """The dice of one side by what gives them: the trait's rating, a specialisation or an Edge."""

    rating: int
    extra: int
    dice: int


Either = TypeVar("Either", Declaration, Reaction)


def pool(side: Side, opts: Any) -> Pool:
    """How many dice a settled side throws (Rolling); `opts` are the options, or they Consulted."""
    named = sum(name is not None for name in (side.specialisation, side.edge))
    extra = 1 if named == 2 and opts.spec_and_edge == "one" else named
    dice = side.rated + extra
    if dice < 1:
        dice = 1 if opts.no_dice == "one" else 0
    return Pool(side.rated, extra, dice)


def rollables(options: Options, sheet: Sheet) -> tuple[Rollable, ...]:
    """A roll for each trait of the sheet; its difficulty is asked."""
    return tuple(Rollable(name, {"trait": name}, ("rd",)) for name in sheet.attributes)


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The declaration, its difficulty and rating as numbers; it costs nothing. Raises Refused."""
    must_name_another(declaration, sheet)
    if declaration.opponent is not None and declaration.saving_throw:
        raise Refused(
            "malformed",
            f"an opposed saving throw, by {declaration.opponent}: the book has no rule for one,"
            " and Urim reads this as none",
            allowed=("saving_throw", "opponent"),
        )
    return _concrete(options, declaration, sheet), ()


def answer(
    roll: Roll, reaction: Reaction | None, sheet: Sheet
) -> tuple[Reaction | None, tuple[Effect, ...]]:
    """The reaction with its numbers; None (declined) stays None. Raises Refused."""
    return None if reaction is None else _concrete(roll.options, reaction, sheet), ()


def _concrete(options: Options, side: Either, sheet: Sheet) -> Either:
    side = structs.replace(side, rd=_named_rd(side.rd), sheet_rating=_sheet_rating(side, sheet))
    if not 0 <= side.rated <= RATING_MOST:
        raise Refused(
            "out-of-range",
            f"{side.trait} is rated {side.rated}",
            allowed=(f"0 to {RATING_MOST}",),
        )
    if not RD_LEAST <= side.difficulty <= RD_MOST:
        raise Refused(
            "out-of-range",
            f"RD {side.rd} with {side.modifiers} is RD {side.difficulty}",
            allowed=(f"RD {RD_LEAST} to {RD_MOST}",),
        )
    if pool(side, options).dice < 1:
        raise Refused(
            "out-of-range",
            f"a rating of {side.rated} gives no dice to roll",
            allowed=("1 or more",),
        )
    return side


def _named_rd(rd: str | int) -> int:
    if isinstance(rd, int):
        return rd
    if rd.lower() not in DIFFICULTIES:
        named = (f"{name} {number}" for name, number in DIFFICULTIES.items())
        known = (*named, f"{RD_LEAST} to {RD_MOST}")
        raise Refused("unknown", f"no such Roll Difficulty: {rd!r}", allowed=known)
    return DIFFICULTIES[rd.lower()]


def _sheet_rating(side: Side, sheet: Sheet) -> int | None:
    """The trait's rating on the sheet, where none is declared."""
    if side.rating is not None:
        return None
    if side.trait is None:
        raise Refused("malformed", "name a trait or a rating", allowed=sheet.attributes)
    if side.trait not in sheet.attributes:
        raise Refused(
            "unknown", f"{sheet.character} has no {side.trait!r}", allowed=sheet.attributes
        )
    return sheet.whole(side.trait)
