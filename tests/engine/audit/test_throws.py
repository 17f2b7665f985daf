"""Steps 6, 7, 9 and 12 of an audit, each seen to fail by a fault of its own."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.bundles import Log, at, bundle, forged, honest, judged, place, wrong
from tests.engine.helpers.proofs import duel
from tests.engine.helpers.twists import (
    NOTHING,
    OTHER,
    VIEW,
    Twist,
    event,
    forged_of,
    having,
    instead,
    proof,
    result,
    turned,
    twisted,
)
from tests.plays import SCENARIOS, kept_of
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused
from urim.events.base import Face
from urim.events.entry import withhold
from urim.events.roll import DiceRolled
from urim.events.table import ReadingSet, Recommitted
from urim.rules import ruleset_named

# --- step 6 ---------------------------------------------------------------------------------------

THROWS = {
    "a throw skipped": ("again", proof(throw=2), "throws of a roll count 0, 1, 2"),
    "a throw repeated": ("again", proof(throw=0), "throws of a roll count 0, 1, 2"),
    "an older commitment": ("again", proof(committed=5), "does not answer"),
    "no commitment": ("again", proof(committed=None), "does not answer"),
    "a later commitment": ("player", proof(committed=place("player")), "does not answer"),
    "typed dice at a fair table": ("again", proof(source="manual"), "the table's source"),
    "a seed that all know": ("again", proof(source="seeded"), "the table's source"),
    "dice without a proof": ("player", having(proof=None), "without a proof"),
    "no commitment for the next": ("again", proof(next=None), "2 of roll 1 is not committed to"),
    "an epoch skipped": ("epoch", having(epoch=2), "epochs count from 1"),
    "an epoch repeated": ("epoch", having(epoch=0), "epochs count from 1"),
    "an epoch for another throw": (
        "epoch",
        having(commits=(Recommitted(6, 1, OTHER),)),
        "throw 1 of roll 6 is not outstanding",
    ),
    "a roll declared twice": ("dispute", instead(event(6)), "roll 1 is declared once more"),
}


@pytest.mark.parametrize(("where", "twist", "why"), THROWS.values(), ids=THROWS)
def test_a_throw_out_of_order_fails(where: str, twist: Twist, why: str) -> None:
    found = result(twisted((place(where), twist)), 6)
    assert (found.verdict, found.remarks[0].seq) == ("fail", place(where))
    assert why in found.remarks[0].why


def test_a_declaration_that_commits_to_nothing_fails() -> None:
    found = result(twisted((6, having(commit=None))), 6)
    assert [remark.seq for remark in found.remarks] == [6, 7]


def test_a_throw_after_an_epoch_answers_the_epoch() -> None:
    old = proof(committed=place("declared"))
    forgotten = (place("epoch"), having(commits=()))
    found = result(twisted(forgotten, (place("server"), old)), 6)
    assert "before the last epoch" in found.remarks[0].why
    assert "does not answer" in result(twisted((place("server"), old)), 6).remarks[0].why


def test_an_epoch_for_a_later_throw_of_a_roll_is_not_excused_once_that_is_revealed() -> None:
    for revealed in (False, True):
        log = Log()
        log.throw(log.declare("player", "gm"))
        if revealed:
            log.ask(NARRATOR, asked.Reveal(1))
        seq = log.epoch()
        later = (seq, having(commits=(Recommitted(1, 2, OTHER),)))
        file = twisted(later, entries=log.aggregate.view(""))
        assert (result(file, 6).verdict == "fail") is revealed


def test_a_throw_of_a_roll_that_nobody_declared_fails() -> None:
    found = result(twisted((6, NOTHING)), 6)
    assert (found.remarks[0].seq, found.verdict) == (7, "fail")
    assert "never declared" in found.remarks[0].why


def test_a_roll_without_a_number_of_its_own_fails() -> None:
    found = result(twisted((6, having(roll=0)), (7, having(roll=0))), 6)
    assert (found.remarks[0].seq, found.remarks[0].why) == (7, "roll is 0")
    void = (place("server void"), having(roll=0))
    found = result(twisted((place("declared"), having(roll=0)), void), 13)
    assert (found.verdict, found.remarks[-1].why) == ("fail", "roll is 0")


def test_an_open_throw_is_not_excused_by_a_declaration_that_was_erased() -> None:
    erased = [withhold(entry) if entry.seq == 6 else entry for entry in VIEW]
    assert "throws" in wrong(judged(forged(erased)))


# --- step 7 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [OTHER, None, "ab", OTHER.upper()])
def test_a_seed_that_was_not_committed_to_fails(seed: str | None) -> None:
    found = result(twisted((place("again"), proof(seed=seed))), 7)
    assert (found.verdict, found.remarks[0].seq) == ("fail", place("again"))


def test_a_commitment_that_was_changed_later_fails() -> None:
    found = result(twisted((6, having(commit=OTHER))), 7)
    assert (found.verdict, found.remarks[0].expected) == ("fail", OTHER)


# --- step 9 ---------------------------------------------------------------------------------------


def _renamed(event: Any) -> Any:
    return replace(event, dice=(replace(event.dice[0], kind="ivory"), *event.dice[1:]))


def _longer(event: Any) -> Any:
    return replace(event, dice=(*event.dice, replace(event.dice[0], die="d9")))


def test_a_die_that_fell_otherwise_fails() -> None:
    for twist in (turned, _renamed, _longer):
        found = result(twisted((place("player"), twist)), 9)
        first = [remark for remark in found.remarks if remark.seq == place("player")]
        assert (found.verdict, len(first)) == ("fail", 1)


def test_another_roller_has_other_dice() -> None:
    assert result(twisted((place("player"), having(by="p2"))), 9).verdict == "fail"
    unread = at(judged(twisted((place("player"), having(by="P 2")))), 1)
    assert "the seat is" in unread.remarks[0].why


def test_rules_that_are_not_known_here_are_not_checked() -> None:
    def none(name: str) -> Any:
        raise Refused("unknown", f"no system called {name!r}")

    def newer(name: str) -> Any:
        return replace(ruleset_named(name), version=2)

    def faceless(options: Any) -> Any:
        raise KeyError("a reading that these rules have no faces for")

    def stuck(name: str) -> Any:
        return replace(ruleset_named(name), faces=faceless)

    early = twisted((0, having(core=4, faces={})))
    for rulesets in (none, newer, stuck):
        report = judged(early, rulesets=rulesets)
        assert at(report, 9).verdict == "not-checked"
        assert [at(report, step).verdict for step in (6, 7, 8, 12)] == ["pass"] * 4
        assert at(report, 16).verdict == "not-checked"


def test_dice_whose_faces_the_log_lists_need_no_rules() -> None:
    def none(name: str) -> Any:
        raise Refused("unknown", f"no system called {name!r}")

    report = judged(bundle(honest()), rulesets=none)
    assert [at(report, step).verdict for step in (6, 7, 8, 9, 12)] == ["pass"] * 5
    unlisted = judged(twisted((0, having(faces={}))), rulesets=none)
    assert at(unlisted, 9).verdict == "fail"


def test_a_reading_changes_the_faces_of_rolls_that_are_declared_later() -> None:
    log = Log()
    first = log.declare()
    kinds = ruleset_named("milhamah").faces(ruleset_named("milhamah").Options())
    other: dict[str, tuple[Face, ...]] = {
        kind: tuple("?" * len(faces)) for kind, faces in kinds.items()
    }
    log.write(ReadingSet(NARRATOR, "location_die", "wilds", other))
    log.throw(first)
    later = log.throw(log.declare())
    remarks = at(judged(bundle(log)), 9).remarks
    assert {remark.seq for remark in remarks} == {later}


def test_the_dice_of_a_seeded_table_follow_from_its_seed() -> None:
    table, _ = duel("player", "seeded:7")
    entries = table.entries
    own = at(judged(forged_of(entries)), 9)
    assert (own.verdict, own.checked > 0) == ("pass", True)
    assert at(judged(forged_of(entries)), 6).checked == 4
    unnamed = forged_of(entries, (0, having(source="seeded:no seed!")))
    assert "the seed text is" in at(judged(unnamed), 9).remarks[0].why
    thrown = next(e.seq for e in entries if isinstance(event(e.seq, entries), DiceRolled))
    for twist in (turned, proof(seed="0" * 64), proof(seed="f" * 64), proof(throw=1)):
        assert at(judged(forged_of(entries, (thrown, twist))), 9).verdict == "fail"
    for twist in (proof(nonce=OTHER), proof(throw=1), proof(committed=3), proof(next=OTHER)):
        assert at(judged(forged_of(entries, (thrown, twist))), 6).verdict == "fail"


def test_steps_about_throws_do_not_apply_to_scripted_dice() -> None:
    entries = kept_of(SCENARIOS / "milhamah" / "counter.toml").log
    report = judged(forged_of(entries))
    assert [at(report, step).verdict for step in (6, 7, 8, 9, 12)] == ["not-applicable"] * 5
    thrown = next(e.seq for e in entries if isinstance(event(e.seq, entries), DiceRolled))
    for values in ({"throw": 1}, {"source": "fair"}):
        assert at(judged(forged_of(entries, (thrown, proof(**values)))), 6).verdict == "fail"


# --- step 12 --------------------------------------------------------------------------------------


def test_a_seed_used_twice_fails_and_a_nonce_is_looked_at() -> None:
    player = event(place("player")).proof
    for where, twist, kind in (
        ("again", proof(seed=player.seed), "seed"),
        ("server void", having(seed=player.seed), "seed"),
        ("broken", having(seed=player.seed), "seed"),
        ("again", proof(nonce=player.nonce), "nonce"),
        ("given", having(share=player.nonce), "nonce"),
    ):
        found = result(twisted((place(where), twist)), 12)
        assert found.verdict == ("fail" if kind == "seed" else "finding")
        assert found.remarks[0].why.startswith(f"a {kind} is used 2 times, first in entry")
        seqs = {found.remarks[0].seq, int(found.remarks[0].why.rpartition(" ")[2])}
        assert place(where) in seqs


# --- memory ---------------------------------------------------------------------------------------


def test_rolls_that_are_put_aside_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = judged(bundle(honest(), "p1"))
    for name, few in (("IN_MEMORY", 1), ("BATCH", 1)):
        monkeypatch.setattr(f"urim.engine.audit.proof.throw_ledger.{name}", few)
    log = Log()
    rolls = [log.declare("table") for _ in range(3)]
    for throw in ((), ("d1",)):
        for roll in rolls:
            log.throw(roll, *throw)
    report = judged(bundle(log))
    assert (wrong(report), at(report, 6).checked) == ({}, 6)
    assert judged(bundle(honest(), "p1")) == usual
