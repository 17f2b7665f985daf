"""The odds of a roll by brute force: every face of every die, every set of dice, no tallies."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from urim.events.base import Face
from urim.rules.ruleset import Die, Hand, Offer, Roll, Ruleset, Sheets

End = tuple[str, int]
Ends = dict[End, Fraction]
Worth = Callable[[Ends], Fraction]


class Place(NamedTuple):
    """A roll, the hands that were put since their throw, and by what any were put."""

    roll: Roll
    put: tuple[str, ...] = ()
    means: tuple[tuple[str, str], ...] = ()


class Game(NamedTuple):
    """A system and sheets; whether fewer dice than all may be frozen too; the answers so far."""

    rules: Ruleset
    sheet: Sheets
    worth: Worth
    some: bool
    known: dict[Any, Ends | None]


def ends(game: Game, place: Place) -> Ends | None:
    """The chances of each degree and margin, everybody doing what is best; None without an end."""
    key = place.roll.hands, tuple(sorted(place.roll.choices.items())), place.put, place.means
    if key not in game.known:
        game.known[key] = None
        game.known[key] = _ends(game, place)
    return game.known[key]


def by_way(game: Game, place: Place) -> Iterator[Ends]:
    """What comes of each way on that leads to an end."""
    for way in ways(game, place):
        if isinstance(way, tuple):
            yield {way: Fraction(1)}
            continue
        each = [ends(game, then) for then in way]
        if all(each):
            yield mixed([one for one in each if one])


def _ends(game: Game, place: Place) -> Ends | None:
    found = list(by_way(game, place))
    if not found:
        return None
    sign = -1 if against(game, place) else 1
    best = max(sign * game.worth(one) for one in found)
    alike = [one for one in found if sign * game.worth(one) == best]
    return min(alike, key=lambda one: (-sign * margin(one), by_margin(one)))


def margin(found: Ends) -> Fraction:
    """The margin expected."""
    return sum((chance * end[1] for end, chance in found.items()), Fraction(0))


def by_margin(found: Ends) -> list[tuple[End, Fraction]]:
    """The ends in one order."""
    return sorted(found.items(), key=lambda item: item[0][::-1])


def mixed(each: list[Ends]) -> Ends:
    """Several alike likely ends together."""
    found: Ends = {}
    for one in each:
        for end, chance in one.items():
            found[end] = found.get(end, Fraction(0)) + chance / len(each)
    return found


def offered(game: Game, roll: Roll) -> list[Offer]:
    """What may be done: no words, no reactions, no end while something is due."""
    every = game.rules.offers(roll, game.sheet)
    due = any(offer.due for offer in every)
    asked = ("roll", "reroll", "freeze", "adjust") + (() if due else ("resolve",))
    return [offer for offer in every if offer.trigger in asked]


def against(game: Game, place: Place) -> bool:
    """Whether the opponent decides, or a narrator for nobody."""
    every = offered(game, place.roll)
    acting = [offer for offer in every if offer.trigger in ("reroll", "freeze", "adjust")]
    first = (acting or every)[0]
    other = getattr(place.roll.declaration, "opponent", None)
    return first.narrator or (other is not None and first.character == other)


def ways(game: Game, place: Place) -> Iterator[End | list[Place]]:
    """Each way on: an end, or the places that are alike likely then."""
    for offer in offered(game, place.roll):
        if offer.trigger == "resolve":
            told = game.rules.outcome(place.roll)
            yield told.degree, told.margin
        elif offer.trigger == "adjust":
            yield from (_chosen if offer.choice else _put)(place, offer)
        elif offer.trigger == "freeze":
            yield from _frozen(game, place, offer)
        elif offer.trigger == "reroll":
            for ids in _sets(offer):
                yield list(_rerolled(game, place, offer, ids))
        else:
            for number in offer.options or (len(offer.dice),):
                yield list(_thrown(game, place, offer, int(number)))


def throws(game: Game, place: Place) -> Iterator[tuple[str, list[Place]]]:
    """Each throw that may be made, by the name of its hand, and the places alike likely then."""
    for offer in offered(game, place.roll):
        if offer.trigger == "reroll":
            for ids in _sets(offer):
                yield offer.hand, list(_rerolled(game, place, offer, ids))
        elif offer.trigger == "roll":
            for number in offer.options or (len(offer.dice),):
                yield offer.hand, list(_thrown(game, place, offer, int(number)))


def _chosen(place: Place, offer: Offer) -> Iterator[list[Place]]:
    for option in offer.options:
        choices = {**place.roll.choices, offer.choice: str(option)}
        yield [place._replace(roll=replace(place.roll, choices=choices))]


def _sets(offer: Offer) -> Iterator[tuple[str, ...]]:
    for many in range(offer.least, min(offer.most, len(offer.dice)) + 1):
        yield from combinations(offer.dice, many)


def _hand(place: Place, offer: Offer) -> Hand:
    return next(hand for hand in place.roll.hands if hand.name == offer.hand)


def _with(place: Place, hand: Hand) -> Place:
    hands = [each for each in place.roll.hands if each.name != hand.name]
    names = [each.name for each in place.roll.hands]
    at = names.index(hand.name) if hand.name in names else len(names)
    return place._replace(roll=replace(place.roll, hands=(*hands[:at], hand, *hands[at:])))


def _thrown(game: Game, place: Place, offer: Offer, number: int) -> Iterator[Place]:
    tables = game.rules.faces(place.roll.options)
    first = sum(len(hand.dice) for hand in place.roll.hands)
    kinds = offer.dice[:number]
    sides = [[face for face in tables[kind] if face not in offer.again] for kind in kinds]
    for faces in product(*sides):
        dice = (
            Die(f"d{first + at}", kind, (face,), face, face)
            for at, (kind, face) in enumerate(zip(kinds, faces, strict=True), 1)
        )
        yield _with(place, Hand(offer.hand, offer.character, tuple(dice)))


def _rerolled(game: Game, place: Place, offer: Offer, ids: tuple[str, ...]) -> Iterator[Place]:
    hand = _hand(place, offer)
    tables = game.rules.faces(place.roll.options)
    means = dict(place.means).get(hand.name, "")
    settled = [replace(die, landed=die.face) for die in hand.dice]
    more = (means,) * sum(die.face != die.landed for die in hand.dice)
    kinds = [die.kind for die in hand.dice if die.id in ids]
    left = tuple(name for name in place.put if name != hand.name)
    for faces in product(*(tables[kind] for kind in kinds)):
        fell: dict[str, Face] = dict(zip(ids, faces, strict=True))
        dice = tuple(
            Die(die.id, die.kind, (*die.thrown, fell[die.id]), fell[die.id], fell[die.id])
            if die.id in fell
            else die
            for die in settled
        )
        again = Hand(hand.name, hand.character, dice, hand.rerolls + 1, hand.means + more)
        yield _with(place, again)._replace(put=left)


def _frozen(game: Game, place: Place, offer: Offer) -> Iterator[list[Place]]:
    hand = _hand(place, offer)
    free = [die.id for die in hand.dice if not die.frozen]
    for many in range(1 if game.some else len(free), len(free) + 1):
        for ids in combinations(free, many):
            dice = (replace(die, frozen=die.frozen or die.id in ids) for die in hand.dice)
            if ids:
                yield [_with(place, replace(hand, dice=tuple(dice)))]


def _put(place: Place, offer: Offer) -> Iterator[list[Place]]:
    hand = _hand(place, offer)
    if hand.name in place.put:
        return
    each = [[(None, 0), *offer.to[die].items()] for die in offer.dice]
    means = tuple(sorted({**dict(place.means), hand.name: offer.means}.items()))
    for faces in product(*each):
        if sum(cost for _, cost in faces) > offer.most:
            continue
        to = {die: face for die, (face, _) in zip(offer.dice, faces, strict=True) if face}
        dice = (
            die if die.frozen else replace(die, face=to.get(die.id, die.landed))
            for die in hand.dice
        )
        after = _with(place, replace(hand, dice=tuple(dice)))
        if after.roll != place.roll:
            yield [after._replace(put=(*place.put, hand.name), means=means)]


def on(game: Game, place: Place, chance: Random) -> Place:
    """The roll a step further, at random; the same where only its end is left."""
    some = game._replace(some=True)
    further = [way for way in ways(some, place) if isinstance(way, list)]
    return chance.choice(chance.choice(further)) if further else place
