"""A command survives its bytes, its stored bytes keep their meaning, and a body is strict JSON."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from tests.engine.helpers.gone import GONE, OPENS, still_read
from urim.engine.core.commands import AnyCommand, Declare, EnterCharacter, Erase, Resolve
from urim.engine.core.limits import WORD
from urim.engine.core.parse import (
    COMMANDS,
    QUOTED,
    TAGS,
    UPCASTS,
    body_of,
    name_of,
    plain,
    read_command,
    read_logged,
    shown,
)
from urim.errors import Refused
from urim.events.asked import BODY
from urim.events.codec import Upcast
from urim.events.strict import DEPTH, MOST, ODD, plain_body, strict_body

GOLDEN = Path(__file__).with_name("golden")
SAMPLES = sorted(GOLDEN.glob("*.json"))


def sample_of(tag: str) -> Path:
    """Where the sample of a command is kept."""
    return GOLDEN / f"{tag.replace('/', '-')}.json"


def from_log(body: bytes, upcasts: Mapping[str, Upcast] = UPCASTS) -> AnyCommand:
    """The command of a body as the log holds it, as text."""
    try:
        text = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return read_command(body, upcasts)  # no JSON string has such a value
    return read_logged(text, upcasts)


READERS = (read_command, from_log)
"""Both ways to read a body: at the door, and from the log."""


# --- names, versions, samples ---------------------------------------------------------------------


def test_tags_name_the_command_and_its_version() -> None:
    for tag, command in COMMANDS.items():
        name, _, version = tag.partition("/")
        assert name_of(command) == name and int(version) >= 1
        assert TAGS[name] == tag
    assert not set(COMMANDS) & set(UPCASTS)


@pytest.mark.parametrize("tag", COMMANDS)
def test_every_command_has_a_golden_sample_with_every_field_set(tag: str) -> None:
    sample = sample_of(tag)
    assert sample.exists(), f"store one {tag} with every field set as {sample}"
    assert set(json.loads(sample.read_bytes())) == {"do", *COMMANDS[tag].__struct_fields__}


@pytest.mark.parametrize("sample", still_read(GOLDEN), ids=lambda sample: sample.stem)
def test_every_golden_sample_still_means_what_it_meant(sample: Path) -> None:
    stored = sample.read_bytes()
    tag = json.loads(stored)["do"]
    assert sample == sample_of(tag)
    command = read_command(stored)
    if tag in COMMANDS:
        assert type(command) is COMMANDS[tag]
        assert body_of(command) == stored
    else:
        assert tag in UPCASTS


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("tag", GONE)
def test_a_command_that_is_gone_is_refused_by_name(tag: str, read: Any) -> None:
    with pytest.raises(Refused, match=f"names no command: '{tag}'") as refused:
        read(sample_of(tag).read_bytes())
    assert (refused.value.code, refused.value.allowed[0]) == ("unknown", "open/2")


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("tag", OPENS)
def test_a_nonce_that_a_command_no_longer_opens_is_refused_and_all_else_is_read(
    tag: str, read: Any
) -> None:
    sample = json.loads(sample_of(tag).read_bytes())
    with pytest.raises(Refused, match=r"a nonce of .*/2") as refused:
        read(json.dumps(sample).encode())
    now = TAGS[tag.partition("/")[0]]
    assert (refused.value.code, refused.value.allowed) == ("unknown", (now,))
    del sample["nonce"]
    assert json.loads(body_of(read(json.dumps(sample).encode()))) == {**sample, "do": now}


def test_golden_samples_are_added_and_never_edited_or_removed() -> None:
    # `sha256sum *.json > SHA256SUMS` in their folder writes the list again, for additions alone.
    listed = (GOLDEN / "SHA256SUMS").read_text().splitlines()
    assert listed == [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in SAMPLES]


@pytest.mark.parametrize("tag", COMMANDS)
def test_fields_that_hold_their_default_are_not_written(tag: str) -> None:
    given = json.loads(sample_of(tag).read_bytes())
    needed = {field.encode_name for field in fields(COMMANDS[tag]) if field.required}
    least = {key: value for key, value in given.items() if key in {"do", *needed}}
    command = read_command(json.dumps(least).encode())
    assert list(json.loads(body_of(command))) == list(least)


# Made up: erase/0 called the entry `entry`; erase/00 gave it as text.
def erase_00(old: dict[str, Any]) -> dict[str, Any]:
    return {"do": "erase/0", "entry": int(old["entry"])}


def erase_0(old: dict[str, Any]) -> dict[str, Any]:
    return {"do": "erase/1", "seq": old["entry"]}


OLD = {"erase/00": erase_00, "erase/0": erase_0}


@pytest.mark.parametrize("body", [b'{"do":"erase/0","entry":7}', b'{"do":"erase/00","entry":"7"}'])
def test_an_old_version_is_brought_up_step_by_step(body: bytes) -> None:
    for read in READERS:
        assert read(body, OLD) == Erase(7)
        assert type(read(body, OLD)) is Erase
        assert read(b'{"do":"erase/1","seq":7}', OLD) == Erase(7)
        with pytest.raises(Refused, match="names no version known here") as refused:
            read(body, UPCASTS)
        assert (refused.value.code, refused.value.allowed) == ("unknown", ("erase/1",))


def test_an_old_version_is_read_as_strictly_and_its_bounds_are_checked() -> None:
    for read in READERS:
        with pytest.raises(Refused, match="entry"):
            read(b'{"do":"erase/0","entry":7.0}', OLD)
    with pytest.raises(Refused, match="seq is -1"):
        read_command(b'{"do":"erase/0","entry":-1}', OLD)
    assert from_log(b'{"do":"erase/0","entry":-1}', OLD) == Erase(-1)


# --- a strict body --------------------------------------------------------------------------------


def declared(value: str) -> bytes:
    """A declaration with some JSON in it, written as we write it."""
    text = f'{{"do":"declare/1","character":"c1","declaration":{{"a":{value}}}}}'
    return text.encode("utf-8", "surrogatepass")


def lists(depth: int) -> str:
    """Lists inside one another; the body and the declaration around them are two more."""
    return "[" * depth + "]" * depth


ERASE = b'{"do":"erase/1","seq":%b}'
NO_NUMBERS = "1.0", "1e3", "1E3", "1e-3", "1.5e0", "-0.0", "1e16", "0.0", f"{MOST}.0"

LOOSE: Mapping[str, tuple[bytes, str]] = {
    "a key twice": (b'{"do":"resolve/1","roll":1,"roll":2}', "the body: the key 'roll' is twice"),
    "a key twice, alike": (b'{"do":"resolve/1","roll":1,"roll":1}', "the key 'roll' is twice"),
    "the tag twice": (b'{"do":"void/1","do":"resolve/1","roll":1}', "the key 'do' is twice"),
    "a key twice at depth 2": (declared('1,"a":2'), "declaration: the key 'a' is twice"),
    "a key twice at depth 4": (
        declared('[{"b":1,"b":1}]'),
        "declaration.a[0]: the key 'b' is twice",
    ),
    "a key twice in two spellings": (declared('1,"\\u0061":2'), "the key 'a' is twice"),
    "the zero with a sign": (ERASE % b"-0", "seq: the number -0"),
    "the zero with a sign, inside": (declared("[1,-0]"), "declaration.a[1]: the number -0"),
    "2^53": (declared(f"{2**53}"), f"declaration.a: the number {2**53} is beyond"),
    "-2^53": (declared(f"{-(2**53)}"), f"declaration.a: the number {-(2**53)} is beyond"),
    "2^53 in a field": (ERASE % b"9007199254740992", "seq: the number 9007199254740992 is beyond"),
    "five thousand digits": (declared("9" * 5000), "declaration.a: the number 999"),
    **{f"the number {text}": (declared(text), f"a: the number {text}") for text in NO_NUMBERS},
    "1.0 in a field": (ERASE % b"1.0", "seq: the number 1.0 is whole, and has a fraction"),
    "a lone high surrogate": (declared('"\\ud83d"'), "declaration.a: half of a surrogate pair"),
    "a lone low surrogate": (declared('"x\\uDE00"'), "declaration.a: half of a surrogate pair"),
    "a lone surrogate in a key": (declared('{"\\ud83d":1}'), "declaration.a: half of a surrogate"),
    "a lone surrogate as bytes": (declared('"\ud83d"'), "not JSON in UTF-8"),
    "bytes that are no text": (declared('"x"').replace(b"x", b"\xff"), "not JSON in UTF-8"),
    "a byte order mark": (b"\xef\xbb\xbf" + ERASE % b"1", "a byte order mark"),
    "UTF-16": ((ERASE % b"1").decode().encode("utf-16"), "not JSON in UTF-8"),
    "depth 65": (declared(lists(DEPTH - 1)), "nested more than 64 deep"),
    "depth of thousands": (declared(lists(7_000)), "nested"),
    "NaN": (declared("NaN"), "NaN is no JSON"),
    "a byte behind it": (ERASE % b"1" + b"x", "not JSON in UTF-8: Extra data"),
    "another body behind it": (2 * (ERASE % b"1"), "not JSON in UTF-8: Extra data"),
    "a list of one": (b"[%b]" % (ERASE % b"1"), "not a JSON object"),
    "nothing": (b"", "not JSON in UTF-8"),
}


@pytest.mark.parametrize(("body", "says"), LOOSE.values(), ids=LOOSE)
def test_a_body_that_is_not_strict_is_refused_with_its_place(body: bytes, says: str) -> None:
    for read in READERS:
        with pytest.raises(Refused) as refused:
            read(body, UPCASTS)
        assert refused.value.code == "malformed"
        assert says in refused.value.why


UNKNOWN = {
    "an unknown command": b'{"do":"fly/1"}',
    "an unknown version": b'{"do":"resolve/2","roll":1}',
    "no version": b'{"do":"resolve","roll":1}',
    "no name": b'{"roll":1}',
    "a number for a name": b'{"do":1}',
    "an unknown field": b'{"do":"resolve/1","roll":1,"luck":7}',
    "a field of the old form": b'{"do":"dispute/1","roll":1,"reason":"why"}',
    "a missing field": b'{"do":"resolve/1"}',
    "a field of another type": b'{"do":"resolve/1","roll":"1"}',
    "a truth for a number": b'{"do":"resolve/1","roll":true}',
    "half a number": b'{"do":"resolve/1","roll":1.5}',
    "another choice": b'{"do":"fate/1","roll":1,"fate":"cursed"}',
    "a die of three parts": b'{"do":"adjust/1","roll":1,"hand":"h","means":"m","dice":[["d",1,2]]}',
}


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_no_command_is_refused_alike_by_the_door_and_by_the_log(body: bytes) -> None:
    refusals: list[tuple[str, str, tuple[str, ...]]] = []
    for read in READERS:
        with pytest.raises(Refused) as refused:
            read(body, UPCASTS)
        refusals.append((refused.value.code, refused.value.why, refused.value.allowed))
    assert refusals[0] == refusals[1]


_msgspec = msgspec.json.Decoder(AnyCommand)

ALONE = {
    *("a key twice", "a key twice, alike", "a key twice at depth 2"),
    *("a key twice at depth 4", "a key twice in two spellings", "the zero with a sign"),
    *("the zero with a sign, inside", "2^53", "-2^53", "2^53 in a field", "depth 65"),
    *(f"the number {text}" for text in NO_NUMBERS),
}
"""The cases that msgspec alone reads as a command; the strict pass is there for them."""


@pytest.mark.parametrize("name", LOOSE)
def test_what_msgspec_alone_would_read(name: str) -> None:
    try:
        _msgspec.decode(LOOSE[name][0])
    except (ValueError, RecursionError):
        assert name not in ALONE
    else:
        # From Python 3.12 on msgspec has room for thousands of brackets.
        assert name in ALONE or name == "depth of thousands"


STRICT = {
    "a blank here and there": b' { "do" : "resolve/1" ,\n"roll": 1 }\n',
    "another order": b'{"roll":1,"do":"resolve/1"}',
    "an escape": b'{"do":"\\u0072esolve\\/1","roll":1}',
    "the largest number": declared(f"[{MOST},{-MOST}]"),
    "a half": declared("[9.5,-0.5]"),
    "text like a number": declared('",1.0 [1e3 :9007199254740992"'),
    "a whole pair": declared('"\\ud83d\\ude00"'),
    "depth 64": declared(lists(DEPTH - 2)),
    "a default": b'{"do":"declare/1","character":"c1","declaration":{},"visibility":"public"}',
}


@pytest.mark.parametrize("body", STRICT.values(), ids=STRICT)
def test_a_strict_body_may_be_written_otherwise_than_ours(body: bytes) -> None:
    for read in READERS:
        assert read(body, UPCASTS) == _msgspec.decode(body)


@pytest.mark.parametrize("more", [0, 1])
def test_a_body_has_16_kib_at_most(more: int) -> None:
    room = BODY - len(declared("[]")) + more
    words = ["x" * WORD] * (room // (WORD + 3))
    words.append("x" * (room - len(words) * (WORD + 3) - 2))
    body = declared(json.dumps(words, separators=(",", ":")))
    assert len(body) == BODY + more
    if more:
        with pytest.raises(Refused, match=f"{BODY + 1} bytes") as refused:
            read_command(body)
        assert (refused.value.code, refused.value.allowed) == ("too-long", (f"at most {BODY}",))
        with pytest.raises(Refused, match=f"{BODY + 1} bytes"):
            body_of(_msgspec.decode(body))
    else:
        assert body_of(read_command(body)) == body


# --- the short way --------------------------------------------------------------------------------


CURRENT = [each for each in SAMPLES if json.loads(each.read_bytes())["do"] in COMMANDS]
"""Samples of what is written now."""


@pytest.mark.parametrize("sample", CURRENT, ids=lambda sample: sample.stem)
def test_what_we_write_is_read_once(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = sample.read_bytes()
    monkeypatch.setattr("urim.engine.core.parse.strict_body", None)
    if ODD.search(stored):
        with pytest.raises(TypeError):
            read_command(stored)
    else:
        read_command(stored)


NUMBERS = st.integers() | st.floats(allow_nan=False) | st.sampled_from([-0.0, 1e16, 2.0**53, 0.5])
VALUES = st.recursive(
    NUMBERS | st.text(max_size=3) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=2), VALUES, max_size=3))
def test_the_short_way_passes_nothing_that_the_long_way_refuses(found: dict[str, Any]) -> None:
    for text in (json.dumps(found), json.dumps(found, separators=(",", ":"), ensure_ascii=False)):
        try:
            body = text.encode()
            again = msgspec.json.encode(msgspec.json.decode(body))
        except ValueError:
            continue  # infinity, and what is no UTF-8
        if plain_body(body, again):
            assert strict_body(body) == found


@pytest.mark.parametrize("length", [0, 1, QUOTED - 3, QUOTED - 2])
def test_what_fits_is_quoted_whole(length: int) -> None:
    assert shown("x" * length) == repr("x" * length)


@pytest.mark.parametrize("length", [QUOTED - 1, QUOTED, 10_000])
def test_what_is_quoted_is_cut_to_80_characters(length: int) -> None:
    assert shown("x" * length) == f"'{'x' * 76}..."
    assert len(shown("x" * length)) == QUOTED == 80


@pytest.mark.parametrize("wrap", [list, tuple, dict], ids=["lists", "tuples", "objects"])
def test_what_json_carries_is_nested_64_deep_at_most(wrap: type) -> None:
    def nested(depth: int) -> Any:
        found: Any = 7
        for _ in range(depth):
            found = {"a": found} if wrap is dict else wrap((found,))
        return found

    plain(nested(DEPTH), "declaration")
    for depth in (DEPTH + 1, DEPTH + 2, 5_000):
        with pytest.raises(Refused, match="declaration is nested more than 64 deep") as refused:
            plain(nested(depth), "declaration")
        assert refused.value.code == "malformed"


def test_what_json_has_no_value_for_is_named_by_its_place() -> None:
    plain({"a": [1, (2.5, None), {"b": "text"}, True]}, "declaration")
    for value, place in [
        (b"bytes", "declaration"),
        ({"a": [0, {"b": {1}}]}, "declaration.a[1].b"),
        ([0, [float("nan")]], "declaration[1][0]"),
        ({"a": {7: 0}}, "a key of declaration.a"),
    ]:
        with pytest.raises(Refused) as refused:
            plain(value, "declaration")
        assert refused.value.why.startswith(f"{place} is ")


def test_a_wrong_value_and_a_wrong_key_are_named_as_what_they_are() -> None:
    """A key that is not of its form is no value; both are named with their places."""
    entering = b'{"do":"enter/1","character":"c1","seat":"p1","attributes":%b}'
    for attributes, why in [
        (b'{"BLE":"x"}', "attributes[...] is {'BLE': 'x'}: of another type"),
        (b'{"%b":3}' % (b"B" * 200), "a key of attributes is {'BBBB"),
    ]:
        with pytest.raises(Refused) as refused:
            read_command(entering % attributes)
        assert refused.value.why.startswith(why), refused.value.why


def test_whole_numbers_of_python_are_written_whole() -> None:
    declaration = {"a": 12.0, "b": [-0.0, 9.5, {"c": 3.0}], "d": "1.0 :1.0"}
    body = body_of(Declare("c1", declaration))
    assert body.endswith(b'{"a":12,"b":[0,9.5,{"c":3}],"d":"1.0 :1.0"}}')
    assert read_command(body) == Declare("c1", declaration)


def test_bytes_of_our_own_are_what_a_body_must_be() -> None:
    assert body_of(Resolve(3)) == b'{"do":"resolve/1","roll":3}'
    entering = EnterCharacter("c1", "p1", {"BLE": 3})
    assert (
        body_of(entering) == b'{"do":"enter/1","character":"c1","seat":"p1","attributes":{"BLE":3}}'
    )


@pytest.mark.parametrize(
    ("body", "place", "allowed"),
    [
        (
            b'{"do":"declare/1","character":"c1","declaration":{},"visibility":"secret"}',
            "visibility is 'secret'",
            ("public", "gm", "blind", "self"),
        ),
        (
            b'{"do":"rule/3","roll":1,"dispute":2,"ruling":"guilty"}',
            "ruling is 'guilty'",
            ("stands", "amend", "void", "replay"),
        ),
    ],
)
def test_a_value_of_no_list_is_refused_with_the_list(
    body: bytes, place: str, allowed: tuple[str, ...]
) -> None:
    with pytest.raises(Refused) as refused:
        read_command(body)
    assert refused.value.why == f"{place}: not one of its values"
    assert refused.value.allowed == allowed
