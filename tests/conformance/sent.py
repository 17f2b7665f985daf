"""What a server may send a seat, and what it may not.

Each case is the good log, or a small one of a hidden roll, as it comes over a socket.
"""

import json
from typing import Any, TypeAlias

from msgspec.structs import replace

from tests.verifier import broken
from tests.verifier.log import KEY, TABLE, Ground, Log, good, line, secret, with_proof
from tests.verifier.nodejs import Case
from urim.events.entry import withhold

THROWN, DICE, ERASED = 7, 8, 5
"""In the good log: the first throw of roll 1, its second one, and a text that is erased."""

HEAD = ["headed", good().note().decode()]

LAST = len(good().entries) - 1
"""The last entry that HEAD covers: what is wrong with a head is found there."""


def lines(log: Log) -> list[dict[str, Any]]:
    """Every entry's line."""
    return [line(entry) for entry in log.entries]


def a_case(*steps: Any, **asked: Any) -> Case:
    """Steps at the good log's table, judged at their end."""
    return {"table": TABLE, "key": KEY.vkey, "steps": [*steps, ["judged"]], **asked}


def case_of(log: Log) -> Case:
    """A log as it is, under a head of its own."""
    return a_case(["took", lines(log)], ["headed", log.note().decode()])


def turned(event: Any) -> Any:
    """A throw whose first die shows the next face."""
    first, *rest = event.dice
    return replace(event, dice=(replace(first, face=first.face % 12 + 1), *rest))


def otherwise(place: int, **changes: Any) -> dict[str, Any]:
    """The good log's line at a place, with other fields."""
    return {**lines(good())[place], **changes}


def written_again(place: int) -> dict[str, Any]:
    """A line with another payload, and the digest that it had."""
    known = lines(good())[place]["payload"]
    return otherwise(place, payload=known.replace('"by":"', '"by":"x'))


def hidden() -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """A log of a hidden roll: its lines as they are sealed, those shown later, its head."""
    log = Log({})
    log.open()
    declared = log.declare(1, kind="hidden")
    thrown = log.thrown(1, 0, Ground(declared, secret("c")), "hidden")
    shown = [line(log.entries[each]) for each in (declared, thrown)]
    log.withhold(declared, thrown)
    return lines(log), shown, log.note().decode()


Tampered: TypeAlias = tuple[Case, str, int | None]
"""What a server sends, the step that finds what is wrong, and the entry that it is found in."""


def of_entries() -> dict[str, Tampered]:
    """Entries that are not those that were sent, or are missing, or are none."""
    sent = lines(good())
    whole = ["took", sent]
    left_out = [each for each in sent if each["seq"] != THROWN]
    return {
        "an entry twice, otherwise": (
            a_case(whole, ["took", [written_again(THROWN)]], HEAD),
            "payloads",
            THROWN,
        ),
        "an entry twice, of another time": (
            a_case(whole, ["took", [], [otherwise(THROWN, at=1)]], HEAD),
            "payloads",
            THROWN,
        ),
        "an entry twice, with another salt": (
            a_case(whole, ["took", [otherwise(THROWN, salt=secret("x"))]], HEAD),
            "payloads",
            THROWN,
        ),
        "an entry left out": (a_case(["took", left_out], HEAD), "sequence", THROWN + 1),
        "an entry changed": (
            a_case(["took", [*sent[:THROWN], written_again(THROWN), *sent[THROWN + 1 :]]], HEAD),
            "payloads",
            THROWN,
        ),
        "no entry": (a_case(["took", [*sent, {"seq": 32, "at": -1}]], HEAD), "parse", 32),
        "not even JSON": (a_case(["took", [*sent, "{"]], HEAD), "parse", 32),
    }


