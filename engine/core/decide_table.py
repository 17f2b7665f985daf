"""A command outside the rolls is decided: seats, characters, sheets, texts, erasures, epochs."""

from collections.abc import Callable, Iterator, Mapping
from math import floor
from typing import Any

from msgspec import to_builtins

from ...errors import Refused
from ...events import table as tabled
from ...events.codec import Event
from ...events.share import links
from ...events.throw import checked_seat
from ...projections.automaton import LIVE
from ...projections.handlers import on
from ...projections.rollstate import game
from ...projections.settings import SETTINGS, fits, setting_of
from ...projections.tables import Rulesets, TableState
from ...rules.numbered import named
from ...rules.readings import readings_of
from ...rules.ruleset import Ruleset, Track
from ...rules.versions import later, unknown
from .attempt import must_narrate, must_own, present, seat_of, who_is_here
from .commands import (
    AnchorShares,
    BeginEpoch,
    EnterCharacter,
    Erase,
    GiveCharacter,
    LeaveSeat,
    NameCharacter,
    NameSeat,
    NameTable,
    Note,
    OpenTable,
    RemoveCharacter,
    SetAttribute,
    SetReading,
    SetTable,
    SetTrack,
    TableCommand,
    TakeSeat,
)
from .guards import must_not_wait
from .parse import name_of, read_as, shown
from .sources import Source
from .view import roll_as_seen
from .visibility import involved, may_have, roll_about

CORE = tabled.SPENT
"""The version of the rules that are no system's: of all that `engine/core` makes of a command."""

CORES = (4, tabled.COUNTED, CORE)
"""The versions that are decided here: a log is under the one that it was opened with."""


def decide_table(
    table: TableState | None,
    seat: str,
    command: OpenTable | TableCommand,
    source: Source,
    now: int,
    rulesets: Rulesets,
    core: int = CORE,
) -> tuple[Event, ...]:
    """The events of a table command; a table is opened under `core`. Raises Refused.

    While a throw waits for shares only notes, settings and a new epoch may come.
    """
    if isinstance(command, OpenTable):
        if table is not None:
            raise Refused("taken", f"table {table.id!r} is open already", allowed=["another id"])
        return _open(seat, command, source, rulesets, core)
    if table is None:
        raise Refused("unknown", "the table is not open yet", allowed=["open"])
    seat_of(table, seat)
    if isinstance(command, BeginEpoch):
        return _begin_epoch(table, seat, source)
    if not isinstance(command, Note | SetTable):
        must_not_wait(table, name_of(type(command)), now)
    return TABLE_COMMANDS[type(command)](command, table, seat)


# --- the table and its seats ----------------------------------------------------------------------


def _open(
    seat: str, command: OpenTable, source: Source, rulesets: Rulesets, core: int
) -> tuple[Event, ...]:
    if command.source != source.name:
        raise Refused(
            "malformed",
            f"the dice of this table are {source.name}, not {command.source}",
            allowed=[source.name],
        )
    if command.one_machine and command.level == "table":
        why = "no throw is at level table where one machine plays every seat"
        raise Refused("malformed", why, allowed=["level player", "level server"])
    checked_seat(seat)
    ruleset = rulesets(command.ruleset)
    before = later(ruleset, ruleset.version)  # where an older log is decided again
    options = read_as({**before, **command.options}, ruleset.Options)
    names = unknown(ruleset, ruleset.version)
    known = {k: v for k, v in to_builtins(options).items() if k not in names}
    return (
        tabled.TableOpened(
            seat,
            command.table,
            ruleset.name,
            ruleset.version,
            known,
            command.source,
            command.level,
            core,
            command.one_machine,
            named(ruleset.faces(options)) if core >= tabled.COUNTED else {},
        ),
    )


def _begin_epoch(table: TableState, seat: str, source: Source) -> tuple[Event, ...]:
    """A new epoch: `source` commits again to the outstanding throw of every live roll."""
    must_narrate(table, seat, "beginning an epoch")
    commits: list[tabled.Recommitted] = []
    for roll in table.open_rolls():
        if roll.outstanding is not None and roll.state in LIVE:
            throw = roll.outstanding.throw
            fresh = source.commit(table.id, roll.number, throw)
            commits += [tabled.Recommitted(roll.number, throw, fresh)] if fresh else []
    return (tabled.EpochBegun(seat, table.epoch + 1, tuple(commits)),)


