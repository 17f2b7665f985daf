"""The README is true: its code runs, its commands print what it shows, its tables are up to date.

python    run in order in one namespace for the whole page: a later block may use an earlier one's
console   run in a copy of the checkout; what a command prints, on either stream, is compared line
          by line, `...` stands for any lines, and it must succeed. Commands for make are not run
toml      must be TOML; with a [[step]] it is a scenario, and `urim run` must find it right
"""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests import generated, readme, tree
from tests.readme import Block, Command

PAGE = (tree.ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = readme.blocks(PAGE)

SHOWN = {"", "json", "mermaid", "text"}
"""The languages that are for reading only."""


def those_in(language: str) -> list[Block]:
    """The README's blocks of one language."""
    return [block for block in BLOCKS if block.language == language]


def shell(words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would, in a terminal of 80 columns without colours."""
    here = str(Path(sys.executable).parent)
    env = tree.plain_environment(COLUMNS="80", NO_COLOR="1", PYTHONUTF8="1", HOME=str(cwd))
    env["PATH"] = f"{here}:{env['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", words],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def complaint(command: Command, done: subprocess.CompletedProcess[str]) -> str | None:
    """What is wrong with how a command went, if anything is."""
    printed = done.stdout.splitlines()
    if done.returncode == 0 and readme.matches(command.expected, printed):
        return None
    lines = [f"line {command.line}: $ {command.words}", f"exit code {done.returncode}, expected:"]
    return "\n".join([*lines, *command.expected, "printed:", *printed])


def test_every_block_is_of_a_kind_we_know() -> None:
    assert {block.language for block in BLOCKS} <= SHOWN | {"python", "console", "toml"}


def test_the_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in those_in("python"):
        # The lines before it are put in, so that an error shows the README's own line.
        code = compile("\n" * (block.line - 1) + block.text, str(tree.ROOT / "README.md"), "exec")
        exec(code, namespace)  # noqa: S102 - the page is ours


def test_the_commands_print_what_is_shown(tmp_path: Path) -> None:
    cwd = tree.copy_tree(tmp_path / "urim")
    asked = [command for block in those_in("console") for command in readme.commands(block)]
    for command in asked:
        if not readme.is_make(command):
            wrong = complaint(command, shell(command.words, cwd))
            assert wrong is None, wrong


@pytest.mark.parametrize("block", those_in("toml"), ids=lambda block: f"line {block.line}")
def test_the_toml_blocks_are_right(block: Block, tmp_path: Path) -> None:
    content = tomllib.loads(block.text)
    if "step" in content:
        (tmp_path / "scenario.toml").write_text(block.text, encoding="utf-8")
        done = shell("urim run scenario.toml", tmp_path)
        assert done.returncode == 0, done.stdout


def test_make_has_every_target_that_is_named() -> None:
    makefile = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    assert readme.targets_named(PAGE) <= readme.targets(makefile)


def test_the_links_lead_to_files() -> None:
    assert not [link for link in sorted(readme.links(PAGE)) if not (tree.ROOT / link).exists()]


def test_the_generated_regions_are_fresh() -> None:
    assert generated.refreshed(PAGE) == PAGE, "run `python -m tests.generated --write`"


def test_every_generator_has_its_region() -> None:
    assert set(generated.names(PAGE)) == set(generated.GENERATORS)
