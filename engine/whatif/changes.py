"""What may be different: a reading, a command, a declaration, or a ruling made now.

A change is made to the list of what was asked, never to what came of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, to_builtins
from msgspec.json import encode
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.base import JSON
from ...events.codec import Event, RecordedEvent
from ...rules import ruleset_named
from ...rules.readings import readings_of
from ..core.commands import Amend, AnyCommand, Declare, OpenTable, SetReading, Void, Withdraw
from ..core.parse import read_as, read_command, shown
from ..core.preview import NO_TEXT
from ..core.rerun import Commit
from .seen import Item, Sealed, commits_among, lines_of

REQUEST = "~what-if"
"""The request of what nobody asked; no client may send it."""

OF_PROOFS = ("committed", "nonce", "faces", "share", "text", "key", "anchor")
"""Fields of commands that are no decision of anybody's: dice, proofs, the hash of a text."""


class Different(Struct, frozen=True, forbid_unknown_fields=True, tag_field="change"):
    """One thing that is different; as JSON its `change` says of which sort."""


class Reading(Different, frozen=True, tag="reading"):
    """The table was opened with this reading, given as JSON has it, and nobody set it since."""

    name: str
    value: Any


class Instead(Different, frozen=True, tag="instead"):
    """The command whose commit begins with entry `seq` has these fields in place of its own."""

    seq: int
    fields: JSON


class Without(Different, frozen=True, tag="without"):
    """The command whose commit begins with entry `seq` was never asked."""

    seq: int


class Declared(Different, frozen=True, tag="declared"):
    """The roll was declared with these fields, all others as they were."""

    roll: int
    fields: JSON


class Voided(Different, frozen=True, tag="voided"):
    """A narrator voids the roll now."""

    roll: int


class Withdrawn(Different, frozen=True, tag="withdrawn"):
    """Who declared the roll withdraws it at once."""

    roll: int


class Amended(Different, frozen=True, tag="amended"):
    """A narrator amends what `character` declared in the roll now; None is the roller."""

    roll: int
    fields: JSON
    character: str | None = None


Change: TypeAlias = Reading | Instead | Without | Declared | Voided | Withdrawn | Amended
"""One thing that is different."""


class Placed(Struct, frozen=True):
    """A commit at its place. `own`: a change made it, or made it another one; it must be possible.

    `added`: nobody asked it, and the log has no entry of it. `gone`: it is left out.
    """

    item: Item
    own: bool = False
    added: bool = False
    gone: bool = False


def placed(items: Sequence[Item], changes: Iterable[Change]) -> tuple[Placed, ...]:
    """The commits of a table that differs in these things; what is sealed stays where it is.

    Raises Refused where a change names what is not there, or has a value that may not be.
    """
    found = tuple(map(Placed, items))
    later: list[Placed] = []
    for change in changes:
        match change:
            case Reading():
                found = _read_otherwise(found, change)
            case Instead():
                found = _instead(found, change)
            case Without():
                at = _at(found, change.seq)
                found = (*found[:at], replace(found[at], own=True, gone=True), *found[at + 1 :])
            case Declared():
                found = _declared(found, change)
            case Withdrawn():
                found = _withdrawn(found, change)
            case Voided():
                later.append(_now(items, Void(change.roll, _against(items, change.roll), NO_TEXT)))
            case Amended():
                later.append(_now(items, _amend(items, change)))
    return (*found, *later)


# --- one of the log's is another ------------------------------------------------------------------


def _read_otherwise(found: tuple[Placed, ...], change: Reading) -> tuple[Placed, ...]:
    command: Any = next((c.command for c in _commits(found)), None)
    if not isinstance(command, OpenTable):
        raise Refused("not-seen", "what opened the table is not disclosed", allowed=["the table"])
    kind = ruleset_named(command.ruleset).Options
    if change.name not in kind.__struct_encode_fields__:
        names = kind.__struct_encode_fields__
        raise Refused("unknown", f"no reading {shown(change.name)}", allowed=names)
    options = {**command.options, change.name: change.value}
    try:
        read_as(options, kind)
    except Refused as error:
        known = next((each for each in readings_of(kind) if each.name == change.name), None)
        values = () if known is None else (known.default, *known.others)
        raise Refused(error.code, error.why, allowed=error.allowed or values) from error
    # It is read so throughout: who set it to something else meanwhile did not.
    found = tuple(replace(each, gone=True) if _sets(each, change.name) else each for each in found)
    return _with(found, 0, replace(command, options=options))


def _sets(each: Placed, name: str) -> bool:
    command = each.item.command if isinstance(each.item, Commit) else None
    return isinstance(command, SetReading) and command.name == name


def _instead(found: tuple[Placed, ...], change: Instead) -> tuple[Placed, ...]:
    at = _at(found, change.seq)
    item: Any = found[at].item
    return _with(found, at, _with_fields(item.command, change.fields))


def _at(found: tuple[Placed, ...], seq: int) -> int:
    """Where the command is whose commit begins with that entry. Raises Refused: none is there."""
    for at, each in enumerate(found):
        if isinstance(each.item, Commit) and not each.added and each.item.seq == seq:
            return at
    if any(isinstance(each.item, Sealed) and each.item.seq == seq for each in found):
        why = f"entry {seq} is hidden, and what was asked there with it"
        raise Refused("not-seen", why, allowed=_entries(found))
    raise Refused("unknown", f"no command is at entry {seq}", allowed=_entries(found))


