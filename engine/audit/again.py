"""A log decided again, roll by roll: the same, or what comes out otherwise.

It asks what a change of rules does to evenings that were played: the rules as they are here, or
others given in their place, or readings with other values. The judge is the audit's. It decides
each command on the table as the log has it before, so a roll that comes out otherwise changes
none behind it: each roll is named for what changed in it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ...errors import Refused
from ...events import roll as rolled
from ...events import table as tabled
from ...events.codec import Event, recorded
from ...events.entry import Entry
from ...projections.automaton import ROWS
from ...projections.tables import Rulesets
from ...rules import ruleset_named
from ...rules.figures import OUTSIDE, name_of
from ...rules.readings import readings_of
from ...rules.ruleset import Ruleset
from ...rules.words import ENGLISH
from .commits import commits_in
from .difference import Field
from .rerun import NO_READINGS, Rerun

TRIGGERS: Mapping[type, str] = {row.events[0]: row.trigger for row in reversed(ROWS)}
"""The trigger that leads to each event of a roll."""


SHOWN = 4
"""Fields of one entry that are told."""


class Otherwise(Struct, frozen=True):
    """The first entry of a roll that comes out otherwise; `roll` is None for one of no roll.

    `event` is what the log has there. `fields` are those that differ: `expected` is what the rules
    give now, `found` what the log has. `why` says it where there are none, and names what comes
    instead in `expected`. `headings` are the parts of the book that have these rules.
    """

    roll: int | None
    seq: int
    event: str
    why: str
    expected: str | None
    found: str | None
    fields: tuple[Field, ...]
    headings: tuple[str, ...]


class Again(Struct, frozen=True):
    """A log decided again: `rolls` is how many it has, `decided` counts entries.

    `unchecked` says why something could not be decided: its rules are not known here, or it is
    hidden; with each reason, the first entry.
    """

    system: str
    rolls: int
    decided: int
    otherwise: tuple[Otherwise, ...]
    unchecked: tuple[tuple[int, str], ...]


def again(
    entries: Iterable[Entry],
    rulesets: Rulesets = ruleset_named,
    readings: Mapping[str, Any] = NO_READINGS,
) -> Again:
    """Decide every command of a table's log again.

    Raises Damaged for an entry that holds no event; Refused where the system of the log does not
    know one of `readings`.
    """
    judge, events = Rerun(rulesets, readings), dict[int, Event]()
    for commit in commits_in(entries):
        events |= {record.seq: record.event for record in commit.records}
        judge.take(commit)
    found = judge.end()
    otherwise: dict[int, Otherwise] = {}
    unchecked: dict[str, int] = {}
    if judge.system is None:
        unknown = tuple((each.seq or 0, each.why) for each in found.remarks)
        return Again(found.system, _rolls(events), 0, (), unknown)
    for finding, remark in sorted(judge.wrong, key=lambda each: each[0].seq):
        event = events.get(finding.seq)
        roll = event.roll if isinstance(event, rolled.RollEventBase) else None
        if remark.word != "wrong" or event is None:
            unchecked.setdefault(remark.why, finding.seq)
            continue
        wrong, tag = finding.wrong, str(event.__struct_config__.tag)
        rules = headings(judge.system, event, wrong.fields)
        one = Otherwise(
            roll,
            finding.seq,
            tag,
            wrong.why,
            wrong.expected,
            wrong.found,
            wrong.fields,
            rules,
        )
        otherwise.setdefault(roll if roll is not None else -finding.seq, one)
    return Again(
        found.system,
        _rolls(events),
        found.decided,
        tuple(otherwise.values()),
        tuple((seq, why) for why, seq in unchecked.items()),
    )


def system_of(entries: Sequence[Entry], rulesets: Rulesets) -> Ruleset:
    """The system of a log, as it is here. Raises Refused where it is not known."""
    opening = recorded(entries[0]).event if entries and entries[0].payload is not None else None
    if not isinstance(opening, tabled.TableOpened):
        raise Refused("unreadable", "the log does not begin with the opening of a table")
    return rulesets(opening.ruleset)


def told(each: Otherwise) -> str:
    """One roll that comes out otherwise, in a line: where, what, and the heading of the rule."""
    place = "" if each.roll is None else f"roll {each.roll}, "
    left = len(each.fields[SHOWN:])
    what = "; ".join(f"{e.path} was {e.found}, is {e.expected}" for e in each.fields[:SHOWN])
    what += f"; {left} more" if left else ""
    if not what:
        what = each.why + (f" (now: {each.expected})" if each.expected else "")
    return f"{place}entry {each.seq}, {each.event}: {what} ({', '.join(each.headings)})"


def _rolls(events: Mapping[int, Event]) -> int:
    return len({e.roll for e in events.values() if isinstance(e, rolled.RollDeclared)})


def headings(ruleset: Ruleset, event: Event, fields: Sequence[Field]) -> tuple[str, ...]:
    """The parts of the book that have the rules of these fields, or else of the event."""
    found = [heading for each in fields if (heading := _of_field(ruleset, each))]
    if not found:
        rule = ruleset.words.get(ENGLISH, {}).get(f"rule.{TRIGGERS.get(type(event))}", "")
        found = [rule.partition("|")[0] or ruleset.source]
    return tuple(dict.fromkeys(found))


def _of_field(ruleset: Ruleset, field: Field) -> str:
    """The heading of a figure, of a number beside the figures, or of a reading; else nothing."""
    part, _, rest = field.path.partition(".")
    if part not in ("outcome", "damage"):
        return ""
    group, _, key = rest.partition(".")
    name = name_of(key) if group == "figures" else group
    if name in ruleset.figures and (key or name in OUTSIDE):
        return ruleset.figures[name].heading
    known = {each.name: each.heading for each in readings_of(ruleset.Options)}
    listed = [known[each] for each in known if f'"{each}"' in field.expected + field.found]
    return listed[0] if name == "readings" and listed else ""
