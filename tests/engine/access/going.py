"""Revoking, following and purging: who is out stays out, and those who hold their sockets hear."""

import asyncio
from contextlib import aclosing

import pytest

from tests.engine.access.helpers import (
    LATER,
    NOW,
    OTHER,
    TABLE,
    StoreSuite,
    by_itself,
    by_narrator,
    client,
    entered,
    exchanged,
    for_auditors,
    known,
    on_a_store,
)
from urim.engine.access.protocol import DAY, Admitted, Inviting
from urim.engine.access.store import AccessStore
from urim.errors import Defect


async def good(store: AccessStore, *admitted: Admitted) -> list[bool]:
    """Which of some tokens are good."""
    return [await known(store, each) is not None for each in admitted]


class Held(set[str]):
    """The tokens that a follower holds: none when it is first asked, so that it must be woken.

    What it looks at by itself as it begins may come before or after what is revoked then.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    def ids(self) -> frozenset[str]:
        """What is held now."""
        self.asked.set()
        return frozenset(self)


class Going(StoreSuite):
    """What every store asks of those who go."""

    # --- what is revoked, and nothing else ---

    @on_a_store()
    async def test_a_token_is_revoked_alone_and_once(self, store: AccessStore) -> None:
        one = await entered(store, by_narrator())
        two = await entered(store, by_itself(), 2)
        for table in (OTHER, None, "", "\ud800"):
            assert await store.revoke_token(table, one.grant.id) == 0
        for id in ("", "\ud800", two.token.reveal(), "x" * 1000):
            assert await store.revoke_token(TABLE, id) == 0
        assert await store.revoke_token(TABLE, one.grant.id) == 1
        assert await store.revoke_token(TABLE, one.grant.id) == 0
        assert await good(store, one, two) == [False, True]

    @on_a_store()
    async def test_a_seat_is_revoked_with_its_invitations_and_those_it_made(
        self, store: AccessStore
    ) -> None:
        narrating = Inviting(table=TABLE, role="narrator", seat="gm", by="host", expires=LATER)
        narrator = await entered(store, narrating)
        made = await store.invite(by_narrator("p2"), NOW)
        came = await entered(store, by_narrator("p3"), 2)
        own = Inviting(
            table=TABLE,
            role="narrator",
            seat="gm",
            by="narrator",
            by_seat="gm",
            expires=LATER,
        )
        waiting = await store.invite(own, NOW)
        assert await store.revoke_seat(OTHER, "gm") == 0
        assert await store.revoke_seat(TABLE, "gm") == 1
        assert await good(store, narrator, came) == [False, True]
        for each in (made, waiting):
            assert await store.exchange(each.secret.reveal(), client(7), NOW) is None
        assert await store.invitations(TABLE, NOW) == ()

    @on_a_store()
    async def test_a_table_is_revoked_with_all_its_invitations(self, store: AccessStore) -> None:
        link = await store.host_link(NOW)
        assert link is not None
        host = await store.exchange(link.reveal(), client(1), NOW)
        assert host is not None
        here = [await entered(store, by_narrator(f"p{n}"), n) for n in range(3)]
        auditor = await entered(store, for_auditors(), 5)
        there = await entered(store, by_narrator(table=OTHER), 6)
        waiting = await store.invite(by_narrator(None), NOW)
        assert await store.revoke_table(TABLE) == 4
        assert await good(store, *here, auditor) == [False] * 4
        assert await good(store, there, host) == [True, True]
        assert await store.exchange(waiting.secret.reveal(), client(7), NOW) is None

    @on_a_store()
    async def test_an_invitation_is_revoked_with_all_that_came_of_it(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(None, uses=3), NOW)
        came = [await exchanged(store, issued, who) for who in range(2)]
        other = await entered(store, by_narrator(), 5)
        assert await store.revoke_invitation(OTHER, issued.invitation.id) == 0
        assert await store.revoke_invitation(TABLE, issued.invitation.id) == 2
        assert await store.revoke_invitation(TABLE, issued.invitation.id) == 0
        assert await good(store, *came, other) == [False, False, True]
        assert await store.exchange(issued.secret.reveal(), client(8), NOW) is None

    # --- those who follow ---

    @on_a_store()
    async def test_who_holds_a_token_hears_that_it_was_revoked(self, store: AccessStore) -> None:
        admitted = [await entered(store, by_narrator(f"p{n}"), n) for n in range(4)]
        held = Held()
        # Nobody needs a tick: only the revocation wakes them.
        async with aclosing(store.follow(held.ids, every=1_000)) as following:
            heard = asyncio.ensure_future(anext(following))
            await held.asked.wait()
            held |= {each.grant.id for each in admitted[:3]}
            for step in (
                store.revoke_token(TABLE, admitted[3].grant.id),
                store.revoke_seat(TABLE, "p1"),
            ):
                await asyncio.sleep(0)
                assert not heard.done()
                await step
            assert await heard == {admitted[1].grant.id}
            held.discard(admitted[1].grant.id)
            await store.revoke_table(TABLE)
            assert await anext(following) == held.ids()

    @on_a_store()
    async def test_what_was_revoked_before_it_was_held_is_heard_too(
        self, store: AccessStore
    ) -> None:
        first, second = [await entered(store, by_narrator(f"p{n}"), n) for n in range(2)]
        await store.revoke_seat(TABLE, "p0")
        held = {first.grant.id}
        async with aclosing(store.follow(lambda: held, every=0.01)) as following:
            assert await anext(following) == {first.grant.id}
            # One that is held on is given again; one that comes late is found by itself.
            assert await anext(following) == {first.grant.id}
            held.clear()
            heard = asyncio.ensure_future(anext(following))
            await store.revoke_seat(TABLE, "p1")
            for _ in range(10):
                await asyncio.sleep(0.01)
            assert not heard.done()
            held.add(second.grant.id)
            assert await heard == {second.grant.id}

    @on_a_store()
    async def test_what_was_purged_is_heard_too(self, store: AccessStore) -> None:
        admitted = await entered(store, by_narrator())
        await store.revoke_seat(TABLE, "p1")
        await store.purge(NOW)
        async with aclosing(store.follow(lambda: [admitted.grant.id])) as following:
            assert await anext(following) == {admitted.grant.id}

    @on_a_store()
    async def test_the_other_tokens_of_an_exchange_are_heard_when_one_is_used(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(), NOW)
        one, two = await exchanged(store, issued), await exchanged(store, issued)
        held = Held()
        async with aclosing(store.follow(held.ids, every=1_000)) as following:
            heard = asyncio.ensure_future(anext(following))
            await held.asked.wait()
            held |= {one.grant.id, two.grant.id}
            assert await known(store, two) is not None
            assert await heard == {one.grant.id}

    @on_a_store()
    async def test_followers_end_with_the_store(self, store: AccessStore) -> None:
        admitted = await entered(store, by_narrator())

        async def listen() -> list[frozenset[str]]:
            held = {admitted.grant.id}
            async with aclosing(store.follow(lambda: held, every=1_000)) as following:
                return [ended async for ended in following]

        listening = [asyncio.create_task(listen()) for _ in range(3)]
        for _ in range(10):
            await asyncio.sleep(0.01)
        await store.close()
        assert await asyncio.gather(*listening) == [[], [], []]
        with pytest.raises(Defect, match="closed"):
            await known(store, admitted)

    # --- what is forgotten ---

    @on_a_store()
    async def test_purging_forgets_what_is_over_and_nothing_that_is_good(
        self, store: AccessStore
    ) -> None:
        waiting = await store.invite(by_narrator("p2"), NOW)
        open_still = await store.invite(by_narrator(None, uses=2), NOW)
        came = await exchanged(store, open_still, 1)
        spent = await entered(store, by_narrator("p3"), 2)
        assert await store.purge(NOW) == 0
        assert await store.purge(LATER) == 1  # `waiting`: the others have tokens
        assert await store.exchange(waiting.secret.reveal(), client(3), NOW) is None
        assert await good(store, came, spent) == [True, True]
        assert await store.revoke_invitation(TABLE, open_still.invitation.id) == 1
        # A token and an invitation, and the use that was spent.
        assert await store.purge(LATER) == 3
        assert await store.purge(spent.grant.expires) == 3
        assert await store.purge(NOW + 1_000 * DAY) == 0
