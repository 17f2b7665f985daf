"""Keep evenings in which what is missing happens: `python -m tests.recorded --write`.

What is kept stays as it is for ever: evenings come, and none is drawn again.
"""

import argparse

from tests.recorded.draw import SYSTEMS, drawn, file_of
from tests.recorded.kept import LIST, evenings, things_kept, written
from urim.engine.testing.recorded import keep


def main() -> None:
    """Write the evenings that are missing, and the list of what each adds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True)
    parser.parse_args()
    for system in SYSTEMS:
        for each, brings in drawn(system, things_kept()):
            file = file_of(each, brings)
            assert keep(each.aggregate, file), file
            print(f"{file.name}: {len(brings)}")
    LIST.write_text(written(), encoding="utf-8")
    print(f"{len(evenings())} evenings")


if __name__ == "__main__":
    main()
