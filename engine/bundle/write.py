"""A table's log, or one roll of it, written as a bundle that anybody can audit.

The form is that of docs/bundle.md. What a reader may not see must be withheld before: an entry is
written as it is given.
"""

import json
from collections.abc import Iterator, Sequence

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, read
from ...events.codec import Event, recorded
from ...events.entry import Entry
from ...events.line import entry_line
from ...events.merkle import node_of
from ...events.roll import RollDeclared, RollEventBase
from ...events.strict import Object
from ...events.table import EntryErased, Noted, TableOpened, TextSaid
from ..core.aggregate import Aggregate
from .read import FORMAT, Scope

Levels = list[list[bytes]]
"""A tree's nodes, level by level, its leaves first."""


def bundle_of(
    aggregate: Aggregate, seat: str, note: bytes, keys: Sequence[Key], roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle of a table in memory, as the seat ("" for nobody) may see it.

    `note` and the rest are as `write_bundle` takes them, and it raises the same.
    """
    return write_bundle(aggregate.view(seat), note, keys, roll)


def write_bundle(
    entries: Sequence[Entry], note: bytes, keys: Sequence[Key], roll: int | None = None
) -> Iterator[bytes]:
    """The lines of a bundle: the log's entries, or those that `roll` needs, from its first on.

    `note` is a checkpoint signed with one of `keys`; entries beyond its size are left out (an
    audit needs the entry that names what was erased, so sign the log as it is now). Raises,
    before the first line: Damaged when the note proves nothing about these entries, or the first
    does not open a table; Refused("unknown") for a roll that is not there or cannot be seen.
    """
    checkpoint = read(note, keys)
    if checkpoint.size > len(entries):
        raise Damaged(f"the checkpoint is of {checkpoint.size} entries, the log has {len(entries)}")
    held = entries[: checkpoint.size]
    tree = _levels([entry.leaf for entry in held])
    if not held or tree[-1][0] != checkpoint.root:
        raise Damaged(f"the checkpoint over {checkpoint.size} entries is of another log")
    opened = recorded(held[0]).event
    if not isinstance(opened, TableOpened):
        raise Damaged("it does not open a table", seq=0)
    wanted = range(len(held)) if roll is None else _about(held, roll)
    return _lines(held, tree, wanted, header_line(note, keys, opened, roll))


def _lines(
    entries: Sequence[Entry], tree: Levels, wanted: Sequence[int], header: bytes
) -> Iterator[bytes]:
    yield header
    whole = len(wanted) == len(entries) and isinstance(wanted, range)
    for seq in wanted:
        yield entry_line(entries[seq], None if whole else _inclusion(tree, seq))
    yield end_line(len(wanted))


# --- single lines ---------------------------------------------------------------------------------


def header_line(
    note: bytes, keys: Sequence[Key], opened: TableOpened, roll: int | None = None
) -> bytes:
    """A bundle's first line. Raises Damaged for a note that none of the keys has signed."""
    checkpoint = read(note, keys)
    scope: Scope = "table" if roll is None else "roll"
    return _written(
        {
            "format": FORMAT,
            "scope": scope,
            **({} if roll is None else {"roll": roll}),
            "origin": checkpoint.origin,
            "keys": [key.vkey for key in keys],
            "size": checkpoint.size,
            "checkpoint": note.decode("utf-8"),
            "system": opened.ruleset,
            "version": opened.version,
            "options": opened.options,
        }
    )


def end_line(count: int) -> bytes:
    """A bundle's last line, after `count` entries."""
    return _written({"end": FORMAT, "count": count})


def _written(found: Object) -> bytes:
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode()


# --- proofs ---------------------------------------------------------------------------------------


def _levels(leaves: Sequence[bytes]) -> Levels:
    """Every node of the tree, once; the last of an odd level is carried up as it is."""
    levels: Levels = [list(leaves)]
    while len(levels[-1]) > 1:
        below = levels[-1]
        above = [node_of(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)]
        levels.append([*above, below[-1]] if len(below) & 1 else above)
    return levels


def _inclusion(tree: Levels, seq: int) -> list[bytes]:
    """The same as `merkle.inclusion_proof`, from the nodes instead of all leaves again."""
    return [
        level[(seq >> height) ^ 1]
        for height, level in enumerate(tree)
        if (seq >> height) ^ 1 < len(level)
    ]


# --- what a roll needs ----------------------------------------------------------------------------


def _about(entries: Sequence[Entry], roll: int) -> list[int]:
    """The places of the entries that a bundle about this roll holds."""
    events: dict[int, Event] = {
        entry.seq: recorded(entry).event for entry in entries if entry.payload is not None
    }
    rolls = _related(events, roll)
    wanted = {
        seq
        for seq, event in events.items()
        if isinstance(event, RollEventBase) and event.roll in rolls
    }
    for seq, event in events.items():  # in log order: a note may be about a note
        if isinstance(event, Noted) and event.about in wanted:
            wanted.add(seq)
    last = max(wanted)
    of_all = {
        seq
        for seq, event in events.items()
        if seq <= last and not isinstance(event, (RollEventBase, Noted, TextSaid, EntryErased))
    }
    # Commits go whole, with the texts that were erased since and what erased them.
    commits = {entries[seq].commit for seq in wanted | of_all}
    wanted = {entry.seq for entry in entries if entry.commit in commits}
    erasures = {seq: event for seq, event in events.items() if isinstance(event, EntryErased)}
    return sorted(wanted | {seq for seq, event in erasures.items() if event.seq in wanted})


def _related(events: dict[int, Event], roll: int) -> set[int]:
    """Every roll of the chains that the roll is in, as far as they can be seen.

    A void or an amendment goes down a chain in one commit: an entry of it may be of any of them.
    """
    parents = {
        event.roll: event.follows[0] if event.follows else None
        for event in events.values()
        if isinstance(event, RollDeclared)
    }
    if roll not in parents:
        raise Refused("unknown", f"no roll {roll} can be seen", allowed=map(str, parents))
    first, above = roll, parents[roll]
    while above is not None and above < first:  # a forged log may lead in a circle
        first, above = above, parents.get(above)
    found = {first}
    for number in sorted(parents):  # followers are declared later
        if parents[number] in found:
            found.add(number)
    return found
