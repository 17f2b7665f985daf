"""The pages are true: README.md and docs/ run, print what they show, and lead where they say.

The blocks of a page are taken in order, in a folder of the reader's: a copy of the checkout, or for
the pages OUTSIDE one that holds other folders, for a reader's project is seldom alone.

# NAME    a python or toml block that begins so is written to the file NAME
python    any other runs, in one namespace a page: a later block may use an earlier one's names
console   what a command prints, on either stream, is compared line by line, `...` stands for any
          lines; it must succeed, in a block `console fails` it must not. Commands for make are not
          run
toml      any other must be TOML; with a [[step]] it is a scenario, and `urim run` must pass it
"""

import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import generated, readme, tree, warm
from tests.engine.helpers import nodejs
from tests.readme import PAGES, Block, Command
from urim.engine.scenario import Scenario
from urim.engine.scenario.steps import OWN

OUTSIDE = frozenset(
    f"docs/{name}.md"
    for name in (
        *("api", "clients", "disputes", "server", "shell", "systems", "testing"),
        *("tours/dispute", "tours/rules"),
    )
)
"""Pages about a project of the reader's own, in which Urim is installed."""

BESIDE = ("maps/__init__.py", "maps/cellar.py", "letters/rachel.txt", "data/x.py", "tests/x.py")
"""Files of the reader's that are no part of it, in folders that setuptools takes for packages."""

TEXTS = {path.relative_to(tree.ROOT).as_posix(): path.read_text("utf-8") for path in PAGES}
"""Every page by its name."""

RUN = [name for name, text in TEXTS.items() if readme.blocks(text)]

LINKED = [*PAGES, *(tree.ROOT / name for name in ("CHANGELOG.md", ".github/CONTRIBUTING.md"))]

SHOWN = {
    "mermaid": "printed from the code, region `diagram`",
    "js": "a part of a client, of which a test knows that it can be read",
    "sql": "roles of a database, which tests/engine/postgres makes from the page",
    "text": "bytes or frames, with words between them; tests of their own hold them",
}
"""The languages that are for reading only, each with the reason."""

RUNS = {"python", "console"}
"""The languages that are run."""

COLD = {"README.md"}
"""Pages of which each command is a process of its own from its start, as a reader's is."""

PORT = "8000"
"""The port of the pages' servers."""

DATABASE = re.compile(r"[\w-]+\.db\b")

FILE = re.compile(r"# (?P<name>[\w.-]+\.(?:py|toml))\n")

