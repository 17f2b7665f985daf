"""Rolls that took from a sheet what a void or an amendment has taken away since are named."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.corrected import Corrected
from tests.engine.helpers.stage import ROOT, fight, hit, pray
from tests.engine.helpers.tables.trials import TRIALS
from tests.steps import steps
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import Void, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.core.view import view_of
from urim.engine.table import Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.events.base import Effect
from urim.events.roll import DamageApplied
from urim.projections.corrections.annotations import annotations
from urim.projections.corrections.changes import changes_between, changes_of, every_change
from urim.projections.corrections.dependencies import CORRECTIONS
from urim.projections.corrections.stale import Stale, all_stale, last_correction, stale
from urim.projections.history import history
from urim.projections.phrases import counted_out
from urim.projections.rulings import latest_ruling
from urim.projections.tables import TableState
from urim.projections.tracks import TrackChange
from urim.rules import ruleset_named
from urim.rules.ruleset import Damage, Roll, Ruleset, Sheets

PATH = next(path for path in plays.files() if path.name == "botch-rewards.toml")


def rewarded() -> Aggregate:
    """A botch in roll 1 gave Dan (c2) three pocketed successes, which roll 2 or 3 counted."""
    found = Aggregate(environment("scripted"))
    found.load(plays.kept_of(PATH).log)
    return found


def test_nothing_is_stale_while_every_roll_counts() -> None:
    assert all_stale(rewarded().opened) == ()


def test_a_roll_that_counted_what_is_void_is_named() -> None:
    table = rewarded()
    table.submit(NARRATOR, worded(Void(1), "It was not his turn."))
    found = all_stale(table.opened)
    assert [(each.what, each.had, each.now, each.sources) for each in found] == [
        ("xr", 3, 0, (1,)),
        ("pocketed", 3, 0, (1,)),
    ]
    assert {each.character for each in found} == {"c2"}
    lines = {line.seq: line.text for line in history(table.opened, table.records)}
    words = "[had counted on roll 1, which is void: xr 3 then, 0 now; pocketed 3 then, 0 now]"
    assert lines[found[0].seq].endswith(words)
    assert "Roll 1 is voided. [roll 2 had counted on it]" in lines.values()


def test_a_void_of_both_leaves_nothing_to_name() -> None:
    table = rewarded()
    for number in range(1, len(table.opened.rolls) + 1):
        against = latest_ruling(table.opened.rolls[number])
        table.submit(NARRATOR, worded(Void(number, against=against), "All of it."))
    assert all_stale(table.opened) == ()


ATTACK: dict[str, Any] = {
    "skill": "Brawling",
    "characteristic": "ST",
    "kind": "attack",
    "difficulty": 5,
}


def only(table: Table) -> tuple[Stale, str]:
    """The one thing that is stale, and how history ends its line."""
    [found] = all_stale(table.state)
    lines = {line.seq: line.text for line in history(table.state, table.aggregate.records)}
    [(seq, words)] = by_correction(table.state).items()
    [correction] = history(table.state, [table.aggregate.records[seq]])
    assert correction.text == lines[seq]
    assert words in correction.text
    return found, lines[found.seq].partition(" [")[2]


def test_a_merit_point_that_was_never_earned_is_named_where_it_was_spent() -> None:
    table = FixtureTable("milhamah", dice="scripted")
    rachel = table.character("Rachel", attributes={"BLE": 2})
    first = table.declare(rachel, attribute="BLE", target="heroic")
    first.roll(faces=tuple("אשרגדהוז"))
    first.stand()
    first.choose("natural", "merit")
    first.resolve()
    second = table.declare(rachel, attribute="BLE")
    second.roll(faces=tuple("בגדהוזחט"))
    second.reroll("d1", "d2", "d3", faces=tuple("אשר"))
    assert all_stale(table.state) == ()
    first.void("It was not his turn.")
    found, words = only(table)
    assert (found.roll, found.what, found.had, found.now) == (second.number, "merit", 1, 0)
    assert words == "had counted on roll 1, which is void: 1 merit spent, 0 there now]"


def test_a_penalty_of_wounds_that_are_no_more_is_named_with_both_numbers() -> None:
    table = FixtureTable("scarterra", dice="scripted")
    knight = table.character("Knight", attributes={"Strength": 2, "Melee": 2})
    squire = table.character("Squire", attributes={"Stamina": 2, "Strength": 2})
    wish: dict[str, Any] = {"opponent": squire.id, "combat": True, "soak": "Stamina"}
    blow = table.declare(knight, attribute="Strength", ability="Melee", **wish)
    blow.decline()
    blow.roll(faces=[6, 7, 8, 9])
    blow.resolve()
    soak = table.declare(squire, follows=(blow, "soak"))
    soak.roll(faces=[6, 2])
    soak.resolve()
    assert soak.apply_damage().amount == 3
    back = table.declare(squire, attribute="Strength")
    assert back.state.roll.declaration.wounds == 3
    blow.amend("It was dark.", difficulty=8)
    found, words = only(table)
    assert (found.roll, found.what, found.had, found.now) == (back.number, "wounds", 3, 1)
    assert words == "had counted on roll 2, which was amended: wounds 3 then, 1 now]"
    back.replace("As he is now.")
    assert back.state.roll.declaration.wounds == 1
    assert all_stale(table.state) == ()
    blow.amend("It was not.", difficulty=6)
    found, words = only(table)
    assert (found.roll, found.what, found.had, found.now) == (back.number, "wounds", 1, 3)


def test_what_follows_a_named_roll_is_named_with_it() -> None:
    """The damage of a blow counted a tiredness that is void, and the soak counts that damage."""
    table = FixtureTable("age_of_magic", dice="scripted")
    scores = {"Brawling": 6, "Running": 3, "ST": 6, "EN": 5}
    ann, bert = (table.character(name, attributes=scores) for name in ("Ann", "Bert"))
    blow = table.declare(ann, **ATTACK, targets=[bert.id])
    blow.roll(option=0)
    blow.resolve()
    run = table.declare(ann, skill="Running", characteristic="EN", kind="tiring", difficulty=20)
    run.roll(option=0)
    run.resolve()
    damage = table.declare(ann, follows=(blow, "damage"))
    damage.roll(option=0)
    damage.resolve()
    soak = table.declare(bert, skill="Running", characteristic="EN", follows=(damage, "soak"))
    assert all_stale(table.state) == ()
    run.void("He did not run.")
    found = [(each.roll, each.what, each.had, each.sources) for each in all_stale(table.state)]
    by = (run.number,)
    assert found == [
        (damage.number, "tired", damage.state.roll.declaration.tired, by),
        (soak.number, "follows", damage.number, by),
    ]
    texts = {line.seq: line.text for line in history(table.state, table.aggregate.records)}
    assert texts[soak.state.trail[0].seq].endswith(
        "[had counted on roll 2, which is void: by roll 3, which it follows]"
    )
    assert [*by_correction(table.state).values()] == ["[rolls 3 and 4 had counted"]


def test_a_penalty_in_a_reaction_is_named_too() -> None:
    table = FixtureTable("scarterra", dice="scripted")
    knight = table.character("Knight", attributes={"Strength": 2, "Melee": 2})
    squire = table.character("Squire", attributes={"Stamina": 2, "Agility": 2})
    wish: dict[str, Any] = {"opponent": squire.id, "combat": True, "soak": "Stamina"}
    blow = table.declare(knight, attribute="Strength", ability="Melee", **wish)
    blow.decline()
    blow.roll(faces=[6, 7, 8, 9])
    blow.resolve()
    soak = table.declare(squire, follows=(blow, "soak"))
    soak.roll(faces=[6, 2])
    soak.resolve()
    assert soak.apply_damage().amount == 3
    again = table.declare(knight, attribute="Strength", ability="Melee", **wish)
    again.react(attribute="Agility")
    blow.amend("It was dark.", difficulty=8)
    found, _ = only(table)
    assert (found.roll, found.character, found.what) == (again.number, squire.id, "wounds")


def test_a_push_that_was_paid_for_at_another_price_is_named() -> None:
    table = FixtureTable("age_of_magic", dice="scripted")
    cogan = table.character("Cogan", attributes={"Lore": 4, "WI": 3}, tracks={"tiredness": 0})
    wish: dict[str, Any] = {"skill": "Lore", "characteristic": "WI", "difficulty": 7}
    first = table.declare(cogan, **wish, push=True)
    second = table.declare(cogan, **wish, push=True)
    assert second.state.roll.declaration.tired == 2
    table.submit(cogan.seat, c.Withdraw(first.number))
    found, words = only(table)
    assert (found.what, found.had, found.now) == ("tired", 2, 1)
    assert words == "had counted on roll 1, which is void: tired 2 then, 1 now]"


def test_a_price_that_was_settled_twice_had_not_counted_on_its_own_roll() -> None:
    table = FixtureTable("age_of_magic", dice="scripted")
    cogan = table.character("Cogan", attributes={"Lore": 4, "WI": 3}, tracks={"tiredness": 0})
    wish: dict[str, Any] = {"skill": "Lore", "characteristic": "WI", "difficulty": 7}
    first = table.declare(cogan, **wish, push=True)
    second = table.declare(cogan, **wish, push=True)
    second.replace("Once more.")
    table.submit(cogan.seat, c.Withdraw(first.number))
    found, _ = only(table)
    assert (found.roll, found.sources) == (second.number, (first.number,))


@pytest.mark.parametrize("entries", [1, 2])
def test_a_reaction_is_settled_again_on_the_roll_as_it_was_then(entries: int) -> None:
    """Of more than four letters a root needs leave, which the roll had when it was answered."""
    table, etgar, toad = fight()
    for _ in range(entries):  # so the reaction is at an even entry, or at an odd one
        table.submit(NARRATOR, c.SetTrack(etgar.id, "soak", 0))
    first = hit(table, etgar, toad)
    second = table.declare(etgar, root=ROOT, rating=5, opponent=toad.id)
    second.amend("There is.", leave=True)
    second.react(root="חננלט", rating=3)
    second.amend("There was no leave.", leave=False)
    first.void("It was a game.")
    assert all_stale(table.state) == ()


def test_a_killing_is_named_where_its_damage_is_less_now() -> None:
    table, etgar, toad = fight()
    first, second = hit(table, etgar, toad), hit(table, etgar, toad)
    table.submit(NARRATOR, c.DecideFate(second.number, "killed"))
    first.void("It was a game.")
    found, words = only(table)
    assert (found.roll, found.what, found.sources) == (second.number, "killed", (first.number,))
    assert found.had == {"light": 2, "serious": 2, "critical": 1}
    assert found.now == {"armour:belly": -2, "soak": -2, "light": 1}
    assert words.startswith("had counted on roll 1, which is void: killed by light +2; serious +2;")


@pytest.mark.parametrize("system", ["milhamah", "age_of_magic"])
def test_what_is_stale_is_so_by_a_correction_that_came_later(system: str, count: int) -> None:
    seen = 0
    for number in range(max(20, count // 5)):
        table = Corrected(system, f"hanging {number}")
        for _ in table.steps():
            pass
        for left in all_stale(table.state):
            seen += 1
            assert left.had != left.now or left.refused
            for source in left.sources:
                after = [entry.seq for entry in table.state.rolls[source].trail]
                assert left.twice or max(after) > left.seq
    assert seen


# --- what damage marks now ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "words"),
    [(1, "6 points: light +1"), (-1, "4 points: light +1"), (0, "light +1"), (None, "")],
)
def test_damage_that_is_more_or_less_now_says_how_much(more: int | None, words: str) -> None:
    """The table's rules make it another one than was announced, 5; by None they leave it."""
    found, etgar, toad = fight()
    blow = hit(found, etgar, toad)

    def otherwise(system: str) -> Ruleset:
        rules = ruleset_named(system)

        def damage(roll: Roll, sheets: Sheets) -> Damage:
            made = rules.damage(roll, sheets)
            light = (Effect(made.target, "light", 1),)
            return replace(made, amount=made.amount + (more or 0), effects=light)

        return rules if more is None else replace(rules, damage=damage)

    aggregate = Aggregate(replace(environment("scripted"), rulesets=otherwise))
    aggregate.load(found.entries)
    notes = annotations(aggregate.opened, [*filter(None, aggregate.records)])
    [note] = [notes[each.seq] for each in blow.state.trail if isinstance(each.event, DamageApplied)]
    assert note == (f" [what it marks now: {words}]" if words else "")


