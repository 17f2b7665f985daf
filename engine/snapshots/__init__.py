"""Snapshots: what a table has come to, kept beside its log, so that opening costs the tail.

    snapshots = Snapshots(path)
    table = snapshots.table("mytable1", key)

A snapshot is a cache: deleting it changes nothing but time. Whatever grows with a table's log is
rows of a file or a database, read again when it is asked for; what was used last is in memory,
bounded in bytes for all tables together. A row or a head that is not as it was written, of another
table, version or code, or newer than its log, is thrown away with its table's whole snapshot.
"""

from .file import Snapshots
from .kind import Outdated
from .protocol import StaleSnapshot
from .rows import SnapshotStore

__all__ = ["Outdated", "SnapshotStore", "Snapshots", "StaleSnapshot"]
