"""The command `urim check`: a log's file, and all that is kept beside it, whole or not."""

import asyncio
import sys

from ...events.log.location import Location
from ..check import check
from ..render.check import check_objects, check_parts
from ..render.text import page, pen_of
from .database import ANY_TABLE, DATABASE, must_be_there
from .frame import command
from .progress import progress
from .shared import FAILED, PASSED, exit_with, print_objects


@command(
    DATABASE,
    ANY_TABLE,
    name="check",
)
def check_log(database: Location, *, table: str | None, as_json: bool) -> None:
    """Check a log: every entry, signed head and request, the secrets, and whose the files are.

    Nothing is changed, and others may use the log meanwhile. All faults are listed.
    """
    must_be_there(database)
    with progress(as_json=as_json) as show:
        done = 0

        def read(more: int) -> None:
            nonlocal done
            done += more
            if show is not None:
                show(f"{done:,} entries")

        report = asyncio.run(check(database, table, read))
    code = PASSED if report.whole else FAILED
    if as_json:
        print_objects(check_objects(report, code))
    else:
        out = page(sys.stdout)
        for part in check_parts(report, pen_of(out)):
            out.print(part)
    exit_with(code)
