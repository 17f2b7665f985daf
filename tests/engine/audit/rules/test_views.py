"""What a file leaves out excuses what rests on it, and nothing else."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import (
    about,
    event_of,
    failures,
    find,
    forged,
    judged,
    log_of,
    loud,
    told,
)
from tests.engine.helpers.bodies import asked_for, asked_on, command_for, command_in
from tests.engine.helpers.bundles import Log
from tests.engine.helpers.stage import ROOT, fight, hit, pray
from tests.engine.helpers.tables.host import Host
from tests.engine.helpers.timed import throw, timed
from tests.sealing import resealed
from urim.engine.core.commands import (
    Dispute,
    Erase,
    Note,
    RemoveCharacter,
    Resolve,
    Reveal,
    RollDice,
    Rule,
    worded,
)
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, Table
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.base import Visibility
from urim.events.entry import HIDDEN, Entry, withhold


def in_secret(table: Table, who: CharacterHandle) -> int:
    """A prayer that its roller alone may see, resolved; gives the roll's number."""
    roll = pray(table, who, visibility="self")
    roll.stand()
    roll.resolve()
    return roll.number


def before_strangers(table: Table) -> list[Entry]:
    """The log as nobody at the table may see it."""
    return list(table.aggregate.view(""))


def blow_after_secret() -> tuple[Table, int]:
    """A public blow that lands after a secret roll; gives the entry of its damage."""
    table, etgar, toad = fight()
    in_secret(table, toad)
    hit(table, etgar, toad)
    return table, len(table.entries) - 1


# --- what is hidden and never disclosed -----------------------------------------------------------


def test_hidden_rolls_have_numbers_that_others_miss() -> None:
    table, etgar, toad = fight()
    for _ in range(3):
        in_secret(table, toad)
        pray(table, etgar)
    results = judged(before_strangers(table))
    assert loud(results) == []
    assert results.rules.decided < len(table.entries)


def test_more_numbers_are_missing_than_rolls_can_be_hidden() -> None:
    table, etgar, toad = fight()
    in_secret(table, toad)
    pray(table, etgar)
    entries = before_strangers(table)
    seq = find(entries, rolled.RollDeclared)
    entries = forged(entries[: seq + 1], seq, roll=9)
    assert failures(judged(entries)) == [seq]


def test_a_number_is_missing_where_nothing_was_hidden_since_the_last_roll() -> None:
    table, etgar, toad = fight()
    in_secret(table, toad)
    pray(table, etgar)
    pray(table, etgar)
    entries = before_strangers(table)
    seq = find(entries, rolled.RollDeclared, lambda event: event.roll == 3)
    entries = forged(entries[: seq + 1], seq, roll=4)
    assert failures(judged(entries)) == [seq]


def test_damage_is_judged_whatever_is_hidden_for_that_costs_nothing() -> None:
    table, seq = blow_after_secret()
    entries = before_strangers(table)
    damage = event_of(entries, seq).damage
    figures = {**damage["figures"], "soak": 9}
    results = judged(forged(entries, seq, damage={**damage, "figures": figures}))
    assert failures(results) == [seq]


def test_damage_that_rests_on_a_revealed_roll_out_of_sight_is_not_judged() -> None:
    table, etgar, toad = fight()
    table.submit("p2", Reveal(in_secret(table, toad)))
    hit(table, etgar, toad)
    seq = len(table.entries) - 1
    entries = [withhold(entry) if entry.kind == "hidden" else entry for entry in table.entries]
    damage = event_of(entries, seq).damage
    figures = {**damage["figures"], "soak": 9}
    results = judged(forged(entries, seq, damage={**damage, "figures": figures}))
    assert failures(results) == []
    assert [at for at, _ in told(results, "unchecked")] == [seq]


def test_the_same_damage_is_judged_where_everything_is_in_sight() -> None:
    table, seq = blow_after_secret()
    damage = event_of(table.entries, seq).damage
    figures = {**damage["figures"], "soak": 9}
    entries = forged(table.entries, seq, damage={**damage, "figures": figures})
    assert failures(judged(entries)) == [seq]


def test_an_open_outcome_is_judged_whatever_is_hidden() -> None:
    table, _ = blow_after_secret()
    entries = before_strangers(table)
    seq = find(entries, rolled.RollResolved)
    entries = forged(entries, seq, outcome={**event_of(entries, seq).outcome, "margin": 40})
    assert seq in failures(judged(entries))


