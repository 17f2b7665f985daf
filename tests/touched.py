"""How far a change is spread: the product's files that one throw runs through, and one audit.

`python -m tests.touched` prints both counts and the files. Counted are the files in which a
function ran, not those that were only imported.
"""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tests.tree import ROOT, source_files
from urim import Table
from urim.engine.audit import audit

Files = set[str]


@contextmanager
def traced() -> Generator[Files]:
    """Collect the product's files in which a function is called meanwhile, in any thread."""
    ours = {str(path): path.relative_to(ROOT).as_posix() for path in source_files()}
    found: Files = set()

    def seen(frame: FrameType, event: str, argument: object) -> None:
        file = ours.get(str(Path(frame.f_code.co_filename)))
        if event == "call" and file and frame.f_code.co_name != "<module>":
            found.add(file)

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def of_one_throw() -> Files:
    """The files of a throw: fair dice, in memory, the roll declared before."""
    table = Table("milhamah")
    roll = table.declare(table.character("Rachel", attributes={"BLE": 3}), attribute="BLE")
    with traced() as found:
        roll.roll()
    return found


def of_one_audit() -> Files:
    """The files of an audit of a whole table's bundle."""
    with traced() as found:
        audit(ROOT / "tests" / "vectors" / "table.urim.jsonl")
    return found


def main() -> None:
    """Print what was counted."""
    kinds: dict[str, Callable[[], Files]] = {"throw": of_one_throw, "audit": of_one_audit}
    for name, count in kinds.items():
        files = sorted(count())
        print(f"one {name}: {len(files)} files")
        print("".join(f"  {file}\n" for file in files), end="")


if __name__ == "__main__":
    main()
