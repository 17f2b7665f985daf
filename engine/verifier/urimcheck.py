#!/usr/bin/env python3
"""urimcheck: were the dice that stand chosen by anybody, and how many were thrown away, by whom?

    python urimcheck.py FILE [--key VKEY] [--seat S[=KEY]]... [--seen NOTEFILE]... [--json]

FILE is the bundle of a table, NAME.urim.jsonl. Nothing but Python 3.11 and this file is needed; the
whole bundle is held in memory. docs/bundle.md of Urim says the same in words: each section there is
a function here, with the same name, in the same order.

What is promised. A table's log is a sequence of entries that only grows. The payload of each is
hashed with 32 random bytes, and that digest stands in its line. The lines are the leaves of a Merkle
tree (RFC 6962). The host signs the tree's size and root, its *head*. So one head stands for every
byte before it, hidden ones too, and two heads that do not fit together prove a rewritten log.

Before a throw the host publishes C, a hash that binds it to a secret seed S. Then others add:

    level server    nobody. You believe the host.
    level player    the roller: a nonce, drawn once C is there. Host and roller together can choose.
    level table     each seat asked: a *share*, the next link of a hash chain whose first link, the
                    *anchor*, it published before. While one of them is honest nobody can choose.
                    All that anybody can do is to keep a share back, and that is seen.

The dice follow by HKDF from S and from T, the *transcript*, which names the throw, the entry with C,
the roller, the nonce and the shares. Who has the log computes every die again.

What is left to a cheat is to throw dice away until they please: by a void, a veto, a break, a roll
left lying, a hidden roll that stays hidden. Nothing forbids that. So it is counted, by seat. And which
dice a throw lists, which of them are thrown again, and what faces a kind has are the host's to say as
far as this file knows, for it has no rules. Without `urim audit` a host may still choose which dice are
listed.

What a verdict means. A step *fails* (exit 1) where no honest play with Urim writes such a log. A
*look* is allowed, and a cheat would do it as well: people must judge. The rest is *stated*. Exit 3
says that something could not be checked, 2 that the file cannot be read. Whether the game was played
by its rules is not asked: `urim audit` plays it again, after these steps.

How to read this. `check`, near the end, is the whole. The steps 1 to 5 go over the entries by
themselves. The others walk through the log: each looks at one more entry and at the table as it
stood before, and says what it needs. Then `follow` changes the table, and refuses nothing.
"""

# fmt: off
# pyright: reportMatchNotExhaustive=false, reportUntypedNamedTuple=false, reportConstantRedefinition=false
# It is read as a whole, in an hour: one line a guard, one blank line between functions, tables in rows.

from __future__ import annotations

import argparse
import gc
import hmac
import io
import json
import re
import signal
import sys
import time
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections import Counter, defaultdict, namedtuple
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256, sha512
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

try:  # some 20 times as quick; `fits` says the same
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError: Ed25519PublicKey = None  # type: ignore[assignment,misc]

# === tables ============================================================================================

STEPS = {
    **{"parse": 1, "signature": 2, "tree": 3, "sequence": 4, "payloads": 5, "throws": 6, "commitments": 7},
    **{"transcripts": 8, "dice": 9, "transitions": 10, "reuse": 12, "voids": 13, "rulings": 14, "hidden": 15},
}
"""The steps. 11, the rules, is `urim audit`'s; 16, whether dice fall as dice do, `urim fairness`'s."""

FORMATS = ("urim-bundle/2", "urim-bundle/3")
HIDDEN, TEXTS = ("hidden", "hidden-text"), ("text", "hidden-text")
LEVELS = ("server", "player", "table")
LINE, BODY, NOTE = 1 << 20, 16 << 10, 64 << 10  # bytes of a line, a command, a signed head, at most
DEPTH, MOST = 64, (1 << 53) - 1  # of JSON: how deep it is nested, and its largest whole number
CHAIN, MOST_ASKED = 1_000, 100  # links of a chain; seats that one throw asks, at most
BREAKING, HOUR, POST, AHEAD = 10_000, 3_600_000, 336, 60_000  # milliseconds a throw waits, by post hours; two clocks differ by less
ATTEMPTS, DRAWS = 128, 1 << 48  # draws for one die at most; values that a draw may have
ZEROS = "0" * 64

# --- the events ----------------------------------------------------------------------------------------

Form = Callable[[Any], Any]
Fields = dict[str, tuple[Form, Any]]
"""Field -> whether a value is of its form, and its usual value, which is not written; or NEEDED."""
NEEDED = object()

def _like(pattern: str) -> Form:
    match = re.compile(pattern).fullmatch
    return lambda value: type(value) is str and match(value)

def _list(item: Form) -> Form:
    return lambda value: type(value) is list and all(map(item, value))

def _row(*shapes: list[type]) -> Form:
    return lambda value: type(value) is list and [*map(type, value)] in shapes

FORMS: dict[str, Form] = {
    **{"int": int, "str": str, "bool": bool, "object": dict, "any": lambda _: True},
    **{"count": lambda v: type(v) is int and v >= 0, "face": lambda v: type(v) in (int, str)},
    **{"hash": _like("[0-9a-f]{64}"), "salt": _like("[0-9a-f]{32}")},
    **{"table": _like("[a-z0-9]{8,32}"), "seat": _like("[a-z0-9-]{1,32}")},
    **{"tag": _like("[a-z][a-z0-9_-]*/[1-9][0-9]{0,8}"), "request": _like("[A-Za-z0-9._-]{1,64}")},
    **{"name": _like(r"[^\s+\x00-\x20\x7f\ud800-\udfff]+"), "level": _like("|".join(LEVELS))},
    **{"role": _like("narrator|player|witness"), "visibility": _like("public|gm|blind|self")},
    **{"source": _like("fair|seeded|scripted|manual"), "trigger": _like("roll|reroll")},
    **{"format": _like("urim-bundle/[23]"), "scope": _like("table|roll"), "class": _like("(hidden-)?text|open|hidden")},
    **{"ruling": _like("stands|amend|void|replay"), "link": _row([int, str])},
    **{"dice": _list(_row([str, str, int], [str, str, str])), "kinds": _list(_row([str, str]))},
    **{"links": _list(lambda v: _row([str, int])(v) and FORMS["seat"](v[0])), "commits": _list(_row([int, int, str]))},
    "effects": _list(_row([str, str, int], [str, str, int, int], [str, str, int, type(None)])),
    **{"seats": _list(lambda v: FORMS["seat"](v)), "ints": _list(lambda v: type(v) is int)},
    "strs": _list(lambda v: type(v) is str),
    "key": lambda v: key_of(v) is not None,
    "faces": lambda v: type(v) is dict and all(e and _list(FORMS["face"])(e) for e in v.values()),
    "proof": lambda v: type(v) is dict and not misfit(v, PROOF),
}
"""Whether a value is of a form, by the form's name; or the type that it must have."""
is_hash, ADJUSTED = FORMS["hash"], _list(_row([str, int], [str, str]))

def _fields(text: str) -> Fields:
    """`name:form`, or `name` where both are the same; `=JSON` is the usual value."""
    found: Fields = {}
    for name, form_, usual in re.findall(r"(\w+):?(\w*)=?(\S*)", text):
        found[name] = FORMS[form_ or name], json.loads(usual) if usual else NEEDED
    return found

def _rows(text: str) -> dict[str, Fields]:
    """A row is `name/versions`, then fields; those of every event come first."""
    rows = [re.split("[/ ]", line, maxsplit=2) for line in text.strip().splitlines()]
    return {f"{name}/{n}": _fields(f"type:str by:seat {rest}") for name, of, rest in rows for n in of.split(",")}

PROOF: Fields = _fields("throw:int source committed:int=null seed:str=null nonce:str=null next:str=null")
ASKED = _fields("request:str body:str seen:link=null sig:str=null")
PAYLOAD = _fields("asked:object=null event:object")
OF_ALL = _fields("type:tag by:seat roll:int=0 seat=0")

EVENT_ROWS = """
table-opened/1 table ruleset:str version:int options:object source:str level core:int
table-opened/2 table ruleset:str version:int options:object source:str level core:int one_machine:bool=false
table-opened/3 table ruleset:str version:int options:object source:str level core:int one_machine:bool=false faces={}
reading-set/1 name:str value:any faces={}
seat-taken/1 seat role
seat-taken/2 seat role key=null
seat-left/1 seat
share-anchored/1 anchor:str
text-said/1 salt:str text:str
entry-erased/1 seq:int
epoch-begun/1 epoch:int commits
roll-declared/1,2 roll:int character:str declaration:object visibility level=null follows:link=null effects=[] commit:str=null
throw-planned/1 roll:int throw:int trigger hand:str dice:kinds option:int=null
throw-asked/1 roll:int throw:int committed:int asked:links left:seats=[]
share-opened/1 roll:int throw:int share:str
throw-broken/1 roll:int throw:int kept:seats seed:str next:str
dice-rolled/1 roll:int character:str hand:str dice option:int=null proof=null taken:int=null
dice-rerolled/1 roll:int hand:str dice proof effects=[]
roll-resolved/1 roll:int outcome:object effects=[]
roll-voided/1,2 roll:int throw:int=null seed:str=null
roll-revealed/1 roll:int
roll-revealed/2 roll:int entries:int
declaration-vetoed/1 roll:int
declaration-replaced/1 roll:int declared:object effects=[]
roll-amended/1 roll:int character:str declared:object outcome:object=null effects=[]
roll-amended/2 roll:int character:str declared:object outcome:object=null effects=[] needless:ints=[]
dispute-raised/1 roll:int
ruling-made/1 roll:int dispute:int ruling
ruling-made/2 roll:int dispute:int ruling instead:int=null
"""
EVENTS = _rows(EVENT_ROWS)
"""The closed list: every event that touches dice, seats, keys, heads, hiding or drops."""
NEWEST = {tag.partition("/")[0]: tag for tag in EVENTS}
"""Event -> its latest form, the only one in a log of 0.3."""

ALWAYS_OPEN = ("throw-asked", "share-opened", "throw-broken", "roll-revealed")
MEANWHILE = ("share-opened", "throw-broken", "noted", "table-set", "epoch-begun")
"""What may enter a log while a throw waits for shares; with the texts of notes."""
FALLS = {"dice-rolled": "roll", "dice-rerolled": "reroll"}
"""The events of dice, with the trigger of their plan."""

# --- the commands --------------------------------------------------------------------------------------

COMMAND_ROWS = """
open/2 > table-opened table ruleset source="fair" level="player" options@ one_machine=false
set-reading/1! > reading-set name value
take-seat/2? > seat-taken seat role@ key=null
leave-seat/1 > seat-left seat
anchor-shares/1 > share-anchored anchor
erase/1 > entry-erased seq
begin-epoch/1 > epoch-begun
declare/1? > roll-declared character declaration* visibility="public" level@ follows=null
roll/1 > dice-rolled roll hand committed@ nonce@ faces@ option=null
reroll/1 > dice-rerolled roll hand committed@ nonce@ faces@ dice@
ask/1 > throw-planned roll hand option=null dice@ committed* asked* +throw-asked
open_share/1 > share-opened roll share +dice-rolled +dice-rerolled
break_throw/1 > throw-broken roll
resolve/1 > roll-resolved roll
reveal/1 > roll-revealed roll
veto/1! > declaration-vetoed roll
replace/1! > declaration-replaced roll fields*
amend/2! > roll-amended roll character fields* against* +roll-amended +roll-voided +damage-applied
void/3! > roll-voided roll against* +roll-voided
withdraw/1 > roll-voided roll
dispute/1! > dispute-raised roll
rule/3! > ruling-made roll dispute ruling character* fields* against* +roll-amended +roll-voided +damage-applied +roll-declared
name-seat/1! > seat-named, name-table/1! > table-set, set-table/1 > table-set, enter/1? > character-entered, name/1! > character-named, give/1 > character-given
remove/1 > character-removed, set-track/1 > track-set, set-attribute/1 > attribute-set, note/1! > noted
react/1 > reaction-declared, freeze/1 > dice-frozen, adjust/1 > dice-adjusted, choose/1 > choice-made
apply_damage/1 > damage-applied, confirm/1 > throw-confirmed, flavour/1 > flavour-named, fate/1 > fate-decided
"""
"""Command, its latest version > the event that it leads to, and what that says as it was asked.

The command must (!) or may (?) have a text. `=` is a field's value where the body leaves it out, `@`
has a rule in `says_so`, `*` is not compared: rules make something else of it. `+` are further events
of the commit. Of an event that is not on the closed list its name is all.
"""

def _field(text: str) -> tuple[str, str, Any]:
    """A field of a command: its name, its mark, and its usual value."""
    name, mark, usual = (*re.split("([=@*])", text), "", "")[:3]
    return name, mark, json.loads(usual or "null")

