"""In a real browser the verifier passes what is right, and each step sees what is wrong."""

from base64 import b64decode
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page

from tests.verifier import broken
from tests.verifier.broken_asked import asked_honestly, asked_ways
from tests.verifier.broken_rules import further_honest, more_ways
from tests.verifier.broken_seats import (
    OTHER,
    PEN,
    Pen,
    another_key,
    keyed,
    keyed_honestly,
    keyed_ways,
    noted,
    say,
    seated_again,
)
from tests.verifier.broken_shares import share_ways, thrown
from tests.verifier.chromium import verified
from tests.verifier.honest_shares import looks, shared_honestly
from tests.verifier.log import KEY, Ground, Log, good, roll_of, secret
from tests.verifier.unreadable import unreadable
from urim.events.ruling import RollAmended
from urim.events.table import ShareAnchored

WAYS = {**broken.ways(), **more_ways(), **asked_ways(), **share_ways(), **keyed_ways()}
HONEST = {**further_honest(), **asked_honestly(), **shared_honestly(), **keyed_honestly()}
STRANGE = ("a command of later", "a command that is not known")
UNREADABLE = unreadable()
FOR_PYTHON = (10, 11)


def test_every_step_looks_at_a_good_bundle_and_none_is_red(verifier: Page) -> None:
    log = good()
    seen = [log.note(size) for size in (0, 1, 7, len(log.entries))]
    outcome = verified(verifier, log.bundle(), key=KEY.vkey, seen=seen)
    assert (outcome.exit, outcome.problem) == (0, None)
    verdicts = {step: outcome.verdict(step) for step in outcome.steps}
    assert verdicts == {
        **dict.fromkeys(range(1, 17), "pass"),
        **dict.fromkeys((*FOR_PYTHON, 15), "not-checked"),
    }
    assert all(outcome.steps[step]["checked"] for step in (*range(1, 10), 12, 13, 14, 15))
    assert outcome.signer == f"{KEY.name}+{KEY.id.hex()}"


def test_every_throw_that_is_disclosed_is_told_with_its_dice(verifier: Page) -> None:
    throws = verified(verifier, good().bundle()).throws
    assert [(each["roll"], each["throw"], each["level"]) for each in throws] == [
        (1, 0, "player"),
        (1, 1, "player"),
        (2, 0, "table"),
        (3, 0, "server"),
        (4, 0, "player"),
    ]
    assert all(each["verdict"] == "pass" and len(each["dice"]) == 3 for each in throws)


def test_one_roll_is_proved_by_itself(verifier: Page) -> None:
    log = good()
    seen = [log.note(3), log.note()]
    outcome = verified(verifier, roll_of(log), key=KEY.vkey, seen=seen)
    assert (outcome.exit, outcome.problem, outcome.red) == (3, None, [])
    assert outcome.unchecked == [3, 4]
    assert outcome.verdict(3) == "not-checked"  # the checkpoint over 3 entries
    assert outcome.verdict(9) == "pass" and len(outcome.throws) == 2
    for earlier in (False, True):
        assert verified(verifier, roll_of(log, earlier=earlier)).verdict(3) == "pass"


def test_a_key_from_the_file_alone_is_called_self_asserted(verifier: Page) -> None:
    bundle = good().bundle()
    assert "self-asserted" in verified(verifier, bundle).steps[2]["summary"]
    assert "self-asserted" not in verified(verifier, bundle, key=KEY.vkey).steps[2]["summary"]


@pytest.mark.sampled(56)
@pytest.mark.parametrize("name", WAYS)
def test_what_is_wrong_is_seen_at_its_step(name: str, verifier: Page) -> None:
    way = WAYS[name]
    outcome = verified(verifier, way.bundle, key=way.key, seen=way.seen)
    assert outcome.verdict(way.step) == way.verdict, outcome.red
    assert outcome.exit == (1 if way.verdict == "fail" or way.first else 0)
    assert outcome.red[0] == (way.first or way.step), outcome.red
    remarks = [each for each in outcome.steps[way.step]["remarks"] if each["kind"] == way.verdict]
    assert any(
        way.says in remark["why"] and way.found in remark.get("found", "") for remark in remarks
    ), remarks
    if way.verdict == "fail":
        assert all(remark["expected"] != remark["found"] for remark in remarks)


