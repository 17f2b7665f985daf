"""How `make docs` builds the pages: Sphinx, with MyST for the Markdown files as they are.

Why Sphinx: in 2026 it is released every few weeks. MkDocs has had no release since 2024, Material
for MkDocs is only mended, Zensical, which follows it, is not at 1.0 and weighs 90 MB, and mdBook
comes in no package of Python or npm. MyST reads Markdown as the forge shows it and checks links to
headings too; with `--fail-on-warning` a dead link or a forgotten page is an error. Furo is a theme
that loads nothing from a network: light, dark, narrow.
"""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent

project = "Urim"
language = "en"

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Tours": ("tours/evening", "tours/dispute", "tours/bot", "tours/rules"),
    "Guides": (
        "rolls",
        "disputes",
        "trust",
        "shell",
        "scenarios",
        "systems",
        "testing",
        "server",
        "security",
        "clients",
        "logs",
        "keeping",
        "postgres",
        "figures",
        "how",
    ),
    "Formats": ("bundle", "throws", "keys"),
    "Reference": (
        "reference/commands",
        "reference/moves",
        "reference/events",
        "reference/http",
        "reference/answers",
        "reference/frames",
        "reference/shell",
        "reference/readings",
        "reference/rules",
        "api",
    ),
}
"""The menu. A page that is missing here, or here and nowhere else, is an error."""

# --- what is read ---------------------------------------------------------------------------------

extensions = ["myst_parser"]
myst_heading_anchors = 4
root_doc = "README"
include_patterns = ["*.md", ".github/*.md", "docs/**.md"]
exclude_patterns = [".git", ".typing", ".venv", "build", "tests", "engine", "events", "rules"]

# --- what is written ------------------------------------------------------------------------------

html_theme = "furo"
html_title = "Urim"
html_show_sphinx = False
html_copy_source = False
html_additional_pages = {"index": "start.html"}
templates_path = ["templates"]


DRAWN = "![The states of a roll](../pictures/roll-states.svg)"
"""What stands for a diagram that the forge draws by a script: the same one, drawn."""


def diagram(_: Sphinx, page: str, source: list[str]) -> None:
    """Put a picture in the place of the diagram."""
    if page == "docs/reference/moves":
        source[0] = re.sub(
            "^```mermaid\n.*?^```$", DRAWN, source[0], flags=re.DOTALL | re.MULTILINE
        )


def menu(_: Sphinx, page: str, source: list[str]) -> None:
    """Add the menu, which the forge does not need, to the first page."""
    if page == root_doc:
        more = ("docs/README", "CHANGELOG", "NOTICE", ".github/CONTRIBUTING", ".github/SECURITY")
        sections = {
            **{title: [f"docs/{name}" for name in names] for title, names in SECTIONS.items()},
            "Project": more,
        }
        for title, names in sections.items():
            listed = "\n".join(names)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def plain(app: Sphinx, tree: nodes.document) -> None:
    """Show links to folders, and to Markdown that is no page, as words: only the forge has those.

    Whether they are there, tests/test_readme.py checks.
    """
    here = posixpath.dirname(app.env.docname)
    for link in list(tree.findall(pending_xref)):
        name = link["reftarget"].partition("#")[0]
        page = link.get("refdomain") == "doc"
        path = ROOT / (f"{name}.md" if page else posixpath.join(here, name))
        if (name not in app.env.found_docs and path.is_file()) if page else path.is_dir():
            link.replace_self(link.children)


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", menu)
    app.connect("source-read", diagram)
    app.connect("doctree-read", plain)
