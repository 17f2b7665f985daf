"""What a reader asks who knows neither game nor engine, and what the page must say to that."""

import re

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from tests.cases import NOW, bundle, declare, dispute, enter, played, rule, table
from tests.engine.case.pages import strings
from tests.engine.case.test_page import SYSTEMS, facts, plain, said
from tests.engine.helpers.tables.host import Host
from urim.engine.case.chain import chain_of, steps_of
from urim.engine.case.disputed import Wish
from urim.engine.case.facts import Case
from urim.engine.case.gather import case_of
from urim.engine.case.markdown import markdown
from urim.engine.case.otherwise import tried
from urim.engine.case.page import page
from urim.engine.case.source import source_of
from urim.engine.whatif.changes import Reading, Without
from urim.engine.whatif.seen import items_of
from urim.projections.lexicon import Lexicon

OTHER_WORDS = re.compile(r"\b(taken back|takes back|unfinished)\b")
"""Synonyms of withdrawn, undone and left lying."""


# --- one word for one thing -----------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_way_to_come_to_nothing_has_one_word(system: str) -> None:
    case = facts(system)
    assert not OTHER_WORDS.search(page(case) + markdown(case))


def test_a_withdrawn_roll_and_one_left_lying_are_called_so() -> None:
    assert "1 withdrawn before any die" in facts("majesty").past.sentences[0]
    [lying] = facts("age_of_magic").past.earlier
    assert said(lying.text) == "Roll 1 of Cogan was left lying, neither ended nor voided."


# --- what went before -----------------------------------------------------------------------------


def test_rolls_that_went_before_show_the_dice_that_fell() -> None:
    first, second = facts("milhamah").past.earlier
    for each in (first, second):
        assert re.fullmatch(r"Its dice, Etgar: (\S ){7}\S\.", said(each.dice[0]))
        assert said(each.dice[0]) in plain(facts("milhamah"))
    assert first.dice != second.dice
    assert facts("majesty").past.earlier[0].dice == ()
    assert said(first.dice[0]) in said(markdown(facts("milhamah"))).replace("\\", "")


# --- who may rule ---------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_who_may_rule_is_named(system: str) -> None:
    case = facts(system)
    assert [said(each.name) for each in case.people if each.role == "narrator"] == ["Noa"]
    assert "Only a narrator of this table may rule on it: Noa." in plain(case)
    assert "Only a narrator of this table may rule on it: Noa." in said(markdown(case))


# --- dice and rolls -------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_gold_is_explained_where_the_first_dice_are(system: str) -> None:
    read = plain(facts(system))
    gold = system in ("milhamah", "scarterra")
    legend = "A gold die is counted in a line" if gold else "Every die is counted in a line"
    assert 0 < read.index("Step by step") < read.index(legend) < read.index("How the result")


def test_of_several_rolls_each_line_names_its_own() -> None:
    for system in ("scarterra", "age_of_magic"):
        case = facts(system)
        assert len(case.parts) > 1
        assert all(f"roll {step.roll}" in step.part for step in case.steps)
        labels = [what for each in case.otherwise for what, *_ in each.changes]
        assert labels
        for what in labels:
            assert "now" in what or re.search(r" of roll \d+$", what)
    assert all(step.part == "" for step in facts("milhamah").steps)


def test_dice_that_are_all_kept_are_not_shown_once_more_and_count_as_kept() -> None:
    case = facts("milhamah")
    stood = [step for step in case.steps if "keeps all" in step.does[0]]
    assert len(stood) == 2
    whole = page(case)
    for step in stood:
        assert step.hands
        part = whole.partition(f'id="step{step.number}"')[2].partition("</li>")[0]
        assert 'class="dice"' not in part
    only = replace(case, steps=tuple(step for step in case.steps if step in stood))
    assert "Kept dice stay as they are." in plain(only)


# --- words of the game ----------------------------------------------------------------------------

SHORT = re.compile(r"\b(?:[A-Z]{2,}|X|F-\d|f-\d)\b")
"""Abbreviations: nobody can guess what they are for."""


def told(case: Case) -> str:
    """What the page says of the game in words of its own: steps, sums, other decisions."""
    steps = [(step.does, step.allowed) for step in case.steps]
    shown = (steps, case.parts, case.boxes[:2], case.otherwise, case.disputes)
    found = strings(to_builtins(shown))
    return said(" ".join(found))


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_short_word_of_the_game_is_explained(system: str) -> None:
    case = facts(system)
    known = {name.lower() for name, _ in case.terms}
    used = {word.lower() for word in SHORT.findall(told(case))}
    assert used - known == set()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("system", SYSTEMS)
