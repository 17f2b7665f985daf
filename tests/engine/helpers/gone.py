"""Golden samples that are kept, and read no more: shares took the place of what they are about."""

from pathlib import Path

from urim.events.codec import GONE as EVENTS_GONE

GONE = ("commit_nonce/1", "witness/1", "pass_over/1", "report_withheld/1", "set-witnessing/1")
"""Commands of earlier versions that are read no more."""

OPENS = ("void/1", "void/2", "rule/2")
"""Earlier versions that could open a nonce bound before its throw, as their samples do."""

NOT_READ = frozenset(
    f"{tag.replace('/', '-')}.json" for tag in (*GONE, *OPENS, *EVENTS_GONE, "roll-voided/1")
)
"""The names of the files."""


def still_read(folder: Path) -> list[Path]:
    """The samples of a folder, without these."""
    return [path for path in sorted(folder.glob("*.json")) if path.name not in NOT_READ]
