"""What a process asked of its disk, call by call, as strace saw it."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tools import needed
from tests.tree import ROOT

SAYS = ("write", "writev")
FOLLOWED = (
    "openat,lseek,write,writev,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync,"
    "unlink,rename,link,mkdir"
)
REFUSED = (
    "open,creat,pwritev2,truncate,mmap,msync,sendfile,splice,copy_file_range,unlinkat,renameat,"
    "renameat2,linkat,symlink,symlinkat,mkdirat,rmdir,sync,syncfs,io_uring_setup,io_submit"
)
"""Calls that may change a file, or save it, and that `parsed` has no words for. sync_file_range is
no promise, says its manual: it is not looked at."""

WHOLE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<words>.*)\) += (?P<result>-?\d+)")
BEGUN = re.compile(r"^(?P<pid>\d+) +(?P<start>\w+\(.*?) *<unfinished \.\.\.>$")
ENDED = re.compile(r"^(?P<pid>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$")
TEXT = re.compile(r'"([^"]*)"')  # every byte in it is escaped
UNSTRUCK = frozenset({"lseek", *REFUSED.split(",")})
"""Calls that no test lets fail: they change nothing, or nothing makes them."""

WORD = re.compile(r"\w+")
PATH = re.compile(r'["<]((?:\\x[0-9a-f]{2})*)[">]')
HANDLE = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2})*)>")
ANY = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<words>.*)")


class Call(NamedTuple):
    """One call that succeeded, in the order in which calls had their effect.

    `what` is write, truncate, grow, sync, create, unlink, rename, link, mkdir or say; `file` the
    file's name in the folder, "." for the folder itself. A write has `data` and `place`, which is
    -1 for the file's end; a truncation its size as `place`, a growth the least size; a rename or a
    link the new name as `data`, an utterance its words. `begun` and `ended` grow with time: a sync
    covers what had ended before it began.
    """

    what: str
    file: str
    begun: int
    data: bytes = b""
    place: int = 0
    ended: int = 0


class Raw(NamedTuple):
    """A call as it was printed, with the numbers of the lines in which it began and ended."""

    name: str
    words: str
    result: int
    begun: int
    ended: int


def must_trace() -> None:
    """Skip the test where strace is missing, or may not trace."""
    needed("strace")
    may = [*command(Path("/dev/null")), "-qq", "true"]
    if subprocess.run(may, check=False).returncode:
        pytest.skip("strace is here, but may not trace")


def command(trace: Path, *words: str, every: bool = False) -> list[str]:
    """Run a module of tests under strace, which writes to this file what the module calls.

    With `every` each call stops, and not only those that are traced: it is slower, but without it
    there are kernels on which no signal is injected.
    """
    how = () if every else ("--seccomp-bpf",)
    return ["strace", "-f", *how, "-y", "-xx", "-s", "4000000", "-o", str(trace), *words]


def record(folder: Path, *words: str, there: Iterable[str] = ()) -> list[Call]:
    """Trace `python -m` these words: all that it did to files in the folder, and printed.

    Files that are `there` by then are opened, not made. A name that is relative is one in the
    folder: where the traced programs have their working directory, if they use any.
    """
    raw = sorted(raw_calls(traced(folder, *words)), key=effect)
    return list(in_folder(raw, folder, there))


def traced(folder: Path, *words: str) -> list[str]:
    """The lines of a trace of `python -m` these words."""
    trace = folder.with_name(f"{folder.name}.strace")
    run = [*command(trace, "-e", f"trace={FOLLOWED},{REFUSED}"), sys.executable, "-m", *words]
    subprocess.run(run, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return trace.read_text("ascii").splitlines()


class Point(NamedTuple):
    """A call as strace's `inject` finds it again: the nth of its name in some thread."""

    name: str
    nth: int


def points(lines: list[str], begins: str, ends: str) -> list[Point]:
    """The calls between two utterances that begin with these words, failed ones too.

    Of those, the ones that are the first nth call of their name in any thread.
    """
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[Point, bool] = {}
    within = False
    for line in lines:
        call = ANY.match(line)
        if call is None or call["name"] in UNSTRUCK:
            continue
        counts[call["pid"], call["name"]] += 1
        handle, texts = HANDLE.match(call["words"]), TEXT.findall(call["words"])
        if call["name"] in SAYS and handle and handle[1] == "1":
            words = unhex(texts[0]).decode()
            within = words.startswith(begins) or (within and not words.startswith(ends))
        else:
            first.setdefault(Point(call["name"], counts[call["pid"], call["name"]]), within)
    return sorted(point for point, is_within in first.items() if is_within)


def effect(raw: Raw) -> int:
    """When a call counts: a sync once it has ended, all else as soon as it may have begun."""
    return raw.ended if raw.name in {"fsync", "fdatasync"} else raw.begun


