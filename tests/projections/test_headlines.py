"""What came out of a roll, in one line, in the words of each system's book."""

import pytest

from tests.recorded.draw import HERE
from urim.engine.bundle.read import entries_of_bundle
from urim.engine.core.aggregate import Aggregate, environment
from urim.projections.isolates import bare
from urim.projections.lexicon import Lexicon
from urim.projections.result import outcome_result
from urim.rules.ruleset import Outcome


@pytest.mark.parametrize(
    ("evening", "said"),
    {
        "plain-targets": {1: "success, total 15", 2: "failure, total 14"},
        "plain-trigger-void": {1: "16"},
        "milhamah-critical-hit": {1: "critical success, 10 points"},
        "milhamah-dispute": {1: "success at a cost, 2 successes against 2"},
        "milhamah-merit": {
            1: "failure, 3 successes against 6",
            2: "natural success, 6 successes against 2",
        },
        "milhamah-pocket-lapses": {
            1: "botch, severity 1",
            2: "success at a cost, 1 success against 1",
        },
        "sagatafl-sagatafl": {
            1: "success, 2S",
            2: "failure, f-1",
            3: "won, ahead by 2",
            5: "minor fumble, F-2",
        },
        "sagatafl-reason-failure": {1: "nothing changes"},
        "sagatafl-saving-throw": {3: "partial success, 1S", 5: "failure, F-2"},
        "majesty-majesty": {2: "no effect", 4: "positive, 1 Pass left", 5: "positive, 2 Hits left"},
        "majesty-reading-declined-sheet": {
            1: "negative, 2 negative results left",
            2: "negative, 3 Stops left",
        },
        "scarterra-barn": {
            1: "success, 11 of 10 successes",
            2: "moderate success, 2 successes",
            3: "botch",
        },
        "scarterra-haggling": {
            1: "phenomenal success, ahead by 5",
            2: "failure, a tie",
            3: "botch, behind by 2",
        },
        "scarterra-below-zero": {3: "success, Carpenter leads by 2"},
        "age-of-magic-age-of-magic": {
            1: "success, 14 against 11",
            2: "failure, 2 against 5",
            5: "damage, 12 points",
            6: "soaked, 1 step lighter",
        },
        "age-of-magic-push-floor-allow": {1: "success, 8 against 8"},
        "age-of-magic-tiring": {1: "success, 5 against 5", 2: "failure, 1 level of tiredness lost"},
        "age-of-magic-worked-examples": {1: "20 points"},
    }.items(),
)
def test_a_headline_says_what_came_out(evening: str, said: dict[int, str]) -> None:
    table = Aggregate(environment("scripted"))
    table.load(list(entries_of_bundle(HERE / f"{evening}.urim.jsonl")))
    found = {number: outcome_result(table.opened, table.opened.rolls[number]) for number in said}
    assert {n: each and bare(each.headline) for n, each in found.items()} == said


def test_what_the_system_never_announced_has_its_degree_alone() -> None:
    table = Aggregate(environment("scripted"))
    table.load(list(entries_of_bundle(HERE / "milhamah-dispute.urim.jsonl")))
    forged = Lexicon(table.opened).announced(Outcome("won", 3, {}))
    assert forged == ("won", "")
