"""Golden bundles: the same table and the same roll to the byte, for every implementation to judge.

`python -m tests.vectors.bundles` writes them anew. Everything in them follows from texts; see
tests/engine/helpers/bundles.py.
"""

from collections.abc import Mapping
from pathlib import Path

from tests.engine.helpers.bundles import bundle, honest

HERE = Path(__file__).parent

ROLL = 2
"""The roll of the smaller file: level `table`, thrown with two witnesses, then voided."""


def golden() -> Mapping[str, bytes]:
    """Every golden bundle by its file's name."""
    return {
        "table.urim.jsonl": bundle(honest()),
        "roll.urim.jsonl": bundle(honest(), roll=ROLL),
    }


def main() -> None:
    """Write them."""
    for name, file in golden().items():
        (HERE / name).write_bytes(file)
        print(f"wrote {name}: {len(file)} bytes")


if __name__ == "__main__":
    main()
