"""The facts of a case: all that its page says of a roll, and nothing that a writer adds.

Texts are plain words. Names, letters, and what people wrote are between isolates (U+2068, U+2069),
as in the history; a writer shows those as its form does. A *step* is what one command led to; steps
are counted from 1 within the case. Entries are the log's own numbers.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from ...projections.account import ShownHand
from ...projections.result import Result

Mark: TypeAlias = Literal["yes", "if", "no", "open"]
"""A tick, one that holds under a condition, a dash that warns, and what nobody can know."""


class Quote(Struct, frozen=True):
    """Words of a person, `by` a seat's name. `what` they are: a reason, a label, a note.

    `text` is None where they were erased.
    """

    by: str
    what: str
    text: str | None


class Step(Struct, frozen=True, kw_only=True):
    """What one command led to.

    `entries` are those of the log that it stands for, `at` is when, in milliseconds since 1970.
    `roll` is its roll; `part` names that where the case has several, and how it follows. `does`
    are the deeds, a sentence each; `allowed` is what the rules offered there, which makes it legal.
    `likely` says how likely a throw was, and what it changed. `hands` are dice as they were then.
    """

    number: int
    entries: tuple[int, ...]
    at: int
    roll: int
    part: str
    does: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    hands: tuple[ShownHand, ...] = ()
    quotes: tuple[Quote, ...] = ()


class Part(Struct, frozen=True, kw_only=True):
    """A roll of the case: the one that it is about, one that this follows, or one that follows it.

    `link` is how it follows another ("" for the first), `marks` what is to know of it first.
    `first` is the outcome as it was announced, where a ruling made it another at step `until`.
    """

    roll: int
    who: str
    link: str
    marks: tuple[str, ...]
    outcome: Result | None
    damage: Result | None
    first: Result | None = None
    until: int = 0


class Answer(Struct, frozen=True):
    """What the log has about one thing that a dispute is about: the kind of fact, in sentences."""

    kind: str
    sentences: tuple[str, ...]


class Dispute(Struct, frozen=True, kw_only=True):
    """A dispute: at which step, its words, what the log has on it, and the ruling.

    `answer` is what fits its words; `more` are facts that people ask for beside it. `ruled` is the
    ruling in a sentence, "" where there is none yet; `ruling` its words. `judges` are the names of
    those who may rule on it: the narrators who are there.
    """

    step: int
    roll: int
    quote: Quote
    answer: Answer | None
    more: tuple[Answer, ...]
    ruled: str
    ruling: Quote | None
    judges: tuple[str, ...]


class Box(Struct, frozen=True):
    """One of the four boxes: its title, its figure in a few words, a sentence below it, its colour.

    `tone` is "good" where all is well, "bad" where something is wrong, else "".
    """

    title: str
    head: str
    text: str
    tone: Literal["", "good", "bad"] = ""


class Otherwise(Struct, frozen=True, kw_only=True):
    """What another decision would have given: the decision, then each thing that is another.

    `kind` is the sort of decision, `changes` are (what, before, after) in words; none where nothing
    is another, and `why` then says what makes it so. `notes` say what falls away, and what was
    never thrown.
    """

    kind: str
    title: str
    changes: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...] = ()
    why: str = ""


class Chooser(Struct, frozen=True):
    """Who might have chosen the dice, whether the log rules that out, and why.

    `condition` is a clause: under which it does, where it is marked so; "" elsewhere. `alone`:
    nobody else would have had to help.
    """

    who: str
    safe: Mark
    why: str
    condition: str = ""
    alone: bool = False

    @property
    def text(self) -> str:
        """Whether they could, and why, the condition first."""
        if self.safe == "if":
            return f"if {self.condition}, could not: {self.why}"
        return f"{SAFE[self.safe]}: {self.why}"


SAFE: Mapping[Mark, str] = {"yes": "could not", "no": "could", "open": "nobody knows"}
"""What the marks without a condition say."""


class Chance(Struct, frozen=True):
    """Whether anybody could have chosen the dice: three sentences, then one line for each suspect.

    `looks` are what the audit asks people to look at, of the whole table. `compare` is how people
    find out whose the numbers are, "" where the file shows it or there are none.
    """

    sentences: tuple[str, ...]
    choosers: tuple[Chooser, ...]
    looks: tuple[str, ...]
    compare: str = ""


class Earlier(Struct, frozen=True):
    """A roll before this one that came to nothing: how, in a sentence, and the words about it.

    `dice` are those that had fallen, as they lay in the end: a sentence for each who threw.
    """

    roll: int
    text: str
    dice: tuple[str, ...]
    quotes: tuple[Quote, ...]


class Past(Struct, frozen=True):
    """What went before: in sentences, then the latest rolls that came to nothing; `more` others."""

    sentences: tuple[str, ...]
    earlier: tuple[Earlier, ...]
    more: int


class Drawn(Struct, frozen=True):
    """One die of a throw: which draw it is, its id, its kind, the face's place in the kind's list.

    `place` counts from 0; None where the face is none of the kind's.
    """

    draw: int
    die: str
    kind: str
    place: int | None
    face: str


class Throw(Struct, frozen=True, kw_only=True):
    """What proves a throw; `commit` is the commitment, published by entry `committed`.

    `seed` is 64 hex digits. `transcript` are the lines T of docs/throws.md. `count` is how many
    dice fell; `groups` are (number of faces, draws) of those of equal dice.
    """

    id: str
    step: int
    who: str
    level: str
    committed: int
    commit: str
    seed: str
    transcript: tuple[str, ...]
    dice: tuple[Drawn, ...]
    groups: tuple[tuple[int, tuple[int, ...]], ...]


class Person(Struct, frozen=True):
    """A seat of the case: its name and id, what it may do, the characters that it plays."""

    name: str
    seat: str
    role: str
    characters: tuple[str, ...]
    key: str


class Record(Struct, frozen=True, kw_only=True):
    """Which log this is about, what an audit found of it, and who wrote the page.

    `verdict` is the audit's sentence; `code` its exit code. `stated` is what it says without a
    judgement. `table` is its id, and before it the name where it has one. `root` is that of the
    signed head, in base64. `seat` is whose view it is, "" for everybody's.
    """

    origin: str
    table: str
    system: str
    size: int
    root: str
    keys: tuple[str, ...]
    verdict: str
    code: int
    stated: tuple[str, ...]
    seat: str
    version: str
    self_asserted: bool
    undisclosed: int


class Case(Struct, frozen=True, kw_only=True, tag="case", tag_field="type"):
    """All facts of a disputed roll, or of any other.

    `terms` are the words of the game that the others use, each with its meaning.
    """

    roll: int
    who: str
    title: str
    at: int
    tale: tuple[str, ...]
    people: tuple[Person, ...]
    boxes: tuple[Box, ...]
    disputes: tuple[Dispute, ...]
    steps: tuple[Step, ...]
    parts: tuple[Part, ...]
    otherwise: tuple[Otherwise, ...]
    chance: Chance
    past: Past
    throws: tuple[Throw, ...]
    faces: tuple[tuple[str, tuple[str, ...]], ...]
    terms: tuple[tuple[str, str], ...]
    record: Record
