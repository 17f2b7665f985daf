"""The modules that the page begins with, by their imports: named in the page, they come at once.

Else a browser would learn of each only from the module that imports it, one round after another.
"""

import json
import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath

from .assets import CHECKS, VERIFIER, WEB

FIRST = "/web/main.js"
"""The module that the page starts with."""

IMPORT = re.compile(r'^(?:import|export) (?:[^"\';()]*? from )?"([^"]+)";$', re.MULTILINE)
"""What a module of ours imports at once, at the beginning of a line; `import()` is for later."""

Imports = Mapping[str, str]
"""The page's import map: a name, or the beginning of one that ends with a slash, and its path."""


def modules(imports: str) -> list[str]:
    """The paths of all modules that the page needs to begin, the first one first.

    `imports` is the page's import map, as JSON. Raises LookupError for an import of nothing there.
    """
    names: Imports = json.loads(imports)["imports"]
    found = [FIRST]
    for path in found:  # it grows
        text = _text(path)
        new = dict.fromkeys(_resolved(each, path, names) for each in IMPORT.findall(text))
        found.extend(each for each in new if each not in found)
    return found


def _text(path: str) -> str:
    name = path.removeprefix("/web/")
    check = name.removeprefix("verifier/")
    file = VERIFIER / check if check in CHECKS and check != name else WEB / name
    if not file.is_file():
        raise LookupError(f"no module is at {path}")
    return file.read_text("utf-8")


def _resolved(name: str, path: str, names: Imports) -> str:
    """The path of an import in the module at `path`."""
    if name.startswith("."):
        return normpath(join(dirname(path), name))
    for known, leads in names.items():
        if name == known or (known.endswith("/") and name.startswith(known)):
            return leads + name.removeprefix(known)
    raise LookupError(f"{path} imports {name}, which the page's import map does not have")
