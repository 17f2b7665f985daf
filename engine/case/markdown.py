"""The case as Markdown, for a chat, an issue, or a forum: the same facts as the page.

Every text is escaped, so that a name or a dispute adds no markup of its own.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from ...projections.account import ShownDie, ShownHand
from ...projections.result import Result
from ..render.markdown import escaped, sums
from .facts import Case, Dispute, Otherwise, Part, Quote, Step, Throw
from .inline import cut
from .legend import HOST_TEXT, LOOKS_TEXT, MARKS, SAME_DICE, marks
from .proofs import DIE, commands

TEXT = 1_200
"""Characters of a person's text, at most."""


def markdown(case: Case) -> str:
    """The whole case, ending in a line break."""
    return "\n".join(_lines(case)) + "\n"


def _lines(case: Case) -> Iterator[str]:
    day = datetime.fromtimestamp(case.at / 1000, UTC).strftime("%Y-%m-%d")
    yield f"# Roll {case.roll} by {escaped(case.who)}"
    label = f"“{escaped(cut(case.title, 120))}”, " if case.title else ""
    yield from (
        "",
        f"{label}table {escaped(case.record.table)}, {escaped(case.record.system)}, {day}",
    )
    yield from ("", " ".join(map(escaped, case.tale)), "", "| | | |", "|---|---|---|")
    for box in case.boxes:
        yield f"| {box.title} | **{escaped(box.head)}** | {escaped(box.text)} |"
    for each in case.disputes:
        yield from _dispute(each)
    if case.terms:
        yield from ("", "## Words of the game", "")
    yield from (f"- **{escaped(name)}**: {escaped(text)}." for name, text in case.terms)
    yield from ("", "## Step by step", "")
    yield (
        "A bold die is counted in a line of the sums below, for one side or the other. What is"
        " struck out was thrown again, or turned. Times are UTC."
    )
    yield ""
    for step in case.steps:
        yield from _step(step)
    yield from _sums(case)
    yield from _otherwise(case.otherwise)
    yield from _chance(case)
    yield from _past(case)
    yield from _proofs(case)
    yield from _record(case)


def _quote(quote: Quote) -> str:
    return "*erased*" if quote.text is None else f"“{escaped(cut(quote.text, TEXT))}”"


def _dispute(dispute: Dispute) -> Iterator[str]:
    yield from ("", "## The dispute", "")
    by = escaped(dispute.quote.by)
    yield f"{by} disputed roll {dispute.roll} at step {dispute.step}: {_quote(dispute.quote)}"
    found = [] if dispute.answer is None else [("What the log has on this", dispute.answer)]
    for lead, answer in (*found, *(("In the log", each) for each in dispute.more)):
        yield from (
            "",
            f"**{lead}: {answer.kind.lower()}.** " + " ".join(map(escaped, answer.sentences)),
        )
    judges = ", ".join(map(escaped, dispute.judges)) or "nobody is there"
    ruled = escaped(dispute.ruled or "There is no ruling yet.")
    yield from ("", ruled)
    if dispute.ruling is not None:
        yield from ("", f"> {_quote(dispute.ruling)}")
    yield from ("", f"Only a narrator of this table may rule on it: {judges}.")


def _step(step: Step) -> Iterator[str]:
    part = f" *({escaped(step.part)})*" if step.part else ""
    clock = datetime.fromtimestamp(step.at / 1000, UTC).strftime("%H:%M:%S")
    yield f"{step.number}. {' '.join(map(escaped, step.does))}{part} ({clock})"
    for hand in step.hands:
        yield f"   {_hand(hand)}"
    yield from (f"   {escaped(text)}" for text in (*step.allowed, *step.likely))
    yield from (f"   {_quote(quote)}" for quote in step.quotes)


def _hand(hand: ShownHand) -> str:
    return ", ".join(map(_die, hand.dice)) or "no dice"


def _die(die: ShownDie) -> str:
    old = "".join(
        f"{escaped(face)} " if counts else f"~~{escaped(face)}~~ " for face, counts in die.earlier
    )
    old += "→ " if old else ""
    face = f"**{escaped(die.face)}**" if die.makes else escaped(die.face)
    marks = [word for word, holds in (("kept", die.frozen), ("turned", die.adjusted)) if holds]
    more = f" ({', '.join(marks)})" if marks else ""
    return f"{escaped(die.die)} {old}{face}{more}"


