"""What can be wrong with what was asked: commits, requests, bodies and texts, and honest twins."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from tests.sealing import compact, resealed, sealed_raw
from tests.verifier.broken import Broken
from tests.verifier.log import Ground, Log, Twist, good, secret
from urim.events import roll as rolled
from urim.events.asked import Text
from urim.events.codec import encode, event_json
from urim.events.entry import withhold
from urim.events.table import EntryErased, Noted, TextSaid

TRANSITIONS = 10

SEATED, NAMED, AGAIN, ANCHORED, VOIDED, AMENDED = 1, 4, 8, 10, 20, 25
"""Places in the good log, none of which the dice of a later throw depend on: p1 seated and named,
dice of roll 1 thrown again, the anchor of p2, roll 3 voided, roll 1 amended."""

LONE = "\\ud800"


def changed(seq: int, change: Callable[[Any], Any], log: Log | None = None) -> Log:
    """The log with the JSON of an entry's payload changed, and sealed again."""
    log = log or good()
    entry = log.entries[seq]
    payload = change(json.loads(entry.payload or b"null"))
    text = compact(payload)
    log.entries[seq] = sealed_raw(
        entry.seq, entry.at, text, entry.salt or b"", entry.kind, entry.commit
    )
    return log


def asked(seq: int, log: Log | None = None, **fields: Any) -> Log:
    """The log with other fields in what an entry says was asked."""
    return changed(seq, lambda payload: {**payload, "asked": {**payload["asked"], **fields}}, log)


def body(seq: int, change: Callable[[Any], Any]) -> Log:
    """The log with another body in an entry, given as an object, or as its text."""
    log = good()
    found = json.loads(json.loads(log.entries[seq].payload or b"{}")["asked"]["body"])
    made = change(found)
    return asked(seq, log, body=made if isinstance(made, str) else json.dumps(made))


def dropped(seq: int, log: Log | None = None) -> Log:
    """The log with an entry that does not say what was asked."""
    return changed(seq, lambda payload: {"event": payload["event"]}, log)


def of_commit(seq: int, first: int, log: Log | None = None) -> Log:
    """The log with an entry's line in another commit; that is not hashed."""
    log = log or good()
    log.entries[seq] = replace(log.entries[seq], commit=first)
    return log


def of_class(seq: int, kind: Any, log: Log | None = None) -> Log:
    """The log with an entry of another class."""
    log = log or good()
    log.entries[seq] = resealed(log.entries[seq], kind=kind)
    return log


def begun() -> Log:
    """A table just opened."""
    log = Log({})
    log.open()
    return log


# --- commits --------------------------------------------------------------------------------------


def moved() -> Log:
    """What was asked, in the second of two entries; the first was not asked for."""
    log = two_voids()
    seq = len(log.entries) - 3
    kept = json.loads(log.entries[seq].payload or b"{}")["asked"]
    return changed(seq + 1, lambda payload: {"asked": kept, **payload}, dropped(seq, log))


def two_voids(more: int = 2, by: str = "narrator") -> Log:
    """A roll voided, and another one that follows it."""
    log = begun()
    log.declare(1)
    log.declare(2)
    follower = rolled.RollVoided(by, more, 0, log.seed(more, 0))
    void = rolled.RollVoided("narrator", 1, 0, log.seed(1, 0))
    log.add(void, words="Both of them.", more=[follower])
    return log


def added() -> Log:
    """An event more than the command leads to."""
    log = begun()
    log.declare(1)
    log.declare(2)
    log.add(Noted("narrator", 0), words="Look.", more=[rolled.RollRevealed("narrator", 1)])
    return log


def of_two_times() -> Log:
    log = two_voids()
    log.entries[-1] = resealed(log.entries[-1], at=log.at + 1)
    return log


def behind_hidden(kind: Any = "open") -> Log:
    """A hidden roll voided, and an entry behind it in the same commit."""
    log = begun()
    hidden = log.declare(1, kind="hidden")
    log.declare(2)
    void = rolled.RollVoided("narrator", 1, 0, log.seed(1, 0))
    follower = rolled.RollVoided("narrator", 2, 0, log.seed(2, 0))
    seq = log.add(void, kind="hidden", words="No.", more=[follower])
    log.entries[seq + 1] = resealed(log.entries[seq + 1], kind=kind)
    log.withhold(hidden, seq, seq + 2)
    return log


