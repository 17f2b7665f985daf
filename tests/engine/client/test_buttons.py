"""Every button does what it says: the table takes what it sends, in every system."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.audited import folded
from urim.engine.client.buttons import (
    DICE,
    REASON,
    WORDS,
    Button,
    buttons,
    filled_in,
    press,
)
from urim.engine.core import commands as c
from urim.engine.core.commands import apart
from urim.engine.core.moves import RollMoves, in_language, legal_moves
from urim.engine.core.preview import preview
from urim.engine.core.step import PLAIN as OFFERED
from urim.engine.core.view import view_of
from urim.engine.seat.happened import Done
from urim.errors import Refused
from urim.projections.tables import TableState
from urim.rules.ruleset import Offer

FILES = plays.files()[::4]


class OneSeat:
    """What buttons use of a client: a seat of a table at one moment; what it asks is previewed."""

    def __init__(self, table: TableState, seat: str) -> None:
        self.state = view_of(table, seat)
        self.seat = seat
        self.asked: Any = None

    def legal_moves(self, language: str) -> tuple[RollMoves, ...]:
        found = legal_moves(self.state, self.seat)
        return tuple(replace(of, moves=in_language(self.state, of.moves, language)) for of in found)

    async def do(self, asking: c.Asking) -> Done:
        self.asked = apart(asking)[0]
        preview(self.state, self.seat, self.asked)
        return Done("r", None)

    async def say(self, command: c.Asking, words: str) -> Done:
        assert words
        return await self.do(command)

    async def throw(
        self, roll: int, hand: str, *, option: int | None = None, dice: Any = None
    ) -> Done:
        if dice is None:
            return await self.do(c.RollDice(roll, hand, option=option))
        return await self.do(c.Reroll(roll, hand, dice=tuple(dice)))


def values(button: Button) -> dict[str, str]:
    """Something for what a button asks, but no fields of a system."""
    offer = button.offer
    found = {REASON: "a reason", WORDS: "".join(map(str, offer.options[:1])) if offer else ""}
    if offer is not None and button.trigger == "adjust" and offer.to:
        die, faces = next((die, faces) for die, faces in offer.to.items() if faces)
        face = min(faces, key=lambda each: faces[each])
        return {DICE: f"{die}={face}"}
    if offer is not None:
        found[DICE] = " ".join(offer.dice[: max(1, offer.least)])
    return found


def pressed(client: OneSeat, button: Button, given: dict[str, str]) -> Any:
    """What is asked of the table when a button is pressed."""
    asyncio.run(press(client, button, given))  # type: ignore[arg-type]  # as much as it uses
    return client.asked


@pytest.mark.sampled(15)
@pytest.mark.parametrize("path", FILES, ids=plays.name_of)
def test_a_button_is_taken_by_the_table(path: Path) -> None:
    seen = set[str]()
    for table in folded(plays.kept_of(path).log):
        for seat in table.seats if table.rolls else ():
            client = OneSeat(table, seat)
            found = buttons(client)  # type: ignore[arg-type]  # as much as it uses
            assert len({(each.roll, each.label, repr(each.offer)) for each in found}) == len(found)
            assert all(each.offer for each in found if each.trigger in OFFERED)
            for button in found:
                needs = {*button.asks} - {DICE, REASON, WORDS}
                if repr(button) in seen or (needs and not button.declines):
                    continue
                seen.add(repr(button))
                asked = pressed(client, button, values(button))
                assert (asked.roll, asked.trigger) == (button.roll, button.trigger)


ADJUST = Offer(trigger="adjust", character="c1", hand="h", means="m", to={"a1": {6: 1, "*": 2}})


@pytest.mark.parametrize(
    ("button", "given", "why"),
    [
        (Button(roll=1, trigger="dispute", label=""), {}, "`reason` is missing"),
        (Button(roll=1, trigger="dispute", label=""), {REASON: "  "}, "`reason` is missing"),
        (Button(roll=1, trigger="adjust", label="", offer=ADJUST), {}, "`dice` is missing"),
        (
            Button(roll=1, trigger="adjust", label="", offer=ADJUST),
            {DICE: "a1"},
            "no die to",
        ),
        (Button(roll=1, trigger="adjust", label="", offer=ADJUST), {DICE: "a1=7"}, "'a1=7' puts"),
        (Button(roll=1, trigger="adjust", label="", offer=ADJUST), {DICE: "b1=6"}, "'b1=6' puts"),
    ],
)
def test_what_is_filled_in_wrongly_is_refused(
    button: Button, given: dict[str, str], why: str
) -> None:
    with pytest.raises(Refused, match=why) as caught:
        pressed(OneSeat.__new__(OneSeat), button, given)  # nothing gets so far as to its table
    assert caught.value.code == "malformed"
    assert caught.value.allowed


def test_fields_are_json_or_text() -> None:
    given = {"a": "3", "b": "true", "c": "Ruth", "d": '["x"]', "e": "1d20+5", "f": '"3"'}
    found = {"a": 3, "b": True, "c": "Ruth", "d": ["x"], "e": "1d20+5", "f": "3"}
    assert filled_in(given) == found
