"""A file of snapshots that is damaged, another's, or of another log: the table opens as ever."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.engine.helpers.snapshotted import (
    DATABASE,
    LITTLE,
    SECRET,
    answers,
    ask,
    changed,
    copied,
    differing,
    often,
    refusal_of,
    requests,
    right,
    rows_in,
    run,
    serving,
    snapshots_of,
)
from tests.engine.helpers.stages.heads import past_triggers, put_aside, put_back
from tests.engine.snapshots.test_damage import WRITE, is_right
from tests.pairs.play import TABLE
from tests.tree import ROOT
from urim.engine.core.commands import Note, SetTrack, worded
from urim.engine.service import Service
from urim.engine.snapshots.file import Snapshots
from urim.engine.snapshots.head import StoredHead, decoded, encoded
from urim.engine.snapshots.protocol import HEAD
from urim.engine.snapshots.table import TableSnapshot

pytestmark = pytest.mark.usefixtures(often.__name__)


@pytest.fixture
def taken_up(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each snapshot that was looked at was taken up."""
    found: list[bool] = []
    whole = TableSnapshot.take_up

    def take_up(*given: object) -> bool:
        found.append(whole(*given))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(TableSnapshot, "take_up", take_up)
    return found


def test_without_damage_it_is_taken_up(folder: Path, taken_up: list[bool]) -> None:
    is_right(folder, most=0)
    assert taken_up == [True]


# --- the file -------------------------------------------------------------------------------------


