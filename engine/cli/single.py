"""Single commands: each thing that a seat may ask for, made from the fields of its Struct.

A row of ROWS says which Struct, and which of its fields are arguments. The other fields are options
of the same names. A text (a name, a label, a reason, a note) is an argument, or an option that is
called what the text is. What the system reads comes as words FIELD=VALUE.
"""

import re
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
from msgspec import inspect

from ...errors import Refused
from ...events.log.location import Location
from ..core import commands
from ..core.aggregate import table_of
from ..core.attempt import seat_named
from ..core.parse import FREE
from ..render.committed import (
    committed_object,
    committed_parts,
    next_parts,
    waiting_object,
    waiting_part,
)
from ..render.text import page, pen_of
from ..seat.carried import MOST, read_carried
from ..table import Table
from . import suggest
from .ask import Done, Wish
from .ask import ask as done_for
from .commands import COMMANDS
from .database import AT, SEAT, TABLE
from .fields import LISTS, expected, literals, members, read, read_map, struct_fields
from .frame import FILE, NUMBER, Command, OneOf, TableUrl
from .shared import bytes_in, print_objects, say
from .steps import LONGEST, go_on

DRAWN = ("committed", "nonce", "anchor", "share", "key")
"""Fields that the program fills in."""

SPELLED = {"tracks": "track", "asked": "ask", "seat": "owner"}
"""Options that are not called like their field."""

AS = click.Option(
    ["--seat", "seat_asking"],
    type=SEAT,
    metavar="SEAT",
    required=True,
    envvar="URIM_AS",
    help="The seat that asks, by its id or name; without it the one that URIM_AS names.",
)
ROLL = click.Option(["--roll"], type=NUMBER, metavar="N", help="The roll, where it is not plain.")
FROM = click.Option(
    ["--from", "file"],
    type=FILE,
    metavar="FILE",
    help="A character's file, from the page or `urim export`: what it has, if it is not said here.",
)
SHARED = ("database", "table", "seat_asking", "request")
"""Parameters of every single command."""

REQUEST = click.Option(
    ["--request"], metavar="ID", help="The request's id: again, it gives the same answer."
)


class Row(NamedTuple):
    """A single command: its Struct, the fields that are arguments in their order, what is fixed.

    `...` behind a field: it takes all the words that are left; `?`: it may be left out. `begins`
    is the row of what words FIELD=VALUE ask for instead: it is done, and then all that needs no
    decision. `file`: a character's file may say what is not said here.
    """

    command: type[commands.Command]
    words: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = {}
    stands: bool = False
    begins: str | None = None
    file: bool = False


ROWS: Mapping[str, Row] = {
    "seat": Row(commands.TakeSeat, ("seat",)),
    "name-seat": Row(commands.NameSeat, ("seat", "text")),
    "name-table": Row(commands.NameTable, ("text",)),
    "set-table": Row(commands.SetTable, ("name", "value")),
    "leave": Row(commands.LeaveSeat, ("seat?",)),
    "enter": Row(commands.EnterCharacter, ("text", "attributes..."), file=True),
    "name": Row(commands.NameCharacter, ("character", "text")),
    "give": Row(commands.GiveCharacter, ("character", "seat")),
    "remove": Row(commands.RemoveCharacter, ("character",)),
    "set-track": Row(commands.SetTrack, ("character", "track", "value")),
    "set-attribute": Row(commands.SetAttribute, ("character", "attribute", "value")),
    "set-reading": Row(commands.SetReading, ("name", "value", "text")),
    "anchor-shares": Row(commands.AnchorShares),
    "declare": Row(commands.Declare),
    "react": Row(commands.React),
    "decline": Row(commands.React, fixed={"reaction": None}),
    "roll": Row(commands.RollDice, begins="declare"),
    "freeze": Row(commands.Freeze, ("dice...",)),
    "stand": Row(commands.Freeze, stands=True),
    "reroll": Row(commands.Reroll, ("dice...",)),
    "adjust": Row(commands.Adjust, ("dice...",)),
    "choose": Row(commands.Choose, ("choice", "option")),
    "resolve": Row(commands.Resolve),
    "damage": Row(commands.ApplyDamage),
    "reveal": Row(commands.Reveal),
    "withdraw": Row(commands.Withdraw),
    "ask": Row(commands.Ask),
    "open-share": Row(commands.OpenShare),
    "break-throw": Row(commands.BreakThrow),
    "confirm": Row(commands.Confirm),
    "dispute": Row(commands.Dispute, ("text",)),
    "rule": Row(commands.Rule, ("ruling", "text")),
    "amend": Row(commands.Amend, ("text",)),
    "void": Row(commands.Void, ("text",)),
    "veto": Row(commands.Veto, ("text",)),
    "replace": Row(commands.Replace, ("text",)),
    "flavour": Row(commands.Flavour, ("words...",)),
    "fate": Row(commands.DecideFate, ("fate",)),
    "note": Row(commands.Note, ("about", "text")),
}
"""Every single command that is made from a Struct."""


