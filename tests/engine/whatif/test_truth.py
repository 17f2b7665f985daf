"""A what-if equals the truth: the table that was played so, with the same requests and faces."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.tables.trials import TRIALS
from tests.engine.helpers.whatifs import (
    Request,
    Truth,
    essence,
    otherwise,
    played,
    requests_of,
    tracks,
)
from tests.pairs.play import Pair
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.play import History
from urim.engine.testing.kit.readings import values_of
from urim.engine.testing.kit.trial import Report, Trial
from urim.engine.whatif.changes import (
    Amended,
    Change,
    Declared,
    Instead,
    Reading,
    Voided,
    Withdrawn,
    Without,
)
from urim.engine.whatif.difference import WhatIf, what_if
from urim.engine.whatif.seen import items_of
from urim.engine.whatif.side import Side
from urim.errors import Refused
from urim.projections.rulings import latest_ruling
from urim.projections.tables import TableState

REASON = c.worded(c.Void(1), "why not", "0" * 32)

Drawn = tuple[Change, list[Request]]
"""A change, and the requests of the table that was played so."""


class Case:
    """A table that nobody wrote, and what can be changed about it."""

    def __init__(self, trial: Trial, luck: Luck, table: Aggregate) -> None:
        self.trial = trial
        self.luck = luck
        self.entries = table.entries
        self.state = table.opened
        self.requests = requests_of(self.entries)

    def changes(self) -> list[Drawn]:
        """Changes of every sort, where the table has what they need."""
        drawn = [
            self.reading(),
            self.voided(),
            self.amended(),
            self.withdrawn(),
            self.declared(),
            self.instead(),
            self.without(),
        ]
        return [each for each in drawn if each is not None]

    def reading(self) -> Drawn:
        """Another value of a reading, throughout."""
        every = [(r.name, v) for r in self.trial.readings for v in values_of(r)]
        name, value = self.luck.one_of(every)
        opening: Any = self.requests[0].command
        other = replace(opening, options={**opening.options, name: value})
        left = [each for each in self.requests if not _sets(each.command, name)]
        return Reading(name, value), otherwise(left, 0, lambda _: other)

    def _roll(self) -> int | None:
        rolls = [r.number for r in self.state.rolls.values() if r.state != "voided"]
        return self.luck.one_of(sorted(rolls)) if rolls else None

    def _behind(self, command: Any) -> list[Request]:
        text = REASON.text
        asked = replace(command, text=text.hash)
        at = self.requests[-1].seqs[-1] + 1
        more = Request(at, NARRATOR, asked, text, (), False, (), (at,), added=True)
        return [*self.requests, more]

    def voided(self) -> Drawn | None:
        """A void in the end."""
        number = self._roll()
        if number is None:
            return None
        against = latest_ruling(self.state.rolls[number])
        return Voided(number), self._behind(c.Void(number, against))

    def amended(self) -> Drawn | None:
        """An amendment in the end."""
        number = self._roll()
        if number is None or not self.trial.amendments:
            return None
        who = self.state.rolls[number].roll.character
        fields = self.luck.one_of(list(self.trial.amendments))
        against = latest_ruling(self.state.rolls[number])
        amend = c.Amend(number, who, fields, against)
        return Amended(number, fields), self._behind(amend)

    def _declarations(self) -> list[Request]:
        return [each for each in self.requests if isinstance(each.command, c.Declare)]

    def withdrawn(self) -> Drawn | None:
        """A declaration withdrawn at once."""
        if not self._declarations():
            return None
        of = self.luck.one_of(self._declarations())
        at = self.requests.index(of) + 1
        command = c.Withdraw(of.rolls[0])
        more = Request(-1, of.seat, command, None, (), False, (), (), added=True)
        return Withdrawn(of.rolls[0]), [*self.requests[:at], more, *self.requests[at:]]

    def declared(self) -> Drawn | None:
        """Another declaration."""
        if not self._declarations() or not self.trial.amendments:
            return None
        of = self.luck.one_of(self._declarations())
        fields = self.luck.one_of(list(self.trial.amendments))
        command: Any = of.command
        other = replace(command, declaration={**command.declaration, **fields})
        return Declared(of.rolls[0], fields), otherwise(self.requests, of.seq, lambda _: other)

    def instead(self) -> Drawn | None:
        """Another decision at a command."""
        every = [each for each in self.requests if isinstance(each.command, DECISIONS)]
        if not every:
            return None
        again = [each for each in every if isinstance(each.command, c.Reroll)]
        of = self.luck.one_of(again if again and self.luck.one_in(2) else every)
        fields = self._otherwise(of.command)
        other = replace(of.command, **fields)
        return Instead(of.seq, fields), otherwise(self.requests, of.seq, lambda _: other)

    def without(self) -> Drawn | None:
        """A command that was never asked."""
        every = [each for each in self.requests if isinstance(each.command, LEFT_OUT)]
        if not every:
            return None
        of = self.luck.one_of(every)
        return Without(of.seq), [each for each in self.requests if each.seq != of.seq]

    def _otherwise(self, command: Any) -> dict[str, Any]:
        if isinstance(command, (c.Freeze, c.Reroll)):
            hand = self.state.rolls[command.roll].roll.hand(command.hand)
            ids = [die.id for die in hand.dice] if hand else ["d1"]
            count = self.luck.below(len(ids) + 1)
            return {"dice": tuple(sorted(self.luck.some_of(ids, count)))}
        if isinstance(command, c.RollDice):
            return {"option": self.luck.below(6)}
        if isinstance(command, c.Choose):
            return {
                "option": self.luck.one_of(("allow", "prevent", "none", "belly", command.option))
            }
        if isinstance(command, c.React):
            reaction = self.luck.one_of(list(self.trial.reactions))
            return {"reaction": self.luck.one_of((None, dict(reaction)))}
        return {"attributes": dict.fromkeys(command.attributes, 1)}


def _sets(command: Any, name: str) -> bool:
    return isinstance(command, c.SetReading) and command.name == name


def history(trial: Trial, seed: str) -> Case:
    """A table of the kit's: what the rules offer, voids and amendments."""
    luck = Luck(seed)
    history = History(trial, seed, luck.one_of(list(trial.options)), Report())
    for _ in history.play():
        pass
    return Case(trial, luck, history.aggregate)


