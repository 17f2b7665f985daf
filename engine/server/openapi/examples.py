"""An example of every command a seat may send, as the OpenAPI document shows them."""

from collections.abc import Mapping

from ....events.base import AdjustedDie
from ...core import commands as c
from ...core.parse import body_of
from ...core.request import WireRequest

SALT = "00112233445566778899aabbccddeeff"
"""The salt of the examples' texts; a real one is drawn for each text."""

HEX = "0123456789abcdef" * 4

PLAYER = "p1"

KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

OPENING = c.OpenTable(
    "t0000001",
    "a-system",
    {"supply": 5, "open": True},
    "seeded",
    "server",
    one_machine=True,
)
"""The one command that is sent otherwise: to where tables are."""


def _with(command: c.AnyCommand, words: str) -> c.Worded:
    return c.worded(command, words, SALT)


DECLARATION = {
    "root": "רוח", "rating": 9, "difficulty": 9.5, "combat": True, "with": [None, "c2"],
}  # fmt: skip

ABOUT_TABLE: tuple[c.Asking, ...] = (
    _with(c.TakeSeat(PLAYER, "narrator", KEY), "Dana"),
    _with(c.NameSeat(PLAYER), "Dana"),
    c.LeaveSeat(PLAYER),
    _with(c.EnterCharacter("c1", PLAYER, {"BLE": 3, "DEX": -1}, {"life": 7}), "Ashina"),
    _with(c.NameCharacter("c1"), "Ashina the Younger"),
    c.GiveCharacter("c1", "p2"),
    _with(c.NameTable(), "Friday evening"),
    c.SetTable("links", value=True),
    c.RemoveCharacter("c1"),
    c.SetTrack("c1", "life", 4),
    c.SetAttribute("c1", "BLE", 4),
    _with(c.SetReading("supply", 6), "as the book has it"),
    c.AnchorShares(HEX),
    _with(c.Note(12), "here the bridge fell"),
    c.Erase(3),
)

ABOUT_ROLLS: tuple[c.Asking, ...] = (
    _with(c.Declare("c1", DECLARATION, "gm", "table", (4, "counter")), "a last stand"),
    c.React(5, "c2", {"dodge": 2}),
    c.RollDice(5, "initiator", 17, HEX, (3, "ר"), 2),
    c.Freeze(5, "initiator", ("d1", "d3")),
    c.Reroll(roll=5, hand="initiator", committed=21, nonce=HEX, faces=(1, 2), dice=("d2", "d4")),
    c.Adjust(5, "initiator", "flip", (AdjustedDie("d1", 6), AdjustedDie("d2", "ש"))),
    c.Choose(5, "natural", "prevent"),
    c.Resolve(5),
    c.ApplyDamage(5),
    c.Reveal(5),
    c.Confirm(5, 31),
    c.Ask(5, "initiator", 17, (PLAYER, "p2"), 2, ("d1", "d3")),
    c.OpenShare(5, HEX),
    c.BreakThrow(5),
    _with(c.Veto(5), "no line of sight"),
    c.Withdraw(5),
    _with(c.Replace(5, {"rating": 8}), "the rating is 8 by daylight"),
    _with(c.Amend(5, "c1", {"rating": 8}, 35), "the sheet was misread"),
    _with(c.Void(5, 35), "the wrong character"),
    _with(c.Dispute(5), "that die was cocked"),
    _with(c.Rule(5, 33, "amend", "c1", {"rating": 8}, 31), "thrown again, in the open"),
    c.Flavour(5, "initiator", ("רוח", "חור"), "dire"),
    c.DecideFate(5, "spared", "left hand"),
)


def examples() -> Mapping[str, WireRequest]:
    """A request of every command that a seat may send, by the command's tag."""
    found: dict[str, WireRequest] = {}
    for asking in (*ABOUT_TABLE, *ABOUT_ROLLS):
        command, text = c.apart(asking)
        tag = str(command.__struct_config__.tag)
        name = f"example-{tag.partition('/')[0]}"
        found[tag] = WireRequest(body_of(command).decode("utf-8"), name, text)
    return found
