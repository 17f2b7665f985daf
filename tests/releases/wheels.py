"""The program of a release as a wheel: built from a checkout, written small, unpacked again."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tests.installs import expect_success, run

HARD = 9
"""How hard a wheel is packed: it is written once, and kept for ever."""


def built(checkout: Path, to: Path) -> Path:
    """Build the wheel of a checkout into a folder. The same files give the same bytes."""
    with TemporaryDirectory() as fresh:
        words = ("-m", "build", "--wheel", "--no-isolation", "--outdir", fresh, checkout)
        expect_success(run(sys.executable, *words, cwd=checkout.parent))
        [wheel] = Path(fresh).glob("*.whl")
        return small(wheel, to)


def small(wheel: Path, to: Path) -> Path:
    """Write a wheel into a folder with its files in order, all of one time, as small as may be."""
    found = to / wheel.name
    with ZipFile(wheel) as source, ZipFile(found, "w") as target:
        for name in sorted(source.namelist()):
            target.writestr(ZipInfo(name), source.read(name), ZIP_DEFLATED, HARD)
    return found


def unpacked(release: Path, to: Path) -> Path:
    """Unpack the program of a release into a new folder, where Python finds it as `urim`."""
    [wheel] = release.glob("*.whl")
    with ZipFile(wheel) as found:
        found.extractall(to)
    return to
