"""Whatever a client sends, a server answers it or closes by a code, and writes nothing for it.

The server is a process of its own. Frames and bodies are made by breaking good ones; those that are
good still are counted apart, and may be done.
"""

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, NamedTuple

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.engine.helpers.stages.server import bearer
from tests.engine.helpers.stages.service import FACES, ROOT, noting
from tests.engine.helpers.stages.serving import serving
from tests.engine.helpers.stages.sockets import Client
from tests.engine.server.attacking import ask_frame, rows_of, written
from tests.engine.server.mutants import Data, is_request, mutant
from urim.engine.core import commands as c
from urim.engine.wire import numbers

TABLE = "table001"

ANSWERS = ("refused", "later", "done", "proof")

STATUSES = {401, 403, 404, 409, 413, 415, 422, 429}
"""What a body that is malformed may be answered over HTTP."""

PROTOCOL = {1002, numbers.NO_TEXT, numbers.TOO_BIG}
"""Why a socket is closed for what is no frame at all."""

ROOM = 48 << 20
"""Bytes by which the server may grow, at most, whatever it is sent."""


class Place:
    """A server's process, a table of its with two seats, and what came of what was sent."""

    def __init__(self, database: Path, url: str, host_link: str, process: int) -> None:
        self.database, self.url, self.process = database, url, process
        self.tokens = {"host": self.exchange(host_link.rpartition("=")[2])}
        body = {"table": TABLE, "ruleset": "milhamah", "source": "scripted", "narrator": "n1"}
        opened = self.post("host", "/tables", json.dumps(body | {"request": "opening"}))
        self.tokens["n1"] = self.exchange(opened.json()["invitation"])
        for seat in ("p1", "p2"):
            asked = json.dumps({"role": "player", "seat": seat})
            invited = self.post("n1", f"/tables/{TABLE}/invitations", asked)
            self.tokens[seat] = self.exchange(invited.json()["secret"])
        entering = written(c.EnterCharacter("c1", "p1", {"BLE": 3}), "entering").decode()
        assert self.post("n1", f"/tables/{TABLE}/requests", entering).status_code == 200
        self.before = rows_of(database)
        self.wrote: set[tuple[str, int]] = set()
        self.found: Counter[str] = Counter()
        self.malformed = 0

    def exchange(self, secret: str) -> str:
        """The token for an invitation."""
        body = {"secret": secret, "client": "client-0000000000000001"}
        token: str = httpx.post(f"{self.url}/access/exchange", json=body).json()["token"]
        return token

    def post(self, who: str, path: str, data: Data) -> httpx.Response:
        """POST this as JSON."""
        headers = {"Content-Type": "application/json", **bearer(self.tokens.get(who, "none"))}
        return httpx.post(self.url + path, content=data, headers=headers, timeout=60)

    def bad(self, what: str) -> None:
        """One was malformed, and that came of it."""
        self.malformed += 1
        self.found[what] += 1

    def refused(self, data: Data, what: str) -> None:
        """One was refused: as it is malformed, or by the rules, where it is a request still."""
        if is_request(data):
            self.found["good still, refused"] += 1
        else:
            self.bad(what)

    def done(self, data: Data, seqs: Sequence[int]) -> None:
        """One was done: it was a request still."""
        assert is_request(data), data
        self.found["good still"] += 1
        self.wrote |= {(TABLE, seq) for seq in seqs}

    def check(self) -> None:
        """What is kept is what was there, and what was done."""
        now = rows_of(self.database)
        assert set(self.before) <= set(now)
        more = {row[1:3] for row in set(now) - set(self.before) if row[0] == "entries"}
        assert more == self.wrote

    @property
    def memory(self) -> int:
        """Bytes of memory that the server has now."""
        pages = int(Path(f"/proc/{self.process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def place(folder: Path) -> Generator[tuple[Place, list[str]]]:
    """A server, and what it complained about."""
    fast = {"URIM_SERVE_BURST": "100000", "URIM_SERVE_RATE": "100000"}
    database = folder / "night.db"
    complaints: list[str] = []
    with serving(database, **fast) as running:
        stderr = running.process.stderr
        assert stderr is not None
        reading = Thread(target=lambda: complaints.extend(stderr), daemon=True)
        reading.start()
        assert running.host_link is not None
        yield Place(database, running.url, running.host_link, running.process.pid), complaints
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(60) == 0
        reading.join(60)


# --- what is good ---------------------------------------------------------------------------------


def good_asks() -> list[tuple[c.Asking, str]]:
    """Requests that would be done, or only refused by the rules."""
    wish = {"root": ROOT, "rating": 2}
    return [
        (noting("a note"), "note-1"),
        (c.Declare("c1", wish), "declare-1"),
        (c.RollDice(1, "initiator", faces=FACES), "roll-1"),
        (c.Resolve(1), "resolve-1"),
    ]


def good_frames(token: str) -> list[str]:
    """Good frames after entering; an `enter` is none there."""
    enter = json.dumps({"type": "enter", "token": token, "after": -1, "waiting": True})
    prove = json.dumps({"type": "prove", "size": 1})
    return [prove, enter, *(ask_frame(asking, request) for asking, request in good_asks())]


def good_bodies() -> list[tuple[str, str, list[str]]]:
    """Good bodies: who sends them, where to."""
    asks = [written(asking, request).decode() for asking, request in good_asks()]
    previews = [json.dumps({"body": json.loads(each)["body"]}) for each in asks]
    opening = {"table": "opened01", "ruleset": "nosuch", "source": "scripted", "request": "o"}
    return [
        ("p1", f"/tables/{TABLE}/requests", asks),
        ("p1", f"/tables/{TABLE}/preview", previews),
        ("n1", f"/tables/{TABLE}/invitations", ['{"role":"auditor","seconds":1,"name":"who"}']),
        ("host", "/tables", [json.dumps(opening)]),
        ("nobody", "/access/exchange", ['{"secret":"urim-i1-x","client":"client-00000000000001"}']),
    ]


# --- frames ---------------------------------------------------------------------------------------


@contextmanager
def closing() -> Generator[None]:
    """The server may close while something is sent."""
    with suppress(ConnectionClosed):
        yield


async def opened(at: Place, address: str = "127.0.0.1") -> Client:
    """A socket that nobody entered, from one of the loopback's addresses."""
    url = f"{at.url.replace('http', 'ws', 1)}/tables/{TABLE}/socket"
    given: dict[str, Any] = {"compression": None, "max_size": None, "proxy": None}
    return Client(await connect(url, local_addr=(address, 0), **given))


async def before_entering(at: Place, random: Random, count: int) -> None:
    """Malformed first frames, each on a socket of its own."""
    last = at.malformed + count
    good = good_frames(at.tokens["p1"])[1:]
    while at.malformed < last:
        data = mutant(random, good)
        # Each of an address of its own: so many wrong tokens of one are bounded.
        client = await opened(at, f"127.0.{at.malformed // 250 % 250 + 1}.{at.malformed % 250 + 1}")
        with closing():
            await client.connection.send(data)
            if (await client.next())["type"] == "entered":
                enter = json.loads(data)  # strict or not, it is one
                assert enter["token"] == at.tokens["p1"]
                at.found["good still"] += 1
                await client.connection.close()
                continue
        code = await client.closed()
        assert code in {numbers.REFUSED, numbers.FORKED, numbers.TOO_BIG}, (code, data)
        assert client.frames == []
        at.bad(f"closed {code}")


async def after_entering(at: Place, random: Random, count: int) -> None:
    """Malformed frames on a socket that entered: each is answered, in order, or closes it."""
    last = at.malformed + count
    good = good_frames(at.tokens["p1"])
    waiting: list[Sent] = []
    while at.malformed < last:
        client = await (await opened(at)).enter(at.tokens["p1"])
        while client.connection.close_code is None and at.malformed < last:
            waiting = waiting or [in_parts(random, mutant(random, good)) for _ in range(16)]
            with closing():
                for each in waiting:
                    await each.by(client)
            while waiting and await answered(at, client, waiting[0].data):
                del waiting[0]
            if waiting:
                # One of them is too long. Those before it may be done, and are sent again.
                assert await client.closed() == numbers.TOO_BIG, waiting[0]
                long = [each for each in waiting if size_of(each.data) > numbers.FRAME]
                waiting.remove(long[0])
                at.bad("closed 1009")
        await client.connection.close()


def size_of(data: Data) -> int:
    """Bytes of a frame."""
    return len(data if isinstance(data, bytes) else data.encode())


class Sent(NamedTuple):
    """A frame, in fragments where it is cut."""

    data: Data
    cut: int | None = None

    async def by(self, client: Client) -> None:
        """Send it."""
        data, cut = self
        if cut is None:
            await client.connection.send(data)
        elif isinstance(data, str):
            await client.connection.send([data[:cut], "", data[cut:]])
        else:
            await client.connection.send([data[:cut], b"", data[cut:]])


def in_parts(random: Random, data: Data) -> Sent:
    """Some of it in fragments."""
    return Sent(data, random.randrange(len(data)) if data and random.random() < 0.2 else None)


async def answered(at: Place, client: Client, data: Data) -> bool:
    """Whether a frame was answered, or the socket was closed."""
    answer: dict[str, Any] = {}
    with closing():
        answer = await client.until(*ANSWERS)
    if not answer:
        return False
    if answer["type"] == "done":
        at.done(data, answer["seqs"])
    elif answer["type"] == "proof":
        at.found["good still"] += 1
    else:
        assert answer["type"] == "refused", answer
        at.refused(data, f"frame {answer['code']}")
    return True


def no_frame(random: Random) -> bytes:
    """Bytes that are no frame of the protocol, or that no client sends."""
    mask, body = b"mask", b"{}"
    masked = bytes(each ^ key for each, key in zip(body, mask, strict=False))
    whole = bytes([0x80 | len(body)]) + mask + masked
    return random.choice(
        (
            bytes([0x81 | random.choice((0x10, 0x20, 0x40, 0x70))]) + whole,  # reserved bits
            bytes([0x80 | random.choice((3, 4, 5, 6, 7, 11, 12, 13, 14, 15))]) + whole,  # no kind
            bytes([0x80]) + whole,  # the rest of nothing
            bytes([0x09]) + whole,  # half a ping
            b"\x89\xfe\x00\xff" + mask + bytes(255),  # a long ping
            b"\x81\x02{}",  # not masked
            b"\x01" + whole[:] + b"\x81" + whole,  # a message within another
            b"\x81\xff" + b"\xff" * 8 + mask,  # longer than anything
            b"\x81\xff" + (2**40).to_bytes(8) + mask,
            b"\x81\xfe\xff\xff" + mask + b"\xff" * 65_535,  # no text
            b"\x88\x81" + mask + b"x",  # half a code
            b"\x88\x82" + mask + bytes(a ^ b for a, b in zip(b"\x03\xec", mask, strict=False)),
        )
    )


async def raw_frames(at: Place, random: Random, count: int) -> None:
    """Bytes that are no frames, before entering and after."""
    for number in range(count):
        client = await opened(at)
        if number % 2:
            await client.enter(at.tokens["p1"])
        client.connection.transport.write(
            no_frame(random) + random.randbytes(random.choice((0, 9)))
        )
        code = await client.closed()
        assert code in PROTOCOL, code
        at.bad(f"closed {code}")


async def healthy(at: Place, stop: asyncio.Event) -> int:
    """A socket of another seat, which is answered all the while; how often."""
    client = await (await opened(at)).enter(at.tokens["p2"])
    count = 0
    while not stop.is_set():
        await client.send(type="prove", size=2)
        answer = await client.until(*ANSWERS)
        assert answer["type"] == "proof"
        count += 1
        await asyncio.sleep(0.02)
    done = await client.done(f"healthy-{count}-{at.malformed}", noting("all the while"))
    assert done["type"] == "done"
    at.wrote |= {(TABLE, seq) for seq in done["seqs"]}
    await client.connection.close()
    return count


# --- bodies ---------------------------------------------------------------------------------------


def bodies(at: Place, random: Random, count: int) -> None:
    """Malformed bodies, wherever one is asked for."""
    last = at.malformed + count
    goods = good_bodies()
    with httpx.Client(base_url=at.url, timeout=60) as client:
        while at.malformed < last:
            who, path, good = random.choice(goods)
            data = mutant(random, good)
            headers = {"Content-Type": "application/json", **bearer(at.tokens.get(who, "none"))}
            answer = client.post(path, content=data, headers=headers)
            if answer.status_code in (200, 201):
                if path.endswith("/requests"):
                    at.done(data, answer.json()["seqs"])
                else:
                    at.found["good still"] += 1
                    assert path.endswith(("/preview", "/invitations"))
                continue
            assert answer.status_code in STATUSES, (answer.status_code, data)
            assert answer.headers["content-type"] == "application/problem+json"
            if answer.status_code == 429:
                at.found["429, not looked at"] += 1  # guesses of links
            else:
                at.refused(data, f"{answer.status_code} {answer.json()['code']}")


# --- the law --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.prove
def test_what_is_malformed_is_answered_and_nothing_is_written(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    random = Random(seed)  # noqa: S311 - any will do
    total = 20 * count

    async def sockets(at: Place, share: int) -> int:
        stop = asyncio.Event()
        beside = asyncio.create_task(healthy(at, stop))
        await before_entering(at, random, 2 * share)
        await after_entering(at, random, 4 * share)
        await raw_frames(at, random, share)
        await asyncio.to_thread(bodies, at, random, 3 * share)
        stop.set()
        return await beside

    with place(tmp_path) as (at, complaints):
        # What it needs once is no growth.
        asyncio.run(sockets(at, 10))
        first = at.memory
        answers = asyncio.run(sockets(at, max(total - 100, 100) // 10))
        grown = at.memory - first
        assert answers > 0
        at.check()
        assert grown < ROOM, grown
        assert at.malformed >= total
    assert not [line for line in complaints if "failed" in line or "Traceback" in line], complaints
    found = ", ".join(f"{what} {many:,}" for what, many in at.found.most_common())
    tried(f"{at.malformed:,} malformed: {found}; {grown >> 10:,} KiB more memory")
