"""The letters' own table: nothing outside this file depends on the faces that were inferred."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urim.rules.milhamah.letters import (
    ALPHABET,
    CIPHERS,
    COLOURS,
    KINDS,
    PAIRS,
    VALUES,
    WILD,
    cipher,
    die_faces,
    gematria,
    kinds_of,
    letters_on,
    opposites,
    spelling,
    spells,
    unmarked,
)


def test_a_word_is_folded_letter_by_letter() -> None:
    assert spelling("ךםןףץ") == "כמנפצ"
    assert spelling("חנן") == "חננ"
    assert spelling(ALPHABET) == ALPHABET
    assert spelling("abc *") == "abc *"


@pytest.mark.parametrize(
    "pasted",
    [
        "אשר",
        " אשר\t\n",
        "\u2068אשר\u2069",
        "\u2067 אשר \u2069",
        "\u200fאשר\u200e",
        "\u202bאשר\u202c",
        "\ufeffא\u200dשר",
        "אָשֵׁר",
        "א\u0592שר\u05bd",
        "א\ufb2aר",  # shin and its dot in one character
    ],
)
def test_what_surrounds_the_letters_of_a_word_is_dropped(pasted: str) -> None:
    assert unmarked(pasted) == "אשר"


@pytest.mark.parametrize("kept", ["א ש ר", "אש-ר", "אשׂר2", "םן", "*"])
def test_what_is_within_a_word_is_not_dropped(kept: str) -> None:
    assert unmarked(kept) == kept.replace("\u05c2", "")


def test_the_letters_are_worth_units_tens_and_hundreds() -> None:
    assert [VALUES[letter] for letter in "איכקרשת"] == [1, 10, 20, 100, 200, 300, 400]
    assert VALUES[WILD] == 0
    assert gematria("רוח") == 214
    assert gematria("שלום*") == 376


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("Atbash", "את בש גר דק הצ ופ זע חס טנ ימ כל"),
        ("Albam", "אל במ גנ דס הע ופ זצ חק טר יש כת"),
        ("Akhbi", "אכ בי גט דח הז וו לת מש נר סק עצ פפ"),
    ],
)
def test_a_cipher_exchanges_its_pairs(name: str, pairs: str) -> None:
    table = cipher(name)
    for one, other in map(tuple, pairs.split()):
        assert table[one] == other
        assert table[other] == one
    assert sorted(table) == sorted(table.values()) == list(ALPHABET)


@pytest.mark.parametrize("colour", COLOURS)
def test_opposite_faces_are_the_cipher_of_the_colour(colour: str) -> None:
    table = cipher(CIPHERS[colour])  # type: ignore[index]
    for pair in chain(PAIRS[f"{colour}-a"], PAIRS[f"{colour}-b"]):  # type: ignore[index]
        if WILD not in pair:
            assert table[pair[0]] == pair[1], pair


@pytest.mark.parametrize("colour", COLOURS)
def test_the_two_kinds_of_a_colour_share_the_alphabet_and_have_a_wild_each(colour: str) -> None:
    a, b = (die_faces(PAIRS[f"{colour}-{kind}"]) for kind in "ab")  # type: ignore[index]
    assert sorted(a + b) == sorted([*ALPHABET, WILD, WILD])
    assert a.count(WILD) == b.count(WILD) == 1
    assert opposites(a, "ו") == opposites(b, "פ") == (WILD,)


@pytest.mark.parametrize("kind", KINDS)
def test_a_flip_twice_is_no_flip(kind: str) -> None:
    faces = die_faces(PAIRS[kind])  # type: ignore[index]
    assert len(faces) == 12
    for face in faces:
        (other,) = opposites(faces, face)
        assert opposites(faces, other) == (face,)


def test_a_face_that_stands_twice_has_two_opposites() -> None:
    assert opposites(die_faces(("אב", "אג", "דד", "הו", "זח", "טי")), "א") == ("ב", "ג")


def test_the_dice_of_a_colour_are_of_its_two_kinds_by_turns() -> None:
    assert kinds_of({"green": 3, "red": 2}) == ("green-a", "green-b", "green-a", "red-a", "red-b")


@pytest.mark.parametrize(
    ("faces", "spelling"),
    [
        ("חננ*", "wholly"),
        ("נחגנ", "wholly"),
        ("חנ**", "but for repeats"),
        ("חח*", "not"),
        ("", "not"),
    ],
)
def test_a_root_is_spelled_by_letters_and_never_by_wilds(faces: str, spelling: str) -> None:
    assert spells(faces, "חננ") == spelling


def test_letters_on_leaves_the_wilds_out() -> None:
    assert letters_on("א*בא*") == ("א", "ב", "א")


@given(st.text(alphabet=ALPHABET + "ךםןףץ"))
def test_folding_keeps_the_length_and_is_done_once(word: str) -> None:
    assert len(spelling(word)) == len(word)
    assert spelling(spelling(word)) == spelling(word)
    assert set(spelling(word)) <= set(ALPHABET)
