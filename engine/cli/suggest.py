"""What a shell may complete of words FIELD=VALUE: fields from forms, values from choices().

Values are those that the seat may see which asks, as the command itself would find it. Where no
seat is named yet, each seat's own characters count, and no hidden roll does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import click
from click.shell_completion import CompletionItem
from msgspec import Struct, inspect, to_builtins
from msgspec.json import encode

from ...errors import Refused
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules import ruleset_named
from ...rules.forms import fields_of
from ...rules.readings import readings_of
from ...rules.ruleset import Offer
from ..core.aggregate import table_of
from ..core.attempt import here, roll_of, seat_named, who_is_here
from ..core.choices import Choice, choices, rollables
from ..core.commands import Amend, Command, Declare, React, Replace
from ..core.moves import legal_moves
from .ask import character_named, own_characters, with_ids
from .database import read_entries
from .fields import LISTS, inside, members, read_fields

Find: TypeAlias = Callable[[str], Iterable[Choice]]
"""The values of a field by its path in the form. Raises Refused for one that is not to be given."""


# --- words of a Struct ----------------------------------------------------------------------------


class Place(NamedTuple):
    """A place within a Struct: its type, and its path in the form, which names no keys.

    `keyed`: it is the value of a key, of which the form says nothing.
    """

    kind: inspect.Type
    path: str = ""
    keyed: bool = False


def words(kind: type[Struct], incomplete: str, find: Find) -> Iterator[CompletionItem[str]]:
    """The words FIELD= or FIELD=VALUE that begin so."""
    name, sign, value = incomplete.partition("=")
    before = "" if sign else name[: name.rfind(".") + 1]
    with suppress(Refused):  # no such field: nothing completes it
        place = _place(Place(inspect.type_info(kind)), name if sign else before.rstrip("."))
        found = _values(place, name, value, find) if sign else _names(place, before, find)
        yield from (each for each in found if each.value.startswith(incomplete))


def _place(held: Place, path: str) -> Place:
    """The place that a path of a word leads to. Raises Refused as `inside`."""
    if not path:
        return held
    part = inside(held.kind, path, held.path)
    name = held.path if part.keyed else f"{held.path}.{part.name}".lstrip(".")
    return _place(Place(part.kind, name, part.keyed), part.rest)


def _names(place: Place, before: str, find: Find) -> Iterator[CompletionItem[str]]:
    """The fields of a Struct, or the keys of an object."""
    for kind in members(place.kind):
        if isinstance(kind, inspect.StructType):
            forms = {form.name: form.title for form in fields_of(kind.cls)}
            for field in kind.fields:
                name = field.encode_name
                with suppress(Refused):  # this seat may not give it
                    find(f"{place.path}.{name}".lstrip("."))
                    word = f"{before}{name}{_sign(field.type)}"
                    yield CompletionItem(word, help=forms.get(name))
        elif isinstance(kind, inspect.DictType):
            for choice in _found(place, find):
                yield CompletionItem(f"{before}{choice.value}{_sign(kind.value_type)}")


def _sign(kind: inspect.Type) -> str:
    """What follows the name of a field: a dot where its parts are given."""
    parted = (inspect.StructType, inspect.DictType)
    return "." if any(isinstance(each, parted) for each in members(kind)) else "="


def _values(place: Place, name: str, value: str, find: Find) -> Iterator[CompletionItem[str]]:
    kinds = members(place.kind)
    if any(isinstance(kind, inspect.DictType) for kind in kinds):
        return  # its parts are given, each by its key
    listed = any(isinstance(kind, LISTS) for kind in kinds)
    kept = value[: value.rfind(",") + 1] if listed else ""
    for choice in _found(place, find):
        text = str(choice.value)
        if isinstance(choice.value, bool):
            text = "yes" if choice.value else "no"
        number = "" if choice.number is None else f"{choice.number:g}"
        label = "" if choice.label == text else choice.label
        yield CompletionItem(f"{name}={kept}{text}", help=", ".join(filter(None, (label, number))))


def _found(place: Place, find: Find) -> Iterable[Choice]:
    return () if place.keyed else find(place.path)


# --- readings -------------------------------------------------------------------------------------


def readings(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The readings, and the table data, of the system that is named before."""
    options = ruleset_named(ctx.params["system"]).Options
    known = {each.name: each.offered for each in readings_of(options)}

    def find(path: str) -> Iterator[Choice]:
        for value in known.get(path, ()):
            nested = isinstance(value, (tuple, list, dict))
            yield Choice(encode(value).decode() if nested else value, "")

    return list(words(options, incomplete, find))


# --- what the system reads of a command -----------------------------------------------------------


class Asking(NamedTuple):
    """Who would fill in the fields: a seat for a character, and about which roll."""

    seat: str
    character: str
    roll: RollState | None = None
    declared: Mapping[str, Any] = {}
    reacts_to: int | None = None
    follows: tuple[int, str] | None = None


