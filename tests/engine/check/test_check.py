"""A check names every fault that somebody planted, and nothing else; and changes nothing."""

import asyncio
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.helpers.stages.heads import file_of, past_triggers, served
from tests.engine.helpers.stages.service import TABLE, declare, mark, noting, seated
from tests.events.sqlite.runs import by_hand, flip
from urim.engine.check import check
from urim.engine.check.report import MOST, Finding, Findings, Report
from urim.engine.check.requests import read_requests
from urim.engine.core.commands import Erase
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.errors import Refused
from urim.events.entry import Entry
from urim.events.log.sqlite import SqliteLog

OTHER = "table002"

SIZE = 18
"""Entries of the table: the first 5, a declaration, a text and its erasure, then marks."""


async def played(service: Service) -> None:
    """A table of fair dice with a roll, requests, a text that is erased, heads; and another one."""
    await seated(service, dice="fair")
    await service.submit(TABLE, "p1", declare(), "declare-1")
    noted = await service.submit(TABLE, NARRATOR, noting("late"), "note-1")
    await service.checkpoint(TABLE)
    await service.submit(TABLE, NARRATOR, Erase(noted[-1].seq), "erase-1")
    while (size := (await service.state(TABLE)).size) < SIZE:
        await service.submit(TABLE, NARRATOR, mark(size), f"mark-{size}")
        await service.checkpoint(TABLE)
    await seated(service, OTHER)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that is whole, made once."""
    path = tmp_path_factory.mktemp("whole") / "log.db"
    served(path, played)
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be tampered with."""
    folder = tmp_path / "copy"
    shutil.copytree(made.parent, folder)
    return folder / made.name


def checked(path: Path, table: str | None = None) -> Report:
    """What a check finds."""
    return asyncio.run(check(path, table))


def faults(report: Report) -> list[Finding]:
    """The faults alone."""
    return [each for each in report.findings if each.kind == "fault"]


# --- whole ----------------------------------------------------------------------------------------


def test_a_log_that_is_whole_has_no_finding_and_is_not_touched(path: Path) -> None:
    def state() -> dict[Path, tuple[bytes, int]]:
        files = (each for each in path.parent.rglob("*") if each.is_file())
        return {each: (each.read_bytes(), each.stat().st_mtime_ns) for each in files}

    before = state()
    report = checked(path)
    assert report.findings == ()
    assert report.whole
    assert (report.tables, report.checked["entries"], report.checked["events"]) == (
        2,
        SIZE + 5,
        SIZE + 5,
    )
    assert report.checked["requests"] == 3 + SIZE - 9
    assert report.checked["heads"] > 10
    assert report.checked["secrets"] == 1
    assert state() == before


def test_one_table_is_checked_alone(path: Path) -> None:
    rows("UPDATE entries SET at = at + 1 WHERE MINE AND seq = 3")(path)
    assert checked(path, OTHER).whole
    assert not checked(path, TABLE).whole
    assert checked(path, OTHER).tables == 1


def test_a_table_that_is_not_there_is_refused(path: Path) -> None:
    with pytest.raises(Refused) as refusal:
        checked(path, "nowhere1")
    assert (refusal.value.code, refusal.value.allowed) == ("unknown", (TABLE, OTHER))


def test_it_tells_how_far_it_is(path: Path) -> None:
    heard: list[int] = []
    asyncio.run(check(path, None, heard.append))
    assert sum(heard) == SIZE + 5


def test_a_table_in_use_is_whole_while_others_play(path: Path) -> None:
    async def scenario(service: Service) -> list[Report]:
        async def play() -> None:
            for turn in range(40):
                await service.submit(TABLE, NARRATOR, mark(turn), f"busy-{turn}")
                await service.checkpoint(TABLE)

        playing = asyncio.create_task(play())
        found: list[Report] = []
        while not playing.done():
            found.append(await check(path))
        await playing
        return found

    reports = served(path, scenario)
    assert len(reports) > 2
    assert [each for report in reports for each in report.findings] == []
    assert reports[0].checked["entries"] < checked(path).checked["entries"]


def test_requests_of_entries_that_came_later_are_not_looked_at(path: Path) -> None:
    async def kept(size: int) -> list[int]:
        log = await SqliteLog.open_reading(path)
        found = await read_requests(log, TABLE, size, Findings())
        await log.close()
        return [each.start for each in found]

    assert len(asyncio.run(kept(SIZE))) > len(asyncio.run(kept(7))) == 2