def _entries(found: Iterable[Placed]) -> Iterator[int]:
    """The entries at which a command can be another one, the latest first."""
    every = [each.item.seq for each in found if isinstance(each.item, Commit) and not each.added]
    return reversed(every)


def _with_fields(command: AnyCommand, fields: JSON) -> AnyCommand:
    """The command with other fields, checked as one that a client sends."""
    known = [name for name in command.__struct_encode_fields__ if name not in OF_PROOFS]
    for name in fields:
        if name not in known:
            what = str(command.__struct_config__.tag).partition("/")[0]
            why = f"the command {what} has no field {shown(name)} that could be another"
            raise Refused("unknown", why, allowed=known)
    return read_command(encode({**to_builtins(command), **fields}))


def _declared(found: tuple[Placed, ...], change: Declared) -> tuple[Placed, ...]:
    at = _declaration(found, change.roll)
    item: Any = found[at].item
    kind = ruleset_named(_system(found)).Declaration
    for name in change.fields:
        if name not in kind.__struct_encode_fields__:
            why = f"no field {shown(name)} in a {kind.__name__}"
            raise Refused("unknown", why, allowed=kind.__struct_encode_fields__)
    wish = {**item.command.declaration, **change.fields}
    return _with(found, at, read_command(encode(replace(item.command, declaration=wish))))


def _withdrawn(found: tuple[Placed, ...], change: Withdrawn) -> tuple[Placed, ...]:
    at = _declaration(found, change.roll)
    item: Any = found[at].item
    event = rolled.RollVoided(item.seat, change.roll)
    more = _added(item.seat, Withdraw(change.roll), lines_of(item)[-1].seq + 1, item.at, event)
    return (*found[: at + 1], more, *found[at + 1 :])


def _declaration(found: Sequence[Placed], roll: int) -> int:
    """Where the roll is declared. Raises Refused where that is not here, or was no declaration."""
    declared: list[int] = []
    for at, each in enumerate(found):
        if not isinstance(each.item, Commit) or each.added:
            continue
        numbers = [e.roll for e in each.item.events if isinstance(e, rolled.RollDeclared)]
        if isinstance(each.item.command, Declare):
            declared += numbers
            if roll in numbers:
                return at
        elif roll in numbers:
            why = f"roll {roll} was declared by the ruling at entry {each.item.seq}"
            raise Refused("not-offered", why, allowed=["the roll that was ruled on"])
    raise Refused("unknown", f"no roll {roll} is declared here", allowed=declared)


def _with(found: tuple[Placed, ...], at: int, command: AnyCommand) -> tuple[Placed, ...]:
    item: Any = found[at].item
    other = Placed(replace(item, command=command), own=True)
    return (*found[:at], other, *found[at + 1 :])


def _commits(found: Iterable[Placed]) -> Iterator[Commit]:
    return commits_among(each.item for each in found)


def _system(found: Iterable[Placed]) -> str:
    """The table's system, by what opened it."""
    return next(c.command.ruleset for c in _commits(found) if isinstance(c.command, OpenTable))


# --- what a narrator does now ---------------------------------------------------------------------


def _now(items: Sequence[Item], command: AnyCommand) -> Placed:
    """A narrator's command behind all others; raises Refused where there is no such roll."""
    roll: int = getattr(command, "roll", 0)
    seat = _narrator(items)
    last = lines_of(items[-1])[-1]
    event: Event = rolled.RollVoided(seat, roll)
    if isinstance(command, Amend):
        event = ruling.RollAmended(seat, roll, command.character, command.fields)
    return _added(seat, command, last.seq + 1, last.at, event)


def _added(seat: str, command: AnyCommand, seq: int, at: int, event: Event) -> Placed:
    """A commit that nobody asked for; `event` stands for what it leads to."""
    record = RecordedEvent(seq, at, b"", event, first=True)
    return Placed(Commit(seat, REQUEST, command, (record,)), own=True, added=True)


def _events(items: Iterable[Item]) -> Iterator[RecordedEvent]:
    """Every event that can be read."""
    for item in items:
        yield from (line for line in lines_of(item) if isinstance(line, RecordedEvent))


def _narrator(items: Iterable[Item]) -> str:
    """A narrator who is there in the end: the first who came."""
    here: dict[str, None] = {}
    for record in _events(items):
        event = record.event
        match event:
            case tabled.TableOpened():
                here[event.by] = None
            case tabled.SeatTaken() if event.role == "narrator":
                here[event.seat] = None
            case tabled.SeatLeft():
                here.pop(event.seat, None)
            case _:
                pass
    return next(iter(here), "")


def _against(items: Iterable[Item], roll: int) -> int | None:
    """The entry of the latest ruling on a roll."""
    made = [
        record.seq
        for record in _events(items)
        if isinstance(record.event, ruling.RulingMade) and record.event.roll == roll
    ]
    return made[-1] if made else None


def _amend(items: Sequence[Item], change: Amended) -> Amend:
    who = change.character or _roller(items, change.roll)
    return Amend(change.roll, who, change.fields, _against(items, change.roll), NO_TEXT)


def _roller(items: Iterable[Item], roll: int) -> str:
    declared = {
        record.event.roll: record.event.character
        for record in _events(items)
        if isinstance(record.event, rolled.RollDeclared)
    }
    if roll not in declared:
        raise Refused("unknown", f"no roll {roll} is declared here", allowed=declared)
    return declared[roll]
