"""What the figures of Allies of Majesty are, how they add up, and why a degree is what it is.

What a kind of roll calls its results, and the values of a Resist Check, are from other pages of the
author's, and so have no heading of the book.
"""

from collections.abc import Callable, Iterator, Mapping

from ...events.base import Face
from ..figures import Figure, Sum, Term, Value, name_of
from ..ruleset import Outcome, Roll
from .options import HEADING
from .outcome import HAND
from .score import EPIC_NEGATIVE, EPIC_POSITIVE, NEGATIVE, POSITIVE, unadjusted

COMPARED: Mapping[str, Figure] = {
    "kind": Figure(form="name", heading=HEADING),
    "attribute": Figure(form="name", whose="roller"),
    "rating": Figure(whose="roller"),
    "value": Figure(fact=True),
    "opponent": Figure(form="character"),
    "declined": Figure(form="characters", readings=("declined",)),
    "opponent_attribute": Figure(form="name"),
    "cost": Figure(),
    "spp": Figure(),
    "opposing_value": Figure(readings=("declined",), whose="opponent"),
    "difference": Figure(heading=HEADING),
    "adjustments": Figure(
        unit="adjustment", heading=HEADING, readings=("declined",), whose="adjusted_by"
    ),
}
"""The two values, and what their difference gives."""

ADJUSTED: Mapping[str, Figure] = {
    "adjusted_by": Figure(form="character"),
    "narrator_adjusts": Figure(form="flag", heading=HEADING),
    "moved": Figure(unit="adjustment", readings=("wrap",), parts=("die",), whose="adjusted_by"),
    "adjustments_used": Figure(unit="adjustment", whose="adjusted_by"),
    "dice_can_take": Figure(unit="adjustment", readings=("epic_lock", "wrap"), fact=True),
    "adjustments_left": Figure(unit="adjustment", readings=("fewer_adjustments",)),
    "thrown_twelves": Figure(unit="die", dice="count", counts="no"),
    "thrown_ones": Figure(unit="die", dice="count", counts="no"),
    "epic_roll": Figure(form="name", heading=HEADING),
    "epic_dice": Figure(unit="die"),
    "locked_dice": Figure(form="names", heading=HEADING, readings=("epic_lock",)),
}
"""What was adjusted, and what an Epic Roll keeps as it fell."""

RESULTS: Mapping[str, Figure] = {
    "positives": Figure(unit="die", dice="count"),
    "twelves": Figure(unit="die", dice="count"),
    "ones": Figure(unit="die", dice="count", counts="against"),
    "extra_positives": Figure(unit="result", heading=HEADING),
    "neutrals": Figure(unit="die", dice="count", counts="no"),
    "negatives": Figure(unit="die", dice="count", counts="against"),
    "net": Figure(unit="result", heading=HEADING, readings=("net_zero",)),
    "margin": Figure(unit="result"),
    "hits": Figure(whose="roller"),
    "misses": Figure(whose="roller"),
    "stops": Figure(whose="roller"),
    "passes": Figure(whose="roller"),
    "uncancelled_hits": Figure(),
    "uncancelled_passes": Figure(),
    "uncancelled_stops": Figure(),
    "defensive_hits": Figure(),
    "twelve_effects": Figure(),
}
"""The final dice, then in the words of the kind of roll."""

FIGURES: Mapping[str, Figure] = {**COMPARED, **ADJUSTED, **RESULTS}
"""Every figure of an outcome."""

STEPS = (1, 3, 6, 10)
"""The differences that each give one Adjustment; beyond the last one more for each 5."""

FURTHER = 5

SAME: Mapping[str, tuple[Term, ...]] = {
    "hits": (Term("positives"), Term("extra_positives")),
    "passes": (Term("positives"), Term("extra_positives")),
    "misses": (Term("neutrals"),),
    "stops": (Term("negatives"),),
    "twelve_effects": (Term("extra_positives"),),
}
"""What the kinds of roll call results, and what makes it."""

LEFT: Mapping[str, int] = {
    "uncancelled_hits": 1,
    "uncancelled_passes": 1,
    "uncancelled_stops": -1,
}
"""What is left over where the net is above 0, or below; none of it where it is not."""

