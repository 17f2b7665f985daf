"""A payload that is missing is damage in every reader, unless it is a text that an entry erases."""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import plays
from tests.engine.helpers.cli_runs import objects, urim
from tests.engine.helpers.stages.heads import past_triggers, served
from tests.engine.helpers.stages.service import TABLE, noting, seated
from tests.events.sqlite.runs import by_hand, on_log
from urim.engine.core.commands import Erase
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.errors import Damaged
from urim.events.codec import EVENTS, recorded
from urim.events.entry import TEXTS, Entry
from urim.events.log.sqlite import SqliteLog

PLAYED = (
    "age_of_magic/amend-attack", "milhamah/cliff", "milhamah/counter", "milhamah/dispute",
    "milhamah/handing-over", "milhamah/hidden-blind", "milhamah/names-and-notes",
    "majesty/adjusted-by-the-other", "milhamah/taken-away", "milhamah/veto-and-replacement",
    "sagatafl/lesson", "sagatafl/typed", "scarterra/wounds", "shares/broken",
    "shares/everybody",
)  # fmt: skip
"""Scenarios that have every event but that of an epoch."""

EMPTIED = "UPDATE entries SET salt = NULL, payload = NULL WHERE seq = {}"


class Place(NamedTuple):
    """An entry, the file that has it, and its table."""

    path: Path
    table: str
    entry: Entry


MADE = tuple(tag for tag in EVENTS if tag not in ("reading-set/1", "table-set/1"))
"""The events that commands make."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Place]:
    """An entry of every event's type, in files that nobody has open."""
    folder = tmp_path_factory.mktemp("whole")
    return {tag: place for path in files(folder) for tag, place in tagged(path)}


def files(folder: Path) -> Iterator[Path]:
    """A file for each scenario, and one of a service whose table has an epoch."""
    for number, name in enumerate(PLAYED):
        kept = plays.kept_of(plays.SCENARIOS / f"{name}.toml")
        table = kept.play.aggregate.opened.id
        path = folder / f"{number}.db"
        on_log(path, partial(SqliteLog.append, table=table, entries=kept.log, expected=0))
        yield path
    path = folder / "epoch.db"
    served(path, epoch)
    yield path


async def epoch(service: Service) -> None:
    """A table of fair dice that begins an epoch."""
    await seated(service)
    await service.begin_epoch(TABLE, restored=True)


def tagged(path: Path) -> Iterator[tuple[str, Place]]:
    """Each entry of a file's one table, with the type of its event."""

    async def everything(log: SqliteLog) -> tuple[str, tuple[Entry, ...]]:
        [table] = await log.tables()
        return table, await log.read(table)

    table, entries = on_log(path, everything)
    for entry in entries:
        if entry.payload is not None:
            yield str(recorded(entry).event.__struct_config__.tag), Place(path, table, entry)


def test_there_is_an_entry_of_every_type(places: Mapping[str, Place]) -> None:
    assert set(places) == set(MADE)


def test_the_file_keeps_every_payload_that_no_entry_erases(places: Mapping[str, Place]) -> None:
    for path, _, entry in places.values():
        with pytest.raises(sqlite3.IntegrityError, match=r"an entry changes only|is erased only"):
            by_hand(path, EMPTIED.format(entry.seq))


@pytest.mark.slow
def test_a_missing_payload_of_any_type_is_named_by_every_reader(
    places: Mapping[str, Place], tmp_path: Path
) -> None:
    for number, (tag, place) in enumerate(sorted(places.items())):
        path = emptied(place, tmp_path / f"{number}.db", place.entry.seq)
        for reader, work in READERS.items():
            with pytest.raises(Damaged, match="its payload is missing") as damage:
                work(path, place.table)
            assert damage.value.seq == place.entry.seq, (tag, reader)


