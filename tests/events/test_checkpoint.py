"""Notes are read in one exact form, and only when a key that counts has signed them."""

import hashlib
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from urim.errors import Damaged
from urim.events.checkpoint import Checkpoint, key_id, public_key, read, read_key, sign

PRIVATE = bytes(range(32))
OTHER = bytes(range(1, 33))
ORIGIN = "urim.example/t/t0000001"
ROOT = hashlib.sha256(b"root").digest()
HEAD = Checkpoint(ORIGIN, 37, ROOT)
KEY = public_key(ORIGIN, PRIVATE)
NOTE = sign(HEAD, PRIVATE)
TEXT, _, SIGNATURE = NOTE.decode().rpartition("\n\n")


def signed(text: str, private: bytes = PRIVATE, name: str = ORIGIN) -> bytes:
    """A note over any text, however wrong as a checkpoint."""
    key = Ed25519PrivateKey.from_private_bytes(private)
    id = key_id(name, key.public_key().public_bytes_raw())
    line = b64encode(id + key.sign(text.encode())).decode()
    return f"{text}\n— {name} {line}\n".encode()


def with_root(root: str, size: str = "37", origin: str = ORIGIN) -> bytes:
    return signed(f"{origin}\n{size}\n{root}\n")


def test_what_was_signed_is_read_back() -> None:
    assert read(NOTE, [KEY]) == HEAD


def test_a_note_has_the_standard_form_to_the_byte() -> None:
    assert NOTE.decode() == f"{TEXT}\n\n{SIGNATURE}"
    assert f"{TEXT}\n" == f"{ORIGIN}\n37\n{b64encode(ROOT).decode()}\n"
    assert SIGNATURE.startswith(f"— {ORIGIN} ") and SIGNATURE.endswith("=\n")
    assert signed(f"{TEXT}\n") == NOTE


def test_the_same_head_gives_the_same_note() -> None:
    assert sign(HEAD, PRIVATE) == NOTE
    assert sign(HEAD, OTHER) != NOTE


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1).filter(
        lambda name: "+" not in name
    ),
    st.integers(0, 2**63 - 1),
    st.binary(min_size=32, max_size=32),
    st.binary(min_size=32, max_size=32),
)
def test_every_head_of_every_log_survives_its_note(
    origin: str, size: int, root: bytes, private: bytes
) -> None:
    head = Checkpoint(origin, size, root)
    key = public_key(origin, private)
    assert read(sign(head, private), [key]) == head
    assert read_key(key.vkey) == key


@given(st.integers(0, len(NOTE) - 1), st.integers(0, 7))
def test_no_bit_of_a_note_can_be_flipped(place: int, bit: int) -> None:
    flipped = bytearray(NOTE)
    flipped[place] ^= 1 << bit
    with pytest.raises(Damaged):
        read(bytes(flipped), [KEY])


@given(st.integers(0, len(NOTE) - 1))
def test_no_note_can_be_cut_short(length: int) -> None:
    with pytest.raises(Damaged):
        read(NOTE[:length], [KEY])


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_damaged_and_nothing_else(note: bytes) -> None:
    with pytest.raises(Damaged):
        read(note, [KEY])


