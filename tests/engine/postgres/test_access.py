"""The store of access in a database keeps all that every store promises, for several processes."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import asyncpg
import pytest

from tests.engine.access.calling import Calling
from tests.engine.access.coming import Coming
from tests.engine.access.going import Going
from urim.engine.access.postgres import PostgresAccess
from urim.engine.access.postgres.asking import translated
from urim.engine.access.protocol import DAY, Inviting, Limits
from urim.engine.access.store import AccessStore
from urim.events.log.location import DatabaseUrl

CLIENT = "client-of-one-exchange-0001"


class TestPostgresAccess(Coming, Going, Calling):
    """The suite, on a database of each test's own."""

    @pytest.fixture(autouse=True)
    def _at(self, place: DatabaseUrl) -> None:
        self.at = place

    @asynccontextmanager
    async def make_store(self, limits: Limits) -> AsyncGenerator[AccessStore, None]:
        """An empty one."""
        store = await PostgresAccess.open(self.at.reveal(), limits=limits)
        try:
            yield store
        finally:
            await store.close()


async def test_who_came_in_by_one_server_is_let_in_and_put_out_by_another(
    place: DatabaseUrl,
) -> None:
    inviting = Inviting(
        table="table001", role="player", by="narrator", by_seat="narrator", expires=DAY
    )

    one, two = [await PostgresAccess.open(place.reveal()) for _ in range(2)]
    issued = await one.invite(inviting, 0)
    exchanged = await asyncio.gather(
        *(
            each.exchange(issued.secret.reveal(), f"{CLIENT}-{n}-{m}", 0)
            for m, each in enumerate((one, two))
            for n in range(4)
        )
    )
    [admitted] = [each for each in exchanged if each is not None]
    for each in (one, two):
        assert await each.lookup(admitted.token.reveal(), 0) == admitted.grant
    async with aclosing(one.follow(lambda: [admitted.grant.id])) as ended, asyncio.timeout(30):
        waiting = asyncio.ensure_future(anext(ended))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        assert await two.revoke_seat("table001", admitted.grant.seat or "") == 1
        assert await waiting == {admitted.grant.id}
    assert await one.lookup(admitted.token.reveal(), 0) is None
    await one.close()
    await two.close()


async def test_the_database_keeps_what_was_revoked_so(place: DatabaseUrl) -> None:
    store = await PostgresAccess.open(place.reveal())
    await store.host_link(0)
    await store.host_link(0, new=True)
    await store.close()
    connection = await asyncpg.connect(place.reveal())
    with pytest.raises(asyncpg.PostgresError, match="what was revoked stays so"):
        await connection.execute("UPDATE urim_access.invitations SET revoked = 0")
    await connection.close()


async def test_a_database_of_before_hooks_is_upgraded(place: DatabaseUrl) -> None:
    await (await PostgresAccess.open(place.reveal())).close()
    connection = await asyncpg.connect(place.reveal())
    await connection.execute("DROP TABLE urim_access.hooks")
    await connection.execute("UPDATE urim_access.meta SET number = 1")
    await connection.close()
    store = await PostgresAccess.open(place.reveal())
    assert await store.live_hooks(0) == ()
    await store.close()


def test_a_statement_is_put_into_postgresqls_words() -> None:
    assert translated("a IS ? AND b = ?") == "a IS NOT DISTINCT FROM $1 AND b = $2"
    assert translated("SELECT 1") == "SELECT 1"
