"""What the marks of a case mean, and what holds of every case, in words for both of its writers."""

from collections.abc import Iterable, Iterator, Mapping

from ...projections.account import ShownDie
from .facts import Case, Chance, Mark, Part

SEATS = "Who is here, each at a seat (a place at the table, with a name of its own)"
"""What comes before the people."""

SAME_DICE = (
    "The program decided the same dice again, with what stands on the left so, and all else as it"
    " was."
)
"""What the rows about other decisions are."""

HOST_TEXT = (
    "The host is the computer that keeps the log, and the one who runs it. This page cannot know"
    " who that is; often it is the narrator. If the host is one of the people named here, do not"
    " count that one beside the host."
)
"""Who the host is, as far as anybody can say."""

LOOKS_TEXT = "Honest people do this too; it is what a cheat would do as well."
"""What a look is."""

MARKS: Mapping[Mark, tuple[str, str]] = {
    "yes": ("✓", "the log rules it out"),
    "if": ("(✓)", "it rules it out only if what follows is so"),
    "no": ("–", "it does not rule it out"),
    "open": ("?", "nobody knows"),
}
"""How each mark is written, and what it means."""

GOLD = (
    "A gold die is counted in a line of the sums below, for one side or the other; a pale one in"
    " none."
)
"""What the colours mean, where there are both."""


def marks(chance: Chance) -> str:
    """What the marks of the suspects mean, those that are there."""
    used = {each.safe for each in chance.choosers}
    return "; ".join(f"{sign}: {means}" for key, (sign, means) in MARKS.items() if key in used)


def legend(dice: list[ShownDie]) -> Iterator[str]:
    """What the marks of these dice mean."""
    yield (
        "Every die is counted in a line of the sums below." if all(d.makes for d in dice) else GOLD
    )
    if any(map(again, dice)):
        yield "A dashed one was thrown again in that step; its old face is struck out."
    if any(die.frozen for die in dice):
        yield "Kept dice stay as they are."


def again(die: ShownDie) -> bool:
    """Whether a die was thrown again in this very step."""
    return die.again and len(die.thrown) > 1


def reading_aids(parts: Iterable[Part]) -> Iterator[str]:
    """What “see” and “at this table” mean beside these sums, as far as they stand there."""
    results = [each for part in parts for each in (part.outcome, part.damage, part.first) if each]
    lines = [line for each in results for item in each.items for line in (*item.terms, item.total)]
    if any(line.heading for line in lines):
        yield "“See” names the part of the rule book."
    if any(line.readings for line in lines) or any(each.readings for each in results):
        yield "“At this table” is how the table reads the book where that leaves a choice."


def gaps(case: Case) -> str:
    """What the entries are that no step has, between the first and the last of them."""
    every = {entry for step in case.steps for entry in step.entries}
    if len(every) > max(every) - min(every):
        return ""
    return " Those missing in between are of other rolls, or of the table itself."
