"""The command `urim whatif`: a table, or a bundle of it, beside one that differs in some things."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import inspect, to_builtins

from ...errors import Damaged, Refused
from ...events.entry import Entry
from ...events.log.location import Location
from ...projections.isolates import bare
from ...projections.tables import TableState
from ...rules.ruleset import Ruleset
from ..bundle.read import entries_of_bundle
from ..core.attempt import roll_of, sitting
from ..core.commands import OpenTable
from ..core.rerun import Commit
from ..core.view import view_of
from ..render.text import page, pen_of
from ..render.whatif import alternative_parts, option_of, whatif_parts
from ..whatif.alternatives import alternatives
from ..whatif.changes import (
    OF_PROOFS,
    Amended,
    Change,
    Declared,
    Instead,
    Reading,
    Voided,
    Withdrawn,
    Without,
)
from ..whatif.difference import what_if
from ..whatif.seen import Item, commits_among, folded, items_of, lines_of, padded
from .database import AT, SEEN_BY, tables_of, tables_of_file
from .fields import field_names, put, read
from .frame import NUMBER, Command, Known, TableUrl
from .shared import print_objects
from .show import entries_given

BUNDLE = ".jsonl"
"""How the name of a bundle ends."""

TAKING = ("--instead", "--declare", "--amend", "--reading")
"""Options that take every FIELD=VALUE behind them."""


class WhatIfCommand(Command):
    """A command whose options take several words: `--instead 12 dice=d1,d4 hand=initiator`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; each FIELD=VALUE belongs to the option before it."""
        return super().parse_args(ctx, list(_apart(args)))


def _apart(args: Sequence[str]) -> Iterator[str]:
    """The words, the option written again before each FIELD=VALUE that follows its first."""
    taking, waits = "", False
    for word in args:
        if word.startswith("--"):
            name = word.partition("=")[0]
            taking, waits = (name if name in TAKING else ""), "=" not in word
        elif waits:
            waits = False
        elif taking and "=" in word:
            yield taking
        else:
            taking = ""
        yield word


def whatif(
    database: Location | TableUrl,
    table: str | None,
    *,
    roll: int | None,
    reading: Sequence[str],
    instead: Sequence[str],
    without: Sequence[int],
    declare: Sequence[str],
    amend: Sequence[str],
    character: str | None,
    void: bool,
    withdraw: bool,
    seat: str | None,
    as_json: bool,
) -> None:
    """Show what would be different: a reading, a command, a declaration, a ruling.

    Before and after stand side by side, of every roll that comes out otherwise; then what falls
    away, and by which refusal. No die is invented: where one never fell, it is named. Nothing is
    changed. With --roll alone, what could have been otherwise in it is listed, each with the option
    that asks about it. A bundle is believed as it is: audit it first.
    """
    items = items_of(_entries(database, table))
    state = _state(items)
    if seat:
        seat = sitting(state, seat)
        state = view_of(state, seat)
    known = Asked(items, state, roll)
    changes: list[Change] = [*known.readings(reading), *known.instead(instead)]
    changes += map(Without, without)
    if declare:
        changes.append(known.declared(declare))
    changes += [Withdrawn(known.roll)] if withdraw else []
    changes += [Voided(known.roll)] if void else []
    if amend:
        changes.append(known.amended(amend, character))
    elif character is not None:
        raise Refused("malformed", "--character is for --amend", allowed=["--amend FIELD=VALUE"])
    if not changes:
        if roll is None:
            raise Refused("malformed", "nothing is different", allowed=CHANGES)
        _alternatives(items, roll, seat, as_json=as_json)
        return
    found = what_if(items, changes, seat=seat)
    if as_json:
        print_objects([bare(to_builtins(found))])
        return
    out = page(sys.stdout)
    for part in whatif_parts(found, pen_of(out), out.width, roll):
        out.print(part)


def _alternatives(items: Sequence[Item], roll: int, seat: str | None, *, as_json: bool) -> None:
    """Print what could have been otherwise in a roll, each with the option that asks about it."""
    found = alternatives(items, roll, seat=seat)
    if as_json:
        listed = [{**bare(to_builtins(each)), "option": option_of(each.change)} for each in found]
        print_objects([{"type": "alternatives", "roll": roll, "alternatives": listed}])
        return
    out = page(sys.stdout)
    for part in alternative_parts(found, pen_of(out), roll):
        out.print(part, soft_wrap=True)


CHANGES = (
    "--reading NAME=VALUE",
    "--instead SEQ FIELD=VALUE",
    "--without SEQ",
    *("--declare FIELD=VALUE", "--void", "--withdraw", "--amend FIELD=VALUE"),
)

# --- where the table is ---------------------------------------------------------------------------


def _entries(at: Location | TableUrl, table: str | None) -> Sequence[Entry]:
    """The entries of a table in a database, at a URL, or in a bundle of the whole table."""
    if isinstance(at, Path) and at.name.endswith(BUNDLE):
        if table is not None:
            raise Refused("malformed", "a bundle is of one table", allowed=["no TABLE"])
        return list(entries_of_bundle(at))
    if table is None:
        known: Iterable[str] = () if isinstance(at, TableUrl) else tables_of_file(at)
        raise Refused("malformed", "TABLE is missing", allowed=known)
    return entries_given(at, table)


def _state(items: Sequence[Item]) -> TableState:
    """The table, as far as it is disclosed."""
    state: TableState | None = None
    for item in items:
        state = folded(padded(state, item.seq), lines_of(item))
    if state is None:
        raise Damaged("no entry opens a table", seq=0)
    return state


# --- from words to changes ------------------------------------------------------------------------


class Asked:
    """What the words of a command line change at this table."""

    def __init__(self, items: Sequence[Item], state: TableState, roll: int | None) -> None:
        self._items = items
        self._state = state
        self._roll = roll
        if roll is not None:
            roll_of(state, roll)

    @property
    def roll(self) -> int:
        """The roll that is meant. Raises Refused where none is named."""
        if self._roll is None:
            raise Refused("malformed", "--roll is missing", allowed=["--roll N"])
        return self._roll

    @property
    def _rules(self) -> Ruleset:
        return self._state.game.ruleset

    def readings(self, words: Sequence[str]) -> Iterator[Reading]:
        """The readings. Raises Refused, with those that there are."""
        opening: Any = next(commits_among(self._items), None)
        held = opening.command.options if isinstance(opening.command, OpenTable) else {}
        for name, value in self._fields(words, self._rules.Options, held).items():
            yield Reading(name, value)

    def instead(self, words: Sequence[str]) -> Iterator[Instead]:
        """The commands that are others: `SEQ`, and behind it its FIELD=VALUE."""
        groups: dict[int, list[str]] = {}
        seq: int | None = None
        for word in words:
            if "=" not in word:
                seq = read(word, inspect.type_info(int), "--instead")
            elif seq is not None:
                groups.setdefault(seq, []).append(word)
            if seq is None:
                raise Refused("malformed", f"{word!r} has no entry", allowed=["--instead SEQ"])
            groups.setdefault(seq, [])
        for at, own in groups.items():
            command = self._command(at)
            if command is None:
                yield Instead(at, {})  # which is refused, with the entries that there are
                continue
            held = to_builtins(command)
            yield Instead(at, self._fields(own, type(command), held, OF_PROOFS))

    def _command(self, seq: int) -> Any:
        found = (each for each in self._items if isinstance(each, Commit))
        return next((each.command for each in found if each.seq == seq), None)

    def declared(self, words: Sequence[str]) -> Declared:
        """The roll declared with other fields."""
        roll = roll_of(self._state, self.roll)
        held = to_builtins(roll.roll.declaration)
        return Declared(roll.number, self._fields(words, self._rules.Declaration, held))

    def amended(self, words: Sequence[str], character: str | None) -> Amended:
        """The roll amended, what its roller declared or what another answered."""
        roll = roll_of(self._state, self.roll)
        who = None if character is None else self._id(character)
        if who in (None, roll.roll.character):
            held, kind = to_builtins(roll.roll.declaration), self._rules.Declaration
        else:
            reactions = {name: to_builtins(given) for name, given in roll.roll.reactions}
            held, kind = reactions.get(str(who)) or {}, self._rules.Reaction
        return Amended(roll.number, self._fields(words, kind, held), who)

    def _fields(
        self,
        words: Sequence[str],
        kind: Any,
        held: Mapping[str, Any],
        besides: Sequence[str] = (),
    ) -> dict[str, Any]:
        """The fields that words give; a part of one, named behind a dot, leaves its other parts."""
        names = field_names(kind, besides)
        found: dict[str, Any] = {}
        for word in words:
            name, sign, text = word.partition("=")
            top, dot, _ = name.partition(".")
            if not sign or top not in names:
                why = f"{word!r} is not FIELD=VALUE" if not sign else f"no field {top!r}"
                raise Refused("unknown" if sign else "malformed", why, allowed=names)
            if dot and top not in found and held.get(top) is not None:
                found[top] = held[top]
            found = put(found, inspect.type_info(kind), name, text)
        return {name: self._ids(value) for name, value in found.items()}

    def _ids(self, value: Any) -> Any:
        """The value, names of characters in it as their ids."""
        if isinstance(value, list):
            return [self._ids(each) for each in value]
        if isinstance(value, dict):
            return {key: self._ids(each) for key, each in value.items()}
        return self._id(value) if isinstance(value, str) else value

    def _id(self, name: str) -> str:
        """A character's id, by its id or name; any other word is itself."""
        known = self._state.characters
        if name in known:
            return name
        return next((id for id in sorted(known) if self._state.name_of(id) == name), name)


