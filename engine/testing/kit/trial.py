"""What the ruleset kit is given, what it finds, and how it reports that a law is broken."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, field

from ....errors import Damaged, Refused, where
from ....events.base import JSON
from ....projections.rollstate import RollState
from ....projections.tables import TableState
from ....rules.readings import Reading
from ....rules.ruleset import Roll, Ruleset

LAWS: Mapping[str, str] = {
    "record": "the record names what is there: fields, faces, tracks with their bounds",
    "forms": "every field says what it is, and when it applies; what it names is there",
    "words": "what the account of a roll says has its words, and no word is about nothing",
    "version": "each version of a system brings a reading, and none is of a later one",
    "settled": "a field that settling fills in is filled in again when another is corrected",
    "frozen": "declarations, reactions and options are frozen Structs, and those within them too",
    "derived": "faces and tracks follow from the options alone",
    "options": "every reading's every value goes through JSON and comes back",
    "raises": "the system's functions raise nothing but Refused",
    "pure": "asked twice, they answer the same",
    "answers": "they answer whenever the program may ask, with what they are asked for",
    "leaves": "they leave what they are given as it is, and keep none of it",
    "involves": "whom a roll is about is its character, or is named by `involves`",
    "offers": "an offer names what is there: dice, kinds, faces, characters, something to choose",
    "rollables": "what a sheet begins names players' fields, and asks for what is needed",
    "fits": "all that an offer allows is accepted, and a step beyond it is refused",
    "goes-on": "something is offered until the roll is resolved, which takes few moves",
    "reaches": "whatever a state is offered is taken up in some history",
    "replays": "the log's bytes, folded in any split, give the same table",
    "evolves": "the events of a roll can be folded, in any order, or are refused as Damaged",
    "voids": "a voided roll counts for nothing",
    "spent": "what an event says was spent was there, and what it says was gained had room",
    "figures": "each figure is declared, is one flat fact, and each sum of them comes out",
    "score": "the score is the outcome's degree, margin and effects, and refused where it is",
    "tally": "what counts alike stays so with any die more, and comes to the same",
    "reach": "the scores that adjusting reaches are those of each set of faces",
    "recount": "the outcome is that of a brute-force count",
    "readings": "every value of every reading changes something",
    "listed": "a reading that changes an outcome or damage, or acted before, is listed in it",
}
"""Every law that the kit checks, by the name that a failure gives it."""

REFUSED = "refused"
"""The answer of a function that refuses."""


class LawBroken(AssertionError):
    """A system breaks a law: its name in LAWS, why, and the shortest story that leads there.

    `story` are its commands; `scenario` is the same as a file that plays, where one can be written.
    `lines` is how long the story was in which the law was first seen broken.
    """

    def __init__(
        self,
        law: str,
        why: str,
        story: Sequence[str] = (),
        scenario: str | None = None,
        lines: int | None = None,
    ) -> None:
        self.law = law
        self.why = why
        self.story = tuple(story)
        self.scenario = scenario
        self.lines = len(self.story) if lines is None else lines
        shown = "".join(f"\n  {line}" for line in self.story)
        text = f"\n\nAs a scenario:\n\n{scenario}" if scenario else ""
        super().__init__(f"{law} ({LAWS[law]}): {why}{shown}{text}")


class Who(Struct, frozen=True):
    """A character that takes part; its id is c1, c2 … in the order of the trial's characters."""

    attributes: Mapping[str, int | float] = {}
    tracks: Mapping[str, int] = {}


class Trial(Struct, frozen=True, kw_only=True):
    """A system and what to try it with.

    `declarations` and `reactions` are drawn from for any character; one that the rules refuse to
    one character may be meant for another. `followers` are declarations by link, for rolls that
    follow others; `amendments` are fields to correct. Each of `options` makes a table of its own.
    `bare` is the system itself, not watched, for what is asked very often. `readings`
    are those of the system's Options.
    """

    ruleset: Ruleset
    bare: Ruleset
    declarations: Sequence[JSON]
    characters: Sequence[Who]
    reactions: Sequence[JSON]
    followers: Mapping[str, Sequence[JSON]]
    amendments: Sequence[JSON]
    options: Sequence[JSON]
    recount: Callable[[Roll], Mapping[str, Any]] | None
    readings: tuple[Reading, ...]


class Moment(Struct, frozen=True):
    """A table right after a commit, and the roll that the commit was about."""

    state: TableState
    roll: RollState


class Declared(Struct, frozen=True):
    """A declaration that was accepted: the roll it made, and the table before it."""

    before: TableState
    wish: JSON
    number: int


class Answered(Struct, frozen=True):
    """A question to a function of the system, and the fingerprint of its answer."""

    name: str
    given: tuple[Any, ...]
    answer: bytes


class Acted(Struct, frozen=True):
    """How a reading acted in a roll; `hand` is one where dice may still be put otherwise."""

    why: str
    hand: str = ""


class Report(Struct):
    """What the histories went through.

    `offered` and `taken` are (state, trigger); `accepted` the places of the declarations, in the
    trial's order, that some character could make, `refused` why another could not; `decided` are
    (reading, value as text); `constants` the numbers of sums that are no figures.
    """

    histories: int = 0
    commits: int = 0
    amended: int = 0
    voided: int = 0
    degrees: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    offered: set[tuple[str, str]] = field(default_factory=set)
    taken: set[tuple[str, str]] = field(default_factory=set)
    accepted: set[int] = field(default_factory=set)
    refused: dict[int, str] = field(default_factory=dict)
    decided: set[tuple[str, str]] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)


@contextmanager
def lawful(story: Sequence[str] = ()) -> Generator[None]:
    """Turn what a system's functions raise, except Refused, into the law that it breaks."""
    try:
        yield
    except Refused:
        raise
    except LawBroken as broken:  # a function of the system that is watched knows no story
        if broken.story or not story:
            raise
        raise LawBroken(broken.law, broken.why, story) from broken
    except Damaged as error:
        raise LawBroken("evolves", str(error), story) from error
    except Exception as error:
        why = f"{type(error).__name__}: {error}, at {where(error)}"
        raise LawBroken("raises", why, story) from error
