#!/usr/bin/env python3
"""urimcheck: were the dice that stand chosen by anybody, and how many were thrown away, by whom?

    python urimcheck.py FILE [--key VKEY] [--seat S[=KEY]]... [--seen NOTEFILE]... [--json]

FILE is the bundle of a table, NAME.urim.jsonl. Nothing but Python 3.11 and this file is needed. The
whole file is held in memory. docs/bundle.md of Urim says the same in words: each of its sections is
a function here, with the same name, and both are in the same order.

What is promised. A table's log is a sequence of entries that only ever grows. Each entry is sealed:
its payload and 32 random bytes are hashed, and that digest stands in its line. The lines are the
leaves of a Merkle tree (RFC 6962). The host signs the tree's size and root, its head. So one
signed head stands for every byte before it, of what is hidden too, and two heads that do not fit
together prove a rewritten log.

Before a throw the host publishes C, a hash that binds it to a secret seed S. Then others add:

    level server    nobody. You believe the host.
    level player    the roller adds a nonce, drawn after C was there. Host and roller together choose.
    level table     each seat asked opens a share: the next link of a hash chain whose first link,
                    the anchor, it published long before. Nobody can choose, while one seat that was
                    asked is honest. All that anybody can do is to keep a share back: that is seen.

The dice follow from S and T by HKDF. T, the transcript, names the throw, the entry with C, the
roller, its nonce and every share. Who has the log computes every die again.

What is left to a cheat is to throw dice away until they please: by a void, a veto, a break, a roll
left lying, a hidden roll that stays hidden. It cannot be forbidden, so it is counted, by seat.

What a verdict means. A step *fails* (exit 1) where the log cannot come of honest play with Urim. A
*look* is allowed, and a cheat would do it as well: people must judge. The rest is *stated*. Exit 3
says that something could not be checked, 2 that the file cannot be read. Whether the game was played
by its rules is not asked here: `urim audit` plays it again, after these steps.

How it is read. `check` at the end is the whole in thirty lines. The form and the steps 1 to 5 go over
the entries by themselves. The others walk through the log: each looks at the next entry and at the
table as it stood before it, changes nothing of that, and says what it finds. Then `follow` alone
changes the table. `follow` refuses nothing: what is wrong was said by then.
"""

from __future__ import annotations

import argparse
import hmac
import io
import json
import re
import sys
import time
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256, sha512
from itertools import pairwise
from typing import Any, BinaryIO

try:  # as quick as a signature can be; `fits` says the same without it
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    Ed25519PublicKey = None  # type: ignore[assignment,misc]

# === tables ===========================================================================================

STEPS = {
    **{"parse": 1, "signature": 2, "tree": 3, "sequence": 4, "payloads": 5, "throws": 6},
    **{"commitments": 7, "transcripts": 8, "dice": 9, "transitions": 10, "reuse": 12, "voids": 13},
    **{"rulings": 14, "hidden": 15},
}
"""The steps, with their numbers. 11 and 16 are `urim audit`'s and `urim fairness`'s."""

NEEDED = 14
"""The last step without which not everything was checked."""

FORMATS = ("urim-bundle/2", "urim-bundle/3")
CLASSES = ("open", "hidden", "text", "hidden-text")
HIDDEN = ("hidden", "hidden-text")
TEXTS = ("text", "hidden-text")

LINE = 1 << 20
"""Bytes of a line, at most. DEPTH: how deep objects and lists may lie in one another."""
DEPTH = 64
MOST = (1 << 53) - 1
"""The largest whole number, either way. BODY: bytes of a command. NOTE: bytes of a signed note."""
BODY, NOTE = 16 * 1024, 64 * 1024

CHAIN = 1_000
"""Links of a chain of shares. BREAKING: milliseconds that a throw waits for shares, at least."""
BREAKING = 10_000
MOST_ASKED = 100
"""Seats that one throw asks, at most. AHEAD: milliseconds by which two clocks may differ."""
AHEAD = 60_000
ATTEMPTS, DRAWS = 128, 1 << 48
"""Draws for a die, at most, and how many values a draw may have."""
ZEROS = "0" * 64

SHA = re.compile(r"[0-9a-f]{64}").fullmatch
NAME = re.compile(r"[^\s+\x00-\x20\x7f\ud800-\udfff]+").fullmatch
SIZE = re.compile(r"0|[1-9][0-9]{0,18}").fullmatch
SEAT = re.compile(r"[a-z0-9-]{1,32}").fullmatch
TABLE = re.compile(r"[a-z0-9]{8,32}").fullmatch
TAG = re.compile(r"[a-z][a-z0-9_-]*/[1-9][0-9]*").fullmatch
REQUEST = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
TEXT_SALT = re.compile(r"[0-9a-f]{32}").fullmatch
NUMBERED = re.compile(r"d([1-9][0-9]{0,14})").fullmatch
ONE_BYTE = re.compile(r"([0-9a-f]{2})\1{31}").fullmatch


# --- the events, and the form of their fields ---------------------------------------------------------

NEEDS = object()
"""In the place of a usual value: the field must be there."""

Form = tuple[Callable[[Any], Any], Any]
"""Whether a value is of its form, and the usual value of a field that may be left out."""


def _int(value: Any) -> bool:
    return type(value) is int


def _str(value: Any) -> bool:
    return type(value) is str


def _bool(value: Any) -> bool:
    return type(value) is bool


def _json(value: Any) -> bool:
    return type(value) is dict


def _any(value: Any) -> bool:
    return True


def _seat(value: Any) -> Any:
    return type(value) is str and SEAT(value)


def _table(value: Any) -> Any:
    return type(value) is str and TABLE(value)


def _face(value: Any) -> bool:
    return type(value) is int or type(value) is str


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: type(value) is str and value in words


