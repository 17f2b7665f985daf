"""Breaks modules in a thousand small ways, and writes down which of them no test saw.

`make mutate` runs this. `COUNT` (how many mutants, drawn from SEED) and `SEED` are its arguments,
and `ONLY`: folders or modules instead of the verifier's core. cosmic-ray makes the mutants, in
copies of the checkout; tests/nearest.py tries each on the tests that run through what it changed.
The section "Mutation" of tests/proof.md shows what came of them, each survivor with the reason that
SURVIVORS gives; the lines of all other modules stay as they are.
"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from tests import bounded
from tests.nearest import FROZEN, SLOW_ALONE, evaluated
from tests.prove import PROOF, commit, with_section
from tests.tree import ROOT, source_files

SECTION = "## Mutation"

SURVIVORS = ROOT / "tests" / "survivors.toml"
"""Why a mutant that no test can see is no fault: by module, then by `line > mutated line`.

Under "every module": by the operator that made it, for all of its survivors.
"""

HEAD = """\
A mutant is one small change of a module. A test that fails has seen it.
`took` is what all workers took together. Line numbers are those of the commit.

| module | mutants | seen | drawn | commit | took | by `make test` |
|---|---|---|---|---|---|---|"""

VECTORS = "tests/vectors"
BUNDLES = ("tests/engine/bundle/test_read.py", "tests/engine/bundle/test_write.py")
CORE: Mapping[str, tuple[str, ...]] = {
    "events/throw.py": ("tests/events/test_throw.py", VECTORS),
    "events/entry.py": ("tests/events/test_entry.py", VECTORS),
    "events/asked.py": (
        "tests/engine/core/test_asked.py",
        "tests/engine/core/test_texts.py",
        VECTORS,
    ),
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
    "events/share.py": ("tests/events/test_share.py", "tests/engine/seat/test_shares.py"),
    "events/keys.py": ("tests/events/test_keys.py", "tests/events/test_checkpoint_keys.py"),
    "events/strict.py": (
        "tests/engine/bundle/test_read_bounds.py",
        "tests/engine/core/test_parse.py",
        *BUNDLES,
    ),
    "engine/bundle/read.py": (
        "tests/engine/bundle/test_read_bounds.py",
        *BUNDLES,
        "tests/engine/audit/test_audit.py",
    ),
    "engine/bundle/write.py": BUNDLES,
    "engine/bundle/about.py": ("tests/engine/bundle/test_about.py", *BUNDLES),
    "engine/audit/commits.py": ("tests/engine/audit",),
    "engine/audit/deferred.py": ("tests/engine/audit",),
    "engine/audit/rerun.py": ("tests/engine/audit",),
}
"""The verifier's core, and the tests that hold each file of it."""

TRACKS: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    (
        "projections/corrections/dependencies.py",
        "projections/corrections/postings.py",
        "projections/corrections/propagation.py",
        "projections/corrections/timeline.py",
        "projections/tracks.py",
    ),
    ("tests/projections/corrections",),
)
"""How tracks come about, and the tests that hold that: nearly every test runs through it."""

SCENARIOS = "tests/test_scenarios.py"
ALSO: Mapping[str, tuple[str, ...]] = {
    "events": (FROZEN,),
    "rules": (SCENARIOS, FROZEN, "tests/oracles"),
    "projections": (SCENARIOS, FROZEN, "tests/engine/core", "tests/engine/render"),
    "engine/core": (SCENARIOS, FROZEN, "tests/rules/age_of_magic/test_damage.py"),
}
"""By folder: the tests that hold it beside those in the folder of the same name under tests/."""

ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "engine": (
        "tests/engine/table",
        "tests/engine/test_logs.py",
        "tests/engine/core",
    ),
    "engine/access/postgres": ("tests/engine/postgres", "tests/engine/access"),
    "engine/service/postgres": ("tests/engine/postgres",),
    "engine/service/tables.py": ("tests/engine/service", "tests/engine/snapshots/test_service.py"),
    "engine/testing": (
        "tests/engine/testing/test_spec.py",
        "tests/engine/testing/test_golden.py",
    ),
    "engine/testing/kit": ("tests/engine/testing/test_kit.py",),
    "engine/testing/log": ("tests/events/test_conformance.py",),
    "engine/testing/plugin": (
        "tests/engine/testing/test_plugin.py",
        "tests/engine/testing/test_plugin_report.py",
        "tests/engine/testing/test_plugin_tables.py",
    ),
    "engine/testing/strategies": ("tests/engine/testing/test_strategies.py",),
    "engine/verifier": ("tests/conformance/test_build.py", "tests/conformance/test_urimcheck.py"),
    "projections/corrections": ("tests/projections",),
    "rules/__init__.py": ("tests/rules", "tests/test_third_party.py"),
    "rules/figures.py": ("tests/rules", "tests/projections/test_account.py"),
    "errors.py": ("tests/engine/core", "tests/events/test_conformance.py"),
    "events/log": (
        "tests/engine/service/test_copying.py",
        "tests/events/test_head.py",
        "tests/events/test_listing.py",
        "tests/events/test_whole.py",
        "tests/events/test_log_protocol.py",
        "tests/events/test_memory_log.py",
        "tests/events/test_conformance.py",
    ),
    "events/log/postgres": ("tests/events/postgres", "tests/events/test_conformance.py"),
    "events/log/sqlite": ("tests/events/sqlite", "tests/events/test_conformance.py"),
}
"""By folder or module: the tests that hold it, where they are not in a folder of the same name."""

