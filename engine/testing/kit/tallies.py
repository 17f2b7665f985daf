"""The law about tallies: faces that count alike stay so with any die more, and come to the same.

Random hands do not find what a tally forgets: they are seldom all alike, or a whole root. So hands
are steered, of two faces at most, of the letters of a declaration's words, and a face away from the
one that lies.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from ....errors import Refused
from ....events.base import AdjustedDie, Face
from ....projections.automaton import LIVE
from ....projections.places import ASKED, changes, must_fall
from ....projections.rolls import adjusted, frozen, showing, thrown_again, with_hand
from ....rules.ruleset import Die, Hand, Offer, Roll, Ruleset, Sheets
from ...core.offers import sheets
from .luck import Luck
from .play import History
from .scores import scored
from .trial import LawBroken, Moment

PAIRS = 4
"""Pairs of faces, drawn for each hand, of which hands are steered."""

ONE_IN = 2
"""One hand of so many is tried, and one of a history at most."""

TURNED = 12
"""Faces of one die that are adjusted from, and frozen, at most."""

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
    ids, sheet = [die.id for die in hand.dice], sheets(table, roll)
    try:
        shown = dict.fromkeys(steered(luck, roll.roll, hand, tables))
        tried = [showing(hand, dict(zip(ids, faces, strict=True))) for faces in shown]
        tried += handled(luck, rules, roll.roll, luck.one_of(tried), tables, sheet)
        left = [frozen(showing(hand, dict(zip(ids, faces, strict=True))), ids) for faces in shown]
        for hands in (tried, left):  # who asks for luck may leave all dice as they fall
            for why in breaches(rules, roll.roll, tables, hands, sheet, left=hands is left):
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


def handled(
    luck: Luck, rules: Ruleset, roll: Roll, hand: Hand, tables: Sequence[Faces], sheet: Sheets
) -> Iterator[Hand]:
    """The hand with one die on each of its faces, that die adjusted, or frozen with another.

    What was adjusted is frozen as well, with all other dice.
    """
    at, other = luck.below(len(hand.dice)), luck.below(len(hand.dice))
    turned = hand.dice[at].id
    for face in dict.fromkeys(tables[at][:TURNED]):
        lying = showing(hand, {die.id: die.face for die in hand.dice} | {turned: face})
        every = rules.offers(with_hand(roll, lying), sheet)
        own = [offer for offer in every if offer.hand == hand.name]
        tried = [
            adjusted(lying, [AdjustedDie(turned, to)])
            for offer in own
            for to in offer.to.get(turned, ())
        ]
        yield from tried
        if any(offer.trigger == "freeze" for offer in own):
            yield frozen(lying, [turned, hand.dice[other].id])
            yield from (frozen(each, [die.id for die in hand.dice]) for each in tried)


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
    tables: Sequence[Faces],
    tried: Sequence[Hand],
    sheet: Sheets,
    *,
    left: bool,
) -> Iterator[str]:
    """Where two hands count alike and do not stay so, or come to something else.

    `left`: they are left as they fall, dice that are to come as well.
    """
    most = len(tables)
    alike: dict[tuple[Hashable, ...], dict[str, tuple[Hand, int]]] = {}
    for size in sorted({1, min(2, most), max(1, most - 1), most}):
        for hand in tried:
            if left or size == most or not hand.stands:  # nothing more comes to one that does
                lying = hand.dice[:size]
                shown = {die.id: die.face for die in lying}
                tally = _tally(rules, roll, hand, shown, most - size)
                after = min(most - size, 2)  # one more is the last, or one of several
                key: tuple[Hashable, ...] = (
                    tally,
                    after,
                    _sort(rules, roll, hand, tables, size) if after else (),
                )
                alike.setdefault(key, {}).setdefault(", ".join(map(_lies, lying)), (hand, size))
    for key, hands in alike.items():
        if len(hands) > 1:
            found = [
                _becomes(rules, roll, hand, tables, size, sheet, left=left)
                for hand, size in hands.values()
            ]
            for said, other in zip(hands, found, strict=True):
                if other != found[0]:
                    first, name = next(iter(hands)), tried[0].name
                    yield f"{first} and {said} of {name} count alike as {key[0]}, and differ"


def _sort(
    rules: Ruleset, roll: Roll, hand: Hand, tables: Sequence[Faces], at: int
) -> tuple[Hashable, ...]:
    """What a die that is to come may count for alone."""
    die, left = hand.dice[at], len(tables) - 1
    return die.kind, *(_tally(rules, roll, hand, {die.id: face}, left) for face in tables[at])


def _becomes(
    rules: Ruleset,
    roll: Roll,
    hand: Hand,
    tables: Sequence[Faces],
    size: int,
    sheet: Sheets,
    *,
    left: bool,
) -> Any:
    """What the first dice of a hand count for with any one more; what all of them come to."""
    if size == len(tables):
        return _comes(rules, roll, hand, sheet, left=left)
    shown = {die.id: die.face for die in hand.dice[:size]}
    return tuple(_with_next(rules, roll, hand, shown, tables[size][:20]))


def _lies(die: Die) -> str:
    """How a die lies: what it fell on, what it was adjusted to, whether it is frozen."""
    turned = "" if die.face == die.landed else f" adjusted to {die.face!r}"
    return f"{die.landed!r}{turned}{' frozen' if die.frozen else ''}"


def _with_next(
    rules: Ruleset, roll: Roll, hand: Hand, shown: Mapping[str, Face], faces: Iterable[Face]
) -> Iterator[Hashable]:
    """The tallies once the next die has fallen."""
    at = len(shown)
    for face in faces:
        old = hand.dice[at]
        die = Die(old.id, old.kind, (face,), face, face, old.frozen)
        after = replace(hand, dice=(*hand.dice[:at], die, *hand.dice[at + 1 :]))
        yield _tally(rules, roll, after, {**shown, die.id: face}, len(hand.dice) - at - 1)


def _comes(rules: Ruleset, roll: Roll, hand: Hand, sheet: Sheets, *, left: bool) -> tuple[Any, ...]:
    """The score of a hand, by each choice too, and what is offered, whichever dice it names."""
    after = with_hand(roll, hand)
    every = (offer for offer in rules.offers(after, sheet) if offer.trigger in ASKED)
    offered = [
        offer
        for offer in every
        if not left or must_fall(offer) or not (changes(offer) or offer.trigger == "resolve")
    ]
    chosen = [
        scored(rules, replace(after, choices={**after.choices, offer.choice: str(option)}))
        for offer in offered
        if offer.choice
        for option in offer.options
    ]
    return scored(rules, after), chosen, [_alike(rules, after, hand, each) for each in offered]


def _alike(rules: Ruleset, roll: Roll, hand: Hand, offer: Offer) -> tuple[Any, ...]:
    """An offer without the names of its dice: what is left of them, or what they become."""
    bare = replace(offer, dice=(), to={}, note="")
    if offer.hand != hand.name or offer.trigger not in ("reroll", "adjust"):
        return bare, len(offer.dice)
    faces = {die.id: die.face for die in hand.dice}
    thrown = thrown_again(hand, (), offer.means or "adjusted")
    ways: set[Hashable] = set()
    for die in hand.dice:
        if die.id not in offer.dice:
            continue
        if offer.trigger == "reroll":
            kept = {each: face for each, face in faces.items() if each != die.id}
            ways.add((_tally(rules, roll, thrown, kept, 1), die.kind))
        for face, cost in offer.to.get(die.id, {}).items():
            to = {each.id: each.face for each in hand.dice if each.face != each.landed}
            turned = adjusted(hand, [AdjustedDie(*item) for item in {**to, die.id: face}.items()])
            shown = {each.id: each.face for each in turned.dice}
            ways.add((_tally(rules, roll, turned, shown, 0), cost))
    return bare, len(offer.dice), frozenset(ways)


def _tally(
    rules: Ruleset, roll: Roll, hand: Hand, shown: Mapping[str, Face], left: int
) -> Hashable:
    """A tally, as odds ask for it."""
    return rules.tally(replace(roll, hands=()), hand, shown, left)
