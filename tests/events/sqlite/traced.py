"""What a process asked of its disk, call by call, as strace saw it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.tree import ROOT

CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,unlink,rename"

WHOLE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<words>.*)\) += (?P<result>-?\d+)")
BEGUN = re.compile(r"^(?P<pid>\d+) +(?P<start>\w+\(.*?) *<unfinished \.\.\.>$")
ENDED = re.compile(r"^(?P<pid>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
HANDLE = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2})*)>")


class Call(NamedTuple):
    """One call that succeeded, in the order in which calls had their effect.

    `what` is write, truncate, sync, create, unlink, rename or say; `file` the file's name, "." for
    the directory. A write has `data` and `place`; a truncation its size as `place`; a rename the
    new name as `data`, an utterance its words. `begun` grows with the moment at which the call
    began: a sync covers what had begun before it.
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


def record(folder: Path, synchronous: str) -> list[Call]:
    """Trace `sqlite_child trace` on a log in the folder: all it did to files there, and printed."""
    path, trace = folder / "log.db", folder.with_name(f"{folder.name}.strace")
    command = ["strace", "-f", "-y", "-xx", "-s", "70000", "-e", f"trace={CALLS}", "-o", str(trace)]
    command += [sys.executable, "-m", "tests.events.sqlite.child", "trace"]
    command += [str(path), synchronous]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    raw = sorted(raw_calls(trace.read_text("ascii").splitlines()), key=effect)
    return list(in_folder(raw, folder))


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
        if made.what == "create":
            there.add(made.file)
        elif made.what == "unlink":
            there.discard(made.file)
        yield made


def parsed(call: Raw, folder: Path) -> Call | None:
    """One call in words; None if it changed nothing in the folder."""
    texts = [unhex(text) for text in TEXT.findall(call.words)]
    handle = HANDLE.match(call.words)
    if call.name == "write" and handle and handle[1] == "1":
        return Call("say", "", call.begun, texts[0])
    target = Path((unhex(handle[2]) if handle else texts[0]).decode())
    if target == folder and "sync" in call.name:
        return Call("sync", ".", call.begun)
    if folder not in target.parents or (call.name == "openat" and "O_CREAT" not in call.words):
        return None
    match call.name:
        case "pwrite64":
            place = int(call.words.rsplit(", ", 1)[1])
            assert call.result == len(texts[0]), "a short write was not expected here"
            return Call("write", target.name, call.begun, texts[0], place)
        case "ftruncate":
            place = int(call.words.rsplit(", ", 1)[1])
            return Call("truncate", target.name, call.begun, place=place)
        case "rename":
            return Call("rename", target.name, call.begun, Path(texts[1].decode()).name.encode())
        case "fsync" | "fdatasync" | "unlink" | "openat" as name:
            what = {"unlink": "unlink", "openat": "create"}.get(name, "sync")
            return Call(what, target.name, call.begun)
        case _:
            raise AssertionError(f"{call.name} on {target} is not understood")


def unhex(text: str) -> bytes:
    """The bytes of a text in which every one was escaped."""
    return bytes.fromhex(text.replace("\\x", ""))
