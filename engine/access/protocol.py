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

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Protocol, TypeAlias

from msgspec import Struct

from ...errors import Refused
from ...events.throw import checked_seat, checked_table
from .hooks import Hook
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


class AccessStore(Protocol):
    """Grants, kept. Any number of tasks of one event loop may use it at once.

    Every method but `follow` raises Unavailable where the store cannot be read or written now, and
    Damaged where it is not whole; `now` is in milliseconds. Nothing logs a secret or its hash, and
    no error shows one.
    """

    async def invite(self, inviting: Inviting, now: int) -> Issued:
        """Make an invitation.

        Raises Refused("taken") where others hold the seat (the law above), "out-of-range" for an
        expiry that is not after `now`, or too far, "too-long" for a name, and "over-budget", naming
        the limit, for more uses or open invitations than the limits have.
        """
        ...

    async def host_link(self, now: int, *, new: bool = False) -> Secret | None:
        """The host's link, when it is made: None where there is one already.

        It is exchanged once, as an invitation is, and does not expire. A `new` one revokes the old
        one and every token that came of it. Who lost a link before it was printed makes a new one.
        """
        ...

    async def next_host_link(self, now: int) -> Secret:
        """Another host's link in the place of the last one, which opens nothing any more.

        Who came by an earlier one stays in: but where the host has as many tokens as it may,
        the oldest is revoked, so that this link can always be exchanged.
        """
        ...

    async def exchange(self, secret: str, client: str, now: int) -> Admitted | None:
        """Exchange an invitation, or the host's link, for a bearer token; a use is spent with it.

        None, in as far as can be the same time, for a secret that is unknown, expired, revoked or
        spent, or leads to a seat that others hold: nothing says which. The same `client` may repeat
        it (see above). If it is cancelled it may be done all the same: repeat it. Raises
        Refused("malformed") for a client id not of its form, and "over-budget", naming the limit,
        where the seat has as many tokens as it may; then no use is spent.
        """
        ...

    async def invitation(self, secret: str, now: int) -> Invitation | None:
        """The invitation of a secret, as a list shows it; nothing is spent.

        None, in as far as can be the same time, for what a new client could not exchange now, and
        for the host's link.
        """
        ...

    async def lookup(self, token: str, now: int) -> Grant | None:
        """What a bearer token stands for; None for an unknown, wrong, expired or revoked one alike.

        The first time it is looked up, the other tokens of its exchange are revoked.
        """
        ...

    async def invitations(self, table: str, now: int) -> tuple[Invitation, ...]:
        """The invitations to a table that can still be exchanged, oldest first."""
        ...

    async def holders(self, table: str, now: int) -> tuple[Grant, ...]:
        """The good tokens of a table, oldest first: who could come in."""
        ...

    async def revoke_token(self, table: str | None, id: str) -> int:
        """Revoke one token of a table, or of the host (None); how many were good until now.

        0 for one that is not known, of another table, or revoked before; so for all of these. Who
        may revoke its own alone (`revoke-own`) is held to `holders` of its seat by the server.
        """
        ...

    async def revoke_seat(self, table: str, seat: str) -> int:
        """Revoke the tokens of a seat, the open invitations to it, and those it made to others.

        What came of these before stays, and so does an invitation to new seats by which the seat
        came: revoke that too. A seat that leaves its table is not revoked by that: the server does
        it where it wants to, and until then the token may ask for what the engine lets it.
        """
        ...

    async def revoke_table(self, table: str) -> int:
        """Revoke all tokens of a table and all its invitations."""
        ...

    async def revoke_invitation(self, table: str, id: str) -> int:
        """Revoke an invitation to a table with every token that came of it."""
        ...

    def follow(
        self, held: Callable[[], Iterable[str]], *, every: float = 0.5
    ) -> AsyncGenerator[Ended, None]:
        """Of the tokens held at the time (`Grant.id`), those revoked, by any process.

        `held` is asked again whenever something may have changed, and every `every` seconds. So a
        token that was revoked between its lookup and the moment it is held is found too, and one
        that is still held is given again. Expiry is not: it needs a clock. Ends when the store is
        closed; close it with `aclosing`. Who holds sockets must close them all where it raises.
        """
        ...

    async def add_hook(self, hook: Hook, now: int) -> None:
        """Keep a new hook of a seat. Raises Refused("over-budget") where the seat has too many."""
        ...

    async def hooks(self, table: str, seat: str | None, now: int) -> tuple[Hook, ...]:
        """The hooks of a seat (None: of all seats), oldest first, those that were given up too.

        Here and below a hook is there only as long as the token is good that it was made with.
        """
        ...

    async def live_hooks(self, now: int) -> tuple[Hook, ...]:
        """Every hook of every table that was not given up."""
        ...

    async def hook(self, id: str, now: int) -> Hook | None:
        """One hook as it is now."""
        ...

    async def remove_hook(self, table: str, seat: str, id: str) -> int:
        """Take a hook of a seat away; how many were there."""
        ...

    async def claim_hook(self, id: str, holder: str, now: int, until: int) -> Hook | None:
        """Have a hook as the one that calls, until then; None where another one has it still."""
        ...

    async def keep_hook(self, hook: Hook, holder: str, until: int) -> bool:
        """Keep what was told and what failed, and have the hook until then; 0 gives it back.

        False where another one has it by now: then nothing was kept.
        """
        ...

    async def purge(self, now: int) -> int:
        """Forget what expired, was revoked, or is spent with nothing left of it; how many rows.

        With it go the invitations' names. A clock that is far ahead purges what it should not.
        """
        ...

    async def close(self) -> None:
        """Release everything held; followers end. Any other call after it raises Defect."""
        ...
