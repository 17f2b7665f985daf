"""Steps 1 to 5 of an audit, each seen to fail by a fault of its own."""

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
    wrong,
)
from tests.engine.helpers.twists import VIEW, WHOLE, changed, event, first_wrong, resealed
from tests.sealing import resealed as resealed_entry
from tests.sealing import sealed_raw
from tests.tree import ROOT
from urim.engine.audit.report import Remark
from urim.engine.bundle.write import bundle_of, end_line, header_line
from urim.errors import Refused
from urim.events.checkpoint import Checkpoint, Key, public_key, sign
from urim.events.codec import decode
from urim.events.entry import Entry, withhold
from urim.events.line import entry_line
from urim.events.merkle import Tree, root_of
from urim.events.table import EntryErased, TableOpened, TextSaid

# --- step 1 ---------------------------------------------------------------------------------------


NO_EVENT = {
    "no JSON": b"{",
    "no object": b"[]",
    "no type": b"{}",
    "a type that is no text": b'{"type":[]}',
    "an unknown type": b'{"type":"dice-wished/1","by":"p1"}',
    "a strange field": b'{"type":"seat-left/1","by":"narrator","seat":"p1","x":1}',
    "a missing field": b'{"type":"seat-left/1","by":"narrator"}',
    "a key twice": b'{"type":"seat-left/1","by":"narrator","seat":"p1","seat":"p2"}',
    "a key twice, its larger value first": (
        b'{"type":"seat-left/1","by":"narrator","seat":"p2","seat":"p1"}'
    ),
    "a second opening": None,
}


@pytest.mark.parametrize("payload", NO_EVENT.values(), ids=NO_EVENT)
def test_a_payload_that_is_no_event_fails(payload: bytes | None) -> None:
    entries = resealed(1, payload or event(0))
    step, why = first_wrong(forged(entries))
    assert step == "parse"
    assert ("opens the table" in why) if payload is None else ("no event" in why)


@pytest.mark.parametrize(
    "values", [{"system": "majesty"}, {"version": 2}, {"options": {}}, {"options": {"supply": 5}}]
)
def test_a_header_that_says_otherwise_than_the_opening_fails(values: dict[str, Any]) -> None:
    step, why = first_wrong(changed(0, **values))
    assert (step, next(iter(values)) in why) == ("parse", True)


def test_true_is_not_one() -> None:
    opened = decode(VIEW[0].payload or b"").event
    assert isinstance(opened, TableOpened)
    options = {name: 1 if value is True else value for name, value in opened.options.items()}
    assert options == opened.options
    assert first_wrong(changed(0, options=options))[0] == "parse"


def test_an_origin_of_another_table_fails() -> None:
    origin = f"urim.local/t/x{TABLE}"
    note = sign(Checkpoint(origin, len(VIEW), root_of(entry.leaf for entry in VIEW)), PRIVATE)
    key = public_key(origin, PRIVATE)
    file = b"".join(bundle_of(honest().aggregate, "", note, [key]))
    assert first_wrong(file) == ("parse", "the origin is another table's")


def test_a_first_entry_that_opens_nothing_fails() -> None:
    for entries in (
        resealed(0, event(1)),
        [withhold(VIEW[0]), *VIEW[1:]],
    ):
        opened = decode(VIEW[0].payload or b"").event
        assert isinstance(opened, TableOpened)
        lines = [header_line(note_of(entries), [KEY], opened), *map(entry_line, entries)]
        assert first_wrong(b"".join([*lines, end_line(len(entries))]))[0] == "parse"


def test_a_bundle_without_entries_or_without_its_roll_fails() -> None:
    lines = bundle(honest(), roll=1).splitlines(keepends=True)
    tree = Tree(entry.leaf for entry in VIEW)
    empty = b"".join([lines[0], end_line(0, tree.multiproof((), len(VIEW)))])
    assert wrong(judged(empty))["parse"] == "the bundle holds no entry"
    short = b"".join([*lines[:3], end_line(2, tree.multiproof((0, 1), len(VIEW)))])
    assert wrong(judged(short)) == {"parse": "roll 1 is declared by no entry of the file"}


