"""The outcome of a plain roll: what every term gives, their total, and what it is compared with."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ...errors import Refused
from ...events.base import Face
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Die, Hand, Outcome, Roll, Scored, Tally
from .hands import dice_of, layout, meets, once, unrerolled
from .notation import Compare, Dice, Expression, Term, compare_written, dice_written, parse, written


class Number(Struct, frozen=True):
    """A number that was thrown, the die that shows it, and the throws of the die that it is.

    A throw is the die's id alone where the die fell once, or where only its last face counts.
    """

    die: str
    value: int
    throws: tuple[str, ...]


class Rolled(Struct, frozen=True):
    """What a term gives, without its sign: its figures, and the numbers that are kept.

    `made` are the throws that make each figure what it is.
    """

    value: int
    figures: dict[str, int] = {}
    made: dict[str, tuple[str, ...]] = {}
    kept: tuple[Number, ...] = ()
    counts: bool = False


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now. Raises Refused before every die is thrown or rerolled.

    The margin is how far the total is beyond what it is compared with, or the total itself.
    Figures, in the order in which they explain the roll:

    - `expression`, in its one form; each term of dice by its place and text: `faces`, the sum of
      what is kept, or `hits`, how many of these count, and `failures`, how many take one away
    - `successes`, all that count, where some do; `total`
    - where it is compared: the `comparison`, as it is read, and what it is `compared_with`
    """
    opts: Any = Consulted(roll.options)
    expression = parse(roll.declaration.expression)
    rolled = _rolled_of(roll, expression, opts)
    _, target = _compared(expression, opts)
    figures: dict[str, Value] = {"expression": written(expression)}
    for _, each in rolled:
        figures |= each.figures
    if any(each.counts for _, each in rolled):
        figures["successes"] = sum(_signed(*each) for each in rolled if each[1].counts)
    figures["total"] = total = sum(_signed(*each) for each in rolled)
    degree, margin = _ended(total, target, opts)
    if target is not None:
        figures |= {"comparison": _as_read(target, opts), "compared_with": target.number}
    return Outcome(degree, margin, figures, opts.names)


def scored(roll: Roll) -> Scored:
    """What `outcome` says without its figures; refused where it is."""
    expression = parse(roll.declaration.expression)
    total = sum(_signed(*each) for each in _rolled_of(roll, expression, roll.options))
    _, target = _compared(expression, roll.options)
    return Scored(*_ended(total, target, roll.options))


def _rolled_of(roll: Roll, expression: Expression, opts: Any) -> list[tuple[Term, Rolled]]:
    """Each term with what it gives. Raises Refused before every die is thrown or rerolled."""
    count, _ = _compared(expression, opts)
    return [
        (term, _rolled(number, term, dice, count, opts))
        for number, (term, dice) in enumerate(_thrown(roll, expression, opts), 1)
    ]


def _ended(total: int, target: Compare | None, opts: Any) -> tuple[str, int]:
    """The degree and the margin of a total."""
    if target is None:
        return "total", total
    return "success" if meets(total, target, opts) else "failure", _margin(total, target, opts)


def counts(roll: Roll) -> dict[str, tuple[str, ...]]:
    """The dice, or throws of them, that make each term of dice what it is so far."""
    return {key: made for each in _so_far(roll) for key, made in each.made.items()}


def kept_of(roll: Roll) -> dict[str, tuple[Face, ...]]:
    """The faces of each die that are kept so far, by the die's id; of a dropped die none."""
    every = [die for hand in roll.hands for die in hand.dice]
    shown = {f"{die.id}:{at}": face for die in every for at, face in enumerate(die.thrown, 1)}
    shown |= {die.id: die.face for die in every}
    found: dict[str, tuple[Face, ...]] = {die.id: () for die in every}
    for number in (number for each in _so_far(roll) for number in each.kept):
        found[number.die] += tuple(shown[throw] for throw in number.throws)
    return found


def _so_far(roll: Roll) -> Iterator[Rolled]:
    """What each term gives whose dice are thrown."""
    expression = parse(roll.declaration.expression)
    count, _ = _compared(expression, roll.options)
    every = zip(expression.terms, dice_of(roll, expression, roll.options), strict=True)
    for number, (term, dice) in enumerate(every, 1):
        if dice is not None:
            yield _rolled(number, term, dice, count, roll.options)


def _signed(term: Term, rolled: Rolled) -> int:
    times = term.times if isinstance(term, Dice) else 1
    return rolled.value * (-times if term.minus else times)


def _as_read(target: Compare, opts: Any) -> str:
    """The comparison's sign, with an equal number as it is read."""
    sign = str(target.sign)
    return f"{sign}=" if sign in ("<", ">") and opts.greater == "or equal" else sign


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
    alone = first.kept == 1 or first.times != 1
    if first.successes is not None or alone or opts.comparison == "total":
        return None, compare
    return compare, None


