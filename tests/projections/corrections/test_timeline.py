"""The moments of tracks, and what was corrected, against all of it gone through from the start."""

from collections.abc import Iterator, Mapping
from functools import cache, partial

import pytest
from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from tests.engine.helpers.corrected import Corrected
from tests.engine.helpers.stage import NATURAL, ROOT, fight, hit
from tests.projections.corrections.test_undone import SYSTEMS
from tests.steps import steps
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import SetTrack, Void, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.testing.kit.luck import Luck
from urim.events import roll as rolled
from urim.events import ruling
from urim.events.base import Effect, Visibility
from urim.events.codec import RecordedEvent
from urim.events.entry import Entry
from urim.events.roll import DamageApplied
from urim.events.table import TrackSet
from urim.projections.corrections.changes import changes_between, changes_of, every_change
from urim.projections.corrections.dependencies import Corrections, Taking, effects_in, given_by
from urim.projections.corrections.postings import LIST, Postings
from urim.projections.corrections.timeline import may_mark, whom
from urim.projections.tables import TableState
from urim.projections.tracks import DECLARING, TrackChange, Tracks, effective, marked, pending
from urim.rules import ruleset_named
from urim.rules.ruleset import Damage, Roll, Ruleset, Sheets

TABLES = [(system, seed) for system in SYSTEMS for seed in range(2)]


@cache
def table(system: str, seed: int) -> Aggregate:
    """A table that was corrected all the time."""
    played = Corrected(system, f"moments {seed}")
    for _ in played.steps():
        pass
    return played.aggregate


def changed(system: str, seed: int) -> tuple[TableState, list[TrackChange]]:
    """The table, and all changes of its tracks."""
    state = table(system, seed).opened
    return state, [*every_change(state)]


# --- moments --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "seed"), TABLES)
def test_each_change_begins_where_the_last_one_ended(system: str, seed: int) -> None:
    state, changes = changed(system, seed)
    tracks: Tracks = Map()
    for change in changes:
        assert change.before == tracks
        tracks = change.after
        if change.roll is not None:
            after = change.before
            for effect in change.effects:
                own = marked(state.game, after.get(effect.character, Map()), effect)
                after = after.set(effect.character, own)
            assert change.after == after
    assert tracks == state.tracks
    assert [change.since for change in changes] == sorted(change.since for change in changes)


@pytest.mark.parametrize(("system", "seed"), TABLES)
def test_tracks_before_an_entry_are_those_of_the_changes_before_it(system: str, seed: int) -> None:
    state, changes = changed(system, seed)
    for seq in range(state.size + 1):
        before = [change.after for change in changes if change.since < seq]
        wanted = before[-1] if before else Map()
        found = state.tracks_before(seq)
        assert found == wanted
        for who in found:
            assert state.timeline.before(who, seq, state.tracks[who]) == wanted[who]


@pytest.mark.parametrize(("system", "seed"), TABLES)
def test_changes_from_one_entry_to_another_are_those_of_all(system: str, seed: int) -> None:
    state, changes = changed(system, seed)
    luck = Luck(f"between {seed}")
    for _ in range(20):
        first = luck.below(state.size)
        last = first + luck.below(12) - 1
        wanted = [change for change in changes if first <= change.since <= last]
        assert [*changes_between(state, first, last)] == wanted


def does(change: TrackChange) -> bool:
    """Whether a change costs or gives somebody something."""
    return bool(change.effects) or change.damage is not None


@pytest.mark.parametrize(("system", "seed"), TABLES)
def test_the_changes_of_a_roll_are_those_of_all_that_are_its_own(system: str, seed: int) -> None:
    state, changes = changed(system, seed)
    last = state.corrections.last
    for roll in state.rolls.values():
        found = changes_of(state, roll.trail)
        entries = {entry.seq: entry for entry in roll.trail}
        own = [change for change in changes if change.roll == roll.number]
        assert [*filter(does, found)] == [*filter(does, own)]
        assert [*found] == sorted(found, key=lambda change: (change.since, change.place))
        for change in found:
            entry = entries[change.seq]
            took = isinstance(entry.event, (*DECLARING, rolled.ReactionDeclared))
            assert may_mark(entry) or (took and change.seq < last)
            assert change.announced == (roll.damage if change.damage is not None else None)
            assert changes_of(state, [entry]) == (change,)
        seqs = {change.seq for change in found}
        for entry in () if roll.hidden else effective(roll):
            took = isinstance(entry.event, (*DECLARING, rolled.ReactionDeclared))
            assert (entry.seq in seqs) == (may_mark(entry) or (took and entry.seq < last))
    assert changes_of(state, ()) == ()


