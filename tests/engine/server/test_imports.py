"""Nothing in the server can reach a whole table: what its modules import, and ask of the front.

`process.server` and `metrics.counted` alone know that the front is a service, and `process.server`
the log under it.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from urim.engine.server import front

SERVER = Path(front.__file__).parent

PACKAGE = "urim.engine.server"

ANY = ("*",)
"""Everything of a module."""

OURS: Mapping[str, tuple[str, ...]] = {
    "urim": ("__version__",),
    "urim.errors": ANY,
    "urim.events.base": ANY,
    "urim.events.entry": ("Entry",),
    "urim.events.line": ("entry_line",),
    "urim.events.strict": ANY,
    "urim.events.throw": ANY,
    "urim.events.log.bell": ("Bell",),
    "urim.events.log.location": ("Location",),
    "urim.events.log.protocol": ("CaughtUp",),
    "urim.projections.account": ("Account",),
    "urim.rules": ("ruleset_named", "ruleset_names"),
    "urim.rules.ruleset": ("Offer", "Rollable"),
    "urim.rules.words": ANY,
    "urim.engine": ("verifier",),
    "urim.engine.verifier.build": ("page", "policy_of", "receipt", "spare"),
    "urim.engine.logs": ANY,
    "urim.engine.core": ("commands",),
    "urim.engine.core.choices": ("Choice",),
    "urim.engine.core.commands": ANY,
    "urim.engine.core.limits": ANY,
    "urim.engine.core.moves": ("Awaited", "Awaiting", "Move", "RollMoves"),
    "urim.engine.core.parse": ANY,
    "urim.engine.core.preview": ("Preview",),
    "urim.engine.core.refusal": ANY,
    "urim.engine.core.request": ANY,
    "urim.engine.core.schema": ANY,
    "urim.engine.core.odds": ("Question",),
    "urim.projections.aims": ("SAID",),
    "urim.engine.core.sight": ("RollSight", "Sight"),
    "urim.engine.service.feed": (
        "Behind", "Commit", "Left", "Message", "Present", "Subscription", "WAITING",
    ),
    "urim.engine.service.news": ("Ended", "News", "Waits"),
    "urim.engine.service.proofs": ("Proved",),
    "urim.engine.service.reading": ("Answering", "Given", "Rolls", "Waiting"),
    "urim.engine.service.receipts": ("Receipt",),
}  # fmt: skip
"""What the server's modules may import of ours, beside themselves."""

WHOLLY = ("urim.engine.access", "urim.engine.server", "urim.engine.wire")
"""Packages of which they may import everything."""

MORE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "process.server": {
        "urim.engine.service.beside": ("secrets_of", "snapshots_of"),
        "urim.engine.service.sweep": ("sweep",),
        "urim.events.log.opening": ("open_log", "reached"),
    },
    "metrics.counted": {
        "urim.engine.core.signed": ("Signed",),
        "urim.engine.service": ("Service",),
    },
    "worker": {
        "urim.engine.core.aggregate": ("table_of",),
        "urim.engine.core.luck": ("Memory", "TableLuck", "luck_of", "moments"),
        "urim.engine.core.odds": ("Odds", "Question", "answer"),
        "urim.projections.automaton": ("LIVE",),
    },
    "lane": {"urim.engine.service.turns": ("Turns",)},
    "routes.court": {
        "urim.engine.case.gather": ("case_of",),
        "urim.engine.case.page": ("page",),
        "urim.engine.whatif.alternatives": ("alternatives",),
        "urim.engine.whatif.changes": ("Change",),
        "urim.engine.whatif.difference": ("what_if",),
        "urim.engine.whatif.seen": ("items_of",),
    },
    "openapi.answers": {
        "urim.engine.core.luck": ("SeatLuck", "TableLuck"),
        "urim.engine.core.odds": ("Odds", "OddsWay"),
        "urim.engine.whatif.alternatives": ("Alternative",),
        "urim.engine.whatif.changes": ("Amended", "Instead", "Reading", "Voided", "Withdrawn"),
    },
    "routes.rolls": {
        "urim.engine.core.choices": ("typed_field",),
        "urim.engine.core.guards": ("throws_dice",),
        "urim.engine.core.sight": ("CommitmentSight",),
        "urim.engine.core.step": ("PLAIN",),
        "urim.events.codec": ("decode",),
        "urim.events.roll": ("RollDeclared",),
    },
    "routes.documents": {"urim.engine.render.systems": ("summary_object", "system_object")},
}
"""What one of them may import beside that: who builds the service, who counts its calls, who shows
systems, who goes on with a roll by what its offers say, and who decides again what the front gave
it for one seat: entries, or a bundle."""

