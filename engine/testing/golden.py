"""Golden logs: a table's events in a file for reading, compared with those that come today.

    def test_the_duel(urim_table, urim_golden):
        ...
        urim_golden(urim_table)

The file is beside the test, in `golden/MODULE/TEST.json`; `pytest --urim-update` writes it.
Events alone are compared, of the versions they were written in; places, times and salts follow.
"""

import json
import os
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import DecodeError
from msgspec.json import decode as from_json
from msgspec.json import encode as to_json

from ...errors import Damaged, Refused
from ...events.codec import Event, read_event
from ...events.table import TableOpened
from ..table import Table
from .differences import differences, plain

WIDTH = 96
"""Columns within which a value stays on one line."""

UPDATE = "--urim-update"
"""The option of pytest that writes golden logs, over those that are there."""


def events_of(table: Table) -> tuple[Event | None, ...]:
    """Every event of a table, None where one was erased.

    Raises Refused("malformed") for a table whose dice never fall alike.
    """
    records = table.aggregate.records
    opened = records[0].event if records and records[0] else None
    if isinstance(opened, TableOpened) and opened.source == "fair":
        why = "the dice of this table are fair, so no two logs of it are alike"
        raise Refused("malformed", why, allowed=["seeded dice", "scripted dice"])
    return tuple(None if record is None else record.event for record in records)


def golden_text(events: Iterable[Event | None]) -> str:
    """The events as JSON, a field a line; null for one that was erased."""
    blocks = ",\n".join(_laid_out(plain(event), "  ") for event in events)
    return f"[\n{blocks}\n]\n"


def _laid_out(value: Any, indent: str, key: str = "") -> str:
    lead = f"{indent}{_compact(key)}: " if key else indent
    short = lead + _compact(value)
    if not value or not isinstance(value, (dict, list)) or (key and len(short) <= WIDTH):
        return short
    below = f"{indent}  "
    if isinstance(value, dict):
        inside = ",\n".join(_laid_out(item, below, name) for name, item in value.items())
        return f"{lead}{{\n{inside}\n{indent}}}"
    inside = ",\n".join(below + _compact(item) for item in value)
    return f"{lead}[\n{inside}\n{indent}]"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)  # with the blanks that msgspec leaves out


def golden_events(text: str, name: str = "the golden log") -> tuple[Event | None, ...]:
    """The events of a golden log, old ones brought up to the current version.

    Raises Refused("unreadable") for what is no list of events.
    """
    try:
        found = from_json(text)
        if not isinstance(found, list):
            raise Refused("unreadable", f"{name} is no list of events")
        return tuple(None if each is None else read_event(to_json(each)) for each in found)
    except (Damaged, DecodeError) as error:
        raise Refused("unreadable", f"{name} holds no events: {error}") from error


def read_golden(file: Path) -> tuple[Event | None, ...]:
    """The events in a file. Raises Refused("unreadable")."""
    try:
        return golden_events(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("unreadable", f"{file} cannot be read: {error}") from error


def write_golden(file: Path, events: Iterable[Event | None]) -> None:
    """Write the events into a file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_text(golden_text(events), encoding="utf-8", newline="\n")
    fresh.replace(file)


class Golden:
    """Compares tables with the golden logs of one test; with `update` it writes them instead."""

    def __init__(self, module: Path, test: str, *, update: bool = False) -> None:
        self.folder = module.parent / "golden" / module.stem
        self.test = test
        self.update = update
        self._seen: set[str] = set()

    def file(self, name: str = "") -> Path:
        """The file of the log of that name."""
        return self.folder / f"{file_name(f'{self.test}.{name}' if name else self.test)}.json"

    def __call__(self, table: Table, name: str = "") -> None:
        """Compare a table; a further one of the same test needs a `name` of its own.

        Raises AssertionError with what differs, event by event, or where there is no log yet.
        """
        __tracebackhide__ = True
        if name in self._seen:
            why = f"golden log {name!r} of this test was compared already"
            raise Refused("taken", why, allowed=["another name"])
        self._seen.add(name)
        file, events = self.file(name), events_of(table)
        if self.update:
            write_golden(file, events)
        elif not file.is_file():
            raise AssertionError(f"there is no golden log {file}: write it with {UPDATE}")
        else:
            _must_be_alike(file, read_golden(file), events)


def _must_be_alike(
    file: Path, expected: Sequence[Event | None], found: Sequence[Event | None]
) -> None:
    __tracebackhide__ = True
    wrong = differences(expected, found)
    if wrong:
        head = f"the events are not those of {file}; if they should be, write it with {UPDATE}"
        raise AssertionError("\n".join([head, *wrong]))


def file_name(test: str) -> str:
    """A name that any disk takes, another for each test."""
    plain_name = re.sub(r"[^\w.\[\]=-]+", "-", test, flags=re.ASCII)[:100]
    if plain_name == test:
        return test
    return f"{plain_name}-{sha256(test.encode('utf-8')).hexdigest()[:8]}"
