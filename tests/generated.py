"""What is printed from the code: urim.d.ts, and regions of README.md and docs/, between comments.

    <!-- generated: NAME -->
    <!-- end -->

GENERATORS says what prints each region, FILES what prints a whole file. `python -m tests.generated`
says which of all these are stale; with `--write` it refreshes them.
"""

import argparse
import ast
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests import asvs, figures, reference, typescript
from tests.conformance import suite
from tests.readme import PAGES
from tests.releases.keep import verifiers
from tests.tree import FOLDERS, ROOT
from urim.engine.access import rights
from urim.engine.audit.report import STATED
from urim.engine.core.machine import markdown, mermaid
from urim.engine.server.process import settings as served
from urim.engine.verifier import urimcheck
from urim.engine.wire import numbers, problems
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.numbered import others, runs
from urim.rules.readings import readings_of


def transitions() -> str:
    """Every row of the table of transitions."""
    return markdown()


def diagram() -> str:
    """The same as a picture, without the triggers that keep the state."""
    return f"```mermaid\n{mermaid()}```"


def systems() -> str:
    """The systems that come with Urim: title, name, dice, how many readings."""
    rows = ["| system | name | dice | readings |", "|---|---|---|---|"]
    for name in BUILT_IN:
        ruleset = ruleset_named(name)
        kinds = ruleset.faces(ruleset.Options())
        dice = ", ".join(
            [f"d{least} to d{most}" for least, most in runs(kinds)]
            + sorted({_named(kind, len(faces)) for kind, faces in others(kinds).items()})
        )
        readings = len(readings_of(ruleset.Options))
        rows.append(f"| {ruleset.title} | `{name}` | {dice} | {readings} |")
    return "\n".join(rows)


def _named(kind: str, faces: int) -> str:
    """A kind by its own name where that is the usual one for dice, else by its number of faces."""
    return kind if kind in ("d%", "dF") else f"d{faces}"


def folders() -> str:
    """Every folder of the code, with its promise: the first line of its package."""
    rooms = [path.parent for path in (ROOT / "engine").glob("*/__init__.py")]
    homes = [*(ROOT / name for name in FOLDERS if name != "engine"), *sorted(rooms)]
    return reference.table(("folder", "holds"), map(_folder, homes))


def _folder(home: Path) -> tuple[str, str]:
    module = ast.parse((home / "__init__.py").read_text(encoding="utf-8"))
    name = home.relative_to(ROOT).as_posix()
    return f"[`{name}/`](../{name})", (ast.get_docstring(module) or "").partition("\n")[0]


def settings() -> str:
    """Every setting of a server, as each source names it."""
    rows = [
        "| key | variable | flag | what it may be | by itself | what it is for |",
        "|---" * 6 + "|",
    ]
    for each in served.settings():
        own = f"`{each.shown}`" if each.shown else ""
        flag = each.flag + (f", --no-{each.flag[2:]}" if isinstance(each.default, bool) else "")
        names = " | ".join(f"`{name}`" for name in (each.name, each.variable, flag))
        rows.append(f"| {names} | {each.form} | {own} | {each.help.removesuffix('.')} |")
    return "\n".join(rows)


def matrix() -> str:
    """The matrix of rights."""
    rows = [f"| right | may | {' | '.join(rights.ROLES)} |", "|---" * (len(rights.ROLES) + 2) + "|"]
    for right, words in rights.RIGHTS.items():
        cells = ("yes" if rights.allowed(role, right) else "" for role in rights.ROLES)
        rows.append(f"| `{right}` | {words} | {' | '.join(cells)} |")
    return "\n".join(rows)


def refusals() -> str:
    """Every code of a problem, with its status."""
    rows = [f"| `{code}` | {status} | {meaning} |" for code, status, meaning in problems.meanings()]
    return "\n".join(["| code | status | what it means |", "|---|---|---|", *rows])


def closes() -> str:
    """Why a socket is closed."""
    rows = [f"| {code} | {why} |" for code, why in numbers.CLOSES.items()]
    return "\n".join(["| code | why |", "|---|---|", *rows])


def kinds() -> str:
    """What an audit counts besides failures: urimcheck's kinds, and those of the rules."""
    found = {"look": urimcheck.LOOKS, "stated": urimcheck.STATED, "stated, by the rules": STATED}
    rows = [(word, kind, text) for word, kinds in found.items() for kind, text in kinds.items()]
    return reference.table(("word", "kind", "what it is called"), rows)


