"""Steps 1 to 5 of an audit: whichever way a value is wrong, it tells where, and what was right."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.engine.helpers.bundles import (
    KEY,
    ORIGIN,
    PRIVATE,
    TABLE,
    at,
    bundle,
    fixed,
    forged,
    honest,
    judged,
    note_of,
    place,
)
from tests.engine.helpers.twists import VIEW, WHOLE, changed, event, resealed
from tests.sealing import json_of, sealed_raw
from urim.engine.audit.report import Remark, Result
from urim.engine.bundle.write import end_line, header_line
from urim.errors import Refused
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.codec import decode
from urim.events.entry import Entry, withhold
from urim.events.line import entry_line
from urim.events.merkle import root_of
from urim.events.table import TableOpened

ROLL = bundle(honest(), roll=1)
ROOT = root_of(entry.leaf for entry in VIEW)
SIDES = [bytes(32), b"\xff" * 32]


def only(found: Result) -> Remark:
    """The one fault that a step found."""
    assert (found.verdict, len(found.remarks)) == ("fail", 1), found.remarks
    return found.remarks[0]


def of_lines(entries: Sequence[Entry]) -> bytes:
    """The golden header over any entries."""
    lines = [WHOLE.splitlines(keepends=True)[0], *map(entry_line, entries)]
    return b"".join([*lines, end_line(len(entries))])


# --- step 1 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "claimed", "true"),
    [
        ("system", "majesty", "milhamah"),
        ("system", "zodiac", "milhamah"),
        ("version", 0, "1"),
        ("version", 2, "1"),
        ("options", {}, None),
        ("options", {"zzz": 1}, None),
    ],
)
def test_a_header_is_held_against_the_opening(name: str, claimed: Any, true: str | None) -> None:
    remark = only(at(judged(changed(0, **{name: claimed})), 1))
    assert remark.why == f"the header's {name} is not the one that the first entry gives"
    assert (remark.seq, remark.found) == (0, str(claimed) if true else json.dumps(claimed))
    assert true is None or remark.expected == true


def test_the_order_of_options_is_free() -> None:
    opened = decode(VIEW[0].payload or b"").event
    assert isinstance(opened, TableOpened) and len(opened.options) > 1
    options = dict(reversed(opened.options.items()))
    assert at(judged(changed(0, options=options)), 1).verdict == "pass"


def test_an_origin_of_another_table_is_told() -> None:
    opened = decode(VIEW[0].payload or b"").event
    assert isinstance(opened, TableOpened)
    origin = "urim.local/t/golden02"
    note = sign(Checkpoint(origin, 51, ROOT), PRIVATE)
    lines = [header_line(note, [public_key(origin, PRIVATE)], opened), *map(entry_line, VIEW)]
    remark = only(at(judged(b"".join([*lines, end_line(51)])), 1))
    assert remark == Remark("the origin is another table's", 0, TABLE, origin)


OPENS = "the first entry, and it alone, opens the table"

OPENINGS: dict[str, tuple[Sequence[Entry], Remark]] = {
    "opened twice": (resealed(5, event(0)), Remark(OPENS, 5)),
    "opened by nothing": (resealed(0, event(1)), Remark(OPENS, 0)),
    "opened by the second entry": (
        [*resealed(1, event(0))[1:]],
        Remark(OPENS, 1),
    ),
    "opening withheld": ([withhold(VIEW[0]), *VIEW[1:]], Remark("the first entry is withheld", 0)),
}


@pytest.mark.parametrize(("entries", "remark"), OPENINGS.values(), ids=OPENINGS)
def test_a_table_is_opened_once_by_its_first_entry(
    entries: Sequence[Entry], remark: Remark
) -> None:
    assert only(at(judged(of_lines(entries)), 1)) == remark


DECLARED = json_of(VIEW[place("player") - 1])


def declaring(value: str) -> bytes:
    """A declaration, written as everybody writes it, with a value in it."""
    text = json.dumps(DECLARED, ensure_ascii=False, separators=(",", ":"))
    return text.replace('"declaration":{', f'"declaration":{{"a":{value},', 1).encode()


STRICT = {
    "a name of 80 characters": (b'{"type":"%b"}' % (b"x" * 80), f"called {'x' * 80!r}"),
    "a longer name": (b'{"type":"%b"}' % (b"x" * 90), f"called {'x' * 80!r}"),
    "a number beyond all readers": (declaring(f"{2**53}"), f"the number {2**53} is beyond"),
    "a number far below zero": (declaring(f"{-(2**53)}"), f"the number {-(2**53)} is beyond"),
    "many numbers, one of them beyond": (declaring(f"[1,{2**53}]"), f"the number {2**53} is"),
    "nesting of 65 levels": (declaring("[" * 62 + "]" * 62), "nested more than 64 deep"),
    "nesting without an end": (declaring("[" * 60_000 + "]" * 60_000), "nested too deeply"),
}


@pytest.mark.parametrize(("payload", "why"), STRICT.values(), ids=STRICT)
def test_a_payload_is_read_as_strictly_as_a_line(payload: bytes, why: str) -> None:
    seq = place("player") - 1
    remark = only(at(judged(forged(resealed(seq, payload))), 1))
    assert (remark.seq, why in remark.why) == (seq, True), remark


@pytest.mark.parametrize("value", [f"{2**53 - 1}", "-1", "[" * 61 + "]" * 61, "1e2", '"[[:["'])
def test_a_payload_that_everybody_reads_alike_is_an_event(value: str) -> None:
    entries = resealed(place("player") - 1, declaring(value))
    assert at(judged(forged(entries)), 1).verdict == "pass"


# --- steps 2 and 3 --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "claimed", "signed"),
    [
        ("size", 50, "51"),
        ("size", 52, "51"),
        ("origin", f"a/t/{TABLE}", ORIGIN),
        ("origin", f"z/t/{TABLE}", ORIGIN),
    ],
)
def test_a_header_is_held_against_the_note(name: str, claimed: Any, signed: str) -> None:
    why = f"the header's {name} is not the one that was signed"
    assert only(at(judged(changed(0, **{name: claimed})), 2)) == Remark(
        why, None, signed, str(claimed)
    )


@pytest.mark.parametrize("root", SIDES, ids=["smaller", "larger"])
def test_entries_are_held_against_the_signed_root(root: bytes) -> None:
    assert SIDES[0] < ROOT < SIDES[1]
    file = forged(VIEW, sign(Checkpoint(ORIGIN, 51, root), PRIVATE))
    why = "the entries are not those that were signed"
    assert only(at(judged(file), 3)) == Remark(why, None, root.hex(), ROOT.hex())


@pytest.mark.parametrize("root", SIDES, ids=["smaller", "larger"])
@pytest.mark.parametrize("size", [1, 20, 51])
def test_an_earlier_checkpoint_names_the_last_entry_that_it_covers(size: int, root: bytes) -> None:
    seen = [sign(Checkpoint(ORIGIN, size, root), PRIVATE)]
    why = f"the first {size} entries are not those of an earlier checkpoint"
    found = root_of(entry.leaf for entry in VIEW[:size]).hex()
    expected = Remark(why, size - 1, root.hex(), found)
    assert only(at(judged(WHOLE, seen=seen), 3)) == expected
    if size == len(VIEW):
        assert only(at(judged(ROLL, seen=seen), 3)) == expected


def more(count: int) -> list[Entry]:
    """The log with so many more entries."""
    return [
        *VIEW,
        *(sealed_raw(n, VIEW[50].at, b"{}", fixed(f"salt {n}")) for n in range(51, 51 + count)),
    ]


def test_an_earlier_checkpoint_of_more_entries_tells_both_sizes() -> None:
    why = "an earlier checkpoint was signed over more entries than this log has"
    for file in (WHOLE, ROLL):
        remark = only(at(judged(file, seen=[note_of(more(1))]), 3))
        assert remark == Remark(why, None, "52", "51")


def test_a_roll_is_compared_with_an_earlier_checkpoint_of_its_own_size_alone() -> None:
    longer = changed(0, ROLL, size=53)  # the header is wrong: 51 were signed
    for size in (50, 52, 53):
        found = at(judged(longer, seen=[note_of(more(2), size)]), 3)
        why = f"an earlier checkpoint of {size} entries needs the whole table"
        assert (found.verdict, found.remarks) == ("not-checked", (Remark(why, word="unchecked"),))
    empty = sign(Checkpoint(ORIGIN, 0, bytes(32)), PRIVATE)  # a root that no empty log has
    assert at(judged(ROLL, seen=[empty]), 3).verdict == "not-checked"
    assert at(judged(WHOLE, seen=[empty]), 3).verdict == "fail"
    unsigned = changed(0, ROLL, checkpoint="signed by me")
    assert at(judged(unsigned, seen=[note_of(VIEW)]), 3).verdict == "not-checked"


def test_every_earlier_checkpoint_is_looked_at_whatever_the_others_are() -> None:
    forged_root = sign(Checkpoint(ORIGIN, 20, bytes(32)), PRIVATE)
    strangers = sign(Checkpoint(ORIGIN, 20, bytes(32)), bytes(32))
    seen = [strangers, note_of(VIEW, 10), note_of(more(1)), forged_root, note_of(more(2))]
    whys = [remark.why for remark in at(judged(WHOLE, seen=seen), 3).remarks]
    assert [why.split()[:3] for why in whys] == [
        ["earlier", "checkpoint", "1,"],
        ["the", "first", "20"],
        *[["an", "earlier", "checkpoint"]] * 2,
    ]


@pytest.mark.parametrize("origin", ["urim.local/t/another1", "urim.local/t/other001"])
def test_an_earlier_checkpoint_of_another_log_is_told(origin: str) -> None:
    keys = [KEY.vkey, public_key(origin, PRIVATE).vkey]
    seen = [note_of(VIEW, 20), sign(Checkpoint(origin, 1, bytes(32)), PRIVATE)]
    with pytest.raises(Refused, match="earlier checkpoint 2 is a checkpoint of") as refused:
        judged(changed(0, keys=keys), seen=seen)
    assert (refused.value.code, refused.value.allowed) == ("malformed", (ORIGIN,))


# --- step 4 ---------------------------------------------------------------------------------------


def again(file: bytes, *numbers: int) -> bytes:
    """Lines of a bundle, by their numbers, and an end that counts them."""
    lines = file.splitlines(keepends=True)
    proof = () if b'"scope":"roll"' in lines[0] else None
    return b"".join([lines[0], *(lines[n] for n in numbers), end_line(len(numbers), proof)])


LAST = len(ROLL.splitlines()) - 1  # of the roll's entries, by its line less one
OUT = "out of sequence"

ORDERS: dict[str, tuple[bytes, list[Remark]]] = {
    "an entry left out": (
        again(WHOLE, *range(1, 10), *range(11, 52)),
        [Remark(OUT, 10, "9", "10")],
    ),
    "an entry twice": (
        again(WHOLE, *range(1, 11), *range(10, 52)),
        [Remark(OUT, 9, "10", "9")],
    ),
    "the first entry left out": (again(WHOLE, *range(2, 52)), [Remark(OUT, 1, "0", "1")]),
    "two entries left out": (
        again(WHOLE, *range(1, 10), *range(12, 52)),
        [Remark(OUT, 11, "9", "11")],
    ),
    "an entry of a roll left out": (again(ROLL, *range(1, 5), *range(6, LAST)), []),
    "an entry of a roll twice": (
        again(ROLL, 1, 2, 2, *range(3, LAST)),
        [Remark(OUT, 1, "beyond 1", "1")],
    ),
    "the first entry of a roll twice": (
        again(ROLL, 1, 1, *range(2, LAST)),
        [Remark(OUT, 0, "beyond 0", "0")],
    ),
}


@pytest.mark.parametrize(("file", "remarks"), ORDERS.values(), ids=ORDERS)
def test_an_entry_out_of_sequence_is_told_with_what_should_have_come(
    file: bytes, remarks: list[Remark]
) -> None:
    found = at(judged(file), 4)
    assert [remark for remark in found.remarks if remark.why == OUT] == remarks
    of_a_roll = b'"scope":"roll"' in file.partition(b"\n")[0]
    assert found.verdict == ("fail" if remarks else "not-checked" if of_a_roll else "pass")


@pytest.mark.parametrize("size", [49, 50])
def test_every_entry_beyond_those_that_were_signed_is_told(size: int) -> None:
    found = at(judged(forged(VIEW, note_of(VIEW, size))), 4)
    beyond = [remark.seq for remark in found.remarks if remark.why.startswith("beyond")]
    assert beyond == list(range(size, 51))
    assert found.remarks[-1].expected == str(size) and found.remarks[-1].found == "51"


def test_fewer_entries_than_were_signed_are_told() -> None:
    found = only(at(judged(of_lines(VIEW[:-2])), 4))
    why = "the file holds another number of entries than was signed"
    assert found == Remark(why, None, "51", "49")


def test_time_that_goes_backwards_is_told_with_the_time_before() -> None:
    entries = resealed(10, event(10), at=VIEW[9].at - 5)
    expected = Remark("the time goes backwards", 10, f"{VIEW[9].at} or later", str(VIEW[9].at - 5))
    assert at(judged(forged(entries)), 4).remarks[0] == expected


# --- step 5 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("digest", SIDES, ids=["smaller", "larger"])
def test_a_payload_is_held_against_its_digest(digest: bytes) -> None:
    why = "the payload is not the one that was sealed"
    remark = only(at(judged(changed(6, digest=digest.hex())), 5))
    assert remark == Remark(why, 5, digest.hex(), VIEW[5].digest.hex())