def test_a_forgery_in_a_roll_that_is_revealed_later_is_found() -> None:
    table, _, toad = fight()
    in_secret(table, toad)
    number = in_secret(table, toad)
    table.submit("p2", Reveal(number))
    entries = before_strangers(table)
    seq = find(entries, rolled.RollResolved)
    assert loud(judged(entries)) == []
    entries = forged(entries, seq, outcome={**event_of(entries, seq).outcome, "margin": 40})
    assert failures(judged(entries)) == [seq]


def test_a_forgery_in_a_hidden_roll_of_which_more_may_be_hidden_is_not_judged() -> None:
    table, etgar, toad = fight()
    in_secret(table, toad)
    number = in_secret(table, etgar)
    entries = list(table.aggregate.view("p1"))
    seq = find(entries, rolled.RollResolved, lambda event: event.roll == number)
    entries = forged(entries, seq, outcome={**event_of(entries, seq).outcome, "margin": 40})
    results = judged(entries)
    assert results.rules.verdict == "unchecked"


def test_an_erased_note_about_a_hidden_roll_excuses_nothing() -> None:
    table, etgar, toad = fight()
    number = in_secret(table, toad)
    seq = table.state.rolls[number].trail[0].seq
    note = table.submit("p2", worded(Note(seq), "a secret note"))[-1].seq
    hit(table, etgar, toad)
    blow = len(table.entries) - 1
    table.submit("p2", Erase(note))
    assert table.entries[note].payload is None
    assert table.entries[note].kind == "hidden-text"
    entries = forged(table.entries, blow, effects=())
    assert failures(judged(entries)) == [blow]


def test_nor_does_what_is_hidden_later() -> None:
    table, etgar, toad = fight()
    number = in_secret(table, toad)
    about = table.state.rolls[number].trail[0].seq
    note = table.submit("p2", worded(Note(about), "a secret"))[-1].seq
    hit(table, etgar, toad)
    blow = len(table.entries) - 1
    table.submit("p2", Erase(note))
    in_secret(table, toad)
    entries = forged(table.entries, blow, effects=())
    later = [withhold(e) if e.seq > blow and e.kind in HIDDEN else e for e in entries]
    assert failures(judged(later)) == [blow]


# --- open events of rolls that nobody may see -----------------------------------------------------


@pytest.mark.parametrize("many", [1, 3])
def test_nonces_for_a_roll_out_of_sight_are_passed(many: int) -> None:
    """As many rolls as entries are hidden may have been declared; none has a higher number."""
    entries = [
        withhold(entry) if entry.kind == "hidden" else entry for entry in log_of("hidden-self")
    ]
    seq = [entry.seq for entry in entries if entry.kind == "hidden"][many - 1]
    nonce = rolled.ShareOpened("p1", 1, 0, "ab" * 32)
    for number in (1, many):
        within = asked_for(entries[: seq + 1], replace(nonce, roll=number))
        assert loud(judged(within)) == []
    for number in (0, many + 1, many + 2, 99):
        beyond = asked_for(entries[: seq + 1], replace(nonce, roll=number))
        assert failures(judged(beyond)) == [seq + 1]


def test_an_epoch_may_commit_to_throws_out_of_sight_and_must_to_all_others() -> None:
    table, etgar, toad = fight("fair")
    secret = table.declare(toad, root=ROOT, rating=2, visibility="self").number
    shown = table.declare(etgar, root=ROOT, rating=2).number
    both = [tabled.Recommitted(number, 0, "ab" * 32) for number in (secret, shown)]
    entries = before_strangers(table)
    seq = len(entries)
    whole = tabled.EpochBegun(NARRATOR, 1, tuple(both))
    assert loud(judged(asked_for(entries, whole))) == []
    assert loud(judged(asked_for(table.entries, whole))) == []
    for left in both:
        half = tabled.EpochBegun(NARRATOR, 1, (left,))
        assert failures(judged(asked_for(table.entries, half))) == [seq]
    blind = asked_for(entries, tabled.EpochBegun(NARRATOR, 1, (both[0],)))
    assert failures(judged(blind)) == [seq]


# --- a commit of which a part is hidden -----------------------------------------------------------

SEATS = (NARRATOR, "p1", "p2", "p3", "")


