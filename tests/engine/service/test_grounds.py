"""An epoch is refused over a log that fits its heads, and begins where something shows a loss."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.engine.helpers.stages.epochs import begins, outstanding, restored, thrown
from tests.engine.helpers.stages.heads import (
    NEVER,
    file_of,
    past_triggers,
    served,
    service_on,
)
from tests.engine.helpers.stages.service import (
    TABLE,
    declare,
    made,
    mark,
    on_each_log,
    seated,
)
from urim.engine.service import Service
from urim.engine.service.grounds import ALLOWED
from urim.engine.service.secrets import FileSecrets, Secrets
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, origin_of, sign
from urim.events.log.protocol import EventLog

OTHER = "table002"
TRIES = 51
WANTED = 8
"""What each die shall show, as of the 51 epochs that were begun for it before."""


# --- over a healthy log ---------------------------------------------------------------------------


@on_each_log
async def test_no_throw_is_thrown_again_by_epochs(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    await service.submit(TABLE, "p1", declare())
    await service.checkpoint(TABLE)
    before, size = await outstanding(service), len(await log.read(TABLE))
    for _ in range(TRIES):
        with pytest.raises(Refused, match="fits its signed heads") as refused:
            await service.begin_epoch(TABLE)
        assert refused.value.code == "not-offered"
        assert tuple(refused.value.allowed) == ALLOWED
    assert await outstanding(service) == before
    assert (await service.state(TABLE)).epoch == 0
    assert len(await log.read(TABLE)) == size
    await thrown(service)
    assert await service_on(log, secrets).checkpoint(TABLE)


@on_each_log
async def test_a_head_that_is_not_kept_yet_counts(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    assert await service.head(TABLE) is not None
    assert await log.last_head(TABLE) is None
    with pytest.raises(Refused, match="fits its signed heads"):
        await service.begin_epoch(TABLE)


@on_each_log
async def test_where_no_head_is_kept_its_keeper_is_asked(log: EventLog, secrets: Secrets) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    with pytest.raises(Refused, match="no signed head of table 'table001' is kept") as refused:
        await service.begin_epoch(TABLE)
    assert refused.value.code == "due"
    found = await service.epoch_grounds(TABLE)
    assert found.unknown
    assert "nothing shows what was lost" in found.words
    assert begins(await service.begin_epoch(TABLE, restored=True)).epoch == 1
    await service.checkpoint(TABLE)
    with pytest.raises(Refused, match="fits its signed heads"):
        await service.begin_epoch(TABLE)


@on_each_log
async def test_what_waits_to_be_signed_is_signed_although_an_epoch_was_refused(
    log: EventLog, secrets: Secrets
) -> None:
    service = service_on(log, secrets)
    await seated(service, dice="fair")
    await service.checkpoint(TABLE)
    await service.submit(TABLE, "narrator", mark())
    with pytest.raises(Refused):
        await service.begin_epoch(TABLE)
    await service.close()
    last = await log.last_head(TABLE)
    assert last is not None
    assert last.size == len(await log.read(TABLE))


# --- a log that lost something --------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database restored from a backup of 6 entries with its heads; 8 were signed before that."""
    found = restored(tmp_path)
    note(found).write_bytes(file_of(found).read_bytes())
    file_of(found).write_bytes((tmp_path / "away" / TABLE).read_bytes())
    return found


def note(path: Path) -> Path:
    """Where a player's client keeps the head of 8 entries."""
    return path.with_name("seen.txt")


Work = Callable[[Service, EventLog, FileSecrets], Awaitable[None]]


def on(path: Path, work: Work) -> None:
    """Some work on a service over a file, which is closed properly."""

    async def run() -> None:
        async with made("sqlite", path.parent) as (log, secrets):
            assert isinstance(secrets, FileSecrets)
            service = service_on(log, secrets, NEVER)
            await work(service, log, secrets)
            await service.close()

    asyncio.run(run())


def refuses(path: Path, seen: tuple[bytes, ...], match: str, kind: type[Exception]) -> None:
    """An epoch is refused with these notes, and nothing is changed."""

    async def work(service: Service, log: EventLog, secrets: FileSecrets) -> None:
        for call in (service.epoch_grounds, service.begin_epoch):
            with pytest.raises(kind, match=match):
                await call(TABLE, seen=seen)
        assert len(await log.read(TABLE)) == 6

    on(path, work)
    assert not file_of(path, f"{TABLE}.epoch-1").exists()


def test_a_head_that_a_client_kept_shows_that_a_restored_log_went_back(path: Path) -> None:
    async def work(service: Service, log: EventLog, secrets: FileSecrets) -> None:
        with pytest.raises(Refused, match="fits its signed heads"):
            await service.begin_epoch(TABLE)
        seen = (note(path).read_bytes(),)
        found = await service.epoch_grounds(TABLE, seen)
        assert found.words == ("The log has 6 entries, and the head given 8: 2 entries are lost.")
        assert begins(await service.begin_epoch(TABLE, seen=seen)).epoch == 1
        assert secrets.heads.floor(TABLE) == 8
        # It was answered: it shows nothing more, over 7 entries and over as many as it has.
        for _ in range(3):
            with pytest.raises(Refused, match="fits its signed heads"):
                await service.begin_epoch(TABLE, seen=seen)
            await service.submit(TABLE, "narrator", mark())
        assert await service.checkpoint(TABLE)
        with pytest.raises(Refused, match="fits its signed heads"):
            await service.begin_epoch(TABLE, seen=seen)

    on(path, work)
    aside = {each.name: each.read_bytes() for each in file_of(path, "heads").iterdir()}
    assert note(path).read_bytes() in aside.values()


