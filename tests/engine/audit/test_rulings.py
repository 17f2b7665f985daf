"""Every decision of people is listed with its reason, which is the text of its commit."""

from tests.engine.helpers.audited import (
    LEGAL,
    RULINGS,
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
from urim.engine.audit.report import Result
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


def rulings(entries: list[Entry] | tuple[Entry, ...]) -> Result:
    """What step 14 says, the same with the rules and without them."""
    found = judged(entries)[RULINGS]
    assert judged(entries, rulesets=unknown)[RULINGS] == found
    return found


def remarks_of(result: Result) -> list[tuple[int | None, str]]:
    """Its remarks, in order."""
    return [(remark.seq, remark.why) for remark in result.remarks]


def prayed() -> tuple[Table, RollHandle]:
    """A prayer, thrown."""
    table, etgar, _ = fight()
    return table, pray(table, etgar)


def disputed() -> tuple[Table, int]:
    """A disputed roll, and the entry of the dispute."""
    table, roll = prayed()
    asked = worded(Dispute(roll.number), "The die was cocked.")
    return table, table.submit("p2", asked)[0].seq


def test_a_log_without_decisions_has_nothing_to_list() -> None:
    table, _ = prayed()
    assert rulings(table.entries).verdict == "not-applicable"


def test_every_kind_of_decision_is_listed_with_its_reason() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, root="רוח", rating=2)
    table.submit(NARRATOR, worded(Veto(roll.number), "Not here."))
    table.submit(NARRATOR, worded(Replace(roll.number, {"rating": 3}), "So be it."))
    dispute = table.submit("p2", worded(Dispute(roll.number), "Why?"))[0].seq
    stands = table.submit(NARRATOR, worded(Rule(roll.number, dispute, "stands"), "Because."))
    amend = Amend(roll.number, etgar.id, {"target": 9}, stands[0].seq)
    table.submit(NARRATOR, worded(amend, "It is easy."))
    result = rulings(table.entries)
    assert (result.verdict, result.checked) == ("pass", 5)
    assert result.summary == "5 decisions"
    assert [why for _, why in remarks_of(result)] == [
        "veto of roll 1 by narrator: Not here.",
        "replacement of roll 1 by narrator: So be it.",
        "dispute of roll 1 by p2: Why?",
        "ruling (stands) of roll 1 by narrator: Because.",
        "amendment of roll 1 by narrator: It is easy.",
    ]


SILENT = "dispute of roll 1 by p2, without a reason"


def test_a_decision_without_a_reason_fails_where_the_rules_are_known() -> None:
    table, dispute = disputed()
    silent = without(table.entries, dispute + 1)
    assert rulings(silent).verdict == "finding"
    assert remarks_of(rulings(silent)) == [(dispute, SILENT)]
    assert failures(judged(silent)) == [(LEGAL, dispute)]


def test_a_note_gives_no_reason_later() -> None:
    table, dispute = disputed()
    silent = without(table.entries, dispute + 1)
    noted = asked_for(silent, tabled.Noted("p2", dispute))
    assert remarks_of(rulings(noted)) == [(dispute, SILENT)]


def test_an_erased_reason_is_said_to_be_erased() -> None:
    table, dispute = disputed()
    table.submit(NARRATOR, Erase(dispute + 1))
    result = rulings(table.entries)
    assert result.verdict == "pass"
    assert remarks_of(result) == [(dispute, "dispute of roll 1 by p2: its reason is erased")]
    assert loud(judged(table.entries)) == []


def test_amendments_of_followers_are_one_decision() -> None:
    entries = log_of("age_of_magic/amend-attack")
    result = rulings(entries)
    assert (result.verdict, result.checked) == ("pass", 2)
    firsts = [seq for seq, _ in remarks_of(result)]
    assert firsts[0] == find(entries, ruling.RollAmended)
    assert [entries[seq or 0].commit for seq in firsts] == firsts


def test_of_one_roll_a_reason_is_in_the_file() -> None:
    table, dispute = disputed()
    assert loud(judged(about(table.entries, 1))) == []
    left = [entry for entry in table.entries if entry.seq != dispute + 1]
    assert failures(judged(left)) == [(LEGAL, dispute)]


def test_a_hidden_decision_is_listed_for_those_who_may_see_it() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, visibility="gm")
    said = table.submit(NARRATOR, worded(Dispute(roll.number), "Why?"))
    assert [entry.kind for entry in said] == ["hidden", "hidden-text"]
    assert rulings(table.aggregate.view(NARRATOR)).checked == 1
    assert rulings(table.aggregate.view("p2")).verdict == "not-applicable"


def test_a_long_reason_is_cut() -> None:
    table, roll = prayed()
    table.submit("p2", worded(Dispute(roll.number), "x" * 4_000))
    (_, why), *_ = remarks_of(rulings(table.entries))
    assert len(why) < 400
    assert why.endswith("...")
