"""A table in a database: durable when a call returns, read and added to by other processes too."""

from collections.abc import Collection, Iterator

from ...errors import Refused
from ...events.entry import Entry
from ...events.log.location import Location
from ..core.aggregate import Aggregate, environment
from ..core.commands import AnyThrow, Asking, OpenTable
from ..core.parse import body_of
from ..service.blocking import BlockingService
from ..service.secrets import Secrets
from .shares import Shares, Turn, turns


class KeptShares(Shares):
    """Chains among the secrets: another process can open a share of a chain that was drawn here."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def keep(self, anchor: str, last: str) -> None:
        """See `Shares.keep`; for good when this returns. Raises Unavailable where it cannot be."""
        self._secrets.keep_chain(anchor, bytes.fromhex(last))

    def find(self, anchor: str) -> str | None:
        """See `Shares.find`. Raises Damaged for a record that holds none."""
        last = self._secrets.find_chain(anchor)
        return None if last is None else last.hex()


class Database:
    """A place in a database, by a service of its own, which signs the table's heads."""

    def __init__(self, service: BlockingService, table: str) -> None:
        """Use `opening` or `found` instead: they close the service where there is no table."""
        self.shares: Shares = KeptShares(service.secrets)
        self._service = service
        self._table = table
        self._last: Aggregate | None = None

    @classmethod
    def opening(
        cls, path: str | Location, seat: str, command: OpenTable, request: str | None = None
    ) -> "Database":
        """A new table, in a log that is made if it is not there; or the one of that request.

        Raises as `open_log` and `Service.open_table`.
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
    def found(cls, path: str | Location, table: str) -> "Database":
        """A table that is kept there.

        Raises Refused("unreadable") where there is no such log, Refused("unknown") where it holds
        no such table, Damaged.
        """
        service = BlockingService(path, make=False)
        try:
            known = service.call(lambda it: it.tables())
            damaged = service.call(lambda it: it.damaged())
            if table not in known and table not in damaged:
                raise Refused("unknown", f"no table {table!r} in {service.database}", allowed=known)
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