# --- step 2 ---------------------------------------------------------------------------------------


def test_a_self_asserted_key_is_said_to_be_one() -> None:
    assert at(judged(WHOLE), 2).summary == "self-asserted key"
    assert at(judged(WHOLE, key=KEY.vkey), 2).summary == "the key that was given"
    assert judged(WHOLE).self_asserted
    assert not judged(WHOLE, key=KEY.vkey).self_asserted
    assert KEY.vkey in at(judged(WHOLE), 2).remarks[0].why


def test_another_key_than_the_one_that_signed_fails() -> None:
    other = public_key(ORIGIN, bytes(32))
    for file, given in (
        (WHOLE, {"key": other.vkey}),
        (changed(0, keys=[other.vkey]), {}),
        (changed(0, keys=[other.vkey]), {"key": other.vkey}),
    ):
        step, why = first_wrong(file, **given)
        assert (step, "no key" in why) == ("signature", True)
    assert wrong(judged(changed(0, keys=[other.vkey]), key=KEY.vkey)) == {}


def test_a_signature_that_does_not_fit_fails() -> None:
    note = note_of(VIEW).decode().replace("\n51\n", "\n50\n")
    step, why = first_wrong(changed(0, checkpoint=note))
    assert (step, "does not fit" in why) == ("signature", True)
    assert first_wrong(changed(0, checkpoint="signed by me"))[0] == "signature"
    assert at(judged(changed(0, checkpoint=note)), 3).verdict == "not-checked"


@pytest.mark.parametrize("public", [bytes(32), b"\xee" + bytes([255] * 31)])
def test_a_header_with_a_key_that_nobody_may_have_fails(public: bytes) -> None:
    weak = Key(ORIGIN, public).vkey
    for file, given in (
        (changed(0, keys=[weak]), {}),
        (changed(0, keys=[KEY.vkey, weak]), {}),
        (changed(0, keys=[KEY.vkey, weak]), {"key": KEY.vkey}),
    ):
        step, why = first_wrong(file, **given)
        assert (step, "cannot be used" in why) == ("signature", True)
    with pytest.raises(Refused, match="cannot be used"):
        judged(WHOLE, key=weak)


def test_a_header_that_says_otherwise_than_the_note_fails() -> None:
    assert "size" in wrong(judged(changed(0, size=50)))["signature"]
    assert "origin" in wrong(judged(changed(0, origin=f"other/t/{TABLE}")))["signature"]


# --- step 3 ---------------------------------------------------------------------------------------


def test_entries_that_were_not_signed_fail() -> None:
    entries = resealed(1, event(2))
    step, why = first_wrong(forged(entries, note_of(VIEW)))
    assert (step, why) == ("tree", "the entries are not those that were signed")


def test_a_proof_that_proves_nothing_fails() -> None:
    file = bundle(honest(), roll=1)
    assert (at(judged(file), 3).checked, at(judged(file), 3).verdict) == (1, "pass")
    end = len(file.splitlines()) - 1
    proof = json.loads(file.splitlines()[end])["proof"]
    for other in (proof[:-1], [*proof, "ab" * 32], ["ab" * 32, *proof[1:]], []):
        result = at(judged(changed(end, file, proof=other)), 3)
        assert (result.verdict, result.remarks[0].seq) == ("fail", None)


def test_in_a_file_of_version_0_2_every_entry_has_its_proof() -> None:
    file = (ROOT / "tests" / "releases" / "0.2" / "milhamahfair-roll.urim.jsonl").read_bytes()
    assert at(judged(file), 3).checked == judged(file).entries
    proof = json.loads(file.splitlines()[4])["proof"]
    for other in (proof[:-1], [*proof, "ab" * 32], ["ab" * 32, *proof[1:]], []):
        result = at(judged(changed(4, file, proof=other)), 3)
        assert (result.verdict, result.remarks[0].seq) == ("fail", 3)


def earlier(size: int, entries: Sequence[Entry] = VIEW) -> list[bytes]:
    """A checkpoint that was seen before."""
    return [note_of(entries, size)]


