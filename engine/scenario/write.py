"""A table, or one roll of it, as a scenario that plays to the same outcomes with scripted dice.

Each step is found by asking what may have led to the next entries, deciding that on a table of its
own, and comparing: every step that is written has been played. Physical dice stay typed ones.
Proofs are left out, and of an erased text only its place is kept. Nothing is hidden: a scenario
holds every roll of its table, so it is for anybody who may read the log.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.json import decode
from msgspec.json import encode as json
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import RecordedEvent, encode, recorded
from ...events.entry import Entry
from ...projections.tables import TableState, fold, pass_over
from ...rules import ruleset_named
from ..core.aggregate import Aggregate, environment, table_id
from ..core.attempt import roll_of
from ..core.causes import WITHOUT_ASKING, Gone, Happened, Legible, asked, put
from ..core.commands import AnyCommand, EnterCharacter, OpenTable, SetTrack, Void
from ..core.decide import REASONED, decide
from ..core.limits import NARRATOR
from .preamble import Document, Head, character_line, disguises, lines, relabelled, swapped
from .steps import step_of

WRITTEN = (tabled.Noted, tabled.SeatNamed, tabled.CharacterNamed)
"""Events that can be erased; what was erased was one of them."""

WITHHELD = "The throw was withheld."
"""The reason that an export gives where a roll was voided by its table's policy."""

NUMBERING = ("about", "commit", "dispute", "follows", "nonce", "proof", "seed", "seq", "taken")
"""Fields in which an export differs: the numbers of other entries and rolls, and proofs."""

OF_PEOPLE = (
    tabled.SeatTaken,
    tabled.SeatLeft,
    tabled.CharacterEntered,
    tabled.CharacterNamed,
    tabled.CharacterGiven,
)
"""Events outside the rolls that may decide who goes on with one; tracks are put where they were."""


def scenario_of(entries: Sequence[Entry], number: int | None = None) -> Document:
    """The scenario of a table, or of roll `number` and those that it follows or that follow it.

    The scenario of a roll begins with everybody as they were before it. Raises Refused: "unknown"
    for a roll that is not there, "unreadable" where something was withheld, "history" where the
    rules that are installed no longer lead to what was logged, "malformed" for what a step cannot
    express.
    """
    original = Original(entries)
    writer = Writer(original)
    if number is None:
        writer.whole_table()
    else:
        writer.one_roll(number)
    return writer.document(number)


