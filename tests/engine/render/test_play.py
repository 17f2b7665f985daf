"""What a terminal shows of results and of a whole play: figure by figure, step by step."""

import asyncio
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.text import Text

from tests.engine.helpers.shown import printed
from urim.engine.cli.play import demo_scenario
from urim.engine.core.commands import Amend, SetTrack, worded
from urim.engine.render.account import boxes, framed
from urim.engine.render.direction import LRM
from urim.engine.render.play import show_play, step
from urim.engine.render.text import Pen, page
from urim.engine.render.tracks import Writer, changes_text, tracks_text
from urim.engine.scenario import Played, play
from urim.engine.table import CharacterHandle, Table
from urim.events.log.memory import MemoryLog

UTF, ASCII = Pen(), Pen("ascii")


@pytest.fixture
def table() -> Table:
    """A table with a character whose name tries to be more than a name."""
    table = Table("milhamah", dice="scripted")
    table.character("[red]\x1b[5mToad", attributes={"VIG": 2})
    return table


def writer_of(table: Table, pen: Pen = UTF) -> Writer:
    """What writes results of this table."""
    return Writer(table.state, pen)


def test_a_title_is_text_and_no_markup(table: Table) -> None:
    shown = printed(framed(Text("x"), "roll 1 by [red]Toad"))
    assert "─ roll 1 by [red]Toad ─" in shown
    assert printed("[red]x[/red] :dice:") == "[red]x[/red] :dice:\n"


def test_tracks_are_boxes_where_they_have_a_bound(table: Table) -> None:
    tracks = {"merit": 2, "xr": 0, "light": 1, "critical": 1}
    assert (
        tracks_text(writer_of(table), tracks).plain
        == "Merit Points 2 · light wounds ■□□ · serious wounds □□ · critical wounds ■"
    )
    assert tracks_text(writer_of(table, ASCII), tracks).plain.endswith(
        "serious wounds __ - critical wounds #"
    )


def test_new_wounds_stand_out_from_old_ones(table: Table) -> None:
    text = boxes(UTF, 3, 4, before=1)
    assert [str(span.style) for span in text.spans] == ["yellow", "bold red", "dim"]
    assert [span.end - span.start for span in text.spans] == [1, 2, 1]
    assert boxes(UTF, 20, 30).plain == "20/30"


def test_changes_are_told_and_nothing_else(table: Table) -> None:
    before = table.state
    assert changes_text(writer_of(table), before) is None
    table.submit("narrator", SetTrack("c1", "light", 2))
    changed = changes_text(writer_of(table), before)
    assert changed is not None
    assert changed.plain.endswith("Toad: light wounds ■■□  0 → 2")


def test_a_character_without_anything_has_nothing(table: Table) -> None:
    state = replace(table.state, game=replace(table.state.game, tracks={}))
    assert tracks_text(Writer(state, UTF), {}).plain == "nothing"


# --- a whole play ---------------------------------------------------------------------------------


def test_a_play_is_shown_with_marks_on_either_side_of_its_letters() -> None:
    played = asyncio.run(play(demo_scenario("milhamah"), MemoryLog()))
    out = StringIO()
    show_play(page(out, width=80, force_terminal=True, color_system=None, _environ={}), played)
    text = out.getvalue()
    assert text.count(LRM) > 200
    assert all(line.count(LRM) % 2 == 0 for line in text.splitlines())
    for words in (
        "✗ reroll is refused (frozen): d1 is frozen",
        "⇄ adjusted",
        "Midwife Toad: what counts otherwise now",
        "33 steps · 50 entries",
    ):
        assert words in text
    places = [text.rindex(f"│ {name} ") for name in ("Rachel", "Yonah", "Etgar", "Midwife Toad")]
    assert places == sorted(places)


def test_an_amended_outcome_is_told_anew(table: Table) -> None:
    who = CharacterHandle(table, "c1")
    roll = table.declare(who, root="אשר", rating=0, target=2)
    roll.roll(faces="אטיגדהוז")
    roll.resolve()
    before = table.state
    amend = Amend(1, "c1", {"target": 3})
    entries = table.submit("narrator", worded(amend, "It was far."))
    played = Played(1, {"do": "amend"}, "narrator", amend, table.state, entries)
    shown = [printed(part) for part in step(played, before, UTF, 80)]
    assert any("╭─ roll 1 by" in part and "target" in part for part in shown)
