"""What a seat may have of two tables, and all that it is answered: equal but for random digests."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.engine.helpers.bundles import PRIVATE
from tests.pairs.play import TABLE, Pair
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import apart
from urim.engine.core.moves import legal_moves, moves
from urim.engine.core.odds import question
from urim.engine.core.view import view_of
from urim.engine.core.visibility import visible_part
from urim.engine.scenario.export import entry_lines
from urim.engine.service.feed import Feed
from urim.engine.service.reading import Given, read_by
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.log.bell import Bell
from urim.projections.history import history
from urim.projections.tables import TableState
from urim.rules.words import ENGLISH

DIGEST = re.compile(r"[0-9a-f]{64}")

SIGNED = re.compile(r"[A-Za-z0-9+/]{43,}=*")
"""A root, a signature or a key, as notes have them."""

KEY = public_key(f"urim.local/t/{TABLE}", PRIVATE)


def masked(value: Any) -> str:
    """A value as text, with its digests masked: they are random, and as long."""
    return DIGEST.sub("#" * 64, str(value))


def _bundle(table: Aggregate, seat: str) -> str:
    """The bundle that the seat is given; what its head signs is random, and as long."""
    root = table.frontier.root()
    note = sign(Checkpoint(f"urim.local/t/{TABLE}", len(table.entries), root), PRIVATE)
    lines = b"".join(bundle_of(table, seat, note, [KEY])).decode()
    return SIGNED.sub(lambda found: "#" * len(found[0]), lines)


def onlookers(pair: Pair) -> list[str]:
    """The seats that may see nothing of what differs; nobody's seat too.

    Nor could they ever, where the tables went on in different rolls.
    """
    known = {seat for number in pair.swapped for seat in pair.sighted[number]}
    seats = [seat for seat in (*pair.states[0].seats, "nobody") if seat not in known]
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
    for number in range(state.next_roll + 1):
        yield f"lines of {number}", answer(partial(_lines, table, seat if here else "", number))
    yield "bundle", masked(_bundle(table, seat if here else ""))
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
        yield from read(table, seat)
        for name, found in refusals(table, seat):
            yield name, masked(found)


def _lines(table: Aggregate, seat: str, number: int) -> list[dict[str, Any]]:
    return list(entry_lines(table.entries, seat, number))


def answer(call: Callable[[], Any]) -> str:
    """What a call gives, or refuses with."""
    try:
        return masked(call())
    except Refused as error:
        return masked(f"{error.code} {error} {error.allowed} {error.left_out}")


def read(table: Aggregate, seat: str) -> Iterator[tuple[str, str]]:
    """All that a service reads out to the seat."""
    state, known = table.opened, read_by(table, seat)
    yield "sight", answer(lambda: known.sight(ENGLISH))
    yield "legal moves", answer(lambda: legal_moves(state, seat))
    yield "legal moves in words", answer(lambda: known.legal_moves(ENGLISH))
    yield "awaiting", answer(lambda: known.awaiting(ENGLISH))
    yield "awaited", answer(lambda: known.awaited(ENGLISH))
    who, fields = min(state.characters), state.game.ruleset.Declaration.__struct_fields__
    for name in fields:
        yield f"choices of {name}", answer(partial(known.choices, who, name, {}))
    name = state.game.ruleset.Reaction.__struct_fields__[0]
    for number in range(state.next_roll + 1):
        yield f"moves of {number}", answer(partial(moves, state, seat, number))
        yield f"odds of {number}", answer(partial(question, known.view, number))
        yield f"account of {number}", answer(partial(known.account, number, ENGLISH))
        given: Given = {"reacts_to": number}
        yield f"choices in {number}", answer(partial(known.choices, who, name, given))
    for asking in probes(state):
        yield f"preview of {asking}", answer(partial(known.preview, asking, ENGLISH))


def fed(pair: Pair, at: int, seat: str) -> Iterator[tuple[str, str]]:
    """What a feed sends to the seat, from the beginning and from later on.

    Not to one that took part in a roll that differs, at one of the tables, and takes part no more:
    it is sent what it lost.
    """
    table, state = pair.tables[at], pair.states[at]
    rolls = (state.rolls[number] for number in pair.differing)
    lost = (pair.sighted[roll.number] for roll in rolls if roll.visibility != "blind")
    if (
        seat not in state.seats
        or not state.seats[seat].here
        or any(seat in seats for seats in lost)
    ):
        return
    size = len(table.entries)
    feed = Feed(state.id, Bell())
    feed.advance(table)
    for after in (-1, size // 3, size - 2):
        yield f"feed after {after}", masked([*feed.history(seat, feed.start_of(seat, after), size)])


def answered(pair: Pair, at: int, seat: str) -> Iterator[tuple[str, str]]:
    """The seat's requests asked again."""
    table = pair.tables[at]
    for number, (seats, asked) in enumerate(pair.requests):
        if seats == (seat, seat):
            command, _ = apart(asked[at])
            found = table.answered(seat, f"r{number}", table.body(command)) or ()
            lengths = [(each.seq, each.kind, len(each.payload or b"")) for each in found]
            yield f"request {number}", masked(lengths)


def misfolded(table: Aggregate) -> Iterator[str]:
    """The seats, those in the open too, whose own fold is not what the host shows them."""
    state = table.opened
    for seat in (*state.seats, "nobody", ""):
        own, view = Aggregate(table.environment), view_of(state, seat)
        try:
            own.load(table.view(seat))
        except Damaged as error:
            yield f"{seat}: {error}"
            continue
        for name in view.__struct_fields__:
            if getattr(own.opened, name) != getattr(view, name):
                yield f"{seat}, {name}: {getattr(own.opened, name)}\n  {getattr(view, name)}"
        if view_of(view, seat) is not view:
            yield f"{seat}: the view of its view is another"


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
        yield from (c.Withdraw(number), c.BreakThrow(number), c.OpenShare(number, "ab" * 32))
        yield c.Ask(number, "initiator", 3, ("p1", "p2"))
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
    for table in pair.tables:
        yield from misfolded(table)
    for seat in onlookers(pair):
        left = dict([*given(one, seat), *answered(pair, 0, seat), *fed(pair, 0, seat)])
        right = dict([*given(other, seat), *answered(pair, 1, seat), *fed(pair, 1, seat)])
        for name in {**left, **right}:
            if left.get(name) != right.get(name):
                yield f"{seat}, {name}:\n  {left.get(name)}\n  {right.get(name)}"
