"""The checkout as its tests see it: which files are Urim, and a clean copy of them all."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("events", "rules", "projections", "engine")
"""The folders at the root that are installed as urim.events and so on."""

LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv", ".typing", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info"
)


def source_files() -> list[Path]:
    """Every Python file that is installed."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted([*ROOT.glob("*.py"), *inside])


def test_files() -> list[Path]:
    """Every Python file under tests/."""
    return sorted((ROOT / "tests").rglob("*.py"))


def data_files() -> list[Path]:
    """Every other file that is installed."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return sorted([ROOT / "py.typed", *(path for path in inside if is_data(path))])


def is_data(path: Path) -> bool:
    """Whether a file beside the modules is one of ours and none of their compiled forms."""
    return path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts


def module_name(path: Path) -> str:
    """The name under which a file is imported: `urim.events.roll`, `tests.tree`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    named = parts if parts[0] == "tests" else ("urim", *parts)
    return ".".join(part for part in named if part != "__init__")


def installed_names() -> set[str]:
    """The path of every installed file, as a wheel names it."""
    files = [*source_files(), *data_files()]
    return {f"urim/{path.relative_to(ROOT).as_posix()}" for path in files}


def packages() -> list[str]:
    """Every package of Urim: the folders that have an __init__.py."""
    return sorted(module_name(path) for path in source_files() if path.name == "__init__.py")


def copy_tree(to: Path) -> Path:
    """Copy the checkout, without what tools and the set-up have left in it. Gives the copy."""

    def ignored(folder: str, names: list[str]) -> Iterable[str]:
        built = {"build", "dist"} if Path(folder) == ROOT else set[str]()
        return LEFT_BEHIND(folder, names) | built

    return Path(shutil.copytree(ROOT, to, ignore=ignored))


def plain_environment(**more: str) -> dict[str, str]:
    """An environment without what would change how a program prints, or what it imports."""
    told = (
        "COLUMNS",
        "FORCE_COLOR",
        "LINES",
        "NO_COLOR",
        "TERM",
        "TTY_COMPATIBLE",
        "TTY_INTERACTIVE",
    )
    dropped = ("LC_", "LANG", "MYPY", "PYTEST", "PYTHON", "URIM_", "VIRTUAL_ENV")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in told and not name.startswith(dropped)
    }
    return kept | more
