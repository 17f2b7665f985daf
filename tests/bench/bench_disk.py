"""Bytes an event takes on disk, beside the event alone and beside `eventsourcing`."""

import asyncio
from contextlib import closing
from pathlib import Path

from tests.bench import bare, durable, rival
from tests.bench.measure import FULL, Row, Size
from tests.bench.report import Report
from tests.bench.script import Script, script
from urim.events.codec import decode


def rows(size: Size, folder: Path) -> list[Row]:
    """Files of the same events, with nothing left in a write-ahead log."""
    played = script("bench000", size.rolls)
    payloads = [entry.payload or b"" for entry in played.entries]
    found = {
        "Urim": _log(played, folder / "log.db"),
        "the same rows without checks": _bare(played, folder / "bare.db"),
        "the events' JSON alone": sum(map(len, payloads)),
        "eventsourcing": _rival(played, folder / "rival.db"),
    }
    return [
        Row(
            group="Bytes on disk",
            what=what,
            unit="entry",
            count=len(payloads),
            each=(total / len(payloads),),
            ratios=() if what == "Urim" else (total / found["Urim"],),
            bytes=True,
        )
        for what, total in found.items()
    ]


def _log(played: Script, path: Path) -> int:
    asyncio.run(durable.fill(path, played.table, played.commits))
    return path.stat().st_size


def _bare(played: Script, path: Path) -> int:
    with closing(bare.connect(path)) as connection:
        bare.write(connection, [(played.table, commit) for commit in played.commits], [10**9])
    return path.stat().st_size


def _rival(played: Script, path: Path) -> int:
    facts = [decode(entry.payload or b"").event for entry in played.entries]
    with rival.on_disk(path) as application:
        rival.save_all(application, played.table, facts)
    return path.stat().st_size


def test_bytes_on_disk(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