def test_a_text_that_is_still_to_be_erased_is_a_look_and_goes(path: Path) -> None:
    texts: list[Entry] = []

    async def erased(service: Service) -> None:
        noted = await service.submit(TABLE, NARRATOR, noting("late"))
        texts.append(noted[-1])
        await service.submit(TABLE, NARRATOR, Erase(noted[-1].seq))

    served(path, erased)
    [text] = texts
    assert text.salt and text.payload
    content = f"salt = x'{text.salt.hex()}', payload = x'{text.payload.hex()}'"
    rows(f"UPDATE entries SET {content} WHERE MINE AND seq = {text.seq}")(path)  # noqa: S608 - ours
    [look] = checked(path).findings
    assert (look.kind, look.what, look.seq) == ("look", "entries", text.seq)
    served(path, lambda service: service.state(TABLE))
    assert checked(path).findings == ()


def test_after_an_epoch_the_secrets_of_both_are_known(path: Path) -> None:
    served(path, lambda service: service.begin_epoch(TABLE, restored=True))
    report = checked(path)
    assert report.findings == ()
    assert report.checked["secrets"] == 2
    file_of(path, TABLE).unlink()
    [look, other] = sorted(checked(path).findings, key=lambda each: each.what)
    assert (look.kind, look.what) == ("look", "requests")
    assert (other.kind, other.what) == ("look", "secrets")


def test_a_copy_without_its_secrets_is_whole_and_says_so(path: Path) -> None:
    shutil.rmtree(file_of(path, ".").parent / f"{path.name}.secrets")
    report = checked(path)
    assert report.whole
    assert {each.what for each in report.findings} == {"secrets", "requests"}


# --- planted --------------------------------------------------------------------------------------


class Fault(NamedTuple):
    """A deed, and where its fault is found: the thing, the entry, the file among the secrets."""

    deed: Callable[[Path], object]
    what: str
    seq: int | None = None
    file: str | None = None
    kind: str = "fault"
    table: str | None = TABLE


def rows(*statements: str) -> Callable[[Path], None]:
    """A deed on rows of the table, past the file's triggers."""
    return lambda path: past_triggers(
        path, *(each.replace("MINE", f"table_id = '{TABLE}'") for each in statements)
    )


def written(name: str, content: bytes) -> Callable[[Path], object]:
    """A deed on a file among the secrets."""
    return lambda path: file_of(path, name).write_bytes(content)


def gone(name: str) -> Callable[[Path], object]:
    """A file among the secrets is removed."""
    return lambda path: file_of(path, name).unlink()


def opened(name: str, mode: int) -> Callable[[Path], object]:
    """A file or directory among the secrets is opened to others."""
    return lambda path: file_of(path, name).chmod(mode)


def back(path: Path) -> None:
    """The head in the file is an earlier one."""
    notes = asyncio.run(_notes(path))
    file_of(path).write_bytes(notes[-3])


def ahead(path: Path) -> None:
    """The log goes back, and takes its own heads and requests with it."""
    rows(
        "DELETE FROM heads WHERE MINE AND size > 15",
        "DELETE FROM commits WHERE MINE AND stop > 15",
        "DELETE FROM entries WHERE MINE AND seq >= 15",
    )(path)


async def _notes(path: Path) -> list[bytes]:
    log = await SqliteLog.open_reading(path)
    found = [head.note for head in await log.heads(TABLE)]
    await log.close()
    return found


def other_secret(path: Path) -> None:
    """Another table's secret under this one's name."""
    file_of(path, TABLE).write_text("ab" * 32 + "\n")


AS_ANY = "UPDATE commits SET {} WHERE MINE AND request = 'note-1'"

