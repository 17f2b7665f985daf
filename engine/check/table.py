"""One table of a log, checked with all that is kept of it."""

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events.log.protocol import EventLog
from ...events.throw import checked_table
from ...projections.tables import TableState
from ..core.aggregate import environment
from ..core.sources import Fair
from ..service.secrets import WITH_SECRET, Secrets
from .entries import RESTORE, check_places, check_whole, fold_events, leading, read_entries
from .heads import check_heads, read_heads
from .report import Findings, Progress
from .requests import check_kept, check_macs, read_requests
from .snapshots import CheckedSnapshots

PUT_BACK = "put the directory of the secrets back, or begin an epoch (urim epoch)"


class Checked(Struct, frozen=True):
    """The tables that a log has, and those of them that were chosen."""

    known: tuple[str, ...]
    chosen: tuple[str, ...]


async def check_table(
    log: EventLog,
    secrets: Secrets,
    table: str,
    findings: Findings,
    progress: Progress,
    snapshots: CheckedSnapshots,
) -> None:
    """Check everything that is kept of a table.

    What is read first is held against what is read later: the log only grows meanwhile.
    """
    try:
        checked_table(table)
    except Refused as error:
        findings.fault("entries", str(error), table=table, way_out=RESTORE)
        return
    heads = await read_heads(log, secrets, table, findings)
    entries = await read_entries(log, table, findings, progress)
    commits = await read_requests(log, table, len(entries), findings)

    def rest() -> None:
        check_places(table, entries, findings)
        check_whole(table, entries, findings)
        state = fold_events(table, entries, findings)
        check_kept(table, entries, commits, findings)
        check_heads(table, heads, entries, _key(secrets), findings)
        if state is not None:
            known = secrets_of(state, secrets, findings)
            check_macs(table, entries, commits, known, findings)
            _check_commitments(state, known, findings)
            around = replace(environment(state.source), secret=known[0] or b"")
            snapshots.check(table, leading(entries), around, known[0], findings)

    await asyncio.to_thread(rest)


async def check_gone(log: EventLog, secrets: Secrets, table: str, findings: Findings) -> None:
    """Check a table of which there is a head outside, and not one entry."""
    heads = await read_heads(log, secrets, table, findings)
    await asyncio.to_thread(check_heads, table, heads, [], _key(secrets), findings)


def _key(secrets: Secrets) -> bytes | None:
    """The host's key; what is wrong with it is found once, with the files."""
    try:
        return secrets.key.find()
    except (Damaged, Refused):
        return None


def secrets_of(state: TableState, secrets: Secrets, findings: Findings) -> tuple[bytes | None, ...]:
    """The secrets of a table's epochs, oldest first; None for one that is not there."""
    if state.source not in WITH_SECRET:
        return (environment(state.source).secret,)
    found: list[bytes | None] = []
    for epoch in range(state.epoch + 1):
        name = f"{state.id}.epoch-{epoch}" if epoch else state.id
        file = secrets.vault.place(name)
        secret = None
        try:
            secret = secrets.find_epoch(state.id, epoch) if epoch else secrets.find(state.id)
            findings.count("secrets", secret is not None)
            if secret is None and secrets.vault.there():
                # Of an earlier epoch it may have been lost for good, which is why that one ended.
                tell = findings.fault if epoch == state.epoch else findings.look
                tell("secrets", "it is missing", table=state.id, file=file, way_out=PUT_BACK)
        except Damaged as error:
            findings.fault("secrets", error.why, table=state.id, file=file, way_out=PUT_BACK)
        except Refused:  # others may use it, which is found with the other files
            pass
        found.append(secret)
    if not secrets.vault.there():
        why = f"there is no {secrets.vault.shown}: the table can be read, and not played at"
        findings.look("secrets", why, table=state.id, way_out=PUT_BACK)
    return tuple(found)


def _check_commitments(
    state: TableState, secrets: tuple[bytes | None, ...], findings: Findings
) -> None:
    """Check that what was committed to for the next throw of each roll follows from a secret."""
    if state.source != "fair" or None in secrets:
        return
    dice = [Fair(secret) for secret in secrets if secret is not None]
    for roll in state.rolls.values():
        waiting = roll.outstanding
        if waiting is None:
            continue
        found = (each.commit(state.id, roll.number, waiting.throw) for each in dice)
        if waiting.commit not in found:
            why = f"the commitment of roll {roll.number} does not follow from the table's secret"
            findings.fault("secrets", why, table=state.id, seq=waiting.seq, way_out=PUT_BACK)
