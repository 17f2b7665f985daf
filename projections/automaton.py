"""The automaton of a roll: its states, its triggers, and the one table of what leads where.

Theory of operation
===================

A roll is in one state at a time. It starts in `new`, which is before its first event and is never
stored, and it moves when somebody fires a trigger. A *trigger* is what a seat wants ("reroll"); a
*command* is how it asks (the JSON's `do`); an *event* is what happened. All three meet in a row:

    In one of `sources`, `command` fires `trigger`. If `guard` lets it pass, the first event about
    its roll is `events[0]`, and that event leaves the roll in `to` ("=": in the state it was in).

Everything that knows of states reads these rows, and nothing repeats them:

1. Who decides goes by trigger and state. `engine/core/machine.py` builds a machine from the rows;
   a command, a legal move and an audit all pass its one door, `fire`.
2. Who folds goes by event and state. `after` gives the state that an event leaves its roll in. It
   is total: where there is no row the state stays, for a log may hold anything, and whether an
   entry was legal is the business of anybody who decides it or audits it.
3. The two cannot drift apart. A command's events are held against the rows before they are kept:
   the first must take its roll where the machine went, every other one must have a row from the
   state in which its roll is (`events` lists which those may be). Else it is a fault of ours.

Two commands may share a trigger: `adjust` and `choose` are both ways to adjust, and one guard
judges both. One command may have two rows: an amendment leaves a roll that goes on where it is, and
takes a settled one back to `resolved`, because what it had done is announced again.

Not everything about a roll is a state. Whether it is hidden, vetoed, disputed, or waits for shares
is kept beside the state, and is for the guards. What the rules allow next (which dice, how many,
who) is a list of offers; the guard `offered` reads it.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ..errors import Defect, Refused
from ..events import roll as rolled
from ..events import ruling

State: TypeAlias = Literal[
    "new",
    "declared",
    "reacted",
    "rolled",
    "frozen",
    "rerolled",
    "adjusted",
    "resolved",
    "damaged",
    "voided",
]

Trigger: TypeAlias = Literal[
    "declare",
    "veto",
    "replace",
    "react",
    "roll",
    "freeze",
    "reroll",
    "adjust",
    "resolve",
    "apply_damage",
    "amend",
    "void",
    "withdraw",
    "ask",
    "open_share",
    "break_throw",
    "confirm",
    "flavour",
    "fate",
    "reveal",
    "dispute",
    "rule",
]

STATES: tuple[State, ...] = get_args(State)
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)

UNTHROWN: tuple[State, ...] = ("declared", "reacted")
"""Before the first throw."""

ON_TABLE: tuple[State, ...] = ("rolled", "frozen", "rerolled", "adjusted")
"""Dice are on the table."""

LIVE: tuple[State, ...] = (*UNTHROWN, *ON_TABLE)
"""The roll goes on."""

SETTLED: tuple[State, ...] = ("resolved", "damaged")
"""It came to an outcome."""

ANY: tuple[State, ...] = (*LIVE, *SETTLED)
"""Every state but the first and the last."""

SAME: Literal["="] = "="
"""As a target: the state the roll is in."""

EventTypes: TypeAlias = tuple[type[rolled.RollEventBase], ...]


class Row(Struct, frozen=True):
    """One line of the table; see the theory above. `needs` says in words what the guard asks."""

    trigger: Trigger
    command: str
    events: EventTypes
    sources: tuple[State, ...]
    to: State | Literal["="]
    guard: str
    needs: str


_VOIDED, _AMENDED = rolled.RollVoided, ruling.RollAmended

Fields: TypeAlias = tuple[
    Trigger, str, EventTypes, tuple[State, ...], State | Literal["="], str, str
]
"""A row as it is written below, without the names of its fields."""

TABLE: tuple[Fields, ...] = (
    ("declare", "declare", (rolled.RollDeclared,), ("new",), "declared", "owned",
     "one's own character; a follower is offered by its parent"),
    ("veto", "veto", (ruling.DeclarationVetoed,), UNTHROWN, SAME, "vetoes",
     "a narrator, before the first throw"),
    ("replace", "replace", (ruling.DeclarationReplaced,), UNTHROWN, SAME, "corrects",
     "a narrator, before the first throw"),
    ("react", "react", (rolled.ReactionDeclared,), UNTHROWN, "reacted", "offered",
     "once a character"),
    ("roll", "roll", (rolled.DiceRolled,), LIVE, "rolled", "offered",
     "a new hand; names the outstanding commitment"),
    ("freeze", "freeze", (rolled.DiceFrozen,), ON_TABLE, "frozen", "offered",
     "every die that shall be frozen, not only the new ones; all of a hand: stand"),
    ("reroll", "reroll", (rolled.DiceRerolled,), ON_TABLE, "rerolled", "offered",
     "no frozen die; names the outstanding commitment"),
    ("adjust", "adjust", (rolled.DiceAdjusted,), ON_TABLE, "adjusted", "offered",
     "every die that shall show another face than thrown, within the cost"),
    ("adjust", "choose", (rolled.ChoiceMade,), ON_TABLE, "adjusted", "offered",
     "one choice, once"),
    ("resolve", "resolve", (rolled.RollResolved,), ON_TABLE, "resolved", "offered",
     "nothing offered is due"),
    ("apply_damage", "apply_damage", (rolled.DamageApplied,), ("resolved",), "damaged",
     "offered", "no live roll follows; not hidden"),
    ("amend", "amend", (_AMENDED,), LIVE, SAME, "corrects",
     "a narrator; hands already thrown keep their dice"),
    ("amend", "amend", (_AMENDED, _AMENDED, _VOIDED, rolled.DamageApplied), SETTLED, "resolved",
     "corrects",
     "a narrator; nothing becomes due; followers go with it; damage that holds is announced again"),
    ("void", "void", (_VOIDED, _VOIDED), ANY, "voided", "presides",
     "a narrator; what follows it is voided behind it, in the same commit"),
    ("withdraw", "withdraw", (_VOIDED,), ("declared",), "voided", "withdraws",
     "the roller, before anybody reacted or threw"),
    ("ask", "ask", (rolled.ThrowPlanned, rolled.ThrowAsked), LIVE, SAME, "asks",
     "a seat that may throw next, at level table; names the outstanding commitment"),
    ("open_share", "open_share", (rolled.ShareOpened, rolled.DiceRolled, rolled.DiceRerolled),
     LIVE, SAME, "asked", "a seat that was asked; the dice fall with the last share"),
    ("break_throw", "break_throw", (rolled.ThrowBroken,), LIVE, SAME, "breaks",
     "any seat, 10 seconds after the ask"),
    ("confirm", "confirm", (rolled.ThrowConfirmed,), ANY, SAME, "confirms",
     "another seat than typed the faces, once"),
    ("flavour", "flavour", (ruling.FlavourNamed,), (*ON_TABLE, *SETTLED), SAME, "narrates",
     "a narrator; words that a closed hand's dice spell"),
    ("fate", "fate", (ruling.FateDecided,), ("damaged",), SAME, "narrates",
     "a narrator, after damage"),
    ("reveal", "reveal", (rolled.RollRevealed,), (*ANY, "voided"), SAME, "reveals",
     "a hidden roll; a narrator, or the roller who alone sees it"),
    ("dispute", "dispute", (ruling.DisputeRaised,), ANY, SAME, "anyone",
     "any seat that may see it; a participant of a blind one"),
    ("rule", "rule", (ruling.RulingMade, _AMENDED, _VOIDED, rolled.DamageApplied,
     rolled.RollDeclared), ANY, SAME, "rules",
     "a narrator; a dispute that nobody decided; what is ruled is done behind it"),
)  # fmt: skip

ROWS = tuple(Row(*fields) for fields in TABLE)
"""Every transition there is."""


def target(row: Row, state: State) -> State:
    """The state in which a row leaves a roll that is in `state`."""
    return state if row.to == "=" else row.to


def checked(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows, if they are an automaton. Raises Defect, naming the row or the state that is wrong.

    Every state and trigger is one of those listed; each state can be reached from `new`; each one
    that is stored, but `voided`, has a way on; an event leaves a state for one other alone.
    """
    known = tuple(rows)
    for row in known:
        strange = {*row.sources, row.to} - {*STATES, SAME}
        if strange or row.trigger not in TRIGGERS:
            raise Defect(f"row {row.trigger} {row.command}: no such {strange or row.trigger!r}")
    arrows = {(state, target(row, state)) for row in known for state in row.sources}
    reached = set(STATES[:1])
    while more := {to for state, to in arrows if state in reached} - reached:
        reached |= more
    if lost := set(STATES) - reached:
        raise Defect(f"states that nothing leads to: {' '.join(sorted(lost))}")
    ways = {state for state, to in arrows if state != to}
    if stuck := set(STATES) - ways - {"voided"}:
        raise Defect(f"states that nothing leads out of: {' '.join(sorted(stuck))}")
    list(_by_event(known))
    return known


