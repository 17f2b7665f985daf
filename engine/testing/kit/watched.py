"""A system watched: whose sheets it reads, and whether it leaves alone what it is given.

Each function of the record is wrapped; the wrapped record answers the same. What it does wrong is
a LawBroken out of the call itself, so that any command and any fold finds it.
"""

import copy
from collections.abc import Callable
from sys import getrefcount
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ....errors import Refused
from ....rules.ruleset import Roll, Ruleset, Sheet, Sheets
from .fingerprint import fingerprint
from .trial import LawBroken

FUNCTIONS = (
    *("involves", "settle", "answer", "decline", "follow", "offers", "outcome", "damage"),
    *("score", "tally", "reach", "sums", "damage_sums", "reason", "counts", "wants", "rollables"),
)
"""The functions of the record that are given values they could change or keep."""


def watched(ruleset: Ruleset) -> Ruleset:
    """The system with every function of it watched."""
    there = (name for name in FUNCTIONS if getattr(ruleset, name) is not None)
    return replace(ruleset, **{name: _watched(ruleset, name) for name in there})


def _watched(ruleset: Ruleset, name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(ruleset, name)

    def asked(*given: Any) -> Any:
        roll, sheets = given[0], given[-1]
        values = given
        if name in ("offers", "damage"):
            named = _named(ruleset, roll)
            values, given = (roll,), (roll, _noting(name, named, sheets))
        before = fingerprint(values)
        try:
            answer = function(*given)
        finally:
            if fingerprint(values) != before:
                raise LawBroken("leaves", f"{name} changes what it is given")
        if name in ("offers", "damage", "outcome", "score"):
            _about_named(name, _named(ruleset, roll), answer)
        return answer

    return asked


# --- who is involved ------------------------------------------------------------------------------


def _named(ruleset: Ruleset, roll: Roll) -> frozenset[str]:
    """Everybody whom a roll involves: its character, and those that its declaration names."""
    return frozenset((roll.character, *ruleset.involves(roll.declaration)))


def _noting(name: str, named: frozenset[str], sheets: Sheets) -> Sheets:
    def sheet(who: str) -> Sheet:
        _must_be_named(who, named, f"{name} reads the sheet of {who}")
        return sheets(who)

    return sheet


def _about_named(name: str, named: frozenset[str], answer: Any) -> None:
    """Check that an answer is about nobody else: offers, effects, a target."""
    if name == "offers":
        for offer in answer:
            if offer.character:
                what = f"{offer.trigger} is offered to {offer.character}"
                _must_be_named(offer.character, named, what)
        return
    for effect in getattr(answer, "effects", ()):  # what is no answer is found by its law
        _must_be_named(effect.character, named, f"{name} changes {effect.character}")
    if name == "damage" and hasattr(answer, "target"):
        _must_be_named(answer.target, named, f"{name} is done to {answer.target}")


def _must_be_named(who: str, named: frozenset[str], what: str) -> None:
    if who not in named:
        raise LawBroken("involves", f"{what}, and involves names {', '.join(sorted(named))}")


# --- what is kept ---------------------------------------------------------------------------------


def kept(function: Callable[..., Any], *given: Any) -> str:
    """What a function still holds once its answer is gone: the name of a type, "" for nothing."""
    copies = tuple(map(_copied, given))
    inside = [part for each in copies for part in _parts(each)]
    before = [getrefcount(part) for part in inside]
    try:
        function(*copies)
    except Refused:
        return ""
    after = [getrefcount(part) for part in inside]
    held = (part for part, was, now in zip(inside, before, after, strict=True) if now > was)
    return next((type(part).__name__ for part in held), "")


def _copied(value: Any) -> Any:
    """A value of its own, as deep as `_parts` looks into it."""
    if isinstance(value, Roll):
        return replace(
            value,
            declaration=copy.copy(value.declaration),
            hands=tuple(map(copy.copy, value.hands)),
        )
    return copy.copy(value) if isinstance(value, Struct) else value


def _parts(value: Any) -> tuple[Any, ...]:
    """The Structs whose holders are counted."""
    if isinstance(value, Roll):
        return (value, value.declaration, *value.hands)
    return (value,) if isinstance(value, Struct) else ()
