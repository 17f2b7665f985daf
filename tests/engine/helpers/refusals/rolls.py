"""Refusals at a roll's end and after it: outcomes, damage, amendments, disputes, hidden rolls."""

from tests.engine.helpers.refusals.case import Case, body
from tests.engine.helpers.refusals.setups import NATURAL
from urim.engine.core.commands import (
    Amend,
    ApplyDamage,
    Choose,
    DecideFate,
    Dispute,
    Flavour,
    Freeze,
    Note,
    Resolve,
    Reveal,
    RollDice,
    Rule,
    Void,
    Worded,
    worded,
)

WHY = "so it is"
HASH = "ab" * 32


def amends(character: str = "c1", **fields: object) -> Worded:
    """The narrator corrects these fields."""
    return worded(Amend(1, character, dict(fields)), WHY)


def names(*words: str, tone: str = "harmless", hand: str = "initiator") -> Flavour:
    """The narrator names words that the dice spell."""
    return Flavour(1, hand, words, tone)


ENDINGS = (
    Case("resolving while a choice is due", "natural", "p1", Resolve(1),
         "due", "choose natural: bonus or merit", "choose natural: bonus or merit"),
    Case("resolving while a throw is due", "at location", "p1", Resolve(1),
         "due", "roll location", "roll location (1 dice)"),
    Case("resolving before the dice fall", "declared", "p1", Resolve(1),
         "wrong-state", "resolve", "roll"),
    Case("resolving twice", "resolved", "p1", Resolve(1),
         "wrong-state", "in state resolved", "dispute"),
    Case("resolving for another", "rolled", "p2", Resolve(1), "not-yours", "'p2'", "seat 'p1'"),
    Case("damage before the outcome", "at location", "p1", ApplyDamage(1),
         "wrong-state", "apply_damage", "roll"),
    Case("damage twice", "damaged", "p1", ApplyDamage(1),
         "wrong-state", "in state damaged", "dispute"),
    Case("damage of a roll that did none", "resolved", "p1", ApplyDamage(1),
         "not-offered", "apply_damage", "flavour initiator"),
    Case("damage in the dark", "struck in the dark", "p1", ApplyDamage(1),
         "not-offered", "apply_damage", "flavour initiator"),
    Case("another's damage", "struck", "p2", ApplyDamage(1),
         "not-yours", "'p2' does not act for Etgar", "seat 'p1'"),
    Case("the narrator's damage", "struck", "narrator", ApplyDamage(1),
         "not-yours", "'narrator'", "seat 'p1'"),
    Case("a fate before the damage", "struck", "narrator", DecideFate(1, "killed"),
         "wrong-state", "fate", "amend"),
    Case("a fate by a player", "damaged", "p1", DecideFate(1, "killed"),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("a fate worse than death", "damaged", "narrator", body("fate", roll=1, fate="cursed"),
         "malformed", "fate is 'cursed'", "spared"),
    Case("words before the dice are final", "rolled", "narrator", names("רב"),
         "not-offered", "flavour initiator harmless",
         "adjust initiator cipher d1 d2 d3 d4 d5 d6 d7 d8 (at most 1)"),
    Case("words that the dice do not spell", "resolved", "narrator", names("שלום"),
         "face", "'שלומ'", "ר ב ג ד ה ז ט י"),
    Case("words that harm", "resolved", "narrator", names("רב", tone="harmful"),
         "not-offered", "harmful", "flavour initiator"),
    Case("words of no hand", "resolved", "narrator", names("רב", hand="left"),
         "not-offered", "flavour left", "flavour initiator"),
    Case("no words at all", "resolved", "narrator", names(),
         "malformed", "words is []", "at least 1 item"),
    Case("words by a player", "resolved", "p1", names("רב"),
         "not-yours", "'p1' is none", "seat 'narrator'"),
)  # fmt: skip
"""How no roll ends."""

AMENDMENTS = (
    Case("a player's amendment", "resolved", "p1", amends(target=1),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("an amendment of an unknown field", "resolved", "narrator", amends(luck=1),
         "unknown", "'luck'", "target"),
    Case("an amendment of what the sheet gave", "resolved", "narrator", amends(pocketed=1),
         "not-yours", "pocketed", "void and declare again"),
    Case("an amendment of a bystander's", "resolved", "narrator", amends("c3", root="רוח"),
         "unknown", "'c3' declared nothing", "c1"),
    Case("an amendment that needs other dice", "resolved", "narrator",
         amends(dice={"green": 4, "red": 4}),
         "history", "8 other dice", "void and declare again"),
    Case("an amendment that needs a choice", "resolved", "narrator", amends(root="רב"),
         "history", "would wait for: freeze initiator", "void and declare again"),
    Case("an amendment by five letters", "resolved", "narrator", amends(root="תרגום"),
         "needs-leave", "'תרגום'"),
    Case("an amendment to a stranger as opponent", "resolved", "narrator", amends(opponent="c9"),
         "unknown", "'c9'", "c2"),
    Case("an amendment of a voided roll", "voided", "narrator", amends(target=1),
         "wrong-state", "amend", "declare"),
    Case("an amendment of no roll", "seated", "narrator", amends(target=1),
         "unknown", "no roll 1", "declare one first"),
    Case("an amendment by a word for a number", "resolved", "narrator", amends(rating="two"),
         "malformed", "rating is 'two'", "a whole number or nothing"),
    Case("a player's void", "resolved", "p1", worded(Void(1), WHY),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("voiding twice", "voided", "narrator", worded(Void(1), WHY),
         "wrong-state", "in state voided", "declare"),
    Case("voiding without a reason", "resolved", "narrator", worded(Void(1), ""),
         "malformed", "the reason of void is empty", "any words"),
    Case("a ruling on no dispute", "resolved", "narrator", worded(Rule(1, 13, "stands"), WHY),
         "unknown", "entry 13 is no open dispute"),
    Case("a ruling on another entry", "disputed", "narrator", worded(Rule(1, 13, "stands"), WHY),
         "unknown", "entry 13 is no open dispute", "14"),
    Case("a ruling on an entry still to come", "disputed", "narrator",
         worded(Rule(1, 10**12, "stands"), WHY),
         "unknown", str(10**12), "14"),
    Case("a player's ruling", "disputed", "p1", worded(Rule(1, 14, "stands"), WHY),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("a ruling of its own kind", "disputed", "narrator",
         body("rule", roll=1, dispute=14, ruling="perhaps", text=HASH),
         "malformed", "ruling is 'perhaps'", "replay"),
    Case("a dispute without a reason", "resolved", "p2", worded(Dispute(1), ""),
         "malformed", "the reason of dispute is empty", "any words"),
    Case("a dispute of no roll", "resolved", "p2", worded(Dispute(2), WHY),
         "unknown", "no roll 2", "1 to 1"),
    Case("a dispute of roll nought", "resolved", "p2", worded(Dispute(0), WHY),
         "out-of-range", "roll is 0", "at least 1"),
    Case("a dispute of a negative roll", "resolved", "p2", worded(Dispute(-1), WHY),
         "out-of-range", "roll is -1", "at least 1"),
    Case("a dispute of a huge roll", "resolved", "p2", worded(Dispute(10**12), WHY),
         "out-of-range", f"roll is {10**12}", "at most 1000000000"),
)  # fmt: skip
"""What nobody puts right."""

LATER = "after it is revealed"
HIDDEN = (
    Case("a bystander's dispute of a hidden roll", "gm", "p3", worded(Dispute(1), WHY),
         "not-seen", "'p3' sees no roll 1", LATER),
    Case("a bystander's hand in a hidden roll", "gm", "p3", Freeze(1, "initiator", ("d1",)),
         "not-seen", "'p3'", LATER),
    Case("a witness's look at a hidden roll", "gm", "watcher", worded(Dispute(1), WHY),
         "not-seen", "'watcher'", LATER),
    Case("a player's reveal", "gm", "p1", Reveal(1),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("the roller's freeze in the blind", "blind", "p1", Freeze(1, "initiator", ("d1",)),
         "not-seen", "'p1' may not see roll 1, which is hidden", LATER),
    Case("the roller's end of a blind roll", "blind", "p1", Resolve(1), "not-seen", "'p1'", LATER),
    Case("the roller's choice in the blind", "blind", "p1", Choose(1, "natural", "bonus"),
         "not-seen", "'p1'", LATER),
    Case("the narrator in a roll for oneself", "self", "narrator", worded(Void(1), WHY),
         "not-seen", "'narrator' sees no roll 1", LATER),
    Case("the narrator's end of a roll for oneself", "self", "narrator", Resolve(1),
         "not-seen", "'narrator'", LATER),
    Case("the narrator's reveal of a roll for oneself", "self", "narrator", Reveal(1),
         "not-seen", "'narrator'", LATER),
    Case("the opponent in a roll for oneself", "self", "p2", RollDice(1, "reactor", faces=NATURAL),
         "not-seen", "'p2'", LATER),
    Case("revealing what is open", "resolved", "narrator", Reveal(1),
         "not-offered", "roll 1 is open already"),
    Case("revealing twice", "revealed", "narrator", Reveal(1),
         "not-offered", "roll 1 is open already"),
    Case("a note about an entry still to come", "gm", "p3", worded(Note(99), WHY),
         "unknown", "no entry 99", "0 to 12"),
)  # fmt: skip
"""What stays hidden."""

CASES = (*ENDINGS, *AMENDMENTS, *HIDDEN)
