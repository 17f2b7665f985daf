"""A table, or one roll of it, as a scenario that plays to the same outcomes with scripted dice.

The log says what was asked: each command is decided again on a table of its own, with the faces
that fell, and must lead to the same events: every step that is written has been played. Physical
dice stay typed ones. Proofs are left out, and of an erased text only its place is kept. Nothing is
hidden: a scenario holds every roll of its table, so it is for anybody who may read the log.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec.json import decode
from msgspec.json import encode as json
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.base import JSON
from ...events.codec import Event, event_json, recorded
from ...events.entry import TEXTS, Entry
from ...projections.rulings import declared_instead
from ...projections.tables import Rulesets, TableState, fold, pass_over
from ...rules import ruleset_named
from ..core import commands
from ..core.aggregate import Aggregate, environment, table_id
from ..core.attempt import roll_of, who_is_here
from ..core.commands import AnyCommand, apart
from ..core.limits import NARRATOR
from ..core.rerun import Commit, Numbers, commits_of
from .preamble import (
    Document,
    Head,
    character_line,
    disguises,
    lines,
    put,
    swapped,
    words_of,
)
from .steps import step_of

OF_PROOFS = (
    commands.AnchorShares,
    commands.Ask,
    commands.OpenShare,
    commands.BreakThrow,
    commands.BeginEpoch,
)
"""Commands about proofs alone: an export has scripted dice, which nobody proves."""

NUMBERING = (
    "about",
    "commit",
    "dispute",
    "entries",
    "follows",
    "instead",
    "nonce",
    "proof",
    "seed",
    "seq",
    "taken",
)
"""Fields in which an export differs: the numbers of other entries and rolls, and proofs."""

OF_PEOPLE = (
    commands.TakeSeat,
    commands.LeaveSeat,
    commands.EnterCharacter,
    commands.NameCharacter,
    commands.GiveCharacter,
    commands.RemoveCharacter,
)
"""Commands outside the rolls that may decide who goes on with one; tracks are put where they were.
"""

WISHED = ("declaration", "reaction", "fields")
"""Fields of commands that a step spreads out, and in which it can have no null."""


def scenario_of(
    entries: Sequence[Entry], number: int | None = None, *, rulesets: Rulesets = ruleset_named
) -> Document:
    """The scenario of a table, or of roll `number` and those that it follows or that follow it.

    The scenario of a roll begins with everybody as they were before it. `rulesets` finds the
    system that the log names: by default one that is installed. Raises Refused: "unknown"
    for a roll that is not there, "unreadable" where something was withheld, "history" where the
    rules that are installed no longer lead to what was logged, "malformed" for what a step cannot
    express.
    """
    original = Original(entries, rulesets)
    writer = Writer(original)
    if number is None:
        writer.whole_table()
    else:
        writer.one_roll(number)
    return writer.document(number)


class Original:
    """A log opened: its commits, and the table before each of them."""

    def __init__(self, entries: Sequence[Entry], rulesets: Rulesets) -> None:
        self.entries = entries
        self.rulesets = rulesets
        first = recorded(entries[0]).event if entries and entries[0].payload is not None else None
        if not isinstance(first, tabled.TableOpened):
            raise Damaged("a table's first entry must open it", seq=0)
        for entry in entries:
            if entry.payload is None and entry.kind not in TEXTS:
                why = f"entry {entry.seq} is withheld: no scenario without it"
                raise Refused("unreadable", why)
        self.opened = first
        self.commits = list(commits_of(entries))[1:]
        self._states: list[TableState] = []

    def before(self, seq: int) -> TableState:
        """The table before entry `seq`, which is not the first."""
        while len(self._states) < seq:
            at = len(self._states)
            state, entry = self._states[-1] if at else None, self.entries[at]
            if entry.payload is not None:
                self._states.append(fold(state, recorded(entry), self.rulesets))
            elif state is not None:
                self._states.append(pass_over(state, entry))
        return self._states[seq - 1]


class Writer:
    """A scenario in the making, and the table that it leads to so far."""

    def __init__(self, original: Original) -> None:
        self.original = original
        opened = original.opened
        dice = "manual" if opened.source == "manual" else "scripted"
        self.aggregate = Aggregate(replace(environment(dice), rulesets=original.rulesets))
        opening = commands.OpenTable(
            table_id(dice), opened.ruleset, opened.options, dice, opened.level
        )
        self.aggregate.submit(NARRATOR, opening)
        self.head = Head()
        self.steps: list[Document] = []
        self.numbers = Numbers()
        self.numbers.seqs[0] = 0
        self.names = disguises(original.commits)

    @property
    def state(self) -> TableState:
        """The exported table so far."""
        return self.aggregate.opened

    def whole_table(self) -> None:
        """Everything after the first entry: lines for who sits down first, steps for the rest."""
        every, opener = self.original.commits, self.original.opened.by
        self.head, replaced = lines(every, opener, self.state.game, self.names)
        for commit in every[:replaced]:
            seat, command, words = self._asked(commit)
            self._keep(seat, command, words, commit)
        for commit in every[replaced:]:
            self._one(commit)

    def one_roll(self, number: int) -> None:
        """The chain of rolls that one belongs to, from everybody as they were before it."""
        last = self.original.before(len(self.original.entries))
        numbers = chain(last, number)
        first = min(last.rolls[each].trail[0].seq for each in numbers)
        self.head, others = setting(self.original.before(first))
        for command, words in self.head.commands():
            self._keep(NARRATOR, command, words)
        for command, words in others:
            self._step(NARRATOR, command, words)
        for commit in about_rolls(self.original.commits, numbers, first):
            if not of_proofs(thrown_apart(commit).command):
                self._level_sheets(self.original.before(commit.seq))
            self._one(commit)

    def _level_sheets(self, then: TableState) -> None:
        """Put every rating and track to what it was by then, through other rolls or a narrator."""
        for id in who_is_here(self.state):
            for name, rating in then.characters[id].attributes.items():
                if self.state.characters[id].attributes.get(name) != rating:
                    self._step(NARRATOR, commands.SetAttribute(id, name, rating))
            for name in sorted(then.game.tracks):
                was, now = then.tracks[id].get(name), self.state.tracks[id].get(name)
                if was != now and not (was is None and now == 0):  # one never touched is 0
                    self._step(NARRATOR, commands.SetTrack(id, name, was or 0))

    def _one(self, commit: Commit) -> None:
        """Write the step for a commit; none where it is about proofs alone."""
        whole, commit = commit, thrown_apart(commit)
        if whole is not commit or of_proofs(commit.command):
            self._leave_out(whole)
        if of_proofs(commit.command):
            return
        seat, command, words = self._asked(commit)
        try:
            self._step(seat, command, words, commit)
        except Refused as error:
            if error.code == "malformed" and _has_null(command):
                with suppress(Refused):  # where a null is not the same as nothing
                    self._step(seat, _without_nulls(command), words, commit)
                    return
            why = f"entry {commit.seq} cannot be led to by a step: {error.why}"
            code = error.code if error.code == "malformed" else "history"
            raise Refused(code, why) from error

    def _leave_out(self, commit: Commit) -> None:
        """Who names one of its entries means the last one of its roll here."""
        roll = self.numbers.rolls.get(getattr(commit.command, "roll", 0))
        about = self.state.rolls[roll].trail[-1].seq if roll is not None else 0
        self.numbers.seqs |= {record.seq: about for record in commit.records}

    def _asked(self, commit: Commit) -> tuple[str, AnyCommand, str | None]:
        """What was asked, with the numbers, seats and names that it has in the export."""
        opener, command = self.original.opened.by, commit.command
        changes: dict[str, Any] = {"text": None} if commit.worded else {}
        if isinstance(getattr(command, "seat", None), str):
            changes["seat"] = swapped(getattr(command, "seat", ""), opener)
        if isinstance(command, commands.Throw):
            event: Any = commit.records[0].event
            faces = None if event.proof is None else tuple(die.face for die in event.dice)
            changes |= {"committed": None, "nonce": None, "faces": faces}
        elif of_proofs(command):
            return commit.seat, command, None
        command = self.numbers.renumbered(replace(command, **changes))
        return swapped(commit.seat, opener), command, words_of(commit, self.names)

    def _step(
        self, seat: str, command: AnyCommand, words: str | None = None, commit: Commit | None = None
    ) -> None:
        """Write a step and play it; it must lead to what the commit, if it is of one, led to."""
        step = step_of(self.state, seat, command, words)
        self._keep(seat, command, words, commit)
        records = commit.records if commit is not None else ()
        own = [getattr(record.event, "roll", None) for record in records[:1]]
        expected: Document = {}
        for record in records:  # an amendment may announce damage again
            if getattr(record.event, "roll", None) in own:
                expected |= _expected(record.event)
        self.steps.append({**step, "expect": expected} if expected else step)

    def _keep(
        self, seat: str, command: AnyCommand, words: str | None, commit: Commit | None = None
    ) -> None:
        asked, text = apart(self.aggregate.worded(command, words))
        size = self.state.size
        prepared = self.aggregate.prepare(seat, self.aggregate.body(asked), text=text)
        events = [
            record.event
            for record in prepared.records
            if not isinstance(record.event, tabled.TextSaid)
        ]
        if commit is not None and not self._alike(events, commit.events):
            raise Refused("history", "the rules lead to something else now")
        self.aggregate.keep(prepared)
        if commit is not None:
            self.numbers.take(commit, size, events)

    def _alike(self, events: Sequence[Event], then: Sequence[Event]) -> bool:
        return len(events) == len(then) and all(map(self._same, events, then))

    def _same(self, event: Any, then: Any) -> bool:
        if type(event) is not type(then):
            return False
        number = getattr(then, "roll", None)
        if number is not None and not isinstance(then, rolled.RollDeclared):
            number = self.numbers.rolls.get(number, number)
        elif number is not None:
            number = event.roll
        expected: Document = {**_plain(then), "roll": number}
        for key in ("by", "seat"):
            if isinstance(expected.get(key), str):
                expected[key] = swapped(expected[key], self.original.opened.by)
        return {**_plain(event), "roll": getattr(event, "roll", None)} == expected

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


def of_proofs(command: AnyCommand) -> bool:
    """Whether a command is about proofs alone."""
    return isinstance(command, OF_PROOFS) or getattr(command, "key", None) is not None


def thrown_apart(commit: Commit) -> Commit:
    """The commit of a throw's last share as the throw itself, of its roller; others as they are."""
    records = commit.records[1:]
    if not isinstance(commit.command, commands.OpenShare) or not records:
        return commit
    number, event = commit.command.roll, records[0].event
    command: AnyCommand
    if isinstance(event, rolled.DiceRolled):
        command = commands.RollDice(number, event.hand, option=event.option)
    elif isinstance(event, rolled.DiceRerolled):
        dice = tuple(dict.fromkeys(die.die for die in event.dice))
        command = commands.Reroll(roll=number, hand=event.hand, dice=dice)
    else:
        return commit
    return replace(commit, seat=event.by, command=command, records=records)


