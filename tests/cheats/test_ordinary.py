"""What an audit asks people to look at after ordinary evenings: no more than what was done."""

from collections import Counter
from collections.abc import Callable
from io import BytesIO

import pytest

from tests.cheats.deeds import Looks, directly_again, looks
from tests.cheats.forging import head
from tests.cheats.ordinary import Ordinary
from tests.cheats.trials import TRIALS
from urim.engine.audit import Report, audit
from urim.engine.bundle.write import bundle_of
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import read_key

MOST = 1_000
"""Tables that are enough, those of all systems together."""

ENOUGH = 100
"""Tables of one system after which chance has evened out."""

READERS = ("", NARRATOR)
"""Who is given the bundles: nobody in particular, and the seat that sees the most."""

BY_CHANCE = "dice"
"""The look that nobody's deeds lead to: dice as rare as once in 100 tables."""


def evening(system: str, number: int, seed: int) -> Ordinary:
    """The table of that number, played to its end."""
    trial = TRIALS[system]
    options = dict(trial.options[number % len(trial.options)])
    table = Ordinary(trial, f"ordinary {system} {seed} {number}", options, number)
    for _ in table.play():
        pass
    return table


def audited(table: Ordinary, reader: str) -> Report:
    """The audit of its bundle, with a head from halfway if that was not lost since."""
    host = table.host
    lines = bundle_of(host.aggregate, reader, head(host), [read_key(host.vkey)])
    seen = [head(host, table.state.size // 2)]
    return audit(BytesIO(b"".join(lines)), key=host.vkey, seen=seen)


def unseen(table: Ordinary, reader: str) -> set[int]:
    """The rolls that a bundle for this reader does not disclose."""
    return {
        roll.number
        for roll in table.state.rolls.values()
        if roll.hidden and (not reader or (roll.visibility == "self" and roll.seat != reader))
    }


def seen_in(report: Report) -> Looks:
    """The looks of a report, as `deeds.looks` gives them."""
    found: Looks = {}
    for each in report.looks:
        if each.kind != BY_CHANCE:
            found[each.kind] = [*each.entries, *[None] * (each.count - len(each.entries))]
    return found


def in_order(found: Looks) -> dict[str, list[int]]:
    """The same, sorted: the audit looks for some kinds by seat, or by roll."""
    return {kind: sorted(-1 if seq is None else seq for seq in found[kind]) for kind in found}


@pytest.mark.slow
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_every_look_at_an_ordinary_evening_is_true(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays one table for every one that the count asks for, at most MOST, all systems together."""
    kinds, only, rolls = Counter[str](), Counter[str](), 0
    quiet, quietest, next_wish = 0, 0, 0
    tables = -(-min(count, MOST) // len(TRIALS))
    for number in range(tables):
        table = evening(system, number, seed)
        over = table.over()
        rolls += len(over.rolls)
        for reader in READERS:
            report = audited(table, reader)
            which = f"table {number} of {system}, for {reader or 'anybody'}"
            assert report.exit == 0, f"{which}: {report.failed or report.unchecked}"
            found = in_order(seen_in(report))
            assert found == in_order(looks(over, unseen(table, reader))), which
            if not reader:
                quietest += not report.looks
                continue
            quiet += not report.looks
            kinds.update({each.kind: 1 for each in report.looks})
            only.update({each.kind: 1 for each in report.looks if len(report.looks) == 1})
            next_wish += any(directly_again(over))
    said = ", ".join(f"{kind} {times:,} ({only[kind]:,})" for kind, times in kinds.most_common())
    tried(
        f"{tables:,} tables, {rolls:,} rolls; {quiet:,} without a look, {quietest:,} in the file "
        f"that anybody may have; with a kind (and no other): {said}; with a roll declared again "
        f"as the very next of its character {next_wish:,}"
    )
    if tables >= ENOUGH:
        assert kinds[BY_CHANCE] <= tables // 25
