"""The case as one HTML page: no script, no network, under 40 KB, for screens, phones and print.

It is made from the facts alone. Where they would not fit, texts are cut, and dice, steps and proofs
left out, each time saying so.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape

from msgspec import Struct

from ...projections.account import ShownDie, ShownHand
from ...projections.result import Item, Line, Result, as_read, see, written
from .facts import Answer, Box, Case, Dispute, Otherwise, Part, Quote, Step, Throw
from .inline import cut, inline, paragraphs, tagged
from .legend import (
    HOST_TEXT,
    LOOKS_TEXT,
    MARKS,
    SAME_DICE,
    SEATS,
    again,
    gaps,
    legend,
    marks,
    reading_aids,
)
from .proofs import DIE, commands
from .style import STYLE

MOST = 40_000
"""Bytes of a page, at most."""


class Detail(Struct, frozen=True):
    """How much is shown, at most.

    `text`: characters of what a person wrote; `sentence`: those of any other text. `proofs`,
    `steps`, `dice` of a hand, `rows` of a sum, `others`: other decisions.
    """

    text: int
    sentence: int
    proofs: int
    steps: int
    dice: int
    rows: int
    others: int

    def inline(self, text: str) -> str:
        """A sentence as HTML, cut where it is too long."""
        return inline(cut(text, self.sentence))


DETAILS = (
    Detail(1_200, 4_000, 40, 200, 60, 60, 6),
    Detail(600, 2_000, 12, 200, 40, 40, 6),
    Detail(400, 1_000, 6, 100, 24, 30, 6),
    Detail(300, 600, 3, 60, 16, 20, 5),
    Detail(200, 400, 1, 40, 10, 12, 4),
    Detail(120, 250, 1, 24, 8, 8, 4),
    Detail(80, 200, 0, 12, 6, 5, 3),
    Detail(60, 120, 0, 8, 4, 3, 2),
    Detail(40, 80, 0, 4, 2, 1, 1),
)
"""From the most to the least; the first that fits is taken."""

DISPUTES = 6
"""Disputes that are shown, at most; the first ones."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(case: Case, link: str = "") -> str:
    """The page, ending in a line break; at most MOST bytes in UTF-8.

    `link` shows the roll to who has no seat, where there is one.
    """
    found = ""
    for detail in DETAILS:
        found = "\n".join(_page(case, detail, link)) + "\n"
        if len(found.encode("utf-8")) <= MOST:
            break
    return found


def _page(case: Case, detail: Detail, link: str) -> Iterator[str]:
    name = f"Roll {case.roll} by {inline(case.who)}"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>Roll {case.roll}: a case file</title>"
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>"
    yield f"<h1>{name}</h1>"
    label = f"“{paragraphs(case.title, 120)}”, " if case.title else ""
    yield (
        f'<p class="sub">{label}table {inline(case.record.table)}, {inline(case.record.system)},'
        f" {_day(case.at)}</p>"
    )
    if link:
        yield f'<p class="sub">Receipt: <a href="{escape(link)}">{escape(link)}</a></p>'
    yield f'<p class="tale">{" ".join(map(detail.inline, case.tale))}</p>'
    yield '<div class="boxes">' + "".join(_box(each, detail) for each in case.boxes) + "</div>"
    yield from _people(case)
    yield from _disputes(case, detail)
    yield from _terms(case)
    yield from _steps(case, detail)
    yield from _sums(case, detail)
    yield from _otherwise(case, detail)
    yield from _chance(case)
    yield from _past(case, detail)
    yield from _proofs(case, detail)
    yield from _record(case)
    yield "</main>\n</body>\n</html>"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")


