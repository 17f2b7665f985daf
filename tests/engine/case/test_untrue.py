"""What a page must not say: more than the log shows, or two things that cannot both be so."""

import re

import pytest

from tests.cases import played
from tests.conformance import suite
from tests.engine.case.test_page import SYSTEMS, facts, plain, said
from urim.engine.case.facts import Case, Chooser, Otherwise
from urim.engine.case.gather import case_of
from urim.engine.case.legend import HOST_TEXT
from urim.engine.case.markdown import markdown
from urim.engine.case.page import page
from urim.projections.result import Result, written


def chooser(system: str, who: str) -> Chooser:
    """The line about a suspect."""
    [found] = [each for each in facts(system).chance.choosers if said(each.who) == who]
    return found


def other(system: str, title: str) -> Otherwise:
    """The row about another decision whose title begins so."""
    [found] = [each for each in facts(system).otherwise if said(each.title).startswith(title)]
    return found


def rows(result: Result | None) -> list[tuple[str, str]]:
    """The lines of a sum as they are written: number and label, the total last."""
    found: list[tuple[str, str]] = []
    for item, terms in written(result.items if result else ()):
        found += [(number, said(line.label)) for number, line in terms]
        found.append((item.total.text, said(item.total.label)))
    return found


# --- could anybody have chosen --------------------------------------------------------------------


@pytest.mark.parametrize("system", ["milhamah", "sagatafl", "majesty", "scarterra"])
def test_what_rests_on_numbers_without_a_key_has_a_mark_of_its_own(system: str) -> None:
    host = chooser(system, "The host alone")
    assert host.safe == "if"
    assert host.text.startswith("if ")
    assert "really theirs, could not: " in host.text
    read = plain(facts(system))
    assert "(✓): it rules it out only if what follows is so" in read
    assert said(host.text) in read
    assert '<td class="mark">(✓)</td><th>The host alone</th>' in page(facts(system))


def test_each_line_about_the_host_and_another_has_the_condition_first() -> None:
    for system in ("milhamah", "majesty"):
        for each in facts(system).chance.choosers:
            if each.who.startswith("The host and") and "everybody" not in each.who:
                assert each.safe == "if"
                assert re.match(r"if Noa or \w+ is honest, and the number", said(each.text))


def test_a_mark_that_is_not_there_is_not_explained() -> None:
    read = plain(facts("age_of_magic"))
    assert "–: it does not rule it out" in read
    assert "✓: the log rules it out;" not in read


def test_what_players_compare_is_there_with_the_digits_of_the_log() -> None:
    for system in ("milhamah", "majesty"):
        state = played(system).host.state
        compare = said(facts(system).chance.compare)
        assert "the first eight digits that their own client shows" in compare
        for seat, name in (("p1", "Rachel"), ("p2", "Yonah")):
            anchor = state.seats[seat].anchor
            assert anchor is not None
            assert f"{name} {anchor.first[:8]}" in compare
        assert compare in plain(facts(system))


@pytest.mark.parametrize("system", SYSTEMS)
def test_who_the_host_is_is_not_known_and_said_once(system: str) -> None:
    read = plain(facts(system))
    assert read.count("This page cannot know who that is") == 1
    assert "If the host is one of the people named here, do not count that one" in read
    assert HOST_TEXT in markdown(facts(system))


@pytest.mark.parametrize("system", SYSTEMS)
def test_throwers_are_not_named_as_if_they_were_one(system: str) -> None:
    read = plain(facts(system))
    assert "Who threw (" not in read
    assert " of 1 throw " not in read


# --- the record -----------------------------------------------------------------------------------


def test_a_record_is_green_only_where_the_host_alone_could_not_choose() -> None:
    assert {system: facts(system).boxes[3].tone for system in SYSTEMS} == {
        "milhamah": "",
        "sagatafl": "",  # a throw was amended, and one made void: looks
        "majesty": "",
        "scarterra": "good",
        "age_of_magic": "",
    }
    assert 'class="box good"><h3>Record' in page(facts("scarterra"))
    assert 'class="box"><h3>Record' in page(facts("age_of_magic"))


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_wrong_says_what_it_means_and_the_key_what_to_do(system: str) -> None:
    case = facts(system)
    assert "That does not say who is right." in case.boxes[3].text
    assert "the file alone says so" not in plain(case)
    assert "The host's key stands in this file: compare it" in case.record.verdict
    assert "nothing to look at" not in plain(case)


@pytest.mark.parametrize(
    ("system", "level", "words"),
    [
        ("age_of_magic", "server", "2 throws: from the host's number alone."),
        ("sagatafl", "player", "2 throws: from the host's number and that of the one who threw"),
        ("milhamah", "table", "7 throws: from numbers of the host and of everybody asked"),
    ],
)
def test_the_dice_of_each_level_are_called_what_they_are(
    system: str, level: str, words: str
) -> None:
    [found] = [each for each in facts(system).record.stated if f"(level {level})" in each]
    assert words in found
    assert "Dice: fair" not in plain(facts(system))


def test_a_commitment_that_the_thrower_did_not_see_leaves_the_host_free() -> None:
    name = "dice-of-the-second-hand-of-a-blind-roll-chosen-by-the-host"
    cheat, twin = (case_of(suite.cases()[f"{kind}/{name}"].bundle, 1) for kind in ("cheat", "twin"))
    levels = [[throw.level for throw in case.throws] for case in (cheat, twin)]
    assert levels == [["player", "server"], ["player", "player"]]
    host = [(each.who, each.safe) for each in cheat.chance.choosers[:1]]
    assert host == [("The host alone", "no")]
    assert ("The host alone", "no") not in [(e.who, e.safe) for e in twin.chance.choosers]


