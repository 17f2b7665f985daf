"""The sixteen steps: where each is, and what the proof may know."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tree import ROOT
from urim.engine.audit.report import CHECKS
from urim.engine.audit.steps import WHERE

AUDIT = ROOT / "engine" / "audit"

NAMES = {
    **{name.upper(): step for step, name in CHECKS.items()},
    "LEGAL": 10,
}
"""What modules call the steps."""

ALLOWED = ("..line", "..report", "..cache", "...bundle.read", "....errors", "....events")
"""What the proof may import beside its own modules; the faces of dice come from the rules."""

FACES = tuple(f"....{each}" for each in ("projections.hidden", "projections.isolates"))
FACES += ("....projections.tables", "....rules")


def named(path: Path) -> Iterator[int]:
    """The steps that a module has names for."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        for name, each in zip(names, values, strict=False):
            if isinstance(name, ast.Name) and name.id in NAMES and isinstance(each, ast.Constant):
                assert NAMES[name.id] == each.value, (path, name.id)
                yield NAMES[name.id]


def test_every_step_is_where_the_table_says() -> None:
    found: dict[int, set[str]] = {step: set() for step in CHECKS}
    for path in AUDIT.rglob("*.py"):
        module = ".".join(path.relative_to(AUDIT).with_suffix("").parts)
        for step in named(path):
            found[step].add(module)
    assert {step: set(modules) for step, modules in WHERE.items()} == found


@pytest.mark.parametrize("path", sorted((AUDIT / "proof").glob("*.py")), ids=lambda path: path.stem)
def test_the_proof_takes_nothing_from_the_engine(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level > 1:
            module = "." * node.level + (node.module or "")
            assert module.startswith((*ALLOWED, *FACES)), module
