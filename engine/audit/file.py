"""A private file for what an audit need not hold in memory, gone when it is closed."""

import sqlite3

PRAGMAS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -1024;
"""
"""Nothing in it outlives the audit; 1 MiB of it is held in memory, half of SQLite's own measure."""


def private_file(tables: str) -> sqlite3.Connection:
    """A new file with these tables, in one transaction, that ends with its connection."""
    file = sqlite3.connect("", isolation_level=None)
    file.executescript(f"{PRAGMAS}{tables}BEGIN;")
    return file