@pytest.mark.parametrize("name", HONEST)
def test_what_is_not_wrong_is_not_red(name: str, verifier: Page) -> None:
    outcome = verified(verifier, HONEST[name].bundle())
    assert (outcome.exit, outcome.red) == (3 if name in STRANGE else 0, [])


@pytest.mark.parametrize("name", STRANGE)
def test_a_command_that_is_not_known_is_not_checked(name: str, verifier: Page) -> None:
    outcome = verified(verifier, HONEST[name].bundle())
    assert (outcome.verdict(10), outcome.unchecked) == ("not-checked", [10])
    whys = [remark["why"] for remark in outcome.steps[10]["remarks"]]
    assert any("is not known here" in why for why in whys), whys


def test_what_was_compared_is_counted(verifier: Page) -> None:
    summary = verified(verifier, good().bundle()).steps[10]["summary"]
    assert summary.startswith("26 commits, 24 commands compared with what they led to")
    assert "the rules are not checked here" in summary


def test_a_decision_is_listed_once_with_its_reason(verifier: Page) -> None:
    log = Log({})
    log.open()
    for roll in (1, 2):
        log.declare(roll)
    follower = RollAmended("narrator", 2, "c1", {})
    log.add(RollAmended("narrator", 1, "c1", {}), words="The other door.", more=[follower])
    step = verified(verifier, log.bundle()).steps[14]
    assert [remark["why"] for remark in step["remarks"]] == [
        "roll 1: narrator amended what c1 had declared: The other door."
    ]


def test_hidden_texts_are_counted_among_what_is_hidden(verifier: Page) -> None:
    found = verified(verifier, HONEST["a hidden text, not disclosed"].bundle()).steps[15]
    assert (found["verdict"], found["summary"]) == ("not-checked", "3 hidden, 1 not disclosed")


LOOKS = looks()


@pytest.mark.parametrize("name", LOOKS)
def test_what_a_reader_should_look_at_is_noted(name: str, verifier: Page) -> None:
    log, step, says = LOOKS[name]
    outcome = verified(verifier, log.bundle())
    assert (outcome.exit, outcome.red) == (0, [])
    notes = [
        each["why"] for each in outcome.steps[step]["remarks"] if each["kind"] in ("look", "note")
    ]
    assert [why for why in notes if says in why], notes


def test_nothing_is_noted_of_what_is_usual(verifier: Page) -> None:
    steps = verified(verifier, thrown().bundle()).steps
    notes = [each["why"] for step in (6, 8) for each in steps[step]["remarks"]]
    word = "has no key: its anchor and shares are the host's word"
    assert sorted(notes) == [f"seat p1 {word}", f"seat p2 {word}"]


def test_a_seat_with_a_key_anchors_as_often_as_it_likes(verifier: Page) -> None:
    log = keyed()
    log.epoch = 5
    say(log, ShareAnchored("p2", log.link("p2", 0)))
    outcome = verified(verifier, log.bundle())
    assert (outcome.exit, outcome.red, outcome.steps[8]["remarks"]) == (0, [], [])


def test_throws_are_counted_by_level(verifier: Page) -> None:
    summary = verified(verifier, good().bundle()).steps[8]["summary"]
    left = "1 at level table (1 without a seat that has an anchor)"
    assert summary == f"{left}, 3 at level player, 1 at level server"


def key_of(pen: Pen) -> dict[str, bytes]:
    """p2's key, as a reader knows it."""
    return {"p2": b64decode(pen.public)}


