"""Rolls that took from a sheet what a void or an amendment has taken away since are named."""

from tests import plays
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import Void, worded
from urim.engine.core.limits import NARRATOR
from urim.projections.hanging import hanging
from urim.projections.history import history

PATH = next(path for path in plays.files() if path.name == "botch-rewards.toml")


def rewarded() -> Aggregate:
    """A botch in roll 1 gave Dan (c2) three pocketed successes, which roll 2 or 3 counted."""
    found = Aggregate(environment("scripted"))
    found.load(plays.kept_of(PATH).log)
    return found


def test_nothing_hangs_while_every_roll_counts() -> None:
    assert hanging(rewarded().opened) == ()


def test_a_roll_that_counted_what_is_void_is_named() -> None:
    table = rewarded()
    table.submit(NARRATOR, worded(Void(1), "It was not his turn."))
    found = hanging(table.opened)
    assert {(each.track, each.amount, each.sources) for each in found} == {
        ("pocket", 3, (1,)),
        ("xr", 3, (1,)),
    }
    assert {each.character for each in found} == {"c2"}
    lines = {line.seq: line.text for line in history(table.opened, table.records)}
    assert "[counted 3 pocket of roll 1, which is void]" in " ".join(lines.values())
    assert all("which is void" in lines[each.seq] for each in found)


def test_a_void_of_both_leaves_nothing_to_name() -> None:
    table = rewarded()
    for number in range(1, len(table.opened.rolls) + 1):
        table.submit(NARRATOR, worded(Void(number), "All of it."))
    assert hanging(table.opened) == ()
