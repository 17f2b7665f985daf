"""What a terminal shows: dice as tiles, letters from right to left, results figure by figure."""

import asyncio
from io import StringIO
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from urim.engine.cli import demo_scenario
from urim.engine.render import show_play
from urim.engine.render_dice import COLOURS, TILES, colours_of, dice_rows
from urim.engine.render_result import (
    Teller,
    changes_text,
    damage_panel,
    outcome_panel,
    tracks_text,
)
from urim.engine.render_text import Pen, page
from urim.engine.scenario import play
from urim.engine.table import Table
from urim.engine.table_commands import SetTrack
from urim.events.log.memory import MemoryLog
from urim.projections.history import FSI, PDI
from urim.rules.ruleset import Damage, Die, Hand, Outcome

UTF, ASCII, LATIN = Pen(), Pen("ascii"), Pen("latin-1")


def printed(part: RenderableType, width: int = 80, **settings: Any) -> str:
    """What a part looks like on a page."""
    out = StringIO()
    page(out, width=width, _environ={}, **settings).print(part)
    return out.getvalue()


def plain(text: Text | str) -> str:
    """A text without isolates, its lines without the spaces at their ends."""
    bare = str(text).replace(FSI, "").replace(PDI, "")
    return "\n".join(line.rstrip() for line in bare.splitlines())


def hand(*dice: Die) -> Hand:
    """A hand of these dice."""
    return Hand("initiator", "c1", dice)


LYING = Die("d1", "red-a", ("ו",), "ו", "ו")
FROZEN = Die("d2", "blue-b", ("ט", "ר"), "ר", "ר", frozen=True)
TURNED = Die("d3", "red-b", (7, "ס"), "ס", "ח")


# --- dice -----------------------------------------------------------------------------------------


def test_a_hand_is_a_row_of_tiles() -> None:
    assert plain(dice_rows(hand(LYING, FROZEN, TURNED), UTF, 80)) == plain(
        """\
  d1      d2      d3
╭─────╮ ╔═════╗ ╭─────╮
│  ו  │ ║  ר  ║ │  ח  │
╰─────╯ ╚═════╝ ╰─────╯
           ט      ⇄ ס
                   7
╔═╗ frozen   ⇄ turned by hand   below: earlier faces"""
    )


def test_a_hand_is_a_row_of_tiles_in_ascii() -> None:
    lines = plain(dice_rows(hand(LYING, FROZEN, TURNED), ASCII, 80)).splitlines()
    assert lines[1] == "+---------+ ########### +---------+"
    assert lines[2] == "|   vav   | #  resh   # |   het   |"
    assert lines[3] == lines[1]
    assert lines[4].split() == ["tet", "~", "samekh"]
    assert lines[-1] == "### frozen   ~ turned by hand   below: earlier faces"


def test_marks_that_are_not_there_are_not_explained() -> None:
    assert len(plain(dice_rows(hand(LYING), UTF, 80)).splitlines()) == 4


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
    dice = dice_rows(hand(LYING, FROZEN, TURNED), UTF, 80)
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


# --- results --------------------------------------------------------------------------------------


@pytest.fixture
def table() -> Table:
    """A table with a character whose name tries to be more than a name."""
    table = Table("milhamah", dice="scripted")
    table.character("[red]\x1b[5mToad", attributes={"VIG": 2})
    return table


def teller(table: Table, pen: Pen = UTF) -> Teller:
    """What tells results of this table."""
    return Teller(table.state, pen)


def test_an_outcome_is_told_figure_by_figure(table: Table) -> None:
    figures = {"root": "רוח", "x": 7, "before_bonus": 2, "natural": True, "opponent": "c1"}
    idle = {"wilds": 0, "bonus": 0, "prevented": False}
    readings = ("botch_rewards", "wound_track")
    found = Outcome("failure", -2, {**figures, **idle}, readings)
    lines = [
        line.strip("│╭╮╰╯─ ")
        for line in plain(printed(outcome_panel(teller(table), 3, found))).splitlines()
    ]
    assert lines == [
        "roll 3",
        "failure, margin -2",
        "root          רוח",
        "X             7",
        "before bonus  2",
        "natural       yes",
        "opponent      [red]\\x1b[5mToad",
        "0: wilds, bonus; no: prevented",
        "read as botch_rewards=both, wound_track=3 2 1",
        "",
    ]


@pytest.mark.parametrize(("margin", "said"), [(2, "+2"), (0, "0"), (-2, "-2"), (10, "+10")])
def test_a_margin_has_its_sign(table: Table, margin: int, said: str) -> None:
    shown = printed(outcome_panel(teller(table), 1, Outcome("so", margin, {})))
    assert f"so, margin {said} " in shown


def test_damage_is_told_layer_by_layer(table: Table) -> None:
    figures = {"location": "belly", "armour": [2, 0], "light": [1, 3], "serious": [0, 1]}
    found = Damage("c1", 5, {**figures, "critical": [0, 0], "overflow": 0, "fatal": True})
    shown = plain(printed(damage_panel(teller(table), 2, found)))
    for line in (
        "[red]\\x1b[5mToad takes 5",
        "location  belly",
        "armour    2 → 0",
        "light     ■■■  1 → 3",
        "serious   ■□  0 → 1",
        "fatal     yes",
        "0: critical, overflow",
    ):
        assert line in shown


def test_tracks_are_boxes_where_they_have_a_bound(table: Table) -> None:
    tracks = {"merit": 2, "xr": 0, "light": 1, "critical": 1}
    assert (
        tracks_text(teller(table), tracks).plain == "merit 2 · light ■□□ · serious □□ · critical ■"
    )
    assert tracks_text(teller(table, ASCII), tracks).plain.endswith("serious __ - critical #")


def test_new_wounds_stand_out_from_old_ones(table: Table) -> None:
    text = teller(table).boxes(3, 4, before=1)
    assert [str(span.style) for span in text.spans] == ["yellow", "bold red", "dim"]
    assert [span.end - span.start for span in text.spans] == [1, 2, 1]
    assert teller(table).boxes(20, 30).plain == "20/30"


def test_changes_are_told_and_nothing_else(table: Table) -> None:
    before = table.state
    assert changes_text(teller(table), before) is None
    table.submit("narrator", SetTrack("c1", "light", 2))
    changed = changes_text(teller(table), before)
    assert changed is not None
    assert changed.plain.endswith("Toad: light ■■□  0 → 2")


# --- a whole play ---------------------------------------------------------------------------------


def test_a_play_is_told_with_every_isolate_closed() -> None:
    played = asyncio.run(play(demo_scenario("milhamah"), MemoryLog()))
    out = StringIO()
    show_play(page(out, width=80, _environ={}), played)
    text = out.getvalue()
    assert text.count(FSI) == text.count(PDI) > 100
    tiles = [line for line in text.splitlines() if "│" in line or "║" in line]
    assert all(line.count(FSI) == line.count(PDI) for line in tiles)
    for words in (
        "✗ reroll is refused (frozen): d1 is frozen",
        "⇄ turned by hand",
        "Midwife Toad: what counts otherwise now",
        "31 steps · 48 entries",
    ):
        assert words in text
    places = [text.rindex(f"│ {name} ") for name in ("Rachel", "Yonah", "Etgar", "Midwife Toad")]
    assert places == sorted(places)
