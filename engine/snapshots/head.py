"""The head of a snapshot: what of a table's state does not grow with its log, and what it is of.

It says which table, system, version and code it is of, and where in the log: size, root, Merkle
frontier, the last entry's leaf. It is written in one transaction with the rows that belong to it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import GenericAlias
from typing import Any, get_args

from immutables import Map
from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import fields, replace

from ...events.codec import RecordedEvent
from ...events.merkle import Frontier
from ...projections.corrections.dependencies import Corrections
from ...projections.corrections.postings import Postings
from ...projections.corrections.timeline import Timeline
from ...projections.hidden import Entries, Hidden
from ...projections.rollstate import Game
from ...projections.tables import Rulesets, TableState, Written, fold, read
from ..core.index import Index as EntryIndex
from .packing import StoredRoll, folded_roll, stored_roll

FORMAT = 3

ROOT = Path(__file__).parents[2]
CODE = (
    "errors.py",
    "events",
    "projections",
    "rules",
    "engine/core",
    "engine/service/usage.py",
    "engine/snapshots",
)
"""What a fold follows from; a snapshot of other code is thrown away."""

LOG = ROOT / "events" / "log"
"""How entries are kept: no fold follows from that."""


IN_ROWS = ("rolls", "following", "texts", "writings", "entry_rolls")
IN_PART = ("timeline", "corrections", "hidden")
OPENED = ("id", "by", "game", "source", "core", "one_machine", "withheld")
"""What of a table's state is in rows; what is in part; and what follows from its first entry."""

STATE = {
    each.name: each.type
    for each in fields(TableState)
    if each.name not in (*IN_ROWS, *IN_PART, *OPENED)
}
"""All else, which a head keeps as it is: the field, and its type."""


class StoredHead(Struct, frozen=True, array_like=True):
    """The head.

    `opened` is the entry that opened the table, `readings` what was read otherwise since: from
    which entry on, name, value; `state` has the fields in STATE; `moment_lists` and `taking_lists`
    say where each character's moments and takings are; `noted` is the highest roll in the index of
    entries, `asked` the newest command of each seat in it; `highest` the highest number that was
    written of each kind of rows; `usage` is the service's.
    """

    format: int
    table: str
    ruleset: str
    version: str
    code: str
    size: int
    peaks: tuple[bytes, ...]
    leaf: bytes
    opened: RecordedEvent
    readings: tuple[tuple[int, str, Any], ...]
    state: dict[str, Any]
    names: dict[str, tuple[int, ...]]
    rolls: int
    corrections: tuple[tuple[int, int], ...]
    hidden: Map[int, Entries]
    blind: dict[int, StoredRoll]
    moment_lists: Map[str, tuple[int, int]]
    taking_lists: Map[str, tuple[int, int]]
    unrevealed: tuple[int, ...]
    noted: int
    asked: dict[str, int]
    highest: dict[str, int]
    usage: bytes

    @property
    def frontier(self) -> Frontier:
        """The tree of its entries."""
        return Frontier(self.size, self.peaks)


def _plain(value: Any) -> dict[Any, Any]:
    """A Map, as MessagePack has it. Raises NotImplementedError for anything else."""
    if isinstance(value, Map):
        return dict(value)
    raise NotImplementedError(type(value))


def _typed(kind: Any, value: Any) -> Map[Any, Any]:
    """The Map of a type, of what MessagePack has. Raises ValidationError for what is none."""
    return Map(convert(value, GenericAlias(dict, get_args(kind)), dec_hook=_typed))


encoded = Encoder(enc_hook=_plain).encode
_decode = Decoder(StoredHead, dec_hook=_typed).decode


def decoded(body: bytes) -> StoredHead | None:
    """The head of these bytes; None for one of another form."""
    try:
        head = _decode(body)
        state = {n: convert(head.state[n], kind, dec_hook=_typed) for n, kind in STATE.items()}
    except (ValidationError, ValueError, KeyError):
        return None
    return replace(head, state=state)


def fits(head: StoredHead, table: str, state: TableState) -> bool:
    """Whether a head is of this table, as its first entry opens it, and of this code."""
    ruleset = state.game.ruleset
    wanted = (FORMAT, table, ruleset.name, str(ruleset.version), code())
    return wanted == (head.format, head.table, head.ruleset, head.version, head.code)


@cache
def code() -> str:
    """A digest of the modules that a fold follows from, 64 hex digits."""
    digest = sha256()
    for name in CODE:
        place = ROOT / name
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            if LOG in path.parents:
                continue
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _readings(game: Game | None) -> Iterator[tuple[int, str, Any]]:
    """What was read otherwise since the opening, oldest first."""
    if game is not None and game.before is not None:
        yield from _readings(game.before)
        now, then = to_builtins(game.options), to_builtins(game.before.options)
        yield from ((game.since, name, now[name]) for name in now if now[name] != then[name])


def head_of(
    state: TableState,
    tree: Frontier,
    leaf: bytes,
    opened: RecordedEvent,
    names: Mapping[str, tuple[Written, ...]],
    unrevealed: set[int],
    index: EntryIndex,
    highest: dict[str, int],
    usage: bytes,
) -> StoredHead:
    """The head of a table of this state."""
    hidden, ruleset = state.hidden, state.game.ruleset
    return StoredHead(
        format=FORMAT,
        table=state.id,
        ruleset=ruleset.name,
        version=str(ruleset.version),
        code=code(),
        size=tree.size,
        peaks=tree.peaks,
        leaf=leaf,
        opened=opened,
        readings=tuple(_readings(state.game)),
        state={name: getattr(state, name) for name in STATE},
        names={about: tuple(each.seq for each in texts) for about, texts in names.items()},
        rolls=len(state.rolls),
        corrections=state.corrections.made,
        hidden=hidden.entries,
        blind={number: stored_roll(roll) for number, roll in hidden.blind.items()},
        moment_lists=state.timeline.lists,
        taking_lists=state.corrections.taken.lists,
        unrevealed=tuple(sorted(unrevealed)),
        noted=index.highest,
        asked=dict(index.asked),
        highest=highest,
        usage=usage,
    )


def opened_by(head: StoredHead, rulesets: Rulesets) -> TableState:
    """The table as its first entry opened it, with its readings of now. Raises as `fold`."""
    state = fold(None, head.opened, rulesets)
    for since, name, value in head.readings:
        state = replace(state, game=read(state.game, name, value, since))
    return state


def state_of(head: StoredHead, opened: TableState) -> TableState:
    """The table of a head, as its first entry `opened` it, without what is in rows."""
    blind = {number: folded_roll(opened.game, roll) for number, roll in head.blind.items()}
    return replace(
        opened,
        **head.state,
        corrections=Corrections(head.corrections, Postings(lists=head.taking_lists)),
        hidden=Hidden(head.hidden, Map(blind)),
        timeline=Timeline(lists=head.moment_lists),
    )
