"""What a table knows of shares: the chains of its seats, and the throw that waits for them."""

from msgspec.structs import replace

from ..events import roll as rolled
from ..events.codec import RecordedEvent
from .rollstate import BREAKING, Ask
from .settings import HOUR, POST, value_of
from .tablestate import Anchor, TableState

OF_SHARES = (rolled.ThrowAsked, rolled.ShareOpened, rolled.ThrowBroken)
"""The events about the shares of a throw."""


def after_share(state: TableState, entry: RecordedEvent) -> TableState:
    """The table after an event about the shares of a throw; others change nothing.

    They are open in hidden rolls too: every seat knows what the table waits for.
    """
    event = entry.event
    if not isinstance(event, OF_SHARES):  # almost every one
        return state
    if isinstance(event, rolled.ThrowAsked):
        return _asked(state, event, entry)
    if isinstance(event, rolled.ShareOpened) and state.ask is not None:
        return _opened_share(state, state.ask, event)
    if isinstance(event, rolled.ThrowBroken):
        return replace(state, ask=None, kept_back=state.kept_back | frozenset(event.kept))
    return state


def _asked(state: TableState, event: rolled.ThrowAsked, entry: RecordedEvent) -> TableState:
    for seat, _ in event.asked:
        known = state.seats.get(seat)
        if known is not None and known.anchor is not None:
            state = with_anchor(state, seat, replace(known.anchor, asks=known.anchor.asks + 1))
    ask = Ask(
        event.roll, event.throw, event.by, entry.seq, entry.at, event.committed, event.asked,
        event.left, wait=value_of(state.settings, POST) * HOUR or BREAKING,
    )  # fmt: skip
    return replace(state, ask=ask)


def _opened_share(state: TableState, ask: Ask, event: rolled.ShareOpened) -> TableState:
    known = state.seats.get(event.by)
    if known is not None and known.anchor is not None:
        at = dict(ask.asked).get(event.by, known.anchor.at)
        state = with_anchor(state, event.by, replace(known.anchor, link=event.share, at=at))
    after = replace(ask, opened=(*ask.opened, (event.by, event.share)))
    return replace(state, ask=after if after.waiting else None)


def with_anchor(state: TableState, seat: str, anchor: Anchor) -> TableState:
    """The table after a seat's chain changed."""
    known = replace(state.seats[seat], anchor=anchor)
    return replace(state, seats=state.seats.set(seat, known))


def heard(state: TableState, seat: str) -> TableState:
    """The table after something that a seat did, and that everybody may see."""
    if seat not in state.kept_back:
        return state
    return replace(state, kept_back=state.kept_back - {seat})
