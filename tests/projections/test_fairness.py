"""The figures count every fair die once, as what it is; what is not fair is shown, not tested."""

import pytest

from tests.plays import SCENARIOS, kept_of
from tests.projections.fair_logs import D6, SYSTEM, Played, rulesets
from urim.errors import Damaged, Refused
from urim.events import roll as rolled
from urim.events.base import Face, Thrown
from urim.events.codec import RecordedEvent
from urim.events.table import ReadingSet, SeatTaken, TableOpened
from urim.projections.fairness import LATER, REMEMBERED, Tally, figures_of
from urim.projections.figures import Part

SIXES = (6,) * 20


def counts(part: Part, kind: str = "d6") -> dict[Face, int]:
    """How often each face of a kind fell, those that did."""
    found = [figure for figure in part.kinds if figure.kind == kind]
    return {fall.face: fall.count for figure in found for fall in figure.faces if fall.count}


# --- what is a die --------------------------------------------------------------------------------


def test_every_die_of_a_fair_throw_counts_once() -> None:
    played = Played()
    played.throw(1, (1, 2, 2))
    again = (Thrown("d2", "d6", 5), Thrown("d2", "d6", 6))  # thrown again inside the throw
    played.add(rolled.DiceRerolled("p1", 1, "main", again, rolled.Proof(1, "fair")))
    played.add(rolled.DiceFrozen("p1", 1, "main", ("d1",)))
    played.add(rolled.DiceAdjusted("p1", 1, "main", "nudge", ()))
    figures = played.figures
    assert (figures.dice, figures.rolls, figures.strange) == (5, 1, 0)
    assert counts(figures.thrown) == {1: 1, 2: 2, 5: 1, 6: 1}
    (seat,) = figures.seats
    assert (seat.rolls, counts(seat.part)) == (1, {1: 1, 2: 2, 5: 1, 6: 1})


def test_dice_taken_over_are_no_throw() -> None:
    played = Played()
    played.throw(1, (1, 2), proof=None)
    assert (played.figures.dice, played.figures.rolls, played.figures.untested) == (0, 0, {})


@pytest.mark.parametrize("source", ["seeded", "scripted", "manual"])
def test_dice_that_are_not_fair_are_counted_and_never_tested(source: str) -> None:
    played = Played()
    played.throw(1, SIXES, proof=rolled.Proof(0, source))  # type: ignore[arg-type]
    played.void(1)
    figures = played.figures
    assert (figures.dice, figures.verdict, figures.seats) == (0, "fine", ())
    assert (figures.untested, figures.voids) == ({source: 20}, 0)


def test_kinds_are_counted_apart_and_expected_as_their_faces_stand() -> None:
    played = Played()
    played.throw(1, (3,))
    played.throw(2, ("a", "*", "*", "*"), kind="odd")
    six, odd = played.figures.thrown.kinds
    assert [(fall.face, fall.count, fall.expected) for fall in odd.faces] == [
        ("a", 1, 1.0),
        ("b", 0, 1.0),
        ("*", 3, 2.0),
    ]
    assert (six.kind, [fall.face for fall in six.faces]) == ("d6", list(D6))
    assert (six.dice, odd.dice, played.figures.thrown.together.dice) == (1, 4, 5)


def test_kinds_stand_in_the_systems_order() -> None:
    played = Played()
    played.throw(1, ("a",), kind="odd")
    played.throw(1, (1,))
    assert [figure.kind for figure in played.figures.thrown.kinds] == list(SYSTEM)


def test_seats_are_counted_apart_by_who_threw() -> None:
    played = Played()
    played.throw(1, SIXES, "p1")
    played.throw(1, D6, "p2")
    first, second = played.figures.seats
    assert (first.seat, first.part.together.dice, first.rolls) == ("p1", 20, 1)
    assert (second.seat, second.part.together.dice, second.rolls) == ("p2", 6, 1)
    assert first.part.together.verdict == "alarm"
    assert second.part.together.verdict == "fine"


def test_what_no_die_can_show_is_told_and_left_out() -> None:
    played = Played()
    played.throw(1, (7, 6))
    played.throw(2, ("c",), kind="odd")
    played.throw(3, (1,), kind="d8")
    figures = played.figures
    assert (figures.strange, figures.dice, figures.rolls) == (3, 1, 1)


