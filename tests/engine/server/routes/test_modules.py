"""The page names its modules, and sends them without their comments: the same programs."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.engine.helpers.nodejs import NODE
from tests.engine.server.web.test_types import compiled
from tests.tree import ROOT, plain_environment
from urim.engine.server.routes.assets import WEB
from urim.engine.server.routes.modules import modules
from urim.engine.server.routes.pages import IMPORTS
from urim.engine.verifier.build import spare

SAME = """
import { readFileSync } from "node:fs";
import ts from "PATH";
const compilerOptions = { removeComments: true, target: "esnext" };
const bare = (text) => ts.transpileModule(text, { compilerOptions }).outputText;
const files = JSON.parse(readFileSync(0, "utf-8"));
const other = files.filter(([, whole, sent]) => bare(whole) !== bare(sent));
console.log(JSON.stringify(other.map(([name]) => name)));
"""
PATH = ROOT / ".venv" / "typescript" / "node_modules" / "typescript" / "lib" / "typescript.js"


LATER = (
    "words/he",
    "words/rolls/he",
    "views/court",
    "views/disputed",
    "state/court",
    "views/changing",
    "views/readings",
    *(
        f"words/{room}/{name}"
        for room in ("court", "line", "carried", "link", "hooks", "advice", "luck")
        for name in ("index", "en", "he")
    ),
    "state/frame",
    "views/advice",
    "views/luck",
    "views/sealed",
    "views/answering",
    "views/body",
    "views/carried",
    "views/hooks",
    "views/invite",
    "views/link",
    "views/setting",
    "views/places",
    "views/why",
    "views/line/line",
    "views/line/steps",
    "views/line/words",
)
"""What comes once it is wanted: another language, a dispute, what changes a character, the line."""


def import_map() -> str:
    [found] = IMPORTS.findall((WEB / "index.html").read_text("utf-8"))
    return str(found)


def test_the_page_begins_with_all_modules_but_those_that_come_later() -> None:
    found = modules(import_map())
    assert found[0] == "/web/main.js"
    checks = {"/web/verifier/seat.js", "/web/verifier/urimcheck.js"}
    assert {"/web/vendor/preact.mjs", "/web/views/roll.js", *checks} < set(found)
    own = {f"/web/{path.relative_to(WEB).as_posix()}" for path in WEB.rglob("*.js")}
    later = {f"/web/{name}.js" for name in LATER}
    assert own - set(found) == {"/web/sw.js", *later}
    assert len(found) == len(set(found))


def test_an_import_that_leads_nowhere_is_named() -> None:
    imports = json.loads(import_map())
    del imports["imports"]["htm"]
    with pytest.raises(LookupError, match="imports htm, which the page's import map does not have"):
        modules(json.dumps(imports))
    imports["imports"]["htm"] = "/web/vendor/none.mjs"
    with pytest.raises(LookupError, match="no module is at /web/vendor/none"):
        modules(json.dumps(imports))


def test_comments_are_left_out_and_what_may_be_a_text_is_not() -> None:
    text = b"// one\na = 1; // two\n/** @type {any} */ (a);\n  /**\n   * three\n   */\n"
    text += b"b = '//';\nc = `; // 4`;\n"
    left = b"\na = 1;\n/** @type {any} */ (a);\n\n\n\nb = '//';\nc = `; // 4`;\n"
    assert spare(text) == left


@pytest.mark.slow
@compiled
def test_a_module_without_its_comments_is_the_same_program(tmp_path: Path) -> None:
    script = tmp_path / "same.mjs"
    script.write_text(SAME.replace("PATH", PATH.as_uri()), encoding="utf-8")
    files = [(path.name, path.read_bytes()) for path in sorted(WEB.rglob("*.js"))]
    pairs = [(name, text.decode(), spare(text).decode()) for name, text in files]
    assert all(one.count("\n") == other.count("\n") for _, one, other in pairs)
    done = subprocess.run(
        [str(NODE), str(script)],
        input=json.dumps(pairs),
        env=plain_environment(NO_COLOR="1"),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert json.loads(done.stdout) == []
