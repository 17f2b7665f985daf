"""What the league gets out of the real client and the real audit, whole and with a rule out."""

from collections.abc import Callable, Iterable
from math import exp, log

import pytest

from tests.model import builds
from tests.model.builds import BUILDS, BY_RULE, Build
from tests.model.endings import ENDINGS
from tests.model.real import Outcome, looks, outcome
from tests.model.test_found import BETTER, SURE
from tests.model.ways import WAYS, plain
from urim.engine.testing.kit.luck import Luck
from urim.projections.eprocess import Process, null_of

CLOSER, ALARM = log(100), log(10_000)
"""How sure it is that schedules are not fair: what stands must stay below, a bias come above."""

MOST = 1_000
"""Schedules in which the bias of a build has to show."""


class Coin:
    """The schedules that count, of which half should be gained, and the bet against that."""

    def __init__(self) -> None:
        self.process = Process(null_of((0, 1)))
        self.schedules = 0

    def take(self, found: Outcome) -> None:
        """Count one more schedule."""
        self.schedules += 1
        if found.counts:
            self.process.take([(int(found.gained), 1)])

    @property
    def words(self) -> str:
        """What was tried, in words."""
        lost, gained = self.process.counts
        most = exp(min(self.process.most, 100))
        words = f"{self.schedules:,} schedules, {lost + gained:,} count, {gained:,} gained"
        return f"{words}; E at most {most:,.4g}"


def bet(seeds: Iterable[tuple[str, str]], coin: Coin) -> Iterable[Outcome]:
    """Play a way from each seed, and count what it came to."""
    for way, seed in seeds:
        found = outcome(WAYS[way](seed))
        coin.take(found)
        yield found


@pytest.mark.prove
def test_with_all_rules_what_stands_unseen_is_fair(
    count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck, coin, names = Luck(f"{seed}"), Coin(), tuple(WAYS)
    # Every way once, then any of them: a small run has all.
    drawn = (*names, *(luck.one_of(names) for _ in range(count - len(names))))
    seeds = ((way, f"{seed} {at}") for at, way in enumerate(drawn))
    for _ in bet(seeds, coin):
        assert coin.process.now < CLOSER, coin.words
    tried(coin.words)


@pytest.mark.sampled(0, rest=4)
@pytest.mark.prove
@pytest.mark.parametrize("rule", BY_RULE)
def test_with_one_rule_out_the_bias_is_found(
    rule: str, seed: int, monkeypatch: pytest.MonkeyPatch, tried: Callable[[str], None]
) -> None:
    build, coin = BY_RULE[rule], Coin()
    build.take_out(monkeypatch)
    for _ in bet(((build.way, f"{seed} {at}") for at in range(MOST)), coin):
        if coin.process.now >= ALARM:
            break
    assert coin.process.now >= ALARM and coin.process.counts[1] > coin.process.counts[0]
    tried(f"{build.words}: {coin.words}")


@pytest.mark.sampled(0, rest=2)
@pytest.mark.prove
@pytest.mark.parametrize("way", [each.__name__ for each in ENDINGS])
def test_where_nothing_is_counted_an_ending_chooses(
    way: str, seed: int, monkeypatch: pytest.MonkeyPatch, tried: Callable[[str], None]
) -> None:
    builds.no_look("dropped", "broken", "sealed", "anchor-lost", "anchored-again")(monkeypatch)
    coin = Coin()
    for _ in bet(((way, f"{seed} {at}") for at in range(MOST)), coin):
        if coin.process.now >= ALARM:
            break
    assert coin.process.now >= ALARM and coin.process.counts[1] > coin.process.counts[0]
    tried(f"no look and no column: {coin.words}")


def test_every_rule_that_is_worth_something_alone_is_taken_out() -> None:
    assert {build.rule for build in BUILDS} == SURE | BETTER
    others = {"plain", "rewritten", "mixed", *(each.__name__ for each in ENDINGS)}
    assert {build.way for build in BUILDS} == set(WAYS) - others


@pytest.mark.sampled(8)
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.rule)
def test_a_build_finds_nothing_in_honest_evenings(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.take_out(monkeypatch)
    play = plain("an evening")
    assert (outcome(play).seen, play.out) == ("", True)
    assert not looks(play.host, play.host.entries)


HELD_TWICE = ("dice-asked", "who-asked", "all-open", "share-fits", "anchored-before")
"""The rules that hold without the bodies decided again, and the other way round."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", HELD_TWICE)
def test_a_rule_that_is_held_twice_holds_with_either_alone(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds.no_look("passed-over")(monkeypatch)  # the ask must leave somebody out
    build, seeds = BY_RULE[rule], [f"{rule} {at}" for at in range(8)]
    whole = [outcome(WAYS[build.way](seed)).gained for seed in seeds]
    assert not all(whole)
    with pytest.MonkeyPatch.context() as patch:
        builds.not_decided_again(patch)
        assert [outcome(WAYS[build.way](seed)).gained for seed in seeds] == whole
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builds, "not_decided_again", lambda _: None)
        build.take_out(patch)
        assert [outcome(WAYS[build.way](seed)).gained for seed in seeds] == whole
