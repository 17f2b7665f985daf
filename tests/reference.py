"""What the reference pages are printed from: schemas, operations, readings, the command line.

Each function gives the Markdown of one region; tests/generated.py puts them into the pages.
"""

import ast
import inspect
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import ModuleType
from typing import Any

import click
from msgspec import Struct

from tests.json_shapes import shapes
from tests.typescript import Schema, fields_of, type_of
from urim.engine.cli.commands import COMMANDS, GROUPS
from urim.engine.cli.frame import load
from urim.engine.cli.shared import EXITS
from urim.engine.core.commands import Command
from urim.engine.core.parse import COMMANDS as COMMAND_TYPES
from urim.engine.server.openapi.document import TAGS
from urim.engine.server.openapi.operations import ANY_JSON, OPERATIONS, Operation
from urim.engine.service.budgets import Budgets
from urim.engine.wire.schema import schema
from urim.events import base
from urim.events.base import Effect
from urim.rules import BUILT_IN, figures, ruleset, ruleset_named, values
from urim.rules.figures import Figure, Sum, Term
from urim.rules.readings import Reading, readings_of
from urim.rules.ruleset import Damage, Offer, Outcome, Roll, Rollable, Ruleset, Scored, Want
from urim.rules.values import Die, Hand, Sheet, Track


def cell(text: str) -> str:
    """A text in one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def code(value: object) -> str:
    """A value as code in a cell."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"`{cell(text)}`"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table of cells."""
    first, *others = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
    return "\n".join([first, "|---" * (first.count("|") - 1) + "|", *others])


# --- commands and events --------------------------------------------------------------------------


def commands() -> str:
    """Every command as JSON: its `do`, what it is for, its text, its fields."""
    texts = {kind.__name__: _text_of(kind) for kind in COMMAND_TYPES.values()}
    defs = schema(None, "commands")["$defs"]
    return "\n\n".join(_structs(defs, "do", texts))


def events() -> str:
    """Every event as the log has it: its `type`, what it says, its fields."""
    defs = schema(None, "events")["$defs"]
    return "\n\n".join(_structs(defs, "type", {}))


def _text_of(kind: type[Command]) -> str:
    rule = kind.text_rule
    if rule is None:
        return ""
    needed = "Comes with" if rule.needed else "May come with"
    return f"{needed} a text, its {rule.name}, of {rule.most:,} characters at most."


def _structs(defs: Mapping[str, Schema], tag: str, more: Mapping[str, str]) -> Iterator[str]:
    """A section of each Struct; those without a tag are parts of others, and come last."""
    found = [each for each in defs.values() if "title" in each]
    for each in sorted(found, key=lambda each: not _tagged(each, tag)):
        known = _tagged(each, tag)
        title = known or each["title"]
        named = f"Class `{each['title']}`." if known else ""
        words = " ".join([named, each["description"], more.get(each["title"], "")])
        yield f"## `{title}`\n\n{' '.join(words.split())}\n\n{_fields(each, tag)}"


def _tagged(found: Schema, tag: str) -> str:
    words: list[str] = found.get("properties", {}).get(tag, {}).get("enum", [""])
    return words[0]


def _fields(found: Schema, tag: str) -> str:
    if "properties" not in found:
        return f"In JSON: `{type_of(found)}`."
    fields = [field for field in fields_of(found) if field[0] != tag]
    rows = [(code(name), code(kind), _left_out(default)) for name, kind, default in fields]
    return table(("field", "type", "where it is left out"), rows) if rows else "No fields."


def _left_out(default: Any) -> str:
    return "must be there" if default is ... else code(default)


# --- HTTP -----------------------------------------------------------------------------------------


def http() -> str:
    """Every operation of the server, a table for each tag."""
    return "\n\n".join(
        f"## {name}: {words[0].lower()}{words[1:]}\n\n"
        + table(
            ("operation", "what it does", "needs", "body", "answer"),
            [_operation(each) for each in OPERATIONS if each.tag == name],
        )
        for name, words in TAGS.items()
    )


