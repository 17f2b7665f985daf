"""A bundle holds what its reader may see, and proves it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.helpers.bundle_lines import objects
from tests.engine.helpers.bundles import (
    KEY,
    ORIGIN,
    PRIVATE,
    ROOT,
    TABLE,
    Log,
    bundle,
    forged,
    honest,
    note_of,
    place,
)
from tests.plays import SCENARIOS, kept_of
from tests.sealing import sealed_raw
from urim.engine.bundle.write import header_line, write_bundle
from urim.engine.core import commands as tabled
from urim.engine.core.limits import NARRATOR
from urim.engine.verifier import urimcheck
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import decode, recorded
from urim.events.entry import withhold
from urim.events.line import entry_line
from urim.events.merkle import Tree, root_of
from urim.events.table import TableOpened

WHOLE = bundle(honest())
ROLL = bundle(honest(), roll=1)


# --- what is written ------------------------------------------------------------------------------


def test_what_others_may_not_see_is_not_in_the_file() -> None:
    lines = objects(WHOLE)[1:-1]
    sealed = [line["seq"] for line in lines if "payload" not in line]
    assert sealed == [3, place("sealed") - 6, place("sealed") - 5, place("sealed")]
    own = objects(bundle(honest(), "p1"))[1:-1]
    assert [line["seq"] for line in own if "payload" not in line] == [3]


def test_a_roll_comes_with_what_it_needs_and_proofs() -> None:
    lines = objects(ROLL)[1:-1]
    first, last = place("player") - 1, place("ruling") + 1
    expected = [*range(first), *range(first, last + 1), place("erased")]
    assert [line["seq"] for line in lines] == expected
    assert not any("proof" in line for line in lines)
    assert proved(ROLL) == root_of(entry.leaf for entry in honest().entries)


def proved(file: bytes) -> bytes | None:
    """The root that the entries of one roll's file make with the proof at its end."""
    header, *lines, end = objects(file)
    leaves = {entry.seq: entry.leaf for entry in honest().entries}
    own = {line["seq"]: leaves[line["seq"]] for line in lines}
    return urimcheck.Tree(own, end["proof"]).root(header["size"])


def test_a_roll_does_not_come_with_what_was_sealed_of_others() -> None:
    lines = objects(bundle(honest(), roll=6))[1:-1]
    assert {line["class"] for line in lines} == {"open", "text"}
    assert 3 in {line["seq"] for line in lines}  # erased, and part of a commit that is needed


def test_a_roll_that_needs_every_entry_comes_with_an_empty_proof() -> None:
    log = Log()
    log.throw(log.declare())
    lines = objects(bundle(log, roll=1))
    assert (lines[0]["scope"], lines[-1]["count"]) == ("roll", log.size)
    assert lines[-1]["proof"] == []


def test_commits_come_whole_with_their_texts() -> None:
    lines = objects(ROLL)[1:-1]
    found = {line["seq"] for line in lines}
    commits = {line["commit"] for line in lines}
    assert found == {entry.seq for entry in honest().entries if entry.commit in commits}
    assert [line["seq"] for line in lines if line["class"] == "text"] == [3, 5, 12, 14]


def test_a_roll_comes_with_its_texts_that_were_erased_and_with_who_did_it() -> None:
    log = Log()
    roll = log.declare()
    noted = log.ask("p2", tabled.Note(log.size - 1), "Why?")
    log.ask("p2", tabled.Note(0), "What is this?")
    log.ask("p2", tabled.Dispute(roll), "That is not fair.")
    for text in (noted + 1, noted + 3, noted + 5):
        log.ask(NARRATOR, tabled.Erase(text))
    lines = objects(bundle(log, roll=roll))[1:-1]
    found = [(line["seq"] - noted, "payload" in line) for line in lines if line["seq"] >= noted]
    # Not the note about the opening, which is about no roll; erased, nobody knows what it said.
    assert found == [(0, True), (1, False), (4, True), (5, False), (6, True), (8, True)]


def test_a_line_names_the_commit_of_its_entry() -> None:
    lines = objects(WHOLE)[1:-1]
    assert [line["commit"] for line in lines] == [entry.commit for entry in honest().entries]
    sealed = next(line for line in lines if "payload" not in line)
    assert (sealed["seq"], sealed["commit"]) == (3, 2)  # known of withheld entries too


@pytest.mark.parametrize("before", [0, 1])
def test_a_roll_comes_with_what_is_of_all_up_to_its_last_entry(before: int) -> None:
    log = Log()
    for number in range(before):
        log.ask(NARRATOR, tabled.TakeSeat(f"a{number}"))
    roll = log.declare()
    log.declare()
    log.ask(NARRATOR, tabled.TakeSeat("b1"))
    last = log.throw(roll)
    log.ask(NARRATOR, tabled.TakeSeat("b2"))
    log.declare()
    found = [line["seq"] for line in objects(bundle(log, roll=roll))[1:-1]]
    assert found == [seq for seq in range(last + 1) if seq != last - 2]


def test_the_proof_of_a_roll_is_that_of_its_entries_at_every_size() -> None:
    for size in range(place("player"), honest().size + 1):
        entries = honest().entries[:size]
        leaves = [entry.leaf for entry in entries]
        *lines, end = objects(b"".join(write_bundle(entries, note_of(entries), [KEY], 1)))[1:]
        proof = Tree(leaves).multiproof([line["seq"] for line in lines], size)
        assert end["proof"] == [node.hex() for node in proof]


