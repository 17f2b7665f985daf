"""Every event is decided again: the commands that may have led to it, and the events they lead to.

The proof of a throw is checked by other steps. Here a throw is requested without nonces, and its
dice are those of the log, if they are the dice that were offered.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias, cast

from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.base import Thrown
from ...events.codec import Event, RecordedEvent
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ..core import commands
from ..core.attempt import Attempt, roll_of, seat_of
from ..core.causes import ASKED, ERASED, Happened
from ..core.commands import AnyCommand, Declare, RollCommand
from ..core.decide import ROLL_COMMANDS
from ..core.decide_table import decide_table
from ..core.machine import fire
from ..core.sources import ThrowRequest
from ..core.visibility import must_know
from .deferred import LEGAL, Wrong, difference, event_text

WISHES = 400
"""Commands tried at most for one declaration."""

FEW = 2
"""Commands tried at most once more entries failed than a report shows."""

GRAVE = ("malformed", "out-of-range", "too-long", "too-many")
"""Refusals of a declaration after which the rules do not compute its roll: it may have a million
dice."""

NAMES = (tabled.SeatNamed, tabled.CharacterNamed)
"""Events that may repeat an earlier one: an erased name is not known any more."""

Found: TypeAlias = Iterator[AnyCommand]


def asked(state: TableState, record: RecordedEvent) -> Found:
    """The commands that may have led to an event, likeliest first; none for what no command does.

    Raises LookupError for an event about what is not there.
    """
    event = record.event
    own = OWN.get(type(event))
    if own is not None:
        yield own(state, event)
        return
    find = ASKED.get(type(event))
    if find is None:
        return
    for command in find(Happened(state, event.by, [record], {}, {})):
        yield _plainly(state, event, command)


def _plainly(state: TableState, event: Any, command: AnyCommand) -> AnyCommand:
    """The command without what proves a throw."""
    if isinstance(command, (commands.RollDice, commands.Reroll)):
        waiting = _waiting(state, event)
        return replace(command, committed=waiting, nonce=None, faces=None)
    if isinstance(command, commands.Declare):  # the entry does not say whether it named its level
        return replace(command, level=event.level)
    return command


def _waiting(state: TableState, event: Any) -> int | None:
    roll = state.rolls.get(event.roll)
    waiting = None if roll is None or event.proof is None else roll.outstanding
    return None if waiting is None else waiting.seq


def _voided(state: TableState, event: Any) -> AnyCommand:
    return commands.Void(event.roll, ERASED)


def _ruled(state: TableState, event: Any) -> AnyCommand:
    return commands.Rule(event.roll, event.dispute, event.ruling, ERASED)


def _bound(state: TableState, event: Any) -> AnyCommand:
    return commands.CommitNonce(event.roll, event.nonce_commit, event.committed, event.asked)


OWN: Mapping[type, Callable[[TableState, Any], AnyCommand]] = {
    rolled.RollVoided: _voided,
    ruling.RulingMade: _ruled,
    rolled.NonceCommitted: _bound,
    rolled.WitnessGiven: lambda state, event: commands.Witness(event.roll, event.nonce),
    rolled.SeatsPassedOver: lambda state, event: commands.PassOver(event.roll),
    rolled.NonceWithheld: lambda state, event: commands.ReportWithheld(event.roll),
    tabled.WitnessingSet: lambda state, event: commands.SetWitnessing(
        event.seconds, event.withheld
    ),
}
"""Events for which an audit has another command than an export, or an export has none."""


def led_to(before: TableState, record: RecordedEvent, *, thoroughly: bool) -> tuple[Event, ...]:
    """The events that must follow in the same commit, once some command leads to this one.

    `thoroughly` tries every command that may have led to it. Raises Refused where no command of
    the seat's was allowed, Wrong where one would have led to something else.
    """
    event = record.event
    source = Logged(before.source, event)
    refusal: Refused | None = None
    taken: Refused | None = None
    other: Wrong | None = None
    for command in islice(asked(before, record), WISHES if thoroughly else FEW):
        try:
            events = decided(before, record, command, source)
        except Refused as error:
            if refusal is None and other is None and error.code in ("needs-leave", *GRAVE):
                taken = error  # the likeliest command is not allowed
            refusal = refusal or error
            continue
        if not events:
            if isinstance(event, NAMES):
                return ()
            why = "a command that changes nothing leaves no entry"
            raise Wrong(LEGAL, why, "no entry", event_text(event))
        wrong = difference(events[0], event)
        if wrong is None:
            return events[1:]
        other = other or wrong
    if taken is not None or (refusal is not None and other is None):
        raise taken or refusal or Refused("history", "nothing leads to it")
    raise other or Wrong(LEGAL, "no command leads to this here", "another event", event_text(event))


def decided(
    table: TableState, record: RecordedEvent, command: AnyCommand, source: "Logged"
) -> tuple[Event, ...]:
    """What the command would have led to at the entry's time, its reason or label left out.

    As `decide` does, but nothing is written. Raises Refused, and Wrong for other dice than were
    offered.
    """
    seat = record.event.by
    if not isinstance(command, (Declare, RollCommand)):
        return decide_table(table, seat, cast(Any, command))
    seat_of(table, seat)
    roll = None if isinstance(command, Declare) else roll_of(table, command.roll)
    attempt = Attempt(_unproved(table, roll, command), seat, command, roll, now=record.at)
    if roll is not None:
        attempt.roll = attempt.table.rolls[roll.number]
        must_know(table, seat, roll, attempt.trigger)
        _own_nonce(roll, record)
    fire(attempt)
    return ROLL_COMMANDS[type(command)](command, attempt, source)


def _own_nonce(roll: RollState, record: RecordedEvent) -> None:
    """Refuse a throw for which another seat bound its nonce. Other steps check the nonce."""
    proof = getattr(record.event, "proof", None)
    if proof is not None and roll.binding is not None and roll.binding.seat != record.event.by:
        why = f"seat {record.event.by!r} did not bind the nonce of throw {roll.throws}"
        raise Refused("nonce", why, allowed=[f"seat {roll.binding.seat!r}"])


def _unproved(table: TableState, roll: RollState | None, command: AnyCommand) -> TableState:
    """The table, with the roll of a throw at the level that needs no nonces."""
    if roll is None or roll.level == "server" or not isinstance(command, commands.Throw):
        return table
    return replace(table, rolls=table.rolls.set(roll.number, replace(roll, level="server")))


class Logged:
    """A source of dice that gives what an event recorded: its dice, commitment and seed."""

    def __init__(self, name: str, event: Any) -> None:
        self.name = name
        self._event = event

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """The commitment that the event publishes."""
        return cast(str | None, getattr(self._event, "commit", None))

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """The seed that the event opens."""
        return cast(str | None, getattr(self._event, "seed", None))

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], rolled.Proof]:
        """The dice of the event. Raises Wrong where they are not the dice requested."""
        proof: rolled.Proof | None = self._event.proof
        kind = self.name.partition(":")[0]
        if proof is None or proof.source != kind:
            source = "nowhere" if proof is None else str(proof.source)
            raise Wrong(LEGAL, "dice from elsewhere than the table's", kind, source)
        thrown: tuple[Thrown, ...] = self._event.dice
        if not _fits(thrown, request, anything=kind == "scripted"):
            wanted = ", ".join(f"{die} {kind}" for die, kind in request.dice) or "none"
            if request.again:
                wanted += f", each until it shows no {' '.join(map(str, request.again))}"
            found = ", ".join(f"{each.die} {each.kind}: {each.face}" for each in thrown)
            raise Wrong(LEGAL, "other dice than were offered", wanted, found)
        return thrown, proof


def _fits(thrown: tuple[Thrown, ...], request: ThrowRequest, *, anything: bool) -> bool:
    """Whether these are the dice requested: in order, thrown again where they must be, no more."""
    every = {face for faces in request.faces.values() for face in faces} if anything else set()
    left = list(reversed(thrown))
    for die, kind in request.dice:
        while True:
            item = left.pop() if left else None
            if item is None or (item.die, item.kind) != (die, kind):
                return False
            if item.face not in (every or request.faces[kind]):
                return False
            if item.face not in request.again:
                break
    return not left
