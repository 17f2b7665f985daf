"""The snapshots of a log, held against a full fold of its entries."""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import asdict

from ...errors import Damaged, Refused, Unavailable
from ...events.entry import Entry
from ...events.log.location import DatabaseUrl, Location
from ..core.aggregate import Aggregate, Environment
from ..service.beside import copy_snapshots
from ..snapshots.file import ENDING, Snapshots
from ..snapshots.head import StoredHead
from ..snapshots.protocol import StaleSnapshot
from ..snapshots.table import TableSnapshot, latest
from .report import Findings

TRIES = 5
"""How often a file is copied while somebody writes it, at most."""

ENDS = ("", "-wal")

WAY_OUT = "delete the file: it is made again"

IN_DATABASE = "DELETE FROM urim_snapshots.heads WHERE table_id = '{}': it is made again"

ALL_IN_DATABASE = "DROP SCHEMA urim_snapshots CASCADE, while no service runs: it is made again"


class CheckedSnapshots:
    """A copy of a log's snapshots, or of one table's, in a directory that goes with it.

    They are as they were at one moment, before the entries are read. There is none of a file in
    use, and none of what may not be read.
    """

    def __init__(self, database: Location, findings: Findings, table: str | None = None) -> None:
        self._folder = TemporaryDirectory(prefix="urim-check-")
        self._copy: Snapshots | None = None
        copy = Path(self._folder.name) / "snapshots"
        if isinstance(database, DatabaseUrl):
            self._way_out = IN_DATABASE
            self._out_of_database(database, copy, table, findings)
        else:
            self._way_out = WAY_OUT
            self._out_of_file(database.with_name(database.name + ENDING), copy, findings)

    def _out_of_file(self, file: Path, copy: Path, findings: Findings) -> None:
        self.place = str(file)
        if not file.is_file():
            return
        if not _copied(file, copy):
            why = "it is in use, and was not checked"
            findings.look("snapshots", why, file=self.place)
            return
        self._copy = _opened(copy)
        if self._copy is None:
            why = "it is no file of snapshots: the next service throws it away"
            findings.look("snapshots", why, file=self.place, way_out=WAY_OUT)

    def _out_of_database(
        self, database: DatabaseUrl, copy: Path, table: str | None, findings: Findings
    ) -> None:
        self.place = f"snapshots in {database}"
        self._copy = Snapshots(copy)
        try:
            copy_snapshots(database, self._copy, table)
        except (Damaged, Refused, Unavailable) as error:
            self._copy.close()
            self._copy = None
            unused = isinstance(error, Damaged)
            why = f"{'no service uses them' if unused else 'they were not checked'}: {error.why}"
            way_out = ALL_IN_DATABASE if unused else None
            findings.look("snapshots", why, file=self.place, way_out=way_out)

    def check(
        self,
        table: str,
        entries: Sequence[Entry],
        environment: Environment,
        secret: bytes | None,
        findings: Findings,
    ) -> None:
        """Check a table's snapshot, if there is one, against its entries, from the first on."""
        if self._copy is None or secret is None or not entries:
            return
        way_out = self._way_out.format(table)
        try:
            kept = latest(self._copy.table(table, secret))
            if not kept.size:
                return
            findings.count("snapshots")
            found = Aggregate(environment, kept.kept)
            if kept.size > len(entries) or entries[kept.size - 1].leaf != kept.leaf:
                why = f"it is of {kept.size} entries that the log does not have"
                findings.look("snapshots", why, table=table, file=self.place, way_out=way_out)
            elif kept.take_up(found, entries[0], environment.rulesets):
                for what in _differences(kept, found, entries[: kept.size], secret):
                    why = f"{what}: a full fold comes to something else"
                    findings.fault("snapshots", why, table=table, file=self.place, way_out=way_out)
        except StaleSnapshot as error:
            why = f"{error}".removesuffix(": ask again")
            findings.look("snapshots", why, table=table, file=self.place, way_out=way_out)
        except (Damaged, Refused):
            return  # the log itself is not whole, which is found elsewhere

    def close(self) -> None:
        """Let go of the copy."""
        if self._copy is not None:
            self._copy.close()
        self._folder.cleanup()


def _copied(file: Path, copy: Path) -> bool:
    """Copy the file as it was at one moment; whether there was one."""
    sources = [file.with_name(file.name + end) for end in ENDS]
    for _ in range(TRIES):
        before = [_status(path) for path in sources]
        for path, end in zip(sources, ENDS, strict=True):
            target = copy.with_name(copy.name + end)
            target.unlink(missing_ok=True)
            if path.exists():
                shutil.copyfile(path, target)
        if before == [_status(path) for path in sources]:
            return True
    return False


def _opened(copy: Path) -> Snapshots | None:
    """The snapshots in a copy; None for what is no such file."""
    try:
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("SELECT 1 FROM rows LIMIT 1").fetchall()
    except sqlite3.Error:
        return None
    return Snapshots(copy)


def _status(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


def _differences(
    kept: TableSnapshot, found: Aggregate, entries: Sequence[Entry], secret: bytes
) -> Iterator[str]:
    """What is not the same in a snapshot and in a fold of its entries, named."""
    snapshots = Snapshots()
    with closing(snapshots):
        wanted = TableSnapshot(snapshots.table(kept.rows.table, secret))
        full = Aggregate(found.environment, wanted.kept)
        full.load(entries, checked=True)
        wanted.write(full, b"")
        for ours, theirs in zip(kept.kinds(found), wanted.kinds(full), strict=True):
            for number in sorted({*ours.rows.numbers(ours.name), *theirs.numbers()}):
                if ours.get(number) != theirs.get(number):
                    yield f"{ours.name} {number}"
        one, other = _parts(kept.head), _parts(latest(wanted.rows).head)
        yield from (name.replace("_", " ") for name in other if one.get(name) != other[name])


def _parts(head: StoredHead | None) -> dict[str, Any]:
    """What of a head a fold comes to: not what seats used, nor which rows there once were."""
    found = {} if head is None else {**asdict(head), **head.state}
    return {name: found[name] for name in found if name not in ("usage", "highest", "state")}
