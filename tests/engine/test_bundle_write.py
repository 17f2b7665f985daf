"""A bundle holds what its reader may see, and proves it."""

import json
from typing import Any

import pytest

from tests.engine.bundles import KEY, TABLE, bundle, forged, honest, note_of, place
from tests.plays import SCENARIOS, kept_of
from urim.engine.bundle_write import header_line, write_bundle
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import decode
from urim.events.merkle import inclusion_proof, root_of
from urim.events.table import TableOpened

WHOLE = bundle(honest())
ROLL = bundle(honest(), roll=1)


def objects(file: bytes) -> list[dict[str, Any]]:
    """The lines of a bundle."""
    return [json.loads(line) for line in file.splitlines()]


# --- what is written ------------------------------------------------------------------------------


def test_what_others_may_not_see_is_not_in_the_file() -> None:
    lines = objects(WHOLE)[1:-1]
    sealed = [line["seq"] for line in lines if "payload" not in line]
    assert sealed == [3, place("sealed") - 4, place("sealed")]
    own = objects(bundle(honest(), "p1"))[1:-1]
    assert [line["seq"] for line in own if "payload" not in line] == [3]


def test_a_roll_comes_with_what_it_needs_and_proofs() -> None:
    lines = objects(ROLL)[1:-1]
    first, last = place("player") - 1, place("ruling") + 1
    expected = [*range(first), *range(first, last + 1), place("erased")]
    assert [line["seq"] for line in lines] == expected
    leaves = [entry.leaf for entry in honest().entries]
    for line in lines:
        proof = inclusion_proof(leaves, line["seq"], len(leaves))
        assert line["proof"] == [node.hex() for node in proof]


def test_every_inclusion_proof_is_the_one_of_rfc_6962() -> None:
    for size in range(place("player"), honest().size + 1):
        entries = honest().entries[:size]
        leaves = [entry.leaf for entry in entries]
        file = b"".join(write_bundle(entries, note_of(entries), [KEY], 1))
        for line in objects(file)[1:-1]:
            proof = inclusion_proof(leaves, line["seq"], size)
            assert line["proof"] == [node.hex() for node in proof]


def test_a_roll_comes_with_those_that_it_follows_and_that_follow_it() -> None:
    entries = kept_of(SCENARIOS / "milhamah" / "counter.toml").log
    origin, private = "urim.local/t/fixture0", bytes(32)
    keys = [public_key(origin, private)]
    root = root_of(entry.leaf for entry in entries)
    note = sign(Checkpoint(origin, len(entries), root), private)

    def rolls(number: int) -> set[int]:
        lines = objects(b"".join(write_bundle(entries, note, keys, number)))[1:-1]
        events = [json.loads(line["payload"]) for line in lines]
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
    other = sign(Checkpoint(KEY.name, 42, bytes(32)), bytes(range(32)))
    for held, note in (
        (entries, other),  # another's signature
        (entries[:-1], note_of(entries)),  # a checkpoint over more
        ([*entries[:-2], entries[-1], entries[-2]], note_of(entries)),  # other entries
        (entries[1:], note_of(entries[1:])),  # no opening
        ([], note_of([])),
    ):
        with pytest.raises(Damaged):
            write_bundle(held, note, [KEY])


def test_single_lines_make_the_same_file() -> None:
    opened = decode(honest().entries[0].payload or b"")
    assert isinstance(opened, TableOpened)
    assert WHOLE.startswith(header_line(note_of(honest().entries), [KEY], opened))
    assert forged(honest().aggregate.view("")) == WHOLE
    assert TABLE.encode() in WHOLE
