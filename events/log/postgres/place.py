"""One PostgreSQL database: connections with the settings that a log needs, and its errors in words.

What may hold a password, the URL and the driver's own words about it, is never shown.
"""

import asyncio
import os
import ssl
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import SplitResult, parse_qs, urlsplit

import asyncpg
from msgspec import Struct, field

from ....errors import Damaged, Defect, Refused, Unavailable, UrimError

if TYPE_CHECKING:
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]

LOG = "urim_log"
"""The schema in which everything of a log is: PostgreSQL's word for a folder of tables."""

SCHEMES = ("postgresql", "postgres")

FORM = "postgresql://USER@HOST/NAME"

OLDEST = 14
"""The oldest PostgreSQL that is tried."""

LOST = (asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What the driver raises of a connection that ended; the second one where it ended in between."""

FAULTS = (asyncpg.PostgresError, *LOST, OSError, TimeoutError)
"""What a statement or a connection raises that the server or the way to it is to blame for."""

LAWS = ("23", "P0001")
"""What SQLSTATE begins with where a row was refused by a law of the database itself."""

ENDED = ("08", "25006", "25P", "57P", "XX")
"""What SQLSTATE begins with where a connection is of no more use."""

GRACE = 5.0
"""Seconds after which a server that should have given up is given up itself."""

# What a server of an older version does not know is left out.
SET = """SELECT pg_catalog.set_config(asked.name, asked.value, false)
FROM unnest($1::text[], $2::text[]) AS asked (name, value)
JOIN pg_catalog.pg_settings AS known USING (name)"""

PID = "SELECT pg_catalog.pg_backend_pid()"

LOOKS = 10
"""How often it is looked whether a pooler gives a session away."""

SETTINGS = """SELECT name, setting FROM pg_catalog.pg_settings WHERE name = ANY($1::text[])"""

WANTED = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "local", "remote_write", "remote_apply"),
}
"""Settings without which a power failure loses acknowledged commits, and what they may be."""

ASKED = (*WANTED, "server_encoding", "server_version_num", "transaction_read_only")


class Place(Struct, frozen=True):
    """Where a log is kept and how long to wait for it.

    `url` may hold a password and is left out of this object's text. `busy` is how many seconds a
    statement may take, waiting for others' locks included; `reach` how many a connection may. `lax`
    are the settings of WANTED that may be lower. `reading`: nothing is ever written. `make`: what
    is not there is made. Raises Refused("unreadable") for what is no URL.
    """

    url: str
    busy: float = 30.0
    reach: float = 10.0
    lax: Collection[str] = ()
    reading: bool = False
    make: bool = True
    schema: str = LOG
    """PostgreSQL's schema in which the statements find their tables."""

    settings: dict[str, str] = field(default_factory=dict[str, str])
    """More settings of a session, as tests want them."""

    def __post_init__(self) -> None:
        parsed(self.url)

    def __repr__(self) -> str:
        return f"Place({self.shown!r})"

    @property
    def shown(self) -> str:
        """The database's name for people: where it is, and no password."""
        parts = parsed(self.url)
        host = parts.hostname or parse_qs(parts.query).get("host", [""])[0] or "localhost"
        port = f":{parts.port}" if parts.port else ""
        return f"database {parts.path.lstrip('/') or 'of its user'} at {host}{port}"

    async def connect(self) -> "Connection":
        """A connection whose server is as a log needs it.

        Raises Refused("unreadable") for a server, database, user or setting that cannot be used;
        Unavailable where nothing can be reached, or does not answer in time.
        """
        async with self.in_words():
            connection = await self._reached(self.busy + GRACE)
            try:
                await self._set(connection)
                await self._check(connection)
            except BaseException:
                connection.terminate()
                raise
        return connection

    async def _reached(self, patience: float) -> "Connection":
        """A connection as the server gives it, whose statements take so many seconds at most."""
        return await asyncpg.connect(
            self.url,
            timeout=self.reach,
            command_timeout=patience,
            server_settings={"application_name": "urim"},
        )

    async def _set(self, connection: "Connection") -> None:
        """Make a session's settings those that a log needs, whatever its role or its URL says.

        A pooler takes none of them while a connection is made.
        """
        busy = f"{self.busy * 1000:.0f}"
        settings = {
            "search_path": self.schema,
            "statement_timeout": busy,
            "idle_in_transaction_session_timeout": busy,
            # A statement's time has in it what it waits for locks, and what is held must stay so.
            "lock_timeout": "0",
            "idle_session_timeout": "0",
            "transaction_timeout": "0",
            # A plan for few rows is a good one for many, and compiling costs more than any of them.
            "jit": "off",
            "default_transaction_read_only": "on" if self.reading else "off",
            **self.settings,
        }
        names, values = zip(*settings.items(), strict=True)
        await connection.execute(SET, names, values, timeout=self.reach)

    async def check_session(self, connection: "Connection") -> None:
        """Raises Refused("unreadable") where a pooler gives the session to others meanwhile.

        Settings, locks and what is listened to belong to a session. While this connection asks for
        nothing another one holds a transaction open: a pooler that lends sessions for a transaction
        alone gives it this one's, or gives this connection another. Nothing is looked at where
        nobody is between: only the server itself knows the number of its process beforehand.
        """

        async def moved() -> bool:
            return bool(await connection.fetchval(PID, timeout=self.reach) != own)

        async with self.in_words():
            own = await connection.fetchval(PID)
            if own == connection.get_server_pid():
                return
            other = await self._reached(self.reach)
            try:
                for _ in range(LOOKS):
                    if await moved():
                        raise self._lent()
                    async with other.transaction():
                        # The first one first: who asks may wait for what the other one holds.
                        if await other.fetchval(PID) == own or await moved():
                            raise self._lent()
            finally:
                other.terminate()

    def _lent(self) -> Refused:
        why = f"the {self.shown} is behind a pooler that lends a session for a transaction alone"
        return Refused("unreadable", why, allowed=["a pooler in session mode", "no pooler"])

    async def _check(self, connection: "Connection") -> None:
        """Raises Refused("unreadable") for a server that would lose or change what is kept.

        Unavailable for one that takes nothing.
        """
        rows = await connection.fetch(SETTINGS, list(ASKED))
        found = {row["name"]: row["setting"] for row in rows}
        if int(found["server_version_num"]) < OLDEST * 10_000:
            why = f"the {self.shown} is PostgreSQL {int(found['server_version_num']) // 10_000}"
            raise Refused("unreadable", why, allowed=[f"PostgreSQL {OLDEST} or newer"])
        if found["server_encoding"] != "UTF8":
            why = f"the {self.shown} has the encoding {found['server_encoding']}"
            raise Refused("unreadable", why, allowed=["a database made with ENCODING 'UTF8'"])
        if self.reading:
            return
        if found["transaction_read_only"] == "on":
            # A standby may become the primary at any moment.
            why = f"the {self.shown} takes no commits now: it is a standby, or set to read only"
            raise Unavailable(why)
        for name, values in WANTED.items():
            if name not in self.lax and found[name] not in values:
                why = f"the {self.shown} has {name} = {found[name]}, and would lose commits"
                raise Refused("unreadable", why, allowed=[f"{name} = on"])

    @asynccontextmanager
    async def in_words(self) -> AsyncGenerator[None]:
        """Turn what the driver and the system raise within into errors of Urim."""
        try:
            yield
        except FAULTS as error:  # a certificate's fault is a ValueError too
            raise self.worded(error) from None
        except ValueError:
            raise not_a_url() from None

    def worded(self, error: BaseException) -> UrimError:
        """An error of the server, or of the way to it, as one of Urim, by whose fault it was."""
        if isinstance(error, UrimError):
            return error
        state = getattr(error, "sqlstate", None) or ""
        kind = next((KINDS[state[:n]] for n in (5, 2) if state[:n] in KINDS), None)
        if kind is None:
            return self._unanswered(error)
        says = _first_line(error)
        match kind:
            case "away":
                return Unavailable(f"the {self.shown} is not there now: {says}")
            case "lent":
                return self._lent()
            case "refused":
                return Refused("unreadable", f"the {self.shown} cannot be used: {says}")
            case _:
                return Damaged(f"the {self.shown} is damaged: {says}")

    def _unanswered(self, error: BaseException) -> UrimError:
        """What is no answer of the server's that is known."""
        if isinstance(error, TimeoutError):
            return Unavailable(f"the {self.shown} did not answer in time")
        if isinstance(error, asyncpg.ClientConfigurationError):
            return not_a_url()
        if isinstance(error, ssl.SSLError):
            return Refused("unreadable", f"the {self.shown} cannot be used: {_first_line(error)}")
        if isinstance(error, OSError):
            code = error.errno or 0
            says = os.strerror(code) if code > 0 else "the connection was lost"
            return Unavailable(f"the {self.shown} cannot be reached: {says}")
        if isinstance(error, LOST):
            return Unavailable(f"the connection to the {self.shown} was lost")
        return Defect(f"the {self.shown}: {type(error).__name__}: {_first_line(error)}")


KINDS = {
    "08": "away",  # the connection failed
    "25006": "away",  # it has become a standby
    "25P03": "away",  # a transaction in which too little was asked
    "25P04": "away",  # a transaction that took too long
    "26000": "lent",  # a statement that was prepared in this session is in another one
    "42P05": "lent",  # and one that was not is in this one
    "40": "away",  # a deadlock, or another's transaction came first: once more
    "53": "away",  # no disk, memory or connections left
    "55P03": "away",  # another's lock
    "57": "away",  # shut down, starting, or the statement took too long
    "58": "away",  # its disk fails
    "28": "refused",  # a wrong password, or no such user
    "3D": "refused",  # no such database
    "42501": "refused",  # no right to it
    "0A": "refused",
    "22021": "refused",
    "XX": "damaged",
    "42": "damaged",  # a table, a column or a function is missing
    "23": "damaged",  # a law of the rows refuses what the log's own size allows
    "P0001": "damaged",
}
"""What an SQLSTATE, or its class, comes to."""


def parsed(url: str) -> SplitResult:
    """The parts of a URL. Raises Refused("unreadable"), and never shows it, where it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise not_a_url() from None
    if parts.scheme not in SCHEMES:
        raise not_a_url()
    return parts


def not_a_url() -> Refused:
    """The refusal of a URL. It may hold a password, so that none of it is shown."""
    return Refused("unreadable", "that is no URL of a PostgreSQL database", allowed=[FORM])


def is_law(error: BaseException) -> bool:
    """Whether a law of the database refused a row."""
    return (getattr(error, "sqlstate", None) or "").startswith(LAWS)


def is_lost(connection: "Connection", error: BaseException) -> bool:
    """Whether nothing more can be asked on a connection, or not before it is set up again."""
    state = getattr(error, "sqlstate", None)
    return connection.is_closed() or state is None or state.startswith(ENDED)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


async def shut(connection: "Connection") -> None:
    """Close a connection, at once where the server does not answer."""
    try:
        await connection.close(timeout=GRACE)
    except FAULTS:
        connection.terminate()


async def backed_off(turn: int) -> None:
    """Wait before the next try, a little longer each time."""
    await asyncio.sleep(min(0.05 * 2**turn, 1.0))
