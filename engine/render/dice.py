"""A hand of dice as a row of tiles: kinds by colour, faces large, frozen ones framed twice.

  d1     d2     d3
╭─────╮╔═════╗╭─────╮
│  4  │║  6  ║│  1  │        double frame: frozen
╰─────╯╚═════╝╰─────╯
   2             3           earlier faces, the latest first; ⇄ adjusted
"""

from collections.abc import Mapping
from zlib import crc32

from msgspec import Struct
from rich.text import Text

from ...rules.ruleset import Die, Hand
from .text import Pen, centred, width_of

TILES = 48
"""Dice of a hand that are drawn; a larger hand is written out in a list."""

EARLIER = 4
"""Earlier faces shown below a tile, at most."""

COLOURS: Mapping[str, tuple[str, str]] = {
    "red": ("#ffffff", "#b3261e"),
    "blue": ("#ffffff", "#1f5fbf"),
    "green": ("#ffffff", "#1e7d45"),
    "yellow": ("#1c1b1f", "#e6c229"),
    "orange": ("#1c1b1f", "#f08a24"),
    "purple": ("#ffffff", "#7b3fa0"),
    "pink": ("#1c1b1f", "#f29bb5"),
    "brown": ("#ffffff", "#7a4a21"),
    "black": ("#ffffff", "#2b2b2b"),
    "grey": ("#ffffff", "#6b6b6b"),
    "white": ("#1c1b1f", "#ececec"),
}
"""Ink and ground of a die whose kind begins with the name of a colour."""

OTHERS = (
    ("#ffffff", "#8a4b08"),
    ("#ffffff", "#00696d"),
    ("#ffffff", "#5b4fc4"),
    ("#ffffff", "#8e2a6b"),
    ("#ffffff", "#3f6212"),
    ("#ffffff", "#475569"),
)
"""Ink and ground of the other kinds, the same one for a kind in every run."""

FRAMES: Mapping[tuple[bool, bool], tuple[str, str, str, str, str, str]] = {
    (True, False): ("╭", "─", "╮", "│", "╰", "╯"),
    (True, True): ("╔", "═", "╗", "║", "╚", "╝"),
    (False, False): ("+", "-", "+", "|", "+", "+"),
    (False, True): ("#", "#", "#", "#", "#", "#"),
}
"""The frame of a tile by whether there is more than ASCII and whether the die is frozen."""


class Tile(Struct, frozen=True):
    """One die as it is drawn: its id, its face, and the faces it had, the latest first."""

    id: str
    kind: str
    face: str
    frozen: bool
    earlier: tuple[str, ...]


def colours_of(kind: str) -> tuple[str, str]:
    """Ink and ground of a kind of die: the colour in its name, else two derived from the name."""
    word = kind.split("-", 1)[0].lower()
    return COLOURS.get(word) or OTHERS[crc32(kind.encode()) % len(OTHERS)]


def adjusted(die: Die) -> bool:
    """Whether the die shows another face than its last throw: it was adjusted."""
    return bool(die.thrown) and die.face != die.thrown[-1]


def tile(die: Die, pen: Pen) -> Tile:
    """The tile of a die; where it was adjusted, the face thrown is first of its earlier ones."""
    earlier = [pen.isolated(face) for face in reversed(die.thrown[:-1])]
    if adjusted(die):
        earlier.insert(0, f"{pen.glyph('adjusted')} {pen.isolated(die.thrown[-1])}")
    if len(earlier) > EARLIER:
        earlier[EARLIER - 1 :] = [f"+{len(earlier) - EARLIER + 1}"]
    return Tile(pen.write(die.id), die.kind, pen.isolated(die.face), die.frozen, tuple(earlier))


def dice_rows(hand: Hand, pen: Pen, width: int) -> Text:
    """The whole hand, in as many rows of tiles as the width asks for, with a key to its marks."""
    if len(hand.dice) > TILES:
        return _listed(hand, pen)
    tiles = [tile(die, pen) for die in hand.dice]
    needed = [width_of(text) for each in tiles for text in (each.id, each.face, *each.earlier)]
    inside = max(5, 1 + max(needed, default=0))
    inside += 1 - inside % 2  # odd, so that one letter is in the middle
    across = max(1, width // (inside + 3))
    rows = [tiles[start : start + across] for start in range(0, len(tiles), across)]
    text = Text("\n").join(_row(row, inside, pen) for row in rows)
    key = _key(hand, pen)
    return Text("\n").join([text, Text(key, "dim")]) if key else text


def _row(tiles: list[Tile], inside: int, pen: Pen) -> Text:
    width = inside + 2
    ids = [Text(centred(each.id, width), "bold" if each.frozen else "") for each in tiles]
    frames = [[_framed(each, part, inside, pen) for each in tiles] for part in range(3)]
    older = range(max((len(each.earlier) for each in tiles), default=0))
    earlier = [[_earlier(each, place, width) for each in tiles] for place in older]
    return Text("\n").join(Text(" ").join(line) for line in (ids, *frames, *earlier))


def _earlier(each: Tile, place: int, width: int) -> Text:
    face = each.earlier[place] if place < len(each.earlier) else ""
    return Text(centred(face, width), "dim")


def _framed(each: Tile, part: int, inside: int, pen: Pen) -> Text:
    """One of the three lines of a tile's frame."""
    ink, ground = colours_of(each.kind)
    left, across, right, side, low_left, low_right = FRAMES[pen.unicode, each.frozen]
    frame = f"{ink} on {ground}"
    if part == 1:
        text = Text(side, frame)
        text.append(centred(each.face, inside), f"bold {ink} on {ground}")
        return text.append(side, frame)
    ends = (left, right) if part == 0 else (low_left, low_right)
    return Text(f"{ends[0]}{across * inside}{ends[1]}", frame)


def _key(hand: Hand, pen: Pen) -> str:
    """What the marks under and around these tiles mean; only of those that are there."""
    frozen = FRAMES[pen.unicode, True]
    marks = {
        f"{''.join(frozen[:3])} frozen": any(die.frozen for die in hand.dice),
        f"{pen.glyph('adjusted')} adjusted": any(map(adjusted, hand.dice)),
        "below: earlier faces": any(len(die.thrown) > 1 or adjusted(die) for die in hand.dice),
    }
    return "   ".join(mark for mark, shown in marks.items() if shown)


def _listed(hand: Hand, pen: Pen) -> Text:
    """Every die of a large hand in words, frozen ones in brackets."""
    words = (f"{die.id} {pen.isolated(die.face)}" for die in hand.dice)
    framed = (
        f"[{word}]" if die.frozen else word for word, die in zip(words, hand.dice, strict=True)
    )
    return Text(", ".join(framed))
