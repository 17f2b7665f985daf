"""The page is what its sources say, allows itself nothing more, and knows every system's dice."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

from tests.verifier.nodejs import run
from urim.engine.verifier import build
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.readings import readings_of

LINES = 300
FUNCTION = 50
SOURCES = sorted(build.MODULES.glob("*.js"))
TEXT = build.PAGE.read_text(encoding="utf-8")


def test_what_is_built_is_what_the_sources_say() -> None:
    names = [path.name for path in build.stale()]
    assert not names, f"stale, run python -m urim.engine.verifier.build --write: {names}"


def test_a_change_of_a_source_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = tmp_path / "verifier.html"
    copy.write_text(TEXT.replace("Urim verifier", "Urim  verifier", 1), encoding="utf-8")
    monkeypatch.setattr(build, "PAGE", copy)
    assert build.stale() == [copy]
    copy.unlink()
    assert build.stale() == [copy]


def test_the_policy_names_the_script_and_the_style_by_their_hashes() -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', TEXT)
    assert policy is not None
    allowed = dict(rule.split(" ", 1) for rule in policy[1].split("; "))
    assert allowed["default-src"] == "'none'"
    for directive, pattern in {
        "script-src": r'<script type="module">(.*?)</script>',
        "style-src": r"<style>(.*?)</style>",
    }.items():
        [text] = re.findall(pattern, TEXT, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert allowed[directive] == f"'sha256-{digest}'"
    assert set(allowed) == {
        *("default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"),
        *("require-trusted-types-for", "trusted-types"),
    }


def test_the_page_points_to_nowhere() -> None:
    assert not re.findall(r"https?://|wss?://|\bfetch\(|\bimport\(|XMLHttp|\beval\(", TEXT)
    assert not re.findall(r'\b(?:src|href)="(?!#|data:,)[^"]*"', TEXT)


def blocks(text: str) -> list[str]:
    """The modules in a built script, in their order."""
    return re.findall(r"^const \$(\w+) = \(\(\) => \{$", text, re.MULTILINE)


def test_the_page_is_modules_of_blocks() -> None:
    assert blocks(TEXT)[-1] == "page"
    assert {*blocks(TEXT)} == {path.stem for path in SOURCES}


@pytest.mark.parametrize(
    "text",
    [
        'import * as all from "./bytes.js";\n',
        "export default 1;\n",
        'import { one } from "elsewhere";\n',
    ],
)
def test_a_module_that_cannot_be_put_in_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not known here"):
        build.block("x", text)


def test_modules_in_a_circle_are_refused() -> None:
    texts = {"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\n'}
    with pytest.raises(ValueError, match="a -> b -> a"):
        build.ordered("a", texts)


# --- the shape of the modules ---------------------------------------------------------------------


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_module_begins_with_its_promise_and_is_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert re.match(r"// [A-Z`].{20,}", lines[0])
    assert len(lines) <= LINES
    assert not [line for line in lines if len(line) > 110] or path == build.SYSTEMS


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_its_functions_are_short_and_what_it_exports_is_explained(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    start = None
    for number, line in enumerate(lines):
        if line.startswith("export ") and not line.startswith("export {"):
            assert lines[number - 1].rstrip().endswith("*/") or "FORMAT" in line, line
        if re.match(r"(export )?(async )?function|  (async )?#?\w+\(.*\) \{$", line):
            start = number
        if start is not None and line in ("}", "  }"):
            assert number - start < FUNCTION, lines[start]
            start = None


# --- the dice -------------------------------------------------------------------------------------

ASK = """
import { facesOf } from "../../engine/verifier/js/faces.js";
const asked = JSON.parse(process.argv[1]);
const found = asked.map(([name, version, options]) => facesOf(name, version, options).faces);
console.log(JSON.stringify(found));
"""


def every_table() -> list[tuple[str, int, Any, Any]]:
    """Every system under every value of every reading, and with dice of the table's own."""
    found: list[tuple[str, int, Any, Any]] = []
    for name in BUILT_IN:
        ruleset = ruleset_named(name)
        usual = ruleset.Options()
        tables = [usual]
        for reading in readings_of(ruleset.Options):
            tables += [replace(usual, **{reading.name: value}) for value in reading.others]
        if build.system(ruleset)["own"]:
            pairs = ("אב", "גד", "הו", "זח", "טי", "כ*")
            tables.append(replace(usual, **{build.OWN: {"red-a": pairs, "green-b": pairs}}))
        for options in tables:
            written = json.decode(json.encode(options))
            faces = {kind: list(table) for kind, table in ruleset.faces(options).items()}
            found.append((name, ruleset.version, written, faces))
    return found


def test_the_page_knows_the_faces_of_every_table() -> None:
    tables = every_table()
    asked = json.encode([each[:3] for each in tables]).decode()
    done = run("--input-type=module", "--eval", ASK, asked)
    assert done.returncode == 0, done.stderr
    assert json.decode(done.stdout) == [each[3] for each in tables]
    assert len({json.encode(each[3]) for each in tables}) > len(BUILT_IN)