def test_dice_whose_faces_a_reading_changed_are_counted_and_not_tested() -> None:
    played = Played()
    played.throw(1, (1, 2))
    played.add(ReadingSet("host", "guarded", value=False, faces={"d6": (7, 8)}))
    played.throw(2, (7, 8, 8))
    played.throw(3, ("a",), kind="odd")
    figures = played.figures
    assert (figures.dice, figures.strange, figures.untested) == (3, 0, {"changed": 3})


def test_the_dice_of_a_real_log_are_its_own() -> None:
    records = kept_of(SCENARIOS / "milhamah" / "fair.toml").play.aggregate.records
    known = [record for record in records if record is not None]
    events = [record.event for record in known]
    thrown = [
        event for event in events if isinstance(event, rolled.DiceRolled | rolled.DiceRerolled)
    ]
    figures = figures_of(known)
    assert figures.dice == sum(len(event.dice) for event in thrown) > 20
    assert (figures.verdict, figures.rolls, figures.voids) == ("fine", 3, 1)


# --- the log --------------------------------------------------------------------------------------


def test_what_is_withheld_is_simply_not_there() -> None:
    played = Played()
    played.resolve(1)
    played.void(2)  # hidden rolls, of which no more can be seen
    played.throw(3, D6)
    assert (played.figures.dice, played.figures.voids) == (6, 0)


def test_a_log_is_opened_once_and_first() -> None:
    played = Played()
    opening = TableOpened("host", "fixture0", "pips", 1, {}, "fair", "server", 1)
    with pytest.raises(Damaged, match="entry 1: a table is opened once"):
        played.add(opening)
    with pytest.raises(Damaged, match="entry 0: a table is opened once"):
        Tally().take(RecordedEvent(0, 0, bytes(32), SeatTaken("host", "p1", "player")))


def test_a_system_that_is_not_installed_is_refused() -> None:
    opening = TableOpened("host", "fixture0", "nothing", 1, {}, "fair", "server", 1)
    with pytest.raises(Refused, match="no system called 'nothing'"):
        Tally().take(RecordedEvent(0, 0, bytes(32), opening))


def test_the_system_is_asked_by_its_name() -> None:
    asked: list[str] = []

    def find(name: str):  # type: ignore[no-untyped-def]
        asked.append(name)
        return rulesets()

    opening = TableOpened("host", "fixture0", "pips", 1, {}, "fair", "server", 1)
    assert figures_of([RecordedEvent(0, 0, bytes(32), opening)], find).dice == 0
    assert asked == ["pips"]


def test_a_system_without_dice_can_be_tallied() -> None:
    played = Played(faces={})
    played.resolve(1)
    assert played.figures.dice == 0


# --- voids ----------------------------------------------------------------------------------------


def test_the_dice_of_a_voided_roll_are_tested_apart_and_still_count() -> None:
    played = Played()
    played.throw(1, (1, 1))
    played.throw(1, (2,), "p2")
    played.throw(2, (6,))
    played.void(1)
    played.void(1)
    played.void(3)
    figures = played.figures
    assert (figures.dice, figures.rolls, figures.voids) == (4, 2, 1)
    assert counts(figures.voided) == {1: 2, 2: 1}
    assert [(seat.seat, seat.rolls, seat.voided) for seat in figures.seats] == [
        ("p1", 2, 1),
        ("p2", 1, 1),
    ]


def test_rolls_are_kept_when_enough_later_ones_have_thrown() -> None:
    played = Played()
    played.throw(1, (1, 1))
    played.throw(2, (2,))
    played.void(1)
    for number in range(3, LATER + 2):
        played.throw(number, (3,))
    assert counts(played.figures.kept) == {}  # the first is so far back, and was voided
    played.throw(LATER + 2, (3,))
    assert counts(played.figures.kept) == {2: 1}
    played.void(2)  # so late, it was kept and is voided
    assert (counts(played.figures.kept), counts(played.figures.voided)) == ({2: 1}, {1: 2, 2: 1})


def test_rolls_left_lying_are_told_by_seat() -> None:
    played = Played()
    for number in range(1, LATER + 3):
        played.throw(number, (1,))
        assert [seat.unresolved for seat in played.figures.seats] == [number == LATER + 2]
        if number != 2:
            played.resolve(number)
    (seat,) = played.figures.seats
    assert (seat.rolls, seat.unresolved) == (LATER + 2, 1)


def test_a_void_finds_the_dice_of_so_many_rolls_back_and_no_further() -> None:
    played = Played()
    for number in range(1, REMEMBERED + 2):
        played.throw(number, (1,))
    played.void(1)
    assert played.figures.voids == 0
    played.void(2)
    assert played.figures.voids == 1
