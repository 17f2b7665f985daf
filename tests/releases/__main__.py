"""Write what a release leaves to those after it: `python -m tests.releases --write 0.2`."""

import argparse

from tests.releases.keep import HERE, write
from urim import __version__


def main() -> None:
    """Write the files of this release, once: what was released stays as it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", metavar="VERSION", required=True, help="MAJOR.MINOR")
    version = parser.parse_args().write
    ours = __version__.rpartition(".")[0]
    if version != ours:
        parser.error(f"this is {__version__}: only the files of {ours} may be written")
    if (HERE / version).exists():
        parser.error(f"{version} is released: its files stay as they are")
    write(HERE / version)
    print(f"Written: {len(list((HERE / version).iterdir()))} files in tests/releases/{version}")


if __name__ == "__main__":
    main()
