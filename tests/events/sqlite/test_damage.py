"""Flipped bits and removed files: what is damaged is named, what is gone is gone as a whole."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.events.sqlite.child import TABLES
from tests.events.sqlite.runs import by_hand, chance, commits_of, flip, kept_in, on_log, signed
from tests.sealing import sealed_raw
from urim.engine.testing.log.harness import ASK, TABLE, commit, erasing
from urim.errors import Damaged, Refused, Unavailable
from urim.events.entry import withhold
from urim.events.log.protocol import PAGE
from urim.events.log.sqlite import SqliteLog, rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of five entries in one table, which nobody has open."""
    path = tmp_path / "log.db"

    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(0, 5), 0)

    on_log(path, scenario)
    return path


# --- bits in rows ---------------------------------------------------------------------------------


def place_of(path: Path, seq: int, what: str) -> int:
    """Where in the file a part of an entry stands."""
    kept = commit(seq)[0]
    content = path.read_bytes()
    row = content.index(b"conform0", content.index(kept.digest) - 40)
    if what == "kind":
        return content.index(b"open", row)
    return content.index(getattr(kept, what), row)


def past_triggers(path: Path, *statements: str) -> None:
    """Run statements as somebody would who removes the triggers and puts them back."""
    connection = sqlite3.connect(path)
    is_trigger = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    triggers = connection.execute(is_trigger).fetchall()
    connection.close()
    by_hand(path, *(f"DROP TRIGGER {name}" for name, _ in triggers), *statements)
    by_hand(path, *(sql for _, sql in triggers))


@pytest.mark.sampled(16)
@pytest.mark.parametrize("seq", range(5))
@pytest.mark.parametrize("what", ["kind", "digest", "leaf", "salt", "payload"])
@pytest.mark.parametrize("bit", [0, 7])
def test_reading_names_the_entry_in_which_a_bit_was_flipped(
    path: Path, seq: int, what: str, bit: int
) -> None:
    flip(path, place_of(path, seq, what), bit)

    async def scenario(log: SqliteLog) -> None:
        assert await log.read(TABLE, -1, seq) == commit(0, seq)
        for after in (-1, seq - 1):
            with pytest.raises(Damaged) as damage:
                await log.read(TABLE, after)
            assert damage.value.seq == seq
        with pytest.raises(Damaged):
            await log.check()
        if seq == 4:
            with pytest.raises(Damaged):  # nothing is built on it
                await log.append(TABLE, commit(5), 5)

    on_log(path, scenario)


@pytest.mark.parametrize("place", range(1, 8))
def test_a_row_with_a_value_of_another_type_is_damaged(place: int) -> None:
    kept = commit(3)[0]
    row: list[object] = [kept.seq, kept.at, kept.kind, kept.digest, kept.leaf, kept.commit]
    row += [kept.salt, kept.payload]
    assert rows.entry_of(tuple(row)) == kept
    for other in ("x", 1.5, 7, b"x"):
        broken = tuple(other if turn == place else value for turn, value in enumerate(row))
        with pytest.raises(Damaged) as damage:
            rows.entry_of(broken)
        assert damage.value.seq == 3


@pytest.mark.parametrize(
    ("how", "seq"),
    [
        ("DELETE FROM entries WHERE seq = 2", 2),
        ("DELETE FROM entries WHERE seq = 0", 0),
        ("UPDATE entries SET at = at + 1 WHERE seq = 3", 3),
        ("UPDATE entries SET salt = NULL, payload = NULL, leaf = digest WHERE seq = 1", 1),
        ("UPDATE entries SET seq = 9 WHERE seq = 4", 4),
        ("UPDATE entries SET start = 1 WHERE seq = 3", 3),
        ("UPDATE entries SET start = 2 WHERE seq = 4", 4),
    ],
)
def test_what_was_done_past_the_triggers_is_named_too(path: Path, how: str, seq: int) -> None:
    past_triggers(path, how)
    with pytest.raises(Damaged) as damage:
        on_log(path, lambda log: log.read(TABLE))
    assert damage.value.seq == seq
    if how.startswith("DELETE"):
        assert damage.value.why.endswith(f"has no such entry, but entry {seq + 1}")


