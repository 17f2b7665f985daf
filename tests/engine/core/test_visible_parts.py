"""The index of what each seat may see says of every moment what the state of that moment says."""

import weakref
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given

from tests.engine.helpers.stage import NATURAL, ROOT, fight
from tests.engine.helpers.stages.evening import (
    DICE,
    OPENING,
    SEATS,
    TABLE,
    Step,
    asked_by,
    steps,
)
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import offers
from urim.engine.core.view import view_of
from urim.engine.core.visibility import redacted, visible_part
from urim.errors import Refused
from urim.events.entry import HIDDEN
from urim.projections.tables import TableState

EVERYBODY = (*SEATS, "p4", "nobody")


def played(evening: list[Step]) -> Aggregate:
    """The table after an evening."""
    aggregate = Aggregate(environment(DICE))
    aggregate.submit(NARRATOR, c.OpenTable(TABLE, "milhamah", {}, DICE))
    for seat, asking in OPENING:
        aggregate.submit(seat, asking)
    for step in evening:
        try:
            aggregate.submit(*asked_by(aggregate.opened, step))
        except Refused:
            continue
    return aggregate


def reloaded(aggregate: Aggregate, size: int | None = None) -> Aggregate:
    """A table loaded from the first entries of another."""
    again = Aggregate(environment(DICE))
    again.load(aggregate.entries[:size])
    return again


def ends(aggregate: Aggregate) -> list[int]:
    """The sizes after each commit."""
    firsts = [entry.seq for entry in aggregate.entries if entry.commit == entry.seq]
    return [*firsts[1:], len(aggregate.entries)]


@pytest.mark.prove
@given(evening=steps)
def test_a_view_that_is_brought_forward_is_the_one_that_is_made_anew(evening: list[Step]) -> None:
    aggregate = played([])
    for step in evening:
        for seat in EVERYBODY:
            view_of(aggregate.opened, seat)
        try:
            aggregate.submit(*asked_by(aggregate.opened, step))
        except Refused:
            continue
        views = {seat: view_of(aggregate.opened, seat) for seat in EVERYBODY}
        for seat, view in views.items():
            assert view == anew(aggregate.opened, seat)


def test_a_view_is_made_anew_where_a_seat_takes_part_from_now_on() -> None:
    table, etgar, toad = fight()
    for opponent in (toad.id, None):
        table.declare(etgar, visibility="gm", root=ROOT, rating=2, opponent=opponent)
    for number, now in ((1, None), (2, toad.id)):
        before = number in view_of(table.state, "p2").rolls
        table.submit(NARRATOR, c.worded(c.Replace(number, {"opponent": now}), "It was another."))
        view = view_of(table.state, "p2")
        assert (number in view.rolls) != before
        assert view == anew(table.state, "p2")


def test_views_are_forgotten_with_their_state() -> None:
    table, etgar, toad = fight()
    table.declare(etgar, visibility="gm", root=ROOT, rating=2, opponent=toad.id)
    state = weakref.ref(table.state)
    for seat in table.state.seats:
        view_of(table.state, seat)
    table.submit("p2", c.React(1, "c2"))
    offers(table.state, table.state.rolls[1])  # which remembers the latest state too
    assert state() is None


def anew(state: TableState, seat: str) -> TableState:
    """The view of a state that nobody has asked about."""
    return view_of(msgspec.structs.replace(state), seat)


@pytest.mark.prove
@given(evening=steps)
def test_what_a_seat_could_see_then_is_known_later(evening: list[Step]) -> None:
    live = played(evening)
    for aggregate in (live, reloaded(live)):
        for size in ends(live):
            then = reloaded(live, size)
            for seat in EVERYBODY:
                for roll in then.opened.rolls.values():
                    if roll.visibility != "public":
                        part = aggregate.visible_parts.part(roll.number, seat, size - 1)
                        assert part == visible_part(then.opened, seat, roll)
                for entry, record in zip(then.entries, then.records, strict=True):
                    if entry.kind in HIDDEN and record is not None:
                        seen = redacted(then.opened, seat, entry).payload is not None
                        assert aggregate.visible_parts.shown(seat, entry.seq, size - 1) == seen


@pytest.mark.prove
@given(evening=steps)
def test_what_a_commit_shows_or_hides_is_known(evening: list[Step]) -> None:
    live = played(evening)
    sizes = ends(live)
    for start, stop in pairwise(sizes):
        for seat in EVERYBODY:
            before = {
                entry.seq: live.visible_parts.shown(seat, entry.seq, start - 1)
                for entry in live.entries[:start]
                if entry.kind in HIDDEN
            }
            now = {seq: live.visible_parts.shown(seat, seq, stop - 1) for seq in before}
            changed = dict(live.visible_parts.changed(seat, start, stop, start))
            assert changed == {seq: before[seq] for seq in before if before[seq] != now[seq]}


@pytest.mark.parametrize("before", [0, 1])
def test_dice_of_a_blind_roll_are_shown_by_the_commit_that_reveals_it(before: int) -> None:
    """By no other, though the next one is known; its declaration was seen all along."""
    table, etgar, _ = fight()
    for number in range(before):
        table.submit(NARRATOR, c.SetTrack("c1", "xr", number + 1))
    declared = len(table.entries)
    table.declare(etgar, visibility="blind", root=ROOT, rating=2)
    thrown = len(table.entries)
    table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))
    revealed = len(table.entries)
    table.submit(NARRATOR, c.Reveal(1))
    parts = table.aggregate.visible_parts
    dice = [(seq, False) for seq in range(thrown, revealed)]
    every = [(declared, False), *dice]
    assert list(parts.changed("p1", thrown, revealed, thrown)) == []
    assert list(parts.changed("p1", revealed, revealed + 1, revealed)) == dice
    assert list(parts.changed("p2", revealed, revealed + 1, revealed)) == every


@pytest.mark.parametrize("before", [0, 1])
def test_each_of_two_commits_in_a_row_shows_a_roll_to_those_whom_it_shows_it_to(
    before: int,
) -> None:
    table, etgar, _ = fight()
    table.seat("p3")
    for number in range(before):
        table.submit(NARRATOR, c.SetTrack("c1", "xr", number + 1))
    declared = len(table.entries)
    table.declare(etgar, visibility="gm", root=ROOT, rating=2)
    given = len(table.entries)
    table.submit(NARRATOR, c.GiveCharacter("c1", "p2"))
    table.submit(NARRATOR, c.Reveal(1))
    parts, shown = table.aggregate.visible_parts, [(declared, False)]
    for seat, first, second in (("p2", shown, []), ("p3", [], shown)):
        assert list(parts.changed(seat, given, given + 1, given)) == first
        assert list(parts.changed(seat, given + 1, given + 2, given + 1)) == second
