"""docs/testing.md is true: its files are written, its commands run, and they print what it shows.

python, toml    begin with `# NAME`: the file of that name, from there on
console         a command must succeed; in a block `console fails` it must not
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import readme, tree
from tests.readme import Block
from urim.engine.testing import plugin

PAGE = (tree.ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
UNSEEN = {**dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069")), 0xA0: " "}
"""Isolates around names and blanks that do not break, as the page writes them: not, and plain."""

INFO = "1 failed in ", "1 passed in "
"""Lines that end in a time."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A stranger's folder, whose Python has what ours has and keeps what is installed to itself."""
    run([sys.executable, "-m", "venv", "--without-pip", "env"], tmp_path)
    ours = sysconfig.get_path("purelib")
    python = tmp_path / "env" / "bin" / "python"
    [site] = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (site / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n", encoding="utf-8")
    urim = python.with_name("urim")
    urim.write_text(f"#!{python}\nfrom urim.engine.cli import main\nmain()\n", encoding="utf-8")
    urim.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    return work


def run(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program as a reader of the page would."""
    env = tree.plain_environment(COLUMNS="80", NO_COLOR="1", PYTHONUTF8="1", HOME=str(cwd))
    # Nothing is fetched: what builds the reader's package is there already.
    env |= {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1"}
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if "pip install" in words[-1]:
        env["PYTHONWARNINGS"] = "ignore"  # setuptools warns of every editable installation
    env["PATH"] = os.pathsep.join([str(cwd.parent / "env" / "bin"), env["PATH"]])
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        env.pop(name, None)
    return subprocess.run(
        words,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def must_fail(block: Block) -> bool:
    """Whether the page expects the block's commands to fail."""
    return PAGE.splitlines()[block.line - 2].endswith("console fails")


def plain(lines: list[str]) -> list[str]:
    """Printed lines as the page writes them: nothing unseen, no times."""
    bare = (line.translate(UNSEEN) for line in lines)
    return [
        next((f"{start}..." for start in INFO if line.startswith(start)), line) for line in bare
    ]


def problems(block: Block, home: Path) -> Iterator[str]:
    """Where the output is not what the page shows."""
    for command in readme.commands(block):
        done = run(["/bin/sh", "-c", command.words], home)
        printed = plain(done.stdout.splitlines())
        if (done.returncode != 0) != must_fail(block):
            yield f"line {command.line}: exit code {done.returncode}:\n{done.stdout}"
        elif not readme.matches(command.expected, printed):
            yield f"line {command.line}: $ {command.words}\n" + "\n".join(printed)


def test_the_page_does_as_it_says(home: Path) -> None:
    for block in readme.blocks(PAGE):
        first = block.text.splitlines()[0]
        if block.language == "console":
            for problem in problems(block, home):
                pytest.fail(problem, pytrace=False)
        else:
            assert first.startswith("# ") and block.language in ("python", "toml"), first
            (home / first[2:]).write_text(block.text, encoding="utf-8")


def test_every_fixture_is_told_of() -> None:
    fixtures = [name for name in vars(plugin) if name.startswith("urim_")]
    assert len(fixtures) == 4
    assert all(f"| `{name}` |" in PAGE for name in fixtures)
    assert plugin.MARKER.replace("'", '"') in PAGE