def of_throws() -> dict[str, Tampered]:
    """Throws that do not follow, each sealed and signed as if nothing were wrong."""
    sealed, shown, head = hidden()
    wrong_face = json.loads(shown[1]["payload"])
    wrong_face["event"]["dice"][0][2] = 13
    forged: dict[str, Any] = {**shown[1], "payload": json.dumps(wrong_face)}
    return {
        "a commitment changed": (
            case_of(good({"declared 1": lambda event: replace(event, commit=secret("x"))})),
            "commitments",
            THROWN,
        ),
        "another commitment answered": (
            case_of(good({"thrown 1/1": with_proof(committed=6)})),
            "throws",
            DICE,
        ),
        "a die changed": (case_of(good({"thrown 1/1": turned})), "dice", DICE),
        "a hidden die shown otherwise": (
            a_case(
                ["took", sealed], ["headed", head], ["judged"], ["took", [], [shown[0], forged]]
            ),
            "payloads",
            forged["seq"],
        ),
    }


def of_heads() -> dict[str, Tampered]:
    """Signed heads that are not of one log."""
    sent = lines(good())
    whole = ["took", sent]
    other = good({"noted": lambda event: replace(event, about=1)})
    return {
        "a past that was signed otherwise": (
            a_case(["took", lines(other)], HEAD),
            "tree",
            LAST,
        ),
        "two heads of two trees": (
            a_case(whole, HEAD, ["headed", other.note().decode()]),
            "tree",
            LAST,
        ),
    }


def of_the_log() -> dict[str, Tampered]:
    """A log that is cut off, or another one, and the heads of others."""
    sent = lines(good())
    whole = ["took", sent]
    other = good({"noted": lambda event: replace(event, about=1)})
    return {
        "an open entry taken back": (
            a_case(whole, ["judged"], ["took", [], [line(withhold(good().entries[DICE]))]], HEAD),
            "payloads",
            DICE,
        ),
        "a log that went back": (
            a_case(["took", sent[:20]], ["ended", 20], heads=[HEAD[1]]),
            "tree",
            LAST,
        ),
        "a history cut off": (a_case(["took", sent[:20]], ["ended", 32]), "sequence", 20),
        "a head of nobody's": (
            a_case(whole, ["headed", good().note(private=broken.OTHER).decode()]),
            "signature",
            LAST,
        ),
        "a head of another table": (
            a_case(whole, ["headed", broken.elsewhere_signed(good()).decode()]),
            "signature",
            LAST,
        ),
        "a head of another table, unsigned": (
            a_case(whole, ["headed", broken.elsewhere_signed(good()).decode()], key=None),
            "signature",
            LAST,
        ),
        "two heads on plain http": (
            a_case(whole, HEAD, ["headed", other.note().decode()], plain=True),
            "tree",
            LAST,
        ),
        "another table": (a_case(whole, HEAD, table="verify02"), "parse", 0),
    }


def honest() -> dict[str, Case]:
    """What a server may send."""
    sent = lines(good())
    sealed, shown, head = hidden()
    first = good().note(7).decode()
    text = otherwise(ERASED)
    return {
        "as it is": a_case(["took", sent], HEAD, ["ended", len(sent)]),
        "as text": a_case(["took", [json.dumps(each) for each in sent]], HEAD),
        "an entry twice": a_case(["took", sent], ["took", sent[3:9], [text]], HEAD),
        "the head first": a_case(HEAD, ["took", sent]),
        "heads kept": a_case(["took", sent], HEAD, heads=[first]),
        "an earlier head late": a_case(["took", sent], HEAD, ["headed", first]),
        "shown later": a_case(
            *(["took", sealed], ["headed", head], ["judged"]),
            *(["took", [], shown],),
        ),
        "no head": a_case(["took", sent]),
        "a head of fewer": a_case(["took", sent], ["headed", first]),
        "no key": a_case(["took", sent], HEAD, key=None),
        "plain http": a_case(["took", sent], HEAD, plain=True),
    }


TAMPERED = {**of_entries(), **of_throws(), **of_heads(), **of_the_log()}

GREEN = ("as it is", "as text", "an entry twice", "the head first", "heads kept", "shown later")
