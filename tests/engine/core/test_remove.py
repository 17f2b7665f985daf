"""A character is taken away: it begins nothing more, and what it was part of goes on."""

import asyncio
from typing import Any

import pytest

from tests.engine.helpers.audited import judged, loud
from tests.engine.helpers.decide_cases import DUEL, WISH, declared, failed, prayed, seated, wounded
from tests.engine.helpers.stage import MISS, code_of, fight
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.choices import choices
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import awaiting, legal_moves, moves
from urim.engine.core.preview import preview
from urim.engine.scenario import parse_scenario, play
from urim.engine.scenario.export import scenario_text
from urim.engine.table import Table
from urim.errors import Damaged, Refused
from urim.events.base import Visibility
from urim.events.codec import RecordedEvent, recorded
from urim.events.log.memory import MemoryLog
from urim.events.table import CharacterRemoved
from urim.projections.health import health
from urim.projections.history import history
from urim.projections.isolates import FSI, PDI
from urim.projections.tables import TableState, fold
from urim.rules import ruleset_named

EVERY = tuple(f"d{number}" for number in range(1, 9))
"""The dice of a hand."""


def remove(table: Table, seat: str, character: str) -> None:
    table.submit(seat, c.RemoveCharacter(character))


def refusal(table: Table, seat: str, command: c.Asking) -> Refused:
    """What a command is refused with; the table must be what it was."""
    before = table.state
    with pytest.raises(Refused) as refused:
        table.submit(seat, command)
    assert table.state is before
    return refused.value


def begun(state: TableState, seat: str) -> set[str]:
    """The characters that a seat may declare a roll of its own for."""
    fresh = (each for each in legal_moves(state, seat) if each.roll is None)
    return {offer.character for each in fresh for move in each.moves for offer in move.offers}


def follows(state: TableState, seat: str) -> set[tuple[str, str]]:
    """Who may follow roll 1, and by which link."""
    [move] = [move for move in moves(state, seat, 1) if move.trigger == "declare"]
    return {(offer.character, offer.link) for offer in move.offers}


# --- it is taken away -----------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ["p1", NARRATOR])
def test_its_owner_or_a_narrator_takes_it_away(seat: str) -> None:
    table = seated()
    [entry] = table.submit(seat, c.RemoveCharacter("c1"))
    assert (entry.kind, recorded(entry).event) == ("open", CharacterRemoved(seat, "c1"))
    assert table.state.characters["c1"].removed == entry.seq
    assert table.state.characters["c2"].here


def test_its_id_is_never_used_again_and_its_name_may_be() -> None:
    table = seated()
    remove(table, "p1", "c1")
    error = refusal(table, "p1", c.EnterCharacter("c1", "p1"))
    assert (error.code, error.allowed) == ("taken", ("another id",))
    assert error.why == "character 'c1' was taken away, and its id stays its own"
    assert table.submit("p1", c.worded(c.EnterCharacter("c9", "p1"), "Etgar"))


GONE: dict[str, tuple[str, c.Asking]] = {
    "declared for": ("p1", c.Declare("c1", dict(WISH))),
    "declared against": ("p2", c.Declare("c2", {**DUEL, "opponent": "c1"})),
    "named": ("p1", c.worded(c.NameCharacter("c1"), "Gideon")),
    "given": ("p1", c.GiveCharacter("c1", "p2")),
    "tracked": (NARRATOR, c.SetTrack("c1", "soak", 1)),
    "rated": (NARRATOR, c.SetAttribute("c1", "BLE", 1)),
    "taken away again": ("p1", c.RemoveCharacter("c1")),
}
"""What nobody can do with a character that was taken away."""


@pytest.mark.parametrize("what", GONE)
def test_nothing_new_is_done_with_it(what: str) -> None:
    table = seated()
    remove(table, "p1", "c1")
    error = refusal(table, *GONE[what])
    assert (error.code, error.allowed) == ("unknown", ("c2",))
    assert error.why == f"character 'c1' (Etgar) was taken away by entry {table.state.size - 1}"


def test_moves_and_choices_leave_it_out() -> None:
    table = seated()
    assert begun(table.state, "p1") == {"c1"}
    remove(table, "p1", "c1")
    assert begun(table.state, "p1") == set()
    found = choices(table.state, "p2", "c2", "opponent")
    assert [choice.value for choice in found] == []
    assert code_of(choices, table.state, "p1", "c1", "root") == "unknown"
    assert code_of(preview, table.state, "p1", c.Declare("c1", dict(WISH))) == "unknown"


