"""What may be on a disk after a crash, and which calls of a trace are understood."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.events.crashes import Disk, Files, held, put
from tests.events.traced import Call, in_folder, raw_calls

FOLDER = Path("/kept")


def states(disk: Disk) -> list[Files]:
    """All that is on the disk after many a crash, each once."""
    found: list[Files] = []
    for turn in range(200):
        files = disk.after_crash(random.Random(turn))  # noqa: S311 - no secret
        found += [files] if files not in found else []
    return found


def after(base: Files, *calls: Call) -> list[Files]:
    """The states after calls on a disk that has some files."""
    disk = Disk(base)
    for call in calls:
        disk.do(call)
    return states(disk)


def test_what_a_disk_begins_with_lasts(tmp_path: Path) -> None:
    base: Files = {"f": b"one", "in": None, "in/g": b"two"}
    assert after(base) == [base]
    put(base, tmp_path)
    assert held(tmp_path) == base


def test_a_sync_keeps_only_what_had_ended_when_it_began() -> None:
    before = Call("write", "f", 1, b"a", 0, ended=2)
    during = Call("write", "f", 3, b"b", 1, ended=9)
    found = after({"f": b""}, before, during, Call("sync", "f", 5, ended=8))
    assert sorted(state["f"] or b"" for state in found) == [b"a", b"ab"]


def test_a_name_lasts_once_its_folder_was_synced_not_its_file() -> None:
    calls = (
        Call("create", "f", 1, ended=1),
        Call("write", "f", 2, b"a", 0, ended=2),
        Call("sync", "f", 3, ended=3),
        Call("rename", "f", 4, b"g", ended=4),
        Call("sync", "g", 5, ended=5),
    )
    assert {*map(tuple, after({}, *calls))} == {(), ("f",), ("g",)}
    synced = Call("sync", ".", 6, ended=6)
    assert after({}, *calls, synced) == [{"g": b"a"}]


def test_room_that_is_asked_for_is_zeros_and_changes_nothing() -> None:
    grown = Call("grow", "f", 1, place=4, ended=1)
    sync = Call("sync", "f", 2, ended=2)
    assert after({"f": b"ab"}, grown, sync) == [{"f": b"ab\0\0"}]
    assert after({"f": b"abcdef"}, grown, sync) == [{"f": b"abcdef"}]


def escaped(line: str) -> str:
    """A line as strace prints it: every byte of a text or a path in hexadecimal."""
    parts = line.split("'")
    for at in range(1, len(parts), 2):
        parts[at] = "".join(f"\\x{byte:02x}" for byte in parts[at].encode())
    return "".join(parts)


def called(*lines: str, before: Sequence[str] = ()) -> list[Call]:
    """The calls in a trace, in which ' is around what is escaped."""
    raw = [*raw_calls([escaped(line) for line in lines])]
    return [*in_folder(raw, FOLDER, before)]


OPEN = "1 openat(AT_FDCWD<'/x'>, \"'{}'\", {}) = 3<'/kept/f'>"


def test_a_write_is_where_the_file_was_left() -> None:
    calls = called(
        OPEN.format("/kept/f", "O_RDWR"),
        "1 write(3<'/kept/f'>, \"'ab'\", 2) = 2",
        "1 write(3<'/kept/f'>, \"'c'\", 1) = 1",
        "1 lseek(3<'/kept/f'>, 9, SEEK_SET) = 9",
        "1 write(3<'/kept/f'>, \"'d'\", 1) = 1",
        "1 pwritev(3<'/kept/f'>, [{iov_base=\"'e'\", iov_len=1}, {iov_base=\"'f'\", iov_len=1}], "
        "2, 70) = 2",
        OPEN.format("f", "O_WRONLY|O_APPEND"),
        "1 write(3<'/kept/f'>, \"'g'\", 1) = 1",
    )
    assert [(call.what, call.file) for call in calls] == [("write", "f")] * 5
    places = [(call.place, call.data) for call in calls]
    assert places == [(0, b"ab"), (2, b"c"), (9, b"d"), (70, b"ef"), (-1, b"g")]


def test_a_file_that_is_there_is_opened_or_emptied_not_made() -> None:
    both = (OPEN.format("/kept/f", "O_RDWR|O_CREAT"), OPEN.format("f", "O_RDWR|O_CREAT|O_TRUNC"))
    assert [call.what for call in called(*both)] == ["create", "truncate"]
    assert [call.what for call in called(*both, before=["f"])] == ["truncate"]


@pytest.mark.parametrize(
    "line",
    [
        "1 unlinkat(AT_FDCWD<'/x'>, \"'f'\", 0) = 0",
        "1 renameat2(AT_FDCWD<'/x'>, \"'/y'\", AT_FDCWD<'/x'>, \"'/kept/f'\", 0) = 0",
        "1 copy_file_range(4<'/x/g'>, NULL, 5<'/kept/f'>, NULL, 9, 0) = 9",
        "1 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5<'/kept/f'>, 0) = 0x7f00",
        "1 sync() = 0",
        "1 syncfs(4<'/x'>) = 0",
        "1 openat(AT_FDCWD<'/x'>, \"'/kept/f'\", O_RDWR|O_DSYNC) = 3<'/kept/f'>",
        "1 fallocate(3<'/kept/f'>, FALLOC_FL_PUNCH_HOLE, 0, 9) = 0",
    ],
)
def test_a_call_that_has_no_words_is_not_passed_over(line: str) -> None:
    with pytest.raises(AssertionError):
        called(line)
    if "/kept" in line:
        assert called(line.replace("/kept", "/other")) == []