def _command(line: str) -> tuple[str, tuple[Any, ...]]:
    command, row = line.split(" > ")
    (name, version, text), (to, *each) = re.split("/([0-9]+)", command), row.split()
    more = [e[1:] for e in each if e[0] == "+"]
    return name, (int(version), text, to, [_field(e) for e in each if e[0] != "+"], more)

COMMANDS = dict(_command(line) for line in re.split(", |\n", COMMAND_ROWS.strip()))
SECOND = {"throw-asked": [_field(each) for each in ("roll", "committed@", "asked@")]}
"""What the second event of a commit says as it was asked."""
OTHERS = {f"{to}/1" for _, _, to, *_ in COMMANDS.values()} - EVENTS.keys()
"""Events that are known and on no closed list: checked as bytes, as those of unknown kinds are."""

def is_strange(event: Mapping[str, Any]) -> bool:
    """Whether an event is of a kind that is not known here."""
    return event["type"] not in EVENTS and event["type"] not in OTHERS

# --- the faces -----------------------------------------------------------------------------------------

_LETTERS = "אבגדהוזחטיכלמנסעפצקרשת"
FACES: dict[str, dict[str, Sequence[int | str]]] = {
    "milhamah": {
        **{"location": _LETTERS + "**", "red-a": "אתבשגרדקהצו*", "red-b": "זעחסטנימכלפ*"},
        **{"blue-a": "אלבמגנדסהעו*", "blue-b": "זצחקטרישכתפ*"},
        **{"green-a": "אכביגטדחהזו*", "green-b": "לתמשנרסקעצפ*"},
    },
    **{"sagatafl": {}, "majesty": {}, "scarterra": {}, "age_of_magic": {}},
    "plain": {"d%": range(1, 101), "dF": (-1, 0, 1)},
}
"""System of 0.2 -> kind of die -> faces. Later logs have in themselves what is not 1 to N on a dN."""

def faces_of(opening: Mapping[str, Any]) -> dict[str, Sequence[int | str]] | None:
    """The faces of the dice that are no dN, by kind; None where they are not known."""
    if opening["type"] == "table-opened/3": return dict(opening.get("faces", {}))
    system, options = opening["ruleset"], opening["options"]
    reading = options.get("location_die", "wilds")
    if system not in FACES or opening["version"] != 1 or reading not in ("wilds", "letters"): return None
    faces = FACES[system] | ({"location": _LETTERS} if reading == "letters" else {})
    own = {} if options.get("faces") is None else options["faces"]  # letters that the table brings
    if not (type(own) is dict and own.keys() <= faces.keys() and all(map(FORMS["strs"], own.values()))): return None
    return faces | {kind: "".join(pairs) for kind, pairs in own.items()}

# --- what is counted -----------------------------------------------------------------------------------

LOOKS = {
    **{"broken": "broken off", "left-open": "ask left open", "epoch": "epoch"},
    **{"dropped": "seat whose throws were dropped", "passed-over": "seat passed over"},
    **{"sealed": "roll revealed over another that lies sealed", "nonce": "constant nonce"},
    **{"removed": "seat removed by another", "key-reset": "key reset"},
    **{"lower-level": "level named below the one due", "alone": "throw with nobody to ask"},
    **{"anchored-again": "further anchor without a key", "weak-chain": "chain that anybody knows"},
    **{"clock": "time later than this clock", "not-shown": "revealed roll that is not shown"},
    **{"no-reason": "decision without its reason", "thrown-again": "dice thrown again within their throw"},
    **{"odd-faces": "dN that does not show 1 to N", "anchor-lost": "seat that could be asked and no longer can"},
    **{"unasked": "declaration by a ruling that is not disclosed", "unseen": "throw over a commitment that its seat did not see"},
    "held": "throw of a seat that had not seen what its roll had become",
}
"""What people should look at: allowed, and what a cheat would do as well."""
STATED = {
    **{"unknown": "entry of an unknown kind", "renewed": "chain renewed at its last link"},
    **{"withheld": "hidden entry that is not disclosed", "erased": "erased text", "given": "character given"},
    **{"dispute": "dispute", "ruling": "ruling", "correction": "amendment, veto or replacement"},
    **{"withdrawn": "withdrawn roll", "early-void": "void before the dice"},
    **{"lying": "roll left lying", "host-word": "seat with shares and no key", "faces": "dice with faces of their own"},
    **{"adjusted": "dice put to other faces", "taken": "dice taken over from another roll"},
}
"""Facts that speak against nobody."""

# === what is kept ======================================================================================

class Unreadable(ValueError):
    """The file is no bundle; or what was given beside it cannot be read, or is another log's."""

class Malformed(ValueError):
    """A text that is not of its form; the message is why."""

Remark = namedtuple("Remark", "step seq word why kind")
"""What was found: word is wrong, look, stated or unchecked; what is counted has a kind."""
Commitment = namedtuple("Commitment", "number commit seq leaf epoch")
"""What binds the host to the seed of throw `number`: published in entry `seq`, in that epoch."""
Key = namedtuple("Key", "name id public")
"""A key of a log: its name is the log's origin, its id 8 hex digits, then its 32 bytes."""
Head = namedtuple("Head", "origin size root text signatures")
"""What a note says: the first `size` entries of `origin` have this root. `text` is what is signed."""

Entry = SimpleNamespace
Numbers = SimpleNamespace
Seat = SimpleNamespace
Roll = SimpleNamespace
Ask = SimpleNamespace
"""An Entry is a line: its keys (`cls` is its class; salt, payload and proof are None where they are not there).

Then its `leaf` and what its payload holds: `event`, its name `what`, what was `asked` and that command's
`body`; `odd`: it is written in another way than the log does. They are None, and the name is empty,
where it is withheld or cannot be read.

An Ask is a throw that waits for shares: the `entry` of the ask and its `event`; `plan`, the event before it;
by seat the number of the link `asked` and the share `opened`; `full`, the commit of the last share; `wait`, its milliseconds.
"""

def new_numbers() -> Numbers:
    """Of a seat: throws, those that came to nothing, its hidden rolls that are not revealed.

    `at_table` counts the asks, and the throws without one, while it had an anchor: it was `asked`, or
    those of others `passed` it over. `kept` counts the shares that it kept back.
    """
    return Numbers(throws=0, dropped=[], broken=[], sealed=[], at_table=0, asked=0, passed=0, kept=0)

def new_seat(role: str, links: Iterable[str] = ()) -> Seat:
    """`link` is the newest of its chain, None without an anchor, number `at`; so many `asks` named it.

    `links` are those known of all its chains, `seen` the size of the last head that it had.
    """
    return Seat(role=role, links={*links}, here=True, key=None, link=None, at=0, asks=0, seen=-1)

def new_roll(number: int, seat: str, **more: Any) -> Roll:
    """`shown`: its declaration is disclosed, in entry `seq`. `throws` is the number of the next throw.

    `waiting` is the commitment to it. `dice` counts the throws since a void or veto, `gap` is the first that
    is not disclosed, `cast` the first ask or throw. `low`: another level than table was due at
    the declaration, `faces` what dice showed then. `threw` are the seats that threw in it, with the entry of
    the first time, `touched` those with an open entry of it, with the last one. `hands` has by hand and die the kind
    and the face of its last throw, `adjusted` by die the faces that it was put to. `known`: the commitment was published
    while another level than table was due.
    """
    usual = {"hands": {}, "adjusted": defaultdict(set), "touched": {}, "known": False, "seq": -1, "secret": True, "shown": False, "throws": 0, "dice": 0, "low": True}
    unset = dict.fromkeys(("level", "character", "follows", "waiting", "revealed", "gap", "cast", "ended", "faces"))
    return Roll(**{"number": number, "seat": seat, "threw": {}, **usual, **unset, **more})

def owners(roll: Roll) -> list[str]:
    """The seats that a roll is counted under: those that threw in it, else who declared it, if that is known."""
    return [*roll.threw] or [roll.seat] * bool(roll.seat)

def is_sealed(roll: Roll) -> bool:
    """Whether a roll is hidden and not revealed: entries that are not disclosed may be about it."""
    return roll.secret and roll.revealed is None

def may_be_of(roll: Roll, entry: Entry | None) -> bool:
    """Whether an entry, None for one that is not in the file, is not disclosed and may be about a roll."""
    return is_sealed(roll) and (entry is None or (entry.event is None and entry.cls == "hidden"))

def missing(ask: Ask) -> list[str]:
    """The seats asked that have opened nothing, by id."""
    return sorted(ask.asked.keys() - ask.opened.keys())

class Report:
    """What was found, and the table as far as the log was followed."""

    def __init__(self, head: dict[str, Any], lines: list[Entry]) -> None:
        self.header, self.entries, self.whole = head, lines, head["scope"] == "table"
        self.commits, self.there = commits_of(lines), {entry.seq: entry for entry in lines}
        leaves = {at if self.whole else entry.seq: entry.leaf for at, entry in enumerate(lines)}
        self.tree = Tree(leaves, head["proof"] or ())
        first = {entry.seq: entry.leaf for at, entry in enumerate(lines) if entry.seq == at}
        self.past = self.tree if self.whole else Tree(first)  # of which heads are known
        self.remarks: list[Remark] = []
        self.numbers: defaultdict[str, Numbers] = defaultdict(new_numbers)
        self.levels: dict[str, int] = dict.fromkeys((*reversed(LEVELS), "other"), 0)
        self.unknown: Counter[str] = Counter()  # kinds that are not known here
        self.signer, self.trusted, self.elsewhere = "", False, 0
        self.keyed: dict[str, None] = {}  # seats with keys
        self.given: dict[str, set[Any]] = {}  # keys of seats that the reader trusts
        self.begun: set[str] = set()  # seats that asked with one of these
        # The table: its opening, seats, rolls, the ask that is open, the last epoch.
        self.id, self.source, self.level, self.core = "", "unknown", "server", 0
        self.fair = self.new = self.one_machine = False
        self.faces: dict[str, Sequence[int | str]] | None = None
        self.seats: dict[str, Seat] = {}
        self.rolls: dict[int, Roll] = {}
        self.beside: set[int] = set()  # entries that a roll's file has for their commit alone
        self.ask: Ask | None = None
        self.last: Any = None  # the entry before
        self.epochs, self.epoch_at, self.wait = 0, -1, BREAKING
        self.kept_back: set[str] = set()
        # What is counted on the way; `alone` is the last entry with nobody else to ask.
        self.seeds: dict[str, int] = {}
        self.of_roll: Counter[int] = Counter()
        self.alone = -1
        self.newest = 0  # the last roll that was declared
        self.place: tuple[str, int | None] = ("parse", None)  # the step and entry of what is found
        self.told: set[tuple[str, Any]] = set()

    def each(self, step: str) -> Iterator[Entry]:
        """The entries, one by one; what is found of each is of this step."""
        for entry in self.entries:
            self.place = step, entry.seq
            yield entry

    def need(self, right: Any, why: str) -> bool:
        """The step fails unless this is right."""
        if not right: self.remarks.append(Remark(*self.place, "wrong", why, ""))
        return bool(right)

    def say(self, word: str, why: str, kind: str = "", about: Any = None) -> None:
        """It is "unchecked", a "look", or "stated"; of a seat or roll that it is `about` it is said once."""
        if about is None or (kind, about) not in self.told: self.remarks.append(Remark(*self.place, word, why, kind))
        self.told.add((kind, about))

    def roll(self, number: int, seat: str = "") -> Roll:
        """A roll; one that is not disclosed is known by its number, and by who asked in it."""
        found = self.rolls.get(number) or self.rolls.setdefault(number, new_roll(number, seat))
        found.seat = found.seat or seat
        return found

    def anchored(self, but: str | None = None) -> list[str]:
        """The seats that can be asked for shares, by id: somebody is there, and has an anchor."""
        return sorted(s for s, seat in self.seats.items() if seat.here and seat.link and s != but)

    def awake(self, but: str | None = None) -> list[str]:
        """Those of them that did not keep their last share back."""
        return [seat for seat in self.anchored(but) if seat not in self.kept_back]

    def steps(self, word: str) -> list[str]:
        """The steps that found something wrong, or left something unchecked."""
        return [step for step in STEPS if any((step, word) == (e.step, e.word) for e in self.remarks)]

    @property
    def exit(self) -> int:
        """The exit code; what is hidden from the reader is no gap."""
        return 1 if self.steps("wrong") else 3 if self.steps("unchecked") else 0

# === the form ==========================================================================================
#
# One JSON object a line. What two readers could read in two ways is refused: a key twice, half of a
# surrogate pair, whole numbers beyond 2^53 - 1, more than 64 levels.

WRITE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
ORDERED = json.JSONEncoder(sort_keys=True).encode
EXPONENT = re.compile(r"[:,\[]-?[0-9.]+[eE]")
SMALL_NUMBER = re.compile(r"([:,\[]-?)([1-9])(?:\.([0-9]+))?e-05")  # as Python writes 0.00001 and more

