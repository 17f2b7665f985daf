"""Whatever a scenario's file holds, it is refused in a sentence, or played as it says."""

import datetime as dt
import re
import resource
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import to_builtins

from tests import plays, tree
from tests.engine.helpers.cli_runs import urim
from tests.engine.wrong.values import PATIENCE, ending
from urim.engine.scenario import read_scenario
from urim.errors import Refused

LITERALS = (
    "1", "0", "-1", "1.5", "true", "false", '""', '"x"', "[]", "{}", "[1, 2]", '["א"]', "nan",
    "inf", "-inf", "-0.0", "9223372036854775807", "-9223372036854775808", "1e308", "0x7f",
    "2026-01-01", "2026-01-01T00:00:00Z", "00:00:00", '"\\u0000"', "'''\nx\n'''", '"c1"', '"p1"',
    '"narrator"', '"Etgar"', "[[[[[[[[1]]]]]]]]", "{ x = { y = 1 } }", "1_000_000_000", '"א"',
    f'"{"x" * 5_000}"', f"[{'1, ' * 2_000}1]", f"{'[' * 500}{']' * 500}", "9" * 400, "99999999",
)  # fmt: skip
"""Values in TOML, right for one field and wrong for the most."""

LINES = (
    "[[step]]", "[[character]]", "[expect]", "[options]", "[[seat]]", "x = 1", 'do = "void"',
    'do = "fly"', 'refused = "due"', 'refused = "fly"', "wait = 1e9", "wait = -1", "[step]",
    "[a.b.c.d]", 'id = "p1"', 'dice = "fair"', 'dice = "seeded:x"', 'dice = "manual"', "expect = 1",
    'by = "p9"', 'as = "nobody"', "of = 99", 'level = "table"', "\x00", "= 1", 'nonce = "x"',
)  # fmt: skip
"""Lines that a file may get more."""

VALUE = re.compile(r"(?<==)[^=\n]+$", re.MULTILINE)

Change = Callable[[Random, str], bytes]

# --- mutants --------------------------------------------------------------------------------------


def flipped(random: Random, text: str) -> bytes:
    """Some bits are others."""
    data = bytearray(text.encode())
    for _ in range(random.randint(1, 6)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def cut(random: Random, text: str) -> bytes:
    """A part is missing, or is there twice."""
    data = text.encode()
    start, stop = sorted(random.randrange(len(data)) for _ in range(2))
    return data[:start] + (data[start:stop] * 2 if random.random() < 0.5 else b"") + data[stop:]


def other_value(random: Random, text: str) -> bytes:
    """A field has another value."""
    found = random.choice(list(VALUE.finditer(text)))
    return f"{text[: found.start()]} {random.choice(LITERALS)}{text[found.end() :]}".encode()


def lines_changed(random: Random, text: str) -> bytes:
    """A line is missing, there twice, elsewhere, or new."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 3)):
        at, to = random.randrange(len(lines)), random.randrange(len(lines))
        match random.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines.insert(to, lines[at])
            case 2:
                lines[at], lines[to] = lines[to], lines[at]
            case _:
                lines.insert(to, random.choice(LINES))
        lines = lines or [""]
    return "\n".join(lines).encode()


def key_changed(random: Random, text: str) -> bytes:
    """A key is called otherwise."""
    keys = list(re.finditer(r"^[a-z_]+(?= =)", text, re.MULTILINE))
    at = random.choice(keys)
    name = random.choice(["x", "do", "faces", "as", "of", "refused", "root", f"{at[0]}s", '""'])
    return f"{text[: at.start()]}{name}{text[at.end() :]}".encode()


CHANGES: Sequence[Change] = (
    flipped, cut, other_value, other_value, other_value, lines_changed, lines_changed, key_changed,
)  # fmt: skip


# --- what becomes of one --------------------------------------------------------------------------


def holds(read: Any, text: Any) -> bool:
    """Whether what was read holds all that the file does, in its types."""
    if isinstance(text, dict):
        return isinstance(read, dict) and all(
            key in read and holds(read[key], value) for key, value in text.items()
        )
    if isinstance(text, list):
        same = isinstance(read, (list, tuple)) and len(read) == len(text)
        return same and all(map(holds, read, text))
    if isinstance(text, bool) or isinstance(read, bool):
        return read is text
    return bool(read == text)


def loaded(path: Path) -> bool:
    """Whether the loader takes a file; then it has left nothing of it out."""
    try:
        scenario = read_scenario(path)
    except Refused as refused:
        f"{refused}".encode()
        if len(f"{refused}") > 4_000:
            pytest.fail(f"{refused}"[:300])
        return False
    found = to_builtins(scenario, builtin_types=(dt.datetime, dt.date, dt.time))
    for name, value in tomllib.loads(path.read_text("utf-8")).items():
        kept = found.get(name)
        assert holds(kept, value), (name, value, kept)
    return True


def ran(path: Path, *more: str) -> int:
    """Run a file in this process: the exit code, after a look at what was printed."""
    done = urim("run", str(path), *more)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code in (0, 1, 2), done.output
    assert "Traceback" not in done.output
    assert (done.exit_code == 2) == done.stderr.startswith("urim: "), done.output
    return done.exit_code


def ran_alone(path: Path) -> int:
    """Run a file in a process of its own, whose time is bounded."""
    bound = int(PATIENCE)
    done = subprocess.run(
        [sys.executable, "-m", "urim", "run", str(path)],
        env=tree.plain_environment(COLUMNS="80", PYTHONUTF8="1"),
        capture_output=True,
        encoding="utf-8",
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (bound, bound)),
    )
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    return done.returncode


@pytest.mark.slow
@pytest.mark.prove
def test_a_fuzzed_scenario_is_refused_or_played_as_it_says(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    random = Random(f"scenarios {seed}")  # noqa: S311 - any will do
    files = plays.files()
    found: Counter[str] = Counter()
    path = tmp_path / "fuzzed.toml"
    for turn in range(count):
        text = random.choice(files).read_text("utf-8")
        path.write_bytes(random.choice(CHANGES)(random, text))
        with ending(path.read_bytes()):
            good = loaded(path)
            log = tmp_path / f"{turn}.db"
            code = ran(path, *(("--log", str(log)) if turn % 4 == 0 else ()))
        assert good or code == 2
        if log.exists():
            assert code in (0, 1)
            assert urim("tables", str(log)).exit_code == 0
        if turn % 50 == 0:
            assert ran_alone(path) == code
            found["in a process of its own"] += 1
        found[("played", "played, not as expected", "refused")[code]] += 1
    kinds = ", ".join(f"{name} {number:,}" for name, number in found.most_common())
    tried(f"{count:,} scenarios: {kinds}")


def test_a_scenario_that_cannot_be_played_leaves_no_database(tmp_path: Path) -> None:
    path, log = tmp_path / "wrong.toml", tmp_path / "night.db"
    path.write_text('title = "x"\nsystem = "plain"\n[[step]]\ndo = "fly"\n', "utf-8")
    assert ran(path, "--log", str(log)) == 2
    assert not list(tmp_path.glob("night*"))
