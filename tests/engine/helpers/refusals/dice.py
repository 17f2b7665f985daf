"""Refusals while dice lie: throws, freezes, rerolls, flips, choices, and what fair dice demand."""

from tests.engine.helpers.refusals.case import Case, body
from tests.engine.helpers.refusals.setups import NATURAL
from urim.engine.core.commands import Adjust, Choose, Confirm, Freeze, Reroll, RollDice
from urim.events.base import AdjustedDie

OWN = "initiator"
ZEROS, ONES = "0" * 64, "1" * 64


def throws(faces: tuple[str, ...] | None = NATURAL, **more: object) -> RollDice:
    """The initiator throws these faces."""
    return RollDice(1, OWN, faces=faces, **more)  # type: ignore[arg-type]


def rerolls(*dice: str, faces: str | None = "", **more: object) -> Reroll:
    """The initiator throws these dice again."""
    typed = None if faces is None else tuple(faces or "ט" * len(dice))
    return Reroll(1, OWN, dice=dice, faces=typed, **more)  # type: ignore[arg-type]


def puts(die: str, face: str) -> Adjust:
    """The initiator announces a cipher and puts one die."""
    return Adjust(1, OWN, "cipher", (AdjustedDie(die, face),))


THROWS = (
    Case("a throw of a roll that is not there", "seated", "p1", throws(),
         "unknown", "no roll 1", "declare one first"),
    Case("a throw before the reaction", "opposed", "p1", throws(),
         "not-offered", "roll initiator", "react"),
    Case("a throw for another", "declared", "p2", throws(),
         "not-yours", "'p2' does not act for Etgar", "seat 'p1'"),
    Case("the narrator's throw for a player", "declared", "narrator", throws(),
         "not-yours", "'narrator'", "seat 'p1'"),
    Case("a vetoed roll's throw", "vetoed", "p1", throws(), "not-offered", "roll initiator"),
    Case("the reactor out of turn", "answered", "p2", RollDice(1, "reactor", faces=NATURAL),
         "not-offered", "roll reactor", "roll initiator (8 dice)"),
    Case("a hand that nobody has", "declared", "p1", RollDice(1, "left", faces=NATURAL),
         "not-offered", "roll left", "roll initiator (8 dice)"),
    Case("a second first throw", "rolled", "p1", throws(),
         "not-offered", "roll initiator", "resolve"),
    Case("a throw after the end", "resolved", "p1", throws(),
         "wrong-state", "in state resolved", "dispute"),
    Case("a throw of a voided roll", "voided", "p1", throws(),
         "wrong-state", "in state voided", "declare"),
    Case("a number of dice that is fixed", "declared", "p1", throws(option=4),
         "not-offered", "4 cannot be chosen", "8"),
    Case("too few faces", "declared", "p1", throws(NATURAL[:7]),
         "dice-short", "7 faces given, d8 has none", "8 faces"),
    Case("one face for eight dice", "declared", "p1", throws(NATURAL[:1]),
         "dice-short", "1 face given, d2 has none", "8 faces"),
    Case("no faces at all", "declared", "p1", throws(None),
         "dice-short", "0 faces given, d1 has none", "8 faces"),
    Case("too many faces", "declared", "p1", throws((*NATURAL, "ט")),
         "dice-left", "left over: ט", "8 faces"),
    Case("a face that no die has", "declared", "p1", throws((*NATURAL[:7], "x")),
         "face", "d8 cannot show 'x'", "א"),
    Case("a number as a face", "declared", "p1",
         body("roll", roll=1, hand=OWN, faces=[*NATURAL[:7], 6]),
         "face", "d8 cannot show 6", "א"),
    Case("more faces than any throw has dice", "declared", "p1", throws(tuple("א" * 1001)),
         "too-long", "faces is ['א',", "at most 1000 items"),
    Case("a face that this physical die lacks", "manual", "p1", throws(("?", *NATURAL[:7])),
         "face", "d1 cannot show '?'", "ר"),
)  # fmt: skip
"""How no hand is thrown."""

