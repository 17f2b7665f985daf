"""The notation of dice: a text is read into terms, terms are written as a text, both ways the same.

    expression   sum [sign number]
    sum          ["-"] term {("+" | "-") ["-"] term}
    term         [number "*"] factor | factor ["*" number] | number [label]
    factor       dice [label] | "(" sum ")"
    dice         [count] "d" sides [luck] {modifier}
    sides        number | "%" | "F"
    luck         "adv" | "advantage" | "dis" | "disadvantage"         of two dice one is kept
    label        "[" letters, digits, blanks "]"                      what it is for
    modifier     ("kh" | "kl" | "k" | "dh" | "dl" | "d") [number]     keep or drop
                 ("keep" | "drop") ("highest" | "lowest") [number]    the same in words
                 ("!" | "x" | "e") [point]                            thrown again, and added
                 "!!" [point]                                         the same as one number
                 ("ro" | "rr" | "r") point                            thrown again, in its place
                 "cs" sign number                                     successes counted
                 ("f" | "df") point                                   taken away from these; before
                                                                      it `cs` may be left out
    point        [sign] number
    sign         ">=" | ">" | "<=" | "<" | "="

Letters may be capitals. What is multiplied in parentheses is multiplied each by itself, so that
`(2d6+3)*2` is `2d6*2+6`. Blanks may stand between terms, around `*` and between words, else never
inside a term; a modifier follows its dice at once, so that `3d6!>=5` is thrown again on a 5 or 6,
and `3d6! >= 5` on a 6 alone. What is wrong is refused with the text and a caret below the place.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused

DICE_MOST, FACES_MOST, TERMS_MOST = 1_000, 1_000, 20
NUMBER_MOST, TIMES_MOST = 100_000, 1_000
EXPRESSION_MOST = 60  # characters: the engine's own bound of any word of a command

Sign: TypeAlias = Literal[">=", ">", "<=", "<", "="]
Keeping: TypeAlias = Literal["kh", "kl", "dh", "dl"]
Rerolling: TypeAlias = Literal["r", "ro", "rr"]

SIGNS: tuple[Sign, ...] = (">=", "<=", ">", "<", "=")  # longer ones first
KEEPING: Mapping[str, Keeping] = {
    "kh": "kh",
    "kl": "kl",
    "dh": "dh",
    "dl": "dl",
    "k": "kh",
    "d": "dl",
}
"""How keeping and dropping may be written, the longer words first."""

REROLLING: tuple[Rerolling, ...] = ("ro", "rr", "r")
LUCK: Mapping[str, Keeping] = {
    "advantage": "kh",
    "adv": "kh",
    "disadvantage": "kl",
    "dis": "kl",
}
"""Words for one die that is thrown twice, the longer ones first: what is kept of the two."""

DIGITS = re.compile("[0-9]+")
COUNTED = re.compile("[<>=]+[0-9]+d?f")
WORDS = re.compile(" *(keep|drop) +(highest|lowest) *")

LABEL = re.compile(r" *\[([\w' -]{1,30})\]")

INSTEAD = {
    r"/": "nothing is divided",
    r"\{": "braces are not read: dice of one kind are kept as in 3d6kh1",
    r"#": "an expression is rolled once: give it several times",
    r"\[": "a label is of 1 to 30 letters, digits and blanks",
    r"\w+\(": "functions are not read",
    r"(?<=!)p": "dice that lose 1 with each throw are not read",
    r"m(i|a|in|ax)\d": "no die is put up or down to a least or greatest face",
    r"c?f[<>=]*\d": "what takes successes away stands behind them, as in 10d10cs>7f1",
    r"s[ad]?$": "dice are not sorted",
}
"""What to write in place of what other programs read, by how that begins."""

T = TypeVar("T", bound=str)


class Compare(Struct, frozen=True):
    """A number to compare with; `sign` is None in a point written without one: that face alone."""

    sign: Sign | None
    number: int


class Dice(Struct, frozen=True, kw_only=True):
    """Like dice and what is done with them.

    `sides`: the number of faces, "%" or "F". `keep`: how, and how many. `explode`: the faces that
    are thrown again and added, "highest" for the highest face. `reroll`: how, and which faces.
    `added`: all throws of a die are one number. `successes`: the dice that count one each.
    `failures`: the dice that take one of these away. `times`: what their sum is multiplied by.
    `label`: what they are for.
    """

    count: int
    sides: int | Literal["%", "F"]
    minus: bool = False
    reroll: tuple[Rerolling, Compare] | None = None
    explode: Compare | Literal["highest"] | None = None
    added: bool = False
    keep: tuple[Keeping, int] | None = None
    successes: Compare | None = None
    failures: Compare | None = None
    times: int = 1
    label: str = ""

    @property
    def kind(self) -> str:
        """The kind of its dice."""
        return f"d{self.sides}"

    @property
    def kept(self) -> int:
        """How many of its dice are kept, where none is thrown again and added."""
        if self.keep is None:
            return self.count
        how, number = self.keep
        return number if how in ("kh", "kl") else self.count - number


class Constant(Struct, frozen=True):
    """A number that is added, or taken away if `minus`."""

    number: int
    minus: bool = False
    label: str = ""


Term: TypeAlias = Dice | Constant


class Expression(Struct, frozen=True):
    """Terms, and what is compared with at their end."""

    terms: tuple[Term, ...]
    compare: Compare | None = None

    @property
    def dice(self) -> tuple[Dice, ...]:
        """Its terms that are dice."""
        return tuple(term for term in self.terms if isinstance(term, Dice))


# --- written --------------------------------------------------------------------------------------


def written(expression: Expression) -> str:
    """The expression as a text, in the one form of which `parse` makes the same again."""
    parts: list[str] = []
    for term in expression.terms:
        if parts or term.minus:
            parts.append("-" if term.minus else "+")
        parts.append(term_written(term))
    if expression.compare is not None:
        parts.append(f" {compare_written(expression.compare, ' ')}")
    return "".join(parts)


def term_written(term: Term) -> str:
    """One term without its sign."""
    if isinstance(term, Constant):
        return f"{term.number}{_bracketed(term)}"
    return f"{dice_written(term)}*{term.times}" if term.times != 1 else dice_written(term)


def dice_written(term: Dice) -> str:
    """Dice and what is done with them, without what their sum is multiplied by."""
    parts = [f"{term.count}{term.kind}"]
    if term.reroll is not None:
        parts.append(f"{term.reroll[0]}{compare_written(term.reroll[1])}")
    if term.explode is not None:
        parts.append("!!" if term.added else "!")
        parts.append("" if term.explode == "highest" else compare_written(term.explode))
    if term.keep is not None:
        parts.append(f"{term.keep[0]}{term.keep[1]}")
    if term.successes is not None:
        parts.append(f"cs{compare_written(term.successes)}")
    if term.failures is not None:
        parts.append(f"f{compare_written(term.failures)}")
    return "".join((*parts, _bracketed(term)))


def _bracketed(term: Term) -> str:
    return f"[{term.label}]" if term.label else ""


def compare_written(compare: Compare, between: str = "") -> str:
    """A comparison as a text: its sign, if it has one, and its number."""
    return f"{compare.sign or ''}{between if compare.sign else ''}{compare.number}"


# --- read -----------------------------------------------------------------------------------------


def parse(text: str) -> Expression:
    """The expression that a text says. Raises Refused("malformed"), with a caret where."""
    return located(text)[0]


@lru_cache(maxsize=1024)
def located(text: str) -> tuple[Expression, tuple[int, ...]]:
    """The same, and where each of its terms begins in the text."""
    reader = _Reader(text)
    return reader.expression(), tuple(reader.starts)


def refuse(text: str, at: int, why: str) -> NoReturn:
    """Refuse a text with a sentence, then the text and a caret below the place, a line each."""
    raise Refused("malformed", f"{why}\n  {text}\n  {' ' * at}^")


class _Reader:
    """A text and how far it is read; each method reads one rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.low = text.lower() if text.isascii() else text  # of equal length
        self.at = 0
        self.starts: list[int] = []

    def expression(self) -> Expression:
        terms = self.sum()
        compare = self.compare(blanks=True)
        self.blanks()
        if self.at < len(self.text):
            self.wrong("a modifier, + or -, or a comparison" if compare is None else "nothing more")
        found = Expression(tuple(terms), compare)
        if not found.dice:
            refuse(self.text, 0, "there are no dice in it")
        if sum(each.count for each in found.dice) > DICE_MOST:
            refuse(self.text, 0, f"at most {DICE_MOST} dice are thrown at once")
        return found

    def sum(self) -> list[Term]:
        self.blanks()
        terms = self.term(minus=self.took("-"))
        self.blanks()
        while sign := self.one_of(("+", "-")):
            if len(self.starts) == TERMS_MOST:
                refuse(self.text, self.at - 1, f"an expression has at most {TERMS_MOST} terms")
            self.blanks()
            terms += self.term(minus=(sign == "-") is not self.took("-"))
            self.blanks()
        return terms

    def group(self, times: int | None, *, minus: bool) -> list[Term]:
        """The terms in parentheses, each multiplied by what stands before or behind them."""
        terms = self.sum()
        if not self.took(")"):
            self.wrong("+, - or )")
        at = self.at
        if self.multiplied():
            if times is not None:
                refuse(self.text, at, "dice are multiplied once")
            at = self.at
            times = self.times(self.needed("a number"), at)
        return [self.product(term, times or 1, at, minus=minus) for term in terms]

    def product(self, term: Term, times: int, at: int, *, minus: bool) -> Term:
        other = term.minus is not minus
        if isinstance(term, Dice):
            return replace(term, minus=other, times=self.times(term.times * times, at))
        number = term.number * times
        if number > NUMBER_MOST:
            refuse(self.text, at, f"a number is at most {NUMBER_MOST}")
        return replace(term, minus=other, number=number)

    def term(self, *, minus: bool) -> list[Term]:
        self.blanks()
        start = self.at
        if self.took("("):
            return self.group(None, minus=minus)
        count, times = self.number(), None
        if count is not None and self.multiplied():
            times = self.times(count, start)
            if self.took("("):
                return self.group(times, minus=minus)
            count = self.number()
        self.starts.append(start)
        return [self.factor(count, times, start, minus=minus)]

    def factor(self, count: int | None, times: int | None, start: int, *, minus: bool) -> Term:
        if not self.took("d"):
            if count is None or times is not None:
                self.wrong("a number or dice, as 3d6," if times is None else "dice, as 3d6,")
            return Constant(count, minus=minus, label=self.label())
        if count is not None and not 1 <= count <= DICE_MOST:
            refuse(self.text, start, f"1 to {DICE_MOST} dice are thrown")
        dice = Dice(count=count or 1, sides=self.sides(), minus=minus, times=times or 1)
        dice = self.modified(self.lucky(dice, start))
        dice = replace(dice, label=self.label())
        at = self.at
        if self.multiplied():
            if times is not None:
                refuse(self.text, at, "dice are multiplied once")
            at = self.at
            dice = replace(dice, times=self.times(self.needed("a number"), at))
        return dice

    def label(self) -> str:
        """What a term is for, in brackets behind it."""
        found = LABEL.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[1].strip()

    def multiplied(self) -> bool:
        """Whether * comes next, perhaps between blanks; then they are read."""
        start = self.at
        self.blanks()
        if not self.took("*"):
            self.at = start
            return False
        self.blanks()
        return True

    def times(self, number: int, at: int) -> int:
        """What is multiplied by, refused where it is out of bounds."""
        if not 1 <= number <= TIMES_MOST:
            refuse(self.text, at, f"dice are multiplied by 1 to {TIMES_MOST}")
        return number

    def lucky(self, dice: Dice, start: int) -> Dice:
        """The dice, or where luck is named behind one die, two of which one is kept."""
        before = self.at
        self.blanks()
        word = self.one_of(tuple(LUCK))
        if word is None:
            self.at = before
            return dice
        if dice.count != 1:
            refuse(self.text, start, f"{word} is for one die")
        return replace(dice, count=2, keep=(LUCK[word], 1))

    def sides(self) -> int | Literal["%", "F"]:
        start = self.at
        if self.took("%"):
            return "%"
        if self.took("f"):
            return "F"
        sides = self.needed("the number of faces, % or F,")
        if not 2 <= sides <= FACES_MOST:
            refuse(self.text, start, f"a die has 2 to {FACES_MOST} faces")
        return sides

    def modified(self, dice: Dice) -> Dice:
        """The dice with every modifier behind them, each sort of modifier once."""
        found: dict[str, Any] = {} if dice.keep is None else {"keep": dice.keep}
        added = False
        while True:
            start = self.at
            modifier = self.modifier(dice)
            if modifier is None:
                if "failures" in found and "successes" not in found:
                    refuse(self.text, start, "f takes away from what is counted, as in 10d10cs>7f1")
                return replace(dice, added=added, **found)
            name, value = modifier
            if name == "added":
                name, added = "explode", True
            if name in found:
                refuse(self.text, start, "dice take each sort of modifier once")
            found[name] = value
            if {"explode", "reroll"} <= found.keys():
                refuse(self.text, start, "dice either explode or are rerolled")

    def modifier(self, dice: Dice) -> tuple[str, object] | None:
        """The field of the dice that the next modifier fills, and its value; None for no more."""
        if self.took("cs") or COUNTED.match(self.low, self.at):
            return "successes", self.compare() or self.wrong("a comparison, as >=7,")
        if self.one_of(("f", "df")):
            return "failures", self.point() or self.wrong("a face, or a comparison as <=2,")
        if how := self.one_of(REROLLING):
            return "reroll", (how, self.point() or self.wrong("a face, or a comparison as <=2,"))
        if self.took("!!"):
            return "added", self.point() or "highest"
        if self.one_of(("!", "x", "e")):
            return "explode", self.point() or "highest"
        if said := WORDS.match(self.low, self.at):
            self.at = said.end()
            keep = KEEPING[said[1][0] + said[2][0]]
            return "keep", (keep, self.keeping(dice, keep))
        if spelling := self.one_of(tuple(KEEPING)):
            keep = KEEPING[spelling]
            return "keep", (keep, self.keeping(dice, keep))
        return None

    def keeping(self, dice: Dice, how: Keeping) -> int:
        start = self.at
        number = self.number()
        number = 1 if number is None else number
        most = dice.count - (how in ("dh", "dl"))
        if not 1 <= number <= most:
            verb = "kept" if how in ("kh", "kl") else "dropped"
            may = f"1 to {most}" if most > 1 else "1" if most else "none"
            refuse(self.text, start, f"of {dice.count} dice, {may} can be {verb}")
        return number

    def point(self) -> Compare | None:
        """Faces behind `!` or `r`: a comparison, or a number alone."""
        found = self.compare()
        number = self.number() if found is None else None
        return found if number is None else Compare(None, number)

    def compare(self, *, blanks: bool = False) -> Compare | None:
        sign: Sign | None = self.one_of(SIGNS)
        if sign is None:
            return None
        if blanks:
            self.blanks()
        minus = self.took("-")
        number = self.needed("a number")
        return Compare(sign, -number if minus else number)

    def needed(self, wanted: str) -> int:
        """A number, refused where there is none."""
        number = self.number()
        return self.wrong(wanted) if number is None else number

    def number(self) -> int | None:
        """A number, if one comes next."""
        found = DIGITS.match(self.text, self.at)
        if found is None:
            return None
        if len(found[0]) > len(str(NUMBER_MOST)) or int(found[0]) > NUMBER_MOST:
            refuse(self.text, self.at, f"a number is at most {NUMBER_MOST}")
        self.at = found.end()
        return int(found[0])

    def one_of(self, tokens: tuple[T, ...]) -> T | None:
        """The first of these that comes next; then it is read."""
        return next((token for token in tokens if self.took(token)), None)

    def took(self, token: str) -> bool:
        """Whether this comes next; then it is read."""
        if not self.low.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def blanks(self) -> None:
        while self.took(" "):
            pass

    def wrong(self, wanted: str) -> NoReturn:
        found = "the end" if self.at >= len(self.text) else repr(self.text[self.at])
        signs = (why for sign, why in INSTEAD.items() if re.compile(sign).match(self.low, self.at))
        instead = next(signs, "")
        why = f"{wanted} is expected here, not {found}"
        refuse(self.text, self.at, f"{why}; {instead}" if instead else why)