def test_an_earlier_checkpoint_of_the_same_log_passes() -> None:
    for size in (0, 1, 20, 50, 51):
        assert at(judged(WHOLE, seen=earlier(size)), 3).verdict == "pass"
    assert at(judged(WHOLE, seen=earlier(20)), 3).checked == 2


def test_an_earlier_checkpoint_of_another_past_fails() -> None:
    other = resealed(10, event(9))
    assert judged(WHOLE, seen=earlier(10, other)).exit == 0
    assert judged(WHOLE, seen=earlier(11, other)).exit == 1
    assert first_wrong(forged(other), seen=earlier(11))[0] == "tree"
    result = at(judged(forged(other), seen=earlier(20)), 3)
    assert result.remarks[0].why == "the first 20 entries are not those of an earlier checkpoint"


def test_an_earlier_checkpoint_of_more_entries_fails() -> None:
    more = [*VIEW, sealed_raw(51, VIEW[50].at, b"{}", fixed("salt 51"))]
    step, why = first_wrong(WHOLE, seen=earlier(52, more))
    assert (step, why) == (
        "tree",
        "an earlier checkpoint was signed over more entries than this log has",
    )


def test_an_earlier_checkpoint_is_held_to_the_same_keys() -> None:
    stranger = sign(Checkpoint(ORIGIN, 51, root_of(entry.leaf for entry in VIEW)), bytes(32))
    assert list(wrong(judged(WHOLE, seen=[stranger]))) == ["tree"]


def test_what_was_given_and_is_of_no_use_is_refused_by_its_name() -> None:
    elsewhere = sign(Checkpoint("urim.local/t/other001", 1, bytes(32)), PRIVATE)
    for note in (elsewhere, b"a note", b"", b'[table]\nname = "x"\n'):
        with pytest.raises(Refused, match=r"^--seen mine is ") as refused:
            judged(WHOLE, seen={"--seen mine": note})
        assert refused.value.code == "malformed"
    for key in ("", "key.toml"):
        with pytest.raises(Refused, match=r"^the key that was given") as refused:
            judged(WHOLE, key=key)
        assert refused.value.code == "malformed"


def test_a_key_of_another_log_is_refused_and_both_are_named() -> None:
    for name in ("urim.local/t/other001", "elsewhere.example/t/golden01"):
        key = public_key(name, PRIVATE)
        with pytest.raises(Refused, match=f"is one of {name}, and this file is of {ORIGIN}") as it:
            judged(WHOLE, key=key.vkey)
        assert (it.value.code, it.value.allowed) == ("malformed", (ORIGIN,))
        # A file that names such a key itself is wrong all the same.
        assert first_wrong(changed(0, keys=[key.vkey]))[0] == "signature"


def test_line_ends_of_another_system_are_read() -> None:
    [note] = earlier(20)
    found = judged(WHOLE, key=f"{KEY.vkey}\r\n", seen=[note.replace(b"\n", b"\r\n")])
    assert (found.exit, at(found, 3).checked) == (0, 2)


def test_a_roll_can_be_held_against_its_own_checkpoint_alone() -> None:
    file = bundle(honest(), roll=1)
    assert at(judged(file, seen=earlier(51)), 3).verdict == "pass"
    assert at(judged(file, seen=earlier(50)), 3).verdict == "not-checked"
    other = resealed(10, event(9))
    assert at(judged(file, seen=earlier(51, other)), 3).verdict == "fail"


# --- step 4 ---------------------------------------------------------------------------------------


def test_a_gap_a_repetition_and_a_missing_end_fail() -> None:
    for entries in ([*VIEW[:9], *VIEW[10:]], [*VIEW[:10], *VIEW[9:]], VIEW[:-1], VIEW[1:]):
        lines = [WHOLE.splitlines(keepends=True)[0], *map(entry_line, entries)]
        report = judged(b"".join([*lines, end_line(len(entries))]))
        assert at(report, 4).verdict == "fail"


def test_a_file_with_more_entries_than_were_signed_fails() -> None:
    found = at(judged(forged(VIEW, note_of(VIEW, 50))), 4)
    assert [remark.why for remark in found.remarks] == [
        "beyond the 50 that were signed",
        "the file holds another number of entries than was signed",
    ]


