"""What a seat is told of a table that it does not look at: what waits for it, and what ended."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...events.codec import RecordedEvent
from ...events.roll import DamageApplied, RollEventBase, RollResolved, RollRevealed, RollVoided
from ...events.ruling import RollAmended
from ...projections.automaton import LIVE, State, Trigger
from ...projections.result import damage_result, outcome_result
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ..core.moves import Awaited, Awaiting

ENDS: tuple[type[RollEventBase], ...] = (
    RollResolved,
    DamageApplied,
    RollAmended,
    RollVoided,
    RollRevealed,
)
"""Events after which a roll that does not go on has ended, or ended otherwise."""


class Ended(Struct, frozen=True):
    """Entry `seq` ended a roll of a character, by name; `text` is what came out, as it is now.

    A roll may end more than once: by its outcome, by its damage, when it is amended or voided, when
    it is revealed.
    """

    seq: int
    at: int
    roll: int
    who: str
    state: State
    text: str


class Waits(Struct, frozen=True):
    """What a table waits for a seat to do, `who` by name; the rest is as of `Awaiting`."""

    seat: str
    who: str
    roll: int
    trigger: Trigger
    character: str = ""
    about: int | None = None
    why: str = ""


class News(Struct, frozen=True):
    """A table of `size` entries, the last one `at`, for a seat; `name` is the table's, or its id.

    `waits` is all that it waits for the seat to do now, or with everybody for anybody; `ended` what
    ended in the entries asked for: as far as the seat may see it, or everybody.
    """

    size: int
    at: int
    name: str
    waits: tuple[Waits, ...]
    ended: tuple[Ended, ...]


def waits_in(
    view: TableState, seat: str, own: Iterable[Awaiting], others: Iterable[Awaited]
) -> Iterator[Waits]:
    """What waits for a seat, and for others, with their names."""
    who = view.name_of(seat)
    for each in own:
        yield Waits(seat, who, each.roll, each.trigger, each.character, each.about, each.why)
    for other in others:
        name = view.name_of(other.seat)
        yield Waits(other.seat, name, other.roll, other.trigger, why=other.choice)


def ended_in(view: TableState, records: Iterable[RecordedEvent | None]) -> Iterator[Ended]:
    """What ended in some records that the seat of a view may see."""
    for record in records:
        if record is None or not isinstance(record.event, ENDS):
            continue
        roll = view.rolls.get(view.entry_rolls.get(record.seq) or 0)
        if roll is None or roll.state in LIVE:
            continue
        who = view.name_of(roll.roll.character)
        text = _text(view, roll, damage=isinstance(record.event, DamageApplied))
        yield Ended(record.seq, record.at, roll.number, who, roll.state, text)


def _text(view: TableState, roll: RollState, *, damage: bool) -> str:
    if roll.state == "voided":
        return "voided"
    result = damage_result(view, roll) if damage else outcome_result(view, roll)
    return result.headline if result is not None else ""