def _clock(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%H:%M:%S")


def _box(box: Box, detail: Detail) -> str:
    tone = f" {box.tone}" if box.tone else ""
    return (
        f'<section class="box{tone}"><h3>{box.title}</h3><b>{detail.inline(box.head)}</b>'
        f"<p>{detail.inline(box.text)}</p></section>"
    )


def _people(case: Case) -> Iterator[str]:
    said: list[str] = []
    for each in case.people:
        plays = f", plays {', '.join(map(inline, each.characters))}" if each.characters else ""
        role = "" if each.role == each.seat else f", {each.role}"
        said.append(f"{inline(each.name)} ({inline(each.seat)}{role}{plays})")
    leads = " A narrator leads the game, and rules on disputes."
    yield f'<p class="small">{SEATS}: {"; ".join(said)}.{leads}</p>'


# --- the dispute ----------------------------------------------------------------------------------


def _disputes(case: Case, detail: Detail) -> Iterator[str]:
    if case.disputes:
        yield f"<h2>The dispute{'s' if len(case.disputes) > 1 else ''}</h2>"
    for each in case.disputes[:DISPUTES]:
        yield from _dispute(each, detail)
    if len(case.disputes) > DISPUTES:
        yield f"<p>{len(case.disputes) - DISPUTES} more disputes are left out here.</p>"


def _dispute(dispute: Dispute, detail: Detail) -> Iterator[str]:
    yield '<section class="dispute">'
    by = inline(dispute.quote.by)
    yield f"<p>{by} disputed roll {dispute.roll} at step {dispute.step}:</p>"
    yield _quote(dispute.quote, detail)
    if dispute.answer is not None:
        yield _answer(dispute.answer, "What the log has on this", "log", detail)
    for each in dispute.more:
        yield _answer(each, "In the log", "log more", detail)
    yield f"<p>{detail.inline(dispute.ruled or 'There is no ruling yet.')}</p>"
    if dispute.ruling is not None:
        yield _quote(dispute.ruling, detail)
    yield f'<p class="small">{_judges(dispute)}</p>'
    yield "</section>"


def _judges(dispute: Dispute) -> str:
    names = ", ".join(map(inline, dispute.judges)) or "nobody is there"
    return f"Only a narrator of this table may rule on it: {names}."


def _quote(quote: Quote, detail: Detail) -> str:
    words = "<em>erased</em>" if quote.text is None else f"“{paragraphs(quote.text, detail.text)}”"
    return f"<blockquote>{words}</blockquote>"


def _answer(answer: Answer, lead: str, kind: str, detail: Detail) -> str:
    said = "".join(f"<p>{detail.inline(text)}</p>" for text in answer.sentences)
    return f'<div class="{kind}"><b>{lead}: {answer.kind.lower()}</b>{said}</div>'


def _terms(case: Case) -> Iterator[str]:
    if case.terms:
        yield "<h2>Words of the game</h2>"
        said = "<br>".join(f"<b>{inline(name)}</b>: {inline(text)}." for name, text in case.terms)
        yield f'<p class="small">{said}</p>'


# --- steps and dice -------------------------------------------------------------------------------


def _steps(case: Case, detail: Detail) -> Iterator[str]:
    yield "<h2>Step by step</h2>"
    dice = [die for step in case.steps for hand in step.hands for die in hand.dice]
    if dice:
        yield f'<p class="small">{" ".join(legend(dice))} Times are UTC.</p>'
    yield '<ol class="steps">'
    for step in _some(case.steps, detail.steps):
        yield from _step(step, detail)
    yield "</ol>"
    if len(case.steps) > detail.steps:
        yield f"<p>{len(case.steps) - detail.steps} steps in between are left out here.</p>"


def _some(steps: tuple[Step, ...], most: int) -> tuple[Step, ...]:
    """The first and the last steps, so many in all."""
    if len(steps) <= most:
        return steps
    return (*steps[: most - most // 3], *steps[len(steps) - most // 3 :])


def _step(step: Step, detail: Detail) -> Iterator[str]:
    part = f' <span class="part">{inline(step.part)}</span>' if step.part else ""
    does = " ".join(map(detail.inline, step.does))
    yield f'<li class="step" id="step{step.number}"><span class="n">{step.number}</span><div>'
    yield f"<time>{_clock(step.at)}</time>{does}{part}"
    for hand in step.hands:
        yield _hand(hand, detail)
    for text in (*step.allowed, *step.likely):
        yield f'<p class="small">{detail.inline(text)}</p>'
    for quote in step.quotes:
        yield _quote(quote, detail)
    yield "</div></li>"


def _hand(hand: ShownHand, detail: Detail) -> str:
    if all(die.frozen and not die.again for die in hand.dice):
        return ""  # all are kept, as the step says, and lie as they lay
    dice = "".join(map(_die, hand.dice[: detail.dice]))
    left = len(hand.dice) - detail.dice
    more = f"<li>and {left} more</li>" if left > 0 else ""
    return f'<ul class="dice">{dice}{more}</ul>' if hand.dice else ""


FACES = 6
"""Earlier faces of a die, at most; the latest ones."""


def _die(die: ShownDie) -> str:
    marks = {"gold": bool(die.makes), "again": again(die)}
    classes = " ".join(["die", *(name for name, holds in marks.items() if holds)])
    old = "".join(
        tagged(tag, face)
        for face, tag in (
            (face, "ins" if counts else "del") for face, counts in die.earlier[-FACES:]
        )
    )
    old += "→" if old else ""
    kept = "<i>kept</i>" if die.frozen else ""
    turned = "<i>turned</i>" if die.adjusted else ""
    return (
        f'<li class="{classes}"><i>{inline(die.die)}</i>{old}{tagged("b", die.face)}'
        f"{kept}{turned}</li>"
    )


# --- sums -----------------------------------------------------------------------------------------


def _sums(case: Case, detail: Detail) -> Iterator[str]:
    shown = [part for part in case.parts if part.outcome is not None]
    if shown:
        yield "<h2>How the result came out</h2>"
        if texts := " ".join(reading_aids(shown)):
            yield f'<p class="small">{texts}</p>'
    for part in shown:
        yield from _result(part, part.outcome, _called(part), detail)
        if part.first is not None:
            yield from _result(part, part.first, f"Before step {part.until}: ", detail)
    hurt = [part for part in case.parts if part.damage is not None]
    if hurt:
        yield "<h2>How the damage came about</h2>"
    for part in hurt:
        yield from _result(part, part.damage, _called(part), detail)


def _called(part: Part) -> str:
    link = f", {inline(part.link)}" if part.link else ""
    return f"Roll {part.roll} by {inline(part.who)}{link}: "


def _result(part: Part, result: Result | None, called: str, detail: Detail) -> Iterator[str]:
    if result is None:
        return
    marks = f" ({', '.join(part.marks)})" if part.marks else ""
    yield f"<h3>{called}{inline(result.head)}{result.between}{inline(result.text)}{marks}</h3>"
    if result.reason:
        yield f"<p>{inline(result.reason)}</p>"
    rows = [row for item, terms in written(result.items) for row in _rows(item, terms, detail)]
    if rows:
        yield '<table class="sum"><tbody>'
        yield from rows[: detail.rows]
        yield "</tbody></table>"
    if len(rows) > detail.rows:
        yield f"<p>{len(rows) - detail.rows} lines more are left out here.</p>"
    for note in result.notes[: detail.rows]:
        yield f'<p class="small">{detail.inline(note)}</p>'


def _rows(item: Item, terms: Iterable[tuple[str, Line]], detail: Detail) -> Iterator[str]:
    yield from (_row(inline(value), term, detail=detail) for value, term in terms)
    if item.fact:
        yield _row("", item.total, detail=detail, value=item.total.text)
        return
    equals = "= " if item.terms else ""
    total = item.total.text.replace("-", "−", 1) if item.total.number is not None else None
    yield _row(
        f"{equals}{inline(total or item.total.text)}",
        item.total,
        item.then,
        detail=detail,
        total=True,
    )


NAMED = 8
"""Dice named at a line, at most."""


def _row(
    number: str,
    line: Line,
    then: Iterable[str] = (),
    *,
    detail: Detail,
    total: bool = False,
    value: str = "",
) -> str:
    unit = f" ({inline(line.unit)})" if line.unit and line.unit not in line.label else ""
    dice = " ".join(line.dice) if len(line.dice) <= NAMED else f"{len(line.dice)} dice"
    parts = (dice, *then, see(line.heading), *map(as_read, line.readings))
    note = "; ".join(detail.inline(part) for part in parts if part)
    kind = ' class="total"' if total else ""
    fact = f": <b>{detail.inline(value)}</b>" if value else ""
    whose = f"{inline(line.whose)}'s " if line.whose else ""
    label = f"{whose}{detail.inline(line.label)}{unit}{fact}"
    return f"<tr{kind}><td>{number}</td><th>{label}</th><td>{note}</td></tr>"


# --- another decision -----------------------------------------------------------------------------


def _otherwise(case: Case, detail: Detail) -> Iterator[str]:
    if not case.otherwise:
        return
    yield "<h2>What another decision would have given</h2>"
    yield f"<p>{SAME_DICE}</p>"
    yield '<table class="what"><thead><tr><th>If</th><th>it was</th><th>it would be</th></tr>'
    yield "</thead><tbody>"
    for each in case.otherwise[: detail.others]:
        yield _other(each, detail)
    yield "</tbody></table>"
    if len(case.otherwise) > detail.others:
        yield f"<p>{len(case.otherwise) - detail.others} more are left out here.</p>"


def _other(each: Otherwise, detail: Detail) -> str:
    title = f"<th>{detail.inline(each.title)}{_notes(each, detail)}</th>"
    if not each.changes:
        return f'<tr>{title}<td colspan="2">the same: {detail.inline(each.why)}</td></tr>'
    was = "<br>".join(
        f"{detail.inline(what)}: {detail.inline(before)}" for what, before, _ in each.changes
    )
    now = "<br>".join(
        f"{detail.inline(what)}: {detail.inline(after)}" for what, _, after in each.changes
    )
    return f'<tr>{title}<td data-is="was">{was}</td><td data-is="would be">{now}</td></tr>'


def _notes(each: Otherwise, detail: Detail) -> str:
    return "".join(f'<p class="small">{detail.inline(note)}</p>' for note in each.notes)


# --- could anybody have chosen, and what went before ----------------------------------------------


def _chance(case: Case) -> Iterator[str]:
    yield "<h2>Could anybody have chosen the dice?</h2>"
    yield f'<p class="small">{HOST_TEXT}</p>'
    yield f"<p>{' '.join(inline(text) for text in case.chance.sentences)}</p>"
    if case.chance.choosers:
        yield f'<p class="small">{marks(case.chance)}.</p>'
        yield "<table><tbody>"
        for each in case.chance.choosers:
            yield (
                f'<tr class="{each.safe}"><td class="mark">{MARKS[each.safe][0]}</td>'
                f"<th>{inline(each.who)}</th><td>{inline(each.text)}</td></tr>"
            )
        yield "</tbody></table>"
    if case.chance.compare:
        yield f"<p>{inline(case.chance.compare)}</p>"
    if case.chance.looks:
        yield f"<h3>What to look at, in the whole table</h3><p>{LOOKS_TEXT}</p>"
        yield "".join(f"<p>{inline(text)}</p>" for text in case.chance.looks)


def _past(case: Case, detail: Detail) -> Iterator[str]:
    yield "<h2>What went before</h2>"
    yield from (f"<p>{detail.inline(text)}</p>" for text in case.past.sentences)
    for each in case.past.earlier:
        yield f"<p>{detail.inline(' '.join((each.text, *each.dice)))}</p>"
        yield from (_quote(quote, detail) for quote in each.quotes)
    if case.past.more:
        yield f"<p>And {case.past.more} more before these.</p>"


# --- proofs ---------------------------------------------------------------------------------------


def _proofs(case: Case, detail: Detail) -> Iterator[str]:
    yield "<details><summary>Seeds, proofs, and the entries of the log</summary>"
    entries = "; ".join(
        f"step {step.number}: {', '.join(map(str, step.entries))}"
        for step in _some(case.steps, detail.steps)
    )
    yield f"<p>Entries of the log by step: {entries}.{gaps(case)}</p>"
    if case.throws:
        yield (
            "<p>With OpenSSL 3 the lines below can be run in a shell, the first of them once. The"
            " hash must be the commitment; then each number is the place of a die’s face in the"
            " list of its kind, counted from 0.</p>"
        )
        yield f"<pre>{inline(DIE)}</pre>"
        kinds = "; ".join(
            f"{inline(kind)}: {' '.join(map(inline, faces))}" for kind, faces in case.faces
        )
        yield f"<p>Faces: {kinds}.</p>"
    for throw in case.throws[: detail.proofs]:
        yield from _throw(throw)
    left = len(case.throws) - detail.proofs
    if left > 0:
        yield f"<p>The proofs of {left} more throws are left out here; the bundle has them.</p>"
    yield "</details>"


def _throw(throw: Throw) -> Iterator[str]:
    yield f"<h3>Step {throw.step}: throw {inline(throw.id)}, level {throw.level}</h3>"
    must = f": {throw.commit}" if throw.commit else ""
    yield (
        f"<p>{inline(throw.who)} threw. The commitment to the seed S is in entry"
        f" {throw.committed}{must}</p>"
    )
    yield f"<pre>{inline_lines(commands(throw))}</pre>"
    dice = ", ".join(
        f"{each.draw} → {'?' if each.place is None else each.place} = {inline(each.die)}"
        f" {inline(each.face)}"
        for each in throw.dice
    )
    yield f"<p>{dice or 'no dice'}</p>"


def inline_lines(lines: Iterable[str]) -> str:
    """Lines as they are, escaped."""
    return "\n".join(inline(line) for line in lines)


# --- who wrote it ---------------------------------------------------------------------------------


def _record(case: Case) -> Iterator[str]:
    record = case.record
    yield "<h2>The record, and who wrote this page</h2>"
    yield f"<p><b>{inline(record.verdict)}</b></p>"
    yield "".join(f'<p class="small">{inline(text)}.</p>' for text in record.stated)
    whose = f" as {inline(record.seat)} may see it" if record.seat else ""
    sealed = ""
    if record.undisclosed:
        sealed = f" {record.undisclosed} sealed entries are not disclosed here."
    yield "<footer>"
    yield (
        f"<p>This page was written by a program, Urim {inline(record.version)}, from the log"
        f" {inline(record.origin)}{whose}, signed at {record.size:,} entries with the root"
        f" {inline(record.root)}. It is a file, and files can be changed.{sealed}</p>"
    )
    yield (
        "<p>Check it: ask for the table’s bundle, one file with the whole log (<code>urim"
        " export</code>), run <code>urim audit</code> or open verifier.html with it, then"
        f" <code>urim case … --roll {case.roll}</code>"
        " must write the same page.</p>"
    )
    if record.self_asserted:
        keys = ", ".join(map(inline, record.keys))
        yield f"<p>Compare the host’s key with one that you were given: {keys}</p>"
    yield "</footer>"
