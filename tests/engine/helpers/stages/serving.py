"""`urim serve`, or `urim play`, in a process of its own, as a host starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.engine.helpers.stages.sooner import PATIENCE
from tests.tree import ROOT
from urim.events.log.location import DatabaseUrl, Location


class Serving:
    """The process, and what it printed when it listened."""

    def __init__(self, process: "subprocess.Popen[str]", said: dict[str, Any]) -> None:
        self.process = process
        self.said = said
        self.url: str = said["url"]
        self.host_link: str | None = said.get("host_link")

    def end(self, signal: int) -> tuple[int, str]:
        """Send a signal; the exit code, and what was written on standard error."""
        self.process.send_signal(signal)
        return self.wait()

    def wait(self) -> tuple[int, str]:
        """Wait for its end."""
        _, complaints = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, complaints


URIM = ("-m", "urim")
"""What Python is started with."""


def begun(
    database: Location,
    *words: str,
    before: Sequence[str] = (),
    program: Sequence[str] = URIM,
    **env: str,
) -> "subprocess.Popen[str]":
    """Start it on a free port; `before` are options of `urim` itself."""
    at = database.reveal() if isinstance(database, DatabaseUrl) else str(database)
    return started(*before, "serve", at, "--json", *words, program=program, **env)


def started(*words: str, program: Sequence[str] = URIM, **env: str) -> "subprocess.Popen[str]":
    """Start `urim` with these words."""
    return subprocess.Popen(
        [sys.executable, *program, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "URIM_SERVE_PORT": "0", **env},
    )


@contextmanager
def serving(
    database: Location, *words: str, before: Sequence[str] = (), **env: str
) -> Generator[Serving]:
    """A server that listens; killed at the end, where it has not ended by itself."""
    with listening(begun(database, *words, before=before, **env)) as running:
        yield running


@contextmanager
def listening(process: "subprocess.Popen[str]") -> Generator[Serving]:
    """What was started with --json, once it listens; killed at the end."""
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()
        yield Serving(process, json.loads(line))
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
