"""One at a time holds the lock of a directory: others wait for it, or are refused it."""

import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from urim.engine.service.files import alone
from urim.errors import Unavailable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="directories have no locks there")


def test_who_waits_for_a_directory_has_it_once_it_is_free(tmp_path: Path) -> None:
    held, free = Event(), Event()
    order: list[str] = []

    def second() -> None:
        held.wait()
        free.set()
        with alone(tmp_path, wait=True):
            order.append("second")

    other = Thread(target=second)
    other.start()
    with alone(tmp_path, wait=True):
        held.set()
        assert free.wait(30)
        other.join(0.1)  # it would be through by now
        order.append("first")
    other.join(30)
    assert order == ["first", "second"]


def test_who_does_not_wait_is_refused_while_it_is_held(tmp_path: Path) -> None:
    refused = pytest.raises(Unavailable, match="in use by another process")
    with alone(tmp_path, wait=True), refused, alone(tmp_path, wait=False):
        pass
    with alone(tmp_path, wait=False):
        pass
