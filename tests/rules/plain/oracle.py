"""What an expression gives, computed a second time from text and faces; and random expressions.

It shares no code with rules/plain.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

TERM = re.compile(r"([+-]?)(?:(\d*)d(\d+|%|F)((?:[^-+ ]|(?<=[<>=])-)*)|(\d+))")
PARTS = re.compile(r"(kh|kl|dh|dl|cs|f|ro|rr|r|!!?)([<>]?=?)(-?\d*)")
DEFAULTS = {"comparison": "count", "greater": "strict", "r": "once", "exploded": "apart"}

Thrown = Mapping[str, Sequence[int]]
"""Every face that each die fell on, by the die's id."""


def faces_of(sides: str) -> list[int]:
    """The faces of a kind of die."""
    return [-1, 0, 1] if sides == "F" else [*range(1, 101 if sides == "%" else int(sides) + 1)]


def holds(value: int, sign: str, number: int, reading: Mapping[str, str]) -> bool:
    """Whether value SIGN number."""
    if reading["greater"] == "or equal" and len(sign) == 1 and sign != "=":
        sign += "="
    return {
        ">": value > number,
        "<": value < number,
        ">=": value >= number,
        "<=": value <= number,
        "=": value == number,
        "": value == number,
    }[sign]


def meant(sides: str, sign: str, number: str, reading: Mapping[str, str]) -> set[int]:
    """The faces that a point means; no number at all means the highest."""
    faces = faces_of(sides)
    if not number:
        return {faces[-1]}
    return {face for face in faces if holds(face, sign, int(number), reading)}


class Term:
    """A term of the text: its dice, and its modifiers by name."""

    def __init__(self, sign: str, count: str, sides: str, rest: str, number: str) -> None:
        self.sign = -1 if sign == "-" else 1
        self.number = int(number) if number else None
        self.count, self.sides = int(count or 1), sides
        rest, _, times = rest.partition("*")
        self.times = self.sign * int(times or 1)
        self.text = f"{count}d{sides}{rest}"
        self.does = {
            name: (how, point) for name, how, point in PARTS.findall(rest.partition("[")[0])
        }
        self.added = "!!" in self.does
        if self.added:
            self.does["!"] = self.does.pop("!!")

    def again(self, reading: Mapping[str, str]) -> set[int]:
        """The faces thrown again inside the throw."""
        names = ["!", "rr"] + ["r"] * (reading["r"] == "until")
        found = [
            meant(self.sides, *self.does[name], reading) for name in names if name in self.does
        ]
        return found[0] if found else set()


def read(text: str) -> tuple[list[Term], tuple[str, int] | None]:
    """The terms of a text in its one form, and the comparison at its end."""
    left, _, right = text.partition(" ")
    terms = [Term(*found) for found in TERM.findall(left)]
    sign, _, number = right.partition(" ")
    return terms, (sign, int(number)) if right else None


def dealt(terms: list[Term], thrown: Thrown, reading: Mapping[str, str]) -> list[list[str]]:
    """The ids of each term's dice: hand after hand, all but those thrown again at once together."""
    order: list[list[int]] = []
    together: list[int] | None = None
    for at, term in enumerate(terms):
        if term.number is not None:
            continue
        if term.again(reading):
            order.append([at])
        elif together is None:
            together = [at]
            order.append(together)
        else:
            together.append(at)
    ids = iter(sorted(thrown, key=lambda die: int(die[1:])))
    found: list[list[str]] = [[] for _ in terms]
    for at in (at for hand in order for at in hand):
        found[at] = [next(ids) for _ in range(terms[at].count)]
    assert next(ids, None) is None
    return found


def check_throws(term: Term, faces: Sequence[int], reading: Mapping[str, str]) -> None:
    """A die fell as often as its modifiers say."""
    again = term.again(reading)
    once = "ro" if "ro" in term.does else "r" if reading["r"] == "once" else ""
    if again:
        assert all(face in again for face in faces[:-1]) and faces[-1] not in again
    elif once in term.does:
        low = meant(term.sides, *term.does[once], reading)
        assert len(faces) == 1 + (faces[0] in low)
    else:
        assert len(faces) == 1


def oracle(text: str, thrown: Thrown, readings: Mapping[str, str]) -> dict[str, Any]:
    """Degree, margin and figures of an expression in its one form."""
    reading = {**DEFAULTS, **readings}
    terms, compare = read(text)
    ids = dealt(terms, thrown, reading)
    count = counted_alone(terms, compare, reading)
    figures: dict[str, Any] = {"expression": text}
    total, successes, counts = 0, 0, False
    for place, (term, dice) in enumerate(zip(terms, ids, strict=True), 1):
        if term.number is not None:
            total += term.sign * term.number
            continue
        for die in dice:
            check_throws(term, thrown[die], reading)
        kept, _ = chosen(term, numbers(term, dice, thrown, reading))
        if "cs" in term.does or count:
            sign, against = count or (term.does["cs"][0], int(term.does["cs"][1]))
            value = sum(holds(number, sign, against, reading) for _, number in kept)
            written = term.text + ("" if "cs" in term.does else f"{sign}{against}")
            figures[f"hits:{place}:{written}"] = value
            if "f" in term.does:
                sign, point = term.does["f"]
                less = [number for _, number in kept if holds(number, sign, int(point), reading)]
                figures[f"failures:{place}:{written}"] = len(less)
                value -= len(less)
            successes, counts = successes + term.times * value, True
        else:
            value = sum(number for _, number in kept)
            figures[f"faces:{place}:{term.text}"] = value
        total += term.times * value
    figures |= {"total": total} | ({"successes": successes} if counts else {})
    if compare is None or count:
        return {"degree": "total", "margin": total, **figures}
    takes_in = compare[0] in ("<", ">") and reading["greater"] == "or equal"
    figures |= {"comparison": compare[0] + "=" * takes_in, "compared_with": compare[1]}
    won = holds(total, *compare, reading)
    return {"degree": "success" if won else "failure", "margin": far(total, *compare, reading)} | (
        figures
    )


