"""A corrected rule: what was played before it stays as it was, what is played since goes by it."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import defstruct
from msgspec.structs import replace

from tests.engine.helpers.audited import by_rules, judged, loud
from tests.plays import entries_of, files, kept_of
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.scenario import play, read_scenario
from urim.errors import Defect
from urim.events import roll as rolled
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.events.log.memory import MemoryLog
from urim.projections.tables import Rulesets
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.readings import reading, readings_of
from urim.rules.ruleset import Outcome, Roll, Ruleset
from urim.rules.versions import later, unknown

CORRECTED = "one_more"
WHY = "the rules are not known here: "


def meta(**told: Any) -> Any:
    """The annotation of the correction."""
    return reading("More is better.", heading="Corrected", assumed="By one.", **told)


def corrected(name: str) -> Ruleset:
    """A system whose next version has one rule corrected: every margin is one more."""
    known = ruleset_named(name)
    kind = Annotated[bool, meta(since=known.version + 1, before=False)]
    options = defstruct(
        "Options",
        [(CORRECTED, kind, True)],
        bases=(known.Options,),
        module=known.Options.__module__,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )

    def outcome(roll: Roll) -> Outcome:
        found, more = known.outcome(roll), getattr(roll.options, CORRECTED)
        readings = tuple(sorted((*found.readings, CORRECTED)))
        return replace(found, margin=found.margin + more, readings=readings)

    return replace(known, version=known.version + 1, Options=options, outcome=outcome)


CORRECTIONS = {name: corrected(name) for name in BUILT_IN}
NEWER: Rulesets = CORRECTIONS.__getitem__


def silently(name: str) -> Ruleset:
    """The same rule changed, and no word of it."""
    known, now = ruleset_named(name), CORRECTIONS[name]

    def outcome(roll: Roll) -> Outcome:
        found = known.outcome(roll)
        return replace(found, margin=found.margin + 1)

    return replace(now, version=known.version, Options=known.Options, outcome=outcome)


def paths(system: str) -> list[Path]:
    """The scenarios of a system."""
    return [path for path in files() if path.parent.name == system]


def resolved(entries: tuple[Entry, ...]) -> list[rolled.RollResolved]:
    """The outcomes that a log announces."""
    events = [recorded(each).event for each in entries if each.payload is not None]
    return [event for event in events if isinstance(event, rolled.RollResolved)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("system", BUILT_IN)
def test_a_log_of_before_is_decided_by_the_rules_it_was_played_by(system: str) -> None:
    for path in paths(system):
        entries = kept_of(path).log
        report = judged(entries, rulesets=NEWER)
        assert (loud(report), report.rules.verdict) == ([], "pass"), path
        # The control: the rule changes, and no reading says so.
        assert bool(by_rules(judged(entries, rulesets=silently))) == bool(resolved(entries)), path


@pytest.mark.parametrize("system", BUILT_IN)
def test_a_table_of_before_goes_on_by_its_own_rules(system: str) -> None:
    entries = max((kept_of(path).log for path in paths(system)), key=len)
    half = entries[len(entries) // 2].commit
    usual = environment("fair")
    tables = [Aggregate(replace(usual, rulesets=each)) for each in (ruleset_named, NEWER)]
    for table in tables:
        table.load(entries[:half])
        table.load(entries[half:])
    old, new = (table.opened for table in tables)
    assert new.game.ruleset.version == old.game.ruleset.version
    assert not getattr(new.game.options, CORRECTED)
    outcomes = [[roll.roll.outcome for roll in each.rolls.values()] for each in (old, new)]
    assert outcomes[0] == outcomes[1] != []
    assert new.tracks == old.tracks


@pytest.mark.parametrize("system", BUILT_IN)
def test_what_is_opened_since_goes_by_the_correction(system: str) -> None:
    path = max(paths(system), key=lambda path: len(resolved(kept_of(path).log)))
    log = MemoryLog()
    done = asyncio.run(play(read_scenario(path), log, rulesets=NEWER))
    entries, known = entries_of(log, done.aggregate.opened.id), kept_of(path).log
    assert all(CORRECTED in event.outcome["readings"] for event in resolved(entries))
    margins = [[event.outcome["margin"] for event in resolved(each)] for each in (known, entries)]
    assert margins[1] == [margin + 1 for margin in margins[0]] != []
    assert (judged(entries, rulesets=NEWER).exit, judged(known, rulesets=NEWER).exit) == (0, 0)
    older = judged(entries)  # by a program that does not know the correction
    version = ruleset_named(system).version
    why = f"{system} is of version {version} here, not {version + 1}"
    assert (older.exit, older.rules.verdict, loud(older)) == (3, "unchecked", [f"0: {WHY}{why}"])


def test_a_default_that_came_later_is_no_reading_that_came_later() -> None:
    milhamah = ruleset_named("milhamah")
    assert later(milhamah, 1) == {"supply": 4, "reactor_botch": False, "adds_once": "each"}
    assert unknown(milhamah, 1) == {"reactor_botch", "adds_once"}
    assert later(milhamah, 2) == {"adds_once": "each"}
    assert not later(milhamah, 3)


def test_what_was_so_before_a_correction_is_offered_to_no_new_table() -> None:
    """A default that was corrected is one of its values as before, and so is what stayed so."""
    offered = {
        reading.name: reading.offered
        for system in ("milhamah", "scarterra")
        for reading in readings_of(ruleset_named(system).Options)
        if reading.since > 1
    }
    assert offered == {
        "supply": (6, 4),
        "reactor_botch": (True,),
        "adds_once": ("total", "x", "both"),
        "below_zero": ("counts",),
        "tie_at_zero": ("failure", "tie"),
    }


def test_a_reading_that_came_later_says_what_was_so_before() -> None:
    kind = Annotated[bool, meta(since=2)]
    options = defstruct("Options", [(CORRECTED, kind, True)])
    with pytest.raises(Defect, match="what reading one_more was before"):
        readings_of(options)
