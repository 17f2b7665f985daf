"""The Hebrew letters as dice show them: folded, counted, valued, and turned by a cipher.

Words are in logical order, as they are typed. A final form is the same letter as its ordinary form,
so every word is folded before it is compared.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import cycle, islice
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from ...events.base import Face

ALPHABET = "אבגדהוזחטיכלמנסעפצקרשת"
"""The twenty-two letters, without final forms, in order."""

WILD = "*"
"""The face that is no letter."""

Colour: TypeAlias = Literal["red", "blue", "green"]
Kind: TypeAlias = Literal["red-a", "red-b", "blue-a", "blue-b", "green-a", "green-b"]

COLOURS: tuple[Colour, ...] = get_args(Colour)
KINDS: tuple[Kind, ...] = get_args(Kind)

CIPHERS: Mapping[Colour, str] = MappingProxyType(
    {"red": "Atbash", "blue": "Albam", "green": "Akhbi"}
)
"""The cipher of each colour: its pairs are on opposite faces of the dice."""

VALUES: Mapping[str, int] = MappingProxyType(
    dict(zip(ALPHABET, (*range(1, 10), *range(10, 100, 10), *range(100, 500, 100)), strict=True))
    | {WILD: 0}
)
"""The gematria value of each letter, 1 to 400; a Wild is worth 0."""

PAIRS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "red-a": ("את", "בש", "גר", "דק", "הצ", "ו*"),
        "red-b": ("זע", "חס", "טנ", "ימ", "כל", "פ*"),
        "blue-a": ("אל", "במ", "גנ", "דס", "הע", "ו*"),
        "blue-b": ("זצ", "חק", "טר", "יש", "כת", "פ*"),
        "green-a": ("אכ", "בי", "גט", "דח", "הז", "ו*"),
        "green-b": ("לת", "מש", "נר", "סק", "עצ", "פ*"),
    }
)
"""The six pairs of opposite faces of each kind of die.

The book shows no table. Inferred: each colour's two kinds share the eleven pairs of its cipher. The
pair of vav and pe (Akhbi leaves both as they are) is parted, each opposite a Wild.
"""

MARKS = ("Mn", "Cf")
"""Unicode's categories of points and accents, and of characters that only steer how text is set."""

FINALS = str.maketrans("ךםןףץ", "כמנפצ")

Spelling: TypeAlias = Literal["wholly", "but for repeats", "not"]


def spelling(word: str) -> str:
    """The word with its final forms turned into the ordinary letters; nothing else changes."""
    return word.translate(FINALS)


def unmarked(word: str) -> str:
    """The word without what surrounds its letters where it was copied from.

    Niqqud, cantillation, marks of direction, and blanks at its ends are dropped; a letter that is
    one character with its point is parted from it first.
    """
    parted = unicodedata.normalize("NFD", word)
    return "".join(each for each in parted if unicodedata.category(each) not in MARKS).strip()


def gematria(word: str) -> int:
    """The sum of the letters' values; any character that is no letter counts 0."""
    return sum(VALUES.get(letter, 0) for letter in spelling(word))


def cipher(name: str) -> Mapping[str, str]:
    """The substitution table of "Atbash", "Albam" or "Akhbi": letter to letter, its own inverse.

    Atbash reverses the alphabet, Albam exchanges its halves, Akhbi reverses each half.
    """
    half = len(ALPHABET) // 2
    first, second = ALPHABET[:half], ALPHABET[half:]
    turned = {
        "Atbash": ALPHABET[::-1],
        "Albam": second + first,
        "Akhbi": first[::-1] + second[::-1],
    }
    return dict(zip(ALPHABET, turned[name], strict=True))


@lru_cache(maxsize=1024)
def die_faces(pairs: tuple[str, ...]) -> tuple[str, ...]:
    """The twelve faces of six pairs: those at index i and i ^ 1 are opposite."""
    return tuple("".join(pairs))


@lru_cache(maxsize=4096)
def opposites(faces: tuple[Face, ...], face: Face) -> tuple[Face, ...]:
    """The faces opposite `face` on a die of these faces; several where it is there twice."""
    found = (faces[i ^ 1] for i, there in enumerate(faces) if there == face)
    return tuple(dict.fromkeys(other for other in found if other != face))


def kinds_of(dice: Mapping[Colour, int]) -> tuple[str, ...]:
    """The kinds of so many dice of each colour: colour by colour, its two kinds by turns."""
    return tuple(
        f"{colour}-{kind}" for colour, count in dice.items() for kind in islice(cycle("ab"), count)
    )


def spells(faces: Iterable[Face], root: str) -> Spelling:
    """How far the faces spell a folded root, Wilds not used.

    "wholly": every letter shows as often as the root holds it. "but for repeats": every letter
    shows, a doubled one too seldom. "not": a letter is missing.
    """
    shown = tuple(faces)
    if not set(root) <= set(shown):
        return "not"
    whole = all(shown.count(letter) >= root.count(letter) for letter in root)
    return "wholly" if whole else "but for repeats"


def letters_on(faces: Iterable[Face]) -> tuple[Face, ...]:
    """The faces that are letters, in the same order."""
    return tuple(face for face in faces if face != WILD)
