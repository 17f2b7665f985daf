"""A log's commands decided again: on the table as it was, or on one that differs in one thing.

Every command meets `decide` itself, as it did when it was asked, and its dice are those that the
log holds. So an audit, an export, a test of an upgrade and a what-if ask one question, and no
command is guessed from events. Nothing here reads a log or a service.

A command ends as Done (the events that it leads to now), as FallenAway (it is refused now), or as
NeedsDie (a die falls that was never thrown). A table that differs in one thing is a list of commits
that does: another reading in the first command, another command, one left out, one more.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events import table as tabled
from ...events.asked import Text
from ...events.base import Face, Thrown
from ...events.codec import Event, RecordedEvent, asked_in, event_json, read_event, recorded
from ...events.entry import Entry
from ...projections.tables import Rulesets, TableState, fold, text_erased
from ...rules import ruleset_named
from .attempt import CommandAt, unknown_command
from .commands import AnyCommand, OpenTable
from .decide import Draft, decide
from .parse import read_logged
from .sources import TYPED, Source, ThrowRequest

Throws: TypeAlias = rolled.DiceRolled | rolled.DiceRerolled

# --- commits as the log holds them ----------------------------------------------------------------


class Commit(Struct, frozen=True):
    """What one request led to: who asked, for what, the text that came with it, the events.

    `text` is None where there is none, and where it was erased. `records` are its events without
    the text, at least one; the first says when.
    """

    seat: str
    request: str
    command: AnyCommand
    records: tuple[RecordedEvent, ...]
    text: Text | None = None

    @property
    def seq(self) -> int:
        """The sequence of its first entry."""
        return self.records[0].seq

    @property
    def at(self) -> int:
        """When it was, in milliseconds since 1970."""
        return self.records[0].at

    @property
    def worded(self) -> bool:
        """Whether a text came with it, erased since or not."""
        return getattr(self.command, "text", None) is not None

    @property
    def events(self) -> tuple[Event, ...]:
        """Its events without the text."""
        return tuple(record.event for record in self.records)


def commits_of(entries: Iterable[Entry]) -> Iterator[Commit]:
    """The commits of a log, in order. Raises Damaged where an entry but a text is withheld."""
    for _, held in groupby(entries, lambda entry: entry.commit):
        yield commit_of(tuple(held))


def commit_of(entries: Sequence[Entry]) -> Commit:
    """The commit of these entries, which are all of it.

    Raises Damaged where it does not say what was asked, Refused where that is no command.
    """
    first, asked = entries[0], asked_in(entries[0])
    if asked is None:
        raise Damaged("it does not say what was asked", seq=first.seq)
    records = [recorded(entry) for entry in entries if entry.payload is not None]
    text = records[-1].event
    said = isinstance(text, tabled.TextSaid)
    return Commit(
        seat=records[0].event.by,
        request=asked.request,
        command=read_logged(asked.body),
        records=tuple(records[:-1] if said else records),
        text=Text(text.salt, text.text) if isinstance(text, tabled.TextSaid) else None,
    )


# --- dice that fell -------------------------------------------------------------------------------


class NeverThrown(Exception):
    """A die would have to fall that the log has not in this throw."""

    def __init__(self, roll: int, throw: int, die: str) -> None:
        super().__init__(roll, throw, die)
        self.roll = roll
        self.throw = throw
        self.die = die


class Logged:
    """A source of dice that answers (die, throw) with the face in the log, and adds no entropy.

    `events` are those that hold the throws, commitments and seeds. What proves a throw is the
    log's too, but for what the command and the table dictate. `old` are the log's numbers of rolls
    that have another one on the table.
    """

    def __init__(self, name: str, events: Iterable[Event]) -> None:
        self.name = name
        self.old: Mapping[int, int] = {}
        self._faces: dict[tuple[int, int, str], tuple[Face, ...]] = {}
        self._proofs: dict[tuple[int, int], rolled.Proof] = {}
        self._commits: dict[tuple[int, int], str | None] = {}
        self._seeds: dict[tuple[int, int], str | None] = {}
        self.take(events)

    def take(self, events: Iterable[Event]) -> None:
        """Answer with what these events hold, in place of others about the same throws.

        After an epoch one throw has two commitments: that of the commit at work counts.
        """
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case rolled.RollDeclared():
                self._commits[event.roll, 0] = event.commit
            case tabled.EpochBegun():
                self._commits |= {(each.roll, each.throw): each.commit for each in event.commits}
            case rolled.ThrowBroken():
                self._seeds[event.roll, event.throw] = event.seed
                self._commits[event.roll, event.throw + 1] = event.next
            case rolled.RollVoided() if event.throw is not None:
                self._seeds[event.roll, event.throw] = event.seed
            case rolled.DiceRolled() | rolled.DiceRerolled() if event.proof is not None:
                throw = event.proof.throw
                self._proofs[event.roll, throw] = event.proof
                fell: dict[tuple[int, int, str], tuple[Face, ...]] = {}
                for each in event.dice:
                    place = (event.roll, throw, each.die)
                    fell[place] = (*fell.get(place, ()), each.face)
                self._faces |= fell
            case _:
                pass

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """The commitment that the log has published for a throw."""
        return self._commits.get((self.old.get(roll, roll), throw))

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """The seed that the log has opened of a throw that was not made."""
        return self._seeds.get((self.old.get(roll, roll), throw))

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], rolled.Proof]:
        """The dice as they fell. Raises NeverThrown; Refused for typed faces that do not fit."""
        if request.typed is not None and self.name in TYPED:
            return TYPED[self.name].read(request)
        if request.typed is not None:
            raise Refused("face", f"faces were typed, but the dice are {self.name}")
        fallen = (self._fallen(request, die, kind) for die, kind in request.dice)
        thrown = tuple(each for dice in fallen for each in dice)
        known = self._proofs.get((self.old.get(request.roll, request.roll), request.throw))
        if known is None:
            raise NeverThrown(request.roll, request.throw, request.dice[0][0])
        proof = replace(
            known, throw=request.throw, committed=request.committed, nonce=request.nonce
        )
        return thrown, proof

    def _fallen(self, request: ThrowRequest, die: str, kind: str) -> Iterator[Thrown]:
        """A die's faces in one throw: one more for each time that it is thrown again at once."""
        faces = request.faces[kind]
        if self.name == "scripted":
            faces = tuple(face for table in request.faces.values() for face in table)
        roll = self.old.get(request.roll, request.roll)
        for face in self._faces.get((roll, request.throw, die), ()):
            if face not in faces:
                break
            yield Thrown(die, kind, face)
            if face not in request.again:
                return
        raise NeverThrown(request.roll, request.throw, die)