FAULTS: Mapping[str, Fault] = {
    "a time changed": Fault(
        rows("UPDATE entries SET at = at + 1 WHERE MINE AND seq = 3"), "entries", 3),
    "a payload changed": Fault(
        rows("UPDATE entries SET payload = x'7b7d' WHERE MINE AND seq = 2"), "entries", 2),
    "an entry removed": Fault(rows("DELETE FROM entries WHERE MINE AND seq = 4"), "entries", 4),
    "the first removed": Fault(rows("DELETE FROM entries WHERE MINE AND seq = 0"), "entries", 0),
    "a payload emptied": Fault(
        rows("UPDATE entries SET salt = NULL, payload = NULL WHERE MINE AND seq = 5"),
        "entries", 5),
    "a place changed": Fault(
        rows("UPDATE entries SET start = 3 WHERE MINE AND seq = 12"), "entries", 12),
    "a commit's beginning changed": Fault(
        rows("UPDATE entries SET start = 9 WHERE MINE AND seq = 10"), "requests", 9),
    "the table renamed": Fault(
        rows("UPDATE entries SET table_id = 'table009' WHERE MINE", "DELETE FROM heads WHERE MINE",
             "DELETE FROM commits WHERE MINE"), "events", 0, table="table009"),
    "rows under no table's id": Fault(
        rows("INSERT INTO entries SELECT 'Not one', seq, at, kind, digest, leaf, start, salt, "
             "payload FROM entries WHERE MINE AND seq = 0"), "entries", table="Not one"),
    "heads of no table": Fault(
        rows("INSERT INTO heads SELECT 'table009', size, root, note FROM heads WHERE MINE"),
        "file", table=None),
    "a request renamed": Fault(rows(AS_ANY.format("request = 'x'")), "requests", 6),
    "a request's seat changed": Fault(rows(AS_ANY.format("seat = 'p2'")), "requests", 6),
    "a request moved": Fault(rows(AS_ANY.format("start = start + 1")), "requests", 6),
    "a request removed": Fault(
        rows("DELETE FROM commits WHERE MINE AND request = 'note-1'"), "requests", 6),
    "a request's mac changed": Fault(rows(AS_ANY.format("mac = zeroblob(32)")), "requests", 6),
    "a root changed": Fault(
        rows("UPDATE heads SET root = zeroblob(32) WHERE MINE AND size = 8"), "heads", 0),
    "a note changed": Fault(
        rows("UPDATE heads SET note = (SELECT note FROM heads WHERE MINE AND size = 12) "
             "WHERE MINE AND size = 8"),
        "heads"),
    "a note that is none": Fault(
        rows("UPDATE heads SET note = x'00' WHERE MINE AND size = 8"), "heads"),
    "the log went back": Fault(ahead, "heads", SIZE - 3, f"heads/{TABLE}"),
    "the head's file went back": Fault(back, "heads", None, f"heads/{TABLE}"),
    "the head's file removed": Fault(gone(f"heads/{TABLE}"), "heads", None, f"heads/{TABLE}"),
    "the head's file broken": Fault(
        written(f"heads/{TABLE}", b"?"), "heads", None, f"heads/{TABLE}"),
    "an older epoch's head broken": Fault(
        lambda path: private(file_of(path, f"heads/{TABLE}.before-epoch-1"), b"?"),
        "heads", None, f"heads/{TABLE}"),
    "another key": Fault(lambda path: file_of(path, "key").write_text("cd" * 32 + "\n"), "heads"),
    "the key removed": Fault(gone("key"), "files", None, "key", table=None),
    "the key broken": Fault(written("key", b"no key"), "files", None, "key", table=None),
    "a secret removed": Fault(gone(TABLE), "secrets", None, TABLE),
    "a secret broken": Fault(written(TABLE, b"none\n"), "secrets", None, TABLE),
    "another secret": Fault(other_secret, "secrets", 5),
    "a secret open to others": Fault(opened(TABLE, 0o640), "files", None, TABLE, table=None),
    "the key open to others": Fault(opened("key", 0o604), "files", None, "key", table=None),
    "a head open to others": Fault(
        opened(f"heads/{TABLE}", 0o622), "files", None, f"heads/{TABLE}", table=None),
    "the directory open to others": Fault(opened(".", 0o750), "files", None, "", table=None),
    "the heads open to others": Fault(opened("heads", 0o701), "files", None, "heads", table=None),
    "the log open to others": Fault(
        lambda path: path.chmod(0o644), "files", None, "../log.db", "look", None),
    "a secret of no table": Fault(
        lambda path: private(file_of(path, "table007"), b"ab" * 32), "files", None, "table007",
        "look", None),
    "a stranger's file": Fault(
        lambda path: private(file_of(path, "notes.txt"), b""), "files", None, "notes.txt",
        "look", None),
    "an unfinished file": Fault(
        lambda path: old(private(file_of(path, f"{TABLE}.0123456789abcdef"), b"")), "files", None,
        f"{TABLE}.0123456789abcdef", "look", None),
}  # fmt: skip


