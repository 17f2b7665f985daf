"""The exact distribution of what may still come of a roll, where who decides does so for the best.

A hand folds, die by die, into tallies (`Ruleset.tally`): all faces that count alike are one, with
how many throws they are, a whole number, and an example of them. From an example on, the system's
own `offers` say what may be decided, and its score what the roll comes to. The roller's side takes
what is best for an aim, the opponent what is worst for it. What has come to the same is asked once.

No roll of the table is changed, and no points are spent: what costs some is left out.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Refused
from ..events.base import AdjustedDie, Face, Thrown
from ..rules.figures import name_of
from ..rules.ruleset import Die, Hand, Offer, Roll, Ruleset, Sheets
from ..rules.values import sorted_faces
from .aims import Aim
from .choosing import puts, sets
from .falling import Dice, Hands, Means, falls, sort_of, too_large
from .rolls import adjusted, first_thrown, frozen, showing, thrown_again, with_hand
from .spread import End, Spread, mixed

PLACES = 100_000
"""Places of a roll that are looked at, at most."""

STEPS = 400_000
"""Times that a die more is added to what others count for, at most."""

HANDS = 40
"""Hands that a roll comes to, at most: one may go on for ever."""

SETS = 5_000
"""Sets of dice, or of adjusted faces, that one decision may have, at most."""

ASKED = ("roll", "freeze", "reroll", "adjust", "resolve")
"""What may be offered that a roll's end depends on."""

THROWS = ("roll", "reroll")
"""What may be offered that makes dice fall."""


class Way(Struct, frozen=True):
    """One way to go on: what is offered, what is taken of it, and what may come of that.

    `plain`: it is the one that looks obvious, to keep what counts and throw the rest again.
    """

    offer: Offer
    taken: tuple[Face, ...]
    spread: Spread
    plain: bool = False


class Throw(Struct, frozen=True):
    """A throw that fell, and what it was worth for an aim, all that follows being best.

    `worths`: of all throws that might have fallen, alike likely, how many were worth what.
    """

    fell: Fraction
    worths: Mapping[Fraction, int]

    @property
    def expected(self) -> Fraction:
        """What it was worth before it fell."""
        each = sum((worth * many for worth, many in self.worths.items()), Fraction(0))
        return each / sum(self.worths.values())


class Search(Struct, frozen=True):
    """A question, and the answers that were found on the way to its own."""

    rules: Ruleset
    sheet: Sheets
    aim: Aim
    dice: Dice
    put: Mapping[str, str]
    known: dict[Hashable, Spread | None]
    spreads: dict[Hashable, Spread]
    worths: dict[Spread, Fraction]
    orders: dict[Spread, tuple[tuple[End, Fraction], ...]]
    hands: dict[Hashable, Hands]


def odds(
    rules: Ruleset,
    roll: Roll,
    sheet: Sheets,
    aim: Aim,
    put: Mapping[str, str] = {},
    *,
    steps: int | None = None,
) -> Spread:
    """What may still come of a roll; `put`: by what means dice of a hand were put, by its name.

    With `steps` it is given up sooner: so many times a die more is added to others, at most.
    Raises Refused where a reaction is awaited, where dice are taken over from another roll, where
    they may explode for ever, and where there is too much to count; it says which number does it.
    """
    if roll.outcome is not None:
        return Spread({(roll.outcome.degree, roll.outcome.margin): 1}, 1)
    found = _value(_search(rules, roll, sheet, aim, put, steps), roll, ())
    if found is None:
        raise Refused("not-offered", "nothing is offered that leads to an end of the roll")
    return found


def ways(
    rules: Ruleset, roll: Roll, sheet: Sheets, aim: Aim, put: Mapping[str, str] = {}
) -> tuple[Way, ...]:
    """What may be decided now, the best first; empty where there is nothing to decide."""
    if roll.outcome is not None:
        return ()
    search = _search(rules, roll, sheet, aim, put)
    asked = offered(rules, roll, sheet)
    found = [
        replace(way, plain=_is_plain(search, roll, way)) for way in _ways(search, roll, asked, ())
    ]
    order = [
        (-_worth(search, roll, asked, way.spread), tuple(way.spread.chances().items()))
        for way in found
    ]
    return tuple(found[at] for at in sorted(range(len(found)), key=order.__getitem__))


