"""What belongs to a log and is kept beside it, by where the log is: secrets, and snapshots.

Beside a file they are files. Of a log in a database they are in that database, the secrets perhaps
where the environment says:

URIM_SECRETS      where the secrets, the host's key and the signed heads are: another URL, as of a
                  role of their own, or a directory
URIM_SECRETS_KEY  the file of the key under which they are encrypted in a database; every machine
                  has the same. By itself `secrets/key` among what is kept for the user
"""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...events.log.location import DatabaseUrl, Location, located
from ...events.log.opening import with_extra
from ..snapshots.file import MEMORY, Snapshots
from ..snapshots.rows import SnapshotStore
from .files import state_directory
from .secrets import FileSecrets, Secrets

if TYPE_CHECKING:
    from .postgres.snapshots import PostgresSnapshots

SECRETS = "URIM_SECRETS"

KEY_FILE = "URIM_SECRETS_KEY"


def secrets_of(at: Location) -> Secrets:
    """The secrets of a log's tables. Nothing is made or connected yet.

    Raises Refused("due") for a database where the extra `postgres` is not installed.
    """
    if isinstance(at, Path):
        return FileSecrets.beside(at)
    where = located(os.environ.get(SECRETS) or at)
    if isinstance(where, Path):
        return FileSecrets(where)
    vault = with_extra(f"{__package__}.postgres").PostgresVault
    return Secrets(vault(where.reveal(), key_file()))


def key_file() -> Path:
    """The file of the key under which secrets are encrypted in a database."""
    named = os.environ.get(KEY_FILE)
    return Path(named) if named else state_directory() / "secrets" / "key"


def snapshots_of(at: Location, memory: int = MEMORY) -> SnapshotStore:
    """The snapshots of a log's tables. Nothing is made or connected yet. Raises as `secrets_of`."""
    if isinstance(at, Path):
        return Snapshots.beside(at, memory)
    store: type[PostgresSnapshots]
    store = with_extra(f"{__package__}.postgres.snapshots").PostgresSnapshots
    return store(at.reveal(), memory)


def copy_snapshots(at: DatabaseUrl, to: Snapshots, table: str | None = None) -> None:
    """Copy the snapshots of a log in a database, all or one table's, as they are at one moment.

    Raises as `secrets_of`, and as `urim.engine.service.postgres.snapshots.copying.copy`. It is for
    a thread without an event loop.
    """
    copying = with_extra(f"{__package__}.postgres.snapshots.copying")
    asyncio.run(copying.copy(at.reveal(), to, table))
