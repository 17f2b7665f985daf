"""For every command: a table where it does something, what it leads to, and who may not."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from tests.engine.helpers.stage import MISS, NATURAL, ROOT, fight, hit, pray, strike
from tests.engine.helpers.timed import anchor, asked, opening, silent
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import AdjustedDie

WISH: dict[str, Any] = {"root": ROOT, "rating": 2}
DUEL: dict[str, Any] = {"root": ROOT, "rating": 5, "opponent": "c2", "combat": True}
REPLY: dict[str, Any] = {"root": "חננ", "rating": 3}


class Case(Struct, frozen=True):
    """A table, a seat and its command; `events` it leads to; a seat and command that are refused.

    `same` says that the command, given twice, changes nothing the second time. Others are given
    once more under the id of their request.
    """

    stage: Callable[[], Table]
    seat: str
    command: Any
    events: tuple[type, ...]
    other: str
    wrong: Any
    code: str
    same: bool = False


def seated() -> Table:
    """Etgar and the toad are there, and nothing has happened."""
    return fight()[0]


def declared() -> Table:
    """Roll 1: Etgar strikes, the toad has not answered."""
    table, etgar, _ = fight()
    table.declare(etgar, **DUEL)
    return table


def answered() -> Table:
    """Roll 1: the toad has answered."""
    table = declared()
    table.submit("p2", c.React(1, "c2", REPLY))
    return table


def thrown() -> Table:
    """Roll 1: Etgar's dice lie, seven of them free."""
    table = answered()
    table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))
    table.submit("p1", c.Freeze(1, "initiator", ("d1",)))
    return table


def standing() -> Table:
    """Roll 1: a natural root that stands."""
    table = thrown()
    table.submit("p1", c.Freeze(1, "initiator", tuple(f"d{n}" for n in range(1, 9))))
    return table


def prayed() -> Table:
    """Roll 1: unopposed dice lie."""
    table, etgar, _ = fight()
    pray(table, etgar)
    return table


def struck() -> Table:
    """Roll 1: a critical success, resolved."""
    table, etgar, toad = fight()
    strike(table, etgar, toad)
    return table


def wounded() -> Table:
    """Roll 1: its damage has landed."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    return table


def failed() -> Table:
    """Roll 1: a failure whose dice spell a root of the toad's; it may counter."""
    table, etgar, _ = fight(options={"skill_roots": {"jump": "גט"}})
    roll = table.declare(etgar, **DUEL)
    roll.react(root="שז", rating=3)
    roll.roll(faces="גטואאאאא")
    roll.stand()
    roll.roll(faces=MISS)
    roll.stand()
    roll.resolve()
    return table


def fair() -> Table:
    """Roll 1, level `table`: Etgar's first throw is open, COMMITTED commits to it.

    His seat and the toad's have anchors.
    """
    table, etgar, _ = fight("fair", level="table")
    table.declare(etgar, **WISH)
    anchor(table, "p1", "p2")
    return table


def hidden() -> Table:
    """Roll 1: for participants and narrators alone."""
    table, etgar, _ = fight()
    table.declare(etgar, visibility="gm", **WISH)
    return table


def typed() -> Table:
    """Roll 1: physical dice, typed in by Etgar's seat."""
    table, etgar, _ = fight("manual")
    pray(table, etgar, faces=tuple("אזאזאזאז"))
    return table


def disputed() -> Table:
    """Roll 1: the toad's seat disputes it."""
    table = prayed()
    table.submit("p2", c.worded(c.Dispute(1), "why?"))
    return table


def contested() -> Table:
    """Roll 1: its damage has landed, and the toad's seat disputes it."""
    table = wounded()
    table.submit("p2", c.worded(c.Dispute(1), "why?"))
    return table


def ruled() -> Table:
    """Roll 1: its damage has landed, a ruling let it stand, and it is disputed again."""
    table = contested()
    table.submit(NARRATOR, c.worded(c.Rule(1, BLOW, "stands"), "so"))
    table.submit("p2", c.worded(c.Dispute(1), "why?"))
    return table


COMMITTED = 7
"""The entry that commits to the first throw of roll 1 on the fair stages."""

