"""What a seat may have of two tables, and all that it is answered: equal but for random digests."""

import re
from collections.abc import Iterator
from typing import Any

from tests.pairs.play import Pair
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.moves import awaiting, legal_moves, moves
from urim.engine.core.view import view_of
from urim.engine.core.visibility import visible_part
from urim.engine.scenario.export import entry_lines
from urim.errors import Damaged, Refused
from urim.projections.history import history
from urim.projections.tables import TableState

DIGEST = re.compile(r"[0-9a-f]{64}")


def masked(value: Any) -> str:
    """A value as text, with its digests masked: they are random, and as long."""
    return DIGEST.sub("#" * 64, str(value))


def onlookers(pair: Pair) -> list[str]:
    """The seats that may see nothing of what differs; nobody's seat too."""
    seats = [*pair.states[0].seats, "nobody"]
    return [
        seat for seat in seats if all(_sees_nothing(table, seat, pair) for table in pair.states)
    ]


def _sees_nothing(table: TableState, seat: str, pair: Pair) -> bool:
    parts = {visible_part(table, seat, table.rolls[number]) for number in pair.differing}
    return parts <= {"nothing", "declaration"}  # what a blind roll declares is alike


def given(table: Aggregate, seat: str) -> Iterator[tuple[str, str]]:
    """All that a seat is shown of a table, each with a name."""
    state = table.opened
    for entry in table.view(seat):
        lengths = (len(entry.digest), len(entry.payload or b""), len(entry.salt or b""))
        yield f"entry {entry.seq}", masked((entry.at, entry.kind, entry.commit, lengths))
    here = seat in state.seats and state.seats[seat].here
    for line in entry_lines(table.entries, seat if here else ""):
        yield f"line {line['seq']}", masked(line)
    view = view_of(state, seat)
    yield "tracks", str({who: dict(own) for who, own in sorted(view.tracks.items())})
    yield "texts", str(sorted(view.texts.items()))
    yield "rolls", masked(sorted(f"{r.number} {r.state} {r.roll}" for r in view.rolls.values()))
    own = Aggregate(table.environment)
    try:
        own.load(table.view(seat))
    except Damaged as error:
        yield "history", str(error)
    else:
        yield "history", masked([*history(own.opened, own.records)])
    if here:
        yield "legal moves", masked(legal_moves(state, seat))
        yield "awaiting", masked(awaiting(state, seat))
        for number in range(1, state.next_roll + 1):
            yield f"moves of {number}", masked(_moves(state, seat, number))
        for name, answer in refusals(table, seat):
            yield name, masked(answer)


def _moves(state: TableState, seat: str, number: int) -> Any:
    try:
        return moves(state, seat, number)
    except Refused as error:
        return str(error)


def refusals(table: Aggregate, seat: str) -> Iterator[tuple[str, str]]:
    """What the seat is answered, whatever it asks: done, or why not."""
    for asking in probes(table.opened):
        try:
            done = table.prepare(seat, table.body(asking))
        except Refused as error:
            yield str(asking), f"{error.code} {error}"
        else:
            yield str(asking), f"done, {[entry.kind for entry in done.entries]}"


def probes(state: TableState) -> Iterator[c.AnyCommand]:
    """Commands about every roll and entry, right and wrong ones."""
    who = next(iter(sorted(state.characters)))
    for number in range(state.next_roll + 1):
        yield c.RollDice(number, "initiator")
        yield c.React(number, who, None)
        yield c.Freeze(number, "initiator", ())
        yield c.Reroll(number, "initiator", dice=("d1",))
        yield c.Choose(number, "location", "eye")
        yield from (c.Resolve(number), c.ApplyDamage(number), c.Reveal(number))
        yield from (c.Withdraw(number), c.PassOver(number), c.ReportWithheld(number))
        yield c.Witness(number, "ab" * 32)
        yield c.Rule(number, 3, "stands", text="ab" * 32)
        yield c.Veto(number, text="ab" * 32)
        yield c.Void(number, text="ab" * 32)
        yield c.Dispute(number, text="ab" * 32)
        yield c.Declare(who, {}, follows=(number, "soak"))
    for seq in range(state.size + 1):
        yield c.Erase(seq)
        yield c.Note(seq, "ab" * 32)


def differences(pair: Pair) -> Iterator[str]:
    """Where what an onlooker has of the one table is not what it has of the other."""
    one, other = pair.tables
    for seat in onlookers(pair):
        left, right = dict(given(one, seat)), dict(given(other, seat))
        for name in {**left, **right}:
            if left.get(name) != right.get(name):
                yield f"{seat}, {name}:\n  {left.get(name)}\n  {right.get(name)}"