def test_what_it_did_is_known_still() -> None:
    table = wounded()
    table.submit(NARRATOR, c.SetAttribute("c2", "VIG", 3))
    before = table.state
    remove(table, "p2", "c2")
    state = table.state
    assert state.name_of("c2") == "Toad"
    assert state.sheet("c2") == before.sheet("c2")
    assert health(state, "c2") == health(before, "c2")
    assert state.rolls == before.rolls
    *_, last = history(state, table.aggregate.records)
    assert last.text == f"{FSI}p2{PDI} takes {FSI}Toad{PDI} away."
    table.submit(NARRATOR, c.worded(c.Void(1), "It never happened."))
    assert table.state.tracks["c2"].get("light", 0) == 0


def test_a_seat_without_its_character_may_watch() -> None:
    table = seated()
    remove(table, "p1", "c1")
    table.submit("p1", c.LeaveSeat("p1"))
    assert table.submit(NARRATOR, c.TakeSeat("p1", "witness"))


def test_who_was_never_there_is_damage() -> None:
    table = seated()
    entry = RecordedEvent(table.state.size, 0, bytes(32), CharacterRemoved(NARRATOR, "c9"))
    with pytest.raises(Damaged, match="no character 'c9'"):
        fold(table.state, entry, ruleset_named)


# --- while it acts --------------------------------------------------------------------------------


@pytest.mark.parametrize("visibility", ["public", "gm", "blind"])
def test_it_stays_while_it_acts_in_a_roll_that_the_seat_may_see(visibility: Visibility) -> None:
    table, etgar, _ = fight()
    table.declare(etgar, visibility=visibility, **DUEL)
    for seat, who, name in (("p1", "c1", "Etgar"), ("p2", "c2", "Toad"), (NARRATOR, "c2", "Toad")):
        error = refusal(table, seat, c.RemoveCharacter(who))
        assert (error.code, error.allowed) == ("due", ("end roll 1 first",))
        assert error.why == f"{name} acts in roll 1, which goes on"
    table.submit(NARRATOR, c.worded(c.Void(1), "Enough."))
    remove(table, NARRATOR if visibility == "blind" else "p2", "c2")


def test_of_a_blind_roll_nobody_learns_that_it_is_over() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, visibility="blind", **DUEL)
    before = refusal(table, "p2", c.RemoveCharacter("c2"))
    table.submit(NARRATOR, c.worded(c.Void(1), "Enough."))
    after = refusal(table, "p2", c.RemoveCharacter("c2"))
    assert (before.code, before.why, before.allowed) == (after.code, after.why, after.allowed)
    table.submit(NARRATOR, c.Reveal(1))
    remove(table, "p2", "c2")


def test_it_goes_once_its_roll_is_resolved() -> None:
    table = prayed()
    remove(table, "p2", "c2")  # which has no part in it
    assert code_of(remove, table, "p1", "c1") == "due"
    table.submit("p1", c.Resolve(1))
    remove(table, "p1", "c1")


def own(**named: Any) -> Table:
    """Etgar's roll 1 is seen by nobody else."""
    table, etgar, _ = fight()
    table.declare(etgar, visibility="self", **{**WISH, **named})
    return table


@pytest.mark.parametrize("seat", ["p2", NARRATOR])
def test_a_roll_that_the_seat_may_not_see_shows_in_no_refusal(seat: str) -> None:
    seen = []
    for table in (own(), own(opponent="c2", combat=True)):
        [entry] = table.submit(seat, c.RemoveCharacter("c2"))
        seen.append((entry.kind, entry.payload))
    assert len(set(seen)) == 1


def test_a_roll_that_named_it_goes_on() -> None:
    table = own(opponent="c2", combat=True)
    remove(table, "p2", "c2")
    table.submit("p1", c.Reveal(1))
    waiting = [(each.trigger, each.character) for each in awaiting(table.state, NARRATOR)]
    assert waiting == [("react", "c2")]
    table.submit(NARRATOR, c.React(1, "c2", None))  # nobody has to wait for its owner
    table.submit("p1", c.RollDice(1, "initiator", faces=MISS))
    table.submit("p1", c.Freeze(1, "initiator", EVERY))
    table.submit("p1", c.Resolve(1))
    assert table.state.rolls[1].state == "resolved"


def test_its_owner_may_answer_too_and_nobody_else() -> None:
    table = own(opponent="c2", combat=True)
    table.seat("p3")
    remove(table, NARRATOR, "c2")
    table.submit("p1", c.Reveal(1))
    answer = c.React(1, "c2", {"root": "חננ", "rating": 1})
    assert code_of(table.submit, "p3", answer) == "not-yours"
    assert table.submit("p2", answer)


