"""The door of a table: what a seat brings is bounded before anything is decided or thrown.

What passed once is in the log, and is never measured again: a limit may be lowered later.
"""

from ...errors import Refused
from ...events.asked import SALT, Text
from ...events.codec import Event
from ...events.roll import ThrowPlanned
from ...projections.tables import TableState
from .attempt import roll_of, who_is_here
from .commands import AnyCommand, Declare, EnterCharacter, TakeSeat
from .limits import CHAIN, CHARACTERS, PAYLOAD, REMOVED, SEATS
from .parse import name_of
from .sources import must_be_few


def check(table: TableState | None, seat: str, command: AnyCommand, text: Text | None) -> None:
    """Check a seat's command that was parsed, and its text, against what a table holds at most.

    Raises Refused: "too-long" beyond a limit, "malformed" for a text that does not belong to the
    command.
    """
    check_text(command, text)
    if table is None:
        return
    if isinstance(command, TakeSeat) and command.seat not in table.seats:
        _room("seats", len(table.seats), SEATS)
    elif isinstance(command, EnterCharacter) and command.character not in table.characters:
        _room("characters", len(who_is_here(table)), CHARACTERS)
        gone = sum(not known.here and known.by == seat for known in table.characters.values())
        _room(f"characters that seat {seat!r} brought, taken away", gone, REMOVED)
    elif isinstance(command, Declare) and command.follows is not None:
        _room("rolls that follow one another", _followed(table, command.follows[0]), CHAIN)


def measure(event: Event, payload: bytes) -> None:
    """Check what is to be written against what an entry holds, and a throw that is planned.

    Raises Refused: "too-long", "too-many".
    """
    if len(payload) > PAYLOAD:
        why = f"an event of {len(payload)} bytes"
        raise Refused("too-long", why, allowed=[f"at most {PAYLOAD}"])
    if isinstance(event, ThrowPlanned):
        must_be_few(len(event.dice))


def _room(what: str, found: int, most: int) -> None:
    if found >= most:
        raise Refused("too-long", f"there are {found} {what}", allowed=[f"at most {most}"])


def _followed(table: TableState, number: int) -> int:
    """How many rolls follow one another up to this one: they are voided and amended as one."""
    roll, length = roll_of(table, number), 1
    while roll.follows is not None and length < CHAIN:
        roll, length = roll_of(table, roll.follows[0]), length + 1
    return length


def check_text(command: AnyCommand, text: Text | None) -> None:
    """Check that the text is there if the command names one, fits its hash, and is not too long."""
    rule, known = command.text_rule, getattr(command, "text", None)
    what = name_of(type(command))
    if text is None and known is None:
        return
    if rule is None:
        raise Refused("malformed", f"{what} takes no text", allowed=["no text"])
    if text is None or known is None:
        missing = "its text is missing" if text is None else "it does not name its text"
        raise Refused("malformed", f"{what}: {missing}", allowed=["the text and its hash"])
    if not text.text:
        raise Refused("malformed", f"the {rule.name} of {what} is empty", allowed=["any words"])
    if len(text.text) > rule.most:
        why = f"the {rule.name} of {what} has {len(text.text)} characters"
        raise Refused("too-long", why, allowed=[f"at most {rule.most}"])
    if not SALT.match(text.salt):
        raise Refused("malformed", f"the salt is {text.salt[:40]!r}", allowed=["32 hex digits"])
    if text.hash != known:
        why = f"the text does not fit the hash in {what}, {known}"
        raise Refused("malformed", why, allowed=[text.hash])
