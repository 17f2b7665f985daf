"""Logs with shares that are right, and those in which there is something to look at."""

from collections.abc import Mapping

from tests.verifier.broken_shares import (
    alone,
    anchored_again,
    asked,
    asked_again,
    between,
    broken_off,
    epoch_between,
    hidden_note,
    hidden_throw,
    narrators,
    of_zeros,
    thrown,
)
from tests.verifier.log import Log
from urim.events.table import Noted


def looks() -> Mapping[str, tuple[Log, int, str]]:
    """Nothing wrong, and something to look at: the log, the step that notes it, its words."""
    return {
        "broken off": (broken_off(), 6, "was broken off: p2 kept back"),
        "waits to the end": (asked(), 6, "waits for shares to the end"),
        "an epoch": (epoch_between(), 6, "epoch 1 begins"),
        "no key": (thrown(), 8, "seat p2 has no key: its anchor and shares are the host's word"),
        "another anchor": (anchored_again(0, fresh=True), 8, "seat p2 anchors once more"),
        "a chain of zeros": (of_zeros(), 8, "the chain of seat p2 ends with zeros"),
        "nobody else": (alone(), 8, "was due at level table, and nobody else"),
        "a lower level named": (narrators("player"), 8, "roll 1 names a level below table"),
    }


def shared_honestly() -> Mapping[str, Log]:
    """The same without what is wrong."""
    return {
        "two throws with shares": thrown(),
        "waits to the end": asked(),
        "a note while a throw waits": between(Noted("p2", 0), "Wait."),
        "a hidden note while a throw waits": hidden_note(),
        "broken off": broken_off(),
        "broken off by the seat that kept back": broken_off(by="p2"),
        "asked again after a break": asked_again(),
        "alone after a break": alone(),
        "an epoch while a throw waits": epoch_between(),
        "another chain": anchored_again(0, fresh=True),
        "a hidden throw with shares": hidden_throw(),
        "a narrator's throw at level player": narrators("player"),
        "a narrator's throw where nobody has an anchor": narrators(anchored=False),
    }
