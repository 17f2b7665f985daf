"""What an audit says: the proof by urimcheck, then whether the table was played by its rules."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins

from ..core.parse import shown
from ..verifier import urimcheck

Verdict: TypeAlias = Literal["pass", "fail", "unchecked", "sealed"]
"""`unchecked` lacked what it needs; `sealed`: some of it is hidden from the reader."""

Word: TypeAlias = Literal["wrong", "unchecked", "stated"]

PASSED, FAILED, UNCHECKED = 0, 1, 3
"""The exit codes of an audit; an input that cannot be read raises instead (2)."""

KEY = ", if its key is the log's"
"""What is added where no key was given."""

STEP = "11 rules"
"""How the rules are named among urimcheck's steps."""

STATED: Mapping[str, str] = MappingProxyType(
    {
        "damage-left": "damage that was resolved and never applied",
        "set-back": "rating or track that was set and set back",
        "brought-back": "character that was removed and brought back",
    }
)
"""Facts that speak against nobody, and that only the rules know."""


class Remark(Struct, frozen=True, omit_defaults=True):
    """One thing seen at an entry: what should have been there, and what was.

    `kind` is a key of STATED where the word is `stated`.
    """

    word: Word
    why: str
    seq: int | None = None
    expected: str | None = None
    found: str | None = None
    kind: str = ""


class Rules(Struct, frozen=True):
    """Whether a table was played by its rules: those of `system`, by name and version.

    `decided` counts the entries that were decided again, `hidden` those that the reader may not
    see. `names` are what the log calls its seats, by id, where that is not the id.
    """

    system: str
    verdict: Verdict
    decided: int
    hidden: int
    remarks: tuple[Remark, ...]
    names: Mapping[str, str]


class Report(Struct, frozen=True):
    """What an audit found: `proof` is urimcheck's report, `rules` the rerun's."""

    proof: urimcheck.Report
    rules: Rules

    @property
    def exit(self) -> int:
        """1 where either is wrong; 3 where either could not check what is needed; else 0."""
        return FAILED if self.failed else UNCHECKED if self.unchecked else PASSED

    @property
    def failed(self) -> tuple[str, ...]:
        """The steps that fail, `11 rules` among them."""
        return self._steps("wrong", "fail")

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The steps that could not check what is needed."""
        return self._steps("unchecked", "unchecked")

    def _steps(self, word: str, verdict: Verdict) -> tuple[str, ...]:
        found = [f"{urimcheck.STEPS[step]} {step}" for step in self.proof.steps(word)]
        return (*found, *([STEP] if self.rules.verdict == verdict else []))

    @property
    def remarks(self) -> tuple[urimcheck.Remark, ...]:
        """What was seen, as urimcheck says it: the rules' remarks are of the step `rules`."""
        rules = self.rules.remarks
        more = (urimcheck.Remark("rules", e.seq, e.word, e.why, e.kind) for e in rules)
        return (*self.proof.remarks, *more)

    @property
    def asserted(self) -> tuple[str, ...]:
        """The seats with a key of which the reader named none."""
        return tuple(seat for seat in self.proof.keyed if seat not in self.proof.given)

    @property
    def looks(self) -> Mapping[str, int]:
        """How many there are of each kind of look."""
        return urimcheck.counted(self.proof, urimcheck.LOOKS)

    @property
    def stated(self) -> Mapping[str, int]:
        """How many there are of each kind that is stated, by its name in words."""
        proved = urimcheck.counted(self.proof, urimcheck.STATED)
        words = {urimcheck.STATED[kind]: count for kind, count in proved.items()}
        kinds = [each.kind for each in self.rules.remarks if each.kind]
        return words | {STATED[kind]: kinds.count(kind) for kind in STATED if kind in kinds}

    @property
    def verdict(self) -> str:
        """What both come to, without the looks and whose key it is."""
        return {
            PASSED: "Nothing is wrong",
            FAILED: f"This log is not sound: {', '.join(self.failed)}",
            UNCHECKED: "Nothing wrong was found, and not everything was checked:"
            f" {', '.join(self.unchecked)}",
        }[self.exit]

    @property
    def says(self) -> str:
        """The verdict of both in one sentence, and what to look at."""
        asserted = self.exit == PASSED and not self.proof.trusted
        told = f"{self.verdict}{KEY if asserted else ''}."
        return f"{told} Look at: {looks}." if (looks := self.looks_text) else told

    @property
    def looks_text(self) -> str:
        """What to look at, in a row; empty for nothing."""
        return ", ".join(f"{urimcheck.LOOKS[kind]} ({n})" for kind, n in self.looks.items())


def written(report: Report, first: Sequence[str] = ()) -> Iterator[str]:
    """The report for people, a line each: urimcheck's, then the rules', then one for both.

    The seats that are named come `first`.
    """
    *proof, _ = urimcheck.written(report.proof, first)
    yield from proof
    rules = report.rules
    if rules.names:
        called = (f"{seat} {shown(name)}" for seat, name in rules.names.items())
        yield f"called in the log: {', '.join(called)}"
    count = f"{rules.decided} entries decided again"
    hidden = f", {rules.hidden} hidden" if rules.hidden else ""
    yield f"rules: {rules.system or 'not known'}; {rules.verdict}, {count}{hidden}"
    for each in rules.remarks:
        where = "" if each.seq is None else f", entry {each.seq}"
        sides = (("expected", each.expected), ("found", each.found))
        values = ", ".join(f"{side} {value}" for side, value in sides if value is not None)
        yield f"{STEP}, {each.word}{where}: {each.why}{f' ({values})' if values else ''}"
    yield report.says


def as_json(report: Report) -> dict[str, Any]:
    """The report for programs: urimcheck's object, in which `exit` and `says` are of both."""
    of_both = {"exit": report.exit, "says": report.says}
    return urimcheck.as_json(report.proof) | of_both | {"rules": to_builtins(report.rules)}
