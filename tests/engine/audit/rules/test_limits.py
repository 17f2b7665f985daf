"""A limit that is lowered later fails no honest log: the door measures, and nothing else does."""

from collections.abc import Sequence
from typing import Any, NoReturn

import pytest

from tests import plays
from tests.engine.audit.rules.test_fields import audited
from tests.engine.helpers.audited import LEVELS, evening, judged, log_of, loud
from tests.engine.helpers.stage import ROOT, fight
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.core import door, limits, parse, sources
from urim.engine.core.commands import Note, worded
from urim.engine.core.limits import NARRATOR, TextRule
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.entry import Entry

READ_BY: dict[str, tuple[Any, ...]] = {
    "SEATS": (limits, door),
    "CHARACTERS": (limits, door),
    "REMOVED": (limits, door),
    "CHAIN": (limits, door),
    "DICE": (limits, sources),
    "WORD": (limits, parse),
    "LABEL": (limits,),
    "TEXT": (limits,),
    "NUMBER": (limits,),
    "PAYLOAD": (limits, door),
}
"""Every limit, and the modules that read it when they run."""


def lower(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower every limit to nothing, and let nobody pass the door or its decoder."""
    for name, modules in READ_BY.items():
        for module in modules:
            monkeypatch.setattr(module, name, 0)
    for command in parse.COMMANDS.values():
        rule = command.text_rule
        if isinstance(rule, TextRule):
            monkeypatch.setattr(command, "text_rule", rule._replace(most=0))


def shut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody pass the door, or its decoder, which knows the limits of every field."""

    def closed(*_: object) -> NoReturn:
        raise AssertionError("the door is asked")

    monkeypatch.setattr(parse, "read_command", closed)
    monkeypatch.setattr(parse, "_decoder", None)
    monkeypatch.setattr(door, "check", closed)


def passes(entries: Sequence[Entry]) -> None:
    """The whole audit finds nothing wrong with an honest log."""
    report = audited(entries, entries)
    assert report.exit == 0, report.failed
    assert loud(judged(entries)) == []


def test_every_limit_is_lowered() -> None:
    numbers = {name for name, value in vars(limits).items() if isinstance(value, int)}
    assert numbers == set(READ_BY)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("system", TRIALS)
@pytest.mark.parametrize("number", range(4))
def test_honest_evenings_pass_whatever_the_limits_are_now(
    system: str, number: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = evening(system, number, seed).aggregate.entries
    assert len(LEVELS) < 4  # the fourth evening is of physical dice
    lower(monkeypatch)
    shut(monkeypatch)
    passes(entries)


@pytest.mark.slow
def test_honest_scenarios_pass_whatever_the_limits_are_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    logs = [plays.kept_of(path).log for path in plays.files()]
    lower(monkeypatch)
    shut(monkeypatch)
    for entries in logs:
        passes(entries)


def test_the_same_limits_refuse_what_is_asked_now(monkeypatch: pytest.MonkeyPatch) -> None:
    table, etgar, _ = fight()
    assert isinstance(table, Table)
    lower(monkeypatch)
    refused = []
    for ask in (
        lambda: table.submit(NARRATOR, worded(Note(0), "A note.")),
        lambda: table.seat("p9"),
        lambda: table.declare(etgar, root=ROOT, rating=2),
    ):
        with pytest.raises(Refused) as error:
            ask()
        refused.append(error.value.code)
    assert refused == ["too-long"] * 3


def test_the_largest_throw_of_typed_dice_passes_a_lower_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Typed faces alone are read by the source itself when a command is decided again."""
    entries = log_of("milhamah/cliff")
    monkeypatch.setattr(sources, "DICE", 1)
    assert loud(judged(entries)) == []
