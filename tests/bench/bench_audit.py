"""An audit of a bundle, beside urimcheck, its hashes, draws and JSON alone; and its memory.

Then the audit of an evening beside Urim's own deciding of it: body by body, as the host did.

URIM_COUNT says how many entries the bundle has, up to 100,000: `URIM_COUNT=100000 make bench`.
"""

import gc
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from tests.bench import bare, measure, script
from tests.bench.measure import FULL, Row, Size, timed
from tests.bench.report import Report
from tests.tree import ROOT
from urim.engine.audit import audit
from urim.engine.audit.again import again
from urim.engine.bundle.read import entries_of_bundle
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate
from urim.engine.verifier import urimcheck
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import decode
from urim.events.entry import Entry
from urim.events.roll import DiceRerolled, DiceRolled, RollResolved
from urim.events.throw import DRAW_BYTES

TABLE = "bench000"
ORIGIN = f"urim.local/t/{TABLE}"
COUNT = min(int(os.environ.get("URIM_COUNT", "0")), 100_000)
LARGE = 50_000
"""Entries from which one round is enough."""

STATUS = Path("/proc/self/status")

SIXTH = 1 / 6
"""The hashes and draws alone may take a sixth of the audit's time, not less."""

THIRDS = 1 / 1.5
"""The deciding may take so much of what the audit takes, not less."""

AUDIT = "Urim: urimcheck, then the rerun"
PROOF = "urimcheck alone"
AGAIN = "its rerun alone"
DECIDING = "Urim's own deciding of it"
HASHES = "its hashes and draws alone"
JSON = "its JSON alone"


def rows(size: Size, folder: Path) -> list[Row]:
    """One bundle, audited, and what that takes at the least; then an evening."""
    return [*_bundle(size, folder), *_evening(size, folder)]


def _bundle(size: Size, folder: Path) -> list[Row]:
    path = folder / "bench.urim.jsonl"
    entries = played(max(COUNT if size is FULL else 0, size.rolls * 9))
    events = [decode(entry.payload or b"").event for entry in entries]
    throws = [event for event in events if isinstance(event, (DiceRolled, DiceRerolled))]
    write(entries, path)
    rounds = 1 if len(entries) > LARGE else size.rounds
    taken = measure.in_turn(
        {
            AUDIT: lambda: timed(partial(judged, path)),
            PROOF: lambda: timed(partial(proved, path)),
            AGAIN: lambda: timed(partial(rerun, path)),
            HASHES: lambda: timed(lambda: hashes(entries, throws)),
            JSON: lambda: timed(partial(parsed, path)),
        },
        rounds,
    )
    group = f"Auditing a bundle of {len(entries):,} entries"
    more = {AUDIT: memory(path, entries)}
    return measure.rows(group, "entry", len(entries), taken, aims={HASHES: SIXTH}, more=more)


def _evening(size: Size, folder: Path) -> list[Row]:
    path = folder / "evening.urim.jsonl"
    bodies: list[tuple[str, bytes]] = []
    entries = played(size.evening, bodies)
    write(entries, path)
    ways: dict[str, measure.Way] = {
        AUDIT: lambda: timed(partial(judged, path)),
        DECIDING: lambda: timed(partial(decided, bodies)),
    }
    taken = measure.in_turn(ways, size.starts)
    group = f"An evening of {len(entries):,} entries, audited and decided"
    return measure.rows(group, "entry", len(entries), taken, aims={DECIDING: THIRDS})


def decided(bodies: Sequence[tuple[str, bytes]]) -> None:
    """Each command decided, sealed and folded, as it was when it was asked."""
    aggregate = script.opened(script.script(TABLE, 0))
    for seat, body in bodies:
        aggregate.keep(aggregate.prepare(seat, body))


def played(entries: int, bodies: list[tuple[str, bytes]] | None = None) -> tuple[Entry, ...]:
    """The log of a table that grew to at least so many entries; no nonce occurs twice in it.

    `bodies` takes in the seat and the command of each request.
    """
    aggregate = script.opened(script.script(TABLE, 0))

    def ask(seat: str, command: Any) -> None:
        body = Aggregate.body(command)
        aggregate.keep(aggregate.prepare(seat, body))
        if bodies is not None:
            bodies.append((seat, body))

    while len(aggregate.entries) < entries:
        number = len(aggregate.opened.rolls) + 1
        ask(script.STRIKER, asked.Declare("c1", script.STRIKE))
        ask(script.TOAD, asked.React(number, "c2", script.ANSWER))
        for seat, command in _steps(aggregate, number):
            ask(seat, command)
    return tuple(aggregate.entries)


