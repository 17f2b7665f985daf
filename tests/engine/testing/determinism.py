"""Plays scenarios and prints, for each, a digest of every byte that came of it.

    python tests/engine/testing/determinism.py FILE...

It needs Urim and nothing else, so that any Python can run it; tests compare what they print.
"""

import asyncio
import locale
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from urim.engine.core.aggregate import Aggregate
from urim.engine.scenario import play, read_scenario
from urim.engine.scenario.export import as_toml
from urim.engine.scenario.write import scenario_of
from urim.engine.testing.golden import golden_text
from urim.errors import Refused
from urim.events.log.memory import MemoryLog
from urim.projections.history import history


def texts(table: Aggregate) -> Iterator[object]:
    """All that a table writes: its entries to the byte, its root, history, export, golden log."""
    for entry in table.entries:
        yield entry.seq, entry.at, entry.kind, entry.digest, entry.leaf, entry.salt, entry.payload
    yield table.frontier.root()
    yield [line.text for line in history(table.opened, table.records)]
    yield golden_text(None if each is None else each.event for each in table.records)
    with suppress(Refused):  # what was withheld goes into no scenario
        yield as_toml(scenario_of(table.entries))


def digest(path: Path) -> str:
    """The digest of a scenario's log and result."""
    played = asyncio.run(play(read_scenario(path), MemoryLog()))
    found = sha256()
    for text in texts(played.aggregate):
        found.update(repr(text).encode("utf-8"))
    return found.hexdigest()


if __name__ == "__main__":
    with suppress(locale.Error):  # a machine may lack the locale that is asked for
        locale.setlocale(locale.LC_ALL, "")
    for name in sys.argv[1:]:
        sys.stdout.write(f"{digest(Path(name))}  {Path(name).name}\n")
