"""Rulings that do: what they lead to, what they contradict, and who may make them unseen."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.engine.helpers.decide_cases import AGAIN, BLOW, RULED, contested, ruled
from tests.engine.helpers.stage import MISS, ROOT, code_of, fight, hit, pray, strike
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import worded
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import awaiting, moves
from urim.engine.core.sight import sight
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import ruling
from urim.projections.disputes import dependents, under_dispute
from urim.projections.rulings import open_disputes
from urim.projections.verdicts import dispute_notes


def refusal(table: Table, seat: str, command: c.AnyCommand) -> Refused:
    """What a seat is refused with; nothing may have changed."""
    before = table.state
    with pytest.raises(Refused) as caught:
        table.submit(seat, worded(command, "so"))
    assert table.state is before
    return caught.value


def soaked() -> tuple[Table, RollHandle, RollHandle]:
    """A failed blow of Etgar's (roll 1), countered by the toad (roll 2)."""
    table, etgar, toad = fight(options={"skill_roots": {"jump": "גט"}})
    roll = table.declare(etgar, root=ROOT, rating=5, opponent="c2", combat=True)
    roll.react(root="שז", rating=3)
    roll.roll(faces="גטואאאאא")
    roll.stand()
    roll.roll(faces=MISS)
    roll.stand()
    roll.resolve()
    counter = table.declare(toad, follows=(roll, "counter"), root="גט", rating=1)
    return table, roll, counter


# --- its deed -------------------------------------------------------------------------------------


def test_a_ruling_that_amends_leads_to_the_events_of_an_amendment() -> None:
    amended, again = contested(), contested()
    fields: dict[str, Any] = {"modifiers": {"far": 1}}
    amended.submit(NARRATOR, worded(c.Amend(1, "c1", fields), "so"))
    again.submit(NARRATOR, worded(c.Rule(1, BLOW, "amend", character="c1", fields=fields), "so"))
    assert again.state.rolls[1].roll == amended.state.rolls[1].roll
    assert again.state.tracks == amended.state.tracks
    assert open_disputes(again.state.rolls[1]) == ()


def test_a_ruling_that_voids_leads_to_the_events_of_a_void() -> None:
    voided, again = contested(), contested()
    voided.submit(NARRATOR, worded(c.Void(1), "so"))
    again.submit(NARRATOR, worded(c.Rule(1, BLOW, "void"), "so"))
    assert again.state.tracks == voided.state.tracks
    assert again.state.rolls[1].state == "voided"


def test_nothing_is_kept_of_a_ruling_whose_deed_is_refused() -> None:
    table = contested()
    far = c.Rule(1, BLOW, "amend", character="c1", fields={"opponent": "c9"})
    assert refusal(table, NARRATOR, far).code == "unknown"
    assert open_disputes(table.state.rolls[1]) == (BLOW,)