def test_the_check_finds_an_entry_of_a_commit_that_was_over_on_the_page_before(path: Path) -> None:
    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(5, 2 * PAGE), 5)
        await log.check()

    on_log(path, scenario)
    past_triggers(path, "UPDATE entries SET start = 254 WHERE seq = 256")
    assert PAGE == 256
    with pytest.raises(Damaged) as damage:
        on_log(path, lambda log: log.check())
    assert damage.value.seq == PAGE


@pytest.mark.parametrize("seq", [0, 1, PAGE - 2, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE - 1, 2 * PAGE])
def test_the_check_finds_a_payload_that_is_gone_on_every_page(path: Path, seq: int) -> None:
    on_log(path, lambda log: log.append(TABLE, commit(5, 2 * PAGE - 4), 5))
    emptied = "UPDATE entries SET salt = NULL, payload = NULL"
    past_triggers(path, f"{emptied} WHERE seq = {seq}")
    with pytest.raises(Damaged, match="its payload is missing") as damage:
        on_log(path, lambda log: log.check())
    assert damage.value.seq == seq


@pytest.mark.parametrize(
    ("how", "seq", "words"),
    [
        ("UPDATE commits SET mac = zeroblob(31)", None, "CHECK constraint failed"),
        ("UPDATE commits SET start = 3, stop = 9", 3, "a commit of entries 3 to 8 cannot be"),
        (
            "INSERT INTO commits VALUES ('conform0', 'p1', 'more', zeroblob(32), 4, 6)",
            5,
            "a commit of entries 5 to 7 cannot be",
        ),
    ],
)
def test_the_check_finds_commits_that_cannot_be(
    path: Path, how: str, seq: int | None, words: str
) -> None:
    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, commit(5, 3), 5, ASK)
        await log.append(TABLE, commit(8), 8, replace(ASK, id="ask-2"))  # right behind it
        await log.check()

    on_log(path, scenario)
    past_triggers(path, "PRAGMA ignore_check_constraints = ON", how)
    with pytest.raises(Damaged, match=words) as damage:
        on_log(path, lambda log: log.check())
    assert damage.value.seq == seq


@pytest.mark.parametrize("size", [5, 6, 7, 8])
def test_an_answer_whose_last_entries_are_gone_names_the_first_of_them(
    path: Path, size: int
) -> None:
    on_log(path, lambda log: log.append(TABLE, commit(5, 4), 5, ASK))
    past_triggers(path, f"DELETE FROM entries WHERE seq >= {size}")  # noqa: S608
    with pytest.raises(Damaged, match="ends inside a commit") as damage:
        on_log(path, lambda log: log.answered(TABLE, ASK.seat, ASK.id))
    assert damage.value.seq == size


@pytest.mark.parametrize("name", [b"entries_stay", b"commits", b"CREATE TABLE entries"])
def test_names_that_are_no_text_any_more_are_damage_too(path: Path, name: bytes) -> None:
    flip(path, path.read_bytes().index(name), 7)
    with pytest.raises(Damaged, match=str(path)):
        kept_in(path)


@pytest.mark.prove
def test_no_flipped_bit_anywhere_passes_for_another_history(
    path: Path, tmp_path: Path, count: int, seed: int
) -> None:
    luck = chance("flip", seed)
    size = path.stat().st_size
    caught = 0
    for turn in range(min(count, 2_000)):
        broken = tmp_path / "broken.db"
        shutil.copy(path, broken)
        flip(broken, luck.randrange(size), luck.randrange(8))
        try:
            # Bits of unused space and of settings of no weight may pass: the entries are the same.
            assert kept_in(broken) == {TABLE: commit(0, 5)}, turn
        except (Damaged, Refused, Unavailable):
            caught += 1
        for left in tmp_path.glob("broken.db*"):
            left.unlink()
    assert caught


# --- files removed --------------------------------------------------------------------------------


