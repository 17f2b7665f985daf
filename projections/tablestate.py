"""A table at one point of its log: seats, characters, names, tracks, rolls.

The state is immutable (hash-trie maps), so that a commit can be folded first and kept only if that
succeeds, and an earlier state costs nothing to keep.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from ..events.base import Level, Role
from ..events.codec import RecordedEvent
from ..events.table import COUNTED
from ..rules.ruleset import Sheet
from .corrections.dependencies import Corrections
from .corrections.timeline import Timeline
from .hidden import Hidden
from .numbered import Changeable, Indexed, Named, Numbered
from .open_rolls import OpenRolls
from .rollstate import Ask, Game, RollState
from .tracks import Tracks
from .wording import counted


class Anchor(Struct, frozen=True):
    """A seat's chain of shares, published as entry `seq`.

    `first` is x_0; `link` is the newest link that is known, and `at` its number; `asks` counts the
    throws that asked for one. Links are 64 hex digits.
    """

    seq: int
    first: str
    link: str
    at: int = 0
    asks: int = 0


class Seat(Struct, frozen=True):
    """A place at the table and what it may do; `here` is False once its person left.

    `key` is the public key that signs its commands, in base64; `anchor` its chain of shares, and
    `ended` those of its chains that are no more, of anybody who sat there.
    """

    id: str
    role: Role
    here: bool = True
    key: str | None = None
    anchor: Anchor | None = None
    ended: tuple[Anchor, ...] = ()

    @property
    def unanchored(self) -> "Seat":
        """The seat once its chain has ended."""
        if self.anchor is None:
            return self
        return replace(self, anchor=None, ended=(*self.ended, self.anchor))


class Replaced(Struct, frozen=True):
    """A rating that entry `seq` replaced: its name, and its value until then (None: none)."""

    seq: int
    name: str
    value: int | float | None


class Character(Struct, frozen=True):
    """A character, the seat that acts for it, and its ratings by name.

    `attributes` are the ratings now; `replaced` those that a narrator's change replaced, oldest
    first. `by` is the seat that brought it; `removed` the entry that took it away, if one did: it
    is known still to every roll and text about it.
    """

    id: str
    seat: str
    attributes: Mapping[str, int | float]
    replaced: tuple[Replaced, ...] = ()
    by: str = ""
    removed: int | None = None

    @property
    def here(self) -> bool:
        """Whether it is at the table, and was not taken away."""
        return self.removed is None

    def attributes_before(self, seq: int) -> Mapping[str, int | float]:
        """The ratings as they were before entry `seq`."""
        if not self.replaced or self.replaced[-1].seq < seq:
            return self.attributes
        then = dict(self.attributes)
        for each in takewhile(lambda each: each.seq >= seq, reversed(self.replaced)):
            if each.value is None:
                del then[each.name]
            else:
                then[each.name] = each.value
        return then


class Written(Struct, frozen=True):
    """A text: the sequence of its entry, the seat that wrote it, the words."""

    seq: int
    by: str
    text: str


class Writing(Struct, frozen=True):
    """Where a text belongs: what it is about, as in `texts`, and the seat that wrote it."""

    about: str
    by: str


class TableState(Struct, frozen=True, kw_only=True, weakref=True):
    """A table as its log leaves it; `size` counts its entries, `at` is the last one's time.

    `core` is the version of the rules that are no system's, under which its commands are decided.
    `tracks` hold every character's tracks now; `timeline` those before each entry that changed any.
    `settings` are those that a narrator gave it, by name: see `urim.projections.settings`.
    `texts` are names and words by what they are about (`table`, `seat:ID`, `character:ID`,
    `entry:SEQ`), oldest first; `writings` the place of each by its entry. `commit` is the first
    entry of the latest commit, None where it is withheld: a text that ends it is about that one.
    `following` are the rolls that follow a roll directly; `entry_rolls` is the roll that an entry
    belongs to, or is a text about. `last_roll` is the highest number of a roll that was declared,
    as far as is known. `open` are the rolls in which somebody may be waited for, and perhaps a few
    others; `corrections` the voids and amendments, and what may depend on them. `ask` is the throw
    that waits for shares; `kept_back` are the seats that kept theirs back when a throw was broken
    off, and did nothing since. `hidden` is what is kept of rolls that are hidden now; `withheld` is
    whether hidden entries are missing here.
    """

    id: str
    by: str
    game: Game
    source: str
    level: Level
    core: int = COUNTED
    size: int = 0
    at: int = 0
    epoch: int = 0
    one_machine: bool = False
    ask: Ask | None = None
    kept_back: frozenset[str] = frozenset()
    seats: Map[str, Seat] = Map()
    characters: Map[str, Character] = Map()
    tracks: Tracks = Map()
    rolls: Numbered[RollState] = Map()
    last_roll: int = 0
    open: OpenRolls = Map()
    corrections: Corrections = Corrections()
    following: Changeable[tuple[int, ...]] = Map()
    settings: Map[str, Any] = Map()
    texts: Named[tuple[Written, ...]] = Map()
    writings: Indexed[Writing] = Map()
    entry_rolls: Indexed[int] = Map()
    timeline: Timeline = Timeline()
    hidden: Hidden = Hidden()
    withheld: bool = False
    commit: RecordedEvent | None = None

    def __repr__(self) -> str:
        """In short: asyncio.run makes the repr of what it gives back, and a log may be long."""
        return f"<TableState {self.summary}>"

    @property
    def summary(self) -> str:
        """The table's id and system, and how many entries and rolls it has."""
        sizes = f"{counted(self.size, 'entry', 'entries')}, {counted(len(self.rolls), 'roll')}"
        return f"{self.id} {self.game.ruleset.name}, {sizes}"

    @property
    def next_roll(self) -> int:
        """The number of the roll that is declared next, as far as is known here."""
        return max(self.last_roll, len(self.rolls)) + 1

    def sheet(self, character: str) -> Sheet:
        """A character's sheet now. Raises KeyError for an unknown one."""
        return Sheet(character, self.characters[character].attributes, self.tracks[character])

    def ratings(self, character: str, seq: int) -> Mapping[str, int | float]:
        """A character's ratings before entry `seq`. Raises KeyError for an unknown one."""
        return self.characters[character].attributes_before(seq)

    def name_of(self, id: str) -> str:
        """What to call a character or a seat: its latest name, or its id where it has none."""
        texts = self.texts.get(f"character:{id}") or self.texts.get(f"seat:{id}")
        return texts[-1].text if texts else id

    @property
    def name(self) -> str:
        """What people call the table; empty where nobody named it."""
        texts = self.texts.get("table")
        return texts[-1].text if texts else ""

    def notes_about(self, seq: int) -> tuple[str, ...]:
        """The words about an entry, oldest first: its reason or label, and notes."""
        return tuple(note.text for note in self.texts.get(f"entry:{seq}", ()))

    @property
    def sheets(self) -> Iterator[RecordedEvent]:
        """The entries that set tracks without a roll, oldest first."""
        return (
            each.sheet for each in self.timeline.moments(0, self.size) if each.sheet is not None
        )

    def tracks_before(self, seq: int) -> Tracks:
        """Every character's tracks before entry `seq`, as they count now."""
        return Map(
            {
                who: self.timeline.before(who, seq, own)
                for who, own in self.tracks.items()
                if self.timeline.at(who, 0).seq < seq
            }
        )

    def with_rules_of(self, roll: RollState) -> "TableState":
        """The table with the readings by which a roll was declared, and ends."""
        game = self.game.at(roll.declared)
        return self if game is self.game else replace(self, game=game)

    def some_rolls(self, numbers: Iterable[int] | None = None) -> list[RollState]:
        """These rolls by number, as far as they are there; all of them unless some are named."""
        if numbers is None:
            return sorted(self.rolls.values(), key=lambda roll: roll.number)
        return [roll for roll in map(self.rolls.get, sorted(set(numbers))) if roll is not None]

    def open_rolls(self) -> tuple[RollState, ...]:
        """The rolls in which somebody may be waited for, by number."""
        return tuple(self.some_rolls(self.open))

    def followers(self, number: int) -> tuple[RollState, ...]:
        """The rolls that follow roll `number` directly and were not voided, oldest first."""
        rolls = (self.rolls[follower] for follower in self.following.get(number, ()))
        return tuple(roll for roll in rolls if roll.state != "voided")