def of_throw(
    rules: Ruleset,
    roll: Roll,
    sheet: Sheets,
    aim: Aim,
    hand: str,
    dice: Sequence[Thrown],
    put: Mapping[str, str] = {},
    *,
    steps: int | None = None,
) -> Throw:
    """What a throw was worth: `dice` are those of a hand that fell, the roll is as it was before.

    `steps` as for `odds`. Raises Refused as `odds`, and "not-offered" where the roll offers no
    throw of the hand.
    """
    search = _search(rules, roll, sheet, aim, put, steps)
    asked = offered(rules, roll, sheet)
    throws = (each for each in asked if each.trigger in THROWS and each.hand == hand)
    offer = next(throws, None)
    if offer is None or offer.link:
        raise Refused("not-offered", f"the roll offers no throw of {hand}")
    kinds = {each.die: each.kind for each in dice}
    lying = {die.id: die.kind for each in roll.hands if each.name == hand for die in each.dice}
    if any(
        each.face not in search.dice.faces.get(each.kind, ())
        or lying.get(each.die, each.kind) != each.kind
        or (offer.trigger == "reroll" and each.die not in lying)
        for each in dice
    ):
        raise Refused("not-offered", f"the roll offers no throw of such dice of {hand}")
    unseen = _unseen(search, kinds)
    if offer.trigger == "roll":
        _endless(search, roll, offer)
        before, after = (Hand(hand, offer.character, first_thrown(each)) for each in (unseen, dice))
    else:
        old, means = _hand(roll, offer), put.get(hand, "")
        before, after = (thrown_again(old, each, means) for each in (unseen, dice))
    hands = _hands(search, roll, before, offer.again, ())
    coming = [die for die in before.dice if die.id in kinds]
    found = _each(search, hands, before, coming)
    # What fell is one of these. Were it too much, the face would decide whether a throw is counted.
    freely = replace(search, dice=replace(search.dice, steps=count(), most=STEPS))
    fell = _value(freely, with_hand(roll, after), ())
    if fell is None or found is None:
        raise Refused("not-offered", "nothing is offered that leads to an end of the roll")
    worths: dict[Fraction, int] = {}
    for spread, many in found.items():
        worth = aim.worth(spread.ends, spread.of)
        worths[worth] = worths.get(worth, 0) + many
    return Throw(aim.worth(fell.ends, fell.of), worths)


def _search(
    rules: Ruleset,
    roll: Roll,
    sheet: Sheets,
    aim: Aim,
    put: Mapping[str, str],
    steps: int | None = None,
) -> Search:
    dice = Dice(rules, rules.faces(roll.options), count(), STEPS if steps is None else steps)
    return Search(rules, sheet, aim, dice, put, {}, {}, {}, {}, {})


# --- a place of a roll ----------------------------------------------------------------------------


def _value(search: Search, roll: Roll, put: Means) -> Spread | None:
    """What may come of a roll from here on; None where it can come to no end."""
    key = _key(search, roll), put
    if key not in search.known:
        if len(search.known) >= PLACES:
            hands = len(roll.hands)
            raise too_large(f"a roll of {hands} hands or more has over {PLACES:,} places")
        search.known[key] = None
        asked = offered(search.rules, roll, search.sheet)
        found = [way.spread for way in _ways(search, roll, asked, put)]
        search.known[key] = _best(search, roll, asked, found)
    return search.known[key]


def _key(search: Search, roll: Roll) -> Hashable:
    """All that a place's value depends on."""
    hands = tuple(_of_hand(search, roll, hand) for hand in roll.hands)
    return hands, tuple(sorted(roll.choices.items()))


def _of_hand(search: Search, roll: Roll, hand: Hand) -> Hashable:
    """All that the end depends on of a hand that lies."""
    shown = {die.id: die.face for die in hand.dice}
    tally = search.rules.tally(roll, hand, shown, 0)
    return hand.name, len(hand.dice), hand.rerolls, tuple(sorted(hand.means)), hand.stands, tally


