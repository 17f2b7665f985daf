"""Puts the page together: one HTML file with its style, urimcheck.js and page.js inside."""

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

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
"""What the page may do: run and look like what is in it, and nothing else."""

IMPORT = re.compile(r'^import .* from "\./urimcheck\.js";\n', re.MULTILINE)
"""How page.js imports: by one line, of names that are not given others."""


def page() -> str:
    """The whole page as text. Its script and style are named by their hashes in its policy.

    The script is one module: urimcheck.js, and behind it a block with page.js, whose import it
    needs no more. It is put together from the files of this folder whenever it is asked for.
    """
    script = f"\n{_read('urimcheck.js')}\n{{\n{IMPORT.sub('', _read('page.js'))}}}\n"
    style = f"\n{_read('page.css')}"
    policy = POLICY.format(script=_hash(script), style=_hash(style))
    return (
        _read("page.html")
        .replace("{policy}", policy)
        .replace("{style}", style)
        .replace("{script}", script)
    )


def _read(name: str) -> str:
    return (files("urim.engine.verifier") / name).read_text("utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")
