"""A table in a database: durable when a call returns, read and added to by other processes too."""

from collections.abc import Collection, Iterator
from pathlib import Path

from ...errors import Refused
from ...events.entry import Entry
from ..core.aggregate import Aggregate, environment
from ..core.commands import AnyThrow, Asking, OpenTable
from ..core.parse import body_of
from ..service.blocking import BlockingService
from ..service.files import make_directory, read_secret, write_secret
from .shares import Shares, Turn, turns

SHARES = "shares"
"""The directory of the chains of shares, among the secrets."""


class FileShares(Shares):
    """Chains in files: another process can open a share of a chain that was drawn here."""

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._directory = directory

    def keep(self, anchor: str, last: str) -> None:
        """See `Shares.keep`; on disk when this returns. Raises Unavailable where it cannot be."""
        make_directory(self._directory.parent)
        make_directory(self._directory)
        write_secret(self._directory / anchor, bytes.fromhex(last))

    def find(self, anchor: str) -> str | None:
        """See `Shares.find`. Raises Damaged for a file that holds none."""
        last = read_secret(self._directory / anchor, "chain of shares")
        return None if last is None else last.hex()


class Database:
    """A place in a database, by a service of its own, which signs the table's heads."""

    def __init__(self, service: BlockingService, table: str) -> None:
        """Use `opening` or `found` instead: they close the service where there is no table."""
        self.shares: Shares = FileShares(service.secrets.directory / SHARES)
        self._service = service
        self._table = table
        self._last: Aggregate | None = None

    @classmethod
    def opening(
        cls, path: Path, seat: str, command: OpenTable, request: str | None = None
    ) -> "Database":
        """A new table, in a file that is made if it is not there; or the one of that request.

        Raises as `SqliteLog.open` and `Service.open_table`.
        """
        trial = Aggregate(environment(command.source))
        trial.prepare(seat, body_of(command), request)  # refused before there is a file
        service = BlockingService(path)
        try:
            service.call(lambda it: it.open_table(seat, command, request))
        except BaseException:
            service.close()
            raise
        return cls(service, command.table)

    @classmethod
    def found(cls, path: Path, table: str) -> "Database":
        """A table that is kept there.

        Raises Refused("unreadable") where there is no such file, Refused("unknown") where it holds
        no such table, Damaged.
        """
        if not path.is_file():
            raise Refused("unreadable", f"there is no file {path}", allowed=["a log's file"])
        service = BlockingService(path)
        try:
            known = service.call(lambda it: it.tables())
            damaged = service.call(lambda it: it.damaged())
            if table not in known and table not in damaged:
                raise Refused("unknown", f"no table {table!r} in {path}", allowed=known)
            service.call(lambda it: it.state(table))
        except BaseException:
            service.close()
            raise
        return cls(service, table)

    @property
    def aggregate(self) -> Aggregate:
        """See `Place.aggregate`. Raises as `Service.state`; after `close`, as it was then."""
        if self._last is not None:
            return self._last
        return self._service.call(lambda service: service.aggregate(self._table))

    def submit(self, seat: str, asking: Asking, request: str | None) -> tuple[Entry, ...]:
        """See `Place.submit`. Raises as `Service.submit`, and Unavailable after `close`."""
        return self._service.call(
            lambda service: service.submit(self._table, seat, asking, request)
        )  # fmt: skip

    def turns(
        self, seat: str, throw: AnyThrow, played: Collection[str] | None = None
    ) -> Iterator[Turn]:
        """See `Place.turns`."""
        return turns(lambda: self.aggregate.opened, seat, throw, self.shares, played)

    def close(self) -> None:
        """See `Place.close`; what was not signed yet is signed."""
        if self._last is None:
            try:
                self._last = self.aggregate
            finally:
                self._service.close()