def _take_seat(command: TakeSeat, table: TableState, seat: str) -> tuple[Event, ...]:
    if command.key is not None:
        return _take_key(command, table, seat)
    must_narrate(table, seat, "seating somebody")
    known = table.seats.get(command.seat)
    if known is not None and known.here:
        raise Refused("taken", f"seat {command.seat!r} is taken", allowed=["another id"])
    owned = [who for who in who_is_here(table) if table.characters[who].seat == command.seat]
    if command.role == "witness" and owned:
        why = f"a witness owns no character; seat {command.seat!r} has {', '.join(owned)}"
        raise Refused("not-yours", why, allowed=["player", "narrator"])
    return (tabled.SeatTaken(seat, command.seat, command.role),)


def _take_key(command: TakeSeat, table: TableState, seat: str) -> tuple[Event, ...]:
    """A key for one's own seat, which keeps its role; that it signed this is checked before."""
    known = table.seats[seat]
    if command.seat != seat or command.text is not None:
        why = "a seat takes a key for itself, and no name with it"
        raise Refused("not-yours", why, allowed=[f"seat {seat!r}"])
    if known.key == command.key:
        return ()
    return (tabled.SeatTaken(seat, seat, known.role, command.key),)


def _name_seat(command: NameSeat, table: TableState, seat: str) -> tuple[Event, ...]:
    _own_seat(table, seat, command.seat, "naming another seat")
    return (tabled.SeatNamed(seat, command.seat),)


def _name_table(command: NameTable, table: TableState, seat: str) -> tuple[Event, ...]:
    must_narrate(table, seat, "naming the table")
    return (tabled.TableSet(seat, "name", None),)


def _set_table(command: SetTable, table: TableState, seat: str) -> tuple[Event, ...]:
    must_narrate(table, seat, "a setting of the table")
    found = setting_of(command.name)
    if found is None:
        forms = [
            f"{name} or {name}/ROLL" if each.rolls else name for name, each in SETTINGS.items()
        ]
        raise Refused("unknown", f"no setting {command.name!r}", allowed=forms)
    setting, number = found
    if command.value is not None and not fits(setting, command.value):
        why = f"{command.name} = {shown(command.value)}"
        raise Refused("malformed", why, allowed=[*setting.allowed, "null, which takes it back"])
    roll = table.rolls.get(number) if number is not None else None
    if number is not None and (roll is None or roll.hidden):
        last = table.next_roll - 1
        allowed = [f"1 to {last}, but those that are hidden" if last else "declare one first"]
        raise Refused("unknown", f"no roll {number} that everybody sees", allowed=allowed)
    if table.settings.get(command.name) == command.value:
        return ()
    return (tabled.TableSet(seat, command.name, command.value),)


def _leave_seat(command: LeaveSeat, table: TableState, seat: str) -> tuple[Event, ...]:
    _own_seat(table, seat, command.seat, "taking another's seat away")
    narrators = [id for id, other in table.seats.items() if other.here and other.role == "narrator"]
    if narrators == [command.seat]:
        raise Refused(
            "not-offered",
            f"{command.seat!r} is the last narrator",
            allowed=["seat another narrator first"],
        )
    return (tabled.SeatLeft(seat, command.seat),)


def _own_seat(table: TableState, seat: str, other: str, what: str) -> None:
    seat_of(table, other)
    if seat != other:
        must_narrate(table, seat, what)


def _anchor(command: AnchorShares, table: TableState, seat: str) -> tuple[Event, ...]:
    own = table.seats[seat]
    if own.anchor is not None and own.anchor.asks == 0 and command.anchor == own.anchor.first:
        return ()
    for chain in (*own.ended, *((own.anchor,) if own.anchor else ())):
        if command.anchor in links(table.id, seat, chain.link, chain.at):
            why = f"{command.anchor} is a link of a chain of seat {seat!r} that the log has"
            raise Refused("nonce", why, allowed=["a chain of new random bytes"])
    return (tabled.ShareAnchored(seat, command.anchor),)


# --- characters -----------------------------------------------------------------------------------


