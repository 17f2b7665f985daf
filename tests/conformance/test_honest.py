"""No honest table is called wrong, however it was played and whoever is given the bundle."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.conformance.run import in_process
from tests.conformance.suite import Case
from tests.engine.helpers.tables.evening import DOINGS, Evening, evening
from tests.engine.helpers.tables.forging import head, made
from tests.engine.helpers.tables.real_dice import LEVELS, VISIBILITIES
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.bundle.write import bundle_of
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused
from urim.events.checkpoint import read_key
from urim.events.roll import DiceRerolled, DiceRolled, ThrowAsked, ThrowBroken
from urim.events.table import EpochBegun

MOST = 1_000
"""Tables that are enough, those of all systems together."""

ENOUGH = 200
"""Tables of one system after which everything that people do was done."""

READERS = ("", "p1", NARRATOR)
"""Who is given the bundles: nobody in particular, a player, and the seat that sees the most."""


def files(table: Evening) -> Iterator[tuple[str, Case]]:
    """The table as a file for each reader, with a head from halfway; and one of its rolls."""
    host, state = table.host, table.state
    keys, seen = [read_key(host.vkey)], head(host, state.size // 2).decode()
    some = 1 + table.luck.below(max(1, len(state.rolls)))
    for seat in READERS:
        for roll in (None, some):
            try:
                lines = bundle_of(host.aggregate, seat, head(host), keys, roll)
            except Refused as error:
                if (error.code, roll) != ("unknown", some):  # a roll that the seat may not see
                    raise
                continue
            case = Case(b"".join(lines), host.vkey, {}, () if roll else (seen,))
            yield f"for {seat or 'anybody'}, roll {roll}", case


def counted(seats: Mapping[str, Any], looks: Mapping[str, int]) -> dict[str, Any]:
    """Of what urimcheck counts by seat that which the events alone show."""
    columns = ("throws", "asked", "kept")
    return {
        **{name: +Counter({seat: of[name] for seat, of in seats.items()}) for name in columns},
        "sealed": {roll for of in seats.values() for roll in of["sealed"]},
        "broken": {each["seq"] for of in seats.values() for each in of["broken"]},
        "epochs": looks.get("epoch", 0),
    }


def recounted(table: Evening) -> dict[str, Any]:
    """The same, from the events of the table and its state."""
    there = [entry.seq for entry in table.host.entries if entry.payload is not None]
    events = [(seq, table.host.event(seq)) for seq in there]  # those that are not erased
    proved = [e for _, e in events if isinstance(e, DiceRolled | DiceRerolled) and e.proof]
    broken = {seq: event for seq, event in events if isinstance(event, ThrowBroken)}
    asked = [seat for _, e in events if isinstance(e, ThrowAsked) for seat, _ in e.asked]
    hidden = {roll.number for roll in table.state.rolls.values() if roll.hidden}
    return {
        "throws": Counter(event.by for event in proved),
        "asked": Counter(asked),
        "kept": Counter(seat for event in broken.values() for seat in event.kept),
        "sealed": hidden,
        "broken": set(broken),
        "epochs": sum(isinstance(event, EpochBegun) for _, event in events),
    }


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_no_honest_table_is_called_wrong(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays one table for every one that the count asks for, at most MOST, all systems together."""
    did, looks, judged, quiet = Counter[str](), Counter[str](), 0, 0
    tables = -(-min(count, MOST) // len(TRIALS))
    for number in range(tables):
        table = evening(system, number, seed)
        did.update(table.did)
        whole = in_process(Case(made(table.host).bundle, table.host.vkey))
        assert counted(whole["seats"], whole["looks"]) == recounted(table), number
        for whose, case in files(table):
            said = in_process(case)
            assert said["exit"] == 0, (number, whose, said["says"])
            judged += 1
            if whose == "for anybody, roll None":
                looks.update(said["looks"].keys())
                quiet += not said["looks"]
    told = ", ".join(f"{kind} {times:,}" for kind, times in looks.most_common())
    seen = f"{tables:,} tables, {judged:,} files; {quiet:,} without a look"
    tried(f"{seen}; {told}")
    if tables >= ENOUGH:
        tracks = TRIALS[system].ruleset.tracks(TRIALS[system].ruleset.Options())
        never = set() if tracks else {"fate", "track"}
        assert {*LEVELS, *VISIBILITIES, *DOINGS, "reveal", "silent"} - did.keys() == never
