"""A log that was restored from a backup is refused until an epoch begins, and then served again."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.engine.helpers.stages.epochs import begins, fits, restored, thrown
from tests.engine.helpers.stages.heads import (
    entries_in,
    exchanged,
    file_of,
    is_head_of,
    put_back,
    service_on,
)
from tests.engine.helpers.stages.service import TABLE, declare, made, mark, noting
from tests.sealing import sealed_raw
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets, Secrets
from urim.errors import Damaged, Refused, Unavailable
from urim.events.log.protocol import EventLog

# --- a log that was restored ----------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database restored from a backup of 6 entries, after a throw was made and 7 were signed."""
    return restored(tmp_path)


def on(path: Path, work: Callable[[Service, EventLog, Secrets], Awaitable[None]]) -> None:
    """Run some work on a service over a restored file, without closing it properly."""

    async def run() -> None:
        async with made("sqlite", path.parent) as (log, secrets):
            await work(service_on(log, secrets), log, secrets)

    asyncio.run(run())


def test_a_restored_log_is_served_again_after_an_epoch_began(path: Path) -> None:
    lost = file_of(path).read_bytes()
    secret = file_of(path, TABLE).read_bytes()

    async def work(service: Service, log: EventLog, secrets: Secrets) -> None:
        with pytest.raises(Damaged, match="went back from 8 entries"):
            await service.view(TABLE, "p1")
        begun = begins(await service.begin_epoch(TABLE))
        event = await thrown(service)
        assert event.proof is not None
        assert fits(begun.commits[0].commit, event.proof.seed)
        assert len(await service.submit(TABLE, "p1", declare(), "a")) == 1
        assert await service.submit(TABLE, "p1", noting("not lost"), "b")

    on(path, work)
    assert file_of(path, f"heads/{TABLE}.before-epoch-1").read_bytes() == lost
    assert file_of(path, TABLE).read_bytes() == secret
    assert file_of(path, f"{TABLE}.epoch-1").read_bytes() != secret
    assert file_of(path, f"{TABLE}.epoch-1").stat().st_mode & 0o777 == 0o600


def test_sizes_that_were_signed_before_the_restore_are_not_signed_again(path: Path) -> None:
    async def work(service: Service, log: EventLog, secrets: Secrets) -> None:
        await service.begin_epoch(TABLE)
        for size in (7, 8):
            assert len(await log.read(TABLE)) == size
            for each in (service, service_on(log, secrets)):
                with pytest.raises(Refused, match=r"up to size 8 were signed.*9 entries or more"):
                    await each.checkpoint(TABLE)
            assert (await service.inclusion(TABLE, 5)).note.split(b"\n")[1] == b"6"
            await service.submit(TABLE, "narrator", mark())
        await service.close()
        assert [head.size for head in await log.heads(TABLE)] == [6, 9]
        note = await service_on(log, secrets).checkpoint(TABLE)
        assert (await is_head_of(log, secrets, note)).size == 9

    on(path, work)


def test_a_log_that_was_tampered_with_begins_no_epoch(path: Path) -> None:
    at = entries_in(path)[3].at
    exchanged(path, sealed_raw(3, at, b"{}"))

    async def work(service: Service, log: EventLog, secrets: Secrets) -> None:
        with pytest.raises(Damaged):
            await service.begin_epoch(TABLE)
        assert len(await log.read(TABLE)) == 6

    on(path, work)
    assert not file_of(path, f"{TABLE}.epoch-1").exists()


def test_an_epoch_that_was_cut_short_is_begun_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut(service: Service, log: EventLog, secrets: Secrets) -> None:
        def fails(table: str, epoch: int, note: bytes | None) -> None:
            raise Unavailable("the machine stopped here")

        monkeypatch.setattr(secrets.heads, "supersede", fails)
        with pytest.raises(Unavailable):
            await service.begin_epoch(TABLE)
        with pytest.raises(Damaged, match=r"went back from 8 entries.* to 7"):
            await service.view(TABLE, "p1")

    async def again(service: Service, log: EventLog, secrets: Secrets) -> None:
        assert begins(await service.begin_epoch(TABLE)).epoch == 2
        await thrown(service)

    on(path, cut)
    on(path, again)


def test_a_secret_of_an_epoch_that_was_lost_is_set_aside_and_never_used(
    path: Path, tmp_path: Path
) -> None:
    begun: list[str] = []

    async def work(service: Service, log: EventLog, secrets: Secrets) -> None:
        begun.append(begins(await service.begin_epoch(TABLE)).commits[0].commit)
        for _ in range(5):
            await service.submit(TABLE, "p1", noting("text"))
        await service.close()

    on(path, work)
    lost = file_of(path, f"{TABLE}.epoch-1").read_bytes()
    put_back(path, tmp_path / "away")
    on(path, work)
    assert begun[0] != begun[1]
    assert file_of(path, f"{TABLE}.epoch-1.aside").read_bytes() == lost
    assert file_of(path, f"{TABLE}.epoch-1").read_bytes() != lost
    assert file_of(path, f"heads/{TABLE}.before-epoch-1.2").is_file()


def test_without_the_secret_of_before_the_epoch_its_requests_are_refused_clearly(
    path: Path,
) -> None:
    async def work(service: Service, log: EventLog, secrets: Secrets) -> None:
        await service.begin_epoch(TABLE)
        file_of(path, TABLE).unlink()
        again = service_on(log, secrets)
        with pytest.raises(Refused, match="the secret of table 'table001' is not beside"):
            await again.submit(TABLE, "p1", declare(), "a")
        assert await again.submit(TABLE, "p1", noting("new"), "c")
        await thrown(again)

    on(path, work)


def test_without_the_secret_of_the_epoch_nothing_is_thrown(path: Path) -> None:
    async def work(service: Service, log: EventLog, secrets: Secrets) -> None:
        await service.begin_epoch(TABLE)
        file_of(path, f"{TABLE}.epoch-1").unlink()
        with pytest.raises(Refused, match="the secret of table 'table001' is not beside"):
            await thrown(service_on(log, FileSecrets.beside(path)))

    on(path, work)