class Original:
    """A log opened, with seats and names that a scenario can express."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        found = [recorded(entry) if entry.payload is not None else None for entry in entries]
        if not found or found[0] is None or not isinstance(found[0].event, tabled.TableOpened):
            raise Damaged("a table's first entry must open it", seq=0)
        self.opened = found[0].event
        events = [record.event for record in found if record is not None]
        erased = {
            event.seq: swapped(event.by, self.opened.by)
            for event in events
            if isinstance(event, tabled.EntryErased)
        }
        names = disguises(events)
        self.records: list[Legible] = []
        for seq, record in enumerate(found):
            if record is not None:
                event = relabelled(record.event, self.opened.by, names)
                self.records.append(replace(record, event=event))
            elif seq in erased:
                self.records.append(Gone(seq, erased[seq]))
            else:
                raise Refused("unreadable", f"entry {seq} is withheld: no scenario without it")
        self._states: list[TableState] = []

    def before(self, seq: int) -> TableState:
        """The table before entry `seq`, which is not the first."""
        while len(self._states) < seq:
            at = len(self._states)
            state, record = self._states[-1] if at else None, self.records[at]
            if isinstance(record, RecordedEvent):
                self._states.append(fold(state, record, ruleset_named))
            elif state is not None:
                self._states.append(pass_over(state, self.entries[at]))
        return self._states[seq - 1]


class Writer:
    """A scenario in the making, and the table that it leads to so far."""

    def __init__(self, original: Original) -> None:
        self.original = original
        opened = original.opened
        dice = "manual" if opened.source == "manual" else "scripted"
        self.aggregate = Aggregate(environment(dice))
        opening = OpenTable(table_id(dice), opened.ruleset, opened.options, dice, opened.level)
        self.aggregate.submit(NARRATOR, opening)
        self.head = Head()
        self.steps: list[Document] = []
        self.seqs: dict[int, int] = {0: 0}
        self.rolls: dict[int, int] = {}

    @property
    def state(self) -> TableState:
        """The exported table so far."""
        return self.aggregate.opened

    def whole_table(self) -> None:
        """Everything after the first entry: lines for who sits down first, steps for the rest."""
        self.head, places = lines(self.original.records, self.state.game)
        for command, count in self.head.commands():
            self._keep(NARRATOR, command, places[:count])
            places = places[count:]
        rest = [seq for seq in range(1, len(self.original.records)) if seq not in self.seqs]
        self._walk(rest, alone=False)

    def one_roll(self, number: int) -> None:
        """The chain of rolls that one belongs to, from everybody as they were before it."""
        last = self.original.before(len(self.original.records))
        numbers = chain(last, number)
        first = min(last.rolls[each].trail[0].seq for each in numbers)
        self.head = setting(self.original.before(first))
        for command, _ in self.head.commands():
            self.aggregate.submit(NARRATOR, command)
        for command in self.head.others:
            self._step(NARRATOR, command, [])
        self._walk(about_roll(self.original.records, numbers, first), alone=True)

    def _walk(self, seqs: Sequence[int], *, alone: bool) -> None:
        """Write a step for what led to each of these entries."""
        at = 0
        while at < len(seqs):
            event = self.original.records[seqs[at]].event
            if isinstance(event, WITHOUT_ASKING):
                at += 1
                if isinstance(event, rolled.NonceWithheld) and self._voids(event, seqs[at - 1]):
                    self._void(event.roll, seqs[at : at + 1])
                    at += 1
                continue
            if alone:
                self._level_tracks(self.original.before(seqs[at]))
            at += self._one(seqs[at:])

    def _voids(self, report: rolled.NonceWithheld, seq: int) -> bool:
        """Whether the report of a throw withheld, entry `seq`, voided its roll: the next entry."""
        binding = self.original.before(seq).rolls[report.roll].binding
        return binding is not None and binding.witnessing.withheld == "void"

    def _void(self, number: int, seqs: Sequence[int]) -> None:
        """Write the step by which a narrator does what the table's policy did."""
        seats = sorted(self.state.seats.values(), key=lambda seat: seat.id)
        by = next(seat.id for seat in seats if seat.here and seat.role == "narrator")
        self._step(by, Void(self.rolls.get(number, number), WITHHELD), seqs)

    def _level_tracks(self, then: TableState) -> None:
        """Put every track to what other rolls had made of it by then."""
        for id in sorted(self.state.characters):
            for name in sorted(then.game.tracks):
                was, now = then.tracks[id].get(name), self.state.tracks[id].get(name)
                least = then.game.tracks[name].least
                # A track that was never touched starts where the rules put it, which need not be 0.
                if was != now and not (was is None and now == least):
                    value = least if was is None else was
                    self._step(NARRATOR, SetTrack(id, name, value), [])

    def _one(self, seqs: Sequence[int]) -> int:
        """Write the step that led to the first of these entries; how many it led to."""
        then = self.original.before(seqs[0])
        records = [self.original.records[seq] for seq in seqs]
        first = records[0]
        seat = self._writer_of(first) if isinstance(first, Gone) else first.event.by
        happened = Happened(then, seat, records, self.seqs, self.rolls)
        problem: Refused | None = None
        for command in asked(happened):
            try:
                source, now = self.aggregate.environment.source, self.aggregate.now()
                drafts = decide(self.state, seat, command, source, now=now)
                events = [draft.event for draft in drafts]
                if not events or not self._alike(events, records):
                    continue
                self._step(seat, command, seqs[: len(events)])
            except Refused as error:
                problem = problem or error
                continue
            return len(events)
        why = f"entry {seqs[0]} cannot be led to by a step"
        raise Refused("history", f"{why}: {problem.why}" if problem else why)

    def _writer_of(self, gone: Gone) -> str:
        """A seat that may write what the eraser may erase."""
        seat = self.state.seats.get(gone.by)
        return gone.by if seat is not None and seat.here else NARRATOR

    def _alike(self, events: Sequence[Any], records: Sequence[Legible]) -> bool:
        if len(events) > len(records):
            return False
        return all(
            isinstance(event, WRITTEN)
            if isinstance(record, Gone)
            else self._same(event, record.event)
            for event, record in zip(events, records, strict=False)
        )

    def _same(self, event: Any, then: Any) -> bool:
        if type(event) is not type(then):
            return False
        number = getattr(then, "roll", None)
        if number is not None and not isinstance(then, rolled.RollDeclared):
            number = self.rolls.get(number, number)
        elif number is not None:
            number = event.roll
        expected = {**_plain(then), "roll": number}
        return {**_plain(event), "roll": getattr(event, "roll", None)} == expected

    def _step(self, seat: str, command: AnyCommand, seqs: Sequence[int]) -> None:
        step = step_of(self.state, seat, command)
        expected = next(filter(None, (_expected(self.original.records[seq]) for seq in seqs)), None)
        self._keep(seat, command, seqs)
        self.steps.append({**step, "expect": expected} if expected else step)

    def _keep(self, seat: str, command: AnyCommand, seqs: Sequence[int]) -> None:
        entries = self.aggregate.submit(seat, command)
        for entry, seq in zip(entries, seqs, strict=False):
            self.seqs[seq] = entry.seq
            event = self.original.records[seq].event
            if isinstance(event, rolled.RollDeclared):
                self.rolls[event.roll] = len(self.state.rolls)

    def document(self, number: int | None) -> Document:
        """The scenario as its file holds it."""
        opened, entries = self.original.opened, len(self.original.entries)
        what = (
            f"Table {opened.table}" if number is None else f"Roll {number} of table {opened.table}"
        )
        found: Document = {
            "title": what,
            "system": opened.ruleset,
            "dice": self.aggregate.environment.source.name,
            "about": f"Written from the {entries} entries of its log.",
            "level": opened.level,
            "options": _other_options(self.state, opened.options),
            "seat": self.head.seats,
            "character": self.head.characters,
            "step": self.steps,
            "expect": _tracks_at_end(self.state),
        }
        return {key: value for key, value in found.items() if value}


