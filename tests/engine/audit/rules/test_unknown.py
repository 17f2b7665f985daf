"""Rules that are not known here, and entries that nothing can follow: no fault of ours."""

from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from tests.engine.helpers.audited import (
    by_rules,
    event_of,
    failures,
    find,
    forged,
    judged,
    log_of,
    told,
)
from tests.engine.helpers.bodies import asking_at, with_body
from tests.sealing import payload_of, resealed, sealed_raw
from urim.engine.audit import rerun
from urim.engine.audit.replay import Unfollowable
from urim.engine.core.decide_table import CORE, CORES
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import ruling
from urim.events.entry import withhold
from urim.projections.tables import Rulesets
from urim.rules import ruleset_named
from urim.rules.ruleset import Ruleset


def unknown(name: str) -> Ruleset:
    """A place where no system is installed."""
    raise Refused("unknown", f"no system called {name!r}")


def older(name: str) -> Ruleset:
    """A place where every system is of an earlier version."""
    known = ruleset_named(name)
    return replace(known, version=known.version - 1)


@pytest.mark.parametrize("rulesets", [unknown, older])
def test_without_the_rules_nothing_passes_and_rulings_are_listed(rulesets: Rulesets) -> None:
    entries = log_of("milhamah/dispute")
    report = judged(entries, rulesets=rulesets)
    assert (report.exit, report.rules.verdict, report.rules.decided) == (3, "unchecked", 0)
    assert {"ruling", "dispute"} <= {each.kind for each in report.proof.remarks}


OTHER_CORE = (CORE + 1, min(CORES) - 1, -1)
NEW_COMMAND = '{"do":"dance/1","steps":[1,2,3]}'


@pytest.mark.parametrize("core", OTHER_CORE)
def test_of_another_version_of_the_core_nothing_is_checked_and_nothing_fails(core: int) -> None:
    honest = log_of("milhamah/dispute")
    seq = find(honest, rolled.DiceRolled)
    unknown_here = asking_at(forged(honest, 0, core=core), seq, NEW_COMMAND)
    lying = forged(unknown_here, find(honest, rolled.RollResolved), outcome={"degree": "a wonder"})
    for entries in (unknown_here, lying):
        rules = judged(entries).rules
        assert (rules.verdict, rules.decided) == ("unchecked", 0)
        why = rules.remarks[0].why
        assert why == f"what commands lead to is of version {core}, here it is 4 or 5 or 6"
        assert [each.seq for each in rules.remarks] == [0]


def test_of_our_own_version_a_command_not_known_here_fails() -> None:
    honest = log_of("milhamah/dispute")
    seq = find(honest, rolled.DiceRolled)
    assert seq in failures(judged(asking_at(honest, seq, NEW_COMMAND)))


def test_readings_that_the_rules_do_not_know_fail() -> None:
    honest = log_of("milhamah/cliff")
    opened = event_of(honest, 0)
    options = {**opened.options, "no such reading": 1}
    assert failures(judged(forged(honest, 0, options=options)))[0] == 0
    asked_too = with_body(honest, 0, replace(opened, options=options))
    results = judged(asked_too)
    assert failures(results)[0] == 0
    assert any("no such reading" in why for _, why in by_rules(results))


@pytest.mark.parametrize("seqs", [(0,), (1,), (0, 1, 2), (5,)])
def test_a_log_that_begins_or_goes_on_anyhow_is_judged_without_a_fault_of_ours(
    seqs: tuple[int, ...],
) -> None:
    entries = log_of("milhamah/critical-hit")
    left = [withhold(entry) if entry.seq in seqs else entry for entry in entries]
    gone = [entry for entry in entries if entry.seq not in seqs]
    for report in (judged(left), judged(gone), judged([])):
        assert report.rules.verdict != "pass"


def test_an_entry_that_nothing_can_follow_fails_once_and_its_roll_is_let_be() -> None:
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.RollDeclared)
    alone = forged(entries, seq, declaration={"root": 5})
    whole = with_body(entries, seq, replace(event_of(entries, seq), declaration={"root": 5}))
    assert failures(judged(alone)) == [seq]
    assert failures(judged(whole)) == [seq]


LARGE = [
    ("luck-of-the-target", rolled.RollDeclared, "declaration", "characteristic_halves", ""),
    ("amend-attack", ruling.RollAmended, "declared", "characteristic_halves", ""),
    ("damage", rolled.RollResolved, "outcome", "margin", "roll 1 offers no 'damage' to Cogan"),
]
"""Of a log, an event, a field, a number in it; and what is wrong behind, where none follows it."""


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize(("name", "kind", "field", "number", "behind"), LARGE)
def test_a_number_of_a_forger_is_not_computed_with(
    name: str, kind: type, field: str, number: str, behind: str, *, asked: bool
) -> None:
    """It could stand for a throw of a billion dice."""
    log = log_of(f"age_of_magic/{name}")
    seq = find(log, kind)
    event = event_of(log, seq)
    forging = replace(event, **{field: {**to_builtins(getattr(event, field)), number: 10**6 + 1}})
    entries, was = list(log), log[seq]
    payload = payload_of(forging)
    unasked = sealed_raw(seq, was.at, payload, was.salt or b"", was.kind, was.commit)
    entries[seq] = resealed(was, forging) if asked else unasked
    (at, why), *others = by_rules(judged(entries))
    large = f"nothing can follow it: {field} has a number beyond 1,000,000"
    other = f"{field}.{number} is not what it must be"
    assert (at, why) == (seq, other if asked else large)
    assert [why for _, why in others] == ([behind] if behind else [])


@pytest.mark.parametrize("changes", [{"roll": 99}, {"character": "c9"}], ids=str)
def test_an_amendment_that_nothing_can_follow_is_no_excuse_for_itself(
    changes: dict[str, Any],
) -> None:
    log = log_of("age_of_magic/amend-attack")
    seq = find(log, ruling.RollAmended)
    results = judged(with_body(log, seq, replace(event_of(log, seq), **changes)))
    assert (failures(results), told(results, "unchecked")) == ([seq], [])


def test_what_rests_on_an_entry_that_nothing_can_follow_is_not_judged() -> None:
    entries = log_of("age_of_magic/push")
    seq = find(entries, rolled.RollDeclared, lambda event: bool(event.effects))
    changed = replace(event_of(entries, seq), declaration={"skill": 5})
    results = judged(with_body(entries, seq, changed))
    assert failures(results) == [seq]
    assert told(results, "unchecked")


def test_an_entry_that_was_allowed_and_cannot_be_followed_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def follow(*_: object, **__: object) -> None:
        raise Unfollowable("nowhere to go")

    monkeypatch.setattr(rerun, "followed", follow)
    results = judged(log_of("milhamah/cliff")[:2])
    assert failures(results) == [1]
    assert "nowhere to go" in by_rules(results)[0][1]


def test_a_declaration_that_asks_for_too_much_is_not_rolled_on() -> None:
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.RollDeclared)
    declaration = {**event_of(entries, seq).declaration, "rating": 10**9}
    changed = replace(event_of(entries, seq), declaration=declaration)
    assert failures(judged(with_body(entries, seq, changed))) == [seq]
