"""A log's commands decided again one by one, each on the table that those before it lead to."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct

from urim.engine.core.commands import AnyCommand, OpenTable
from urim.engine.core.decide import Draft
from urim.engine.core.rerun import Commit, Done, Ending, FallenAway, Logged, decided_again, kept
from urim.events.codec import Event, event_json
from urim.projections.tables import TableState
from urim.rules import ruleset_named

Pair = tuple[Event | None, Event | None]


class Again(Struct, frozen=True):
    """How a command ended; `differs` are the events that are not the log's, each beside it."""

    commit: Commit
    ending: Ending
    differs: tuple[Pair, ...]
    state: TableState | None


def again(commits: Iterable[Commit]) -> Iterator[Again]:
    """Every command of these commits decided again."""
    source, state = "", None
    known: dict[int, AnyCommand] = {}
    for commit in commits:
        if isinstance(commit.command, OpenTable):
            source = commit.command.source
        dice = Logged(source, commit.events)
        ending = decided_again(
            state, commit.seat, commit.command, dice, now=commit.at, command_at=known.__getitem__
        )
        differs: tuple[Pair, ...] = ()
        if isinstance(ending, Done):
            differs = tuple(differing(ending.drafts, commit.events))
            known[state.size if state else 0] = commit.command
            state = kept(state, commit, ending.drafts, ruleset_named)
        yield Again(commit, ending, differs, state)


def differing(drafts: Sequence[Draft], events: Sequence[Event]) -> Iterator[Pair]:
    """The pairs that differ, to the byte: what a command leads to, and what the log has."""
    for draft, event in zip_longest(drafts, events):
        wanted = None if draft is None else draft.event
        if wanted is None or event is None or event_json(wanted) != event_json(event):
            yield wanted, event


def fallen(found: Sequence[Again]) -> list[tuple[type, str]]:
    """The commands that fell away, and why."""
    return [
        (type(each.commit.command), each.ending.refused.code)
        for each in found
        if isinstance(each.ending, FallenAway)
    ]
