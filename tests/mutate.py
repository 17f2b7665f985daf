"""Breaks the verifier's core in a thousand small ways, and writes down which of them no test saw.

`make mutate` runs this; `COUNT` (how many mutants, drawn from SEED) and `SEED` are its arguments.
cosmic-ray makes the mutants, in copies of the checkout; the section "Mutation" of tests/proof.md
holds what came of them, each survivor with the reason that SURVIVORS gives.
"""

import argparse
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests.prove import PROOF, commit, with_section
from tests.tree import ROOT

SECTION = "## Mutation"

SURVIVORS = ROOT / "tests" / "survivors.toml"
"""Why a mutant that no test can see is no fault: by module, then by `line > mutated line`.

Under "every module": by the operator that made it, for all of its survivors.
"""

VECTORS = "tests/vectors"
BUNDLES = ("tests/engine/bundle/test_read.py", "tests/engine/bundle/test_write.py")
TREE = (
    "tests/engine/audit/test_tree.py",
    "tests/engine/audit/test_tree_sides.py",
    "tests/engine/audit/test_audit.py",
)
AUDITS = (
    "tests/engine/audit/test_throws_sides.py",
    "tests/engine/audit/test_nonces_sides.py",
    "tests/engine/audit/test_throws.py",
    "tests/engine/audit/test_nonces.py",
    "tests/engine/audit/test_hidden.py",
    "tests/engine/audit/test_audit.py",
)

MODULES: Mapping[str, tuple[str, ...]] = {
    "events/throw.py": ("tests/events/test_throw.py", VECTORS),
    "events/entry.py": ("tests/events/test_entry.py", VECTORS),
    "events/merkle.py": (
        "tests/events/test_merkle.py",
        "tests/events/test_merkle_sides.py",
        VECTORS,
    ),
    "events/checkpoint.py": (
        "tests/events/test_checkpoint.py",
        "tests/events/test_checkpoint_keys.py",
        VECTORS,
    ),
    "engine/bundle/read.py": (
        "tests/engine/bundle/test_read_bounds.py",
        *BUNDLES,
        "tests/engine/audit/test_audit.py",
    ),
    "engine/bundle/write.py": BUNDLES,
    "engine/audit/tree.py": TREE,
    "engine/audit/throws.py": AUDITS,
    "engine/audit/nonces.py": AUDITS,
    "engine/audit/dice.py": AUDITS,
    "engine/audit/cache.py": (
        "tests/engine/audit/test_throw_ledger.py",
        "tests/engine/audit/test_roll_store.py",
    ),
    "engine/audit/throw_ledger.py": ("tests/engine/audit/test_throw_ledger.py", *AUDITS),
}
"""The verifier's core, and the tests that hold each file of it."""

WORKERS = 2
SECONDS = 45.0
"""How long the tests of one mutant may take; one that loops for ever is as good as seen."""

MEMORY = 4 * 2**30
"""How many bytes the tests of one mutant may take; one that gathers for ever is as good as seen."""

LEFT_OUT = (".git", ".venv", ".typing", "__pycache__", ".pytest_cache", ".hypothesis")


class Mutant(NamedTuple):
    """One change of one file: what it is, and whether the tests saw it."""

    module: str
    operator: str
    line: int
    diff: str
    seen: bool


def run(count: int | None, seed: int) -> list[Mutant]:
    """Try that many mutants, all of them where `count` is None."""
    with tempfile.TemporaryDirectory() as folder:
        homes = [_copy(Path(folder) / f"worker{n}") for n in range(WORKERS)]
        drawn = _drawn(homes[0], count, seed)
        with ThreadPoolExecutor(WORKERS) as pool:
            parts = [drawn[n::WORKERS] for n in range(WORKERS)]
            found = pool.map(_tried, homes, parts)
            return sorted(mutant for part in found for mutant in part)


def _copy(home: Path) -> Path:
    """The checkout once more, under `home`, importable as `urim` from there."""
    shutil.copytree(ROOT, home / "checkout", ignore=shutil.ignore_patterns(*LEFT_OUT))
    (home / "urim").symlink_to("checkout")
    return home


def _config(home: Path, module: str) -> Path:
    """What cosmic-ray is told about one module."""
    checkout = home / "checkout"
    tests = " ".join(MODULES[module])
    command = (
        f"env PYTHONPATH={home}:{checkout} PYTHONDONTWRITEBYTECODE=1 URIM_COUNT=20 "
        f"{sys.executable} -m pytest -x -q -n0 -p no:cacheprovider {tests}"
    )
    path = home / f"{module.replace('/', '.')}.toml"
    path.write_text(
        f"[cosmic-ray]\nmodule-path = [{module!r}]\ntimeout = {SECONDS}\nexcluded-modules = []\n"
        f"test-command = {command!r}\n[cosmic-ray.distributor]\nname = 'local'\n"
    )
    return path