FACTOR, FLOOR = 4.0, 20.0
"""How long the tests of one mutant may take: so many times what they take without one, and so many
seconds more. A mutant that loops for ever is stopped, and is as good as seen."""

UNBROKEN = 1800.0  # seconds that the tests may take without a mutant

MEMORY = 4 * 2**30
"""How many bytes the tests of one mutant may take; one that gathers for ever is as good as seen."""

UNKEPT = "PYTHONDONTWRITEBYTECODE=1"  # of a mutant nothing that is compiled is kept

LEFT_OUT = (".git", ".venv", ".typing", "build", "__pycache__", ".pytest_cache", ".hypothesis")


class Mutant(NamedTuple):
    """One change of one file: what it is, whether the tests saw it, and those of `make test`."""

    module: str
    operator: str
    line: int
    diff: str
    seen: bool
    soon: bool


class Trial(NamedTuple):
    """The mutants of one module that one worker tried, and how many seconds that took."""

    module: str
    mutants: tuple[Mutant, ...]
    seconds: float


def modules_of(only: str) -> list[str]:
    """The modules of folders, and those of these paths; the verifier's core where none is named."""
    if not only:
        return list(CORE)
    found = [module for path in only.split() for module in _modules_under(path.strip("/"))]
    return list(dict.fromkeys(found))


def _modules_under(path: str) -> list[str]:
    every = [file.relative_to(ROOT).as_posix() for file in source_files()]
    found = [module for module in every if module == path or module.startswith(f"{path}/")]
    if not found:
        raise SystemExit(f"there is no module under {path}")
    return found


def tests_of(module: str) -> tuple[str, ...]:
    """The tests that hold a module: chosen for it, or those of the nearest folder that has some."""
    chosen = {**CORE, **TRACKS}
    if module in chosen:
        return chosen[module]
    above = [module, *(folder.as_posix() for folder in Path(module).parents)][:-1]
    also = next((ALSO[folder] for folder in above if folder in ALSO), ())
    for folder in above:
        if folder in ELSEWHERE:
            return (*ELSEWHERE[folder], *also)
        mirror = f"tests/{folder.removesuffix('.py')}"
        if any((ROOT / mirror).rglob("test_*.py")):
            return (mirror, *also)
    raise SystemExit(f"no tests are known that hold {module}")


def run(modules: Sequence[str], count: int | None, seed: int, workers: int) -> list[Trial]:
    """Try that many mutants of these modules, all of them where `count` is None."""
    with tempfile.TemporaryDirectory() as folder:
        homes = [_copy(Path(folder) / f"worker{n}") for n in range(workers)]
        drawn = _drawn(homes[0], modules, count, seed)
        known = _known(homes[0], sorted({place[0] for place in drawn}))
        with ThreadPoolExecutor(workers) as pool:
            parts = [drawn[n::workers] for n in range(workers)]
            found = pool.map(_tried, homes, parts, [known] * workers)
            return [trial for trials in found for trial in trials]


class Known(NamedTuple):
    """What tests do without a mutant: the record of that, and how many seconds they may take."""

    seconds: float
    record: Path


def _known(home: Path, modules: Sequence[str]) -> Known:
    """What is known of the tests that hold these modules, from one run of them without a mutant."""
    tests = _outermost({path for module in modules for path in tests_of(module)})
    record = home / "record.json"
    command = tests_command(home, ["-p", "tests.nearest", f"--record={record}", *tests])
    command.remove(UNKEPT)  # what pytest compiles of the tests is: they stay as they are
    start = time.monotonic()
    code = bounded.run(command, UNBROKEN, cwd=home / "checkout")
    if code:
        raise SystemExit(f"without a mutant these tests end with {code}: {' '.join(tests)}")
    return Known(FLOOR + FACTOR * (time.monotonic() - start), record)


