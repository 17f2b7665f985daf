"""Where a seat wants to be told what happens: addresses that are called, which only it may see."""

from litestar import Response, delete, get, post
from msgspec.json import Decoder
from msgspec.structs import replace

from ....errors import Refused
from ....events.strict import MOST
from ...access.hooks import Hook, new_hook
from ...access.protocol import Grant
from ...wire.bodies import CallBody, CalledBody, HookBody, HookMadeBody, HooksBody, HookShown
from ..admission.auth import granted
from ..admission.denied import Denied
from ..asker import Asker
from ..hooks.messages import tested, written
from ..hooks.reach import target_of
from ..http.incoming import SHOWN, AnyRequest, InPath, parameters
from ..http.replies import answered
from ..running import Running, running_of
from .access import read_body
from .commands import not_too_fast

_hooks = Decoder(HookBody)
_calls = Decoder(CallBody)


async def _listed(running: Running, table: str, seat: str) -> HooksBody:
    found = await running.access.hooks(table, None, running.now())
    told: dict[str, int | None] = {}
    for each in found:
        told[each.seat] = max(told.get(each.seat) or 0, each.told or 0) or None
    own = tuple(_shown(each, running) for each in found if each.seat == seat)
    return HooksBody(hooks=own, told=told)


def _shown(hook: Hook, running: Running) -> HookShown:
    """A hook without what is secret of it: of its address the host alone."""
    try:
        host = target_of(hook.url.reveal(), running.config.calls).authority
    except Refused:
        host = ""  # the settings were others when it was made
    return HookShown(
        id=hook.id,
        host=host,
        form=hook.form,
        view=hook.view,
        told=hook.told,
        failing=hook.failing,
        why=hook.why,
        over=hook.over,
    )


async def _seated(request: AnyRequest, table: str) -> tuple[Running, Grant, str]:
    """The server, and whose hooks are asked for: who may follow the table has a seat."""
    grant = await granted(request, "follow", table)
    running, seat = running_of(request), grant.seat or ""
    not_too_fast(request, Asker(running.front, table, seat))
    return running, grant, seat


@get("/tables/{table:str}/hooks")
async def hooks(request: AnyRequest, table: InPath) -> Response[bytes]:
    """The hooks of my seat."""
    running, _, seat = await _seated(request, table)
    parameters(request)
    return answered(await _listed(running, table, seat))


@post("/tables/{table:str}/hooks", status_code=201)
async def make_hook(request: AnyRequest, table: InPath) -> Response[bytes]:
    """Leave an address to be called at; its secret is shown this once."""
    running, grant, seat = await _seated(request, table)
    asked = await read_body(request, _hooks)
    target_of(asked.url, running.config.calls)
    size = (await running.front.news(table, seat, MOST)).size
    made = new_hook(
        table, seat, grant.id, url=asked.url, position=size, form=asked.form, view=asked.view
    )
    await running.access.add_hook(made, running.now())
    running.hooked.ring()
    return answered(HookMadeBody(secret=made.secret.reveal(), hook=_shown(made, running)), 201)


@delete("/tables/{table:str}/hooks/{id:str}", status_code=200)
async def end_hook(request: AnyRequest, table: InPath, id: InPath) -> Response[bytes]:
    """Take a hook of my seat away."""
    running, _, seat = await _seated(request, table)
    parameters(request)
    await running.access.remove_hook(table, seat, id)
    running.hooked.ring()
    return answered(await _listed(running, table, seat))


@post("/tables/{table:str}/hooks/test", status_code=200)
async def test_hook(request: AnyRequest, table: InPath) -> Response[bytes]:
    """Call one hook now, with a message that tells nothing, and say what was answered.

    One that was given up goes on from here where that was good: what it was not told is not told.
    """
    running, _, seat = await _seated(request, table)
    asked = await read_body(request, _calls)
    wait = running.tests.take(table, seat)
    if wait:
        raise Denied("too-fast", "too many test calls of this seat", retry_after=wait)
    found = await running.access.hooks(table, seat, running.now())
    hook = next((each for each in found if each.id == asked.hook), None)
    if hook is None:
        allowed = [each.id for each in found]
        raise Refused("unknown", f"no hook {asked.hook[:SHOWN]!r} of this seat", allowed=allowed)
    news = await running.front.news(table, seat, MOST)
    message = tested(hook, news.name, running.now())
    async with running.caller.room:
        answer = await running.caller.call(
            hook.url.reveal(), *written(hook, message, running.now())
        )
    if answer.good and hook.failing is not None:
        await _go_on(running, hook, news.size)
    return answered(CalledBody(status=answer.status, why=answer.why))


async def _go_on(running: Running, hook: Hook, size: int) -> None:
    """Let a hook that failed be called again at once."""
    now = running.now()
    claimed = await running.access.claim_hook(hook.id, hook.id, now, now + 1)
    if claimed is not None:
        again = claimed.answered(now)
        if claimed.over:
            again = replace(again, position=size, waits=())
        await running.access.keep_hook(again, hook.id, 0)
        running.hooked.ring()


HANDLERS = (hooks, make_hook, end_hook, test_hook)