def test_each_word_is_explained_once_and_only_where_it_is_used(system: str) -> None:
    case, read = facts(system), plain(facts(system))
    assert len(case.terms) >= 5
    for name, text in case.terms:
        assert read.count(f"{name}: {text}.") == 1
        assert f"**{name}**: {text}." in said(markdown(case)).replace("\\", "")
        assert re.search(rf"(?<!\w){re.escape(name)}(?:s|es)?(?!\w)", told(case), re.IGNORECASE)
    assert read.index("Words of the game") < read.index("Step by step")


def test_a_word_that_the_page_does_not_use_is_not_explained() -> None:
    names = {name for name, _ in facts("milhamah").terms}
    assert {"Wild", "X", "BLE", "VIG", "root"} <= names
    assert "XR" not in names
    assert "XR" in dict(Lexicon(played("milhamah").host.state).terms())


# --- which rule -----------------------------------------------------------------------------------


def test_what_was_allowed_names_the_rule_and_what_it_asks() -> None:
    steps = facts("milhamah").steps
    again = next(step for step in steps if "again" in step.does[0])
    assert said(again.allowed[0]) == (
        "The rules allowed throwing any of these 4 dice again. Rule: “Reroll chance”: once after"
        " the first throw, X of the dice that are not kept may be thrown again; X was 13."
    )
    kept = next(step for step in steps if "keeps" in step.does[0])
    assert (
        "Rule: “Reroll chance”: before dice are thrown again, any of them may be kept"
        in kept.allowed[0]
    )
    chosen = next(step for step in steps if "chooses" in step.does[0])
    assert "Rule: “The Natural Shoresh”: the dice show every letter of the root רוח" in said(
        chosen.allowed[0]
    )
    other = [step for step in steps if "again" in step.does[0]][1]
    assert other.allowed[0].endswith("X was 1.")


@pytest.mark.parametrize(
    ("system", "step", "rule"),
    [
        ("sagatafl", 3, "“Rolling”: as many dice as the trait"),
        ("majesty", 4, "12 against 6, a difference of 6, gives 3 of them."),
        ("scarterra", 3, "“Basic Dice Rolls”: a die for each dot"),
        ("age_of_magic", 2, "“Dice rolls”: 3 points of the basic value buy a die"),
    ],
)
def test_throws_and_turns_name_their_rule(system: str, step: int, rule: str) -> None:
    found = facts(system).steps[step - 1]
    assert rule in said(" ".join(found.allowed))
    assert rule in plain(facts(system))


# --- what a dispute is about ----------------------------------------------------------------------


def disputed(system: str, seat: str, words: str) -> Case:
    """The documents' case with another dispute, before which none was raised."""
    done = played(system)
    first = min(each.step for each in facts(system).disputes)
    until = facts(system).steps[first - 1].entries[0]
    host = Host.anew(done.host, done.host.entries[:until])
    dispute(host, done.roll, seat, words)
    return case_of(bundle(host), done.roll, now=NOW)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [
        "Etgar hat noch einmal gewürfelt, als er meine Würfel kannte.",
        "הוא הטיל שוב את הקוביות",
        "!",
    ],
)
def test_the_answer_hangs_on_no_language(words: str) -> None:
    found = disputed("milhamah", "p2", words).disputes[-1]
    assert found.answer == facts("milhamah").disputes[0].answer
    assert found.answer is not None
    assert found.answer.kind == "Which came first"


def test_what_a_ruling_amended_is_what_the_dispute_was_about() -> None:
    host = table("sagatafl", "3", "player")
    asta = enter(host, "p1", "Asta", {"Stealth": 4})
    roll = declare(host, asta, "Past the watchman", trait="Stealth", rd="very hard")
    host.finish(roll)
    raised = dispute(host, roll, "p1", "Das war doch Stein!")
    rule(host, roll, raised, "amend", "Ja.", character=asta, fields={"rd": "default"})
    [found] = case_of(bundle(host), roll, now=NOW).disputes
    assert found.answer is not None
    assert said(found.answer.sentences[0]).startswith("Asta: rd 12 (asked for as very hard)")


def test_dice_that_are_named_are_those_that_are_told_of() -> None:
    found = disputed("milhamah", "p1", "d9?").disputes[-1]
    assert found.answer is not None
    assert found.answer.kind == "What was done to the dice"
    assert [said(text) for text in found.answer.sentences] == [
        "Midwife Toad threw d9 again at step 10.",
        "Midwife Toad kept d9, d10, d11, d12, d13, d14, d15, d16 at step 11.",
    ]


