"""The `urim/1` construction against its definition, the standard library and OpenSSL."""

import hmac
import subprocess
from collections.abc import Callable, Iterator
from fractions import Fraction
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools import needed
from urim.errors import Defect, Refused
from urim.events import throw
from urim.events.throw import (
    ATTEMPTS,
    DRAWS,
    NO_LEAF,
    commitment,
    dice,
    faces_of,
    fixture_salt,
    fixture_seed,
    keyed,
    nonce_commitment,
    seed_from,
    seed_of,
    throw_id,
    transcript,
)

ID = "t0000001/3/0"
SEED = sha256(b"a seed").digest()
NONCE = sha256(b"a nonce").hexdigest()
LEAF = sha256(b"a leaf").digest()
T = transcript(ID, 4, LEAF, "p1", NONCE)

tables = st.from_regex(r"[a-z0-9]{8,32}", fullmatch=True)
seats = st.from_regex(r"[a-z0-9-]{1,32}", fullmatch=True)
words = st.binary(min_size=32, max_size=32)
sides = st.integers(1, 1000) | st.integers(1, DRAWS)


def hkdf(seed: bytes, salt: bytes, info: bytes) -> int:
    """RFC 5869 for one short block, from HMAC alone."""
    key = hmac.digest(salt, seed, "sha256")
    return int.from_bytes(hmac.digest(key, info + b"\x01", "sha256")[:6], "big")


def by_definition(seed: bytes, text: bytes, j: int, n: int) -> tuple[int, int]:
    for a in range(128):
        v = hkdf(seed, sha256(text).digest(), f"urim/1 die\n{j}\n{a}\n".encode())
        if v < 2**48 - (2**48 % n):
            return v % n, a
    raise AssertionError


def sha(*lines: str) -> bytes:
    return sha256("".join(f"{line}\n" for line in lines).encode()).digest()


@given(tables, st.integers(1), st.integers(0), words)
def test_hashes_are_taken_over_the_lines_of_the_definition(
    table: str, roll: int, number: int, seed: bytes
) -> None:
    id = throw_id(table, roll, number)
    assert id == f"{table}/{roll}/{number}"
    assert commitment(id, seed) == sha("urim/1 seed", id, seed.hex())
    assert nonce_commitment(id, seed.hex()) == sha("urim/1 nonce", id, seed.hex())
    assert fixture_seed("7", id) == sha("urim/1 fixture", "7", id)
    assert fixture_salt("7", table, number) == sha("urim/1 fixture salt", "7", table, f"{number}")
    assert seed_of(seed, id) == hmac.digest(seed, f"urim/1 seed\n{id}\n".encode(), "sha256")


def test_a_transcript_has_the_lines_of_the_definition() -> None:
    assert transcript(ID, 0, NO_LEAF, "p1", None) == (
        f"urim/1 throw\nthrow {ID}\ncommitted 0 {'0' * 64}\nroller p1 -\n".encode()
    )
    assert T.decode().splitlines() == [
        "urim/1 throw",
        f"throw {ID}",
        f"committed 4 {LEAF.hex()}",
        f"roller p1 {NONCE}",
    ]


@given(st.dictionaries(seats, words, max_size=6), st.data())
def test_witnesses_stand_in_bytewise_order_whatever_order_they_came_in(
    given_by: dict[str, bytes], data: st.DataObject
) -> None:
    given_by.pop("roller", None)
    shuffled = data.draw(st.permutations(list(given_by.items())))
    text = transcript(ID, 4, LEAF, "roller", NONCE, [(seat, q.hex()) for seat, q in shuffled])
    lines = text.decode().splitlines()[4:]
    ascending = sorted(given_by, key=str.encode)
    assert lines == [f"witness {seat} {given_by[seat].hex()}" for seat in ascending]


def test_a_seat_gives_one_nonce_and_the_roller_no_second() -> None:
    for pairs in ([("p1", NONCE)], [("p2", NONCE), ("p2", SEED.hex())]):
        with pytest.raises(Refused, match="twice") as refusal:
            transcript(ID, 4, LEAF, "p1", NONCE, pairs)
        assert refusal.value.code == "nonce"


@given(words, st.binary(max_size=300), st.integers(0, 10_000), sides)
def test_a_die_is_drawn_as_the_definition_says(seed: bytes, text: bytes, j: int, n: int) -> None:
    assert keyed(seed, text)(j, n) == by_definition(seed, text, j, n)


