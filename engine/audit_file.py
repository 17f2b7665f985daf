"""A private file for what an audit need not hold in memory, gone when it is closed."""

import sqlite3

PAGES_KIB = 256
"""KiB of a private file that SQLite holds in memory; by itself it would hold eight times that."""


def private_file() -> sqlite3.Connection:
    """A new file that ends with its connection. It is on the disk only as far as it must be."""
    file = sqlite3.connect("", isolation_level=None)
    file.execute(f"PRAGMA cache_size = -{PAGES_KIB}")
    return file
