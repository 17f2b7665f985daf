"""The course of a table that differs: every command from the first change on decided again.

Entries and rolls keep the numbers of the log, so that a refusal names what people know: where a
command falls away, its entries and its roll are left out, and nothing takes their place.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import Event, RecordedEvent
from ...events.share import reaches
from ...projections.levels import level_next
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules import ruleset_named
from ..core.attempt import roll_of
from ..core.commands import (
    AnyCommand,
    AnyThrow,
    Ask,
    Declare,
    Dispute,
    Note,
    OpenShare,
    OpenTable,
    Reroll,
    RollDice,
    Rule,
    Void,
)
from ..core.rerun import (
    Commit,
    Done,
    Ending,
    FallenAway,
    Logged,
    NeedsDie,
    Numbers,
    decided_again,
    kept,
)
from ..core.view import refusal_of
from ..core.visibility import outstanding_for, visible_part
from .changes import Placed
from .seen import Item, Sealed, folded, lines_of, padded

OF_PROOF = ("commitment", "nonce")
"""Codes of refusals that ask for a proof, which a what-if has not and does not need."""

PLACEHOLDER = "0" * 64
"""In the place of a commitment, a seed or a nonce: nothing is proved here."""

SURE = (Dispute, Note, Rule, Void)
"""Commands that are decided again in a roll of which dice are missing: they ask for none."""


class Fell(Struct, frozen=True):
    """A commit of the log that is refused now."""

    commit: Commit
    refused: Refused


class Needed(Struct, frozen=True):
    """A commit that needs dice of a throw that never were thrown, and those of its roll behind.

    `roll` is the log's number, `dice` are the missing ones: (id, kind) each.
    """

    commit: Commit
    roll: int
    throw: int
    dice: tuple[tuple[str, str], ...]
    behind: tuple[Commit, ...] = ()


class Course(Struct, frozen=True):
    """A table as it is, and as it would be; `rolls` are the log's numbers of rolls, and theirs.

    `unknown` are the log's numbers of rolls of which nothing is known from some entry on.
    """

    before: TableState
    after: TableState
    fallen: tuple[Fell, ...]
    needed: tuple[Needed, ...]
    unknown: tuple[int, ...]
    rolls: Mapping[int, int]


def course(
    items: Sequence[Item],
    found: Callable[[], Sequence[Placed]],
    seat: str | None = None,
    named: Iterable[int] = (),
) -> Course:
    """The course of the changed commits beside that of the log's; `named` are rolls to be there.

    Raises Refused where a change is not possible, Damaged where the log's own cannot be followed.
    """
    run = Run(items, seat)
    for number in named:
        run.must_be_there(number)
    for each in found():
        run.take(each)
    return run.course()


class Run:
    """A course as its commits pass by."""

    def __init__(self, items: Sequence[Item], seat: str | None) -> None:
        self._seat = seat
        self._states = tuple(_states(items))
        self._at = {item.seq: at for at, item in enumerate(items)}
        self._hidden = self._unseen(items)
        self._shares = tuple(_shares(items))
        self._asked = {item.seq: item.command for item in items if isinstance(item, Commit)}
        self._dice = Logged("", unpublished=PLACEHOLDER)
        self._numbers = Numbers()
        self._known: dict[int, AnyCommand] = {}
        self._state: TableState | None = None
        self._same = True
        self._fallen: list[Fell] = []
        self._needed: dict[int, Needed] = {}
        self._unknown: dict[int, int] = {}

    def must_be_there(self, number: int) -> None:
        """Refuse a roll that is not at the table, or not disclosed whole."""
        state = self._states[-1] if self._states else None
        if state is not None:
            roll_of(state, number, self._seat or "")
        if self._hidden is not None and number in self._hidden:
            raise _is_hidden(number)

    def course(self) -> Course:
        """What it came to. Raises Refused where nothing opens a table."""
        before = self._states[-1] if self._states else None
        if before is None or self._state is None:
            raise Refused("unknown", "nothing opens a table here", allowed=["a whole table"])
        needed, unknown = tuple(self._needed.values()), tuple(sorted(self._unknown))
        rolls = self._numbers.rolls
        return Course(before, self._state, tuple(self._fallen), needed, unknown, rolls)

    # --- what cannot be decided -------------------------------------------------------------------

    def _unseen(self, items: Sequence[Item]) -> frozenset[int] | None:
        """The rolls of which something is sealed; None where nothing is."""
        state = self._states[-1] if self._states else None
        if state is None or not any(isinstance(item, Sealed) for item in items):
            return None
        return frozenset(
            number
            for number in state.hidden.entries
            if state.rolls.get(number) is None or not self._sees(state, state.rolls[number])
        )

    def _sees(self, state: TableState, roll: RollState) -> bool:
        """Whether the whole roll is disclosed. Of a blind one that is known by the seat alone."""
        if self._seat is None:
            return roll.visibility != "blind"
        return visible_part(state, self._seat, roll) == "everything"

    def _given(self, commit: Commit) -> bool:
        """Whether a commit is about a roll that is not disclosed whole: it is taken as it was."""
        number, state = _roll_of(commit), self._states[-1]
        if self._hidden is None or number is None or state is None:
            return False
        return number in self._hidden or number not in state.rolls

    # --- commit by commit -------------------------------------------------------------------------

    def take(self, each: Placed) -> None:
        """One more commit. Raises Refused for one that a change made and that may not be."""
        item = each.item
        if each.own:
            self._same = False
        if each.gone:
            return
        if self._same or isinstance(item, Sealed):
            self._as_it_was(item)
        elif self._given(item):
            if each.own:
                raise _is_hidden(_roll_of(item))
            self._as_it_was(item)
        elif each.added:
            self._own(item)
        else:
            self._again(item, own=each.own)

    def _as_it_was(self, item: Item) -> None:
        """Nothing is decided: it was."""
        if self._same:
            seq, self._state = item.seq, self._states[self._at[item.seq]]
        else:
            self._state = padded(self._state, item.seq)
            seq = self._state.size if self._state else 0
            self._state = folded(self._state, lines_of(item))
        if isinstance(item, Commit):
            self._known[seq] = item.command
            self._numbers.take(item, seq, item.events)
        else:
            self._numbers.seqs |= {each.seq: seq + at for at, each in enumerate(item.lines)}

    def _own(self, commit: Commit) -> None:
        """What a change adds."""
        ending = self._ending(commit, self._numbers.renumbered(commit.command))
        if isinstance(ending, FallenAway):
            raise ending.refused
        if isinstance(ending, Done):
            self._kept(commit, ending)

    def _again(self, commit: Commit, *, own: bool) -> None:
        """A command of the log, decided again."""
        number = _roll_of(commit)
        parent = commit.command.follows if isinstance(commit.command, Declare) else None
        if parent is not None and parent[0] in self._unknown and number is not None:
            self._unknown[number] = self._unknown[parent[0]]
        if number in self._unknown and not isinstance(commit.command, SURE):
            self._behind(commit, self._unknown[number])
            return
        self._state = self._ready(commit)
        try:
            command = self._numbers.renumbered(self._answerable(commit.command))
        except Refused as error:
            self._falls(commit, error, own=own)
            return
        ending = self._ending(commit, command)
        if isinstance(ending, Done):
            self._known[self._state.size if self._state else 0] = command
            seq = self._kept(commit, ending)
            self._numbers.take(commit, seq, [draft.event for draft in ending.drafts])
            self._settled(ending)
        elif isinstance(ending, FallenAway):
            self._falls(commit, ending.refused, own=own)
        else:
            self._needs(commit, ending)

    def _ready(self, commit: Commit) -> TableState | None:
        """The table whose next entry and next roll are those of this commit, where it can be."""
        state = padded(self._state, commit.seq)
        rolls = [e.roll for e in commit.events if isinstance(e, rolled.RollDeclared)]
        if state is None or not rolls or state.next_roll >= rolls[0]:
            return state
        return replace(state, last_roll=rolls[0] - 1)

    def _kept(self, commit: Commit, ending: Done) -> int:
        """Fold what a command leads to; gives the number of its first entry."""
        seq = self._state.size if self._state else 0
        self._state = kept(self._state, commit, ending.drafts, ruleset_named)
        return seq

    def _ending(self, commit: Commit, command: AnyCommand) -> Ending:
        """How a command ends, whatever it proves; a refusal is what its seat would have met."""
        state = self._state
        if isinstance(command, OpenTable):
            self._dice.name = command.source
        self._dice.name = state.source if state else self._dice.name
        self._dice.take(commit.events)
        ending = self._fitting(state, commit, command)
        if state is None or not isinstance(ending, FallenAway):
            return ending

        def again(view: TableState) -> None:
            seen = self._fitting(view, commit, command)
            if isinstance(seen, FallenAway):
                raise seen.refused

        return FallenAway(refusal_of(state, commit.seat, ending.refused, again))

    def _fitting(self, state: TableState | None, commit: Commit, command: AnyCommand) -> Ending:
        """How a command ends on this table, with proofs that fit it."""
        fitted = self._fitted(state, commit.seat, command)
        ending = self._decided(state, commit, fitted)
        refused = ending.refused if isinstance(ending, FallenAway) else None
        if refused is not None and refused.code in OF_PROOF:
            other = self._otherwise(state, commit.seat, fitted)
            return ending if other is None else self._decided(state, commit, other)
        return ending

    def _decided(self, state: TableState | None, commit: Commit, command: AnyCommand) -> Ending:
        return decided_again(
            state,
            commit.seat,
            command,
            self._dice,
            now=commit.at,
            command_at=self._command_at,
        )

    def _command_at(self, seq: int) -> AnyCommand:
        """The command behind an entry. Raises Refused("not-seen") where that is sealed."""
        if seq not in self._known:
            why = f"what was asked at entry {seq} is hidden"
            raise Refused("not-seen", why, allowed=["after it is revealed"])
        return self._known[seq]

    # --- proofs -----------------------------------------------------------------------------------

    def _answerable(self, command: AnyCommand) -> AnyCommand:
        """The command, whatever it answered: the throw that published that may never have been.

        What it answers here comes from `_fitted`; until then it names an entry that there is.
        """
        seqs = self._numbers.seqs
        if not isinstance(command, (RollDice, Reroll, Ask)) or command.committed is None:
            return command
        return command if command.committed in seqs else replace(command, committed=min(seqs))

    def _fitted(self, state: TableState | None, seat: str, command: AnyCommand) -> AnyCommand:
        """The command with what its throw answers here; typed faces come from the log as well."""
        if isinstance(command, (RollDice, Reroll)):
            command = replace(command, faces=None)
        if isinstance(command, (RollDice, Reroll, Ask)) and command.committed is not None:
            return command if state is None else _answering(state, seat, command)
        return command

    def _otherwise(
        self, state: TableState | None, seat: str, command: AnyCommand
    ) -> AnyCommand | None:
        """The command with another proof, where it was refused for that which it has."""
        if state is None:
            return None
        if isinstance(command, OpenShare):
            return self._sharing(state, seat, command)
        if isinstance(command, (RollDice, Reroll)):
            if command.committed is None and command.nonce is None:
                return _answering(state, seat, command)
            return replace(command, committed=None, nonce=None)
        return None

    def _sharing(self, state: TableState, seat: str, command: OpenShare) -> OpenShare | None:
        """The link of the seat's chain that is asked for here, if the log has it."""
        anchor, ask = state.seats[seat].anchor, state.ask
        i = dict(ask.asked).get(seat) if ask else None
        if anchor is None or i is None:
            return None
        for each in self._shares:
            if each.by == seat and reaches(state.id, seat, each.share, i, anchor.link, anchor.at):
                return replace(command, share=each.share)
        return None

    # --- what does not end as it did --------------------------------------------------------------

    def _falls(self, commit: Commit, refused: Refused, *, own: bool) -> None:
        if own:
            raise refused
        if self._hidden is not None and not self._allowed_before(commit):
            self._as_it_was(commit)  # something that is sealed allowed it
            return
        self._fallen.append(Fell(commit, refused))

    def _allowed_before(self, commit: Commit) -> bool:
        """Whether the table as it was, as far as it is disclosed, allows the command."""
        at = self._at[commit.seq]
        then = self._state, self._known
        self._state, self._known = self._states[at - 1] if at else None, self._asked
        try:
            return not isinstance(self._ending(commit, commit.command), FallenAway)
        finally:
            self._state, self._known = then

    def _needs(self, commit: Commit, ending: NeedsDie) -> None:
        theirs = {there: log for log, there in self._numbers.rolls.items()}
        number = theirs.get(ending.roll, ending.roll)
        self._needed[commit.seq] = Needed(commit, number, ending.throw, self._dice.missing)
        self._unknown[number] = commit.seq

    def _behind(self, commit: Commit, entry: int) -> None:
        known = self._needed[entry]
        self._needed[entry] = replace(known, behind=(*known.behind, commit))

    def _settled(self, ending: Done) -> None:
        """A roll that was voided is known: it counts for nothing."""
        theirs = {there: log for log, there in self._numbers.rolls.items()}
        for draft in ending.drafts:
            if isinstance(draft.event, rolled.RollVoided):
                self._unknown.pop(theirs.get(draft.event.roll, draft.event.roll), None)


