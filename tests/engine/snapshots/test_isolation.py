"""A state that was taken before later snapshots answers as it did, or says that it is outdated."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.snapshotted import SYSTEM, ask, copied, evening, often, requests, run
from tests.pairs.play import TABLE
from urim.engine.core.commands import BreakThrow
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.reading import Reading, read_by
from urim.engine.snapshots.kind import Outdated
from urim.engine.testing.kit.luck import Luck
from urim.errors import Refused
from urim.projections.tables import TableState
from urim.rules.words import ENGLISH

pytestmark = pytest.mark.usefixtures(often.__name__)


def questions(state: TableState, readings: list[Reading]) -> Iterator[Callable[[], Any]]:
    """What can be asked of a state and what seats read of it, piece by piece."""
    for number in range(1, state.next_roll):
        yield partial(state.rolls.get, number)
        yield partial(state.following.get, number)
    for seq in range(state.size):
        yield partial(state.writings.get, seq)
        yield partial(state.entry_rolls.get, seq)
        yield partial(state.texts.get, f"entry:{seq}")
    yield lambda: state.timeline.moments(0, state.size)
    yield lambda: (len(state.rolls), dict(state.tracks), dict(state.seats))
    for reading in readings:
        yield partial(reading.sight, ENGLISH)
        yield partial(reading.legal_moves, ENGLISH)
        yield partial(reading.waiting, ENGLISH)
        for number in range(1, state.next_roll):
            yield partial(reading.account, number, ENGLISH)


def answer(question: Callable[[], Any]) -> Any:
    """What is answered: what it is refused with, or Outdated."""
    try:
        return question()
    except Refused as error:
        return error.code, error.why
    except Outdated:
        return Outdated


@pytest.mark.slow
@pytest.mark.prove
def test_what_was_taken_before_is_never_mixed_with_what_came_later(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck, seen = Luck(f"isolation {seed}"), Counter[str]()
    taken: list[tuple[list[Callable[[], Any]], list[Any]]] = []

    def look_again(asked: list[Callable[[], Any]], before: list[Any]) -> None:
        for question, old in zip(asked, before, strict=True):
            now = answer(question)
            assert now == old or now is Outdated, (question, old, now)
            seen["outdated" if now is Outdated else "as before"] += 1

    async def work(service: Service) -> None:
        asked = requests(SYSTEM, f"isolation-{seed}", max(100, count))[8:]
        for number, (seat, asking) in enumerate(asked):
            done = await ask(service, seat, asking, f"isolation-{number}")
            waits = (await service.aggregate(TABLE)).opened.ask
            if not done and waits is not None:  # for shares of other chains than this table's
                await ask(service, NARRATOR, BreakThrow(waits.roll), f"broken-{number}")
            await asyncio.sleep(0.002)
            if luck.one_in(4):
                table = await service.aggregate(TABLE)
                state = table.opened
                known = [read_by(table, seat) for seat in sorted(state.seats)]
                found = list(questions(state, known))
                taken.append((found, [answer(each) for each in found]))
            if taken and luck.one_in(4):
                look_again(*luck.one_of(taken))
        for each in taken:
            look_again(*each)

    run(work, copied(evening()[0], tmp_path / "copy"))
    tried(", ".join(f"{number:,} answers {what}" for what, number in seen.items()))
    assert seen["as before"]
    assert seen["outdated"]
