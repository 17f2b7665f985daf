"""A place of a roll, and what may come of it: a fold over the dice, and a choice where one decides.

A hand folds, die by die, into tallies (`Ruleset.tally`): all faces that count alike are one, with
how many throws they are, a whole number, and an example of them. From an example on, the system's
own `offers` say what may be decided, and its score what the roll comes to. The roller's side takes
what is best for an aim, the opponent what is worst for it. What has come to the same is asked once.

No roll of the table is changed, and no points are spent: what costs some is left out.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Refused
from ..events.base import AdjustedDie, Face, Thrown
from ..rules.figures import name_of
from ..rules.ruleset import Die, Hand, Offer, Roll, Ruleset, Scored, Sheets
from ..rules.values import sorted_faces
from .aims import Aim
from .choosing import puts, sets
from .falling import Dice, Fold, Hands, Means, falls, sort_of, step, too_large
from .rolls import adjusted, first_thrown, frozen, showing, thrown_again, with_hand
from .spread import End, Spread, mixed

STEPS = 600_000
"""Steps at most: one for each face of a die more that is added to what others count for."""

LOOK = 10
"""Steps that a place of a roll counts for, or a set of dice to throw again, by its time."""

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


class Search(Struct, frozen=True):
    """A question, and the answers that were found on the way to its own.

    `stands`: dice are left as they fall.
    """

    rules: Ruleset
    sheet: Sheets
    aim: Aim
    dice: Dice
    put: Mapping[str, str]
    stands: bool
    known: dict[Hashable, Spread | None]
    spreads: dict[Hashable, Spread]
    worths: dict[Spread, Fraction]
    orders: dict[tuple[Spread, int], tuple[Fraction, tuple[tuple[End, Fraction], ...]]]
    hands: dict[Hashable, Hands]
    folds: dict[Hashable, Fold]


def search_of(
    rules: Ruleset,
    roll: Roll,
    sheet: Sheets,
    aim: Aim,
    put: Mapping[str, str],
    steps: int | None = None,
    *,
    stands: bool = False,
) -> Search:
    """A question, nothing of which is known yet; see `odds`, and `coming`."""
    dice = Dice(rules, rules.faces(roll.options), [0], STEPS if steps is None else steps)
    return Search(rules, sheet, aim, dice, put, stands, {}, {}, {}, {}, {}, {})


# --- a place of a roll ----------------------------------------------------------------------------


def value(search: Search, roll: Roll, put: Means) -> Spread | None:
    """What may come of a roll from here on; None where it can come to no end."""
    key = place_key(search.rules, roll), put
    if key not in search.known:
        step(search.dice, f"a roll of {len(roll.hands)} hands or more has too many places", LOOK)
        search.known[key] = None
        asked = offered(search.rules, roll, search.sheet, stands=search.stands)
        reached = _reached(search, roll, asked, put)
        search.known[key] = best_of(
            search, roll, asked, reached or [*_each_offers_best(search, roll, asked, put)]
        )
    return search.known[key]


def _reached(
    search: Search, roll: Roll, asked: Sequence[Offer], put: Means
) -> Sequence[Spread] | None:
    """What may come of adjusted dice where the system says it, and nothing else is to be done."""
    adjust = next((each for each in asked if each.means and each.hand not in dict(put)), None)
    others = [each for each in asked if each is not adjust and each.trigger != "resolve"]
    if search.rules.reach is None or adjust is None or others:
        return None
    return [_ends(search, scored) for scored in search.rules.reach(roll, hand_of(roll, adjust))]


def _each_offers_best(
    search: Search, roll: Roll, asked: Sequence[Offer], put: Means
) -> Iterator[Spread]:
    """What may come of the ways on, of all sets of dice to throw again the best one alone."""
    for offer in asked:
        if offer.trigger == "reroll":
            best = _best_set(search, roll, asked, offer, put)
            yield from () if best is None else (best,)
        else:
            yield from (way.spread for way in ways_on(search, roll, (offer,), put))


def place_key(rules: Ruleset, roll: Roll) -> Hashable:
    """All that a place's value depends on, in one roll."""
    bare = replace(roll, hands=())
    hands = tuple(_of_hand(rules, bare, hand) for hand in roll.hands)
    return hands, tuple(sorted(roll.choices.items()))