# --- its parameters -------------------------------------------------------------------------------


class Field(NamedTuple):
    """A field as a parameter: its name, its type, whether it is an argument, needed, of many."""

    name: str
    kind: inspect.Type
    argument: bool
    needed: bool
    many: bool


def row_fields(row: Row) -> list[Field]:
    """The fields of a row's Struct that are parameters: arguments first, in the row's order."""
    types = {each.encode_name: each for each in struct_fields(row.command)}
    found: list[Field] = []
    for word in row.words:
        name = word.rstrip(".?")
        many = word.endswith("...")
        needed = not many and not word.endswith("?")
        found.append(Field(name, types[name].type, argument=True, needed=needed, many=many))
    taken = {*(each.name for each in found), *DRAWN, *FREE, *row.fixed, "roll", "text"}
    taken |= {"dice"} if row.stands else set()
    options = [each for name, each in types.items() if name not in taken]
    found += [
        Field(each.encode_name, each.type, argument=False, needed=False, many=_is_map(each.type))
        for each in options
    ]
    return found


def parameters(row: Row) -> list[click.Parameter]:
    """The parameters of a row's command; those of what it begins too."""
    found = _parameters(row)
    names = {each.name for each in found}
    more = _parameters(ROWS[row.begins]) if row.begins else []
    own = [AT, TABLE, *found, *(each for each in more if each.name not in names), AS]
    about_roll = "roll" in row.command.__struct_encode_fields__
    return [*own, *([ROLL] if about_roll else []), *([FROM] if row.file else []), REQUEST]


def _parameters(row: Row) -> list[click.Parameter]:
    rule = row.command.text_rule
    text = "text" if rule is None else rule.name
    found: list[click.Parameter] = []
    for field in row_fields(row):
        if field.name == "text":
            found.append(_argument("text", text.upper(), f"The {text}.", field))
        elif field.argument:
            found.append(_argument(field.name, _metavar(field), _help(field), field))
        else:
            found.append(_option(field))
    declares = commands.Declare in (row.command, row.begins and ROWS[row.begins].command)
    if _free(row):
        words = click.Argument(
            ["free"],
            nargs=-1,
            metavar="[NAME] [FIELD=VALUE]..." if declares else "[FIELD=VALUE]...",
            help=f"What the system's rules ask for{BARE if declares else ''}.",
            shell_complete=lambda ctx, _, word: suggest.fields(row.command, ctx, word),
        )
        found.append(words)
    if rule is not None and "text" not in row.words:
        found.append(click.Option([f"--{text}", "text"], help=f"The {text}."))
    return found


BARE = (
    ", behind a roll of the character's sheet by its name, or plain dice as they are typed;"
    " words without a sign fill in what that roll asks for; +NAME adds a rating, vs what it is"
    " against, and hidden, blind or self is who sees it"
)
"""What bare words of a declaration are, for its help."""


def _free(row: Row) -> bool:
    names = (name for name in FREE if name in row.command.__struct_encode_fields__)
    return any(name not in row.fixed for name in names)


def _argument(name: str, metavar: str, words: str, field: Field) -> click.Argument:
    shape = f"[{metavar}]..." if field.many else metavar
    return click.Argument(
        [name],
        metavar=shape if field.needed or field.many else f"[{metavar}]",
        help=words,
        nargs=-1 if field.many else 1,
        required=field.needed,
        type=_type(field),
    )


