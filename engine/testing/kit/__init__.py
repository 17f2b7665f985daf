"""One call that holds a game system to a Ruleset's laws, on histories drawn from its own offers.

    def test_the_system_keeps_every_law() -> None:
        check(
            RULESET,
            characters=[Who({"strength": 3}), Who({"agility": 2})],
            declarations=[{"attribute": "strength", "opponent": "c2"}],
        )

Every history is a table with dice of its own; the same seed gives the same bytes again. The first
law that is broken raises LawBroken with its name and the commands that led there.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....events.base import JSON
from ....projections.tables import TableState
from ....rules.readings import readings_of
from ....rules.ruleset import Roll, Ruleset
from .offers import check_offers
from .play import History
from .readings import check_options, check_readings, check_settling
from .replay import check_evolve, check_replay, check_voids
from .trial import LAWS, LawBroken, Moment, Report, Trial, Who, lawful

__all__ = ["LAWS", "LawBroken", "Report", "Who", "check"]

COUNT = 40
"""Histories where the caller names no number."""

PATIENCE = 200
"""Histories more, at most, until every offer was taken up and every reading decided something."""


def check(
    ruleset: Ruleset,
    *,
    declarations: Sequence[JSON],
    characters: Sequence[Who] = (Who(), Who()),
    reactions: Sequence[JSON] = ({},),
    followers: Mapping[str, Sequence[JSON]] | None = None,
    amendments: Sequence[JSON] = (),
    options: Sequence[JSON] = ({},),
    recount: Callable[[Roll], Mapping[str, Any]] | None = None,
    count: int = COUNT,
    patience: int = PATIENCE,
    seed: str = "kit",
) -> Report:
    """Play `count` histories and raise LawBroken at the first law that one of them breaks.

    While something is `missing`, up to `patience` more are played. Characters are c1, c2 …;
    declarations and reactions are drawn for any of them, and declining is always tried too.
    `followers` are declarations by link, for rolls that follow others, `amendments` fields to
    correct, `options` the readings and table data of the tables, by turns. `recount` counts a
    resolved roll by brute force: what it names, `degree`, `margin` or a figure, must be what the
    outcome has. The report says what the histories went through.
    """
    trial = Trial(
        ruleset=ruleset,
        declarations=declarations,
        characters=characters,
        reactions=reactions,
        followers=followers or {},
        amendments=amendments,
        options=options,
        recount=recount,
        readings=readings_of(ruleset.Options),
    )
    check_options(trial)
    report = Report()
    for number in range(count + patience):
        if number >= count and not missing(trial, report):
            break
        given = options[number % len(options)]
        _checked(History(trial, f"{seed}-{number}", given, report))
        report.histories += 1
    for law, what in missing(trial, report):
        raise LawBroken(law, f"{what} in {report.histories} histories")
    return report


def missing(trial: Trial, report: Report) -> list[tuple[str, str]]:
    """What the histories have not shown yet, by the law that asks for it."""
    found = [
        ("reaches", f"{trigger} in state {state} is offered and never taken up")
        for state, trigger in sorted(report.offered - report.taken)
    ]
    found += [
        ("reaches", f"declaration {at} is never accepted: {wish}, {report.refused.get(at)}")
        for at, wish in enumerate(trial.declarations)
        if at not in report.accepted
    ]
    offered = {trigger for _, trigger in report.offered}
    found += [
        ("reaches", f"{trigger} is one of the ruleset's triggers and never offered")
        for trigger in trial.ruleset.triggers
        if trigger not in offered
    ]
    found += [
        ("readings", f"{reading.name} = {value!r} changes nothing")
        for reading in trial.readings
        for value in reading.others
        if (reading.name, repr(value)) not in report.decided
    ]
    return found


def _checked(history: History) -> None:
    """One history, every law tried at each of its moments and at its end."""
    seen: dict[int, TableState] = {history.state.size: history.state}
    declared = 0
    for moment in history.play():
        seen[moment.state.size] = moment.state
        if moment.roll.state != "voided":
            check_offers(history, moment)
            check_readings(history, moment)
            _recounted(history, moment)
        for made in history.declared[declared:]:
            check_settling(history, made)
        declared = len(history.declared)
    check_replay(history, seen)
    check_evolve(history)
    check_voids(history)


def _recounted(history: History, moment: Moment) -> None:
    """The announced outcome, counted by the caller too."""
    outcome = moment.roll.roll.outcome
    if outcome is None:
        return
    history.report.degrees.add(outcome.degree)
    if history.trial.recount is None:
        return
    announced = {**outcome.figures, "degree": outcome.degree, "margin": outcome.margin}
    with lawful(history.story):
        counted = history.trial.recount(moment.roll.roll)
    for name, value in counted.items():
        if name not in announced or announced[name] != value:
            why = f"{name} is {announced.get(name)!r}, counted {value!r}"
            raise LawBroken("recount", why, history.story)