@given(words, st.lists(sides, max_size=10))
def test_the_dice_of_a_throw_are_counted_from_0(seed: bytes, all_sides: list[int]) -> None:
    expected = [by_definition(seed, T, j, n)[0] for j, n in enumerate(all_sides)]
    assert list(dice(seed, T, all_sides)) == expected


def test_a_die_thrown_again_takes_the_next_number() -> None:
    seen: list[int] = []

    def wild() -> Iterator[int]:
        while not seen or seen[-1] < 5:
            yield 6

    for face in dice(SEED, T, wild()):
        seen += [face]
    assert seen == [by_definition(SEED, T, j, 6)[0] for j in range(len(seen))]
    assert all(face < 5 for face in seen[:-1]) and seen[-1] == 5


@given(sides)
def test_every_face_is_exactly_as_likely_as_every_other(n: int) -> None:
    # Of the 2^48 equally likely draws, those below the bound fall on the faces in turn, and the
    # bound is a multiple of n: so each face has the same whole number of draws, and at least one.
    bound = DRAWS - DRAWS % n
    assert bound % n == 0 and bound // n >= 1
    assert Fraction(bound, DRAWS) > Fraction(1, 2)
    assert Fraction(DRAWS - bound, DRAWS) ** ATTEMPTS < Fraction(1, 2**128)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 10, 20])
