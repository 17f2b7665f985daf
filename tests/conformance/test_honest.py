"""No honest table raises an alarm, however it was played and whoever is given the bundle."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO

import pytest

from tests.engine.helpers.tables.evening import DOINGS, Evening
from tests.engine.helpers.tables.forging import head
from tests.engine.helpers.tables.real_dice import LEVELS, VISIBILITIES
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.audit import audit
from urim.engine.bundle.write import bundle_of
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused
from urim.events.checkpoint import read_key

MOST = 1_000
"""Tables that are enough, those of all systems together."""

ENOUGH = 200
"""Tables of one system after which everything that people do was done."""

MANUAL = 5
"""Every so manieth table throws physical dice."""

HURT = ("fate", "track")

NEVER: Mapping[str, frozenset[str]] = {
    system: frozenset() if trial.ruleset.tracks(trial.ruleset.Options()) else frozenset(HURT)
    for system, trial in TRIALS.items()
}
"""What nobody can do in a system without damage and tracks."""

EVERYBODY = "seat '', roll None"
"""The bundle of a whole table that anybody may have."""

AUDITORS = ("", "p1", NARRATOR)
"""Who is given the bundles: nobody in particular, a player, and whoever sees the most."""


def evening(system: str, number: int, seed: int) -> Evening:
    """The table of that number, played to its end."""
    trial = TRIALS[system]
    table = Evening(
        trial,
        f"{system} {seed} {number}",
        dict(trial.options[number % len(trial.options)]),
        dice="fair" if number % MANUAL else "manual",
        level=LEVELS[number % len(LEVELS)],
    )
    for _ in table.play():
        pass
    return table


def bundles(table: Evening) -> Iterator[tuple[str, bytes]]:
    """The table as a file for each auditor, and one of its rolls."""
    host = table.host
    keys = [read_key(host.vkey)]
    some = 1 + table.luck.below(max(1, len(table.state.rolls)))
    for seat in AUDITORS:
        for roll in (None, some):
            try:
                lines = bundle_of(host.aggregate, seat, head(host), keys, roll)
            except Refused as error:
                if (error.code, roll) != ("unknown", some):  # a roll that the seat may not see
                    raise
            else:
                yield f"seat {seat!r}, roll {roll}", b"".join(lines)


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_no_honest_table_raises_an_alarm(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays one table for every one that the count asks for, at most MOST, all systems together."""
    did, looks, audits, quiet = Counter[str](), Counter[str](), 0, 0
    tables = -(-min(count, MOST) // len(TRIALS))
    for number in range(tables):
        table = evening(system, number, seed)
        did.update(table.did)
        key = table.host.vkey
        # What was signed halfway is as true as what was signed at the end.
        seen = [head(table.host, table.state.size // 2)]
        for whose, bundle in bundles(table):
            report = audit(BytesIO(bundle), key=key, seen=seen)
            assert not report.failed, f"table {number} of {system}, {whose}: {report.failed}"
            assert report.exit == (3 if report.scope == "roll" else 0), report.unchecked
            audits += 1
            if whose == EVERYBODY:
                looks.update({each.kind: 1 for each in report.looks})
                quiet += not report.looks
    said = ", ".join(f"{kind} {count:,}" for kind, count in looks.most_common())
    tried(f"{tables:,} tables in {audits:,} audits; {quiet:,} without a look; {said}")
    if tables >= ENOUGH:
        assert {*LEVELS, *VISIBILITIES, *DOINGS, "reveal", "silent"} - did.keys() == NEVER[system]


@pytest.mark.parametrize(("system", "number"), [("scarterra", 79), ("age_of_magic", 45)])
def test_a_void_of_a_chain_is_whole_in_the_bundle_of_each_of_its_rolls(
    system: str, number: int
) -> None:
    """Found at 500 tables: the roll was voided in one commit with another follower of its own."""
    table = evening(system, number, 1)
    for whose, bundle in bundles(table):
        report = audit(BytesIO(bundle), key=table.host.vkey)
        assert not report.failed, (whose, report.failed)
