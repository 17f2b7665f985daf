"""Checks files of `urim/1` test vectors: `python -m tests.vectors FILE...` from the root.

Prints a line for every group of every file. Exits 0 when all hold, 1 when a value differs, 2 when a
file cannot be read or is not of the form. Needs Urim and what Urim needs, nothing else.
"""

import sys
from collections.abc import Sequence

from tests.vectors.checks import GROUPS, LATER
from tests.vectors.form import Unreadable, read

HOLDS, DIFFERS, UNREADABLE = 0, 1, 2

SHOWN = 10
"""Differences of a group that are printed; the rest are counted."""


def main(paths: Sequence[str]) -> int:
    """Check the files; the exit status is that of the worst of them."""
    if not paths:
        print("usage: python -m tests.vectors FILE...", file=sys.stderr)
        return UNREADABLE
    return max(check_file(path) for path in paths)


def check_file(path: str) -> int:
    """Check one file and print what comes of it."""
    try:
        vectors = read(path)
    except Unreadable as error:
        print(f"{path}: not a file of urim/1 vectors: {error}", file=sys.stderr)
        return UNREADABLE
    status = HOLDS
    for group, check in GROUPS.items():
        compared = list(check(vectors))
        if not compared and group in LATER:
            continue  # a file from before there were any
        differences = [each for each in compared if each[1] != each[2]]
        held = len(compared) - len(differences)
        print(f"{path}: {group}: {held} of {len(compared)} hold")
        for where, expected, found in differences[:SHOWN]:
            print(f"  {where}: expected {expected!r}, found {found!r}")
        if len(differences) > SHOWN:
            print(f"  and {len(differences) - SHOWN} more")
        if differences:
            status = DIFFERS
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