def _by_event(
    rows: Iterable[Row],
) -> Iterator[tuple[tuple[type[rolled.RollEventBase], State], State]]:
    """State and event, and the state after it. Raises Defect where two rows disagree.

    An event that is the first of no row leaves its roll where the first one took it.
    """
    known = tuple(rows)
    found: dict[tuple[type[rolled.RollEventBase], State], State] = {}
    first = {row.events[0] for row in known}
    for row in known:
        for state in row.sources:
            to: State = target(row, state)
            cells: list[tuple[type[rolled.RollEventBase], State]] = []
            cells.append((row.events[0], state))
            cells.extend([(event, to) for event in row.events[1:] if event not in first])
            for event, before in cells:
                if found.setdefault((event, before), to) != to:
                    led = found[event, before]
                    raise Defect(f"{event.__name__} leads from {before} to {led} and to {to}")
                yield (event, before), to


AFTER: Mapping[tuple[type, State], State] = MappingProxyType(dict(_by_event(checked(ROWS))))
"""The state in which an event leaves its roll, by the event's class and the state before."""


def after(event: object, state: State) -> State:
    """The state of a roll after one of its events; the same where the table has no such row."""
    return AFTER.get((type(event), state), state)


def state_named(name: object) -> State:
    """The state of this name, for anybody who expects one. Raises Refused("unknown").

    `new` is refused too: no roll that is stored is ever in it.
    """
    for state in STATES[1:]:
        if state == name:
            return state
    raise Refused("unknown", f"a roll has no state {name!r}", allowed=STATES[1:])