def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 1 is neither 1.0 nor true, the order of keys is nothing."""
    if one != other or type(one) is not type(other): return False
    return type(one) not in (dict, list) or ORDERED(one) == ORDERED(other)

def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs): raise Malformed("a key twice in one object")
    return found

def _decode(of: str) -> Callable[[str], tuple[Any, int]]:
    """Reads a "line", a "payload" or a "body"; in a body each number can be written in one way alone."""
    def whole(text: str) -> int:
        value = int(text)
        if -MOST <= value <= MOST and (text != "-0" or of == "payload"): return value
        raise Malformed(f"the number {text[:40]}")

    def real(text: str) -> float:
        value = float(text)
        if not abs(value) < float("inf") or (of == "body" and ("e" in text.lower() or value.is_integer())):
            raise Malformed(f"the number {text[:40]}")
        return value

    number = {"parse_int": whole, "parse_float": real, "parse_constant": real}
    return json.JSONDecoder(object_pairs_hook=_once, **number).raw_decode  # type: ignore[arg-type]

DECODE = {of: _decode(of) for of in ("line", "payload", "body")}

def _depth(value: Any) -> int:
    inside = value.values() if type(value) is dict else value if type(value) is list else None
    return 0 if inside is None else 1 + max(map(_depth, inside), default=0)

def strict(text: str, of: str) -> dict[str, Any]:
    """The object of a "line", a "payload" or a "body". Raises Malformed for what is not strict."""
    try:
        bare = text.strip(" \t\r\n")
        value, end_ = DECODE[of](bare)
        if "\\u" in text: WRITE(value).encode()  # half of a surrogate pair has no UTF-8
        if end_ < len(bare): raise Malformed("there is more behind it")
        deep = text.count("{") + text.count("[") > DEPTH and _depth(value) > DEPTH
    except (RecursionError, ValueError) as error: raise Malformed(f"no strict JSON: {error}"[:200]) from error
    if deep or type(value) is not dict: raise Malformed(f"no object, or one that is nested more than {DEPTH} deep")
    return value

def misfit(value: Mapping[str, Any], fields: Fields) -> str:
    """What is wrong with an object that should have exactly these fields; empty for nothing."""
    for name, (is_, usual) in fields.items():
        found = value.get(name, usual)
        right = found is usual or type(found) is is_ or (type(is_) is not type and is_(found))
        if found is NEEDED or not right: return f"{name} is missing, or not of its form"
    strange = value.keys() - fields.keys()
    return f"{min(strange)[:40]} is no field of it" if strange else ""

def untidy(value: Mapping[str, Any], fields: Fields) -> bool:
    """Whether such an object is written otherwise: in another order, or with a usual value."""
    names = iter(fields)
    for name, found in value.items():
        if name not in names or same(found, fields[name][1]): return True  # those before it are used up
        if name == "effects" and any(each[3:] == [None] for each in found): return True
        if name == "proof" and untidy(found, PROOF): return True
    return False

def form(source: BinaryIO) -> tuple[dict[str, Any], list[Entry]]:
    """The header and the entries of a bundle. Raises Unreadable, with the line, for what is none."""
    head: dict[str, Any] = {}
    found: list[Entry] = []
    # No more than this is in memory, however long the line is.
    for number, line in enumerate(iter(lambda: source.readline(LINE + 1), b""), 1):
        try:
            if len(line) > LINE or not line.endswith(b"\n"):
                raise Malformed(f"more than {LINE} bytes, or cut off")
            value = strict(line.decode(), "line")
            if not head: head = header(value)
            elif "end" not in value: found.append(entries(value, head))
            else:
                end(value, head, len(found))
                if source.read(1): raise Malformed("there is something behind the end")
                return head, found
        except (Malformed, UnicodeDecodeError) as error:
            raise Unreadable(f"line {number}: {error}") from error
    raise Unreadable("the end line is missing")

HEADER = _fields("format scope origin:name keys:strs size:count checkpoint:str system:str version:count options:object")
SEALED = _fields("seq:count commit:count at:count class digest:hash")
DISCLOSED = SEALED | _fields("salt:hash payload:str")
END = _fields("end:str count")
UNREAD = {**dict.fromkeys(("salt", "payload", "asked", "body", "event")), "what": "", "odd": False}
HASHES, NO_PROOF = _list(is_hash), "its proof is none, or is one where there is none"

def header(value: dict[str, Any]) -> dict[str, Any]:
    """The first line: what the file claims to be; `known` are its keys. Raises Malformed."""
    why = misfit(value, HEADER | (_fields("roll:count") if value.get("scope") == "roll" else {}))
    if not why and (not 1 <= len(value["keys"]) <= 64 or value.get("roll") == 0): why = "not 1 to 64 keys, or roll 0"
    if why: raise Malformed(why)
    return {**value, "roll": value.get("roll"), "known": [read_key(each) for each in value["keys"]]}

def taken_out(value: dict[str, Any], head: Mapping[str, Any], of: str) -> Any:
    """The proof of a line, as a roll's file `of` a format has it, else None; the line holds it no longer. Raises Malformed."""
    proved = (head["scope"], head["format"]) == ("roll", of)
    if ("proof" in value) != proved or (proved and not HASHES(value["proof"])): raise Malformed(NO_PROOF)
    return value.pop("proof", None)

def entries(value: dict[str, Any], head: Mapping[str, Any]) -> Entry:
    """A line of an entry, in a roll's file of urim-bundle/2 with its proof. Raises Malformed."""
    proof = taken_out(value, head, FORMATS[0])
    if why := misfit(value, DISCLOSED if "payload" in value else SEALED): raise Malformed(why)
    if len(proof or ()) > 64: raise Malformed(NO_PROOF)
    seq, at, cls, digest = (value[name] for name in ("seq", "at", "class", "digest"))
    leaf = sha256(f"\0urim/1 entry\n{seq}\n{at}\n{cls}\n{digest}\n".encode()).digest()
    return Entry(**UNREAD | value, cls=cls, leaf=leaf, proof=proof)

def end(value: dict[str, Any], head: dict[str, Any], count: int) -> None:
    """The last line; in a roll's file of urim-bundle/3 it has the proof. Raises Malformed."""
    head["proof"] = taken_out(value, head, FORMATS[1])
    if (why := misfit(value, END)) or (value["end"], value["count"]) != (head["format"], count):
        raise Malformed(why or f"the last line counts other entries than the {count} that are here, or is of another form")

# === keys and notes ====================================================================================
#
# Ed25519 (RFC 8032) without the cofactor, as OpenSSL, Go and BoringSSL verify: S < L, and the encoding
# of [S]B - [k]A is R. A key whose y is not reduced, or that is of small order, is nobody's.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SMALL = {
    *(0, 1, P - 1),
    2707385501144840649318225287225658788936804267575313519463743609750303402022,
    55188659117513257062467267217118295137698188065244968500265048394206261417927,
}
"""The y of every point of small order."""
Point = tuple[int, int, int, int]
"""X, Y, Z, T of a point: x = X/Z, y = Y/Z, xy = T/Z."""

def weakness(key: bytes) -> str:
    """Why nobody may have this key of 32 bytes; empty for one that may be had."""
    y = int.from_bytes(key, "little") & (2**255 - 1)
    return "its y is not below 2^255 - 19" if y >= P else "it is of small order" if y in SMALL else ""

