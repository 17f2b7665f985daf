"""Hooks: addresses that a seat has left to be called at, and how far each of them was told.

A hook belongs to the token that it was made with: whatever ends that token ends the hook. Its
address and its secret are kept as they are, since both are needed for a call.
"""

import secrets
from base64 import b64encode
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .secret import Secret

Form: TypeAlias = Literal["standard", "content"]
"""What is sent: as Standard Webhooks has it, or a text alone, as chats take it."""

View: TypeAlias = Literal["seat", "table"]
"""Whose view is told: the seat's own, or that of everybody, as for a room that all may read."""

SIGNING = "whsec_"
"""How a secret that signs calls begins, before its base64."""

BYTES = 32


class Wait(Struct, frozen=True, array_like=True):
    """What waits for the seat, by a name; since the table had `since` entries, the last one `at`.

    `told` once a call of it was answered.
    """

    key: str
    since: int
    at: int
    told: bool


class Hook(Struct, frozen=True, kw_only=True):
    """A hook of a seat at a table, and what was told: entries before `position`, and `waits`.

    `told` is when a call was answered last; `failing` since when none was, with `why`; it is `over`
    once it was given up. Times are in milliseconds since 1970.
    """

    id: str
    table: str
    seat: str
    token: str
    url: Secret
    form: Form
    view: View
    secret: Secret
    position: int
    waits: tuple[Wait, ...] = ()
    told: int | None = None
    failing: int | None = None
    why: str = ""
    over: bool = False

    def answered(self, now: int) -> "Hook":
        """After a call that was answered."""
        return replace(self, told=now, failing=None, why="", over=False)

    def failed(self, now: int, why: str, longest: int) -> "Hook":
        """After one that was not; given up where none was for `longest` milliseconds."""
        since = now if self.failing is None else self.failing
        return replace(self, failing=since, why=why, over=self.over or now - since >= longest)


def new_hook(
    table: str,
    seat: str,
    token: str,
    *,
    url: str,
    position: int,
    form: Form = "standard",
    view: View = "seat",
) -> Hook:
    """A hook that was told nothing yet, with a secret of its own."""
    secret = SIGNING + b64encode(secrets.token_bytes(BYTES)).decode("ascii")
    return Hook(
        id=secrets.token_hex(8),
        table=table,
        seat=seat,
        token=token,
        url=Secret(url),
        form=form,
        view=view,
        secret=Secret(secret),
        position=position,
    )
