"""An audit checks classes of entries, notes, erasures and epochs by the places that it stored.

A table in memory looks through all its rolls and texts for them; the RollStore of an audit knows
where each entry belongs.
"""

from collections.abc import Collection

from ...errors import Refused
from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import Event
from ...projections.tables import Rulesets, TableState
from ..core.attempt import must_narrate, seat_of
from ..core.visibility import hidden, must_see
from .deferred import LEGAL, Undisclosed, Wrong, event_text
from .roll_store import RollStore

KINDS = {True: "hidden", False: "open"}


def rules_of(event: Event, rulesets: Rulesets) -> tuple[str, str]:
    """The rules that a table's opening names, and why they cannot be run here, if they cannot."""
    if not isinstance(event, tabled.TableOpened):
        return "", "the log does not begin with the opening of a table"
    system = f"{event.ruleset}, version {event.version}"
    try:
        known = rulesets(event.ruleset).version
    except Refused as error:
        return system, f"the rules are not known here: {error.why}"
    if known != event.version:
        return system, f"the rules known here are not {system}, but version {known}"
    return system, ""


def sealed(
    state: TableState, event: Event, kind: str, store: RollStore, undisclosed: Undisclosed
) -> Wrong | None:
    """An entry of the wrong class: hidden though everybody may see it, or the other way round."""
    if isinstance(event, rolled.RollDeclared):
        wanted = KINDS[event.visibility != "public"]
    elif isinstance(event, tabled.Noted):
        if undisclosed.is_withheld(event.about):
            return None  # nobody knows what it is about
        place = store.place(event.about)
        number = None if place is None else place.roll
        wanted = KINDS[hidden(state, event, state.rolls.get(number) if number else None)]
    else:
        number = getattr(event, "roll", None)
        wanted = KINDS[hidden(state, event, state.rolls.get(number) if number else None)]
    return None if kind == wanted else misclassed(wanted, kind)


def misclassed(wanted: str, kind: str) -> Wrong:
    """The wrong of an entry of this class."""
    return Wrong(LEGAL, "the entry is sealed in the wrong class", wanted, kind, firm=True)


def note(state: TableState, seq: int, event: tabled.Noted, store: RollStore) -> None:
    """Check who wrote a note, and about what. Raises Refused."""
    seat_of(state, event.by)
    if event.about >= seq:
        why = f"no entry {event.about} to write about"
        raise Refused("unknown", why, allowed=[f"0 to {seq - 1}"])
    place = store.place(event.about)
    roll = None
    if place is not None and place.roll is not None and place.writer is None:
        roll = state.rolls.get(place.roll)
    if roll is not None:
        must_see(state, event.by, roll, dice=False)


def erasure(
    state: TableState, event: tabled.EntryErased, store: RollStore, undisclosed: Undisclosed
) -> None:
    """Check that it was a text, and erased by a seat that may. Raises Refused."""
    seat_of(state, event.by)
    place = store.place(event.seq)
    if place is None or place.writer is None:
        if undisclosed.is_withheld(event.seq) or undisclosed.gaps:
            return  # it is erased already: its writer is not known any more
        why = f"entry {event.seq} is no name and no note"
        raise Refused("not-offered", why, allowed=["names and notes"])
    if place.writer != event.by:
        must_narrate(state, event.by, "erasing what another wrote")


def epoch(
    state: TableState, event: tabled.EpochBegun, live: Collection[int], *, certain: bool
) -> None:
    """Check who begins an epoch, and for which throws it commits. Raises Refused and Wrong.

    Where not `certain`, there may be rolls and throws that this file does not show.
    """
    must_narrate(state, event.by, "beginning an epoch")
    if event.epoch != state.epoch + 1:
        why = "epochs count from 1"
        raise Wrong(LEGAL, why, f"epoch {state.epoch + 1}", f"epoch {event.epoch}")
    committed = [each.roll for each in event.commits]
    for each in event.commits:
        roll = state.rolls.get(each.roll)
        waiting = None if roll is None else roll.outstanding
        throw = None if roll is None or roll.state == "voided" or waiting is None else waiting.throw
        unknown = not certain and (roll is None or roll.hidden)
        if (throw != each.throw or committed.count(each.roll) > 1) and not unknown:
            found = f"throw {each.throw} of roll {each.roll}"
            expected = "none of that roll" if throw is None else f"throw {throw}, once"
            raise Wrong(LEGAL, "a commitment for a throw that does not wait", expected, found)
    for number in sorted(set(live) - set(committed)):
        roll = state.rolls.get(number)
        if roll is not None and (certain or not roll.hidden):
            why = "a throw waits, and the epoch has no new commitment for it"
            raise Wrong(LEGAL, why, f"a commitment for roll {number}", event_text(event))