def own_commitment() -> Log:
    """Roll and throw in one commit: the host knew the nonce before it committed."""
    log = begun()
    declared = log.declare(1)
    seq = log.thrown(1, 0, Ground(declared, secret("c")))
    event = json.loads(log.entries[seq].payload or b"{}")["event"]
    log.entries[seq] = sealed_raw(
        seq,
        log.entries[declared].at,
        compact({"event": event}),
        first=declared,
    )
    return log


def of_commits() -> Mapping[str, Broken]:
    """Which entries belong together, and which of them says what was asked."""
    return {
        "nothing asked": broken("does not say what was asked", dropped(AGAIN)),
        "asked elsewhere": broken("does not say what was asked", moved()),
        "asked twice": broken(
            "not the first of its commit says",
            changed(VOIDED + 1, lambda found: {"asked": {"request": "~21", "body": "{}"}, **found}),
        ),
        "a commit that goes back": broken("not right before it", of_commit(ANCHORED, ANCHORED - 2)),
        "a commit ahead": broken("not right before it", of_commit(ANCHORED, ANCHORED + 1)),
        "an entry added to the commit before": broken(
            "not the first of its commit says", of_commit(ANCHORED, ANCHORED - 1)
        ),
        "two times": broken("of two times", of_two_times()),
        "an event of another seat": broken("of another seat", two_voids(by="p1")),
        "an event added": broken("does not lead to this further event", added()),
        "an open entry behind a hidden one": broken("right after a hidden one", behind_hidden()),
        "6 a commitment of its own commit": Broken(
            6, own_commitment().bundle(), says="a commitment of its own commit"
        ),
    }


# --- requests and bodies --------------------------------------------------------------------------


def twice(one: int = SEATED, other: int = NAMED, request: str = "r1") -> Log:
    """Two commits under one request id."""
    return asked(other, asked(one, request=request), request=request)


def of_requests() -> Mapping[str, Broken]:
    """Request ids, each once a seat."""
    return {
        "a request with a blank": broken("no client may send", asked(AGAIN, request="a b")),
        "an empty request": broken("no client may send", asked(AGAIN, request="")),
        "a request of 65 letters": broken("no client may send", asked(AGAIN, request="x" * 65)),
        "a request ending a line": broken("no client may send", asked(AGAIN, request="a\n")),
        "a request in another script": broken("no client may send", asked(AGAIN, request="é")),
        "the host's request of another entry": broken(
            "no client may send", asked(AGAIN, request="~7")
        ),
        "a request twice": broken("has used this request id before", twice()),
    }


def of_bodies() -> Mapping[str, Broken]:
    """Bodies that are not strict, and bodies that lead to something else."""
    long = f'{{"do":"resolve/1","roll":1,"x":"{"é" * 8_192}"}}'
    return {
        "1 a body with a key twice": parse("a second time", '{"do":"reroll/1","do":"reroll/1"}'),
        "1 a body with -0": parse("a zero with a sign", '{"do":"roll/1","roll":-0}'),
        "1 a body with a lone surrogate": parse("a lone surrogate", f'{{"do":"{LONE}"}}'),
        "1 a body with an exponent": parse("an exponent", '{"do":"roll/1","roll":1e0}'),
        "1 a body that is a list": parse("no object", "[]"),
        "1 a body with a byte order mark": parse("no JSON", "\ufeff{}"),
        "1 a body too long": Broken(1, body(AGAIN, lambda _: long).bundle(), says="too long"),
        "1 asked with a third key": Broken(1, asked(AGAIN, more=1).bundle(), says="be read"),
        "1 asked without a body": Broken(
            1,
            changed(AGAIN, lambda it: {**it, "asked": {"request": "a"}}).bundle(),
            says="be read",
        ),
        "1 a payload with a third key": Broken(
            1, changed(AGAIN, lambda it: {**it, "more": 1}).bundle(), says="be read"
        ),
        "1 an event alone": Broken(1, changed(AGAIN, lambda it: it["event"]).bundle()),
        "no command": broken("is no command", body(AGAIN, lambda _: {})),
        "a command without a version": broken("is no command", body(AGAIN, named("roll"))),
        "a command that is a number": broken("is no command", body(AGAIN, named(1))),
        "another command": broken("leads to another event", body(AGAIN, named("resolve/1"))),
        "another roll": broken("another roll than", body(AGAIN, put(roll=2))),
        "another nonce": broken("another nonce than", body(AGAIN, put(nonce=secret("other")))),
        "another commitment": broken("another committed than", body(AGAIN, put(committed=5))),
        "a field too many": broken("has no field more", body(AGAIN, put(more=1))),
    }


