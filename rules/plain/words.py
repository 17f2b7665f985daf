"""What the figures, reasons and readings of plain dice are called, for people."""

from collections.abc import Mapping

from ..words import ENGLISH, Words
from .figures import SIGNS

SAID: Words = {
    ">=": "at least",
    ">": "more than",
    "<=": "at most",
    "<": "less than",
    "=": "equal to",
}
"""How a comparison is said."""

LABELS: Words = {
    "faces": "{1}",
    "hits": "dice that count in {1}",
    "failures": "dice that take one away in {1}",
    "successes": "dice that count in all",
    "compared_with": "what the total is compared with",
    "number": "number in the expression",
    "named": "{0}",
    "strict": "an equal total is not enough",
}

READINGS: Words = {
    "comparison.count": "a comparison behind like dice counts the dice",
    "comparison.total": "a comparison behind like dice is for their total",
    "greater.strict": "> and < leave out the number itself",
    "greater.or equal": "> and < take in the number itself",
    "r.once": "r throws low dice again once",
    "r.until": "r throws dice again until none of the faces is left",
    "exploded.apart": "each throw of an exploding die is a die of its own",
    "exploded.added": "all throws of an exploding die are one number",
}

WORDS: Mapping[str, Words] = {
    ENGLISH: {
        **{f"figure.{key}": word for key, word in LABELS.items()},
        **{f"name.{sign}": said for sign, said in SAID.items()},
        **{f"reading.{key}": word for key, word in READINGS.items()},
        "degree.total": "",  # the total itself is what came out
        "result.success": "total {total}",
        "result.failure": "total {total}",
        "reason.counted": "The dice that count are counted: {successes}.",
        **{
            f"reason.{key}_{end}": f"The total, {{total}}, is {said} {{compared_with}}."
            for sign, key in SIGNS.items()
            for end, said in (("met", SAID[sign]), ("missed", f"not {SAID[sign]}"))
        },
    }
}
"""All of them, by language and key."""
