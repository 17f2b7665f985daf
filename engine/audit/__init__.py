"""A bundle is judged by its own lines: by urimcheck, then by deciding every command again.

urimcheck (`engine.verifier.urimcheck`) says whether the dice that stand were chosen by anybody; it
shares no code with the engine. The rerun is that engine, and says whether the table was played by
its rules. A whole bundle is held in memory.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from ...errors import Refused
from ...projections.tables import Rulesets
from ...rules import ruleset_named
from ..verifier import urimcheck
from .report import FAILED, PASSED, UNCHECKED, Remark, Report, Rules, as_json, written
from .rerun import run

__all__ = [
    "FAILED",
    "PASSED",
    "UNCHECKED",
    "Remark",
    "Report",
    "Rules",
    "as_json",
    "audit",
    "written",
]


@urimcheck.uncollected()
def audit(
    source: Path | bytes | BinaryIO,
    *,
    key: str | None = None,
    seen: Sequence[bytes] = (),
    seats: Mapping[str, str | None] = MappingProxyType({}),
    rulesets: Rulesets = ruleset_named,
    now: int | None = None,
) -> Report:
    """Judge a bundle.

    `key` is the vkey that the log's host is trusted by; without one the header's own are believed,
    and the report says so. `seen` are checkpoints of the same log, remembered from earlier. `seats`
    are the public keys in base64 that seats are known by, None for one that is not known. `now` is
    the reader's clock in milliseconds since 1970, the machine's where none is given.
    Raises Refused("unreadable") for a file that is no bundle, and for a `key`, one of `seen` or of
    `seats` that is none, or is another log's.
    """
    notes = [note.decode("utf-8", "replace") for note in seen]
    try:
        with source.open("rb") if isinstance(source, Path) else nullcontext(source) as content:
            proof = urimcheck.check(content, key=key, seats=seats, seen=notes, now=now)
    except urimcheck.Unreadable as error:
        raise Refused("unreadable", f"the bundle cannot be judged: {error}") from error
    except OSError as error:
        name = source if isinstance(source, Path) else "the file"
        raise Refused("unreadable", f"{name} cannot be read: {error.strerror}") from error
    return Report(proof, run(proof, rulesets))
