"""What people call figures, hands, units and readings of a table, in its system's words."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from immutables import Map
from msgspec import Struct

from ..errors import Defect
from ..rules.figures import AMOUNT, MARGIN, Figure, Form, name_of, parts_of
from ..rules.ruleset import Outcome, Ruleset
from ..rules.words import ENGLISH, known, spaced, word
from .isolates import apart, isolated
from .tables import TableState
from .wording import rating_text

UNDECLARED = Figure(fact=True)
"""A figure that the system does not declare, as an older version's may be."""

ONE_OF: Mapping[Form, Form] = {"characters": "character", "letters": "letter"}
"""The form of each value in a list, where it is no name."""

FORGED = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, Defect)
"""What functions of a system may raise for figures that it never announced."""

IN_BRACES = re.compile(r"\{([^{}]+)\}")
"""A figure in a word."""


class Lexicon(Struct, frozen=True):
    """The words of a table's system in one language, and the names of the table."""

    state: TableState
    language: str = ENGLISH

    @property
    def rules(self) -> Ruleset:
        """The system."""
        return self.state.game.ruleset

    def of(self, sort: str, name: str) -> str:
        """The word for a name."""
        return apart(word(self.rules.words, sort, name, language=self.language))

    def has(self, sort: str, name: str) -> bool:
        """Whether a name has a word of its own."""
        return known(self.rules.words, sort, name, language=self.language)

    def hand(self, name: str) -> str:
        """A hand: its round comes last, and a character by its name.

        `2:initiator` is `initiator, round 2`; `helper:c3` is `helper Ruth`.
        """
        *parts, last = name.split(":")
        number = parts.pop(0) if parts and parts[0].isdecimal() else ""
        words = [self.of("hand", part) for part in parts]
        if last:
            here = last in self.state.characters
            words.append(self.name(last) if here else self.of("hand", last))
        called = " ".join(words)
        return f"{called}, round {number}" if number else called

    def choice(self, choice: str, option: str) -> str:
        """A choice that was made, and what was chosen."""
        return f"{self.of('choice', choice)}: {self.option(choice, option)}"

    def option(self, choice: str, option: object) -> str:
        """An option of a choice."""
        name = f"{choice}.{option}"
        return self.of("choice", name) if self.has("choice", name) else apart(spaced(str(option)))

    def figure(
        self, key: str, names: Mapping[str, str] = Map(), *, count: int | None = None
    ) -> str:
        """A figure's label, in the form for one or for many.

        In it are the parts of its key, and `names` by the keys of figures.
        """
        name, parts = name_of(key), self._parts(key)
        one, _, many = self.of("figure", name).partition("|")
        label = one if count in (1, -1) or not many else many
        if self.has("figure", name) and "{" in label:
            return filled(label, {**names, **{str(at): part for at, part in enumerate(parts)}})
        return f"{label}: {', '.join(parts)}" if parts else label

    def _parts(self, key: str) -> list[str]:
        found = parts_of(key)
        sorts = self.declared(key).parts
        if len(found) > len(sorts) > 0:  # the last part keeps its colons
            last = len(sorts) - 1
            found = (*found[:last], ":".join(found[last:]))
        forms: Mapping[str, Form] = {"character": "character"}
        return [
            self.value(forms.get(sort, "name"), part)
            for sort, part in zip((*sorts, *["name"] * len(found)), found, strict=False)
        ]

    def value(self, form: Form, value: Any) -> str:
        """A figure's value as text, a number without its unit."""
        if isinstance(value, list):
            one = ONE_OF.get(form, "name")
            apart_by = " " if form == "letters" else ", "
            return apart_by.join(self.value(one, item) for item in value) or "none"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            return rating_text(value / 2) if form == "halves" else str(value)
        if form in ("character", "name") and value in self.state.characters:
            return self.name(value)
        if form == "name" and self.has("name", value):
            return self.of("name", value)
        return apart(spaced(str(value)))

    def name(self, id: str) -> str:
        """What to call a character or a seat; any other name as it is."""
        return name_text(self.state, id) if id in self.state.characters else apart(spaced(id))

    def terms(self) -> Iterator[tuple[str, str]]:
        """The words of the game that are explained, each with its meaning, in their order."""
        every = {**self.rules.words.get(ENGLISH, {}), **self.rules.words.get(self.language, {})}
        for key, meaning in every.items():
            sort, _, name = key.partition(".")
            if sort == "term":
                yield name, meaning

    def rule(
        self, trigger: str, names: Iterable[str], values: Mapping[str, str]
    ) -> tuple[str, str] | None:
        """The heading of the book by which something is offered, and what it asks; None without.

        `names` are those of the offer that may have a rule of their own: the first that has.
        """
        for name in (*(f"{trigger}.{each}" for each in names if each), trigger):
            if self.has("rule", name):
                heading, _, text = self.of("rule", name).partition("|")
                return heading, filled(text, values)
        return None

    def unit(self, unit: str, count: float) -> str:
        """What a number counts, in the right form; nothing where it has no unit."""
        if not unit:
            return ""
        one, _, many = self.of("unit", unit).partition("|")
        return one if abs(count) == 1 or not many else many

    def margin(self, margin: int) -> str:
        """A margin with its sign and its unit."""
        return f"{'+' * (margin > 0)}{self.counted(MARGIN, margin)}"

    def alone(self, outcome: Outcome) -> bool:
        """Whether the number is what came out, as where a degree has an empty word."""
        return bool(outcome.degree) and not self.of("degree", outcome.degree)

    def announced(self, outcome: Outcome) -> tuple[str, str]:
        """An outcome's degree in words, and what came out beside it.

        A number that is what came out stands alone, unsigned. The margin is named where a system
        says of none of its outcomes what came out.
        """
        if self.alone(outcome):
            return self.counted(MARGIN, outcome.margin), ""
        head = self.of("degree", outcome.degree)
        for name in (self.why(outcome), outcome.degree):
            if name and self.has("result", name):
                return head, self.sentence(self.of("result", name), outcome)
        says = any(key.startswith("result.") for key in self.rules.words.get(ENGLISH, {}))
        return head, "" if says else f"margin {self.margin(outcome.margin)}"

    def why(self, outcome: Outcome) -> str:
        """The key of the reason for an outcome's degree; "" for what the system never gave."""
        with suppress(*FORGED):
            return self.rules.reason(outcome)
        return ""

    def sentence(self, template: str, outcome: Outcome) -> str:
        """A word with its figures filled in; of two forms the one for the number of the first."""
        figures = {**outcome.figures, MARGIN: outcome.margin}
        named = IN_BRACES.findall(template)  # few, of many figures
        values = {
            key: self.value(self.declared(key).form, abs(value) if key == MARGIN else value)
            for key, value in figures.items()
            if key in named
        }
        one, _, many = template.partition("|")
        first = IN_BRACES.search(one)
        single = first is not None and values.get(first[1]) == "1"
        return filled(one if single or not many else many, values)

    def amount(self, amount: int) -> str:
        """An amount of damage with its unit."""
        return self.counted(AMOUNT, amount)

    def counted(self, key: str, number: int) -> str:
        """The number of a figure with its unit."""
        declared = self.declared(key)
        whole = number / 2 if declared.form == "halves" else number
        return f"{self.value(declared.form, number)} {self.unit(declared.unit, whole)}".rstrip()

    def declared(self, key: str) -> Figure:
        """What the system says of a figure."""
        return self.rules.figures.get(name_of(key), UNDECLARED)

    def reason(self, outcome: Outcome) -> str:
        """Why an outcome has its degree, a sentence; nothing without a word."""
        key = self.why(outcome)
        return self.sentence(self.of("reason", key), outcome) if self.has("reason", key) else ""

    def reads(self, name: str) -> bool:
        """Whether an option is a reading that has words."""
        text = _key(getattr(self.state.game.options, name, None))
        return self.has("reading", f"{name}.{text}") or self.has("reading", name)

    def reading(self, name: str) -> str:
        """What the table reads, as a clause."""
        text = _key(getattr(self.state.game.options, name, None))
        if self.has("reading", f"{name}.{text}"):
            return self.of("reading", f"{name}.{text}")
        if self.has("reading", name):
            return filled(self.of("reading", name), {"0": text})
        return f"{spaced(name)}: {text}"


def _key(value: object) -> str:
    """A reading's value as the words have it in their keys."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return str(value)


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with each `{name}` in it replaced by its value, spaced where there is none."""
    return IN_BRACES.sub(lambda found: values.get(found[1], spaced(found[1])), text)


def name_text(state: TableState, id: str) -> str:
    """What to call a character or a seat."""
    return isolated(state.name_of(id))