def emptied(place: Place, path: Path, *seqs: int) -> Path:
    """A copy of a file in which the payloads of some entries are missing."""
    shutil.copy(place.path, path)
    secrets = f"{place.path.name}.secrets"
    if (place.path.parent / secrets).exists():
        shutil.copytree(place.path.parent / secrets, path.with_name(f"{path.name}.secrets"))
    past_triggers(path, *(EMPTIED.format(seq) for seq in seqs))
    return path


def checks(path: Path, _: str) -> None:
    """The log's own check."""
    on_log(path, lambda log: log.check())


def loads(path: Path, table: str) -> None:
    """A service that looks at the table."""
    served(path, lambda service: service.state(table))


READERS = {"the log's check": checks, "a service": loads}


def test_payloads_that_are_missing_together_are_damage_named_by_the_first(
    places: Mapping[str, Place], tmp_path: Path
) -> None:
    """As was found: a fair throw, its outcome and a track, and the roll was thrown again."""
    for number, tags in enumerate(
        (
            ("dice-rolled/1", "roll-resolved/1", "track-set/1"),
            ("text-said/1", "entry-erased/1"),
            MADE,
        )
    ):
        place = places[tags[0]]
        same = [each for tag in tags if (each := places[tag]).path == place.path]
        seqs = sorted(each.entry.seq for each in same)
        path = emptied(place, tmp_path / f"{number}.db", *seqs)
        for work in READERS.values():
            with pytest.raises(Damaged, match="its payload is missing") as damage:
                work(path, place.table)
            assert damage.value.seq == seqs[0]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("show {db} {table}", 2),
        ("tables {db}", 2),
        ("export {db} {table} --format jsonl", 2),
        ("export {db} {table} --format bundle", 2),
        ("export {db} {table} --format scenario", 2),
        ("replay {db} {table} --roll 1", 2),
        ("fairness {db} {table}", 2),
    ],
)
def test_every_command_refuses_a_log_with_a_missing_payload(
    places: Mapping[str, Place], tmp_path: Path, command: str, code: int
) -> None:
    for number, tag in enumerate(("dice-rolled/1", "track-set/1", "text-said/1")):
        place = places[tag]
        path = emptied(place, tmp_path / f"{number}.db", place.entry.seq)
        words = command.format(db=path, table=place.table).split()
        done = urim(*words, "--json")
        assert done.exit_code == code, done.output
        [found] = [each for each in objects(done.stdout) if each["type"] in ("error", "damaged")]
        assert found["seq"] == place.entry.seq
        assert done.exception is None or isinstance(done.exception, SystemExit)


def test_a_text_that_an_entry_erases_is_erased_and_nothing_else_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def work(service: Service) -> int:
        await seated(service)
        noted = await service.submit(TABLE, NARRATOR, noting("to be forgotten"))
        text = noted[-1]
        assert text.kind in TEXTS
        await service.submit(TABLE, NARRATOR, Erase(text.seq))
        return text.seq

    seq = served(path, work)
    checks(path, TABLE)
    loads(path, TABLE)
    [erased] = on_log(path, lambda log: log.read(TABLE, seq - 1, 1))
    assert erased.payload is None


def test_a_service_that_has_the_table_in_memory_refuses_what_another_left_damaged(
    tmp_path: Path,
) -> None:
    """Texts of another process come without their payload where it has erased them already."""
    path = tmp_path / "log.db"

    async def run(service: Service) -> None:
        await seated(service)
        log = await SqliteLog.open(path)
        other = Service(log, service._loader.secrets)  # noqa: SLF001 - the same secrets
        noted = await other.submit(TABLE, NARRATOR, noting("to be forgotten"))
        await other.close()
        await log.close()
        past_triggers(path, EMPTIED.format(noted[-1].seq))
        for _ in range(2):  # it is not forgotten after the first time
            with pytest.raises(Damaged, match="no entry erases it") as damage:
                await service.submit(TABLE, NARRATOR, noting("one more"))
            assert damage.value.seq == noted[-1].seq

    served(path, run)
