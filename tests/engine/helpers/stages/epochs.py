"""What the tests of epochs share: throws, and the commitments that they answer."""

import shutil
from pathlib import Path

from tests.engine.helpers.stages.heads import file_of, put_aside, put_back, served
from tests.engine.helpers.stages.service import TABLE, declare, mark, seated
from urim.engine.core.commands import RollDice
from urim.engine.service import Service
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.events.roll import DiceRolled
from urim.events.table import EpochBegun
from urim.events.throw import commitment, throw_id

NONCE = "ab" * 32


async def thrown(service: Service, roll: int = 1, request: str | None = None) -> DiceRolled:
    """The first throw of a roll, answering whatever commitment is outstanding."""
    waiting = (await service.state(TABLE)).rolls[roll].outstanding
    assert waiting is not None
    command = RollDice(roll, "initiator", waiting.seq, NONCE)
    [entry] = await service.submit(TABLE, "p1", command, request)
    event = recorded(entry).event
    assert isinstance(event, DiceRolled)
    return event


def begins(entries: tuple[Entry, ...]) -> EpochBegun:
    """The one event of a commit that begins an epoch."""
    [entry] = entries
    event = recorded(entry).event
    assert isinstance(event, EpochBegun)
    assert entry.kind == "open"
    return event


async def outstanding(service: Service, roll: int = 1) -> str:
    """The commitment that a roll waits with."""
    waiting = (await service.state(TABLE)).rolls[roll].outstanding
    assert waiting is not None
    return waiting.commit


def fits(commit: str, seed: str | None, throw: int = 0, roll: int = 1, table: str = TABLE) -> bool:
    """Whether an opened seed is the one that was committed to."""
    id = throw_id(table, roll, throw)
    return commitment(id, bytes.fromhex(seed or "")).hex() == commit


def restored(folder: Path) -> Path:
    """A database restored from a backup of 6 entries, after a throw was made and 8 were signed.

    In the folder `away` are that backup, and the head that was the last one then.
    """
    found, away = folder / "table.db", folder / "away"
    away.mkdir()

    async def before(service: Service) -> None:
        await seated(service, dice="fair")
        await service.submit(TABLE, "p1", declare(), "a")
        await service.checkpoint(TABLE)

    async def after(service: Service) -> None:
        await thrown(service)
        await service.submit(TABLE, "narrator", mark(), "b")
        await service.checkpoint(TABLE)

    served(found, before)
    put_aside(found, away)
    shutil.copy(file_of(found), away)
    served(found, after)
    put_back(found, away)
    return found