def evening(trial: Trial, seed: str) -> Case:
    """A table with everything else: hidden rolls, disputes, rulings, texts, typed dice."""
    number, name = 0, trial.ruleset.name
    while (pair := Pair(name, f"{seed}.{number}")).dice != "manual":
        number += 1
    for _ in range(STEPS):
        pair.step()
    return Case(trial, Luck(seed), pair.tables[0])


STEPS = 60
"""What happens in an evening, at most as often."""

DECISIONS = (c.Freeze, c.Reroll, c.RollDice, c.Choose, c.React, c.EnterCharacter)

LEFT_OUT = (c.Freeze, c.Reroll, c.Adjust, c.Choose, c.React)
"""Commands that may be left out; a table without an entry of a character is another one."""

OPTIONS = ("allow", "prevent", "none", "belly")


# --- compared -------------------------------------------------------------------------------------


def of_side(side: Side) -> dict[str, Any]:
    """What a side says that the truth says too."""
    if side.state == "voided":
        return {"state": "voided"}
    outcome = side.outcome if side.announced else None
    damage = side.damage if side.state == "damaged" else None
    return {
        "state": side.state,
        "outcome": outcome and (outcome.degree, outcome.margin, dict(outcome.figures)),
        "damage": [(damage.amount, dict(damage.figures))] if damage else [],
    }


def differences(case: Case, found: WhatIf, truth: Truth) -> list[str]:
    """Where a what-if is not the truth."""
    wrong: list[str] = []
    fallen = {each.entry: each.refusal.code for each in found.fallen}
    if fallen != truth.fallen:
        wrong.append(f"fallen: {fallen}, not {truth.fallen}")
    missing = {each.entry: tuple(die.die for die in each.dice) for each in found.missing}
    if missing != truth.missing:
        wrong.append(f"missing: {missing}, not {truth.missing}")
    behind = {gone.entry for each in found.missing for gone in each.behind}
    if behind != truth.behind:
        wrong.append(f"behind: {behind}, not {truth.behind}")
    listed = {each.roll: each for each in found.rolls}
    unsure = {each.character for each in found.tracks if not each.known}
    for number in (roll.number for roll in case.state.rolls.values()):
        wrong += _of_roll(case.state, number, listed.get(number), truth, bool(unsure))
    after: dict[str, dict[str, int]] = {}
    for each in found.tracks:
        if each.after and each.known:
            after.setdefault(each.character, {})[each.track] = each.after
    real = {who: own for who, own in tracks(truth.state).items() if who not in unsure}
    if after != real:
        wrong.append(f"tracks: {after}, not {real}")
    return wrong


def _of_roll(before: TableState, number: int, found: Any, truth: Truth, unsure: bool) -> list[str]:
    """Where what is written of a roll is not the truth. One not listed is as it was."""
    there = truth.rolls.get(number)
    if number in truth.unknown:
        known = found is None or found.after is None or found.after.known
        return [f"roll {number} is not known"] if known else []
    if there is None or there not in truth.state.rolls:
        gone = found is not None and found.after is None
        return [] if gone else [f"roll {number} is no more"]
    real = dict(essence(truth.state, there))
    if found is None:
        was = essence(before, number)
        return [] if was == real else [f"roll {number}: as it was, {was}, not {real}"]
    dice = real.pop("dice", None)
    mine = of_side(found.after) if found.after else None
    return [] if mine == real else [f"roll {number}: {mine}, not {real} {dice}"]


@pytest.mark.sampled(5)
@pytest.mark.prove
@pytest.mark.parametrize("table", [history, evening])
@pytest.mark.parametrize("system", TRIALS)
def test_a_what_if_is_the_table_that_was_played_so(
    system: str,
    table: Callable[[Trial, str], Case],
    count: int,
    seed: int,
    tried: Callable[[str], None],
) -> None:
    """A pair for each that the count asks for: a tenth of them a system and a sort of table."""
    seen = Counter[str]()
    number = 0
    while seen["pairs"] < -(-count // 10):
        number += 1
        case = table(TRIALS[system], f"{seed}-{system}-{number}")
        seen["readings changed"] += sum(isinstance(r.command, c.SetReading) for r in case.requests)
        for change, requests in case.changes():
            wrong = compared(case, change, requests, seen)
            assert not wrong, "\n".join([f"{number} {change}", *wrong])
    tried(", ".join(f"{count:,} {what}" for what, count in seen.items()))


def compared(case: Case, change: Change, requests: list[Request], seen: Counter[str]) -> list[str]:
    """Where a what-if, or its refusal, is not the truth."""
    seen["pairs"] += 1
    try:
        truth = played(case.state.source, requests)
    except Refused as error:
        seen["refused"] += 1
        try:
            what_if(items_of(case.entries), [change])
        except Refused as other:
            return [] if other.code == error.code else [f"{other} is not {error}"]
        return [f"not refused: {error}"]
    found = what_if(items_of(case.entries), [change])
    seen["rolls that differ"] += len(found.rolls)
    seen["fallen"] += len(found.fallen)
    seen["with missing dice"] += bool(found.missing)
    return differences(case, found, truth)