def test_a_hidden_throw_behind_the_last_share_passes_for_every_seat() -> None:
    table, seq = _thrown_in_secret()
    share, thrown = table.entries[seq : seq + 2]
    assert [each.kind for each in (share, thrown)] == ["open", "hidden"]
    assert {each.commit for each in (share, thrown)} == {seq}
    for seat in SEATS:
        view = table.aggregate.view(seat)
        assert view[seq].payload is not None
        assert (view[seq + 1].payload is None) == (seat != "p1")
        assert loud(judged(view)) == [], seat


def test_who_sees_a_share_sees_who_asked_for_what() -> None:
    table, seq = _thrown_in_secret()
    for seat in SEATS:
        entry = table.aggregate.view(seat)[seq]
        assert command_in(entry) == command_in(table.entries[seq])
        assert event_of(table.aggregate.view(seat), seq).by == "p3"


def test_the_last_share_does_not_come_without_the_throw_behind_it() -> None:
    table, seq = _thrown_in_secret()
    assert failures(judged(table.entries[: seq + 1]))[0] == seq


def test_an_open_entry_behind_a_hidden_one_of_its_commit_fails() -> None:
    table, seq = _thrown_in_secret()
    share, thrown = table.entries[seq : seq + 2]
    more = resealed(thrown, seq=seq + 2, kind="open")
    for hidden in (thrown, withhold(thrown)):
        results = judged([*table.entries[:seq], share, hidden, more])
        assert seq + 2 in failures(results)
        assert any("behind a hidden one" in why for _, why in told(results))


def test_an_entry_that_should_be_open_and_is_withheld_is_missed() -> None:
    log = log_of("age_of_magic/void-attack")
    seq = find(log, rolled.RollVoided)
    other = resealed(log[seq + 1], kind="hidden")
    assert other.commit == seq and log[seq + 1].kind == "open"
    for hidden in (other, withhold(other)):
        assert seq + 1 in failures(judged([*log[: seq + 1], hidden, *log[seq + 2 :]]))


def test_one_more_entry_of_a_roll_out_of_sight_hides_no_forgery() -> None:
    """A commit is about what its first entry is about, whatever comes behind."""
    table, etgar, toad = fight()
    in_secret(table, toad)
    roll = pray(table, etgar)
    roll.stand()
    roll.resolve()
    entries = before_strangers(table)
    seq = find(entries, rolled.RollResolved)
    lying = replace(event_of(entries, seq), outcome={"degree": "a wonder"})
    unseen = rolled.ShareOpened("p1", 1, 0, "ab" * 32)
    assert failures(judged(asked_on(entries[:seq], command_for(lying), lying)))
    log = asked_on(entries[:seq], command_for(lying), lying, unseen)
    assert seq in failures(judged(log))


def test_of_one_roll_an_erasure_of_what_is_not_in_the_file_is_not_checked() -> None:
    table, etgar, _ = fight()
    pray(table, etgar)
    note = table.submit("p1", worded(Note(0), "a note"))
    gone = table.submit("p1", Erase(note[-1].seq))[0].seq
    pray(table, etgar)
    left = [entry for entry in table.entries if entry.commit != note[0].seq]
    results = judged(left)
    assert (failures(results), results.rules.verdict) == ([], "unchecked")
    assert told(results, "unchecked")[0][0] == gone
    assert loud(judged(about(table.entries, 2))) == []


def test_of_one_roll_what_looks_at_no_track_is_judged() -> None:
    """Entries are missing, and tracks may be other ones: what decides here is none of them."""
    table = Table("plain", dice="scripted")
    one = table.character("One")
    for _ in range(2):
        roll = table.declare(one, expression="2d6")
        roll.roll(faces=(4, 5))
        roll.resolve()
    entries = about(table.entries, 2)
    assert loud(judged(entries)) == [] and len(entries) < len(table.entries)
    resolved = entries[-1]
    twice = asked_on(table.entries, Resolve(2), event_of(table.entries, resolved.seq))[-1]
    assert failures(judged([*entries, twice])) == [twice.seq]


RULED = [
    (visibility, ruling, revealed)
    for visibility in ("gm", "blind")
    for ruling in ("replay", "void", "amend", "amend at once")
    for revealed in ("", "first", "then")
]
"""A hidden roll is ruled on; it is revealed first, or the roll that was declared again is."""