def _option(name: str, metavar: str, words: str, *, field: str | None = None) -> click.Option:
    params = [name, field] if field else [name]
    return click.Option(params, multiple=True, metavar=metavar, help=words)


whatif_command = WhatIfCommand(
    "whatif",
    callback=whatif,
    params=[
        AT,
        click.Argument(
            ["table"],
            type=Known("table", tables_of),
            metavar="[TABLE]",
            required=False,
            help="A table's id; none for a bundle.",
        ),
        click.Option(["--roll"], type=NUMBER, metavar="N", help="The roll that it is about."),
        _option("--reading", "NAME=VALUE", "The table was opened with this reading."),
        _option("--instead", "SEQ FIELD=VALUE", "The command at this entry had these fields."),
        click.Option(
            ["--without"],
            type=click.IntRange(min=0),
            multiple=True,
            metavar="SEQ",
            help="The command at this entry was never asked.",
        ),
        _option("--declare", "FIELD=VALUE", "The roll was declared so."),
        _option("--amend", "FIELD=VALUE", "A narrator amends the roll now."),
        click.Option(["--character"], metavar="CHARACTER", help="Who declared what is amended."),
        click.Option(["--void"], is_flag=True, help="A narrator voids the roll now."),
        click.Option(["--withdraw"], is_flag=True, help="The roll was withdrawn at once."),
        SEEN_BY,
    ],
    help=whatif.__doc__ and "\n".join(line.strip() for line in whatif.__doc__.splitlines()),
)