def _option(field: Field) -> click.Option:
    name = SPELLED.get(field.name, field.name).replace("_", "-")
    return click.Option(
        [f"--{name}", field.name],
        metavar=None if literals(field.kind) else _metavar(field),
        help=_help(field),
        multiple=field.many,
        type=_type(field),
    )


def _type(field: Field) -> click.ParamType[str] | None:
    words = literals(field.kind)
    only = all(
        isinstance(each, inspect.LiteralType | inspect.NoneType) for each in members(field.kind)
    )
    return OneOf(words) if words and only else None


def _metavar(field: Field) -> str:
    if _is_map(field.kind):
        return "NAME=VALUE"
    if _pairs(field.kind):
        return "DIE=FACE"
    names = {"dice": "DIE", "follows": "[N:]LINK", "faces": "FACES", "about": "SEQ"}
    return names.get(field.name, field.name.upper())


HELP: Mapping[str, str] = {
    "character": "A character, by name or id.",
    "seat": "A seat, by id or name.",
    "follows": "The link by which it follows a roll, whose number may be left out.",
    "hand": "The hand, where it is not plain.",
    "faces": "The faces of typed or scripted dice: 3,5,2 or וחר.",
    "dice": "Ids of dice: d1 d3.",
    "dispute": "The dispute's entry, where there are several.",
    "throw": "The throw, where there are several.",
    "about": "The entry.",
    "asked": "Seats, with commas; else all others.",
}
"""What the help says of some fields; of the others it says what they take."""


def _help(field: Field) -> str:
    if _pairs(field.kind):
        return "Dice and the faces that they shall show: d1=3."
    if field.name in HELP:
        return HELP[field.name]
    if literals(field.kind):
        return f"The {field.name}."
    words = "NAME=VALUE" if _is_map(field.kind) else expected(field.kind)
    return f"{words[:1].upper()}{words[1:]}."


def _is_map(kind: inspect.Type) -> bool:
    return any(isinstance(each, inspect.DictType) for each in members(kind))


def _pairs(kind: inspect.Type) -> bool:
    """Whether it is a list of Structs that are written as arrays of two: dice and their faces."""
    found = (each for each in members(kind) if isinstance(each, LISTS))
    return any(isinstance(each.item_type, inspect.StructType) for each in found)


# --- from words to a wish -------------------------------------------------------------------------


def wish_of(row: Row, values: Mapping[str, Any]) -> Wish:
    """What the words of a command line ask for. Raises Refused("malformed") naming the field."""
    given: dict[str, Any] = dict(row.fixed)
    for field in row_fields(row):
        value = values.get(field.name)
        if field.name != "text" and value not in (None, ()):
            given[field.name] = _value(field, value)
        elif field.argument and field.many and not _is_map(field.kind):
            given[field.name] = []
    if values.get("roll") is not None:
        given["roll"] = values["roll"]
    return Wish(row.command, given, values.get("text"), values.get("free") or (), row.stands)


def _value(field: Field, value: Any) -> Any:
    words: Iterable[str] = [value] if isinstance(value, str) else value
    if field.name == "follows":
        number, colon, link = str(value).rpartition(":")
        return [read(number, inspect.type_info(int), "the roll"), link] if colon else link
    if _is_map(field.kind):
        [of] = [each for each in members(field.kind) if isinstance(each, inspect.DictType)]
        return read_map(words, of.value_type, field.name)
    if _pairs(field.kind):
        return read_map(words, inspect.type_info(str), field.name)
    if any(isinstance(each, LISTS) for each in members(field.kind)):
        return [part for word in words for part in re.split(r"[\s,]+", word) if part]
    return read(str(value), field.kind, field.name)


# --- it is done -----------------------------------------------------------------------------------


def show(table: Table, done: Done, *, as_json: bool) -> None:
    """Show what came of a wish, as its seat may see it."""
    view = table_of(table.aggregate.view(done.seat))
    state = table.state
    if as_json:
        if done.seqs:
            print_objects([committed_object(view, done.seat, done.seqs, done.roll)])
        if done.silent:
            print_objects([waiting_object(state, done.seat, done.roll or 0, done.silent)])
        return
    out = page(sys.stdout)
    pen = pen_of(out)
    for part in committed_parts(view, done.seqs, pen, out.width):
        out.print(part)
    if not done.seqs and not done.silent:
        out.print(pen.text("Nothing changed."))
    if done.silent:
        out.print(waiting_part(done.silent, pen))
    else:
        for part in next_parts(state, done.seat, done.roll, pen):
            out.print(part)


