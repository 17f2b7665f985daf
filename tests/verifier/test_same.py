"""The page counts what `urim audit` counts, under its names; and says where not all was checked."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.cheats.cheats import CHEATS, dishonest, honest
from tests.cheats.forging import head
from tests.cheats.test_honest import MOST, bundles, evening
from tests.cheats.trials import TRIALS
from tests.verifier.broken_asked import asked_honestly
from tests.verifier.broken_rules import further_honest
from tests.verifier.broken_seats import keyed_honestly
from tests.verifier.honest_shares import looks, shared_honestly
from tests.verifier.log import Log, secret
from tests.verifier.nodejs import run
from tests.verifier.same import (
    NO_RULES,
    Given,
    audited,
    counted,
    counted_there,
    facts,
    facts_there,
    on_the_page,
    said,
    said_there,
)
from tests.verifier.tales import opened, tales
from urim.engine.audit import FAILED, UNCHECKED
from urim.engine.audit.kinds import KINDS, SHOWN
from urim.engine.core.decide_table import CORE
from urim.events.table import ShareAnchored

pytestmark = pytest.mark.slow

NOW = 1_800_000_000_000
"""The reader's clock."""

BEST = "Nothing wrong was found here; urim audit checks the rules"
"""What the page says at best."""

KNOWN = """
import { CORE } from "../../engine/verifier/js/commits.js";
import { ENTRIES, KINDS } from "../../engine/verifier/js/kinds.js";
console.log(JSON.stringify([CORE, ENTRIES, Object.entries(KINDS)]));
"""


def test_the_page_has_every_kind_in_the_words_of_the_audit() -> None:
    done = run("--input-type=module", "--eval", KNOWN)
    core, shown, kinds = json.loads(done.stdout)
    assert (core, shown) == (CORE, SHOWN)
    assert kinds == [[name, msgspec.to_builtins(kind)] for name, kind in KINDS.items()]


def test_what_needs_rules_is_said_and_named_once() -> None:
    pages = (Path(run.__code__.co_filename).parents[2] / "engine/verifier/js").glob("*.js")
    texts = {path.stem: path.read_text("utf-8") for path in pages}
    named = "urim audit checks 10 transitions, 11 rules"
    assert [name for name, text in texts.items() if named in text] == ["words"]


def compared(given: Mapping[str, Given], folder: Path) -> Counter[str]:
    """Hold what both verifiers say of each against each other, and count kinds and exit codes."""
    there = on_the_page(given, folder)
    seen = Counter[str]()
    for name, each in given.items():
        report, outcome = audited(each), there[name]
        assert counted_there(outcome) == counted(report), name
        assert facts_there(outcome) == facts(report), name
        assert said_there(outcome) == said(report), name
        by_rules = report.exit == FAILED and all(one.name in NO_RULES for one in report.failed)
        lacking = report.exit == UNCHECKED and all(one.name in NO_RULES for one in report.unchecked)
        exits = (0, 1) if by_rules else (0, 3) if lacking else (report.exit,)
        assert outcome["exit"] in exits, name
        titled(outcome)
        seen.update([f"exit {outcome['exit']}", *(one.kind for one in report.seen)])
    return seen


def titled(outcome: Mapping[str, Any]) -> None:
    """The first line is the page's own sentence, by the exit code; it never says more."""
    title = outcome["says"]["title"]
    steps = ", ".join(f"{each['step']} {each['name']}" for each in outcome["unchecked"])
    titles = {0: BEST, 1: "Something is wrong", 3: f"Not everything was checked: {steps}"}
    assert title == titles[outcome["exit"]]
    assert "Nothing is wrong" not in json.dumps(outcome)


def test_both_count_the_same_of_every_cheat_and_of_its_honest_twin(tmp_path: Path) -> None:
    given: dict[str, Given] = {}
    for id, cheat in CHEATS.items():
        if cheat.row.page == "refused":
            continue  # it has no verdict in either
        for name, made in {id: dishonest(id), f"{id}, honest": honest(id)}.items():
            given[name] = Given(made.bundle, NOW, made.key, made.seen, made.seats)
    seen = compared(given, tmp_path)
    assert seen["exit 0"] > len(CHEATS) and seen["exit 1"] and seen["exit 3"]
    assert {"again", "some-hidden", "given-back", "voids", "clock", "dice"} < seen.keys()


