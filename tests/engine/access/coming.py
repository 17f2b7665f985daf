"""Invitations and tokens: what is given, once, to whom, and what is said to everybody else."""

import asyncio
from collections.abc import Awaitable

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
from urim.engine.access.protocol import DAY, Admitted, Grant, Inviting
from urim.engine.access.store import AccessStore
from urim.errors import Refused


async def refused(code: str, call: Awaitable[object]) -> str:
    """The words of a call that must be refused with a code."""
    with pytest.raises(Refused) as refusal:
        await call
    assert refusal.value.code == code
    return str(refusal.value)


class Coming(StoreSuite):
    """What every store asks of those who come in."""

    # --- one invitation, one client ---

    @on_a_store()
    async def test_an_invitation_gives_a_token_that_stands_for_its_seat(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(), NOW)
        assert issued.secret.reveal().startswith("urim-i1-")
        admitted = await exchanged(store, issued)
        assert admitted.token.reveal().startswith("urim-t1-")
        assert admitted.by_seat == "gm"
        grant = admitted.grant
        assert (grant.table, grant.seat, grant.role) == (TABLE, "p1", "player")
        assert await known(store, admitted) == grant
        assert await known(store, admitted) == grant  # the first use changes nothing
        assert await store.holders(TABLE, NOW) == (grant,)
        assert await store.holders(OTHER, NOW) == ()

    @on_a_store()
    async def test_a_new_seat_is_drawn_for_each_use(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(None, uses=3), NOW)
        admitted = [await exchanged(store, issued, who) for who in range(3)]
        seats = {each.grant.seat for each in admitted}
        assert len(seats) == 3
        assert all(seat is not None and seat.startswith("seat-") for seat in seats)
        assert len({each.request for each in admitted}) == 3
        assert await store.exchange(issued.secret.reveal(), client(3), NOW) is None

    @on_a_store()
    async def test_auditors_have_no_seat_and_do_not_keep_each_other_out(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(for_auditors(uses=2), NOW)
        one, two = await exchanged(store, issued, 1), await exchanged(store, issued, 2)
        assert one.grant.seat is None
        assert two.grant.seat is None
        assert one.grant.role == "auditor"
        assert await known(store, one) == one.grant
        assert await known(store, two) == two.grant

    @on_a_store()
    async def test_a_list_shows_what_is_open_and_no_secret(self, store: AccessStore) -> None:
        first = await store.invite(by_narrator(None, uses=2), NOW)
        second = await store.invite(by_narrator("p2"), NOW)
        listed = await store.invitations(TABLE, NOW)
        assert listed == (first.invitation, second.invitation)
        assert (listed[0].left, listed[0].by, listed[0].by_seat) == (2, "narrator", "gm")
        await exchanged(store, first)
        await exchanged(store, second, 2)
        (left,) = await store.invitations(TABLE, NOW)
        assert (left.id, left.left) == (first.invitation.id, 1)
        assert await store.invitations(TABLE, LATER) == ()
        assert await store.invitations(OTHER, NOW) == ()

    @on_a_store()
    async def test_an_invitation_is_seen_by_its_secret_and_nothing_is_spent(
        self, store: AccessStore
    ) -> None:
        first = await store.invite(by_narrator(None, uses=2), NOW)
        second = await store.invite(by_narrator("p2"), NOW)
        for issued in (first, second, first):
            found = await store.invitation(issued.secret.reveal(), NOW)
            assert found == issued.invitation
        assert await store.invitations(TABLE, NOW) == (first.invitation, second.invitation)
        host = await store.host_link(NOW)
        assert host is not None
        admitted = await exchanged(store, first)
        left = await store.invitation(first.secret.reveal(), NOW)
        assert left is not None and left.left == 1
        await exchanged(store, second, 2)
        nothing = (
            "",
            "x",
            "\ud800",
            host.reveal(),
            second.secret.reveal(),
            admitted.token.reveal(),
        )
        for text in nothing:
            assert await store.invitation(text, NOW) is None
        assert await store.invitation(first.secret.reveal(), LATER) is None
        await store.revoke_invitation(TABLE, first.invitation.id)
        assert await store.invitation(first.secret.reveal(), NOW) is None

    # --- what opens nothing ---

    @on_a_store()
    async def test_what_opens_nothing_is_answered_alike(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(), NOW)
        secret = issued.secret.reveal()
        admitted = await exchanged(store, issued)
        token = admitted.token.reveal()
        wrong = [
            "", " ", "urim-t1-", "é" * 51, "\ud800", "\0", "x" * 1_000_000,
            token[:-1], token + "A", token.upper(), f" {token}", f"{token}\n",
            secret, secret.replace("-i1-", "-t1-"), token.replace("-t1-", "-i1-"),
            token[: len("urim-t1-")] + "A" * 43, admitted.grant.id, issued.invitation.id,
        ]  # fmt: skip
        for text in wrong:
            assert await store.lookup(text, NOW) is None
            if text != secret:
                assert await store.exchange(text, client(9), NOW) is None
        assert await store.lookup(token, admitted.grant.expires) is None
        assert await store.lookup(token, admitted.grant.expires - 1) == admitted.grant

    @on_a_store()
    async def test_an_expired_invitation_opens_nothing(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(), NOW)
        assert await store.exchange(issued.secret.reveal(), client(1), LATER) is None
        at_last = await store.exchange(issued.secret.reveal(), client(1), LATER - 1)
        assert at_last is not None

    @on_a_store()
    async def test_a_clock_that_goes_back_gives_back_no_use_and_nothing_revoked(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(), NOW)
        secret = issued.secret.reveal()
        admitted = await exchanged(store, issued)
        assert await known(store, admitted) is not None
        for now in (NOW - 400 * DAY, 0, -DAY):
            assert await store.exchange(secret, client(2), now) is None
            assert await known(store, admitted, now) == admitted.grant
        await store.revoke_seat(TABLE, "p1")
        for now in (NOW - 400 * DAY, 0, NOW):
            assert await known(store, admitted, now) is None
            assert await store.exchange(secret, client(1), now) is None

    @on_a_store()
    async def test_a_client_id_that_could_be_guessed_is_refused_and_not_shown(
        self, store: AccessStore
    ) -> None:
        secret = (await store.invite(by_narrator(), NOW)).secret.reveal()
        for id in ("", "short", "x" * 65, "space in the middle of it", "é" * 30):
            words = await refused("malformed", store.exchange(secret, id, NOW))
            assert not id or id not in words
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 1

    # --- the same client again ---

    @on_a_store()
    async def test_an_exchange_whose_answer_was_lost_is_repeated_and_spends_nothing(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(None, uses=2), NOW)
        lost = await exchanged(store, issued)
        again = await exchanged(store, issued)
        assert again.grant.seat == lost.grant.seat
        assert again.request == lost.request
        assert again.token != lost.token
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 1

    @on_a_store()
    async def test_the_first_token_that_is_used_is_the_only_one(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(), NOW)
        tokens = [await exchanged(store, issued) for _ in range(3)]
        assert await known(store, tokens[1]) == tokens[1].grant
        for other in (tokens[0], tokens[2]):
            assert await known(store, other) is None
        assert await known(store, tokens[1]) == tokens[1].grant
        # From here on the link and the client's id open nothing.
        assert await store.exchange(issued.secret.reveal(), client(1), NOW) is None

    @on_a_store()
    async def test_tokens_of_one_exchange_that_come_at_once_leave_one(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(), NOW)
        tokens = [await exchanged(store, issued) for _ in range(5)]
        found = await asyncio.gather(*(known(store, each) for each in tokens * 4))
        good = {grant.id for grant in found if grant is not None}
        assert len(good) == 1
        assert [grant.id for grant in await store.holders(TABLE, NOW)] == [*good]

    @on_a_store(repeats=3)
    async def test_nothing_is_repeated_for_ever(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(), NOW)
        for _ in range(3):
            await exchanged(store, issued)
        assert await store.exchange(issued.secret.reveal(), client(1), NOW) is None

    @on_a_store()
    async def test_what_was_revoked_is_not_repeated(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(None, uses=2), NOW)
        admitted = await exchanged(store, issued)
        assert await store.revoke_token(TABLE, admitted.grant.id) == 1
        assert await store.exchange(issued.secret.reveal(), client(1), NOW) is None
        assert await store.purge(NOW) == 1
        assert await store.exchange(issued.secret.reveal(), client(1), NOW) is None
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 1

    @on_a_store()
    async def test_a_use_that_is_given_back_is_as_if_nobody_had_asked(
        self, store: AccessStore
    ) -> None:
        for seat in ("p1", None):
            issued = await store.invite(by_narrator(seat), NOW)
            first = await exchanged(store, issued, 1)
            second = await exchanged(store, issued, 1)
            await store.give_back(first)
            # The repetition goes on: perhaps the seat is being taken for it.
            assert await store.exchange(issued.secret.reveal(), client(2), NOW) is None
            await store.give_back(second)
            assert issued.invitation in await store.invitations(TABLE, NOW)
            for admitted in (first, second):
                assert await known(store, admitted) is None
            again = await exchanged(store, issued, 2)
            assert await known(store, again) == again.grant

    @on_a_store()
    async def test_what_was_revoked_is_not_given_back(self, store: AccessStore) -> None:
        issued = await store.invite(by_narrator(None), NOW)
        admitted = await exchanged(store, issued)
        await store.revoke_token(TABLE, admitted.grant.id)
        await store.give_back(admitted)
        assert await store.invitations(TABLE, NOW) == ()
        assert await store.exchange(issued.secret.reveal(), client(1), NOW) is None

    # --- the law of seats ---

    @on_a_store()
    async def test_a_seat_that_somebody_holds_is_invited_to_by_itself_alone(
        self, store: AccessStore
    ) -> None:
        await entered(store, by_narrator())
        await refused("taken", store.invite(by_narrator(), NOW))
        second = await entered(store, by_itself(), 2)
        assert await known(store, second) == second.grant
        assert len(await store.holders(TABLE, NOW)) == 2

    @on_a_store()
    async def test_of_two_invitations_to_a_seat_one_leads_there(self, store: AccessStore) -> None:
        one, two = [await store.invite(by_narrator(), NOW) for _ in range(2)]
        admitted = await exchanged(store, one, 1)
        assert await store.exchange(two.secret.reveal(), client(2), NOW) is None
        # Once the seat was revoked, an invitation of before leads nowhere either.
        await store.revoke_seat(TABLE, "p1")
        assert await known(store, admitted) is None
        assert await store.exchange(two.secret.reveal(), client(2), NOW) is None
        again = await entered(store, by_narrator(), 3)
        assert await known(store, again) == again.grant

    @on_a_store()
    async def test_seats_of_one_name_at_two_tables_are_two(self, store: AccessStore) -> None:
        here = await entered(store, by_narrator())
        there = await entered(store, by_narrator(table=OTHER), 2)
        assert await store.revoke_seat(OTHER, "p1") == 1
        assert await known(store, here) == here.grant
        assert await known(store, there) is None

    # --- many at once ---

    @on_a_store()
    async def test_of_many_clients_at_once_as_many_come_in_as_there_are_uses(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(None, uses=5), NOW)
        secret = issued.secret.reveal()
        found = await asyncio.gather(
            *(store.exchange(secret, client(who), NOW) for who in range(40))
        )
        came = [each for each in found if each is not None]
        assert len(came) == len({each.grant.seat for each in came}) == 5
        assert len(await store.holders(TABLE, NOW)) == 5

    @on_a_store()
    async def test_one_client_that_asks_many_times_at_once_spends_one_use(
        self, store: AccessStore
    ) -> None:
        issued = await store.invite(by_narrator(None, uses=3), NOW)
        secret = issued.secret.reveal()
        found = await asyncio.gather(*(store.exchange(secret, client(1), NOW) for _ in range(20)))
        came = [each for each in found if each is not None]
        assert len({each.grant.seat for each in came}) == 1
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 2

    @on_a_store()
    async def test_of_many_invitations_to_a_seat_at_once_one_leads_there(
        self, store: AccessStore
    ) -> None:
        issued = [await store.invite(by_narrator(), NOW) for _ in range(10)]
        found = await asyncio.gather(
            *(
                store.exchange(each.secret.reveal(), client(who), NOW)
                for who, each in enumerate(issued)
            )
        )
        assert sum(each is not None for each in found) == 1

    # --- bounds ---

    @on_a_store(invitations=2, uses=4, tokens=2, auditors=2, name=5, invited=DAY)
    async def test_more_than_the_limits_is_refused_by_name_and_spends_nothing(
        self, store: AccessStore
    ) -> None:
        too_many = store.invite(by_narrator(None, uses=5), NOW)
        assert "`uses` is 4" in await refused("over-budget", too_many)
        named = Inviting(table=TABLE, role="player", by="narrator", expires=LATER, name="x" * 6)
        assert "`name` is 5" in await refused("too-long", store.invite(named, NOW))
        for now in (NOW - 1, LATER, LATER + 1):
            await refused("out-of-range", store.invite(by_narrator(), now))
        await entered(store, by_narrator())
        issued = await store.invite(by_itself(uses=3), NOW)
        await exchanged(store, issued, 2)
        full = store.exchange(issued.secret.reveal(), client(3), NOW)
        assert "`tokens` is 2" in await refused("over-budget", full)
        (left,) = await store.invitations(TABLE, NOW)
        assert left.left == 2
        auditing = await store.invite(for_auditors(uses=3), NOW)
        for who in (4, 5):
            await exchanged(store, auditing, who)
        full = store.exchange(auditing.secret.reveal(), client(6), NOW)
        assert "`auditors` is 2" in await refused("over-budget", full)
        third = store.invite(by_narrator("p3"), NOW)
        assert "`invitations` is 2" in await refused("over-budget", third)
        await store.invite(by_narrator("p3", table=OTHER), NOW)

    # --- the host's link ---

    @on_a_store()
    async def test_the_hosts_link_is_made_once_and_a_new_one_replaces_it(
        self, store: AccessStore
    ) -> None:
        async def host(store: AccessStore, secret: str, who: int) -> Admitted | None:
            return await store.exchange(secret, client(who), NOW)

        first = await store.host_link(NOW)
        assert first is not None
        assert first.reveal().startswith("urim-h1-")
        assert await store.host_link(NOW) is None
        admitted = await host(store, first.reveal(), 1)
        assert admitted is not None
        grant: Grant = admitted.grant
        assert (grant.table, grant.seat, grant.role) == (None, None, "host")
        assert await known(store, admitted) == grant
        assert await host(store, first.reveal(), 2) is None
        await store.purge(NOW + 800 * DAY)
        assert await store.host_link(NOW) is None
        second = await store.host_link(NOW, new=True)
        assert second is not None
        assert await known(store, admitted) is None
        third = await store.host_link(NOW, new=True)
        assert third is not None
        assert await host(store, second.reveal(), 3) is None
        again = await host(store, third.reveal(), 3)
        assert again is not None
        assert await known(store, again) == again.grant

    @on_a_store(tokens=3)
    async def test_the_next_hosts_link_lets_in_beside_those_who_are_in(
        self, store: AccessStore
    ) -> None:
        came: list[Admitted] = []
        for who in range(5):
            unspent = await store.next_host_link(NOW)
            link = await store.next_host_link(NOW)
            assert await store.exchange(unspent.reveal(), client(who), NOW) is None
            admitted = await store.exchange(link.reveal(), client(who), NOW)
            assert admitted is not None
            assert await known(store, admitted) == admitted.grant
            came.append(admitted)
        assert [await known(store, each) is not None for each in came] == [False] * 2 + [True] * 3
        last = await store.host_link(NOW, new=True)
        assert last is not None
        assert [await known(store, each) for each in came] == [None] * 5

    @on_a_store()
    async def test_of_many_who_ask_for_the_hosts_link_at_once_one_gets_it(
        self, store: AccessStore
    ) -> None:
        links = await asyncio.gather(*(store.host_link(NOW) for _ in range(10)))
        assert sum(link is not None for link in links) == 1
