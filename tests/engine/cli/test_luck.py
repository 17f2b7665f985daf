"""`urim luck` says whether anybody was lucky, and what that claims."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from tests.engine.cli.test_fairness import keep
from tests.engine.helpers.cli_runs import objects, urim
from urim import Table
from urim.engine.core.luck import luck_of, moments
from urim.engine.render.luck import sentence

EVENING, AGAIN = "evening0", "evening1"

NORMAL = r"Range: from \d+\.\d fewer to \d+\.\d more\."


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two tables of plain dice: Asta throws 20, and a hidden 19; Yonah and Dov 3 and 4."""
    found = tmp_path_factory.mktemp("luck") / "night.db"
    keep(found, {table: thrown(table).entries for table in (EVENING, AGAIN)})
    return str(found)


def thrown(id: str) -> Table:
    """A table at which each die shows what it is said to show."""
    table = Table("plain", id=id, dice="scripted")
    for seat, name in (("p1", "Ruth"), ("p2", "Dan")):
        table.seat(seat, name=name)
    who = {
        name: table.character(name, seat=seat)
        for name, seat in (("Asta", "p1"), ("Yonah", "p2"), ("Dov", "p2"))
    }
    throws: tuple[tuple[str, int, Any], ...] = (
        ("Asta", 20, "public"),
        ("Yonah", 3, "public"),
        ("Asta", 19, "gm"),
        ("Dov", 4, "public"),
    )
    for name, face, seen in throws:
        roll = table.declare(who[name], expression="1d20", visibility=seen)
        roll.roll(faces=(face,))
        roll.resolve()
    return table


def luck(log: str, *words: str) -> list[dict[str, Any]]:
    """What the command prints as JSON."""
    done = urim("luck", log, EVENING, *words, "--json")
    assert done.exit_code == 0, done.stderr
    return objects(done.stdout)


def sums(one: dict[str, Any]) -> list[tuple[str, int, float]]:
    """Of each seat its rolls and its luck."""
    return [(seat["seat"], seat["rolls"], seat["luck"]) for seat in one["seats"]]


def test_each_seat_has_a_sentence_that_a_player_reads(log: str) -> None:
    shown = " ".join(urim("luck", log, EVENING).stdout.split())
    assert re.search(
        f"Ruth: 18.0 points more than fair dice give on average, in 2 rolls. {NORMAL}", shown
    )
    assert re.search(
        f"Dan: 14.0 points fewer than fair dice give on average, in 2 rolls. {NORMAL}", shown
    )
    assert "Yonah: 7.5 points fewer" in shown
    assert "Dov: 6.5 points fewer" in shown
    assert "nobody is outside their range" in shown
    assert "Asta" not in shown  # Ruth has no other
    assert "This is unusual" not in shown
    assert "it does not say whether the dice are fair" in shown


def test_json_has_every_number(log: str) -> None:
    (one,) = luck(log)
    assert (one["type"], one["table"], one["aim"], one["left"]) == ("luck", EVENING, "margin", {})
    assert sums(one) == [("p1", 2, 18.0), ("p2", 2, -14.0)]
    assert one["rolls"] == {"1": 9.5, "2": -7.5, "3": 8.5, "4": -6.5}
    for seat in one["seats"]:
        assert seat["least"] < seat["luck"] < seat["most"]
        assert (seat["said"], seat["play"]) == ("normal", 0)


def test_a_seat_is_told_what_it_may_see(log: str) -> None:
    assert sums(luck(log, "--seat", "p2")[0]) == [("p1", 1, 9.5), ("p2", 2, -14.0)]
    assert sums(luck(log, "--seat", "p1")[0]) == sums(luck(log)[0])


def test_a_character_or_what_fell_since_an_entry_may_be_asked_for(log: str) -> None:
    assert sums(luck(log, "--character", "Dov")[0]) == [("p2", 1, -6.5)]
    last = max(each["seq"] for each in luck(log, "--roll", "3")[1:])
    assert sums(luck(log, "--since", str(last))[0]) == [("p2", 1, -6.5)]
    assert urim("luck", log, EVENING, "--since", "9000").stdout.count("No roll is there") == 1


def test_of_a_roll_each_entry_is_shown_with_its_worth(log: str) -> None:
    one, thrown, resolved = luck(log, "--roll", "2")
    assert one["rolls"] == {"2": -7.5}
    assert (thrown["before"], thrown["expected"], thrown["after"]) == (10.5, 10.5, 3)
    assert (thrown["luck"], thrown["play"], thrown["character"]) == (-7.5, 0, "c2")
    assert (resolved["luck"], resolved["play"], resolved["after"]) == (None, 0, 3)
    shown = urim("luck", log, EVENING, "--roll", "2").stdout
    assert re.search(r"Yonah +10\.50 +3\.00 +-7\.50 +\+0\.00", shown)


def test_show_says_what_a_roll_was_worth_after_each_step(log: str) -> None:
    shown = urim("show", log, EVENING, "--roll", "2", "--odds").stdout
    assert re.findall(r"→ (\S+)", shown) == ["3.00", "3.00"]
    assert "→" not in urim("show", log, EVENING, "--roll", "2").stdout
    for words in ((), ("--roll", "2", "--json"), ("--roll", "2", "--format", "html")):
        done = urim("show", log, EVENING, "--odds", *words)
        assert done.exit_code == 2
        assert "--odds with --roll N alone" in " ".join((done.stderr + done.stdout).split())


def test_without_a_table_each_of_the_log_is_told(log: str) -> None:
    done = urim("luck", log, "--json")
    assert objects(done.stdout) == [*luck(log), {**luck(log)[0], "table": AGAIN}]
    shown = urim("luck", log).stdout
    assert [shown.count(f"Luck at table {table}") for table in (EVENING, AGAIN)] == [1, 1]
    assert shown.count("dice have no") == 1


def test_who_is_beyond_the_bounds_is_called_so() -> None:
    table = Table("plain", id=EVENING, dice="scripted")
    one = table.character("Asta")
    for _ in range(40):
        table.declare(one, expression="1d20").roll(faces=(20,))
    (seat,) = luck_of(moments(table.entries), "margin").seats
    shown = sentence(table.state, seat, "margin")
    assert shown.endswith("more. This is unusual: good luck.")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--roll", "9"), "no roll 9 at this table; allowed: 1 to 4"),
        (("--roll", "3", "--seat", "p2"), "seat 'p2' sees no roll 3"),
        (("--character", "Noa"), "no character 'Noa'"),
        (("--seat", "p9"), "no seat 'p9'"),
        (("--without-table", "--since", "0"), "--since without TABLE: it is of one table"),
    ],
)
def test_what_is_not_there_is_refused(log: str, words: Sequence[str], why: str) -> None:
    table = [] if "--without-table" in words else [EVENING]
    done = urim("luck", log, *table, *(word for word in words if word != "--without-table"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert why in " ".join(done.stderr.split())
