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
from ....rules.readings import readings_of
from ....rules.ruleset import Roll, Ruleset
from .figures import faults_of_words
from .forms import check_accepted, check_forms
from .laws import hold
from .readings import check_options
from .record import check_record
from .story import Recorded, shortest
from .trial import LAWS, LawBroken, Report, Trial, Who
from .watched import watched

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
        ruleset=watched(ruleset),
        bare=ruleset,
        declarations=declarations,
        characters=characters,
        reactions=reactions,
        followers=followers or {},
        amendments=amendments,
        options=options,
        recount=recount,
        readings=readings_of(ruleset.Options),
    )
    check_record(trial)
    check_options(trial)
    check_forms(ruleset)
    report = Report()
    for number in range(count + patience):
        if number >= count and not missing(trial, report):
            break
        given = options[number % len(options)]
        history = Recorded(trial, f"{seed}-{number}", given, report)
        try:
            hold(history)
        except LawBroken as broken:
            raise shortest(history, broken) from None
        report.histories += 1
    for law, what in missing(trial, report):
        raise LawBroken(law, f"{what} in {report.histories} histories")
    for why in faults_of_words(ruleset, report.constants):
        raise LawBroken("words", why)
    check_accepted(ruleset, (declarations[at] for at in sorted(report.accepted)))
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
