"""What-ifs about the very thing in dispute: without the throw, with what somebody argued for."""

from collections.abc import Iterator

from msgspec import Struct

from ...events import roll as rolled
from ...events import ruling
from ...events import table as tabled
from ...events.codec import RecordedEvent
from ...projections.lexicon import name_text
from ...projections.phrases import spaced
from ...projections.rollstate import RollState
from ..whatif.changes import Change, Declared, Instead, Without
from .source import Source, asked_body
from .subject import Subject


class Wish(Struct, frozen=True):
    """Another decision: of which sort, in words, what it changes, and the entries it is about."""

    kind: str
    title: str
    changes: tuple[Change, ...]
    about: tuple[int, ...] = ()


STANDS = {"ruling": "stands", "character": None, "fields": None, "against": None}
"""The fields of a ruling that leaves the roll as it is."""


def disputed_of(subject: Subject) -> Iterator[Wish]:
    """The other decisions that a dispute asks about."""
    yield from _left_out(subject)
    yield from _declared(subject)
    yield from _rated(subject)


def _left_out(subject: Subject) -> Iterator[Wish]:
    """The dice not thrown again, or not turned: the latest such deeds."""
    if subject.kind not in ("order", "dice"):
        return
    for each in reversed(subject.deeds):
        roll = subject.source.state.rolls[each.roll]
        entry = next(record for record in roll.trail if record.seq == each.seq)
        who, dice = name_text(subject.source.state, each.who), ", ".join(each.dice)
        done = f"turned {dice}" if isinstance(each.event, rolled.DiceAdjusted) else (
            f"thrown {dice} again"
        )  # fmt: skip
        seq = asked_at(subject.source, roll, entry)
        title = f"{who} had not {done} at step {each.step}"
        yield Wish("dispute", title, (Without(seq),), (seq, each.seq))


def asked_at(source: Source, roll: RollState, entry: RecordedEvent) -> int:
    """The entry with the command behind dice that fell: of a throw with shares its ask."""
    throw = getattr(getattr(entry.event, "proof", None), "throw", None)
    for each in roll.trail:
        if isinstance(each.event, rolled.ThrowAsked) and each.event.throw == throw:
            return source.entries[each.seq].commit
    return source.entries[entry.seq].commit


def _declared(subject: Subject) -> Iterator[Wish]:
    """Another line of a chart, as somebody argues for; not where a ruling has set the field."""
    if subject.amended:
        return
    for each in subject.declared():
        for field, line in subject.argued_lines(each):
            number = "" if line.number is None else f"{line.number} "
            title = (
                f"{name_text(subject.source.state, each.who)} had declared"
                f" {spaced(field)} {number}({line.value})"
            )
            wish = {**each.wish, field: line.value}
            change = Instead(each.seq, {"reaction": wish})
            other = change if each.reaction else Declared(each.roll, {field: line.value})
            yield Wish("dispute", title, (other,))


def _rated(subject: Subject) -> Iterator[Wish]:
    """Another rating on a sheet, as somebody argues for; the roll standing where it was voided."""
    argued = subject.argued_rating()
    if argued is None:
        return
    who, name, number = argued
    for record in subject.source.records:
        event = None if record is None else record.event
        if isinstance(event, tabled.CharacterEntered) and event.character == who and record:
            attributes = asked_body(subject.source.entries[record.seq]).get("attributes")
            if not isinstance(attributes, dict):
                return
            sheet = Instead(record.seq, {"attributes": {**attributes, name: number}})
            stood, standing = _standing(subject)
            title = f"{spaced(name)} of {name_text(subject.source.state, who)} had been {number}"
            yield Wish("dispute", f"{title}{stood}", (sheet, *standing))


def _standing(subject: Subject) -> tuple[str, tuple[Change, ...]]:
    """That a roll which a ruling on this dispute voided stood."""
    for roll, entry in subject.trail():
        event = entry.event
        if not isinstance(event, ruling.RulingMade) or event.dispute != subject.seq:
            continue
        if entry.first and event.ruling in ("void", "replay"):
            return f", and roll {roll.number} stood", (Instead(entry.seq, STANDS),)
    return "", ()
