"""The signed heads of a table: in the log, and the last one in its file outside."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, public_key, read
from ...events.entry import Entry
from ...events.log.head import Head
from ...events.log.protocol import EventLog
from ...events.merkle import Frontier
from ..service.check import WAY_OUT
from ..service.heads import read_unverified
from ..service.secrets import Secrets
from .entries import leading
from .report import Findings


class Signed(Struct, frozen=True):
    """A head, and where it is kept: in the log where there is no file."""

    head: Head
    file: str | None = None


async def read_heads(
    log: EventLog, secrets: Secrets, table: str, findings: Findings
) -> list[Signed]:
    """All heads of a table, by ascending size. Call it before the entries are read."""
    found: list[Signed] = []
    # The log's first, then the file's, which is always written before: so it is never older.
    try:
        found = [Signed(head) for head in await log.heads(table)]
    except Damaged as error:
        findings.fault("heads", error.why, table=table, way_out=WAY_OUT)
    filed = await asyncio.to_thread(_filed, secrets, table, found, findings)
    if filed is not None:
        found.append(filed)
    findings.count("heads", len(found))
    return sorted(found, key=lambda each: each.head.size)


def _filed(
    secrets: Secrets, table: str, kept: Sequence[Signed], findings: Findings
) -> Signed | None:
    """The head in the file outside; None where there is none that can be read."""
    file = secrets.heads.place(table)
    last = kept[-1].head.size if kept else 0
    try:
        note = secrets.heads.find(table)
        secrets.heads.floor(table)  # those that were set aside when an epoch began
        if note is None:
            if last and secrets.vault.there():
                why = f"it is missing, but a head of size {last} was signed"
                findings.fault("heads", why, table=table, file=file, way_out=WAY_OUT)
            return None
        found = read_unverified(note)
    except Damaged as error:
        findings.fault("heads", error.why, table=table, file=file, way_out=WAY_OUT)
        return None
    except Refused:  # others may use it, which is found with the other files
        return None
    if found.size < last:
        why = f"it went back from {last} entries to {found.size}"
        findings.fault("heads", why, table=table, file=file, way_out=WAY_OUT)
    return Signed(Head(found.size, found.root, note), file)


def check_heads(
    table: str,
    heads: Sequence[Signed],
    entries: Sequence[Entry | None],
    private: bytes | None,
    findings: Findings,
) -> None:
    """Check each head against the entries, its own note, and the host's key, if it is there."""
    whole = leading(entries)
    outside = (each.head.size for each in heads if each.file is not None)
    findings.vouch(table, max(outside, default=0), len(entries))
    tree = Frontier()
    keys: dict[str, Key] = {}
    unread = 0
    for signed in heads:
        size, known = signed.head.size, tree.size
        _check_note(table, signed, private, keys, findings)
        if size > len(entries):
            why = f"a head of size {size} was signed, and there are {len(entries)} entries"
            _fault(findings, table, signed, why, seq=len(entries))
        elif size > len(whole):
            unread += 1
        else:
            tree = tree.extend(entry.leaf for entry in whole[known:size])
            if tree.root() != signed.head.root:
                why = f"entries {known} to {size - 1} are not those that were signed"
                _fault(findings, table, signed, why, seq=known)
    if unread:
        why = f"{unread} heads were not compared: an entry before them is broken"
        findings.look("heads", why, table=table, seq=len(whole))


def _check_note(
    table: str, signed: Signed, private: bytes | None, keys: dict[str, Key], findings: Findings
) -> None:
    """Check what the note says, and who signed it."""
    head = signed.head
    try:
        found = read_unverified(head.note)
        if (found.size, found.root) != (head.size, head.root):
            raise Damaged("the head is not what was signed")
        if not found.origin.endswith(f"/t/{table}"):
            raise Damaged(f"the head is one of {found.origin}")
        if private is not None:
            if found.origin not in keys:
                keys[found.origin] = public_key(found.origin, private)
            read(head.note, [keys[found.origin]])
    except (Damaged, Refused) as error:
        _fault(findings, table, signed, f"the head of size {head.size}: {error}")


def _fault(
    findings: Findings, table: str, signed: Signed, why: str, seq: int | None = None
) -> None:
    findings.fault("heads", why, table=table, seq=seq, file=signed.file, way_out=WAY_OUT)
