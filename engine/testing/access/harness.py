"""What the conformance tests of a store of access share: invitations, clients, and a loop."""

# ruff: noqa: S101
# (assert is how pytest asks.)

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from ...access.protocol import (
    DAY,
    DEFAULT,
    AccessStore,
    Admitted,
    Grant,
    Inviting,
    Issued,
    Limits,
)

T = TypeVar("T")

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


class AccessTests:
    """What the tests of a store share. Each runs its own event loop, on a store of its own."""

    patience: float = 30.0
    """Seconds until a test that waits for something gives up."""

    def make_store(self, limits: Limits) -> AbstractAsyncContextManager[AccessStore]:
        """A new and empty store, open as long as the context. Every test asks for its own."""
        raise NotImplementedError("say which store to test: override make_store")

    def run(self, scenario: Callable[[AccessStore], Awaitable[T]], limits: Limits = DEFAULT) -> T:
        """Run a scenario on a store of its own."""

        async def within() -> T:
            async with asyncio.timeout(self.patience), self.make_store(limits) as store:
                return await scenario(store)

        return asyncio.run(within())
