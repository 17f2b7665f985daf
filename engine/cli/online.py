"""Tables on a server: `urim join`, and a table's URL in the place of a database.

Each seat that was joined is kept in a directory of its own, under that of the user's state.
"""

import asyncio
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from ...errors import Refused, pip_install
from ...events.checkpoint import read_key
from ...events.entry import Entry
from ...projections.tables import TableState
from ..bundle.read import entry_of
from ..core.aggregate import Aggregate, environment
from ..core.commands import AnchorShares, AnyThrow, Asking, OpenShare, Reroll, RollDice
from ..seat.key import signers_for
from ..service.files import state_directory
from ..table import Table
from ..table.shares import Shares, Turn, turns
from .frame import MY_SEAT, TableUrl, command
from .shared import print_objects, say

if TYPE_CHECKING:
    from ..client import Client

NEEDED = {"httpx", "websockets"}
"""What the extra `client` brings."""


def places() -> Path:
    """The directory of all seats that were joined here."""
    return state_directory() / "seats"


PLACE = "0" * 64
"""Where the client puts an anchor or a share of its own."""


class ClientShares(Shares):
    """The shares of a seat whose client keeps the chain: commands hold a place for them alone."""

    def draw(self, table: str, seat: str) -> str:
        """See `Shares.draw`."""
        return PLACE

    def share(self, state: TableState, seat: str) -> str | None:
        """See `Shares.share`."""
        return PLACE if state.ask is not None and seat in state.ask.waiting else None


class Online:
    """A table as the client of a seat sees it: a place as a database is one.

    Commands are asked for by that client: nonces and shares are the ones that it keeps.
    """

    def __init__(self, client: "Client", runner: asyncio.Runner) -> None:
        self.shares: Shares = ClientShares()
        self._client = client
        self._runner = runner
        self._known: tuple[TableState, Aggregate] | None = None

    @property
    def aggregate(self) -> Aggregate:
        """See `Place.aggregate`: as the seat may see it."""
        state = self._client.state
        if self._known is None or self._known[0] is not state:
            found = Aggregate(environment("manual"))
            found.load(map(entry_of, self._client.lines))
            self._known = state, found
        return self._known[1]

    def submit(self, seat: str, asking: Asking, request: str | None) -> tuple[Entry, ...]:
        """See `Place.submit`. Raises as `Client.do`; Refused("not-yours") for another seat."""
        client = self._client
        if seat != client.seat:
            why = f"the client here is of seat {client.seat!r}, not of {seat!r}"
            raise Refused("not-yours", why, allowed=[f"--seat {client.seat}"])
        if request is not None:
            why = "a client at a URL gives its requests their ids itself"
            raise Refused("malformed", why, allowed=["no --request"])
        if isinstance(asking, OpenShare):
            work = client.open_share()
        elif isinstance(asking, AnchorShares):
            work = client.anchor()
        elif isinstance(asking, (RollDice, Reroll)):
            work = client.do(replace(asking, committed=None, nonce=None))
        else:
            work = client.do(asking)
        done = self._runner.run(work)
        return tuple(e for e in self.aggregate.entries if e.commit == done.seq)

    def turns(
        self, seat: str, throw: AnyThrow, played: Collection[str] | None = None
    ) -> Iterator[Turn]:
        """See `Place.turns`: of this seat alone."""
        return turns(lambda: self.aggregate.opened, seat, throw, self.shares, played)

    def close(self) -> None:
        """See `Place.close`."""
        self._runner.run(self._client.close())


@contextmanager
def table_at(at: TableUrl, seat: str = MY_SEAT) -> Generator[tuple[Table, str]]:
    """The table at a URL as the seat sees it that was joined here, and that seat.

    Raises Refused where none or several were, and as `urim.engine.client.resume`.
    """
    place = seat_at(at, seat)
    check_installed()
    from ..client import resume  # noqa: PLC0415  only with the extra

    with asyncio.Runner() as runner:
        client = runner.run(resume(place, sharing=False, signers=signers_for(host_at(place, at))))
        table = Table.__new__(Table)
        table.place = Online(client, runner)
        try:
            yield table, client.seat if seat == MY_SEAT else seat
        finally:
            for warning in client.warnings:
                click.echo(f"Warning: {warning}", err=True)
            table.place.close()


def entries_at(at: TableUrl) -> tuple[Entry, ...]:
    """The entries of the table at a URL as the seat may have them. Raises as `table_at`."""
    with table_at(at) as (table, _):
        return table.entries


def seats_at(at: TableUrl) -> dict[str, Path]:
    """The directories of the seats that were joined at a URL, by seat."""
    from ..client.store import ticket_in  # noqa: PLC0415  as few as can be read for help

    found: dict[str, Path] = {}
    for place in sorted(places().glob("*")):
        ticket = ticket_in(place)
        if ticket is not None and (ticket.url, ticket.table) == at[:2]:
            found[ticket.seat] = place
    return found


def seat_at(at: TableUrl, seat: str = MY_SEAT) -> Path:
    """The directory of the seat that was joined at a URL."""
    found = seats_at(at)
    wanted = seat if seat in found else at.seat
    chosen = [wanted] if wanted in found else list(found) if at.seat is None else []
    if len(chosen) == 1:
        return found[chosen[0] or ""]
    if found:
        urls = [f"{at.url}/tables/{at.table}#{each}" for each in found]
        raise Refused("malformed", f"{len(found)} seats were joined there; say which", allowed=urls)
    why = f"no seat at {at.url}/tables/{at.table} was joined here"
    raise Refused("unknown", why, allowed=["urim join LINK"])


def host_at(place: Path, at: TableUrl) -> str:
    """The host of a seat that was joined, as the origins of its logs call it."""
    from ..client.store import ticket_in  # noqa: PLC0415  as few as can be read for help

    ticket = ticket_in(place)
    if ticket is None or not ticket.keys:
        raise Refused("unknown", f"no seat is kept in {place}", allowed=["urim join LINK"])
    return read_key(ticket.keys[0]).name.removesuffix(f"/t/{at.table}")


def check_installed() -> None:
    """Raises Refused("due") where the extra `client` is not installed."""
    try:
        import_module("urim.engine.client")
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        why = f"a client needs the package {error.name}, which is not installed"
        raise Refused("due", why, allowed=[pip_install("client")]) from error


@command(
    click.Argument(["link"], metavar="LINK", help="The link that somebody sent."),
)
def join(link: str, *, as_json: bool) -> None:
    """Take the seat that a link leads to, and print the table's URL.

    The URL stands for database, table and seat in other commands, behind it #SEAT where you have
    several. The seat is kept in urim/seats in the directory XDG_STATE_HOME.
    """
    check_installed()
    from ..client import join as joined  # noqa: PLC0415  only with the extra
    from ..client.link import read_link  # noqa: PLC0415

    name = sha256(read_link(link).hash.encode()).hexdigest()[:32]

    async def run() -> TableUrl:
        async with await joined(link, places() / name, sharing=False) as client:
            return TableUrl(client.url, client.table, client.seat)

    found = asyncio.run(run())
    url = f"{found.url}/tables/{found.table}"
    if len(seats_at(found)) > 1:
        url += f"#{found.seat}"
    if as_json:
        print_objects([{"type": "joined", "url": url, "table": found.table, "seat": found.seat}])
    else:
        say(url)