@pytest.mark.parametrize("system", ["sagatafl", "majesty", "scarterra", "age_of_magic"])
def test_the_order_is_told_only_where_somebody_could_have_used_it(system: str) -> None:
    for each in facts(system).disputes:
        kinds = [each.answer.kind if each.answer else "", *(more.kind for more in each.more)]
        assert "Which came first" not in kinds


def test_who_began_after_the_other_is_told_so() -> None:
    found = disputed("milhamah", "p1", "!").disputes[-1]
    assert found.answer is not None
    assert said(found.answer.sentences[0]) == (
        "Midwife Toad first touched the dice (the reaction) at step 8, after the first die of Etgar"
        " (the action) fell at step 3."
    )


def test_a_change_by_a_ruling_is_the_narrators_and_says_from_what_to_what() -> None:
    [found] = facts("sagatafl").disputes
    assert found.answer is not None
    first, second = map(said, found.answer.sentences)
    assert first == (
        "Asta: rd 12 (asked for as very hard), since step 1, before any die fell (step 3)."
    )
    assert second == (
        "Noa (narrator) changed it for Asta at step 7, after the first die (step 3): rd 12 → 8"
        " (asked for as default)."
    )


def test_a_field_that_stays_empty_is_no_change() -> None:
    host = table("scarterra", "3", "player")
    fenja = enter(host, "p1", "Fenja", {"Dexterity": 3, "Stealth": 2})
    wish = {"attribute": "Dexterity", "ability": "Stealth", "difficulty": 8}
    roll = declare(host, fenja, "past the guard", **wish)
    host.finish(roll)
    raised = dispute(host, roll, "p1", "It was a standard difficulty!")
    rule(host, roll, raised, "amend", "It was.", character=fenja, fields={"difficulty": 6})
    [found] = case_of(bundle(host), roll, now=NOW).disputes
    assert found.answer is not None
    assert said(found.answer.sentences[-1]).endswith(": difficulty 8 → 6.")


def test_what_was_announced_first_is_in_the_story_too() -> None:
    """Else who disputed a failure seems to have disputed what the ruling made of it."""
    host = table("sagatafl", "3", "player")
    asta = enter(host, "p1", "Asta", {"Stealth": 4})
    roll = declare(host, asta, "Past the watchman", trait="Stealth", rd=12)
    host.finish(roll)
    first = host.state.rolls[roll].roll.outcome
    raised = dispute(host, roll, "p1", "That was stone!")
    rule(host, roll, raised, "amend", "Yes.", character=asta, fields={"rd": 2})
    case = case_of(bundle(host), roll, now=NOW)
    now = host.state.rolls[roll].roll.outcome
    assert first is not None
    assert now is not None
    assert (first.degree, now.degree) == ("fumble", "success")
    story = said(" ".join(case.tale))
    assert re.search(r"It ended as fumble.*, and since step \d+ as success", story)


# --- what would have been, of the very thing in dispute -------------------------------------------


def changes(case: Case, title: str) -> dict[str, tuple[str, str]]:
    """What another decision changes, by what it is called."""
    [found] = [each for each in case.otherwise if said(each.title) == title]
    return {said(what): (said(before), said(after)) for what, before, after in found.changes}


def test_the_rethrow_in_dispute_is_what_comes_first_of_other_decisions() -> None:
    case = facts("milhamah")
    title = "Etgar had not thrown d1, d4, d6, d7 again at step 5"
    assert said(case.otherwise[0].title) == title
    found = changes(case, title)
    assert found["outcome"][0] == "critical success, 6 points"
    assert "critical" not in found["outcome"][1]
    assert "step 5" not in said(" ".join(case.otherwise[0].notes))


def test_dice_that_were_turned_could_have_been_left() -> None:
    case = disputed("majesty", "p2", "!")
    assert any("had not turned d1, d3 at step 4" in said(e.title) for e in case.otherwise)


def test_the_difficulty_that_a_player_argued_for_is_tried() -> None:
    found = changes(facts("scarterra"), "Archer had declared difficulty 8 (difficult)")
    assert found["outcome of roll 1"] == (
        "moderate success, ahead by 2",
        "marginal success, ahead by 1",
    )


def test_the_rating_that_a_player_argued_for_is_tried() -> None:
    title = "Guard of Dorn had been 9, and roll 2 stood"
    found = changes(facts("majesty"), title)
    assert found["outcome of roll 2"][0] == "void"
    assert found["outcome of roll 2"][1] == "positive, 5 Hits left"


def test_another_number_of_dice_is_a_choice_not_taken() -> None:
    case = facts("age_of_magic")
    found = changes(case, "Cogan had thrown 0 dice and not 2 at step 2")
    assert found["outcome of roll 2"] == ("success, 8 against 8", "success, 10 against 8")
    more = next(e for e in case.otherwise if said(e.title).startswith("Cogan had thrown 3 dice"))
    assert "dice that were never thrown (d3)" in " ".join(more.notes)