@pytest.mark.parametrize(("system", "seed"), TABLES)
def test_each_has_its_own_moments_in_the_order_of_the_log(system: str, seed: int) -> None:
    state = table(system, seed).opened
    timeline = state.timeline
    every: dict[int, int | None] = {}
    for who in state.characters:
        moments = [timeline.at(who, number) for number in range(timeline.count(who))]
        seqs = [moment.seq for moment in moments]
        assert seqs == sorted(set(seqs))
        for moment in moments:
            every[moment.seq] = moment.roll
            if moment.roll is None:
                assert moment.sheet is not None
                assert getattr(moment.sheet.event, "character", None) == who
            else:
                assert moment.sheet is None
                assert who in whom(state.game, state.rolls[moment.roll])
    found = timeline.moments(0, state.size)
    assert {moment.seq: moment.roll for moment in found} == every
    assert [moment.seq for moment in found] == sorted(every)


# --- one after the other --------------------------------------------------------------------------


WORN = "armour:rear"
"""A track that no blow of these changes by the rules."""


def spreading(system: str, least: int = 1) -> Ruleset:
    """The rules, but a blow wears by how worn its striker is: a correction of one spreads."""
    rules = ruleset_named(system)

    def damage(roll: Roll, sheets: Sheets) -> Damage:
        found = rules.damage(roll, sheets)
        worn = sheets(roll.character).tracks.get(WORN, 0)
        return replace(found, effects=(Effect(found.target, WORN, least + worn),))

    return replace(rules, damage=damage)


@cache
def blows() -> tuple[Entry, ...]:
    """Two who strike each other in turn; now and then something is set right behind a blow."""
    found, etgar, toad = fight()
    for number in range(8):
        hit(found, *((toad, etgar) if number % 2 else (etgar, toad)))
        if number % 3:
            found.submit(NARRATOR, SetTrack(("c2", "c1")[number % 2], "soak", number))
        if number == 5:
            found.submit(NARRATOR, SetTrack("c1", WORN, 2))
    return found.entries


@pytest.mark.parametrize("voided", [(1,), (2,), (3, 1), (2, 5), (7,), (8, 6, 1)])
def test_a_correction_reaches_whomever_it_changed(voided: tuple[int, ...]) -> None:
    aggregate = Aggregate(replace(environment("scripted"), rulesets=spreading))
    aggregate.load(blows())
    for number in voided:
        aggregate.submit(NARRATOR, worded(Void(number), "It never was."))
    state = aggregate.opened
    changes = [*every_change(state)]
    assert changes[-1].after == state.tracks
    worn = dict.fromkeys(state.characters, 0)
    events = {record.seq: record.event for record in filter(None, aggregate.records)}
    for change in changes:
        assert change.roll not in voided
        event = events[change.seq]
        if isinstance(event, DamageApplied):
            striker = state.rolls[event.roll].roll.character
            worn[event.target] += 1 + worn[striker]
        elif isinstance(event, TrackSet) and event.track == WORN:
            worn[event.character] = event.value
        assert {who: own.get(WORN, 0) for who, own in change.after.items()}.items() <= worn.items()
    for seq in range(state.size + 1):
        before = [change.after for change in changes if change.since < seq]
        assert state.tracks_before(seq) == (before[-1] if before else Map())


@pytest.mark.parametrize("entries", [1, 2])
def test_a_blow_that_wears_nobody_any_more_is_found_too(entries: int) -> None:
    """A worn striker's blow wears the next one, who strikes a third: the first blow is void."""
    found, etgar, toad = fight()
    third = found.character("Frog", attributes={"GRA": 2, "VIG": 2, "jump": 1}, tracks={WORN: 1})
    for _ in range(entries):  # so the blows are at even entries, or at odd ones
        found.submit(NARRATOR, SetTrack(etgar.id, WORN, 2))
    hit(found, etgar, toad)
    hit(found, toad, third)
    aggregate = Aggregate(replace(environment("scripted"), rulesets=partial(spreading, least=0)))
    aggregate.load(found.entries)
    assert {who: own.get(WORN, 0) for who, own in aggregate.opened.tracks.items()} == {
        etgar.id: 2,
        toad.id: 2,
        third.id: 3,
    }
    aggregate.submit(NARRATOR, worded(Void(1), "It never was."))
    state = aggregate.opened
    assert {who: own.get(WORN, 0) for who, own in state.tracks.items()} == {
        etgar.id: 2,
        toad.id: 0,
        third.id: 1,
    }
    assert [*every_change(state)][-1].after == state.tracks


def test_a_void_of_what_was_set_right_since_costs_the_same_however_much_came_then() -> None:
    costs = []
    for later in (4, 16):
        table, etgar, toad = fight()
        blow = hit(table, etgar, toad)
        for track, value in table.state.tracks[toad.id].items():
            table.submit(NARRATOR, SetTrack(toad.id, track, value))
        for _ in range(later):
            hit(table, etgar, toad)
        costs.append(steps(partial(blow.void, "It never was.")))
    assert costs[1] < 1.5 * costs[0]


# --- what was corrected ---------------------------------------------------------------------------


