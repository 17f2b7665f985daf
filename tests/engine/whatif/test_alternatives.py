"""What could have been otherwise in a roll: each decision, and the change that makes it so."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.plays import DEMOS, SCENARIOS, files, kept_of, name_of
from urim.engine.core import commands as c
from urim.engine.core.rerun import commits_of
from urim.engine.whatif.alternatives import MOST, NEAREST, Alternative, alternatives
from urim.engine.whatif.changes import Instead
from urim.engine.whatif.difference import what_if
from urim.engine.whatif.seen import items_of
from urim.errors import Refused
from urim.rules.numbered import Kinds


@cache
def found(path: Path) -> tuple[Alternative, ...]:
    """The alternatives of every roll of a scenario."""
    kept = kept_of(path)
    items, rolls = items_of(kept.log), kept.play.aggregate.opened.rolls
    return tuple(
        each for number in range(1, len(rolls) + 1) for each in alternatives(items, number)
    )


@pytest.mark.sampled(12, rest=12)
@pytest.mark.parametrize("path", files(), ids=name_of)
def test_each_can_be_asked_about(path: Path) -> None:
    """What the rules offered there is not refused, nor what nobody need do, nor a reading."""
    items = items_of(kept_of(path).log)
    for each in found(path)[:MOST]:
        assert what_if(items, [each.change]).changes == (each.change,)


def test_there_are_some_of_each_kind() -> None:
    kinds = Counter(each.kind for path in files() for each in found(path))
    assert set(kinds) == {"withdrawn", "choice", "dice", "answer", "reading"}
    assert min(kinds.values()) > 10, kinds


@pytest.mark.parametrize("path", sorted(DEMOS.glob("*.toml")), ids=name_of)
def test_every_choice_has_those_that_were_not_taken(path: Path) -> None:
    taken = {
        each.seq: each.command.option
        for each in commits_of(kept_of(path).log)
        if isinstance(each.command, c.Choose)
    }
    others: dict[int, list[object]] = {seq: [] for seq in taken}
    for each in found(path):
        if each.kind == "choice" and isinstance(each.change, Instead):
            others[each.change.seq].append(each.change.fields["option"])
    for seq, option in taken.items():
        assert option not in others[seq]
        assert len(set(others[seq])) == len(others[seq])
        assert others[seq], f"entry {seq} had one option only"


def test_a_number_of_dice_is_another_and_the_nearest_come_first() -> None:
    taken = {
        (path, each.seq): each.command.option
        for path in files()
        for each in commits_of(kept_of(path).log)
        if isinstance(each.command, (c.RollDice, c.Ask)) and each.command.option is not None
    }
    others: dict[tuple[Path, int], list[int]] = {}
    for path in files():
        for each in found(path):
            if each.kind == "dice" and isinstance(each.change, Instead):
                number = each.change.fields["option"]
                assert each.what == str(number)
                others.setdefault((path, each.change.seq), []).append(number)
    assert set(others) <= set(taken) and len(others) > 10
    for place, numbers in others.items():
        far = [abs(number - taken[place]) for number in numbers]
        assert 0 not in far and far == sorted(far) and len(far) <= NEAREST


def test_a_roll_that_is_not_there_has_none() -> None:
    items = items_of(kept_of(SCENARIOS / "milhamah" / "counter.toml").log)
    with pytest.raises(Refused, match="no roll 9 at this table") as caught:
        alternatives(items, 9)
    assert caught.value.allowed == ("1 to 3",)
    with pytest.raises(Refused, match="nothing opens a table"):
        alternatives((), 1)


def test_a_die_is_not_held_against_all_dice_of_its_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain dice have a thousand kinds, with half a million faces between them."""
    path = SCENARIOS / "plain" / "successes.toml"
    items, tables = items_of(kept_of(path).log), Counter[str]()
    read = Kinds.__getitem__

    def counted(kinds: Kinds, kind: str) -> tuple[int, ...]:
        tables[kind] += 1
        return read(kinds, kind)

    monkeypatch.setattr(Kinds, "__getitem__", counted)
    what_if(items, [found(path)[0].change])
    assert 0 < tables.total() < 1_000