def _plain(event: Any) -> Mapping[str, Any]:
    # As it is stored, for a decision may hold tuples where a log has lists.
    fields: dict[str, Any] = decode(event_json(event))
    dropped = (*NUMBERING, *(("throw",) if isinstance(event, rolled.RollVoided) else ()))
    return {key: value for key, value in fields.items() if key not in dropped}


def _expected(event: Event) -> Document:
    """What the step that led to an event should expect: what was announced."""
    if isinstance(event, rolled.DamageApplied):
        return {"amount": event.damage["amount"]}
    if isinstance(event, (rolled.RollResolved, ruling.RollAmended)) and event.outcome:
        return {key: event.outcome[key] for key in ("degree", "margin")}
    return {}


def _other_options(state: TableState, options: Mapping[str, Any]) -> Document:
    usual: Document = decode(json(state.game.ruleset.Options()))
    return {key: value for key, value in options.items() if value != usual.get(key)}


def _tracks_at_end(state: TableState) -> Document:
    """The tracks at the end of every character that is there, without those at 0."""
    tracks_of: Iterable[tuple[str, Document]] = (
        (state.name_of(id), {name: state.tracks[id][name] for name in sorted(state.tracks[id])})
        for id in sorted(who_is_here(state), key=lambda id: (len(id), id))
    )
    found = ((name, {key: v for key, v in tracks.items() if v}) for name, tracks in tracks_of)
    return {name: tracks for name, tracks in found if tracks}


