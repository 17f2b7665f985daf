"""The documents as a whole: none is forgotten, and what they name is there.

tests/test_readme.py runs their blocks and follows their links; `make docs` builds them.
"""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests import readme, tree
from tests.drawings import ROUTES
from tests.json_shapes import shapes
from tests.readme import PAGES
from urim.engine.cli.commands import COMMANDS
from urim.engine.cli.frame import load
from urim.engine.core.machine import mermaid
from urim.engine.verifier import urimcheck

DOCS = tree.ROOT / "docs"
NAMES = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
"""Every page in docs/, as the menu names it."""

TEXTS = {path.relative_to(tree.ROOT).as_posix(): path.read_text("utf-8") for path in PAGES}

SPAN = re.compile(r"`(urim [^`]+)`")
DOCUMENT = re.compile(r"(?<!build/)\bdocs/[\w/-]+\.\w+")
WORDS = tree.ROOT / "engine" / "server" / "web" / "words"
STRONG = re.compile(r"\*\*([^*]+?)\.?\*\*")


def menu() -> list[str]:
    """The pages in the menu of docs/conf.py, which is read without Sphinx."""
    module = ast.parse((DOCS / "conf.py").read_text("utf-8"))
    [found] = [
        each.value
        for each in module.body
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.target) == "SECTIONS"
    ]
    assert found is not None
    return [name for names in ast.literal_eval(found).values() for name in names]


def test_every_page_is_in_the_menu_once() -> None:
    assert sorted([*menu(), "README"]) == sorted(NAMES)


def test_the_first_page_leads_to_every_other() -> None:
    linked = {link.partition("#")[0] for link in readme.links(TEXTS["docs/README.md"])}
    assert {f"{name}.md" for name in NAMES - {"README"}} <= linked


def test_every_picture_is_shown() -> None:
    shown = {link.rpartition("/")[2] for text in TEXTS.values() for link in readme.links(text)}
    assert {path.name for path in (tree.ROOT / "docs" / "pictures").iterdir()} <= shown


def test_the_readme_begins_with_two_commands() -> None:
    page = TEXTS["README.md"]
    words = [command.words for command in readme.commands(readme.blocks(page)[0])]
    assert words == ["make demo", "make test"]
    assert page.index("![") < page.index("```")


def sources() -> Iterator[Path]:
    """Every file whose text may name a page."""
    yield from tree.source_files()
    for folder in (*tree.FOLDERS, "tests"):
        for suffix in ("js", "mjs", "ts", "html", "toml", "md"):
            yield from (tree.ROOT / folder).rglob(f"*.{suffix}")
    yield from tree.test_files()
    yield tree.ROOT / "Makefile"


def test_documents_that_the_code_names_are_there() -> None:
    own = {Path(__file__).name, "test_readme_tools.py"}
    missing = {
        f"{path.relative_to(tree.ROOT)}: {name}"
        for path in sources()
        if path.name not in own
        for name in DOCUMENT.findall(path.read_text("utf-8"))
        if not (tree.ROOT / name).exists()
    }
    assert not missing


def unknown(span: str) -> str | None:
    """What a command in a sentence names that there is not."""
    _, name, *words = shlex.split(span)
    if name.startswith("-") or name.isupper():
        return None
    if name not in COMMANDS:
        return name
    found: click.Command = load(name)
    if isinstance(found, click.Group):
        found = found.commands[words[0]]
    known = {opt for param in found.params for opt in param.opts} | {"--help", "--json"}
    return next((each for each in words if each.startswith("--") and each not in known), None)


@pytest.mark.parametrize("page", TEXTS)
def test_commands_in_sentences_are_there(page: str) -> None:
    text = "\n".join(line for _, line in readme.text_lines(TEXTS[page]))
    assert not [span for span in SPAN.findall(text) if unknown(span)]


def test_what_the_evening_shows_in_bold_stands_on_the_page() -> None:
    page = "".join(path.read_text("utf-8") for path in WORDS.rglob("en.js"))
    text = " ".join(TEXTS["docs/tours/evening.md"].split())
    bold = set(STRONG.findall(text))
    assert len(bold) > 20
    assert not {words for words in bold if f'"{words}' not in page}


def test_every_look_of_an_audit_is_explained() -> None:
    rows = re.findall(r"^\| ([^|]*`[^|]*) \|", TEXTS["docs/trust.md"], flags=re.MULTILINE)
    assert urimcheck.LOOKS.keys() <= set(re.findall(r"`([\w-]+)`", " ".join(rows)))


def test_every_body_and_answer_of_an_operation_has_its_fields_in_the_reference() -> None:
    pages = [TEXTS[f"docs/reference/{name}.md"] for name in ("http", "answers", "frames")]
    rows = re.findall(r"^\| `[A-Z]+ /.*$", pages[0], flags=re.MULTILINE)
    named = set(re.findall(r"`([A-Z][a-z]\w+)`", " ".join(rows)))
    told = r"^(?:## `|Class `)(\w+)`"
    assert named <= set(re.findall(told, "\n".join(pages[1:]), flags=re.MULTILINE))


def test_the_output_of_every_command_is_listed() -> None:
    assert {name.split()[0] for name in shapes()} == set(COMMANDS)


def test_every_route_of_the_drawing_is_one_of_the_automaton() -> None:
    drawn = set(re.findall(r"^ +(\S+) --> (\S+):", mermaid(), re.MULTILINE))
    assert set(ROUTES) <= drawn


def test_nobody_is_told_to_install_a_name_that_anybody_could_take() -> None:
    """Urim is in no index: who takes its name there would run code on its readers' machines."""
    texts = TEXTS | {str(path): path.read_text("utf-8") for path in tree.source_files()}
    found = [
        f"{name}: {line.strip()}"
        for name, text in texts.items()
        for line in text.splitlines()
        if re.search(r"""install\s+["']?urim\b""", line)
    ]
    assert not found, found