def verifies(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature is good, by a key of 32 bytes."""
    if weakness(key) or len(signature) != 64: return False
    if Ed25519PublicKey is None: return fits(key, signature, message)
    try: Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError): return False  # pyright: ignore[reportPossiblyUnboundVariable]
    return True

def fits(key: bytes, signature: bytes, message: bytes) -> bool:
    """The same by this file alone."""
    a, s = _point(key), int.from_bytes(signature[32:], "little")
    base = _point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    if a is None or base is None or s >= L: return False
    k = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % L
    minus = (-a[0] % P, a[1], a[2], -a[3] % P)
    table = {(0, 1): minus, (1, 0): base, (1, 1): _added(base, minus)}
    found: Point = (0, 1, 1, 0)
    for at in reversed(range(253)):  # [s]B - [k]A, bit by bit
        found = _added(found, found)
        bits = s >> at & 1, k >> at & 1
        found = _added(found, table[bits]) if bits in table else found
    x, y, by = found[0], found[1], pow(found[2], -1, P)
    return (y * by % P | (x * by % P & 1) << 255).to_bytes(32, "little") == signature[:32]

def _added(one: Point, other: Point) -> Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def _point(data: bytes) -> Point | None:
    """The point of 32 bytes (5.1.3); None where there is none."""
    number = int.from_bytes(data, "little")
    y, odd = number & (2**255 - 1), number >> 255
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    if v * x * x % P == -u % P: x = x * pow(2, (P - 1) // 4, P) % P
    if v * x * x % P != u or (x == 0 and odd): return None
    x = P - x if x & 1 != odd else x
    return x, y, 1, x * y % P

def from_base64(text: Any) -> bytes:
    """The bytes of a text in the one canonical form (RFC 4648); none for any other."""
    try: found = b64decode(text, validate=True)
    except (ValueError, TypeError): return b""
    return found if b64encode(found).decode() == text else b""

def key_of(text: Any) -> bytes | None:
    """The public key of a seat, 32 bytes in base64; None for what may be none."""
    found = from_base64(text)
    return found if len(found) == 32 and not weakness(found) else None

def read_key(vkey: Any) -> Key:
    """The key of a vkey, NAME+ID+BASE64, one that nobody may have too. Raises Malformed."""
    name, id, encoded = (*str(vkey).split("+", 2), "", "")[:3]
    body = from_base64(encoded)
    own = sha256(name.encode(errors="replace") + b"\n" + body).hexdigest()[:8]
    if not FORMS["name"](name) or len(body) != 33 or body[0] != 1 or id != own:
        raise Malformed(f"not a vkey of an Ed25519 key: {str(vkey)[:200]}")
    return Key(name, id, body[1:])

SIGNATURE = "— ([^ \n]+) ([^ \n]+)\n"
SIGNED = re.compile(rf"([^\n]+)\n(0|[1-9][0-9]{{0,18}})\n([^\n]+)\n\n((?:{SIGNATURE}){{1,64}})")

def read_note(note: str) -> Head:
    """What a signed note says, whoever signed it. Raises Malformed."""
    found = SIGNED.fullmatch(note)
    if not found or len(note.encode()) > NOTE:
        raise Malformed("a note is an origin, a size, a root, a blank line, and 1 to 64 signatures")
    origin, size, root = found[1], int(found[2]), from_base64(found[3])
    signatures = [(name, from_base64(made)) for name, made in re.findall(SIGNATURE, found[4])]
    names = all(FORMS["name"](name) for name in (origin, *dict(signatures)))
    if not names or size >= 1 << 63 or len(root) != 32 or any(len(made) <= 4 for _, made in signatures):
        raise Malformed("a note without a good origin, size, root or signature")
    text = note[: found.start(4) - 1].encode()
    return Head(origin, size, root, text, [(name, made[:4].hex(), made[4:]) for name, made in signatures])

def signed_head(note: str, keys: Sequence[Key]) -> tuple[Head, Key]:
    """What a note says, and which of these keys, named like its origin, signed it.

    Signatures by other keys are passed over. Raises Malformed where one of these does not fit.
    """
    head, signer = read_note(note), None
    for name, id, made in head.signatures:
        for key in [each for each in keys if (each.name, each.id) == (name, id)]:
            if not verifies(key.public, made, head.text):
                raise Malformed(f"the signature of {name}+{id} does not fit the note")
            signer = key if name == head.origin else signer
    if signer is None: raise Malformed(f"no key that is trusted for {head.origin} has signed it")
    return head, signer

# === the tree ==========================================================================================

def node(left: bytes, right: bytes) -> bytes:
    """The hash over two subtrees."""
    return sha256(b"\1" + left + right).digest()

class Tree:
    """A tree of RFC 6962 of which the leaves are known, or some: then `proof` has the other subtrees.

    For each without a known leaf it has one node, in the order of the walk from the root, left before right.
    """

    def __init__(self, leaves: Mapping[int, bytes], proof: Iterable[str] = ()) -> None:
        self.leaves, self.places, self.proof = leaves, sorted(leaves), iter(proof)
        self.known: dict[tuple[int, int], bytes] = {}

    def root(self, size: int) -> bytes | None:
        """The root over the first `size` leaves; None where the proof has nodes too few or too many."""
        try: found = self._over(0, size) if size else sha256(b"").digest()
        except StopIteration: return None
        return found if next(self.proof, None) is None else None

    def _over(self, start: int, stop: int) -> bytes:
        if (start, stop) not in self.known:
            if bisect_left(self.places, start) == bisect_left(self.places, stop):
                return bytes.fromhex(next(self.proof))
            if stop - start == 1: return self.leaves[start]
            middle = start + (1 << (stop - start - 1).bit_length() - 1)
            self.known[start, stop] = node(self._over(start, middle), self._over(middle, stop))
        return self.known[start, stop]

def root_by_path(leaf: bytes, index: int, size: int, path: Sequence[str]) -> bytes | None:
    """The root to which the path of a leaf leads, the lowest node first (RFC 9162, 2.1.3); None for none."""
    if size <= 1 or not path: return leaf if (index, size, path) == (0, 1, []) else None
    half, top = 1 << (size - 1).bit_length() - 1, bytes.fromhex(path[-1])
    start = half if index >= half else 0
    below = root_by_path(leaf, index - start, size - half if start else half, path[:-1])
    return below and (node(top, below) if start else node(below, top))

# === steps =========================================================================================

def parse(log: Report) -> None:
    """1: every payload, and every body, is strict and of its form; the first entry opens the table."""
    for entry in log.each("parse"):
        try: read_payload(entry)
        except Malformed as error: log.need(False, f"the payload is no event: {error}")
        if entry.what in ("table-opened", "reading-set"): shows(log, entry.event.get("faces", {}))
        first, opens = entry is log.entries[0], entry.what == "table-opened"
        log.need(opens == first, "the first entry alone opens the table")
        if opens and first:
            for name, its in (("system", "ruleset"), ("version", "version"), ("options", "options")):
                log.need(same(log.header[name], entry.event[its]), f"the header says another {name}")
            log.need(log.header["origin"].endswith(f"/t/{entry.event['table']}"), "the origin is another table's")
    log.place = "parse", None
    log.need(log.entries, "there is no entry")
    log.need(log.whole or log.header["roll"] in declared(log), "the roll that the file is about is not declared in it")

def declared(log: Report) -> set[int]:
    """The rolls that are declared anywhere in the file."""
    return {entry.event["roll"] for entry in log.entries if entry.what == "roll-declared"}

def shows(log: Report, faces: Mapping[str, Sequence[Any]]) -> None:
    """What a table's dice show: everybody takes a dN to show 1 to N, and a system may have another one."""
    named = [(kind, found, numbered(kind)) for kind, found in faces.items() if numbered(kind)]
    odd = sorted(kind for kind, its, usual in named if len(its) != len(usual) or not same(its, [*usual]))
    if odd: log.say("look", f"{', '.join(odd)} do not show 1 to N", "odd-faces")
    if faces: log.say("stated", f"{', '.join(sorted(faces))} show faces of their own from here on", "faces")

def read_payload(entry: Entry) -> None:
    """Put what was asked and the event into an entry, if they are there. Raises Malformed."""
    if entry.payload is None: return
    found = strict(entry.payload, "payload")
    if why := misfit(found, PAYLOAD): raise Malformed(why)
    asked_, event = found.get("asked"), found["event"]
    tag = event["type"] if type(event.get("type")) is str else ""
    name, listed = tag.partition("/")[0], tag in EVENTS
    fields = EVENTS[tag] if listed else dict.fromkeys(event, (FORMS["any"], 0)) | OF_ALL
    if why := misfit(event, fields) or (misfit(asked_, ASKED) if asked_ is not None else ""):
        raise Malformed(f"not {tag[:80]}: {why}")
    odd = untidy(found, PAYLOAD) or (asked_ and untidy(asked_, ASKED)) or (listed and untidy(event, fields))
    # Each language writes exponents in its own way: such a payload is the rerun's to compare.
    plain = entry.payload == WRITE(found) or EXPONENT.search(entry.payload)
    entry.odd = odd or not (plain or entry.payload == SMALL_NUMBER.sub(r"\g<1>0.0000\2\3", WRITE(found)))
    entry.asked, entry.event, entry.what = asked_, event, name if listed or tag in OTHERS else tag
    if asked_:
        if len(asked_["body"].encode()) > BODY: raise Malformed(f"a body of more than {BODY} bytes")
        entry.body = strict(asked_["body"], "body")

def signature(log: Report, key: Key | None) -> tuple[Head | None, list[Key]]:
    """2: the checkpoint is of this log, and signed. Gives it, and the keys that count."""
    log.place = "signature", None
    head, keys = log.header, [key] if key else log.header["known"]
    for each in head["known"]:
        log.need(not weakness(each.public), "the header has a key that nobody may have")
    try:
        note, signer = signed_head(head["checkpoint"], keys)
    except Malformed as error:
        log.need(False, f"the checkpoint is not accepted: {error}")
        return None, keys
    log.signer, log.trusted = f"{signer.name}+{signer.id}", key is not None
    log.need(note.origin == head["origin"] and note.size == head["size"], "another origin or size was signed")
    return note, keys

def tree(log: Report, head: Head | None, keys: list[Key], seen: Sequence[str]) -> None:
    """3: the entries lead to the root that was signed, and begin with those of every earlier head."""
    log.place = "tree", None
    if head is None: log.say("unchecked", "there is no checkpoint to hold the entries against")
    elif log.whole or log.header["proof"] is not None:
        right = (len(log.entries) == head.size or not log.whole) and log.tree.root(head.size) == head.root
        log.need(right, "the entries do not lead to the signed root")
    else:
        for entry in log.each("tree"):
            right = root_by_path(entry.leaf, entry.seq, head.size, entry.proof) == head.root
            log.need(right, "its proof does not lead to the signed root")
    for note in seen:
        log.place = "tree", None
        try: began(log, head, signed_head(note, keys)[0])
        except Malformed as error: log.need(False, f"an earlier head is not accepted: {error}")

def began(log: Report, head: Head | None, earlier: Head) -> None:
    """The log begins with the entries of an earlier head."""
    size = earlier.size
    if not log.need(size <= log.header["size"], f"a head of {size} entries was signed, and there are fewer"): return
    signed_root = head.root if head and size == head.size else None
    root = log.tree.root(size) if log.whole and size <= len(log.entries) else signed_root
    log.place = "tree", size - 1
    if root is None: log.say("unchecked", f"the head of {size} entries needs the whole table")
    else: log.need(root == earlier.root, f"the head of {size} entries is of others: the past was changed")

def sequence(log: Report, now: int) -> None:
    """4: the entries count up, of a whole table without a gap, and time does not go back."""
    last, at, size = -1, 0, log.header["size"]
    for entry in log.each("sequence"):
        next_ = last + 1 == entry.seq if log.whole else last < entry.seq
        log.need(next_ and entry.seq < size, f"out of sequence behind {last}, or not below {size}")
        log.need(at <= entry.at, f"time goes back from {at}")
        if entry.at > now + AHEAD: log.say("look", "it is later than the clock here", "clock", "here")
        last, at = entry.seq, entry.at

def payloads(log: Report) -> None:
    """5: a payload is the one that was sealed; texts alone are erased, and nothing else is withheld."""
    erased = {entry.event["seq"] for entry in log.entries if entry.what == "entry-erased"}
    for entry in log.each("payloads"):
        if entry.payload is not None:
            body = b"urim/1 payload\n" + bytes.fromhex(entry.salt) + entry.payload.encode()
            log.need(sha256(body).hexdigest() == entry.digest, "the payload is not the one of its digest")
        if entry.what == "entry-erased":
            gone = log.there.get(entry.event["seq"])
            log.need(0 <= entry.event["seq"] < entry.seq, "it erases no entry before it")
            log.need(not gone or gone.payload is None, "what it erases is still there")
            log.need(not gone or gone.cls in TEXTS, "it erases what is no text")
    for entry in log.each("payloads"):
        if entry.payload is None and entry.seq not in erased:
            log.need(entry.cls in HIDDEN, f"of class {entry.cls}, and withheld")
            log.say("stated", "it is not disclosed", "withheld")

# --- 6. throws -----------------------------------------------------------------------------------------

BETWEEN = "a throw waits, and something else comes between"

def throws(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """6: each throw answers what was committed to, asked for and planned, in order and once."""
    if "roll" not in event: return
    known = event["roll"] in log.rolls
    roll = log.roll(event["roll"], event["by"] if entry.what == "throw-asked" else "")
    if entry.what == "roll-declared":
        commit = event.get("commit")
        log.need(not known, "the roll was there before: it is declared a second time, or its number is another one's")
        log.need(log.newest < event["roll"], f"rolls count up, and the last one was {log.newest}")
        log.need(is_hash(commit) if log.fair else commit is None, "fair dice alone are committed to")
    elif entry.what not in ALWAYS_OPEN and not is_strange(event): log.need(roll.shown, "the roll was never declared")

def between(log: Report, entry: Entry) -> None:
    """Behind a plan comes its ask; while a throw waits nothing but shares, notes, a break, an epoch."""
    last, ask = log.last, log.ask
    if last and last.what == "throw-planned":
        right = entry.what == "throw-asked" and entry.commit == last.seq
        log.need(right, "a throw is planned right before, and nobody is asked for shares")
    if ask is None: return
    its = entry.what in FALLS and entry.event["roll"] == ask.event["roll"]
    text = entry.cls in TEXTS and entry.seq != entry.commit  # of a command that its commit begins with
    if ask.full is not None:
        right = its or may_be_of(log.rolls[ask.event["roll"]], entry)
        log.need(right and entry.commit == ask.full, "no dice fall behind the last share")
    elif may_be_note(last): log.need(text and entry.commit == last.seq and entry.cls == "hidden-text", BETWEEN)
    else: log.need(its or text or entry.what in MEANWHILE or may_be_note(entry), BETWEEN)

def may_be_note(entry: Entry) -> bool:
    """Whether an entry, while a throw waits, is not disclosed and may be a note; its text must come next."""
    return entry.event is None and entry.cls in HIDDEN and entry.seq == entry.commit

def begins_epoch(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """A restored log commits anew to every throw that is outstanding."""
    log.say("look", f"epoch {event['epoch']}: the host restored the log", "epoch")
    log.need(event["epoch"] == log.epochs + 1, "epochs count from 1")
    log.need(len({number for number, *_ in event["commits"]}) == len(event["commits"]), "it commits twice in one roll")
    for number, throw, commit in event["commits"]:
        roll = log.roll(number)
        # How a hidden roll came so far need not be disclosed, nor be in this file.
        behind = not roll.shown or (is_sealed(roll) and throw >= roll.throws)
        log.need(behind or (roll.waiting and roll.waiting.number == throw), f"roll {number} waits for another throw")
        log.need(is_hash(commit), f"roll {number} is not committed to")

def answers(log: Report, entry: Entry, roll: Roll, throw: int, committed: int | None) -> None:
    """A throw, or the ask for it, answers the outstanding commitment, which an earlier commit made."""
    open_ = roll.waiting
    right = open_ and (open_.number, open_.seq) == (throw, committed)
    if not log.need(right, "it does not answer the outstanding commitment"): return
    log.need(open_.seq < entry.commit, "it answers a commitment of its own commit")
    log.need(open_.epoch == log.epochs, "it answers a commitment of before the last epoch")

def answers_unseen(log: Report, roll: Roll, event: dict[str, Any], seq: int) -> bool:
    """Whether an ask may name a commitment in an earlier entry that is not disclosed."""
    committed, open_ = event["committed"], roll.waiting
    if open_ and (open_.number, open_.seq) == (event["throw"], committed): return False
    may = event["throw"] >= roll.throws and log.epoch_at < committed < seq - 1
    return may and may_be_of(roll, log.there.get(committed))

def asks(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """An ask is right behind its plan, in the same commit."""
    last, roll = log.last, log.roll(event["roll"])
    plan = last.event if last and last.what == "throw-planned" else None
    planned = may_be_of(roll, last) or (plan and all(plan[name] == event[name] for name in ("by", "roll", "throw")))
    second = last and (last.seq, entry.seq) == (entry.commit, entry.commit + 1)
    log.need(planned and second, "no plan of its dice is right before it")
    if not answers_unseen(log, roll, event, entry.seq):
        answers(log, entry, roll, event["throw"], event["committed"])

def waits(log: Report, event: dict[str, Any]) -> Any:
    """The ask that waits for shares of this very throw."""
    ask, place = log.ask, (event["roll"], event["throw"])
    return ask if ask and ask.full is None and (ask.event["roll"], ask.event["throw"]) == place else None

def breaks(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """A break ends the ask that waits, ten seconds or by post hours after it, and names who opened nothing."""
    ask, kept = waits(log, event), event["kept"]
    if log.need(ask, "it breaks off what waits for nobody"):
        log.need(entry.at >= ask.entry.at + ask.wait, f"broken off within {ask.wait} ms")
        log.need(kept == missing(ask), f"{missing(ask)} kept back, and not {kept}")
        log.need(is_hash(event["next"]), "the next throw is not committed to")
        log.say("look", f"roll {event['roll']} is broken off: {', '.join(kept)} kept back", "broken")

def falls(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """Dice have a proof, which is of the table's source, of the next throw, and as planned."""
    proof, ask, roll = event.get("proof"), asked_for(log, event), log.roll(event["roll"])
    if proof is None:
        taken = event.get("taken")
        right = taken is not None and (taken == roll.follows or not roll.shown)
        log.need(right or not event["dice"], "dice without a proof of their throw")
        if right and taken is not None and event["dice"]:
            log.say("stated", f"the dice of roll {taken} are taken over", "taken")
            takes(log, event["dice"], taken)
        return
    log.need(proof["source"] == ("seeded" if log.source.startswith("seeded:") else log.source), "dice of another source than the table's")
    log.need(proof["throw"] == roll.throws, f"the next throw of the roll is {roll.throws}")
    if proof["source"] == "seeded":
        log.need(not {"committed", "nonce", "next"} & proof.keys(), "seeded dice take no commitment and no nonce")
    if proof["source"] != "fair": return
    answers(log, entry, roll, proof["throw"], proof.get("committed"))
    log.need(is_hash(proof.get("next")), "the next throw is not committed to")
    if ask:
        found = [event["by"], proof["throw"], proof.get("committed")]
        wanted = [ask.event[name] for name in ("by", "throw", "committed")]
        if ask.plan:
            of = [[*each] for each in dict.fromkeys((die, kind) for die, kind, _ in event["dice"])]
            found += [FALLS[entry.what], event["hand"], event.get("option"), of]
            wanted += [ask.plan.get(name) for name in ("trigger", "hand", "option", "dice")]
        log.need(ask.plan, "its dice are disclosed, and their plan is not")
        log.need(found == wanted, "it is not as asked and planned")
        log.need(not missing(ask), f"{missing(ask)} have not opened their shares")
        if again := len(event["dice"]) - len({die for die, _, _ in event["dice"]}):
            log.say("look", f"{again} dice thrown again: urim audit knows whether rules ask for it", "thrown-again")

def takes(log: Report, dice_: Sequence[Any], number: int) -> None:
    """Dice that are taken over are a hand of the roll that they are taken from, as it shows then."""
    hands = log.rolls[number].hands if number in log.rolls else {}
    for its in [[*hand.items()] for hand in hands.values() if len(hand) == len(dice_)]:
        pairs = [(was, [kind, face], log.rolls[number].adjusted[die]) for (_, kind, face), (die, was) in zip(dice_, its, strict=True)]
        if all(was[0] == now[0] and (was == now or now[1] in faces) for was, now, faces in pairs): return
    if hands or log.whole: log.need(False, f"the dice are those of no hand of roll {number}")
    else: log.say("unchecked", f"roll {number}, from which dice are taken, is not in this file")

def asked_for(log: Report, event: dict[str, Any]) -> Ask | None:
    """The ask that dice are of."""
    return log.ask if log.ask and log.ask.event["roll"] == event["roll"] else None

def throws_at_end(log: Report) -> None:
    """What of throws only the end shows."""
    ask, last = log.ask, log.last
    log.place = "throws", last.seq if last else None
    begun = (last and last.what == "throw-planned") or (ask and (ask.full is not None or may_be_note(last)))
    log.need(not begun, "a plan without its ask, all shares without their dice, or an entry without its text")
    if ask and ask.full is None: log.say("look", "a throw waits for shares at the end", "left-open")
    for roll in log.rolls.values():
        right = roll.revealed is None or not roll.shown or roll.gap is None
        log.place = "throws", roll.gap
        log.need(right, "the roll is revealed, and this throw of it is not disclosed")

def commitment(log: Report, roll: int, throw: int, seed: str) -> str:
    """C: what binds a host to the seed of a throw."""
    return sha256(f"urim/1 seed\n{log.id}/{roll}/{throw}\n{seed}\n".encode()).hexdigest()

def commitments(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """7: the seed that a throw or a break opens is the one committed to."""
    opened = event.get("proof") if entry.what in FALLS else event
    if not log.fair or opened is None or opened.get("source", "fair") != "fair": return
    open_, seed = log.roll(event["roll"]).waiting, str(opened.get("seed"))
    if log.need(is_hash(seed), "it opens no seed") and open_:
        found = commitment(log, event["roll"], opened["throw"], seed)
        log.need(found == open_.commit, f"entry {open_.seq} commits to another seed")

# --- 8. transcripts ------------------------------------------------------------------------------------

def due(log: Report, seat: str, roll: Roll, named: str | None) -> str:
    """The level that is due for a throw of a seat, where its declaration names that level or none.

    From table-opened/3 on `table` is, while another seat has an anchor, whoever throws; not at a table
    opened at `server`, nor on one machine. Before, it was for a narrator's throws and hidden ones.
    """
    if log.new and log.fair and log.one_machine: return min(named or log.level, "player", key=LEVELS.index)
    if named is not None or not log.fair or log.one_machine or (log.new and log.level == "server"):
        return named or log.level
    narrates = seat in log.seats and log.seats[seat].role == "narrator"
    return "table" if (log.new or narrates or is_sealed(roll)) and log.anchored(seat) else log.level

def chain(log: Report, seat: str, link: str, length: int) -> list[str]:
    """A link of a seat's chain, and so many before it, back towards the anchor."""
    links = [link]
    for _ in range(length):
        links.append(sha256(f"urim/1 share\n{log.id}\n{seat}\n{links[-1]}\n".encode()).hexdigest())
    return links

def transcripts(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """8: each throw is at the level that was due, and holds the nonce or the share that this asks for."""
    ask, roll, seat, proof = asked_for(log, event), log.roll(event["roll"]), event["by"], event.get("proof")
    if not proof or proof["source"] != "fair": return
    nonce = proof.get("nonce")
    if ask: log.need(nonce == ask.opened.get(ask.event["by"]), "the nonce is not the roller's share")
    if ask or not log.fair or not roll.shown: return
    level, usual = due(log, seat, roll, roll.level), due(log, seat, roll, None)
    log.need(nonce is None if level == "server" else is_hash(nonce), f"another nonce than level {level} asks for")
    if level == "table":  # in the file of one roll other rolls may show who kept a share back
        log.need(not log.awake(seat) or not log.whole, "level table is due, and nobody is asked for a share")
        if not log.awake(seat): log.say("look", "level table is due, and nobody can be asked", "alone")
    if LEVELS.index(level) < LEVELS.index(usual) and (log.new or usual == "table"):
        log.say("look", f"roll {roll.number} names a level below the one due", "lower-level", roll.number)
    if is_unseen(entry, proof): log.say("look", "its seat named an earlier commitment, and did not see this one", "unseen")

def is_unseen(entry: Entry, proof: Mapping[str, Any]) -> bool:
    """Whether a throw answers a later commitment than its seat named: the host may have had the nonce before it made that."""
    named = (entry.body or {}).get("committed")
    return proof.get("nonce") is not None and type(named) is int and named < (proof.get("committed") or 0)

def anchors(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """An anchor is of a seat that was taken, and of a new chain; hashed back it leads to no old one."""
    seat, anchor, known = event["by"], event["anchor"], log.seats.get(event["by"])
    if not log.need(known and is_hash(anchor), "nobody ever took the seat, or this is no anchor") or not known: return
    back = chain(log, seat, anchor, CHAIN if known.links else 0)
    log.need(known.links.isdisjoint(back), f"the anchor of seat {seat} is of a chain that it had before")
    if anchor == chain(log, seat, ZEROS, CHAIN)[-1]:
        log.say("look", f"the chain of seat {seat} ends with zeros", "weak-chain")
    if known.link and known.asks >= CHAIN:
        log.say("stated", f"seat {seat} renews its chain at the last link", "renewed")
    elif known.links and known.key is None:
        log.say("look", f"seat {seat} anchors once more, without a key", "anchored-again")

def asks_seats(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """An ask names who is asked for which link, and who is left out."""
    names, seats = [seat for seat, _ in event["asked"]], log.anchored()
    seat = event["by"]
    log.need(log.fair and not log.one_machine, "at this table no throw asks for shares")
    log.need(names == sorted({*names}) and len(names) <= MOST_ASKED, "the seats are not each named once, by id")
    log.need(seat in names and len(names) > 1, "the roller asks not itself, or nobody else")
    for seat, i in event["asked"][:MOST_ASKED]:
        next_ = log.seats[seat].asks + 1 if seat in seats else CHAIN + 1
        # In some entries of a log the asks of other rolls are missing.
        right = (i == next_ if log.whole else i >= next_) and i <= CHAIN
        log.need(right, f"seat {seat} has no anchor, or {i} is not its next link")
    left = [seat for seat in seats if seat not in names]
    log.need(left == event.get("left", []), f"the seats that are left out are {left}")

def at_table(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """10: shares are asked for where table is due, and another seat is awake; what woke it a roll's file may lack."""
    roll, seat = log.roll(event["roll"]), event["by"]
    right = not roll.shown or (due(log, seat, roll, roll.level) == "table" and (log.awake(seat) or not log.whole))
    log.need(right, "shares are asked for, and table is not due")

def linked(log: Report, seat: str, share: str, i: int) -> list[str]:
    """The links from share i back to the newest one that is known; none where it leads to another."""
    known = log.seats.get(seat)
    if known is None or known.link is None or not is_hash(share) or not known.at < i <= CHAIN: return []
    *links, newest = chain(log, seat, share, i - known.at)
    return links if newest == known.link else []

def opens_share(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """A share is of a seat asked, opened once, for the throw that waits, and its next link."""
    seat, ask = event["by"], waits(log, event)
    if log.need(ask and seat in missing(ask), f"nobody waits for a share of seat {seat}"):
        right = linked(log, seat, event["share"], ask.asked[seat])
        log.need(right, f"it is not link {ask.asked[seat]} of the chain of seat {seat}")
        if right and log.seats[seat].key is None:
            log.say("stated", f"seat {seat} has no key: the host's word", "host-word", seat)

def transcript(id: str, open_: Commitment, roller: str, nonce: str | None, shares: Mapping[str, str]) -> str:
    """T: all that the dice of a throw follow from beside its seed."""
    rows = ["urim/1 throw", f"throw {id}", f"committed {open_.seq} {open_.leaf}", f"roller {roller} {'-' if nonce is None else nonce}"]
    rows += [f"witness {seat} {shares[seat]}" for seat in sorted(shares)]
    return "".join(f"{row}\n" for row in rows)

def drawn(key: bytes, j: int, faces: int) -> int | None:
    """The number of the face of die j, from 0, by HKDF-Expand (RFC 5869); None for no fair draw."""
    for attempt in range(ATTEMPTS if 1 <= faces <= DRAWS else 0):
        info = f"urim/1 die\n{j}\n{attempt}\n\1".encode()
        value = int.from_bytes(hmac.digest(key, info, "sha256")[:6], "big")
        if value < DRAWS - DRAWS % faces: return value % faces
    return None

def dice(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """9: every die shows the face that follows from seed and transcript."""
    proof = event.get("proof")
    if not proof or proof["source"] not in ("fair", "seeded") or not log.source.startswith(proof["source"]): return
    id, seed, nonce = f"{log.id}/{event['roll']}/{proof['throw']}", proof.get("seed"), proof.get("nonce")
    roll, ask = log.roll(event["roll"]), asked_for(log, event)
    open_, known = roll.waiting, roll.faces if roll.shown else log.faces
    if proof["source"] == "seeded":
        text = f"urim/1 fixture\n{log.source.partition(':')[2]}\n{id}\n"
        fixture = sha256(text.encode()).hexdigest()
        log.need(seed == fixture, "the seed is not the fixture's")
        seed, open_, ask = fixture, Commitment(0, "", 0, ZEROS, 0), None
    shares = {s: share for s, share in ask.opened.items() if s != ask.event["by"]} if ask else {}
    if open_ is None or not all(map(is_hash, (seed, ZEROS if nonce is None else nonce, *shares.values()))):
        return  # it answers nothing, or gives what is no seed or nonce: an earlier step fails
    if known is None:
        log.say("unchecked", "the faces of these dice are not known here")
        return
    salt = sha256(transcript(id, open_, event["by"], nonce, shares).encode()).digest()
    key = hmac.digest(salt, bytes.fromhex(seed), "sha256")  # HKDF-Extract
    for j, (die, kind, face) in enumerate(event["dice"]):
        faces = known.get(kind) or numbered(kind)
        at = drawn(key, j, len(faces))
        wanted = None if at is None else faces[at]
        log.need(same(wanted, face), f"die {die} ({kind}) must show {wanted}")

@cache
def numbered(kind: str) -> Sequence[int]:
    """The faces 1 to N of a die dN; none of another kind."""
    found = re.fullmatch("d([1-9][0-9]{0,14})", kind)
    return range(1, int(found[1]) + 1) if found else ()

# --- 10. transitions -----------------------------------------------------------------------------------

def commits_of(lines: Sequence[Entry]) -> list[list[Entry]]:
    """The entries put together to the commits that they were kept in."""
    found: list[list[Entry]] = []
    for entry in lines:
        last = found[-1] if found else [entry]
        behind = entry.seq == last[-1].seq + 1 and entry.seq != entry.commit == last[0].commit
        last.append(entry) if behind else found.append([entry])
    return found

def transitions(log: Report) -> None:
    """10: a commit says what was asked, and its events and its text are what that leads to."""
    requests: dict[tuple[str, str], int] = {}
    blind: set[int] = set()
    known = log.core in ((5, 6) if log.new else (4,))
    if log.id and not known:
        log.place = "transitions", 0
        log.say("unchecked", f"what commands lead to is of version {log.core}: not known here")
    for group in log.commits:
        first = group[0]
        placed(log, group)
        declared_ = [each.event for each in group if each.what == "roll-declared" and each.event]
        blind |= {each["roll"] for each in declared_ if each.get("visibility") == "blind"}
        parts(log, group, blind)
        if first.event is None or first.asked is None or first.seq != first.commit: continue
        log.place = "transitions", first.seq
        by, request = first.event["by"], first.asked["request"]
        if request != f"~{first.seq}":
            log.need(FORMS["request"](request), "a request that no client may send")
            log.need(requests.setdefault((by, request), first.seq) == first.seq, "a seat sends a request twice")
        if first.body is not None and known: bodies(log, group, first.body, first.event, blind)
    log.place = "transitions", None
    for seat in log.given: log.need(seat in log.begun, f"seat {seat} never asks with the key given for it")

def placed(log: Report, group: list[Entry]) -> None:
    """What the entries of a commit are: of one time and seat, what was asked in the first, a text the last."""
    first = before = group[0]
    for entry in group:
        log.place = "transitions", entry.seq
        what, begins, text = entry.what, entry.seq == entry.commit, entry.cls in TEXTS
        log.need(entry is not first or begins, f"commit {entry.commit} is not right before it")
        log.need(entry.at == first.at, "a commit is of two times")
        if entry.event:
            log.need(not entry.odd, "the payload is written in another way")
            log.need(not log.new or NEWEST.get(what, what) in (what, entry.event["type"]), "an event in its older form")
            log.need((entry.asked is not None) == begins, "the first alone of a commit says what was asked")
            falls_ = first.what == "share-opened" and what in FALLS
            own = first.event is None or first.event["by"] == entry.event["by"] or falls_
            log.need(own, "an event of another seat than asked")
            log.need(entry.cls == "open" or what not in ALWAYS_OPEN[:3], "it is for everybody to see")
            log.need(text == (what == "text-said"), f"class {entry.cls} holds {what}")
        asks_ = what == "throw-asked" and entry.seq == entry.commit + 1
        behind = (before.cls, entry.cls) == ("hidden", "open")
        log.need(begins or asks_ or not behind, "an open entry that nobody asked for, behind a hidden one")
        right = first is not entry is group[-1] and (entry.cls in HIDDEN) == (first.cls in HIDDEN)
        log.need(right or not text, "a text that is not the last, or not hidden as its commit is")
        before = entry
    if first.body is not None and first.seq == first.commit: texts(log, first, before)

def parts(log: Report, group: list[Entry], blind: set[int]) -> None:
    """A commit is disclosed whole or not at all, but for an ask, a throw behind a share, and what a ruling declares."""
    first, *others = [entry for entry in group if entry.cls not in TEXTS] or group[:1]
    share, ruled = first.what == "share-opened", (first.event or {}).get("ruling")
    for entry in others:
        log.place = "transitions", entry.seq
        what, event, last, behind = entry.what, entry.event or {}, entry is others[-1], entry.seq - entry.commit
        right = (entry.event is None) == (first.event is None)
        if share: right = behind == 1 and event.get("roll", first.event["roll"]) == first.event["roll"]
        elif first.event: right = right or (ruled == "replay" and last and behind > 1)
        elif entry.event and last and entry.cls == "hidden" and what in ("roll-declared", "roll-amended"):
            roll = log.rolls.get(event["roll"])
            right = what == "roll-declared" or (event["roll"] in blind and roll is not None and is_sealed(roll))
            if right: log.say("look", f"who wanted this of roll {event['roll']} is not disclosed", "unasked")
        log.need(right or (what == "throw-asked" and behind == 1), "a commit is disclosed in part")

def texts(log: Report, first: Entry, last: Entry) -> None:
    """The last entry of a commit is the text that its command names."""
    wanted, said = first.body.get("text"), last.event
    right = (wanted is not None) == (last.cls in TEXTS)
    log.place = "transitions", first.seq
    log.need(right, "the text that is named is missing, or none is named")
    if right and wanted is not None and last.what == "text-said":
        found = sha256(f"urim/1 text\n{said['salt']}\n{said['text']}".encode()).hexdigest()
        log.place = "transitions", last.seq
        log.need(FORMS["salt"](said["salt"]) and found == wanted, "the text is not the one that the command names")

def bodies(log: Report, group: list[Entry], body: dict[str, Any], event: dict[str, Any], blind: set[int]) -> None:
    """What a body names, the events of its commit say too: those of the closed list are compared."""
    log.place = "transitions", group[0].seq
    first, do, listed = group[0], body.get("do"), event["type"] in EVENTS
    if not log.need(FORMS["tag"](do), "what was asked is no command"): return
    name, _, version = str(do).partition("/")
    latest, text, to, fields, more = COMMANDS.get(name, (0, "", "", [], []))
    known = {"do", *["text"] * bool(text), *(each[0] for each in fields)}
    strange = int(version) > latest or (first.what == "table-opened" and log.faces is None)
    if strange and listed: log.say("unchecked", f"what {do} leads to is not known here")
    if strange or not log.need(first.what == to, f"{do} leads to {to}"): return
    log.need(text != "!" or body.get("text") is not None, f"{do} needs a text")
    log.need(not listed or body.keys() <= known, f"{do} has other fields")
    for entry in [each for each in group if each.event and each.what != "text-said"]:
        log.place = "transitions", entry.seq
        own = fields if entry is first else SECOND.get(entry.what, [])
        leads_to = entry is first or entry.what in more
        if log.need(leads_to, f"{do} does not lead to {entry.what}") and (listed or entry is not first):
            for each in own:
                log.need(says_so(each, entry.event, body, blind), f"it says another {each[0]} than was asked for")

def says_so(field: tuple[str, str, Any], event: dict[str, Any], body: dict[str, Any], blind: set[int]) -> bool:
    """Whether an event says what was asked for, by a field of COMMANDS."""
    name, mark, usual = field
    if mark != "@":  # one that has no usual value is always there
        there = mark == "=" or name in body
        return mark == "*" or (there and same(event.get(name, usual), body.get(name, usual)))
    wanted, proof, thrown = body.get(name), event.get("proof") or {}, event.get("dice", ())
    match name:
        case "options":  # those that were asked for; the others are the system's
            wanted = {} if wanted is None else wanted
            return type(wanted) is dict and all(same(event["options"].get(e), wanted[e]) for e in wanted)
        case "role":  # a seat that takes a key keeps its role
            return event.get("key") is not None or event["role"] == ("player" if wanted is None else wanted)
        case "level":  # what was settled in version 1 counts as named
            return event.get("level") == wanted or (wanted is None and event["type"] == "roll-declared/1")
        case "committed":  # who throws in a blind roll may see an earlier commitment alone
            found = event.get("committed", proof.get("committed"))
            earlier = event.get("roll") in blind and type(wanted) is int and type(found) is int and wanted <= found
            return earlier or same(found, wanted)
        case "nonce": return proof.get("nonce") == wanted
        case "faces":  # those that were typed
            typed = proof.get("source") in ("manual", "scripted")
            return same([die[2] for die in thrown] if typed else None, wanted)
        case "dice":  # those thrown again; one that is thrown again at once is listed again
            return same(None if event.get("trigger") == "roll" else [*dict.fromkeys(e[0] for e in thrown)], wanted)
        case _:  # the seats asked
            return type(wanted) is list and FORMS["strs"](wanted) and sorted(wanted) == [seat for seat, _ in event["asked"]]

def signed(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """10, on the way: each command of a seat with a key is its own, over a head that it had seen."""
    by, what, seq = event["by"], entry.what, entry.seq
    place, about = log.seats.get(by), log.seats.get(event.get("seat", by))
    own = what == "seat-taken" and by == event["seat"] and place is not None and place.here
    taken = key_of(event.get("key")) if own else None
    if what == "seat-taken":
        log.need(own or event.get("key") is None, "a key that the seat did not take itself")
        if about and about.key and not (own and event.get("key") is not None):
            log.say("look", f"seat {event['seat']} has no key any more", "key-reset")
    goes = not own if what == "seat-taken" else what == "seat-left" and by == event["seat"]
    if goes and about and about.here and about.link and about.key is None:
        log.say("look", f"seat {event['seat']} could be asked, and no longer can", "anchor-lost")
    if what == "seat-left" and by != event["seat"]:
        log.say("look", f"seat {event['seat']} is removed by seat {by}", "removed")
    if entry.asked is None or seq != entry.commit: return
    key, trusted = (place and place.key) or taken, log.given.get(by, set())
    if key in trusted:
        log.begun.add(by)
        trusted |= {taken} if taken else set()
    log.need(by not in log.begun or key in trusted, f"seat {by} asks without the key that was given for it")
    sig, seen = entry.asked.get("sig"), entry.asked.get("seen")
    if key is None: log.need(sig is None and seen is None, f"seat {by} signs, and has no key")
    elif what != "epoch-begun" or sig is not None:  # an epoch is the host's, signed by nobody
        log.keyed[by] = None
        right = seen is not None and is_hash(seen[1]) and not entry.asked["request"].startswith("~")
        if log.need(right, f"seat {by} has a key, and signs over no head, or no request of its own"):
            signs(log, entry, by, key, entry.asked)

def signs(log: Report, entry: Entry, seat: str, key: bytes, request: dict[str, Any]) -> None:
    """A signature is of the key, over a head of this log: no later one, and no older than the last."""
    (size, root) = request["seen"]
    rows = ["urim/1 asked", log.header["origin"], seat, request["request"], f"{size} {root}"]
    rows.append(sha256(request["body"].encode()).hexdigest())
    message = "".join(f"{row}\n" for row in rows).encode()
    log.need(verifies(key, from_base64(request.get("sig")), message), f"it is not signed by the key of seat {seat}")
    before = log.seats[seat].seen if seat in log.seats else -1
    log.need(before < 0 or size >= max(before, 1), "the head that it had seen is older than the last")
    if log.need(0 <= size <= entry.seq, "the head that it had seen is beyond the command") and (log.whole or size <= len(log.past.leaves)):
        log.need((log.past.root(size) or b"").hex() == root, "the head that it had seen is not of this log")
    covers = entry.what != "share-opened" or not log.ask or size > log.ask.entry.seq
    log.need(covers, "a share is opened before the ask was seen")
    touched = log.roll(entry.event["roll"]).touched if entry.what in FALLS else {}
    if any(size <= at for by, at in touched.items() if by != seat):
        log.say("look", f"roll {entry.event['roll']} was another one when seat {seat} threw", "held")

def reuse(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """12: no seed occurs twice; a nonce that is one byte over and over is a look."""
    proof = event.get("proof") or {}
    seed: Any = event.get("seed") or (proof.get("seed") if log.fair else None)
    nonce: Any = proof.get("nonce")
    if is_hash(seed):
        log.need(log.seeds.setdefault(seed, entry.seq) == entry.seq, f"its seed is that of entry {log.seeds[seed]}")
    if is_hash(nonce) and nonce == nonce[:2] * 32:
        log.say("look", "the nonce is one byte over and over", "nonce")

def voids(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """13: a void opens the seed of the throw that was outstanding."""
    if log.fair and (open_ := log.roll(event["roll"]).waiting):
        seed, throw = str(event.get("seed")), event.get("throw")
        right = is_hash(seed) and commitment(log, event["roll"], open_.number, seed) == open_.commit
        log.need(right and throw == open_.number, "it does not open the seed")

DECISIONS = {"dispute-raised": "dispute", "ruling-made": "ruling"}
DECISIONS |= dict.fromkeys(("roll-amended", "declaration-vetoed", "declaration-replaced"), "correction")
DEEDS = {"stands": [], "amend": ["roll-amended"], "void": ["roll-voided"], "replay": ["roll-voided"]}
"""Ruling -> what is done to its roll; a replay declares another instead."""
DONE = ("roll-amended", "roll-voided", "roll-declared")

def rulings(log: Report) -> None:
    """14: a decision has its reason; a ruling, and what was ruled, are one commit."""
    for group in log.commits:
        first, last = group[0], group[-1]
        if first.event is None or first.what not in DECISIONS: continue
        log.place = "rulings", first.seq
        if first.what == "ruling-made" and log.core >= 3:
            again = log.rolls.get(first.event.get("instead") or 0)
            here = again is None or not again.shown or log.there[again.seq].commit == first.commit
            log.need(is_done(first.event, group[1:]) and here, "what was ruled is not what its commit does")
        reason = last.event["text"] if last.event and last.what == "text-said" else "erased, or hidden"
        why = f"roll {first.event['roll']}: {first.what} by {first.event['by']}: {reason}"
        log.say("stated", why, DECISIONS[first.what])
        if last.cls not in TEXTS: log.say("look", f"{first.what} without a reason", "no-reason")

def is_done(event: dict[str, Any], behind: list[Entry]) -> bool:
    """Whether a commit does what was ruled; a declaration that is kept back is not counted."""
    ruling, instead = event["ruling"], event.get("instead")
    again = ruling == "replay" and all(each.event or each.cls in TEXTS for each in behind)
    wanted = [(event["roll"], what) for what in DEEDS[ruling]] + [(instead, "roll-declared")] * again
    done = [(each.event["roll"], each.what) for each in behind if each.what in DONE]
    done = [(roll, what) for roll, what in done if roll in (event["roll"], instead) or what == "roll-declared"]
    return Counter(done) == Counter(wanted) and (instead is not None) == (ruling == "replay")

def hidden(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """15: of a roll that is revealed all is disclosed: as many entries as the reveal says."""
    found, said = log.of_roll[event["roll"]], event.get("entries")
    log.need(said is None or not log.whole or said == found, f"the roll has {said} entries, and {found} can be read")
    if not log.roll(event["roll"]).shown: log.say("look", "the roll is revealed, and not in the file", "not-shown")

# === counted ===========================================================================================

ENDINGS = {
    **{"roll-voided": "made void by", "declaration-vetoed": "vetoed by"},
    **{"declaration-replaced": "replaced by", "roll-amended": "amended by"},
}
OVER = ("roll-voided", "declaration-vetoed")
"""Behind these the dice of a roll are counted as dropped; those of a further throw are counted anew."""

def drops(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """Throws whose dice could be known to somebody, and that came to nothing; and by whom.

    Known: at `server` and `player` from the declaration on, for the host may have had the nonce and
    kept the command back; at `table` from the last share on, when the dice fall.
    """
    by, what = event["by"], entry.what
    roll = log.rolls.get(event.get("roll", 0))
    if what == "throw-broken" and (ask := waits(log, event)):
        how = f"{', '.join(event['kept'])} kept back, ended by"
        drop(log, [ask.event["by"]], event["roll"], how, by, "broken")
    elif what == "epoch-begun":
        for each in [log.rolls[number] for number in dict.fromkeys(e[0] for e in event["commits"]) if number in log.rolls]:
            if each.shown and not each.ended and early(log, each):
                drop(log, owners(each), each.number, "behind an epoch of", by)
    elif what == "throw-asked" and roll and roll.shown and roll.known:
        drop(log, [by], roll.number, "below table until it was asked for by", by)
    elif what in ENDINGS and roll and roll.shown and (roll.dice or roll.ended not in OVER):
        if roll.dice or early(log, roll):
            drop(log, owners(roll), roll.number, ENDINGS[what], by)
        elif what == "roll-voided":
            kind = "withdrawn" if by == roll.seat else "early-void"
            log.say("stated", f"roll {roll.number} is ended before its dice", kind)

def drop(log: Report, seats: Iterable[str], roll: int, how: str, by: str, column: str = "dropped") -> None:
    """Put a roll into a column of these seats: how it ended, by whom, in the entry that is looked at."""
    found = {"roll": roll, "how": how, "by": by, "seq": log.place[1]}
    for seat in seats: getattr(log.numbers[seat], column).append(found)

WATCHED = ("roll-declared", "seat-taken", "seat-left", "share-anchored", "epoch-begun", "throw-broken")
"""Behind these it is looked at whether fewer than two seats are awake; `alone` is the last entry where they are."""

def early(log: Report, roll: Roll) -> bool:
    """Whether somebody could know the dice of a roll before they fell.

    At level table nobody can; but another one was due at its declaration, or since then fewer than two seats
    were awake, of which one is the roller's.
    """
    return bool(roll.low or log.alone >= roll.seq)

def drops_at_end(log: Report) -> None:
    """Rolls left lying: known, not resolved, and others were thrown since; without dice, of the seat or the character."""
    newest: Counter[tuple[str | None, str]] = Counter()  # by declaration; not shown: by number
    last = sorted(((max(each.threw.values()), each.number) for each in log.rolls.values() if each.threw), reverse=True)
    for roll in log.rolls.values():
        by, value = ("declared", roll.seq) if roll.shown else ("number", roll.number)
        for seat in roll.threw: newest[seat, by] = max(newest[seat, by], value)
        if roll.threw: newest[roll.character, "character"] = max(newest[roll.character, "character"], roll.seq)
    for roll in [each for each in log.rolls.values() if each.shown and not each.ended]:
        log.place = "voids", roll.seq
        log.say("stated", f"roll {roll.number} is not resolved", "lying")
        other = next((at for at, number in last if number != roll.number), 0)
        fell = roll.dice and not (roll.gap and is_sealed(roll))  # it may be resolved, and that kept back
        for seat in owners(roll) if fell or early(log, roll) else ():
            later = max(newest[seat, "declared"], newest[roll.character, "character"]) > roll.seq
            later = later or newest[seat, "number"] > roll.number
            if other > roll.threw[seat] if roll.threw else later: drop(log, [seat], roll.number, "left by", seat)
    for seat, of in sorted(log.numbers.items()):
        if of.dropped:
            log.place = "voids", of.dropped[0]["seq"]
            log.say("look", f"{seat}: {listed(of.dropped)}", "dropped")

def listed(some: Sequence[Mapping[str, Any]]) -> str:
    """Drops in words, 20 at most."""
    more = [f"{len(some) - 20} more"] * (len(some) > 20)
    return ", ".join([*(f"roll {each['roll']}, {each['how']} {each['by']}" for each in some[:20]), *more])

def first_withheld(log: Report) -> None:
    """The first hidden entry that is withheld is about a roll before the next one that is shown."""
    unseen = [entry.seq for entry in log.entries if log.whole and entry.event is None and entry.cls == "hidden"][:1]
    next_ = min((roll.number for roll in log.rolls.values() if roll.shown and [roll.seq] > unseen > []), default=0)
    open_ = sum(roll.shown and not is_sealed(roll) and roll.number < next_ for roll in log.rolls.values())
    log.place = "hidden", unseen[0] if unseen else None
    log.need(not next_ or open_ < next_ - 1, "it is hidden, and no roll before the next one is")

def sealed(log: Report) -> None:
    """Hidden rolls that were not revealed, by seat; and reveals over an earlier one that lies sealed."""
    lying = [roll for roll in log.rolls.values() if is_sealed(roll) and owners(roll)]
    last = min(max([0, *log.of_roll]), len(log.entries)) if log.whole else 0
    absent = [n for n in range(1, last + 1) if n not in log.rolls or not owners(log.rolls[n])]
    log.elsewhere = len(absent)
    unseen = [entry.seq for entry in log.entries if log.whole and entry.event is None and entry.cls == "hidden"]
    # Whose throw is not disclosed may have been anybody's, from the first entry on that is kept back.
    fell = [(each, next(iter(unseen[bisect_left(unseen, each.seq):]), None) if each.cast is None else each.cast) for each in lying]
    for roll in lying:
        for seat in owners(roll): log.numbers[seat].sealed.append(roll.number)
    for roll in [each for each in log.rolls.values() if each.revealed is not None]:
        before = [e for e, at in fell if at is not None and at < roll.revealed]
        over = [e.number for e in before if e.cast is None or not {*owners(e)}.isdisjoint(owners(roll))]
        if over := over + [number for number in absent if number < roll.number]:
            log.place = "hidden", roll.revealed
            told = f"{len(over)} lie sealed: {', '.join(map(str, over[:20]))}"
            log.say("look", f"roll {roll.number} of {owners(roll)} is revealed, and {told}", "sealed")

def asked(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """Which throws each seat with an anchor was asked for, and which passed it over."""
    what, by = entry.what, event["by"]
    alone = what in FALLS and log.fair and event.get("proof") and not asked_for(log, event)
    if what == "throw-asked" or alone:
        names = {seat for seat, _ in event.get("asked", ())}
        for seat in log.anchored():
            of = log.numbers[seat]
            of.at_table, of.asked = of.at_table + 1, of.asked + (seat in names)
            of.passed += seat not in names and seat != by
        roll = log.roll(event["roll"])  # in its file: that others kept back may stand elsewhere
        due_ = not alone or (not log.whole and roll.shown and due(log, by, roll, roll.level) == "table")
        for seat in log.awake(by) if due_ else ():
            if seat not in names: log.say("look", f"seat {seat} was awake, and not asked", "passed-over", seat)
    elif what == "throw-broken" and waits(log, event):
        for seat in event["kept"]: log.numbers[seat].kept += 1

def others(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """What speaks against nobody; and kinds that are not known, which are no gap unless of a roll."""
    if kind := {"entry-erased": "erased", "character-given": "given", "dice-adjusted": "adjusted"}.get(entry.what):
        log.say("stated", kind, kind)
    elif is_strange(event):
        log.unknown[event["type"]] += 1
        log.say("stated", f"{event['type']} is not known here", "unknown")
        if "roll" in event: log.say("unchecked", f"{event['type']}, not known here, is about a roll")

# === what an entry changes =============================================================================

def follow(log: Report, entry: Entry) -> None:
    """Change the table by one more entry, whatever it is: what is wrong with it was said by then."""
    event, ask, what = entry.event, log.ask, entry.what
    if ask and ask.full is not None and what not in FALLS:
        log.ask = None
        if event is None and entry.commit == ask.full:  # dice that are not disclosed
            roll = log.roll(ask.event["roll"])
            roll.gap = entry.seq if roll.gap is None else roll.gap
            roll.waiting, roll.throws, roll.dice = None, ask.event["throw"] + 1, roll.dice + 1
            roll.ended = None if roll.ended in OVER else roll.ended
            threw(log, roll, ask.event["by"], "table", entry.seq)
    if event is None: return
    follow_seats(log, entry, event)
    if "roll" in event and entry.seq not in log.beside:
        follow_rolls(log, entry, event)
        if entry.cls == "open": log.rolls[event["roll"]].touched[event["by"]] = entry.seq
    if entry.cls == "open": log.kept_back.discard(event["by"])
    if what in WATCHED and (log.one_machine or len(log.awake()) < 2): log.alone = entry.seq

def follow_seats(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """Who sits where, with which key and chain; the opening; an epoch."""
    by, seq, place = event["by"], entry.seq, log.seats.get(event["by"])
    if place and (seen := (entry.asked or {}).get("seen")): place.seen = max(place.seen, seen[0])
    match entry.what:
        case "table-opened" if seq == 0:
            log.id, log.source, log.level = event["table"], event["source"], event["level"]
            log.core, log.one_machine = event["core"], event.get("one_machine", False)
            log.fair, log.new = log.source == "fair", event["type"] == "table-opened/3"
            log.faces, log.seats[by] = faces_of(event), new_seat("narrator")
        case "reading-set" if log.faces is not None: log.faces = log.faces | event.get("faces", {})
        case "table-set" if event.get("name") == "post":  # no event of the closed list
            log.wait = hours * HOUR if type(hours := event.get("value")) is int and 1 <= hours <= POST else BREAKING
        case "seat-taken":
            known = log.seats.get(event["seat"])
            if known and known.here and by == event["seat"]: known.key = key_of(event.get("key"))
            else: log.seats[event["seat"]] = new_seat(event["role"], known.links if known else ())
        case "seat-left" if gone := log.seats.get(event["seat"]): gone.here, gone.link = False, None
        case "share-anchored" if place and is_hash(event["anchor"]):
            place.links.add(event["anchor"])
            place.link, place.at, place.asks = event["anchor"], 0, 0
        case "epoch-begun":
            log.epochs, log.epoch_at, log.ask, log.kept_back = log.epochs + 1, seq, None, set()
            for each in log.seats.values(): each.link = None
            for number, throw, commit in event["commits"]:
                log.roll(number).throws = throw
                publish(log, entry, log.roll(number), commit)

def publish(log: Report, entry: Entry, roll: Roll, commit: Any) -> None:
    """An entry commits to the seed of the next throw of a roll."""
    roll.waiting = Commitment(roll.throws, commit, entry.seq, entry.leaf.hex(), log.epochs) if is_hash(commit) else None
    roll.known = due(log, roll.seat, roll, roll.level) != "table"

def threw(log: Report, roll: Roll, seat: str, level: str, seq: int) -> None:
    """A seat threw in a roll, at a level."""
    roll.threw.setdefault(seat, seq)
    log.numbers[seat].throws += 1
    log.levels[level] += 1

def follow_rolls(log: Report, entry: Entry, event: dict[str, Any]) -> None:
    """What a roll comes to: declared, asked for, thrown, broken off, ended, revealed."""
    seq, by, what = entry.seq, event["by"], entry.what
    casts = what == "throw-asked" or what in FALLS
    roll = log.roll(event["roll"], by if casts else "")
    roll.cast = seq if casts and roll.cast is None else roll.cast
    log.of_roll[roll.number] += 1
    match what:
        case "roll-declared":
            told = {"seq": seq, "level": event.get("level"), "character": event["character"], "faces": log.faces}
            told |= {"follows": (event.get("follows") or [None])[0]}
            roll = new_roll(roll.number, by, shown=True, secret=event["visibility"] != "public", **told)
            log.rolls[roll.number], log.newest, roll.low = roll, max(log.newest, roll.number), due(log, by, roll, roll.level) != "table"
            if log.fair: publish(log, entry, roll, event.get("commit"))
        case "throw-asked":
            if answers_unseen(log, roll, event, seq): roll.waiting, roll.throws = None, event["throw"]
            plan = log.last.event if log.last and log.last.what == "throw-planned" else None
            if plan is None and log.last and roll.gap is None: roll.gap = log.last.seq
            asked_ = dict(event["asked"][:MOST_ASKED])
            log.ask = Ask(entry=entry, event=event, plan=plan, asked=asked_, opened={}, full=None, wait=log.wait)
            for seat, i in asked_.items():
                if seat in log.seats:
                    log.seats[seat].asks = max(log.seats[seat].asks + 1, i if i <= CHAIN else 0)
        case "share-opened" if (ask := waits(log, event)) and by in missing(ask):
            if links := linked(log, by, event["share"], ask.asked[by]):
                log.seats[by].links.update(links)
                log.seats[by].link, log.seats[by].at = event["share"], ask.asked[by]
            ask.opened[by] = event["share"]
            ask.full = None if missing(ask) else entry.commit
        case "throw-broken" if waits(log, event):
            roll.throws, log.ask = event["throw"] + 1, None
            publish(log, entry, roll, event["next"])
            log.kept_back.update(event["kept"])
        case "dice-adjusted" if ADJUSTED(event.get("dice")):
            for die, face in event["dice"]: roll.adjusted[die].add(face)
        case "dice-rolled" | "dice-rerolled":
            proof, ask = event.get("proof"), asked_for(log, event)
            roll.hands.setdefault(event["hand"], {}).update({die: [*of] for die, *of in event["dice"]})
            if proof is None: return
            level = "table" if ask else "server" if proof.get("nonce") is None or is_unseen(entry, proof) else "player"
            threw(log, roll, by, level if proof["source"] == "fair" else "other", seq)
            roll.dice, roll.ended = roll.dice + 1, None if roll.ended in OVER else roll.ended
            roll.throws += proof["throw"] == roll.throws
            if proof["source"] == "fair": publish(log, entry, roll, proof.get("next"))
            log.ask = None if ask else log.ask
        case "roll-resolved" | "roll-voided" | "declaration-vetoed" | "declaration-replaced":
            roll.ended = "" if what == "declaration-replaced" else what
            roll.waiting = None if what == "roll-voided" else roll.waiting
            roll.dice = 0 if what in OVER else roll.dice
        case "roll-revealed": roll.revealed = seq if roll.revealed is None else roll.revealed

# === the whole =========================================================================================

Look = Callable[[Report, Entry, dict[str, Any]], None]
WALK: tuple[tuple[str, Look, Sequence[str]], ...] = (
    *(("throws", throws, ()), ("throws", begins_epoch, ("epoch-begun",)), ("throws", asks, ("throw-asked",))),
    *(("throws", breaks, ("throw-broken",)), ("throws", falls, tuple(FALLS))),
    ("commitments", commitments, (*FALLS, "throw-broken")),
    *(("transcripts", transcripts, tuple(FALLS)), ("transcripts", anchors, ("share-anchored",))),
    *(("transcripts", asks_seats, ("throw-asked",)), ("transcripts", opens_share, ("share-opened",))),
    ("dice", dice, tuple(FALLS)),
    *(("transitions", at_table, ("throw-asked",)), ("transitions", signed, ())),
    ("reuse", reuse, (*FALLS, "throw-broken", "roll-voided")),
    ("voids", voids, ("roll-voided",)),
    ("hidden", hidden, ("roll-revealed",)),
    ("voids", drops, (*ENDINGS, "throw-asked", "throw-broken", "epoch-begun")),
    ("transcripts", asked, (*FALLS, "throw-asked", "throw-broken")),
    ("payloads", others, ()),
)
"""What looks at an event, for which step and which events, () for all; with the table as it stood before."""

@contextmanager
def uncollected() -> Generator[None]:
    """Nothing here goes round in a circle, and to look for what does would cost a seventh of the time."""
    was = gc.isenabled()
    gc.disable()
    try: yield
    finally: gc.enable() if was else None

@uncollected()
def check(
    source: bytes | BinaryIO, *, key: str | None = None, seats: Mapping[str, str | None] | None = None,
    seen: Sequence[str] = (), now: int | None = None,
) -> Report:
    """Judge a bundle. `key` is the host's vkey, `seats` keys of seats in base64, `seen` earlier heads.

    `now` is the reader's clock in milliseconds since 1970. Raises Unreadable.
    """
    log = Report(*form(io.BytesIO(source) if isinstance(source, bytes) else source))
    trusted = given(log, key, seats or {}, notes := [note.replace("\r\n", "\n") for note in seen])
    parse(log)
    tree(log, *signature(log, trusted), notes)
    sequence(log, time.time_ns() // 1_000_000 if now is None else now)
    for step in (payloads, walk, transitions, rulings, throws_at_end, drops_at_end, first_withheld, sealed): step(log)
    return log

def given(log: Report, vkey: str | None, seats: Mapping[str, str | None], notes: Sequence[str]) -> Key | None:
    """The host's key that the reader trusts, and those of seats. Raises Unreadable for another log's."""
    try:
        key = read_key(vkey.strip()) if vkey is not None else None
        names = [*([key.name] if key else []), *(read_note(note).origin for note in notes)]
    except Malformed as error: raise Unreadable(f"what was given: {error}") from error
    log.given = {seat: {key_of(text)} for seat, text in seats.items() if text}
    if {None} in log.given.values() or (key and weakness(key.public)):
        raise Unreadable("a key that was given cannot be used: it is none, or is of small order")
    if {*names} - {log.header["origin"]}: raise Unreadable("a key or a head that was given is another log's")
    return key

def walk(log: Report) -> None:
    """Look at each entry, then follow it; of one that is there for its commit alone, at who asked."""
    if not any((entry.seq, entry.what) == (0, "table-opened") for entry in log.entries[:1]):
        log.place = "throws", None
        log.say("unchecked", "the table's opening is missing")
        return
    log.beside = beside(log)
    whats = {entry.what for entry in log.entries}
    looks = {what: [each[:2] for each in WALK if not each[2] or what in each[2]] for what in whats}
    for entry in log.entries:
        log.place = "throws", entry.seq
        between(log, entry)
        for step, look in looks[entry.what] if entry.event else ():
            if look is signed or entry.seq not in log.beside:
                log.place = step, entry.seq
                look(log, entry, entry.event)
        follow(log, entry)
        log.last = entry

def beside(log: Report) -> set[int]:
    """The entries that a roll's file has for their commit alone: about rolls that are not declared in it."""
    found: set[int] = set()
    known = () if log.whole else {None, log.header["roll"], *declared(log)}
    for group in log.commits if known else ():
        some = [entry for entry in group if entry.what not in ALWAYS_OPEN and entry.cls not in TEXTS]
        away = {entry.seq for entry in some if entry.event and entry.event.get("roll") not in known}
        found |= away if len(away) < len(some) else set()
    return found

# --- in words ------------------------------------------------------------------------------------------

def counted(log: Report, kinds: Mapping[str, str]) -> dict[str, int]:
    """How many there are of each kind that there is."""
    found = Counter(each.kind for each in log.remarks)
    return {kind: found[kind] for kind in kinds if found[kind]}

def says(log: Report) -> str:
    """The verdict in one sentence, and what to look at."""
    steps = ", ".join(f"{STEPS[step]} {step}" for step in log.steps("wrong") or log.steps("unchecked"))
    text = {
        0: "Nothing is wrong" + " in this part of the log" * (not log.whole) + ("." if log.trusted else ", if its key is the log's."),
        1: f"This log is not sound: {steps}.",
        3: f"Nothing wrong was found, and not everything was checked: {steps}.",
    }[log.exit]
    looks = [f"{LOOKS[kind]} ({count})" for kind, count in counted(log, LOOKS).items()]
    return f"{text} Look at: {', '.join(looks)}." if looks else text

def seat_line(seat: str, of: Numbers) -> str:
    """What is counted of a seat."""
    some = {"dropped": of.dropped, "broken off": of.broken}
    columns = [f"{len(e)} {n}" + (f" ({listed(e)})" if e else "") for n, e in some.items()]
    threw_, there = (f"{count} throw{'s' * (count != 1)}" for count in (of.throws, of.at_table))
    text = f"{seat}: {threw_}, {', '.join(columns)}, {len(of.sealed)} sealed; of {there} at the table while it had an anchor"
    return text + f", asked for {of.asked}, passed over in {of.passed}, kept back {of.kept}"

def written(log: Report, first: Sequence[str]) -> Iterator[str]:
    """The report for people; the seats that were named come first."""
    head, count = log.header, len(log.entries)
    yield from (seat_line(seat, log.numbers[seat]) for seat in first)
    of = "the whole table" if log.whole else f"roll {head['roll']}; other entries may be missing"
    yield f"{head['origin']}: {count} of {head['size']} entries, {of}"
    yield f"signed by {log.signer or 'nobody'}" + ("" if log.trusted else ", as the file itself says")
    if own := sorted(log.keyed.keys() - log.given.keys()):
        yield f"keys of seats, as the log itself says: {', '.join(own)}"
    levels = ", ".join(f"{count} at {level}" for level, count in log.levels.items() if count)
    yield f"dice: {log.source}{', on one machine' * log.one_machine}; {levels or 'no throws'}"
    yield from (seat_line(seat, log.numbers[seat]) for seat in sorted(log.numbers.keys() - {*first}))
    yield f"hidden rolls of seats that are not shown: {log.elsewhere}"
    for step, seq, word, why, _ in [each for each in log.remarks if each.word != "stated"]:
        yield f"{STEPS[step]} {step}, {word}{'' if seq is None else f', entry {seq}'}: {why}"
    if stated := counted(log, STATED): yield "stated: " + ", ".join(f"{STATED[e]} ({n})" for e, n in stated.items())
    yield says(log)

def as_json(log: Report) -> dict[str, Any]:
    """The report for programs."""
    wrong = (each for each in log.remarks if each.word == "wrong")
    first = min(wrong, key=lambda each: (STEPS[each.step], -1 if each.seq is None else each.seq), default=None)
    return {
        **{"exit": log.exit, "says": says(log), "failed": log.steps("wrong"), "unchecked": log.steps("unchecked")},
        "first": first and {"step": STEPS[first.step], "entry": first.seq},
        **{name: log.header[name] for name in ("origin", "scope", "roll", "size")},
        **{"entries": len(log.entries), "signer": log.signer, "trusted": log.trusted, "keyed": [*log.keyed]},
        **{"source": log.source, "one_machine": log.one_machine, "levels": log.levels},
        **{"unknown": log.unknown, "elsewhere": log.elsewhere},
        **{"looks": counted(log, LOOKS), "stated": counted(log, STATED)},
        "remarks": [each._asdict() for each in log.remarks],
        "seats": {seat: vars(of) for seat, of in sorted(log.numbers.items())},
    }

def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; gives the exit code."""
    parser = argparse.ArgumentParser(prog="urimcheck", description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("file", metavar="FILE", help="the bundle of a table or a roll")
    parser.add_argument("--key", metavar="VKEY", help="the host's key, as you know it")
    parser.add_argument("--seat", action="append", default=[], metavar="S[=KEY]", help="your seat")
    parser.add_argument("--seen", action="append", default=[], metavar="NOTEFILE", help="a head that you kept")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)
    seats = {seat: text or None for seat, _, text in (each.partition("=") for each in options.seat)}
    try:
        seen = [read_bytes(Path(name), NOTE + 1).decode() for name in options.seen]
        with Path(options.file).open("rb") as source:
            log = check(source, key=options.key, seats=seats, seen=seen)
        if log.whole and (strange := seats.keys() - log.seats.keys()): raise Unreadable(f"no seat {min(strange)} in this log")
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        print(json.dumps({"exit": 2, "says": str(error)}) if options.json else plain(f"Refused: {error}"))
        return 2
    for line in [json.dumps(as_json(log))] if options.json else written(log, [*seats]): print(plain(line))
    return log.exit

def read_bytes(path: Path, most: int) -> bytes:
    """So many bytes of a file at most, however long it is."""
    with path.open("rb") as file: return file.read(most)

def plain(line: str) -> str:
    """A line that commands no terminal, and that any output can be given: the file may say what it likes."""
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
    into = sys.stdout.encoding or "ascii"
    return text.encode(into, "backslashreplace").decode(into)

if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"): signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` reads no further
    sys.exit(main())
