"""The directory in which a client keeps its seat: its token, the host's keys, its state.

It is a secret of the player's, whole: files of mode 0600 in a directory of mode 0700. One client at
a time uses it.
"""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TypeVar

from msgspec import Struct, ValidationError
from msgspec.json import Decoder, Encoder

from ...errors import Refused, Unavailable
from ..access.rights import AccessRole
from ..seat.stored import MOST, Stored, read_stored
from ..service.files import alone, make_directory, read, write_over

T = TypeVar("T")

SMALL = 1 << 20
"""Bytes of a file that is not the seat's state, at most."""


class Joining(Struct, frozen=True, forbid_unknown_fields=True, tag="joining/1", tag_field="type"):
    """An exchange that was begun: the same `client` may repeat it, where its answer was lost."""

    url: str
    secret: str
    client: str


class Ticket(Struct, frozen=True, forbid_unknown_fields=True, tag="ticket/1", tag_field="type"):
    """What lets a client in: the server's URL, the seat, its token, the host's keys (vkeys).

    `link` is a hash of the link that it came of; `expires` is in milliseconds since 1970.
    """

    url: str
    table: str
    seat: str
    role: AccessRole
    token: str
    keys: tuple[str, ...]
    expires: int
    link: str


class Store:
    """A client's directory, held until `close`.

    Raises Unavailable where another client holds it or it cannot be made; Refused("unreadable")
    where others than its owner may read it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held = ExitStack()
        self._writing = Lock()
        self._asked = self._written = 0
        self._closed = False
        path.parent.mkdir(parents=True, exist_ok=True)
        make_directory(path)
        self._held.enter_context(alone(path, wait=False))

    def close(self) -> None:
        """Let another client have it, once what is being written is; nothing is from then on."""
        with self._writing:
            self._closed = True
            self._held.close()

    def ticket(self) -> Ticket | None:
        """What lets the client in; None where nothing was exchanged. Raises Refused."""
        return self._read("seat.json", _ticket)

    def joining(self) -> Joining | None:
        """The exchange that was begun, if one was. Raises Refused."""
        return self._read("joining.json", _joining)

    def stored(self) -> Stored | None:
        """The seat's state; None where there is none yet. Raises Refused."""
        data = read(self.path / "state", MOST + 1)
        return None if data is None else read_stored(data)

    def begin(self, joining: Joining) -> None:
        """Keep an exchange before it is asked for. Raises Unavailable."""
        write_over(self.path / "joining.json", _encoder.encode(joining))

    def joined(self, ticket: Ticket) -> None:
        """Keep what came of the exchange, which is over. Raises Unavailable."""
        write_over(self.path / "seat.json", _encoder.encode(ticket))
        (self.path / "joining.json").unlink(missing_ok=True)

    async def keep(self, stored: Stored) -> None:
        """Keep the seat's state, or a newer one: on disk when this returns. Raises Unavailable."""
        self._asked += 1
        work = asyncio.to_thread(self._keep, self._asked, stored.written())
        await asyncio.shield(work)

    def _keep(self, turn: int, data: bytes) -> None:
        """Write a state, unless one that was kept later is written: threads keep no order."""
        with self._writing:
            if self._closed:
                raise Unavailable(f"{self.path} was let go of")
            if turn > self._written:
                write_over(self.path / "state", data)
                self._written = turn

    def _read(self, name: str, decoder: Decoder[T]) -> T | None:
        data = read(self.path / name, SMALL)
        try:
            return None if data is None else decoder.decode(data)
        except (ValidationError, ValueError) as error:
            why = f"{self.path / name} is not of a client of a seat: {error}"
            raise Refused("unreadable", why) from error


def ticket_in(path: Path) -> Ticket | None:
    """The ticket in a directory, in use or not; None where there is none. Raises Refused."""
    data = read(path / "seat.json", SMALL) if path.is_dir() else None
    try:
        return None if data is None else _ticket.decode(data)
    except (ValidationError, ValueError) as error:
        raise Refused("unreadable", f"{path} is not of a client of a seat: {error}") from error


_encoder = Encoder()
_joining: Decoder[Joining] = Decoder(Joining)
_ticket: Decoder[Ticket] = Decoder(Ticket)