def _of_hand(rules: Ruleset, roll: Roll, hand: Hand) -> Hashable:
    """All that the end depends on of a hand that lies."""
    tally = rules.tally(roll, hand, {die.id: die.face for die in hand.dice}, 0)
    return hand.name, len(hand.dice), hand.rerolls, tuple(sorted(hand.means)), hand.stands, tally


def offered(
    rules: Ruleset, roll: Roll, sheet: Sheets, *, stands: bool = False
) -> tuple[Offer, ...]:
    """What is offered that the end depends on; the end itself only where nothing is due before.

    With `stands` less all that changes dice but throws that are due, and no throw more where the
    roll may end. Raises Refused("due") where a reaction is.
    """
    every = rules.offers(roll, sheet)
    if stands:
        every = tuple(each for each in every if not changes(each) or must_fall(each))
    for offer in every:
        if offer.trigger == "react" and offer.due:
            raise Refused("due", f"{offer.character} has not reacted yet", allowed=("react",))
    due = any(offer.due for offer in every)
    asked = [offer for offer in every if offer.trigger in ASKED]
    asked = [offer for offer in asked if not (due and offer.trigger == "resolve")]
    if stands and any(offer.trigger == "resolve" for offer in asked):
        asked = [offer for offer in asked if offer.trigger != "roll"]
    return tuple(asked)


def must_fall(offer: Offer) -> bool:
    """Whether dice have to be thrown again before the roll may end."""
    return offer.trigger == "reroll" and offer.due


def changes(offer: Offer) -> bool:
    """Whether dice that lie would be changed."""
    return offer.trigger == "reroll" or (offer.trigger == "adjust" and not offer.choice)


def best_of(
    search: Search, roll: Roll, asked: Sequence[Offer], found: Sequence[Spread]
) -> Spread | None:
    """What comes of the best way; None where there is none."""
    if not found:
        return None
    worths = {spread: worth_of(search, roll, asked, spread) for spread in found}
    best = max(worths.values())
    first, *others = (spread for spread, worth in worths.items() if worth == best)
    return min((first, *others), key=order_of(search, roll, asked)) if others else first


Order: TypeAlias = tuple[Fraction, tuple[tuple[End, Fraction], ...]]
"""Of what is worth as much the least is taken: the greatest margin expected, then any."""


def order_of(search: Search, roll: Roll, asked: Sequence[Offer]) -> Callable[[Spread], Order]:
    """An order for what is worth as much to who decides here."""
    sign = 1 if against(roll, asked) else -1

    def order(spread: Spread) -> Order:
        if (spread, sign) not in search.orders:
            search.orders[spread, sign] = sign * spread.mean(), tuple(spread.chances().items())
        return search.orders[spread, sign]

    return order


def worth_of(search: Search, roll: Roll, asked: Sequence[Offer], spread: Spread) -> Fraction:
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


def ways_on(search: Search, roll: Roll, asked: Sequence[Offer], put: Means) -> Iterator[Way]:
    """Every way on that leads to an end, by what is offered."""
    for offer in asked:
        for taken, spread in WAYS[offer.trigger](search, roll, offer, put):
            if spread is not None:
                yield Way(offer, taken, spread)


Taken: TypeAlias = Iterator[tuple[tuple[Face, ...], Spread | None]]