def chain(table: TableState, number: int) -> tuple[int, ...]:
    """The rolls that roll `number` follows and is followed by, oldest first.

    Those that were declared again in place of one of them are among them. Raises
    Refused("unknown") where there is no such roll.
    """
    known = {roll_of(table, number).number: table.rolls[number]}
    known |= {roll.number: roll for roll in table.rolls.values()}
    beside: dict[int, set[int]] = {}
    for roll in known.values():
        others = declared_instead(roll) + (roll.follows[:1] if roll.follows else ())
        for other in others:
            beside.setdefault(roll.number, set()).add(other)
            beside.setdefault(other, set()).add(roll.number)
    found, waiting = set[int](), [number]
    while waiting:
        found.add(waiting[0])
        waiting += beside.get(waiting.pop(0), set()) - found
    return tuple(sorted(found))


def about_rolls(commits: Iterable[Commit], numbers: Sequence[int], first: int) -> Iterable[Commit]:
    """The commits from entry `first` on that an export of these rolls is made of."""
    kept: set[int] = set()
    for commit in commits:
        command, event = commit.command, commit.records[0].event
        if isinstance(command, commands.Note):
            wanted = command.about in kept
        elif isinstance(command, commands.Erase):
            wanted = command.seq in kept
        else:
            wanted = isinstance(command, OF_PEOPLE) or getattr(event, "roll", 0) in numbers
        if wanted and commit.seq >= first:
            kept |= set(range(commit.seq, commit.seq + len(commit.records) + commit.worded))
            yield commit


