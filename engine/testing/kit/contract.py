"""The contract of a ruleset, asked at every moment of a history: see the docstring of Ruleset.

What the program may ask at a moment is asked here, whether the history itself needs it then or not:
a function that answers only when its turn has come passes every play and fails a projection.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from immutables import Map
from msgspec import Struct, convert
from msgspec.structs import fields as struct_fields
from msgspec.structs import replace

from ....events.base import JSON
from ....projections.automaton import LIVE
from ....projections.outcomes import outcomes
from ....projections.rollstate import RollState
from ....projections.tables import TableState
from ....rules.ruleset import Damage, Outcome, Roll, Sheet, Sheets, declines
from ...core.declare import json_of
from ...core.offers import due, offers, sheets
from ...core.parse import read_as
from .fingerprint import fingerprint
from .play import History
from .record import check_tables
from .trial import REFUSED, Answered, Declared, LawBroken, Moment
from .watched import kept


class Question(Struct, frozen=True):
    """One question to the system: a function, what it is given, and whether it may refuse."""

    name: str
    given: tuple[Any, ...]
    gives: type | tuple[type, ...]
    may_refuse: bool = False


def check_contract(history: History, moment: Moment) -> None:
    """Ask all that the program may ask about the moment's roll now, and compare the answers."""
    state, roll = moment.state, moment.roll
    game = state.game
    check_tables(game.ruleset, game.options, game.faces, game.tracks)
    for question in _questions(state, roll):
        _asked(history, question)
    for derived in outcomes(state):
        if derived.differs:
            why = f"outcome announced {derived.announced}, and is now {derived.derived}"
            raise LawBroken("answers", why, history.story)
    for given in _involved(state, roll):
        if given not in state.characters:
            raise LawBroken("answers", f"involves names {given!r}, who is not here", history.story)


def _involved(state: TableState, roll: RollState) -> tuple[str, ...]:
    return state.game.ruleset.involves(roll.roll.declaration)


def _questions(state: TableState, now: RollState) -> list[Question]:
    """Every question about a roll that the program may ask at this moment."""
    roll, live = now.roll, now.state in LIVE
    bare = replace(roll, outcome=None, damaged=False)
    asked = [
        Question("involves", (roll.declaration,), tuple),
        Question("outcome", (bare,), Outcome, may_refuse=live),
        Question("offers", (roll, sheets(state)), tuple),
        Question("rollables", (roll.options, state.sheet(roll.character)), tuple),
    ]
    if roll.damaged:
        ends = [lowest(state), highest(state), sheets(state)]
        asked += [Question("damage", (roll, each), Damage) for each in ends]
    asked += _amending(state, roll)
    for offer in due(offers(state, now)):
        if offer.trigger == "react":
            given = (roll, state.sheet(offer.character))
            asked.append(Question("decline", given, (Struct, type(None)), may_refuse=True))
    if now.follows is not None:
        parent = state.rolls[now.follows[0]]
        if parent.state != "voided":
            following = (roll.declaration, now.follows[1], parent.roll)
            asked.append(Question("follow", following, tuple))
    return asked


def _amending(state: TableState, roll: Roll) -> list[Question]:
    """What an amendment or a replacement asks: settled once, a declaration is settled again."""
    rules, options = state.game.ruleset, state.game.options
    sheet = state.sheet(roll.character)
    wish = _unsettled(state, roll.declaration)
    given = (options, read_as(wish, rules.Declaration), sheet, roll.link)
    asked = [Question("settle", given, tuple, may_refuse=True)]
    for who, reaction in roll.reactions:
        if not declines(reaction):
            read = read_as(_unsettled(state, reaction), rules.Reaction)
            answering = (roll, read, state.sheet(who))
            asked.append(Question("answer", answering, tuple, may_refuse=True))
    return asked


def _unsettled(state: TableState, settled: Struct) -> dict[str, Any]:
    """A declaration or reaction as JSON, without what settling fills in."""
    without = state.game.ruleset.settled
    return {name: value for name, value in json_of(settled).items() if name not in without}


def _asked(history: History, question: Question) -> None:
    """Ask twice; the answer is of its kind, and nothing that was given is kept or changed."""
    function: Callable[..., Any] = getattr(history.trial.ruleset, question.name)
    answer = history.twice(partial(function, *question.given))
    if answer is REFUSED:
        if not question.may_refuse:
            why = f"{question.name} is refused, and may not be at this moment"
            raise LawBroken("answers", why, history.story)
        return
    if not isinstance(answer, question.gives):
        why = f"{question.name} answers {answer!r}"
        raise LawBroken("answers", why, history.story)
    held = kept(function, *question.given)
    if held:
        why = f"{question.name} keeps a {held} that it is given"
        raise LawBroken("leaves", why, history.story)
    history.answers.append(Answered(question.name, question.given, fingerprint(answer)))


def check_again(history: History) -> None:
    """The questions of a history asked once more, the latest first: the answers are the same."""
    for asked in reversed(history.answers):
        function = getattr(history.trial.ruleset, asked.name)
        answer = history.attempt(partial(function, *asked.given))
        if fingerprint(answer) != asked.answer:
            why = f"{asked.name}, asked again at the end, answers {answer}"
            raise LawBroken("pure", why, history.story)


def check_declared(history: History, made: Declared) -> None:
    """A declaration comes back from JSON as it was settled, and is completed the same again."""
    rules, before = made.before.game.ruleset, made.before
    roll = history.state.rolls[made.number].roll
    if convert(json_of(roll.declaration), rules.Declaration) != roll.declaration:
        why = f"{roll.declaration} comes back from JSON as another"
        raise LawBroken("answers", why, history.story)
    wish = read_as(made.wish, rules.Declaration)
    given = (before.game.options, wish, before.sheet(roll.character), roll.link)
    _asked(history, Question("settle", given, tuple))
    for fields in history.trial.amendments:
        _corrected(history, made, roll.declaration, fields)


def _corrected(history: History, made: Declared, settled: Struct, fields: JSON) -> None:
    """A declaration with a field corrected is settled as one that was made so from the start."""
    rules, before = made.before.game.ruleset, made.before
    roll = history.state.rolls[made.number].roll
    known = {each.name for each in struct_fields(rules.Declaration)}
    if roll.link or not fields.keys() <= known:  # what follows is settled by its parent too
        return

    def settle(wish: JSON) -> Any:
        read = read_as({**wish, **fields}, rules.Declaration)
        given = (before.game.options, read, before.sheet(roll.character), roll.link)
        return rules.settle(*given)[0]

    was = history.attempt(partial(settle, made.wish))
    now = history.attempt(partial(settle, _unsettled(before, settled)))
    if REFUSED in (was, now):
        return
    for each in known - made.wish.keys():
        one, other = getattr(was, each), getattr(now, each)
        if one != other and one is not None and other is not None:
            why = f"with {fields} corrected {each} stays {other!r}; declared so it is {one!r}"
            raise LawBroken("settled", why, history.story)


# --- sheets as they may be when damage is derived again -------------------------------------------


def lowest(state: TableState) -> Sheets:
    """The sheets with every track at its least: what came before may have been voided."""
    return _at(state, {name: track.least for name, track in state.game.tracks.items()})


def highest(state: TableState) -> Sheets:
    """The sheets with every track at its most, 99 where it has none."""
    tracks = state.game.tracks.items()
    return _at(state, {n: 99 if track.most is None else track.most for n, track in tracks})


def _at(state: TableState, tracks: dict[str, int]) -> Sheets:
    def sheet(who: str) -> Sheet:
        return Sheet(who, state.ratings(who, state.size), Map(tracks))

    return sheet