def test_a_head_over_other_entries_shows_it_too_and_is_kept_as_evidence(path: Path) -> None:
    async def work(service: Service, log: EventLog, secrets: FileSecrets) -> None:
        for _ in range(4):
            await service.submit(TABLE, "narrator", mark())
        await service.checkpoint(TABLE)
        seen = (note(path).read_bytes(),)
        found = await service.epoch_grounds(TABLE, seen)
        assert found.found == ("the head given was signed over 8 other entries than the log has",)
        assert begins(await service.begin_epoch(TABLE, seen=seen)).epoch == 1
        with pytest.raises(Refused, match="fits its signed heads"):
            await service.begin_epoch(TABLE, seen=seen)

    on(path, work)
    heads = file_of(path, "heads")
    kept = [each.read_bytes() for each in heads.glob(f"{TABLE}.before-epoch-1*")]
    assert len(kept) == 2
    assert note(path).read_bytes() in kept


def test_a_head_of_the_log_itself_shows_nothing(path: Path) -> None:
    seen = (file_of(path).read_bytes(),)

    async def work(service: Service, log: EventLog, secrets: FileSecrets) -> None:
        assert (await service.epoch_grounds(TABLE, seen)).found == ()
        with pytest.raises(Refused, match="fits its signed heads"):
            await service.begin_epoch(TABLE, seen=seen)

    on(path, work)


@pytest.mark.parametrize("text", [b"", b"x", b"[table]\nid = 1\n", b"\xff" * 70_000])
def test_what_is_no_note_is_refused(path: Path, text: bytes) -> None:
    refuses(path, (note(path).read_bytes(), text), "no note", Damaged)


def test_a_head_of_another_table_is_refused(path: Path) -> None:
    private = FileSecrets.beside(path).key.find()
    assert private is not None
    other = sign(Checkpoint(origin_of(OTHER), 9, bytes(32)), private)
    refuses(path, (other,), f"a head of {origin_of(OTHER)}, and not of", Refused)


def test_a_head_of_another_key_is_refused(path: Path) -> None:
    forged = sign(Checkpoint(origin_of(TABLE), 9, bytes(32)), b"a private key of someone else's!")
    refuses(path, (forged,), "not signed with the key in", Damaged)


# --- heads and secrets that are lost --------------------------------------------------------------


def _missing(path: Path) -> None:
    file_of(path).unlink()


def _older(path: Path) -> None:
    private = FileSecrets.beside(path).key.find()
    assert private is not None
    file_of(path).write_bytes(sign(Checkpoint(origin_of(TABLE), 3, bytes(32)), private))


def _no_note(path: Path) -> None:
    file_of(path).write_bytes(b"no note")


def _no_secret(path: Path) -> None:
    file_of(path, TABLE).unlink()


def _later_secret(path: Path) -> None:
    FileSecrets.beside(path).keep_epoch(TABLE, 1, bytes(range(32)))


@pytest.mark.parametrize(
    ("lose", "shown"),
    [
        (_missing, "is missing, but a head of size 6 was signed"),
        (_older, "went back from 6 to 3 entries"),
        (_no_note, "is damaged: a signed head that is no note"),
        (_no_secret, "the secret of table table001 is missing"),
        (_later_secret, "the secret of epoch 1 is there, and the log does not have that epoch"),
    ],
)
def test_what_is_lost_beside_the_log_lets_an_epoch_begin(
    path: Path, lose: Callable[[Path], None], shown: str
) -> None:
    lose(path)

    async def work(service: Service, log: EventLog, secrets: FileSecrets) -> None:
        assert any(shown in each for each in (await service.epoch_grounds(TABLE)).found)
        assert begins(await service.begin_epoch(TABLE)).epoch == 1
        await thrown(service)
        await service.submit(TABLE, "narrator", mark())
        assert await service.checkpoint(TABLE)
        with pytest.raises(Refused, match="fits its signed heads"):
            await service.begin_epoch(TABLE)

    on(path, work)


def test_a_damaged_head_of_a_log_without_heads_lets_one_begin_too(tmp_path: Path) -> None:
    path = tmp_path / "table.db"

    async def before(service: Service) -> None:
        await seated(service, dice="fair")
        await service.submit(TABLE, "p1", declare())
        await service.checkpoint(TABLE)

    served(path, before)
    past_triggers(path, "DELETE FROM heads")
    file_of(path).write_bytes(b"no note")

    async def work(service: Service, log: EventLog, secrets: FileSecrets) -> None:
        assert begins(await service.begin_epoch(TABLE)).epoch == 1
        await thrown(service)

    on(path, work)
    assert file_of(path, f"heads/{TABLE}.damaged-epoch-1").read_bytes() == b"no note"
