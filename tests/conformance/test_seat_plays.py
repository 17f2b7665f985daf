"""seat.js, fed commit by commit, says what urimcheck.js says of the whole bundle."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.plays import files, kept_of, name_of
from tests.verifier import broken
from tests.verifier.broken_asked import asked_honestly, asked_ways
from tests.verifier.broken_rules import further_honest, more_ways
from tests.verifier.broken_seats import keyed_honestly, keyed_ways
from tests.verifier.broken_shares import share_ways
from tests.verifier.honest_shares import shared_honestly
from tests.verifier.log import PRIVATE
from tests.verifier.nodejs import Case, ran
from urim.engine.bundle.write import bundle_of
from urim.engine.core.aggregate import Aggregate
from urim.engine.service.feed import Feed, commits
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.log.protocol import Bell

pytestmark = pytest.mark.slow  # test_verify.py asks the same code in Node, of whole files

Said: TypeAlias = tuple[Any, ...]

WAYS = {**broken.ways(), **more_ways(), **asked_ways(), **share_ways(), **keyed_ways()}
REFUSED = ("2 a key of small order in the header", "2 signed by a key of small order")
"""Ways in which a key is none: it is refused at the beginning."""

WAYS = {name: way for name, way in WAYS.items() if name not in REFUSED}

HONEST = {**further_honest(), **asked_honestly(), **shared_honestly(), **keyed_honestly()}

OF_HEADS = ("signature", "tree")
"""Steps that a bundle checks against its header and its one head."""

OTHERWISE = ("the header says", "the origin is another")
"""What follows from a header."""

EVERY = 12
PLAYED = [*files()[::EVERY], *files()[-5:]]


# --- what is run ----------------------------------------------------------------------------------


def of_bundle(bundle: bytes, *, judge: bool = True) -> Case:
    """A bundle's entries, a commit at a time, and its head; then the bundle as a whole."""
    header, *lines, _ = [json.loads(line) for line in bundle.splitlines()]
    steps: list[list[Any]] = []
    for each in lines:
        if steps and each["commit"] != each["seq"]:
            steps[-1][1].append(each)
        else:
            steps.append(["took", [each]])
    steps = [each for took in steps for each in ([took, ["judged"]] if judge else [took])]
    steps += [["headed", header["checkpoint"]], ["judged"], ["check", bundle.decode()]]
    return {"table": header["origin"].partition("/t/")[2], "key": header["keys"], "steps": steps}


def fed(aggregate: Aggregate, seat: str) -> Iterator[tuple[list[Any], list[Any]]]:
    """What a live subscription sends a seat, commit by commit: entries, and what changes."""
    feed = Feed(aggregate.opened.id, Bell())
    feed.advance(aggregate)
    entries = aggregate.entries
    for start, stop in commits(entries, 0, len(entries)):
        for commit in feed.history(seat, start, stop):
            yield [*map(json.loads, commit.entries)], [*map(json.loads, commit.changed)]


def of_play(aggregate: Aggregate, seat: str) -> Case:
    """The log of a scenario as a seat was sent it while it was played, and as it is at the end."""
    origin = f"urim.local/t/{aggregate.opened.id}"
    head = Checkpoint(origin, len(aggregate.entries), aggregate.frontier.root())
    note, key = sign(head, PRIVATE), public_key(origin, PRIVATE)
    steps: list[list[Any]] = []
    for entries, changed in fed(aggregate, seat):
        steps += [["took", entries, changed], ["judged"]]
    steps += [["headed", note.decode()], ["ended", head.size], ["judged"]]
    bundle = b"".join(bundle_of(aggregate, seat, note, [key]))
    return {
        "table": aggregate.opened.id,
        "key": key.vkey,
        "steps": [*steps, ["check", bundle.decode()]],
    }


# --- what is compared -----------------------------------------------------------------------------


def of_whole(found: Any) -> list[Said]:
    """What the verifier says is wrong in the whole bundle, or cannot be checked."""
    return sorted(
        (each["step"], each["word"], -1 if each["seq"] is None else each["seq"], each["why"])
        for each in found["whole"]["remarks"]
        if each["step"] not in OF_HEADS and each["word"] in ("wrong", "unchecked")
        if not each["why"].startswith(OTHERWISE)
    )


def of_seat(found: Any) -> list[Said]:
    """What it says of the log as it came."""
    seal = found["seal"]
    return sorted(
        (each["what"], each["state"], -1 if each["seq"] is None else each["seq"], each["why"])
        for each in [*seal["wrong"], *seal["unchecked"]]
        if each["what"] not in (*OF_HEADS, "rules")
        if each["why"] != "the first entry opens another table"  # the header says it too
    )


def same(found: Any) -> None:
    """Both say the same."""
    assert of_seat(found) == of_whole(found)


# --- whole bundles --------------------------------------------------------------------------------

GAPS = {"4 a gap": 7, "1 no opening": 1}
"""The client waits for the entry that is missing, and takes none of those behind it; the first."""


def whole(bundle: bytes) -> bool:
    """Whether a bundle has all entries of its log."""
    return bool(json.loads(bundle.splitlines()[0])["scope"] == "table")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is said of every broken bundle, and of the honest ones."""
    cases: dict[str, Case] = {}
    given = {**{name: way.bundle for name, way in WAYS.items()}}
    given |= {name: log.bundle() for name, log in HONEST.items()}
    for name, bundle in given.items():
        if whole(bundle):
            cases[name] = of_bundle(bundle)
            cases[f"{name}, at once"] = of_bundle(bundle, judge=False)
    return ran(cases, tmp_path_factory.mktemp("bundles"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*filter(lambda name: whole(WAYS[name].bundle), WAYS)])
def test_what_is_wrong_in_a_bundle_is_wrong_as_it_comes(name: str, bundles: Any) -> None:
    if name == "1 no entry":
        assert bundles[name]["seal"]["state"] == "grey"
        return
    if name in GAPS:
        first = bundles[name]["seal"]["wrong"][0]
        assert (first["what"], first["seq"]) == ("sequence", GAPS[name])
        return
    same(bundles[name])
    same(bundles[f"{name}, at once"])


@pytest.mark.parametrize("name", HONEST)
def test_what_is_honest_is_not_wrong(name: str, bundles: Any) -> None:
    same(bundles[name])
    assert bundles[name]["seal"]["state"] != "red"


# --- recorded plays -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is said of plays, each as every seat was sent it."""
    cases: dict[str, Case] = {}
    for path in dict.fromkeys(PLAYED):
        aggregate = kept_of(path).play.aggregate
        for seat, known in aggregate.opened.seats.items():
            if known.here:
                cases[f"{name_of(path)} {seat}"] = of_play(aggregate, seat)
    return ran(cases, tmp_path_factory.mktemp("played"))


@pytest.mark.parametrize("path", dict.fromkeys(PLAYED), ids=name_of)
def test_a_play_is_judged_alike_live_and_whole(path: Path, played: Any) -> None:
    of_it = {name: each for name, each in played.items() if name.startswith(f"{name_of(path)} ")}
    assert of_it
    for each in of_it.values():
        same(each)
        assert each["seal"]["state"] in ("green", "grey"), each["seal"]
        assert not each["seal"]["wrong"]
