"""The command `urim rerun`: every roll of many logs decided again, the same or not."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec import inspect, to_builtins

from ...errors import Damaged, Refused
from ...events.entry import Entry
from ...events.log.location import Location
from ...projections.tables import Rulesets
from ...rules import ruleset_from, ruleset_named
from ...rules.ruleset import Ruleset
from ..audit.again import Again, again, system_of, told
from ..bundle.read import entries_of_bundle
from ..render.text import page, pen_of
from .database import tables_of_file
from .fields import put
from .frame import WHERE, TableUrl, command
from .progress import progress
from .shared import FAILED, PASSED, UNCHECKED, exit_with, print_objects
from .show import entries_given
from .whatif import BUNDLE


class Source(NamedTuple):
    """One table of what was named; `table` is None in a bundle, or at a table's URL."""

    place: Location | TableUrl
    table: str | None = None

    @property
    def name(self) -> str:
        """How it is called in what is printed; a URL of a database shows no password."""
        place = self.place.url if isinstance(self.place, TableUrl) else str(self.place)
        return f"{place} {self.table or ''}".rstrip()


@command(
    click.Argument(["logs"], type=WHERE, nargs=-1, required=True, metavar="LOG…"),
    click.Option(
        ["--rules"],
        multiple=True,
        metavar="SYSTEM=MODULE",
        help="Take the rules of a system from a module, or a file NAME.py, that has a RULESET.",
    ),
    click.Option(
        ["--reading"], multiple=True, metavar="NAME=VALUE", help="A reading, from the opening on."
    ),
)
def rerun(
    logs: Sequence[Location | TableUrl],
    *,
    rules: Sequence[str],
    reading: Sequence[str],
    as_json: bool,
) -> None:
    """Decide every roll of logs again, by rules that changed: the same or not.

    A LOG is a database, of which every table is taken, a bundle, a folder of bundles, or the URL of
    a table. Each roll stands for itself: it is decided on the table as the log has it. So a change
    of rules shows what it does to evenings that were played. Nothing is changed.
    """
    modules = dict(_pair(each, "SYSTEM=MODULE") for each in rules)
    readings = dict(_pair(each, "NAME=VALUE") for each in reading)
    _rulesets(modules)  # what cannot be loaded is refused before anything is read
    sources = [each for place in logs for each in _sources(place)]
    out = page(sys.stdout, soft_wrap=True)
    rolls = differ = unchecked = 0
    with progress(as_json=as_json) as show:
        for at, (source, found) in enumerate(_decided(sources, modules, readings), 1):
            rolls += found.rolls
            differ += len(found.otherwise)
            unchecked += bool(found.unchecked)
            if as_json:
                print_objects([{"type": "rerun", "log": source.name, **to_builtins(found)}])
            else:
                for line in _lines(source, found):
                    out.print(pen_of(out).text(line))
            if show is not None:
                show(f"{at} of {len(sources)} logs")
    if not as_json:
        same = "all the same" if not differ else f"{differ} differ"
        out.print(pen_of(out).text(f"{len(sources)} logs, {rolls:,} rolls: {same}."))
    exit_with(FAILED if differ else UNCHECKED if unchecked else PASSED)


def _pair(word: str, form: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not (name and sign and value):
        raise Refused("malformed", f"{word[:80]!r} is not {form}", allowed=[form])
    return name, value


# --- what is decided again ------------------------------------------------------------------------


def _sources(place: Location | TableUrl) -> Iterator[Source]:
    """The tables of a place. Raises Refused where there is none."""
    if isinstance(place, TableUrl):
        yield Source(place)
    elif isinstance(place, Path) and place.is_dir():
        bundles = sorted(place.rglob(f"*{BUNDLE}"))
        if not bundles:
            raise Refused("unreadable", f"the folder {place} has no bundle", allowed=[f"*{BUNDLE}"])
        yield from map(Source, bundles)
    elif isinstance(place, Path) and place.name.endswith(BUNDLE):
        yield Source(place)
    else:
        yield from (Source(place, table) for table in tables_of_file(place))


def _decided(
    sources: Sequence[Source], modules: Mapping[str, str], readings: Mapping[str, str]
) -> Iterator[tuple[Source, Again]]:
    """Each table with what came of it; of several at once, one on each core."""
    if len(sources) == 1:
        yield sources[0], _again(sources[0], modules, readings)
        return
    many = min(len(sources), os.cpu_count() or 1)
    with ProcessPoolExecutor(many, get_context("spawn")) as pool:
        found = [pool.submit(_again, each, modules, readings) for each in sources]
        try:
            for source, each in zip(sources, found, strict=True):
                yield source, each.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _again(source: Source, modules: Mapping[str, str], readings: Mapping[str, str]) -> Again:
    """One table decided again. Raises Refused, naming the log."""
    rulesets = _rulesets(modules)
    try:
        entries = _entries(source)
        return again(entries, rulesets, _readings(entries, rulesets, readings))
    except Damaged as error:
        raise Refused("unreadable", f"{source.name}: {error}") from error
    except Refused as error:
        raise Refused(error.code, f"{source.name}: {error.why}", allowed=error.allowed) from error


def _entries(source: Source) -> Sequence[Entry]:
    if source.table is None and isinstance(source.place, Path):
        return list(entries_of_bundle(source.place))
    return entries_given(source.place, source.table or "")


def _readings(
    entries: Sequence[Entry], rulesets: Rulesets, words: Mapping[str, str]
) -> dict[str, Any]:
    """The values that words give, as the system of the log reads them."""
    found: dict[str, Any] = {}
    if words:
        kind = inspect.type_info(system_of(entries, rulesets).Options)
        for name, text in words.items():
            found = put(found, kind, name, text, "--reading")
    return found


# --- rules from elsewhere -------------------------------------------------------------------------


def _rulesets(modules: Mapping[str, str]) -> Rulesets:
    """Finds a system: in its module where one was named, else the one that is installed."""
    own = {name: _loaded(name, module) for name, module in modules.items()}
    return lambda name: own[name] if name in own else ruleset_named(name)


def _loaded(name: str, module: str) -> Ruleset:
    """The RULESET of a module, or of a file NAME.py. Raises Refused("unknown")."""
    file = Path(module) if module.endswith(".py") else Path.cwd() / module
    if (folder := str(file.parent)) not in sys.path:
        sys.path.insert(0, folder)
    return ruleset_from(name, file.name.removesuffix(".py"))


# --- in words -------------------------------------------------------------------------------------


def _lines(source: Source, found: Again) -> Iterator[str]:
    differ = len(found.otherwise)
    same = "all the same" if not differ else f"{differ} differ"
    yield f"{source.name}: {found.system}; {found.rolls} rolls, {same}"
    for each in found.otherwise:
        yield f"  {told(each)}"
    for seq, why in found.unchecked:
        yield f"  not decided from entry {seq} on: {why}"
