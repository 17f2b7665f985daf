"""The laws about readings: each decides something, and an outcome lists those that decided it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from msgspec import convert
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from ....projections.rollstate import RollState
from ....projections.tables import TableState
from ....rules.readings import Reading
from ....rules.ruleset import Damage, Outcome, Roll
from ...core.offers import sheets
from ...core.parse import read_as
from .play import History
from .trial import REFUSED, Declared, LawBroken, Moment, Trial, lawful

_encoder, _decoder = Encoder(), Decoder[Any]()


def values_of(reading: Reading) -> tuple[Any, ...]:
    """Every value of a reading that makes a difference, its default first."""
    return (reading.default, *reading.others)


def check_options(trial: Trial) -> None:
    """Every reading's every value goes through JSON and comes back the same."""
    for given in trial.options:
        with lawful():
            options = read_as(given, trial.ruleset.Options)
        for reading in trial.readings:
            for value in values_of(reading):
                one = replace(options, **{reading.name: value})
                try:
                    again = convert(_decoder.decode(_encoder.encode(one)), trial.ruleset.Options)
                except Exception as error:
                    raise LawBroken("options", f"{reading.name} = {value!r}: {error}") from error
                if again != one:
                    raise LawBroken("options", f"{reading.name} = {value!r} comes back as another")


def check_readings(history: History, moment: Moment) -> None:
    """Compare what the rules answer now with what they would answer under each other value."""
    state, roll = moment.state, moment.roll
    answered = _answered_now(history, moment)
    offered = history.twice(lambda: state.game.ruleset.offers(roll.roll, sheets(state)))
    for reading, value, options in others(history, state.game.options):
        other = replace(roll.roll, options=options)
        changed = False
        for question, before in answered:
            after = history.attempt(partial(question, state, other))
            changed |= _changes(history, reading, value, before, after)
        if not changed and not _decided(history, reading, value):
            asked = partial(state.game.ruleset.offers, other, sheets(state))
            changed = history.attempt(asked) != offered
        if changed:
            _note(history, state.game.options, reading, value)


def others(history: History, options: Any) -> Iterator[tuple[str, Any, Any]]:
    """These options with each other value of each reading in its turn: reading, value, options."""
    for reading in history.trial.readings:
        for value in values_of(reading):
            if value != getattr(options, reading.name):
                yield reading.name, value, replace(options, **{reading.name: value})


def _decided(history: History, reading: str, value: Any) -> bool:
    return (reading, repr(value)) in history.report.decided


def _note(history: History, options: Any, reading: str, value: Any) -> None:
    """Two values of a reading that differ: each of them decides something."""
    for each in (value, getattr(options, reading)):
        history.report.decided.add((reading, repr(each)))


Question: TypeAlias = Callable[[TableState, Roll], Outcome | Damage]


def _answered_now(history: History, moment: Moment) -> list[tuple[Question, Outcome | Damage]]:
    """Outcome and damage, if they are or could be announced now, and how to ask for each again."""
    state, roll = moment.state, moment.roll
    questions: list[Question] = []
    offered = {offer.trigger for offer in history.offers(roll)}
    if roll.state == "resolved":
        questions.append(_outcome)
    if "apply_damage" in offered:
        questions.append(_damage)
    answered = [
        (question, history.twice(partial(question, state, roll.roll))) for question in questions
    ]
    names = {reading.name for reading in history.trial.readings}
    for question, found in answered:
        if found is REFUSED:
            why = f"{question.__name__.strip('_')} is refused where it is offered"
            raise LawBroken("fits", why, history.story)
        for name in set(found.readings) - names:
            raise LawBroken("listed", f"{name!r} is listed and is no reading", history.story)
    return answered


def _outcome(state: TableState, roll: Roll) -> Outcome:
    return state.game.ruleset.outcome(replace(roll, outcome=None, damaged=False))


def _damage(state: TableState, roll: Roll) -> Damage:
    return state.game.ruleset.damage(roll, sheets(state))


def _changes(history: History, name: str, value: Any, before: Any, after: Any) -> bool:
    """Whether another value makes another outcome or damage; then the reading must be listed."""
    if replace(before, readings=()) == (after if after is REFUSED else replace(after, readings=())):
        return False
    if name not in before.readings:
        why = f"{name} = {value!r} makes {after} of {before}, and is not listed"
        raise LawBroken("listed", why, history.story)
    return True


def check_settling(history: History, made: Declared) -> None:
    """Note the readings under which a declaration would be settled or thrown otherwise."""
    now = history.state.rolls[made.number]
    options = made.before.game.options
    settled = history.twice(partial(_settled, made, now, options))
    for reading, value, other in others(history, options):
        if _decided(history, reading, value):
            continue
        if history.attempt(partial(_settled, made, now, other)) != settled:
            _note(history, options, reading, value)


def _settled(made: Declared, now: RollState, options: Any) -> Any:
    """All that is fixed before the first throw: tracks, faces, the declaration, dice taken over."""
    state, rules = made.before, made.before.game.ruleset
    wish = read_as(made.wish, rules.Declaration)
    settled = rules.settle(options, wish, state.sheet(now.roll.character), now.roll.link)
    followed: Any = None
    if now.follows:
        parent, link = state.rolls[now.follows[0]].roll, now.follows[1]
        followed = rules.completed(options, settled[0], link, parent)
    return rules.tracks(options), rules.faces(options), settled, followed