def test_both_count_what_people_do_as_the_tale_says(tmp_path: Path) -> None:
    logs = tales()
    there = on_the_page(
        {name: Given(log.bundle(), NOW) for name, (log, _) in logs.items()}, tmp_path
    )
    for name, (log, expected) in logs.items():
        report = audited(Given(log.bundle(), NOW))
        assert counted_there(there[name]) == counted(report), name
        assert facts_there(there[name]) == facts(report), name
        assert said_there(there[name]) == said(report), name
        assert {each.kind: each.entries for each in report.seen} == expected, name


HONEST = {**further_honest(), **asked_honestly(), **shared_honestly(), **keyed_honestly()}
HONEST |= {f"look: {name}": log for name, (log, _, _) in looks().items()}


def test_both_count_the_same_of_honest_logs_made_by_themselves(tmp_path: Path) -> None:
    given = {name: Given(log.bundle(), NOW) for name, log in HONEST.items()}
    there = on_the_page(given, tmp_path)
    for name, each in given.items():
        report = audited(each)
        assert counted_there(there[name]) == counted(report), name
        assert facts_there(there[name]) == facts(report), name


def test_a_time_is_later_than_the_clock_by_more_than_a_minute(tmp_path: Path) -> None:
    log = opened()
    last = log.entries[-1].at
    clocks = {str(late): last - late for late in (60_000, 60_001)}
    given = {name: Given(log.bundle(), now) for name, now in clocks.items()}
    there = on_the_page(given, tmp_path)
    for name, each in given.items():
        assert counted_there(there[name]) == counted(audited(each))
    first = len(log.entries) - 1
    assert [counted_there(there[name]) for name in clocks] == [[], [("look", "clock", 1, [first])]]


def test_rules_that_are_not_known_are_said_where_nothing_is_thrown(tmp_path: Path) -> None:
    strange = Log({"opened": lambda event: replace(event, version=9_999, core=4)})
    strange.open()
    found = on_the_page({"": Given(strange.bundle(), NOW)}, tmp_path)[""]
    titled(found)
    assert (found["exit"], [each["step"] for each in found["unchecked"]]) == (3, [10])


def test_a_chain_that_is_renewed_at_its_last_link_is_stated_and_no_look(tmp_path: Path) -> None:
    """That link 1,000 is the first one asked for fails, and that the ask waits; not the rest."""
    log = Log({})
    log.open()
    log.anchor("p1", "p2")
    log.ask(1, 0, log.declare(1, "table"), {"p1": 1, "p2": 1_000})
    for seat in ("p1", "p2"):
        log.add(ShareAnchored(seat, secret(f"another chain of {seat}")))
    seen = compared({"": Given(log.bundle(), NOW)}, tmp_path)
    assert (seen["renewed"], seen["anchored-again"]) == (1, 1)


@pytest.mark.parametrize(
    ("system", "number", "seed"), [("milhamah", 26, 7), ("age_of_magic", 15, 11), ("majesty", 2, 1)]
)
def test_what_the_page_once_took_for_wrong_is_right(
    system: str, number: int, seed: int, tmp_path: Path
) -> None:
    """A roll's file with a commit of another roll; a reaction that the rules make of a decline."""
    table = evening(system, number, seed)
    given = {whose: Given(bundle, NOW, table.host.vkey) for whose, bundle in bundles(table)}
    assert not compared(given, tmp_path)["exit 1"]


@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_both_count_the_same_of_honest_tables(
    system: str, count: int, seed: int, tmp_path: Path, tried: Callable[[str], None]
) -> None:
    """Plays one table for every one that the count asks for, at most MOST, all systems together."""
    given: dict[str, Given] = {}
    tables = -(-min(count, MOST) // len(TRIALS))
    for number in range(tables):
        table = evening(system, number, seed)
        seen = [head(table.host, table.state.size // 2)]
        for whose, bundle in bundles(table):
            given[f"table {number}, {whose}"] = Given(bundle, NOW, table.host.vkey, seen)
    found = compared(given, tmp_path)
    assert not found["exit 1"]
    said = ", ".join(f"{kind} {times:,}" for kind, times in found.most_common())
    tried(f"{tables:,} tables in {len(given):,} bundles; {said}")
