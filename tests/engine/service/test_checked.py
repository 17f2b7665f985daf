"""A table is refused where its log, its heads and its host's key do not agree, with the reason."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.helpers.stages.heads import (
    entries_in,
    exchanged,
    file_of,
    past_triggers,
    refusal,
    served,
    signed_at,
    signed_thrice,
)
from tests.engine.helpers.stages.service import TABLE, made, mark, noting, seated
from tests.sealing import sealed
from urim.engine.service import Service, tables
from urim.errors import Damaged
from urim.events.checkpoint import Checkpoint, origin_of, sign
from urim.events.table import TrackSet

INSERTED = "INSERT INTO heads VALUES ('table001', 13, zeroblob(32), x'{}')"

FORGER = b"a private key of someone else's!"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database whose table has 12 entries, signed at 5, 8 and 12, which nobody has open."""
    return signed_thrice(tmp_path)


def resealed(path: Path, seq: int) -> None:
    """Another track in the place of one, under a leaf that fits it."""
    forged = TrackSet("narrator", "c1", "merit", 9)
    exchanged(path, sealed(seq, entries_in(path)[seq].at, forged))


# --- entries --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seq", "named"), [(5, "5 to 7"), (7, "5 to 7"), (8, "8 to 11")])
def test_an_exchanged_entry_is_found_between_the_heads_around_it(
    path: Path, seq: int, named: str
) -> None:
    resealed(path, seq)
    refused = refusal(path)
    assert f"entries {named} are not all those that were signed" in str(refused)
    assert isinstance(refused, Damaged)
    assert refused.seq == int(named.partition(" ")[0])


@pytest.mark.parametrize("page", [1, 4, 5, 6, 7, 11])
def test_heads_are_compared_wherever_the_log_is_cut_into_pages(
    path: Path, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they are in a table of more entries than are read at once."""
    monkeypatch.setattr(tables, "PAGE", page)
    assert served(path, lambda service: service.checkpoint(TABLE)) == file_of(path).read_bytes()
    resealed(path, 7)
    assert "entries 5 to 7 are not all those that were signed" in str(refusal(path))


def test_an_exchanged_entry_with_a_head_on_either_side_is_named(path: Path) -> None:
    served(path, lambda service: signed_at(service, 13))
    resealed(path, 12)
    assert str(refusal(path)) == "entry 12: it is not the entry that was signed"


def test_an_entry_that_was_not_signed_yet_can_be_exchanged_and_is_signed_as_it_is(
    path: Path,
) -> None:
    """What signing does not protect, so that nobody believes it does."""

    async def unsigned() -> None:
        async with made("sqlite", path.parent) as (log, secrets):
            await Service(log, secrets, sign_every=60).submit(TABLE, "narrator", mark())

    asyncio.run(unsigned())
    resealed(path, 12)
    note = served(path, lambda service: service.checkpoint(TABLE))
    assert note.split(b"\n")[1] == b"13"


def test_an_exchanged_entry_is_found_by_the_file_where_the_log_has_lost_its_heads(
    path: Path,
) -> None:
    resealed(path, 6)
    past_triggers(path, "DELETE FROM heads")
    assert "entries 0 to 11 are not all those that were signed" in str(refusal(path))


def test_an_entry_that_does_not_fit_itself_is_named_as_ever(path: Path) -> None:
    past_triggers(path, "UPDATE entries SET payload = x'7b7d' WHERE seq = 6")
    assert str(refusal(path)) == "entry 6: the payload does not match its digest"


def test_entries_cut_off_are_missed(path: Path) -> None:
    past_triggers(path, "DELETE FROM entries WHERE seq > 9")
    assert "has 10 entries, and a signed head of 12" in str(refusal(path))


# --- heads in the log -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 8, 12])
def test_a_head_whose_root_was_changed_is_not_what_was_signed(path: Path, size: int) -> None:
    change = "UPDATE heads SET root = zeroblob(32) WHERE size = "
    past_triggers(path, change + str(size))
    assert f"head of size {size} of table 'table001' is not what was signed" in str(refusal(path))


@pytest.mark.parametrize("size", [5, 8, 12])
def test_a_head_signed_by_nobody_is_blamed_and_no_entry(path: Path, size: int) -> None:
    forged = sign(Checkpoint(origin_of(TABLE), size, bytes(32)), FORGER)
    change = "UPDATE heads SET root = zeroblob(32), note = x'{}' WHERE size = {}"
    past_triggers(path, change.format(forged.hex(), size))
    refused = refusal(path)
    assert f"head of size {size}" in str(refused)
    assert "was not signed with the key in" in str(refused)
    assert isinstance(refused, Damaged)
    assert refused.seq is None


def test_a_head_of_another_table_is_not_taken_for_this_ones(path: Path) -> None:
    async def other(service: Service) -> bytes:
        await seated(service, "table002")
        return await service.checkpoint("table002")

    note = served(path, other)
    past_triggers(
        path,
        "DELETE FROM heads WHERE table_id = 'table001'",
        "INSERT INTO heads SELECT 'table001', size, root, note FROM heads",
    )
    file_of(path).write_bytes(note)
    assert "are those of urim.local/t/table002" in str(refusal(path))


def test_heads_removed_from_the_log_are_not_missed_while_the_file_agrees(path: Path) -> None:
    past_triggers(path, "DELETE FROM heads WHERE size = 8")
    note = served(path, lambda service: service.checkpoint(TABLE))
    assert note == file_of(path).read_bytes()


# --- other tables, and the running service --------------------------------------------------------


def test_other_tables_are_served(path: Path) -> None:
    served(path, lambda service: seated(service, "table002"))
    resealed(path, 6)

    async def work(service: Service) -> None:
        with pytest.raises(Damaged):
            await service.view(TABLE, "p1")
        assert len(await service.view("table002", "p1")) == 5

    served(path, work)


async def in_the_way(service: Service, path: Path) -> None:
    """Keep a note, and put a head in the way of the one that would be signed for it."""
    [entry] = await service.submit(TABLE, "narrator", mark())
    assert entry.seq == 12
    private = bytes.fromhex(file_of(path, "key").read_text("ascii"))
    note = sign(Checkpoint(origin_of(TABLE), 13, bytes(32)), private)
    past_triggers(path, INSERTED.format(note.hex()))


async def looked_at(service: Service) -> None:
    """Look at the table again and again, until that is refused."""
    while True:
        await service.view(TABLE, "p1")
        await asyncio.sleep(0.01)


def test_a_head_that_stands_in_the_way_is_never_signed_over(path: Path) -> None:
    async def work(service: Service) -> None:
        await in_the_way(service, path)
        with pytest.raises(Damaged, match="another root for its first 13 entries"):
            await service.checkpoint(TABLE)
        with pytest.raises(Damaged, match="entry 12: it is not the entry that was signed"):
            await service.submit(TABLE, "p1", noting("text"))

    served(path, work)


def test_a_head_that_stands_in_the_way_stops_a_table_that_is_in_memory(path: Path) -> None:
    async def work(service: Service) -> None:
        await in_the_way(service, path)
        with pytest.raises(Damaged, match="entry 12: it is not the entry that was signed"):
            await looked_at(service)

    served(path, work, every=0.2)
