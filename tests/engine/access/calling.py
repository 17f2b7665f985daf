"""Hooks: kept beside the tokens that they were made with, claimed by one who calls at a time."""

import pytest
from msgspec.structs import replace

from tests.engine.access.helpers import (
    NOW,
    OTHER,
    TABLE,
    StoreSuite,
    by_itself,
    by_narrator,
    entered,
    on_a_store,
)
from urim.engine.access.hooks import Hook, Wait, new_hook
from urim.engine.access.protocol import DAY, Admitted
from urim.engine.access.store import AccessStore
from urim.errors import Refused

URL = "https://chat.example/hooks/a-secret"

ONE, TWO = "one", "two"
"""Who calls."""

UNTIL = NOW + 1_000


def of(admitted: Admitted, url: str = URL) -> Hook:
    """A hook that a seat makes with its token."""
    grant = admitted.grant
    assert grant.table is not None
    assert grant.seat is not None
    return new_hook(grant.table, grant.seat, grant.id, url=url, view="table", position=3)


class Calling(StoreSuite):
    """What every store asks of hooks."""

    @on_a_store(hooks=2)
    async def test_a_seat_has_some_hooks_and_no_more(self, store: AccessStore) -> None:
        admitted = await entered(store, by_narrator())
        other = await entered(store, by_narrator("p2"), 2)
        made = [of(admitted), of(admitted, f"{URL}-2")]
        for each in made:
            await store.add_hook(each, NOW)
        with pytest.raises(Refused, match="the limit `hooks` is 2") as refused:
            await store.add_hook(of(admitted), NOW)
        assert refused.value.code == "over-budget"
        of_other = of(other)
        await store.add_hook(of_other, NOW)
        assert await store.hooks(TABLE, "p1", NOW) == tuple(made)
        assert await store.hooks(TABLE, None, NOW) == (*made, of_other)
        assert await store.hooks(OTHER, "p1", NOW) == await store.hooks(OTHER, None, NOW) == ()
        assert len(await store.live_hooks(NOW)) == 3
        assert await store.remove_hook(TABLE, "p2", made[0].id) == 0
        assert await store.remove_hook(TABLE, "p1", made[0].id) == 1
        assert await store.hooks(TABLE, "p1", NOW) == (made[1],)
        assert await store.hook(made[0].id, NOW) is None

    @on_a_store()
    async def test_a_hook_ends_with_its_token(self, store: AccessStore) -> None:
        one = await entered(store, by_narrator())
        two = await entered(store, by_itself(), 2)
        first, second = of(one), of(two)
        for each in (first, second):
            await store.add_hook(each, NOW)
        assert await store.revoke_token(TABLE, one.grant.id) == 1
        assert await store.hooks(TABLE, "p1", NOW) == (second,)
        assert await store.live_hooks(NOW) == (second,)
        assert await store.claim_hook(first.id, ONE, NOW, UNTIL) is None
        assert await store.hook(second.id, two.grant.expires) is None
        await store.revoke_seat(TABLE, "p1")
        assert await store.live_hooks(NOW) == ()
        await store.purge(NOW)
        again = await entered(store, by_narrator(), 3)
        assert await store.hooks(TABLE, "p1", NOW) == ()
        await store.add_hook(of(again), NOW)

    @on_a_store()
    async def test_one_has_a_hook_at_a_time(self, store: AccessStore) -> None:
        hook = of(await entered(store, by_narrator()))
        await store.add_hook(hook, NOW)
        assert await store.claim_hook(hook.id, ONE, NOW, UNTIL) == hook
        assert await store.claim_hook(hook.id, TWO, UNTIL - 1, UNTIL + 9) is None
        assert await store.claim_hook(hook.id, ONE, UNTIL - 1, UNTIL) == hook
        told = replace(hook, position=7).answered(NOW)
        assert not await store.keep_hook(told, TWO, UNTIL)
        assert await store.hook(hook.id, NOW) == hook
        assert await store.keep_hook(told, ONE, UNTIL)
        assert await store.claim_hook(hook.id, TWO, UNTIL, UNTIL + 9) == told
        assert not await store.keep_hook(hook, ONE, UNTIL)
        assert await store.keep_hook(told, TWO, 0)
        assert await store.claim_hook(hook.id, ONE, NOW, UNTIL) == told

    @on_a_store()
    async def test_what_was_told_and_what_failed_is_kept(self, store: AccessStore) -> None:
        hook = of(await entered(store, by_narrator()))
        await store.add_hook(hook, NOW)
        assert await store.claim_hook(hook.id, ONE, NOW, UNTIL)
        waits = (Wait("3:roll:c1", 5, NOW, told=True), Wait("4:rule::9", 6, NOW, told=False))
        failing = replace(hook, waits=waits).failed(NOW, "it answered 500", DAY)
        assert (failing.failing, failing.over) == (NOW, False)
        assert await store.keep_hook(failing, ONE, UNTIL)
        assert await store.live_hooks(NOW) == (failing,)
        over = failing.failed(NOW + DAY, "it answered 503", DAY)
        assert (over.failing, over.over, over.why) == (NOW, True, "it answered 503")
        assert await store.keep_hook(over, ONE, UNTIL)
        assert await store.live_hooks(NOW) == ()
        assert await store.hooks(TABLE, "p1", NOW) == (over,)
        again = over.answered(NOW + DAY)
        assert (again.told, again.failing, again.why, again.over) == (NOW + DAY, None, "", False)

    @on_a_store()
    async def test_no_print_shows_an_address_or_a_secret(self, store: AccessStore) -> None:
        hook = of(await entered(store, by_narrator()))
        await store.add_hook(hook, NOW)
        [found] = await store.hooks(TABLE, "p1", NOW)
        assert found.url.reveal() == URL
        assert found.secret.reveal().startswith("whsec_")
        for word in ("chat.example", found.secret.reveal()[8:]):
            assert word not in f"{found!r}"