def _outermost(paths: Iterable[str]) -> list[str]:
    """These paths without those in a folder that is one of them."""
    every = set(paths)
    inner = {path for path in every if every & {str(above) for above in Path(path).parents}}
    return sorted(every - inner)


def tests_command(home: Path, tests: Sequence[str]) -> list[str]:
    """What runs the tests of a mutant in the copy of a worker."""
    env = [f"PYTHONPATH={home}:{home / 'checkout'}", UNKEPT]
    env += ["PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"]  # most of what a start takes
    plugins = ("no:cacheprovider", "xdist", "urim")
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", *(f"-p{name}" for name in plugins)]
    return ["env", *env, *pytest, *tests]


def nearest_command(home: Path, module: str, record: Path) -> list[str]:
    """What tries the mutant of a module, on the tests nearest to what it changed before others."""
    before = home / f"{module.replace('/', '.')}.before"
    shutil.copyfile(home / "checkout" / module, before)
    told = [record, module, before, *tests_command(home, ())]
    return [sys.executable, "-m", "tests.nearest", *map(str, told)]


def stopped(command: Sequence[str], seconds: float) -> list[str]:
    """A command that does the same, but fails where that does not end in so many seconds."""
    return [sys.executable, "-m", "tests.bounded", f"{seconds:.1f}", *command]


def _copy(home: Path) -> Path:
    """The checkout once more, under `home`, importable as `urim` from there."""
    shutil.copytree(ROOT, home / "checkout", ignore=shutil.ignore_patterns(*LEFT_OUT))
    (home / "urim").symlink_to("checkout")
    # A mutant may have the size and the second of what it changes: what is compiled goes by digest.
    compiled = ["compileall", "-q", "--invalidation-mode", "checked-hash", f"{home / 'checkout'}"]
    subprocess.run([sys.executable, "-m", *compiled], check=True)
    return home


def _config(home: Path, module: str, known: Known) -> Path:
    """What cosmic-ray is told about one module."""
    command = shlex.join(stopped(nearest_command(home, module, known.record), known.seconds))
    path = home / f"{module.replace('/', '.')}.toml"
    path.write_text(
        # The command stops itself and all that it started; cosmic-ray would stop it much later.
        f"[cosmic-ray]\nmodule-path = [{module!r}]\ntimeout = {2 * known.seconds}\n"
        f"excluded-modules = []\ntest-command = {command!r}\n"
        "[cosmic-ray.distributor]\nname = 'local'\n"
    )
    return path


def _session(home: Path, module: str) -> Path:
    """Where the session of a module is kept."""
    return home / f"{module.replace('/', '.')}.sqlite"


SESSIONS = """
import sys
from pathlib import Path
from cosmic_ray import commands, work_db
for module, session in zip(sys.argv[1::2], sys.argv[2::2]):
    if not Path(session).exists():
        with work_db.use_db(session) as database:
            commands.init([Path(module)], database, {})
"""
"""Makes sessions with every mutant of a module, none of them tried, as `cosmic-ray init` does."""


def _begin(home: Path, modules: Iterable[str]) -> None:
    told = [word for module in modules for word in (module, str(_session(home, module)))]
    at = home / "checkout"
    subprocess.run([sys.executable, "-c", SESSIONS, *told], cwd=at, check=True)


def _cosmic_ray(home: Path, *words: str | Path) -> str:
    command = [Path(sys.executable).with_name("cosmic-ray"), *words]
    at = home / "checkout"
    return subprocess.run(command, cwd=at, stdout=subprocess.PIPE, text=True, check=True).stdout


POSITION = ("start_pos_row", "start_pos_col")
PLACE = ("module_path", "operator_name", "occurrence", "operator_args")


def _drawn(
    home: Path, modules: Sequence[str], count: int | None, seed: int
) -> list[tuple[Any, ...]]:
    """The places of the mutants to try, in an order that the seed alone decides."""
    every: list[tuple[Any, ...]] = []
    _begin(home, modules)
    for module in modules:
        source = (home / "checkout" / module).read_text("utf-8")
        with closing(sqlite3.connect(_session(home, module))) as session:
            columns = ", ".join((*POSITION, *PLACE))
            found = session.execute(f"SELECT {columns} FROM mutation_specs")  # noqa: S608
            every += [place for line, at, *place in found if evaluated(source, line, at)]
    every = sorted(map(tuple, every))
    chance = random.Random(seed)  # noqa: S311  which mutants are tried is no secret
    return chance.sample(every, min(count or len(every), len(every)))