def _resolved(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    yield (), _ends(search, search.rules.scored(roll))


def _ends(search: Search, scored: Scored) -> Spread:
    """The end of a roll that comes to nothing else."""
    return _one_of_each(search, Spread({(scored.degree, scored.margin): 1}, 1))


def _thrown(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """The first throw of a hand, with as many dice as the roller names where that is open."""
    if offer.link:
        raise Refused("not-offered", "the dice of this roll are those of another")
    endless(search, roll, offer)
    for many in offer.options or (len(offer.dice),):
        kinds = first_kinds(roll, offer, int(many))
        hand = thrown_hand(roll, offer, "", unseen(search, kinds), stands=search.stands)
        hands = hands_of(search, roll, hand, offer.again, put)
        yield (many,), _chance(search, hands, hand, hand.dice)


def first_kinds(roll: Roll, offer: Offer, many: int) -> dict[str, str]:
    """The kinds of so many dice of a first throw, by the ids that they get."""
    at = 1 + sum(len(hand.dice) for hand in roll.hands)
    return {f"d{number}": kind for number, kind in enumerate(offer.dice[:many], at)}


def unseen(search: Search, kinds: Mapping[str, str]) -> list[Thrown]:
    """Dice that are thrown, by id and kind; they have any face yet."""
    return [Thrown(die, kind, search.dice.faces[kind][0]) for die, kind in kinds.items()]


def endless(search: Search, roll: Roll, offer: Offer) -> None:
    """Refuse a throw that may go on for ever."""
    if offer.again and search.rules.tally is sorted_faces:
        raise Refused("out-of-range", f"dice of {offer.hand} may be thrown again for ever")
    if len(roll.hands) >= HANDS and not search.stands:
        raise too_large(f"the roll may go on for over {HANDS} throws")


def _stood(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """Every die frozen: to freeze fewer takes a way from oneself, and gives none."""
    if not hand_of(roll, offer).stands:
        yield offer.dice, value(search, with_hand(roll, stood(roll, offer)), put)


def stood(roll: Roll, offer: Offer) -> Hand:
    """The hand once all that may be frozen is."""
    hand = hand_of(roll, offer)
    return frozen(hand, [die.id for die in hand.dice if die.frozen or die.id in offer.dice])


def _rerolled(search: Search, roll: Roll, offer: Offer, put: Means) -> Taken:
    """Any set of the dice that may be thrown again; of sets that leave alike dice only one."""
    lying = hand_of(roll, offer)
    means = dict(put).get(offer.hand, search.put.get(offer.hand, ""))
    hands, sorts = _to_keep(search, roll, offer, put, means)
    for at, ids in enumerate(_sets(sorts, offer)):
        if at >= SETS:
            raise too_large(f"of {len(offer.dice)} dice over {SETS:,} sets may be thrown again")
        yield ids, _again(search, hands, lying, means, ids, _kept(sorts, ids))


def _best_set(
    search: Search, roll: Roll, asked: Sequence[Offer], offer: Offer, put: Means
) -> Spread | None:
    """The same, of the best set alone: that of a set, or of one with a die more.

    Hands share most of their sets, so each is looked at once, whatever hand it is of.
    """
    lying = hand_of(roll, offer)
    means = dict(put).get(offer.hand, search.put.get(offer.hand, ""))
    hands, sorts = _to_keep(search, roll, offer, put, means)

    def best(ids: tuple[str, ...]) -> Spread | None:
        kept = _kept(sorts, ids)
        key = kept, offer.least, offer.most
        if key not in hands.best:
            step(search.dice, f"of {len(offer.dice)} dice too many sets may be thrown again", LOOK)
            found: list[Spread | None] = []
            if len(ids) >= offer.least:
                found.append(_again(search, hands, lying, means, ids, kept))
            if len(ids) < offer.most:
                more = {sorts[die]: die for die in offer.dice if die not in ids}
                found += [best((*ids, die)) for die in more.values()]
            there = [spread for spread in found if spread is not None]
            hands.best[key] = best_of(search, roll, asked, there)
        return hands.best[key]

    return best(())


def _again(
    search: Search,
    hands: Hands,
    lying: Hand,
    means: str,
    ids: Collection[Face],
    kept: tuple[int, ...],
) -> Spread | None:
    """What may come of a set of dice thrown again, by the sorts of those that are kept."""
    if kept not in hands.known:
        again = {die.id: die.kind for die in lying.dice if die.id in ids}
        thrown = as_it_lies(thrown_again(lying, unseen(search, again), means), stands=search.stands)
        coming = [die for die in thrown.dice if die.id in ids]
        hands.known[kept] = _chance(search, hands, thrown, coming)
    return hands.known[kept]


def _to_keep(
    search: Search, roll: Roll, offer: Offer, put: Means, means: str
) -> tuple[Hands, Mapping[str, int]]:
    """The hands that a hand is one of once some of it is thrown again, and the sort of each die."""
    left = tuple(item for item in put if item[0] != offer.hand)
    hand = thrown_again(hand_of(roll, offer), (), means)
    hands = hands_of(search, roll, hand, offer.again, left)
    return hands, {
        die.id: sort_of(search.dice, hands.fold, hand, die, die.kind) for die in hand.dice
    }


def _kept(sorts: Mapping[str, int], ids: Collection[Face]) -> tuple[int, ...]:
    return tuple(sorted(sort for die, sort in sorts.items() if die not in ids))


def is_plain(search: Search, roll: Roll, way: Way) -> bool:
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
            yield (option,), value(search, replace(roll, choices=chosen), put)
        return
    if offer.hand in dict(put):
        return
    hand, now = hand_of(roll, offer), tuple(sorted((*put, (offer.hand, offer.means))))
    hands = hands_of(search, roll, hand, (), now)
    for to in puts(hand, offer, SETS):
        after = adjusted(hand, [AdjustedDie(die, face) for die, face in to.items()])
        after = as_it_lies(after, stands=search.stands)
        lie = tuple(sorted(sort_of(search.dice, hands.fold, after, die, "") for die in after.dice))
        if lie not in hands.known:
            hands.known[lie] = value(search, with_hand(roll, after), now)
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


def hands_of(search: Search, roll: Roll, hand: Hand, again: Collection[Face], put: Means) -> Hands:
    """The throws that a hand is thrown in: as those from every place that differs in its faces."""
    others = tuple(each for each in roll.hands if each.name != hand.name)
    dice = tuple((die.id, die.kind) for die in hand.dice)
    own = hand.name, hand.rerolls, tuple(sorted(hand.means)), dice, again
    key = place_key(search.rules, replace(roll, hands=others)), own, put
    if key not in search.hands:
        alike = own, tuple(sorted(roll.choices.items()))
        if alike not in search.folds:
            bare = replace(roll, hands=())
            search.folds[alike] = Fold(bare, again, {}, {}, {}, {}, {}, {})
        search.hands[key] = Hands(roll, put, search.folds[alike], {}, {}, {})
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
    for fallen, many in falls(search.dice, hands.fold, hand, coming).items():
        if fallen not in hands.come:
            lying = with_hand(hands.roll, showing(fallen.hand, fallen.shown))
            hands.come[fallen] = value(search, lying, hands.put)
        spread = hands.come[fallen]
        if spread is None:
            return None
        whole[spread] = whole.get(spread, 0) + many
    return whole


def _one_of_each(search: Search, spread: Spread) -> Spread:
    """The first one of all that are equal: who compares two need not look into them."""
    key = tuple(sorted(spread.ends.items())), spread.of
    return search.spreads.setdefault(key, spread)


def thrown_hand(
    roll: Roll, offer: Offer, means: str, dice: Sequence[Thrown], *, stands: bool
) -> Hand:
    """The hand of an offer once these dice of it have fallen; with `stands` they are left so."""
    if offer.trigger == "roll":
        hand = Hand(offer.hand, offer.character, first_thrown(dice))
    else:
        hand = thrown_again(hand_of(roll, offer), dice, means)
    return as_it_lies(hand, stands=stands)


def as_it_lies(hand: Hand, *, stands: bool) -> Hand:
    """The hand; with `stands` all of it is frozen."""
    return frozen(hand, [die.id for die in hand.dice]) if stands else hand


def hand_of(roll: Roll, offer: Offer) -> Hand:
    """The hand that lies, of which something is offered."""
    return next(hand for hand in roll.hands if hand.name == offer.hand)
