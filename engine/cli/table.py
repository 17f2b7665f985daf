"""The commands `urim open`, `submit` and `moves`: a table begun, a command as JSON, legal moves."""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import click
from msgspec import DecodeError
from msgspec.json import decode

from ...errors import Refused
from ...events.base import Level
from ...events.log.location import Location
from ...rules import ruleset_named, ruleset_names
from ..core.aggregate import Aggregate, environment, table_id, table_of
from ..core.attempt import roll_of, seat_named
from ..core.commands import OpenTable
from ..core.limits import NARRATOR
from ..core.parse import COMMANDS, TAGS, shown
from ..core.view import view_of
from ..render.committed import committed_object, moves_objects, moves_parts
from ..render.text import page, pen_of
from ..table.database import Database
from .ask import Wish
from .database import AT, DATABASE, TABLE, entries_of
from .fields import read_fields
from .frame import Known, OneOf, TableUrl, command
from .shared import print_objects
from .single import AS, REQUEST, ROLL, opened, run
from .suggest import readings

TYPED = {"typed": "manual"}
"""Other names for sources of dice."""


@command(
    DATABASE,
    click.Option(
        ["--system"],
        type=Known("system", lambda _: ruleset_names()),
        required=True,
        metavar="NAME",
        help="The game system.",
    ),
    click.Option(
        ["--reading", "readings"],
        multiple=True,
        metavar="NAME=VALUE",
        help="A reading of the rules, or table data; repeat for more.",
        shell_complete=readings,
    ),
    click.Option(
        ["--level"],
        type=OneOf(get_args(Level)),
        default="player",
        help="Who adds entropy to fair dice: nobody but this host, the roller, or every seat.",
    ),
    click.Option(
        ["--dice"],
        default="fair",
        metavar="SOURCE",
        help="fair, typed (physical dice), seeded:SEED or scripted.",
    ),
    click.Option(["--id"], metavar="TABLE", help="8 to 32 of a-z and 0-9; else drawn."),
    click.Option(
        ["--seat", "seat"], metavar="SEAT", default=NARRATOR, help="The first narrator's seat."
    ),
    REQUEST,
    name="open",
)
def open_table(
    database: Location,
    *,
    system: str,
    readings: Sequence[str],
    level: Level,
    dice: str,
    id: str | None,
    seat: str,
    request: str | None,
    as_json: bool,
) -> None:
    """Open a table, and print its id.

    The database is made where there is none. The seat that opens the table is its narrator's.
    """
    if request is not None and id is None:
        raise Refused("malformed", "a request that opens a table names it", allowed=["--id TABLE"])
    source = TYPED.get(dice, dice)
    options = read_fields(readings, ruleset_named(system).Options)
    opening = OpenTable(id or table_id(source), system, options, source, level)
    place = Database.opening(database, seat, opening, request)
    place.close()
    if as_json:
        print_objects([committed_object(place.aggregate, seat, [0], None)])
    else:
        sys.stdout.write(f"{opening.table}\n")


@command(
    AT,
    TABLE,
    click.Argument(
        ["body"], metavar="[JSON]", default="-", help="The command; else standard input has it."
    ),
    AS,
    REQUEST,
)
def submit(
    database: Location | TableUrl,
    table: str,
    body: str,
    *,
    seat_asking: str,
    request: str | None,
    as_json: bool,
) -> None:
    """Do what a seat asks, given as JSON.

    The object has `do`, a command's name or its tag (roll, roll/1), and its fields; a text is under
    what it is called: name, label, reason or text. What single commands may leave out may be left
    out here: the roll, the hand, commitments, nonces and shares.
    """
    found = wish_in(sys.stdin.read() if body == "-" else body)
    run(lambda _: found, database, table, seat_asking, request, as_json=as_json)


def wish_in(text: str) -> Wish:
    """What a JSON object asks for. Raises Refused("malformed") and ("unknown")."""
    try:
        found: Any = decode(text)
    except DecodeError as error:
        raise Refused("malformed", f"no JSON: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("do"), str):
        why = f"an object with `do` is needed, not {shown(found)}"
        raise Refused("malformed", why, allowed=TAGS)
    do = found.pop("do")
    kind = COMMANDS.get(TAGS.get(do, do))
    if kind is None or kind is OpenTable:
        raise Refused("unknown", f"no command {shown(do)}", allowed=TAGS)
    rule = kind.text_rule
    words = None if rule is None else found.pop(rule.name, None)
    if words is not None and not isinstance(words, str):
        raise Refused("malformed", f"{rule.name if rule else ''} is {shown(words)}, not a text")
    return Wish(kind, found, words)


@command(AT, TABLE, AS, ROLL)
def moves(
    database: Location | TableUrl, table: str, *, seat_asking: str, roll: int | None, as_json: bool
) -> None:
    """Say what waits for a seat, and all that it may do, roll by roll."""
    with asked_at(database, table, seat_asking) as (found, asking):
        state = found.opened
        seat, now = seat_named(state, asking), found.now()
        view = view_of(state, seat)
        hidden_roll = view.ask is not None and view.ask.roll == roll
        if roll is not None and not hidden_roll:
            roll_of(view, roll, seat)
        if as_json:
            print_objects(moves_objects(state, seat, roll, now))
            return
        out = page(sys.stdout)
        for part in moves_parts(state, seat, roll, now, pen_of(out)):
            out.print(part)


@contextmanager
def asked_at(at: Location | TableUrl, table: str, seat: str) -> Generator[tuple[Aggregate, str]]:
    """The table of a database, which is not touched, or at a URL; and the seat that asks."""
    if isinstance(at, TableUrl):
        with opened(at, table, seat) as (online, asking):
            yield online.aggregate, asking
        return
    entries = entries_of(at, table)
    source = table_of(entries[:1]).opened.source
    found = Aggregate(environment(source))
    found.load(entries, checked=True)
    yield found, seat
