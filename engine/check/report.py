"""What a check found: faults, and what people should look at, of each kind of thing it checked."""

from collections.abc import Callable, Mapping
from functools import partialmethod
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

What: TypeAlias = Literal[
    "file", "entries", "events", "requests", "heads", "secrets", "snapshots", "files"
]
"""What is checked: SQLite's file, the entries of tables, what they say, the requests answered,
the signed heads, the tables' secrets, their snapshots, and the files beside the log."""

WHATS: tuple[What, ...] = get_args(What)

Kind: TypeAlias = Literal["fault", "look"]
"""A fault keeps a log from being whole; a look is for people to judge, or was not checked."""

MOST = 20
"""Findings of one kind that are kept, at most, of one table."""

Progress: TypeAlias = Callable[[int], None]
"""Called with how many entries were read so far."""


class Finding(Struct, frozen=True):
    """One thing that was found: why, where, and the way out of it."""

    kind: Kind
    what: What
    why: str
    table: str | None = None
    seq: int | None = None
    file: str | None = None
    way_out: str | None = None


class Vouched(Struct, frozen=True):
    """Of how many entries a table's newest signed head outside is, 0 for none; how many it has."""

    table: str
    size: int
    entries: int


class Report(Struct, frozen=True):
    """What was found in a log: how many things of each kind were looked at, and what is wrong.

    `more` counts what was found beyond `findings`, by its kind. `vouched` has every table that was
    checked: of what was lost behind its newest head outside, nothing here says a word.
    """

    database: str
    tables: int
    checked: Mapping[What, int]
    findings: tuple[Finding, ...]
    more: Mapping[tuple[Kind, What], int]
    vouched: tuple[Vouched, ...] = ()

    def total(self, kind: Kind, what: What | None = None) -> int:
        """How many findings of a kind there are, of one thing or of all."""
        kept = sum(1 for each in self.findings if each.kind == kind and what in (None, each.what))
        beyond = (n for (its, of), n in self.more.items() if its == kind and what in (None, of))
        return kept + sum(beyond)

    @property
    def whole(self) -> bool:
        """Whether there is no fault."""
        return not self.total("fault")


class Findings:
    """What was found so far."""

    def __init__(self) -> None:
        self._checked: dict[What, int] = dict.fromkeys(WHATS, 0)
        self._findings: list[Finding] = []
        self._kept: dict[tuple[Kind, What, str | None], int] = {}
        self._more: dict[tuple[Kind, What], int] = {}
        self._vouched: list[Vouched] = []

    def vouch(self, table: str, size: int, entries: int) -> None:
        """Of how many entries a table's newest head outside is, and how many the table has."""
        self._vouched.append(Vouched(table, size, entries))

    def count(self, what: What, more: int = 1) -> None:
        """So many more things were looked at."""
        self._checked[what] += more

    def find(
        self,
        kind: Kind,
        what: What,
        why: str,
        *,
        table: str | None = None,
        seq: int | None = None,
        file: Path | str | None = None,
        way_out: str | None = None,
    ) -> None:
        """A fault, or what is for people to judge, or could not be checked."""
        named = None if file is None else str(file)
        self._add(Finding(kind, what, why, table, seq, named, way_out))

    fault = partialmethod(find, "fault")
    look = partialmethod(find, "look")

    def report(self, database: str, tables: int) -> Report:
        """All of it."""
        found = tuple(sorted(self._findings, key=lambda each: each.kind))
        checked, more, vouched = dict(self._checked), dict(self._more), tuple(self._vouched)
        return Report(database, tables, checked, found, more, vouched)

    def _add(self, finding: Finding) -> None:
        key = (finding.kind, finding.what, finding.table)
        self._kept[key] = self._kept.get(key, 0) + 1
        if self._kept[key] <= MOST:
            self._findings.append(finding)
        else:
            kind = (finding.kind, finding.what)
            self._more[kind] = self._more.get(kind, 0) + 1
