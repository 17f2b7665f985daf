"""When the power fails, a service loses nothing that it acknowledged: entries, secrets or heads.

Killing it cannot show this, because the system keeps what was written and not synced. strace
records a whole life, and the states that a crash may leave are made from it.
"""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.service.life import DATABASE, LIFE, Promise, kept, promises
from tests.events.crashes import Disk, Files, put
from tests.events.sqlite.runs import chance
from tests.events.traced import Call, must_trace, record

pytestmark = pytest.mark.xdist_group("strace of services")

CHILD = ("tests.engine.service.child", "live")


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    """All that a service asked of its disk in its life, and what it reported."""
    must_trace()
    folder = tmp_path_factory.mktemp("traced") / "life"
    folder.mkdir()
    return record(folder, *CHILD, str(folder), *LIFE)


def moments(
    calls: list[Call], how_many: int, seed: int
) -> Iterator[tuple[int, list[Promise], Files]]:
    """States after crashes at random moments, each with what had been acknowledged by then."""
    luck = chance("crash of a service", seed)
    disk, lines, done = Disk(), list[str](), 0
    for moment in sorted(luck.randint(0, len(calls)) for _ in range(how_many)):
        for call in calls[done:moment]:
            disk.do(call)
            if call.what == "say":
                lines.append(call.data.decode().removesuffix("\n"))
        done = moment
        yield moment, promises(lines), disk.after_crash(luck)


@pytest.mark.prove
def test_no_crash_loses_what_a_service_acknowledged(
    life: list[Call], tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    how_many = min(2_000, max(5, count // 5 if count < 100 else count))
    aside = unfinished = 0
    for moment, promised, files in moments(life, how_many, seed):
        folder = tmp_path / "state"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        put(files, folder)
        try:
            asyncio.run(kept(folder, promised))
        except BaseException as error:
            error.add_note(f"moment {moment} of {len(life)}, of {sorted(files)}")
            raise
        left = {path.name for path in (folder / f"{DATABASE}.secrets").rglob("*")}
        aside += any(name.endswith(".aside") for name in left)
        unfinished += any(len(name.rpartition(".")[2]) == 16 for name in left)
    tried(
        f"{how_many} crash states of {len(life):,} calls, {aside} with a secret set aside, "
        f"{unfinished} with an unfinished file"
    )


def test_the_traced_life_has_all_that_a_service_does_to_its_disk(life: list[Call]) -> None:
    disk = Disk()
    for call in life:
        disk.do(call)
    kinds = {"create", "unlink", "rename", "link", "mkdir", "sync", "write", "truncate"}
    assert {call.what for call in life} == kinds | {"say"}
    secrets = f"{DATABASE}.secrets"
    tables = {f"{secrets}/{name}" for name in ("table001", "table002", "table001.epoch-1")}
    heads = {f"{secrets}/heads", f"{secrets}/heads/table001", f"{secrets}/heads/table002"}
    assert tables | heads | {DATABASE, secrets, f"{secrets}/key"} <= set(disk.names)
    lines = [call.data.decode() for call in life if call.what == "say"]
    assert len(promises(lines)) == sum(map(len, LIFE.values()))