def _operation(each: Operation) -> tuple[str, ...]:
    asked = "&".join(each.takes).replace("after_roll", "after").replace("roll_only", "roll")
    path = f"{each.method.upper()} {each.path}{'?' if asked else ''}{asked}"
    needs = {None: "no token", "token": "any token"}.get(each.needs, f"`{each.needs}`")
    gives = "JSON" if each.gives == ANY_JSON else _short(each.gives)
    gives += f" or {_short(each.refusal)}" if each.refusal else ""
    if each.media != "application/json":
        gives = f"{each.media} {gives}".strip()
    many = " (a list)" if each.many else ""
    status = f"{each.status} " if each.status != 200 else ""
    body = _short(each.asks) if each.asks else ""
    return f"`{path}`", each.summary, needs, body, f"{status}{gives}{many}"


def _short(name: str) -> str:
    return f"`{name.rpartition('.')[2]}`" if name else ""


def frames() -> str:
    """Every frame of a socket."""
    return _sent(("frames",))


def answers() -> str:
    """Every body of HTTP and every answer, but for what is in events and frames."""
    return _sent(("bodies", "answers", "request"), but=("frames",))


def _sent(parts: tuple[str, ...], but: tuple[str, ...] = ()) -> str:
    """The Structs of some schemas, each once, without the events and those of others."""
    mine, others = ({title: each for part in some for title, each in _titled(part)}
                    for some in (parts, but))  # fmt: skip
    return "\n\n".join(_structs({k: v for k, v in mine.items() if k not in others}, "type", {}))


def _titled(part: Any) -> Iterator[tuple[str, Schema]]:
    for name, each in schema(None, part)["$defs"].items():
        if "title" in each and not name.startswith("events."):
            yield each["title"], each


# --- Structs of Python ----------------------------------------------------------------------------

RULES = (Ruleset, Roll, Hand, Die, Sheet, Track, Offer, Rollable, Outcome, Scored, Effect, Damage)
FIGURES = (Figure, Sum, Term, Want)


ALIASES = {
    ruleset: ("Sheets", "Dice", "Trigger"),
    values: ("Tally",),
    figures: ("Form", "Part", "Counts"),
    base: ("Face",),
}
"""Types that have a name of their own in these Structs, by their modules."""


def rules() -> str:
    """The Structs that a game system is given, and gives; and what their types are called."""
    structs = (
        f"## `{kind.__name__}`\n\n{_plain(inspect.getdoc(kind) or '')}\n\n{_members(kind)}"
        f"{_methods(kind)}"
        for kind in (*RULES, *FIGURES)
    )
    rows = [row for module, names in ALIASES.items() for row in _aliases(module, names)]
    named = table(("type", "is", "what it means"), rows)
    return "\n\n".join([*structs, f"## Types with a name\n\n{named}"])


def _methods(kind: type[Struct]) -> str:
    """Whether a Struct's fields have to be named; its methods and properties as they are called."""
    [found] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(found, ast.ClassDef)
    rows = []
    for node in found.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            called = "" if node.decorator_list else f"({ast.unparse(node.args).partition(', ')[2]})"
            returns = ast.unparse(node.returns) if node.returns else ""
            words = (ast.get_docstring(node) or "").partition("\n\n")[0]
            rows.append((code(node.name + called), code(returns), cell(words)))
    by_name = any(each.arg == "kw_only" for each in found.keywords)
    told = "\n\nIts fields are given by name." if by_name else ""
    return told + (f"\n\n{table(('method', 'gives', 'what that is'), rows)}" if rows else "")


def _aliases(module: ModuleType, names: Collection[str]) -> Iterator[tuple[str, ...]]:
    body = ast.parse(inspect.getsource(module)).body
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in names and node.value:
            told = isinstance(after, ast.Expr) and ast.literal_eval(after.value)
            words = str(told or "").partition("\n\n")[0]
            yield code(ast.unparse(node.target)), code(ast.unparse(node.value)), cell(words)


def budgets() -> str:
    """What a seat may have and write, with the defaults."""
    return _members(Budgets, ("budget", "default", "what it bounds"))