# --- one command decided again --------------------------------------------------------------------


class Done(Struct, frozen=True):
    """The command leads to these events."""

    drafts: tuple[Draft, ...]


class FallenAway(Struct, frozen=True):
    """The command is refused."""

    refused: Refused


class NeedsDie(Struct, frozen=True):
    """The command needs a die of a throw that was never made, or of which it was no part."""

    roll: int
    throw: int
    die: str


Ending: TypeAlias = Done | FallenAway | NeedsDie


def decided_again(
    table: TableState | None,
    seat: str,
    command: AnyCommand,
    source: Source,
    *,
    now: int,
    rulesets: Rulesets = ruleset_named,
    command_at: CommandAt = unknown_command,
) -> Ending:
    """How a command ends on this table, at the time `now`; the rest is as `decide` takes it."""
    try:
        drafts = decide(
            table, seat, command, source, now=now, rulesets=rulesets, command_at=command_at
        )
        return Done(drafts)
    except Refused as error:
        return FallenAway(error)
    except NeverThrown as error:
        return NeedsDie(error.roll, error.throw, error.die)


def differing(
    drafts: Iterable[Draft], events: Iterable[Event]
) -> Iterator[tuple[Event | None, Event | None]]:
    """The pairs that differ, to the byte: what a command leads to, and what the log has."""
    for draft, event in zip_longest(drafts, events):
        wanted = None if draft is None else draft.event
        if wanted is None or event is None or event_json(wanted) != event_json(event):
            yield wanted, event


# --- a whole log ----------------------------------------------------------------------------------


class Rerun(Struct, frozen=True):
    """One command of a log, and how it ended; `differs` are the events that are not the log's."""

    commit: Commit
    ending: Ending
    differs: tuple[tuple[Event | None, Event | None], ...]
    state: TableState | None


