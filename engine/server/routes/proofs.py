"""What the table's keeper signed, and proofs under it."""

from litestar import Response, get

from ...service.proofs import Proved
from ...wire.bodies import ProofBody
from ..asker import asker_of
from ..http.incoming import AnyRequest, InPath, number, parameters
from ..http.replies import TEXT, answered
from ..sizes import covered


@get("/tables/{table:str}/checkpoint")
async def checkpoint(request: AnyRequest, table: InPath) -> Response[bytes]:
    """The table's head as it is now: a signed note, as docs/bundle.md has it."""
    asker = await asker_of(request, "proofs", table)
    parameters(request)
    return Response(await asker.front.checkpoint(table), media_type=TEXT)


@get("/tables/{table:str}/proofs/inclusion/{seq:str}")
async def inclusion(request: AnyRequest, table: InPath, seq: InPath) -> Response[bytes]:
    """A signed head, and what proves that an entry is under its root."""
    asker = await asker_of(request, "proofs", table)
    parameters(request)
    wanted = number(seq, "seq")
    return answered(_body(await asker.front.inclusion(table, wanted), seq=wanted))


@get("/tables/{table:str}/proofs/consistency/{size:str}")
async def consistency(request: AnyRequest, table: InPath, size: InPath) -> Response[bytes]:
    """A signed head, and what proves that its log begins with the log of a smaller size."""
    asker = await asker_of(request, "proofs", table)
    parameters(request)
    wanted = number(size, "size")
    return answered(_body(await asker.front.consistency(table, wanted), since=wanted))


def _body(proved: Proved, *, seq: int | None = None, since: int | None = None) -> ProofBody:
    return ProofBody(
        size=covered(proved.note),
        head=proved.note.decode("utf-8"),
        hashes=tuple(each.hex() for each in proved.proof),
        seq=seq,
        since=since,
    )


HANDLERS = (checkpoint, inclusion, consistency)
