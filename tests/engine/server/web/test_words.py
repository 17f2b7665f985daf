"""Every visible word of the page is in words/, in both languages, and is used."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.engine.server.web.node import run
from tests.tree import ROOT
from urim.errors import CODES

WEB = ROOT / "engine" / "server" / "web"
VIEWS = sorted((WEB / "views").glob("**/*.js"))
READERS = [*VIEWS, *sorted((WEB / "state").glob("**/*.js"))]
"""What may name a key."""

Text: TypeAlias = str | Mapping[str, str]
Table: TypeAlias = Mapping[str, Text]

REFUSED = "refused."
"""What refusals are called, where the page is in another language than the server's."""

OWN = {"Urim", "Tab", "Esc", "✕", "−", "+", "×", "·", "&nbsp;"}
"""Words of a view's own: the name of the page and of keys, and signs that are none."""

NAMED = re.compile(r"""["'`]([a-z][a-z-]*\.(?:[\w.-]|\$\{[^}]*\})+)["'`]""")
"""A key in a view, or the beginning of one: `role.${...}`."""


@pytest.fixture(scope="module")
def tables() -> Mapping[str, Table]:
    """The words by language."""
    done = run(Path(__file__).parent / "words.mjs")
    assert done.returncode == 0, done.stderr
    found: Mapping[str, Table] = json.loads(done.stdout)
    return found


def places(text: Text) -> set[str]:
    """What a text has places for, in any of its forms."""
    forms = [text] if isinstance(text, str) else text.values()
    return {place for form in forms for place in re.findall(r"\{(\w+)\}", form)}


def test_both_languages_have_the_same_keys_with_the_same_places(
    tables: Mapping[str, Table],
) -> None:
    english, hebrew = tables["en"], tables["he"]
    assert [key for key in hebrew if not key.startswith(REFUSED)] == list(english)
    for key, text in english.items():
        assert places(hebrew[key]) - {"n"} == places(text) - {"n"}, key
        assert isinstance(hebrew[key], str) == isinstance(text, str), key


def test_every_refusal_is_said_in_hebrew_too_by_its_code(tables: Mapping[str, Table]) -> None:
    made = re.compile(r"""(?:code: |failed\()"([a-z-]+)\"""")
    own = {code for path in READERS for code in made.findall(path.read_text("utf-8"))}
    said = {key.removeprefix(REFUSED) for key in tables["he"] if key.startswith(REFUSED)}
    assert said == CODES.keys() | own


def test_where_a_number_decides_there_is_a_form_for_every_number(
    tables: Mapping[str, Table],
) -> None:
    may = {"en": {"one", "other"}, "he": {"one", "two", "other"}}
    for language, table in tables.items():
        for key, text in table.items():
            if not isinstance(text, str):
                assert {"one", "other"} <= set(text) <= may[language], (language, key)


def test_no_text_is_empty_or_turns_the_direction(tables: Mapping[str, Table]) -> None:
    turning = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
    for table in tables.values():
        for key, text in table.items():
            for form in [text] if isinstance(text, str) else text.values():
                assert form.strip() == form != "", key
                assert not turning.search(form), key


def test_every_key_is_used_and_every_used_key_is_there(tables: Mapping[str, Table]) -> None:
    named = {name for path in READERS for name in NAMED.findall(path.read_text("utf-8"))}
    patterns = [_pattern(name) for name in named]
    unused = [key for key in tables["en"] if not _fits(key, patterns)]
    assert not unused
    spoken = {
        key
        for path in VIEWS
        for key in re.findall(r'\b(?:say|sentence)\(\s*"([^"]+)"', path.read_text("utf-8"))
    }
    assert spoken <= set(tables["en"])


def _pattern(name: str) -> re.Pattern[str]:
    """A key as it stands in a view: what is between `${` and `}` may be anything."""
    fixed = re.split(r"\$\{[^}]*\}", name)
    return re.compile(".+".join(map(re.escape, fixed)))


def _fits(key: str, patterns: list[re.Pattern[str]]) -> bool:
    return any(pattern.fullmatch(key) for pattern in patterns)


# --- no view has words of its own -----------------------------------------------------------------


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.name)
def test_a_view_has_no_visible_text_of_its_own(path: Path) -> None:
    for template in templates(path.read_text("utf-8")):
        texts = (text.strip() for text in re.findall(r">([^<]*)<", f">{template}<"))
        own = {text for text in texts if re.search(r"[^\W\d_]", text)} - OWN
        assert not own, f"{path.name} says {own}"
        named = re.findall(r'\b(?:aria-label|title|placeholder|alt)="([^"\0]*)"', template)
        assert not named, f"{path.name} names {named}"


def templates(source: str) -> Iterator[str]:
    """The templates of a module, each without what stands between `${` and `}`."""
    for start in re.finditer(r"html`", source):
        yield _template(source, start.end())


def _template(source: str, at: int) -> str:
    """The template that begins at a place, with NUL for each of its expressions."""
    found: list[str] = []
    while source[at] != "`":
        if source.startswith("${", at):
            at = _behind(source, at + 2)
            found.append("\0")
        else:
            found.append(source[at])
            at += 1
    # An expression in the place of a tag's name or its attributes may hold `>`; here it is gone.
    return "".join(found)


def _behind(source: str, at: int) -> int:
    """The place behind an expression and its brace."""
    depth = 1
    while depth:
        sign = source[at]
        if sign == "`":
            at = _end(source, at + 1)
        depth += (sign == "{") - (sign == "}")
        at += 1
    return at


def _end(source: str, at: int) -> int:
    """The place of the mark that ends a template."""
    while source[at] != "`":
        at = _behind(source, at + 2) if source.startswith("${", at) else at + 1
    return at


def test_the_reader_of_templates_finds_words() -> None:
    source = "html`<p class=${a ? `x ${b}` : {}}>Hello ${say(`k`)}</p>${c && html`<b>there</b>`}`"
    assert [*templates(source)] == ["<p class=\0>Hello \0</p>\0", "<b>there</b>"]
