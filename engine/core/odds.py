"""What may still come of a roll, as somebody sees it: the question, and its answer for an aim.

A question is whole: a process that knows the system answers it without the table.
"""

from collections.abc import Mapping
from math import sqrt

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.base import Face
from ...projections.aims import SAID, Aim, aim_of
from ...projections.estimate import estimate
from ...projections.odds import odds, ways
from ...projections.places import Way, against, offered
from ...projections.rolls import last_means
from ...projections.rollstate import RollState
from ...projections.settings import ADVICE, value_of
from ...projections.spread import Spread
from ...projections.tables import TableState
from ...rules import ruleset_named
from ...rules.ruleset import Roll, Ruleset, Sheet, Sheets
from .attempt import roll_of
from .offers import sheets
from .visibility import visible_part

SOON = 4_000
"""What odds that nobody waits for may cost, at most: see `odds`. It is some tenths of a second."""


class Question(Struct, frozen=True):
    """A roll of a system, its characters' sheets, and by what means dice of its hands were put."""

    system: str
    roll: Roll
    sheets: Mapping[str, Sheet]
    put: Mapping[str, str] = {}


class OddsWay(Struct, frozen=True):
    """A way to go on with a roll, and what it is worth for the aim, where all that follows is best.

    `taken` are dice to throw again or to freeze, dice put to faces as `d1=4`, an option, or how
    many dice. `plain` where it is the obvious one: to keep what counts, and throw the rest again.
    """

    trigger: str
    hand: str
    choice: str
    taken: tuple[Face, ...]
    worth: float
    plain: bool


class Odds(Struct, frozen=True):
    """What may still come of a roll, for an aim: chances from 0 to 1 by degree, and by margin.

    `worth` is that of the best way; `ways` are all, the best first, none where nothing is to be
    decided. The opponent is taken to do what is worst for the aim: with `against` it is he, or a
    narrator, who decides, and the least worth comes first.

    Where it is not `exact` it is an estimate: the roll was `played` so many times, for `why`, and
    `error` is twice the standard error of `worth`. Who had to decide took what would be best if all
    dice were then left as they fall; `ways` has what was taken first, if anything.
    """

    exact: bool
    aim: str
    worth: float
    degrees: dict[str, float]
    score: dict[str, float]
    ways: tuple[OddsWay, ...]
    error: float = 0.0
    played: int = 0
    why: str = ""
    against: bool = False


def question(view: TableState, number: int) -> Question:
    """The odds of a roll, as all that is in this view of a table has it.

    Raises Refused: "unknown" or "not-seen" as `roll_of`; "not-offered" for one that does not count.
    """
    roll = roll_of(view, number)
    if roll.state == "voided" or roll.vetoed:
        raise Refused("not-offered", f"roll {number} does not count: nothing comes of it")
    put = {hand.name: last_means(roll, hand.name) for hand in roll.roll.hands}
    return Question(view.game.ruleset.name, roll.roll, _sheets(view, roll), put)


def _sheets(view: TableState, roll: RollState) -> dict[str, Sheet]:
    known = map(sheets(view, roll), view.characters)
    return {
        sheet.character: Sheet(sheet.character, dict(sheet.attributes), dict(sheet.tracks))
        for sheet in known
    }


def advised(view: TableState, seat: str, number: int) -> Question:
    """The same for a seat that wants advice.

    Raises Refused besides: "needs-leave" where no narrator allows it, "not-seen" where the dice are
    hidden from the seat.
    """
    roll = roll_of(view, number, seat)
    if not value_of(view.settings, ADVICE, number):
        why = f"no narrator allows advice in roll {number}"
        raise Refused("needs-leave", why, allowed=[f"set-table/1 of {ADVICE!r} by a narrator"])
    if visible_part(view, seat, roll) != "everything":
        raise Refused("not-seen", f"seat {seat!r} may not see the dice of roll {number}")
    return question(view, number)


def chances(view: TableState, number: int) -> dict[str, float]:
    """The chance of each degree of a roll, for its own aim; none where that takes too long."""
    try:
        asked, rules = question(view, number), view.game.ruleset
        given = rules, asked.roll, asked.sheets.__getitem__, aim_of(rules.aim), asked.put
        spread = odds(*given, steps=SOON)
    except Refused:
        return {}
    return {degree: float(chance) for degree, chance in spread.degrees().items()}


def answer(asked: Question, aim: str = "") -> Odds:
    """The odds for an aim; for "", what a roll of the system is wanted for.

    Raises Refused where that is none, or as `projections.odds` does.
    """
    rules = ruleset_named(asked.system)
    wanted = aim_of(aim or rules.aim)
    given = rules, asked.roll, asked.sheets.__getitem__
    try:
        decided = ways(*given, wanted, asked.put)
        spread = decided[0].spread if decided else odds(*given, wanted, asked.put)
    except Refused as refused:
        return _estimated(*given, wanted, asked.put, refused)
    degrees = spread.degrees()
    if wanted.degree is not None and wanted.degree not in degrees:
        # What is to be avoided may be what best play never comes to.
        known = odds(*given, aim_of(wanted.degree), asked.put).degrees()
        if wanted.degree not in known:
            why = f"no end of this roll is {wanted.degree!r}"
            raise Refused("unknown", why, allowed=dict.fromkeys([*known, *SAID]))
    told = tuple(_way(wanted, way) for way in decided if len(decided) > 1)
    hostile = bool(decided) and against(asked.roll, offered(*given))
    return replace(_told(wanted, spread, told), against=hostile)


def _estimated(
    rules: Ruleset, roll: Roll, sheet: Sheets, aim: Aim, put: Mapping[str, str], refused: Refused
) -> Odds:
    """What came of a roll that was played often, where there is too much to count.

    Raises what was refused where it is something else, or where that is too much too.
    """
    if refused.code != "out-of-range":
        raise refused
    try:
        spread, way = estimate(rules, roll, sheet, aim, put)
    except Refused:
        raise refused from None
    degrees = spread.degrees()
    if aim.degree is not None and aim.degree not in degrees:
        why = f"played {spread.of:,} times, no end of this roll was {aim.degree!r}"
        raise Refused("unknown", why, allowed=dict.fromkeys([*degrees, *SAID]))
    mean = aim.worth(spread.ends, spread.of)
    squares = sum(many * (aim.of_an_end(*end) - mean) ** 2 for end, many in spread.ends.items())
    told = _told(aim, spread, () if way is None else (_way(aim, way),))
    error = 2 * sqrt(squares) / spread.of
    hostile = way is not None and against(roll, offered(rules, roll, sheet))
    return replace(
        told, exact=False, error=error, played=spread.of, why=refused.why, against=hostile
    )


def _told(aim: Aim, spread: Spread, ways: tuple[OddsWay, ...]) -> Odds:
    return Odds(
        exact=True,
        aim=aim.words,
        worth=_worth(aim, spread),
        degrees={degree: float(chance) for degree, chance in spread.degrees().items()},
        score={str(margin): float(chance) for margin, chance in spread.margins().items()},
        ways=ways,
    )


def _way(aim: Aim, way: Way) -> OddsWay:
    offer = way.offer
    worth = _worth(aim, way.spread)
    return OddsWay(offer.trigger, offer.hand, offer.choice, way.taken, worth, way.plain)


def _worth(aim: Aim, spread: Spread) -> float:
    return float(aim.worth(spread.ends, spread.of))
