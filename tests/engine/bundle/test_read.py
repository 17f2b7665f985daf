"""A bundle is read to the byte or not at all."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.bundle_lines import changed, objects, why_not, written
from tests.engine.helpers.bundles import KEY, bundle, honest, place
from tests.sealing import sealed_raw
from tests.tree import ROOT
from urim.engine.bundle.read import LINE, Bundle, entries_of_bundle, event_of
from urim.errors import Damaged, Refused
from urim.events.asked import Asked
from urim.events.entry import CLASSES
from urim.events.strict import MOST, Malformed, strict_object
from urim.events.table import TextSaid

WHOLE = bundle(honest())
ROLL = bundle(honest(), roll=1)
EARLIER = ROOT / "tests" / "releases" / "0.2" / "milhamahfair-roll.urim.jsonl"


# --- what is read ---------------------------------------------------------------------------------


def test_what_was_written_is_read_again() -> None:
    found = Bundle(BytesIO(WHOLE))
    assert (found.header.scope, found.header.roll, found.header.size) == ("table", None, 51)
    assert found.header.keys == (KEY,)
    entries = [line.entry for line in found]
    assert entries == list(honest().aggregate.view(""))
    assert found.count == 51


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_of_entry_is_read(kind: str) -> None:
    line = next(iter(Bundle(BytesIO(changed(WHOLE, 1, **{"class": kind})))))
    assert line.entry.kind == kind


def test_the_commit_of_an_entry_is_read() -> None:
    entries = [line.entry for line in Bundle(BytesIO(WHOLE))]
    assert [entry.commit for entry in entries[:7]] == [0, 1, 2, 2, 4, 4, 6]
    with_another = list(Bundle(BytesIO(changed(WHOLE, 7, commit=4))))
    assert with_another[6].entry.commit == 4
    assert with_another[6].entry.leaf == entries[6].leaf  # it is not hashed


def test_the_order_of_keys_is_free() -> None:
    lines = [dict(reversed(line.items())) for line in objects(WHOLE)]
    assert len(list(Bundle(BytesIO(written(lines))))) == 51


NO_HEADER = {
    "another format": {"format": "urim-bundle/4"},
    "an older format": {"format": "urim-bundle/1"},
    "no format": {"format": None},
    "another scope": {"scope": "all"},
    "a roll in scope table": {"roll": 1},
    "a strange key": {"more": 1},
    "no keys": {"keys": []},
    "too many keys": {"keys": [KEY.vkey] * 65},
    "a key that is none": {"keys": [KEY.vkey[:-1]]},
    "keys as text": {"keys": KEY.vkey},
    "a size as text": {"size": "51"},
    "a size below 0": {"size": -1},
    "a size with a fraction": {"size": 51.0},
    "a size that is a truth value": {"size": True},
    "a size beyond all readers": {"size": MOST + 1},
    "options that are no object": {"options": []},
    "a checkpoint that is no text": {"checkpoint": 1},
}


@pytest.mark.parametrize("values", NO_HEADER.values(), ids=NO_HEADER)
def test_a_header_of_another_form_is_refused(values: dict[str, Any]) -> None:
    assert why_not(changed(WHOLE, 0, **values)).startswith("no bundle: line 1: ")


NO_ENTRY = {
    "no digest": {"digest": None},
    "a short digest": {"digest": "00"},
    "hex in capitals": {"digest": "AB" * 32},
    "a salt alone": {"payload": None},
    "a payload alone": {"salt": None},
    "another class": {"class": "secret"},
    "a proof in scope table": {"proof": []},
    "no commit": {"commit": None},
    "a commit below 0": {"commit": -1},
    "a commit as text": {"commit": "0"},
    "a time with a fraction": {"at": 1.5},
    "a place below 0": {"seq": -1},
    "a payload that is no text": {"payload": {}},
    "a strange key": {"leaf": "ab" * 32},
}


@pytest.mark.parametrize("values", NO_ENTRY.values(), ids=NO_ENTRY)
def test_an_entry_of_another_form_is_refused(values: dict[str, Any]) -> None:
    assert why_not(changed(WHOLE, 1, **values)).startswith("no bundle: line 2: ")


def test_a_roll_needs_its_number_and_a_proof_at_its_end() -> None:
    end = len(objects(ROLL)) - 1
    wrong: list[tuple[int, dict[str, Any]]] = [
        (0, {"roll": None}),
        (0, {"roll": 0}),
        (1, {"proof": []}),
        *((end, {"proof": proof}) for proof in NO_PROOFS),
    ]
    for line, values in wrong:
        assert f"line {line + 1}: " in why_not(changed(ROLL, line, **values))


NO_PROOFS: tuple[Any, ...] = (None, ["ab"], "ab" * 32, {})


def test_the_proof_of_a_roll_is_there_once_all_was_read() -> None:
    found = Bundle(BytesIO(ROLL))
    assert [line.proof for line in found] == [None] * found.count
    assert [node.hex() for node in found.proof] == objects(ROLL)[-1]["proof"]


def test_a_roll_of_version_0_2_has_a_proof_an_entry_and_is_read() -> None:
    file = EARLIER.read_bytes()
    found = Bundle(BytesIO(file))
    assert found.header.format == "urim-bundle/2" and not found.header.multiproof
    assert all(line.proof for line in found)
    for proof in NO_PROOFS:
        assert "line 2: " in why_not(changed(file, 1, proof=proof))
    end = len(objects(file)) - 1
    wrong: list[dict[str, Any]] = [{"proof": []}, {"end": "urim-bundle/3"}]
    for values in wrong:
        assert f"line {end + 1}: " in why_not(changed(file, end, **values))


def _twice(file: bytes) -> bytes:
    return file.replace(b'{"seq":1,', b'{"seq":1,"seq":1,', 1)


def _deep(file: bytes) -> bytes:
    return file.replace(b'"options":{', b'"options":{"a":{"b":1,"b":1},', 1)


def _marked(file: bytes) -> bytes:
    return b"\xef\xbb\xbf" + file


def _half(file: bytes) -> bytes:
    return file.replace(b'"system":"', b'"system":"\\ud800', 1)


def _latin(file: bytes) -> bytes:
    return file.replace(b'"system":"', b'"system":"\xe4', 1)


def _nan(file: bytes) -> bytes:
    return file.replace(b'"options":{', b'"options":{"a":NaN,', 1)


def _huge(file: bytes) -> bytes:
    return file.replace(b'"options":{', b'"options":{"a":1e999,', 1)


def _long_number(file: bytes) -> bytes:
    return file.replace(b'"options":{', b'"options":{"a":' + b"9" * 5_000 + b",", 1)


def _exponent(file: bytes) -> bytes:
    return file.replace(b'"version":1,', b'"version":1e0,', 1)


def _nested(file: bytes) -> bytes:
    deep = b"[" * 100_000 + b"]" * 100_000
    return file.replace(b'"options":{', b'"options":{"a":' + deep + b",", 1)


def _empty_line(file: bytes) -> bytes:
    return file.replace(b"\n", b"\n\n", 1)


def _long_line(file: bytes) -> bytes:
    return file.replace(b"{", b"{" + b" " * LINE, 1)


def _no_end_of_line(file: bytes) -> bytes:
    return file[:-1]


def _cut(file: bytes) -> bytes:
    return b"".join(file.splitlines(keepends=True)[:-1])


def _more_behind(file: bytes) -> bytes:
    return file + b"\n"


def _another_count(file: bytes) -> bytes:
    return file.replace(b'"count":51', b'"count":50')


def _another_end(file: bytes) -> bytes:
    return file.replace(b'{"end":"urim-bundle/3"', b'{"end":"urim-bundle/1"')


def _end_and_more(file: bytes) -> bytes:
    return file.replace(b'"count":51', b'"count":51,"more":1')


def _list(file: bytes) -> bytes:
    return b"[]\n" + file


def _nothing(file: bytes) -> bytes:
    return b""


BROKEN = {
    _twice: "the key 'seq' is twice",
    _deep: "the key 'b' is twice",
    _marked: "not JSON",
    _half: "surrogate",
    _latin: "not JSON in UTF-8",
    _nan: "NaN is no JSON",
    _huge: "beyond all bounds",
    _long_number: "beyond",
    _exponent: "not a number",
    _nested: "nested too deeply",
    _empty_line: "not JSON",
    _long_line: "more than",
    _no_end_of_line: "cut off",
    _cut: "cut off",
    _more_behind: "behind the end",
    _another_count: "`count` is 50",
    _another_end: "`end` is",
    _end_and_more: "'more'",
    _list: "not a JSON object",
    _nothing: "empty",
}


@pytest.mark.parametrize(
    ("broken", "why"), BROKEN.items(), ids=lambda it: getattr(it, "__name__", "")
)
def test_a_broken_file_is_no_bundle(broken: Callable[[bytes], bytes], why: str) -> None:
    assert broken(WHOLE) != WHOLE
    assert why in why_not(broken(WHOLE))


def test_a_long_file_is_read_a_line_at_a_time() -> None:
    class Slow(BytesIO):
        asked = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            Slow.asked += 1
            return super().readline(size)

        def read(self, size: int | None = -1, /) -> bytes:
            assert size == 1
            return super().read(size)

    found = iter(Bundle(Slow(WHOLE)))
    for number in range(1, 10):
        next(found)
        assert Slow.asked == number + 1


def test_a_payload_may_have_what_a_system_needs() -> None:
    assert strict_object('{"a":-2.5,"b":["א",null]}'.encode()) == {"a": -2.5, "b": ["א", None]}
    with pytest.raises(Malformed):
        strict_object(f'{{"a":{MOST + 1}}}'.encode())


def test_a_surrogate_pair_is_one_character() -> None:
    assert strict_object(b'{"a":"\\ud83d\\ude00"}') == {"a": "\U0001f600"}


def test_the_entries_of_a_file_are_read_and_held_against_their_leaves(tmp_path: Path) -> None:
    file = tmp_path / "t.urim.jsonl"
    file.write_bytes(WHOLE)
    assert list(entries_of_bundle(file)) == list(honest().aggregate.view(""))
    file.write_bytes(WHOLE.replace(b"The third die fell twice.", b"The third die fell first."))
    with pytest.raises(Damaged):
        list(entries_of_bundle(file))


def test_the_entries_of_one_roll_decide_nothing(tmp_path: Path) -> None:
    file = tmp_path / "t-1.urim.jsonl"
    file.write_bytes(ROLL)
    with pytest.raises(Refused, match="this bundle is of roll 1 alone") as refused:
        list(entries_of_bundle(file))
    assert refused.value.code == "not-seen"


def test_the_entries_of_a_file_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=f"{tmp_path} cannot be read") as refused:
        list(entries_of_bundle(tmp_path))
    assert refused.value.code == "unreadable"


# --- the payloads ---------------------------------------------------------------------------------


def test_the_first_entry_of_a_commit_says_what_was_asked_and_no_other_one_does() -> None:
    entries = honest().entries
    first, asked = event_of(entries[place("dispute")])
    assert asked is not None and asked.request == f"~{place('dispute')}"
    assert asked.body.startswith('{"do":"dispute/1","roll":1,"text":"')
    assert first.first and first.seq == place("dispute")
    text, nothing = event_of(entries[place("dispute") + 1])
    assert isinstance(text.event, TextSaid)
    assert (text.first, nothing) == (False, None)


LEFT = '{"type":"seat-left/1","by":"p1","seat":"p1"}'
SAID = '{"request":"~0","body":"{}"}'

PAYLOADS = {
    "blanks": f'{{ "event" : {LEFT} }}',
    "another order": f'{{"event":{LEFT},"asked":{SAID}}}',
    "an escape": f'{{"event":{LEFT.replace("p1", chr(92) + "u00701")}}}',
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_payload_that_we_would_write_otherwise_means_the_same(payload: str) -> None:
    record, asked = event_of(sealed_raw(0, 0, payload.encode()))
    assert getattr(record.event, "seat", None) == "p1"
    assert asked == (Asked("~0", "{}") if "asked" in payload else None)


NO_PAYLOADS = {
    "the event alone, as before": LEFT,
    "no event": f'{{"asked":{SAID}}}',
    "an event that is no object": '{"event":[]}',
    "a third key": f'{{"event":{LEFT},"more":1}}',
    "asked as null": f'{{"asked":null,"event":{LEFT}}}',
    "a third key in asked": f'{{"asked":{SAID[:-1]},"seen":1}},"event":{LEFT}}}',
    "no request": f'{{"asked":{{"body":"{{}}"}},"event":{LEFT}}}',
    "no body": f'{{"asked":{{"request":"~0"}},"event":{LEFT}}}',
    "a body that is no text": f'{{"asked":{{"request":"~0","body":{{}}}},"event":{LEFT}}}',
    "a key twice": f'{{"event":{LEFT},"event":{LEFT}}}',
    "a key twice in asked": f'{{"asked":{{"body":"{{}}",{SAID[1:]},"event":{LEFT}}}',
    "half of a pair": f'{{"asked":{SAID.replace("~", chr(92) + "ud800")},"event":{LEFT}}}',
    "a list": f"[{LEFT}]",
    "nothing": "",
    "a seat that cannot be": f'{{"event":{LEFT.replace("p1", "P 1")}}}',
    "an unknown event": '{"event":{"type":"seat-left/9","by":"p1","seat":"p1"}}',
}


@pytest.mark.parametrize("payload", NO_PAYLOADS.values(), ids=NO_PAYLOADS)
def test_a_payload_of_another_form_holds_no_event(payload: str) -> None:
    with pytest.raises((Malformed, Damaged)):
        event_of(sealed_raw(0, 0, payload.encode()))
