"""A ruling is its deed: a dispute is decided, and the roll amended, voided or declared again."""

from collections.abc import Callable, Mapping

from ...errors import Refused
from ...events import ruling
from ...events.codec import Event
from ...events.table import COUNTED, SPENT
from ...projections.rollstate import RollState
from ...projections.rulings import open_disputes
from ...projections.tables import TableState
from .amend import amended, said, table_after
from .attempt import Attempt, present
from .commands import Amend, Declare, Rule, Void
from .declare import declared
from .offers import following
from .sources import Source
from .void import voided_by_narrator

Deed = Callable[[Rule, Attempt, Source], tuple[Event, ...]]

FIELDS: Mapping[str, tuple[str, ...]] = {
    "stands": (),
    "amend": ("character", "fields", "against"),
    "void": ("against",),
    "replay": ("against",),
}
"""The fields that a command has for each ruling; any other one is refused."""


def ruled(command: Rule, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The ruling, and behind it what `Amend` or `Void` leads to; for a replay a roll as well."""
    waiting = open_disputes(attempt.known_roll)
    if command.dispute not in waiting:
        raise Refused(
            "unknown",
            f"entry {command.dispute} is no open dispute of roll {command.roll}",
            allowed=map(str, waiting),
        )
    _must_fit(command)
    made = ruling.RulingMade(attempt.seat, command.roll, command.dispute, command.ruling)
    match command.ruling:
        case "stands":
            return (made,)
        case "amend":
            return (made, *_amended(command, attempt, source))
        case "void":
            return (made, *_voided(command, attempt, source))
        case "replay":
            return _replayed(command, attempt, source)


def _must_fit(command: Rule) -> None:
    """Refuse with "malformed" a field that is for another ruling, or that this one lacks."""
    known = FIELDS[command.ruling]
    strange = [
        name
        for name in ("character", "fields", "against")
        if getattr(command, name) is not None and name not in known
    ]
    if strange:
        why = f"a ruling {command.ruling!r} takes no {strange[0]}"
        raise Refused("malformed", why, allowed=known or ["leave it out"])
    missing = [name for name in ("character", "fields")
               if name in known and getattr(command, name) is None]  # fmt: skip
    if missing:
        why = f"a ruling {command.ruling!r} needs {' and '.join(missing)}"
        raise Refused("malformed", why, allowed=[*missing, "stands", "void"])


def _amended(command: Rule, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    who, fields = command.character or "", command.fields or {}
    deed = Amend(command.roll, who, fields, command.against)
    events = amended(deed, attempt, source)
    if not events:
        why = f"roll {command.roll} is declared like that already: nothing would be amended"
        raise Refused("not-offered", why, allowed=["stands"])
    return events


def _voided(command: Rule, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    deed = Void(command.roll, command.against)
    return voided_by_narrator(deed, attempt, source)


# --- replay ---------------------------------------------------------------------------------------


def _replayed(command: Rule, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The void, and the roll declared again on the table as the void leaves it.

    Raises Refused as the declaration is now refused, with "void" as what is possible instead.
    """
    roll, number = attempt.known_roll, attempt.table.next_roll
    made = ruling.RulingMade(attempt.seat, roll.number, command.dispute, "replay", number)
    events = (made, *_voided(command, attempt, source))
    try:
        again = _declared_again(attempt, roll, table_after(attempt.table, *events), source)
    except Refused as error:
        why = f"roll {roll.number} cannot be declared again: {error.why}"
        raise Refused(error.code, why, allowed=[*error.allowed, "void"]) from error
    return (*events, *again)


def _declared_again(
    attempt: Attempt, roll: RollState, table: TableState, source: Source
) -> tuple[Event, ...]:
    """The declaration of a roll as it was wished, settled on the sheets of `table`.

    Of a blind roll its participants see the declaration, and no later amendment: as they have it.
    """
    if attempt.table.core >= COUNTED:
        roll = attempt.table.hidden.blind.get(roll.number, roll)
    if attempt.table.core >= SPENT:
        present(table, roll.roll.character)
    wish = Declare(
        roll.roll.character,
        said(attempt.table, roll, roll.roll.character, attempt.command_at),
        roll.visibility,
        roll.level,
        roll.follows,
    )
    again = Attempt(table, attempt.seat, wish, None, now=attempt.now)
    if roll.follows is not None:
        again.offer = following(table, table.rolls[roll.follows[0]], wish)
    return declared(wish, again, source)
