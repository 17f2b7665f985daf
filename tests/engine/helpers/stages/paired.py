"""Two tables of a pair, each played over a server, and what their onlookers are given meanwhile.

The pair is made first, in memory; then a real server is asked the same. Its clock and its salts are
the pair's, so what it sends differs in digests alone where it differs at all.
"""

import asyncio
import io
import json
import logging
import re
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from tests.engine.helpers.stages.server import Served, bearer
from tests.engine.helpers.stages.sockets import Client, entered
from tests.pairs.compare import DIGEST, SIGNED, onlookers, probes
from tests.pairs.play import STRANGER, TABLE, Pair, table_of
from urim.engine.access.hooks import Hook, View, new_hook
from urim.engine.core import commands as c
from urim.engine.core.commands import Asking, apart
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.logs import configure
from urim.engine.server.hooks.messages import messages, waiting, written
from urim.engine.server.metrics.counted import CountedService
from urim.engine.server.process import server as process
from urim.errors import Refused

PROBES = 6
"""Commands that a seat is refused at each look: about rolls that differ, and about all else."""

RANDOM = re.compile(r'"(timestamp|ms|id|expires|date|x-request-id)": ("[^"]*"|[\d.]+)')
"""Fields that are random, or times of a real clock."""

SEPARATE = re.compile(r"^(process_|urim_request_seconds_(sum|bucket)|#)")
"""Figures that are times, or of the whole process."""

SOCKET = (("entered", "commit", "caught-up", "behind", "left"), ("done", "refused", "later"))
"""Types of frames, those together that come in one order."""

VIEWS: tuple[View, ...] = ("seat", "table")

READ = ("", "/moves", "/awaiting", "/seats", "/characters", "/disputes", "/history")
READ_OF_ROLL = ("/rolls/{0}", "/rolls/{0}/account", "/rolls/{0}/moves", "/bundle?roll={0}")
READ_LONG = ("/entries?after=-1", "/bundle", "/checkpoint", "/proofs/inclusion/1", "/holders")


class Look(Struct):
    """What each seat asks for, once so many requests are done, and is refused."""

    next_roll: int
    asked: dict[str, list[Asking]]


class Seen(Struct):
    """What there was at one of the two tables, by seat; and what its host has of it."""

    frames: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    answers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    logs: list[dict[str, Any]] = field(default_factory=list)
    figures: str = ""


class Alike(Pair):
    """A pair of which the same is done in hidden rolls too, with other contents.

    Then what a host is shown of the server is the same as well.
    """

    def both(self, seats: tuple[str, str], asked: tuple[Asking, Asking]) -> bool:
        one, other = (apart(each)[0] for each in asked)
        same = type(one) is type(other) and getattr(one, "roll", 0) == getattr(other, "roll", 0)
        return same and seats[0] == seats[1] and super().both(seats, asked)

    def shape(self, prepared: Any) -> list[str]:
        names = [type(record.event).__name__ for record in prepared.records]
        return [*super().shape(prepared), *names]


class Different(Pair):
    """Any pair, but for what no server does for a seat."""

    def both(self, seats: tuple[str, str], asked: tuple[Asking, Asking]) -> bool:
        if isinstance(asked[0], c.BeginEpoch | c.BreakThrow):  # which takes ten seconds
            return False
        return super().both(seats, asked)


class AlikeServed(Alike, Different):
    """Both."""