def _tried(home: Path, places: Sequence[tuple[Any, ...]], known: Known) -> list[Trial]:
    """Run the tests on each of these mutants, in one copy."""
    found: list[Trial] = []
    modules = dict.fromkeys(place[0] for place in places)
    _begin(home, modules)
    for module in modules:
        start = time.monotonic()
        session = _session(home, module)
        _keep(session, {place[1:] for place in places if place[0] == module})
        _cosmic_ray(home, "exec", _config(home, module, known), session)
        mutants = tuple(_results(_cosmic_ray(home, "dump", session)))
        found.append(Trial(module, mutants, time.monotonic() - start))
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
            (seen := result["test_outcome"] != "survived"),
            seen and SLOW_ALONE not in result["output"],
        )


def _change(diff: str) -> str:
    """`line > mutated line`, without what stands around them."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "@@", " "))]
    return " > ".join(line[1:].strip() for line in lines)


class Lines(NamedTuple):
    """What the section says of one module: its row of the table, and what was not seen."""

    row: str
    unseen: tuple[str, ...]


def lines_of(
    trials: Sequence[Trial], modules: Sequence[str], drawn: str, at: str
) -> dict[str, Lines]:
    """The lines of the modules that were tried; `at` is the commit that was copied."""
    reasons = tomllib.loads(SURVIVORS.read_text("utf-8"))
    found: dict[str, Lines] = {}
    for module in modules:
        own = [trial for trial in trials if trial.module == module]
        mutants = sorted(mutant for trial in own for mutant in trial.mutants)
        took = f"{sum(trial.seconds for trial in own):,.0f} s"
        seen = sum(mutant.seen for mutant in mutants)
        unseen = [
            f"- `{module}` {mutant.line}: `{mutant.diff}` · "
            f"{_reason(mutant, reasons) or '**not explained**'}"
            for mutant in mutants
            if not mutant.seen
        ]
        soon = sum(mutant.soon for mutant in mutants)
        row = f"| `{module}` | {len(mutants)} | {seen} | {drawn} | {at} | {took} | {soon} |"
        found[module] = Lines(row, tuple(unseen))
    return found


def read(page: str) -> dict[str, Lines]:
    """What the page says of each module."""
    text = page.partition(f"{SECTION}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^(\| `([^`]+)` .*)$", text, flags=re.MULTILINE)
    unseen = re.findall(r"^(- `([^`]+)` .*)$", text, flags=re.MULTILINE)
    return {
        module: Lines(row, tuple(line for line, name in unseen if name == module))
        for row, module in rows
    }


def section(lines: Mapping[str, Lines]) -> str:
    """The part of the page that shows the mutants, by module."""
    table = [HEAD, *(lines[module].row for module in sorted(lines))]
    unseen = [line for module in sorted(lines) for line in lines[module].unseen]
    return "\n".join([SECTION, "", *table, "", "Not seen:", "", *unseen]) + "\n"


def renewed(page: str, lines: Mapping[str, Lines]) -> str:
    """The page with these lines, and without those of modules that are no more."""
    kept = {module: old for module, old in read(page).items() if (ROOT / module).is_file()}
    return with_section(page, SECTION, section({**kept, **lines}))


def _reason(mutant: Mutant, reasons: Mapping[str, Mapping[str, str]]) -> str | None:
    own = reasons.get(mutant.module, {}).get(mutant.diff)
    return own or reasons.get("every module", {}).get(mutant.operator)


def main() -> int:
    """Try the mutants, write their lines; the exit code says whether nine in ten were seen."""
    parser = argparse.ArgumentParser(description="Mutate modules and run their tests.")
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="folders or modules: rules engine/core")
    parser.add_argument("--workers", type=int, default=2, help="how many are tried at once")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # for every process begun from here
    modules = modules_of(asked.only)
    at = commit()  # before it is copied: what comes in meanwhile is not tried
    trials = run(modules, asked.count, asked.seed, asked.workers)
    tried = [mutant for trial in trials for mutant in trial.mutants]
    of = " and ".join(f"`{path}`" for path in asked.only.split()) or "the verifier's core"
    drawn = f"all of {of}" if asked.count is None else f"{len(tried)} of {of}, seed {asked.seed}"
    lines = lines_of(trials, modules, drawn, at)
    PROOF.write_text(renewed(PROOF.read_text("utf-8"), lines), "utf-8")
    print(section(lines))
    seen = sum(mutant.seen for mutant in tried)
    print(f"{seen} of {len(tried)} mutants were seen")
    return int(seen < 0.9 * len(tried))


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
