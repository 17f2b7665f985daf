"""A stand-in for `view_of` of engine/core: the table less the rolls that are hidden from a seat."""

from msgspec.structs import replace

from ...projections.rolls import evolve
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ..core.visibility import DECLARING, visible_part


def view_of(table: TableState, seat: str) -> TableState:
    """The table as one seat may see it."""
    gone = frozenset(
        seq
        for seq in range(table.size)
        if (number := table.entry_rolls.get(seq)) is not None
        and visible_part(table, seat, table.rolls[number]) == "nothing"
    )
    rolls, texts = table.rolls, table.texts
    for roll in list(table.rolls.values()):
        part = visible_part(table, seat, roll)
        if part == "nothing":
            rolls = rolls.delete(roll.number)  # type: ignore[attr-defined]
        elif part == "declaration":
            rolls = rolls.set(roll.number, _declared(table, roll))
    for about, written in list(table.texts.items()):
        left = tuple(each for each in written if each.seq not in gone)
        texts = texts.set(about, left) if left else texts.delete(about)
    return replace(table, rolls=rolls, texts=texts)


def _declared(table: TableState, roll: RollState) -> RollState:
    now: RollState | None = None
    for entry in roll.trail:
        if isinstance(entry.event, DECLARING):
            now = evolve(now, entry, table.game)
    return now or roll
