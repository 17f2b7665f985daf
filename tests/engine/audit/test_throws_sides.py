"""Steps 6, 7, 9 and 12 of an audit: every way to be wrong is named, with what was expected."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.bundles import (
    Log,
    at,
    bundle,
    fixed,
    forged,
    honest,
    judged,
    place,
    wrong,
)
from tests.engine.helpers.proofs import duel
from tests.engine.helpers.twists import (
    OTHER,
    Twist,
    event,
    forged_of,
    having,
    proof,
    result,
    twisted,
)
from tests.sealing import commit
from urim.engine.audit.cache import PrivateFile
from urim.engine.audit.proof.dice import Dice
from urim.engine.audit.proof.throw_ledger import ThrowLedger
from urim.engine.audit.report import Findings, Remark
from urim.errors import Refused
from urim.events.base import Visibility
from urim.events.entry import Entry, withhold
from urim.events.line import entry_line
from urim.events.roll import DiceRolled
from urim.events.table import Recommitted
from urim.rules import ruleset_named

# --- step 6 ---------------------------------------------------------------------------------------

AGAIN, EPOCH, PLAYER = place("again"), place("epoch"), place("player")
COUNT = "throws of a roll count 0, 1, 2"
EPOCHS = "epochs count from 1"
SOURCE = "the dice are not of the table's source"
ANSWERS = "throw 1 does not answer the outstanding commitment"
DUE = f"entry {PLAYER}, throw 1"

SIDES: dict[str, tuple[int, Twist, Remark]] = {
    "a throw skipped": (AGAIN, proof(throw=2), Remark(COUNT, AGAIN, "1", "2")),
    "a throw repeated": (AGAIN, proof(throw=0), Remark(COUNT, AGAIN, "1", "0")),
    "an older commitment": (
        AGAIN,
        proof(committed=PLAYER - 1),
        Remark(ANSWERS, AGAIN, DUE, f"entry {PLAYER - 1}, throw 1"),
    ),
    "a later commitment": (
        AGAIN,
        proof(committed=PLAYER + 1),
        Remark(ANSWERS, AGAIN, DUE, f"entry {PLAYER + 1}, throw 1"),
    ),
    "an epoch skipped": (EPOCH, having(epoch=2), Remark(EPOCHS, EPOCH, "1", "2")),
    "an epoch repeated": (EPOCH, having(epoch=0), Remark(EPOCHS, EPOCH, "1", "0")),
    "another source": (AGAIN, proof(source="manual"), Remark(SOURCE, AGAIN, "fair", "manual")),
    "an epoch for a roll that was voided": (
        EPOCH,
        having(commits=(Recommitted(2, 1, OTHER), *event(EPOCH).commits)),
        Remark("throw 1 of roll 2 is not outstanding", EPOCH),
    ),
    "an ask for a later commitment": (
        place("asked"),
        having(committed=place("asked") - 2),
        Remark(
            "the ask for throw 0 does not answer the outstanding commitment",
            place("asked"),
            f"entry {place('anchored') - 1}, throw 0",
            f"entry {place('asked') - 2}, throw 0",
        ),
    ),
}


@pytest.mark.parametrize(("where", "twist", "remark"), SIDES.values(), ids=SIDES)
def test_a_throw_out_of_order_is_told_with_what_was_due(
    where: int, twist: Twist, remark: Remark
) -> None:
    found = result(twisted((where, twist)), 6)
    assert (found.verdict, found.remarks[0]) == ("fail", remark)


def test_dice_lie_there_by_a_throw_or_by_those_taken_over() -> None:
    for twist, verdict in (
        (having(proof=None), "fail"),
        (having(proof=None, taken=3), "pass"),
        (having(proof=None, dice=()), "pass"),
    ):
        found = result(twisted((PLAYER, twist)), 6)
        lying = [remark.seq for remark in found.remarks if "without a proof" in remark.why]
        assert lying == ([PLAYER] if verdict == "fail" else [])


def epochs() -> Log:
    """A roll in three epochs, thrown between them, and a second one that waits."""
    log = Log()
    roll, _ = log.declare("player"), log.declare()
    log.epoch(1)
    log.throw(roll)
    log.epoch(2)
    log.throw(roll, "d1")
    log.epoch(3)
    return log


def test_epochs_come_one_after_another_and_throws_between_them() -> None:
    log = epochs()
    report = judged(bundle(log))
    assert (wrong(report), at(report, 6).checked) == ({}, 2)
    for seq, due in ((log.size - 3, 2), (log.size - 1, 3)):
        for epoch in (due - 1, due + 1):
            found = result(twisted((seq, having(epoch=epoch)), entries=log.entries), 6)
            assert found.remarks[0] == Remark(EPOCHS, seq, str(due), str(epoch))


@pytest.mark.parametrize("throw", [0, 1, 3])
def test_an_epoch_commits_to_no_throw_before_or_after_the_one_that_waits(throw: int) -> None:
    log = epochs()
    last = log.size - 1
    commits = (Recommitted(1, throw, OTHER), *event(last, log.entries).commits[1:])
    found = result(twisted((last, having(commits=commits)), entries=log.entries), 6)
    assert found.remarks == (Remark(f"throw {throw} of roll 1 is not outstanding", last),)


def test_a_roll_in_a_bundle_of_its_own_answers_the_epoch_that_names_others_too() -> None:
    log = epochs()
    log.throw(2)
    for roll, throws in ((1, 2), (2, 1)):
        report = judged(bundle(log, roll=roll))
        assert (wrong(report), at(report, 6).checked) == ({}, throws)


def test_a_third_throw_has_the_number_after_the_second() -> None:
    log = epochs()
    second = event(log.size - 2, log.entries)
    for throw in (1, 2, 3):
        seq = log.size
        third = replace(second, proof=replace(second.proof, throw=throw, committed=seq - 1))
        more = commit(seq, log.entries[-1].at, [third], lambda seq: fixed("third"))
        found = result(forged([*log.entries, *more]), 6)
        counted = [remark for remark in found.remarks if remark.why == COUNT]
        assert counted == ([] if throw == 2 else [Remark(COUNT, seq, "2", str(throw))])


def sealed(visibility: Visibility, *, thrown: bool) -> Log:
    """A hidden roll over which an epoch begins."""
    log = Log()
    roll = log.declare("table", visibility)
    if thrown:
        log.throw(roll)
    log.epoch()
    log.throw(roll, *(("d1",) if thrown else ()))
    return log


@pytest.mark.parametrize(
    ("visibility", "thrown"),
    [("gm", True), ("self", True), ("gm", False), ("self", False), ("blind", False)],
)
def test_an_epoch_may_commit_for_a_hidden_roll_whoever_looks(
    visibility: Visibility, thrown: bool
) -> None:
    log = sealed(visibility, thrown=thrown)
    for seat in ("", "p1", "p2", "narrator"):
        assert wrong(judged(bundle(log, seat))) == {}


@pytest.mark.parametrize("visibility", ["gm", "self"])
def test_an_epoch_for_a_throw_that_is_seen_to_be_over_fails_though_hidden(
    visibility: Visibility,
) -> None:
    log = sealed(visibility, thrown=True)
    entries = log.entries
    [seq] = [e.seq for e in entries if type(event(e.seq, entries)).__name__ == "EpochBegun"]
    found = result(twisted((seq, having(commits=(Recommitted(1, 0, OTHER),))), entries=entries), 6)
    assert found.remarks[0] == Remark("throw 0 of roll 1 is not outstanding", seq)


# --- other sources --------------------------------------------------------------------------------


def seeded() -> tuple[Sequence[Entry], int]:
    """A table of seeded dice, and its first throw."""
    entries = duel("player", "seeded:7")[0].entries
    return entries, next(e.seq for e in entries if isinstance(event(e.seq, entries), DiceRolled))


def test_seeded_dice_pass_and_fail_as_a_whole() -> None:
    entries, thrown = seeded()
    report = judged(forged_of(entries))
    assert [at(report, step).verdict for step in (6, 9)] == ["pass", "pass"]
    for source in ("fair", "manual"):
        found = at(judged(forged_of(entries, (thrown, proof(source=source)))), 6)
        assert found.remarks[0] == Remark(SOURCE, thrown, "seeded", source)
    why = "a seeded throw has no commitment and no nonce"
    for values in ({"nonce": OTHER}, {"committed": 3}, {"next": OTHER}):
        found = at(judged(forged_of(entries, (thrown, proof(**values)))), 6)
        assert found.remarks == (Remark(why, thrown),)
    found = at(judged(forged_of(entries, (thrown, proof(seed="0" * 64)))), 9)
    seed = event(thrown, entries).proof.seed
    assert found.remarks == (Remark("the seed is not the fixture's", thrown, seed, "0" * 64),)


def test_a_table_whose_source_is_withheld_owes_no_commitments() -> None:
    entries, _ = seeded()
    lines = forged_of(entries).splitlines(keepends=True)
    lines[1] = entry_line(withhold(entries[0]))
    report = judged(b"".join(lines))
    assert at(report, 1).verdict == "fail"
    whys = {remark.why for remark in at(report, 6).remarks}
    assert not whys & {SOURCE, "throw 0 of roll 1 is not committed to"}


# --- steps 7 and 9 --------------------------------------------------------------------------------


@pytest.mark.parametrize("commit", ["0" * 64, "f" * 64])
def test_a_seed_is_held_against_its_commitment(commit: str) -> None:
    first = event(PLAYER - 1).commit
    found = result(twisted((PLAYER - 1, having(commit=commit))), 7)
    id = "golden01/1/0"
    why = f"the seed of throw {id} is not the one committed to in entry {PLAYER - 1}"
    assert found.remarks[0] == Remark(why, PLAYER, commit, first)


def test_a_die_on_any_other_face_fails() -> None:
    thrown = event(PLAYER)
    first = thrown.dice[0]
    opened = event(0)
    rules = ruleset_named("milhamah")
    faces: Any = dict(rules.faces(rules.Options(**opened.options)))[first.kind]
    assert faces[0] != faces[-1]
    for face in set(faces) - {first.face}:
        dice = (replace(first, face=face), *thrown.dice[1:])
        why = f"die 0 ({first.die}, {first.kind}) did not fall on this face"
        remark = Remark(why, PLAYER, str(first.face), str(face))
        assert remark in result(twisted((PLAYER, having(dice=dice))), 9).remarks


def test_a_die_of_a_kind_that_no_rules_know_is_told_with_those_they_know() -> None:
    dice = [*event(PLAYER).dice]
    dice[2:4] = replace(dice[2], kind="ivory"), replace(dice[3], face="no face")
    found = result(twisted((PLAYER, having(dice=tuple(dice)))), 9)
    why = f"die 2 ({dice[2].die}) is of a kind that the rules do not know"
    kinds = "location, red-a, red-b, blue-a, blue-b, green-a, green-b"
    assert found.remarks[0] == Remark(why, PLAYER, kinds, "ivory")
    assert found.remarks[1].why.startswith(f"die 3 ({dice[3].die}, ")
    assert found.checked == at(judged(bundle(honest())), 9).checked


@pytest.mark.parametrize("version", [0, 2])
def test_rules_of_another_version_check_no_die_and_say_so_once(version: int) -> None:
    report = judged(
        twisted((0, having(core=4, faces={}))),
        rulesets=lambda name: replace(ruleset_named(name), version=version),
    )
    why = "version 1 of milhamah is not known here; allowed: version"
    found = at(report, 9)
    assert found.remarks == (
        Remark(f"the faces are not known here: {why} {version}", word="unchecked"),
    )
    assert found.verdict == "not-checked"


@pytest.mark.parametrize(
    "fault", [ValueError("odd"), TypeError("odd"), KeyError("odd"), Refused("unknown", "odd")]
)
def test_rules_that_know_no_faces_for_the_options_check_no_die(fault: Exception) -> None:
    def faceless(options: Any) -> Any:
        raise fault

    def rulesets(name: str) -> Any:
        return replace(ruleset_named(name), faces=faceless)

    findings = Findings()
    with PrivateFile() as file:
        books = ThrowLedger(file)
        dice = Dice(findings, books, rulesets, "")
        dice.opened(replace(event(0), core=4))
        for seq in (PLAYER, AGAIN):
            dice.check(seq, event(seq).dice, bytes(32), b"")
    found = findings.results()[8]
    assert found.remarks == (Remark(f"the faces are not known here: {fault}", word="unchecked"),)
    assert (found.verdict, found.checked) == ("not-checked", 0)


# --- step 12 --------------------------------------------------------------------------------------


def test_a_value_used_twice_is_told_by_its_last_entry_and_its_first() -> None:
    found = result(twisted((PLAYER, proof(nonce=OTHER)), (AGAIN, proof(nonce=OTHER))), 12)
    why = f"a nonce is used 2 times, first in entry {PLAYER}"
    assert found.remarks == (Remark(why, AGAIN, word="look", kind="nonce"),)
