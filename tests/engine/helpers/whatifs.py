"""The truth of a what-if: the table played again with the same requests and the faces that fell.

Nothing here uses what decides a log again. A table is opened; each request of the log is submitted
to it, its rolls and entries by the numbers that they have there; its dice fall as they fell for the
same request. What is refused is left out, and so is what needs dice that never fell.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import AnyCommand, Worded
from urim.engine.core.parse import read_logged
from urim.engine.core.sources import ThrowRequest
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.asked import Text
from urim.events.base import Thrown
from urim.events.codec import asked_in, recorded
from urim.events.entry import Entry
from urim.events.table import TextSaid
from urim.projections.health import health
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState

ANY_WAY = (c.Dispute, c.Note, c.Rule, c.Void)
"""What is asked of a roll although dice of it are missing."""


class Request(Struct, frozen=True):
    """One request of a log: its first entry, who asked for what, the text, the dice that fell.

    `rolls` are the rolls that it declared, `seqs` its entries. `added`: the log has it not.
    """

    seq: int
    seat: str
    command: AnyCommand
    text: Text | None
    dice: tuple[Thrown, ...]
    first: bool
    rolls: tuple[int, ...]
    seqs: tuple[int, ...]
    added: bool = False


def requests_of(entries: Sequence[Entry]) -> list[Request]:
    """The requests of a log, in order."""
    found: list[Request] = []
    for start in (entry for entry in entries if entry.seq == entry.commit):
        own = [entry for entry in entries if entry.commit == start.seq]
        asked = asked_in(start)
        assert asked is not None
        events = [recorded(entry).event for entry in own if entry.payload is not None]
        fell = [e for e in events if isinstance(e, (rolled.DiceRolled, rolled.DiceRerolled))]
        last = events[-1]
        found.append(
            Request(
                start.seq,
                events[0].by,
                read_logged(asked.body),
                Text(last.salt, last.text) if isinstance(last, TextSaid) else None,
                fell[0].dice if fell and fell[0].proof else (),
                any(isinstance(e, rolled.DiceRolled) for e in fell),
                tuple(e.roll for e in events if isinstance(e, rolled.RollDeclared)),
                tuple(entry.seq for entry in own),
            )
        )
    return found


class NotFallen(Exception):
    """Dice would have to fall that never fell."""

    def __init__(self, dice: tuple[str, ...]) -> None:
        super().__init__(dice)
        self.dice = dice


class ByRequest:
    """Dice that fall as they fell for the request at work: in order, or again each by its id."""

    name = "scripted"

    def __init__(self, name: str) -> None:
        self.name = name
        self.request: Request | None = None

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """Nothing is committed to."""
        return None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """There is no seed."""
        return None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], rolled.Proof]:
        """The faces that fell. Raises NotFallen."""
        assert self.request is not None
        fell: dict[str, list[Thrown]] = {}
        for each in self.request.dice:
            fell.setdefault(each.die, []).append(each)
        in_order = list(fell.values())
        thrown: list[Thrown] = []
        missing: list[str] = []
        for at, (die, kind) in enumerate(request.dice):
            if self.request.first:
                faces = in_order[at] if at < len(in_order) else []
            else:
                faces = fell.get(die, [])
            ends = [n for n, f in enumerate(faces, 1) if f.face not in request.again]
            if not ends or faces[0].kind != kind:
                missing.append(die)
                continue
            thrown += [Thrown(die, kind, face.face) for face in faces[: ends[0]]]
        if missing:
            raise NotFallen(tuple(missing))
        source: Any = self.name.partition(":")[0]
        return tuple(thrown), rolled.Proof(request.throw, source)


class Truth:
    """A table played with requests; `fallen` are refused ones, by entry, with their codes."""

    def __init__(self, dice: str) -> None:
        self.source = ByRequest(dice)
        self.table = Aggregate(replace(environment("scripted"), source=self.source))
        self.rolls: dict[int, int] = {}
        self.seqs: dict[int, int] = {}
        self.fallen: dict[int, str] = {}
        self.missing: dict[int, tuple[str, ...]] = {}
        self.unknown: set[int] = set()
        self.behind: set[int] = set()

    @property
    def state(self) -> TableState:
        """The table."""
        return self.table.opened

    def play(self, request: Request) -> None:
        """One request. Raises Refused for one that was added."""
        number = request.rolls[0] if request.rolls else getattr(request.command, "roll", None)
        follows = getattr(request.command, "follows", None)
        if follows is not None and follows[0] in self.unknown:
            self.unknown.add(request.rolls[0])
        if number in self.unknown and not isinstance(request.command, ANY_WAY):
            self.behind.add(request.seq)
            return
        try:
            self._submitted(request)
        except Refused as error:
            if request.added:
                raise
            self.fallen[request.seq] = error.code
        except NotFallen as error:
            self.missing[request.seq] = error.dice
            self.unknown.add(int(number or 0))

    def _submitted(self, request: Request) -> None:
        self.source.request = request
        command = self._renumbered(request.command)
        size, rolls = len(self.table.entries), self.state.next_roll if size_of(self.table) else 1
        text = request.text
        if getattr(command, "text", None) is not None and text is None:
            text = ERASED
            command = replace(command, text=text.hash)
        asking: Any = command if text is None else Worded(command, text)
        self.table.submit(request.seat, asking)
        there = range(size, len(self.table.entries))
        of_text = 1 if text is not None and there else 0
        events = request.seqs[: len(request.seqs) - of_text]
        self.seqs |= dict(zip(events, there[: len(there) - of_text], strict=False))
        if of_text:
            self.seqs[request.seqs[-1]] = there[-1]
        self.rolls |= dict(zip(request.rolls, range(rolls, self.state.next_roll), strict=True))
        for record in self.table.records[size:]:
            if record is not None and isinstance(record.event, rolled.RollVoided):
                theirs = {there: log for log, there in self.rolls.items()}
                self.unknown.discard(theirs.get(record.event.roll, 0))

    def _renumbered(self, command: AnyCommand) -> AnyCommand:
        """The command by the numbers of this table. Raises Refused for what never was here."""
        changes: dict[str, Any] = {}
        for name, known in (("roll", self.rolls), *((n, self.seqs) for n in SEQS)):
            value = getattr(command, name, None)
            if value is not None:
                if value not in known:
                    raise Refused("unknown", f"{name} {value} is not here")
                changes[name] = known[value]
        follows = getattr(command, "follows", None)
        if follows is not None:
            if follows[0] not in self.rolls:
                raise Refused("unknown", "the roll that it follows is not here")
            changes["follows"] = (self.rolls[follows[0]], follows[1])
        if isinstance(command, (c.RollDice, c.Reroll)):
            changes["faces"] = None
        changed: AnyCommand = replace(command, **changes)
        return changed


ERASED = Text("0" * 32, "erased since")
"""In the place of a text that was erased."""

SEQS = ("about", "against", "dispute", "seq")


def size_of(table: Aggregate) -> int:
    """How many entries a table has."""
    return len(table.entries)


def played(dice: str, requests: Sequence[Request]) -> Truth:
    """A table played with these. Raises Refused for one that was added and may not be."""
    found = Truth(dice)
    for each in requests:
        found.play(each)
    return found


def otherwise(
    requests: Sequence[Request], seq: int, change: Callable[[Any], AnyCommand]
) -> list[Request]:
    """The requests, the command at an entry another one; it must be possible."""
    return [
        replace(each, command=change(each.command), added=True) if each.seq == seq else each
        for each in requests
    ]


# --- what a roll came to, for comparing -----------------------------------------------------------


def essence(state: TableState, number: int) -> Mapping[str, Any]:
    """What a roll came to, from the table's own folds; of a voided one that it is void."""
    roll = state.rolls[number]
    if roll.state == "voided":
        return {"state": "voided"}
    outcome = roll.roll.outcome
    return {
        "state": roll.state,
        "dice": _dice(roll),
        "outcome": outcome and (outcome.degree, outcome.margin, dict(outcome.figures)),
        "damage": [*_blows(state, number)],
    }


def _dice(roll: RollState) -> Any:
    return [[(die.thrown, die.face, die.frozen) for die in hand.dice] for hand in roll.roll.hands]


def _blows(state: TableState, number: int) -> Iterator[Any]:
    for who in sorted(state.characters):
        for blow in health(state, who).applications:
            if blow.roll == number:
                yield blow.amount, dict(blow.figures)


def tracks(state: TableState) -> dict[str, dict[str, int]]:
    """Every track that is not 0, by character."""
    every = {who: {k: v for k, v in own.items() if v} for who, own in state.tracks.items()}
    return {who: own for who, own in sorted(every.items()) if own}
