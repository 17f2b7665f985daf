"""What a seat asks for: every command, as the very bytes that came, and previews of them."""

from litestar import Response, post
from msgspec import Raw
from msgspec.json import Decoder

from ....errors import Refused
from ....events.line import entry_line
from ...core.parse import read_command
from ...core.refusal import as_refusal
from ...core.request import FORM, WireRequest
from ...wire.bodies import DoneBody, PreviewBody
from ..admission.denied import Denied
from ..asker import Asker, asker_of
from ..http.incoming import AnyRequest, InPath, as_form, body_of, language_of, parameters
from ..http.problems import RefusedWithMoves
from ..http.replies import answered
from ..requests import do, moves_instead
from ..running import running_of

_requests: Decoder[WireRequest] = Decoder(WireRequest)
_previews: Decoder[PreviewBody] = Decoder(PreviewBody)


# --- requests -------------------------------------------------------------------------------------


@post("/tables/{table:str}/requests", status_code=200)
async def requests(request: AnyRequest, table: InPath) -> Response[bytes]:
    """Do what a seat asks. The same request id and body are answered again, and done once."""
    asker = await asker_of(request, "command", table)
    parameters(request)
    data = await body_of(request)
    not_too_fast(request, asker)
    name = _name_of(data)
    try:
        done = await do(asker, data)
    except Refused as refused:
        raise RefusedWithMoves(refused, await moves_instead(asker, refused, data)) from refused
    return answered(
        DoneBody(
            request=name,
            seqs=done.seqs,
            size=done.size,
            head=None if done.head is None else done.head.decode("utf-8"),
            entries=tuple(Raw(entry_line(entry)) for entry in done.entries),
        )
    )


def not_too_fast(request: AnyRequest, asker: Asker) -> None:
    """Count a request of the seat's. Raises Denied("too-fast") with when the next one may come."""
    wait = running_of(request).buckets.take(asker.table, asker.seat)
    if wait:
        raise Denied("too-fast", retry_after=wait)


def _name_of(data: bytes) -> str:
    """The request's id; empty for what is no request, which the service refuses better.

    Raises Refused("malformed") for a request without one: it could not be sent again.
    """
    try:
        found = _requests.decode(data).request
    except (ValueError, RecursionError):
        return ""
    if found is None:
        raise Refused("malformed", "`request` is missing: the request has no id", allowed=[FORM])
    return found


# --- previews -------------------------------------------------------------------------------------


@post("/tables/{table:str}/preview", status_code=200)
async def preview(request: AnyRequest, table: InPath) -> Response[bytes]:
    """What a command would lead to, as far as the seat may see: nothing is thrown or kept.

    That it would be refused is such an answer too.
    """
    asker = await asker_of(request, "command", table)
    language = language_of(parameters(request, "language"))
    data = await body_of(request)
    not_too_fast(request, asker)
    body = as_form(data, _previews).body.encode("utf-8")
    command = read_command(body)
    try:
        return answered(await asker.front.preview(table, asker.seat, command, language=language))
    except Refused as error:
        return answered(as_refusal(error))


HANDLERS = (requests, preview)
