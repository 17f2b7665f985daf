"""Two tables that differ in a hidden roll alone are equal in every frame of another seat."""

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.helpers.stages.service import ROOT
from tests.engine.helpers.stages.sockets import Client, entered, run
from tests.pairs.compare import DIGEST, SIGNED
from urim.engine.core.commands import (
    Asking,
    Declare,
    EnterCharacter,
    Freeze,
    Note,
    Resolve,
    Reveal,
    RollDice,
    Void,
    worded,
)
from urim.engine.service.feed import Feed

TABLE = "table001"

TIME = re.compile(r'"(at|expires|until)": \d{13}\b')

MISS, OTHER = tuple("שזגכלקבט"), tuple("טטבקלכגז")
SALT = "ab" * 16

# What p1 does in a hidden roll, at each of two tables: as many entries, of the same kinds.
CONTENTS: Sequence[Sequence[Asking]] = (
    [
        worded(Declare("c1", {"root": ROOT, "rating": 2}, "gm"), "by the door", SALT),
        RollDice(1, "initiator", faces=MISS),
        Freeze(1, "initiator", ()),
        worded(Note(6), "a miss", SALT),
        Resolve(1),
    ],
    [
        worded(Declare("c1", {"root": ROOT, "rating": 5}, "gm"), "by the other window", SALT),
        RollDice(1, "initiator", faces=OTHER),
        Freeze(1, "initiator", ()),
        worded(Note(6), "a miss, and by how much", SALT),
        Resolve(1),
    ],
)

PROBES: Sequence[Asking] = (
    RollDice(1, "initiator", faces=MISS),
    Reveal(1),
    Resolve(1),
    Void(1, text="ab" * 32),
    worded(Note(6), "what is there?", SALT),
    Declare("c1", {"root": ROOT, "rating": 2}, follows=(1, "soak")),
    RollDice(7, "initiator", faces=MISS),
)
"""What another seat asks, about the roll and about one that is not there."""


def masked(text: str) -> str:
    """A frame without times, digests and signatures, which are random, and as long."""
    text = TIME.sub(lambda found: f'"{found[1]}": #', text)
    return SIGNED.sub(lambda found: "#" * len(found[0]), DIGEST.sub("#" * 64, text))


async def must(client: Client, request: str, asking: Asking) -> None:
    """Have something done, and wait until the seat was sent it."""
    done = await client.done(request, asking)
    assert done["type"] == "done", done
    await seen(client, done["size"])


async def seen(client: Client, size: int) -> None:
    if not any(frame["size"] >= size for frame in client.of("commit")):
        await client.until_size(size)


async def evening(served: Served, contents: Sequence[Asking], tokens: dict[str, str]) -> list[str]:
    """What p2 is sent while p1 plays a hidden roll."""
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        narrator = await enter(entered(served, TABLE, tokens[NARRATOR]))
        await must(narrator, "n1", worded(EnterCharacter("c1", "p1", {"BLE": 3}), "Etgar", SALT))
        onlooker = await enter(entered(served, TABLE, tokens["p2"]))
        player = await enter(entered(served, TABLE, tokens["p1"]))
        await onlooker.until("present", where=lambda frame: "p1" in frame["seats"])
        for number, asking in enumerate(contents):
            await must(player, f"r{number}", asking)
            await seen(onlooker, player.of("commit")[-1]["size"])
            for probe, asked in enumerate(PROBES[:3] if number else PROBES):
                answer = await onlooker.done(f"q{number}-{probe}", asked)
                if answer["type"] == "done":
                    await seen(onlooker, answer["size"])
                    await seen(player, answer["size"])
        # A proof is under the latest head that is kept, which is signed in the background.
        await asyncio.to_thread(served.run, served.service.checkpoint(TABLE))
        await onlooker.send(type="prove", size=3)
        await onlooker.until("proof")
        size = onlooker.of("commit")[-1]["size"]
        later = await enter(entered(served, TABLE, tokens["p2"], 6, waiting=True))
        await later.until("waiting")
    assert size > 10
    # Which of an answer, its commit, and a presence came first is no one's to say.
    return [
        masked(json.dumps(frame, ensure_ascii=False))
        for each in (onlooker, later)
        for types in (("entered", "commit", "caught-up"), ("done", "refused", "proof", "waiting"))
        for frame in each.of(*types)
    ]


def frames(tmp_path: Path) -> list[list[str]]:
    """What p2 is sent at either of the two tables."""
    found: list[list[str]] = []

    async def at_each() -> None:
        for number, contents in enumerate(CONTENTS):
            place = tmp_path / str(number)
            place.mkdir()
            served = Served(place, burst=1_000)
            await asyncio.to_thread(served.__enter__)
            try:
                tokens = await asyncio.to_thread(served.open, TABLE)
                found.append(await evening(served, contents, tokens))
            finally:
                await asyncio.to_thread(served.stop)

    run(at_each())
    return found


def test_they_cannot_be_told_apart(tmp_path: Path) -> None:
    one, other = frames(tmp_path)
    assert one == other
    assert len(one) > 20
    assert any('"refused"' in frame for frame in one)


def test_a_feed_that_shows_one_bit_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Feed._line  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

    def odd(feed: Feed, seat: str, at: int, seq: int) -> bytes:
        found = line(feed, seat, at, seq)
        bit = b"window" in (feed.aggregate.entries[seq].payload or b"")
        return found.replace(b'"class":', b'"odd":%d,"class":' % bit)

    monkeypatch.setattr(Feed, "_line", odd)
    one, other = frames(tmp_path)
    assert one != other
