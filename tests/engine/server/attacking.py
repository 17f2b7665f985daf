"""Attacks by name: each does something to a real server that must get nothing by it."""

import json
import sqlite3
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import httpx

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import Client, entered, opened, run
from tests.engine.server.http_table import OTHER, TABLE, Site
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.server.admission.guesses import Guesses

ROWS = (
    "too long, too deep, no JSON",
    "no good token, a foreign page",
    "another table, a hidden roll",
    "a refused command",
    "the same id, another body",
    "too fast, too many, silent",
    "a slow reader",
    "a full disk, a locked log",
    "after beyond the log",
)
"""What bad input there is; each row has its attacks."""

Row: TypeAlias = tuple[Any, ...]

KEPT = ("entries", "commits")
"""What is kept of commands. Heads are signed whenever their time has come, whatever is asked."""


def rows_of(database: Path) -> list[Row]:
    """Every entry and every request of every table, as the file has them."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as file:
        found = [
            (name, *row)
            for name in KEPT
            for row in file.execute(f"SELECT * FROM {name} ORDER BY 2, 1, 3")  # noqa: S608
        ]
    file.close()
    return found


class Scene:
    """A server with two tables, as `Site`, and its log as it was before the attack."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.served = site.served
        self.tokens = site.tokens
        self.before = self.rows()

    def rows(self) -> list[Row]:
        """What the log keeps now."""
        return rows_of(self.served.database)

    def keep(self) -> int:
        """Take what was written since as meant; of entries how many. What was there is there."""
        now = self.rows()
        assert set(self.before) <= set(now)
        more = {row for row in set(now) - set(self.before) if row[0] == "entries"}
        self.before = now
        return len(more)

    def unchanged(self) -> None:
        """Nothing was written since, in any table."""
        assert self.rows() == self.before

    def serves(self) -> None:
        """The server does what it is asked, by HTTP and on sockets."""
        assert self.site.get("p1", "").status_code == 200

        async def scene() -> None:
            async with entered(self.served, TABLE, self.tokens["p2"]) as client:
                self.site.count += 1
                done = await client.done(f"after-{self.site.count}", noting("it goes on"))
                assert done["type"] == "done", done

        run(scene())
        assert self.keep() == 2

    # --- for attacks ------------------------------------------------------------------------------

    def post(self, data: bytes, who: str = "p1", path: str = "/requests") -> httpx.Response:
        """POST these bytes as JSON, at the first table."""
        return self.site.post(who, data, path)

    def entered(self, act: Callable[[Client], Coroutine[Any, Any, None]], who: str = "p1") -> None:
        """Do something on a socket that entered."""

        async def scene() -> None:
            async with entered(self.served, TABLE, self.tokens[who]) as client:
                await act(client)

        run(scene())

    def opened(
        self, act: Callable[[Client], Coroutine[Any, Any, None]], table: str = TABLE
    ) -> None:
        """Do something on a socket that nobody entered yet."""

        async def scene() -> None:
            async with opened(self.served, table) as client:
                await act(client)

        run(scene())


def written(asking: c.Asking, request: str) -> bytes:
    """A command as a request."""
    command, text = c.apart(asking)
    return WireRequest(body_of(command).decode(), request, text).written()


def ask_frame(asking: c.Asking, request: str) -> str:
    """A command as a frame."""
    return json.dumps({"type": "ask", **json.loads(written(asking, request))})


# --- the table ------------------------------------------------------------------------------------


Act: TypeAlias = Callable[[Scene], None]


class Attack(NamedTuple):
    """One attack; `settings` are of a server of its own, None for the one that they share."""

    row: str
    name: str
    act: Act
    settings: Mapping[str, Any] | None


ATTACKS: list[Attack] = []
"""Every attack, as the modules of attacks add them."""


def attack(
    row: int, **settings: Any
) -> Callable[[Callable[[Scene], None]], Callable[[Scene], None]]:
    """Add an attack to a row, counted from 1; its name is the function's."""

    def add(act: Act) -> Act:
        name = act.__name__.replace("_", " ")
        own = MappingProxyType(settings) if settings else None
        ATTACKS.append(Attack(ROWS[row - 1], name, act, own))
        return act

    return add


@contextmanager
def staged(directory: Path, settings: Mapping[str, Any] | None) -> Generator[Site]:
    """A server to be attacked; the one that is shared lets everybody be fast."""
    fast = {"burst": 100_000, "known": {"guesses": Guesses(burst=1_000_000)}}
    with Served(directory, **(fast if settings is None else settings)) as served:
        site = Site(served)
        served.open(OTHER)
        site.tokens["other"] = served.token(OTHER, "player", "p1")
        site.tokens["other narrator"] = served.token(OTHER, "narrator", NARRATOR)
        yield site
        site.close()