def torn_away(path: Path, away: Path) -> list[int]:
    """Copy a log's files as they are when its process dies; the sizes after each commit."""
    sizes = [0]

    async def scenario(log: SqliteLog) -> None:
        for turn in range(10):
            made = signed(sizes[-1], 1 + turn % 3, "lost", turn)
            await log.append(TABLES[0], made, sizes[-1])
            sizes.append(sizes[-1] + len(made))
        for each in path.parent.glob(f"{path.name}*"):
            shutil.copy(each, away / each.name)

    on_log(path, scenario)
    return sizes


@pytest.fixture
def away(tmp_path: Path) -> Path:
    """A folder for what a dead process left behind."""
    folder = tmp_path / "away"
    folder.mkdir()
    return folder


def test_the_shared_memory_file_may_go(path: Path, away: Path) -> None:
    sizes = torn_away(path, away)
    (away / "log.db-shm").unlink()
    assert len(kept_in(away / "log.db")[TABLES[0]]) == sizes[-1]


def test_without_the_write_ahead_log_the_latest_commits_are_gone_as_a_whole(
    path: Path, away: Path
) -> None:
    sizes = torn_away(path, away)
    (away / "log.db-wal").unlink()
    (away / "log.db-shm").unlink()  # which would tell: see test_wal.py
    left = kept_in(away / "log.db")
    assert left[TABLE] == commit(0, 5)
    size = len(left.get(TABLES[0], ()))
    assert size in sizes
    assert size < sizes[-1]

    async def scenario(log: SqliteLog) -> None:
        # Whoever had been acknowledged learns that the log is shorter than that.
        with pytest.raises(Refused, match=f"the log has {size}"):
            await log.append(TABLES[0], signed(sizes[-1], 1, "late", 0), sizes[-1])

    on_log(away / "log.db", scenario)


@pytest.mark.prove
def test_a_write_ahead_log_cut_off_anywhere_leaves_whole_commits(
    path: Path, away: Path, count: int, seed: int
) -> None:
    sizes = torn_away(path, away)
    luck = chance("cut", seed)
    (away / "log.db-shm").unlink()  # as above
    whole = {each.name: each.read_bytes() for each in away.iterdir()}
    for _ in range(min(count, 500)):
        for name, content in whole.items():
            (away / name).write_bytes(content)
        wal = whole["log.db-wal"]
        (away / "log.db-wal").write_bytes(wal[: luck.randrange(len(wal))])
        left = kept_in(away / "log.db").get(TABLES[0], ())
        assert len(left) in sizes
        commits_of(left)


# --- what was erased ------------------------------------------------------------------------------


def test_erased_bytes_are_in_no_file_any_more(tmp_path: Path) -> None:
    path = tmp_path / "erased.db"
    name = b"a name that somebody wants to be forgotten"
    small = sealed_raw(0, 0, b'"%s"' % name, b"salt of the one that is erased!!", "text")
    large = sealed_raw(
        1, 0, b'"%s"' % (name * 500), b"salt of another that is erased!!", "hidden-text"
    )
    left = sealed_raw(2, 0, b'"kept"', b"salt of the entry that remains!!")

    def held(part: bytes) -> bool:
        return any(part in each.read_bytes() for each in tmp_path.glob("erased.db*"))

    async def scenario(log: SqliteLog) -> None:
        await log.append(TABLE, [small, large, left, erasing(3, 0), erasing(4, 1)], 0)
        await log.append(TABLE, commit(5, 200), 5)

    async def erase(log: SqliteLog) -> None:
        await log.erase(TABLE, 0)
        await log.erase(TABLE, 1)
        await log.check()
        await log.scrubbed()
        assert (await log.read(TABLE))[:3] == (withhold(small), withhold(large), left)
        assert wal_of(path).stat().st_size == 0

    on_log(path, scenario)
    assert held(name)
    on_log(path, erase)
    assert not held(name)
    assert not held(b"salt of the one")
    assert not held(b"salt of another")
    assert held(b"salt of the entry that remains")


def wal_of(path: Path) -> Path:
    """The write-ahead log beside a file."""
    return path.with_name(f"{path.name}-wal")