def named(do: Any) -> Callable[[Any], Any]:
    """A body with another command."""
    return put(do=do)


def put(**fields: Any) -> Callable[[Any], Any]:
    """A body with other fields."""
    return lambda found: {**found, **fields}


def parse(found: str, text: str) -> Broken:
    """A log with this body, which step 1 refuses."""
    log = body(AGAIN, lambda _: text)
    return Broken(1, log.bundle(), says="is not strict", found=found)


# --- texts ----------------------------------------------------------------------------------------


def erased_void() -> Log:
    """A void sealed as a text, and erased as if it were one."""
    log = of_class(VOIDED, "text")
    log.add(EntryErased("narrator", VOIDED))
    log.withhold(VOIDED)
    return log


def erased(place: int) -> Log:
    """An entry erased that is no text."""
    log = good()
    log.add(EntryErased("narrator", place))
    if log.entries[place].payload is not None:
        log.withhold(place)
    return log


def unasked(*, gone: bool) -> Log:
    """A text behind a command that names none, erased perhaps."""
    log = begun()
    declared = log.declare(1)
    said = TextSaid("p1", "0" * 32, "And I am late.")
    seq = len(log.entries)
    entry = sealed_raw(seq, log.at, encode(said), bytes(32), "text", declared)
    log.entries.append(entry)
    if gone:
        log.add(EntryErased("p1", seq))
        log.entries[seq] = withhold(entry)
    return log


def without_text() -> Log:
    """A command that names a text, and none comes."""
    log = cut()
    log.declare(1)
    return log


def cut() -> Log:
    """The log cut off before the text of its last commit."""
    log = begun()
    log.add(Noted("narrator", 0), words="Look.")
    del log.entries[-1]
    return log


def not_last() -> Log:
    """A text before another entry of its commit."""
    log = two_voids()
    text, last = log.entries[-1], log.entries[-2]
    log.entries[-2:] = [resealed(text, seq=last.seq), resealed(last, seq=text.seq)]
    return log


def alone(kind: Any = "text") -> Log:
    """A text that begins a commit of its own."""
    log = begun()
    said = encode(TextSaid("p1", "0" * 32, "Hear me."))
    log.entries.append(sealed_raw(len(log.entries), log.at, said, kind=kind))
    return log


def hidden_void(kind: Any = "hidden-text") -> Log:
    """A hidden roll voided, everything of it disclosed; the text is of this class."""
    log = begun()
    log.declare(1, kind="hidden")
    log.add(rolled.RollVoided("narrator", 1, 0, log.seed(1, 0)), kind="hidden", words="No.")
    return of_class(len(log.entries) - 1, kind, log)


def salted(text: Text) -> Twist:
    """A twist of a text's salt and words."""
    return lambda event: replace(event, salt=text.salt, text=text.text)


def shifted() -> Log:
    """A salt with a line in it: the same bytes are hashed, and another text is shown."""
    log = begun()
    honest = Text("0" * 32, "yes\nno")
    other = TextSaid("narrator", f"{honest.salt}\nyes", "no")
    seq = log.add(Noted("narrator", 0), words="")
    asking = {"do": "note/1", "about": 0, "text": honest.hash}
    asked(seq, log, body=json.dumps(asking))
    return changed(seq + 1, lambda _: {"event": json.loads(event_json(other))}, log)


