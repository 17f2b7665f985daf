"""What a seat is told of a table that it does not look at: from its view, and no more."""

from collections.abc import Mapping, Sequence

import pytest

from tests.engine.helpers.stages.service import FACES, ROOT, TABLE, at_a_table, on_each_log, seated
from urim.engine.core.commands import (
    Asking,
    Declare,
    Dispute,
    Freeze,
    Resolve,
    Reveal,
    RollDice,
    Void,
    worded,
)
from urim.engine.service import Service
from urim.engine.service.news import News
from urim.engine.service.secrets import Secrets
from urim.errors import Refused
from urim.events.base import Visibility
from urim.events.log.protocol import EventLog

ROLLED: Sequence[Asking] = (
    RollDice(1, "initiator", faces=FACES),
    Freeze(1, "initiator", ()),
    Resolve(1),
)


KEEPERS: Mapping[Visibility, str] = {"gm": "narrator", "blind": "narrator", "self": "p1"}
"""Who may reveal what."""


async def rolled(service: Service, visibility: Visibility, *, table: str = TABLE) -> None:
    """A roll of p1's from its declaration to its outcome."""
    await seated(service, table)
    await service.submit(table, "p1", Declare("c1", {"root": ROOT, "rating": 2}, visibility))
    await service.submit(table, "p1", ROLLED[0])
    if visibility == "blind":
        await service.submit(table, "narrator", Resolve(1))
        return
    for asked in ROLLED[1:]:
        await service.submit(table, "p1", asked)


def said(news: News) -> list[tuple[int, str, str]]:
    """What ended, in short."""
    return [(each.roll, each.state, each.text) for each in news.ended]


@on_each_log
async def test_a_roll_that_ended_is_told_once_it_did(log: EventLog, secrets: Secrets) -> None:
    service = Service(log, secrets)
    await rolled(service, "public")
    [ended] = (await service.news(TABLE, "p1", -1)).ended
    for seat in ("narrator", "p1", "p2"):
        assert (await service.news(TABLE, seat, -1)).ended == (ended,)
        assert (ended.roll, ended.who, ended.state) == (1, "Etgar", "resolved")
        account = await service.account(TABLE, seat, 1)
        assert account.outcome is not None
        assert ended.text == account.outcome.headline
        assert (await service.news(TABLE, seat, ended.seq)).ended == ()
        assert (await service.news(TABLE, seat, ended.seq - 1)).ended == (ended,)
    await service.submit(TABLE, "narrator", worded(Void(1), "cocked"))
    later = await service.news(TABLE, "p2", ended.seq)
    assert said(later) == [(1, "voided", "voided")]
    await service.close()


@at_a_table()
async def test_what_waits_for_a_seat_is_told(service: Service) -> None:
    await service.submit(TABLE, "p1", Declare("c1", {"root": ROOT, "rating": 2}))
    waits = {seat: (await service.news(TABLE, seat, -1)).waits for seat in ("narrator", "p1", "p2")}
    assert [each.trigger for each in waits["p1"]] == ["roll"]
    assert waits["narrator"] == waits["p2"] == ()
    await service.submit(TABLE, "p2", worded(Dispute(1), "not her root"))
    [rule] = (await service.news(TABLE, "narrator", -1)).waits
    assert rule.trigger == "rule"
    await service.close()


@on_each_log
async def test_of_a_hidden_roll_nothing_is_told_until_it_is_revealed(
    log: EventLog, secrets: Secrets
) -> None:
    for number, (visibility, seat) in enumerate(KEEPERS.items()):
        service = Service(log, secrets)
        table = f"{TABLE}{number}"
        await rolled(service, visibility, table=table)
        news = await service.news(table, "p2", -1)
        assert (news.ended, news.waits) == ((), ())
        own = await service.news(table, "p1", -1)
        assert len(own.ended) == (visibility != "blind")
        await service.submit(table, seat, Reveal(1))
        [ended] = (await service.news(table, "p2", news.size - 1)).ended
        assert ended.state == "resolved"
        await service.close()


@on_each_log
async def test_everybody_is_told_what_nobody_in_particular_may_see(
    log: EventLog, secrets: Secrets
) -> None:
    service = Service(log, secrets)
    await rolled(service, "gm")
    for seat in ("narrator", "p1", "p2"):
        assert (await service.news(TABLE, seat, -1, everybody=True)).ended == ()
    await service.submit(TABLE, "p1", Declare("c1", {"root": ROOT, "rating": 2}))
    for seat in ("narrator", "p1", "p2"):
        news = await service.news(TABLE, seat, -1, everybody=True)
        assert [(each.seat, each.roll, each.trigger) for each in news.waits] == [("p1", 2, "roll")]
    await service.submit(TABLE, "narrator", Reveal(1))
    assert len((await service.news(TABLE, "p2", -1, everybody=True)).ended) == 2
    await service.close()


@at_a_table()
async def test_who_is_not_there_is_told_nothing(service: Service) -> None:
    with pytest.raises(Refused, match="nobody"):
        await service.news(TABLE, "nobody", -1)
    await service.close()
