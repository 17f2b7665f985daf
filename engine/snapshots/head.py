"""The head of a snapshot: what of a table's state does not grow with its log, and what it is of.

It says which table, system, version and code it is of, and where in the log: size, root, Merkle
frontier, the last entry's leaf. It is written in one transaction with the rows that belong to it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from immutables import Map
from msgspec import Struct, ValidationError, to_builtins
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from ...events.base import Level
from ...events.codec import RecordedEvent
from ...events.merkle import Frontier
from ...projections.corrections.dependencies import Corrections
from ...projections.corrections.postings import Postings
from ...projections.corrections.timeline import Timeline
from ...projections.hidden import Entries, Hidden
from ...projections.rollstate import Ask, Game
from ...projections.tables import Character, Rulesets, Seat, TableState, Written, fold, read
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


class Highest(Struct, frozen=True, array_like=True):
    """The highest number that was written of each kind of rows."""

    rolls: int
    following: int
    texts: int
    writings: int
    entry_rolls: int
    moments: int
    takings: int
    of_rolls: int
    of_all: int
    follow: int
    erasures: int
    nodes: int
    parts: int
    hidden_entries: int
    places: int
    changes: int


class StoredCharacter(Struct, frozen=True, array_like=True):
    """A character, and its tracks now."""

    character: Character
    tracks: dict[str, int]


class StoredHead(Struct, frozen=True, array_like=True):
    """The head.

    `opened` is the entry that opened the table, `readings` what was read otherwise since: from
    which entry on, name, value; `moment_lists` and `taking_lists` say where each
    character's moments and takings are; `noted` is the highest roll in the index of entries,
    `asked` the newest command of each seat in it; `usage` is the service's.
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
    at: int
    level: Level
    epoch: int
    ask: Ask | None
    kept_back: tuple[str, ...]
    seats: dict[str, Seat]
    characters: dict[str, StoredCharacter]
    names: dict[str, tuple[int, ...]]
    rolls: int
    last_roll: int
    open: tuple[int, ...]
    corrections: tuple[tuple[int, int], ...]
    hidden: dict[int, Entries]
    blind: dict[int, StoredRoll]
    moment_lists: dict[str, tuple[int, int]]
    taking_lists: dict[str, tuple[int, int]]
    commit: RecordedEvent | None
    unrevealed: tuple[int, ...]
    noted: int
    asked: dict[str, int]
    highest: Highest
    usage: bytes

    @property
    def frontier(self) -> Frontier:
        """The tree of its entries."""
        return Frontier(self.size, self.peaks)


encoded = Encoder().encode
_decode = Decoder(StoredHead).decode


def decoded(body: bytes) -> StoredHead | None:
    """The head of these bytes; None for one of another form."""
    try:
        return _decode(body)
    except (ValidationError, ValueError):
        return None


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
    highest: Highest,
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
        at=state.at,
        level=state.level,
        epoch=state.epoch,
        ask=state.ask,
        kept_back=tuple(sorted(state.kept_back)),
        seats=dict(state.seats),
        characters={
            id: StoredCharacter(each, dict(state.tracks[id]))
            for id, each in state.characters.items()
        },
        names={about: tuple(each.seq for each in texts) for about, texts in names.items()},
        rolls=len(state.rolls),
        last_roll=state.last_roll,
        open=tuple(state.open),
        corrections=state.corrections.made,
        hidden=dict(hidden.entries),
        blind={number: stored_roll(roll) for number, roll in hidden.blind.items()},
        moment_lists=dict(state.timeline.lists),
        taking_lists=dict(state.corrections.taken.lists),
        commit=state.commit,
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


def state_of(head: StoredHead, opened: TableState, kept: Mapping[str, Any]) -> TableState:
    """The table of a head, as its first entry `opened` it; `kept` is what is in rows."""
    game: Game = opened.game
    return replace(
        opened,
        level=head.level,
        size=head.size,
        at=head.at,
        epoch=head.epoch,
        ask=head.ask,
        kept_back=frozenset(head.kept_back),
        seats=Map(head.seats),
        characters=Map({id: each.character for id, each in head.characters.items()}),
        tracks=Map({id: Map(each.tracks) for id, each in head.characters.items()}),
        last_roll=head.last_roll,
        open=Map(dict.fromkeys(head.open)),
        corrections=Corrections(
            head.corrections, Postings(kept["takings"], Map(head.taking_lists))
        ),
        hidden=Hidden(
            Map(head.hidden),
            Map({number: folded_roll(game, roll) for number, roll in head.blind.items()}),
        ),
        timeline=Timeline(kept["moments"], Map(head.moment_lists)),
        commit=head.commit,
        rolls=kept["rolls"],
        following=kept["following"],
        texts=kept["texts"],
        writings=kept["writings"],
        entry_rolls=kept["entry_rolls"],
    )