def _list(item: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and all(map(item, value))


def _row(*items: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        if type(value) is not list or len(value) != len(items):
            return False
        return all(item(each) for item, each in zip(items, value, strict=True))

    return fits


def _faces(value: Any) -> bool:
    return type(value) is dict and all(each and _list(_face)(each) for each in value.values())


def _or_null(item: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: value is None or item(value)


def _maybe(item: Callable[[Any], Any]) -> Form:
    return _or_null(item), None


def _effect(value: Any) -> bool:
    return _row(_str, _str, _int)(value) or _row(_str, _str, _int, _or_null(_int))(value)


LEVELS = ("server", "player", "table")
"""From the weakest to the strongest."""
_level = _one_of(*LEVELS)
_thrown = _list(_row(_str, _str, _face))
_effects: Form = (_list(_effect), [])

PROOF: dict[str, Form] = {
    "throw": (_int, NEEDS),
    "source": (_one_of("fair", "seeded", "scripted", "manual"), NEEDS),
    **{"committed": _maybe(_int), "seed": _maybe(_str), "nonce": _maybe(_str), "next": _maybe(_str)},
}
ASKED: dict[str, Form] = {
    **{"request": (_str, NEEDS), "body": (_str, NEEDS)},
    **{"seen": _maybe(_row(_int, _str)), "sig": _maybe(_str)},
}
PAYLOAD: dict[str, Form] = {"asked": (_or_null(_json), None), "event": (_json, NEEDS)}


def _proof(value: Any) -> bool:
    return type(value) is dict and not misfit(value, PROOF)


def _fields(more: str = "", **own: Any) -> dict[str, Form]:
    """The fields of an event, in their order; one that is no pair must be there."""
    named = {"type": _str, "by": _seat, **({"roll": _int} if more else {}), **own}
    return {name: form if type(form) is tuple else (form, NEEDS) for name, form in named.items()}


_opened: dict[str, Any] = {
    **{"table": _table, "ruleset": _str, "version": _int, "options": _json, "source": _str},
    **{"level": _level, "core": _int},
}
_declared: dict[str, Any] = {
    **{"character": _str, "declaration": _json},
    **{"visibility": _one_of("public", "gm", "blind", "self"), "level": _maybe(_level)},
    **{"follows": _maybe(_row(_int, _str)), "effects": _effects, "commit": _maybe(_str)},
}
_taken: dict[str, Any] = {"seat": _seat, "role": _one_of("narrator", "player", "witness")}
_amended: dict[str, Any] = {
    **{"character": _str, "declared": _json, "outcome": _maybe(_json), "effects": _effects},
}
_ruled: dict[str, Any] = {
    "dispute": _int,
    "ruling": _one_of("stands", "amend", "void", "replay"),
}
ROLL = "of a roll"

EVENTS: dict[str, dict[str, Form]] = {
    "table-opened/1": _fields(**_opened),
    "table-opened/2": _fields(**_opened, one_machine=(_bool, False)),
    "table-opened/3": _fields(**_opened, one_machine=(_bool, False), faces=(_faces, {})),
    "reading-set/1": _fields(name=_str, value=_any, faces=(_faces, {})),
    "seat-taken/1": _fields(**_taken),
    "seat-taken/2": _fields(**_taken, key=_maybe(_str)),
    "seat-left/1": _fields(seat=_seat),
    "share-anchored/1": _fields(anchor=_str),
    "text-said/1": _fields(salt=_str, text=_str),
    "entry-erased/1": _fields(seq=_int),
    "epoch-begun/1": _fields(epoch=_int, commits=_list(_row(_int, _int, _str))),
    "roll-declared/1": _fields(ROLL, **_declared),
    "roll-declared/2": _fields(ROLL, **_declared),
    "throw-planned/1": _fields(
        ROLL,
        **{"throw": _int, "trigger": _one_of("roll", "reroll"), "hand": _str},
        **{"dice": _list(_row(_str, _str)), "option": _maybe(_int)},
    ),
    "throw-asked/1": _fields(
        ROLL, throw=_int, committed=_int, asked=_list(_row(_seat, _int)), left=(_list(_seat), [])
    ),
    "share-opened/1": _fields(ROLL, throw=_int, share=_str),
    "throw-broken/1": _fields(ROLL, throw=_int, kept=_list(_seat), seed=_str, next=_str),
    "dice-rolled/1": _fields(
        ROLL,
        **{"character": _str, "hand": _str, "dice": _thrown, "option": _maybe(_int)},
        **{"proof": _maybe(_proof), "taken": _maybe(_int)},
    ),
    "dice-rerolled/1": _fields(ROLL, hand=_str, dice=_thrown, proof=_proof, effects=_effects),
    "roll-resolved/1": _fields(ROLL, outcome=_json, effects=_effects),
    "roll-voided/1": _fields(ROLL, throw=_maybe(_int), seed=_maybe(_str)),
    "roll-voided/2": _fields(ROLL, throw=_maybe(_int), seed=_maybe(_str)),
    "roll-revealed/1": _fields(ROLL),
    "roll-revealed/2": _fields(ROLL, entries=_int),
    "declaration-vetoed/1": _fields(ROLL),
    "declaration-replaced/1": _fields(ROLL, declared=_json, effects=_effects),
    "roll-amended/1": _fields(ROLL, **_amended),
    "roll-amended/2": _fields(ROLL, **_amended, needless=(_list(_int), [])),
    "dispute-raised/1": _fields(ROLL),
    "ruling-made/1": _fields(ROLL, **_ruled),
    "ruling-made/2": _fields(ROLL, **_ruled, instead=_maybe(_int)),
}
"""The closed list: every event that touches dice, seats, keys, heads, hiding or drops."""

OTHERS = frozenset(
    "seat-named/1 character-entered/1 character-named/1 character-given/1 character-removed/1 "
    "track-set/1 attribute-set/1 table-set/1 noted/1 reaction-declared/1 dice-frozen/1 "
    "dice-adjusted/1 choice-made/1 damage-applied/1 throw-confirmed/1 flavour-named/1 "
    "fate-decided/1".split()
)
"""Events that are known, and touch none of these: they are checked as bytes, as unknown ones are."""

GONE = frozenset(
    "nonce-committed/1 witness-given/1 seats-passed-over/1 nonce-withheld/1 witnessing-set/1".split()
)
"""Events of before 0.2, whose throws were made in another way."""

ALWAYS_OPEN = ("throw-asked", "share-opened", "throw-broken", "roll-revealed")
"""Events that everybody may see, of hidden rolls too."""

MEANWHILE = ("share-opened", "throw-broken", "noted", "epoch-begun")
"""What may enter a log while a throw waits for shares; with the texts of notes."""

FALLS = ("dice-rolled", "dice-rerolled")
TRIGGERS = {"dice-rolled": "roll", "dice-rerolled": "reroll"}


# --- the commands that lead to them --------------------------------------------------------------------

FREE = object()
"""Of a field that rules turn into something else: not compared here."""


@dataclass(frozen=True)
class Command:
    """A command: the first event that it leads to, its fields, whether it has a text, what may follow.

    A field is NEEDS where the event repeats it, FREE, a function of event, asked and blind that says
    whether they fit, or the usual value where the body leaves it out. `second` are the fields that a
    second event repeats.
    """

    to: str
    fields: Mapping[str, Any]
    text: str = ""
    more: tuple[str, ...] = ()
    second: Mapping[str, Any] = field(default_factory=dict)


def leads(
    to: str, same: str = "", free: str = "", text: str = "", more: str = "", **usual: Any
) -> Command:
    """A row of COMMANDS."""
    fields = {**dict.fromkeys(same.split(), NEEDS), **dict.fromkeys(free.split(), FREE), **usual}
    return Command(to, fields, text, tuple(more.split()))


def _options(event: Any, asked: Any, blind: bool) -> bool:
    """Those that were asked for; the others are the system's."""
    chosen = {} if asked is None else asked
    found = event["options"]
    return type(chosen) is dict and all(same(found.get(name), chosen[name]) for name in chosen)


def _role(event: Any, asked: Any, blind: bool) -> bool:
    """A seat that takes a key keeps its role."""
    return event.get("key") is not None or same(event["role"], asked or "player")


def _named_level(event: Any, asked: Any, blind: bool) -> bool:
    """What was settled in version 1 counts as named."""
    return same(event.get("level"), asked) or (event["type"] == "roll-declared/1" and asked is None)


def _answers(committed: Any, asked: Any, blind: bool) -> bool:
    """Who throws in a blind roll may see an earlier commitment than the one that is answered."""
    if same(committed, asked):
        return True
    return blind and type(asked) is int and type(committed) is int and asked <= committed


def _committed(event: Any, asked: Any, blind: bool) -> bool:
    return _answers((event.get("proof") or {}).get("committed"), asked, blind)


def _nonce(event: Any, asked: Any, blind: bool) -> bool:
    return same((event.get("proof") or {}).get("nonce"), asked)


def _typed(event: Any, asked: Any, blind: bool) -> bool:
    """The faces that were typed; none where they came from a seed."""
    typed = (event.get("proof") or {}).get("source") in ("manual", "scripted")
    return same([face for _, _, face in event["dice"]] if typed else None, asked)


def _once(event: Any, asked: Any, blind: bool) -> bool:
    """One that is thrown again at once is listed again."""
    return same([*dict.fromkeys(die for die, _, _ in event["dice"])], asked)


def _again(event: Any, asked: Any, blind: bool) -> bool:
    """The dice that are thrown again; a first throw names none."""
    dice = [die for die, _ in event["dice"]]
    return same(None if event["trigger"] == "roll" else dice, asked)


def _who(event: Any, asked: Any, blind: bool) -> bool:
    seats = [seat for seat, _ in event["asked"]]
    return type(asked) is list and all(map(_str, asked)) and sorted(asked) == seats


_throw = {"committed": _committed, "nonce": _nonce, "faces": _typed}
_void = "roll-voided"
_amends = "roll-amended roll-voided damage-applied"
_rules = "roll-amended roll-voided damage-applied roll-declared"

COMMANDS: dict[str, Command] = {
    "open/1": leads("table-opened", "table ruleset", source="fair", level="player", options=_options),
    "open/2": leads(
        "table-opened",
        "table ruleset",
        **{"source": "fair", "level": "player", "options": _options, "one_machine": False},
    ),
    "set-reading/1": leads("reading-set", "name value", text="must"),
    "take-seat/1": leads("seat-taken", "seat", text="may", role=_role),
    "take-seat/2": leads("seat-taken", "seat", text="may", role=_role, key=None),
    "leave-seat/1": leads("seat-left", "seat"),
    "anchor-shares/1": leads("share-anchored", "anchor"),
    "erase/1": leads("entry-erased", "seq"),
    "begin-epoch/1": leads("epoch-begun"),
    "declare/1": leads(
        "roll-declared",
        "character",
        "declaration",
        text="may",
        **{"visibility": "public", "level": _named_level, "follows": None},
    ),
    "roll/1": leads("dice-rolled", "roll hand", option=None, **_throw),
    "reroll/1": leads("dice-rerolled", "roll hand", dice=_once, **_throw),
    "ask/1": Command(
        "throw-planned",
        {
            **{"roll": NEEDS, "hand": NEEDS, "option": None, "dice": _again},
            **{"committed": FREE, "asked": FREE},
        },
        more=("throw-asked",),
        second={
            "roll": NEEDS,
            "committed": lambda event, asked, blind: _answers(event["committed"], asked, blind),
            "asked": _who,
        },
    ),
    "open_share/1": leads("share-opened", "roll share", more="dice-rolled dice-rerolled"),
    "break_throw/1": leads("throw-broken", "roll"),
    "resolve/1": leads("roll-resolved", "roll"),
    "reveal/1": leads("roll-revealed", "roll"),
    "veto/1": leads("declaration-vetoed", "roll", text="must"),
    "replace/1": leads("declaration-replaced", "roll", "fields", text="must"),
    "amend/1": leads("roll-amended", "roll character", "fields", "must", _amends),
    "amend/2": leads("roll-amended", "roll character", "fields against", "must", _amends),
    "void/1": leads(_void, "roll", "", "must", _void),
    "void/2": leads(_void, "roll", "against", "must", _void),
    "void/3": leads(_void, "roll", "against", "must", _void),
    "withdraw/1": leads(_void, "roll"),
    "dispute/1": leads("dispute-raised", "roll", text="must"),
    "rule/1": leads("ruling-made", "roll dispute ruling", "", "must", _rules),
    **dict.fromkeys(
        ("rule/2", "rule/3"),
        leads("ruling-made", "roll dispute ruling", "character fields against", "must", _rules),
    ),
    # Of these the event is not compared: it touches no dice.
    "name-seat/1": leads("seat-named", text="must"),
    "enter/1": leads("character-entered", text="may"),
    "name/1": leads("character-named", text="must"),
    "give/1": leads("character-given"),
    "remove/1": leads("character-removed"),
    "set-track/1": leads("track-set"),
    "set-attribute/1": leads("attribute-set"),
    "note/1": leads("noted", text="must"),
    "react/1": leads("reaction-declared"),
    "freeze/1": leads("dice-frozen"),
    "adjust/1": leads("dice-adjusted"),
    "choose/1": leads("choice-made"),
    "apply_damage/1": leads("damage-applied"),
    "confirm/1": leads("throw-confirmed"),
    "flavour/1": leads("flavour-named"),
    "fate/1": leads("fate-decided"),
}
"""Every command: what its body says, the event says too. Another one is not known here."""

CORES = {"table-opened/1": 4, "table-opened/2": 4, "table-opened/3": 5}
"""The version of what commands lead to that is known here, by the tag of the opening."""

DEEDS_SINCE = 3
"""The version from which on a ruling is done in its own commit."""


# --- the faces of the dice of 0.2: later logs have them in themselves ---------------------------------

_22 = list("אבגדהוזחטיכלמנסעפצקרשת")

FACES: dict[str, dict[str, list[int | str]]] = {
    "milhamah": {
        "location": [*_22, "*", "*"],
        "red-a": [*"אתבשגרדקהצו*"],
        "red-b": [*"זעחסטנימכלפ*"],
        "blue-a": [*"אלבמגנדסהעו*"],
        "blue-b": [*"זצחקטרישכתפ*"],
        "green-a": [*"אכביגטדחהזו*"],
        "green-b": [*"לתמשנרסקעצפ*"],
    },
    **{system: {"d12": [*range(1, 13)]} for system in ("sagatafl", "majesty")},
    "scarterra": {"d10": [*range(1, 11)]},
    "age_of_magic": {"d6": [*range(1, 7)]},
    "plain": {
        **{f"d{n}": [*range(1, n + 1)] for n in range(2, 1_001)},
        **{"d%": [*range(1, 101)], "dF": [-1, 0, 1]},
    },
}
"""System of 0.2, each of version 1 -> kind of die -> its faces."""


def faces_of(event: Mapping[str, Any]) -> tuple[dict[str, list[int | str]], str]:
    """The faces of a table's dice by kind, and why they are not known, empty where they are.

    Beside these a die dN shows 1 to N; in a log of 0.2 the kinds are all.
    """
    if event["type"] == "table-opened/3":
        return dict(event.get("faces", {})), ""
    system, options = event["ruleset"], event["options"]
    if system not in FACES or event["version"] != 1:
        return {}, f"version {event['version']} of the system {system} is not known here"
    faces = dict(FACES[system])
    if system != "milhamah":
        return faces, ""
    reading = options.get("location_die", "wilds")
    if reading not in ("wilds", "letters"):
        return {}, "the reading location_die is not known here"
    if reading == "letters":
        faces["location"] = [*_22]
    for kind, pairs in (options.get("faces") or {}).items():
        if kind not in faces or type(pairs) is not list or not all(map(_str, pairs)):
            return {}, f"the dice that the table brings are not of their form: {kind}"
        faces[kind] = [*"".join(pairs)]
    return faces, ""


# --- what is counted ----------------------------------------------------------------------------------

LOOKS = {
    "broken": ("broken off", "broken off"),
    "left-open": ("ask left open", "asks left open"),
    "epoch": ("epoch", "epochs"),
    "dropped": ("seat whose throws were dropped", "seats whose throws were dropped"),
    "sealed": ("roll revealed over one that lies sealed", "rolls revealed over some that lie sealed"),
    "passed-over": ("seat passed over", "seats passed over"),
    "removed": ("seat removed by another", "seats removed by another"),
    "key-reset": ("key reset", "keys reset"),
    "lower-level": ("level named below the one due", "levels named below the ones due"),
    "alone": ("throw due at table with nobody to ask", "throws due at table with nobody to ask"),
    "anchored-again": ("further anchor without a key", "further anchors without a key"),
    "weak-chain": ("chain that anybody knows", "chains that anybody knows"),
    "nonce": ("constant nonce", "constant nonces"),
    "clock": ("time later than this clock", "times later than this clock"),
    "not-shown": ("revealed roll that is not shown", "revealed rolls that are not shown"),
    "no-reason": ("decision without its reason", "decisions without their reasons"),
}
"""What people should look at, the worst first: what one is called, and several."""

STATED = {
    "unknown": ("entry of an unknown kind", "entries of unknown kinds"),
    "renewed": ("chain renewed at its last link", "chains renewed at their last links"),
    "erased": ("erased text", "erased texts"),
    "given": ("character given", "characters given"),
    "dispute": ("dispute", "disputes"),
    "ruling": ("ruling", "rulings"),
    "correction": ("amendment, veto or replacement", "amendments, vetoes and replacements"),
    "withdrawn": ("withdrawn roll", "withdrawn rolls"),
    "early-void": ("void before the dice", "voids before the dice"),
    "lying": ("roll left lying", "rolls left lying"),
    "before-seen": (
        "command asked before something was seen",
        "commands asked before something was seen",
    ),
    "host-word": ("seat with shares and no key", "seats with shares and no key"),
}
"""Facts that speak against nobody."""


# === what is kept =====================================================================================


class Unreadable(ValueError):
    """The file is no bundle, or what was given beside it cannot be read or is another log's."""


class Malformed(ValueError):
    """A text that is not of its form; the message is why."""


@dataclass(slots=True)
class Entry:
    """A line of the file. `event` is None where it is withheld or cannot be read; `what` is its name.

    Of an event on the closed list the name is without its version: "roll-voided".
    """

    seq: int
    commit: int
    at: int
    cls: str
    digest: str
    leaf: bytes
    salt: str | None = None
    payload: str | None = None
    proof: list[str] | None = None
    asked: dict[str, Any] | None = None
    event: dict[str, Any] | None = None
    what: str = ""
    body: dict[str, Any] | None = None


@dataclass
class Header:
    """The first line; `proof` is from the last one, None where its form has none."""

    format: str
    scope: str
    roll: int | None
    origin: str
    keys: list[Key]
    size: int
    checkpoint: str
    system: str
    version: int
    options: dict[str, Any]
    proof: list[str] | None = None


@dataclass
class Remark:
    """What was found: `word` is wrong, look, stated, or unchecked (a gap)."""

    step: str
    word: str
    seq: int | None
    why: str
    expected: str | None = None
    found: str | None = None
    kind: str = ""


@dataclass
class Drop:
    """A throw that came to nothing: of which roll, how, by whom, in which entry."""

    roll: int
    how: str
    by: str
    seq: int


@dataclass
class Numbers:
    """What is counted of a seat.

    `throws` fell; `dropped` are what could be known and came to nothing, `broken` what was broken
    off, `sealed` its rolls that are hidden and were not revealed. Then what it was part of: `at_table`
    counts the asks, and the throws without one, while the seat had an anchor; in so many it was
    `asked`, in so many of others `passed` over; `kept` counts the shares that it kept back.
    """

    throws: int = 0
    dropped: list[Drop] = field(default_factory=list)
    broken: list[Drop] = field(default_factory=list)
    sealed: list[int] = field(default_factory=list)
    at_table: int = 0
    asked: int = 0
    passed: int = 0
    kept: int = 0


@dataclass
class Chain:
    """A seat's chain of shares, from its anchor in entry `seq`: the newest link, number `at`."""

    seq: int
    link: str
    at: int = 0
    asks: int = 0


@dataclass
class Seat:
    """A seat. `links` are those of all its chains that are known, `seen` the last head that it had."""

    role: str
    here: bool = True
    key: bytes | None = None
    chain: Chain | None = None
    links: set[str] = field(default_factory=set)
    seen: int | None = None


@dataclass
class Commitment:
    """What a host is bound to: for throw `number`, published in entry `seq`, in that epoch."""

    number: int
    commit: str
    seq: int
    leaf: str
    epoch: int


@dataclass
class Roll:
    """A roll. `shadow`: its declaration is not disclosed. `throws`: the number of the next throw.

    `gap` is a throw that is not disclosed. `dice` counts the throws that are; `cast` is the first
    ask or throw. `low`: at its declaration the dice could be known to somebody before they fall.
    """

    number: int
    seat: str
    seq: int = -1
    level: str | None = None
    secret: bool = True
    follows: int | None = None
    shadow: bool = True
    throws: int = 0
    waiting: Commitment | None = None
    revealed: int | None = None
    gap: int | None = None
    voided: bool = False
    low: bool = True
    dice: int = 0
    cast: int | None = None
    ended: str = ""
    thrower: str = ""

    @property
    def whose(self) -> str:
        """The seat that it is counted under: who threw, else who declared."""
        return self.thrower or self.seat


@dataclass
class Ask:
    """A throw that waits for shares; `full` is the last one's entry and commit."""

    id: str
    entry: Entry
    plan: dict[str, Any] | None
    asked: dict[str, int]
    opened: dict[str, str] = field(default_factory=dict)
    full: tuple[int, int] | None = None
    disturbed: bool = False
    unread: int | None = None

    @property
    def event(self) -> dict[str, Any]:
        """The ask's own event."""
        return self.entry.event or {}

    @property
    def missing(self) -> list[str]:
        """The seats that have opened nothing, by id."""
        return sorted(self.asked.keys() - self.opened.keys())


class Report:
    """What was found. `exit` is 0, 1 or 3; `seats` has the numbers of each seat."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.remarks: list[Remark] = []
        self.kinds: dict[str, list[int | None]] = {}
        self.looked: Counter[str] = Counter()
        self.seats: dict[str, Numbers] = {}
        self.levels = dict.fromkeys((*reversed(LEVELS), "other"), 0)
        self.unknown: Counter[str] = Counter()
        self.sealed_elsewhere = 0
        self.entries = 0
        self.source = "unknown"
        self.one_machine = False
        self.trusted = False
        self.signer = ""
        self.keyed: list[str] = []
        self.asserted: list[str] = []

    def fail(self, step: str, seq: int | None, why: str, expected: Any = None, found: Any = None) -> None:
        """The step fails."""
        texts = [None if each is None else str(each)[:200] for each in (expected, found)]
        self.remarks.append(Remark(step, "wrong", seq, why, *texts))

    def look(self, step: str, kind: str, seq: int | None, why: str) -> None:
        """Something that people should look at."""
        self.count(kind, seq)
        self.remarks.append(Remark(step, "look", seq, why, kind=kind))

    def state(self, step: str, seq: int | None, why: str, kind: str = "") -> None:
        """A fact."""
        if kind:
            self.count(kind, seq)
        self.remarks.append(Remark(step, "stated", seq, why, kind=kind))

    def unchecked(self, step: str, seq: int | None, why: str) -> None:
        """Something that is here could not be checked."""
        self.remarks.append(Remark(step, "unchecked", seq, why))

    def count(self, kind: str, seq: int | None) -> None:
        """One more of a kind."""
        self.kinds.setdefault(kind, []).append(seq)

    def of(self, seat: str) -> Numbers:
        """The numbers of a seat."""
        return self.seats.setdefault(seat, Numbers())

    def first(self) -> Remark | None:
        """The first step that fails, by its number, with the first entry that it names."""
        wrong = [each for each in self.remarks if each.word == "wrong"]
        return min(wrong, key=lambda each: STEPS[each.step], default=None)

    @property
    def exit(self) -> int:
        """The exit code."""
        if self.first():
            return 1
        gaps = (each for each in self.remarks if each.word == "unchecked")
        return 3 if any(STEPS[each.step] <= NEEDED for each in gaps) else 0

    def verdict(self, step: str) -> str:
        """pass, fail, not-checked, or not-applicable where there was nothing to look at."""
        words = {each.word for each in self.remarks if each.step == step}
        if "wrong" in words:
            return "fail"
        if "unchecked" in words:
            return "not-checked"
        return "pass" if self.looked[step] or words else "not-applicable"


class Log:
    """A bundle, what the reader gave, and the table as far as it was followed."""

    def __init__(self, header: Header, entries: list[Entry], report: Report) -> None:
        self.header, self.entries, self.report = header, entries, report
        self.whole = header.scope == "table"
        self.there = {entry.seq: entry for entry in entries}
        self.commits = [*commits_of(entries)]
        self.trusted: dict[str, set[bytes]] = {}
        self.begun: set[str] = set()
        # --- the table
        self.id, self.source, self.level = "", "", "server"
        self.one_machine = self.new = False
        self.core = 0
        self.faces: dict[str, list[int | str]] = {}
        self.faces_why = "the table's opening is missing"
        self.seats: dict[str, Seat] = {}
        self.rolls: dict[int, Roll] = {}
        self.ask: Ask | None = None
        self.epochs = 0
        self.epoch_at = -1
        self.kept_back: set[str] = set()
        self.last: Entry | None = None
        self.roots = Tree()
        # --- what is counted
        self.seeds: dict[str, int] = {}
        self.of_roll: Counter[int] = Counter()
        self.highest = 0
        self.unwatched = -1
        self.lowered: Counter[int] = Counter()
        self.keyless: set[str] = set()
        self.turns: dict[int, tuple[str, int, int]] = {}
        self.passed: dict[str, list[int]] = {}

    @property
    def fair(self) -> bool:
        """Whether the dice follow from seeds that were committed to."""
        return self.source == "fair"

    def roll(self, number: int, seat: str = "") -> Roll:
        """A roll; one that is not disclosed is known by its number alone, and by who asked in it."""
        found = self.rolls.setdefault(number, Roll(number, seat))
        found.seat = found.seat or seat
        return found

    def shows(self, number: int) -> bool:
        """Whether the declaration of a roll is disclosed."""
        return number in self.rolls and not self.rolls[number].shadow

    def throw_id(self, roll: int, throw: int) -> str:
        """The id of a throw."""
        return f"{self.id}/{roll}/{throw}"

    def anchored(self, but: str | None = None) -> list[str]:
        """The seats that can be asked for shares, by id: somebody is there, and has an anchor."""
        return sorted(s for s, seat in self.seats.items() if seat.here and seat.chain and s != but)

    def awake(self, but: str | None = None) -> list[str]:
        """Those of them that did not keep their last share back."""
        return [seat for seat in self.anchored(but) if seat not in self.kept_back]


# === 1. the form ======================================================================================
#
# One JSON object a line. What two readers could read in two ways is refused: a key twice, half of a
# surrogate pair, numbers beyond 2^53 - 1, nesting beyond 64.

WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
ORDERED = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
LONG = re.compile(r"[:,\[-][0-9]{16}")
ODD = re.compile(r"[:,\[-](?:[0-9]{16}|[0-9]+[.eE])")
TOKEN = re.compile(
    r'"(?:[^"\\]+|\\["\\bfnrt]|\\u00(?:0[0-7bef]|1[0-9a-f]))*"|(-?[0-9][0-9.eE+-]*)|[][{},:]|true|false|null'
)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 1 is neither 1.0 nor true; the order of keys is nothing."""
    if type(one) is not type(other):
        return False
    return one == other if type(one) in (str, int) else ORDERED(one) == ORDERED(other)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("a key twice in one object")
    return found


def _whole(text: str) -> int:
    if len(text) > len(str(-MOST)) or not -MOST <= int(text) <= MOST:
        raise Malformed(f"the number {text[:40]} is beyond {MOST} either way")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Malformed(f"the number {text[:40]} is beyond all bounds")
    return value


def _line_int(text: str) -> int | float:
    return -0.0 if text == "-0" else _whole(text)  # no field of a line takes a number that is no int


def _body_int(text: str) -> int:
    if text == "-0":
        raise Malformed("a zero with a sign")
    return _whole(text)


def _body_float(text: str) -> float:
    if "e" in text.lower() or _finite(text).is_integer():
        raise Malformed(f"the number {text[:40]} has an exponent, or a fraction and is whole")
    return float(text)


def _constant(text: str) -> None:
    raise Malformed(f"{text} is no JSON")


def _decoder(whole: Callable[[str], Any], other: Callable[[str], Any]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=_once, parse_int=whole, parse_float=other, parse_constant=_constant
    )


OF_LINES, OF_PAYLOADS = _decoder(_line_int, _finite), _decoder(_whole, _finite)
OF_BODIES = _decoder(_body_int, _body_float)


def strict(text: str, decoder: json.JSONDecoder) -> dict[str, Any]:
    """The object of a JSON text. Raises Malformed for what is none, and for what is not strict."""
    try:
        value = decoder.decode(text)
        if SURROGATE.search(text):
            WRITE(value).encode()
    except RecursionError as error:
        raise Malformed("nested too deeply") from error
    except UnicodeEncodeError as error:
        raise Malformed("half of a surrogate pair") from error
    except json.JSONDecodeError as error:
        raise Malformed(f"no JSON: {error}") from error
    if text.count("{") + text.count("[") > DEPTH and _depth(value) > DEPTH:
        raise Malformed(f"nested more than {DEPTH} deep")
    if type(value) is not dict:
        raise Malformed("no JSON object")
    return value


def _depth(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        if type(each) in (dict, list):
            deepest = max(deepest, depth)
            inside = each.values() if type(each) is dict else each
            waiting += [(one, depth + 1) for one in inside]
    return deepest


def plain(text: str, odd: re.Pattern[str]) -> dict[str, Any] | None:
    """The object of a text that is just as we write it, and so surely strict; None for any other.

    It has no key twice, no blank, no escape that it does not need: those are not written again.
    """
    if odd.search(text) or text.count("{") + text.count("[") > DEPTH:
        return None
    try:
        value = json.loads(text)
        return value if type(value) is dict and WRITE(value) == text else None
    except ValueError:
        return None


def as_written(text: str) -> bool:
    """Whether strict JSON is written as the log writes it: no blanks, short escapes, short numbers."""
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found or (found[1] and found[1] != _shortest(found[1])):
            return False
        at = found.end()
    return True


def _shortest(number: str) -> str:
    """The one way to write a number: with an exponent from 1e16 on and below 1e-5."""
    if number.lstrip("-").isdigit():
        return str(int(number))
    text = repr(float(number))
    digits, _, exponent = text.partition("e")
    if not exponent:
        return text
    return f"{Decimal(text):f}" if int(exponent) == -5 else f"{digits}e{int(exponent)}"


def misfit(value: Mapping[str, Any], fields: Mapping[str, Form]) -> str:
    """What is wrong with an object that should have exactly these fields; empty for nothing."""
    for name in value:
        if name not in fields:
            return f"{name[:40]} is no field of it"
    for name, (fits, usual) in fields.items():
        if name not in value:
            if usual is NEEDS:
                return f"{name} is missing"
        elif not fits(value[name]):
            return f"{name} is not of its form"
    return ""


def untidy(value: Mapping[str, Any], fields: Mapping[str, Form]) -> str:
    """In what such an object is not written as the log writes it; empty for nothing."""
    if [*value] != [name for name in fields if name in value]:
        return "another order of fields"
    for name, found in value.items():
        usual = fields[name][1]
        if usual is not NEEDS and same(found, usual):
            return f"{name} has its usual value"
        if name == "effects" and any(len(each) == 4 and each[3] is None for each in found):
            return "an effect sets nothing"
        if name == "proof" and found and untidy(found, PROOF):
            return "its proof is written in another way"
    return ""


def form(source: BinaryIO) -> tuple[Header, list[Entry]]:
    """The header and the entries of a bundle. Raises Unreadable, with the line, for what is none."""
    header: Header | None = None
    entries: list[Entry] = []
    for number, line in enumerate(lines(source), 1):
        try:
            value = strict(line.decode(), OF_LINES)
            if header is None:
                header = read_header(value)
            elif "end" in value:
                read_end(value, header, len(entries))
                break
            else:
                entries.append(read_entry(value, header))
        except UnicodeDecodeError as error:
            raise Unreadable(f"line {number}: not UTF-8") from error
        except Malformed as error:
            raise Unreadable(f"line {number}: {error}") from error
    else:
        raise Unreadable("the file is empty, or the end line is missing")
    if source.read(1):
        raise Unreadable("there is something behind the end line")
    return header, entries


def lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, never more than one and its bound in memory."""
    while line := source.readline(LINE + 1):
        if len(line) > LINE:
            raise Unreadable(f"a line of more than {LINE} bytes")
        if not line.endswith(b"\n"):
            raise Unreadable("the last line has no end: the file is cut off")
        yield line


def _count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _hash(value: Any) -> Any:
    return type(value) is str and SHA(value)


_HEADER: dict[str, Form] = {
    **{"format": (_one_of(*FORMATS), NEEDS), "scope": (_one_of("table", "roll"), NEEDS)},
    **{"origin": (_str, NEEDS), "keys": (_list(_str), NEEDS), "size": (_count, NEEDS)},
    **{"checkpoint": (_str, NEEDS), "system": (_str, NEEDS), "version": (_count, NEEDS)},
    "options": (_json, NEEDS),
}
_SEALED = frozenset(("seq", "commit", "at", "class", "digest"))
_DISCLOSED = _SEALED | {"salt", "payload"}


def read_header(value: dict[str, Any]) -> Header:
    """The first line: what the file claims to be. Raises Malformed."""
    if value.get("format") == "urim-bundle/1":
        raise Malformed("urim-bundle/1, of a log that did not say what was asked, is read no more")
    fields = dict(_HEADER)
    if value.get("scope") == "roll":
        fields["roll"] = lambda found: _count(found) and found > 0, NEEDS
    if why := misfit(value, fields):
        raise Malformed(why)
    if not 1 <= len(value["keys"]) <= 64:
        raise Malformed("not 1 to 64 keys")
    keys = [read_key(each) for each in value["keys"]]
    return Header(**{**value, "keys": keys, "roll": value.get("roll")})


def read_entry(value: dict[str, Any], header: Header) -> Entry:
    """One entry. Raises Malformed."""
    names = _DISCLOSED if "payload" in value else _SEALED
    proved = header.scope == "roll" and header.format == FORMATS[0]
    if value.keys() != (names | {"proof"} if proved else names):
        raise Malformed("keys are missing, or there are others")
    seq, commit, at, cls, digest = (value[name] for name in ("seq", "commit", "at", "class", "digest"))
    if not (_count(seq) and _count(commit) and _count(at)):
        raise Malformed("seq, commit and at are no numbers from 0")
    if type(cls) is not str or cls not in CLASSES or not _hash(digest):
        raise Malformed("the class or the digest is not of its form")
    salt, payload, proof = value.get("salt"), value.get("payload"), value.get("proof")
    if "payload" in value and not (_hash(salt) and type(payload) is str):
        raise Malformed("the salt or the payload is not of its form")
    if proved and not (type(proof) is list and len(proof) <= 64 and all(map(_hash, proof))):
        raise Malformed("the proof is no list of at most 64 hashes")
    leaf = sha256(f"\0urim/1 entry\n{seq}\n{at}\n{cls}\n{digest}\n".encode()).digest()
    return Entry(seq, commit, at, cls, digest, leaf, salt, payload, proof)


def read_end(value: dict[str, Any], header: Header, count: int) -> None:
    """The last line: how many entries there are; urim-bundle/3 of a roll has its proof here."""
    proved = header.scope == "roll" and header.format == FORMATS[1]
    if value.keys() != ({"end", "count", "proof"} if proved else {"end", "count"}):
        raise Malformed("keys are missing, or there are others")
    if value["end"] != header.format or not _count(value["count"]) or value["count"] != count:
        raise Malformed(f"it is the end of another form, or counts others than {count} entries")
    if proved and not _list(_hash)(value["proof"]):
        raise Malformed("the proof is no list of hashes")
    header.proof = value["proof"] if proved else None


# === keys and notes ===================================================================================
#
# Ed25519 without the cofactor, as OpenSSL, Go and BoringSSL verify: S < L, and the encoding of
# [S]B - [k]A is R, byte for byte. A key whose y is not reduced, or that is of small order, is nobody's.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SMALL = frozenset(
    (
        *(0, 1, P - 1),
        2707385501144840649318225287225658788936804267575313519463743609750303402022,
        55188659117513257062467267217118295137698188065244968500265048394206261417927,
    )
)
"""The y of every point of small order."""
Point = tuple[int, int, int, int]
"""X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z."""
_BY = 4 * pow(5, -1, P) % P


def weakness(key: bytes) -> str:
    """Why nobody may have this key of 32 bytes; empty for one that may be had."""
    y = int.from_bytes(key, "little") & (2**255 - 1)
    if y >= P:
        return "its y is not below 2^255 - 19"
    return "it is of small order" if y in SMALL else ""


def verifies(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature is good, by a key of 32 bytes."""
    if weakness(key) or len(signature) != 64:
        return False
    if Ed25519PublicKey is None:
        return fits(key, signature, message)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def fits(key: bytes, signature: bytes, message: bytes) -> bool:
    """The same by this file alone (RFC 8032, 5.1.7)."""
    point, s = _point(key), int.from_bytes(signature[32:], "little")
    if point is None or s >= L:
        return False
    k = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % L
    x, y, z, t = point
    return _encoded(_sum(s, k, (-x % P, y, z, -t % P))) == signature[:32]


def _point(data: bytes) -> Point | None:
    """The point of 32 bytes (5.1.3); None where there is none."""
    number = int.from_bytes(data, "little")
    y, odd = number & (2**255 - 1), number >> 255
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if v * x * x % P != u or (x == 0 and odd):
        return None
    x = P - x if x & 1 != odd else x
    return x, y, 1, x * y % P


def _added(one: Point, other: Point) -> Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _sum(s: int, k: int, point: Point) -> Point:
    """[s]B + [k]A, bit by bit."""
    base = _point(_BY.to_bytes(32, "little")) or (0, 1, 1, 0)
    table = {(0, 1): point, (1, 0): base, (1, 1): _added(base, point)}
    found: Point = (0, 1, 1, 0)
    for at in reversed(range(253)):
        found = _added(found, found)
        bits = s >> at & 1, k >> at & 1
        if bits in table:
            found = _added(found, table[bits])
    return found


def _encoded(point: Point) -> bytes:
    x, y, z, _ = point
    by = pow(z, -1, P)
    return (y * by % P | (x * by % P & 1) << 255).to_bytes(32, "little")


def from_base64(text: str) -> bytes | None:
    """RFC 4648 in its one canonical form; None for any other text."""
    try:
        found = b64decode(text, validate=True)
    except ValueError:
        return None
    return found if b64encode(found).decode() == text else None


def key_of(text: str) -> bytes | None:
    """The public key of a seat, 32 bytes in base64; None for what may be none."""
    found = from_base64(text)
    return found if found is not None and len(found) == 32 and not weakness(found) else None


@dataclass(frozen=True)
class Key:
    """A key of a log: `name` is the log's origin, `id` 8 hex digits, `public` 32 bytes."""

    name: str
    id: str
    public: bytes


@dataclass(frozen=True)
class Head:
    """What a note says: the first `size` entries of `origin` have this root, 32 bytes."""

    origin: str
    size: int
    root: bytes
    signed: str
    signatures: list[tuple[str, str, bytes]]


def read_key(vkey: str) -> Key:
    """The key of a vkey, NAME+ID+BASE64; one that nobody may have too. Raises Malformed."""
    name, _, rest = vkey.partition("+")
    id, _, encoded = rest.partition("+")
    body = from_base64(encoded)
    if not NAME(name) or body is None or len(body) != 33 or body[0] != 1:
        raise Malformed(f"not a vkey of an Ed25519 key: {vkey[:200]}")
    if id != sha256(name.encode() + b"\n" + body).hexdigest()[:8]:
        raise Malformed(f"the vkey of {name[:200]} has another key's id")
    return Key(name, id, body[1:])


def read_note(note: str) -> Head:
    """What a signed note says, whoever signed it. Raises Malformed."""
    text, blank, behind = note.rpartition("\n\n")
    if len(note.encode(errors="surrogatepass")) > NOTE or not blank or not behind.endswith("\n"):
        raise Malformed("a note that is too long, or has no blank line with signatures behind it")
    rows, signatures = text.split("\n"), behind[:-1].split("\n")
    if len(rows) != 3 or len(signatures) > 64:
        raise Malformed("a note of more or fewer lines than there are")
    origin, size, root = rows[0], rows[1], from_base64(rows[2])
    if not NAME(origin) or not SIZE(size) or int(size) >= 1 << 63 or root is None or len(root) != 32:
        raise Malformed("a checkpoint without a good origin, size or root")
    return Head(origin, int(size), root, f"{text}\n", [_signature(each) for each in signatures])


def _signature(line: str) -> tuple[str, str, bytes]:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    body = from_base64(encoded)
    if dash != "—" or not NAME(name) or body is None or len(body) <= 4:
        raise Malformed(f"not a signature line: {line[:200]}")
    return name, body[:4].hex(), body[4:]


def signed_head(note: str, keys: Sequence[Key]) -> tuple[Head, Key]:
    """What a note says, and which of these keys, named like its origin, signed it.

    Signatures by others are passed over. Raises Malformed where one of these does not fit, or none is.
    """
    head, signer = read_note(note), None
    for name, id, signature in head.signatures:
        for key in keys:
            if (key.name, key.id) != (name, id):
                continue
            if not verifies(key.public, signature, head.signed.encode()):
                raise Malformed(f"the signature of {name}+{id} does not fit the note")
            signer = key if name == head.origin else signer
    if signer is None:
        raise Malformed(f"no key that is trusted for {head.origin} has signed it")
    return head, signer


# === the tree =========================================================================================


def node(left: bytes, right: bytes) -> bytes:
    """The hash over two subtrees."""
    return sha256(b"\1" + left + right).digest()


class Tree:
    """A tree of RFC 6962 that grows: every perfect subtree is kept, by its height, from the left."""

    def __init__(self) -> None:
        self.rows: list[list[bytes]] = [[]]

    def append(self, leaf: bytes) -> None:
        """One more leaf of 32 bytes."""
        height = 0
        while True:
            row = self.rows[height]
            row.append(leaf)
            if len(row) % 2:
                return
            leaf, height = node(row[-2], row[-1]), height + 1
            if height == len(self.rows):
                self.rows.append([])

    def root(self, size: int) -> bytes:
        """The root over the first `size` leaves, which are there."""
        start = 0
        peaks: list[bytes] = []
        for height in reversed(range(len(self.rows))):
            if start + (1 << height) <= size:
                peaks.append(self.rows[height][start >> height])
                start += 1 << height
        if not peaks:
            return sha256(b"").digest()
        found = peaks.pop()
        while peaks:
            found = node(peaks.pop(), found)
        return found


def root_by_path(entry: Entry, size: int) -> bytes | None:
    """The root that an entry's own proof leads to (RFC 9162, 2.1.3.2); None where it leads to none."""
    index, last, found = entry.seq, size - 1, entry.leaf
    if index > last:
        return None
    for each in map(bytes.fromhex, entry.proof or []):
        if last == 0:
            return None
        if index % 2 or index == last:
            found = node(each, found)
            while index and not index % 2:
                index, last = index >> 1, last >> 1
        else:
            found = node(found, each)
        index, last = index >> 1, last >> 1
    return found if last == 0 else None


def root_by_proof(leaves: Mapping[int, bytes], size: int, proof: Iterable[str]) -> bytes | None:
    """The root of a tree of which some leaves are here, and a node for each subtree without one.

    The nodes come in the order of the walk from the root, left before right. None for too many or few.
    """
    places = sorted(leaves)
    nodes = iter(proof)

    def walk(start: int, end: int) -> bytes:
        if bisect_left(places, start) == bisect_left(places, end):
            return bytes.fromhex(next(nodes))
        if end - start == 1:
            return leaves[start]
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        return node(walk(start, middle), walk(middle, end))

    try:
        root = walk(0, size) if size else sha256(b"").digest()
    except StopIteration:
        return None
    return root if next(nodes, None) is None else None


# === 2. the steps =====================================================================================


def parse(log: Log) -> None:
    """1: every payload is strict, of the form, its body too; the first entry opens the table."""
    report = log.report
    for entry in log.entries:
        if entry.payload is None:
            continue
        report.looked["parse"] += 1
        try:
            odd = read_payload(entry)
        except Malformed as error:
            report.fail("parse", entry.seq, f"the payload is no event: {error}")
            continue
        if odd:
            report.fail("transitions", entry.seq, "the payload is written in another way", found=odd)
        key = entry.event.get("key") if entry.what == "seat-taken" and entry.event else None
        if key is not None and key_of(key) is None:
            report.fail("parse", entry.seq, "a seat takes what may be no key", found=key)
        try:
            entry.body = read_body(entry.asked["body"]) if entry.asked else None
        except Malformed as error:
            report.fail("parse", entry.seq, f"the body of a command is not strict: {error}")
        if entry.what == "table-opened" and entry is not log.entries[0]:
            report.fail("parse", entry.seq, "the table is opened again", "once, by entry 0")
    opening(log)
    roll = log.header.roll
    declared = any(
        entry.what == "roll-declared" and entry.event and entry.event["roll"] == roll
        for entry in log.entries
    )
    if roll is not None and not declared:
        report.fail("parse", None, f"roll {roll}, which the file is about, is not declared in it")


def read_payload(entry: Entry) -> str:
    """Put what was asked and the event into an entry; in what it is not written as the log writes it.

    Raises Malformed.
    """
    text, odd = entry.payload or "", ""
    found = plain(text, LONG)
    if found is None:
        found = strict(text, OF_PAYLOADS)
        odd = "" if as_written(text) else "blanks, escapes or numbers"
    if why := misfit(found, PAYLOAD):
        raise Malformed(why)
    asked, event = found.get("asked"), found["event"]
    if asked is not None and (why := misfit(asked, ASKED)):
        raise Malformed(f"what was asked: {why}")
    tag = event.get("type")
    if type(tag) is not str or not TAG(tag) or tag in GONE:
        raise Malformed(f"no event is called {str(tag)[:80]}")
    fields = EVENTS.get(tag) or {name: _OF_OTHERS.get(name, (_any, NEEDS)) for name in (*_OF_OTHERS, *event)}
    if why := misfit(event, fields):
        raise Malformed(f"not {tag}: {why}")
    known = tag in EVENTS or tag in OTHERS
    entry.asked, entry.event, entry.what = asked, event, tag.partition("/")[0] if known else tag
    odd = odd or untidy(found, PAYLOAD) or (untidy(asked, ASKED) if asked else "")
    return odd or (untidy(event, fields) if tag in EVENTS else "")


_OF_OTHERS: dict[str, Form] = {
    **{"type": (_str, NEEDS), "by": (_seat, NEEDS)},
    **{"roll": (_int, 0), "seat": (_seat, "")},
}
"""What any event has in one form, and where it has it."""


def read_body(text: str) -> dict[str, Any]:
    """A command's body: strict, and each number in one way. Raises Malformed."""
    if len(text.encode(errors="surrogatepass")) > BODY:
        raise Malformed(f"more than {BODY} bytes")
    return plain(text, ODD) or strict(text, OF_BODIES)


def opening(log: Log) -> None:
    """The first entry opens the table, and the header says the same as it."""
    report, header = log.report, log.header
    first = log.entries[0] if log.entries else None
    if first is None or first.event is None or first.what != "table-opened" or first.seq != 0:
        report.fail("parse", first and first.seq, "the first entry does not open the table")
        return
    event = first.event
    claims = {
        "system": (event["ruleset"], header.system),
        "version": (event["version"], header.version),
        "options": (event["options"], header.options),
    }
    for name, (expected, found) in claims.items():
        if not same(expected, found):
            report.fail("parse", 0, f"the header says another {name}", expected, found)
    if not header.origin.endswith(f"/t/{event['table']}"):
        report.fail("parse", 0, "the origin is another table's", event["table"], header.origin)


def signature(log: Log, key: Key | None) -> tuple[Head | None, list[Key]]:
    """2: the checkpoint is of this log, and signed. Gives it, and the keys that count."""
    report, header = log.report, log.header
    report.looked["signature"] += 1
    for each in header.keys:
        if why := weakness(each.public):
            report.fail("signature", None, f"the header has a key that nobody may have: {why}")
    keys = header.keys if key is None else [key]
    try:
        head, signer = signed_head(header.checkpoint, keys)
    except Malformed as error:
        report.fail("signature", None, f"the checkpoint is not accepted: {error}")
        return None, keys
    report.signer, report.trusted = f"{signer.name}+{signer.id}", key is not None
    for name, signed, claimed in (
        ("origin", head.origin, header.origin),
        ("size", head.size, header.size),
    ):
        if signed != claimed:
            report.fail("signature", None, f"the {name} is not the one that was signed", signed, claimed)
    return head, keys


def tree(log: Log, head: Head | None, keys: list[Key], seen: Sequence[str]) -> None:
    """3: the entries lead to the root that was signed, and begin with those of every earlier head."""
    report, header = log.report, log.header
    if head is None:
        report.unchecked("tree", None, "there is no checkpoint to hold the entries against")
    else:
        report.looked["tree"] += 1
        included(log, head)
    grown = Tree()
    for entry in log.entries if log.whole and seen else ():
        grown.append(entry.leaf)
    for number, note in enumerate(seen, 1):
        report.looked["tree"] += 1
        try:
            earlier, _ = signed_head(note, keys)
        except Malformed as error:
            report.fail("tree", None, f"earlier checkpoint {number} is not accepted: {error}")
            continue
        if earlier.size > header.size:
            why = f"earlier checkpoint {number} signed more entries than this log has"
            report.fail("tree", None, why, earlier.size, header.size)
        elif not log.whole and (head is None or earlier.size != head.size):
            report.unchecked("tree", None, f"earlier checkpoint {number} needs the whole table")
        elif log.whole and earlier.size > len(log.entries):
            report.unchecked("tree", None, f"earlier checkpoint {number}: entries are missing")
        else:
            root = grown.root(earlier.size) if log.whole or head is None else head.root
            if root != earlier.root:
                why = f"the first {earlier.size} entries are not those of earlier checkpoint {number}"
                report.fail("tree", earlier.size - 1, why, earlier.root.hex(), root.hex())


def included(log: Log, head: Head) -> None:
    """The root over the entries is the signed one; of some entries, the root that their proofs give."""
    report = log.report
    roots: list[tuple[int | None, bytes | None]] = []
    if log.whole:
        grown = Tree()
        for entry in log.entries:
            grown.append(entry.leaf)
        roots.append((None, grown.root(len(log.entries))))
        if len(log.entries) != head.size:
            why = "the file has not as many entries as were signed"
            report.fail("tree", None, why, head.size, len(log.entries))
    elif log.header.proof is None:
        roots += [(entry.seq, root_by_path(entry, head.size)) for entry in log.entries]
    else:
        leaves = {entry.seq: entry.leaf for entry in log.entries}
        roots.append((None, root_by_proof(leaves, head.size, log.header.proof)))
    for seq, root in roots:
        if root != head.root:
            why = "the entries do not lead to the signed root"
            report.fail("tree", seq, why, head.root.hex(), root.hex() if root else "none")


def sequence(log: Log) -> None:
    """4: the entries count up without a gap, or at least up, and time does not go back."""
    report, size = log.report, log.header.size
    last, at = -1, 0
    for entry in log.entries:
        if entry.seq <= last or (log.whole and entry.seq != last + 1):
            report.fail("sequence", entry.seq, "out of sequence", f"after {last}", entry.seq)
        if entry.seq >= size:
            report.fail("sequence", entry.seq, f"beyond the {size} entries that were signed")
        if entry.at < at:
            report.fail("sequence", entry.seq, "time goes back", f"{at} or later", entry.at)
        last, at = entry.seq, entry.at
    if log.whole and len(log.entries) != size:
        report.fail("sequence", None, "another number than was signed", size, len(log.entries))
    report.looked["sequence"] += len(log.entries)
    if not log.whole:
        report.state("sequence", None, "other entries may be missing: it is the file of one roll")


def payloads(log: Log) -> None:
    """5: each payload is the one that was sealed; only texts are erased, and nothing else withheld."""
    report, erased = log.report, set()
    for entry in log.entries:
        if entry.payload is not None and entry.salt is not None:
            report.looked["payloads"] += 1
            sealed = b"urim/1 payload\n" + bytes.fromhex(entry.salt) + entry.payload.encode()
            digest = sha256(sealed).hexdigest()
            if digest != entry.digest:
                report.fail("payloads", entry.seq, "not the payload of its digest", entry.digest, digest)
        if entry.what == "entry-erased" and entry.event:
            gone = entry.event["seq"]
            erased.add(gone)
            there = log.there.get(gone)
            if not 0 <= gone < entry.seq:
                report.fail("payloads", entry.seq, f"it erases entry {gone}, which is not before it")
            elif there and there.payload is not None:
                report.fail("payloads", gone, f"entry {entry.seq} erased it, and it is still there")
            elif there and there.cls not in TEXTS:
                report.fail("payloads", entry.seq, f"entry {gone} is erased, and is no text", None, there.cls)
    for entry in log.entries:
        if entry.payload is None and entry.cls not in HIDDEN and entry.seq not in erased:
            report.fail("payloads", entry.seq, f"of class {entry.cls}, withheld, and not erased")
    withheld = [e for e in log.entries if e.payload is None and e.cls in HIDDEN and e.seq not in erased]
    count = sum(entry.cls in HIDDEN for entry in log.entries)
    report.looked["hidden"] += count
    if withheld:
        report.state("hidden", None, f"{len(withheld)} of {count} hidden entries are not disclosed")


# --- 6. throws: each answers its commitment, in order, once ------------------------------------------


def throws(log: Log, entry: Entry) -> None:
    """6: what one more entry says of throws fits what was committed to, asked for and planned."""
    between(log, entry)
    event = entry.event
    if event is None:
        return
    if "roll" in event and entry.what != "roll-declared" and entry.what not in ALWAYS_OPEN:
        if not log.shows(event["roll"]):
            log.report.fail("throws", entry.seq, f"roll {event['roll']} was never declared")
    if entry.what in THROWS:
        log.report.looked["throws"] += 1
        THROWS[entry.what](log, entry, event)


def between(log: Log, entry: Entry) -> None:
    """A plan has its ask right behind it; while a throw waits nothing comes but shares, notes, an end."""
    last, ask, fail = log.last, log.ask, log.report.fail
    if last and last.what == "throw-planned":
        if entry.what != "throw-asked" or entry.commit != last.seq:
            fail("throws", last.seq, "a throw is planned, and nobody is asked for shares")
    if ask is None:
        return
    of_ask = entry.event is not None and entry.what in FALLS and entry.event["roll"] == ask.event["roll"]
    if ask.full:
        unseen = entry.event is None and entry.cls in HIDDEN
        if entry.commit != ask.full[1] or not (of_ask or unseen):
            fail("throws", ask.full[0], f"every share of {ask.id} is open, and no dice fall behind them")
        elif unseen and not may_hide(log.roll(ask.event["roll"])):
            fail("throws", entry.seq, f"the dice of {ask.id} are hidden, and the roll is not")
        return
    unread, ask.unread = ask.unread, None
    if unread is not None and (entry.commit != unread or entry.cls != "hidden-text"):
        disturbed(log, ask, unread)
    if entry.cls in TEXTS and entry.seq != entry.commit:
        return  # the text of a command that is looked at where its commit begins
    if entry.event is None and entry.cls in HIDDEN and entry.seq == entry.commit:
        ask.unread = entry.seq  # a note, if its text comes next
    elif not of_ask and entry.what not in MEANWHILE:
        disturbed(log, ask, entry.seq)


def disturbed(log: Log, ask: Ask, seq: int) -> None:
    """Something else came while a throw waits: it fails once an ask."""
    if not ask.disturbed:
        log.report.fail("throws", seq, f"{ask.id} waits for shares, and something else comes between")
    ask.disturbed = True


def may_hide(roll: Roll) -> bool:
    """Whether entries that are not disclosed may be about a roll."""
    return roll.secret and roll.revealed is None


def waits(log: Log, event: Mapping[str, Any]) -> Ask | None:
    """The ask that waits for shares of this very throw."""
    ask = log.ask
    if ask is None or ask.full or (ask.event["roll"], ask.event["throw"]) != (event["roll"], event["throw"]):
        return None
    return ask


def _committed_to(log: Log, seq: int, id: str, commit: str | None) -> None:
    if not _hash(commit):
        log.report.fail("throws", seq, f"throw {id} is not committed to", "64 hex digits", commit)


def _declares(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    if log.shows(event["roll"]):
        log.report.fail("throws", entry.seq, f"roll {event['roll']} is declared a second time")
    if log.fair:
        _committed_to(log, entry.seq, log.throw_id(event["roll"], 0), event.get("commit"))
    elif event.get("commit") is not None:
        log.report.fail("throws", entry.seq, "dice that are not fair are committed to", "nothing")


def _begins_epoch(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    report, epoch = log.report, event["epoch"]
    report.look("throws", "epoch", entry.seq, f"epoch {epoch}: the host says that it restored the log")
    if epoch != log.epochs + 1:
        report.fail("throws", entry.seq, "epochs count from 1", log.epochs + 1, epoch)
    for number, throw, commit in event["commits"]:
        roll, id = log.roll(number), log.throw_id(number, throw)
        # How a hidden roll came so far need not be disclosed, nor be in this file.
        behind = roll.shadow or (may_hide(roll) and throw >= roll.throws)
        if not behind and (roll.waiting is None or roll.waiting.number != throw):
            report.fail("throws", entry.seq, f"throw {id} is not outstanding")
        _committed_to(log, entry.seq, id, commit)


def answers(log: Log, entry: Entry, roll: Roll, throw: int, committed: int | None) -> None:
    """A throw, or the ask for it, answers the outstanding commitment, of an earlier commit."""
    open_, what = roll.waiting, f"throw {throw} of roll {roll.number}"
    if open_ is None or (open_.number, open_.seq) != (throw, committed):
        expected = f"entry {open_.seq}, throw {open_.number}" if open_ else "none is outstanding"
        why = f"{what} does not answer the outstanding commitment"
        log.report.fail("throws", entry.seq, why, expected, f"entry {committed}, throw {throw}")
    elif open_.seq >= entry.commit:
        log.report.fail("throws", entry.seq, f"{what} answers a commitment of its own commit")
    elif open_.epoch != log.epochs:
        log.report.fail("throws", entry.seq, f"{what} answers a commitment of before the last epoch")


def answers_unseen(log: Log, roll: Roll, event: Mapping[str, Any], seq: int) -> bool:
    """Whether the commitment that an ask names may be in an earlier entry that is not disclosed."""
    committed, there = event["committed"], log.there.get(event["committed"])
    if not may_hide(roll) or event["throw"] < roll.throws or not log.epoch_at <= committed < seq - 1:
        return False
    return committed != log.epoch_at and (there is None or there.payload is None)


def _asks(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    report, last, roll = log.report, log.last, log.roll(event["roll"], event["by"])
    id = log.throw_id(event["roll"], event["throw"])
    if log.ask and not log.ask.full:
        report.fail("throws", entry.seq, f"{id} is asked for while {log.ask.id} waits")
    second = last is not None and (last.seq, entry.seq) == (entry.commit, entry.commit + 1)
    unseen = last is not None and last.event is None and last.cls in HIDDEN
    if not second or last is None or not (unseen or _plans(last, event)):
        report.fail("throws", entry.seq, f"{id} is asked for without a plan of its dice right before")
    open_ = roll.waiting
    named = open_ is not None and (open_.number, open_.seq) == (event["throw"], event["committed"])
    if named or not answers_unseen(log, roll, event, entry.seq):
        answers(log, entry, roll, event["throw"], event["committed"])


def _plans(last: Entry, event: Mapping[str, Any]) -> bool:
    plan = last.event
    return (
        plan is not None
        and last.what == "throw-planned"
        and all(plan[name] == event[name] for name in ("by", "roll", "throw"))
    )


def _breaks(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    report, ask = log.report, waits(log, event)
    id = log.throw_id(event["roll"], event["throw"])
    if ask is None:
        report.fail("throws", entry.seq, f"{id} is broken off, and waits for nobody")
        return
    if entry.at < ask.entry.at + BREAKING:
        why = f"{id} is broken off {entry.at - ask.entry.at} ms after the ask"
        report.fail("throws", entry.seq, why, f"{BREAKING} ms or more")
    if event["kept"] != ask.missing:
        report.fail("throws", entry.seq, f"{id}: others kept back", ask.missing, event["kept"])
    _committed_to(log, entry.seq, log.throw_id(event["roll"], event["throw"] + 1), event["next"])
    report.look("throws", "broken", entry.seq, f"{id} was broken off: {', '.join(event['kept'])} kept back")


def _falls(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    report, seq = log.report, entry.seq
    roll, proof = log.roll(event["roll"]), event.get("proof")
    if proof is None:
        taken = event.get("taken")
        if event["dice"] and (taken is None or (taken != roll.follows and not roll.shadow)):
            report.fail("throws", seq, "dice without a proof of their throw")
        return
    id = log.throw_id(event["roll"], proof["throw"])
    if proof["source"] != log.source.partition(":")[0]:
        report.fail("throws", seq, "dice of another source", log.source, proof["source"])
    if proof["throw"] != roll.throws:
        report.fail("throws", seq, f"{id} is not the next throw", roll.throws, proof["throw"])
    if proof["source"] == "seeded" and any(name in proof for name in ("committed", "nonce", "next")):
        report.fail("throws", seq, "seeded dice take no commitment and no nonce")
    if proof["source"] != "fair":
        return
    answers(log, entry, roll, proof["throw"], proof.get("committed"))
    ask = asked_for(log, event)
    if ask:
        _as_planned(log, entry, event, ask)
    _committed_to(log, seq, log.throw_id(event["roll"], proof["throw"] + 1), proof.get("next"))


def asked_for(log: Log, event: Mapping[str, Any]) -> Ask | None:
    """The ask that dice are of."""
    return log.ask if log.ask and log.ask.event["roll"] == event["roll"] else None


def _as_planned(log: Log, entry: Entry, event: dict[str, Any], ask: Ask) -> None:
    """Dice behind the last share are those that were asked for and planned."""
    proof, plan = event["proof"], ask.plan
    pairs = {
        "roller": (ask.event["by"], event["by"]),
        "number": (ask.event["throw"], proof["throw"]),
        "commitment": (ask.event["committed"], proof.get("committed")),
    }
    if plan:
        dice = [[*each] for each in dict.fromkeys((die, kind) for die, kind, _ in event["dice"])]
        pairs["kind of throw"] = plan["trigger"], TRIGGERS[entry.what]
        pairs["hand"] = plan["hand"], event["hand"]
        pairs["option"] = plan.get("option"), event.get("option")
        pairs["list of dice"] = plan["dice"], dice
    for what, (expected, found) in pairs.items():
        if expected != found:
            log.report.fail("throws", entry.seq, f"the {what} of {ask.id} is not as planned", expected, found)
    if ask.missing:
        log.report.fail("throws", entry.seq, f"{ask.id} falls before every share is open", None, ask.missing)


THROWS: dict[str, Callable[[Log, Entry, dict[str, Any]], None]] = {
    "roll-declared": _declares,
    "epoch-begun": _begins_epoch,
    "throw-asked": _asks,
    "throw-broken": _breaks,
    "dice-rolled": _falls,
    "dice-rerolled": _falls,
}


def throws_at_end(log: Log) -> None:
    """What only the end shows of throws."""
    last, ask, report = log.last, log.ask, log.report
    if last and last.what == "throw-planned":
        report.fail("throws", last.seq, "a throw is planned, and nobody is asked for shares")
    if ask and ask.full:
        report.fail("throws", ask.full[0], f"every share of {ask.id} is open, and no dice fall behind them")
    elif ask:
        if ask.unread is not None:
            disturbed(log, ask, ask.unread)
        report.look("throws", "left-open", ask.entry.seq, f"{ask.id} waits for shares at the end")
    for roll in log.rolls.values():
        if roll.revealed is not None and not roll.shadow and roll.gap is not None:
            report.fail("throws", roll.gap, f"roll {roll.number} was revealed, and not all its throws are here")


# --- 7. commitments -----------------------------------------------------------------------------------


def commitment(id: str, seed: str) -> str:
    """C: what binds a host to the seed of a throw."""
    return sha256(f"urim/1 seed\n{id}\n{seed}\n".encode()).hexdigest()


def commitments(log: Log, entry: Entry) -> None:
    """7: the seed that a throw or a break opens is there, and it is the one committed to."""
    event, report = entry.event, log.report
    if event is None or entry.what not in (*FALLS, "throw-broken"):
        return
    if entry.what == "throw-broken":
        throw, seed = event["throw"], event["seed"]
        opens = waits(log, event) is not None
    else:
        proof = event.get("proof") or {}
        throw, seed = proof.get("throw"), proof.get("seed")
        opens = log.fair and proof.get("source") == "fair"
    if not opens:
        return
    report.looked["commitments"] += 1
    id, open_ = log.throw_id(event["roll"], throw), log.roll(event["roll"]).waiting
    if not _hash(seed):
        report.fail("commitments", entry.seq, f"{id} opens no seed", "64 hex digits", seed)
    elif open_ is None:
        report.state("commitments", entry.seq, f"the commitment to the seed of {id} is not disclosed")
    elif commitment(id, seed) != open_.commit:
        why = f"the seed of {id} is not the one committed to in entry {open_.seq}"
        report.fail("commitments", entry.seq, why, open_.commit, commitment(id, seed))


# --- 8. transcripts: levels, chains, asks, shares ----------------------------------------------------


def transcripts(log: Log, entry: Entry) -> None:
    """8: each throw is at the level that was due, and each share is the next link of its seat's chain."""
    if entry.event is not None and entry.what in TRANSCRIPTS:
        TRANSCRIPTS[entry.what](log, entry, entry.event)


def due(log: Log, seat: str, roll: Roll, named: str | None) -> str:
    """The level that is due for a throw of a seat, where its declaration names that level or none.

    From table-opened/3 on `table` is due while another seat has an anchor, whoever throws; not at a
    table opened at `server`, nor at one machine. Before, it was due for a narrator's and hidden throws.
    """
    if not log.fair:
        return named or log.level
    if log.new and log.one_machine:
        return min(named or log.level, "player", key=LEVELS.index)
    if named is not None or log.one_machine or (log.new and log.level == "server"):
        return named or log.level
    narrates = seat in log.seats and log.seats[seat].role == "narrator"
    watched = log.new or narrates or may_hide(roll)
    return "table" if watched and log.anchored(seat) else log.level


def made_at(log: Log, seat: str, roll: Roll) -> str:
    """The level at which that throw is made: player, where nobody else can be asked."""
    level = due(log, seat, roll, roll.level)
    return "player" if level == "table" and not log.awake(seat) else level


def link_before(log: Log, seat: str, link: str) -> str:
    """The link of a seat's chain before this one."""
    return sha256(f"urim/1 share\n{log.id}\n{seat}\n{link}\n".encode()).hexdigest()


def _anchors(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    seat, anchor, report = event["by"], event["anchor"], log.report
    report.looked["transcripts"] += 1
    known = log.seats.get(seat)
    if known is None or not _hash(anchor):
        report.fail("transcripts", entry.seq, f"seat {seat} was never taken, or its anchor is none", None, anchor)
        return
    if known.links:
        back, old = anchor, anchor in known.links
        for _ in range(CHAIN):
            if old:
                break
            back = link_before(log, seat, back)
            old = back in known.links
        if old:
            report.fail("transcripts", entry.seq, f"the anchor of seat {seat} is of a chain that it had before")
        if known.chain and known.chain.asks >= CHAIN:
            report.state("transcripts", entry.seq, f"seat {seat} begins a new chain at its last link", "renewed")
        elif known.key is None:
            report.look("transcripts", "anchored-again", entry.seq, f"seat {seat} anchors once more, without a key")
    link = ZEROS
    for _ in range(CHAIN):
        link = link_before(log, seat, link)
    if link == anchor:
        report.look("transcripts", "weak-chain", entry.seq, f"the chain of seat {seat} ends with zeros")


def _asks_seats(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    """Who is asked for which link, and who is left out."""
    seats, id = [seat for seat, _ in event["asked"]], log.throw_id(event["roll"], event["throw"])

    def fail(why: str, expected: Any = None, found: Any = None) -> None:
        log.report.fail("transcripts", entry.seq, f"{id}: {why}", expected, found)

    log.report.looked["transcripts"] += 1
    if log.one_machine or not log.fair:
        fail("at this table no throw asks for shares")
    if len(seats) > MOST_ASKED or seats != sorted({*seats}):
        fail(f"the seats asked are not each named once, in order, at most {MOST_ASKED}", None, seats)
    if event["by"] not in seats or not {*seats} - {event["by"]}:
        fail("the roller asks not itself, or nobody else", None, seats)
    for seat, i in event["asked"][:MOST_ASKED]:
        chain = log.seats[seat].chain if seat in log.anchored() else None
        if chain is None:
            fail(f"seat {seat} is asked, and has no anchor")
        # In some entries of a log the asks of other rolls are missing.
        elif (i != chain.asks + 1 if log.whole else i <= chain.asks) or i > CHAIN:
            fail(f"seat {seat} is not asked for its next link", chain.asks + 1, i)
    left = [seat for seat in log.anchored() if seat not in seats]
    if left != event.get("left", []):
        fail("the seats that are left out are others", left, event.get("left", []))


def linked(log: Log, seat: str, share: str, i: int) -> list[str] | None:
    """The links from a share back to the newest one that is known; None where it leads to another."""
    chain = log.seats[seat].chain
    if chain is None or not _hash(share) or not chain.at < i <= CHAIN:
        return None
    links = [share]
    for _ in range(i - chain.at):
        links.append(link_before(log, seat, links[-1]))
    return links[:-1] if links[-1] == chain.link else None


def _opens_share(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    seat, report, ask = event["by"], log.report, waits(log, event)
    report.looked["transcripts"] += 1
    if ask is None or seat not in ask.asked or seat in ask.opened:
        report.fail("transcripts", entry.seq, f"seat {seat} opens a share that nobody waits for", None, seat)
        return
    person = log.seats.get(seat)
    if person is None or person.chain is None:
        return  # the ask that named it failed
    if linked(log, seat, event["share"], ask.asked[seat]) is None:
        why = f"the share of seat {seat} is not link {ask.asked[seat]} of its chain"
        report.fail("transcripts", entry.seq, why, f"one that leads to {person.chain.link}", event["share"])
    elif person.key is None and seat not in log.keyless:
        log.keyless.add(seat)
        why = f"seat {seat} has no key: its anchor and shares are the host's word"
        report.state("transcripts", person.chain.seq, why, "host-word")


def _adds(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    """A throw holds the nonce, or the share of its roller, that its level asks for."""
    proof, roll, report = event.get("proof"), log.roll(event["roll"]), log.report
    if not proof or proof["source"] != "fair" or not log.fair:
        return
    report.looked["transcripts"] += 1
    nonce, ask, seat = proof.get("nonce"), asked_for(log, event), event["by"]
    id = log.throw_id(event["roll"], proof["throw"])
    if ask:
        own = ask.opened.get(ask.event["by"])
        if nonce != own:
            report.fail("transcripts", entry.seq, f"{id} has not its roller's share as nonce", own, nonce)
        return
    if roll.shadow:
        report.state("transcripts", entry.seq, f"the level of {id} is not disclosed")
        return
    level = due(log, seat, roll, roll.level)
    if level == "server" and nonce is not None:
        report.fail("transcripts", entry.seq, f"{id} is of level server and has a nonce", "none", nonce)
    elif level != "server" and not _hash(nonce):
        report.fail("transcripts", entry.seq, f"{id} is of level {level}", "a nonce of 64 hex digits", nonce)
    # In the file of one roll other rolls may show who kept a share back.
    if level == "table" and log.awake(seat) and log.whole:
        report.fail("transcripts", entry.seq, f"{id} is of level table, and nobody is asked for a share")
    elif level == "table":
        report.look("transcripts", "alone", entry.seq, f"{id} is due at table, and nobody else can be asked")
    usual = due(log, seat, roll, None)
    below = LEVELS.index(level) < LEVELS.index(usual)
    if below and (log.new or usual == "table"):
        log.lowered[roll.number] += 1


TRANSCRIPTS: dict[str, Callable[[Log, Entry, dict[str, Any]], None]] = {
    "share-anchored": _anchors,
    "throw-asked": _asks_seats,
    "share-opened": _opens_share,
    "dice-rolled": _adds,
    "dice-rerolled": _adds,
}


# --- 9. dice ------------------------------------------------------------------------------------------


def transcript(
    id: str, committed: int, leaf: str, roller: str, nonce: str | None, shares: Mapping[str, str]
) -> str:
    """T: all that the dice of a throw follow from beside its seed."""
    rows = [
        "urim/1 throw",
        f"throw {id}",
        f"committed {committed} {leaf}",
        f"roller {roller} {nonce or '-'}",
        *(f"witness {seat} {shares[seat]}" for seat in sorted(shares)),
    ]
    return "".join(f"{row}\n" for row in rows)


def drawn(seed: str, text: str) -> Callable[[int, int], int | None]:
    """HKDF-SHA256 (RFC 5869): die j of so many faces -> the number of its face, None for no fair draw."""
    key = hmac.digest(sha256(text.encode()).digest(), bytes.fromhex(seed), "sha256")

    def draw(j: int, faces: int) -> int | None:
        if not 1 <= faces <= DRAWS:
            return None
        for attempt in range(ATTEMPTS):
            info = f"urim/1 die\n{j}\n{attempt}\n\1".encode()
            value = int.from_bytes(hmac.digest(key, info, "sha256")[:6], "big")
            if value < DRAWS - DRAWS % faces:
                return value % faces
        return None

    return draw


def dice(log: Log, entry: Entry) -> None:
    """9: every die shows the face that follows from seed and transcript."""
    event, report, seq = entry.event, log.report, entry.seq
    proof = event.get("proof") if event and entry.what in FALLS else None
    if event is None or proof is None or proof["source"] not in ("fair", "seeded"):
        return
    if proof["source"] != log.source.partition(":")[0]:
        return
    id = log.throw_id(event["roll"], proof["throw"])
    open_, ask, seed, shares = log.roll(event["roll"]).waiting, asked_for(log, event), proof.get("seed"), {}
    if proof["source"] == "seeded":
        fixed = sha256(f"urim/1 fixture\n{log.source.partition(':')[2]}\n{id}\n".encode()).hexdigest()
        if seed != fixed:
            report.fail("dice", seq, f"the seed of {id} is not the fixture's", fixed, seed)
        open_, ask, seed = Commitment(0, "", 0, ZEROS, 0), None, fixed
    if open_ is None:
        return  # it answers nothing, and step 6 fails
    if log.faces_why:
        report.unchecked("dice", seq, log.faces_why)
        return
    if ask:
        shares = {seat: share for seat, share in ask.opened.items() if seat != ask.event["by"]}
    nonce = proof.get("nonce")
    if not all(map(_hash, (seed, *([nonce] if nonce is not None else []), *shares.values()))):
        report.state("dice", seq, f"a seed, a nonce or a share of {id} is none")
        return
    draw = drawn(seed, transcript(id, open_.seq, open_.leaf, event["by"], nonce, shares))
    for j, (die, kind, face) in enumerate(event["dice"]):
        expected = face_of(log, kind, lambda faces, j=j: draw(j, faces))
        report.looked["dice"] += 1
        if not same(expected, face):
            report.fail("dice", seq, f"die {die} ({kind}) of {id} does not follow", expected, face)


def face_of(log: Log, kind: str, draw: Callable[[int], int | None]) -> int | str | None:
    """The face that a die of this kind falls on; None for a kind that is none."""
    faces = log.faces.get(kind)
    numbered = NUMBERED(kind) if log.new and faces is None else None
    at = draw(int(numbered[1])) if numbered else draw(len(faces)) if faces else None
    if at is None:
        return None
    return faces[at] if faces else at + 1


# --- 10. transitions: who asked for what; the rules are `urim audit`'s -------------------------------


def commits_of(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """The entries put together to the commits that they were kept in."""
    group: list[Entry] = []
    for entry in entries:
        goes_on = group and entry.seq == group[-1].seq + 1 and entry.commit != entry.seq
        if goes_on and entry.commit == group[0].commit:
            group.append(entry)
            continue
        if group:
            yield group
        group = [entry]
    if group:
        yield group


def transitions(log: Log) -> None:
    """10: each commit says what was asked, once, and its events and its text are what that leads to."""
    core = log.core
    if core != CORES.get(log.entries[0].event["type"] if log.id and log.entries[0].event else "", core):
        log.report.unchecked("transitions", 0, f"what commands lead to is of version {core}: not known here")
        core = 0
    requests: dict[tuple[str, str], int] = {}
    blind: set[int] = set()
    for group in log.commits:
        log.report.looked["transitions"] += 1
        _placed(log, group)
        _texts(log, group)
        first = group[0]
        if first.event is None or first.asked is None or first.seq != first.commit:
            continue
        if first.what == "roll-declared" and first.event["visibility"] == "blind":
            blind.add(first.event["roll"])
        _request(log, first, requests)
        if first.body is not None:
            _body(log, group, core, blind)
            _said(log, group)


def _placed(log: Log, group: list[Entry]) -> None:
    """Where the entries of a commit are: one time, one seat, what was asked in the first one alone."""
    first = group[0]

    def fail(entry: Entry, why: str, expected: Any = None, found: Any = None) -> None:
        log.report.fail("transitions", entry.seq, why, expected, found)

    if first.seq != first.commit:
        fail(first, "it is of a commit that is not right before it", None, f"commit {first.commit}")
    for entry in group:
        begins, event = entry.seq == entry.commit, entry.event
        if entry.at != first.at:
            fail(entry, "a commit is of two times", first.at, entry.at)
        if event is not None and (entry.asked is not None) != begins:
            fail(entry, "the first entry of a commit says what was asked, and no other one does")
        falls = first.what == "share-opened" and entry.what in FALLS
        if event and first.event and begins == (entry is first) and event["by"] != first.event["by"] and not falls:
            fail(entry, "an event of another seat than asked", first.event["by"], event["by"])
        if entry.what in ALWAYS_OPEN[:3] and entry.cls != "open":
            fail(entry, f"{entry.what} is for everybody to see", "class open", entry.cls)
    for before, entry in pairwise(group):
        asks = entry.what == "throw-asked" and entry.seq == entry.commit + 1
        if entry.cls == "open" and before.cls == "hidden" and not asks:
            fail(entry, "an open entry that nobody asked for is right behind a hidden one")


def _texts(log: Log, group: list[Entry]) -> None:
    """A text is the last of its commit, of the class of the first, and in no other class."""
    first = group[0]
    for entry in group:
        is_text, says = entry.cls in TEXTS, entry.what == "text-said"
        if entry.event is not None and is_text != says:
            log.report.fail("transitions", entry.seq, f"an entry of class {entry.cls} holds {entry.what}")
        if is_text and (entry is first or entry is not group[-1]):
            log.report.fail("transitions", entry.seq, "a text is not the last entry of its commit")
        elif is_text and (entry.cls in HIDDEN) != (first.cls in HIDDEN):
            log.report.fail("transitions", entry.seq, "a text is hidden where its commit is, and else open")


def _request(log: Log, first: Entry, requests: dict[tuple[str, str], int]) -> None:
    """The request is of its form, and no seat uses one twice."""
    asked, event = first.asked or {}, first.event or {}
    request, seat = asked["request"], event["by"]
    if request == f"~{first.seq}":
        return
    if not REQUEST(request):
        log.report.fail("transitions", first.seq, "a request id that no client may send", None, request)
    elif requests.setdefault((seat, request), first.seq) != first.seq:
        why = f"seat {seat} has used this request id in entry {requests[seat, request]}"
        log.report.fail("transitions", first.seq, why, None, request)


def _body(log: Log, group: list[Entry], core: int, blind: set[int]) -> None:
    """What the body names, the events say too: compared are those of the closed list."""
    first, report = group[0], log.report
    body, event = first.body or {}, first.event or {}
    name = body.get("do")
    if type(name) is not str or not TAG(name):
        report.fail("transitions", first.seq, "what was asked is no command", "do: name/version", name)
        return
    command = COMMANDS.get(name)
    if not core or (first.what == "table-opened" and not log.new and log.faces_why):
        return
    if command is None:
        if event["type"] in EVENTS:
            report.unchecked("transitions", first.seq, f"what {name} leads to is not known here")
        return
    if first.what != command.to:
        report.fail("transitions", first.seq, f"{name} leads to another event", command.to, first.what)
        return
    if command.text == "must" and body.get("text") is None:
        report.fail("transitions", first.seq, f"{name} needs a text", "the hash of one", "none")
    listed = event["type"] in EVENTS
    known = {"do", *command.fields, *(["text"] if command.text else [])}
    for each in body if listed else ():
        if each not in known:
            report.fail("transitions", first.seq, f"{name} has no field {each[:80]}")
    if listed:
        _unlike(log, first, body, command.fields, event["roll"] in blind if "roll" in event else False)
    for entry in group[1:]:
        if entry.event is None or entry.what == "text-said":
            continue
        if entry.what not in command.more:
            report.fail("transitions", entry.seq, f"{name} does not lead to this", command.more, entry.what)
        elif command.second:
            _unlike(log, entry, body, command.second, entry.event["roll"] in blind)


def _unlike(log: Log, entry: Entry, body: Mapping[str, Any], fields: Mapping[str, Any], blind: bool) -> None:
    event = entry.event or {}
    for name, rule in fields.items():
        if rule is FREE:
            continue
        if callable(rule):
            right = rule(event, body.get(name), blind)
        elif rule is NEEDS:
            right = name in body and same(event.get(name), body[name])
        else:
            right = same(event.get(name, rule), body.get(name, rule))
        if not right:
            why = f"the event says another {name} than was asked for"
            log.report.fail("transitions", entry.seq, why, body.get(name), event.get(name))


def _said(log: Log, group: list[Entry]) -> None:
    """The text is there exactly where the body has its hash, and it is the one."""
    first, last = group[0], group[-1]
    wanted = (first.body or {}).get("text")
    if (wanted is not None) != (last.cls in TEXTS):
        why = "a text comes with a command that names none, or the one that it names is missing"
        log.report.fail("transitions", first.seq, why, wanted, last.cls)
    elif wanted is not None and last.what == "text-said" and last.event:
        salt, text = last.event["salt"], last.event["text"]
        found = sha256(f"urim/1 text\n{salt}\n{text}".encode()).hexdigest()
        if not TEXT_SALT(salt) or found != wanted:
            log.report.fail("transitions", last.seq, "the text is not the one that was named", wanted, found)


def signed(log: Log, entry: Entry) -> None:
    """10, as the log is walked: each command of a seat with a key is its own, over a head that it saw."""
    event, asked = entry.event, entry.asked
    if event is None:
        return
    if entry.what in SEATED:
        SEATED[entry.what](log, entry, event)
    if asked is None or entry.seq != entry.commit:
        return
    seat, report = event["by"], log.report
    person = log.seats.get(seat, Seat(""))
    taken = key_of(event["key"]) if _takes_key(log, event, entry.what) else None
    key = person.key or taken
    _trusted(log, entry, seat, key, taken)
    sig, seen = asked.get("sig"), asked.get("seen")
    if key is None:
        if sig is not None or seen is not None:
            report.fail("transitions", entry.seq, f"seat {seat} signs a command, and has no key")
        return
    if entry.what == "epoch-begun" and sig is None:
        return  # the host's, signed by nobody
    if seat not in report.keyed:
        report.keyed.append(seat)
    signature = from_base64(sig or "")
    if seen is None or not signature or asked["request"].startswith("~") or not _hash(seen[1]):
        why = f"seat {seat} has a key, and this is not signed over a head, with an id of its own"
        report.fail("transitions", entry.seq, why, None, sig)
        return
    _seen(log, entry, seat, seen)
    rows = [log.header.origin, seat, asked["request"], f"{seen[0]} {seen[1]}"]
    body = sha256(asked["body"].encode()).hexdigest()
    message = "".join(f"{row}\n" for row in ("urim/1 asked", *rows, body)).encode()
    if not verifies(key, signature, message):
        why = f"the signature is not of the key of seat {seat} over this request"
        report.fail("transitions", entry.seq, why, None, sig)
    elif _late(log, event, entry.what, seen[0]):
        report.count("before-seen", entry.seq)


def _takes_key(log: Log, event: Mapping[str, Any], what: str) -> bool:
    """Whether a seat takes a key itself, and is not taken for a person by another."""
    if what != "seat-taken" or event.get("key") is None or event["by"] != event["seat"]:
        return False
    return event["seat"] in log.seats and log.seats[event["seat"]].here


def _trusted(log: Log, entry: Entry, seat: str, key: bytes | None, taken: bytes | None) -> None:
    """Where the reader named the seat's key: it asks with that, or one that follows from it."""
    keys = log.trusted.get(seat)
    if keys is None:
        return
    if key in keys:
        log.begun.add(seat)
        if taken:
            keys.add(taken)
    elif seat in log.begun:
        log.report.fail("transitions", entry.seq, f"seat {seat} asks without the key that was given for it")


def _seen(log: Log, entry: Entry, seat: str, seen: tuple[int, str]) -> None:
    """The head that a seat had seen is of this log, before the command, and no older than its last."""
    size, root = seen
    before = log.seats[seat].seen if seat in log.seats else None

    def fail(why: str, expected: Any, found: Any) -> None:
        log.report.fail("transitions", entry.seq, f"the head that seat {seat} had seen {why}", expected, found)

    if not 0 <= size <= entry.seq:
        fail("is beyond the command", f"at most {entry.seq} entries", size)
        return
    if before is not None and size < max(before, 1):
        fail("is older than its last one", f"{max(before, 1)} or more", size)
    if entry.what == "share-opened" and log.ask and not log.ask.full and size <= log.ask.entry.seq:
        fail("does not cover the ask of its share", f"{log.ask.entry.seq + 1} or more", size)
    if log.whole and size <= len(log.roots.rows[0]):
        found = log.roots.root(size).hex()
        if found != root:
            fail("is not of this log", found, root)


def _late(log: Log, event: Mapping[str, Any], what: str, size: int) -> bool:
    """Whether a seat asked before it saw what another one did in the roll."""
    turn = log.turns.get(event.get("roll", 0))
    if turn is None or what == "share-opened":
        return False
    by, seq, other = turn
    return size <= (seq if by != event["by"] else other)


def _seat_taken(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    seat, own = event["seat"], _takes_key(log, event, entry.what)
    if event.get("key") is not None and not own:
        log.report.fail("transitions", entry.seq, f"a key that seat {seat} did not take itself")
    if seat in log.seats and log.seats[seat].key and not own:
        log.report.look("transitions", "key-reset", entry.seq, f"seat {seat} had a key, and has none now")


def _seat_left(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    if event["by"] != event["seat"]:
        why = f"seat {event['seat']} is removed by seat {event['by']}"
        log.report.look("transitions", "removed", entry.seq, why)


def _at_level_table(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    roll = log.roll(event["roll"], event["by"])
    if not roll.shadow and made_at(log, event["by"], roll) != "table":
        id = log.throw_id(event["roll"], event["throw"])
        log.report.fail("transitions", entry.seq, f"{id} is not due at level table, and takes no shares")


SEATED: dict[str, Callable[[Log, Entry, dict[str, Any]], None]] = {
    "seat-taken": _seat_taken,
    "seat-left": _seat_left,
    "throw-asked": _at_level_table,
}


# --- 12. reuse, 13. voids -----------------------------------------------------------------------------


def reuse(log: Log, entry: Entry) -> None:
    """12: no seed occurs twice; a nonce that is one byte over and over is a look."""
    event, report = entry.event, log.report
    if event is None or entry.what not in (*FALLS, "throw-broken", "roll-voided"):
        return
    proof = event.get("proof") or {}
    seed = event.get("seed") or (proof.get("seed") if proof.get("source") == "fair" else None)
    if seed is not None and _hash(seed):
        report.looked["reuse"] += 1
        if log.seeds.setdefault(seed, entry.seq) != entry.seq:
            report.fail("reuse", entry.seq, f"its seed was used in entry {log.seeds[seed]}", None, seed)
    nonce = proof.get("nonce")
    if nonce is not None and ONE_BYTE(nonce):
        report.look("reuse", "nonce", entry.seq, "the nonce is one byte over and over")


def voids(log: Log, entry: Entry) -> None:
    """13: a void opens the seed of the throw that was outstanding; what would have come is shown."""
    event = entry.event
    if event is None or entry.what != "roll-voided":
        return
    number, seq, report = event["roll"], entry.seq, log.report
    roll = log.roll(number)
    open_ = roll.waiting
    report.looked["voids"] += 1
    if not log.fair or roll.voided or open_ is None:
        report.state("voids", seq, f"roll {number} is made void by {event['by']}, with nothing to open")
        return
    id, seed = log.throw_id(number, open_.number), event.get("seed")
    found = commitment(id, seed) if _hash(seed) else "no seed"
    if event.get("throw") != open_.number or found != open_.commit:
        why = f"the void does not open the seed of {id}"
        report.fail("voids", seq, why, f"throw {open_.number}, {open_.commit}", f"throw {event.get('throw')}, {found}")
        return
    why = f"roll {number} is made void by {event['by']}"
    if due(log, roll.seat, roll, roll.level) == "server" and not log.faces_why:
        why += f"; {id} would have come: {_forgone(log, seed or '', transcript(id, open_.seq, open_.leaf, roll.seat, None, {}))}"
    report.state("voids", seq, why)


def _forgone(log: Log, seed: str, text: str) -> str:
    """What a voided throw would have shown, six dice of each kind that it may have had."""
    draw = drawn(seed, text)
    kinds = [*log.faces][:8] or [f"d{n}" for n in (4, 6, 8, 10, 12, 20)]
    return "; ".join(
        f"{kind} {' '.join(str(face_of(log, kind, lambda n, j=j: draw(j, n))) for j in range(6))}" for kind in kinds
    )


# --- 14. rulings, 15. hidden --------------------------------------------------------------------------

DECISIONS = {
    "dispute-raised": ("dispute", "disputed it"),
    "ruling-made": ("ruling", "ruled on it"),
    "roll-amended": ("correction", "amended it"),
    "declaration-vetoed": ("correction", "vetoed the declaration"),
    "declaration-replaced": ("correction", "replaced the declaration"),
}
DEEDS: dict[str, tuple[list[str], list[str]]] = {
    "stands": ([], []),
    "amend": (["roll-amended"], []),
    "void": (["roll-voided"], []),
    "replay": (["roll-voided"], ["roll-declared"]),
}
"""Ruling -> what is done to its own roll, and to the one that comes instead."""
DONE = ("roll-amended", "roll-voided", "roll-declared")


def rulings(log: Log) -> None:
    """14: decisions have their reasons, and a ruling is done in its own commit."""
    for group in log.commits:
        first, last = group[0], group[-1]
        if first.event is None or first.what not in DECISIONS:
            continue
        report, event = log.report, first.event
        kind, words = DECISIONS[first.what]
        report.looked["rulings"] += 1
        report.count(kind, first.seq)
        if first.what == "ruling-made" and log.core >= DEEDS_SINCE and (why := _undone(event, group[1:])):
            report.fail("rulings", first.seq, why)
        what = f"roll {event['roll']}: {event['by']} {words}"
        if last.cls not in TEXTS:
            report.look("rulings", "no-reason", first.seq, f"{what}, without a reason")
        elif last.event is None or last.what != "text-said":
            report.state("rulings", first.seq, f"{what}; the reason is erased or hidden")
        else:
            report.state("rulings", first.seq, f"{what}: {last.event['text']}")


def _undone(event: Mapping[str, Any], others: list[Entry]) -> str:
    """What is wrong with the events behind a ruling; where some are withheld, only what was not ruled."""
    ruling, instead = event["ruling"], event.get("instead")
    if (instead is not None) != (ruling == "replay"):
        return "a replay alone names the roll that comes instead"
    whole = all(entry.event is not None or entry.cls in TEXTS for entry in others)
    for number, wanted in zip((event["roll"], instead), DEEDS[ruling], strict=True):
        found = [e.what for e in others if e.event and e.what in DONE and e.event["roll"] == number]
        if found != wanted and (whole or not {*found} <= {*wanted}):
            return f'"{ruling}" was ruled, and its commit does {found or "nothing"} to roll {number}'
    if ruling != "replay" and any(entry.what == "roll-declared" for entry in others):
        return "only a replay declares a roll"
    return ""


def hidden(log: Log, entry: Entry) -> None:
    """15: of a roll that is revealed all entries are disclosed: as many as the reveal says."""
    if entry.event is None or entry.what != "roll-revealed":
        return
    number, report = entry.event["roll"], log.report
    report.looked["hidden"] += 1
    said, found = entry.event.get("entries"), log.of_roll[number]
    if said is not None and said != found and log.whole:
        why = f"roll {number} is revealed, and not all its entries are here"
        report.fail("hidden", entry.seq, why, f"{said} entries", f"{found} that can be read")
    if not log.shows(number):
        report.look("hidden", "not-shown", entry.seq, f"roll {number} is revealed, and is not in the file")


# === 3. what is counted ===============================================================================


def drops(log: Log, entry: Entry) -> None:
    """Throws whose dice could be known to somebody, and that came to nothing; by seat, with who ended it.

    Known: at `server` and `player` from the declaration on, for the host may have had the nonce and
    kept the command back; at `table` from the last share on, when the dice fall.
    """
    event = entry.event
    if event is None:
        return
    by, report, seq = event["by"], log.report, entry.seq
    if entry.what == "throw-broken" and (ask := waits(log, event)):
        how = f"broken off, {', '.join(event['kept'])} kept back"
        report.of(ask.event["by"]).broken.append(Drop(event["roll"], how, by, seq))
    elif entry.what == "epoch-begun":
        for number, _, _ in event["commits"]:
            roll = log.rolls.get(number)
            if roll and not roll.ended and not roll.shadow and known_before(log, roll):
                _dropped(log, roll, "lost behind an epoch of", by, seq)
    elif entry.what in ENDINGS and event["roll"] in log.rolls:
        roll = log.rolls[event["roll"]]
        if not roll.shadow and (roll.dice or (entry.what != "roll-amended" and known_before(log, roll))):
            _dropped(log, roll, ENDINGS[entry.what], by, seq)
        elif entry.what == "roll-voided":
            report.count("withdrawn" if by == roll.seat else "early-void", seq)


ENDINGS = {
    "roll-voided": "made void by",
    "declaration-vetoed": "vetoed by",
    "declaration-replaced": "replaced by",
    "roll-amended": "amended by",
}


def known_before(log: Log, roll: Roll) -> bool:
    """Whether somebody could know the dice of a roll before they fell: nobody can at level table."""
    return roll.low or log.unwatched >= roll.seq


def _dropped(log: Log, roll: Roll, how: str, by: str, seq: int) -> None:
    log.report.of(roll.whose).dropped.append(Drop(roll.number, how, by, seq))


def drops_at_end(log: Log) -> None:
    """Rolls left lying: known, not resolved, and a later roll of the seat was thrown."""
    newest: dict[str, int] = {}
    for roll in log.rolls.values():
        if roll.dice or roll.gap is not None:
            newest[roll.whose] = max(newest.get(roll.whose, 0), roll.number)
    for number, roll in sorted(log.rolls.items()):
        if roll.ended or roll.shadow:
            continue
        log.report.count("lying", roll.seq)
        if (roll.dice or known_before(log, roll)) and newest.get(roll.whose, 0) > number:
            _dropped(log, roll, "left lying by", roll.whose, roll.seq)
    for seat, numbers in sorted(log.report.seats.items()):
        if numbers.dropped:
            why = f"{seat}: {_listed(numbers.dropped)}"
            log.report.look("hidden", "dropped", numbers.dropped[0].seq, why)


def _listed(some: list[Drop]) -> str:
    return ", ".join(f"roll {each.roll}, {each.how} {each.by}" for each in some)


def sealed(log: Log) -> None:
    """Hidden rolls that were not revealed, by seat; and who revealed another while one lay there."""
    report = log.report
    missing = sorted({*range(1, log.highest + 1)} - log.rolls.keys()) if log.whole else []
    report.sealed_elsewhere = len(missing)
    lying = [roll for roll in log.rolls.values() if may_hide(roll)]
    for roll in lying:
        report.of(roll.whose).sealed.append(roll.number)
    for roll in log.rolls.values():
        if roll.revealed is None:
            continue
        older = [r.number for r in lying if r.whose == roll.whose and r.cast is not None and r.cast < roll.revealed]
        older += [number for number in missing if number < roll.number]
        if older:
            why = f"roll {roll.number} of {roll.whose or 'a seat'} is revealed, and roll {sorted(older)} lies sealed"
            report.look("hidden", "sealed", roll.revealed, why)


def asked(log: Log, entry: Entry) -> None:
    """Which throws each seat with an anchor was asked for, and which passed it over."""
    event, report = entry.event, log.report
    if event is None:
        return
    if entry.what == "throw-asked":
        names = {seat for seat, _ in event["asked"]}
        for seat in log.awake(event["by"]):
            if seat not in names:
                log.passed.setdefault(seat, []).append(entry.seq)
        for seat in log.anchored():
            report.of(seat).at_table += 1
            report.of(seat).asked += seat in names
            report.of(seat).passed += seat not in names
    elif entry.what in FALLS and (event.get("proof") or {}).get("source") == "fair" and not asked_for(log, event):
        for seat in log.anchored():
            report.of(seat).at_table += 1
            report.of(seat).passed += seat != event["by"]
    elif entry.what == "throw-broken" and waits(log, event):
        for seat in event["kept"]:
            report.of(seat).kept += 1


def asked_at_end(log: Log) -> None:
    """Who was awake at an ask, and not among those asked; and declarations that named a lower level."""
    for seat, entries in sorted(log.passed.items()):
        why = f"seat {seat} was awake, and was not asked, {len(entries)} times, first in entry {entries[0]}"
        log.report.look("transcripts", "passed-over", entries[0], why)
    for number, count in sorted(log.lowered.items()):
        why = f"roll {number} names a level below the one that was due for {count} of its throws"
        log.report.look("transcripts", "lower-level", None, why)


def stated(log: Log, entry: Entry) -> None:
    """What speaks against nobody: texts erased, characters given, kinds that are not known here."""
    event, report = entry.event, log.report
    if event is None:
        return
    if entry.what == "entry-erased":
        report.count("erased", entry.seq)
    elif entry.what == "character-given":
        report.count("given", entry.seq)
    elif event["type"] not in EVENTS and event["type"] not in OTHERS:
        report.unknown[event["type"]] += 1
        report.count("unknown", entry.seq)
        if "roll" in event:
            why = f"{event['type']} is not known here, and is about roll {event['roll']}"
            report.unchecked("throws", entry.seq, why)


# === 4. what an entry changes =========================================================================


def follow(log: Log, entry: Entry) -> None:
    """Change the table by one more entry, whatever it is: what is wrong about it was said by then."""
    event, ask = entry.event, log.ask
    log.roots.append(entry.leaf)
    if ask and ask.full and not (event and entry.what in FALLS):
        _fell_unseen(log, entry, ask)
    if event is not None:
        number = event.get("roll")
        if number is not None:
            log.of_roll[number] += 1
            log.highest = max(log.highest, number)
        if entry.what in CHANGES:
            CHANGES[entry.what](log, entry, event)
        if number is not None and entry.what != "share-opened":
            by, seq, other = log.turns.get(number, (event["by"], -1, -1))
            log.turns[number] = event["by"], entry.seq, other if by == event["by"] else seq
        if entry.asked and (seen := entry.asked.get("seen")) and event["by"] in log.seats:
            seat = log.seats[event["by"]]
            seat.seen = max(seat.seen or 0, seen[0]) if seat.key else seat.seen
        if entry.cls == "open":
            log.kept_back.discard(event["by"])
        if entry.what in WATCHED and (log.one_machine or len(log.awake()) < 2):
            log.unwatched = entry.seq
    log.last = entry


WATCHED = ("seat-taken", "seat-left", "share-anchored", "epoch-begun", "throw-broken")
"""After which nobody else may be left to ask; of two seats with anchors one is the roller's."""


def _fell_unseen(log: Log, entry: Entry, ask: Ask) -> None:
    """Behind the last share there is no throw to be seen: it is of a hidden roll, or step 6 failed."""
    roll = log.roll(ask.event["roll"])
    if entry.event is None and entry.commit == (ask.full or (0, 0))[1]:
        log.report.of(ask.event["by"]).throws += 1
        log.report.levels["table"] += 1
        roll.gap = entry.seq if roll.gap is None else roll.gap
        roll.waiting, roll.throws = None, ask.event["throw"] + 1
    log.ask = None


def publish(log: Log, entry: Entry, roll: Roll, throw: int, commit: str | None) -> None:
    """An entry commits to the seed of a throw."""
    good = commit is not None and _hash(commit)
    roll.waiting = Commitment(throw, commit or "", entry.seq, entry.leaf.hex(), log.epochs) if good else None


def _table_opened(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    if entry.seq:
        return
    log.id, log.source, log.level, log.core = (event[name] for name in ("table", "source", "level", "core"))
    log.one_machine, log.new = event.get("one_machine", False), event["type"] == "table-opened/3"
    log.faces, log.faces_why = faces_of(event)
    log.seats[event["by"]] = Seat("narrator")


def _reading_set(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    log.faces = log.faces | event.get("faces", {})


def _took_seat(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    known = log.seats.get(event["seat"])
    if known and known.here and event["by"] == event["seat"]:
        known.key = key_of(event.get("key") or "")
    else:
        log.seats[event["seat"]] = Seat(event["role"], links=known.links if known else set())


def _left_seat(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    if seat := log.seats.get(event["seat"]):
        seat.here, seat.chain = False, None


def _anchored(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    seat = log.seats.get(event["by"])
    if seat and _hash(event["anchor"]):
        seat.links.add(event["anchor"])
        seat.chain = Chain(entry.seq, event["anchor"])


def _epoch(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    """Every chain ends, and what waits; every outstanding throw has another commitment."""
    log.epochs, log.epoch_at, log.ask = log.epochs + 1, entry.seq, None
    log.kept_back.clear()
    for seat in log.seats.values():
        seat.chain = None
    for number, throw, commit in event["commits"]:
        roll = log.roll(number)
        publish(log, entry, roll, throw, commit)
        roll.throws = throw


def _declared_roll(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    follows = event.get("follows")
    roll = Roll(
        **{"number": event["roll"], "seat": event["by"], "seq": entry.seq, "level": event.get("level")},
        **{"secret": event["visibility"] != "public", "follows": follows[0] if follows else None},
        shadow=False,
    )
    log.rolls[roll.number] = roll
    roll.low = made_at(log, roll.seat, roll) != "table"
    if log.fair:
        publish(log, entry, roll, 0, event.get("commit"))


def _asked_shares(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    last, roll = log.last, log.roll(event["roll"], event["by"])
    plan = last.event if last and last.what == "throw-planned" else None
    named = event["asked"][:MOST_ASKED]
    id = log.throw_id(event["roll"], event["throw"])
    log.ask = Ask(id, entry, plan, dict(named))
    roll.cast = entry.seq if roll.cast is None else roll.cast
    if roll.waiting is None or (roll.waiting.number, roll.waiting.seq) != (event["throw"], event["committed"]):
        if answers_unseen(log, roll, event, entry.seq):
            roll.waiting, roll.throws = None, event["throw"]
    for seat, i in named:
        chain = log.seats[seat].chain if seat in log.seats else None
        if chain:
            chain.asks = max(chain.asks + 1, i if i <= CHAIN else 0)


def _opened_share(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    ask, seat = waits(log, event), event["by"]
    if ask is None or seat not in ask.asked or seat in ask.opened:
        return
    ask.opened[seat] = event["share"]
    if not ask.missing:
        ask.full = entry.seq, entry.commit
    links = linked(log, seat, event["share"], ask.asked[seat]) if seat in log.seats else None
    if links:
        person = log.seats[seat]
        person.links.update(links)
        if person.chain:
            person.chain.link, person.chain.at = event["share"], ask.asked[seat]


def _broke(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    if waits(log, event):
        roll = log.roll(event["roll"])
        roll.throws, log.ask = event["throw"] + 1, None
        publish(log, entry, roll, roll.throws, event["next"])
        log.kept_back.update(event["kept"])


def _fell(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    proof, roll = event.get("proof"), log.roll(event["roll"], event["by"])
    if proof is None:
        return
    ask = asked_for(log, event)
    level = "table" if ask else "server" if proof.get("nonce") is None else "player"
    log.report.levels[level if proof["source"] == "fair" else "other"] += 1
    log.report.of(event["by"]).throws += 1
    roll.dice += 1
    roll.thrower = event["by"]
    roll.cast = entry.seq if roll.cast is None else roll.cast
    if proof["throw"] == roll.throws:
        roll.throws += 1
    if proof["source"] == "fair":
        publish(log, entry, roll, roll.throws, proof.get("next"))
    if ask or (log.ask and log.ask.full):
        log.ask = None


def _ended(how: str) -> Callable[[Log, Entry, dict[str, Any]], None]:
    def end(log: Log, entry: Entry, event: dict[str, Any]) -> None:
        roll = log.roll(event["roll"])
        roll.ended = how
        if how == "voided":
            roll.voided, roll.waiting = True, None

    return end


def _revealed(log: Log, entry: Entry, event: dict[str, Any]) -> None:
    roll = log.roll(event["roll"])
    roll.revealed = entry.seq if roll.revealed is None else roll.revealed


CHANGES: dict[str, Callable[[Log, Entry, dict[str, Any]], None]] = {
    "table-opened": _table_opened,
    "reading-set": _reading_set,
    "seat-taken": _took_seat,
    "seat-left": _left_seat,
    "share-anchored": _anchored,
    "epoch-begun": _epoch,
    "roll-declared": _declared_roll,
    "throw-asked": _asked_shares,
    "share-opened": _opened_share,
    "throw-broken": _broke,
    "dice-rolled": _fell,
    "dice-rerolled": _fell,
    "roll-resolved": _ended("resolved"),
    "roll-voided": _ended("voided"),
    "declaration-vetoed": _ended("vetoed"),
    "declaration-replaced": _ended(""),
    "roll-revealed": _revealed,
}


# === 5. the whole =====================================================================================

WALK = (throws, commitments, transcripts, dice, signed, reuse, voids, hidden, drops, asked, stated)
"""What looks at each entry, with the table as it stood before it."""

ABOUT_THROWS = ("throws", "commitments", "transcripts", "dice", "reuse", "voids")


def check(
    source: bytes | BinaryIO,
    *,
    key: str | None = None,
    seats: Mapping[str, str | None] | None = None,
    seen: Sequence[str] = (),
    now: int | None = None,
) -> Report:
    """Judge a bundle. `key` is the host's vkey, `seats` keys of seats in base64, `seen` earlier notes.

    `now` is the reader's clock in milliseconds since 1970. Raises Unreadable.
    """
    header, entries = form(io.BytesIO(source) if isinstance(source, bytes) else source)
    report = Report(header)
    log = Log(header, entries, report)
    notes = [note.replace("\r\n", "\n") for note in seen]
    log.trusted = {seat: {_given_seat(seat, each)} for seat, each in (seats or {}).items() if each}
    trusted = _given(header, key, notes)
    parse(log)
    head, keys = signature(log, trusted)
    tree(log, head, keys, notes)
    sequence(log)
    payloads(log)
    walk(log)
    transitions(log)
    rulings(log)
    throws_at_end(log)
    drops_at_end(log)
    sealed(log)
    asked_at_end(log)
    seats_at_end(log)
    limit = (time.time_ns() // 1_000_000 if now is None else now) + AHEAD
    if late := next((entry for entry in entries if entry.at > limit), None):
        report.look("sequence", "clock", late.seq, "it is later than the clock here")
    report.entries, report.source, report.one_machine = len(entries), log.source or "unknown", log.one_machine
    return report


def walk(log: Log) -> None:
    """Look at each entry, then follow it. Of a log without its opening nothing is known about dice."""
    first = log.entries[0] if log.entries else None
    if first is None or first.what != "table-opened" or first.seq != 0:
        for step in ABOUT_THROWS:
            log.report.unchecked(step, None, "the table's opening is missing")
        return
    for entry in log.entries:
        if _of_another_roll(log, entry):
            between(log, entry)
            log.roots.append(entry.leaf)
            log.last = entry
            continue
        for look in WALK:
            look(log, entry)
        follow(log, entry)


def _of_another_roll(log: Log, entry: Entry) -> bool:
    """Whether an entry is in the file of another roll for its commit's sake alone."""
    if log.whole or entry.event is None or entry.what == "roll-declared" or "roll" not in entry.event:
        return False
    if entry.event["roll"] == log.header.roll or entry.event["roll"] in log.rolls:
        return False
    return entry.seq != entry.commit or entry.what not in CHANGES


def seats_at_end(log: Log) -> None:
    """The seats whose keys the log alone asserts; a key that was given is asked with."""
    report = log.report
    report.asserted = [seat for seat in report.keyed if seat not in log.trusted]
    for seat in log.trusted:
        if seat not in log.begun:
            report.fail("transitions", None, f"seat {seat} never asks with the key that was given for it")
    for seat in log.seats:
        report.of(seat)


def _given(header: Header, vkey: str | None, notes: Sequence[str]) -> Key | None:
    """The host's key as the reader gave it. Raises Unreadable for it, or a note, that is not of this log."""
    try:
        key = None if vkey is None else read_key(vkey.strip())
        if key and (why := weakness(key.public)):
            raise Malformed(f"the key of {key.name[:200]} cannot be used: {why}")
        named = [key.name] if key else []
        named += [read_note(note).origin for note in notes]
    except Malformed as error:
        raise Unreadable(str(error)) from error
    for name in named:
        if name != header.origin:
            raise Unreadable(f"what was given is of {name[:200]}, and this file is of {header.origin[:200]}")
    return key


def _given_seat(seat: str, text: str) -> bytes:
    found = key_of(text)
    if found is None:
        raise Unreadable(f"not a key of seat {seat}: {text[:200]}")
    return found


# --- in words -----------------------------------------------------------------------------------------


def counted(report: Report) -> tuple[list[str], list[str]]:
    """What there is to look at, and what is stated, each with its number."""

    def worded(kinds: Mapping[str, tuple[str, str]]) -> list[str]:
        some = [(kind, len(report.kinds.get(kind, ()))) for kind in kinds]
        return [f"{n} {kinds[kind][n != 1]}" for kind, n in some if n]

    return worded(LOOKS), worded(STATED)


def says(report: Report) -> str:
    """The verdict in one sentence, and what to look at."""
    wrong = [f"{STEPS[name]} {name}" for name in STEPS if report.verdict(name) == "fail"]
    gaps = [f"{STEPS[name]} {name}" for name in STEPS if report.verdict(name) == "not-checked"]
    looks, _ = counted(report)
    if report.exit == 1:
        text = f"This log is not sound: {', '.join(wrong)}."
    elif report.exit == 3:
        text = f"Nothing wrong was found, and not everything was checked: {', '.join(gaps)}."
    else:
        text = "Nothing is wrong" + ("." if report.trusted else ", if its key is the log's.")
    return text + (f" Look at: {', '.join(looks)}." if looks else "")


def seat_lines(seat: str, numbers: Numbers) -> Iterator[str]:
    """What is counted of a seat, in two lines."""
    columns = [f"{numbers.throws} throws"]
    for name, some in (("dropped", numbers.dropped), ("broken off", numbers.broken)):
        columns.append(f"{len(some)} {name}" + (f" ({_listed(some)})" if some else ""))
    yield f"{seat}: {', '.join(columns)}, {len(numbers.sealed)} sealed"
    if numbers.at_table:
        yield (
            f"{seat}: of {numbers.at_table} throws at the table while it had an anchor, asked for "
            f"{numbers.asked}, passed over in {numbers.passed}, kept back {numbers.kept}"
        )


def written(report: Report, first: Sequence[str]) -> Iterator[str]:
    """The report for people; the lines of the seats that were named come first."""
    header = report.header
    for seat in first:
        yield from seat_lines(seat, report.of(seat))
    what = "the whole table" if header.scope == "table" else f"roll {header.roll}, other entries may be missing"
    yield f"{header.origin}: {report.entries} of {header.size} entries, {what}"
    yield f"signed by {report.signer or 'nobody'}" + ("" if report.trusted else ", a key that the file itself names")
    levels = ", ".join(f"{n} at level {level}" for level, n in report.levels.items() if n)
    yield f"dice: {report.source}{', on one machine' if report.one_machine else ''}; {levels or 'no throws'}"
    for seat in sorted(report.seats.keys() - {*first}):
        yield from seat_lines(seat, report.seats[seat])
    if report.sealed_elsewhere:
        yield f"{report.sealed_elsewhere} hidden rolls of seats that are not shown are not revealed"
    if report.asserted:
        yield f"keys that the log alone asserts: {', '.join(report.asserted)}"
    for each in report.remarks:
        if each.word != "stated":
            compared = f" (expected {each.expected}, found {each.found})" if each.expected or each.found else ""
            where = "" if each.seq is None else f"entry {each.seq}: "
            yield f"{STEPS[each.step]} {each.step}, {each.word}: {where}{each.why}{compared}"
    _, facts = counted(report)
    if facts:
        yield f"stated: {', '.join(facts)}"
    yield says(report)


def as_json(report: Report) -> dict[str, Any]:
    """The report for programs."""
    header, first = report.header, report.first()
    return {
        "exit": report.exit,
        "says": says(report),
        "first": first and {"step": STEPS[first.step], "name": first.step, "entry": first.seq},
        **{name: getattr(header, name) for name in ("origin", "scope", "roll", "size")},
        **{"entries": report.entries, "signer": report.signer, "trusted": report.trusted},
        **{"source": report.source, "one_machine": report.one_machine, "levels": report.levels},
        "keys": {"keyed": report.keyed, "asserted": report.asserted},
        "steps": {name: report.verdict(name) for name in STEPS},
        "remarks": [vars(each) for each in report.remarks],
        "looks": {kind: len(report.kinds[kind]) for kind in LOOKS if kind in report.kinds},
        "stated": {kind: len(report.kinds[kind]) for kind in STATED if kind in report.kinds},
        "unknown": report.unknown,
        "sealed_elsewhere": report.sealed_elsewhere,
        "seats": {
            seat: {
                **vars(n),
                "dropped": [vars(each) for each in n.dropped],
                "broken": [vars(each) for each in n.broken],
            }
            for seat, n in sorted(report.seats.items())
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; gives the exit code."""
    parser = argparse.ArgumentParser(prog="urimcheck", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("file", metavar="FILE", help="a bundle, NAME.urim.jsonl; - for standard input")
    parser.add_argument("--key", metavar="VKEY", help="the host's key, as it gave it to you")
    parser.add_argument("--seat", action="append", default=[], metavar="S[=KEY]", help="your seat")
    parser.add_argument("--seen", action="append", default=[], metavar="NOTEFILE", help="a head you kept")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args(arguments)
    seats = {seat: text or None for seat, _, text in (each.partition("=") for each in given.seat)}
    try:
        seen = [open(name, encoding="utf-8", newline="").read() for name in given.seen]  # noqa: SIM115
        with sys.stdin.buffer if given.file == "-" else open(given.file, "rb") as source:
            report = check(source, key=given.key, seats=seats, seen=seen)
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        print(json.dumps({"exit": 2, "says": str(error)}) if given.json else f"Refused: {error}")
        return 2
    if given.json:
        print(json.dumps(as_json(report), ensure_ascii=False))
    else:
        print("\n".join(written(report, [*seats])))
    return report.exit


if __name__ == "__main__":
    sys.exit(main())