def setting(table: TableState) -> tuple[Head, list[tuple[AnyCommand, str | None]]]:
    """Everybody as they are at a table, as if they had just sat down.

    Beside the lines the commands, and words, for characters whose ids no line could give, and for
    owners who have left.
    """
    came = (e.event for e in table.sheets if isinstance(e.event, tabled.CharacterEntered))
    entered = [event for event in came if table.characters[event.character].here]
    lined = [event.character for event in entered] == [f"c{n}" for n in range(1, len(entered) + 1)]
    head, left = Head(), list[tuple[AnyCommand, str | None]]()
    others = list[tuple[AnyCommand, str | None]]()
    owners = {swapped(table.characters[event.character].seat, table.by) for event in entered}
    own = {
        seat
        for number, event in enumerate(entered, 1)
        if lined
        and (seat := f"p{number}") == swapped(table.characters[event.character].seat, table.by)
    }
    for id in sorted(table.seats, key=lambda id: (len(id), id)):
        role, here = table.seats[id].role, swapped(id, table.by)
        if here == NARRATOR:
            continue
        if not table.seats[id].here:
            if here not in owners:
                continue
            left.append((commands.LeaveSeat(here), None))
        if not (here in own and role == "player"):
            head.seats.append({"id": here} if role == "player" else {"id": here, "role": role})
    for number, event in enumerate(entered, 1):
        known = table.characters[event.character]
        owner, tracks = swapped(known.seat, table.by), dict(table.tracks[known.id])
        name = table.name_of(known.id)
        found = put(table.game, known.attributes, tracks)
        entering = commands.EnterCharacter(known.id, owner, dict(known.attributes), found)
        if lined:
            head.characters.append(character_line(entering, number, name))
        else:
            others.append((entering, None if name == known.id else name))
    return head, others + left


def _has_null(command: AnyCommand) -> bool:
    return any(None in wish.values() for wish in _wishes(command).values())


def _wishes(command: AnyCommand) -> Mapping[str, JSON]:
    """The objects in a command that a step spreads out, by field."""
    found = {name: getattr(command, name, None) for name in WISHED}
    return {name: wish for name, wish in found.items() if wish is not None}


def _without_nulls(command: AnyCommand) -> AnyCommand:
    """The command without the nulls of what it declares, which may mean the same."""
    changes = {
        name: {key: value for key, value in wish.items() if value is not None}
        for name, wish in _wishes(command).items()
    }
    return replace(command, **changes)