def test_every_draw_below_the_bound_is_kept_and_none_above(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With draws of one byte instead of six, all of them can be looked at.
    monkeypatch.setattr(throw, "DRAWS", 256)
    monkeypatch.setattr(throw, "DRAW_BYTES", 1)
    counts = [0] * n
    for byte in range(256):
        monkeypatch.setattr(throw, "HKDFExpand", drawing(bytes([byte]), b"\0"))
        index, attempt = keyed(SEED, T)(0, n)
        assert attempt == (byte >= 256 - 256 % n)
        counts[index] += attempt == 0
    assert set(counts) == {256 // n}


def drawing(*values: bytes) -> type:
    """HKDF-Expand that gives these values in turn, then the last one for ever."""
    left = list(values)

    class Expand:
        def __init__(self, algorithm: object, length: int, info: bytes) -> None:
            pass

        def derive(self, key: bytes) -> bytes:
            return left.pop(0) if len(left) > 1 else left[0]

    return Expand


def test_the_bound_of_attempts_is_128_and_then_it_is_our_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over = b"\xff" * 6
    monkeypatch.setattr(throw, "HKDFExpand", drawing(*[over] * 127, bytes(6)))
    assert keyed(SEED, T)(0, 6) == (0, 127)
    monkeypatch.setattr(throw, "HKDFExpand", drawing(*[over] * 128, bytes(6)))
    with pytest.raises(Defect, match="128 draws"):
        keyed(SEED, T)(0, 6)


def test_the_bound_itself_is_drawn_again_and_what_lies_below_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bound = DRAWS - DRAWS % 6
    values = [bound.to_bytes(6), (bound - 1).to_bytes(6)]
    monkeypatch.setattr(throw, "HKDFExpand", drawing(*values))
    assert keyed(SEED, T)(0, 6) == (5, 1)


def test_a_die_of_the_most_faces_never_draws_twice() -> None:
    assert keyed(SEED, T)(0, DRAWS) == by_definition(SEED, T, 0, DRAWS)


@pytest.mark.parametrize(("j", "n"), [(0, 0), (0, -6), (0, DRAWS + 1), (-1, 6)])
def test_dice_that_cannot_be_are_refused(j: int, n: int) -> None:
    with pytest.raises(Refused) as refusal:
        keyed(SEED, T)(j, n)
    assert refusal.value.code == "out-of-range"


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_a_seed_of_another_length_is_refused_at_once(seed: bytes) -> None:
    for use in (
        lambda: dice(seed, T, [6]),
        lambda: commitment(ID, seed),
        lambda: seed_of(seed, ID),
    ):
        with pytest.raises(Refused, match=f"{len(seed)} bytes"):
            use()


def test_a_refused_secret_is_not_repeated() -> None:
    with pytest.raises(Refused) as refusal:
        seed_of(b"hunter2", ID)
    assert "hunter2" not in str(refusal.value)


BAD: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "table id": (
        lambda text: throw_id(text, 1, 0),
        ["", "short", "a" * 33, "Upper0000", "under_score", "a/b/c/d/e", "t0000001\n", "tàble000"],
    ),
    "seat": (
        lambda text: transcript(ID, 4, LEAF, text, NONCE),
        ["", "a" * 33, "P1", "p_1", "p 1", "p1\n", "p١"],
    ),
    "nonce": (
        lambda text: nonce_commitment(ID, text),
        ["", "-", NONCE[:-1], NONCE + "0", NONCE.upper(), NONCE[:-1] + "g", NONCE + "\n", " " * 64],
    ),
    "seed": (seed_from, ["", SEED.hex()[:-1], SEED.hex().upper(), "0x" + "0" * 62, "٠" * 64]),
    "seed text": (
        lambda text: fixture_seed(text, ID),
        ["", "a" * 65, "a b", "a/b", "7\n", "é"],
    ),
    "throw id": (
        lambda text: commitment(text, SEED),
        [
            *("", "t0000001", "t0000001/1", "t0000001/0/0", "t0000001/01/0", "t0000001/1/00"),
            *("t0000001/1/-1", "t0000001/1/0\n", "T0000001/1/0", "t0000001/1/0/0", "short/1/0"),
        ],
    ),
}


@pytest.mark.parametrize(
    ("what", "text"), [(what, text) for what, (_, texts) in BAD.items() for text in texts]
)
def test_a_value_not_of_its_form_is_refused_by_name_with_what_is_allowed(
    what: str, text: str
) -> None:
    with pytest.raises(Refused) as refusal:
        BAD[what][0](text)
    assert refusal.value.code == "malformed"
    assert f"the {what} is {text!r}" in str(refusal.value)
    assert refusal.value.allowed == (throw.FORMS[what][1],)


@pytest.mark.parametrize("length", [79, 80, 81, 100_000])
def test_a_long_value_is_cut_in_the_refusal(length: int) -> None:
    with pytest.raises(Refused) as refusal:
        nonce_commitment(ID, "x" * length)
    shown = repr("x" * length) if length <= 80 else f"{'x' * 80!r}..."
    assert refusal.value.why == f"the nonce is {shown}"


def test_the_first_numbers_are_allowed() -> None:
    assert throw_id("t0000001", 1, 0) == "t0000001/1/0"
    assert fixture_salt("7", "t0000001", 0) == sha("urim/1 fixture salt", "7", "t0000001", "0")


@pytest.mark.parametrize(("roll", "number"), [(0, 0), (-1, 0), (1, -1)])
def test_rolls_count_from_1_and_throws_from_0(roll: int, number: int) -> None:
    with pytest.raises(Refused) as refusal:
        throw_id("t0000001", roll, number)
    assert refusal.value.code == "out-of-range"


def test_nothing_is_committed_before_the_log_begins() -> None:
    with pytest.raises(Refused, match="committed is -1"):
        transcript(ID, -1, LEAF, "p1", NONCE)
    with pytest.raises(Refused, match="leaf has 31 bytes"):
        transcript(ID, 4, LEAF[:31], "p1", NONCE)
    with pytest.raises(Refused, match="seq is -1"):
        fixture_salt("7", "fixture0", -1)


@pytest.mark.parametrize("sides", [1, 2, 3, 5, 6, 7, 99, 100])
def test_a_die_that_no_table_lists_shows_1_to_its_number(sides: int) -> None:
    assert list(faces_of(f"d{sides}", {})) == [*range(1, sides + 1)]
    assert faces_of(f"d{sides}", {f"d{sides}": ("a", "b")}) == ("a", "b")
    assert not faces_of(f"e{sides}", {})


@pytest.mark.parametrize(("j", "n"), [(0, 6), (7, 100), (13, 2**47 + 1)])
def test_openssl_draws_the_same_die(j: int, n: int) -> None:
    index, attempt = keyed(SEED, T)(j, n)
    info = f"urim/1 die\n{j}\n{attempt}\n".encode()
    options = {"digest": "SHA256", "hexkey": SEED.hex(), "hexsalt": sha256(T).hexdigest()}
    command = [str(needed("openssl")), "kdf", "-keylen", "6"]
    for name, value in (options | {"hexinfo": info.hex()}).items():
        command += ["-kdfopt", f"{name}:{value}"]
    run = subprocess.run([*command, "HKDF"], capture_output=True, text=True, check=True)
    assert int(run.stdout.strip().replace(":", ""), 16) % n == index
