"""What the tests of stores share: invitations, clients, scenarios, processes that use a file."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from tests.tree import ROOT
from urim.engine.access.protocol import DAY, DEFAULT, Admitted, Grant, Inviting, Issued, Limits
from urim.engine.access.sqlite import SqliteAccess
from urim.engine.access.store import AccessStore
from urim.events.log.sqlite.writer import Writer

T = TypeVar("T")

PATIENCE = 60
"""Seconds until a scenario is given up."""

TABLE = "conform0"
OTHER = "conform1"
NOW = 1_800_000_000_000
"""A time, in milliseconds."""

LATER = NOW + DAY


def client(number: int) -> str:
    """The id that a client draws; this one can be guessed."""
    return f"client-{number:016}"


def by_narrator(seat: str | None = "p1", uses: int = 1, table: str = TABLE) -> Inviting:
    """What a narrator asks for, for a player's seat; a new one where it is None."""
    return Inviting(
        table=table,
        role="player",
        seat=seat,
        by="narrator",
        by_seat="gm",
        expires=LATER,
        uses=uses,
    )


def by_itself(seat: str = "p1", uses: int = 1) -> Inviting:
    """What a player asks for, for another client of its own."""
    return Inviting(
        table=TABLE,
        role="player",
        seat=seat,
        by="player",
        by_seat=seat,
        expires=LATER,
        uses=uses,
    )


def for_auditors(uses: int = 1) -> Inviting:
    """What a narrator asks for, for auditors."""
    return Inviting(
        table=TABLE, role="auditor", by="narrator", by_seat="gm", expires=LATER, uses=uses
    )


async def exchanged(store: AccessStore, issued: Issued, who: int = 1) -> Admitted:
    """An exchange that must succeed."""
    admitted = await store.exchange(issued.secret.reveal(), client(who), NOW)
    assert admitted is not None
    return admitted


async def entered(store: AccessStore, inviting: Inviting, who: int = 1) -> Admitted:
    """Invite and exchange."""
    return await exchanged(store, await store.invite(inviting, NOW), who)


async def known(store: AccessStore, admitted: Admitted, now: int = NOW) -> Grant | None:
    """What the store says of a token that it gave."""
    return await store.lookup(admitted.token.reveal(), now)


# --- scenarios ---


class StoreSuite:
    """What every store of access must do. A subclass says which store: `make_store`."""

    def make_store(self, limits: Limits) -> AbstractAsyncContextManager[AccessStore]:
        """A new and empty store, open as long as the context. Every test asks for its own."""
        raise NotImplementedError


Scenario: TypeAlias = Callable[[Any, AccessStore], Awaitable[None]]
"""A test of a suite, before it has a store."""


def on_a_store(**limits: int) -> Callable[[Scenario], Callable[[StoreSuite], None]]:
    """Run a test of a suite on a store that is new and has these limits."""

    def given(scenario: Scenario) -> Callable[[StoreSuite], None]:
        def test(suite: StoreSuite) -> None:
            async def within() -> None:
                async with (
                    asyncio.timeout(PATIENCE),
                    suite.make_store(Limits(**limits)) as store,
                ):
                    await scenario(suite, store)

            asyncio.run(within())

        return test

    return given


def on_store(
    path: Path,
    scenario: Callable[[SqliteAccess], Awaitable[T]],
    *,
    limits: Limits = DEFAULT,
    busy: float = 30.0,
    writer: type[Writer] = Writer,
) -> T:
    """Run a scenario on the store in a file."""

    async def within() -> T:
        async with asyncio.timeout(PATIENCE):
            store = await SqliteAccess.open(path, limits=limits, busy=busy, writer=writer)
            try:
                return await scenario(store)
            finally:
                await store.close()

    return asyncio.run(within())


def child(*words: object) -> "subprocess.Popen[bytes]":
    """Start tests/engine/access/child.py; what it reports comes through its standard output."""
    command = [sys.executable, "-m", "tests.engine.access.child", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
