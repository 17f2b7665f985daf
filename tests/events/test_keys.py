"""Keys that fit many messages are refused, and a signature is good by one rule alone."""

from base64 import b64encode
from itertools import product

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from tests.events import curve
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, Key, formed_key, read, read_key
from urim.events.keys import SMALL, checked_key, checked_signature, verifies, weakness

B = curve.base()
SMALL_POINTS = curve.small()
SMALL_KEYS = [key for point in SMALL_POINTS for key in curve.encodings(point)]
UNREDUCED = [
    (y | sign << 255).to_bytes(32, "little") for y in range(curve.P, 1 << 255) for sign in (0, 1)
]
PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = PRIVATE.public_key().public_bytes_raw()
MESSAGE = b"urim/1 asked\n"
ORIGIN = "urim.example/t/t0000001"


def text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def openssl(key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def made(a: int, torsion: curve.Point, r: int, beside: curve.Point, message: bytes) -> list[bytes]:
    """Key and signature of a signer whose key and R have a part of small order."""
    key = curve.encoded(curve.add(curve.times(a, B), torsion))
    start = curve.encoded(curve.add(curve.times(r, B), beside))
    s = (r + curve.challenge(start, key, message) * a) % curve.L
    return [key, start + s.to_bytes(32, "little")]


# --- keys -----------------------------------------------------------------------------------------


def test_the_keys_of_small_order_are_the_fourteen_that_the_curve_has() -> None:
    assert len(set(SMALL_KEYS)) == 14
    assert {point[1] for point in SMALL_POINTS} == SMALL


@pytest.mark.parametrize("key", [*SMALL_KEYS, *UNREDUCED], ids=bytes.hex)
def test_a_key_that_nobody_may_have_is_refused(key: bytes) -> None:
    with pytest.raises(Refused, match="cannot be used") as refusal:
        checked_key(text(key))
    assert refusal.value.code == "malformed"
    assert text(key) in str(refusal.value)
    vkey = Key(ORIGIN, key).vkey
    with pytest.raises(Damaged, match="cannot be used"):
        read_key(vkey)
    assert formed_key(vkey).public == key


def test_the_largest_y_below_p_and_the_smallest_beyond_the_list_may_be_had() -> None:
    for y in (2, curve.P - 2):
        assert weakness(y.to_bytes(32, "little")) is None
        assert weakness((y | 1 << 255).to_bytes(32, "little")) is None


def test_an_honest_key_is_read_from_its_base64() -> None:
    assert checked_key(text(PUBLIC)) == PUBLIC


FORMS = {
    "empty": "",
    "short": text(PUBLIC[:31]),
    "long": text(PUBLIC + b"\0"),
    "no padding": text(PUBLIC).rstrip("="),
    "more padding": text(PUBLIC) + "=",
    "a newline": text(PUBLIC) + "\n",
    "a space": " " + text(PUBLIC),
    "of URLs": "-_" + text(PUBLIC)[2:],
    "unused bits": text(bytes(31) + b"\x02").replace("AI=", "AJ="),
    "hex": PUBLIC.hex(),
    "no ASCII": "é" + text(PUBLIC)[1:],
    "half a pair": "\ud800" + text(PUBLIC)[1:],
}


@pytest.mark.parametrize("given", FORMS.values(), ids=FORMS)
def test_a_key_or_signature_of_another_form_is_refused(given: str) -> None:
    for read_it in (checked_key, checked_signature):
        with pytest.raises(Refused, match="not of its form") as refusal:
            read_it(given)
        assert refusal.value.code == "malformed"


def test_a_refusal_shows_no_more_of_a_long_key() -> None:
    with pytest.raises(Refused) as refusal:
        checked_key("x" * 5_000)
    assert len(str(refusal.value)) < 400


# --- signatures -----------------------------------------------------------------------------------


@given(st.binary(max_size=200), st.binary(min_size=32, max_size=32))
def test_what_an_honest_key_signed_is_good(message: bytes, private: bytes) -> None:
    signer = Ed25519PrivateKey.from_private_bytes(private)
    key, signature = signer.public_key().public_bytes_raw(), signer.sign(message)
    assert verifies(key, signature, message)
    assert not verifies(key, signature, message + b"\n")


def test_a_constant_signature_is_good_under_a_small_key_for_others_and_never_here() -> None:
    fooled = 0
    for key, start in product(SMALL_KEYS, SMALL_KEYS):
        signature = start + bytes(32)
        for message in (b"one log", b"another"):
            fooled += openssl(key, signature, message)
            assert not verifies(key, signature, message)
    assert fooled > 0


@pytest.mark.slow
def test_parts_of_small_order_must_cancel_out_without_the_cofactor() -> None:
    found = set[bool]()
    for i, j in product(range(8), range(8)):
        message = b"%d %d" % (i, j)
        key, signature = made(11, SMALL_POINTS[i], 13, SMALL_POINTS[j], message)
        # 8 times both sides would be equal for each of them.
        expected = curve.good(key, signature, message)
        assert verifies(key, signature, message) is expected, (i, j)
        found.add(expected)
    assert found == {True, False}


def test_s_is_below_l() -> None:
    signature = PRIVATE.sign(MESSAGE)
    s = int.from_bytes(signature[32:], "little")
    assert verifies(PUBLIC, signature, MESSAGE)
    for more in range(1, 16):
        larger = s + more * curve.L
        if larger < 1 << 256:
            again = signature[:32] + larger.to_bytes(32, "little")
            assert not verifies(PUBLIC, again, MESSAGE), more


def test_r_is_compared_byte_for_byte() -> None:
    a = 17
    key = curve.encoded(curve.times(a, B))
    taken = 0
    for point in SMALL_POINTS:
        for start in curve.encodings(point):
            k = curve.challenge(start, key, MESSAGE)
            signature = start + (k * a % curve.L).to_bytes(32, "little")
            # [S]B - [k]A is the point of order 1: only its own encoding equals R.
            good = start == curve.encoded(curve.ONE)
            assert verifies(key, signature, MESSAGE) is good
            taken += good
    assert taken == 1


@pytest.mark.parametrize("length", [0, 31, 32, 63, 65, 128])
def test_a_signature_or_key_of_another_length_is_not_good(length: int) -> None:
    signature = PRIVATE.sign(MESSAGE)
    assert not verifies(PUBLIC, (signature + signature)[:length], MESSAGE)
    if length != len(PUBLIC):
        assert not verifies((PUBLIC + PUBLIC + PUBLIC * 2)[:length], signature, MESSAGE)


def test_a_key_off_the_curve_signs_nothing() -> None:
    y = next(y for y in range(2, 100) if curve.at(y) is None)
    assert not verifies(y.to_bytes(32, "little"), PRIVATE.sign(MESSAGE), MESSAGE)


def test_a_checkpoint_under_a_small_key_is_not_read() -> None:
    head = Checkpoint(ORIGIN, 3, bytes(32))
    for public in SMALL_KEYS:
        key = Key(ORIGIN, public)
        for start in SMALL_KEYS:
            body = text(key.id + start + bytes(32))
            with pytest.raises(Damaged, match="does not fit"):
                read(head.text + f"\n— {ORIGIN} {body}\n".encode(), [key])
