"""One side of a difference: what a roll came to at one of two tables."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from msgspec import Struct

from ...events.base import JSON
from ...projections.account import ShownDie, ShownHand, shown_hand
from ...projections.automaton import State
from ...projections.corrections.changes import Change, changes_in_words, every_change
from ...projections.lexicon import Lexicon
from ...projections.outcomes import so_far
from ...projections.result import Result, damage_result, outcome_result
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...projections.tracks import TrackChange
from ...rules.figures import AMOUNT, MARGIN
from ...rules.ruleset import Damage, Outcome, declines
from ..core.declare import json_of

Changes = Mapping[int, Sequence[TrackChange]]
"""What counts now of each roll, by its number."""


class Fact(Struct, frozen=True):
    """A figure of an outcome or of damage: the place that was hit, armour, successes, wounds.

    `key` and `label` are its name, for programs and for people; `text` is its value in words,
    `number` the value where it is a whole number, in the system's unit.
    """

    of: Literal["outcome", "damage"]
    key: str
    label: str
    text: str
    number: int | None = None


class Side(Struct, frozen=True, kw_only=True):
    """What a roll came to. Of a voided one nothing but that counts.

    `declared` is its declaration as the log has it, `answers` are the reactions, each with its
    character's id; None is a decline. `hands` are its dice in the end.
    `outcome` is the announced one, or before that (`announced` is false) the one of the dice so
    far; `damage` is what was applied, as it counts. `outcome_words` and `damage_words` are the same
    for people, `facts` their figures one by one. `changes` are the tracks that the roll changed,
    prices too, each before and after it. Not `known`: dice are missing, so that nothing is there of
    what they would have led to; `state` is then the last known one, None where there is none.
    """

    state: State | None
    known: bool = True
    declared: JSON = {}
    answers: tuple[tuple[str, JSON | None], ...] = ()
    hands: tuple[ShownHand, ...] = ()
    announced: bool = False
    outcome: Outcome | None = None
    outcome_words: Result | None = None
    damage: Damage | None = None
    damage_words: Result | None = None
    facts: tuple[Fact, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def weight(self) -> Any:
        """What makes a difference to people: all but which readings decided."""
        outcome, damage = self.outcome, self.damage
        return (
            self.state,
            self.known,
            self.declared,
            self.answers,
            tuple((hand.hand, tuple(map(_fell, hand.dice))) for hand in self.hands),
            self.announced,
            outcome and (outcome.degree, outcome.margin, outcome.figures, outcome.effects),
            damage and (damage.target, damage.amount, damage.figures),
            self.changes,
        )


def _fell(die: ShownDie) -> Any:
    """A die without what it counts for."""
    return die.die, die.kind, die.face, die.thrown, die.frozen


def changes_by_roll(state: TableState) -> Changes:
    """Every change of a track that counts, by its roll, in their order."""
    own = sorted(
        (change for change in every_change(state) if change.roll is not None),
        key=lambda change: change.roll or 0,
    )
    return {number or 0: tuple(of) for number, of in groupby(own, lambda change: change.roll)}


def side_of(state: TableState, roll: RollState, changes: Changes, language: str) -> Side:
    """What a roll came to at this table."""
    lexicon = Lexicon(state, language)
    own = changes.get(roll.number, ())
    if roll.state == "voided":
        return Side(state="voided")
    outcome = roll.roll.outcome or so_far(state.game, roll)
    applied = [each.damage for each in own if each.damage is not None]
    damage = applied[-1] if applied else roll.damage
    words = outcome and outcome_result(state, roll, language=language, outcome=outcome)
    blow = damage and damage_result(state, roll, language=language, damage=damage)
    shown = [shown_hand(lexicon, roll.roll, hand.name) for hand in roll.roll.hands]
    return Side(
        state=roll.state,
        declared=json_of(roll.roll.declaration),
        answers=tuple(_answers(roll)),
        hands=tuple(hand for hand in shown if hand is not None),
        announced=roll.roll.outcome is not None,
        outcome=outcome,
        outcome_words=words or None,
        damage=damage,
        damage_words=blow or None,
        facts=(*_facts(lexicon, outcome), *_facts(lexicon, damage)),
        changes=tuple(changes_in_words(lexicon, own)),
    )


def _answers(roll: RollState) -> Iterator[tuple[str, JSON | None]]:
    """Every reaction, with its character's id."""
    for who, reaction in roll.roll.reactions:
        yield who, None if declines(reaction) else json_of(reaction)


def _facts(lexicon: Lexicon, found: Outcome | Damage | None) -> Iterator[Fact]:
    """The figures of what was announced, its margin or amount the last."""
    if found is None:
        return
    of: Literal["outcome", "damage"] = "outcome" if isinstance(found, Outcome) else "damage"
    number = MARGIN if isinstance(found, Outcome) else AMOUNT
    value = found.margin if isinstance(found, Outcome) else found.amount
    figures: dict[str, Any] = {**found.figures, number: value}
    names = {
        key: lexicon.name(str(each))
        for key, each in figures.items()
        if lexicon.declared(key).form == "character"
    }
    for key, each in figures.items():
        whole = each if type(each) is int else None
        text = lexicon.counted(key, whole) if key == number and whole is not None else None
        text = text if text is not None else lexicon.value(lexicon.declared(key).form, each)
        yield Fact(of, key, lexicon.figure(key, names, count=whole), text, whole)
