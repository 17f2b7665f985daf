"""What each role may ask of a server: one matrix, and nothing beside it decides.

It stands before the engine, never in its place: a right to send commands leads to the guards, which
know the seat, its characters and the roll. A role without a right gets nothing decided at all.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from ...events.base import Role

AccessRole: TypeAlias = Role | Literal["auditor", "host"]
"""The roles of a table's seats; an auditor, who has no seat and sees what nobody in particular may;
and the host of the server, who has no seat either."""

Right: TypeAlias = Literal[
    "open-table",
    "list-tables",
    "health",
    "command",
    "erase",
    "sight",
    "follow",
    "bundle",
    "proofs",
    "invite",
    "invite-own",
    "revoke",
    "revoke-own",
    "holders",
]
"""What somebody may ask of a server."""

RIGHTS: Mapping[Right, str] = MappingProxyType(
    {
        "open-table": "open a table",
        "list-tables": "list all tables of the server",
        "health": "read the health of the server in detail, and its figures",
        "command": "send commands as its seat",
        "erase": "erase a text of the table that its seat may erase",
        "sight": "read the table as its seat sees it: state, moves, accounts, what waits for it",
        "follow": "subscribe to the table's commits as its seat sees them",
        "bundle": "read the table's bundle, as its seat sees it or as nobody in particular does",
        "proofs": "read signed heads and proofs",
        "invite": "invite others to the table, as far as INVITES says",
        "invite-own": "invite another client of its own to its own seat",
        "revoke": "take the way in from any seat, client or invitation of the table",
        "revoke-own": "give up its own way in, or that of its seat's other clients",
        "holders": "list who holds seats of the table, and its invitations",
    }
)
"""Every right, in words."""

ROLES: tuple[AccessRole, ...] = ("host", "narrator", "player", "witness", "auditor")
"""Every role, in the order of the matrix's columns."""

MATRIX: Mapping[Right, str] = MappingProxyType(
    {
        #               host   narrator   player   witness   auditor
        "open-table":  "yes    no         no       no        no",
        "list-tables": "yes    no         no       no        no",
        "health":      "yes    no         no       no        no",
        "command":     "no     yes        yes      yes       no",
        "erase":       "no     yes        yes      yes       no",
        "sight":       "no     yes        yes      yes       no",
        "follow":      "no     yes        yes      yes       no",
        "bundle":      "no     yes        yes      yes       yes",
        "proofs":      "no     yes        yes      yes       yes",
        "invite":      "yes    yes        no       no        no",
        "invite-own":  "no     yes        yes      yes       no",
        "revoke":      "yes    yes        no       no        no",
        "revoke-own":  "yes    yes        yes      yes       yes",
        "holders":     "yes    yes        no       no        no",
    }
)  # fmt: skip
"""Which role has which right.

The host runs the server and sees nothing of a table: for that it is invited like anybody. Which
commands a witness's or a player's seat may send is the engine's to decide. The rights of a seat are
for its own table; the host's are for every table (`protocol.Grant.permits`).
"""

INVITES: Mapping[AccessRole, tuple[AccessRole, ...]] = MappingProxyType(
    {
        "host": ("narrator", "auditor"),
        "narrator": ("narrator", "player", "witness", "auditor"),
        "player": (),
        "witness": (),
        "auditor": (),
    }
)
"""Whom each role may invite. Nobody invites a host: there is the host's link for that."""

_HELD = frozenset(
    (role, right)
    for right, row in MATRIX.items()
    for role, cell in zip(ROLES, row.split(), strict=True)
    if cell == "yes"
)


def allowed(role: AccessRole, right: Right) -> bool:
    """Whether the role has the right; False for a role or right that is not known."""
    return (role, right) in _HELD
