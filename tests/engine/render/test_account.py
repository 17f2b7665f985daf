"""An account as a panel, as Markdown and as HTML: one order, every text harmless."""

from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from tests.engine.helpers.shown import plain, printed
from urim.engine.render.account import heading, result_panel
from urim.engine.render.html import html
from urim.engine.render.markdown import escaped, markdown
from urim.engine.render.text import Pen
from urim.engine.table import RollHandle, Table
from urim.projections.account import Account, account
from urim.projections.result import outcome_result

NASTY = "[red]<b>*x*</b> |_y_| `z` & #1"


@pytest.fixture
def shot() -> RollHandle:
    """A resolved roll of a character with a name that tries to be markup."""
    table = Table("age_of_magic", dice="scripted", options={"ceiling": "none"})
    archer = table.character(NASTY, attributes={"Bow": 12, "DX": 5})
    roll = table.declare(archer, skill="Bow", characteristic="DX", difficulty=13)
    roll.roll(option=2, faces=[6, 5])
    roll.resolve()
    return roll


def of(roll: RollHandle) -> Account:
    """The roll's account."""
    return account(roll.table.state, roll.table.aggregate.records, roll.number)


def test_a_panel_is_a_sum_as_on_paper(shot: RollHandle) -> None:
    result = outcome_result(shot.table.state, shot.state)
    assert result is not None
    pen = Pen()
    shown = plain(printed(result_panel(pen, heading(pen, shot.table.state, shot.state), result)))
    rows = [line.strip("│╭╮╰╯─ ") for line in shown.splitlines()]
    assert rows[0] == f"roll 1 by {NASTY}"
    assert rows[1:3] == [
        "success, 22 against 13",
        "The result 22 is more than the difficulty 13.",
    ]
    assert rows[3].split("  ")[0] == "no ceiling: yes"
    assert rows[4] == "at this table: a result may be more than the basic value"
    assert rows[5:7] == ["12 skill Bow", "+ 5 characteristic DX"]
    assert rows[7].split("  ")[0] == "= 17 basic value" and rows[7].endswith("see Dice rolls")
    ends = [row.split("  ")[0] for row in rows if row.startswith(("− 13", "= 9"))]
    assert ends == ["− 13 difficulty", "= 9 margin (points)"]


def test_a_panel_fits_any_encoding(shot: RollHandle) -> None:
    result = outcome_result(shot.table.state, shot.state)
    assert result is not None
    shown = printed(result_panel(Pen("ascii"), "roll 1", result), safe_box=True)
    assert "- 13 difficulty" in shown


def test_markdown_is_read_as_it_is_meant(shot: RollHandle) -> None:
    text = markdown(of(shot))
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children or ()}
    assert kinds <= {"text", "strong_open", "strong_close", "em_open", "em_close", "softbreak"}
    assert "html_block" not in {token.type for token in tokens}
    words = ["".join(c.content for c in token.children or ()) for token in inline]
    assert f"Roll 1 by \u2068{NASTY}\u2069" in words
    assert "table_open" in {token.type for token in tokens}


def test_markdown_escapes_what_is_on_more_than_one_line() -> None:
    assert escaped("a\n# b") == "a \\# b"


def test_html_is_well_formed_and_every_text_is_text(shot: RollHandle) -> None:
    page = ET.fromstring(html(of(shot)))  # noqa: S314  this program wrote it
    assert page.tag == "article" and page.get("data-roll") == "1"
    title = page.find("h2")
    assert title is not None and "".join(title.itertext()) == f"Roll 1 by {NASTY}"
    assert {element.tag for element in page.iter()} <= {
        *("article", "h2", "h3", "p", "ol", "ul", "li", "b", "bdi", "del"),
        *("section", "table", "tr", "td", "th"),
    }
    rows = ["".join(row.itertext()) for row in page.iter("tr")]
    assert any(row.startswith("− 13") for row in rows)