ASKED = {name for name in vars(front.Front) if not name.startswith("_")}
"""What may be asked of the front."""

MODULES = sorted(SERVER.rglob("*.py"))


def named(path: Path) -> str:
    """A module's name within the server: `routes.log`, and `routes.__init__` of a package."""
    return ".".join(path.relative_to(SERVER).with_suffix("").parts)


def imports(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """What a module of the server imports of ours: the module, and the name."""
    package = [*PACKAGE.split("."), *module.split(".")[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name, "*") for each in node.names if _is_ours(each.name))
        if isinstance(node, ast.ImportFrom):
            where = package[: len(package) - node.level + 1]
            base = ".".join([*(where if node.level else []), *filter(None, [node.module])])
            yield from ((base, each.name) for each in node.names if _is_ours(base))


def _is_ours(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] == "urim"


def imported_too_much(text: str, module: str) -> list[str]:
    """What a module imports that it may not."""
    more = MORE.get(module, {})
    return [
        f"{base}: {name}"
        for base, name in imports(ast.parse(text), module)
        if not base.startswith(WHOLLY)
        and not {"*", name} & {*OURS.get(base, ()), *more.get(base, ())}
    ]


def asked_too_much(text: str) -> list[str]:
    """What a module asks of the front that is not for a seat, or by what other name it has it."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and _is_front(node.value) and node.attr not in ASKED:
            found.append(f"front.{node.attr}")
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            found += _renamed(node)
        if isinstance(node, ast.Call) and _name_of(node.func) in ("getattr", "vars", "attrgetter"):
            found += ["front, by a name that is made" for each in node.args if _is_front(each)]
    return found


def _is_front(node: ast.expr) -> bool:
    return _name_of(node) == "front"


def _name_of(node: ast.expr) -> str:
    """The last name of an expression: `front` of `here.front`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _renamed(node: ast.Assign | ast.AnnAssign | ast.NamedExpr) -> list[str]:
    """The front under another name, from which nobody would know it."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    assert node.value is not None
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for target in targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs += zip(target.elts, node.value.elts, strict=True)
        else:
            pairs.append((target, node.value))
    return [
        f"the front as {ast.unparse(target)}"
        for target, value in pairs
        if _is_front(value) and _name_of(target) != "front"
    ]


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_module_imports_nothing_that_has_a_whole_table(path: Path) -> None:
    assert not imported_too_much(path.read_text(), named(path))


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_module_asks_nothing_that_is_the_hosts(path: Path) -> None:
    assert not asked_too_much(path.read_text())


def test_the_front_gives_no_whole_table() -> None:
    assert not ASKED & {"state", "aggregate", "log", "begin_epoch", "loaded"}


PLANTED = (
    "from ...projections.tables import TableState",
    "from ..core.aggregate import Aggregate",
    "from ..table import Table",
    "from ...events.log.sqlite import SqliteLog",
    "from ...events.log.memory import MemoryLog",
    "from ...events.log.protocol import EventLog",
    "from ..service import Service",
    "from ..service import Service as Other",
    "from ..service.reading import Reading",
    "from ..service.tables import TableCache",
    "from ..core.view import view_of",
    "from ..core.sight import sight",
    "from ..core import aggregate",
    "from .. import service",
    "from ...projections import tables",
    "import urim.engine.service",
    "import urim.projections.tables as tables",
    "from urim.engine.service import Service",
    "def late():\n    from ..core.aggregate import Aggregate",
)


@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_import_is_found(text: str) -> None:
    assert imported_too_much(text, "planted")
    deeper = text.replace("from ..", "from ...")
    assert imported_too_much(deeper, "routes.planted")


@pytest.mark.parametrize(
    "text",
    [
        "await here.front.state(table)",
        "(await asker.front.aggregate(table)).opened",
        "here.front.log.tables()",
        "front.log",
        "await front.begin_epoch(table)",
        "here.front._cache",
        "service = here.front",
        "service: object = here.front",
        "f(x := here.front)",
        "seat, service = asker.seat, asker.front",
        "getattr(here.front, 'state')",
        "vars(front)",
    ],
)
def test_a_planted_question_is_found(text: str) -> None:
    assert asked_too_much(text)
