"""A compiler of TypeScript holds the page's modules against the types of what is sent.

`make check` has it look at the page; here it finds what is wrong.
"""

import json
import subprocess
from pathlib import Path

import pytest

from tests.engine.helpers.nodejs import NODE
from tests.engine.wire.test_typescript import TSC
from tests.tree import ROOT, plain_environment

WEB = ROOT / "engine" / "server" / "web"

MODULES = [path for path in sorted(WEB.rglob("*.js")) if "vendor" not in path.parts]

compiled = pytest.mark.skipif(not TSC.exists(), reason="make dev has not fetched TypeScript")


def tsc(project: Path) -> list[str]:
    """What the compiler finds wrong."""
    done = subprocess.run(
        [str(NODE), str(TSC), "--project", str(project), "--pretty", "false"],
        cwd=ROOT,
        env=plain_environment(NO_COLOR="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode == 0) == (not done.stdout), done.stderr
    return done.stdout.splitlines()


def test_every_module_asks_to_be_checked() -> None:
    assert len(MODULES) > 10
    assert [
        path.name for path in MODULES if not path.read_text("utf-8").startswith("// @ts-check\n")
    ] == []


WRONG = """// @ts-check
import { ask } from "WEB/state/app.js";
void ask({ do: "resolve/1" });
"""


@pytest.mark.sampled(0, rest=0)
@compiled
def test_a_command_with_a_field_too_few_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.js").write_text(WRONG.replace("WEB", str(WEB)), encoding="utf-8")
    config = {"extends": f"{WEB}/jsconfig.json", "include": ["wrong.js"]}
    (tmp_path / "jsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    assert [line for line in tsc(tmp_path / "jsconfig.json") if "wrong.js(3," in line]