def cheats() -> str:
    """Every planted cheat, and what must be said of it."""
    rows = [
        (f"`{name}`", _said_of(name), row["why"])
        for name, row in suite.rows().items()
        if name.startswith("cheat/")
    ]
    return reference.table(("file", "what is said", "why"), rows)


def _said_of(name: str) -> str:
    found, twin = suite.expected(name), suite.expected(name.replace("cheat/", "twin/"))
    if found["exit"]:
        words = {1: f"{found['first'] and found['first'][0]} wrong", 2: "refused", 3: "not checked"}
        return words[found["exit"]]
    if "rules" in suite.rows()[name]:
        return "the rules alone"
    more = [kind for kind, times in found["looks"].items() if times > twin["looks"].get(kind, 0)]
    counted = "counted" if found["numbers"] != twin["numbers"] else "as its twin"
    return ", ".join(f"look `{kind}`" for kind in more) or counted


def frozen() -> str:
    """The SHA-256 of both verifiers, of each version."""
    rows = [
        (version, *(f"`{hashes[name]}`" for name in ("urimcheck.py", "urimcheck.js")))
        for version, hashes in verifiers().items()
    ]
    return reference.table(("version", "`urimcheck.py`", "`urimcheck.js`"), rows)


GENERATORS: Mapping[str, Callable[[], str]] = {
    "transitions": transitions,
    "diagram": diagram,
    "systems": systems,
    "kinds": kinds,
    "cheats": cheats,
    "frozen": frozen,
    "folders": folders,
    "settings": settings,
    "rights": matrix,
    "problems": refusals,
    "closes": closes,
    "reference-commands": reference.commands,
    "reference-events": reference.events,
    "reference-http": reference.http,
    "reference-frames": reference.frames,
    "reference-answers": reference.answers,
    "reference-rules": reference.rules,
    "budgets": reference.budgets,
    "reference-readings": reference.readings,
    "reference-shell": reference.shell,
    "reference-exits": reference.exits,
    "reference-json": reference.json_types,
    "asvs-chapters": asvs.chapters,
    "asvs-not-kept": asvs.not_kept,
    "asvs-without": asvs.without,
}
"""The region's name -> the function that gives its Markdown."""

FILES: Mapping[Path, Callable[[], str]] = {
    typescript.PATH: typescript.typescript,
    figures.PATH: figures.figures_page,
}
"""The file -> the function that gives its text."""

START = re.compile(r"^<!-- generated: *(?P<name>[\w-]+) *-->$", re.MULTILINE)
END = "<!-- end -->"


class Unreadable(ValueError):
    """A page whose regions are not well formed, or have no generator."""


def refreshed(page: str, generators: Mapping[str, Callable[[], str]] = GENERATORS) -> str:
    """The page with every region as the code prints it now."""
    parts: list[str] = []
    rest = page
    while start := START.search(rest):
        body, end, after = rest[start.end() :].partition(END)
        name = start["name"]
        if not end or START.search(body):
            raise Unreadable(f"region {name} has no end")
        if name not in generators:
            raise Unreadable(f"region {name} has no generator")
        text = generators[name]().strip("\n")
        parts += [rest[: start.end()], f"\n\n{text}\n\n", END]
        rest = after
    if any(END in part for part in (*parts[::3], rest)):
        raise Unreadable("an end without a region")
    return "".join([*parts, rest])


def names(page: str) -> list[str]:
    """The regions of a page, in order."""
    return START.findall(page)


def main() -> int:
    """Say which pages are stale, or with --write refresh them."""
    parser = argparse.ArgumentParser(description="Refresh what is printed from the code.")
    parser.add_argument("--write", action="store_true", help="refresh pages and files")
    write = parser.parse_args().write
    stale = 0
    for path in (*PAGES, *FILES):
        found = path.read_text(encoding="utf-8") if path.exists() else ""
        fresh = FILES[path]() if path in FILES else refreshed(found)
        stale += fresh != found
        if write:
            path.write_text(fresh, encoding="utf-8")
        state = "fresh" if fresh == found else "refreshed" if write else "stale"
        regions = "the whole file" if path in FILES else f"{len(names(found))} regions"
        print(f"{path.relative_to(ROOT)}: {regions}, {state}")
    return int(stale > 0 and not write)


if __name__ == "__main__":
    sys.exit(main())
