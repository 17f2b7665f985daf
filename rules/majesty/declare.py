"""What is declared before the dice fall in Allies of Majesty, and the two values compared."""

from bisect import bisect_right
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from ...errors import Refused
from ...events.base import Effect
from ..forms import (
    CHARACTER,
    OPPOSED,
    SHEET,
    among,
    chart,
    empty,
    field,
    labels,
    outside,
    sheet_of,
)
from ..ruleset import Roll, Rollable, Sheet, declines, must_name_another
from .options import Options

VALUE_MOST = 1_000  # either way, and far beyond any character; keeps the Adjustments few
COST_MOST = 10_000

STRIKER, DEFENDER = "Precision", "Guard"
"""The attributes that a Strike compares, where none is named."""

Name = Annotated[str, Meta(min_length=1, max_length=100)]
Value = Annotated[int, Meta(ge=-VALUE_MOST, le=VALUE_MOST)]
Cost = Annotated[int, Meta(ge=0, le=COST_MOST)]
Points = Annotated[int, Meta(ge=0, le=VALUE_MOST // 2)]
Kind = Literal["strike", "resist", "check"]


CHARTS = (
    labels(
        "kinds",
        "Kinds of rolls",
        {"strike": "Strike", "resist": "Resist Check (the Resister rolls)", "check": "Check"},
    ),
)

OWN, OTHER = "Value", "Opposing value"
"""The headings of the form, behind the kind of roll."""


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The opposing value."""

    value: Annotated[Value | None, field("Value", "The opposing value itself.", group=OTHER)] = None
    attribute: Annotated[
        Name | None,
        field(
            "Attribute",
            "By its name on the sheet; left out, of a Strike it is Guard.",
            group=OTHER,
            when=(outside("declaration.kind", "resist"), empty("value")),
            picks=SHEET,
        ),
    ] = None
    cost: Annotated[
        Cost | None,
        field(
            "Cost",
            "The cost of a Spiritual Effect, a tenth of which counts.",
            group=OTHER,
            when=among("declaration.kind", "resist"),
        ),
    ] = None
    spp: Annotated[
        Points | None,
        field(
            "SPP",
            "The points of a Song, which count double.",
            group=OTHER,
            when=among("declaration.kind", "resist"),
        ),
    ] = None
    sheet_rating: Annotated[
        int | None, field("Rating on the sheet", "Where no value is given.", group=OTHER)
    ] = None
    declined: Annotated[
        bool, field("Declined", "The character declined, and what its sheet has counts.")
    ] = False


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What kind of roll is made, and what is compared.

    The opponent reacts with the opposing value, unless it is declared. Without an opponent that may
    not be the greater.
    """

    kind: Annotated[Kind, field("Kind", "What kind of roll it is.", picks=chart("kinds"))]
    value: Annotated[
        Value | None,
        field(
            "Value",
            "The value compared; left out, the sheet's rating of the attribute, in a Resist Check a"
            " tenth of it.",
            group=OWN,
        ),
    ] = None
    attribute: Annotated[
        Name | None,
        field(
            "Attribute",
            "By its name on the sheet; left out, of a Strike it is Precision.",
            group=OWN,
            when=empty("value"),
            picks=SHEET,
        ),
    ] = None
    opponent: Annotated[
        Name | None,
        field("Opponent", "The character rolled against.", group=OTHER, picks=CHARACTER, said="vs"),
    ] = None
    opposing: Annotated[
        Value | None,
        field(
            "Opposing value",
            "The other value; left out, the opponent reacts with it.",
            group=OTHER,
            said="vs",
        ),
    ] = None
    opposing_attribute: Annotated[
        Name | None,
        field(
            "Opposing attribute",
            "What counts for the opponent where it names none, or declines (a Strike: Guard).",
            group=OTHER,
            when=(outside("kind", "resist"), OPPOSED, empty("opposing")),
            picks=sheet_of("opponent"),
        ),
    ] = None
    cost: Annotated[
        Cost | None,
        field(
            "Cost",
            "The cost of a Spiritual Effect, a tenth of which opposes the roll.",
            group=OTHER,
            when=among("kind", "resist"),
        ),
    ] = None
    spp: Annotated[
        Points | None,
        field(
            "SPP",
            "The points of a Song, which oppose the roll doubled.",
            group=OTHER,
            when=among("kind", "resist"),
        ),
    ] = None
    sheet_rating: Annotated[
        int | None, field("Rating on the sheet", "Where no value is given.", group=OWN)
    ] = None


class Comparison(Struct, frozen=True):
    """The two values and what comes of them: `adjustments` for the character `side`.

    A value with no character behind it, a trap's or a cost's, is the narrators' side: "".
    """

    value: int
    opposing: int | None
    adjustments: int
    side: str

    @property
    def difference(self) -> int:
        """By how much the roller's value is the greater (above 0) or the lesser."""
        return 0 if self.opposing is None else self.value - self.opposing


def adjustments(difference: int) -> int:
    """How many Adjustments a difference between the values gives, whichever is greater."""
    distance = abs(difference)
    return bisect_right((1, 3, 6), distance) if distance < 10 else 4 + (distance - 10) // 5


def compared(roll: Roll, opts: Any) -> Comparison:
    """The comparison of a settled roll; `opts` are its options, or they Consulted."""
    declaration: Declaration = roll.declaration
    own = _own(declaration)
    other = given(declaration)
    reactions = dict(roll.reactions)
    if other is None and declaration.opponent in reactions:
        reaction = reactions[declaration.opponent]
        other = _of_a_decline(reaction, opts) if declines(reaction) else _reacted(reaction)
    number = 0 if other is None else adjustments(own - other)
    side = roll.character if other is None or own >= other else declaration.opponent or ""
    return Comparison(own, other, number, side)


def _reacted(reaction: Reaction) -> int | None:
    return _opposing(reaction, reaction.value)


def _of_a_decline(reaction: Reaction | None, opts: Any) -> int | None:
    """The opposing value of a character that declined; None where nobody adjusts."""
    if opts.declined == "no adjustments":
        return None
    return 0 if reaction is None or opts.declined == "zero" else reaction.sheet_rating or 0


def given(declaration: Declaration) -> int | None:
    """The opposing value that is declared; None where the opponent has to react with it."""
    return _opposing(declaration, declaration.opposing)


def _own(declaration: Declaration) -> int:
    if declaration.value is not None:
        return declaration.value
    rating = declaration.sheet_rating or 0
    return rating // 10 if declaration.kind == "resist" else rating


def _opposing(side: Declaration | Reaction, value: int | None) -> int | None:
    """The value declared, by a cost or by Song points, or a reacting character's rating."""
    if value is not None:
        return value
    if side.cost is not None:
        return side.cost // 10
    if side.spp is not None:
        return 2 * side.spp
    return side.sheet_rating if isinstance(side, Reaction) else None


def rollables(options: Options, sheet: Sheet) -> tuple[Rollable, ...]:
    """A Strike, where the sheet has Precision, a Check of each attribute, and a Resist Check."""
    against = ("opponent", "opposing")
    found = [
        Rollable(f"{name} Check", {"kind": "check", "attribute": name}, against)
        for name in sheet.attributes
    ]
    if STRIKER in sheet.attributes:
        found.insert(0, Rollable("Strike", {"kind": "strike"}, ("opponent",)))
    if found:
        taken = "Resist" in sheet.attributes
        named = "Resist Check against a cost" if taken else "Resist Check"
        asks = ("attribute", "opponent", "cost", "spp")
        found.append(Rollable(named, {"kind": "resist"}, asks))
    return tuple(found)


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    """The declaration with its attribute and rating filled in; it costs nothing. Raises Refused."""
    _one_way(declaration.kind, declaration, "opposing", declaration.opposing)
    _names_for_the_other(declaration)
    must_name_another(declaration, sheet)
    attribute = declaration.attribute
    if declaration.value is None and attribute is None and declaration.kind == "strike":
        attribute = STRIKER
    rating = _rating(sheet, declaration.value, attribute)
    declaration = structs.replace(declaration, attribute=attribute, sheet_rating=rating)
    _within(_own(declaration))
    if declaration.opponent is None and given(declaration) is None:
        raise Refused(
            "malformed",
            "nothing opposes this roll",
            allowed=("name an opponent", *_ways(declaration.kind, "opposing")),
        )
    return declaration, ()


def answer(
    roll: Roll, reaction: Reaction | None, sheet: Sheet
) -> tuple[Reaction | None, tuple[Effect, ...]]:
    """The reaction with attribute and rating filled in; None (declined) stays. Raises Refused."""
    if reaction is None:
        return None, ()
    kind: Kind = roll.declaration.kind
    _one_way(kind, reaction, "value", reaction.value)
    attribute = reaction.attribute
    rating = None
    if kind != "resist":
        if reaction.value is None and attribute is None:
            attribute = _expected(roll.declaration)
        rating = _rating(sheet, reaction.value, attribute)
    reaction = structs.replace(reaction, attribute=attribute, sheet_rating=rating)
    found = _reacted(reaction)
    if found is None:
        raise Refused("malformed", "no value to resist is given", allowed=_ways(kind, "value"))
    _within(found)
    return reaction, ()


def decline(roll: Roll, sheet: Sheet) -> Reaction | None:
    """What the sheet of a character that declines has to oppose the roll with.

    It is None where the reading `declined` does not ask for it.
    """
    if roll.options.declined != "sheet":
        return None
    attribute = None if roll.declaration.kind == "resist" else _expected(roll.declaration)
    rating = 0 if attribute is None else sheet.whole(attribute)
    _within(rating)
    return Reaction(attribute=attribute, sheet_rating=rating, declined=True)


def _expected(declaration: Declaration) -> str | None:
    """The attribute of the opponent's that counts where it names none itself."""
    usual = DEFENDER if declaration.kind == "strike" else None
    return declaration.opposing_attribute or usual


def _names_for_the_other(declaration: Declaration) -> None:
    """Refuse an opposing attribute that can count nowhere."""
    name = declaration.opposing_attribute
    nowhere = (
        (declaration.kind == "resist", "a resist, which a cost or Song points oppose"),
        (declaration.opponent is None, "a roll without an opponent"),
        (given(declaration) is not None, "a roll whose opposing value is declared"),
    )
    for found, why in nowhere:
        if name is not None and found:
            raise Refused(
                "malformed", f"opposing_attribute {name!r} in {why}", allowed=("leave it out",)
            )


def _ways(kind: Kind, value: str) -> tuple[str, ...]:
    return (value, "cost", "spp") if kind == "resist" else (value,)


def _one_way(kind: Kind, side: Declaration | Reaction, name: str, value: int | None) -> None:
    """Refuse two opposing values at once, and a Resist Check's in another kind of roll."""
    given = {name: value, "cost": side.cost, "spp": side.spp}
    found = {key: number for key, number in given.items() if number is not None}
    ways = _ways(kind, name)
    for key, number in found.items():
        if key not in ways:
            raise Refused("malformed", f"{key} {number} is not for a {kind}", allowed=ways)
    if len(found) > 1:
        both = " and ".join(f"{key} {number}" for key, number in found.items())
        raise Refused("malformed", f"the opposing value is given twice: {both}", allowed=ways)


def _rating(sheet: Sheet, value: int | None, attribute: str | None) -> int | None:
    """The attribute's rating on the sheet, where no value is declared."""
    if value is not None:
        return None
    if attribute is None:
        raise Refused("malformed", "name an attribute or a value", allowed=sheet.attributes)
    if attribute not in sheet.attributes:
        raise Refused(
            "unknown", f"{sheet.character} has no {attribute!r}", allowed=sheet.attributes
        )
    return sheet.whole(attribute)


def _within(value: int) -> None:
    if abs(value) > VALUE_MOST:
        raise Refused(
            "out-of-range",
            f"a value of {value} cannot be compared",
            allowed=(f"-{VALUE_MOST} to {VALUE_MOST}",),
        )
