"""What a client asks over HTTP: the exchange of a link, and what a host does."""

import asyncio
import secrets
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from msgspec import DecodeError, ValidationError
from msgspec.json import decode, encode

from ...errors import CODES, Damaged, Unavailable, UrimError
from ...events.base import Level
from ..access.protocol import Grant, Invitation
from ..access.rights import AccessRole
from ..wire.bodies import (
    WEEK,
    Exchange,
    Exchanged,
    HoldersBody,
    InvitationsBody,
    InviteBody,
    InvitedBody,
    OpenTableBody,
    RevokedBody,
    TableOpenedBody,
    TablesBody,
)
from ..wire.problems import Problem
from .errors import NotAdmitted, refusal
from .link import Link, checked_url, read_link
from .manners import DEFAULT, Manners

T = TypeVar("T")

UNAUTHORIZED, TOO_MANY, SERVER = 401, 429, 500

TIMEOUT = 20.0
"""Seconds for one request."""


def http_client() -> httpx.AsyncClient:
    """What sends requests: it follows no redirect, which could lead a token elsewhere."""
    return httpx.AsyncClient(timeout=TIMEOUT, follow_redirects=False)


async def send(
    http: httpx.AsyncClient, kind: type[T], method: str, url: str, body: Any = None, token: str = ""
) -> T:
    """One request, and its answer as that Struct.

    Raises NotAdmitted for 401; Refused, with the code of the problem, where it has one of ours;
    Unavailable where nobody answers, or not now; Damaged for an answer that is none.
    """
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    content = None if body is None else encode(body)
    try:
        answer = await http.request(method, url, content=content, headers=headers)
    except httpx.HTTPError as error:
        raise Unavailable(f"no answer: {type(error).__name__}: {error}".rstrip(": ")) from error
    if not answer.is_success:
        raise problem(answer)
    try:
        return decode(answer.content, type=kind)
    except (DecodeError, ValidationError) as error:
        raise Damaged(f"the server's answer cannot be read: {error}") from error


def problem(answer: httpx.Response) -> UrimError:
    """The error that an answer other than success means."""
    try:
        found = decode(answer.content, type=Problem)
    except (DecodeError, ValidationError):
        found = Problem(type="", title="", status=answer.status_code, code="", why="")
    why = found.why or f"the server answers {answer.status_code}"
    if answer.status_code == UNAUTHORIZED:
        return NotAdmitted(why)
    if answer.status_code == TOO_MANY and found.code not in CODES:
        return Unavailable(why)
    if answer.status_code >= SERVER:
        return Unavailable(why)
    return refusal(found.code, why, found.allowed, found.left_out)


async def exchange(link: Link, client: str, manners: Manners = DEFAULT) -> Exchanged:
    """Exchange a link's secret, again and again under one client id until it is answered.

    Raises Unavailable once `patience` is spent, and NotAdmitted for a link that is not good.
    """
    body = Exchange(secret=link.secret, client=client)
    attempt, trouble = 0, Unavailable("there was no time to ask")
    async with http_client() as http:
        try:
            async with asyncio.timeout(manners.patience):
                while True:
                    try:
                        return await send(
                            http, Exchanged, "POST", f"{link.url}/access/exchange", body
                        )
                    except Unavailable as error:
                        trouble = error
                    await asyncio.sleep(manners.delay(attempt))
                    attempt += 1
        except TimeoutError as error:
            raise trouble from error


def draw_client() -> str:
    """An id for one exchange: 192 bits, as hard to guess as a secret."""
    return secrets.token_urlsafe(24)


class Host:
    """What a host asks of a server over HTTP; at its own table a narrator may ask most of it too.

    `token` is a bearer token, or a link, which is exchanged at the beginning: keep `token` then; a
    link is good once. Every method raises as `Client` does: NotAdmitted, Refused, Unavailable.
    """

    def __init__(self, url: str, token: str, manners: Manners = DEFAULT) -> None:
        self.url = checked_url(url.partition("#")[0])
        self.token = token
        self._manners = manners
        self._http = http_client()

    async def __aenter__(self) -> Self:
        if "#" in self.token:
            link = read_link(self.token)
            self.token = (await exchange(link, draw_client(), self._manners)).token
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connections."""
        await self._http.aclose()

    # --- tables -----------------------------------------------------------------------------------

    async def tables(self) -> tuple[str, ...]:
        """The ids of the server's tables: the host's to ask."""
        return (await self._ask(TablesBody, "GET", "/tables")).tables

    async def open_table(
        self,
        table: str,
        ruleset: str,
        *,
        options: Mapping[str, Any] | None = None,
        source: str = "fair",
        level: Level = "player",
        one_machine: bool = False,
        narrator: str = "narrator",
        request: str | None = None,
    ) -> str:
        """Open a table, the host's to ask: the link that leads to its first narrator's seat.

        Raises Refused("taken") for a table that is there, unless under the same `request`.
        """
        body = OpenTableBody(
            table=table,
            ruleset=ruleset,
            options=dict(options or {}),
            source=source,
            level=level,
            one_machine=one_machine,
            narrator=narrator,
            request=request or draw_client(),
        )
        opened = await self._ask(TableOpenedBody, "POST", "/tables", body)
        return Link(self.url, opened.invitation).text

    # --- who comes in -----------------------------------------------------------------------------

    async def invite(
        self,
        table: str,
        role: AccessRole = "player",
        seat: str | None = None,
        *,
        uses: int = 1,
        seconds: int = WEEK,
        name: str = "",
    ) -> str:
        """A link that leads to a seat of a table, to a new one with each use where none is named.

        The host invites narrators and auditors, a narrator anybody, anybody a further client of
        their own. `seconds` is how long it is good.
        """
        body = InviteBody(role=role, seat=seat, uses=uses, seconds=seconds, name=name)
        path = f"/tables/{table}/invitations"
        return Link(self.url, (await self._ask(InvitedBody, "POST", path, body)).secret).text

    async def invitations(self, table: str) -> tuple[Invitation, ...]:
        """The invitations that can still be exchanged, oldest first."""
        path = f"/tables/{table}/invitations"
        return (await self._ask(InvitationsBody, "GET", path)).invitations

    async def holders(self, table: str) -> tuple[Grant, ...]:
        """Who could come in, oldest first."""
        return (await self._ask(HoldersBody, "GET", f"/tables/{table}/holders")).holders

    async def revoke_invitation(self, table: str, invitation: str) -> int:
        """Revoke an invitation, and all that came of it; how many were good until now."""
        return await self._revoke(f"/tables/{table}/invitations/{invitation}")

    async def revoke_holder(self, table: str, holder: str) -> int:
        """Revoke one token by its id (`Grant.id`); how many were good until now."""
        return await self._revoke(f"/tables/{table}/holders/{holder}")

    async def revoke_seat(self, table: str, seat: str) -> int:
        """Revoke all tokens of a seat, and the invitations to it; how many were good until now."""
        return await self._revoke(f"/tables/{table}/seats/{seat}/holders")

    async def _revoke(self, path: str) -> int:
        return (await self._ask(RevokedBody, "DELETE", path)).revoked

    async def _ask(self, kind: type[T], method: str, path: str, body: Any = None) -> T:
        return await send(self._http, kind, method, f"{self.url}{path}", body, self.token)
