"""Keys have the one form of C2SP signed-note, and what no note can carry is refused."""

import hashlib
from base64 import b64encode

import pytest

from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint, Key, key_id, public_key, read_key, sign

PRIVATE = bytes(range(32))
ORIGIN = "urim.example/t/t0000001"
ROOT = hashlib.sha256(b"root").digest()
HEAD = Checkpoint(ORIGIN, 37, ROOT)
KEY = public_key(ORIGIN, PRIVATE)

# Keys made by another implementation: the example of Go's sumdb/note, and Go's checksum database.
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SUMDB_VKEY = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"


@pytest.mark.parametrize("vkey", [GO_VKEY, SUMDB_VKEY])
def test_vkeys_of_other_implementations_are_read_and_written_the_same(vkey: str) -> None:
    assert read_key(vkey).vkey == vkey


VKEYS = {
    "empty": "",
    "no parts": "name",
    "no name": KEY.vkey.replace(ORIGIN, ""),
    "a space in the name": KEY.vkey.replace(ORIGIN, "a b"),
    "another key's id": KEY.vkey.replace(KEY.id.hex(), "00000000"),
    "an id that is too large": KEY.vkey.replace(KEY.id.hex(), "ffffffff"),
    "an upper-case id": KEY.vkey.replace(KEY.id.hex(), KEY.id.hex().upper()),
    "no padding bits": KEY.vkey + "=",
    "another algorithm": f"x+00000000+{b64encode(bytes([2, *range(32)])).decode()}",
    **{
        f"algorithm {number} under the same id": (
            f"{ORIGIN}+{KEY.id.hex()}+{b64encode(bytes([number]) + KEY.public).decode()}"
        )
        for number in (0, 2)
    },
    "a short key": f"x+00000000+{b64encode(bytes([1, *range(31)])).decode()}",
    "a long key": f"x+00000000+{b64encode(bytes([1, *range(33)])).decode()}",
    "another name": KEY.vkey.replace(ORIGIN, "urim.example"),
    "a newline": KEY.vkey + "\n",
}


@pytest.mark.parametrize("vkey", VKEYS.values(), ids=VKEYS)
def test_a_vkey_of_another_form_is_refused(vkey: str) -> None:
    with pytest.raises(Damaged):
        read_key(vkey)


LONG = "x" * 300
SHOWN = {
    LONG: f"not a vkey of an Ed25519 key: {LONG[:200]!r}",
    f"x+{LONG}+{GO_VKEY.rpartition('+')[2]}": f"the vkey of x says key id {LONG[:20]!r}, but",
    f"x+00000000+{LONG[1:]}": f"the key is not base64 in its canonical form: {LONG[:200]!r}",
}


@pytest.mark.parametrize(("vkey", "why"), SHOWN.items())
def test_a_refusal_shows_no_more_of_a_long_vkey(vkey: str, why: str) -> None:
    with pytest.raises(Damaged) as damage:
        read_key(vkey)
    assert str(damage.value).startswith(why)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n", "a\u2003b", "\ud800", "\x7f"])
def test_a_name_that_no_note_can_carry_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="not the name"):
        Key(name, bytes(32))
    with pytest.raises(Refused, match="not the name"):
        Checkpoint(name, 0, ROOT)


def test_lengths_and_sizes_that_no_note_can_carry_are_refused() -> None:
    for length in (31, 33):
        with pytest.raises(Refused, match=f"{length} bytes"):
            Key(ORIGIN, bytes(length))
        with pytest.raises(Refused, match=f"{length} bytes"):
            Checkpoint(ORIGIN, 1, bytes(length))
    for size in (-1, 2**63):
        with pytest.raises(Refused, match="size is"):
            Checkpoint(ORIGIN, size, ROOT)
    for length in (5, 31, 33):
        with pytest.raises(Refused, match=f"private key of {length} bytes"):
            sign(HEAD, bytes(length))


def test_keys_and_heads_are_values() -> None:
    assert len({KEY, Key(KEY.name, KEY.public)}) == 1
    assert len({HEAD, Checkpoint(HEAD.origin, HEAD.size, HEAD.root)}) == 1


def test_a_key_id_is_the_hash_of_name_algorithm_and_key() -> None:
    preimage = ORIGIN.encode() + b"\n\x01" + KEY.public
    assert KEY.id == key_id(ORIGIN, KEY.public) == hashlib.sha256(preimage).digest()[:4]
