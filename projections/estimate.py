"""An estimate of what may still come of a roll that is too much to count: it is played often.

For what has too many ends to count, or none: dice that explode. Who may decide something takes what
would be best if all dice were left as they fall from then on. The dice are drawn as those of a
table, from a seed that is always the same: so a question has one answer.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import TypeAlias

from msgspec.structs import replace

from ..errors import Refused
from ..events.base import AdjustedDie, Face, Thrown
from ..events.throw import keyed
from ..rules.ruleset import Offer, Roll, Ruleset, Sheets
from .aims import Aim
from .falling import Means, step, too_large
from .places import (
    Search,
    Way,
    best_of,
    first_kinds,
    hand_of,
    must_fall,
    offered,
    search_of,
    stood,
    thrown_hand,
    ways_on,
    worth_of,
)
from .rolls import adjusted, with_hand
from .spread import End, Spread

PLAYED = 4_000
"""Times that a roll is played, at most."""

FEWEST = 100
"""Times that it has to be played: of fewer there is no estimate."""

LONGEST = 1_000
"""Times that a die is thrown again at once, at most; and steps of one roll."""

STEPS = 300_000
"""Steps that all decisions together may take, at most; WAY for each way that is looked at."""

WAY = 3

Falls: TypeAlias = Callable[[Offer, Mapping[str, str]], Iterator[Thrown]]
"""What dice show that are thrown by an offer; they are given by id and kind."""


Done: TypeAlias = tuple[Offer, tuple[Face, ...]]
"""An offer, and what is taken of it."""


def estimate(
    rules: Ruleset, roll: Roll, sheet: Sheets, aim: Aim, put: Mapping[str, str] = {}
) -> tuple[Spread, Way | None]:
    """How it ended each time, and what was done first where that is to be decided.

    Arguments as for `odds`. Raises Refused where even that is too much to count, and as `odds` does
    for what is not for it to say.
    """
    search = search_of(rules, roll, sheet, aim, put, STEPS, stands=True)
    draw, dice = keyed(bytes(32), b"urim odds\n"), count()

    def falls(offer: Offer, kinds: Mapping[str, str]) -> Iterator[Thrown]:
        for die, kind in kinds.items():
            faces = search.dice.faces[kind]
            for _ in range(LONGEST):
                face = faces[draw(next(dice), len(faces))[0]]
                yield Thrown(die, kind, face)
                if face not in offer.again:
                    break

    asked = offered(rules, roll, sheet)
    first = _decided(search, roll, asked, ())
    ends = Counter[End]()
    for played in range(PLAYED):
        try:
            ends[_end(search, roll, first, falls)] += 1
        except Refused:
            if played < FEWEST or search.dice.steps[0] <= STEPS:
                raise
            break
    spread = Spread(ends, ends.total())
    return spread, None if _forced(asked) else Way(*first, spread)


def _end(search: Search, roll: Roll, first: Done, falls: Falls) -> End:
    """How a roll ends that is played once."""
    put: Means = ()
    offer, taken = first
    for _ in range(LONGEST):
        if offer.trigger == "resolve":
            scored = search.rules.scored(roll)
            return scored.degree, scored.margin
        roll, put = _after(search, roll, offer, taken, put, falls)
        asked = offered(search.rules, roll, search.sheet)
        offer, taken = _decided(search, roll, asked, put)
    raise too_large(f"the roll may go on for over {LONGEST:,} steps")


def _forced(asked: tuple[Offer, ...]) -> bool:
    """Whether there is one way on alone."""
    first, *others = asked
    if first.trigger == "reroll":
        return not others and must_fall(first) and first.most == len(first.dice)
    return not others and first.trigger in ("roll", "resolve") and not first.options


def _decided(search: Search, roll: Roll, asked: tuple[Offer, ...], put: Means) -> Done:
    """What is done next."""
    if asked and _forced(asked):
        (offer,) = asked
        return offer, offer.dice if offer.trigger == "reroll" else (len(offer.dice),)
    found = list[Way]()
    for way in ways_on(search, roll, asked, put):
        step(search.dice, "too much is to be decided", WAY)
        found.append(way)
    if not found:
        raise Refused("not-offered", "nothing is offered that leads to an end of the roll")
    best = best_of(search, roll, asked, [way.spread for way in found])
    if best is not None and worth_of(search, roll, asked, best) == 0:  # then nothing is lost by it
        found = [way for way in found if way.offer.trigger != "resolve"] or found
        best = best_of(search, roll, asked, [way.spread for way in found])
    way = next(way for way in found if way.spread is best)
    return way.offer, way.taken


def _after(
    search: Search, roll: Roll, offer: Offer, taken: tuple[Face, ...], put: Means, falls: Falls
) -> tuple[Roll, Means]:
    """The roll once it is done, and the hands of which dice are adjusted then."""
    if offer.choice:
        return replace(roll, choices={**roll.choices, offer.choice: str(taken[0])}), put
    if offer.trigger == "freeze":
        return with_hand(roll, stood(roll, offer)), put
    if offer.trigger == "adjust":
        to = (
            AdjustedDie(die, face)
            for die, faces in offer.to.items()
            for face in faces
            if f"{die}={face}" in taken
        )
        hand = adjusted(hand_of(roll, offer), to)
        return with_hand(roll, hand), tuple(sorted((*put, (offer.hand, offer.means))))
    if offer.trigger == "roll":
        kinds, means = first_kinds(roll, offer, int(taken[0])), ""
    else:
        lying = hand_of(roll, offer)
        kinds = {die.id: die.kind for die in lying.dice if die.id in taken}
        means = dict(put).get(offer.hand, search.put.get(offer.hand, ""))
    thrown = thrown_hand(roll, offer, means, [*falls(offer, kinds)], stands=False)
    return with_hand(roll, thrown), tuple(each for each in put if each[0] != offer.hand)