def _sums(case: Case) -> Iterator[str]:
    for title, name in (
        ("How the result came out", "outcome"),
        ("How the damage came about", "damage"),
    ):
        found = [(part, getattr(part, name)) for part in case.parts]
        shown = [(part, result) for part, result in found if result is not None]
        if shown:
            yield from ("", f"## {title}")
        for part, result in shown:
            yield from _result(part, result)
            if name == "outcome" and part.first is not None:
                yield from _result(part, part.first, f"before step {part.until}: ")


def _result(part: Part, result: Result, lead: str = "") -> Iterator[str]:
    head = escaped(result.headline)
    marks = f" ({', '.join(part.marks)})" if part.marks else ""
    yield from ("", f"### Roll {part.roll} by {escaped(part.who)}: {lead}{head}{marks}")
    yield from sums(result)


def _otherwise(found: Iterable[Otherwise]) -> Iterator[str]:
    rows = list(found)
    if not rows:
        return
    yield from ("", "## What another decision would have given", "")
    yield from (SAME_DICE, "", "| if | it was | it would be |", "|---|---|---|")
    for each in rows:
        title = " ".join(map(escaped, (each.title, *each.notes)))
        was = "; ".join(f"{escaped(what)}: {escaped(old)}" for what, old, _ in each.changes)
        now = "; ".join(f"{escaped(what)}: {escaped(new)}" for what, _, new in each.changes)
        yield f"| {title} | {was or 'the same'} | {now or escaped(each.why)} |"


def _chance(case: Case) -> Iterator[str]:
    yield from ("", "## Could anybody have chosen the dice?", "")
    yield f"{HOST_TEXT} {' '.join(map(escaped, case.chance.sentences))}"
    yield ""
    for each in case.chance.choosers:
        yield f"- {MARKS[each.safe][0]} {escaped(each.who)}: {escaped(each.text)}"
    yield from ("", f"{marks(case.chance)}. {escaped(case.chance.compare)}".rstrip(), "")
    if case.chance.looks:
        yield from (LOOKS_TEXT, "")
    for text in case.chance.looks:
        yield f"- Look: {escaped(text)}"


def _past(case: Case) -> Iterator[str]:
    yield from ("", "## What went before", "")
    yield " ".join(map(escaped, case.past.sentences))
    yield ""
    for each in case.past.earlier:
        said = " ".join(map(escaped, (each.text, *each.dice)))
        yield f"- {said} {' '.join(map(_quote, each.quotes))}".rstrip()
    if case.past.more:
        yield f"- And {case.past.more} more before these."


def _proofs(case: Case) -> Iterator[str]:
    yield from ("", "## Seeds, proofs, and the entries of the log", "")
    yield "; ".join(
        f"step {each.number}: {', '.join(map(str, each.entries))}" for each in case.steps
    )
    if case.throws:
        yield from ("", "```sh", DIE, "```")
    for throw in case.throws:
        yield from _throw(throw)


def _throw(throw: Throw) -> Iterator[str]:
    yield from ("", f"### Step {throw.step}: throw {escaped(throw.id)}, level {throw.level}", "")
    yield f"The commitment is in entry {throw.committed}: {throw.commit}"
    yield from ("", "```sh", *commands(throw), "```", "")
    yield ", ".join(
        f"{each.draw} → {'?' if each.place is None else each.place} = {escaped(each.die)}"
        f" {escaped(each.face)}"
        for each in throw.dice
    )


def _record(case: Case) -> Iterator[str]:
    record = case.record
    whose = f" as {escaped(record.seat)} may see it" if record.seat else ""
    yield from ("", "## The record, and who wrote this", "", f"**{escaped(record.verdict)}**", "")
    yield from (f"- {escaped(text)}" for text in record.stated)
    yield ""
    yield (
        f"Written by a program, Urim {escaped(record.version)}, from the log"
        f" {escaped(record.origin)}{whose}, signed at {record.size:,} entries with the root"
        f" {escaped(record.root)}."
    )
    yield ""
    yield "Check it: ask for the table's bundle, run `urim audit` or open verifier.html with it."
