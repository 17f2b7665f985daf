"""The private file of an audit is closed once nobody has it."""

import gc
import sqlite3

import pytest

from urim.engine.audit.cache import PrivateFile


def test_a_file_that_nobody_has_any_more_is_closed() -> None:
    file = PrivateFile()
    found = file.run("SELECT 1")
    del file
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        found.connection.execute("SELECT 1")