def fields(
    command: type[Command], ctx: click.Context, incomplete: str
) -> list[CompletionItem[str]]:
    """The fields that a command gives its system, for the seat and the character of its words."""
    given = ctx.params
    state = table_of(read_entries(given["database"], given["table"])).opened
    kind = state.game.ruleset.Reaction if command is React else state.game.ruleset.Declaration
    typed: dict[str, Any] = {}
    for word in given["free"] or ():
        with suppress(Refused):  # the command will say what is wrong with it
            typed |= with_ids(state, read_fields([word], kind))
    every = list(_askings(state, command, given))

    def find(path: str) -> list[Choice]:
        found: dict[Any, Choice] = {}
        refused: Refused | None = Refused("not-offered", "nobody may fill it in")
        for each in every:
            try:
                some = choices(
                    state, each.seat, each.character, path,
                    so_far={**each.declared, **typed},
                    reacts_to=each.reacts_to, follows=each.follows,
                )  # fmt: skip
            except Refused as error:
                refused = refused and error
            else:
                refused = None
                found |= {choice.value: _by_name(state, choice) for choice in some}
        if refused:
            raise refused
        return list(found.values())

    first = every if command is Declare and not (given["free"] or given.get("follows")) else ()
    names = {
        rolled.name: ", ".join(rolled.asks)
        for each in first
        for rolled in rollables(state, each.seat, each.character)
        if rolled.name.casefold().startswith(incomplete.casefold()) and _usable(rolled.name)
    }
    said = _said(kind, given["free"] or (), incomplete, find) if command is Declare else ()
    return [
        *(CompletionItem(name, help=asks) for name, asks in names.items()),
        *said,
        *words(kind, incomplete, find),
    ]


def _said(
    kind: type[Struct], before: Sequence[str], incomplete: str, find: Find
) -> Iterator[CompletionItem[str]]:
    """What may stand behind `+` and `vs`, and `vs` itself behind the name of a roll."""
    head, plus, begun = incomplete.rpartition("+")
    mark = "vs" if before and before[-1].casefold() == "vs" else plus
    forms = [form for form in fields_of(kind) if form.said]
    found: dict[str, str] = {}
    for form in (each for each in forms if each.said == mark):
        with suppress(Refused):  # this seat may not give it
            found = {str(choice.value): form.title for choice in find(form.name)} | found
    for value, title in found.items():
        if value.casefold().startswith(begun.casefold()):
            yield CompletionItem(f"{head}{plus}{value}", help=title)
    if before and not mark and any(form.said == "vs" and "vs".startswith(begun) for form in forms):
        yield CompletionItem("vs", help="/".join(f.title for f in forms if f.said == "vs"))


def _usable(name: str) -> bool:
    """Whether a name can be a word of a command line: it is no option, and no FIELD=VALUE."""
    return not name.startswith("-") and "=" not in name


def _by_name(state: TableState, choice: Choice) -> Choice:
    """A character's choice by its name, if no other has it."""
    names = [state.name_of(id) for id in who_is_here(state)]
    if choice.value in state.characters and names.count(choice.label) == 1:
        return Choice(choice.label, choice.label, choice.number)
    return choice


def _askings(
    state: TableState, command: type[Command], given: Mapping[str, Any]
) -> Iterator[Asking]:
    """Who may ask for a command with these words."""
    seat, who = given.get("seat_asking"), given.get("character")
    who = character_named(state, who) if who else None
    if seat:
        yield from _of_seat(state, seat_named(state, seat), command, given, who)
        return
    for each in sorted(state.seats):
        if here(state, each):
            found = _of_seat(state, each, command, given, who)
            yield from (one for one in found if one.roll is None or not one.roll.hidden)


def _of_seat(
    state: TableState, seat: str, command: type[Command], given: Mapping[str, Any], who: str | None
) -> Iterator[Asking]:
    """How a seat may ask for it: for which characters, about which rolls."""
    number, _, link = str(given.get("follows") or "").rpartition(":")
    wanted = given.get("roll") or (int(number) if number.isdecimal() else None)
    if command is Declare and not link:
        every = [who] if who else own_characters(state, seat)
        yield from (Asking(seat, each) for each in every)
        return
    for legal in legal_moves(state, seat):
        for move in legal.moves if legal.roll is not None and wanted in (None, legal.roll) else ():
            if move.trigger == getattr(command, "trigger", ""):
                roll = roll_of(state, legal.roll or 0)
                found = _about(state, seat, command, roll, move.offers, link)
                yield from (each for each in found if who in (None, each.character))


def _about(
    state: TableState,
    seat: str,
    command: type[Command],
    roll: RollState,
    offers: Iterable[Offer],
    link: str,
) -> Iterator[Asking]:
    """How a seat may answer, follow or correct a roll."""
    for offer in offers:
        if command is React:
            yield Asking(seat, offer.character, roll, reacts_to=roll.number)
        elif command is Declare and offer.link == link:
            yield Asking(seat, offer.character, roll, follows=(roll.number, link))
    if command in (Amend, Replace):  # of a roll that it may see, as of every legal move
        yield Asking(seat, roll.roll.character, roll, to_builtins(roll.roll.declaration))