def takers(entry: RecordedEvent, owner: str) -> set[str]:
    """From whose sheets an entry may have taken something, by the kind of its event."""
    event = entry.event
    found = {effect.character for effect in effects_in(entry)}
    if isinstance(event, (rolled.RollDeclared, rolled.ReactionDeclared)):
        found.add(event.character)
    if isinstance(event, ruling.DeclarationReplaced):
        found.add(owner)
    if isinstance(event, rolled.DamageApplied):
        found.add(event.target)
    return found


@pytest.mark.parametrize(("system", "seed"), TABLES)
def test_what_was_corrected_and_who_took_are_those_of_the_log(system: str, seed: int) -> None:
    state = table(system, seed).opened
    made, taken = list[tuple[int, int]](), dict[str, list[Taking]]()
    public = [roll for roll in state.rolls.values() if roll.visibility == "public"]
    for roll in public:
        given = False
        for entry in roll.trail:
            given = given or bool(effects_in(entry))
            if given and isinstance(entry.event, (rolled.RollVoided, ruling.RollAmended)):
                made.append((entry.seq, roll.number))
            for who in takers(entry, roll.roll.character):
                taken.setdefault(who, []).append(Taking(entry.seq, roll.number))
        assert [*given_by(roll)] == [
            (entry.seq, each.character) for entry in roll.trail for each in effects_in(entry)
        ]
    numbers = {roll.number for roll in public}
    found = state.corrections
    assert [each for each in found.made if each[1] in numbers] == sorted(made)
    for who in state.characters:
        own = [each for each in found.taken.between(who, 0, state.size) if each.roll in numbers]
        assert own == sorted(taken.get(who, []), key=lambda each: each.seq)
    assert found.last == max((seq for seq, _ in found.made), default=-1)
    for roll in public:
        less = found.seen({roll.number}, ())
        assert less.made == tuple(each for each in found.made if each[1] != roll.number)
        assert less.taken == found.taken
        assert found.seen({roll.number}, [roll]) == found


def test_an_entry_that_corrects_and_takes_nothing_changes_nothing() -> None:
    state = table(*TABLES[0]).opened
    empty = Corrections()
    assert empty.last == -1
    kept = [
        entry
        for roll in state.rolls.values()
        for entry in roll.trail
        if isinstance(entry.event, rolled.DiceRolled) and not effects_in(entry)
    ]
    assert kept
    for roll in state.rolls.values():  # some have cost or given something, and are in the open
        assert empty.after(roll, kept[0]) is empty
    assert any(effects_in(entry) for roll in state.rolls.values() for entry in roll.trail)


@pytest.mark.parametrize("visibility", ["public", "gm"])
def test_what_a_roll_costs_waits_while_it_is_hidden(visibility: Visibility) -> None:
    found, etgar, _ = fight()
    roll = found.declare(etgar, root=ROOT, rating=2, target="heroic", visibility=visibility)
    roll.roll(faces=NATURAL)
    roll.stand()
    roll.choose("natural", "merit")
    roll.resolve()
    state = found.state.rolls[roll.number]
    given = [effect for entry in effective(state) for effect in effects_in(entry)]
    assert given
    assert [*pending(state)] == (given if visibility == "gm" else [])


# --- postings -------------------------------------------------------------------------------------


class Item(Struct, frozen=True):
    """Something at an entry."""

    seq: int


def postings(of: Mapping[str, list[int]]) -> Iterator[Postings[Item]]:
    """Postings of these items, added one after the other, in the order of the log."""
    found: Postings[Item] = Postings()
    yield found
    for seq, who in sorted((seq, who) for who, seqs in of.items() for seq in seqs):
        found = found.added(who, Item(seq))
        yield found


OF = {"c1": [0, 3, 4, 9], "c2": [1, 3], "c3": [9], "c4": list(range(2, 40, 3))}


def test_postings_are_lists_that_are_looked_up_from_any_entry() -> None:
    for size, found in enumerate(postings(OF)):
        every = sorted((seq, who) for who, seqs in OF.items() for seq in seqs)[:size]
        for who in (*OF, "nobody"):
            seqs = [seq for seq, each in every if each == who]
            assert found.count(who) == len(seqs)
            for first in range(-1, 42):
                assert found.first_from(who, first) == sum(seq < first for seq in seqs)
                for last in range(first - 2, first + 5):
                    wanted = [Item(seq) for seq in seqs if first <= seq <= last]
                    assert [*found.between(who, first, last)] == wanted
            for at, seq in enumerate(seqs):
                assert found.at(who, at) == Item(seq)
            with pytest.raises(KeyError):
                found.at(who, len(seqs))


def test_each_list_has_its_own_numbers() -> None:
    *_, found = postings(OF)
    firsts = [found.lists[who] for who in ("c1", "c2", "c4", "c3")]
    assert firsts == [(0, 4), (LIST, 2), (2 * LIST, 13), (3 * LIST, 1)]
    assert LIST > 1 << 32
