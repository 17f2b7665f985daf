"""The page's fold of a table equals the server's sight, for every seat, after every commit."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import encode

from tests import plays
from tests.engine.server.web.node import run
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sight import sight
from urim.engine.core.visibility import redacted
from urim.events.entry import Entry
from urim.events.line import entry_line

HERE = Path(__file__).parent

TURNS = re.compile(
    "amend|blind|break|broken|declined|dispute|epoch|hidden|replay|reveal|share|stories|veto|void"
)
"""In the paths of scenarios in which something is hidden, or taken back."""

EVERY = 4
"""Of the others, one of so many: for a fold without rules they are alike."""

FILES = [
    path
    for number, path in enumerate(plays.files())
    if TURNS.search(plays.name_of(path)) or number % EVERY == 0
]

VOIDING = (
    "tests/scenarios/milhamah/void-after-damage as",
    "engine/scenario/stories/milhamah as",
)
"""Here a blow is voided after a later one did damage too."""

PARTS = 3
"""The scenarios are compared in so many parts."""

SEEN = (
    *("seat", "seats", "characters", "rolls", "ask", "kept_back", "texts", "tracks"),
    *("size", "epoch", "level", "one_machine"),
)
"""What the fold must know of a table; `tracks` are given to it."""


def commits_of(log: tuple[Entry, ...]) -> Iterator[tuple[Entry, ...]]:
    for _, commit in groupby(log, key=lambda entry: entry.commit):
        yield tuple(commit)


def steps_of(done: plays.Kept, seat: str) -> Iterator[Mapping[str, Any]]:
    """What a seat is sent with each commit, older lines that changed too, and its sight."""
    table = Aggregate(done.play.aggregate.environment)
    known: list[bytes] = []
    for commit in commits_of(done.log):
        table.load(commit)
        lines = [entry_line(redacted(table.opened, seat, entry)) for entry in table.entries]
        sent = [line for seq, line in enumerate(lines) if seq >= len(known) or known[seq] != line]
        known = lines
        here = table.opened.seats.get(seat)
        if here is not None and here.here:
            found = sight(table.opened, seat)
            kept = {name: getattr(found, name) for name in SEEN}
        else:
            kept = None
        yield {"lines": [json.loads(line) for line in sent], "sight": kept}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_fold_is_what_the_server_shows(tmp_path: Path, part: int) -> None:
    path = tmp_path / "steps.jsonl"
    with path.open("wb") as file:
        for scenario in FILES[part::PARTS]:
            done = plays.kept_of(scenario)
            seats = sorted(done.play.aggregate.opened.seats)
            for seat in {NARRATOR, seats[-1]} & set(seats):
                name = f"{plays.name_of(scenario)} as {seat}"
                for step in steps_of(done, seat):
                    file.write(encode({"name": name, **step}) + b"\n")
    compared = run(HERE / "compare.mjs", path)
    assert (compared.returncode, compared.stderr) == (0, "")
    otherwise = [line for line in compared.stdout.splitlines() if not by_rules(line)]
    assert otherwise == []


def by_rules(difference: str) -> bool:
    """Whether rules computed damage again as an earlier roll was voided: sight alone says it."""
    return difference.startswith(VOIDING) and ".tracks." in difference