def test_time_that_goes_backwards_fails() -> None:
    entries = resealed(10, event(10), at=VIEW[9].at - 1)
    report = judged(forged(entries))
    assert at(report, 4).remarks[0].why == "the time goes backwards"
    assert not {"parse", "signature", "tree", "payloads"} & wrong(report).keys()
    entries = resealed(10, event(10), at=VIEW[9].at)
    assert "sequence" not in wrong(judged(forged(entries)))


def test_a_roll_whose_entries_are_out_of_order_fails() -> None:
    lines = bundle(honest(), roll=1).splitlines(keepends=True)
    lines[5], lines[6] = lines[6], lines[5]
    assert at(judged(b"".join(lines)), 4).verdict == "fail"


# --- step 5 ---------------------------------------------------------------------------------------


def test_a_payload_or_a_salt_that_was_not_sealed_fails() -> None:
    line = json.loads(WHOLE.splitlines()[5])
    other = line["payload"].replace("c1", "c2")
    for file in (changed(5, payload=other), changed(5, salt="ab" * 32)):
        report = judged(file)
        assert wrong(report)["payloads"] == "the payload is not the one that was sealed"
        assert not {"parse", "signature", "tree", "sequence"} & wrong(report).keys()


def test_every_payload_and_every_erasure_is_looked_at() -> None:
    disclosed = sum(entry.payload is not None for entry in VIEW)
    assert at(judged(WHOLE), 5).checked == disclosed + 1


def test_an_open_entry_that_nobody_erased_is_not_withheld() -> None:
    entries = [withhold(entry) if entry.seq == 1 else entry for entry in VIEW]
    assert at(judged(forged(entries)), 5).remarks[0].seq == 1


def test_what_is_said_to_be_erased_is_not_there() -> None:
    erased, taken = place("erased"), 2
    name = TextSaid("narrator", "ab" * 16, "Dana")
    whole = list(VIEW)
    whole[3] = resealed_entry(withheld_by_nobody(3), name, salt=fixed("salt 3"))
    assert wrong(judged(forged(whole)))["payloads"] == (
        "entry 3 is reported as erased, but its payload is here"
    )
    for gone in (taken, erased, erased + 5):
        whole[erased] = resealed(erased, EntryErased("narrator", gone))[erased]
        assert at(judged(forged(whole)), 5).remarks[0].seq == erased


def withheld_by_nobody(seq: int) -> Entry:
    """An entry of the golden log as it was before anything was erased."""
    return sealed_raw(seq, VIEW[seq].at, b"{}", kind=VIEW[seq].kind, first=VIEW[seq].commit)


@pytest.mark.parametrize("ahead", [0, 1, 5])
def test_what_is_said_to_be_erased_came_before(ahead: int) -> None:
    named = place("erased")
    entries = resealed(named, EntryErased("narrator", named + ahead))
    why = f"it erases entry {named + ahead}, which does not come before it"
    assert Remark(why, named) in at(judged(forged(entries)), 5).remarks


@pytest.mark.parametrize("kind", ["open", "hidden"])
def test_only_texts_can_be_erased(kind: Any) -> None:
    erased, gone = place("erased"), place("declared")
    entries = resealed(erased, EntryErased("narrator", gone))
    entries[gone] = withhold(resealed(gone, event(gone), kind=kind)[gone])
    found = at(judged(forged(entries)), 5)
    assert Remark("it is reported as erased, and is no text", gone) in found.remarks


@pytest.mark.parametrize("kind", ["text", "hidden-text"])
def test_a_text_of_either_class_can_be_erased(kind: Any) -> None:
    entries = list(VIEW)
    entries[3] = withhold(resealed_entry(withheld_by_nobody(3), kind=kind))
    assert "payloads" not in wrong(judged(forged(entries)))
    open_text = [withhold(e) if e.kind == "text" else e for e in VIEW]
    missing = [e.seq for e in open_text if e.kind == "text" and e.seq != 3]
    assert [each.seq for each in at(judged(forged(open_text)), 5).remarks] == missing