# --- other decisions ------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_row_without_a_change_says_why_or_is_not_there(system: str) -> None:
    assert all(each.changes or each.why for each in facts(system).otherwise)
    assert "nothing would be otherwise" not in plain(facts(system))


NOTHING = (
    "at this table one who does not react in combat counts as one who reacted and scored nothing"
)
"""The reading by which an answer that was not given changes nothing."""


def test_why_a_row_changes_nothing() -> None:
    declined = other("milhamah", "Midwife Toad had not answered")
    assert (declined.changes, declined.why) == (
        (),
        NOTHING,
    )
    assert other("majesty", "Dorn had not answered").why == "roll 2 is void anyway"
    assert declined.why in plain(facts("milhamah"))


def test_a_turning_that_falls_away_says_that_others_might_have_been_possible() -> None:
    notes = " ".join(other("majesty", "Guard of Dorn had been 9").notes)
    assert "Refused there: adjustment at a cost of 3; allowed: at most 2." in said(notes)
    assert "counts no turning at all, and others may have been possible" in notes
    assert "this one thing" not in plain(facts("majesty"))


def test_of_a_smaller_pool_it_is_told_which_dice_count() -> None:
    one = other("scarterra", "the table had read it so: damage is soaked with Armor")
    assert "Roll 2 would be of d1 as they fell, not with d2, d3." in one.notes
    none = other("age_of_magic", "Cogan had thrown 0 dice and not 2")
    assert "Roll 2 would be without dice, not with d1, d2." in none.notes
    same = other("milhamah", "Midwife Toad had not answered")
    assert not any("as they fell" in note for note in same.notes)


# --- sums -----------------------------------------------------------------------------------------


def test_a_net_success_is_one_left_over_in_a_resisted_roll() -> None:
    first, second = facts("scarterra").parts
    assert ("2", "net successes of the winner") in rows(first.outcome)
    assert (first.outcome and first.outcome.text) == "ahead by 2"
    terms = dict(facts("scarterra").terms)
    assert terms["net success"].startswith("a success left over in a resisted roll")
    assert "net success" not in terms["complete"] + terms["success"]
    assert not any("net" in label for _, label in rows(second.outcome) if "attack" not in label)


def test_no_line_of_the_damage_stands_there_twice() -> None:
    hurt = facts("scarterra").parts[1].damage
    found = rows(hurt)
    assert len({label for _, label in found}) == len(found)
    assert ("-1", "wound penalty on a pool") in found


def test_the_points_of_a_hit_are_a_line_even_where_they_are_0() -> None:
    harm = facts("age_of_magic").parts[1].outcome
    assert ("+ 0", "½ for each whole point by which the attack hit") in rows(harm)


def test_the_result_before_a_ruling_has_its_sum_and_a_flag_is_a_sentence() -> None:
    case: Case = facts("sagatafl")
    [part] = case.parts
    assert part.until == 7
    assert ("-6", "margin") in rows(part.first)
    assert ("Fumble", "result") in rows(part.first)
    assert "Before step 7: lost, behind by 6" in plain(case)
    sentence = "The book does not say how an opposed roll ends: it ends as this table reads it."
    assert part.outcome is not None
    assert sentence in part.outcome.notes
    assert "does not say it: yes" not in plain(case)


def test_a_total_that_is_the_lesser_of_two_says_so() -> None:
    [hurt] = [part.damage for part in facts("milhamah").parts if part.damage]
    then = [said(each) for item in hurt.items for each in item.then]
    assert "the lesser of 6 (points of the blow) and 0 (armour of that part of the body)" in then
    assert not any("at most" in each for each in then)
    assert "reaction prevented: no" in plain(facts("milhamah"))


# --- dice, words, entries -------------------------------------------------------------------------


def test_old_and_new_faces_of_a_die_are_apart() -> None:
    assert "<del>7</del>→<b>9</b>" in page(facts("majesty"))
    assert "~~7~~ → **9**" in markdown(facts("majesty"))


def test_the_words_of_a_chart_have_their_numbers() -> None:
    terms = dict(facts("scarterra").terms)
    assert terms["challenging"] == "7, a line of “Difficulty Chart”"
    assert terms["difficult"].startswith("8,")
    assert dict(facts("sagatafl").terms)["very hard"].startswith("12,")


def test_only_what_stands_on_a_page_is_explained() -> None:
    assert "“At this table”" not in plain(facts("age_of_magic"))
    assert "“At this table”" in plain(facts("milhamah"))
    assert "pale" not in plain(facts("majesty"))


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_heading_of_a_sum_names_roll_and_person(system: str) -> None:
    case = facts(system)
    for part in case.parts:
        assert f"Roll {part.roll} by {said(part.who)}" in plain(case).partition("How the result")[2]


def test_entries_that_are_missing_in_between_are_explained() -> None:
    missing = "Those missing in between are of other rolls, or of the table itself."
    for system in SYSTEMS:
        entries = sorted(seq for step in facts(system).steps for seq in step.entries)
        whole = entries == list(range(entries[0], entries[-1] + 1))
        assert (missing in plain(facts(system))) != whole


def test_dice_that_fell_after_the_others_are_told_of_too() -> None:
    [found] = facts("milhamah").disputes
    assert found.answer is not None
    assert said(found.answer.sentences[1]) == (
        "Later, at step 12, Etgar threw d17 (the part of the body) too."
    )
