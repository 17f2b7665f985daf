"""Puts the verifier together: its modules, its style and the face tables become one static page.

`python -m urim.engine.verifier.build` lists what is stale; with `--write` it makes all files:

    engine/verifier/js/systems.js   the face tables of the systems that come with Urim
    engine/verifier/verifier.html   the page, which may run nothing but the script inside it
"""

import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec.structs import fields, replace

from ...rules import BUILT_IN, ruleset_named
from ...rules.numbered import others, runs
from ...rules.readings import readings_of
from ...rules.ruleset import Ruleset

HOME = Path(__file__).parent
MODULES = HOME / "js"
SYSTEMS = MODULES / "systems.js"
PAGE = HOME / "verifier.html"

OWN = "faces"
"""The option, where a system has it, by which a table brings its own dice: kind -> pairs."""

IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./([a-z0-9]+)\.js";\n', re.MULTILINE)
AGAIN = re.compile(r"^export \{ (\w+) \};\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function\*?|const|class) (\w+)", re.MULTILINE)

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


# --- the face tables ------------------------------------------------------------------------------


def systems() -> str:
    """The module that holds the faces of every kind of die of the built-in systems."""
    lines = "".join(
        f"  {json.dumps(name)}: {_written(system(ruleset_named(name)))},\n" for name in BUILT_IN
    )
    return (
        "// The face tables of the systems that come with Urim; made by engine/verifier/build.py.\n"
        "\n"
        "/** System -> version, faces by kind, runs of dN, readings that change faces, own. */\n"
        f"export const SYSTEMS = {{\n{lines}}};\n"
    )


def system(ruleset: Ruleset) -> dict[str, Any]:
    """A system's faces: by default, under every reading that changes them, and the own dice's."""
    options = ruleset.Options()
    usual = ruleset.faces(options)
    readings: list[dict[str, Any]] = []
    for reading in readings_of(ruleset.Options):
        values: list[dict[str, Any]] = []
        for value in reading.others:
            faces = ruleset.faces(replace(options, **{reading.name: value}))
            changed = {kind: faces[kind] for kind in usual if faces[kind] != usual[kind]}
            values.append({"value": value, "faces": changed})
        if any(other["faces"] for other in values):
            readings.append({"name": reading.name, "usual": reading.default, "others": values})
    written = {"faces": others(usual), "numbered": runs(usual)}
    own = OWN if OWN in {field.name for field in fields(ruleset.Options)} else None
    return {"version": ruleset.version, **written, "readings": readings, "own": own}


def _written(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


# --- the page -------------------------------------------------------------------------------------


def page(faces: str) -> str:
    """The whole page, its script and style inside, each named by its hash."""
    script = f"\n{''.join(modules('page', faces))}"
    style = f"\n{(HOME / 'page.css').read_text(encoding='utf-8')}"
    if "</script" in script.lower() or "</style" in style.lower():
        raise ValueError("a script or style that would end its own element")
    policy = POLICY.format(script=_hash(script), style=_hash(style))
    frame = (HOME / "page.html").read_text(encoding="utf-8")
    for name, text in {"policy": policy, "style": style, "script": script}.items():
        before, place, after = frame.partition(f"{{{name}}}")
        if not place:
            raise ValueError(f"page.html has no place for the {name}")
        frame = before + text + after
    return frame


def modules(last: str, faces: str) -> Iterator[str]:
    """A module as a block of its own, after one for each of those that it imports from."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in MODULES.glob("*.js")}
    texts["systems"] = faces
    yield '"use strict";\n'
    for name in ordered(last, texts):
        yield block(name, texts[name])


def ordered(name: str, texts: Mapping[str, str], above: Sequence[str] = ()) -> list[str]:
    """The modules that one needs, itself the last, none before what it needs itself."""
    if name in above:
        raise ValueError(f"modules in a circle: {' -> '.join((*above, name))}")
    found: list[str] = []
    for _, other in IMPORT.findall(texts[name]):
        found += [each for each in ordered(other, texts, (*above, name)) if each not in found]
    return [*found, name]


def block(name: str, text: str) -> str:
    """A module as a function called once: its names stay inside, its exports are what it gives."""
    imports = "".join(f"const {{ {names} }} = ${other};\n" for names, other in IMPORT.findall(text))
    given = ", ".join([*EXPORT.findall(text), *AGAIN.findall(text)])
    body = AGAIN.sub("", IMPORT.sub("", text))
    body = EXPORT.sub(lambda found: found[0].removeprefix("export "), body)
    if re.search(r"^(import|export)\b", body, re.MULTILINE):
        raise ValueError(f"{name}.js imports or exports in a way that is not known here")
    return f"const ${name} = (() => {{\n{imports}{body}return {{ {given} }};\n}})();\n"


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode("ascii")


# --- the command ----------------------------------------------------------------------------------


def built() -> dict[Path, str]:
    """The text that every file made here should have."""
    faces = systems()
    return {SYSTEMS: faces, PAGE: page(faces)}


def stale() -> list[Path]:
    """The files that are missing, or differ from what their sources make."""
    return [
        path
        for path, text in built().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]


def main(words: Sequence[str]) -> int:
    """List what is stale, or write it; the exit status is 1 where something still is."""
    old = stale()
    if "--write" in words:
        for path, text in built().items():
            path.write_text(text, encoding="utf-8")
    for path in old:
        print(f"{path.relative_to(HOME)}: {'written' if '--write' in words else 'stale'}")
    return 1 if old and "--write" not in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