def _margin(total: int, target: Compare, opts: Any) -> int:
    """How far the total is beyond (above 0) or short of (below 0) what it is compared with."""
    if target.sign == "=":
        return -abs(total - target.number)
    beyond = total - target.number if target.sign in (">", ">=") else target.number - total
    strict = target.sign in ("<", ">") and opts.greater == "strict"
    return beyond - strict


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """The sum of what is fixed, and what may still be of the terms that drop or reroll dice.

    Raises Refused where dice explode: they may for ever.
    """
    expression, opts = parse(roll.declaration.expression), roll.options
    count, _ = _compared(expression, opts)
    total, rest = 0, list[tuple[Any, ...]]()
    for term, place in zip(expression.terms, _laid_out(expression, opts)[1], strict=True):
        if place is None or place.hand != hand.name or not isinstance(term, Dice):
            continue
        if term.explode is not None:
            why = f"{dice_written(term)} may explode for ever: its odds have no end"
            raise Refused("out-of-range", why)
        dice = hand.dice[place.before : place.before + term.count]
        if term.keep is None and term.reroll is None:
            shown = [int(faces[die.id]) for die in dice if die.id in faces]
            total += _sum(term, shown, count, opts)
            continue
        lying = tuple(_showing(die, faces[die.id]) for die in dice if die.id in faces)
        waiting = unrerolled(term, lying, opts)
        if term.keep is None or (len(lying) == term.count and not waiting):
            fixed = tuple(die for die in lying if die.id not in waiting)
            total += _signed(term, _rolled(0, term, fixed, count, opts))
            rest.append(tuple(sorted(int(die.face) for die in lying if die.id in waiting)))
        elif once(term, opts):
            rest.append(tuple(sorted((int(die.face), die.id in waiting) for die in lying)))
        else:
            rest.append((len(lying), *_best(term, [int(die.face) for die in lying])))
    return total, *rest


_laid_out = lru_cache(maxsize=256)(layout)
"""Of the same expression and options: odds ask for it thousands of times."""


def _sum(term: Dice, faces: list[int], count: Compare | None, opts: Any) -> int:
    """What dice add to the total of which none is dropped, and each counts by itself."""
    times = -term.times if term.minus else term.times
    if (counted := term.successes or count) is None:
        return times * sum(faces)
    hits = sum(meets(face, counted, opts) for face in faces)
    if term.failures is not None:
        hits -= sum(meets(face, term.failures, opts) for face in faces)
    return times * hits


def _showing(die: Die, face: Face) -> Die:
    return Die(die.id, die.kind, die.thrown, face, face)


def _best(term: Dice, faces: list[int]) -> tuple[int, ...]:
    """The faces that may still be kept of a term that drops some."""
    how, many = term.keep or ("kh", term.count)
    most = many if how in ("kh", "kl") else term.count - many
    return tuple(sorted(faces, reverse=how in ("kh", "dl"))[:most])


# --- terms ----------------------------------------------------------------------------------------


def _rolled(
    number: int, term: Term, dice: tuple[Die, ...], count: Compare | None, opts: Any
) -> Rolled:
    """A term's value; its dice are counted by `count`, or by its own comparison."""
    if not isinstance(term, Dice):
        return Rolled(term.number)
    counted = term.successes or count
    # The readings differ for dice that exploded and are kept or counted; a sum is the same anyway.
    alike = term.explode is None or (counted is None and term.keep is None)
    alike = alike or all(len(die.thrown) == 1 for die in dice)
    kept = _kept(term, _numbers(term, dice, added=alike or term.added or opts.exploded == "added"))
    text = dice_written(term)
    if counted is None:
        total, key = sum(each.value for each in kept), f"faces:{number}:{text}"
        made = tuple(throw for each in kept for throw in each.throws)
        return Rolled(total, {key: total}, {key: made}, kept)
    text += "" if term.successes else compare_written(counted)
    points = {"hits": counted} | ({} if term.failures is None else {"failures": term.failures})
    found = {
        f"{name}:{number}:{text}": tuple(
            each.throws[0] if len(each.throws) == 1 else each.die
            for each in kept
            if meets(each.value, point, opts)
        )
        for name, point in points.items()
    }
    figures = {key: len(dice) for key, dice in found.items()}
    hits, *failures = figures.values()
    return Rolled(hits - sum(failures), figures, found, kept, counts=True)


def _numbers(term: Dice, dice: tuple[Die, ...], *, added: bool) -> tuple[Number, ...]:
    """The numbers on the dice: one each, but an exploded die has all its faces, if not `added`."""
    found: list[Number] = []
    for die in dice:
        if term.explode is None or len(die.thrown) == 1:
            found.append(Number(die.id, int(die.face), (die.id,)))
            continue
        throws = tuple(f"{die.id}:{at}" for at in range(1, len(die.thrown) + 1))
        faces = [int(face) for face in die.thrown]
        if added:
            found.append(Number(die.id, sum(faces), throws))
        else:
            found += [
                Number(die.id, face, (throw,)) for face, throw in zip(faces, throws, strict=True)
            ]
    return tuple(found)


def _kept(term: Dice, numbers: tuple[Number, ...]) -> tuple[Number, ...]:
    """The numbers that are kept; of equal ones the earlier."""
    if term.keep is None:
        return numbers
    how, many = term.keep
    most = many if how in ("kh", "kl") else len(numbers) - many
    order = -1 if how in ("kh", "dl") else 1
    best = sorted(range(len(numbers)), key=lambda at: order * numbers[at].value)[:most]
    return tuple(numbers[at] for at in sorted(best))