def test_a_narrator_acts_for_no_character_that_is_there() -> None:
    assert code_of(declared().submit, NARRATOR, c.React(1, "c2", None)) == "not-yours"


def test_a_roll_of_its_own_goes_on() -> None:
    table = own()
    remove(table, NARRATOR, "c1")
    table.submit("p1", c.RollDice(1, "initiator", faces=MISS))
    table.submit("p1", c.Resolve(1))
    table.submit("p1", c.Reveal(1))
    assert table.state.rolls[1].state == "resolved"
    assert code_of(table.submit, "p1", c.Declare("c1", dict(WISH))) == "unknown"


def test_a_view_without_the_roll_is_folded_alike() -> None:
    table = own(opponent="c2", combat=True)
    remove(table, "p2", "c2")
    known = Aggregate(table.aggregate.environment)
    known.load(table.aggregate.view("p2"))
    assert known.opened.characters == table.state.characters
    assert begun(known.opened, "p2") == begun(table.state, "p2") == set()


# --- what follows, and what is corrected ----------------------------------------------------------


def test_it_follows_no_roll() -> None:
    table = failed()
    assert follows(table.state, "p2") == {("c2", "counter")}
    remove(table, "p2", "c2")
    assert follows(table.state, "p2") == set()
    counter = c.Declare("c2", {"root": "גט", "rating": 1}, follows=(1, "counter"))
    assert refusal(table, "p2", counter).code == "unknown"


def test_what_follows_its_roll_may_name_it_and_waits_for_nobody_in_vain() -> None:
    table = failed()
    remove(table, "p1", "c1")
    counter = c.Declare("c2", {"root": "גט", "rating": 1}, follows=(1, "counter"))
    table.submit("p2", counter)
    table.submit(NARRATOR, c.React(2, "c1", None))
    table.submit("p2", c.RollDice(2, "initiator"))
    assert table.state.rolls[2].state == "rolled"


def three() -> Table:
    """Roll 1 of Etgar goes on against the toad; a frog (c3) was taken away after it began."""
    table, etgar, _ = fight()
    table.character("Frog", attributes={"GRA": 2}, seat="p2")
    table.declare(etgar, **DUEL)
    remove(table, "p2", "c3")
    return table


def test_a_roll_that_goes_on_is_not_turned_on_it() -> None:
    table = three()
    for command in (c.Replace(1, {"opponent": "c3"}), c.Amend(1, "c1", {"opponent": "c3"})):
        error = refusal(table, NARRATOR, c.worded(command, "The other one."))
        assert (error.code, error.allowed) == ("unknown", ("c1", "c2"))
    assert table.submit(NARRATOR, c.worded(c.Replace(1, {"rating": 1}), "so"))


def test_of_a_settled_roll_who_was_there_then_may_be_named() -> None:
    table, etgar, _ = fight()
    table.character("Frog", attributes={"GRA": 2}, seat="p2")
    table.character("Newt", seat="p2")
    remove(table, "p2", "c4")
    roll = table.declare(etgar, **DUEL)
    roll.decline()
    roll.roll(faces=MISS)
    roll.stand()
    roll.resolve()
    remove(table, "p2", "c2")
    remove(table, "p2", "c3")
    error = refusal(table, NARRATOR, c.worded(c.Amend(1, "c1", {"opponent": "c4"}), "The newt."))
    assert error.code == "unknown"
    again = c.Amend(1, "c1", {"opponent": "c2", "modifiers": {"far": -1}})
    assert table.submit(NARRATOR, c.worded(again, "It was far."))


# --- audited and exported -------------------------------------------------------------------------


def test_an_audit_decides_it_again() -> None:
    table = own(opponent="c2", combat=True)
    remove(table, "p2", "c2")
    table.submit("p1", c.Reveal(1))
    table.submit(NARRATOR, c.React(1, "c2", None))
    assert not loud(judged(table.entries))


@pytest.mark.parametrize("number", [None, 1, 2])
def test_an_export_plays_it_again(number: int | None) -> None:
    table = prayed()
    table.submit("p1", c.Resolve(1))
    remove(table, "p1", "c1")
    table.submit("p1", c.worded(c.EnterCharacter("c3", "p1", {"BLE": 1}, {}), "Etgar"))
    wish = dict(WISH)
    table.submit("p1", c.Declare("c3", wish))
    table.submit("p1", c.RollDice(2, "initiator", faces=MISS))
    text = scenario_text(table.entries, number)
    again = asyncio.run(play(parse_scenario(text), MemoryLog()))
    assert not again.failures
    gone = [who for who, known in again.aggregate.opened.characters.items() if not known.here]
    assert gone == ([] if number == 2 else ["c1"])
