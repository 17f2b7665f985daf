"""Puts pages together: each one HTML file with its style, urimcheck.js and its script inside."""

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

POLICY = (
    "default-src 'none'; "
    "script-src 'sha256-{script}'; "
    "style-src 'sha256-{style}'; "
    "img-src data:; "  # the empty icon, which keeps the browser from asking for one
    "base-uri 'none'; "
    "form-action 'none'; "
    "require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
"""What a page may do: run and look like what is in it, and nothing else."""

IMPORT = re.compile(r'^import [^;]* from "\./\w+\.js";\n', re.MULTILINE)
"""How the scripts import: each from one of the files here, and nothing under another name."""

COMMENT = re.compile(
    rb"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*$"
    rb"|(?<=[;{},()\]]) // [^\n\"'`]*$",
    re.MULTILINE,
)
"""Comments of modules and style sheets, a quarter of them: with lines of their own, or behind code.

These have no quote, so that no text is taken for one.
"""

HARD = 9
"""How hard gzip tries."""


def spare(data: bytes) -> bytes:
    """A module or style sheet of ours without its comments; every line keeps its number."""
    return COMMENT.sub(lambda found: b"\n" * found[0].count(b"\n"), data)


def page(more: str = "") -> str:
    """The page of the verifier, with every comment: it is there to be read, too.

    `more` is a script behind its own.
    """
    return _page("page", lambda name: _read(name) + (more if name == "page.js" else ""))


def receipt(
    title: str, description: str, said: Mapping[str, Any], bundle: bytes
) -> tuple[str, str]:
    """The page of a roll's link, around a bundle: the page, and its policy.

    `title` and `description` are what chats show of the link. `said` is what the host says: see
    `Said` in receipt.js.
    """
    # What would end the script's element is written otherwise in JSON, and is not in base64.
    told = json.dumps(said, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "title": escape(title),
        "description": escape(description),
        "said": told,
        "bundle": b64encode(gzip.compress(bundle, HARD, mtime=0)).decode("ascii"),
    }
    pieces, policy = _receipt()
    return "".join(parts.get(each, each) for each in pieces), policy


@cache
def _receipt() -> tuple[tuple[str, ...], str]:
    """The page of a link in pieces, the names of its open places among them; and its policy."""
    content = _page("receipt", lambda name: spare(_read(name).encode()).decode())
    pieces = tuple(re.split("%(title|description|said|bundle)%", content))
    return pieces, policy_of(content)


def policy_of(content: str) -> str:
    """The policy that stands in a page."""
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', content)
    return found[1] if found else "default-src 'none'"


def _page(name: str, read: Callable[[str], str]) -> str:
    """A page of this folder. Its script and style are named by their hashes in its policy.

    The script is one module: urimcheck.js, and behind it a block with what the page's own scripts
    are, whose imports need not be. It is put together whenever it is asked for.
    """
    own = "".join(IMPORT.sub("", read(each)) for each in ("parts.js", f"{name}.js"))
    script = f"\n{read('urimcheck.js')}\n{{\n{own.replace('export ', '')}}}\n"
    style = f"\n{_read('page.css')}"
    policy = POLICY.format(script=_hash(script), style=_hash(style))
    content = _read(f"{name}.html").replace("{policy}", policy).replace("{style}", style)
    return content.replace("{script}", script)


def _read(name: str) -> str:
    return (files("urim.engine.verifier") / name).read_text("utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")
