"""Runs a command for a limited time, and ends every process that it started.

`python -m tests.bounded SECONDS COMMAND …` exits as the command does, or with OUT_OF_TIME.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

OUT_OF_TIME = 124
"""The exit code of a command that did not end in time, as timeout(1) gives it."""


def run(
    command: Sequence[str | Path],
    seconds: float | None,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> int:
    """The command's exit code, or OUT_OF_TIME. `None` for seconds waits for ever.

    The command has a process group of its own. Nothing of that group runs on afterwards.
    """
    process = subprocess.Popen(command, cwd=cwd, env=env, start_new_session=True)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return OUT_OF_TIME
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    sys.exit(run(sys.argv[2:], float(sys.argv[1])))
