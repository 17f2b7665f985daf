"""What a terminal shows of dice and letters: tiles, spelling, direction, nothing that harms it."""

from io import StringIO

import pytest
from rich.cells import cell_len
from rich.text import Text

from tests.engine.helpers.shown import plain, printed
from urim.engine.render.dice import COLOURS, TILES, colours_of, dice_rows
from urim.engine.render.text import Pen, page
from urim.projections.isolates import FSI, PDI
from urim.rules.ruleset import Die, Hand

UTF, ASCII, LATIN = Pen(), Pen("ascii"), Pen("latin-1")


def hand(*dice: Die) -> Hand:
    """A hand of these dice."""
    return Hand("initiator", "c1", dice)


ON_TABLE = Die("d1", "red-a", ("ו",), "ו", "ו")
FROZEN = Die("d2", "blue-b", ("ט", "ר"), "ר", "ר", frozen=True)
TURNED = Die("d3", "red-b", (7, "ס"), "ס", "ח")


# --- dice -----------------------------------------------------------------------------------------


def test_a_hand_is_a_row_of_tiles() -> None:
    assert plain(dice_rows(hand(ON_TABLE, FROZEN, TURNED), UTF, 80)) == plain(
        """\
  d1      d2      d3
╭─────╮ ╔═════╗ ╭─────╮
│  ו  │ ║  ר  ║ │  ח  │
╰─────╯ ╚═════╝ ╰─────╯
           ט      ⇄ ס
                   7
╔═╗ frozen   ⇄ adjusted   below: earlier faces"""
    )


def test_a_hand_is_a_row_of_tiles_in_ascii() -> None:
    lines = plain(dice_rows(hand(ON_TABLE, FROZEN, TURNED), ASCII, 80)).splitlines()
    assert lines[1] == "+---------+ ########### +---------+"
    assert lines[2] == "|   vav   | #  resh   # |   het   |"
    assert lines[3] == lines[1]
    assert lines[4].split() == ["tet", "~", "samekh"]
    assert lines[-1] == "### frozen   ~ adjusted   below: earlier faces"


def test_marks_that_are_not_there_are_not_explained() -> None:
    assert len(plain(dice_rows(hand(ON_TABLE), UTF, 80)).splitlines()) == 4


def test_many_earlier_faces_are_counted() -> None:
    old = Die("d1", "d12", (1, 2, 3, 4, 5, 6, 7), 7, 7)
    lines = plain(dice_rows(hand(old), UTF, 80)).split()
    assert lines[-7:-3] == ["6", "5", "4", "+3"]


@pytest.mark.parametrize("width", [1, 20, 41, 80])
def test_a_hand_takes_as_many_rows_as_it_needs(width: int) -> None:
    dice = [Die(f"d{number}", "d12", (12,), 12, 12) for number in range(1, 13)]
    text = plain(dice_rows(hand(*dice), UTF, width))
    assert max(map(cell_len, text.splitlines())) <= max(width, 7)
    assert text.count("│ 12  │") == 12


def test_a_very_large_hand_is_a_list() -> None:
    dice = [Die(f"d{number}", "d6", (6,), 6, 6, frozen=number == 2) for number in range(TILES + 1)]
    assert plain(dice_rows(hand(*dice), UTF, 80)).startswith("d0 6, d1 6, [d2 6], d3 6")


def test_a_kind_has_the_colour_it_is_named_after_or_one_of_its_own() -> None:
    assert colours_of("red-a") == colours_of("red-b") == COLOURS["red"]
    assert colours_of("Green") == COLOURS["green"]
    assert colours_of("d12") == ("#ffffff", "#3f6212")  # the same in every run
    assert colours_of("location") not in COLOURS.values()


def test_without_colours_the_same_is_shown() -> None:
    dice = dice_rows(hand(ON_TABLE, FROZEN, TURNED), UTF, 80)
    coloured = printed(dice, force_terminal=True, color_system="truecolor")
    bare = printed(dice, force_terminal=True, color_system="truecolor", no_color=True)
    assert "48;2;179;38;30" in coloured  # the ground of red dice
    assert "38;2" not in bare
    assert "48;2" not in bare
    assert plain(Text.from_ansi(bare).plain) == plain(Text.from_ansi(coloured).plain)


# --- letters --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pen", "text", "shown"),
    [
        (UTF, "רוח", "רוח"),
        (ASCII, "רוח", "resh-vav-het"),
        (ASCII, "a ם, b", "a mem, b"),
        (ASCII, f"{FSI}ש{PDI} 3", "shin 3"),
        (ASCII, "− – … “é” 12½ → ■", '- - ... "e" 121/2 -> #'),
        (LATIN, "é ½ ש", "é ½ shin"),
        (ASCII, "🎲", "die"),
        (ASCII, "\U000e0fff", "u+e0fff"),
    ],
)
def test_what_cannot_be_written_is_spelled(pen: Pen, text: str, shown: str) -> None:
    assert pen.write(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("two\nlines", "two\nlines"),
        ("\ud800", "\\xd800"),
        ("\u202eover\u202c", "over"),
        (f"{PDI}a", "a"),
        (f"{FSI}a", f"{FSI}a{PDI}"),
        (f"{FSI}a{PDI}b{PDI}{FSI}", f"{FSI}a{PDI}b{FSI}{PDI}"),
        ("\u2067a", f"\u2067a{PDI}"),
    ],
)
def test_what_could_harm_a_terminal_is_shown_or_dropped(text: str, shown: str) -> None:
    assert UTF.write(text) == shown
    assert "\x1b" not in ASCII.write(text)


def test_only_what_needs_it_is_isolated() -> None:
    assert UTF.isolated("ש") == f"{FSI}ש{PDI}"
    assert UTF.isolated(12) == "12"
    assert ASCII.isolated("ש") == "shin"


def test_a_page_is_not_wider_than_people_read() -> None:
    assert page(StringIO(), _environ={}).width == 80
    assert page(StringIO(), _environ={"COLUMNS": "300"}).width == 300
    assert page(StringIO(), width=300).width == 300