def _session(home: Path, module: str) -> Path:
    """A session with every mutant of a module, none of them tried."""
    session = home / f"{module.replace('/', '.')}.sqlite"
    if not session.exists():
        _cosmic_ray(home, "init", _config(home, module), session)
    return session


def _cosmic_ray(home: Path, *words: str | Path) -> str:
    command = [Path(sys.executable).with_name("cosmic-ray"), *words]
    at = home / "checkout"
    return subprocess.run(command, cwd=at, stdout=subprocess.PIPE, text=True, check=True).stdout


PLACE = ("module_path", "operator_name", "occurrence", "operator_args")


def _drawn(home: Path, count: int | None, seed: int) -> list[tuple[Any, ...]]:
    """The places of the mutants to try, in an order that the seed alone decides."""
    every: list[tuple[Any, ...]] = []
    for module in MODULES:
        with closing(sqlite3.connect(_session(home, module))) as session:
            columns = ", ".join(PLACE)
            every += session.execute(f"SELECT {columns} FROM mutation_specs").fetchall()  # noqa: S608
    every.sort()
    chance = random.Random(seed)  # noqa: S311  which mutants are tried is no secret
    return chance.sample(every, min(count or len(every), len(every)))


def _tried(home: Path, places: Sequence[tuple[Any, ...]]) -> list[Mutant]:
    """Run the tests on each of these mutants, in one copy."""
    found: list[Mutant] = []
    for module in dict.fromkeys(place[0] for place in places):
        session = _session(home, module)
        _keep(session, {place[1:] for place in places if place[0] == module})
        _cosmic_ray(home, "exec", _config(home, module), session)
        found += _results(_cosmic_ray(home, "dump", session))
    return found


def _keep(session: Path, places: set[tuple[Any, ...]]) -> None:
    """Leave only these mutants in a session."""
    with closing(sqlite3.connect(session)) as connection, connection:
        query = "SELECT job_id, operator_name, occurrence, operator_args FROM mutation_specs"
        gone = [
            (job,) for job, *place in connection.execute(query) if tuple(place) not in places
        ]  # fmt: skip
        for table in ("mutation_specs", "work_items"):
            connection.executemany(f"DELETE FROM {table} WHERE job_id = ?", gone)  # noqa: S608


def _results(dump: str) -> Iterator[Mutant]:
    for line in dump.splitlines():
        item, result = json.loads(line)
        if result is None:
            raise SystemExit(f"a mutant was not tried: {item}")
        [change] = item["mutations"]
        yield Mutant(
            change["module_path"],
            change["operator_name"].removeprefix("core/"),
            change["start_pos"][0],
            _change(result["diff"]),
            result["test_outcome"] != "survived",
        )


def _change(diff: str) -> str:
    """`line > mutated line`, without what stands around them."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@", " "))]
    return " > ".join(line[1:].strip() for line in lines)


def section(mutants: Sequence[Mutant], count: int | None, seed: int, seconds: float) -> str:
    """The part of the proof that tells of the mutants."""
    reasons = tomllib.loads(SURVIVORS.read_text("utf-8")) if SURVIVORS.exists() else {}
    seen = sum(mutant.seen for mutant in mutants)
    drawn = "all there are" if count is None else f"drawn from seed {seed}"
    facts = [
        ("mutants", f"{len(mutants):,}, {drawn}"),
        ("seen by a test", f"{seen:,} ({seen / len(mutants):.1%})"),
        ("commit", commit()),
        ("took", f"{seconds:,.0f} s"),
    ]
    lines = [SECTION, "", "Written by `make mutate`; do not edit.", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts]
    lines += ["", "| file | mutants | seen |", "|---|---|---|"]
    for module in MODULES:
        own = [mutant for mutant in mutants if mutant.module == module]
        lines.append(f"| `{module}` | {len(own)} | {sum(mutant.seen for mutant in own)} |")
    lines += ["", "Not seen:", ""]
    for mutant in mutants:
        if not mutant.seen:
            reason = _reason(mutant, reasons) or "**not explained**"
            lines.append(f"- `{mutant.module}` {mutant.line}: `{mutant.diff}` · {reason}")
    return "\n".join(lines) + "\n"


def _reason(mutant: Mutant, reasons: Mapping[str, Mapping[str, str]]) -> str | None:
    own = reasons.get(mutant.module, {}).get(mutant.diff)
    return own or reasons.get("every module", {}).get(mutant.operator)


def main() -> int:
    """Try the mutants, write the section; the exit code says whether nine in ten were seen."""
    parser = argparse.ArgumentParser(description="Mutate the verifier's core and run its tests.")
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    start = time.monotonic()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # for every process begun from here
    mutants = run(asked.count, asked.seed)
    text = section(mutants, asked.count, asked.seed, time.monotonic() - start)
    before = PROOF.read_text("utf-8") if PROOF.exists() else "# Proof\n"
    PROOF.write_text(with_section(before, SECTION, text), "utf-8")
    print(text)
    return int(sum(mutant.seen for mutant in mutants) < 0.9 * len(mutants))


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
