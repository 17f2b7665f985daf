"""Every decision of people is stated with its reason, whether the rules are known or not."""

from collections.abc import Sequence

from tests.engine.helpers.audited import (
    about,
    failures,
    find,
    judged,
    log_of,
    loud,
    without,
)
from tests.engine.helpers.bodies import asked_for
from tests.engine.helpers.stage import fight, pray
from urim.engine.core.commands import Amend, Dispute, Erase, Replace, Rule, Veto, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.table import RollHandle, Table
from urim.errors import Refused
from urim.events import ruling
from urim.events import table as tabled
from urim.events.entry import Entry
from urim.rules.ruleset import Ruleset


def unknown(name: str) -> Ruleset:
    """A place where no system is installed."""
    raise Refused("unknown", f"no system called {name!r}")


def rulings(entries: Sequence[Entry], word: str = "stated") -> list[tuple[int | None, str]]:
    """What is said of decisions with this word, the same with the rules and without them."""
    found, blind = judged(entries), judged(entries, rulesets=unknown)
    assert found.proof.remarks == blind.proof.remarks
    remarks = [e for e in found.proof.remarks if (e.step, e.word) == ("rulings", word)]
    return [(each.seq, each.why) for each in remarks]


def prayed() -> tuple[Table, RollHandle]:
    """A prayer, thrown."""
    table, etgar, _ = fight()
    return table, pray(table, etgar)


def disputed() -> tuple[Table, int]:
    """A disputed roll, and the entry of the dispute."""
    table, roll = prayed()
    asked = worded(Dispute(roll.number), "The die was cocked.")
    return table, table.submit("p2", asked)[0].seq


def test_a_log_without_decisions_has_nothing_to_state() -> None:
    table, _ = prayed()
    assert rulings(table.entries) == []


def test_every_kind_of_decision_is_stated_with_its_reason() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, root="רוח", rating=2)
    table.submit(NARRATOR, worded(Veto(roll.number), "Not here."))
    table.submit(NARRATOR, worded(Replace(roll.number, {"rating": 3}), "So be it."))
    dispute = table.submit("p2", worded(Dispute(roll.number), "Why?"))[0].seq
    stands = table.submit(NARRATOR, worded(Rule(roll.number, dispute, "stands"), "Because."))
    amend = Amend(roll.number, etgar.id, {"target": 9}, stands[0].seq)
    table.submit(NARRATOR, worded(amend, "It is easy."))
    assert [why for _, why in rulings(table.entries)] == [
        "roll 1: declaration-vetoed by narrator: Not here.",
        "roll 1: declaration-replaced by narrator: So be it.",
        "roll 1: dispute-raised by p2: Why?",
        "roll 1: ruling-made by narrator: Because.",
        "roll 1: roll-amended by narrator: It is easy.",
    ]


def test_a_decision_without_a_reason_is_looked_at_and_wrong() -> None:
    table, dispute = disputed()
    silent = without(table.entries, dispute + 1)
    assert rulings(silent, "look") == [(dispute, "dispute-raised without a reason")]
    assert failures(judged(silent)) == [dispute]


def test_a_note_gives_no_reason_later() -> None:
    table, dispute = disputed()
    silent = without(table.entries, dispute + 1)
    noted = asked_for(silent, tabled.Noted("p2", dispute))
    assert [seq for seq, _ in rulings(noted, "look")] == [dispute]


def test_an_erased_reason_is_said_to_be_erased() -> None:
    table, dispute = disputed()
    table.submit(NARRATOR, Erase(dispute + 1))
    assert rulings(table.entries) == [(dispute, "roll 1: dispute-raised by p2: erased, or hidden")]
    assert loud(judged(table.entries)) == []


def test_amendments_of_followers_are_one_decision() -> None:
    entries = log_of("age_of_magic/amend-attack")
    firsts = [seq for seq, _ in rulings(entries)]
    assert len(firsts) == 2
    assert firsts[0] == find(entries, ruling.RollAmended)
    assert [entries[seq or 0].commit for seq in firsts] == firsts


def test_of_one_roll_a_reason_is_in_the_file() -> None:
    table, dispute = disputed()
    assert loud(judged(about(table.entries, 1))) == []
    left = [entry for entry in table.entries if entry.seq != dispute + 1]
    assert failures(judged(left)) == [dispute]


def test_a_hidden_decision_is_stated_for_those_who_may_see_it() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, visibility="gm")
    said = table.submit(NARRATOR, worded(Dispute(roll.number), "Why?"))
    assert [entry.kind for entry in said] == ["hidden", "hidden-text"]
    assert len(rulings(table.aggregate.view(NARRATOR))) == 1
    assert rulings(table.aggregate.view("p2")) == []