def _shorter(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _a_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _a_link(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_name(DATABASE))


def _without_its_rows(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE rows")


def _with_other_columns(file: Path) -> None:
    _without_its_rows(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE rows (tbl TEXT, body TEXT)")


def _with_texts_for_bodies(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE rows SET body = 'a text'")


def _without_heads(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DELETE FROM rows WHERE kind = 'head'")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "it is missing": Path.unlink,
    "it is shorter": _shorter,
    "it is empty": lambda file: os.truncate(file, 0),
    "one page is left": lambda file: os.truncate(file, 4096),
    "it is no database": lambda file: file.write_bytes(b"what is this? " * 1_000),
    "it is a directory": _a_directory,
    "it is a link to the log": _a_link,
    "it has no table of rows": _without_its_rows,
    "its rows have other columns": _with_other_columns,
    "its bodies are texts": _with_texts_for_bodies,
    "it has no head": _without_heads,
    "others may not write it": lambda file: file.chmod(0o400),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", DAMAGE)
def test_a_file_that_is_damaged(folder: Path, how: str) -> None:
    DAMAGE[how](snapshots_of(folder))
    is_right(folder)


@pytest.mark.slow
@pytest.mark.prove
def test_a_file_with_any_bytes_overwritten(
    folder: Path, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    whole = snapshots_of(folder).read_bytes()
    for number in range(count // 3):
        copied(folder, tmp_path / "damaged")
        at = hash((seed, number)) % len(whole)
        torn = whole[:at] + bytes(64) + whole[at + 64 :]
        snapshots_of(tmp_path / "damaged").write_bytes(torn)
        is_right(tmp_path / "damaged", most=2)
    tried(f"{count // 3} files with 64 bytes overwritten")


# --- the head -------------------------------------------------------------------------------------


def beheaded(folder: Path, change: Callable[[StoredHead], StoredHead], key: bytes = SECRET) -> None:
    """Put another head, sealed as it should be, in the place of one."""
    with closing(sqlite3.connect(snapshots_of(folder))) as connection:
        [[body]] = connection.execute("SELECT body FROM rows WHERE kind = 'head'").fetchall()
    head = decoded(body[16:])
    assert head is not None
    snapshots = Snapshots(snapshots_of(folder))
    snapshots.table(TABLE, key).write([(HEAD, 0, encoded(change(head)))])
    snapshots.close()


OTHERS: dict[str, Callable[[StoredHead], StoredHead]] = {
    "format": lambda head: replace(head, format=head.format + 1),
    "code": lambda head: replace(head, code="0" * 64),
    "version": lambda head: replace(head, version="another"),
    "ruleset": lambda head: replace(head, ruleset="another"),
    "table": lambda head: replace(head, table="another1"),
    "leaf": lambda head: replace(head, leaf=bytes(32)),
    "tree": lambda head: replace(head, peaks=(bytes(32), *head.peaks[1:])),
    "first entry": lambda head: replace(head, opened=replace(head.opened, leaf=bytes(32))),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("what", OTHERS)
def test_a_head_of_another(folder: Path, what: str, taken_up: list[bool]) -> None:
    beheaded(folder, OTHERS[what])
    is_right(folder, most=0)
    assert what == "tree" or True not in taken_up


def test_a_head_under_another_secret(folder: Path) -> None:
    beheaded(folder, lambda head: head, bytes(32))
    is_right(folder, most=0)


@pytest.mark.slow
def test_a_head_of_another_shape(folder: Path) -> None:
    for body in (b"", b"\xc1", msgspec.msgpack.encode([1, 2, 3]), msgspec.msgpack.encode("head")):
        snapshots = Snapshots(snapshots_of(folder))
        snapshots.table(TABLE, SECRET).write([(HEAD, 0, body)])
        snapshots.close()
        is_right(folder, most=0)


@pytest.mark.slow
def test_rows_that_were_exchanged(folder: Path, tmp_path: Path) -> None:
    rows = {(kind, number): body for kind, number, body in rows_in(folder)}
    pairs = [
        (("rolls", 1), ("rolls", 2)),
        (("entries", 0), ("entries", 1)),
        (("of_rolls", 1), ("following", max(n for kind, n in rows if kind == "following"))),
        (("head", 0), ("entries", 0)),
    ]
    for one, other in pairs:
        copy = copied(folder, tmp_path / "exchanged")
        assert changed(copy, (WRITE, (rows[one], *other)), (WRITE, (rows[other], *one))) == 2
        is_right(copy)


@pytest.mark.slow
def test_rows_of_another_table(folder: Path) -> None:
    changed(folder, ("UPDATE rows SET tbl = 'another1'", ()))
    is_right(folder, most=0)
    changed(folder, ("DELETE FROM rows WHERE tbl = ?", (TABLE,)))
    changed(folder, ("UPDATE rows SET tbl = ?", (TABLE,)))
    is_right(folder)


# --- the log --------------------------------------------------------------------------------------


def more(folder: Path, words: str, times: int, *, snapshots: bool = True) -> None:
    """Notes are written."""

    async def work(service: Service) -> None:
        for _ in range(times):
            await service.submit(TABLE, "narrator", worded(Note(0), words))
            await asyncio.sleep(0)
        await service.checkpoint(TABLE)

    run(work, folder, snapshots=snapshots)


@pytest.mark.slow
def test_a_snapshot_newer_than_its_log(folder: Path, tmp_path: Path, taken_up: list[bool]) -> None:
    put_aside(folder / DATABASE, tmp_path)
    heads = folder / f"{DATABASE}.secrets"
    shutil.copytree(heads, tmp_path / "secrets")
    more(folder, "lost", 4)
    put_back(folder / DATABASE, tmp_path)
    shutil.rmtree(heads)
    shutil.copytree(tmp_path / "secrets", heads)
    newer = copied(folder, tmp_path / "newer")
    is_right(folder, most=0)
    more(newer, "other words", 6, snapshots=False)
    wanted = right(newer)
    assert not differing(wanted, run(answers, newer))
    assert taken_up[1:] == []


def test_damage_behind_a_snapshot_is_found_as_without_one(folder: Path, tmp_path: Path) -> None:
    put_aside(folder / DATABASE, tmp_path)
    more(folder, "behind it", 3, snapshots=False)
    size = len(run(lambda service: service.log.read(TABLE), folder, snapshots=False))
    last = size - 2
    for statement in (
        "UPDATE entries SET payload = x'7b7d' WHERE seq = LAST",
        "UPDATE entries SET payload = NULL, salt = NULL WHERE seq = LAST",
        "DELETE FROM entries WHERE seq > LAST",
        "UPDATE entries SET at = at + 1 WHERE seq = LAST",
        "UPDATE heads SET root = zeroblob(32) WHERE size > LAST",
        "DELETE FROM heads WHERE size > LAST",
        "UPDATE heads SET root = zeroblob(32)",
        "DELETE FROM heads",
    ):
        copy = copied(folder, tmp_path / "damaged")
        past_triggers(copy / DATABASE, statement.replace("LAST", f"{last}"))
        without = refusal_of(copied(copy, tmp_path / "without"), snapshots=False)
        assert refusal_of(copy) == without, statement
        assert refusal_of(copy) == without, statement


def test_a_signed_head_of_the_snapshot_itself_is_checked(folder: Path, tmp_path: Path) -> None:
    past_triggers(folder / DATABASE, "UPDATE heads SET root = zeroblob(32)")
    without = refusal_of(copied(folder, tmp_path / "without"), snapshots=False)
    assert without.startswith("Damaged")
    assert refusal_of(folder) == without


# --- others ---------------------------------------------------------------------------------------

OTHER = """
import asyncio, sys
from pathlib import Path
from tests.engine.helpers.snapshotted import serving, TABLE
from urim.engine.core.commands import Note, worded

async def work():
    async with serving(Path(sys.argv[1])) as service:
        for number in range(9):
            await service.submit(TABLE, "narrator", worded(Note(0), f"from another {number}"))
            await asyncio.sleep(0)

asyncio.run(work())
"""


async def _another(folder: Path) -> None:
    run = (sys.executable, "-c", OTHER, str(folder))
    process = await asyncio.create_subprocess_exec(*run, cwd=ROOT)
    assert await process.wait() == 0


@pytest.mark.slow
def test_two_processes_are_both_right(folder: Path, taken_up: list[bool]) -> None:
    async def work(service: Service) -> None:
        for number in range(9):
            if number in (3, 6):
                await _another(folder)
            await service.submit(TABLE, "narrator", SetTrack("c1", "light", number))
            await asyncio.sleep(0)
        found = await answers(service)
        assert not differing(await asyncio.to_thread(right, folder), found)
        assert not found["refused"]

    run(work, folder)
    assert not differing(right(folder), run(answers, folder))
    assert taken_up[-1]


@pytest.mark.slow
def test_two_services_of_one_process_are_both_right(folder: Path, taken_up: list[bool]) -> None:
    async def work() -> None:
        async with serving(folder) as one, serving(folder) as other:
            for number, (seat, asked) in enumerate(requests("age_of_magic", "another", 40)[8:]):
                await ask((one, other)[number % 2], seat, asked, f"again-{number}")
                await asyncio.sleep(0)
            await one.checkpoint(TABLE)
            wanted = await asyncio.to_thread(right, folder)
            for each in (one, other):
                assert not differing(wanted, await answers(each))

    asyncio.run(work())
    assert not differing(right(folder), run(answers, folder))
    assert taken_up[-1]


def test_a_second_service_does_not_let_a_third_process_in(folder: Path) -> None:
    """What a process closes of a file ends all locks that it has on it."""
    first = Snapshots(snapshots_of(folder), LITTLE)
    Snapshots(snapshots_of(folder), LITTLE).close()
    code = "import sys; from pathlib import Path; from urim.engine.snapshots import Snapshots; "
    code += "print(Snapshots(Path(sys.argv[1]))._own)"
    run = [sys.executable, "-c", code, str(snapshots_of(folder))]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    first.close()


@pytest.mark.slow
def test_a_second_service_never_removes_the_file_of_the_first(folder: Path) -> None:
    first = Snapshots(snapshots_of(folder), LITTLE)
    second = Snapshots(snapshots_of(folder), LITTLE)
    second.close()
    second.forget(TABLE)
    assert snapshots_of(folder).exists()
    first.close()
    is_right(folder, most=0)