@pytest.mark.parametrize("system", SYSTEMS)
def test_four_to_six_other_decisions_are_shown(system: str) -> None:
    assert 3 <= len(facts(system).otherwise) <= 6
    assert len({each.title for each in facts(system).otherwise}) == len(facts(system).otherwise)


# --- sums -----------------------------------------------------------------------------------------


def lines(case: Case, name: str) -> list[tuple[str, str]]:
    """The lines of the sums, each with whose it is."""
    found = [getattr(part, name) for part in case.parts]
    items = [item for result in found if result for item in result.items]
    return [(line.label, said(line.whose)) for item in items for line in (*item.terms, item.total)]


def test_each_line_of_a_sum_says_whose_it_is() -> None:
    outcome = dict(lines(facts("milhamah"), "outcome"))
    assert outcome["attribute and skill"] == "Etgar"
    assert outcome["X, dice that may be rerolled"] == "Etgar"
    assert outcome["letters of the root"] == "Etgar"
    damage = dict(lines(facts("milhamah"), "damage"))
    assert damage["VIG soak points spent"] == "Midwife Toad"
    assert damage["light wounds"] == "Midwife Toad"
    assert dict(lines(facts("age_of_magic"), "outcome"))["characteristic ST"] == "Cogan"
    assert dict(lines(facts("scarterra"), "outcome"))["dots of Stamina"] == "Captain"
    assert dict(lines(facts("sagatafl"), "outcome"))["highest die"] == "Asta"
    assert dict(lines(facts("majesty"), "outcome"))["opposing value"] == "Dorn"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_line_has_one_owner_and_shows_it(system: str) -> None:
    case = facts(system)
    names = [said(name) for each in case.people for name in each.characters]
    found = [*lines(case, "outcome"), *lines(case, "damage")]
    assert any(whose for _, whose in found)
    for label, whose in found:
        if whose:
            assert not any(re.search(rf"\b{name}\b", said(label)) for name in names)
            assert f"{whose}'s {said(label)}" in plain(case)
            assert f"{whose}'s {said(label)}" in said(markdown(case)).replace("\\", "")


def test_what_the_target_is_without_stands_in_the_sum_of_the_damage() -> None:
    [hurt] = [part.damage for part in facts("age_of_magic").parts if part.damage]
    through = next(item for item in hurt.items if item.total.label == "damage that gets through")
    assert [(line.label, line.text) for line in through.terms] == [
        ("damage before ST and armour", "11½"),
        ("ST of the target", "-0"),
        ("armour of the target", "-2"),
    ]


# --- a reading that leaves one side as it is ------------------------------------------------------


def test_a_reading_that_leaves_a_side_as_it_is_says_why() -> None:
    host = table("milhamah", "6", "player", {"skill_roots": {"wind": "רוח"}})
    etgar = enter(host, "p1", "Etgar", {"BLE": 4, "VIG": 2, "wind": 3})
    toad = enter(host, "p2", "Toad", {"GRA": 1, "VIG": 2}, soak=2)
    blow = {"attribute": "BLE", "skill": "wind", "opponent": toad, "combat": True}
    roll = declare(host, etgar, "Wind", **blow)
    host.react(roll, attribute="GRA")
    host.finish(roll)
    source = source_of(bundle(host), now=NOW)
    chain = chain_of(source.state, source.roll(roll))
    wish = Wish("reading", "none", (Reading("soak_start", "none"),))
    [found] = tried(source, chain, steps_of(source, chain), items_of(source.entries), wish)
    assert ("Etgar, VIG soak points now", "2", "0") in [
        tuple(map(said, each)) for each in found.changes
    ]
    assert [said(note) for note in found.notes] == [
        f"Toad is not touched by it: VIG soak points were set to {soak} when the character came to"
        " the table."
        for soak in (2,)
    ]


def test_a_roll_that_would_not_have_ended_is_not_told_as_if_it_had() -> None:
    done = played("milhamah")
    source = source_of(bundle(done.host), now=NOW)
    chain = chain_of(source.state, source.roll(done.roll))
    steps = steps_of(source, chain)
    chose = next(step for step in steps if "chooses" in step.does[0])
    wish = Wish("choice", "no choice", (Without(chose.entries[0]),), chose.entries)
    [found] = tried(source, chain, steps, items_of(source.entries), wish)
    [after] = [after for what, _, after in found.changes if what == "outcome"]
    assert after.startswith("not ended; by the dice so far ")
