"""Runs of the command line, in this process or in one of its own, and a small scenario for them."""

import json
import os
import subprocess
import sys
from typing import Any

from click.testing import CliRunner, Result

from urim.engine.cli.app import app
from urim.engine.cli.play import demos

NAMES = demos()

SCENARIO = """
title = "A prayer"
system = "milhamah"
[[character]]
name = "Rachel"
attributes = { BLE = 3 }
[[step]]
do = "declare"
as = "Rachel"
root = "אשר"
attribute = "BLE"
[[step]]
do = "roll"
faces = ["א", "ש", "ג", "ט", "ד", "ל", "ה", "מ"]
expect = { throws = 1 }
"""


def urim(*args: str, **env: str) -> Result:
    """The command line in this process, 80 columns wide."""
    settings = {"COLUMNS": "80", "FORCE_COLOR": None, **env}
    return CliRunner().invoke(app, args, env=settings, prog_name="urim")


def process(*args: str, stdout: Any = subprocess.PIPE, **env: str) -> Any:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "urim", *args],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "80", **env},
        check=False,
    )


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects of an output, one a line."""
    return [json.loads(line) for line in text.splitlines()]
