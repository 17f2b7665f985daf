"""The list of everything public in Urim, as `tests/public_names.txt` and CHANGELOG.md keep it.

`python -m tests.public_names` prints the list; with `--write` it refreshes the file and the hash in
the changelog's Unreleased part.
"""

import argparse
import ast
import hashlib
import re
from collections.abc import Iterator
from typing import cast

from tests import tree

LIST = tree.ROOT / "tests" / "public_names.txt"
CHANGELOG = tree.ROOT / "CHANGELOG.md"

HASH_LINE = re.compile(r"^Public names: ([0-9a-f]{12})$", re.MULTILINE)
UNRELEASED = re.compile(r"^## \[?Unreleased\]?.*\n", re.MULTILINE)
NEXT_VERSION = re.compile(r"^## ", re.MULTILINE)


def public_names() -> str:
    """Every public module and, below it, the names it defines; sorted, one a line."""
    lines: list[str] = []
    for path in tree.source_files():
        module = tree.module_name(path)
        if any(part.startswith("_") for part in module.split(".")):
            continue
        names = defined_names(path.read_text(encoding="utf-8"))
        lines += [module, *(f"{module}.{name}" for name in sorted(names))]
    return "".join(f"{line}\n" for line in sorted(lines))


def defined_names(text: str) -> set[str]:
    """The names without a leading underscore that a module defines, and those in its `__all__`."""
    names: set[str] = set()
    for node in top_level(ast.parse(text)):
        targets = names_bound(node)
        if "__all__" in targets:
            names |= listed(node)
        names |= {name for name in targets if not name.startswith("_")}
    return names


def top_level(tree_: ast.Module) -> Iterator[ast.stmt]:
    """Every statement outside functions and classes, inside `if` and `try` as well."""
    waiting = list[ast.AST](tree_.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            waiting += ast.iter_child_nodes(node)
        elif isinstance(node, ast.stmt):
            yield node


def names_bound(node: ast.stmt) -> set[str]:
    """The names that a statement defines; what it imports is defined elsewhere."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    else:
        return set()
    found = (inner for target in targets for inner in ast.walk(target))
    return {
        name.id for name in found if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def listed(node: ast.stmt) -> set[str]:
    """What an `__all__` lists. It must be written out, so that it can be read without being run."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.List | ast.Tuple):
        raise TypeError(f"line {node.lineno}: __all__ is not a list or tuple that is written out")
    return set(cast("list[str] | tuple[str, ...]", ast.literal_eval(value)))


def fingerprint(names: str) -> str:
    """What the changelog says of the list: the first 12 hex digits of its SHA-256."""
    return hashlib.sha256(names.encode()).hexdigest()[:12]


def logged_fingerprint(changelog: str) -> str | None:
    """The newest fingerprint in the changelog: the topmost one."""
    found = HASH_LINE.search(changelog)
    return found.group(1) if found else None


def with_fingerprint(changelog: str, digits: str) -> str:
    """The changelog with that fingerprint at the end of its Unreleased part."""
    head = UNRELEASED.search(changelog)
    if head is None:
        raise ValueError("the changelog has no part called Unreleased")
    after = NEXT_VERSION.search(changelog, head.end())
    end = after.start() if after else len(changelog)
    body = HASH_LINE.sub("", changelog[head.end() : end]).strip("\n")
    parts = [
        changelog[: head.end()],
        "\n",
        body,
        "\n\n" if body else "",
        f"Public names: {digits}\n",
    ]
    return "".join([*parts, "\n" if after else "", changelog[end:]])


def write() -> None:
    """Refresh the committed list and the changelog's fingerprint."""
    names = public_names()
    LIST.write_text(names, encoding="utf-8")
    changelog = CHANGELOG.read_text(encoding="utf-8")
    CHANGELOG.write_text(with_fingerprint(changelog, fingerprint(names)), encoding="utf-8")
    print(f"{LIST.name}: {len(names.splitlines())} names, fingerprint {fingerprint(names)}")


def main() -> None:
    """Print the list, or with --write refresh what is committed."""
    parser = argparse.ArgumentParser(description="List everything public in Urim.")
    parser.add_argument("--write", action="store_true", help="refresh the list and CHANGELOG.md")
    if parser.parse_args().write:
        write()
    else:
        print(public_names(), end="")


if __name__ == "__main__":
    main()
