"""A log is exported: its entries as JSON Lines, or its table as a scenario in TOML.

An entry's line holds seq, commit, at, class, digest, leaf, and salt and payload where the reader
may have them: hidden rolls go sealed to those who may not see them, and what was erased is gone.
Digests, leaves and salts are hexadecimal; the payload is the text that was hashed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.items import InlineTable

from ...errors import Refused
from ...events.base import JSON
from ...events.entry import Entry
from ..core.aggregate import table_of
from ..core.attempt import roll_of, sitting
from ..core.view import view_of
from ..core.visibility import redacted
from . import SIZE, parse_scenario
from .preamble import Document
from .write import scenario_of

NOBODY = ""
"""The seat of a reader who sits at no table: public and revealed rolls alone are theirs."""


def entry_lines(
    entries: Sequence[Entry], seat: str = NOBODY, number: int | None = None
) -> Iterator[JSON]:
    """The entries, those of one roll if `number` is given, as the seat may have them.

    Of a roll they are those that the seat's view has of it: which sealed entries are of a hidden
    one is hidden too. Raises Damaged, Refused("unknown") for a seat or roll that is not there, and
    Refused("not-seen") for a roll that may be there and is hidden.
    """
    table = table_of(entries)
    state = table.opened
    if seat != NOBODY:
        seat = sitting(state, seat)
    wanted = set(range(state.size))
    if number is not None:
        roll = roll_of(view_of(state, seat), number, seat)
        wanted = {record.seq for record in roll.trail}
        commits = {entry.commit for entry in table.entries if entry.seq in wanted}
        wanted |= {entry.seq for entry in table.entries if entry.commit in commits}
    for entry in table.entries:
        if entry.seq in wanted:
            yield _line(redacted(state, seat, entry))


def _line(entry: Entry) -> JSON:
    return {
        "seq": entry.seq,
        "commit": entry.commit,
        "at": entry.at,
        "class": entry.kind,
        "digest": entry.digest.hex(),
        "leaf": entry.leaf.hex(),
        "salt": None if entry.salt is None else entry.salt.hex(),
        "payload": None if entry.payload is None else entry.payload.decode("utf-8"),
    }


def scenario_text(entries: Sequence[Entry], number: int | None = None) -> str:
    """The scenario of a table, or of one of its rolls, as `urim run` reads it back.

    Raises Refused as `scenario_of` does, and "too-long" beyond what a scenario may hold.
    """
    text = as_toml(scenario_of(entries, number))
    size = len(text.encode("utf-8"))
    if size > SIZE:
        raise Refused("too-long", f"the scenario has {size} bytes", allowed=[f"{SIZE}", "one roll"])
    parse_scenario(text)
    return text


def as_toml(document: Document) -> str:
    """A scenario's document as TOML, one table a step, small tables on a line."""
    found = tomlkit.document()
    for key, value in document.items():
        if isinstance(value, list):
            rows = tomlkit.aot()
            for each in value:
                row = tomlkit.table()
                for name, item in each.items():
                    row.add(name, _inline(item))
                rows.append(row)
            found.add(key, rows)
        else:
            found.add(key, tomlkit.item(value))
    return tomlkit.dumps(found)


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        inline: InlineTable = tomlkit.inline_table()
        for key, item in value.items():
            inline.add(str(key), _inline(item))
        return inline
    return tomlkit.item([_inline(each) for each in value]) if isinstance(value, list) else value


def in_ascii(toml: str) -> str:
    """The same TOML with every other character written as an escape, as strings and keys allow."""
    return "".join(each if each.isascii() else _escape(ord(each)) for each in toml)


def _escape(point: int) -> str:
    return f"\\u{point:04X}" if point < 1 << 16 else f"\\U{point:08X}"
