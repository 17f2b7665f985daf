# ruff: noqa: S608 (the rows of a test)
"""A database that was changed is refused, or serves exactly what it held before."""

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import tree
from tests.engine.helpers.cli_runs import urim
from tests.engine.helpers.stages.heads import past_triggers, served
from tests.engine.helpers.stages.service import declare, mark, noting, seated
from tests.engine.wrong.values import PATIENCE, ending
from urim.engine.core.commands import Erase
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.errors import Damaged, Refused, Unavailable, UrimError

TABLES = ("table001", "table002")

PAGE = 4_096
"""Bytes of a page."""

NAME = "night.db"

READING: Sequence[Sequence[str]] = (
    ("tables", "DB"),
    ("tables", "DB", "--json"),
    *(
        (word, "DB", table, *more)
        for table in TABLES
        for word, *more in (
            ("show",), ("show", "--json"), ("show", "--roll", "1"), ("fairness",),
            ("export", "--format", "jsonl"), ("export", "--format", "scenario"),
            ("replay", "--roll", "1"),
        )
    ),
)  # fmt: skip
"""Commands that only read."""

# --- what is whole --------------------------------------------------------------------------------


async def evening(service: Service) -> None:
    """Two tables, one with fair dice: rolls, requests, an erased text, and signed heads."""
    for table, dice in zip(TABLES, ("fair", "scripted"), strict=True):
        await seated(service, table, dice)
        await service.submit(table, "p1", declare(), "request-1")
        await service.submit(table, "p1", declare("gm"), "request-2")
        [_, text] = await service.submit(table, "p1", noting("words to be erased"))
        await service.submit(table, "narrator", Erase(text.seq))
        await service.checkpoint(table)
        for number in range(12):
            await service.submit(table, "narrator", mark(number), f"mark-{number}")
        await service.checkpoint(table)


def sealed(line: str) -> dict[str, Any]:
    """An entry of an export as everybody has it, without what can be erased."""
    entry: dict[str, Any] = json.loads(line)
    return {key: value for key, value in entry.items() if key not in ("salt", "payload")}


def copied(folder: Path, to: Path) -> Path:
    """A copy of all that is in a folder: the database in it."""
    shutil.copytree(folder, to)
    return to / NAME


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database that was closed."""
    folder = tmp_path_factory.mktemp("whole") / "closed"
    folder.mkdir()
    served(folder / NAME, evening)
    return folder


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a killed process leaves it: much is in the write-ahead log."""
    parent = tmp_path_factory.mktemp("left")
    folder, copy = parent / "open", parent / "left"
    folder.mkdir()

    async def work(service: Service) -> None:
        await evening(service)
        # What was erased is scrubbed at any moment, and that empties the write-ahead log.
        while not (copy / NAME).exists() or (copy / f"{NAME}-wal").stat().st_size <= 10 * PAGE:
            shutil.rmtree(copy, ignore_errors=True)
            await service.submit(TABLES[0], NARRATOR, noting("one more"))
            for (
                table
            ) in TABLES:  # signed to the last entry: so the service knows what must be there
                await service.checkpoint(table)
            shutil.copytree(folder, copy)

    served(folder / NAME, work)
    return copy


Answer = tuple[int, str]
"""What a command came to: its exit code, and what it printed."""


def asked(path: Path, words: Sequence[str]) -> Answer:
    """What a reading command says of a database, and that it ends as it should."""
    done = urim(*(str(path) if word == "DB" else word for word in words))
    shown = f"{words} {done.output[-2_000:]}"
    assert done.exception is None or isinstance(done.exception, SystemExit), (shown, done.exc_info)
    assert done.exit_code in (0, 2, 74), shown
    assert "Traceback" not in done.output, shown
    assert bool(done.exit_code) <= bool(done.stderr or '"why"' in done.stdout), shown
    return done.exit_code, done.stdout


async def served_by(service: Service) -> dict[str, Any]:
    """What a service says of every table: what it serves, or that it refuses it."""
    found: dict[str, Any] = {}
    listed = {*TABLES, *await service.tables(), *await service.damaged()}
    for table in sorted(listed):
        try:
            state = await service.state(table)
            seats = {seat: await service.view(table, seat) for seat in ("narrator", "p2")}
            found[table] = (state.size, (await service.aggregate(table)).frontier.root(), seats)
        except (Damaged, Refused, Unavailable) as error:
            found[table] = type(error)
    return found


