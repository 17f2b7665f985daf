"""Nobody can tell apart two tables that are equal but for hidden contents."""

from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from msgspec.structs import replace

from tests.engine.helpers.tables.trials import TRIALS
from tests.pairs.compare import differences, onlookers
from tests.pairs.play import Pair
from urim.engine.core import aggregate, decide, machine, moves
from urim.engine.core.visibility import redacted
from urim.events.codec import RecordedEvent
from urim.events.entry import Entry
from urim.projections import tables
from urim.projections.tables import TableState
from urim.projections.tracks import applied

STEPS = 60
"""What happens at a table, at most as often; looked at in the middle and at the end."""

LOOKS = (20, 40, 60)

MORE = 5
"""Pairs, at most, that are played beyond the count."""


def played(system: str, seed: str) -> tuple[Pair, list[str]]:
    """A pair, and what an onlooker could tell."""
    pair = Pair(system, seed)
    for at in range(1, STEPS + 1):
        pair.step()
        if at in LOOKS:
            found = [*differences(pair)]
            if found:
                return pair, found
    return pair, []


@pytest.mark.sampled(1)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_nobody_can_tell_two_tables_apart_by_what_is_hidden(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Plays a pair for every 25 that the count asks for, and for each of a large one.

    A few more, where too little was hidden in them that differs.
    """
    pairs = count if count >= 300 else -(-count // 25)
    seen = Counter[str]()
    for number in range(pairs + MORE):
        if number >= pairs and seen["rolls that differ"] >= pairs / 2:
            break
        pair, found = played(system, f"{seed}-{system}-{number}")
        assert not found, "\n".join([*found[:3], *pair.said])
        seen["pairs"] += 1
        seen["rolls that differ"] += len(pair.differing)
        seen["onlookers"] += len(onlookers(pair))
    assert seen["rolls that differ"] >= pairs / 2
    tried(", ".join(f"{count:,} {what}" for what, count in seen.items()))


# --- a build that shows one thing more is caught --------------------------------------------------


def prices_at_once(patch: pytest.MonkeyPatch) -> None:
    """What a hidden roll spends counts before its reveal."""

    def counted(
        state: TableState | None, record: RecordedEvent, rulesets: tables.Rulesets
    ) -> TableState:
        after = tables.fold(state, record, rulesets)
        roll = after.rolls.get(getattr(record.event, "roll", 0))
        if roll is None or not roll.hidden:
            return after
        effects = getattr(record.event, "effects", ())
        return replace(after, tracks=applied(after.game, after.tracks, effects))

    patch.setattr(aggregate, "fold", counted)


def whole_refusals(patch: pytest.MonkeyPatch) -> None:
    """A refusal is worded from the whole table, and names the state of a roll."""
    patch.setattr(aggregate, "refusal_of", lambda table, seat, error, again: error)
    patch.setattr(machine, "must_see", lambda table, seat, roll: None)
    patch.setattr(decide, "must_know", lambda table, seat, roll, trigger: None)


def whole_moves(patch: pytest.MonkeyPatch) -> None:
    """Moves are those of the whole table, of rolls too that the seat may not see."""
    patch.setattr(moves, "view_of", lambda table, seat: table)
    patch.setattr(machine, "must_see", lambda table, seat, roll: None)


def hidden_texts(patch: pytest.MonkeyPatch) -> None:
    """The texts of hidden rolls are given away."""

    def shown(table: TableState, seat: str, entry: Entry) -> Entry:
        return entry if entry.kind == "hidden-text" else redacted(table, seat, entry)

    patch.setattr(aggregate, "redacted", shown)


def one_bit(patch: pytest.MonkeyPatch) -> None:
    """The time of a withheld entry tells whether its payload's length is odd."""

    def shown(table: TableState, seat: str, entry: Entry) -> Entry:
        found = redacted(table, seat, entry)
        odd = len(entry.payload or b"") % 2
        return replace(found, at=found.at + odd) if found.payload is None else found

    patch.setattr(aggregate, "redacted", shown)


PLANTED: Mapping[Callable[[pytest.MonkeyPatch], None], tuple[str, int]] = {
    prices_at_once: ("age_of_magic", 2),
    whole_refusals: ("milhamah", 5),
    whole_moves: ("milhamah", 5),
    hidden_texts: ("majesty", 5),
    one_bit: ("sagatafl", 1),
}
"""What a build shows too much, the system by which it is caught, and the pair to begin with."""

TRIES = 12


@pytest.mark.sampled(3)
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_build_that_shows_more_is_caught(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    system, first = PLANTED[plant]
    assert any(played(system, f"planted-{first + number}")[1] for number in range(TRIES))