FREEZES = (
    Case("freezing before the dice fall", "declared", "p1", Freeze(1, OWN, ("d1",)),
         "wrong-state", "freeze", "roll"),
    Case("freezing an unknown die", "rolled", "p1",
         Freeze(1, OWN, ("d9",)), "unknown", "'d9'", "d1"),
    Case("freezing a die twice", "rolled", "p1", Freeze(1, OWN, ("d1", "d1")),
         "malformed", "d1 is named 2 times", "once"),
    Case("freezing another's dice", "rolled", "p2", Freeze(1, OWN, ("d1",)),
         "not-yours", "'p2'", "seat 'p1'"),
    Case("freezing a hand that stands", "natural", "p1", Freeze(1, OWN, ("d1",)),
         "not-offered", "freeze initiator", "choose natural: bonus or merit"),
    Case("freezing a hand not thrown", "at choice", "p2", Freeze(1, "reactor", ("d9",)),
         "not-offered", "freeze reactor", "choose natural: prevent or allow"),
    Case("freezing unnamed dice", "rolled", "p1",
         b'{"do":"freeze/1","roll":1,"hand":"initiator","dice":"d1"}',
         "malformed", "dice is 'd1'", "a list"),
    Case("freezing a thousand and one dice", "rolled", "p1",
         Freeze(1, OWN, tuple(f"d{n}" for n in range(1001))),
         "too-long", "dice is ['d0'", "at most 1000 items"),
    Case("a frozen die rerolled", "frozen", "p1", rerolls("d3", "d1"),
         "frozen", "d1 is frozen", "d3"),
    Case("a frozen die flipped", "frozen", "p1", puts("d1", "ג"), "frozen", "d1 is frozen", "d3"),
    Case("rerolling more than X dice", "rolled", "p1", rerolls("d2", "d3", "d4"),
         "too-many", "3 dice", "1 to 2"),
    Case("rerolling no dice", "rolled", "p1", rerolls(), "out-of-range", "0 dice", "1 to 2"),
    Case("rerolling one die twice", "rolled", "p1", rerolls("d2", "d2"),
         "malformed", "d2 is named 2 times", "once"),
    Case("rerolling an unknown die", "rolled", "p1", rerolls("d9"), "unknown", "'d9'", "d1"),
    Case("rerolling a second time", "rerolled", "p1", rerolls("d5"),
         "not-offered", "reroll initiator", "freeze initiator d1 d2 d3 d4 d5 d6 d7 d8"),
    Case("rerolling before the first throw", "declared", "p1", rerolls("d1"),
         "wrong-state", "reroll", "roll"),
    Case("rerolling another's dice", "rolled", "p2", rerolls("d2"),
         "not-yours", "'p2'", "seat 'p1'"),
    Case("a reroll with too many faces", "rolled", "p1", rerolls("d2", faces="טט"),
         "dice-left", "left over: ט", "1 face"),
    Case("a reroll with too few faces", "rolled", "p1", rerolls("d2", "d3", faces="ט"),
         "dice-short", "d3 has none", "2 faces"),
    Case("a cipher nobody announced so", "rolled", "p1",
         Adjust(1, OWN, "magic", (AdjustedDie("d2", "ש"),)),
         "not-offered", "magic", "adjust initiator cipher d1 d2 d3 d4 d5 d6 d7 d8 (at most 1)"),
    Case("a flip of an unknown die", "rolled", "p1", puts("d9", "ש"), "unknown", "'d9'", "d1"),
    Case("a flip to a face not opposite", "rolled", "p1", puts("d2", "ר"),
         "face", "d2 to 'ר'", "ח"),
    Case("a flip of another's die", "rolled", "p2", puts("d2", "ח"),
         "not-yours", "'p2'", "seat 'p1'"),
    Case("a flip of two dice", "rolled", "p1",
         Adjust(1, OWN, "cipher", (AdjustedDie("d2", "ח"), AdjustedDie("d3", "ד"))),
         "too-many", "cipher at a cost of 2", "at most 1"),
    Case("a flip of one die twice", "rolled", "p1",
         Adjust(1, OWN, "cipher", (AdjustedDie("d2", "ח"), AdjustedDie("d2", "ח"))),
         "malformed", "d2 is named 2 times", "once"),
    Case("a flip before the dice fall", "declared", "p1", puts("d2", "ש"),
         "wrong-state", "adjust", "roll"),
)  # fmt: skip
"""Which dice nobody touches."""

