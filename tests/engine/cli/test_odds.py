"""`urim odds`: the figures of the documents, what is decided, and what is refused."""

from typing import Any

import pytest

from tests.engine.helpers.cli_runs import objects, urim

AGE = ("age_of_magic", "skill=B", "characteristic=ST", "difficulty=8")
SHEET = ("--rating", "B=6", "--rating", "ST=4.5", "--reading", "ceiling=none")


def found(*words: str) -> dict[str, Any]:
    """What the command prints as JSON."""
    done = urim("odds", *words, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    (one,) = objects(done.stdout)
    assert (one["type"], one["exact"]) == ("odds", True)
    return one


def test_majesty_has_the_figures_of_the_documents() -> None:
    score = found("majesty", "kind=check", "value=3", "opposing=3")["score"]
    assert round(sum(int(net) * chance for net, chance in score.items()), 3) == 0.968
    assert round(sum(chance for net, chance in score.items() if int(net) > 0), 3) == 0.560


def test_scarterra_has_the_figures_of_the_documents() -> None:
    degrees = found("scarterra", "dots=5", "difficulty=6")["degrees"]
    missed = round(degrees.pop("failure"), 3), round(degrees.pop("botch"), 3)
    assert (round(sum(degrees.values()), 3), *missed) == (0.844, 0.135, 0.021)


def test_plain_dice_are_a_line_for_each_total() -> None:
    done = urim("odds", "1d20+5", ">=", "15")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "55.00 %" in done.stdout
    assert "success" in done.stdout


def test_a_decision_has_its_ways_the_best_first() -> None:
    ways = found(*AGE, *SHEET)["ways"]
    assert [way["worth"] for way in ways] == sorted((way["worth"] for way in ways), reverse=True)
    best = found(*AGE, *SHEET, "--aim", "above 10")
    assert (best["ways"][0]["hand"], best["ways"][0]["taken"]) == ("first", [3])
    assert best["worth"] == best["ways"][0]["worth"]
    assert "To decide, for the aim 'success'" in urim("odds", *AGE, *SHEET).stdout


def test_what_has_no_end_is_estimated_and_marked_as_such() -> None:
    done = urim("odds", "3d6!", "--aim", "above 14", "--json")
    (one,) = objects(done.stdout)
    assert (one["exact"], one["ways"]) == (False, [])
    assert 0.005 < one["error"] < 0.02
    assert abs(one["worth"] - 0.30324) < one["error"]  # by counting 25 throws of each die
    shown = " ".join(urim("odds", "3d6!", "--aim", "above 14").stdout.split())
    assert f"played 4,000 times: for the aim 'above 14' {one['worth']:.3f} ±" in shown
    assert "3d6! may explode for ever: its odds have no end." in shown


def test_the_other_character_reacts_or_declines() -> None:
    wish = ("sagatafl", "rating=2", "rd=8", "opponent=c2")
    assert set(found(*wish, "--react", "rating=2")["degrees"]) == {"won", "lost", "nothing changes"}
    assert "failure" in found(*wish)["degrees"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A night of Majesty: roll 1 is thrown at entry 10, adjusted at 11 and 12, void at last."""
    found = str(tmp_path_factory.mktemp("odds") / "night.db")
    assert urim("demo", "majesty", "--log", found).exit_code == 0
    return found


def test_a_roll_of_a_table_has_what_may_still_come(log: str) -> None:
    def at(seq: int) -> dict[str, Any]:
        return found(log, "fixture0", "--roll", "1", "--at", str(seq), "--aim", "margin")

    thrown, put = at(10), at(12)
    assert thrown["worth"] == put["worth"] == 5
    assert thrown["ways"][0]["trigger"] == "adjust"
    assert thrown["ways"][0]["taken"][0].startswith("d1=")
    assert ("resolve", 5) in {(way["trigger"], way["worth"]) for way in put["ways"]}
    assert "resolve" not in {way["trigger"] for way in thrown["ways"] if way["worth"] == 5}
    assert at(13)["ways"] == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--roll", "1"), "roll 1 does not count"),
        (("--roll", "9"), "no roll 9"),
        (("--roll", "2", "--at", "9000"), "no entry 9000"),
        (("3d6", "--roll", "2"), "--roll is for a roll of a table"),
    ],
)
def test_a_roll_that_is_not_there_is_refused(log: str, words: tuple[str, ...], why: str) -> None:
    done = urim("odds", log, "fixture0", *words)
    assert done.exit_code == 2
    assert why in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("4d6ky",), "is expected here"),
        (("plain", "expression=1d6", "--react", "rd=3"), "no such field"),
        (("sagatafl", "rating=2", "--react", "rating=3"), "nobody is asked to react"),
        (("1d6", "--aim", "not "), "is no aim"),
        (("sagatafl", "rating=two"), "rating"),
    ],
)
def test_what_cannot_be_counted_is_refused_by_name(words: tuple[str, ...], why: str) -> None:
    done = urim("odds", *words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert why in done.stderr


@pytest.mark.parametrize("aim", ["botsh", "not botsh"])
def test_an_aim_that_no_end_is_called_by_is_refused_with_those_that_are(aim: str) -> None:
    done = urim("odds", "scarterra", "dots=2", "difficulty=6", "--aim", aim)
    assert done.exit_code == 2
    assert "no end of this roll is 'botsh'" in done.stderr
    assert "botch" in done.stderr
    assert "DEGREE" in done.stderr
