"""Lodestar, a game of challenge dice: one action die against two others, and a momentum to burn."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from urim import Refused
from urim.events.base import Effect
from urim.rules.figures import Figure, Sum, Term, Value
from urim.rules.forms import SHEET, field
from urim.rules.readings import Consulted, reading
from urim.rules.ruleset import Offer, Outcome, Roll, Ruleset, Sheet, Sheets, Track

MOMENTUM, HAND = "momentum", "dice"
DEGREES = {0: "miss", 1: "weak hit", 2: "strong hit"}
TOP = 10
"""An action score is never higher."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reset: Annotated[
        int,
        reading(
            "Momentum that was burnt goes back to its reset.",
            heading="Burning momentum",
            assumed="The reset is 2.",
            others=(0,),
            ge=0,
            le=2,
        ),
    ] = 2
    ties: Annotated[
        Literal["miss", "hit"],
        reading(
            "A score beats the challenge dice that it exceeds.",
            heading="The action roll",
            assumed="One that is equal does not.",
        ),
    ] = "miss"


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A move."""

    stat: Annotated[str, field("Stat", "What the move is rolled with.", picks=SHEET)]
    adds: Annotated[int, Meta(ge=0, le=5), field("Adds", "Points more, 5 at most.")] = 0
    rating: Annotated[int, field("Rating", "The stat's, as on the sheet.")] = 0
    momentum: Annotated[int, field("Momentum", "As on the sheet.")] = 0


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    if declaration.stat not in sheet.attributes:
        known = sorted(sheet.attributes)
        raise Refused("unknown", f"no stat {declaration.stat!r}", allowed=known)
    rating, momentum = int(sheet.attributes[declaration.stat]), sheet.tracks.get(MOMENTUM, 0)
    return replace(declaration, rating=rating, momentum=momentum), ()


class Score(Struct, frozen=True):
    """The dice as they count: the action die, what it adds up to, the challenge dice."""

    die: int
    action: int
    first: int
    second: int
    cancelled: bool

    def beaten(self, score: int, *, ties: bool) -> int:
        """How many challenge dice a score beats."""
        return sum(score > die or (ties and score == die) for die in (self.first, self.second))


def scored(roll: Roll) -> Score:
    """The faces shown. Raises Refused("due") before the throw."""
    hand = roll.hand(HAND)
    if hand is None:
        raise Refused("due", "nothing was thrown yet", allowed=["roll"])
    declared: Declaration = roll.declaration
    action, first, second = (int(die.face) for die in hand.dice)
    cancelled = declared.momentum < 0 and action == -declared.momentum
    total = (0 if cancelled else action) + declared.rating + declared.adds
    return Score(action, min(TOP, total), first, second, cancelled)


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """One throw of all three dice, a momentum that beats more of them than the score, the end."""
    me = roll.character
    if roll.outcome is not None:
        return ()
    if roll.hand(HAND) is None:
        kinds = ("action", "challenge", "challenge")
        return (Offer(trigger="roll", character=me, due=True, hand=HAND, dice=kinds),)
    found = [Offer(trigger="resolve", character=me)]
    score, momentum = scored(roll), sheet(me).tracks.get(MOMENTUM, 0)
    more = score.beaten(momentum, ties=False) > score.beaten(score.action, ties=False)
    if MOMENTUM not in roll.choices and more:
        burn = (f"burn {momentum}",)
        found.append(Offer(trigger="adjust", character=me, choice=MOMENTUM, options=burn))
    return tuple(found)


def outcome(roll: Roll) -> Outcome:
    opts: Any = Consulted(roll.options)
    score, choice = scored(roll), roll.choices.get(MOMENTUM)
    counts = score.action if choice is None else int(choice.removeprefix("burn "))
    equal = counts in (score.first, score.second)
    beaten = score.beaten(counts, ties=equal and opts.ties == "hit")
    if choice is not None:
        effects = (Effect(roll.character, MOMENTUM, 0, opts.reset),)
    else:
        effects = (Effect(roll.character, MOMENTUM, 1 if beaten else -1),)
    declared: Declaration = roll.declaration
    figures: dict[str, Value] = {"rating": declared.rating, "adds": declared.adds}
    if choice is not None:
        figures = {"momentum": counts}
    elif not score.cancelled:
        figures = {"action": score.die, **figures}
    figures |= {
        "score": counts,
        "first": score.first,
        "second": score.second,
        "match": score.first == score.second,
        "cancelled": score.cancelled,
        "burnt": choice is not None,
        "beaten": beaten,
    }
    return Outcome(DEGREES[beaten], beaten - 1, figures, opts.names, effects)


MOVE = "The action roll"
FIGURES = {
    "action": Figure(heading=MOVE, dice="sum"),
    "rating": Figure(heading=MOVE),
    "adds": Figure(heading=MOVE),
    "momentum": Figure(heading="Burning momentum"),
    "score": Figure(heading=MOVE),
    "first": Figure(heading=MOVE, dice="sum"),
    "second": Figure(heading=MOVE, dice="sum"),
    "match": Figure(form="flag"),
    "cancelled": Figure(form="flag"),
    "burnt": Figure(form="flag", heading="Burning momentum", readings=("reset",)),
    "beaten": Figure(heading=MOVE, readings=("ties",)),
}


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """The score, or the momentum that was burnt for it; the margin is 0 for one die beaten."""
    made_of = (key for key in ("action", "rating", "adds", "momentum") if key in outcome.figures)
    score = Sum(total="score", terms=tuple(map(Term, made_of)), most=TOP)
    one = Term("one_die", -1, constant=1)
    return score, Sum(total="margin", terms=(Term("beaten"), one))


def counts(roll: Roll) -> dict[str, tuple[str, ...]]:
    """Each of the three dice by what it is."""
    hand = roll.hand(HAND)
    names = ("action", "first", "second")
    return {name: (die.id,) for name, die in zip(names, hand.dice, strict=True)} if hand else {}


WORDS = {
    "figure.beaten": "challenge dice beaten",
    "figure.one_die": "for a weak hit",
    "reason.strong hit": "{score} is more than {first} and {second}.",
    "reason.weak hit": "{score} is more than one of {first} and {second}.",
    "reason.miss": "{score} is not more than {first} or {second}.",
    "reading.ties": "a tie with a challenge die is a {0}",
    "reading.reset": "momentum that was burnt goes to {0}",
}

RULESET = Ruleset(
    name="lodestar",
    version=1,
    title="Lodestar",
    source="The action roll",
    triggers=("roll", "adjust", "resolve"),
    Declaration=Declaration,
    Options=Options,
    faces=lambda options: {"action": tuple(range(1, 7)), "challenge": tuple(range(1, 11))},
    tracks=lambda options: {MOMENTUM: Track(least=-6, most=10, start=options.reset)},
    settle=settle,
    offers=offers,
    outcome=outcome,
    settled=("rating", "momentum"),
    figures=FIGURES,
    sums=sums,
    counts=counts,
    words={"en": WORDS},
)
