"""What a server may ask of a service: for one seat each time, and never a whole table."""

from collections.abc import AsyncIterator
from typing import Protocol, Unpack

from ...errors import Damaged
from ...events.base import Role
from ...events.entry import Entry
from ...events.log.bell import Bell
from ...projections.account import Account
from ...rules.ruleset import Rollable
from ...rules.words import ENGLISH
from ..core.choices import Choice
from ..core.commands import AnyCommand, Asking, OpenTable
from ..core.moves import Move, RollMoves
from ..core.odds import Question
from ..core.preview import Preview
from ..core.sight import Sight
from ..service.feed import Subscription
from ..service.news import News
from ..service.proofs import Proved
from ..service.reading import Answering, Given, Rolls, Waiting
from ..service.receipts import Receipt


class Front(Protocol):
    """`urim.engine.service.Service`, without what is for the host alone. It says what each does."""

    async def open_table(
        self, seat: str, command: OpenTable, request: str | None = None
    ) -> tuple[Entry, ...]: ...

    async def submit(
        self, table: str, seat: str, command: Asking, request: str | None = None
    ) -> tuple[Entry, ...]: ...

    async def submit_request(self, table: str, seat: str, data: bytes) -> tuple[Entry, ...]: ...

    async def view(self, table: str, seat: str) -> tuple[Entry, ...]: ...

    async def sight(
        self, table: str, seat: str, *, language: str = ENGLISH, rolls: Rolls = None
    ) -> Sight: ...

    async def rolls(self, table: str, seat: str) -> tuple[int, ...]: ...

    async def legal_moves(
        self, table: str, seat: str, *, language: str = ENGLISH, rolls: Rolls = None
    ) -> tuple[RollMoves, ...]: ...

    async def moves(
        self, table: str, seat: str, roll: int, *, language: str = ENGLISH
    ) -> tuple[Move, ...]: ...

    async def waiting(
        self, table: str, seat: str, *, language: str = ENGLISH, size: int | None = None
    ) -> Waiting: ...

    async def news(self, table: str, seat: str, after: int, *, everybody: bool = False) -> News: ...

    def bell(self, table: str) -> Bell: ...

    async def preview(
        self, table: str, seat: str, command: AnyCommand, *, language: str = ENGLISH
    ) -> Preview: ...

    async def choices(
        self, table: str, seat: str, character: str, field: str, **given: Unpack[Given]
    ) -> tuple[Choice, ...]: ...

    async def rollables(
        self, table: str, seat: str, character: str, **given: Unpack[Answering]
    ) -> tuple[Rollable, ...]: ...

    async def account(
        self, table: str, seat: str, roll: int, *, language: str = ENGLISH
    ) -> Account: ...

    async def question(self, table: str, seat: str, roll: int) -> Question: ...

    async def bundle(
        self, table: str, seat: str, roll: int | None = None
    ) -> AsyncIterator[bytes]: ...

    async def link(self, table: str, roll: int) -> str | None: ...

    async def receipt(self, table: str, roll: int, pinned: str | None = None) -> Receipt: ...

    def subscribe(self, table: str, seat: str, after: int = -1) -> Subscription: ...

    def present(self, table: str) -> tuple[str, ...]: ...

    async def head(self, table: str) -> bytes | None: ...

    async def checkpoint(self, table: str) -> bytes: ...

    async def inclusion(self, table: str, seq: int) -> Proved: ...

    async def consistency(self, table: str, old_size: int) -> Proved: ...

    async def key(self, table: str) -> str: ...

    async def seated(self, table: str) -> dict[str, Role]: ...

    async def tables(self) -> tuple[str, ...]: ...

    async def damaged(self) -> dict[str, Damaged]: ...