def _is_hidden(number: int | None) -> Refused:
    why = f"roll {number} is hidden"
    return Refused("not-seen", why, allowed=["after it is revealed"])


def _states(items: Sequence[Item]) -> list[TableState | None]:
    """The table after each commit, as the log has it."""
    found: list[TableState | None] = []
    state: TableState | None = None
    for item in items:
        state = folded(padded(state, item.seq), lines_of(item))
        found.append(state)
    return found


def _shares(items: Iterable[Item]) -> Iterator[rolled.ShareOpened]:
    """Every share that the log has."""
    for line in (line for item in items for line in lines_of(item)):
        if isinstance(line, RecordedEvent) and isinstance(line.event, rolled.ShareOpened):
            yield line.event


def _roll_of(commit: Commit) -> int | None:
    """The roll that a commit is about, or declares."""
    events: Sequence[Event] = commit.events
    if isinstance(commit.command, Declare):
        return next((e.roll for e in events if isinstance(e, rolled.RollDeclared)), None)
    number: int | None = getattr(commit.command, "roll", None)
    return number


def _answering(state: TableState, seat: str, command: AnyThrow | Ask) -> AnyCommand:
    """A throw, or an ask for one, that answers what is outstanding, with a nonce if one is due."""
    roll = state.rolls.get(command.roll)
    waiting = None if roll is None else outstanding_for(state, seat, roll)
    if roll is None or isinstance(command, Ask):
        return command if waiting is None else replace(command, committed=waiting.seq)
    player = waiting is not None and level_next(state, seat, roll) == "player"
    nonce = (command.nonce or PLACEHOLDER) if player else None
    return replace(command, committed=None if waiting is None else waiting.seq, nonce=nonce)
