"""What a process asked of its disk, call by call, as strace saw it."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tree import ROOT

SAYS = ("write", "writev")
CALLS = "openat,write,writev,pwrite64,ftruncate,fsync,fdatasync,unlink,rename,link,mkdir"

WHOLE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<words>.*)\) += (?P<result>-?\d+)")
BEGUN = re.compile(r"^(?P<pid>\d+) +(?P<start>\w+\(.*?) *<unfinished \.\.\.>$")
ENDED = re.compile(r"^(?P<pid>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
HANDLE = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2})*)>")
ANY = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<words>.*)")


class Call(NamedTuple):
    """One call that succeeded, in the order in which calls had their effect.

    `what` is write, truncate, sync, create, unlink, rename, link, mkdir or say; `file` the file's
    name in the folder, "." for the folder itself. A write has `data` and `place`, which is -1 for
    the file's end; a truncation its size as `place`; a rename or a link the new name as `data`, an
    utterance its words. `begun` grows with the moment at which the call began: a sync covers what
    had begun before it.
    """

    what: str
    file: str
    begun: int
    data: bytes = b""
    place: int = 0


class Raw(NamedTuple):
    """A call as it was printed, with the numbers of the lines in which it began and ended."""

    name: str
    words: str
    result: int
    begun: int
    ended: int


def must_trace() -> None:
    """Skip the test where strace is missing, or may not trace."""
    needs = ["strace", "-qq", "-o", "/dev/null", "true"]
    if shutil.which("strace") is None or subprocess.run(needs, check=False).returncode:
        pytest.skip("strace is missing or not allowed to trace here (apt install strace)")


def command(trace: Path, *words: str) -> list[str]:
    """Run a module of tests under strace, which writes to this file what the module calls."""
    return ["strace", "-f", "-y", "-xx", "-s", "70000", "-o", str(trace), *words]


def record(folder: Path, *words: str) -> list[Call]:
    """Trace `python -m` these words: all that it did to files in the folder, and printed."""
    raw = sorted(raw_calls(traced(folder, *words)), key=effect)
    return list(in_folder(raw, folder))


def traced(folder: Path, *words: str) -> list[str]:
    """The lines of a trace of `python -m` these words."""
    trace = folder.with_name(f"{folder.name}.strace")
    run = [*command(trace, "-e", f"trace={CALLS}"), sys.executable, "-m", *words]
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
        if call is None:
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
        if found := BEGUN.match(line):
            waiting[found["pid"]] = number, found["start"]
            continue
        if (found := ENDED.match(line)) and found["pid"] in waiting:
            begun, start = waiting.pop(found["pid"])
            text = f"{found['pid']} {start}{found['rest']}"
        whole = WHOLE.match(text)
        if whole and int(whole["result"]) >= 0:
            yield Raw(whole["name"], whole["words"], int(whole["result"]), begun, number)


def in_folder(raw: list[Raw], folder: Path) -> Iterator[Call]:
    """What was done to the folder's files, and what was printed."""
    there: set[str] = set()
    for call in raw:
        made = parsed(call, folder)
        if made is None or (made.what == "create" and made.file in there):
            continue
        if made.what in {"unlink", "rename"}:
            there.discard(made.file)
        if made.what in {"create", "link", "rename"}:
            there.add(made.data.decode() if made.data else made.file)
        yield made


def parsed(call: Raw, folder: Path) -> Call | None:
    """One call in words; None if it changed nothing in the folder."""
    texts = [unhex(text) for text in TEXT.findall(call.words)]
    handle = HANDLE.match(call.words)
    if call.name in SAYS and handle and handle[1] == "1":
        return Call("say", "", call.begun, texts[0])
    target = Path((unhex(handle[2]) if handle else texts[0]).decode())
    if target == folder and "sync" in call.name:
        return Call("sync", ".", call.begun)
    if folder not in target.parents or (call.name == "openat" and "O_CREAT" not in call.words):
        return None
    file = str(target.relative_to(folder))
    match call.name:
        case "pwrite64" | "write":
            place = int(call.words.rsplit(", ", 1)[1]) if call.name == "pwrite64" else -1
            assert call.result == len(texts[0]), "a short write was not expected here"
            return Call("write", file, call.begun, texts[0], place)
        case "ftruncate":
            place = int(call.words.rsplit(", ", 1)[1])
            return Call("truncate", file, call.begun, place=place)
        case "rename" | "link" as name:
            to = Path(texts[1].decode()).relative_to(folder)
            assert to.parent == Path(file).parent, "a name in another directory"
            return Call(name, file, call.begun, str(to).encode())
        case "fsync" | "fdatasync" | "unlink" | "mkdir" | "openat" as name:
            what = {"openat": "create", "fsync": "sync", "fdatasync": "sync"}.get(name, name)
            return Call(what, file, call.begun)
        case _:
            raise AssertionError(f"{call.name} on {target} is not understood")


def unhex(text: str) -> bytes:
    """The bytes of a text in which every one was escaped."""
    return bytes.fromhex(text.replace("\\x", ""))
