"""The programs that tests need beside Python: where they are, and how to get those that are not.

    nginx = needed("nginx")   # skips the test where there is none

PostgreSQL is not one of them: see tests/events/postgres/server.py.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import Struct

SYSTEM = "/usr/sbin"
"""Where a distribution has servers; not everybody's PATH names it."""


class Program(Struct, frozen=True):
    """How a program is found, and got.

    It may have several `names`, and a variable of the environment may say where it is.
    """

    get: str
    names: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    variable: str | None = None


PROGRAMS: Mapping[str, Program] = {
    "bash": Program("apt-get install bash"),
    "chromium": Program(
        "apt-get install chromium-headless-shell, or chromium",
        ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
        variable="URIM_CHROMIUM",
    ),
    "curl": Program("apt-get install curl"),
    "nginx": Program("apt-get install nginx-light", folders=(SYSTEM,)),
    "openssl": Program("apt-get install openssl (3.0 or later)"),
    "pgbouncer": Program("apt-get install pgbouncer", folders=(SYSTEM,)),
    "setpriv": Program("apt-get install util-linux"),
    "strace": Program("apt-get install strace"),
    "systemd-analyze": Program("apt-get install systemd"),
}
"""By the name that tests call it."""


def found(name: str) -> Path | None:
    """Where a program of the table is; None where it is not."""
    program = PROGRAMS[name]
    if program.variable and (given := os.environ.get(program.variable)):
        return Path(given)
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *program.folders))
    places = (shutil.which(each, path=path) for each in program.names or (name,))
    return next((Path(place) for place in places if place), None)


def missing(name: str) -> str:
    """That a program is not here, and how to get it."""
    program = PROGRAMS[name]
    more = f", or say in {program.variable} where it is" if program.variable else ""
    return f"no {name} is here: {program.get}{more}"


def needed(name: str) -> Path:
    """Where a program of the table is. Skips the test where it is not."""
    path = found(name)
    if path is None:
        pytest.skip(missing(name))
    return path
