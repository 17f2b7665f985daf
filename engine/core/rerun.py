"""A log's commands decided again: on the table as it was, or on one that differs in one thing.

Every command meets `decide` itself, as it did when it was asked, and its dice are those of its own
commit in the log. So an audit and a what-if ask one question, and no command is guessed from
events. Nothing here reads a log or a service.

A command ends as Done (the events that it leads to now), as FallenAway (it is refused now), or as
NeedsDie (a die falls that was never thrown).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
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
from ...rules.ruleset import Ruleset
from ...rules.versions import as_of
from .attempt import CommandAt, unknown_command
from .commands import AnyCommand
from .decide import Draft, decide
from .decide_table import CORE
from .parse import read_logged
from .sources import TYPED, ThrowRequest

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
    """A source of dice that answers with those of the commit at work, and with no others.

    A hand's first throw takes its dice in the order of the request, a reroll takes each by its id.
    Commitments and seeds are the commit's too; where fair dice need one that it has not, that is
    `unpublished`. `core` and `version` are those of the opening. `missing` are the dice that the
    last throw needed and that did not fall: (id, kind) each.
    """

    def __init__(self, name: str, events: Iterable[Event] = (), unpublished: str = "") -> None:
        self.name = name
        self.core = CORE
        self.version: int | None = None
        self.missing: tuple[tuple[str, str], ...] = ()
        self._unpublished = unpublished
        self._thrown: Throws | None = None
        self._commits: dict[tuple[int, int], str | None] = {}
        self._seeds: dict[tuple[int, int], str | None] = {}
        self.take(events)

    def take(self, events: Iterable[Event]) -> None:
        """Answer with what these events hold, which are one commit's."""
        self._thrown = None
        self._commits, self._seeds = {}, {}
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case tabled.TableOpened():
                self.core, self.version = event.core, event.version
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
                self._thrown = event
            case _:
                pass

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """The commitment that the log has published for a throw."""
        return self._published(self._commits, roll, throw)

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """The seed that the log has opened of a throw that was not made."""
        return self._published(self._seeds, roll, throw)

    def _published(
        self, known: Mapping[tuple[int, int], str | None], roll: int, throw: int
    ) -> str | None:
        found = known.get((roll, throw))
        return self._unpublished or None if found is None and self.name == "fair" else found

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], rolled.Proof]:
        """The dice as they fell. Raises NeverThrown; Refused for typed faces that do not fit."""
        if request.typed is not None and self.name in TYPED:
            return TYPED[self.name].read(request)
        if request.typed is not None:
            raise Refused("face", f"faces were typed, but the dice are {self.name}")
        fell = [self._fell(request, at, die, kind) for at, (die, kind) in enumerate(request.dice)]
        pairs = zip(request.dice, fell, strict=True)
        self.missing = tuple(die for die, thrown in pairs if thrown is None)
        known = self._thrown.proof if self._thrown is not None else None
        if self.missing or known is None:
            raise NeverThrown(request.roll, request.throw, (self.missing or request.dice)[0][0])
        proof = replace(
            known, throw=request.throw, committed=request.committed, nonce=request.nonce
        )
        return tuple(each for thrown in fell for each in thrown or ()), proof

    def _fell(
        self, request: ThrowRequest, at: int, die: str, kind: str
    ) -> tuple[Thrown, ...] | None:
        """A die with the faces that it fell on, one more each time it was thrown again at once."""
        tables: Iterable[Sequence[Face]] = (request.faces[kind],)
        if self.name == "scripted":
            tables = request.faces.values()  # asked one by one: a system may have very many
        thrown: list[Thrown] = []
        for each in self._of(at, die):
            if each.kind != kind or not any(each.face in table for table in tables):
                return None
            thrown.append(Thrown(die, kind, each.face))
            if each.face not in request.again:
                return tuple(thrown)
        return None

    def _of(self, at: int, die: str) -> Iterator[Thrown]:
        """What the commit has of one die: by its place in a first throw, else by its id."""
        if self._thrown is None:
            return
        dice: Sequence[Thrown] = self._thrown.dice
        if isinstance(self._thrown, rolled.DiceRolled):
            ids = tuple(dict.fromkeys(each.die for each in dice))
            die = ids[at] if at < len(ids) else ""
        yield from (each for each in dice if each.die == die)


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
    source: Logged,
    *,
    now: int,
    rulesets: Rulesets = ruleset_named,
    command_at: CommandAt = unknown_command,
) -> Ending:
    """How a command ends on this table, at the time `now`; the rest is as `decide` takes it."""

    def known(name: str) -> Ruleset:
        ruleset = rulesets(name)
        return ruleset if source.version is None else as_of(ruleset, source.version)

    try:
        drafts = decide(
            table, seat, command, source, now=now, rulesets=known, command_at=command_at,
            core=source.core,
        )  # fmt: skip
        return Done(drafts)
    except Refused as error:
        return FallenAway(error)
    except NeverThrown as error:
        return NeedsDie(error.roll, error.throw, error.die)


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

    def take(self, commit: Commit, seq: int, events: Sequence[Event]) -> None:
        """A commit of the log is kept there from entry `seq` on, with these events."""
        for at, (record, _) in enumerate(zip(commit.records, events, strict=False)):
            self.seqs[record.seq] = seq + at
        self.rolls |= zip(_declared(commit.events), _declared(events), strict=False)
        if commit.worded and events:  # where nothing happens, no text is kept
            self.seqs[commit.records[-1].seq + 1] = seq + len(events)

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