def raw_calls(lines: list[str]) -> Iterator[Raw]:
    """The calls that succeeded, those put together again that others interrupted."""
    waiting: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines):
        text, begun = line, number
        if line.endswith("<unfinished ...>") and (found := BEGUN.match(line)):
            waiting[found["pid"]] = number, found["start"]
            continue
        if (found := ENDED.match(line)) and found["pid"] in waiting:
            begun, start = waiting.pop(found["pid"])
            text = f"{found['pid']} {start}{found['rest']}"
        whole = WHOLE.match(text)
        if whole and int(whole["result"]) >= 0:
            yield Raw(whole["name"], whole["words"], int(whole["result"]), begun, number)


def in_folder(raw: list[Raw], folder: Path, before: Iterable[str] = ()) -> Iterator[Call]:
    """What was done to the folder's files, and what was printed."""
    there = set(before)
    places: dict[str, int] = {}
    for call in raw:
        made = parsed(call, folder, places)
        if made is None:
            continue
        if made.what == "create" and made.file in there:
            if "O_TRUNC" in call.words:
                yield made._replace(what="truncate")
            continue
        if made.what in {"unlink", "rename"}:
            there.discard(made.file)
        if made.what in {"create", "link", "rename"}:
            there.add(made.data.decode() if made.data else made.file)
        yield made


def parsed(call: Raw, folder: Path, places: dict[str, int]) -> Call | None:
    """One call in words; None if it changed nothing in the folder.

    `places` says where each file that is open will be written next, and is kept up to date.
    """
    handle = HANDLE.match(call.words)
    if call.name in SAYS and handle and handle[1] == "1":
        return Call("say", "", call.begun, texts_of(call)[0], 0, call.ended)
    if call.name in REFUSED.split(","):
        assert not is_concerned(call, folder), f"{call.name}({call.words}) is not understood"
        return None
    target = folder / (unhex(handle[2]) if handle else texts_of(call)[0]).decode()
    if target == folder and call.name in {"fsync", "fdatasync"}:
        return Call("sync", ".", call.begun, ended=call.ended)
    if folder not in target.parents:
        return None
    return on_file(call, folder, target, places)


def is_concerned(call: Raw, folder: Path) -> bool:
    """Whether a call may change or save files of the folder, or everything."""
    if call.name == "mmap" and not {"PROT_WRITE", "MAP_SHARED"} <= {*WORD.findall(call.words)}:
        return False
    paths = [folder / unhex(text).decode("utf-8", "replace") for text in PATH.findall(call.words)]
    if call.name == "mmap" and paths and paths[0].name.endswith("-shm"):
        return False  # SQLite's own, which it makes again after a crash
    whole = not paths and call.name != "mmap"
    return whole or call.name == "syncfs" or any(folder in {path, *path.parents} for path in paths)


def on_file(call: Raw, folder: Path, target: Path, places: dict[str, int]) -> Call | None:
    """A call on a file in the folder; None if it changed nothing. Fails for one without words."""
    made = Call("", str(target.relative_to(folder)), call.begun, ended=call.ended)
    opened = f"{call.words.partition('<')[0]} {target}"
    match call.name:
        case "openat":
            assert not {"O_SYNC", "O_DSYNC"} & {*WORD.findall(call.words)}, "a write that syncs"
            places[f"{call.result} {target}"] = -1 if "O_APPEND" in call.words else 0
            if "O_CREAT" in call.words:
                return made._replace(what="create")
            return made._replace(what="truncate") if "O_TRUNC" in call.words else None
        case "lseek":
            places[opened] = -1 if places[opened] < 0 else call.result
        case "write" | "pwrite64" | "pwritev":
            data, place = written(call, opened, places)
            return made._replace(what="write", data=data, place=place)
        case "ftruncate":
            return made._replace(what="truncate", place=int(call.words.rsplit(", ", 1)[1]))
        case "fallocate":
            _, mode, start, length = call.words.split(", ")
            assert mode == "0", "only room was expected to be asked for"
            return made._replace(what="grow", place=int(start) + int(length))
        case "rename" | "link" as name:
            to = (folder / texts_of(call)[1].decode()).relative_to(folder)
            assert to.parent == Path(made.file).parent, "a name in another directory"
            return made._replace(what=name, data=str(to).encode())
        case "fsync" | "fdatasync":
            return made._replace(what="sync")
        case "unlink" | "mkdir" as name:
            return made._replace(what=name)
        case name:
            raise AssertionError(f"{name} on {target} is not understood")
    return None


def written(call: Raw, opened: str, places: dict[str, int]) -> tuple[bytes, int]:
    """What a call wrote, and where."""
    data = b"".join(texts_of(call))
    assert call.result == len(data), "a short write was not expected here"
    if call.name != "write":
        return data, int(call.words.rsplit(", ", 1)[1])
    place = places[opened]
    places[opened] = place if place < 0 else place + len(data)
    return data, place


def texts_of(call: Raw) -> list[bytes]:
    """The texts that a call was given."""
    return [unhex(text) for text in TEXT.findall(call.words)]


def unhex(text: str) -> bytes:
    """The bytes of a text in which every one was escaped."""
    return bytes.fromhex(text.replace("\\x", ""))
