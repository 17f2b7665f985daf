"""How many tests notice it when one row of the automaton leads to another state.

`python -m tests.retarget` prints a table of rows, their other targets, and failing tests of each
kind. As a plugin of pytest (`-p tests.retarget`) it changes the row that URIM_RETARGET names.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from tests.tree import ROOT
from urim.engine.core import machine
from urim.projections.automaton import AFTER, ROWS, Row, State, Trigger, state_named, target

TARGETS: Mapping[tuple[Trigger, State], tuple[State, ...]] = {
    ("declare", "new"): ("reacted", "rolled"),
    ("veto", "declared"): ("reacted", "voided"),
    ("replace", "declared"): ("reacted",),
    ("react", "declared"): ("declared", "rolled"),
    ("roll", "rolled"): ("rerolled", "frozen"),
    ("freeze", "rolled"): ("rolled", "voided"),
    ("reroll", "rolled"): ("rolled", "resolved"),
    ("adjust", "rolled"): ("rolled", "frozen"),
    ("resolve", "rolled"): ("damaged", "declared"),
    ("apply_damage", "resolved"): ("resolved", "voided"),
    ("amend", "declared"): ("rolled",),
    ("amend", "resolved"): ("damaged",),
    ("void", "resolved"): ("damaged", "resolved"),
    ("withdraw", "declared"): ("declared", "resolved"),
    ("ask", "declared"): ("reacted",),
    ("open_share", "declared"): ("reacted",),
    ("break_throw", "declared"): ("reacted",),
    ("confirm", "rolled"): ("adjusted",),
    ("flavour", "rolled"): ("adjusted",),
    ("fate", "damaged"): ("resolved",),
    ("reveal", "resolved"): ("rolled",),
    ("dispute", "resolved"): ("rolled",),
    ("rule", "resolved"): ("rolled",),
}
"""Every row, by its trigger and one of its sources; a state like its own target comes first."""

KINDS = {
    "scenarios": ("tests/test_scenarios.py",),
    "decide": ("tests/engine/core/test_decide.py", "tests/engine/core/test_amend.py"),
    "audit": ("tests/engine/audit/rules",),
}
SECONDS, SECONDS_OF_A_TEST = 240, 20


def rows_of(trigger: str, source: str) -> list[Row]:
    """The rows of a trigger from a state; `adjust` has two, for two commands that share a door."""
    return [row for row in ROWS if row.trigger == trigger and source in row.sources]


def retarget(trigger: str, source: str, to: str) -> None:
    """Lead rows to another state, in every module that has the table or what is made of it."""
    rows = [
        replace(row, to=state_named(to)) if row in rows_of(trigger, source) else row for row in ROWS
    ]
    # Not by `automaton.checked`, which would refuse some of these tables at import.
    by_event = {
        (event, target(row, state)): target(row, state)
        for row in rows
        for state in row.sources
        for event in row.events[1:]
    }
    for row in rows:
        by_event |= {(row.events[0], state): target(row, state) for state in row.sources}
    doors = machine.doors(machine.build(rows))
    changed = {id(ROWS): tuple(rows), id(AFTER): by_event, id(machine.DOORS): doors}
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()):
            if module.__name__ != __name__ and id(value) in changed:
                setattr(module, name, changed[id(value)])


def passed(*trial: str) -> Counter[str] | None:
    """The tests that pass, by kind, with rows led elsewhere; None if they do not end."""
    words = [sys.executable, "-m", "pytest", "-q", "-n2", "--tb=no", "-rp", "-m", "not prove"]
    words += ["--continue-on-collection-errors", "-p", "tests.retarget"]
    words += [path for paths in KINDS.values() for path in paths]
    here = {**os.environ, "URIM_RETARGET": ":".join(trial), "URIM_SECONDS": str(SECONDS_OF_A_TEST)}
    try:
        done = subprocess.run(
            words, cwd=ROOT, env=here, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    lines = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("PASSED ")]
    return Counter(k for k, of in KINDS.items() for line in lines if line.startswith(of))


def table() -> Iterator[str]:
    """The lines of the table, each as soon as its tests have run."""
    whole = passed()
    if not whole:
        raise SystemExit("no test passes with the table as it is")
    yield f"| row | from | to | led to | {' | '.join(KINDS)} | all |"
    yield "|---|---|---|---|" + "---|" * (len(KINDS) + 1)
    for (trigger, source), others in TARGETS.items():
        row = rows_of(trigger, source)[0]
        for other in others:
            found = passed(trigger, source, other)
            failed = [whole[kind] - found[kind] for kind in KINDS] if found is not None else []
            counts = [*failed, sum(failed)] if failed else ["no end"] * (len(KINDS) + 1)
            what = f"| {trigger} | {' '.join(row.sources)} | {row.to} | {other} |"
            yield f"{what} {' | '.join(map(str, counts))} |"


if os.environ.get("URIM_RETARGET"):
    retarget(*os.environ["URIM_RETARGET"].split(":"))

if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