# --- found without a look at every roll -----------------------------------------------------------


def every_stale(state: TableState) -> tuple[Stale, ...]:
    """All that is stale, from every entry of every roll."""
    return stale(state, changes_of(state, (each for r in state.rolls.values() for each in r.trail)))


def by_correction(state: TableState) -> dict[int, str]:
    """What is stale by each correction, in words, from all that is stale at the table."""
    on = dict[int, dict[int, None]]()
    for left in every_stale(state):
        for number in () if left.twice else left.sources:
            on.setdefault(number, {})[left.roll] = None
    return {
        last_correction(state.rolls[number]): f"[{counted_out('roll', 'rolls', rolls)} had counted"
        for number, rolls in on.items()
    }


def spenders(state: TableState, change: TrackChange, effect: Effect) -> tuple[int, ...]:
    """The rolls that spent of a track while another was hidden, from every change there was."""
    return tuple(
        dict.fromkeys(
            other.roll
            for other in every_change(state)
            if change.place < other.since <= change.since
            and other.roll not in (None, change.roll)
            and any(
                e.delta < 0 and (e.character, e.track) == (effect.character, effect.track)
                for e in other.effects
            )
        )
    )


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_what_is_stale_by_a_correction_is_what_a_look_at_every_roll_finds(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A table for every ten that the count asks for; each record of it alone, and all at once."""
    seen = Counter[str]()
    for number in range(6 + count // 10):
        table = Corrected(system, f"on them {seed} {number}")
        for _ in table.steps():
            pass
        for who in ("", "p1", "p2", NARRATOR):
            state = view_of(table.state, who)
            assert all_stale(state) == every_stale(state), table.story
            seen["twice"] += sum(left.twice for left in every_stale(state))
            wanted = by_correction(state)
            records = [
                record
                for record in filter(None, table.aggregate.records)
                if isinstance(record.event, CORRECTIONS) and record.event.roll in state.rolls
            ]
            whole = annotations(state, records)
            for record in records:
                alone = annotations(state, [record])[record.seq]
                words = wanted.get(record.seq)
                assert alone == whole[record.seq]
                assert ("had counted on it" in alone) == (words is not None), (alone, words)
                assert words is None or words in alone, table.story
                seen["corrections"] += 1
                seen["with stale rolls"] += words is not None
    tried(", ".join(f"{number:,} {what}" for what, number in seen.items()))


@pytest.mark.parametrize("system", ["milhamah", "age_of_magic"])
def test_who_spent_the_same_meanwhile_is_what_every_change_says(system: str, count: int) -> None:
    for number in range(1 + count // 10):
        table = Corrected(system, f"twice {number}")
        for _ in table.steps():
            pass
        state = table.state
        every = [*every_change(state)]
        for first, last in ((0, state.size), (state.size // 3, state.size // 2), (9, 9)):
            found = [*changes_between(state, first, last)]
            assert found == [change for change in every if first <= change.since <= last]
        for left in all_stale(state):
            if left.twice:
                change = next(each for each in every if each.seq == left.seq)
                effect = Effect(left.character, left.what, -left.had)
                assert left.sources == spenders(state, change, effect)


def test_the_line_of_a_void_costs_the_same_however_many_there_were() -> None:
    costs = []
    for blows in (8, 40):
        table, etgar, toad = fight()
        for number in range(blows):
            blow = hit(table, etgar, toad)
            if number % 2:
                blow.void("It never was.")
            table.submit(NARRATOR, c.SetTrack(toad.id, "light", 0))
        records = table.aggregate.records[-3:-1]
        work = partial(history, table.state, records)
        assert work()[0].text.startswith(f"Roll {blows} is voided.")
        costs.append(steps(work))
    assert abs(costs[1] - costs[0]) <= 0.1 * costs[0]  # what is looked up is looked up by halving


def test_what_is_stale_costs_the_same_however_many_rolls_there_were() -> None:
    costs = []
    for prayers in (8, 40):
        table, etgar, toad = fight()
        hit(table, etgar, toad).void("It never was.")
        for _ in range(prayers):
            pray(table, toad).resolve()
        state = table.state
        assert all_stale(state) == every_stale(state)
        costs.append(steps(partial(all_stale, state)) - steps(partial(list, state.rolls.values())))
    assert costs[1] <= 2 * costs[0]  # whether each was hidden is looked at
