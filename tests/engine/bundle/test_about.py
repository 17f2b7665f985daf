"""What a bundle about one roll holds, found by an index, is what a look at every entry finds."""

from collections.abc import Iterable, Sequence

import pytest

from tests.engine.helpers.audited import forged
from tests.engine.helpers.bundle_lines import objects
from tests.engine.helpers.bundles import KEY, Log, honest, note_of
from tests.engine.helpers.tables.evening import evening
from tests.engine.helpers.tables.forging import head
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.bundle.about import as_given, chain_of
from urim.engine.bundle.write import bundle_of, write_bundle
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import Declare, Erase, Note
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused
from urim.events.checkpoint import Key, read_key
from urim.events.codec import Event, recorded
from urim.events.entry import Entry
from urim.events.roll import RollDeclared, RollEventBase
from urim.events.table import EntryErased, Noted, TextSaid

SEATS = ("", "p1", "p2", NARRATOR)


def held_of(entries: Sequence[Entry], roll: int) -> list[int]:
    """The places of what a bundle about a roll holds, as docs/bundle.md says it."""
    events = {entry.seq: recorded(entry).event for entry in entries if entry.payload is not None}
    rolls = chained(events.values(), roll)
    wanted = {
        seq
        for seq, event in events.items()
        if isinstance(event, RollEventBase) and event.roll in rolls
    }
    for seq, event in events.items():  # in log order: a note may be about a note
        if isinstance(event, Noted) and event.about in wanted:
            wanted.add(seq)
    apart = (RollEventBase, Noted, TextSaid, EntryErased)
    last = max(wanted)
    wanted |= {seq for seq, e in events.items() if seq <= last and not isinstance(e, apart)}
    commits = {entries[seq].commit for seq in wanted}
    wanted = {entry.seq for entry in entries if entry.commit in commits}
    erased = {s for s, e in events.items() if isinstance(e, EntryErased) and e.seq in wanted}
    return sorted(wanted | erased)


def chained(events: Iterable[Event], roll: int) -> set[int]:
    """The roll, all above it that can be seen, and all that follow one of them."""
    declared = [event for event in events if isinstance(event, RollDeclared)]
    above = {event.roll: event.follows[0] for event in declared if event.follows}
    first = roll
    while first in above:
        first = above[first]
    found = {first}
    for number in sorted(above):  # followers are declared later
        if above[number] in found:
            found.add(number)
    return found


def seen_rolls(view: Sequence[Entry]) -> list[int]:
    """The rolls whose declaration is in a view."""
    events = (recorded(entry).event for entry in view if entry.payload is not None)
    return [event.roll for event in events if isinstance(event, RollDeclared)]


def same(aggregate: Aggregate, note: bytes, keys: Sequence[Key], seats: Iterable[str]) -> int:
    """Compare the bundles of all rolls; gives how many there were."""
    seen = 0
    for seat in seats:
        view = aggregate.view(seat)
        for roll in seen_rolls(view):
            lines = [*bundle_of(aggregate, seat, note, keys, roll)]
            assert [line["seq"] for line in objects(b"".join(lines))[1:-1]] == held_of(view, roll)
            assert lines == [*write_bundle(view, note, keys, roll)]
            seen += 1
        unseen = set(range(1, aggregate.index.highest + 1)) - set(seen_rolls(view))
        for roll in (*unseen, len(aggregate.opened.rolls) + 1):
            with pytest.raises(Refused) as indexed:
                bundle_of(aggregate, seat, note, keys, roll)
            with pytest.raises(Refused) as looked:
                write_bundle(view, note, keys, roll)
            assert indexed.value.listed() == looked.value.listed()
            assert indexed.value.allowed == tuple(map(str, seen_rolls(view)))[:20]
    return seen


@pytest.mark.slow
def test_every_roll_of_any_table_comes_with_what_a_look_at_every_entry_finds(count: int) -> None:
    rolls = 0
    for number in range(max(10, count // 5)):
        table = evening([*TRIALS][number % len(TRIALS)], number, 20)
        keys = [read_key(table.host.vkey)]
        rolls += same(table.host.aggregate, head(table.host), keys, SEATS)
    assert rolls > 100


def test_every_roll_of_the_golden_table_does_too() -> None:
    note = note_of(honest().entries)
    assert same(honest().aggregate, note, [KEY], SEATS) > 10


def test_a_note_about_a_note_belongs_to_its_roll_and_one_about_its_text_does_not() -> None:
    log = Log()
    roll = log.declare()
    first = log.ask("p1", Note(log.size - 1), "One.")
    second = log.ask("p2", Note(first), "Two.")
    log.ask("p2", Note(second + 1), "About the words.")
    erased = log.ask("p2", Erase(second + 1))
    log.declare()
    assert same(log.aggregate, note_of(log.entries), [KEY], ("", "p1", NARRATOR)) == 6
    found = objects(b"".join(bundle_of(log.aggregate, "", note_of(log.entries), [KEY], roll)))[1:-1]
    assert [line["seq"] for line in found] == [*range(second + 2), erased]


def test_a_roll_is_not_shown_by_the_one_that_follows_it_in_the_dark() -> None:
    log = Log()
    log.declare(visibility="gm")
    log.ask("p1", Declare("c1", {"root": "רוח", "rating": 2}))
    assert same(log.aggregate, note_of(log.entries), [KEY], ("", "p2", "p1", NARRATOR)) == 6


def test_a_smaller_checkpoint_leaves_out_what_came_later_of_a_roll_too() -> None:
    log = Log()
    roll = log.declare()
    noted = log.ask("p1", Note(log.size - 1), "One.")
    size = log.size
    log.ask("p1", Erase(noted + 1))
    log.throw(roll)
    note = note_of(log.entries, size)
    lines = objects(b"".join(bundle_of(log.aggregate, "", note, [KEY], roll)))[1:-1]
    assert [line["seq"] for line in lines] == [*range(size)]


@pytest.mark.parametrize(
    "above",
    [{1: 1}, {2: 2, 3: 2}, {2: 3, 3: 2}, {1: 3, 2: 1, 3: 2}],
    ids=["itself", "itself, and one behind it", "two each other", "three in a circle"],
)
def test_rolls_that_follow_in_a_circle_are_found_once(above: dict[int, int]) -> None:
    """Only a forged log has any."""
    entries: Sequence[Entry] = honest().entries
    events = {each.seq: recorded(each).event for each in entries if each.payload is not None}
    declared = [seq for seq, event in events.items() if isinstance(event, RollDeclared)]
    for roll, first in above.items():
        entries = forged(entries, declared[roll - 1], follows=(first, "counter"))
    shown = as_given(entries, whole=False)
    for roll in above:
        assert chain_of(shown, roll) == {*above}