@pytest.mark.parametrize("name", sorted(path.stem for path in (SCENARIOS / "plain").glob("*.toml")))
def test_one_roll_is_no_larger_than_its_table(name: str) -> None:
    entries = kept_of(SCENARIOS / "plain" / f"{name}.toml").log
    origin, private = "urim.local/t/fixture0", bytes(32)
    keys = [public_key(origin, private)]
    note = sign(Checkpoint(origin, len(entries), root_of(e.leaf for e in entries)), private)
    whole = len(b"".join(write_bundle(entries, note, keys)))
    rolls = {roll for entry in entries if (roll := getattr(recorded(entry).event, "roll", None))}
    for roll in rolls:
        one = objects(file := b"".join(write_bundle(entries, note, keys, roll)))
        # Where every entry is needed, the header names the roll, and the end an empty proof.
        assert len(file) <= whole + (30 if one[-1]["count"] == len(entries) else 0)


def test_a_proof_that_is_longer_than_a_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urim.engine.bundle.write.LINE", 100)
    with pytest.raises(Refused) as caught:
        bundle(honest(), roll=1)
    assert caught.value.code == "too-long"
    assert "whole table" in caught.value.allowed[0]


def test_a_roll_comes_with_those_that_it_follows_and_that_follow_it() -> None:
    entries = kept_of(SCENARIOS / "milhamah" / "counter.toml").log
    origin, private = "urim.local/t/fixture0", bytes(32)
    keys = [public_key(origin, private)]
    root = root_of(entry.leaf for entry in entries)
    note = sign(Checkpoint(origin, len(entries), root), private)

    def rolls(number: int) -> set[int]:
        lines = objects(b"".join(write_bundle(entries, note, keys, number)))[1:-1]
        events = [json.loads(line["payload"])["event"] for line in lines]
        return {event["roll"] for event in events if "roll" in event}

    assert rolls(1) == rolls(2) == {1, 2}
    assert rolls(3) == {3}


def test_a_roll_that_is_hidden_or_not_there_is_refused() -> None:
    for number in (5, 7):
        with pytest.raises(Refused) as refused:
            bundle(honest(), roll=number)
        assert refused.value.code == "unknown"
        assert refused.value.allowed == ("1", "2", "3", "4", "6")
    assert b'"roll":5' in bundle(honest(), "p1", 5)


def test_a_smaller_checkpoint_leaves_out_what_came_later() -> None:
    entries = honest().entries
    file = b"".join(write_bundle(entries, note_of(entries, 20), [KEY]))
    assert [line["seq"] for line in objects(file)[1:-1]] == list(range(20))


def test_a_bundle_that_would_prove_nothing_is_not_written() -> None:
    entries = honest().entries
    other = sign(Checkpoint(KEY.name, 51, bytes(32)), bytes(range(32)))
    signed = [
        (entries, sign(Checkpoint(ORIGIN, len(entries), root), PRIVATE))
        for root in (bytes(32), b"\xff" * 32)
    ]
    for held, note in (
        *signed,  # roots below and above the log's
        (entries, other),  # another's signature
        (entries[:-1], note_of(entries)),  # a checkpoint over more
        ([*entries[:-2], entries[-1], entries[-2]], note_of(entries)),  # other entries
        (entries[1:], note_of(entries[1:])),  # no opening
        ([], note_of([])),
    ):
        with pytest.raises(Damaged):
            write_bundle(held, note, [KEY])


def test_a_log_that_opens_no_table_names_its_first_entry() -> None:
    entries = honest().entries[1:]
    with pytest.raises(Damaged, match="does not open a table") as damage:
        write_bundle(entries, note_of(entries), [KEY])
    assert damage.value.seq == 0


def test_half_of_what_is_disclosed_together_is_not_written() -> None:
    whole = honest().entries[0]
    bare = json.loads(entry_line(withhold(whole)))
    assert "salt" not in bare and "payload" not in bare
    for half in (replace(whole, salt=None), replace(whole, payload=None)):
        assert json.loads(entry_line(half)) == bare


@given(payload=st.text())
def test_a_line_is_the_plainest_json(payload: str) -> None:
    entry = sealed_raw(3, 1_000, payload.encode("utf-8", "ignore"), kind="text", first=2)
    line = entry_line(entry)
    plain = json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
    assert line == f"{plain}\n".encode()
    assert json.loads(line)["payload"] == (entry.payload or b"").decode()


def test_single_lines_make_the_same_file() -> None:
    opened = decode(honest().entries[0].payload or b"").event
    assert isinstance(opened, TableOpened)
    assert WHOLE.startswith(header_line(note_of(honest().entries), [KEY], opened))
    assert forged(honest().aggregate.view("")) == WHOLE
    assert TABLE.encode() in WHOLE
    assert ROOT.encode() in WHOLE


def test_what_no_reader_of_json_could_read_is_not_written() -> None:
    opened = decode(honest().entries[0].payload or b"").event
    assert isinstance(opened, TableOpened)
    with pytest.raises(ValueError, match="JSON"):
        header_line(note_of(honest().entries), [KEY], replace(opened, options={"a": float("nan")}))
