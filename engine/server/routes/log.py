"""The table's log as the seat may have it: entries after one of them, and bundles."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from litestar import get
from litestar.response import Stream

from ....events.log.protocol import CaughtUp
from ...service.feed import Commit
from ..admission.denied import Denied
from ..asker import Asker, asker_of
from ..http.incoming import AnyRequest, InPath, number, parameters, roll_number
from ..http.replies import streamed
from ..sizes import size_of

SIZE = "Urim-Size"
"""The header with the table's size after the entries that are sent."""


@get("/tables/{table:str}/entries")
async def entries(request: AnyRequest, table: InPath) -> Stream:
    """The entries after one, as the seat may have them, and older ones that it may now or no more.

    Each is a line. A line that comes with an older sequence takes the place of the one before.
    """
    asker = await asker_of(request, "follow", table)
    after = number(parameters(request, "after").get("after", "-1"), "after", least=-1)
    head = await asker.front.head(table)
    size = await size_of(asker, head)
    if after >= size:
        raise Denied("forked", head=head)
    lines = _lines(asker, after, size)
    return await streamed(request, lines, {SIZE: str(size)})


async def _lines(asker: Asker, after: int, size: int) -> AsyncGenerator[bytes, None]:
    """The lines of every commit after an entry up to that size, with what they changed."""
    async with aclosing(asker.front.subscribe(asker.table, asker.seat, after)) as messages:
        async for message in messages:
            if isinstance(message, Commit) and message.size <= size:
                yield b"".join((*message.changed, *message.entries))
            if isinstance(message, CaughtUp) or getattr(message, "size", 0) >= size:
                return


@get("/tables/{table:str}/bundle")
async def bundle(request: AnyRequest, table: InPath) -> Stream:
    """The table's bundle, or that of one roll, as the seat may have it: what anybody can audit."""
    asker = await asker_of(request, "bundle", table)
    wanted = parameters(request, "roll").get("roll")
    roll = None if wanted is None else roll_number(wanted)
    return await streamed(request, await asker.front.bundle(table, asker.seat, roll))


HANDLERS = (entries, bundle)