UNSEEN = {**dict.fromkeys(map(ord, "\u2066\u2067\u2068\u2069")), 0xA0: " "}
"""Isolates around names and blanks that do not break, as the pages write them: not, and plain."""


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a process waits for commands that has loaded the command line."""
    path = tmp_path_factory.mktemp("warm") / "line"
    with warm.running(path):
        yield path


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """A reader's folder, with a Python that has what ours has and keeps what it installs."""
    words = [sys.executable, "-m", "venv", "--without-pip", "env"]
    subprocess.run(words, cwd=tmp_path, check=True, env=tree.plain_environment())
    ours = sysconfig.get_path("purelib")
    python = tmp_path / "env" / "bin" / "python"
    [site] = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (site / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n", encoding="utf-8")
    urim = python.with_name("urim")
    urim.write_text(f"#!{python}\nfrom urim.engine.cli import main\nmain()\n", encoding="utf-8")
    urim.chmod(0o755)
    python.with_name("node").symlink_to(nodejs.NODE)
    return tmp_path


def hasten(reader: Path, loaded: Path) -> None:
    """Let a reader's `urim` be a fork of the process that has loaded it."""
    python = reader / "env" / "bin" / "python"
    urim = python.with_name("urim")
    real = urim.rename(urim.with_name("urim-itself"))
    [site] = (reader / "env" / "lib").glob("python*/site-packages")
    urim.write_text(warm.program(loaded, python, site, real), encoding="utf-8")
    urim.chmod(0o755)


def shell(words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a reader would, in a terminal of 80 columns without colours."""
    env = tree.plain_environment(COLUMNS="80", NO_COLOR="1", PYTHONUTF8="1", HOME=str(cwd))
    # Nothing is fetched: what builds the reader's package is there already.
    env |= {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1"}
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"PYTEST_ADDOPTS": "-p no:schemathesis"}  # a reader has not installed that
    if "pip install" in words:
        env["PYTHONWARNINGS"] = "ignore"  # setuptools warns of every editable installation
    env["PATH"] = os.pathsep.join([str(cwd.parent / "env" / "bin"), env["PATH"]])
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        env.pop(name, None)
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


def complaint(
    command: Command, done: subprocess.CompletedProcess[str], *, fails: bool = False
) -> str | None:
    """What is wrong with how a command went, if anything is."""
    printed = [line.translate(UNSEEN) for line in done.stdout.splitlines()]
    if (done.returncode != 0) is fails and readme.matches(command.expected, printed):
        return None
    lines = [f"line {command.line}: $ {command.words}", f"exit code {done.returncode}, expected:"]
    return "\n".join([*lines, *command.expected, "printed:", *printed])


def commands_of(block: Block, cwd: Path) -> Iterator[str]:
    """What went otherwise than a console block says."""
    for command in readme.commands(block):
        if not readme.is_make(command):
            wrong = complaint(command, shell(command.words, cwd), fails=block.note == "fails")
            if wrong is not None:
                yield wrong


def scenario_of(block: Block, cwd: Path) -> Iterator[str]:
    """What is wrong with a toml block that is no file."""
    if "step" in tomllib.loads(block.text):
        (cwd / "scenario.toml").write_text(block.text, encoding="utf-8")
        done = shell("urim run scenario.toml", cwd)
        if done.returncode != 0:
            yield f"line {block.line}: {done.stdout}"


def on_a_free_port(page: str) -> str:
    """The page with another port than the one that its server has: somebody may have that."""
    if "urim serve" not in page:
        return page
    with socket.create_server(("127.0.0.1", 0)) as free:
        return page.replace(PORT, str(free.getsockname()[1]))


def end_servers(cwd: Path) -> None:
    """End the servers that a page has started and not ended; it keeps their ids in files."""
    for file in cwd.glob("*.pid"):
        with suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGKILL)


def run(name: str, cwd: Path) -> Iterator[str]:
    """Run a page from its first block to its last, and say what went otherwise than it says."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in readme.blocks(on_a_free_port(TEXTS[name])):
        file = FILE.match(block.text) if block.language in ("python", "toml") else None
        if file:
            (cwd / file["name"]).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            # The lines before it are put in, so that an error shows the page's own line.
            code = compile("\n" * (block.line - 1) + block.text, str(tree.ROOT / name), "exec")
            exec(code, namespace)  # noqa: S102 - the page is ours
        elif block.language == "console":
            yield from commands_of(block, cwd)
        elif block.language == "toml":
            yield from scenario_of(block, cwd)


@pytest.mark.parametrize("name", RUN)
def test_every_block_is_of_a_kind_we_know(name: str) -> None:
    languages = {block.language for block in readme.blocks(TEXTS[name])}
    assert languages <= SHOWN.keys() | RUNS | {"toml"}


SOON = ("README.md", "docs/scenarios.md", "docs/throws.md")
"""The pages that `make test` runs; the others come with `make test-all`."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in SOON else pytest.mark.slow) for name in RUN],
)
def test_a_page_does_as_it_says(
    name: str, reader: Path, loaded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cwd = reader / "work"
    if name not in COLD:
        hasten(reader, loaded)
    if name in OUTSIDE:
        for path in (cwd / name for name in BESIDE):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", encoding="utf-8")
    else:
        tree.copy_tree(cwd)
    monkeypatch.chdir(cwd)
    try:
        for problem in run(name, cwd):
            pytest.fail(f"{name}, {problem}", pytrace=False)
    finally:
        end_servers(cwd)


def test_javascript_can_be_read() -> None:
    every = [block for text in TEXTS.values() for block in readme.blocks(text)]
    found = [block for block in every if block.language == "js"]
    assert found
    for block in found:
        words = [str(nodejs.NODE), "--input-type=module", "--check", "-"]
        subprocess.run(words, input=block.text, encoding="utf-8", check=True)


@pytest.mark.parametrize("name", TEXTS)
def test_make_has_every_target_that_is_named(name: str) -> None:
    makefile = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    assert readme.targets_named(TEXTS[name]) <= readme.targets(makefile)


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_the_links_lead_to_files_and_headings(page: Path) -> None:
    assert not readme.dead_links(page)


@pytest.mark.parametrize("name", TEXTS)
def test_the_generated_regions_are_fresh(name: str) -> None:
    page = TEXTS[name]
    assert generated.refreshed(page) == page, "run `python -m tests.generated --write`"


def test_every_generator_has_one_region() -> None:
    found = [region for page in TEXTS.values() for region in generated.names(page)]
    assert sorted(found) == sorted(generated.GENERATORS)


def databases(page: str) -> set[str]:
    """The databases that the examples of a page make or read, by their names."""
    shown = (block.text for block in readme.blocks(page) if block.language in RUNS)
    return {name for text in shown for name in DATABASE.findall(text)}


def test_a_reader_can_follow_page_after_page_in_one_folder() -> None:
    """No page's table is in the way of another's: each page has databases of its own."""
    pages = {name: databases(text) for name, text in TEXTS.items()}
    assert sum(map(bool, pages.values())) >= 4
    every = [name for names in pages.values() for name in names]
    assert sorted(every) == sorted(set(every))


def test_what_the_examples_leave_in_the_checkout_is_ignored() -> None:
    ignored = (tree.ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/*.db", "/*.db-shm", "/*.db-wal", "/*.db.secrets/", "/*.urim.jsonl"} <= set(ignored)


def keys_of(page: str, title: str) -> set[str]:
    """The keys in the first column of the table under a heading."""
    section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_every_key_of_a_scenario_is_explained() -> None:
    page = TEXTS["docs/scenarios.md"]
    assert keys_of(page, "The file") == set(Scenario.__struct_encode_fields__)
    assert keys_of(page, "A step") == set(OWN)


def test_the_readme_is_read_in_ten_minutes() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= 250