def offered(rules: Ruleset, roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """What is offered that the end depends on; the end itself only where nothing is due before.

    Raises Refused("due") where a reaction is.
    """
    every = rules.offers(roll, sheet)
    for offer in every:
        if offer.trigger == "react" and offer.due:
            raise Refused("due", f"{offer.character} has not reacted yet", allowed=("react",))
    due = any(offer.due for offer in every)
    asked = (offer for offer in every if offer.trigger in ASKED)
    return tuple(offer for offer in asked if not (due and offer.trigger == "resolve"))


def _best(
    search: Search, roll: Roll, asked: Sequence[Offer], found: Sequence[Spread]
) -> Spread | None:
    """What comes of the best way; of ways that are worth as much always the same one."""
    if not found:
        return None
    worths = {spread: _worth(search, roll, asked, spread) for spread in found}
    best = max(worths.values())
    first, *others = (spread for spread, worth in worths.items() if worth == best)
    return min((first, *others), key=lambda spread: _order(search, spread)) if others else first


def _order(search: Search, spread: Spread) -> tuple[tuple[End, Fraction], ...]:
    """An order for what is worth as much."""
    if spread not in search.orders:
        search.orders[spread] = tuple(spread.chances().items())
    return search.orders[spread]


def _worth(search: Search, roll: Roll, asked: Sequence[Offer], spread: Spread) -> Fraction:
    """What may come, to who decides here: who acts, and where nobody does, who throws."""
    if spread not in search.worths:
        search.worths[spread] = search.aim.worth(spread.ends, spread.of)
    worth = search.worths[spread]
    return -worth if against(roll, asked) else worth


def against(roll: Roll, asked: Sequence[Offer]) -> bool:
    """Whether who decides here is no friend of the roller's: the opponent, or a narrator.

    Who may act before another throws may let him throw.
    """
    acting = [offer for offer in asked if offer.trigger not in ("roll", "resolve")]
    first = (*acting, *asked)[0]
    return first.narrator or first.character == getattr(roll.declaration, "opponent", None)


# --- what may be done there -----------------------------------------------------------------------


def _ways(search: Search, roll: Roll, asked: Sequence[Offer], put: Means) -> Iterator[Way]:
    """Every way on that leads to an end, by what is offered."""
    for offer in asked:
        for taken, spread in WAYS[offer.trigger](search, roll, offer, put):
            if spread is not None:
                yield Way(offer, taken, spread)


Taken: TypeAlias = Iterator[tuple[tuple[Face, ...], Spread | None]]


def _resolved(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    scored = search.rules.scored(roll)
    yield (), _one_of_each(search, Spread({(scored.degree, scored.margin): 1}, 1))


def _thrown(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """The first throw of a hand, with as many dice as the roller names where that is open."""
    if offer.link:
        raise Refused("not-offered", "the dice of this roll are those of another")
    _endless(search, roll, offer)
    first = 1 + sum(len(hand.dice) for hand in roll.hands)
    for many in offer.options or (len(offer.dice),):
        kinds = offer.dice[: int(many)]
        unseen = _unseen(search, {f"d{at}": kind for at, kind in enumerate(kinds, first)})
        hand = Hand(offer.hand, offer.character, first_thrown(unseen))
        hands = _hands(search, roll, hand, offer.again, put)
        yield (many,), _chance(search, hands, hand, hand.dice)


def _unseen(search: Search, kinds: Mapping[str, str]) -> list[Thrown]:
    """Dice that are thrown, by id and kind; they have any face yet."""
    return [Thrown(die, kind, search.dice.faces[kind][0]) for die, kind in kinds.items()]


def _endless(search: Search, roll: Roll, offer: Offer) -> None:
    """Refuse a throw that may go on for ever."""
    if offer.again and search.rules.tally is sorted_faces:
        raise Refused("out-of-range", f"dice of {offer.hand} may be thrown again for ever")
    if len(roll.hands) >= HANDS:
        raise too_large(f"the roll may go on for over {HANDS} throws")


def _stood(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """Every die frozen: to freeze fewer takes a way from oneself, and gives none."""
    hand = _hand(roll, offer)
    if not hand.stands:
        stands = frozen(hand, [die.id for die in hand.dice if die.frozen or die.id in offer.dice])
        yield offer.dice, _value(search, with_hand(roll, stands), put)


def _rerolled(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """Any set of the dice that may be thrown again; of sets that leave alike dice only one."""
    lying = _hand(roll, offer)
    means = dict(put).get(offer.hand, search.put.get(offer.hand, ""))
    hands, sorts = _to_keep(search, roll, offer, put, means)
    for at, ids in enumerate(_sets(sorts, offer)):
        if at >= SETS:
            raise too_large(f"of {len(offer.dice)} dice over {SETS:,} sets may be thrown again")
        kept = _kept(sorts, ids)
        if kept not in hands.known:
            again = {die.id: die.kind for die in lying.dice if die.id in ids}
            thrown = thrown_again(lying, _unseen(search, again), means)
            coming = [die for die in thrown.dice if die.id in ids]
            hands.known[kept] = _chance(search, hands, thrown, coming)
        yield ids, hands.known[kept]


def _to_keep(
    search: Search, roll: Roll, offer: Offer, put: Means, means: str
) -> tuple[Hands, Mapping[str, int]]:
    """The hands that a hand is one of once some of it is thrown again, and the sort of each die."""
    left = tuple(item for item in put if item[0] != offer.hand)
    hand = thrown_again(_hand(roll, offer), (), means)
    hands = _hands(search, roll, hand, offer.again, left)
    return hands, {die.id: sort_of(search.dice, hands, hand, die, die.kind) for die in hand.dice}


def _kept(sorts: Mapping[str, int], ids: Collection[Face]) -> tuple[int, ...]:
    return tuple(sorted(sort for die, sort in sorts.items() if die not in ids))


def _is_plain(search: Search, roll: Roll, way: Way) -> bool:
    """Whether a way is to keep the dice that count for their side, and to throw all others again.

    Where these are more than may be thrown, as many of the first ones as may.
    """
    offer, rules = way.offer, search.rules
    if offer.trigger != "reroll":
        return False
    counting = rules.counts(roll).items()
    wanted = {
        die.partition(":")[0]
        for name, dice in counting
        if rules.figures[name_of(name)].counts == "for"
        for die in dice
    }
    others = [die for die in offer.dice if die not in wanted][: offer.most]
    _, sorts = _to_keep(search, roll, offer, (), search.put.get(offer.hand, ""))
    return bool(others) and _kept(sorts, others) == _kept(sorts, way.taken)


def _sets(sorts: Mapping[str, int], offer: Offer) -> Iterator[tuple[str, ...]]:
    """As many of the dice as are offered: of dice of one sort the first."""
    alike: dict[int, list[str]] = {}
    for die, sort in sorts.items():
        if die in offer.dice:
            alike.setdefault(sort, []).append(die)
    yield from sets(list(alike.values()), offer.least, offer.most)


def _adjusted(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """A choice; or adjusted dice, once until they are thrown again."""
    if offer.choice:
        for option in offer.options:
            chosen = {**roll.choices, offer.choice: str(option)}
            yield (option,), _value(search, replace(roll, choices=chosen), put)
        return
    if offer.hand in dict(put):
        return
    hand, now = _hand(roll, offer), tuple(sorted((*put, (offer.hand, offer.means))))
    hands = _hands(search, roll, hand, (), now)
    for to in puts(hand, offer, SETS):
        after = adjusted(hand, [AdjustedDie(die, face) for die, face in to.items()])
        lie = tuple(sorted(sort_of(search.dice, hands, after, die, "") for die in after.dice))
        if lie not in hands.known:
            hands.known[lie] = _value(search, with_hand(roll, after), now)
        yield tuple(f"{die}={face}" for die, face in to.items()), hands.known[lie]


WAYS: Mapping[str, Callable[[Search, Roll, Offer, Means], Taken]] = {
    "resolve": _resolved,
    "roll": _thrown,
    "freeze": _stood,
    "reroll": _rerolled,
    "adjust": _adjusted,
}
"""What is taken of an offer, and what may come of it, by the offer's trigger."""


# --- dice -----------------------------------------------------------------------------------------


def _hands(search: Search, roll: Roll, hand: Hand, again: Collection[Face], put: Means) -> Hands:
    """The throws that a hand is thrown in: as those from every place that differs in its faces."""
    others = tuple(each for each in roll.hands if each.name != hand.name)
    kinds = tuple(sorted(die.kind for die in hand.dice))
    key = (
        _key(search, replace(roll, hands=others)),
        (hand.name, hand.rerolls, tuple(sorted(hand.means)), kinds),
        again,
        put,
    )
    if key not in search.hands:
        search.hands[key] = Hands(roll, again, put, {}, {}, {}, {}, {}, {}, {})
    return search.hands[key]


def _chance(search: Search, hands: Hands, hand: Hand, coming: Collection[Die]) -> Spread | None:
    """What may come of a throw; the dice to come have any face yet."""
    found = _each(search, hands, hand, coming)
    return None if found is None else _one_of_each(search, mixed(found))


def _each(
    search: Search, hands: Hands, hand: Hand, coming: Collection[Die]
) -> dict[Spread, int] | None:
    """What may come of what falls in a throw, and how many of all throws that is."""
    whole: dict[Spread, int] = {}
    for fallen, many in falls(search.dice, hands, hand, coming).items():
        if fallen not in hands.come:
            lying = with_hand(hands.roll, showing(fallen.hand, fallen.shown))
            hands.come[fallen] = _value(search, lying, hands.put)
        spread = hands.come[fallen]
        if spread is None:
            return None
        whole[spread] = whole.get(spread, 0) + many
    return whole


def _one_of_each(search: Search, spread: Spread) -> Spread:
    """The first one of all that are equal: who compares two need not look into them."""
    key = tuple(sorted(spread.ends.items())), spread.of
    return search.spreads.setdefault(key, spread)


def _hand(roll: Roll, offer: Offer) -> Hand:
    return next(hand for hand in roll.hands if hand.name == offer.hand)