FACES: Mapping[str, Callable[[Face], bool]] = {
    "positives": lambda face: face in POSITIVE,
    "twelves": lambda face: face == EPIC_POSITIVE,
    "ones": lambda face: face == EPIC_NEGATIVE,
    "neutrals": lambda face: face not in (*NEGATIVE, *POSITIVE),
    "negatives": lambda face: face in NEGATIVE,
}
"""The faces that each figure counts."""


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """The values and their difference, the Adjustments, the results, and the margin."""
    figures = outcome.figures
    return (
        *_values(figures),
        *_adjustments(figures),
        *_results(figures),
        Sum(total="margin", terms=(Term("net"),)),
    )


def _values(figures: Mapping[str, Value]) -> Iterator[Sum]:
    if "rating" in figures:
        yield Sum(total="value", terms=(Term("rating"),), per=10)
    if "cost" in figures:
        yield Sum(total="opposing_value", terms=(Term("cost"),), per=10)
    if "spp" in figures:
        yield Sum(total="opposing_value", terms=(Term("spp", 2),))
    if "difference" in figures:
        yield Sum(total="difference", terms=(Term("value"), Term("opposing_value", -1)))


def _adjustments(figures: Mapping[str, Value]) -> Iterator[Sum]:
    yield Sum(total="adjustments", terms=tuple(_given(abs(_number(figures, "difference")))))
    if "adjustments_used" in figures:
        each = (key for key in figures if name_of(key) == "moved")
        yield Sum(total="adjustments_used", terms=tuple(map(Term, each)))
    if "adjustments_left" in figures:
        most = "dice_can_take" if "dice_can_take" in figures else "adjustments"
        yield Sum(total="adjustments_left", terms=(Term(most), Term("adjustments_used", -1)))
    if "epic_dice" in figures:
        more, fewer = ("thrown_twelves", "thrown_ones")
        if figures["epic_roll"] == "negative":
            more, fewer = fewer, more
        yield Sum(total="epic_dice", terms=(Term(more), Term(fewer, -1)))


def _given(difference: int) -> Iterator[Term]:
    """One Adjustment for each step that the difference reaches (Adjustments)."""
    for step in STEPS:
        if difference >= step:
            yield Term(f"at_least_{step}", constant=1)
    if further := (difference - STEPS[-1]) // FURTHER if difference > STEPS[-1] else 0:
        yield Term("each_further_5", constant=further)


def _results(figures: Mapping[str, Value]) -> Iterator[Sum]:
    yield Sum(total="extra_positives", terms=(Term("twelves"), Term("ones", -1)), least=0)
    good, bad = ("hits", "stops") if "hits" in figures else ("passes", "negatives")
    net, own = _number(figures, "net"), (Term(good), Term(bad, -1))
    left = {total: sign for total, sign in LEFT.items() if total in figures}
    named = [Term(total, sign) for total, sign in left.items() if sign * net > 0]
    yield Sum(total="net", terms=tuple(named) or own)
    for total, same in SAME.items():
        if total in figures:
            yield Sum(total=total, terms=same)
    for total, sign in left.items():
        counted = sign if sign * net > 0 else 0
        terms = tuple(Term(term.figure, counted * term.times) for term in own)
        yield Sum(total=total, terms=terms, least=0)
    if "defensive_hits" in figures:
        yield Sum(total="defensive_hits", terms=(Term("uncancelled_stops"),), per=2)


def _number(figures: Mapping[str, Value], key: str) -> int:
    found = figures.get(key, 0)
    return found if isinstance(found, int) else 0


def counts(roll: Roll) -> dict[str, tuple[str, ...]]:
    """The dice of each sort as they show now, and of an Epic Roll the 12s and 1s as they fell."""
    hand = roll.hand(HAND)
    if hand is None:
        return {}
    found = {
        name: tuple(die.id for die in hand.dice if counted(die.face))
        for name, counted in FACES.items()
    }
    if unadjusted(hand).is_epic:
        for name in ("twelves", "ones"):
            fell = (die.id for die in hand.dice if FACES[name](die.landed))
            found[f"thrown_{name}"] = tuple(fell)
    return found


def reason(outcome: Outcome) -> str:
    """Why the degree is that one: what is left once each negative has cancelled a positive."""
    figures = outcome.figures
    strike, net = figures["kind"] == "strike", _number(figures, "net")
    if net > 0:
        return "hits_left" if strike else "passes_left"
    if net < 0:
        return "stops_left" if strike else "negatives_left"
    return "nothing_left" if outcome.degree != "negative" else "nothing_left_and_against"