def asked_service(path: Path) -> Mapping[str, Any] | type[UrimError]:
    """What a service on a database says of its tables; how it is refused, where it cannot be."""
    try:
        return served(path, served_by)
    except (Damaged, Refused, Unavailable) as error:
        return type(error)


# --- what is done to a database -------------------------------------------------------------------


def bits(random: Random, path: Path, ending_of: str = "") -> None:
    """Some bits of a file are others."""
    file = path.with_name(path.name + ending_of)
    data = bytearray(file.read_bytes())
    for _ in range(random.choice((1, 1, 2, 8, 100))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    file.write_bytes(data)


def pages(random: Random, path: Path) -> None:
    """A page is zeroes, noise, or another page."""
    data = bytearray(path.read_bytes())
    at, other = (PAGE * random.randrange(len(data) // PAGE) for _ in range(2))
    page = random.choice((bytes(PAGE), random.randbytes(PAGE), data[other : other + PAGE]))
    data[at : at + PAGE] = page
    path.write_bytes(data)


def lengths(random: Random, path: Path) -> None:
    """The file is shorter, or longer."""
    data = path.read_bytes()
    cut = random.randrange(len(data))
    more = data + random.randbytes(random.choice((1, PAGE, 3 * PAGE)))
    path.write_bytes(random.choice((data[:cut], data[: cut - cut % PAGE], more)))


VALUES = (
    "NULL", "0", "-1", "1", "9223372036854775807", "''", "'x'", "'table001'", "'table002'", "x''",
    "zeroblob(32)", "randomblob(32)", "'open'", "'hidden-text'", "1.5", "'{}'", "x'7b7d'",
    "zeroblob(100000)", "char(0)", "'narrator'", "{0} + 1", "{0} - 1", "{0} || 'x'",
    "(SELECT {0} FROM {1} ORDER BY random() LIMIT 1)", "CAST({0} AS TEXT)", "CAST({0} AS BLOB)",
)  # fmt: skip
"""What a column may be set to."""

COLUMNS = {
    "entries": ("table_id", "seq", "at", "kind", "digest", "leaf", "start", "salt", "payload"),
    "commits": ("table_id", "seat", "request", "mac", "start", "stop"),
    "heads": ("table_id", "size", "root", "note"),
}


def rows(random: Random, path: Path) -> None:
    """A row has another value, is gone, or is there again under another id."""
    table = random.choice(("entries", "entries", "commits", "heads"))
    names = COLUMNS[table]
    column = random.choice(names)
    key = {"entries": "table_id, seq", "commits": "table_id, seat, request"}
    of = key.get(table, "table_id, size")
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(f"SELECT {of} FROM {table} ORDER BY {of}").fetchall()
    one = f"({of}) = ({', '.join(repr(value) for value in random.choice(found))})"
    value = random.choice(VALUES).format(column, table)
    others = ", ".join("'table009'" if name == "table_id" else name for name in names)
    emptied = f"UPDATE entries SET salt = NULL, payload = NULL WHERE seq = {random.randrange(20)}"
    change = random.choice(
        (
            *[f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {one}"] * 6,
            f"DELETE FROM {table} WHERE {one}",
            f"INSERT INTO {table} SELECT {others} FROM {table} WHERE {one}",
            f"UPDATE {table} SET table_id = 'table009' WHERE {one}",
            emptied,
        )
    )
    with suppress(sqlite3.Error):  # STRICT tables refuse some
        past_triggers(path, "PRAGMA ignore_check_constraints = ON", change)


def beside(random: Random, path: Path) -> None:
    """A file beside the database is another, or gone."""
    files = [each for each in path.with_name(f"{NAME}.secrets").rglob("*") if each.is_file()]
    file = random.choice(sorted(files))
    match random.randrange(3):
        case 0:
            file.unlink()
        case 1:
            file.write_bytes(random.randbytes(random.choice((0, 1, 32, 1_000))))
        case _:
            bits(random, file)


CLOSED: Sequence[Callable[[Random, Path], None]] = (
    bits, bits, pages, lengths, rows, rows, rows, rows, beside,
)  # fmt: skip
"""What is done to a database that nobody has open."""


def write_ahead(random: Random, path: Path) -> None:
    """The write-ahead log has other bits, is shorter, or is gone."""
    file = path.with_name(f"{NAME}-wal")
    match random.randrange(4):
        case 0:
            file.unlink()
        case 1:
            data = file.read_bytes()
            file.write_bytes(data[: random.randrange(len(data))])
        case _:
            bits(random, path, "-wal")
    if random.random() < 0.5:
        path.with_name(f"{NAME}-shm").unlink(missing_ok=True)


# --- the law --------------------------------------------------------------------------------------


def alone(path: Path, words: Sequence[str]) -> Answer:
    """As `asked`, in a process of its own, whose time is bounded."""
    bound = int(PATIENCE)
    done = subprocess.run(
        [sys.executable, "-m", "urim", *(str(path) if word == "DB" else word for word in words)],
        env=tree.plain_environment(COLUMNS="80", PYTHONUTF8="1"),
        capture_output=True,
        encoding="utf-8",
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (bound, bound)),
    )
    assert done.returncode in (0, 2, 74), done.stderr
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


class Base:
    """A folder that is whole, and all that its database says."""

    def __init__(self, folder: Path, tmp_path: Path) -> None:
        self.folder = folder
        path = copied(folder, tmp_path / f"base of {folder.name}")
        self.answers = {tuple(words): asked(path, words) for words in READING}
        self.served = asked_service(path)
        assert {code for code, _ in self.answers.values()} == {0}
        assert isinstance(self.served, dict)


def same_or_refused(base: Base, path: Path, chosen: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many of these commands a changed database refuses, and how many it answers as before."""
    refused = 0
    for words in chosen:
        code, printed = asked(path, words)
        if code == 0:
            assert printed == base.answers[tuple(words)][1], words
        refused += code != 0
    said = asked_service(path)
    if isinstance(said, type):
        return refused + 1, len(chosen) - refused
    assert isinstance(base.served, dict)
    for table, found in said.items():
        if not isinstance(found, type):
            assert found == base.served[table]
    wrong = sum(isinstance(found, type) for found in said.values())
    return refused + wrong, len(chosen) - refused + len(said) - wrong


@pytest.mark.slow
@pytest.mark.prove
def test_a_fuzzed_database_is_refused_or_serves_what_it_held(
    whole: Path, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    random = Random(f"databases {seed}")  # noqa: S311 - any will do
    base = Base(whole, tmp_path)
    found: Counter[str] = Counter()
    for turn in range(count):
        change = random.choice(CLOSED)
        path = copied(whole, tmp_path / "fuzzed")
        with ending(f"database {turn}, {change.__name__}"):
            change(random, path)
            chosen = random.sample(READING, 4)
            if turn % 50 == 0:
                assert alone(path, chosen[0]) == asked(path, chosen[0])
                found["commands in a process of their own"] += 1
            refused, answered = same_or_refused(base, path, chosen)
        found[f"{change.__name__}: {'refused' if refused else 'as before'}"] += 1
        found["answers as before"] += answered
        found["answers that refuse"] += refused
        shutil.rmtree(path.parent)
    assert found["rows: refused"]
    kinds = ", ".join(f"{name} {number:,}" for name, number in sorted(found.items()))
    tried(f"{count:,} databases: {kinds}")


def lines_of(path: Path, table: str) -> list[str] | None:
    """The entries of a table, a line each; None where they are refused."""
    code, printed = asked(path, ("export", "DB", table, "--format", "jsonl"))
    return None if code else printed.splitlines()


@pytest.mark.prove
def test_a_fuzzed_write_ahead_log_loses_whole_commits_or_is_refused(
    left: Path, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    random = Random(f"write-ahead logs {seed}")  # noqa: S311 - any will do
    path = copied(left, tmp_path / "base")
    base = {table: lines_of(path, table) or [] for table in TABLES}
    said = asked_service(path)
    assert isinstance(said, dict)
    found: Counter[str] = Counter()
    for turn in range(max(5, count // 5)):
        path = copied(left, tmp_path / "fuzzed")
        with ending(f"write-ahead log {turn}"):
            write_ahead(random, path)
            for table in TABLES:
                kept = lines_of(path, table)
                # Who only reads cannot know what was lost: it is whole commits, the latest ones; a
                # text is there again where its erasure was among them.
                assert kept is None or [*map(sealed, base[table])][: len(kept)] == [
                    *map(sealed, kept)
                ]
                whole = kept is not None and len(kept) == len(base[table])
                found["whole" if whole else "refused" if kept is None else "shorter"] += 1
            now = asked_service(path)
            if not isinstance(now, type):
                for table, answer in now.items():
                    # The service knows what it signed, and has the file that says so.
                    assert isinstance(answer, type) or answer == said[table]
        shutil.rmtree(path.parent)
    kinds = ", ".join(f"{name} {number:,}" for name, number in sorted(found.items()))
    tried(f"{found.total() // 2:,} write-ahead logs, by table: {kinds}")
