"""The files beside a log: whose they are, who may read them, and what does not belong there."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ...errors import Damaged, Refused
from ...events.log.location import DatabaseUrl, Location
from ..access.sqlite import NAME as ACCESS
from ..service.files import OTHERS, check_private
from ..service.heads import HEADS
from ..service.secrets import FileSecrets, Secrets
from ..service.sweep import AMONG, directories, leftovers
from ..service.vault import Vault
from ..snapshots.file import ENDING
from .report import Findings
from .table import Checked

SQLITE = ("", "-wal", "-shm", "-journal")
"""How the names of a database end, and of what SQLite keeps beside it."""

OURS = tuple(own + end for own in ("", ENDING) for end in SQLITE)
"""The same of the database and of its snapshots."""

TABLE = r"(?P<table>[a-z0-9]{8,32})"

FORMS = {
    "": re.compile(rf"key|heads|shares|{TABLE}(\.epoch-\d+(\.aside(\.\d+)?)?)?", re.ASCII),
    "heads": re.compile(rf"{TABLE}(\.(before|damaged)-epoch-\d+(\.\d+)?)?", re.ASCII),
    "shares": re.compile(r"[0-9a-f]{64}", re.ASCII),
}
"""The names that belong among the secrets, and in the directories within."""


def check_files(database: Location, secrets: Secrets, checked: Checked, findings: Findings) -> None:
    """Check modes, owners and names of a log's files and of all secrets.

    Of what is in a database, names, and whether it can be read.
    """
    if isinstance(secrets, FileSecrets) and secrets.directory.exists():
        _check_secrets(secrets, checked, findings)
        _check_key(secrets, findings)
    elif not isinstance(secrets, FileSecrets) and secrets.vault.there():
        _check_records(secrets.vault, checked, findings)
        _check_key(secrets, findings)
    if isinstance(database, DatabaseUrl):
        return
    _check_database(database, findings)
    for path in leftovers(database):
        why = "a process that was killed left it unfinished"
        findings.look("files", why, file=path, way_out="the next service removes it")


def _check_database(database: Path, findings: Findings) -> None:
    for end in OURS:
        path = database.with_name(database.name + end)
        try:
            status = path.stat()
        except FileNotFoundError:
            continue
        findings.count("files")
        mode = stat.S_IMODE(status.st_mode)
        if os.name != "nt" and mode & OTHERS:
            why = f"others than its owner may use it: its mode is {mode:o}. "
            why += "Who reads it sees every roll"
            way_out = f"chmod 600 {path}, unless they shall"
            findings.look("files", why, file=path, way_out=way_out)


def _check_secrets(secrets: FileSecrets, checked: Checked, findings: Findings) -> None:
    """Every file among the secrets is its owner's alone, and has a name that belongs there."""
    for folder in directories(secrets.directory):
        for path in _within(folder, findings):
            findings.count("files")
            try:
                check_private(path)
            except Refused as error:
                mode = 700 if path.is_dir() else 600
                way_out = f"chmod {mode} {path}, as its owner"
                findings.fault("files", error.why, file=path, way_out=way_out)
            except FileNotFoundError:
                continue
            # A file that somebody is writing right now comes and goes between two looks.
            if not AMONG.fullmatch(path.name):
                _check_name(path, secrets, checked, findings)


def _check_records(vault: Vault, checked: Checked, findings: Findings) -> None:
    """Every record of a database is what was written, and has a name that belongs there."""
    for folder, form in FORMS.items():
        for name in vault.names(folder):
            findings.count("files")
            whole = f"{folder}/{name}" if folder else name
            try:
                vault.read(whole, 1)
            except (Damaged, Refused) as error:
                findings.fault("files", error.why, file=vault.place(whole))
            _check_form(form.fullmatch(name), vault.place(whole), checked, findings)


def _within(folder: Path, findings: Findings) -> Iterator[Path]:
    """A directory and what it holds."""
    if not folder.exists():
        return
    yield folder
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        why = f"it cannot be read: {error.strerror}"
        findings.fault("files", why, file=folder, way_out="check it as its owner")
        return
    yield from (each for each in found if not each.is_dir())


def _check_name(path: Path, secrets: FileSecrets, checked: Checked, findings: Findings) -> None:
    """Look whether a file belongs among the secrets, and its table is in the log."""
    if path in directories(secrets.directory):
        return
    inside = path.parent != secrets.directory
    found = FORMS[path.parent.name if inside else ""].fullmatch(path.name)
    access = not inside and path.name in {ACCESS + end for end in SQLITE}
    if not access:
        _check_form(found, str(path), checked, findings)


def _check_form(
    found: re.Match[str] | None, place: str, checked: Checked, findings: Findings
) -> None:
    if found is None:
        findings.look("files", "nothing of Urim has this name", file=place)
    elif found.groupdict().get("table") not in (None, *checked.known):
        findings.look("files", f"the log has no table {found['table']!r}", file=place)


def _check_key(secrets: Secrets, findings: Findings) -> None:
    """The host's key is there wherever something was signed with it."""
    file = secrets.key.place
    way_out = "put the key back that was there"
    try:
        found = secrets.key.find()
    except (Damaged, Refused) as error:
        findings.fault("files", str(error), file=file, way_out=way_out)
        return
    if found is None and secrets.vault.names(HEADS):
        why = "it is missing, the key that heads were signed with"
        findings.fault("files", why, file=file, way_out=way_out)
