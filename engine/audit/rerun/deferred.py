"""A finding that rests on entries not disclosed is deferred to the end of the file.

Hidden entries may be withheld, and in the bundle of one roll most entries are missing. What they
did to tracks and rolls is not known, so a verdict that rests on it waits. By the end the roll may
have been revealed. Else it is not checked.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.json import decode, encode

from ....errors import Refused
from ....events import roll as rolled
from ....events.codec import Event, event_json
from ..report import REMARKS, Findings

LEGAL, RULES = 10, 11
"""The steps: what may happen, by whom, with which dice; and the numbers that follow from it."""

VALUE_WIDTH = 300
"""Characters of a value that a finding shows, at most."""

NUMBERS = frozenset(
    {
        *("damage", "declaration", "declared", "effects", "outcome"),
        *("reaction", "target", "taken", "tracks"),
    }
)
"""Fields that the rules fill; all others repeat the command, or show what it was allowed."""

FIRM = (rolled.RollResolved, rolled.DiceRolled)
"""Events whose numbers follow from the roll alone."""


Kind: TypeAlias = Literal["withheld", "missing", "lost"]


class Wrong(Struct, frozen=True):
    """An entry that the rules do not lead to: the step that reports it, and why.

    One that is `firm` is wrong whatever the characters' tracks were.
    """

    step: int
    why: str
    expected: str | None = None
    found: str | None = None
    firm: bool = False


class DeferredFinding(Struct, frozen=True):
    """What seems wrong at entry `seq`, and what it rests on.

    `roll` is the hidden roll that it rests on, None for none; `tracks`: it rests on tracks.
    """

    seq: int
    wrong: Wrong
    roll: int | None
    tracks: bool


class Undisclosed:
    """The entries that could not be read: the first of each kind.

    One that is `withheld` is no text, and there without its payload: it changed no track, for a
    hidden roll costs and gains nothing before its reveal. From one that is `missing` on entries are
    not in the file. One that is `lost` could not be followed, and its effect is unknown. No verdict
    waits for a text that is withheld: it changed nothing.
    """

    def __init__(self) -> None:
        self._firsts: dict[Kind, int] = {}

    def note(self, kind: Kind, seq: int) -> None:
        """Entry `seq` is of that kind."""
        self._firsts.setdefault(kind, seq)

    @property
    def any(self) -> bool:
        """Whether anything that matters was not disclosed so far."""
        return bool(self._firsts)

    @property
    def of_tracks(self) -> int | None:
        """The first entry that may have changed a track and was not disclosed."""
        found = (seq for kind, seq in self._firsts.items() if kind != "withheld")
        return min(found, default=None)

    @property
    def gaps(self) -> bool:
        """Whether entries are missing."""
        return "missing" in self._firsts

    def first(self) -> int | None:
        """The first entry that was not disclosed."""
        return min(self._firsts.values(), default=None)


class Deferred:
    """The findings that wait for the end."""

    def __init__(self, findings: Findings, undisclosed: Undisclosed) -> None:
        self._findings = findings
        self._undisclosed = undisclosed
        self._deferred: list[DeferredFinding] = []

    def report(self, finding: DeferredFinding) -> None:
        """Fail the step, at once where the finding rests on nothing undisclosed."""
        tracks = finding.tracks and self._undisclosed.of_tracks is not None
        if (finding.roll is None and not tracks) or not self._undisclosed.any:
            self._fail(finding)
        elif len(self._deferred) < REMARKS:
            # Whatever comes later rests on undisclosed entries too: the first ones are enough.
            self._deferred.append(finding)

    def revealed(self, roll: int) -> None:
        """All entries of a roll are disclosed now, those that seemed hidden too."""
        self._deferred = [
            DeferredFinding(each.seq, each.wrong, None, each.tracks) if each.roll == roll else each
            for each in self._deferred
        ]

    def end(self) -> None:
        """Decide every finding that waited: a failure, or not checked."""
        first, of_tracks = self._undisclosed.first(), self._undisclosed.of_tracks
        for finding in self._deferred:
            rests = [first] if finding.roll is not None else []
            rests += [of_tracks] if finding.tracks else []
            if any(seq is not None and seq < finding.seq for seq in rests):
                wrong = finding.wrong
                why = f"cannot be decided without what is not in the file: {wrong.why}"
                self._findings.unchecked(wrong.step, why, finding.seq)
            else:
                self._fail(finding)

    def _fail(self, finding: DeferredFinding) -> None:
        wrong = finding.wrong
        self._findings.fail(wrong.step, wrong.why, finding.seq, wrong.expected, wrong.found)


def refused(error: Refused, event: Event) -> Wrong:
    """The wrong of an event that should have been refused."""
    expected = cut(error.allowed_text) if error.allowed else "nothing of the kind"
    return Wrong(LEGAL, error.why, expected, event_text(event))


def event_text(event: Event) -> str:
    """An event as a finding shows it: its payload, cut."""
    return cut(event_json(event).decode("utf-8"))


def cut(text: str) -> str:
    """The text, or as much of it as a finding shows."""
    return text if len(text) <= VALUE_WIDTH else f"{text[: VALUE_WIDTH - 3]}..."


def difference(expected: Event, event: Event) -> Wrong | None:
    """How an event differs from the one expected; None where it does not."""
    if type(expected) is not type(event):
        why = "something else must happen first"
        return Wrong(LEGAL, why, event_text(expected), event_text(event))
    given, found = event_json(expected), event_json(event)
    if given == found:
        return None
    # As they are stored: a decision may hold tuples where a log has lists, and keys in any order.
    left, right = decode(given), decode(found)
    for name in event.__struct_fields__:
        wanted, has = left.get(name), right.get(name)
        if not _same(wanted, has):
            step = RULES if _of_rules(name, event) else LEGAL
            path, one, other = next(_differences(name, wanted, has), (name, wanted, has))
            why = f"{path} is not what it must be"
            firm = step == LEGAL or isinstance(event, FIRM)
            return Wrong(step, why, _shown(one), _shown(other), firm=firm)
    return None


def _of_rules(name: str, event: Event) -> bool:
    """Whether the rules fill a field; they fill the dice taken over from another roll too."""
    return name in NUMBERS or (name == "dice" and getattr(event, "taken", None) is not None)


def _differences(path: str, wanted: Any, has: Any) -> Iterator[tuple[str, Any, Any]]:
    """The innermost places at which two JSON values differ."""
    if isinstance(wanted, dict) and isinstance(has, dict):
        for key in {**wanted, **has}:
            same = key in wanted and key in has and _same(wanted[key], has[key])
            if not same:
                yield from _differences(f"{path}.{key}", wanted.get(key), has.get(key))
    else:
        yield path, wanted, has


def _same(wanted: Any, has: Any) -> bool:
    """Whether two JSON values are the same: true is not 1, as it is in Python; 9.0 is 9."""
    if isinstance(wanted, dict) and isinstance(has, dict):
        return wanted.keys() == has.keys() and all(_same(wanted[key], has[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(has, list):
        return len(wanted) == len(has) and all(map(_same, wanted, has))
    if isinstance(wanted, bool) or isinstance(has, bool):
        return wanted is has
    return bool(wanted == has)


def _shown(value: Any) -> str:
    return "nothing" if value is None else cut(encode(value).decode("utf-8"))
