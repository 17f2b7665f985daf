"""A seat with a key: its client signs all that it asks, over the newest head that it verified."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.helpers.stages.acting import FAST
from tests.engine.helpers.stages.online import TABLE, online
from tests.engine.helpers.stages.players import ALONE
from urim.engine.client import join
from urim.engine.core.commands import Declare, Note, TakeSeat
from urim.engine.seat.key import SeatKey
from urim.errors import Refused
from urim.events.asked import signed
from urim.events.codec import asked_in
from urim.events.keys import checked_key, checked_signature, verifies

KEY = SeatKey(bytes(range(32)))
OTHER = SeatKey(bytes(range(1, 33)))
SIGNERS = {each.public: each.sign for each in (KEY, OTHER)}
ORIGIN = f"urim.local/t/{TABLE}"


async def test_a_seat_takes_a_key_and_signs_from_then_on(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", "narrator") as evening:
        await evening.restart("p1", signers=SIGNERS)
        p1 = evening.clients["p1"]
        first = await p1.do(TakeSeat("p1", key=KEY.public))
        await p1.do(Declare("c1", ALONE))
        await p1.throw(1, "initiator")
        second = await p1.do(TakeSeat("p1", key=OTHER.public))
        await p1.say(Note(0), "signed")
        served = evening.served
        entries = served.run(served.service.log.read(TABLE))
        seats = {"p1": KEY}
        sizes = [0]
        for entry in entries[first.seq :]:
            asked = asked_in(entry) if entry.payload and entry.seq == entry.commit else None
            if asked is None or b'"by":"p1"' not in (entry.payload or b""):
                continue
            assert asked.seen is not None and asked.sig is not None
            good = checked_key(seats["p1"].public), checked_signature(asked.sig)
            assert verifies(*good, signed(ORIGIN, "p1", asked))
            sizes.append(asked.seen.size)
            if entry.seq == second.seq:
                seats["p1"] = OTHER
        assert len(sizes) >= 7
        assert sizes == sorted(sizes)


async def test_a_client_without_its_key_is_refused_and_goes_on_reading(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", "narrator") as evening:
        p1, narrator = evening.clients["p1"], evening.clients["narrator"]
        with pytest.raises(Refused) as refused:
            await p1.do(TakeSeat("p1", key=KEY.public))
        assert refused.value.code == "not-yours"
        await evening.restart("p1", signers=SIGNERS)
        await evening.clients["p1"].do(TakeSeat("p1", key=KEY.public))
        await evening.restart("p1")
        p1 = evening.clients["p1"]
        with pytest.raises(Refused) as refused:
            await p1.say(Note(0), "who is it?")
        assert refused.value.code == "not-yours"
        await narrator.say(Note(0), "somebody")
        while p1.state.size < narrator.state.size:
            await anext(p1)
        assert p1.fault is None


async def test_two_clients_of_a_seat_sign_over_heads_that_only_grow(tmp_path: Path) -> None:
    async with online(tmp_path, "p1", "narrator") as evening:
        await evening.restart("p1", signers=SIGNERS)
        one = evening.clients["p1"]
        await one.do(TakeSeat("p1", key=KEY.public))
        link = await evening.link("p1")
        two = await join(link, tmp_path / "two", signers=SIGNERS, sharing=False, manners=FAST)
        async with two:
            notes = [
                client.say(Note(0), f"{name} {number}")
                for number in range(6)
                for name, client in (("one", one), ("two", two))
            ]
            done = await asyncio.gather(*notes)
            assert len({each.seq for each in done}) == 12
