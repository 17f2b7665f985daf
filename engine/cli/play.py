"""The commands that play scenarios: those that come with the systems, and those in files."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import click
from msgspec.structs import replace

from ...errors import Refused
from ...events.log.location import Location
from ...events.log.memory import MemoryLog
from ...events.log.protocol import EventLog
from ...rules import ruleset_names
from ..core.aggregate import FIXTURE_TABLE, table_id
from ..render.json import play_objects
from ..render.play import show_play
from ..render.text import page
from ..scenario import STORIES, Play, Progress, Scenario, parse_scenario, play, read_scenario
from ..service.beside import secrets_of
from ..service.secrets import WITH_SECRET
from .database import on_written_log
from .frame import FILE, LOG, Known, command
from .keep import keep
from .progress import progress
from .shared import FAILED, PASSED, UNUSABLE, exit_with, print_objects, report, say
from .tale import tell


@command(
    click.Argument(
        ["system"],
        type=Known("system", lambda _: demos()),
        required=False,
        metavar="[SYSTEM]",
        help="Play the story that comes with this system instead.",
    ),
    LOG,
)
def demo(system: str | None, *, log: Location | None, as_json: bool) -> None:
    """Play one fair roll, its dispute and its audit; or the story of a system.

    The roll is played on a real database, which is thrown away unless --log names one to keep.
    """
    if system is None:
        exit_with(tell(page(sys.stdout), log, as_json=as_json))
        return
    known = demos()
    if system not in known:
        raise Refused("unknown", f"no story of {system!r}", allowed=known)
    story = demo_scenario(system)
    played = _in_memory(story) if log is None else play_onto(log, story)
    exit_with(PASSED if _passed(played, as_json=as_json) else FAILED)


@command(
    click.Argument(
        ["files"], type=FILE, nargs=-1, required=True, metavar="FILE...", help="Scenarios in TOML."
    ),
    LOG,
)
def run(files: Sequence[Path], *, log: Location | None, as_json: bool) -> None:
    """Play scenario files, one after the other, and check what they expect.

    A file that cannot be used does not keep the next ones from being played, and leaves nothing in
    the database. A scenario whose table's id is in use there is refused. One without an id takes
    the next free one, fixture0, fixture1 and so on; with fair or manual dice, a random one.
    """
    codes = [_run(path, log, as_json=as_json) for path in files]
    exit_with(max(codes))


def demos() -> list[str]:
    """The installed systems that come with a scenario."""
    return [name for name in ruleset_names() if (STORIES / f"{name}.toml").is_file()]


def demo_scenario(system: str) -> Scenario:
    """The scenario that comes with a system."""
    text = (STORIES / f"{system}.toml").read_text("utf-8")
    return parse_scenario(text, f"the demonstration of {system}")


def _in_memory(scenario: Scenario, each: Progress | None = None) -> Play:
    return asyncio.run(play(scenario, MemoryLog(), progress=each))


def _steps(show: Callable[[str], None] | None, done: str) -> Progress | None:
    return show and (lambda number, size: show(f"{number:,} of {size:,} steps {done}"))


def _run(path: Path, log: Location | None, *, as_json: bool) -> int:
    """Play one file; the exit code it asks for."""
    try:
        scenario = read_scenario(path)
        with progress(as_json=as_json) as show:
            each = _steps(show, "played")
            played = _in_memory(scenario, each) if log is None else play_onto(log, scenario, each)
        passed = _passed(played, as_json=as_json)
        if log is not None and not as_json:
            say(f"kept as table {played.aggregate.opened.id} in {log}")
    except Refused as error:
        named = error if str(path) in error.why else _within(path, error)
        report(named, as_json=as_json, file=str(path))
        return UNUSABLE
    return PASSED if passed else FAILED


def _within(path: Path, error: Refused) -> Refused:
    return error.reworded(f"{path}: {error.why}")


def _passed(played: Play, *, as_json: bool) -> bool:
    """Print a play; whether all that it expects holds."""
    if as_json:
        print_objects(play_objects(played))
    else:
        with progress(as_json=sys.stdout.isatty()) as show:  # there the steps themselves show it
            show_play(page(sys.stdout), played, _steps(show, "written"))
    return not played.failures


# --- into a database ------------------------------------------------------------------------------


def play_onto(database: Location, scenario: Scenario, each: Progress | None = None) -> Play:
    """Play a scenario and keep it in a database, which is made if it is not there.

    It is played in memory first and then kept whole, so that a scenario that cannot be used leaves
    nothing behind. Raises Refused("taken") where its table's id is in use; one without an id takes
    the next that is free, unless its dice depend on it.
    """
    first = next(_free_ids(scenario, ()))
    early = _in_memory(replace(scenario, table=first), each)

    async def work(log: EventLog) -> Play:
        taken = await log.tables()
        ready = [] if first in taken else [early]
        for id in _free_ids(scenario, taken):
            played = ready.pop() if ready else await play(replace(scenario, table=id), MemoryLog())
            if await keep(log, secrets_of(database), played.aggregate):
                return played
        raise _in_use(scenario)

    return on_written_log(database, work, make=True)


def _free_ids(scenario: Scenario, taken: tuple[str, ...]) -> Iterator[str]:
    """The ids that a scenario's table may have, as far as they are free."""
    if scenario.table or scenario.dice.startswith("seeded:"):
        wanted = scenario.table or FIXTURE_TABLE
        yield from () if wanted in taken else (wanted,)
    elif scenario.dice in WITH_SECRET:
        yield table_id(scenario.dice)
    else:
        stem = FIXTURE_TABLE.rstrip("0")
        yield from (id for id in map(f"{stem}{{}}".format, count()) if id not in taken)


def _in_use(scenario: Scenario) -> Refused:
    id = scenario.table or FIXTURE_TABLE
    if scenario.table:
        return Refused("taken", f"table {id!r} is in use", allowed=["another `table`"])
    why = f"dice {scenario.dice} depend on the table's id, and table {id!r} is in use"
    return Refused("taken", why, allowed=["a `table` of its own", "another log"])
