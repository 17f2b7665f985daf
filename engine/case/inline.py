"""Texts of a case as HTML: escaped, harmless, short enough, and each run in its own direction."""

import re
from html import escape

from ...projections.isolates import FSI, PDI
from ..render.direction import leftwards
from ..render.text import Pen

PEN = Pen()

RUN = re.compile(
    "[\u0590-\u05ff\ufb1d-\ufb4f](?:[\u0590-\u05ff\ufb1d-\ufb4f \u00a0]*"
    "[\u0590-\u05ff\ufb1d-\ufb4f])?"
)
"""Hebrew letters and points, and the blanks between them."""


def cut(text: str, most: int) -> str:
    """The text, so many characters of it at most; what is left out is counted."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… ({len(text) - most:,} more characters, in the log)"


def inline(text: object) -> str:
    """A text of one line: names and letters in <bdi>, each Hebrew run marked as such."""
    shown = PEN.write(" ".join(str(text).split("\n")))
    parts = re.split(f"([{FSI}{PDI}\u2066\u2067])", shown)
    out: list[str] = []
    depth = 0
    for part in parts:
        if part in (FSI, "\u2066", "\u2067"):
            depth += 1
            out.append("<bdi>")
        elif part == PDI:
            depth -= 1
            out.append("</bdi>")
        else:
            out.append(_runs(part))
    return _plainer("".join(out))


WHOLE = re.compile(r'<bdi( lang="he" dir="rtl")>([^<]*)</bdi>')


def tagged(tag: str, text: object) -> str:
    """A short text in a tag; one that is Hebrew alone needs no <bdi> in it."""
    shown = inline(text)
    found = WHOLE.fullmatch(shown)
    return f"<{tag}{found[1]}>{found[2]}</{tag}>" if found else f"<{tag}>{shown}</{tag}>"


def _runs(text: str) -> str:
    """Text without isolates, escaped; Hebrew in it marked."""
    if not any(map(leftwards, text)):
        return escape(text)
    found, last = [], 0
    for run in RUN.finditer(text):
        found.append(escape(text[last : run.start()]))
        found.append(f'<bdi lang="he" dir="rtl">{escape(run[0])}</bdi>')
        last = run.end()
    found.append(escape(text[last:]))
    return "".join(found)


WRAPPED = re.compile(r'<bdi>(<bdi lang="he" dir="rtl">[^<]*</bdi>)</bdi>')

PLAIN = re.compile(r"<bdi>([\x20-\x3b\x3d-\x7e\xa0]*)</bdi>")


def _plainer(html: str) -> str:
    """The same with fewer tags: one <bdi> is enough for a Hebrew word, none for ASCII."""
    return PLAIN.sub(r"\1", WRAPPED.sub(r"\1", html))


def paragraphs(text: str, most: int) -> str:
    """What a person wrote, its line breaks kept; a long one is cut, and says so."""
    lines = (inline(line) for line in cut(text, most).split("\n"))
    return "<br>".join(lines)