def _plain(words: str) -> str:
    """A docstring in Markdown: its table is shown as it is."""
    return re.sub(r"^(=+ .*\n[\s\S]*\n=+ .*)$", r"```text\n\1\n```", words, flags=re.MULTILINE)


def _members(kind: type[Struct], head: tuple[str, ...] = ()) -> str:
    """The fields of a Struct: their types as they are written, or what their docstrings say."""
    [found] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(found, ast.ClassDef)
    names = vars(sys.modules[kind.__module__])
    rows = []
    for node, after in zip(found.body, [*found.body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.AnnAssign):
            words = ast.literal_eval(after.value) if head and isinstance(after, ast.Expr) else ""
            kinds = code(ast.unparse(node.annotation))
            value = ast.unparse(node.value) if node.value else ""
            number = names.get(value) if isinstance(names.get(value), int) else value
            own = code(number) if value else "must be given"
            name = code(ast.unparse(node.target))
            rows.append((name, own, cell(words)) if head else (name, kinds, own))
    return table(head or ("field", "type", "where it is left out"), rows)


# --- readings -------------------------------------------------------------------------------------


def readings() -> str:
    """Every reading of every system that comes with Urim."""
    parts: list[str] = []
    for name in BUILT_IN:
        ruleset = ruleset_named(name)
        rows = [_reading(each) for each in readings_of(ruleset.Options)]
        head = ("reading: **default**, others", "what the book says, and where", "what is assumed")
        parts.append(f"## {ruleset.title}, `{name}`\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def _reading(each: Reading) -> tuple[str, ...]:
    others = ", ".join(map(_value, each.others))
    where = f"{each.heading}: {each.says}"
    values = f"{code(each.name)}: **{_value(each.default)}**, {others}"
    return values, cell(where), cell(each.assumed)


def _value(value: Any) -> str:
    return code(list(value) if isinstance(value, tuple) else value)


# --- the command line -----------------------------------------------------------------------------


def shell() -> str:
    """Every command of `urim`: how it is called, an example, exit codes of its own."""
    parts: list[str] = []
    for group in GROUPS:
        parts.append(f"## {group}")
        for name, home in COMMANDS.items():
            if home.group == group:
                found = load(name)
                inner = found.commands if isinstance(found, click.Group) else {"": found}
                parts += [_command(f"{name} {sub}".strip(), home.help, each)
                          for sub, each in inner.items()]  # fmt: skip
                own = [f"Exit code {key}: {words}." for key, words in home.exits.items()]
                parts += [" ".join(own)] if own else []
    return "\n\n".join(parts)


def _command(name: str, words: str, found: click.Command) -> str:
    context = click.Context(found, info_name=f"urim {name}")
    usage = " ".join([f"urim {name}", *found.collect_usage_pieces(context)])
    rows = [
        (f"`{cell(record[0])}`", cell(record[1]))
        for param in found.params
        if (record := param.get_help_record(context)) and param.name != "as_json"
    ]
    listed = f"\n\n{table(('option', 'what it is'), rows)}" if rows else ""
    return f"### `urim {name}`\n\n{found.get_short_help_str(200) or words}\n\n`{usage}`{listed}"


def exits() -> str:
    """Every exit code."""
    return table(("exit code", "what it means"), [(str(k), words) for k, words in EXITS.items()])


def json_types() -> str:
    """What is printed with --json, as runs have shown: the types, their keys, who prints them."""
    found: list[tuple[str, dict[str, None], list[str]]] = []
    for name, kinds in shapes().items():
        for kind, keys in kinds.items():
            alike = [row for row in found if row[0] == kind and _same(row[1].keys(), set(keys))]
            row = alike[0] if alike else (kind, {}, [])
            row[1].update(dict.fromkeys(keys))
            row[2].append(name)
            found += [] if alike else [row]
    rows = [(code(kind), _codes(keys), _codes(names)) for kind, keys, names in found]
    return table(("`type`", "its other keys", "printed by"), rows)


def _same(one: AbstractSet[str], other: AbstractSet[str]) -> bool:
    """Whether two sets of keys are one object's, some of them left out."""
    return one <= other or other <= one


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(code, names))