def _enter(command: EnterCharacter, table: TableState, seat: str) -> tuple[Event, ...]:
    owner = seat_of(table, command.seat)
    if seat != command.seat:
        must_narrate(table, seat, "bringing another's character")
    if owner.role == "witness":
        raise Refused(
            "not-yours",
            f"seat {owner.id!r} is a witness's and owns no character",
            allowed=["a player's or a narrator's seat"],
        )
    known_by = table.characters.get(command.character)
    if known_by is not None:
        was = "is at the table" if known_by.here else "was taken away, and its id stays its own"
        raise Refused("taken", f"character {command.character!r} {was}", allowed=["another id"])
    known = table.game.tracks
    for name, value in command.tracks.items():
        _within(known, name, value)
    for name, rating in command.attributes.items():
        rateable(table.game.ruleset, name, rating)
    if command.tracks and table.seats[seat].role != "narrator":
        raise Refused(
            "needs-leave",
            f"tracks are the narrator's to set: {', '.join(command.tracks)}",
            allowed=["leave them out", "ask a narrator"],
        )
    starts = {
        name: command.tracks.get(name, _start(track, command.attributes))
        for name, track in known.items()
    }
    tracks = {name: value for name, value in starts.items() if value != 0}
    return (
        tabled.CharacterEntered(
            seat, command.character, command.seat, dict(command.attributes), tracks
        ),
    )


def _name(command: NameCharacter, table: TableState, seat: str) -> tuple[Event, ...]:
    _own_character(table, seat, command.character)
    return (tabled.CharacterNamed(seat, command.character),)


def _give(command: GiveCharacter, table: TableState, seat: str) -> tuple[Event, ...]:
    _own_character(table, seat, command.character)
    if seat_of(table, command.seat).role == "witness":
        raise Refused(
            "not-yours",
            f"seat {command.seat!r} is a witness's and owns no character",
            allowed=["a player's or a narrator's seat"],
        )
    if table.characters[command.character].seat == command.seat:
        return ()
    return (tabled.CharacterGiven(seat, command.character, command.seat),)


def _remove(command: RemoveCharacter, table: TableState, seat: str) -> tuple[Event, ...]:
    _own_character(table, seat, command.character)
    # What the seat may not see shows in no refusal: such a roll goes on as if nothing were.
    seen = (roll_as_seen(table, seat, roll) for roll in table.open_rolls())
    going_on = (roll for roll in seen if roll is not None and roll.state in LIVE)
    acts = sorted(r.number for r in going_on if command.character in involved(table, r))
    if acts:
        why = f"{table.name_of(command.character)} acts in roll {acts[0]}, which goes on"
        raise Refused("due", why, allowed=[f"end roll {number} first" for number in acts])
    return (tabled.CharacterRemoved(seat, command.character),)


def rateable(ruleset: Ruleset, name: str, rating: float) -> None:
    """Refuse by name a fraction that the system does not have: none, or none but halves."""
    least = floor(rating)
    if rating == least or (ruleset.halves and rating == least + 0.5):
        return
    halves = [f"{least + 0.5:g}"] if ruleset.halves else []
    raise Refused(
        "malformed",
        f"{name} = {rating} is not in steps of {'½' if ruleset.halves else '1'}",
        allowed=[str(least), *halves, str(least + 1)],
    )


def _own_character(table: TableState, seat: str, character: str) -> None:
    present(table, character)
    if table.seats[seat].role != "narrator":
        must_own(table, seat, character)


# --- tracks and ratings ---------------------------------------------------------------------------


def _set_track(command: SetTrack, table: TableState, seat: str) -> tuple[Event, ...]:
    must_narrate(table, seat, "setting a track")
    present(table, command.character)
    _within(table.game.tracks, command.track, command.value)
    # An event even where nothing changes: the value holds from here on, whatever is voided before.
    return (tabled.TrackSet(seat, command.character, command.track, command.value),)


def _set_attribute(command: SetAttribute, table: TableState, seat: str) -> tuple[Event, ...]:
    must_narrate(table, seat, "setting a rating")
    known = present(table, command.character).attributes
    rateable(table.game.ruleset, command.attribute, command.value)
    if known.get(command.attribute) == command.value:
        return ()
    return (tabled.AttributeSet(seat, command.character, command.attribute, command.value),)


