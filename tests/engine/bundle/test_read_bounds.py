"""Every bound of a bundle's form: what is just within is read, what is just beyond is not."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from tests.engine.helpers.bundle_lines import changed, why_not
from tests.engine.helpers.bundles import KEY, bundle, honest
from tests.sealing import sealed_raw
from urim.engine.bundle.read import Bundle, event_of
from urim.errors import Refused
from urim.events.strict import DEPTH, Malformed, strict_body, strict_object

WHOLE = bundle(honest())
ROLL = bundle(honest(), roll=1)

LINE = 1_048_576
MOST = 9_007_199_254_740_991


def read(file: bytes) -> Bundle:
    """A bundle, read to its end."""
    found = Bundle(BytesIO(file))
    for _ in found:
        pass
    return found


def of_length(length: int) -> bytes:
    """The bundle with a first line of so many bytes, its end included."""
    first, rest = WHOLE.split(b"\n", 1)
    return first[:-1] + b" " * (length - len(first) - 1) + b"}\n" + rest


def at_time(at: int) -> bytes:
    return changed(WHOLE, 1, at=at)


def at_place(seq: int) -> bytes:
    return changed(WHOLE, 1, seq=seq)


def of_commit(commit: int) -> bytes:
    return changed(WHOLE, 1, commit=commit)


def of_size(size: int) -> bytes:
    return changed(WHOLE, 0, size=size)


def of_roll(roll: int) -> bytes:
    return changed(ROLL, 0, roll=roll)


def with_keys(count: int) -> bytes:
    return changed(WHOLE, 0, keys=[KEY.vkey] * count)


def with_option(value: int) -> bytes:
    return WHOLE.replace(b'"options":{', b'"options":{"a":%d,' % value, 1)


BOUNDS: list[tuple[Callable[[int], bytes], int, int | None]] = [
    (of_length, 1_000, LINE),
    (at_time, 0, MOST),
    (at_place, 0, MOST),
    (of_commit, 0, MOST),
    (of_size, 0, MOST),
    (of_roll, 1, MOST),
    (with_keys, 1, 64),
    (with_option, -MOST, MOST),
]


@pytest.mark.parametrize(
    ("made", "least", "most"), BOUNDS, ids=[made.__name__ for made, _, _ in BOUNDS]
)
def test_what_lies_within_is_read_and_what_lies_beyond_is_not(
    made: Callable[[int], bytes], least: int, most: int
) -> None:
    for within in (least, least + 1, most - 1, most):
        read(made(within))
    beyond = [most + 1] if made is of_length else [least - 1, most + 1]
    for value in beyond:
        assert "line " in why_not(made(value))


def test_what_was_read_cannot_be_changed() -> None:
    found = Bundle(BytesIO(ROLL))
    line = next(iter(found))
    for value, name in ((found.header, "size"), (line, "proof")):
        with pytest.raises(AttributeError):
            setattr(value, name, 0)
    assert len({line, line}) == 1


# --- the words of a refusal -----------------------------------------------------------------------

X = "x" * 100

END = ROLL.count(b"\n") - 1

WHY: dict[str, tuple[bytes, str]] = {
    "a long line": (of_length(LINE + 1), f"line 1: more than {LINE} bytes"),
    "no end of line": (WHOLE[:-1], "line 53: the line has no end: the file is cut off"),
    "a number of 18 digits": (
        with_option(10**17),
        f"line 1: the number {10**17} is beyond {MOST} either way",
    ),
    "a number of 60 digits": (
        with_option(int("9" * 60)),
        f"line 1: the number {'9' * 40} is beyond {MOST} either way",
    ),
    "a long number with an exponent": (
        WHOLE.replace(b'"options":{', b'"options":{"a":1e' + b"9" * 60 + b",", 1),
        f"line 1: the number 1e{'9' * 38} is beyond all bounds",
    ),
    "the third key of three twice": (
        WHOLE.replace(b'"options":{', b'"options":{"x":{"a":1,"b":2,"c":3,"c":4},', 1),
        "line 1: the key 'c' is twice in one object",
    ),
    "three keys missing": (
        changed(WHOLE, 0, origin=None, checkpoint=None, size=None),
        "line 1: the key 'checkpoint' is missing",
    ),
    "three keys too many": (
        changed(WHOLE, 1, zeta=1, eta=1, theta=1),
        "line 2: the key 'eta' is not one of at, class, commit, digest, payload, salt, seq",
    ),
    "a key too many, and another missing": (
        changed(WHOLE, 0, size=None, zeta=1),
        "line 1: the key 'size' is missing",
    ),
    "an older format": (
        changed(WHOLE, 0, format="urim-bundle/1"),
        "line 1: its format is urim-bundle/1, older than urim-bundle/2, and read no more",
    ),
    "an older format with keys of its own": (
        changed(WHOLE, 0, format="urim-bundle/1", origin=None, zeta=1),
        "line 1: its format is urim-bundle/1, older than urim-bundle/2, and read no more",
    ),
    "a strange format": (
        changed(WHOLE, 0, format="urim-bundle/0"),
        "line 1: `format` is 'urim-bundle/0', not 'urim-bundle/3'",
    ),
    "a strange class": (
        changed(WHOLE, 1, **{"class": "note"}),
        "line 2: the class is 'note', not one of open, hidden, text, hidden-text",
    ),
    "a class as a list": (
        changed(WHOLE, 1, **{"class": []}),
        "line 2: the class is [], not one of open, hidden, text, hidden-text",
    ),
    "keys as a short text": (
        changed(WHOLE, 0, keys=X[:5]),
        "line 1: `keys` is 'xxxxx', not a list of 1 to 64 keys",
    ),
    "a key as a number": (changed(WHOLE, 0, keys=[7]), "line 1: `keys` is 7, not text"),
    "a digest as a number": (
        changed(WHOLE, 1, digest=7),
        "line 2: `digest` is 7, not 64 hex digits in lower case",
    ),
    "a proof as a number": (
        changed(ROLL, END, proof=7),
        f"line {END + 1}: `proof` is 7, not a list",
    ),
    "a size as a text": (
        changed(WHOLE, 0, size="51"),
        f"line 1: `size` is '51', not a number from 0 to {MOST}",
    ),
    "a value of 80 characters": (
        changed(WHOLE, 0, origin=[X[:76]]),
        f"line 1: `origin` is ['{X[:76]}'], not text",
    ),
    "a value of 81 characters": (
        changed(WHOLE, 0, origin=[X[:77]]),
        f"line 1: `origin` is ['{X[:77]}'..., not text",
    ),
    "a value of 90 characters": (
        changed(WHOLE, 0, origin=[X[:86]]),
        f"line 1: `origin` is ['{X[:78]}..., not text",
    ),
    "too small a count": (
        WHOLE.replace(b'"count":51', b'"count":50'),
        "line 53: `count` is 50, not 51",
    ),
    "too large a count": (
        WHOLE.replace(b'"count":51', b'"count":52'),
        "line 53: `count` is 52, not 51",
    ),
    "a line behind the end": (WHOLE + b"\n", "line 53: there is something behind the end line"),
    "no end line": (
        b"".join(WHOLE.splitlines(keepends=True)[:-1]),
        "line 53: the end line is missing: the file is cut off",
    ),
}


@pytest.mark.parametrize(("file", "why"), WHY.values(), ids=WHY)
def test_a_refusal_names_the_line_and_the_first_fault(file: bytes, why: str) -> None:
    assert why_not(file) == f"no bundle: {why}"


class Torn(BytesIO):
    """A file on a disk that fails after the first line, in one way or another."""

    fault = OSError()
    asked = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size == LINE + 1
        self.asked += 1
        if self.asked > 1:
            raise self.fault
        return super().readline(size)


@pytest.mark.parametrize(
    ("fault", "why"), [(OSError(5, "it broke"), "it broke"), (OSError("it is gone"), "it is gone")]
)
def test_a_disk_that_fails_is_said_to(fault: OSError, why: str) -> None:
    torn = Torn(WHOLE)
    torn.fault = fault
    with pytest.raises(Refused) as refused:
        list(Bundle(torn))
    assert (refused.value.code, refused.value.why) == ("unreadable", f"no bundle: line 2: {why}")


def test_an_empty_file_is_refused_with_what_was_expected() -> None:
    with pytest.raises(Refused) as refused:
        Bundle(BytesIO(b""))
    assert refused.value.allowed == ("a bundle",)


def test_no_more_than_a_byte_is_asked_for_behind_the_end() -> None:
    class Counting(BytesIO):
        asked: list[int | None]

        def read(self, size: int | None = -1, /) -> bytes:
            self.asked.append(size)
            return super().read(size)

    stream = Counting(WHOLE)
    stream.asked = []
    assert len(list(Bundle(stream))) == 51
    assert stream.asked == [1]


# --- JSON -----------------------------------------------------------------------------------------

JSON: list[tuple[str, Any]] = [
    (f'{{"a":{MOST},"b":{-MOST}}}', {"a": MOST, "b": -MOST}),
    ('{"a":1.5e3,"b":true}', {"a": 1500.0, "b": True}),
    ('{"a":"\\\\ud800"}', {"a": "\\ud800"}),
    ('{"a":"\\u00e9"}', {"a": "é"}),
]


@pytest.mark.parametrize(("text", "found"), JSON)
def test_json_is_read_as_everybody_reads_it(text: str, found: Any) -> None:
    assert strict_object(text.encode()) == found == json.loads(text)


@pytest.mark.parametrize("number", [MOST + 1, -MOST - 1, 10**17, -(10**17), 10**30])
def test_a_whole_number_beyond_what_all_readers_hold_is_refused(number: int) -> None:
    with pytest.raises(Malformed, match="beyond"):
        strict_object(f'{{"a":{number}}}'.encode())


@pytest.mark.parametrize(
    ("depth", "beside"), [(DEPTH, 0), (DEPTH, 9), (DEPTH + 1, 0), (DEPTH + 1, 9)]
)
def test_what_is_nested_deeper_than_all_readers_read_is_refused(depth: int, beside: int) -> None:
    inside = depth - 1  # the object itself is one
    text = f'{{"a":{"[" * inside}{"]" * inside},"b":[{",".join(["[]"] * beside)}]}}'.encode()
    if depth <= DEPTH:
        assert list(strict_object(text)) == ["a", "b"]
        return
    with pytest.raises(Malformed, match=f"nested more than {DEPTH} deep"):
        strict_object(text)


def test_the_place_of_a_fault_is_shown_as_far_as_80_characters() -> None:
    key = "k" * 30
    with pytest.raises(Malformed) as error:
        strict_body(f'{{"{key}":{{"{key}":{{"{key}":1.0}}}}}}'.encode())
    place, _, _ = str(error.value).partition(": ")
    assert place == f"{f'{key}.{key}.{key}'[:80]}..."


def test_the_name_of_what_is_no_event_is_shown_as_far_as_80_characters() -> None:
    payload = b'{"event":{"type":"%b"}}' % (b"x" * 90)
    entry = sealed_raw(0, 0, payload)
    with pytest.raises(Malformed) as error:
        event_of(entry)
    assert str(error.value) == f"no event is called {'x' * 80!r}"
