"""Shares of a page: throws that wait, pages that sleep, other devices, what is done elsewhere."""

import asyncio
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.online import TABLE, Online
from tests.engine.server.web.page import Page, page
from tests.engine.server.web.state.played import DECLARE, entered, with_evening
from tests.tree import ROOT
from urim.engine.core.commands import BreakThrow, Declare, Dispute, EnterCharacter, Rule, Void
from urim.engine.seat import watch
from urim.events.roll import DiceRerolled, DiceRolled
from urim.projections.rollstate import BREAKING

SHARES = (ROOT / "engine/server/web/state/shares.js").read_text("utf-8")


async def later(found: Online) -> None:
    """Ten seconds pass, for the table."""
    aggregate = await found.served.service.aggregate(TABLE)
    real = aggregate.environment.clock
    late = replace(aggregate.environment, clock=lambda state: real(state) + BREAKING)
    aggregate.environment = late


@pytest.mark.slow
def test_a_throw_that_waits_is_broken_off_and_the_roll_goes_on(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        await ruth.do(f"return app.ask({DECLARE})")
        await found.clients.pop("narrator").close()
        await ruth.do('globalThis.thrown = app.throwDice(1, "initiator"); return 1')
        await ruth.do("await once(() => app.live.value.ask?.waiting.join() === 'narrator')")
        early = await ruth.do("return app.breakOff(1)")
        assert (early["type"], early["code"]) == ("refused", "due")
        await asyncio.to_thread(lambda: found.served.run(later(found)))
        assert (await ruth.do("return app.breakOff(1)"))["type"] == "done"
        outcome = await ruth.do("return thrown")
        assert (outcome["type"], outcome["code"]) == ("refused", "broken")
        assert outcome["why"] == "the throw was broken off: no share of narrator came"
        # Who kept back and sent nothing since is not asked.
        again = await ruth.do('return app.throwDice(1, "initiator")')
        assert again["type"] == "done", again
        said = await ruth.do(
            "const roll = app.live.value.rolls.get(1);"
            "const throws = roll.throws.map((each) => each.throw);"
            "return [roll.state, roll.breaks.map((each) => each.kept), throws]"
        )
        assert said == ["rolled", [["narrator"]], [1]]
        await ruth.do("await once(() => app.seal.value.head?.size === app.live.value.size)")
        assert await ruth.do("return app.seal.value.state") == "green"

    with_evening(tmp_path, test, "table")


def test_a_page_that_slept_through_a_throw_says_so_and_is_asked_again(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        narrator = found.clients["narrator"]
        await narrator.caught_up()
        await narrator.do(EnterCharacter("c9", "narrator", {"Lockpicking": 3}))
        for _ in range(2):
            await narrator.do(Declare("c9", {"trait": "Lockpicking", "rd": 7}))
        throwing = asyncio.create_task(narrator.throw(1, "initiator"))
        await ruth.do("app.sleep()")
        while narrator.state.ask is None:
            await anext(narrator)
        await asyncio.to_thread(lambda: found.served.run(later(found)))
        await narrator.do(BreakThrow(1))
        await throwing  # p1 is not asked again, and it is no throw of shares
        await ruth.do(
            "app.wake(); await once(() => app.live.value.log.some((each) =>"
            " each.type === 'noted/1' && each.by === 'p1'))"
        )
        await narrator.caught_up()
        await narrator.throw(2, "initiator")
        await ruth.do("await once(() => app.live.value.rolls.get(2).state === 'rolled')")
        asked = await ruth.do(
            "return app.live.value.log.filter((each) => each.type === 'throw-asked/1')"
            ".map(({ event }) => event.asked.map(([seat]) => seat))"
        )
        assert asked[0] == asked[-1] == ["narrator", "p1"]

    with_evening(tmp_path, test, "table")


@pytest.mark.slow
def test_another_device_of_the_seat_takes_part_and_this_one_says_so(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        mine = await ruth.do("return app.sharing.value.anchor")
        assert mine and await ruth.do("return app.live.value.seats.p1.anchor") == mine
        _, _, secret = (await found.link("p1")).partition("/#")
        async with page(found.wire.url) as phone:
            await phone.do(f'await app.begin("#{secret}"); return app.join(app.place.value.secret)')
            await phone.do("await once(() => app.sharing.value.anchor)")
            [notice] = await phone.do("return app.notices.value")
            assert notice["text"] == "shares.elsewhere"
            await ruth.do("await once(() => app.sharing.value.trouble)")
            seen = await ruth.do("return app.sharing.value")
            assert (seen["anchor"], seen["trouble"]["what"]) == ("", "anchor")
            await ruth.do("app.acceptShares(); await once(() => app.sharing.value.anchor)")
            assert await ruth.do("return app.sharing.value.trouble") is None
            await phone.do("await once(() => app.sharing.value.trouble)")

    with_evening(tmp_path, test, "table")


def test_what_is_done_in_the_seat_s_name_elsewhere_or_undone_by_others_is_said(
    tmp_path: Path,
) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        narrator = found.clients["narrator"]
        await narrator.caught_up()
        await narrator.do(EnterCharacter("c9", "narrator", {"Lockpicking": 3}))
        await narrator.do(Declare("c9", {"trait": "Lockpicking", "rd": 7}))
        await narrator.throw(1, "initiator")  # the page opens a share for it
        raised = await narrator.say(Dispute(1), "The die slid.")
        await narrator.say(Rule(1, raised.seq or 0, "replay"), "It did.")
        await narrator.throw(2, "initiator")
        await narrator.say(Void(2), "It never was.")
        await ruth.do("await once(() => app.notices.value.length === 2)")
        notices = await ruth.do("return app.notices.value")
        assert [(each["kind"], each["text"].split(".")[0]) for each in notices] == [
            ("info", "A ruling ended roll 1, whose dice this browser had given its part of"),
            (
                "warning",
                "Roll 2 was ended or replaced after this browser had given its part of the dice",
            ),
        ]
        assert await ruth.do("return app.sharing.value.trouble") is None
        host = found.served.service.submit(TABLE, "p1", Declare("c1", {"trait": "Lockpicking"}))
        [entry] = await asyncio.to_thread(found.served.run, host)
        await ruth.do("await once(() => app.sharing.value.trouble)")
        trouble = await ruth.do("return app.sharing.value.trouble")
        assert trouble == {"what": "command", "seq": entry.seq}
        # It could not open its own share: nobody is asked for one, and the table goes on.
        refused = await ruth.do("return app.throwDice(3, 'initiator')")
        assert (refused["type"], refused["code"]) == ("refused", "nonce")
        assert await ruth.do("return app.live.value.ask") is None

    with_evening(tmp_path, test, "table")


@pytest.mark.slow
def test_hidden_throws_ask_the_page_too(tmp_path: Path) -> None:
    async def test(found: Online, ruth: Page) -> None:
        await entered(ruth)
        narrator = found.clients["narrator"]
        await narrator.caught_up()
        await narrator.do(EnterCharacter("c9", "narrator", {"Lockpicking": 3}))
        declared = Declare("c9", {"trait": "Lockpicking", "rd": 7}, "self")
        await narrator.do(declared)
        await narrator.throw(1, "initiator")
        await ruth.do(
            "await once(() => app.live.value.log.some((each) =>"
            " each.type === 'share-opened/1' && each.by === 'p1'))"
        )
        await ruth.do("await once(() => app.live.value.ask === null)")
        assert await ruth.do("return app.live.value.rolls.get(1).sealed") is True

    with_evening(tmp_path, test)


@pytest.mark.parametrize(
    ("name", "events"),
    [
        # The page tells a throw of its own from one that was asked for elsewhere by this list too.
        ("WATCHED", (*watch.ASKED, DiceRolled, DiceRerolled)),
        ("UNDOING", watch.UNDOING),
    ],
)
def test_the_page_watches_what_the_other_client_does(name: str, events: tuple[type, ...]) -> None:
    found = re.search(rf"^const {name} = new Set\(\[(.*?)\]\);$", SHARES, re.DOTALL | re.MULTILINE)
    assert found is not None
    assert sorted(re.findall(r'"(.+?)"', found[1])) == sorted(
        str(event.__struct_config__.tag)  # type: ignore[attr-defined]
        for event in events
    )