CHOICES = (
    Case("a choice that is not offered", "rolled", "p1", Choose(1, "natural", "bonus"),
         "not-offered", "adjust natural",
         "adjust initiator cipher d1 d2 d3 d4 d5 d6 d7 d8 (at most 1)"),
    Case("an option that is not offered", "natural", "p1", Choose(1, "natural", "prevent"),
         "unknown", "natural cannot be 'prevent'", "merit"),
    Case("another's choice", "at choice", "p2", Choose(1, "natural", "allow"),
         "not-yours", "'p2' does not act for Etgar", "seat 'p1'"),
    Case("a choice made already", "at location", "p1", Choose(1, "natural", "prevent"),
         "not-offered", "adjust natural", "roll location (1 dice)"),
    Case("a choice without an option", "natural", "p1",
         b'{"do":"choose/1","roll":1,"choice":"natural"}',
         "malformed", "missing required field `option`"),
)  # fmt: skip
"""What cannot be chosen."""

PROOFS = (
    Case("a throw that answers no commitment", "fair", "p1", throws(None, nonce=ZEROS),
         "commitment", "answers entry None", "entry 11"),
    Case("a throw that answers another entry", "fair", "p1", throws(None, committed=5, nonce=ZEROS),
         "commitment", "answers entry 5", "entry 11"),
    Case("a throw without a nonce at level player", "fair", "p1", throws(None, committed=11),
         "nonce", "level player needs the roller's nonce", "64 hex digits"),
    Case("a short nonce", "fair", "p1", throws(None, committed=11, nonce="0f"),
         "malformed", "nonce is '0f'", "64 hex digits, lower case"),
    Case("a nonce in capitals", "fair", "p1", throws(None, committed=11, nonce="AB" * 32),
         "malformed", "nonce is 'ABAB", "64 hex digits, lower case"),
    Case("a nonce with a line end", "fair", "p1", throws(None, committed=11, nonce=ZEROS + "\n"),
         "malformed", "nonce is '0000", "64 hex digits, lower case"),
    Case("a nonce at level server", "server", "p1", throws(None, committed=11, nonce=ZEROS),
         "nonce", "level server takes no nonce", "none"),
    Case("a nonce for scripted dice", "declared", "p1", throws(nonce=ZEROS),
         "nonce", "no commitment and no nonce", "neither"),
    Case("a commitment for scripted dice", "declared", "p1", throws(committed=11),
         "nonce", "no commitment and no nonce", "neither"),
    Case("faces typed on fair dice", "fair", "p1", throws(committed=11, nonce=ZEROS),
         "face", "the dice of this table are fair", "no faces"),
    Case("faces typed on seeded dice", "seeded", "p1", throws(),
         "face", "the dice of this table are seeded:7", "no faces"),
    Case("confirming one's own typing", "typed", "p1", Confirm(1, 0),
         "not-yours", "'p1' typed or confirmed throw 0", "another seat"),
    Case("confirming twice", "confirmed", "p2", Confirm(1, 0),
         "not-yours", "'p2' typed or confirmed throw 0", "another seat"),
    Case("confirming a throw that was not made", "typed", "p2", Confirm(1, 1),
         "unknown", "throw 1 of roll 1 was not typed in", "0"),
    Case("confirming what nobody typed", "rolled", "p2", Confirm(1, 0),
         "unknown", "throw 0 of roll 1 was not typed in"),
)  # fmt: skip
"""What a provable throw does not take."""

CASES = (*THROWS, *FREEZES, *CHOICES, *PROOFS)
