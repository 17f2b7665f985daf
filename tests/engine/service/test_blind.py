"""A blind roll is played to its end by seats that see no dice, each from its own sight."""

import secrets as random

from tests.engine.helpers.stages.service import on_each_log
from urim.engine.core.commands import (
    Asking,
    Declare,
    EnterCharacter,
    OpenTable,
    React,
    Reveal,
    RollDice,
    TakeSeat,
)
from urim.engine.service import Service
from urim.engine.service.secrets import Secrets
from urim.events.log.protocol import EventLog

TABLE = "blind001"


async def throw(service: Service, seat: str, hand: str) -> None:
    """A seat throws: what it answers is what its sight shows it."""
    [roll] = (await service.sight(TABLE, seat)).rolls
    assert roll.commitment is not None
    nonce = random.token_hex(32)
    command = RollDice(1, hand, committed=roll.commitment.seq, nonce=nonce)
    await service.submit(TABLE, seat, command)


@on_each_log
async def test_both_hands_are_thrown_by_those_who_do_not_see_them(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await service.open_table("gm", OpenTable(TABLE, "sagatafl"))
    asked: tuple[tuple[str, Asking], ...] = (
        ("gm", TakeSeat("p1")),
        ("gm", TakeSeat("p2")),
        ("p1", EnterCharacter("c1", "p1", {"Stealth": 4})),
        ("p2", EnterCharacter("c2", "p2", {"Hearing": 3})),
        ("p1", Declare("c1", {"trait": "Stealth", "rd": 7, "opponent": "c2"}, "blind", "player")),
        ("p2", React(1, "c2", {"trait": "Hearing"})),
    )
    for seat, command in asked:
        await service.submit(TABLE, seat, command)
    await throw(service, "p1", "initiator")
    await throw(service, "p2", "reactor")
    for seat in ("p1", "p2"):
        [roll] = (await service.sight(TABLE, seat)).rolls
        assert (roll.seen, roll.hands) == ("declaration", ())
    [roll] = (await service.sight(TABLE, "gm")).rolls
    assert [hand.name for hand in roll.hands] == ["initiator", "reactor"]
    await service.submit(TABLE, "gm", Reveal(1))
    assert (await service.sight(TABLE, "p2")).rolls == (await service.sight(TABLE, "gm")).rolls
    await service.close()