NAME = 3
"""The text that names Etgar."""

DISPUTE = 9
"""The entry of the dispute where there is one."""

BLOW = 17
"""The entry of the dispute of a blow that has landed."""

RULED = BLOW + 2
"""The entry of the ruling that let the blow stand."""

AGAIN = RULED + 2
"""The entry of the next dispute."""

ASKING = c.Ask(1, "initiator", COMMITTED, ("p1", "p2"))
"""Etgar's ask for the first throw of roll 1, on the fair stages."""

SHARE = opening(asked(), "p2")
"""The toad's share of it."""

FARTHER: dict[str, Any] = {"character": "c1", "fields": {"modifiers": {"far": 1}}}

CASES: dict[type, Case] = {
    c.TakeSeat: Case(
        seated, NARRATOR, c.worded(c.TakeSeat("p9", "player"), "Ruth"),
        (tabled.SeatTaken, tabled.TextSaid), "p1", c.TakeSeat("p9"), "not-yours",
    ),
    c.NameSeat: Case(
        seated, "p1", c.worded(c.NameSeat("p1"), "Dan"),
        (tabled.SeatNamed, tabled.TextSaid),
        "p2", c.worded(c.NameSeat("p1"), "Dan"), "not-yours",
    ),
    c.LeaveSeat: Case(
        seated, "p1", c.LeaveSeat("p1"), (tabled.SeatLeft,),
        NARRATOR, c.LeaveSeat(NARRATOR), "not-offered",
    ),
    c.EnterCharacter: Case(
        seated, "p1", c.worded(c.EnterCharacter("c9", "p1", {"VIG": 1}, {}), "Frog"),
        (tabled.CharacterEntered, tabled.TextSaid),
        "p1", c.EnterCharacter("c1", "p1"), "taken",
    ),
    c.NameCharacter: Case(
        seated, "p1", c.worded(c.NameCharacter("c1"), "Gideon"),
        (tabled.CharacterNamed, tabled.TextSaid),
        "p2", c.worded(c.NameCharacter("c1"), "Gideon"), "not-yours",
    ),
    c.GiveCharacter: Case(
        seated, "p1", c.GiveCharacter("c1", "p2"), (tabled.CharacterGiven,),
        "p2", c.GiveCharacter("c1", "p2"), "not-yours",
    ),
    c.RemoveCharacter: Case(
        seated, "p1", c.RemoveCharacter("c1"), (tabled.CharacterRemoved,),
        "p2", c.RemoveCharacter("c1"), "not-yours",
    ),
    c.SetTrack: Case(
        seated, NARRATOR, c.SetTrack("c1", "armour:head", 2), (tabled.TrackSet,),
        "p1", c.SetTrack("c1", "armour:head", 2), "not-yours",
    ),
    c.SetAttribute: Case(
        seated, NARRATOR, c.SetAttribute("c1", "BLE", 7), (tabled.AttributeSet,),
        "p1", c.SetAttribute("c1", "BLE", 7), "not-yours", same=True,
    ),
    c.NameTable: Case(
        seated, NARRATOR, c.worded(c.NameTable(), "Friday evening"),
        (tabled.TableSet, tabled.TextSaid),
        "p1", c.worded(c.NameTable(), "Mine"), "not-yours",
    ),
    c.SetTable: Case(
        seated, NARRATOR, c.SetTable("links", True), (tabled.TableSet,),
        "p1", c.SetTable("links", True), "not-yours", same=True,
    ),
    c.SetReading: Case(
        seated, NARRATOR, c.worded(c.SetReading("cipher_dice", 2), "Two from now on."),
        (tabled.ReadingSet, tabled.TextSaid),
        "p1", c.worded(c.SetReading("cipher_dice", 2), "Two."), "not-yours", same=True,
    ),
    c.AnchorShares: Case(
        seated, "p1", c.AnchorShares("ab" * 32), (tabled.ShareAnchored,),
        "p9", c.AnchorShares("ab" * 32), "unknown", same=True,
    ),
    c.Note: Case(
        seated, "p1", c.worded(c.Note(0), "it begins"), (tabled.Noted, tabled.TextSaid),
        "p1", c.worded(c.Note(999), "?"), "unknown",
    ),
    c.Erase: Case(
        seated, NARRATOR, c.Erase(NAME), (tabled.EntryErased,), "p2", c.Erase(0), "not-offered",
    ),
    c.BeginEpoch: Case(
        fair, NARRATOR, c.BeginEpoch(), (tabled.EpochBegun,), "p1", c.BeginEpoch(), "not-yours",
    ),
    c.Declare: Case(
        seated, "p1", c.worded(c.Declare("c1", WISH), "A prayer"),
        (rolled.RollDeclared, tabled.TextSaid), "p2", c.Declare("c1", WISH), "not-yours",
    ),
    c.React: Case(
        declared, "p2", c.React(1, "c2", REPLY), (rolled.ReactionDeclared,),
        "p1", c.React(1, "c2", REPLY), "not-yours",
    ),
    c.RollDice: Case(
        answered, "p1", c.RollDice(1, "initiator", faces=NATURAL), (rolled.DiceRolled,),
        "p2", c.RollDice(1, "reactor", faces=NATURAL), "not-offered",
    ),
    c.Freeze: Case(
        thrown, "p1", c.Freeze(1, "initiator", ("d2", "d3")), (rolled.DiceFrozen,),
        "p1", c.Freeze(1, "initiator", ("d99",)), "unknown", same=True,
    ),
    c.Reroll: Case(
        thrown, "p1", c.Reroll(1, "initiator", faces=("א",), dice=("d2",)),
        (rolled.DiceRerolled,),
        "p1", c.Reroll(1, "initiator", faces=("א",), dice=("d1",)), "frozen",
    ),
    c.Adjust: Case(
        thrown, "p1", c.Adjust(1, "initiator", "cipher", (AdjustedDie("d5", "א"),)),
        (rolled.DiceAdjusted,),
        "p1", c.Adjust(1, "initiator", "cipher", (AdjustedDie("d1", "א"),)), "frozen", same=True,
    ),
    c.Choose: Case(
        standing, "p1", c.Choose(1, "natural", "allow"), (rolled.ChoiceMade,),
        "p1", c.Choose(1, "natural", "merit"), "unknown",
    ),
    c.Resolve: Case(
        prayed, "p1", c.Resolve(1), (rolled.RollResolved,), "p2", c.Resolve(1), "not-yours",
    ),
    c.ApplyDamage: Case(
        struck, "p1", c.ApplyDamage(1), (rolled.DamageApplied,),
        "p2", c.ApplyDamage(1), "not-yours",
    ),
    c.Amend: Case(
        wounded, NARRATOR, c.worded(c.Amend(1, "c1", {"modifiers": {"far": 1}}), "why"),
        (ruling.RollAmended, rolled.DamageApplied, tabled.TextSaid),
        "p1", c.worded(c.Amend(1, "c1", {"rating": 4}), "why"), "not-yours", same=True,
    ),
    c.Void: Case(
        wounded, NARRATOR, c.worded(c.Void(1), "why"), (rolled.RollVoided, tabled.TextSaid),
        "p1", c.worded(c.Void(1), "why"), "not-yours",
    ),
    c.Ask: Case(
        fair, "p1", ASKING, (rolled.ThrowPlanned, rolled.ThrowAsked),
        "p2", ASKING, "not-yours",
    ),
    c.OpenShare: Case(
        asked, "p2", SHARE, (rolled.ShareOpened,), "p3", SHARE, "not-offered",
    ),
    c.BreakThrow: Case(
        silent, "p3", c.BreakThrow(1), (rolled.ThrowBroken,), "p3", c.BreakThrow(9), "unknown",
    ),
    c.Reveal: Case(
        hidden, NARRATOR, c.Reveal(1), (rolled.RollRevealed,), "p1", c.Reveal(1), "not-yours",
    ),
    c.Dispute: Case(
        prayed, "p2", c.worded(c.Dispute(1), "why?"), (ruling.DisputeRaised, tabled.TextSaid),
        "p9", c.worded(c.Dispute(1), "why?"), "unknown",
    ),
    c.Rule: Case(
        disputed, NARRATOR, c.worded(c.Rule(1, DISPUTE, "stands"), "so"),
        (ruling.RulingMade, tabled.TextSaid),
        NARRATOR, c.worded(c.Rule(1, 0, "stands"), "so"), "unknown",
    ),
    c.Withdraw: Case(
        declared, "p1", c.Withdraw(1), (rolled.RollVoided,), "p2", c.Withdraw(1), "not-yours",
    ),
    c.Veto: Case(
        declared, NARRATOR, c.worded(c.Veto(1), "no"), (ruling.DeclarationVetoed, tabled.TextSaid),
        "p1", c.worded(c.Veto(1), "no"), "not-yours",
    ),
    c.Replace: Case(
        declared, NARRATOR, c.worded(c.Replace(1, {"rating": 1}), "so"),
        (ruling.DeclarationReplaced, tabled.TextSaid),
        "p1", c.worded(c.Replace(1, {"rating": 1}), "so"), "not-yours",
    ),
    c.Flavour: Case(
        struck, NARRATOR, c.Flavour(1, "initiator", ("חט",)), (ruling.FlavourNamed,),
        NARRATOR, c.Flavour(1, "initiator", ("אא",)), "face",
    ),
    c.DecideFate: Case(
        wounded, NARRATOR, c.DecideFate(1, "destroyed", "belly"), (ruling.FateDecided,),
        "p2", c.DecideFate(1, "spared"), "not-yours",
    ),
    c.Confirm: Case(
        typed, "p2", c.Confirm(1, 0), (rolled.ThrowConfirmed,), "p1", c.Confirm(1, 0), "not-yours",
    ),
}  # fmt: skip
"""Every command but the one that opens a table."""

