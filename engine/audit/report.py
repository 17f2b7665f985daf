"""An audit reports sixteen steps: each has a verdict, and remarks with their entries.

The steps are those of docs/bundle.md, in its order and under its names.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct

from ...events.entry import HIDDEN, TEXTS, Entry
from .kinds import KINDS, SHOWN, Seen

Verdict: TypeAlias = Literal["pass", "fail", "finding", "not-checked", "not-applicable"]
"""`finding` asks people to look closer; `not-checked` lacked what the check needs."""

Word: TypeAlias = Literal["wrong", "look", "stated", "unchecked"]
"""What a remark says: a failure; what people should look at; what is so; what lacked its check."""

CHECKS: Mapping[int, str] = MappingProxyType(
    dict(
        enumerate(
            (
                "parse",
                "signature",
                "tree",
                "sequence",
                "payloads",
                "throws",
                "commitments",
                "transcripts",
                "dice",
                "transitions",
                "rules",
                "reuse",
                "voids",
                "rulings",
                "hidden",
                "fairness",
            ),
            start=1,
        )
    )
)
"""The name of every step by its number."""

REMARKS = 100
"""Remarks that a step keeps, at most: a forged log may have one for every entry."""

PRESENT, SEALED, DISCLOSED, TEXT, ERASED = 1, 2, 4, 8, 16


class Remark(Struct, frozen=True, omit_defaults=True):
    """One thing seen: at which entry, what should have been there, what was.

    `word` is its weight; `kind` a key of KINDS, empty where none counts it.
    """

    why: str
    seq: int | None = None
    expected: str | None = None
    found: str | None = None
    word: Word = "wrong"
    kind: str = ""


class Result(Struct, frozen=True):
    """A step's verdict; `checked` counts what it looked at, `remarks` the first REMARKS seen.

    `more` counts the remarks that were not kept; `summary` says the verdict in one line.
    """

    step: int
    name: str
    verdict: Verdict
    summary: str
    checked: int
    remarks: tuple[Remark, ...]
    more: int = 0

    @property
    def looks(self) -> bool:
        """Whether it has something that people should look at."""
        return any(remark.word == "look" for remark in self.remarks)


class Findings:
    """The remarks and verdicts so far; each step writes here entry by entry."""

    def __init__(self) -> None:
        self._verdicts: dict[int, Verdict] = {}
        self._checked = dict.fromkeys(CHECKS, 0)
        self._remarks: dict[int, list[Remark]] = {step: [] for step in CHECKS}
        self._more = dict.fromkeys(CHECKS, 0)
        self._summaries: dict[int, str] = {}
        self._unchecked: set[int] = set()
        self._kinds: dict[str, tuple[int, tuple[int, ...]]] = {}

    def checked(self, step: int, count: int = 1) -> None:
        """The step looked at `count` more things, and passes unless it fails for another reason."""
        self._checked[step] += count

    def fail(
        self,
        step: int,
        why: str,
        seq: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        """The step fails, because of entry `seq` where there is one."""
        self._verdicts[step] = "fail"
        self._remark(step, Remark(why, seq, expected, found))

    def finding(self, step: int, kind: str, why: str, seq: int | None = None) -> None:
        """A look after which the step does not pass."""
        self._at_least(step, "finding")
        self.look(step, kind, why, seq)

    def look(self, step: int, kind: str, why: str, seq: int | None = None) -> None:
        """Something that people should look at, of this kind; no proof of anything."""
        self.count(kind, seq)
        self._remark(step, Remark(why, seq, word="look", kind=kind))

    def unchecked(self, step: int, why: str, seq: int | None = None) -> None:
        """Something could not be checked: what it needs is not in the file, or not known here."""
        self._at_least(step, "not-checked")
        self._unchecked.add(step)
        self._remark(step, Remark(why, seq, word="unchecked"))

    def sealed(self, step: int, why: str, seq: int | None = None) -> None:
        """What this check needs is hidden from the reader: it was not checked, and is no gap."""
        self._at_least(step, "not-checked")
        self._remark(step, Remark(why, seq, word="stated"))

    def note(self, step: int, why: str, seq: int | None = None, kind: str = "") -> None:
        """Something worth showing that leaves the verdict alone; counted where it has a kind."""
        if kind:
            self.count(kind, seq)
        self._remark(step, Remark(why, seq, word="stated", kind=kind))

    def count(self, kind: str, seq: int | None = None, count: int = 1) -> None:
        """Count something of a kind, with its entry where it has one."""
        before, entries = self._kinds.get(kind, (0, ()))
        if seq is not None and len(entries) < SHOWN:
            entries = (*entries, seq)
        self._kinds[kind] = (before + count, entries)

    def summary(self, step: int, text: str) -> None:
        """Set the summary of the step, in one line."""
        self._summaries[step] = text

    def failed(self, *steps: int) -> bool:
        """Whether any of these steps failed so far; of all, where none is named."""
        return any(self._verdicts.get(step) == "fail" for step in steps or CHECKS)

    @property
    def steps_unchecked(self) -> tuple[int, ...]:
        """The steps that could not check something."""
        return tuple(sorted(self._unchecked))

    def seen(self) -> tuple[Seen, ...]:
        """What was counted, in the order of KINDS."""
        found = ((kind, self._kinds.get(kind)) for kind in KINDS)
        return tuple(Seen(kind, KINDS[kind].word, *each) for kind, each in found if each)

    def results(self) -> tuple[Result, ...]:
        """Every step, in order. One that checked nothing is not applicable."""
        return tuple(self._result(step) for step in CHECKS)

    def _result(self, step: int) -> Result:
        checked = self._checked[step]
        verdict = self._verdicts.get(step) or ("pass" if checked else "not-applicable")
        return Result(
            step=step,
            name=CHECKS[step],
            verdict=verdict,
            summary=self._summaries.get(step, ""),
            checked=checked,
            remarks=tuple(self._remarks[step]),
            more=self._more[step],
        )

    def _at_least(self, step: int, verdict: Verdict) -> None:
        worst: tuple[Verdict, ...] = ("not-checked", "finding", "fail")
        before = self._verdicts.get(step)
        if before is None or worst.index(before) < worst.index(verdict):
            self._verdicts[step] = verdict

    def _remark(self, step: int, remark: Remark) -> None:
        if len(self._remarks[step]) < REMARKS:
            self._remarks[step].append(remark)
        else:
            self._more[step] += 1


class Mark(Struct, frozen=True):
    """What is remembered of one entry; `present`: it is in the file."""

    present: bool
    hidden: bool
    disclosed: bool


class Marks:
    """A mark for each entry by its place: in a row for a whole table, else one by one."""

    def __init__(self) -> None:
        self._row = bytearray()
        self._single: dict[int, int] = {}

    def take(self, entry: Entry) -> None:
        """Remember one more entry."""
        mark = PRESENT
        mark |= SEALED if entry.kind in HIDDEN else 0
        mark |= DISCLOSED if entry.payload is not None else 0
        mark |= TEXT if entry.kind in TEXTS else 0
        if entry.seq == len(self._row):
            self._row.append(mark)
        else:
            self._single[entry.seq] = mark

    def of(self, seq: int) -> Mark:
        """What is remembered of entry `seq`."""
        mark = self._mark(seq)
        return Mark(
            present=bool(mark & PRESENT),
            hidden=bool(mark & SEALED),
            disclosed=bool(mark & DISCLOSED),
        )

    def erase(self, seq: int) -> None:
        """Remember that entry `seq` was erased."""
        if 0 <= seq < len(self._row):
            self._row[seq] |= ERASED
        elif seq in self._single:
            self._single[seq] |= ERASED

    def withheld(self, *, hidden: bool) -> Iterator[int]:
        """The entries of that class whose payload is missing, though nobody erased it."""
        wanted = PRESENT | (SEALED if hidden else 0)
        return self._where(PRESENT | SEALED | DISCLOSED | ERASED, wanted)

    def erased_wrongly(self) -> Iterator[int]:
        """The entries that were erased, and are no texts."""
        return self._where(PRESENT | DISCLOSED | ERASED | TEXT, PRESENT | ERASED)

    def hidden(self) -> int:
        """How many entries are hidden."""
        return sum(1 for _ in self._where(SEALED, SEALED))

    def _where(self, looked_at: int, wanted: int) -> Iterator[int]:
        for seq, mark in enumerate(self._row):
            if mark & looked_at == wanted:
                yield seq
        for seq, mark in sorted(self._single.items()):
            if mark & looked_at == wanted:
                yield seq

    def _mark(self, seq: int) -> int:
        if 0 <= seq < len(self._row):
            return self._row[seq]
        return self._single.get(seq, 0)
