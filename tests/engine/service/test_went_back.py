"""A log, its file of heads and its key belong together: what went back or is gone is found out."""

import asyncio
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.helpers.stages.heads import (
    entries_in,
    file_of,
    put_aside,
    put_back,
    refusal,
    served,
    signed_at,
    signed_thrice,
)
from tests.engine.helpers.stages.service import TABLE, made, seated
from tests.sealing import commit
from urim.engine.service import Service
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, origin_of, sign
from urim.events.log.protocol import Appended
from urim.events.merkle import root_of
from urim.events.table import TrackSet


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database whose table has 12 entries, signed at 5, 8 and 12, which nobody has open."""
    return signed_thrice(tmp_path)


# --- the head in the file -------------------------------------------------------------------------


def test_a_missing_file_of_the_last_head_is_named(path: Path) -> None:
    file_of(path).unlink()
    refused = str(refusal(path))
    assert f"{file_of(path)} is missing, but a head of size 12 was signed" in refused
    assert "begin an epoch" in refused


def test_a_file_that_went_back_is_named(path: Path) -> None:
    old = file_of(path).read_bytes()
    served(path, lambda service: signed_at(service, 15))
    file_of(path).write_bytes(old)
    assert f"{file_of(path)} went back from 15 to 12 entries" in str(refusal(path))


@pytest.mark.parametrize(
    "text", [b"", b"x", b"\n\n\n\n", b"a/t/table001\n1\n\n\n", b"\xff" * 70_000]
)
def test_a_file_that_holds_no_note_is_refused(path: Path, text: bytes) -> None:
    file_of(path).write_bytes(text)
    assert isinstance(refusal(path), Damaged)


def test_a_file_that_somebody_else_signed_is_refused_although_it_says_the_same(path: Path) -> None:
    text = file_of(path).read_bytes().split(b"\n\n")[0] + b"\n"
    size, root = 12, root_of(entry.leaf for entry in entries_in(path))
    forged = sign(Checkpoint(origin_of(TABLE), size, root), b"a private key of someone else's!")
    assert forged.startswith(text)
    file_of(path).write_bytes(forged)
    assert f"the head in {file_of(path)} of table 'table001' was not signed" in str(refusal(path))


def test_a_file_that_is_a_directory_is_refused_in_words(path: Path) -> None:
    file_of(path).unlink()
    file_of(path).mkdir()
    assert f"{file_of(path)} cannot be read" in str(refusal(path))


# --- a log that went back -------------------------------------------------------------------------


def test_a_log_that_lost_its_latest_commits_is_refused_with_both_sizes(
    path: Path, tmp_path: Path
) -> None:
    async def dies() -> None:
        async with made("sqlite", tmp_path) as (log, secrets):
            service = Service(log, secrets, sign_every=60)
            await signed_at(service, 20)
            (tmp_path / "left").mkdir()
            # What is there when the machine stops, but for the write-ahead log.
            shutil.copy(path, tmp_path / "left")
            shutil.copytree(f"{path}.secrets", tmp_path / "left" / "table.db.secrets")

    asyncio.run(dies())
    refused = str(refusal(tmp_path / "left" / "table.db"))
    assert re.search(r"went back from 20 entries, signed in .*heads/table001, to 12;", refused)
    assert "restore the log" in refused
    assert "begin an epoch" in refused


def test_a_log_whose_table_is_gone_is_refused_too(path: Path) -> None:
    for left in path.parent.glob("table.db*"):
        if left.is_file():
            left.unlink()
    assert "went back from 12 entries" in str(refusal(path))
    with pytest.raises(Damaged, match="went back from 12 entries"):
        served(path, seated)


def test_a_log_that_went_back_and_on_again_is_not_what_was_signed(
    path: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    put_aside(path, away)
    served(path, lambda service: signed_at(service, 14))
    put_back(path, away)

    async def goes_on() -> None:
        async with made("sqlite", tmp_path) as (log, _):
            for seq in range(12, 20):
                other = commit(seq, 2**50, [TrackSet("narrator", "c1", "xr", seq)])
                assert isinstance(await log.append(TABLE, other, seq), Appended)

    asyncio.run(goes_on())
    assert "entries 12 to 13 are not all those that were signed" in str(refusal(path))


# --- the key --------------------------------------------------------------------------------------


def test_a_missing_key_is_named_and_no_other_is_made(path: Path) -> None:
    file_of(path, "key").unlink()
    refused = refusal(path)
    assert isinstance(refused, Refused)
    assert refused.why.startswith(f"{file_of(path, 'key')} is missing")

    async def another(service: Service) -> None:
        await seated(service, "table002")
        with pytest.raises(Refused, match="is missing"):
            await service.checkpoint("table002")

    served(path, another)
    assert not file_of(path, "key").exists()


def test_another_key_is_found_out(path: Path) -> None:
    file_of(path, "key").write_text("ab" * 32, "ascii")
    assert f"was not signed with the key in {file_of(path, 'key')}" in str(refusal(path))


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "ab" * 33])
def test_a_file_that_holds_no_key_is_damaged(path: Path, text: str) -> None:
    file_of(path, "key").write_text(text, "ascii")
    assert "holds no private key" in str(refusal(path))


def others_may_read(path: Path) -> None:
    """Let others read the key."""
    file_of(path, "key").chmod(0o640)


def others_may_write(path: Path) -> None:
    """Let others write where heads are kept."""
    file_of(path).parent.chmod(0o770)


@pytest.mark.skipif(os.name == "nt", reason="no modes")
@pytest.mark.parametrize("opened", [others_may_read, others_may_write])
def test_a_key_and_heads_are_their_owners_alone(path: Path, opened: Callable[[Path], None]) -> None:
    assert file_of(path, "key").stat().st_mode & 0o777 == 0o600
    opened(path)
    refused = refusal(path)
    assert isinstance(refused, Refused)
    assert refused.code == "unreadable"
    assert "is open to others than its owner" in refused.why
