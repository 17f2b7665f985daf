"""What the figures of plain dice are, and how they add up; no book has a heading for them."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ..figures import Figure, Sum, Term, Value, name_of, number, parts_of
from ..ruleset import Outcome
from . import notation

COUNTED = Figure(
    parts=("number", "name"),
    dice="count",
    readings=("comparison", "exploded", "greater", "r"),
)
"""How many dice of a term count, or take one away."""

FIGURES: Mapping[str, Figure] = {
    "margin": Figure(),
    "expression": Figure(form="name"),
    "faces": Figure(parts=("number", "name"), dice="sum", readings=("exploded", "r")),
    "hits": COUNTED,
    "failures": replace(COUNTED, counts="against"),
    "successes": Figure(),
    "total": Figure(),
    "comparison": Figure(form="name", readings=("comparison", "greater")),
    "compared_with": Figure(),
}
"""Every figure by its name; the parts of a term are its place and its text."""

Figures = Mapping[str, Value]


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """How the successes, the total and the margin come out."""
    figures = outcome.figures
    found: list[Sum] = []
    terms = tuple(_terms(figures))
    if "successes" in figures:
        counted = ("hits", "failures")
        hits = tuple(term for term in terms if name_of(term.figure) in counted)
        found.append(Sum(total="successes", terms=hits))
        others = (term for term in terms if name_of(term.figure) not in counted)
        terms = (Term("successes"), *others)
    return (*found, Sum(total="total", terms=terms), Sum(total="margin", terms=_margin(figures)))


def _terms(figures: Figures) -> Iterator[Term]:
    """The expression's terms with their signs; its numbers stand in the expression alone."""
    dice = {parts_of(key)[0]: key for key in figures if name_of(key) in ("faces", "hits")}
    less = {parts_of(key)[0]: key for key in figures if name_of(key) == "failures"}
    expression = notation.parse(str(figures["expression"]))
    for place, term in enumerate(expression.terms, 1):
        times = -1 if term.minus else 1
        if isinstance(term, notation.Constant):
            key = f"named:{term.label}" if term.label else "number"
            yield Term(key, times, constant=term.number)
        else:
            yield Term(dice[str(place)], times * term.times)
            if str(place) in less:
                yield Term(less[str(place)], -times * term.times)


def _margin(figures: Figures) -> tuple[Term, ...]:
    """How far the total is beyond what it is compared with; a number that is missed is short."""
    if "comparison" not in figures:
        return (Term("total"),)
    sign, total = str(figures["comparison"]), number(figures, "total")
    short = sign == "=" and total > number(figures, "compared_with")
    up = -1 if short or sign in ("<", "<=") else 1
    strict = (Term("strict", -1, constant=1),) if sign in ("<", ">") else ()
    return (Term("total", up), Term("compared_with", -up), *strict)


def reason(outcome: Outcome) -> str:
    """The key of why the degree is this one: what was compared how, or nothing was."""
    if outcome.degree == "total":
        return "counted" if "successes" in outcome.figures else ""
    sign = str(outcome.figures["comparison"])
    return f"{SIGNS[sign]}_{'met' if outcome.degree == 'success' else 'missed'}"


SIGNS: Mapping[str, str] = {
    ">=": "at_least",
    ">": "more",
    "<=": "at_most",
    "<": "less",
    "=": "equal",
}
"""What each sign is called in the key of a reason."""
