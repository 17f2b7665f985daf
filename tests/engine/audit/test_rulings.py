"""Every decision of people is listed with its reason; one that has none is looked at closer."""

from tests.engine.helpers.audited import RULINGS, find, going_on, judged, log_of, without
from tests.engine.helpers.stage import fight, pray
from urim.engine.audit.report import Result
from urim.engine.core.commands import Amend, Dispute, Erase, Note, Replace, Rule, Veto
from urim.engine.core.limits import NARRATOR
from urim.engine.table import RollHandle, Table
from urim.errors import Refused
from urim.events import ruling
from urim.events import table as tabled
from urim.events.entry import Entry, withhold
from urim.rules.ruleset import Ruleset


def unknown(name: str) -> Ruleset:
    """A place where no system is installed."""
    raise Refused("unknown", f"no system called {name!r}")


def rulings(entries: list[Entry] | tuple[Entry, ...], *, complete: bool = True) -> Result:
    """What step 14 says, the same with the rules and without them."""
    found = judged(entries, complete=complete)[RULINGS]
    assert judged(entries, complete=complete, rulesets=unknown)[RULINGS] == found
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
    return table, table.submit("p2", Dispute(roll.number, "The die was cocked."))[0].seq


def test_a_log_without_decisions_has_nothing_to_list() -> None:
    table, _ = prayed()
    assert rulings(table.entries).verdict == "not-applicable"


def test_every_kind_of_decision_is_listed_with_its_reason() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, root="רוח", rating=2)
    table.submit(NARRATOR, Veto(roll.number, "Not here."))
    table.submit(NARRATOR, Replace(roll.number, {"rating": 3}, "So be it."))
    table.submit("p2", Dispute(roll.number, "Why?"))
    dispute = len(table.entries) - 2
    table.submit(NARRATOR, Rule(roll.number, dispute, "stands", "Because."))
    table.submit(NARRATOR, Amend(roll.number, etgar.id, {"target": 9}, "It is easy."))
    result = rulings(table.entries)
    assert (result.verdict, result.checked) == ("pass", 5)
    assert [why for _, why in remarks_of(result)] == [
        "veto of roll 1 by narrator: Not here.",
        "replacement of roll 1 by narrator: So be it.",
        "dispute of roll 1 by p2: Why?",
        "ruling (stands) of roll 1 by narrator: Because.",
        "amendment of roll 1 by narrator: It is easy.",
    ]


def test_a_decision_without_a_reason_is_a_finding() -> None:
    table, dispute = disputed()
    result = rulings(without(table.entries, dispute + 1))
    assert result.verdict == "finding"
    assert remarks_of(result) == [(dispute, "dispute of roll 1 by p2: no reason")]
    assert "1 without a reason" in result.summary


def test_a_reason_may_be_given_later() -> None:
    table, dispute = disputed()
    silent = without(table.entries, dispute + 1)
    fresh = type(table.aggregate)(table.aggregate.environment)
    fresh.load(silent)
    fresh.submit("p2", Note(dispute, "I forgot: it was cocked."))
    result = rulings(fresh.entries)
    assert result.verdict == "pass"
    assert remarks_of(result) == [(dispute, "dispute of roll 1 by p2: I forgot: it was cocked.")]


def test_an_erased_reason_is_said_to_be_erased() -> None:
    table, dispute = disputed()
    table.submit(NARRATOR, Erase(dispute + 1))
    result = rulings(table.entries)
    assert result.verdict == "pass"
    assert remarks_of(result) == [(dispute, "dispute of roll 1 by p2: reason erased or hidden")]


def test_an_erased_text_elsewhere_excuses_nothing() -> None:
    table, dispute = disputed()
    silent = without(table.entries, dispute + 1)
    fresh = type(table.aggregate)(table.aggregate.environment)
    fresh.load(silent)
    note = fresh.submit("p2", Note(0, "a note"))[0].seq
    fresh.submit(NARRATOR, Note(0, "another"))
    other = fresh.submit(NARRATOR, Note(0, "and another"))[0].seq
    fresh.submit(NARRATOR, Erase(other))
    assert note == dispute + 1
    assert rulings(fresh.entries).verdict == "finding"


def test_a_hidden_entry_behind_an_open_decision_is_not_its_reason() -> None:
    table, dispute = disputed()
    entries = without(table.entries, dispute + 1)
    hidden = going_on(entries, tabled.Noted("p2", 0, "…"), kind="hidden")
    withheld = [*hidden[:-1], withhold(hidden[-1])]
    assert rulings(withheld).verdict == "finding"


def test_the_amendments_of_followers_share_one_reason() -> None:
    entries = log_of("age_of_magic/amend-attack")
    result = rulings(entries)
    assert result.verdict == "pass"
    assert result.checked == 2
    events = [seq for seq, _ in remarks_of(result)]
    assert events[0] == find(entries, ruling.RollAmended)


def test_two_amendments_are_not_taken_for_one_where_the_rules_are_known() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    for target in (5, 9):
        table.submit(NARRATOR, Amend(roll.number, etgar.id, {"target": target}, f"It is {target}."))
    first = find(table.entries, ruling.RollAmended)
    result = judged(without(table.entries, first + 1))[RULINGS]
    assert result.checked == 2
    assert (result.verdict, result.remarks[0].seq) == ("finding", first)


def test_of_one_roll_a_reason_may_be_missing_from_the_file() -> None:
    table, dispute = disputed()
    left = [entry for entry in table.entries if entry.seq != dispute + 1]
    result = rulings(left, complete=False)
    assert result.verdict == "not-checked"


def test_a_note_about_something_else_is_no_reason() -> None:
    table, dispute = disputed()
    entries = without(table.entries, dispute + 1)
    fresh = type(table.aggregate)(table.aggregate.environment)
    fresh.load(entries)
    fresh.submit("p2", Note(1, "Not about the dispute."))
    assert isinstance(fresh.records[-1] and fresh.records[-1].event, tabled.Noted)
    assert rulings(fresh.entries).verdict == "finding"