def _plain(event: Any) -> Mapping[str, Any]:
    # As it is stored, for a decision may hold tuples where a log has lists.
    fields: dict[str, Any] = decode(encode(event))
    dropped = (*NUMBERING, *(("throw",) if isinstance(event, rolled.RollVoided) else ()))
    return {key: value for key, value in fields.items() if key not in dropped}


def _expected(record: Legible) -> Document | None:
    """What the step that led to an event should expect: what was announced."""
    event = record.event
    if isinstance(event, rolled.DamageApplied):
        return {"amount": event.damage["amount"]}
    if isinstance(event, (rolled.RollResolved, ruling.RollAmended)) and event.outcome:
        return {key: event.outcome[key] for key in ("degree", "margin")}
    return None


def _other_options(state: TableState, options: Mapping[str, Any]) -> Document:
    usual: Document = decode(json(state.game.ruleset.Options()))
    return {key: value for key, value in options.items() if value != usual.get(key)}


def _tracks_at_end(state: TableState) -> Document:
    """Every character's tracks at the end, without those at 0."""
    tracks_of: Iterable[tuple[str, Document]] = (
        (state.name_of(id), {name: state.tracks[id][name] for name in sorted(state.tracks[id])})
        for id in sorted(state.characters, key=lambda id: (len(id), id))
    )
    found = ((name, {key: v for key, v in tracks.items() if v}) for name, tracks in tracks_of)
    return {name: tracks for name, tracks in found if tracks}


def chain(table: TableState, number: int) -> tuple[int, ...]:
    """The rolls that roll `number` follows and is followed by, oldest first.

    Raises Refused("unknown") where there is no such roll.
    """
    first = roll_of(table, number)
    while first.follows:
        first = roll_of(table, first.follows[0])
    found, waiting = set[int](), [first.number]
    while waiting:
        found.add(waiting[0])
        waiting += table.following.get(waiting.pop(0), ())
    return tuple(sorted(found))


def about_roll(records: Sequence[Legible], numbers: Sequence[int], first: int) -> list[int]:
    """The entries from `first` on that an export of these rolls is made of."""
    kept: list[int] = []
    for record in records[first:]:
        event, before = record.event, records[record.seq - 1]
        if isinstance(record, Gone):
            wanted = before.seq in kept and isinstance(before.event, REASONED)
        elif isinstance(event, tabled.Noted):
            wanted = event.about in kept
        elif isinstance(event, tabled.EntryErased):
            wanted = event.seq in kept
        else:
            wanted = isinstance(event, OF_PEOPLE) or getattr(event, "roll", 0) in numbers
        if wanted:
            kept.append(record.seq)
    return kept


def setting(table: TableState) -> Head:
    """Everybody as they are at a table, as if they had just sat down."""
    entered = [e.event for e in table.sheets if isinstance(e.event, tabled.CharacterEntered)]
    lined = [event.character for event in entered] == [f"c{n}" for n in range(1, len(entered) + 1)]
    head = Head()
    own = {f"p{number}" for number in range(1, len(entered) + 1)} if lined else set[str]()
    for id in sorted(table.seats, key=lambda id: (len(id), id)):
        seat = table.seats[id]
        if id != NARRATOR and not (id in own and seat.role == "player"):
            line: Document = {"id": id, "role": seat.role}
            head.seats.append(line if seat.role != "player" else {"id": id})
    for number, event in enumerate(entered, 1):
        known = table.characters[event.character]
        now = tabled.CharacterEntered(
            NARRATOR, event.character, known.seat, event.attributes, dict(table.tracks[known.id])
        )
        if lined:
            name = table.name_of(known.id)
            head.characters.append(character_line(now, number, name, table.game))
        else:
            head.others.append(_entering(table, now))
    return head


def _entering(table: TableState, now: tabled.CharacterEntered) -> AnyCommand:
    """The command that brings a character whose id no line could give."""
    name = table.name_of(now.character)
    tracks = put(table.game, now.attributes, now.tracks)
    given = None if name == now.character else name
    return EnterCharacter(now.character, now.seat, now.attributes, tracks, given)
