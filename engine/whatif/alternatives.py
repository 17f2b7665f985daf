"""What could have been otherwise in a roll: each decision that was one of several, as a change.

    alternatives(items_of(table.entries), 7)

These are questions for `what_if`, taken from the log and from what the rules offered there; a
ruling is none of them, nor is a declaration with other fields, for which a form is wanted.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...projections.lexicon import Lexicon, name_text
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.readings import readings_of
from ...rules.ruleset import Offer, declinable
from ...rules.words import ENGLISH
from ..core.attempt import roll_of
from ..core.commands import Ask, Choose, Declare, React, RollDice
from ..core.offers import offers
from ..core.rerun import Commit
from .changes import Change, Instead, Reading, Withdrawn
from .seen import Item, folded, lines_of, padded, seen_by

Kind: TypeAlias = Literal["withdrawn", "choice", "dice", "answer", "reading"]
"""What was decided otherwise: the roll withdrawn at once, another choice, another number of dice,
no answer to the declaration, another reading."""

MOST = 50
"""Alternatives of one roll that are listed, at most: the first ones."""


NEAREST = 3
"""Other numbers of dice of a throw that are listed, at most: the nearest to what was thrown."""


class Alternative(Struct, frozen=True, kw_only=True):
    """Something that could have been otherwise in a roll, and the change that makes it so.

    `who` is the name of who decides, empty for a reading; `what` are words for what is decided
    instead, empty where the kind says it all; for `dice` it is their number.
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
            found += of_command(item, roll, before, Lexicon(state, language))
    if state is None:
        raise Refused("unknown", "nothing opens a table here", allowed=["a whole table"])
    decided = of_readings(state, [roll_of(state, roll, seat or "")], language)
    return (*found, *decided)[:MOST]


def of_command(
    commit: Commit, roll: int, before: TableState | None, lexicon: Lexicon
) -> Iterator[Alternative]:
    """The alternatives to one command on the table `before` it, where it is about the roll.

    `lexicon` is that of a table on which the roll is declared.
    """
    command, state = commit.command, lexicon.state
    if isinstance(command, Declare):
        if _declares(commit, roll):
            who = name_text(state, state.rolls[roll].roll.character)
            yield Alternative(kind="withdrawn", who=who, what="", change=Withdrawn(roll))
        return
    if before is None or not isinstance(command, (React, Choose, RollDice, Ask)):
        return
    if command.roll != roll:
        return
    for offer, kind, what, fields in _instead(command, offers(before, before.rolls[roll]), lexicon):
        who = name_text(state, offer.character)
        yield Alternative(kind=kind, who=who, what=what, change=Instead(commit.seq, fields))


def _declares(commit: Commit, roll: int) -> bool:
    return any(isinstance(e, rolled.RollDeclared) and e.roll == roll for e in commit.events)


def _instead(
    command: React | Choose | RollDice | Ask, offered: Sequence[Offer], lexicon: Lexicon
) -> Iterator[tuple[Offer, Kind, str, dict[str, Any]]]:
    """What was offered in the place of a command: of which sort, in words, with which fields."""
    match command:
        case React():
            own = [o for o in offered if o.trigger == "react" and o.character == command.character]
            if command.reaction is not None and any(map(declinable, own)):
                yield own[0], "answer", "", {"reaction": None}
        case Choose():
            own = [o for o in offered if o.choice == command.choice]
            for option in dict.fromkeys(str(one) for offer in own for one in offer.options):
                if option != command.option:
                    what = lexicon.choice(command.choice, option)
                    yield own[0], "choice", what, {"option": option}
        case RollDice() | Ask():
            taken = command.option
            own = [o for o in offered if o.trigger == "roll" and o.hand == command.hand]
            others = {one for offer in own for one in offer.options if isinstance(one, int)}
            if taken is not None:
                near = sorted(others - {taken}, key=lambda one: (abs(one - taken), one))
                for one in near[:NEAREST]:
                    yield own[0], "dice", str(one), {"option": one}


def of_readings(
    state: TableState, rolls: Iterable[RollState], language: str
) -> Iterator[Alternative]:
    """Each other value of each reading that decided something in these rolls."""
    rolls = tuple(rolls)
    game = state.game.at(rolls[0].declared if rolls else None)
    options: Any = game.options
    known = {each.name: each for each in readings_of(type(options))}
    decided = (each for roll in rolls for each in (roll.roll.outcome, roll.damage))
    names = dict.fromkeys(name for each in decided if each for name in each.readings)
    for each in (known[name] for name in names if name in known):
        for value in (each.default, *each.others):
            if value != getattr(options, each.name):
                other = replace(game, options=replace(options, **{each.name: value}))
                what = Lexicon(replace(state, game=other), language).reading(each.name)
                change = Reading(each.name, value)
                yield Alternative(kind="reading", who="", what=what, change=change)