def of_texts() -> Mapping[str, Broken]:
    """Texts and their classes."""
    another = Text("0" * 32, "he meant this door")
    return {
        "another text": broken(
            "not the one that the command names", good({"amended text": salted(another)})
        ),
        "another salt": broken(
            "not the one that the command names",
            good({"amended text": lambda event: replace(event, salt="1" * 32)}),
        ),
        "a salt with a line in it": broken("the salt of a text", shifted()),
        "a text of another hash": broken(
            "not the one that the command names", body(VOIDED, put(text=secret("other")))
        ),
        "a hash that is none": broken(
            "not the one that the command names", body(VOIDED, put(text=["x"]))
        ),
        "a text missing": broken("is missing", without_text()),
        "a text cut off": broken("is missing", cut()),
        "a text that nobody named": broken("names none", unasked(gone=False)),
        "a text that nobody named, erased": broken("names none", unasked(gone=True)),
        "no text where one must be": broken("needs a text", body(VOIDED, without("text"))),
        "a text of another seat": broken(
            "of another seat", good({"amended text": lambda event: replace(event, by="p1")})
        ),
        "a text in the class open": broken("holds text-said/1", of_class(VOIDED + 1, "open")),
        "a text in the class hidden": broken("holds text-said/1", of_class(VOIDED + 1, "hidden")),
        "an open text in the class hidden-text": broken(
            "of the wrong class", of_class(VOIDED + 1, "hidden-text")
        ),
        "a hidden text in the class text": broken("of the wrong class", hidden_void("text")),
        "a void in the class text": broken("begins a commit", of_class(VOIDED, "text")),
        "a follower in the class text": broken(
            "class text holds roll-voided/2", of_class(-2, "text", two_voids())
        ),
        "a void in the class text, erased": broken("begins a commit", erased_void()),
        "a text that is not last": broken("behind the text", not_last()),
        "a text alone": broken("begins a commit", alone()),
        "a text alone in the class open": broken("open holds text-said/1", alone("open")),
        "5 a text withheld, and not erased": Broken(
            5, withheld_text().bundle(), says="class text is withheld"
        ),
        "5 an open entry erased": Broken(5, erased(AGAIN).bundle(), says="which is no text"),
        "5 a hidden entry erased": Broken(5, erased(30).bundle(), says="which is no text"),
    }


def without(name: str) -> Callable[[Any], Any]:
    """A body without a field."""
    return lambda found: {key: value for key, value in found.items() if key != name}


def withheld_text() -> Log:
    log = good()
    log.withhold(VOIDED + 1)
    return log


def broken(says: str, log: Log) -> Broken:
    """A log in which step 10 says this, and no step before it is red."""
    return Broken(TRANSITIONS, log.bundle(), says=says)


def asked_ways() -> Mapping[str, Broken]:
    """Every way by its name."""
    return {**of_commits(), **of_requests(), **of_bodies(), **of_texts()}


def asked_honestly() -> Mapping[str, Log]:
    """The same without what is wrong."""
    erased_text = two_voids()
    last = len(erased_text.entries) - 1
    erased_text.add(EntryErased("narrator", last))
    erased_text.withhold(last)
    hidden_text = hidden_void()
    hidden_text.withhold(len(hidden_text.entries) - 1)
    return {
        "a request": asked(AGAIN, request="aZ0._-"),
        "a request of 64 letters": asked(AGAIN, request="x" * 64),
        "one request of two seats": twice(NAMED, AGAIN),
        "another request of one seat": asked(VOIDED, twice(NAMED, AGAIN), request="R1"),
        "a roll and its follower voided": two_voids(),
        "a hidden follower voided, and the text": of_class(-2, "hidden", two_voids()),
        "a text erased": erased_text,
        "a hidden text": hidden_void(),
        "a hidden text, not disclosed": hidden_text,
        "a hidden entry behind a hidden one": behind_hidden("hidden"),
        "blanks in a body": body(AGAIN, lambda found: json.dumps(found, indent=1)),
        "a command of later": body(AGAIN, lambda _: {"do": "roll/2", "x": 9.5}),
        "a command that is not known": body(AMENDED, put(do="sing/1", **{"text-": 1})),
    }
