"""A signed head with each commit: at once, of what is on disk, and never two roots for one size."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from tests.engine.helpers.stages.client import listening, taken
from tests.engine.helpers.stages.heads import (
    heads_come,
    is_head_of,
    key_of,
    put_aside,
    put_back,
    service_on,
)
from tests.engine.helpers.stages.service import (
    TABLE,
    declare,
    mark,
    noting,
    on_each_log,
    seated,
    whole,
)
from urim.engine.service.feed import Commit, Feed
from urim.engine.service.heads import two_roots
from urim.engine.service.secrets import FileSecrets, MemorySecrets, Secrets
from urim.engine.service.signing import Signer, Signing
from urim.errors import Damaged, Refused, Unavailable
from urim.events.checkpoint import Checkpoint, PrivateKey, origin_of, read
from urim.events.log.bell import Bell
from urim.events.log.head import Head
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import CaughtUp, EventLog
from urim.events.log.sqlite import SqliteLog
from urim.events.merkle import Frontier

# --- with a commit --------------------------------------------------------------------------------


@on_each_log
async def test_each_live_commit_has_a_head_of_its_size(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)
    async with listening(service, "p2") as two, listening(service, "p1") as one:
        await service.submit(TABLE, "p1", declare("gm"))
        for number in range(3):
            await service.submit(TABLE, "p1", noting(f"{number}"))
        got = [await taken(client, messages, 12) for client, messages in (one, two)]
    for messages in got:
        commits = [each for each in messages if isinstance(each, Commit)]
        assert [each.size for each in commits] == [6, 8, 10, 12]
        for each in commits:
            assert each.head is not None
            assert (await is_head_of(log, secrets, each.head)).size == each.size
    assert await log.heads(TABLE) == ()
    assert secrets.heads.find(TABLE) is None


@on_each_log
async def test_a_history_has_none(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)
    async with listening(service, "p1"):
        await service.submit(TABLE, "p1", declare())
        messages = service.subscribe(TABLE, "p2")
        async for message in messages:
            if isinstance(message, CaughtUp):
                break
            assert isinstance(message, Commit)
            assert message.head is None
        await messages.aclose()


@on_each_log
async def test_of_commits_found_at_once_the_last_has_it(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)
    table = await whole(log)
    found = Feed(TABLE, Bell())
    found.advance(table)
    for number in range(3):
        await service.submit(TABLE, "p1", noting(f"{number}"))
    table.load((await log.read(TABLE))[5:])
    found.advance(table, b"of all")
    assert [found.live("p2", at)[0].head for at in range(3)] == [None, None, b"of all"]


@on_each_log
async def test_what_another_service_kept_comes_with_one_too(
    log: EventLog, secrets: Secrets
) -> None:
    service, other = service_on(log, secrets), service_on(log, secrets)
    await seated(service)
    async with listening(service, "p2") as (client, messages):
        for turn in range(4):
            await (service, other)[turn % 2].submit(TABLE, "narrator", mark(turn))
            *_, commit = await taken(client, messages, 6 + turn)
            assert isinstance(commit, Commit)
            assert commit.head is not None
            assert (await is_head_of(log, secrets, commit.head)).size == 6 + turn


@on_each_log
async def test_commits_come_without_heads_where_the_key_cannot_be_read(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)

    def refuse() -> bytes:
        raise Refused("unreadable", "the key is gone")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(secrets.key, "make", refuse)
        async with listening(service, "p2") as (client, messages):
            await service.submit(TABLE, "narrator", mark())
            [commit] = await taken(client, messages, 6)
            assert isinstance(commit, Commit)
            assert commit.head is None
            with pytest.raises(Refused, match="the key is gone"):
                await service.head(TABLE)


# --- for an acknowledgement -----------------------------------------------------------------------


@on_each_log
async def test_a_head_is_of_all_that_was_kept_signed_once_and_kept_later(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service)
    signed: list[int] = []
    sign = PrivateKey.sign

    def counted(key: PrivateKey, checkpoint: Checkpoint) -> bytes:
        signed.append(checkpoint.size)
        return sign(key, checkpoint)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PrivateKey, "sign", counted)
        note = b""
        for number in range(3):
            await service.submit(TABLE, "narrator", mark(number))
            note = await service.head(TABLE) or b""
            assert (await is_head_of(log, secrets, note)).size == 6 + number
            assert await service.head(TABLE) == note
        assert await log.last_head(TABLE) is None
        await service.close()
        assert signed == [6, 7, 8]
    assert await log.last_head(TABLE) == Head(8, read(note, [key_of(secrets)]).root, note)
    assert secrets.heads.find(TABLE) == note


@on_each_log
async def test_a_head_of_a_table_that_is_not_in_memory(log: EventLog, secrets: Secrets) -> None:
    await seated(service_on(log, secrets))
    service = service_on(log, secrets)
    assert service.loaded == 0
    note = await service.head(TABLE)
    assert note is not None
    assert (await is_head_of(log, secrets, note)).size == 5
    with pytest.raises(Refused) as refused:
        await service.head("nowhere1")
    assert refused.value.code == "unknown"


@on_each_log
async def test_what_was_signed_is_kept_soon(log: EventLog, secrets: Secrets) -> None:
    await seated(service_on(log, secrets))
    service = service_on(log, secrets, every=0.01)
    note = await service.head(TABLE)
    assert (await heads_come(log)).note == note


class FullLog(MemoryLog):
    """A log that keeps no head."""

    async def keep_head(self, table: str, head: Head) -> Head:
        raise Unavailable("no space")


def test_a_head_that_is_shown_is_of_the_size_that_was_asked_for() -> None:
    """Though none can be kept, and a later one was signed."""
    trees = [Frontier().extend([bytes(32)] * size) for size in range(8)]

    async def run() -> None:
        signer = Signer(FullLog(), MemorySecrets(), lambda table: None)
        signing = Signing(TABLE, origin_of(TABLE), None)
        assert (await signer.shown(signing, trees[5])).size == 5
        assert (await signer.shown(signing, trees[7])).size == 7
        with pytest.raises(Unavailable):
            await signer.shown(signing, trees[6])

    asyncio.run(asyncio.wait_for(run(), 60))


# --- one root for a size --------------------------------------------------------------------------


@on_each_log
async def test_another_root_is_not_signed(log: EventLog, secrets: Secrets) -> None:
    await seated(service_on(log, secrets))
    tree = Frontier().extend(entry.leaf for entry in await log.read(TABLE))
    signer = Signer(log, secrets, lambda table: None)
    for latest, attested in ((bytes(32), None), (None, bytes(32))):
        known = [None if root is None else Head(5, root, b"other") for root in (latest, attested)]
        signing = Signing(TABLE, origin_of(TABLE), *known)
        await signer.ready()
        with pytest.raises(Damaged, match="another root for its first 5 entries"):
            signer.attest(signing, tree)
        with pytest.raises(Damaged, match="another root for its first 5 entries"):
            await signer.sign(signing, tree)
    assert await log.heads(TABLE) == ()


@on_each_log
async def test_sizes_that_were_left_behind_are_not_signed(log: EventLog, secrets: Secrets) -> None:
    signer = Signer(log, secrets, lambda table: None)
    signing = Signing(TABLE, origin_of(TABLE), None)
    trees = [Frontier().extend([bytes(32)] * size) for size in range(8)]
    assert signer.attest(signing, trees[3]) is None  # no key yet
    await signer.ready()
    assert signer.attest(signing, trees[0]) is None
    signing.floor = 5
    assert [size for size, tree in enumerate(trees) if signer.attest(signing, tree)] == [6, 7]
    assert signer.attest(signing, trees[6]) is None
    signing.floor = 7
    assert signer.attest(signing, trees[7]) is None
    for size in (3, 7):
        fresh = Signing(TABLE, origin_of(TABLE), None)
        fresh.floor = 7
        with pytest.raises(Refused, match=f"size {size} is not signed again") as refused:
            await signer.sign(fresh, trees[size])
        assert refused.value.allowed == ("8 entries or more",)
    assert await log.heads(TABLE) == ()


class Moved:
    """A log that is another file from some moment on."""

    def __init__(self, log: EventLog) -> None:
        self.log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log, name)


def test_a_log_that_lost_what_was_signed_at_once_is_refused_and_its_sizes_are_not_signed_again(
    tmp_path: Path,
) -> None:
    path, away = tmp_path / "table.db", tmp_path / "away"
    away.mkdir()
    secrets = FileSecrets.beside(path)

    async def run() -> None:
        log = await SqliteLog.open(path)
        moved = Moved(log)
        service = service_on(cast(EventLog, moved), secrets, memory=0)
        await seated(service, dice="fair")
        await service.checkpoint(TABLE)
        put_aside(path, away)
        for number in range(4):
            await service.submit(TABLE, "narrator", mark(number))
        assert await service.head(TABLE) is not None  # of size 9, kept nowhere
        await log.close()
        put_back(path, away)
        moved.log = await SqliteLog.open(path)
        for ask in (service.head, service.checkpoint, service.state):
            with pytest.raises(Damaged, match="went back from 9 entries, signed here, to 5"):
                await ask(TABLE)
        await service.begin_epoch(TABLE, restored=True)
        assert secrets.heads.floor(TABLE) == 9
        for number in range(4):
            assert await service.head(TABLE) is None, number
            await service.submit(TABLE, "narrator", mark(number + 10))
        note = await service.head(TABLE)
        assert note is not None
        assert (await is_head_of(moved.log, secrets, note)).size == 10
        await service.close()
        await moved.log.close()

    asyncio.run(asyncio.wait_for(run(), 60))


@on_each_log
async def test_a_feed_ends_where_another_root_was_signed(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service)

    def refuse(signer: Signer, signing: Signing, tree: Frontier) -> bytes:
        raise two_roots(signing.table, tree.size)

    async with listening(service, "p2") as (_, messages):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Signer, "attest", refuse)
            await service.submit(TABLE, "narrator", mark())
        with pytest.raises(Damaged, match="another root for its first 6 entries"):
            await anext(messages)
    assert service.present(TABLE) == ()
    note = await service.head(TABLE)
    assert note is not None
    assert (await is_head_of(log, secrets, note)).size == 6