def private(path: Path, content: bytes) -> Path:
    """A file for its owner alone."""
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def old(path: Path) -> Path:
    """The same file, written an hour ago."""
    then = time.time() - 3_600
    os.utime(path, (then, then))
    return path


@pytest.mark.sampled(16)
@pytest.mark.skipif(sys.platform == "win32", reason="no modes of POSIX")
@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_found_and_named(name: str, path: Path) -> None:
    fault = FAULTS[name]
    fault.deed(path)
    report = checked(path)
    file = None if fault.file is None else str((file_of(path, ".") / fault.file).resolve())
    found = {
        (each.kind, each.what, each.table, each.seq, each.file and str(Path(each.file).resolve()))
        for each in report.findings
    }
    assert (fault.kind, fault.what, fault.table, fault.seq, file) in found
    assert report.whole is (fault.kind == "look")
    assert all(each.way_out or each.kind == "look" for each in report.findings)


def test_all_faults_are_listed_and_not_only_the_first(path: Path) -> None:
    async def noted(service: Service) -> list[Entry]:
        return [(await service.submit(TABLE, NARRATOR, noting(word)))[-1] for word in "abc"]

    texts = [entry.seq for entry in served(path, noted)]
    emptied = f"WHERE MINE AND seq IN (5, {texts[0]}, {texts[2]})"
    rows(
        "UPDATE entries SET at = at + 1 WHERE MINE AND seq IN (2, 9, 14)",
        f"UPDATE entries SET salt = NULL, payload = NULL {emptied}",  # noqa: S608 - our own
        AS_ANY.format("mac = zeroblob(32)"),
    )(path)
    gone(TABLE)(path)
    found = {(each.what, each.seq) for each in faults(checked(path))}
    assert {("entries", seq) for seq in (2, 5, 9, 14, texts[0], texts[2])} <= found
    assert ("secrets", None) in found


def test_what_is_broken_everywhere_is_bounded_and_counted(path: Path) -> None:
    async def more(service: Service) -> None:
        for turn in range(60):
            await service.submit(TABLE, NARRATOR, mark(turn))

    served(path, more)
    rows("UPDATE entries SET at = at + 1 WHERE MINE AND seq % 2 = 1")(path)
    report = checked(path)
    assert len([each for each in faults(report) if each.what == "entries"]) == MOST
    assert report.total("fault", "entries") == (SIZE + 60) // 2


def test_a_hole_without_end_does_not_keep_it(path: Path) -> None:
    rows("UPDATE entries SET seq = 1000000000000, start = 0 WHERE MINE AND seq = 17")(path)
    assert any("too much is broken" in each.why for each in faults(checked(path)))


def test_a_law_that_was_dropped_is_a_fault_of_the_file(path: Path) -> None:
    by_hand(path, "DROP TRIGGER entries_stay")
    [fault] = checked(path).findings
    assert (fault.kind, fault.what) == ("fault", "file")
    assert "entries_stay" in fault.why


@pytest.mark.slow
def test_flipped_bits_are_faults_and_never_a_traceback(path: Path) -> None:
    content = path.read_bytes()
    missed = 0
    for place in range(100, len(content), len(content) // 40):
        path.write_bytes(content)
        flip(path, place, 3)
        try:
            report = checked(path)
        except Refused:
            continue
        missed += report.whole
    assert missed < 40  # free space and unused bytes are nobody's


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no log at all" * 50)
    for name in ("text.db", "none.db"):
        with pytest.raises(Refused):
            checked(tmp_path / name)


def test_a_head_that_only_the_file_has_is_no_fault(path: Path) -> None:
    async def scenario(service: Service) -> None:
        await service.submit(TABLE, NARRATOR, mark(1))
        await service.checkpoint(TABLE)

    served(path, scenario)
    rows("DELETE FROM heads WHERE MINE AND size = 19")(path)
    assert checked(path).findings == ()
    assert FileSecrets.beside(path).heads.find(TABLE)