def counted_alone(
    terms: list[Term], compare: tuple[str, int] | None, reading: Mapping[str, str]
) -> tuple[str, int] | None:
    """The comparison, where it counts the dice of the one term there is."""
    if compare is None or len(terms) > 1 or reading["comparison"] == "total":
        return None
    (term,) = terms
    left = term.count
    for name, (_, number) in term.does.items():
        if name in ("kh", "kl"):
            left = int(number)
        if name in ("dh", "dl"):
            left = term.count - int(number)
    return None if "cs" in term.does or left == 1 or abs(term.times) > 1 else compare


def far(total: int, sign: str, number: int, reading: Mapping[str, str]) -> int:
    """How many points the total could have been worse, or should have been better."""
    if sign == "=":
        return -abs(total - number)
    worse = -1 if sign[0] == ">" else 1
    if holds(total, sign, number, reading):
        steps = 0
        while holds(total + worse * (steps + 1), sign, number, reading):
            steps += 1
        return steps
    steps = 0
    while not holds(total - worse * steps, sign, number, reading):
        steps += 1
    return -steps


def numbers(
    term: Term, dice: list[str], thrown: Thrown, reading: Mapping[str, str]
) -> list[tuple[str, int]]:
    """The numbers to keep, drop and count, and the die that each is on."""
    if "!" not in term.does:
        return [(die, thrown[die][-1]) for die in dice]
    if term.added or reading["exploded"] == "added":
        return [(die, sum(thrown[die])) for die in dice]
    return [(die, face) for die in dice for face in thrown[die]]


def chosen(
    term: Term, shown: list[tuple[str, int]]
) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """The numbers kept and dropped: one after the other is taken away or put aside."""
    left, put = list(shown), list[tuple[str, int]]()
    for name, best in (("kh", max), ("kl", min)):
        if name in term.does:
            for _ in range(int(term.does[name][1])):
                put.append(best(left, key=lambda each: each[1]))  # the first of equals
                left.remove(put[-1])
            return put, left
    for name, worst in (("dh", max), ("dl", min)):
        if name in term.does:
            for _ in range(int(term.does[name][1])):
                put.append(worst(reversed(left), key=lambda each: each[1]))  # the last of equals
                at = len(left) - 1 - left[::-1].index(put[-1])
                left.pop(at)
            return left, put
    return left, put


def kept_of(text: str, thrown: Thrown, readings: Mapping[str, str]) -> dict[str, list[int]]:
    """The numbers on each die that are kept, each throw of an exploded die one of them or none."""
    reading = {**DEFAULTS, **readings}
    terms, _ = read(text)
    found: dict[str, list[int]] = {die: [] for die in thrown}
    for term, dice in zip(terms, dealt(terms, thrown, reading), strict=True):
        for die, number in chosen(term, numbers(term, dice, thrown, reading))[0]:
            found[die].append(number)
    return found


# --- expressions ----------------------------------------------------------------------------------


def expression(random: Random, reading: Mapping[str, str]) -> str:
    """An expression in its one form that is legal under these readings."""
    reading = {**DEFAULTS, **reading}
    while True:
        terms = [dice(random, reading)]
        for _ in range(random.choice((0, 0, 1, 2))):
            number = str(random.randint(0, 20))
            terms.insert(
                random.randint(0, len(terms)), random.choice((number, dice(random, reading)))
            )
        text = ("-" * (random.random() < 0.1)) + terms[0]
        text += "".join(random.choice("+-") + term for term in terms[1:])
        if random.random() < 0.5:
            sign = random.choice((">", ">=", "<", "<=", "="))
            text += f" {sign} {random.randint(-3, 30)}"
        if len(text) <= 60:
            return text


def dice(random: Random, reading: Mapping[str, str]) -> str:
    """A term of dice."""
    count, sides = random.randint(1, 8), random.choice(("2", "4", "6", "8", "10", "20", "%", "F"))
    text = f"{count}d{sides}"
    kind = random.choice(("", "", "ro", "rr", "r", "!", "!!"))
    faces = faces_of(sides)
    while kind:
        sign = random.choice(("", ">", ">=", "<", "<=", "="))
        number = str(random.choice(faces))
        if kind[:1] == "!" and random.random() < 0.5:
            sign = number = ""
        legal = 0 < len(meant(sides, sign, number, reading)) <= len(faces) // 2
        if legal and not (sides == "F" and not sign and number):
            text += f"{kind}{sign}{number}"
            break
    keep = random.choice(("", "", "kh", "kl", "dh", "dl"))
    most = count - (keep in ("dh", "dl"))
    if keep and most:
        text += f"{keep}{random.randint(1, most)}"
    if random.random() < 0.3:
        sign = random.choice((">", ">=", "<", "<=", "="))
        text += f"cs{sign}{random.choice(faces)}"
        if random.random() < 0.5:
            sign = random.choice(("<=", "=") if sides == "F" else ("", "<", "="))
            text += f"f{sign}{random.choice(faces)}"
    return text + (f"*{random.randint(2, 12)}" if random.random() < 0.15 else "")