# What is signed correctly and still no checkpoint of the strict form.
BODIES = {
    "no root": f"{ORIGIN}\n37\n",
    "an extension line": f"{TEXT}\nmore\n",
    "an empty line at the end": f"{TEXT}\n\n",
    "an empty line at the start": f"\n{TEXT}\n",
    "an empty origin": f"\n37\n{b64encode(ROOT).decode()}\n",
    "a space in the origin": f"urim x\n37\n{b64encode(ROOT).decode()}\n",
    "no-break space in the origin": f"urim\u00a0x\n37\n{b64encode(ROOT).decode()}\n",
    "a plus in the origin": f"urim+x\n37\n{b64encode(ROOT).decode()}\n",
    "a carriage return": f"{ORIGIN}\r\n37\n{b64encode(ROOT).decode()}\n",
    "a tab": f"{ORIGIN}\t\n37\n{b64encode(ROOT).decode()}\n",
    "a NUL": f"{ORIGIN}\0\n37\n{b64encode(ROOT).decode()}\n",
}
SIZES = [
    "",
    "037",
    "00",
    "+37",
    "-1",
    "0x25",
    "37 ",
    " 37",
    "3_7",
    "٣٧",
    "9223372036854775808",
    "9" * 5000,
    "37.0",
    "1e3",
]
ROOTS = {
    "too short": b64encode(ROOT[:31]).decode(),
    "too long": b64encode(ROOT + b"x").decode(),
    "empty": "",
    "unpadded": b64encode(ROOT).decode().rstrip("="),
    "stray bits": b64encode(ROOT).decode()[:-2] + "J=",
    "url-safe": b64encode(b"\xff" * 32).decode().replace("/", "_"),
    "a space": " " + b64encode(ROOT).decode(),
    "not ASCII": "é" * 44,
    "hex": ROOT.hex(),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_of_another_form_is_refused_though_signed(body: str) -> None:
    with pytest.raises(Damaged):
        read(signed(body), [KEY])


@pytest.mark.parametrize("size", SIZES)
def test_a_size_of_another_form_is_refused_though_signed(size: str) -> None:
    with pytest.raises(Damaged, match="not the size of a tree"):
        read(with_root(b64encode(ROOT).decode(), size), [KEY])


@pytest.mark.parametrize("root", ROOTS.values(), ids=ROOTS)
def test_a_root_of_another_form_is_refused_though_signed(root: str) -> None:
    assert root != b64encode(ROOT).decode()
    with pytest.raises(Damaged, match="root"):
        read(with_root(root), [KEY])


@pytest.mark.parametrize("end", [b"\0", b"\x0f"])
def test_base64_of_another_form_is_refused_on_either_side_of_the_canonical(end: bytes) -> None:
    right = b64encode(ROOT[:31] + end).decode()
    # The last digit before the padding has two bits to spare: `A` for 0, `8` for 15.
    stray = right[:-2] + {"A": "B=", "8": "+="}[right[-2]]
    assert (stray > right) == (end == b"\0")
    assert read(with_root(right), [KEY]).root == ROOT[:31] + end
    with pytest.raises(Damaged, match="canonical"):
        read(with_root(stray), [KEY])


LONG = "x" * 300
SHOWN: dict[str, tuple[bytes, str]] = {
    "an origin": (with_root(b64encode(ROOT).decode(), "37", f" {LONG}"), repr(f" {LONG[:199]}")),
    "a size": (with_root(b64encode(ROOT).decode(), LONG), repr(LONG[:40])),
    "a root": (with_root(LONG[1:]), repr(LONG[:200])),
    "a root of another form": (with_root("A" * 298 + "B="), repr("A" * 200)),
    "a line": (f"{TEXT}\n\n{LONG}\n".encode(), repr(LONG[:200])),
}


@pytest.mark.parametrize(("note", "shown"), SHOWN.values(), ids=SHOWN)
def test_a_refusal_shows_no_more_of_a_long_value(note: bytes, shown: str) -> None:
    with pytest.raises(Damaged) as damage:
        read(note, [KEY])
    assert str(damage.value).endswith(f": {shown}")


@pytest.mark.parametrize("size", [0, 1, 10, 2**63 - 1])
def test_sizes_from_nothing_to_the_largest_are_read(size: int) -> None:
    assert read(with_root(b64encode(ROOT).decode(), str(size)), [KEY]).size == size


LINES = {
    "a hyphen for the dash": SIGNATURE.replace("—", "-"),
    "no space": SIGNATURE.replace("— ", "—"),
    "two spaces": SIGNATURE.replace("— ", "—  "),
    "no name": SIGNATURE.replace(ORIGIN, ""),
    "a plus in the name": SIGNATURE.replace(ORIGIN, "a+b"),
    "something after the signature": SIGNATURE.replace("=\n", "= x\n"),
    "no padding": SIGNATURE.replace("=", ""),
    "no newline": SIGNATURE.removesuffix("\n"),
    "a second newline": SIGNATURE + "\n",
    "something for the newline": SIGNATURE.replace("=\n", "=x"),
    "less than a key id": f"{SIGNATURE}— stranger.example {b64encode(KEY.id[:3]).decode()}\n",
    "key id alone": f"{SIGNATURE}— stranger.example {b64encode(KEY.id).decode()}\n",
    "a control character": f"{SIGNATURE}— stranger\a {b64encode(bytes(70)).decode()}\n",
    "a carriage return": SIGNATURE.replace("\n", "\r\n"),
    "nothing": "",
    "an empty line": "\n",
    "text": "signed by me\n",
    "a broken line after a good one": f"{SIGNATURE}— x y\n",
    "a broken line before a good one": f"— x y\n{SIGNATURE}",
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_a_signature_line_of_another_form_is_refused(lines: str) -> None:
    with pytest.raises(Damaged):
        read(f"{TEXT}\n\n{lines}".encode(), [KEY])


def test_the_text_ends_at_the_last_blank_line() -> None:
    inner = f"{TEXT}\n\n— {ORIGIN} AAAA\n"
    with pytest.raises(Damaged, match="5 lines"):
        read(signed(inner), [KEY])


def test_signatures_by_unknown_keys_are_passed_over() -> None:
    strangers = [
        f"— {name} {b64encode(id + b'any algorithm').decode()}\n"
        for name, id in [
            (ORIGIN, b"\0\0\0\0"),  # the same name under another id
            ("witness.example", KEY.id),  # the same id under another name
            ("свидетель.example", b"\1\2\3\4"),
        ]
    ]
    note = f"{TEXT}\n\n{strangers[0]}{SIGNATURE}{''.join(strangers[1:])}".encode()
    assert read(note, [KEY]) == HEAD


def test_a_known_key_whose_signature_fails_rejects_the_note_even_beside_a_good_one() -> None:
    forged = f"— {ORIGIN} {b64encode(KEY.id + bytes(64)).decode()}\n"
    short = f"— {ORIGIN} {b64encode(KEY.id + b'x').decode()}\n"
    for bad in (forged, short):
        for lines in (bad, SIGNATURE + bad, bad + SIGNATURE):
            with pytest.raises(Damaged, match="does not fit"):
                read(f"{TEXT}\n\n{lines}".encode(), [KEY])


def test_a_note_that_no_given_key_has_signed_is_refused() -> None:
    for keys in ([], [public_key(ORIGIN, OTHER)], [public_key("urim.example", PRIVATE)]):
        with pytest.raises(Damaged, match="no key that is trusted"):
            read(NOTE, keys)


def test_a_key_vouches_only_for_the_log_that_it_is_named_after() -> None:
    elsewhere = signed(f"{TEXT}\n", PRIVATE, "urim.example/t/another1")
    with pytest.raises(Damaged, match="no key that is trusted"):
        read(elsewhere, [public_key("urim.example/t/another1", PRIVATE)])


def test_two_keys_under_one_name_may_both_be_trusted() -> None:
    keys = [KEY, public_key(ORIGIN, OTHER)]
    assert read(NOTE, keys) == read(sign(HEAD, OTHER), keys) == HEAD
    both = NOTE + sign(HEAD, OTHER).decode().rpartition("\n\n")[2].encode()
    assert read(both, keys) == HEAD


def test_notes_are_bounded_in_lines_and_bytes() -> None:
    stranger = f"— x {b64encode(bytes(70)).decode()}\n"
    assert read(NOTE + (stranger * 63).encode(), [KEY]) == HEAD
    with pytest.raises(Damaged, match="65 signature lines"):
        read(NOTE + (stranger * 64).encode(), [KEY])
    room = 65536 - len(NOTE) - len("— xxx \n".encode())
    fitting = b64encode(bytes(room // 4 * 3)).decode()
    exact = NOTE + f"— {'x' * (3 + room % 4)} {fitting}\n".encode()
    assert len(exact) == 65536
    assert read(exact, [KEY]) == HEAD
    with pytest.raises(Damaged, match="65537 bytes"):
        read(exact + b"x", [KEY])