@pytest.mark.parametrize(("visibility", "ruled", "revealed"), RULED)
def test_a_ruling_on_a_hidden_roll_is_right_for_every_seat(
    visibility: Visibility, ruled: str, revealed: str
) -> None:
    """Some see a part of its commit: of a blind roll, or one declared again and revealed."""
    log = Log()
    number, ruling = log.declare("player", visibility), ruled.split(" ", maxsplit=1)[0]
    if not ruled.endswith("at once"):
        log.throw(number)
    if revealed == "first":
        log.ask(NARRATOR, Reveal(number))
    dispute = log.ask("p1", Dispute(number), "I doubt it.")
    amended: Any = {"character": "c1", "fields": {"modifiers": {"far": 1}}}
    given = amended if ruling == "amend" else {}
    log.ask(NARRATOR, Rule(number, dispute, ruling, **given), "So be it.")  # type: ignore[arg-type]
    again = log.aggregate.opened.last_roll
    if revealed == "then" and again > number:
        log.throw(again)
        log.ask(NARRATOR, Reveal(again))
    unsure = set()
    for seat in SEATS:
        results = judged(log.aggregate.view(seat))
        assert loud(results) == [], seat
        unsure |= {seat} if any(each.kind == "unasked" for each in results.remarks) else set()
    blind = visibility == "blind" and revealed != "first" and ruled in ("replay", "amend at once")
    shown = revealed == "then" and again > number
    others = {"p2", "p3", ""} | ({"p1"} if visibility == "blind" else set())
    assert unsure == (others if shown else {"p1"} if blind else set())


def test_a_roll_that_is_declared_again_unseen_has_a_number_behind_other_hidden_ones() -> None:
    table, etgar, toad = fight()
    number = in_secret(table, etgar)
    in_secret(table, toad)
    table.submit("p1", Reveal(number))
    dispute = table.submit("p1", worded(Dispute(number), "I doubt it."))[0].seq
    table.submit(NARRATOR, worded(Rule(number, dispute, "replay"), "Again."))
    for seat in SEATS:
        assert loud(judged(table.aggregate.view(seat))) == [], seat


def test_a_character_of_a_blind_roll_that_ended_is_removed() -> None:
    """Who takes part is not told that it ended: to him the removal is not decided."""
    table, etgar, _ = fight()
    pray(table, etgar, visibility="blind").void("A quarrel.")
    removed = table.submit(NARRATOR, RemoveCharacter("c1"))[0].seq
    for seat in SEATS:
        results = judged(table.aggregate.view(seat))
        assert failures(results) == [], seat
        unsure = [at for at, _ in told(results, "unchecked")]
        assert unsure == ([removed] if seat == "p1" else [])


def test_a_note_about_a_roll_whose_declaration_is_not_decided_is_judged() -> None:
    """In the file of one roll tracks are not known, and a note of before its reveal is hidden."""
    host = Host("age_of_magic")
    host.character("p1", {"Lore": 0, "WI": 5, "EN": -1}, {"tiredness": 1})
    wish: dict[str, Any] = {"skill": "Lore", "characteristic": "WI", "difficulty": 9.5}
    number = 0
    for visibility in ("public", "gm"):
        number = host.declare("c1", kind="tiring", visibility=visibility, **wish)
        at = len(host.entries) - 1
        seq, nonce = host.answer(number, "p1")
        host.ask("p1", RollDice(number, "first", seq, nonce, None, 1))
        if visibility == "gm":
            host.ask("p1", Note(at), words="We wait.")
        host.finish(number)
    host.ask(NARRATOR, Reveal(number))
    results = judged(about(host.entries, number))
    assert failures(results) == []
    assert told(results, "unchecked")


def _thrown_in_secret() -> tuple[Table, int]:
    """A secret roll is thrown with shares; and the last share's entry."""
    table, _ = timed(visibility="self")
    throw(table, "p3")
    return table, len(table.entries) - 2


def test_the_roller_of_a_blind_roll_is_not_told_what_was_to_fall() -> None:
    """Shares are opened in the open, for a throw whose plan its roller has not."""
    host = Host("plain")
    character = host.character("p1", {})
    host.anchor("p1", host.seat("p2"))
    roll = host.declare(character, expression="2d6", visibility="blind")
    host.throw(roll)
    for seat in ("p1", "p2", NARRATOR):
        assert loud(judged(host.aggregate.view(seat))) == [], seat