@pytest.mark.parametrize("log", [noted(), another_key(PEN)], ids=["its own", "one that follows"])
def test_a_seat_asks_with_the_key_that_the_reader_knows(log: Log, verifier: Page) -> None:
    outcome = verified(verifier, log.bundle(), seats=key_of(PEN))
    assert (outcome.exit, outcome.red) == (0, [])


@pytest.mark.parametrize(
    ("log", "pen", "says"),
    [
        (noted(), OTHER, "never asks with the key"),
        (good(), PEN, "never asks with the key"),
        (seated_again(None), PEN, "asks without the key"),
    ],
    ids=["another key", "no key", "no key any more"],
)
def test_any_other_key_is_seen(log: Log, pen: Pen, says: str, verifier: Page) -> None:
    outcome = verified(verifier, log.bundle(), seats=key_of(pen))
    assert outcome.red == [10]
    whys = [each["why"] for each in outcome.steps[10]["remarks"] if each["kind"] == "fail"]
    assert any(says in why for why in whys), whys


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_bundle_is_refused_with_its_line(name: str, verifier: Page) -> None:
    outcome = verified(verifier, UNREADABLE[name])
    assert outcome.exit == 2
    assert outcome.problem is not None and outcome.problem.startswith("line ")
    assert not outcome.steps


def test_the_first_checkpoint_that_does_not_hold_is_named(verifier: Page) -> None:
    log = good()
    seen = [log.note(3), good({"noted": lambda e: b'{"type":"x"}'}).note()]
    remarks = verified(verifier, log.bundle(), seen=seen).steps[3]["remarks"]
    assert [each["why"].split(" is ")[0] for each in remarks] == ["earlier checkpoint 2"]


def strange(**opening: Any) -> bytes:
    """The good log under a system that nobody here knows."""

    def twist(event: Any) -> Any:
        return replace(event, ruleset="tidewater", options={}, **opening)

    return good({"opened": twist}).bundle()


def test_an_unknown_system_of_version_0_2_leaves_the_dice_unchecked(verifier: Page) -> None:
    outcome = verified(verifier, strange(core=4, faces={}))
    assert (outcome.exit, outcome.unchecked) == (3, [9, 10])
    assert outcome.verdict(9) == outcome.verdict(16) == "not-checked"
    assert "tidewater" in outcome.steps[9]["remarks"][0]["why"]
    assert outcome.verdict(7) == "pass"


def hidden_throws() -> tuple[Log, tuple[int, int, int]]:
    """A hidden roll with three throws."""
    log = Log({})
    log.open()
    first = log.thrown(1, 0, Ground(log.declare(1, kind="hidden"), secret("a")), "hidden")
    second = log.thrown(1, 1, Ground(first, secret("b")), "hidden")
    return log, (first, second, log.thrown(1, 2, Ground(second, secret("c")), "hidden"))


def test_throws_that_may_be_hidden_are_not_called_missing(verifier: Page) -> None:
    log, (_, second, third) = hidden_throws()
    log.withhold(second, third)
    outcome = verified(verifier, log.bundle())
    assert (outcome.exit, outcome.unchecked) == (0, [])
    assert [outcome.verdict(step) for step in (6, 7, 9)] == ["pass"] * 3


def test_who_is_shown_a_throw_is_shown_those_before_it(verifier: Page) -> None:
    log, (first, second, _) = hidden_throws()
    log.withhold(first, second)
    outcome = verified(verifier, log.bundle())
    assert (outcome.exit, outcome.red[0]) == (1, 6)


def test_in_an_open_roll_they_are(verifier: Page) -> None:
    log = Log({})
    log.open()
    first = log.thrown(1, 0, Ground(log.declare(1), secret("a")))
    second = log.thrown(1, 1, Ground(first, secret("b")), "hidden")
    log.thrown(1, 2, Ground(second, secret("c")))
    log.withhold(second)
    assert verified(verifier, log.bundle()).verdict(6) == "fail"
