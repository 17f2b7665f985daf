"""What a throw at level `table` costs beside one at level `player`, and what signatures do.

The host's part alone: commands decided, sealed and kept in memory. What clients do beside, hashing
links and checking heads, is left out. Then one evening audited, with and without keys of its seats.
"""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from tests.bench import measure
from tests.bench.bench_audit import judged
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.engine.helpers.tables.forging import made
from tests.engine.helpers.tables.host import Host
from tests.engine.helpers.tables.stages import brawl, prayer
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate
from urim.events.base import Level
from urim.events.line import entry_line
from urim.events.share import link

TABLES = (4, 8)
"""Seats that are asked, the roller among them."""

ROLLER, HAND = "p1", "initiator"


class Throws(Struct, frozen=True):
    """A host whose rolls wait for their first throws, and the commands that throw them in order."""

    host: Host
    steps: tuple[tuple[str, bytes], ...]


def rows(size: Size, folder: Path) -> list[Row]:
    """Throws at both levels; then an evening."""
    return [*_throws(size), *_evening(size, folder)]


def _throws(size: Size) -> list[Row]:
    ways: dict[str, Callable[[], Throws]] = {"level `player`": partial(alone, size.rolls)}
    for seats in TABLES:
        ways[f"level `table`, {seats} seats asked"] = partial(shared, size.rolls, seats)
    more = {what: costs(made_(), size.rolls) for what, made_ in ways.items()}
    taken = measure.in_turn(
        {what: partial(_taken, made_) for what, made_ in ways.items()}, size.starts
    )
    return measure.rows("One throw in memory, by level", "throw", size.rolls, taken, more=more)


def _taken(throws: Callable[[], Throws]) -> float:
    ready = throws()
    return timed(partial(thrown, ready))


def thrown(throws: Throws) -> None:
    """Decide, seal and keep every command."""
    aggregate = throws.host.aggregate
    for seat, body in throws.steps:
        aggregate.keep(aggregate.prepare(seat, body))


def costs(throws: Throws, rolls: int) -> str:
    """Requests, entries and bytes that a throw has: of payloads, and of lines of a bundle."""
    before = len(throws.host.entries)
    thrown(throws)
    new = throws.host.entries[before:]
    payloads = sum(len(entry.payload or b"") for entry in new) / rolls
    written = sum(len(entry_line(entry)) for entry in new) / rolls
    requests = len(throws.steps) / rolls
    return (
        f"{requests:g} requests, {len(new) / rolls:g} entries,"
        f" {payloads:,.0f} bytes of payloads, {written:,.0f} in a bundle"
    )


# --- what is thrown -------------------------------------------------------------------------------


def alone(rolls: int) -> Throws:
    """Throws at level `player`."""
    host = table(rolls, 4, "player")
    return Throws(host, tuple((ROLLER, Aggregate.body(throw(host, n))) for n in numbers(host)))


def throw(host: Host, number: int) -> asked.RollDice:
    """The command of a throw, with a nonce."""
    nonce = sha256(str(number).encode()).hexdigest()
    return asked.RollDice(number, HAND, committed(host, number), nonce)


def shared(rolls: int, seats: int) -> Throws:
    """Throws with the shares of so many seats."""
    host = table(rolls, seats, "table")
    host.anchor(*sorted(host.state.seats))
    steps = (step for i, number in enumerate(numbers(host), 1) for step in _opened(host, number, i))
    return Throws(host, tuple((seat, Aggregate.body(command)) for seat, command in steps))


def _opened(host: Host, number: int, i: int) -> list[tuple[str, asked.AnyCommand]]:
    everybody = tuple(sorted(host.state.seats))
    found: list[tuple[str, asked.AnyCommand]] = [
        (ROLLER, asked.Ask(number, HAND, committed(host, number), everybody))
    ]
    for seat in everybody:
        anchor = host.state.seats[seat].anchor
        assert anchor is not None
        share = link(host.state.id, seat, host.chains[anchor.first], i)
        found.append((seat, asked.OpenShare(number, share)))
    return found


def table(rolls: int, seats: int, level: Level) -> Host:
    """A table of so many seats, the narrator's among them, where so many rolls are declared."""
    host = brawl(level)
    for at in range(3, seats):
        host.seat(f"p{at}")
    for _ in range(rolls):
        prayer(host)
    return host


def numbers(host: Host) -> Sequence[int]:
    """The rolls of a table, in order."""
    return range(1, len(host.state.rolls) + 1)


def committed(host: Host, number: int) -> int:
    """The entry of the commitment that a throw answers."""
    waiting = host.roll(number).outstanding
    assert waiting is not None
    return waiting.seq


# --- an evening -----------------------------------------------------------------------------------


def _evening(size: Size, folder: Path) -> list[Row]:
    paths = {what: folder / f"{what}.urim.jsonl" for what in ("plain", "signed")}
    plain, keyed = (evening(size.evening, keys=keys) for keys in (False, True))
    for path, host in zip(paths.values(), (plain, keyed), strict=True):
        path.write_bytes(made(host).bundle)
    names = {"without keys": paths["plain"], "every seat signs": paths["signed"]}
    taken = measure.in_turn(
        {what: partial(timed, partial(judged, path)) for what, path in names.items()}, size.starts
    )
    count = len(plain.entries)
    group = f"An evening of level `table` audited, {count:,} entries"
    more = {what: f"{path.stat().st_size:,} bytes" for what, path in names.items()}
    return measure.rows(group, "entry", count, taken, more=more)


def evening(entries: int, *, keys: bool) -> Host:
    """Rolls brought to their outcomes at a table of four seats, until it has so many entries."""
    host = table(0, TABLES[0], "table")
    if keys:
        for seat in sorted(host.state.seats):
            host.key(seat)
    host.anchor(*sorted(host.state.seats))
    while len(host.entries) < entries:
        host.finish(prayer(host))
    return host


def test_shares(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
