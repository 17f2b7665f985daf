"""The law about tallies: faces that count alike stay so with any die more, and come to the same.

Random hands do not find what a tally forgets: they are seldom all alike, or a whole root. So hands
are steered, of two faces at most, of the letters of a declaration's words, and a face away from the
one that lies.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from ....errors import Refused
from ....events.base import Face
from ....projections.automaton import LIVE
from ....projections.odds import ASKED, showing
from ....rules.ruleset import Hand, Offer, Roll, Ruleset, Sheets
from ...core.offers import sheets
from .luck import Luck
from .play import History
from .scores import scored
from .trial import LawBroken, Moment

PAIRS = 8
"""Pairs of faces, drawn for each hand, of which hands are steered."""

ONE_IN = 2
"""One hand of so many is tried, and one of a history at most."""

Faces = tuple[Face, ...]


def check_tallies(history: History, moment: Moment) -> None:
    """Try the hand that was thrown last, where nothing of it is frozen or adjusted yet."""
    roll = moment.roll
    if roll.state not in LIVE or not roll.roll.hands:
        return
    hand = roll.roll.hands[-1]
    luck = Luck(f"{history.luck.seed} {roll.number} {hand.name} {hand.rerolls}")
    uneven = any(die.frozen or die.face != die.landed for die in hand.dice)
    if history.tallied or uneven or not hand.dice or not luck.one_in(ONE_IN):
        return
    history.tallied = True
    rules, table = history.trial.bare, moment.state
    tables = [table.game.faces[die.kind] for die in hand.dice]
    try:
        tried = list(dict.fromkeys(steered(luck, roll.roll, hand, tables)))
        for why in breaches(rules, roll.roll, hand, tables, tried, sheets(table, roll)):
            raise LawBroken("tally", why, history.story)
    except Refused:
        return  # dice without end


def steered(luck: Luck, roll: Roll, hand: Hand, tables: Sequence[Faces]) -> Iterator[Faces]:
    """Faces for the dice of a hand, each of its own table."""
    lying = tuple(die.face for die in hand.dice)
    yield from (lying, tuple(reversed(lying)) if len(set(tables)) == 1 else lying)
    wanted = [*_letters(roll, tables), *lying]
    every = sorted({face for table in tables for face in table}, key=repr)
    for _ in range(PAIRS):
        one, other = luck.one_of(every), luck.one_of(luck.one_of([every, wanted]))
        for most in range(len(lying) + 1):
            yield tuple(_on(table, one if at < most else other) for at, table in enumerate(tables))
    for word in _words(roll):
        yield tuple(_on(table, word[at % len(word)]) for at, table in enumerate(tables))
    at = luck.below(len(lying))
    for face in tables[at][:100]:
        yield (*lying[:at], face, *lying[at + 1 :])


def _on(table: Faces, face: Face) -> Face:
    """A face, or the first of a die that does not have it."""
    return face if face in table else table[0]


def _words(roll: Roll) -> list[str]:
    """The texts of the declaration and of the reactions."""
    said = (roll.declaration, *(given for _, given in roll.reactions if given is not None))
    found = [value for each in said for value in asdict(each).values()]
    return list(dict.fromkeys(value for value in found if isinstance(value, str) and value))


def _letters(roll: Roll, tables: Sequence[Faces]) -> list[Face]:
    """Those letters of its texts that are faces."""
    return [face for word in _words(roll) for face in word if any(face in each for each in tables)]


# --- what must come of it -------------------------------------------------------------------------


def breaches(
    rules: Ruleset,
    roll: Roll,
    hand: Hand,
    tables: Sequence[Faces],
    tried: Sequence[Faces],
    sheet: Sheets,
) -> Iterator[str]:
    """Where two hands count alike and do not stay so, or come to something else."""
    ids, most = [die.id for die in hand.dice], len(hand.dice)
    for size in sorted({1, min(2, most), max(1, most - 1), most}):
        first: dict[Hashable, tuple[Faces, Any]] = {}
        for faces in dict.fromkeys(each[:size] for each in tried):
            shown = dict(zip(ids, faces, strict=False))
            key = rules.tally(roll, hand, shown, most - size)
            known = first.get(key)
            if known is not None and known[0] == faces:
                continue
            if size < most:
                found = tuple(
                    rules.tally(roll, hand, {**shown, ids[size]: face}, most - size - 1)
                    for face in tables[size][:20]
                )
            else:
                found = _comes(rules, roll, hand, shown, sheet)
            if known is None:
                first[key] = (faces, found)
            elif known[1] != found:
                yield f"{known[0]} and {faces} of {hand.name} count alike as {key}, and differ"


def _comes(
    rules: Ruleset, roll: Roll, hand: Hand, faces: Mapping[str, Face], sheet: Sheets
) -> tuple[Any, ...]:
    """The score of a hand and what is offered then, whichever dice it names."""
    shown = showing(hand, faces)
    hands = tuple(shown if each.name == hand.name else each for each in roll.hands)
    after = replace(roll, hands=hands)
    offered = [offer for offer in rules.offers(after, sheet) if offer.trigger in ASKED]
    return scored(rules, after), [_alike(rules, after, shown, offer) for offer in offered]


def _alike(rules: Ruleset, roll: Roll, hand: Hand, offer: Offer) -> tuple[Any, ...]:
    """An offer without the names of its dice: what is left of them, or what they become."""
    bare = replace(offer, dice=(), to={}, note="")
    if offer.hand != hand.name or offer.trigger not in ("reroll", "adjust"):
        return bare, len(offer.dice)
    faces = {die.id: die.face for die in hand.dice}
    kinds = {die.id: die.kind for die in hand.dice}
    ways: set[Hashable] = set()
    for die in offer.dice:
        if offer.trigger == "reroll":
            kept = {each: face for each, face in faces.items() if each != die}
            ways.add((rules.tally(roll, hand, kept, 1), kinds[die]))
        for face, cost in offer.to.get(die, {}).items():
            ways.add((rules.tally(roll, hand, {**faces, die: face}, 0), cost))
    return bare, len(offer.dice), frozenset(ways)
