"""A log, and all that is kept beside it, checked without touching any of it.

    report = asyncio.run(check(Path("night.db")))

Every entry, event, request, signed head, snapshot and secret file. All faults are listed, not only
the first. The file may be in use: it is checked as it was at one moment, and what others add
meanwhile is no fault.
"""

import asyncio

from ...errors import Damaged, Refused
from ...events.log.location import Location
from ...events.log.opening import LastingLog, open_log_reading
from ..service.beside import secrets_of
from ..service.secrets import Secrets
from .files import check_files
from .report import Findings, Progress, Report
from .snapshots import CheckedSnapshots
from .table import Checked, check_gone, check_table


async def check(
    database: Location, table: str | None = None, progress: Progress = lambda done: None
) -> Report:
    """Check a log: one table of it, or all.

    `progress` is called with how many entries were read. Raises Refused("unreadable") for what is
    no log, or may not be read; Refused("unknown") for a table that is not there; Unavailable where
    the disk fails.
    """
    findings = Findings()
    secrets = secrets_of(database)
    log = await _opened(database, findings)
    if log is None:
        return findings.report(str(database), 0)
    try:
        snapshots = await asyncio.to_thread(CheckedSnapshots, database, findings, table)
        try:
            checked = await _tables(log, secrets, table, findings, progress, snapshots)
        finally:
            await asyncio.to_thread(snapshots.close)
    finally:
        await log.close()
    await asyncio.to_thread(check_files, database, secrets, checked, findings)
    await asyncio.to_thread(secrets.close)
    return findings.report(str(database), len(checked.chosen))


RESTORE = "restore it from a backup"


async def _opened(database: Location, findings: Findings) -> LastingLog | None:
    """The log, or what is left of a damaged one; None where that cannot be read either."""
    findings.count("file")
    try:
        return await open_log_reading(database)
    except Damaged as error:
        findings.fault("file", error.why, file=str(database), way_out=RESTORE)
    try:
        return await open_log_reading(database, left=True)
    except (Damaged, Refused):
        return None


async def _tables(
    log: LastingLog,
    secrets: Secrets,
    table: str | None,
    findings: Findings,
    progress: Progress,
    snapshots: CheckedSnapshots,
) -> Checked:
    try:
        known = await log.tables()
        for why in await log.structure():
            findings.fault("file", why, way_out=RESTORE)
    except Damaged as error:
        findings.fault("file", error.why, way_out=RESTORE)
        return Checked((), ())
    if table is not None and table not in known:
        raise Refused("unknown", f"no table {table!r}", allowed=known)
    checked = Checked(known, known if table is None else (table,))
    for each in checked.chosen:
        await check_table(log, secrets, each, findings, progress, snapshots)
    if table is None:
        for each in await asyncio.to_thread(secrets.heads.tables):
            if each not in known:
                await check_gone(log, secrets, each, findings)
    return checked
