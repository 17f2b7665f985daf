"""What every store of access promises: who was invited, who came, and who may no longer.

Time is an argument everywhere, in milliseconds as a log's, and decides nothing but expiry: a clock
that goes back lets in again what had only expired, and never what was spent or revoked.

**One law of seats**: an invitation that others made leads to a seat only while nobody holds it. Who
holds it may invite further clients of its own; anybody else must revoke the seat first, and its
holder notices. Without it a narrator could come in as a player, beside them, unseen.

**An exchange may be repeated.** A client draws an id for each invitation, keeps it, and sends it
along. Where its answer was lost, the same id gets another token and spends no further use, until
one of the tokens was looked up once: from then on that one alone is good, and neither the link nor
the id is worth anything. A link that leaks after the use it was made for opens nothing.

**What is revoked stays revoked**: what came of it, what waits to be exchanged, and repetitions.
"""

from typing import TypeAlias

from msgspec import Struct

from ...errors import Refused
from ...events.throw import checked_seat, checked_table
from .rights import INVITES, AccessRole, Right, allowed
from .secret import Secret

SECOND = 1_000
"""Milliseconds."""

DAY = 86_400 * SECOND

# --- bounds ---------------------------------------------------------------------------------------


class Limits(Struct, frozen=True, kw_only=True):
    """How much of everything there may be; each is a whole number, and 1 or more.

    Raises Refused("out-of-range") for a number below 1.
    """

    invitations: int = 100
    """Invitations to a table that can still be exchanged. A table has 100 seats at most."""

    uses: int = 100
    """Uses of one invitation."""

    tokens: int = 16
    """Tokens of a seat that are good: clients at a seat. The host has as many."""

    auditors: int = 100
    """Tokens of a table's auditors that are good, all together."""

    hooks: int = 4
    """Hooks of a seat."""

    repeats: int = 5
    """Tokens of one exchange, while none of them has been used."""

    name: int = 60
    """Characters of an invitation's name."""

    invited: int = 366 * DAY
    """Milliseconds until an invitation expires, at most."""

    admitted: int = 366 * DAY
    """Milliseconds until a token expires."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 1:
                why = f"the limit `{name}` is {getattr(self, name)}"
                raise Refused("out-of-range", why, allowed=["1 or more"])


DEFAULT = Limits()
"""The limits of a store that is given no others."""


def over(limit: str, most: int, has: str) -> Refused:
    """The refusal of what would go beyond a limit, by its name."""
    why = f"{has}; the limit `{limit}` is {most}"
    return Refused("over-budget", why, allowed=["after revoking one", "after one has expired"])


# --- what is asked and answered -------------------------------------------------------------------


class Inviting(Struct, frozen=True, kw_only=True):
    """An invitation to be made.

    `seat` None leads to a new seat with each use, of a name that the store draws; for an auditor,
    to none. `by` is the role of who invites, `by_seat` the seat, None where it has none. `expires`
    is the time from which it is no longer good. `name` is a note for lists, as for whom it is.

    Raises Refused("malformed") for an id not of its form or a seat for an auditor,
    Refused("out-of-range") for uses below 1, and Refused("not-yours") for a role that `by` may not
    invite. Further clients of one's own seat, by `by_seat` == `seat`, need the right `invite-own`.
    """

    table: str
    role: AccessRole
    seat: str | None = None
    by: AccessRole
    by_seat: str | None = None
    expires: int
    uses: int = 1
    name: str = ""

    @property
    def own(self) -> bool:
        """Whether a seat invites another client of its own."""
        return self.seat is not None and self.seat == self.by_seat and self.role == self.by

    def __post_init__(self) -> None:
        checked_table(self.table)
        for seat in (self.seat, self.by_seat):
            if seat is not None:
                checked_seat(seat)
        if self.role == "auditor" and self.seat is not None:
            raise Refused("malformed", "an auditor has no seat", allowed=["no seat"])
        if not self.name.isprintable():
            why = "the invitation's name has a character that cannot be printed"
            raise Refused("malformed", why, allowed=["one line of text"])
        if self.uses < 1:
            raise Refused("out-of-range", f"uses are {self.uses}", allowed=["1 or more"])
        if self.own and allowed(self.by, "invite-own"):
            return
        if not (allowed(self.by, "invite") and self.role in INVITES[self.by]):
            why = f"a {self.by} may not invite a {self.role}"
            raise Refused("not-yours", why, allowed=INVITES.get(self.by, ()))
        if self.seat is not None and self.uses > 1:
            why = f"seat {self.seat!r} is invited to by others once, not {self.uses} times"
            raise Refused("out-of-range", why, allowed=["1 use", "no seat: a new one each time"])


class Invitation(Struct, frozen=True, kw_only=True):
    """An invitation that can still be exchanged, as a list shows it: its secret is nowhere.

    `id` is no secret; `left` is how many uses it has.
    """

    id: str
    table: str
    role: AccessRole
    seat: str | None
    by: AccessRole
    by_seat: str | None
    expires: int
    left: int
    name: str


class Issued(Struct, frozen=True):
    """An invitation as it was made, with its secret: the only time that it can be read."""

    secret: Secret
    invitation: Invitation


class Grant(Struct, frozen=True, kw_only=True):
    """What a good token stands for. `id` names the token and is no secret.

    `table` is None for the host alone; `seat` is None for the host and for auditors. From `expires`
    on it is no longer good: a server closes its sockets then.
    """

    id: str
    table: str | None
    seat: str | None
    role: AccessRole
    expires: int

    def permits(self, right: Right, table: str | None = None) -> bool:
        """Whether it has the right, at that table where the right is about one.

        For a table that is not its own, whether or not that exists: False.
        """
        here = self.role == "host" or (table is not None and table == self.table)
        return here and allowed(self.role, right)

    def inviting(
        self,
        table: str,
        role: AccessRole,
        *,
        seat: str | None = None,
        expires: int,
        uses: int = 1,
        name: str = "",
    ) -> Inviting:
        """What its holder asks for; nobody invites in another's name. Raises Refused as `Inviting`.

        And Refused("not-yours") for a table that is not its own.
        """
        if not (self.role == "host" or table == self.table):
            raise Refused("not-yours", "nobody invites to a table where they are not")
        return Inviting(
            table=table,
            role=role,
            seat=seat,
            by=self.role,
            by_seat=self.seat,
            expires=expires,
            uses=uses,
            name=name,
        )


class Admitted(Struct, frozen=True):
    """The answer to an exchange: a bearer token, and what it stands for.

    `request` is the request id under which the server has the seat taken where the table does not
    have it yet; it is the same when the exchange is repeated. `by_seat` is the seat that invited,
    None for the host: the server has the seat taken in its name.
    """

    token: Secret
    grant: Grant
    request: str
    by_seat: str | None


Ended: TypeAlias = frozenset[str]
"""Ids of tokens that are no longer good."""
