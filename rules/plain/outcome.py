"""The outcome of a plain roll: what every term gives, their total, and what it is compared with."""

from typing import Any

from msgspec import Struct

from ...errors import Refused
from ..readings import Consulted
from ..ruleset import Die, Outcome, Roll
from .hands import dice_of, meets, unrerolled
from .notation import Compare, Dice, Expression, Term, parse, term_written, written

SHOWN = ("dice", "kept", "dropped", "exploded", "rerolled")
"""The figures of terms and dice, in their order."""


class Number(Struct, frozen=True):
    """A number that was thrown, and the die that shows it, or a part of it."""

    die: str
    value: int


class Rolled(Struct, frozen=True):
    """What a term gives, with its sign: its dice, and the numbers on them, kept and dropped."""

    value: int
    dice: tuple[Die, ...] = ()
    kept: tuple[Number, ...] = ()
    dropped: tuple[Number, ...] = ()
    successes: int | None = None


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before every die is thrown or rerolled.

    The margin is how far the total is beyond what it is compared with, or the total itself.
    Figures, in the order in which they explain the roll:

    - `expression`, in its one form; `dice`: each term of dice -> what it gives
    - `kept`, `dropped`: die -> the sum of its numbers; `exploded`, `rerolled`: die -> its faces
    - `successes`, where some are counted; `total`; `compared_with`, where it is
    """
    opts: Any = Consulted(roll.options)
    expression = parse(roll.declaration.expression)
    count, target = _compared(expression, opts)
    rolled = [
        (term, _rolled(term, dice, count, opts)) for term, dice in _thrown(roll, expression, opts)
    ]
    total = sum(each.value for _, each in rolled)
    figures = {"expression": written(expression), **_figures(rolled), "total": total}
    if target is None:
        return Outcome("total", total, figures, opts.names)
    figures["compared_with"] = f"{target.sign} {target.number}"
    degree = "success" if meets(total, target, opts) else "failure"
    return Outcome(degree, _margin(total, target, opts), figures, opts.names)


def _thrown(roll: Roll, expression: Expression, opts: Any) -> list[tuple[Term, tuple[Die, ...]]]:
    """Each term with its dice. Raises Refused where some are still to be thrown or rerolled."""
    found: list[tuple[Term, tuple[Die, ...]]] = []
    for term, dice in zip(expression.terms, dice_of(roll, expression, opts), strict=True):
        if dice is None:
            raise Refused("due", "not all dice have been thrown yet", allowed=("roll",))
        if isinstance(term, Dice) and unrerolled(term, dice, opts):
            raise Refused("due", "not all dice have been rerolled yet", allowed=("reroll",))
        found.append((term, dice))
    return found


def _compared(expression: Expression, opts: Any) -> tuple[Compare | None, Compare | None]:
    """What the dice of the only term are compared with, and what the total is."""
    compare = expression.compare
    first = expression.terms[0]
    if compare is None or len(expression.terms) > 1 or not isinstance(first, Dice):
        return None, compare
    if first.successes is not None or first.kept == 1 or opts.comparison == "total":
        return None, compare
    return compare, None


def _margin(total: int, target: Compare, opts: Any) -> int:
    """How far the total is beyond (above 0) or short of (below 0) what it is compared with."""
    if target.sign == "=":
        return -abs(total - target.number)
    beyond = total - target.number if target.sign in (">", ">=") else target.number - total
    strict = target.sign in ("<", ">") and opts.greater == "strict"
    return beyond - strict


# --- terms ----------------------------------------------------------------------------------------


def _rolled(term: Term, dice: tuple[Die, ...], count: Compare | None, opts: Any) -> Rolled:
    """A term's value; its dice are counted by `count`, or by its own comparison."""
    sign = -1 if term.minus else 1
    if not isinstance(term, Dice):
        return Rolled(sign * term.number)
    counted = term.successes or count
    # The readings differ for dice that exploded and are kept or counted; a sum is the same anyway.
    alike = term.explode is None or (counted is None and term.keep is None)
    alike = alike or all(len(die.thrown) == 1 for die in dice)
    numbers = _numbers(term, dice, added=alike or opts.exploded == "added")
    kept, dropped = _kept(term, numbers)
    if counted is None:
        return Rolled(sign * sum(each.value for each in kept), dice, kept, dropped)
    successes = sign * sum(meets(each.value, counted, opts) for each in kept)
    return Rolled(successes, dice, kept, dropped, successes)


def _numbers(term: Dice, dice: tuple[Die, ...], *, added: bool) -> tuple[Number, ...]:
    """The numbers on the dice: one each, but an exploded die has all its faces, if not `added`."""
    found: list[Number] = []
    for die in dice:
        faces = [int(face) for face in die.thrown] if term.explode else [int(die.face)]
        if added:
            faces = [sum(faces)]
        found += [Number(die.id, face) for face in faces]
    return tuple(found)


def _kept(term: Dice, numbers: tuple[Number, ...]) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
    """The numbers that are kept and those that are dropped; of equal ones the earlier are kept."""
    if term.keep is None:
        return numbers, ()
    how, many = term.keep
    most = many if how in ("kh", "kl") else len(numbers) - many
    order = -1 if how in ("kh", "dl") else 1
    best = sorted(range(len(numbers)), key=lambda at: order * numbers[at].value)[:most]
    chosen = set(best)
    kept = tuple(number for at, number in enumerate(numbers) if at in chosen)
    return kept, tuple(number for at, number in enumerate(numbers) if at not in chosen)


# --- figures --------------------------------------------------------------------------------------


def _figures(rolled: list[tuple[Term, Rolled]]) -> dict[str, Any]:
    """What each term gives, and what happened to dice; left out where nothing did."""
    figures: dict[str, dict[str, Any]] = {name: {} for name in SHOWN}
    successes: list[int] = []
    for number, (term, each) in enumerate(rolled, 1):
        if not isinstance(term, Dice):
            continue
        text = term_written(term)
        figures["dice"][f"{number}: {text}" if text in figures["dice"] else text] = each.value
        if term.keep is not None:
            figures["kept"] |= _by_die(each.kept)
            figures["dropped"] |= _by_die(each.dropped)
        often = [die for die in each.dice if len(die.thrown) > 1]
        if term.explode is None:
            figures["rerolled"] |= {die.id: list(die.thrown) for die in often}
        else:
            figures["exploded"] |= {die.id: "+".join(map(str, die.thrown)) for die in often}
        successes += [] if each.successes is None else [each.successes]
    found: dict[str, Any] = {name: figure for name, figure in figures.items() if figure}
    return found | ({"successes": sum(successes)} if successes else {})


def _by_die(numbers: tuple[Number, ...]) -> dict[str, int]:
    """The sum of the numbers on each die."""
    found: dict[str, int] = {}
    for each in numbers:
        found[each.die] = found.get(each.die, 0) + each.value
    return found
