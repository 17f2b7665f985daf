"""The roll's automaton: states, triggers and guards as one table, and one machine built from it.

Commands fire the machine. Replay never does: a trigger that moves has one state to move to, so the
state is that of the roll's last moving event (`urim.projections.rolls.MOVES`).
"""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct
from transitions import Machine

from ...errors import Refused
from ...projections.rollstate import LIVE, ON_TABLE
from .attempt import Attempt
from .guards import GUARDS
from .visibility import must_see

SETTLED = ("resolved", "damaged")
ANY = (*LIVE, *SETTLED)
UNTHROWN = ("declared", "reacted")
STATES = ("new", *ANY, "voided")
"""`new` comes before the first event and is never stored."""


class Transition(Struct, frozen=True):
    """From any of `sources`, `trigger` leads to `to` ("=" keeps the state) if `guard` allows it."""

    trigger: str
    sources: tuple[str, ...]
    to: str
    guard: str
    needs: str


def _rows(*rows: tuple[str, tuple[str, ...], str, str, str]) -> tuple[Transition, ...]:
    return tuple(Transition(*row) for row in rows)


TRANSITIONS = _rows(
    ("declare", ("new",), "declared", "owned", "a follower is offered by its parent"),
    ("veto", UNTHROWN, "=", "vetoes", "before the first throw"),
    ("replace", UNTHROWN, "=", "corrects", "before the first throw"),
    ("react", UNTHROWN, "reacted", "offered", "once a character"),
    ("roll", LIVE, "rolled", "offered", "a new hand; names the outstanding commitment"),
    ("freeze", ON_TABLE, "frozen", "offered", "the complete set; all dice = stand"),
    ("reroll", ON_TABLE, "rerolled", "offered", "none frozen; names the outstanding commitment"),
    ("adjust", ON_TABLE, "adjusted", "offered", "the complete set within its cost, or one choice"),
    ("resolve", ON_TABLE, "resolved", "offered", "nothing offered is due"),
    ("apply_damage", ("resolved",), "damaged", "offered", "no live roll follows; not hidden"),
    ("amend", LIVE, "=", "corrects", "the same dice for hands already thrown"),
    ("amend", SETTLED, "resolved", "corrects", "nothing becomes due; followers amended with it"),
    ("void", ANY, "voided", "presides", "followers voided first, in the same commit"),
    ("commit_nonce", LIVE, "=", "throws_next", "level table, once a throw"),
    ("witness", LIVE, "=", "asked", "once a throw"),
    ("pass_over", LIVE, "=", "passes_over", "the silent seats, once their time has run out"),
    ("report_withheld", LIVE, "=", "reports", "once a throw; the policy may void the roll with it"),
    ("confirm", ANY, "=", "confirms", "another seat than typed the faces, once"),
    ("flavour", (*ON_TABLE, *SETTLED), "=", "narrates", "words that a closed hand's dice spell"),
    ("fate", ("damaged",), "=", "narrates", "after damage"),
    ("reveal", (*ANY, "voided"), "=", "reveals", "a hidden roll"),
    ("dispute", (*ANY, "voided"), "=", "anyone", "any seat that may see it"),
    ("rule", (*ANY, "voided"), "=", "rules", "an open dispute"),
)
"""Every transition there is."""

TRIGGERS = tuple(dict.fromkeys(row.trigger for row in TRANSITIONS))

CELLS: Mapping[tuple[str, str], Transition] = MappingProxyType(
    {(state, row.trigger): row for row in TRANSITIONS for state in row.sources}
)
"""The compiled table: the transition of every legal pair of state and trigger."""


def build() -> Machine:
    """The machine of TRANSITIONS, without a model: it is fired on attempts it never registers."""
    return Machine(
        model=None,
        states=list(STATES),
        initial=None,
        auto_transitions=False,
        transitions=[
            {
                "trigger": row.trigger,
                "source": list(row.sources),
                "dest": row.to,
                "conditions": [GUARDS[row.guard]],
            }
            for row in TRANSITIONS
        ],
    )


MACHINE = build()


def triggers_of(state: str) -> tuple[str, ...]:
    """The triggers that a state knows, in the order of the table."""
    return tuple(trigger for trigger in TRIGGERS if (state, trigger) in CELLS)


def fire(attempt: Attempt) -> None:
    """Move the attempt's state, or refuse.

    Raises Refused("wrong-state") where the state does not know the trigger, "not-seen" where the
    seat may not know that, and whatever the guard refuses with.
    """
    trigger = attempt.trigger
    if (attempt.state, trigger) not in CELLS:
        if attempt.roll is not None:
            must_see(
                attempt.table, attempt.seat, attempt.roll, dice=False
            )  # its state is told to nobody else
        raise Refused(
            "wrong-state",
            f"{trigger} is not possible for {attempt.named} in state {attempt.state}",
            allowed=triggers_of(attempt.state),
        )
    MACHINE.events[trigger].trigger(attempt, attempt)


def markdown() -> str:
    """TRANSITIONS as a Markdown table, for the README."""
    rows = ["| trigger | from | to | guard |", "|---|---|---|---|"]
    for row in TRANSITIONS:
        sources = " ".join(row.sources)
        rows.append(f"| `{row.trigger}` | {sources} | {row.to} | {row.guard}: {row.needs} |")
    return "\n".join(rows) + "\n"


def mermaid() -> str:
    """TRANSITIONS as a Mermaid diagram, for the README, without triggers that keep the state.

    The states in which dice lie are one box: what leads out of all of them leads out of the box.
    """
    edges: dict[tuple[str, str], list[str]] = {}
    for row in TRANSITIONS:
        lying = set(ON_TABLE) <= set(row.sources)
        sources = [state for state in row.sources if not (lying and state in ON_TABLE)]
        for source in [*sources, *(["lying"] if lying else [])]:
            if row.to != "=":
                edges.setdefault((source, row.to), []).append(row.trigger)
    lines = ["stateDiagram-v2", "    state lying {", *(f"        {s}" for s in ON_TABLE), "    }"]
    for (source, to), triggers in edges.items():
        start = "[*]" if source == "new" else source
        lines.append(f"    {start} --> {to}: {', '.join(triggers)}")
    return "\n".join(lines) + "\n"