def rerun(
    commits: Iterable[Commit], thrown: Collection[Commit] = (), rulesets: Rulesets = ruleset_named
) -> Iterator[Rerun]:
    """Every command decided again, each on the table that those before it lead to.

    `commits` are the log's, or differ in one thing. Rolls and entries that get another number, for
    one was left out, are renumbered in the commands behind; who names one that never was falls
    away. `thrown` are the commits whose dice fell, where they are not these.
    """
    commits = tuple(commits)
    dice = Logged("", (event for each in thrown or commits for event in each.events))
    state: TableState | None = None
    numbers = Numbers()
    known: dict[int, AnyCommand] = {}
    for commit in commits:
        if isinstance(commit.command, OpenTable):
            dice.name = commit.command.source
        before = state
        try:
            command = numbers.renumbered(commit.command)
        except Refused as error:
            yield Rerun(commit, FallenAway(error), (), state)
            continue
        dice.take(commit.events)
        dice.old = {new: old for old, new in numbers.rolls.items()} if numbers.moved else {}
        ending = decided_again(
            before, commit.seat, command, dice, now=commit.at, rulesets=rulesets,
            command_at=known.__getitem__,
        )  # fmt: skip
        differs: tuple[tuple[Event | None, Event | None], ...] = ()
        if isinstance(ending, Done):
            differs = tuple(differing(ending.drafts, commit.events))
            seq = before.size if before else 0
            known[seq] = command
            state = kept(before, commit, ending.drafts, rulesets)
            numbers.take(commit, seq, [draft.event for draft in ending.drafts])
        yield Rerun(commit, ending, differs, state)


def kept(
    state: TableState | None, commit: Commit, drafts: Sequence[Draft], rulesets: Rulesets
) -> TableState | None:
    """The table after a commit decided again. Its leaves are the log's, where it has them."""
    leaves = {at: record.leaf for at, record in enumerate(commit.records)}
    events: list[Event] = [draft.event for draft in drafts]
    if drafts and commit.text is not None:
        events.append(tabled.TextSaid(commit.seat, commit.text.salt, commit.text.text))
    for at, event in enumerate(events):
        seq = state.size if state else 0
        decoded = read_event(event_json(event))  # as every fold sees it
        record = RecordedEvent(seq, commit.at, leaves.get(at, b""), decoded, first=at == 0)
        state = fold(state, record, rulesets)
    erased = drafts and commit.worded and commit.text is None
    return text_erased(state) if erased and state is not None else state


# --- numbers --------------------------------------------------------------------------------------

ROLLS = ("roll",)
SEQS = ("about", "against", "committed", "dispute", "seq")
"""Fields of commands that hold the number of a roll, or of an entry."""


class Numbers:
    """The numbers that rolls and entries of a log have on another table."""

    def __init__(self) -> None:
        self.rolls: dict[int, int] = {}
        self.seqs: dict[int, int] = {}
        self.moved = False

    def take(self, commit: Commit, seq: int, events: Sequence[Event]) -> None:
        """A commit of the log is kept there from entry `seq` on, with these events."""
        for at, (record, _) in enumerate(zip(commit.records, events, strict=False)):
            self.seqs[record.seq] = seq + at
        self.rolls |= zip(_declared(commit.events), _declared(events), strict=False)
        if commit.worded and events:  # where nothing happens, no text is kept
            self.seqs[commit.records[-1].seq + 1] = seq + len(events)
        self.moved |= commit.seq != seq or len(events) != len(commit.records)

    def renumbered(self, command: AnyCommand) -> AnyCommand:
        """The command as it names them there. Raises Refused("unknown") for what never was."""
        changes: dict[str, Any] = {}
        for name in command.__struct_fields__:
            value = getattr(command, name)
            if name in ROLLS:
                changes[name] = _known(self.rolls, value, "roll")
            elif name in SEQS and value is not None:
                changes[name] = _known(self.seqs, value, "entry")
            elif name == "follows" and value is not None:
                changes[name] = (_known(self.rolls, value[0], "roll"), value[1])
        return replace(command, **changes) if changes else command


def _declared(events: Iterable[Event]) -> Iterator[int]:
    """The rolls that events declare."""
    return (event.roll for event in events if isinstance(event, rolled.RollDeclared))


def _known(numbers: Mapping[int, int], number: int, what: str) -> int:
    if number not in numbers:
        raise Refused("unknown", f"{what} {number} never was here")
    return numbers[number]
