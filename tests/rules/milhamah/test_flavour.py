"""The words that the narrator may read in the dice: whose, when, and in which tone."""

from msgspec.structs import replace

from tests.rules.rolls import milhamah, one, sheets
from urim.rules.milhamah import RULESET
from urim.rules.ruleset import Outcome, Roll

NO_FLIPS = {"cipher_dice": 0}


def flavours(roll: Roll) -> list[tuple[str, str]]:
    found = RULESET.offers(roll, sheets())
    return [(offer.hand, offer.choice) for offer in found if offer.trigger == "flavour"]


def test_the_narrator_reads_the_letters_of_closed_hands() -> None:
    roll = milhamah("רו*ב", rating=2)
    assert flavours(roll) == []
    closed = milhamah("רו*ב", reply="בבב", initiator={"frozen": range(4)})
    assert flavours(closed) == [("initiator", "harmless")]
    words = one(RULESET.offers(closed, sheets()), "flavour initiator harmless")
    assert (words.character, words.options) == ("", ("ר", "ו", "ב"))
    resolved = replace(roll, outcome=Outcome("success", 1, {}))
    assert flavours(resolved) == [("initiator", "harmless")]


def test_players_who_know_hebrew_may_be_harmed_by_words() -> None:
    roll = milhamah("רוב", options=NO_FLIPS | {"players_know_hebrew": True})
    assert flavours(roll) == [("initiator", "harmless"), ("initiator", "harmful")]
    assert flavours(milhamah("***", options=NO_FLIPS)) == []