def test_a_ruling_that_would_amend_nothing_is_refused() -> None:
    same = c.Rule(1, BLOW, "amend", character="c1", fields={"rating": 5})
    error = refusal(contested(), NARRATOR, same)
    assert (error.code, error.allowed) == ("not-offered", ("stands",))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (c.Rule(1, BLOW, "stands", against=3), "takes no against"),
        (c.Rule(1, BLOW, "stands", fields={}), "takes no fields"),
        (c.Rule(1, BLOW, "void", character="c1"), "takes no character"),
        (c.Rule(1, BLOW, "amend", fields={}), "needs character"),
        (c.Rule(1, BLOW, "amend"), "needs character and fields"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_ruling_has_the_fields_of_its_deed_alone(command: c.Rule, why: str) -> None:
    error = refusal(contested(), NARRATOR, command)
    assert (error.code, why in error.why) == ("malformed", True)


def test_a_voided_roll_is_neither_disputed_nor_ruled_on() -> None:
    table = contested()
    table.submit(NARRATOR, worded(c.Void(1), "so"))
    for command in (c.Rule(1, BLOW, "stands"), c.Dispute(1)):
        error = refusal(table, NARRATOR, command)
        assert (error.code, error.allowed) == ("wrong-state", ("declare",))
    assert open_disputes(table.state.rolls[1]) == ()
    assert awaiting(table.state, NARRATOR) == ()


# --- replay ---------------------------------------------------------------------------------------


def test_a_replay_is_declared_again_on_the_sheet_as_the_void_leaves_it() -> None:
    table, etgar, _ = fight()
    table.submit(NARRATOR, c.SetTrack("c1", "xr", 2))
    roll = pray(table, etgar)
    assert (roll.state.roll.declaration.xr, etgar.sheet.tracks.get("xr", 0)) == (2, 0)
    table.submit(NARRATOR, c.SetTrack("c1", "xr", 3))
    roll.dispute("The die was cocked.")
    again = roll.rule("replay", "Thrown again, in the open.")
    made = roll.state.trail[-2].event
    assert isinstance(made, ruling.RulingMade) and made.instead == again.number == 2
    assert again.state.roll.declaration.xr == 3, "what the first had taken came back, and was set"
    assert (again.state.state, again.state.seat) == ("declared", NARRATOR)
    assert not again.state.roll.hands
    again.roll(faces=MISS)


def test_a_replay_takes_again_what_the_rules_had_filled_in() -> None:
    table = Table("milhamah", dice="manual", options={"attribute_roots": {"BLE": ROOT}})
    etgar = table.character("Etgar", attributes={"BLE": 3})
    roll = table.declare(etgar, attribute="BLE", target=1)
    table.submit(NARRATOR, c.SetAttribute("c1", "BLE", 5))
    roll.dispute("It was 5.")
    made = roll.rule("replay", "So it was.").state.roll.declaration
    assert (made.rating, made.target) == (5, 1)


def test_a_replay_takes_what_was_amended_and_keeps_visibility_and_level() -> None:
    table, etgar, _ = fight("seeded:1", level="server")
    roll = table.declare(etgar, visibility="gm", level="player", root=ROOT, rating=2)
    roll.replace("It is harder.", rating=1)
    table.submit(NARRATOR, c.Reveal(1))
    roll.dispute("Who said so?")
    again = roll.rule("replay", "Once more.").state
    assert again.roll.declaration.rating == 1
    assert (again.visibility, again.hidden, again.level) == ("gm", True, "player")
    assert [each.kind for each in table.entries[-4:]] == ["open", "open", "hidden", "text"]


def test_a_replay_of_a_blind_roll_shows_its_player_no_sealed_amendment() -> None:
    table, etgar, _ = fight("seeded:1", level="server")
    roll = table.declare(etgar, visibility="blind", root=ROOT, rating=2)
    roll.roll()
    roll.amend("It is darker than they know.", etgar, rating=1)
    roll.dispute("Was it fair?")
    again = roll.rule("replay", "Once more.")
    assert (roll.state.roll.declaration.rating, again.state.roll.declaration.rating) == (1, 2)
    seen = table.aggregate.view("p1")
    assert not any(b'"rating":1' in (entry.payload or b"") for entry in seen)


def test_a_roll_that_follows_is_declared_again_behind_the_same_roll() -> None:
    table, roll, counter = soaked()
    counter.dispute("I was not ready.")
    again = counter.rule("replay", "Then once more.")
    assert again.state.follows == (1, "counter")
    assert again.state.roll.declaration == counter.state.roll.declaration
    assert [each.number for each in table.state.followers(1)] == [3]
    assert roll.state.state == "resolved"


def test_a_declaration_that_would_be_refused_now_is_not_replayed() -> None:
    table, etgar, toad = fight()
    roll = strike(table, etgar, toad)
    roll.dispute("No.")
    table.submit("p2", c.RemoveCharacter("c2"))
    error = refusal(table, NARRATOR, c.Rule(1, open_disputes(roll.state)[0], "replay"))
    assert error.code == "unknown" and "cannot be declared again" in error.why
    assert "void" in error.allowed
    table.submit("p1", c.RemoveCharacter("c1"))
    error = refusal(table, NARRATOR, c.Rule(1, open_disputes(roll.state)[0], "replay"))
    assert error.code == "unknown" and "(Etgar) was taken away" in error.why


# --- against --------------------------------------------------------------------------------------


def test_what_contradicts_a_ruling_names_the_latest_one() -> None:
    table = ruled()
    table.submit(NARRATOR, worded(c.Rule(1, AGAIN, "stands"), "so"))
    latest = AGAIN + 2
    for command in (c.Void(1), c.Void(1, against=RULED), c.Amend(1, "c1", {"rating": 1})):
        error = refusal(table, NARRATOR, command)
        assert (error.code, error.allowed) == ("history", (f"against {latest}",))
        assert f"entry {latest} is a ruling on roll 1" in error.why
    table.submit(NARRATOR, worded(c.Void(1, against=latest), "so"))


def test_an_entry_that_is_no_ruling_is_not_contradicted() -> None:
    error = refusal(contested(), NARRATOR, c.Void(1, against=BLOW))
    assert (error.code, error.allowed) == ("unknown", ())


def test_a_roll_that_follows_is_voided_with_its_parent_whatever_was_ruled_on_it() -> None:
    table, roll, counter = soaked()
    counter.dispute("Too late.")
    counter.rule("stands", "In time.")
    roll.void("All of it.")
    assert table.state.rolls[2].state == "voided"


# --- who sees, and who does not -------------------------------------------------------------------


def test_a_participant_disputes_a_blind_roll_and_sees_no_more_of_it() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, visibility="blind")
    before = sight(table.state, "p1").rolls
    given = table.submit("p1", worded(c.Dispute(1), "It fell off."))
    assert [entry.payload for entry in given] == [None, None]
    assert sight(table.state, "p1").rolls == before
    [waits] = [each for each in awaiting(table.state, NARRATOR) if each.trigger == "rule"]
    assert (waits.roll, waits.about) == (1, open_disputes(roll.state)[0])
    assert code_of(table.submit, "p2", worded(c.Dispute(1), "And I?")) == "not-seen"