FORMS: dict[str, Case] = {
    "a ruling that amends": Case(
        contested, NARRATOR, c.worded(c.Rule(1, BLOW, "amend", **FARTHER), "so"),
        (ruling.RulingMade, ruling.RollAmended, rolled.DamageApplied, tabled.TextSaid),
        NARRATOR, c.worded(c.Rule(1, BLOW, "amend"), "so"), "malformed",
    ),
    "a ruling that voids": Case(
        contested, NARRATOR, c.worded(c.Rule(1, BLOW, "void"), "so"),
        (ruling.RulingMade, rolled.RollVoided, tabled.TextSaid),
        NARRATOR, c.worded(c.Rule(1, BLOW, "void", **FARTHER), "so"), "malformed",
    ),
    "a ruling that has it declared again": Case(
        contested, NARRATOR, c.worded(c.Rule(1, BLOW, "replay"), "so"),
        (ruling.RulingMade, rolled.RollVoided, rolled.RollDeclared, tabled.TextSaid),
        NARRATOR, c.worded(c.Rule(1, BLOW, "replay", **FARTHER), "so"), "malformed",
    ),
    "a ruling against a ruling": Case(
        ruled, NARRATOR, c.worded(c.Rule(1, AGAIN, "void", against=RULED), "so"),
        (ruling.RulingMade, rolled.RollVoided, tabled.TextSaid),
        NARRATOR, c.worded(c.Rule(1, AGAIN, "void"), "so"), "history",
    ),
    "an amendment against a ruling": Case(
        ruled, NARRATOR, c.worded(c.Amend(1, **FARTHER, against=RULED), "so"),
        (ruling.RollAmended, rolled.DamageApplied, tabled.TextSaid),
        NARRATOR, c.worded(c.Amend(1, **FARTHER), "so"), "history", same=True,
    ),
    "a void against a ruling": Case(
        ruled, NARRATOR, c.worded(c.Void(1, against=RULED), "so"),
        (rolled.RollVoided, tabled.TextSaid),
        NARRATOR, c.worded(c.Void(1, against=BLOW), "so"), "unknown",
    ),
}  # fmt: skip
"""Further forms of a command."""

ALL_CASES: dict[str, Case] = {**{kind.__name__: case for kind, case in CASES.items()}, **FORMS}
"""All of them, by what they are called."""
