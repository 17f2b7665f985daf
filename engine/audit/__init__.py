"""A bundle is judged by its own lines: sixteen steps, in one pass, with no claim of it believed.

The steps are those of docs/bundle.md; `steps` has their order, and where each is. Two parts: the
*proof* (`proof`) shares no code with the engine that wrote the log, the *rerun* (`rerun`) is that
engine. Memory is bounded: a byte an entry, and little more.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from msgspec import Struct, field

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, read_key
from ...projections.tables import Rulesets
from ...rules import ruleset_named
from ..bundle.read import Bundle, BundleLine, Header, Scope
from .cache import PrivateFile
from .kinds import Seen
from .proof.levels import Counts, no_throws
from .report import Result
from .steps import Given, Steps

PASSED, FAILED, UNCHECKED = 0, 1, 3
"""The exit codes of an audit; an input that cannot be read raises instead (2)."""

NEEDED = 14
"""The last step without which nothing may be called right; the others are shown."""

STRIDE = 1_000
"""Entries between two calls of `progress`."""

Progress = Callable[[int, int], None]
"""Called with how many entries are done, and how many the header promises."""


class Report(Struct, frozen=True):
    """What an audit found.

    The facts are the header's: the log's `origin`, the `scope` and with scope `roll` its number,
    the `size` that was signed, the game system and its version. `entries` counts those in the file;
    `self_asserted` says that no other key than the bundle's own was given. `seats` are those that
    had a key of their own, `self_asserted_seats` those of them that the reader named no key for.
    `one_machine` says that one program played every seat. `source` is that of the dice, `throws`
    counts them by level; `seen` is what was counted besides failures, looks and what is stated.
    `steps_unchecked` could not check something.
    """

    origin: str
    scope: Scope
    roll: int | None
    size: int
    entries: int
    system: str
    version: int
    self_asserted: bool
    results: tuple[Result, ...]
    seats: tuple[str, ...] = ()
    self_asserted_seats: tuple[str, ...] = ()
    one_machine: bool = False
    source: str = ""
    throws: Counts = field(default_factory=no_throws)
    seen: tuple[Seen, ...] = ()
    steps_unchecked: tuple[int, ...] = ()

    @property
    def looks(self) -> tuple[Seen, ...]:
        """What people should look at."""
        return tuple(each for each in self.seen if each.word == "look")

    @property
    def stated(self) -> tuple[Seen, ...]:
        """What is so, and needs no look."""
        return tuple(each for each in self.seen if each.word == "stated")

    @property
    def unchecked(self) -> tuple[Result, ...]:
        """The steps that had something to check and could not, of those that are needed."""
        steps = [step for step in self.steps_unchecked if step <= NEEDED]
        return tuple(result for result in self.results if result.step in steps)

    @property
    def failed(self) -> tuple[Result, ...]:
        """The steps that fail."""
        return tuple(result for result in self.results if result.verdict == "fail")

    @property
    def exit(self) -> int:
        """1 where a step fails; 3 where something that is needed was not checked; else 0."""
        if self.failed:
            return FAILED
        return UNCHECKED if self.unchecked else PASSED


def audit(
    bundle: Path | BinaryIO,
    *,
    key: str | None = None,
    seen: Sequence[bytes] | Mapping[str, bytes] = (),
    seats: Mapping[str, bytes] = MappingProxyType({}),
    rulesets: Rulesets = ruleset_named,
    progress: Progress | None = None,
    now: int | None = None,
) -> Report:
    """Judge a bundle.

    `key` is the vkey that the log's host is trusted by; without one the header's own are believed,
    and the report says so. `seen` are checkpoints of the same log, remembered from earlier. `seats`
    are the public keys, 32 bytes each, that seats are known by. `now` is the reader's clock in
    milliseconds since 1970, the machine's where none is given.
    Raises Refused("unreadable") for a file that is no bundle, Refused("malformed") for a `key` that
    is no vkey, for one of `seen` that is no checkpoint, and where either is another log's. A note
    is named by its key where `seen` is a mapping, else by its place.
    """
    trusted = None if key is None else _key(key)
    with ExitStack() as stack:
        stream = _opened(bundle, stack) if isinstance(bundle, Path) else bundle
        found = Bundle(stream)
        given = Given(trusted, _named(seen), seats, _clock() if now is None else now)
        steps = Steps(found.header, given, stack.enter_context(PrivateFile()), rulesets)
        for line in _lines(found, found.header, progress):
            steps.take(line)
        steps.end(found.proof)
    return _report(found, steps, self_asserted=trusted is None)


def _report(found: Bundle, steps: Steps, *, self_asserted: bool) -> Report:
    header, findings, signatures = found.header, steps.findings, steps.signatures
    return Report(
        origin=header.origin,
        scope=header.scope,
        roll=header.roll,
        size=header.size,
        entries=found.count,
        system=header.system,
        version=header.version,
        self_asserted=self_asserted,
        results=findings.results(),
        seats=tuple(signatures.seats),
        self_asserted_seats=signatures.self_asserted,
        one_machine=steps.people.one_machine,
        source=steps.people.source,
        throws=steps.throws.counts,
        seen=findings.seen(),
        steps_unchecked=findings.steps_unchecked,
    )


def _lines(found: Bundle, header: Header, progress: Progress | None) -> Iterator[BundleLine]:
    if progress is None:
        yield from found
        return
    for done, line in enumerate(found, 1):
        yield line
        if done % STRIDE == 0:
            progress(done, header.size)


def _opened(path: Path, stack: ExitStack) -> BinaryIO:
    try:
        return stack.enter_context(path.open("rb"))
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error


def _key(vkey: str) -> Key:
    try:
        return read_key(vkey.strip())
    except Damaged as error:
        why = f"the key that was given: {error.why}"
        raise Refused("malformed", why, allowed=["NAME+KEYID+BASE64"]) from error


def _named(seen: Sequence[bytes] | Mapping[str, bytes]) -> Mapping[str, bytes]:
    if isinstance(seen, Mapping):
        return seen
    return {f"earlier checkpoint {number}": note for number, note in enumerate(seen, 1)}


def _clock() -> int:
    return time.time_ns() // 1_000_000
