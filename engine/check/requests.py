"""The requests that a table answered: each is what a commit holds, under the table's secret."""

import hmac
from collections.abc import Sequence

from ...errors import Damaged
from ...events.codec import asked_in
from ...events.entry import Entry
from ...events.log.protocol import Commit, EventLog
from ...events.log.whole import check_requests
from .entries import RESTORE, has_payload
from .report import MOST, Findings


async def read_requests(log: EventLog, table: str, size: int, findings: Findings) -> list[Commit]:
    """The requests of the first `size` entries. Call it once those are read: others may add."""
    try:
        kept = await log.requests(table)
    except Damaged as error:
        _fault(findings, table, error)
        return []
    found = [each for each in kept if each.start < size]
    findings.count("requests", len(found))
    return found


def check_kept(
    table: str, entries: Sequence[Entry | None], commits: Sequence[Commit], findings: Findings
) -> None:
    """Check that the requests kept are those that the commits hold; broken commits are left out."""
    broken = _broken(entries)
    rows = [entry for entry in entries if entry is not None and entry.commit not in broken]
    kept = [each for each in commits if each.start not in broken]
    for _ in range(MOST + 1):
        try:
            check_requests(rows, kept)
        except Damaged as error:
            _fault(findings, table, error)
            if error.seq is None:
                return
            rows = [entry for entry in rows if entry.commit != error.seq]
            kept = [each for each in kept if each.start != error.seq]
        else:
            return


def _broken(entries: Sequence[Entry | None]) -> set[int]:
    """The commits that cannot be read: by the sequence of their first entry."""
    found: set[int] = set()
    before: Entry | None = None
    for seq, entry in enumerate(entries):
        if entry is None:
            found.add(seq)
            if before is not None:
                found.add(before.commit)
        else:
            if seq and entries[seq - 1] is None:
                found.add(entry.commit)
            if entry.seq == entry.commit and not has_payload(entry):
                found.add(entry.commit)
            before = entry
    return found


def check_macs(
    table: str,
    entries: Sequence[Entry | None],
    commits: Sequence[Commit],
    secrets: Sequence[bytes | None],
    findings: Findings,
) -> None:
    """Check each request's HMAC, under the secret of any epoch."""
    unknown = 0
    for commit in commits:
        first = entries[commit.start]
        if first is None or not has_payload(first):
            continue
        asked = asked_in(first)
        if asked is None:
            continue
        body = asked.body.encode("utf-8")
        macs = (hmac.digest(secret, body, "sha256") for secret in secrets if secret is not None)
        if any(hmac.compare_digest(mac, commit.request.mac) for mac in macs):
            continue
        if None in secrets:
            unknown += 1
        else:
            why = f"the mac of request {commit.request.id!r} is not of what was asked"
            _fault(findings, table, Damaged(why, seq=commit.start))
    if unknown:
        why = f"the macs of {unknown} requests were not checked: a secret is not there"
        findings.look("requests", why, table=table)


def _fault(findings: Findings, table: str, error: Damaged) -> None:
    findings.fault("requests", error.why, table=table, seq=error.seq, way_out=RESTORE)