def run(
    wish: Callable[[Table], Wish],
    database: Location | TableUrl,
    table: str,
    seat: str,
    request: str | None,
    *,
    as_json: bool,
    goes_on: bool = False,
) -> None:
    """Do what a seat wishes at a table of a database, or at a URL, and show it.

    With `goes_on` all too that needs no decision then.
    """
    with opened(database, table, seat) as (found, asking):
        done = done_for(found, asking, wish(found), request)
        show(found, go_on(found, done, request) if goes_on else done, as_json=as_json)


def enter_from(
    file: Path,
    wish: Wish,
    database: Location | TableUrl,
    table: str,
    seat: str,
    request: str | None,
    *,
    as_json: bool,
) -> None:
    """Bring a character with what its file has too, and say which tracks a narrator is to set."""
    with opened(database, table, seat) as (found, asking):
        state = found.state
        try:
            sheet = read_carried(bytes_in(file, MOST), state.game.ruleset.name)
        except Refused as error:
            why = error.why if str(file) in error.why else f"{file}: {error.why}"
            raise error.reworded(why) from error
        narrates = state.seats[seat_named(state, asking)].role == "narrator"
        brought = {"attributes": sheet.attributes, "tracks": sheet.tracks if narrates else {}}
        both = {name: {**each, **wish.given.get(name, {})} for name, each in brought.items()}
        done = done_for(found, asking, wish._replace(given={**wish.given, **both}), request)
        show(found, done, as_json=as_json)
    if sheet.tracks and not narrates:
        if as_json:
            print_objects([{"type": "left", "tracks": sheet.tracks}])
        else:
            left = ", ".join(f"{name} {value}" for name, value in sheet.tracks.items())
            say(f"A narrator is to set: {left}.")


@contextmanager
def opened(at: Location | TableUrl, table: str, seat: str) -> Generator[tuple[Table, str]]:
    """The table in a database, or the one at a URL; and the seat that asks."""
    if isinstance(at, TableUrl):
        from .online import table_at  # noqa: PLC0415  only with the extra

        with table_at(at, seat) as online:
            yield online
        return
    with Table.open(at, table) as found:
        yield found, seat


def made(name: str) -> Command:
    """The command of a row."""
    row, home = ROWS[name], COMMANDS[name]

    def callback(
        database: Location | TableUrl,
        table: str,
        *,
        seat_asking: str,
        request: str | None,
        as_json: bool,
        **values: Any,
    ) -> None:
        begins = row.begins if values.get("free") else None
        used = ROWS[begins] if begins else row
        _only_its_own(row, used, values)
        wish = wish_of(used, values)
        if values.get("file") is not None:
            file = values["file"]
            enter_from(file, wish, database, table, seat_asking, request, as_json=as_json)
            return
        goes_on = begins is not None
        if goes_on and request is not None and len(request) > LONGEST:
            why = f"--request: {len(request)} characters, and each step is one of its own"
            raise Refused("malformed", why, allowed=[f"at most {LONGEST} characters"])
        run(lambda _: wish, database, table, seat_asking, request, as_json=as_json, goes_on=goes_on)

    words = (row.command.__doc__ or "").strip()
    return Command(
        name,
        callback=callback,
        params=parameters(row),
        help=f"{home.help}\n\n{words}",
        examples=home.examples,
        exits=home.exits,
    )


def _only_its_own(row: Row, used: Row, values: Mapping[str, Any]) -> None:
    """Refuse options of what a row begins where nothing is begun, and the other way round."""
    if row.begins is None:
        return
    own = {each.name for each in _parameters(used)} | ({"roll"} if used is row else set())
    for each in parameters(row):
        if each.name not in (*SHARED, *own) and values.get(each.name or "") not in (None, ()):
            what = "a roll that FIELD=VALUE declares" if used is row else "one that is declared"
            allowed = ["with FIELD=VALUE" if used is row else "without FIELD=VALUE"]
            raise Refused("malformed", f"{each.opts[0]} is for {what}", allowed=allowed)


def __getattr__(name: str) -> Command:
    """A command by its name: it is made when it is called."""
    if name not in ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return made(name)