def lonely() -> tuple[Table, RollHandle, int]:
    """A roll that Etgar's seat alone sees, and disputes; another table has none."""
    table, etgar, _ = fight()
    roll = pray(table, etgar, visibility="self")
    return table, roll, roll.dispute("I let it fall.")


def test_a_narrator_voids_by_a_ruling_what_only_its_roller_sees() -> None:
    table, roll, raised = lonely()
    before = sight(table.state, NARRATOR).rolls
    given = table.submit(NARRATOR, worded(c.Rule(1, raised, "void"), "Then not."))
    assert [entry.payload for entry in given] == [None, None, None]
    assert roll.state.state == "voided"
    assert sight(table.state, NARRATOR).rolls == before == ()
    again = Aggregate(table.aggregate.environment)
    again.load(table.entries)
    assert again.opened == table.state


def unseen() -> Iterator[tuple[str, c.AnyCommand]]:
    """Rulings that somebody who sees no roll may try."""
    for seat in (NARRATOR, "p2"):
        for verdict in ("stands", "replay"):
            yield seat, c.Rule(1, 9, verdict)
        yield seat, c.Rule(1, 9, "amend", character="c1", fields={"rating": 1})
        yield seat, c.Rule(1, 8, "void")
    yield "p2", c.Rule(1, 9, "void")


@pytest.mark.parametrize(("seat", "command"), list(unseen()), ids=lambda _: "")
def test_a_ruling_on_what_is_not_seen_is_answered_as_one_on_what_is_not_there(
    seat: str, command: c.Rule
) -> None:
    table, _, _ = lonely()
    here = refusal(table, seat, command)
    nowhere = refusal(table, seat, c.Rule(7, *list(_given(command))))
    assert (here.code, here.allowed) == (nowhere.code, nowhere.allowed)
    assert here.why == nowhere.why.replace("roll 7", "roll 1")
    other = seat == NARRATOR and command.ruling != "void"
    assert ("void" in here.allowed) is other


def _given(command: c.Rule) -> Iterator[Any]:
    yield from (command.dispute, command.ruling, command.character, command.fields)


# --- while it is open -----------------------------------------------------------------------------


@pytest.fixture
def countered() -> tuple[Table, RollHandle, RollHandle]:
    """A blow and its counter, the blow under dispute."""
    table, roll, counter = soaked()
    roll.dispute("Was that a hit?", CharacterHandle(table, "c2"))
    return table, roll, counter


def test_a_roll_and_what_depends_on_it_say_that_it_is_disputed(
    countered: tuple[Table, RollHandle, RollHandle],
) -> None:
    table, roll, counter = countered
    assert under_dispute(table.state, roll.state) == (1,)
    assert under_dispute(table.state, counter.state) == (1,)
    assert [each.number for each in dependents(table.state, roll.state)] == [2]
    assert [each.disputed for each in sight(table.state, "p1").rolls] == [(1,), (1,)]
    roll.rule("stands", "It was not.")
    assert [each.disputed for each in sight(table.state, "p1").rolls] == [(), ()]


def test_a_dispute_counts_what_depends_on_its_roll() -> None:
    table = Table("age_of_magic", dice="seeded:7")
    cogan = table.character("Cogan", attributes={"Brawling": 20, "ST": 3})
    brute = table.character("Brute", attributes={"Soak": 4, "EN": 3})
    attack = table.declare(
        cogan, kind="attack", skill="Brawling", characteristic="ST", targets=["c2"], difficulty=7
    )
    attack.roll(option=0)
    attack.resolve()
    disputed = attack.dispute("Was that a hit?", brute)

    def said() -> str:
        [(seq, words)] = dispute_notes(table.state, attack.state)
        assert seq == disputed
        return words

    assert said() == "no ruling yet"
    damage = table.declare(cogan, follows=(attack, "damage"))
    assert said() == "no ruling yet; roll 2 depends on it"
    damage.roll(option=0)
    damage.resolve()
    table.declare(brute, follows=(damage, "soak"), skill="Soak", characteristic="EN")
    assert said() == "no ruling yet; roll 2, roll 3 depend on it"


def test_a_landed_blow_that_is_disputed_still_moves() -> None:
    table, etgar, toad = fight()
    hit(table, etgar, toad).dispute("No!", toad)
    legal = {move.trigger for move in moves(table.state, NARRATOR, 1) if move.legal}
    assert {"rule", "void", "amend"} <= legal
    events = [record.event for record in table.aggregate.records if record is not None]
    assert not any(isinstance(event, rolled.RollVoided) for event in events)