# --- readings -------------------------------------------------------------------------------------


def _set_reading(command: SetReading, table: TableState, seat: str) -> tuple[Event, ...]:
    must_narrate(table, seat, "setting a reading")
    known = table.game
    names = [reading.name for reading in readings_of(known.ruleset.Options)]
    if command.name not in names:
        raise Refused("unknown", f"no reading {command.name!r}", allowed=names)
    values = {**to_builtins(known.options), command.name: command.value}
    given: Any = read_as(values, known.ruleset.Options)
    if given == known.options:
        return ()
    after = game(known.ruleset, given)
    if after.tracks != known.tracks:
        raise Refused(
            "not-offered",
            f"reading {command.name!r} changes the tracks of characters who are here",
            allowed=["another table, opened with it"],
        )
    other = {kind: each for kind, each in after.faces.items() if known.faces.get(kind) != each}
    new = {kind: each for kind, each in other.items() if kind in known.faces} | named(other)
    return (tabled.ReadingSet(seat, command.name, command.value, new),)


def _start(track: Track, attributes: Mapping[str, int | float]) -> int:
    named = attributes.get(track.start, 0) if isinstance(track.start, str) else track.start
    value = max(track.least, floor(named))
    return value if track.most is None else min(track.most, value)


def _within(known: Mapping[str, Track], name: str, value: int) -> None:
    if name not in known:
        raise Refused("unknown", f"no track {name!r}", allowed=known)
    track = known[name]
    if value < track.least or (track.most is not None and value > track.most):
        most = "any number" if track.most is None else track.most
        raise Refused("out-of-range", f"{name} = {value}", allowed=[f"{track.least} to {most}"])


# --- texts ----------------------------------------------------------------------------------------


def _note(command: Note, table: TableState, seat: str) -> tuple[Event, ...]:
    if command.about >= table.size:
        raise Refused(
            "unknown",
            f"no entry {command.about} to write about",
            allowed=[f"0 to {table.size - 1}"],
        )
    roll = roll_about(table, command.about)
    if roll is not None and roll.hidden and not may_have(table, seat, command.about):
        why = f"entry {command.about} is hidden from seat {seat!r}"
        raise Refused("not-seen", why, allowed=["after it is revealed"])
    return (tabled.Noted(seat, command.about),)


def _erase(command: Erase, table: TableState, seat: str) -> tuple[Event, ...]:
    text, roll = table.writings.get(command.seq), roll_about(table, command.seq)
    unseen = roll is not None and roll.hidden and not may_have(table, seat, command.seq)
    if text is None or unseen:
        why = f"entry {command.seq} is no text, or is erased already"
        raise Refused("not-offered", why, allowed=_late_texts(table, seat))
    if text.by != seat:
        must_narrate(table, seat, "erasing what another wrote")
    return (tabled.EntryErased(seat, command.seq),)


LATE = 100
"""Entries from the last on in which a refusal looks for texts to name."""


def _late_texts(table: TableState, seat: str) -> Iterator[int]:
    """The entries of late texts that the seat may erase, the latest first."""
    narrates = table.seats[seat].role == "narrator"
    for seq in range(table.size - 1, max(-1, table.size - 1 - LATE), -1):
        text = table.writings.get(seq)
        if text is not None and (narrates or text.by == seat):
            yield seq


# --- all of them ----------------------------------------------------------------------------------

TABLE_COMMANDS: Mapping[type, Callable[[Any, TableState, str], tuple[Event, ...]]] = dict(
    (
        on(TakeSeat, _take_seat),
        on(NameSeat, _name_seat),
        on(NameTable, _name_table),
        on(SetTable, _set_table),
        on(LeaveSeat, _leave_seat),
        on(EnterCharacter, _enter),
        on(NameCharacter, _name),
        on(GiveCharacter, _give),
        on(RemoveCharacter, _remove),
        on(SetTrack, _set_track),
        on(SetAttribute, _set_attribute),
        on(SetReading, _set_reading),
        on(AnchorShares, _anchor),
        on(Note, _note),
        on(Erase, _erase),
    )
)
"""The handler of each command to an open table that is about no roll."""
