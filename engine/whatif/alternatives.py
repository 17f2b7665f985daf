"""What could have been otherwise in a roll: each decision that was one of several, as a change.

    alternatives(items_of(table.entries), 7)

These are questions for `what_if`, taken from the log and from what the rules offered there; a
ruling is none of them, nor is a declaration with other fields, for which a form is wanted.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...projections.lexicon import Lexicon, name_text
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.readings import readings_of
from ...rules.ruleset import declinable
from ...rules.words import ENGLISH
from ..core.attempt import roll_of
from ..core.commands import Choose, Declare, React
from ..core.offers import offers
from ..core.rerun import Commit
from .changes import Change, Instead, Reading, Withdrawn
from .seen import Item, folded, lines_of, padded, seen_by

Kind: TypeAlias = Literal["withdrawn", "choice", "answer", "reading"]
"""What was decided otherwise: the roll withdrawn at once, another choice, no answer to the
declaration, another reading."""

MOST = 50
"""Alternatives of one roll that are listed, at most: the first ones."""


class Alternative(Struct, frozen=True, kw_only=True):
    """Something that could have been otherwise in a roll, and the change that makes it so.

    `who` is the name of who decides, empty for a reading; `what` are words for what is decided
    instead, empty where the kind says it all.
    """

    kind: Kind
    who: str
    what: str
    change: Change


def alternatives(
    commits: Iterable[Item],
    roll: int,
    *,
    seat: str | None = None,
    language: str = ENGLISH,
) -> tuple[Alternative, ...]:
    """What could have been otherwise in a roll, in the order of the log; readings come last.

    `commits`, `seat` and `language` are as `what_if` takes them. Raises Refused("unknown") for a
    roll that is not there, "not-seen" for one that is hidden from the seat.
    """
    items = tuple(commits) if seat is None else seen_by(tuple(commits), seat)
    found: list[Alternative] = []
    state: TableState | None = None
    for item in items:
        before, state = state, folded(padded(state, item.seq), lines_of(item))
        if isinstance(item, Commit) and state is not None:
            found += _of(before, state, item, roll, language)
    if state is None:
        raise Refused("unknown", "nothing opens a table here", allowed=["a whole table"])
    return (*found, *_readings(state, roll_of(state, roll, seat or ""), language))[:MOST]


def _of(
    before: TableState | None, after: TableState, commit: Commit, roll: int, language: str
) -> Iterator[Alternative]:
    """The alternatives to one command, where it is about the roll."""
    match commit.command:
        case Declare() if _declares(commit, roll):
            who = name_text(after, after.rolls[roll].roll.character)
            yield Alternative(kind="withdrawn", who=who, what="", change=Withdrawn(roll))
        case React() as given if given.roll == roll and before is not None:
            if given.reaction is not None and _may_decline(before, given):
                change = Instead(commit.seq, {"reaction": None})
                who = name_text(after, given.character)
                yield Alternative(kind="answer", who=who, what="", change=change)
        case Choose() as taken if taken.roll == roll and before is not None:
            yield from _choices(before, commit, taken, language)
        case _:
            pass


def _declares(commit: Commit, roll: int) -> bool:
    return any(isinstance(e, rolled.RollDeclared) and e.roll == roll for e in commit.events)


def _may_decline(before: TableState, given: React) -> bool:
    return any(
        each.trigger == "react" and each.character == given.character and declinable(each)
        for each in offers(before, before.rolls[given.roll])
    )


def _choices(
    before: TableState, commit: Commit, taken: Choose, language: str
) -> Iterator[Alternative]:
    """Each option that was offered and not taken."""
    lexicon = Lexicon(before, language)
    offered = [each for each in offers(before, before.rolls[taken.roll]) if each.choice]
    own = [each for each in offered if each.choice == taken.choice]
    for option in dict.fromkeys(str(one) for each in own for one in each.options):
        if option != taken.option:
            yield Alternative(
                kind="choice",
                who=name_text(before, own[0].character),
                what=lexicon.choice(taken.choice, option),
                change=Instead(commit.seq, {"option": option}),
            )


def _readings(state: TableState, roll: RollState, language: str) -> Iterator[Alternative]:
    """Each other value of each reading that decided something in the roll."""
    options: Any = state.game.options
    known = {each.name: each for each in readings_of(type(options))}
    decided = (roll.roll.outcome, roll.damage)
    names = dict.fromkeys(name for each in decided if each for name in each.readings)
    for each in (known[name] for name in names if name in known):
        for value in (each.default, *each.others):
            if value != getattr(options, each.name):
                game = replace(state.game, options=replace(options, **{each.name: value}))
                what = Lexicon(replace(state, game=game), language).reading(each.name)
                change = Reading(each.name, value)
                yield Alternative(kind="reading", who="", what=what, change=change)