def _steps(aggregate: Aggregate, number: int) -> Iterator[tuple[str, Any]]:
    while True:
        state = aggregate.opened
        nonce = sha256(f"{number}/{state.rolls[number].throws}".encode()).hexdigest()
        step = script.next_step(state, state.rolls[number], nonce)
        if step is None:
            return
        yield step


def write(entries: Sequence[Entry], path: Path) -> None:
    """The log as a signed bundle."""
    aggregate = Aggregate(script.around())
    aggregate.load(entries)
    root = aggregate.frontier.root()
    note = sign(Checkpoint(ORIGIN, len(entries), root), script.SECRET)
    with path.open("wb") as file:
        file.writelines(bundle_of(aggregate, "", note, [public_key(ORIGIN, script.SECRET)]))


def judged(path: Path) -> None:
    """The whole audit; nothing may be wrong with it."""
    report = audit(path)
    assert report.exit == 0, report.failed


def proved(path: Path) -> None:
    """The first part of it."""
    with path.open("rb") as source:
        assert urimcheck.check(source).exit == 0


def rerun(path: Path) -> None:
    """The second part of it, as `urim rerun` has it; nothing may differ."""
    found = again([*entries_of_bundle(path)])
    assert (found.otherwise, found.unchecked) == ((), ())


def hashes(entries: Sequence[Entry], throws: Sequence[DiceRolled | DiceRerolled]) -> None:
    """Digest, leaf and node of every entry, each throw's hashes and draws, and the signature."""
    for entry in entries:
        sha256(b"urim/1 payload\n" + (entry.salt or b"") + (entry.payload or b"")).digest()
        sha256(b"\x00urim/1 entry\n0\n0\nopen\n" + entry.digest.hex().encode()).digest()
        sha256(b"\x01" + entry.leaf + entry.leaf).digest()
    algorithm = SHA256()
    for event in throws:
        seed = bytes.fromhex((event.proof.seed if event.proof else None) or "")
        sha256(b"urim/1 seed\nbench000/1/0\n" + seed.hex().encode()).digest()
        key = HKDF.extract(algorithm, sha256(seed * 8).digest(), seed)
        for j in range(len(event.dice)):
            info = b"urim/1 die\n%d\n%d\n" % (j, 0)
            HKDFExpand(algorithm, DRAW_BYTES, info).derive(key)
    key_pair = Ed25519PrivateKey.from_private_bytes(script.SECRET)
    key_pair.public_key().verify(key_pair.sign(b"a head"), b"a head")


def parsed(path: Path) -> None:
    """Every line read, and every event decoded."""
    with path.open("rb") as file:
        payloads = [json.loads(line).get("payload", "").encode() for line in file]
    bare.decode(filter(None, payloads))


def memory(path: Path, entries: Sequence[Entry]) -> str:
    """The most memory that the audit needs in a process of its own, and how it grows with a log."""
    events = [decode(entry.payload or b"").event for entry in entries]
    resolved = [seq for seq, event in enumerate(events, 1) if isinstance(event, RollResolved)]
    cut = resolved[(len(resolved) - 1) // 2]
    throws = sum(isinstance(event, (DiceRolled, DiceRerolled)) for event in events[cut:])
    half = path.with_name("half.urim.jsonl")
    write(entries[:cut], half)
    command = [sys.executable, "-m", "tests.bench.bench_audit", str(half), str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    before, small, large = map(int, done.stdout.split())
    more = f"{(large - small) / throws:,.0f} bytes a throw beyond those of half of it"
    return f"peak {(large - before) / 2**20:,.1f} MiB, {more}"


def main(half: Path, path: Path) -> None:
    """Audit two bundles; print the memory at the start, and the most of it after each."""
    gc.collect()
    start = _memory("VmRSS")
    judged(half)
    small = _memory("VmHWM")
    judged(path)
    print(start, small, _memory("VmHWM"))


def _memory(which: str) -> int:
    """Bytes of memory, now (VmRSS) or at most (VmHWM); 0 where the system has no such file."""
    found = re.search(rf"{which}:\s+(\d+) kB", STATUS.read_text()) if STATUS.exists() else None
    return int(found.group(1)) * 1024 if found else 0


def test_audit(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