def made(system: str, seed: str, steps: int, *, alike: bool) -> tuple[Pair, dict[int, Look]]:
    """A pair that was played, and the looks at it: in the middle, and at the end."""
    pair = (AlikeServed if alike else Different)(system, seed)
    looks: dict[int, Look] = {}
    for at in range(1, steps + 1):
        pair.step()
        if at in (steps // 2, steps):
            looks[len(pair.requests)] = _look(pair)
    return pair, looks


def _look(pair: Pair) -> Look:
    asked: dict[str, list[Asking]] = {}
    for seat, own in pair.states[0].seats.items():
        if not own.here:
            continue
        shuffled = pair.luck.shuffled([*probes(pair.states[0])])
        refused = (p for p in shuffled if all(_refused(table, seat, p) for table in pair.tables))
        found: dict[bool, list[Asking]] = {True: [], False: []}
        for probe in refused:
            of = found[getattr(probe, "roll", 0) in pair.differing]
            if len(of) < PROBES:
                of.append(probe)
        asked[seat] = [*found[True], *found[False]]
    return Look(max(state.next_roll for state in pair.states), asked)


def _refused(table: Any, seat: str, asking: c.AnyCommand) -> bool:
    try:
        table.prepare(seat, body_of(asking))
    except Refused:
        return True
    return False


def kept_out(pair: Pair) -> list[str]:
    """The seats that could never see what differs, and are here at the end."""
    lost = (pair.sighted.get(number, set()) for number in pair.differing)
    known = {seat for seats in lost for seat in seats}
    seats = pair.states[0].seats
    return [seat for seat in onlookers(pair) if seat in seats and seat not in known]


# --- one of the two, over a server ----------------------------------------------------------------


class Evening:
    """One table of a pair, over a server, with a socket for every onlooker."""

    def __init__(self, served: Served, pair: Pair, at: int, stack: AsyncExitStack) -> None:
        self.served = served
        self.pair = pair
        self.at = at
        self.seen = Seen()
        self.onlookers = kept_out(pair)
        self.tokens: dict[str, str] = {}
        self.sockets: dict[str, Client] = {}
        self.hooks: dict[tuple[str, View], Hook] = {}
        self._enter = stack.enter_async_context
        self._http: httpx.AsyncClient

    async def play(self, looks: Mapping[int, Look]) -> Seen:
        """Ask for all that happened in the pair, and look at it in between."""
        plain = {"Accept-Encoding": "identity"}
        self._http = await self._enter(
            httpx.AsyncClient(base_url=self.served.url, headers=plain, timeout=60)
        )
        for number, (seats, asked) in enumerate(self.pair.requests):
            await self._ask(f"r{number}", seats[self.at], asked[self.at])
            if number + 1 in looks:
                await self._look(looks[number + 1])
        for seat, client in self.sockets.items():
            self._take(seat, client)
        host = bearer(await asyncio.to_thread(lambda: self.served.host_token))
        figures = (await self._http.get("/metrics", headers=host)).text
        lines = (line for line in figures.splitlines() if not SEPARATE.match(line))
        self.seen.figures = "\n".join(lines)
        return self.seen

    async def _ask(self, request: str, seat: str, asking: Asking) -> None:
        command, text = apart(asking)
        if not self.tokens:
            await asyncio.to_thread(self._begin, request, seat, asking)
            if isinstance(command, c.TakeSeat) and command.seat == STRANGER:
                for each in self.pair.states[0].seats:
                    await self._sit(each)
            return
        data = WireRequest(body_of(command).decode(), request, text).written()
        answer = await self._post(seat, data)
        assert answer.status_code == 200, (answer.text, asking)
        await self._seen(answer.json()["size"], command)

    def _begin(self, request: str, seat: str, asking: Asking) -> None:
        service = self.served.service
        if isinstance(asking, c.OpenTable):
            self.served.run(service.open_table(seat, asking, request))
        else:
            self.served.run(service.submit(TABLE, seat, asking, request))

    async def _sit(self, seat: str) -> None:
        role = self.pair.states[0].seats[seat].role
        self.tokens[seat] = await asyncio.to_thread(self.served.token, TABLE, role, seat)
        if seat in self.onlookers:
            self.sockets[seat] = await self._enter(entered(self.served, TABLE, self.tokens[seat]))
            for view in VIEWS:
                made = new_hook(TABLE, seat, "", url="", position=0, view=view)
                self.hooks[seat, view] = replace(made, id=seat)

    async def _post(self, seat: str, data: bytes) -> httpx.Response:
        headers = {"Content-Type": "application/json", **bearer(self.tokens[seat])}
        return await self._http.post(f"/tables/{TABLE}/requests", content=data, headers=headers)

    async def _seen(self, size: int, command: c.AnyCommand) -> None:
        """Wait until every socket was sent it."""
        if isinstance(command, c.LeaveSeat):
            client = self.sockets.pop(command.seat, None)
            if client is not None:
                await client.closed()
                self._take(command.seat, client)
        for client in self.sockets.values():
            if not any(frame["size"] >= size for frame in client.of("commit")[-1:]):
                await client.until_size(size)
        if isinstance(command, c.LeaveSeat):
            for view in VIEWS:
                self.hooks.pop((command.seat, view), None)
        for seat, view in self.hooks:
            await asyncio.to_thread(self._call, seat, view)
        if isinstance(command, c.TakeSeat):
            await self._sit(command.seat)

    def _call(self, seat: str, view: View) -> None:
        """What a hook of the seat is told after a commit; each time, so that no pause decides."""
        hook, service = self.hooks[seat, view], self.served.service
        asked = service.news(TABLE, seat, hook.position - 1, everybody=view == "table")
        news = self.served.run(asked)
        hook = waiting(hook, news)
        for message in messages(hook, news):
            self.seen.calls[seat].append(written(hook, message, 0)[1].decode())
            hook = message.told_to(hook)
        self.hooks[seat, view] = replace(hook, position=news.size)

    def _take(self, seat: str, client: Client) -> None:
        for types in SOCKET:
            self.seen.frames[seat] += [masked(frame) for frame in client.of(*types)]

    # --- what each seat asks for ------------------------------------------------------------------

    async def _look(self, look: Look) -> None:
        for seat, asked in look.asked.items():
            if seat not in self.onlookers:
                continue
            paths = [*READ, *READ_LONG]
            paths += [path.format(n) for n in range(look.next_roll + 1) for path in READ_OF_ROLL]
            for path in paths:
                url = f"/tables/{TABLE}{path}"
                answer = await self._http.get(url, headers=bearer(self.tokens[seat]))
                self._answered(seat, path, answer)
            for number, asking in enumerate(asked):
                await self._probe(seat, number, asking)
            waiting = await self._enter(
                entered(self.served, TABLE, self.tokens[seat], look.next_roll, waiting=True)
            )
            found = await waiting.until("waiting")
            self.seen.answers[seat].append(masked(found))
            await waiting.connection.close()
            self._take(f"{seat} later", waiting)

    async def _probe(self, seat: str, number: int, asking: Asking) -> None:
        """Ask for what is refused, over the socket and over HTTP."""
        command, _ = apart(asking)
        frame = await self.sockets[seat].done(f"probe{number}", command)
        assert frame["type"] == "refused", frame
        data = WireRequest(body_of(command).decode(), f"http{number}").written()
        answer = await self._post(seat, data)
        assert answer.status_code >= 400, answer.text
        self._answered(seat, str(asking), answer)

    def _answered(self, seat: str, what: str, answer: httpx.Response) -> None:
        headers = {name: each for name, each in answer.headers.items() if name != "date"}
        found = {"status": answer.status_code, "headers": headers, "body": answer.text}
        self.seen.answers[seat].append(f"{what}: {masked(found)}")


def masked(found: Any) -> str:
    """What was given as text, without what is random, or a time of a real clock."""
    text = RANDOM.sub(r'"\1": #', json.dumps(found, ensure_ascii=False))
    text = re.sub(r'"at": \d{13}\b', '"at": #', text)  # the pair's own clock shows few digits
    text = re.sub(r'\\?"(expires|id)\\?":\s?(\d+|\\?"[^"]*")', r'"\1": #', text)
    return SIGNED.sub(lambda at: "#" * len(at[0]), DIGEST.sub("#" * 64, text))


@contextmanager
def logged() -> Generator[io.StringIO]:
    """What is logged meanwhile, as JSON lines."""
    logger = logging.getLogger("urim")
    before = (logger.handlers[:], logger.level, logger.propagate)
    out = io.StringIO()
    configure(level="INFO", json=True, stream=out)
    try:
        yield out
    finally:
        logger.handlers[:], logger.level, logger.propagate = before


async def seen_at(place: Path, pair: Pair, at: int, looks: Mapping[int, Look]) -> Seen:
    """What there was at one of the two tables, whose files are in a directory that is there."""

    def environments(_: str, __: bytes | None) -> Any:
        return table_of(pair.seed, pair.dice).environment

    with pytest.MonkeyPatch.context() as patch, logged() as out:
        known = partial(CountedService, environments=environments, sign_every=10_000)
        patch.setattr(process, "CountedService", known)
        served = Served(place, rate=1e5, burst=100_000)
        await asyncio.to_thread(served.__enter__)
        try:
            async with AsyncExitStack() as stack:
                seen = await Evening(served, pair, at, stack).play(looks)
        finally:
            await asyncio.to_thread(served.stop)
        seen.logs = [json.loads(line) for line in out.getvalue().splitlines()]
    return seen


# --- what is told from what -----------------------------------------------------------------------


def differences(pair: Pair, both: tuple[Seen, Seen], *, alike: bool) -> Iterator[str]:
    """Where what an onlooker is given at the one table is not what it is given at the other."""
    for seat in kept_out(pair):
        for of in (seat, f"{seat} later"):
            yield from _unlike(f"{of}, frames", *(each.frames[of] for each in both))
        yield from _unlike(f"{seat}, calls", *(each.calls[seat] for each in both))
        yield from _unlike(f"{seat}, answers", *(each.answers[seat] for each in both))
    shown = (None, *kept_out(pair))
    kept = ([line for line in each.logs if alike or line.get("seat") in shown] for each in both)
    lines = (sorted(map(masked, each)) for each in kept)
    yield from _unlike("log", *lines)
    yield from _unlike("figures", *(_figures(each.figures, alike=alike) for each in both))


def _figures(text: str, *, alike: bool) -> list[str]:
    """The lines of figures; those of single commands in one, where they are not alike."""
    if alike:
        return text.splitlines()
    done = 0.0
    found = []
    for line in text.splitlines():
        if line.startswith("urim_commands_total{") and 'result="done"' in line:
            done += float(line.rpartition(" ")[2])
        else:
            found.append(line)
    return [*found, f"done {done:g}"]


def _unlike(name: str, one: list[str], other: list[str]) -> Iterator[str]:
    if len(one) != len(other):
        yield f"{name}: {len(one)} and {len(other)}"
    for left, right in zip(one, other, strict=False):
        if left != right:
            yield f"{name}:\n  {left}\n  {right}"
