"""Refusals around the rolls: opening, seats, characters, tracks, notes, and what is no command."""

from tests.engine.helpers.refusals.case import Case, body
from urim.engine.core.commands import (
    BeginEpoch,
    Declare,
    EnterCharacter,
    Erase,
    GiveCharacter,
    LeaveSeat,
    NameCharacter,
    NameSeat,
    Note,
    OpenTable,
    SetTrack,
    TakeSeat,
    Worded,
    worded,
)
from urim.events.asked import BODY, Text

SO = worded(Note(0), "so")
"""A note with its words."""


def opens(**options: object) -> OpenTable:
    """The narrator opens a table with these readings."""
    return OpenTable("abcdefgh", "milhamah", dict(options), "scripted")


OPENINGS = (
    Case("opening a table twice", "seated", "narrator", opens(),
         "taken", "'refusals' is open already", "another id"),
    Case("an unknown system", "closed", "narrator", OpenTable("abcdefgh", "chess", {}, "scripted"),
         "unknown", "'chess'", "milhamah"),
    Case("an unknown reading", "closed", "narrator", opens(mercy=True),
         "unknown", "mercy is True", "supply"),
    Case("an unknown value of a reading", "closed", "narrator", opens(counter="always"),
         "malformed", "counter is 'always'"),
    Case("a number of a reading out of bounds", "closed", "narrator", opens(supply=13),
         "out-of-range", "supply is 13"),
    Case("a negative number of a reading", "closed", "narrator", opens(supply=-1),
         "out-of-range", "supply is -1"),
    Case("a die of five faces", "closed", "narrator", opens(faces={"red-a": ["אב"]}),
         "malformed", "{'red-a': ['אב']}"),
    Case("a die of no colour", "closed", "narrator", opens(faces={"pink-a": []}),
         "malformed", "{'pink-a': []}"),
    Case("a wound track of two grades", "closed", "narrator", opens(wound_track=[3, 2]),
         "malformed", "wound_track is [3, 2]"),
    Case("an id with capitals", "closed", "narrator",
         OpenTable("ABCDEFGH", "milhamah", {}, "scripted"),
         "malformed", "table is 'ABCDEFGH'"),
    Case("an id that is too short", "closed", "narrator",
         OpenTable("abc", "milhamah", {}, "scripted"),
         "malformed", "table is 'abc'"),
    Case("an id with a line end", "closed", "narrator",
         OpenTable("abcdefgh\n", "milhamah", {}, "scripted"),
         "malformed", "table is 'abcdefgh\\n'"),
    Case("dice that are called fair and are not", "closed", "narrator",
         OpenTable("abcdefgh", "milhamah", {}, "fair"),
         "malformed", "scripted, not fair", "scripted"),
    Case("an opener without a proper seat", "closed", "The Narrator", opens(),
         "malformed", "'The Narrator'", "1 to 32 of a-z 0-9 -"),
    Case("an unknown trust level", "closed", "narrator",
         OpenTable("abcdefgh", "milhamah", {}, "scripted", "high"),  # type: ignore[arg-type]
         "malformed", "level is 'high'"),
    Case("a seat at a table not open", "closed", "narrator", TakeSeat("p1"),
         "unknown", "not open yet", "open"),
)  # fmt: skip
"""How no table opens."""

SEATS = (
    Case("a seat that is taken", "seated", "narrator", TakeSeat("p1"),
         "taken", "'p1' is taken", "another id"),
    Case("a seat taken by a player", "seated", "p1", TakeSeat("p9"),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("a seat of a malformed id", "seated", "narrator", TakeSeat("Seat 9"),
         "malformed", "seat is 'Seat 9'"),
    Case("a seat with a line end", "seated", "narrator", TakeSeat("p9\n"),
         "malformed", "seat is 'p9\\n'"),
    Case("a seat of an unknown role", "seated", "narrator",
         body("take-seat", seat="p9", role="king"),
         "malformed", "role is 'king'"),
    Case("an oversized name", "seated", "narrator", worded(TakeSeat("p9"), "x" * 201),
         "too-long", "the name of take-seat has 201 characters", "at most 200"),
    Case("naming another's seat", "seated", "p1", worded(NameSeat("p2"), "Amos"),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("naming nobody's seat", "seated", "narrator", worded(NameSeat("p9"), "Amos"),
         "unknown", "'p9'", "p1"),
    Case("sending another away", "seated", "p1", LeaveSeat("p2"),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("an epoch begun by a player", "seated", "p1", BeginEpoch(),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("the last narrator leaving", "seated", "narrator", LeaveSeat("narrator"),
         "not-offered", "'narrator' is the last narrator", "seat another narrator first"),
)  # fmt: skip
"""Who takes no seat, and who keeps it."""

CHARACTERS = (
    Case("a character that is there", "seated", "p1", EnterCharacter("c1", "p1"),
         "taken", "'c1'", "another id"),
    Case("a character for another's seat", "seated", "p1", EnterCharacter("c9", "p2"),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("a character of a witness's", "seated", "narrator", EnterCharacter("c9", "watcher"),
         "not-yours", "'watcher' is a witness's", "a player's or a narrator's seat"),
    Case("a character on nobody's seat", "seated", "narrator", EnterCharacter("c9", "p9"),
         "unknown", "'p9'", "p1"),
    Case("a character of a malformed id", "seated", "p1", EnterCharacter("Etgar", "p1"),
         "malformed", "character is 'Etgar'"),
    Case("an attribute beyond all bounds", "seated", "p1",
         EnterCharacter("c9", "p1", {"BLE": 10**7}),
         "out-of-range", "10000000"),
    Case("an attribute in words", "seated", "p1",
         body("enter", character="c9", seat="p1", attributes={"BLE": "high"}),
         "malformed", "'high'"),
    Case("an unknown track", "seated", "p1", EnterCharacter("c9", "p1", {}, {"mana": 3}),
         "unknown", "'mana'", "merit"),
    Case("a track beyond its end", "seated", "p1", EnterCharacter("c9", "p1", {}, {"light": 4}),
         "out-of-range", "light = 4", "0 to 3"),
    Case("naming another's character", "seated", "p1", worded(NameCharacter("c2"), "Frog"),
         "not-yours", "'p1' does not act for Toad", "seat 'p2'"),
    Case("naming nobody", "seated", "p1", worded(NameCharacter("c9"), "Frog"),
         "unknown", "'c9'", "c1"),
    Case("an empty name", "seated", "p1", worded(NameCharacter("c1"), ""),
         "malformed", "the name of name is empty", "any words"),
    Case("giving away another's character", "seated", "p1", GiveCharacter("c2", "p1"),
         "not-yours", "'p1' does not act for Toad", "seat 'p2'"),
    Case("giving a character to a witness", "seated", "p1", GiveCharacter("c1", "watcher"),
         "not-yours", "'watcher' is a witness's", "a player's or a narrator's seat"),
    Case("giving a character to nobody", "seated", "p1", GiveCharacter("c1", "p9"),
         "unknown", "'p9'", "p1"),
    Case("a player setting a track", "seated", "p1", SetTrack("c1", "merit", 9),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("setting an unknown track", "seated", "narrator", SetTrack("c1", "mana", 9),
         "unknown", "'mana'", "merit"),
    Case("setting a track beyond its end", "seated", "narrator", SetTrack("c1", "critical", 2),
         "out-of-range", "critical = 2", "0 to 1"),
    Case("setting a track below nothing", "seated", "narrator", SetTrack("c1", "merit", -1),
         "out-of-range", "merit = -1", "0 to any number"),
    Case("setting a track of nobody", "seated", "narrator", SetTrack("c9", "merit", 1),
         "unknown", "'c9'", "c1"),
)  # fmt: skip
"""Which characters are not touched."""

TEXTS = (
    Case("a note without a text", "seated", "p1", Note(0),
         "malformed", "note needs a text", "its hash, 64 hex digits, and the text with it"),
    Case("a hash without its text", "seated", "p1", Note(0, "ab" * 32),
         "malformed", "note: its text is missing", "the text and its hash"),
    Case("a text without its hash", "seated", "p1", Worded(Note(0), SO.text),
         "malformed", "note: it does not name its text", "the text and its hash"),
    Case("a text that is another", "seated", "p1", Worded(SO.command, Text(SO.text.salt, "no")),
         "malformed", "the text does not fit the hash in note", Text(SO.text.salt, "no").hash),
    Case("a text with another salt", "seated", "p1", Worded(SO.command, Text("0" * 32, "so")),
         "malformed", "the text does not fit the hash in note", Text("0" * 32, "so").hash),
    Case("a text where none is taken", "seated", "p1", worded(LeaveSeat("p1"), "so"),
         "malformed", "leave-seat takes no text", "no text"),
    Case("a salt in capitals", "seated", "p1", worded(Note(0), "so", "AB" * 16),
         "malformed", f"the salt is {'AB' * 16!r}", "32 hex digits"),
    Case("a salt that is too short", "seated", "p1", worded(Note(0), "so", "ab" * 15),
         "malformed", f"the salt is {'ab' * 15!r}", "32 hex digits"),
    Case("a salt with a line end", "seated", "p1", worded(Note(0), "so", "ab" * 16 + "\n"),
         "malformed", "the salt is 'abab", "32 hex digits"),
    Case("half a character in a text", "seated", "p1",
         Worded(SO.command, Text(SO.text.salt, "\ud83d")),
         "malformed", "half of a surrogate pair"),
    Case("a hash of 63 digits", "seated", "p1", Note(0, "a" * 63), "malformed", "text is 'aaa"),
    Case("words of a command in the old form", "seated", "p1",
         body("note", about=0, text="so"), "malformed", "text is 'so'"),
    Case("a word of 61 letters in a declaration", "seated", "p1",
         Declare("c1", {"root": "x" * 61}),
         "too-long", "declaration.root has a word of 61 characters", "at most 60 characters"),
)  # fmt: skip
"""What comes with no command."""

NOTES = (
    Case("a note about an entry that is not there", "seated", "p1", worded(Note(11), "so"),
         "unknown", "no entry 11", "0 to 10"),
    Case("a note about an entry before the first", "seated", "p1", worded(Note(-1), "so"),
         "out-of-range", "about is -1"),
    Case("an empty note", "seated", "p1", worded(Note(0), ""),
         "malformed", "the text of note is empty", "any words"),
    Case("an endless note", "seated", "p1", worded(Note(0), "x" * 4001),
         "too-long", "the text of note has 4001 characters", "at most 4000"),
    Case("erasing a throw", "rolled", "narrator", Erase(12),
         "not-offered", "entry 12 is no text, or is erased already", "3"),
    Case("erasing what is erased", "erased", "narrator", Erase(3),
         "not-offered", "entry 3 is no text, or is erased already", "6"),
    Case("erasing what is not there", "seated", "narrator", Erase(99),
         "not-offered", "entry 99", "3"),
    Case("erasing another's words", "disputed", "p3", Erase(15),
         "not-yours", "'p3' is none", "seat 'narrator'"),
    Case("a note by nobody", "seated", "p9", worded(Note(0), "so"), "unknown", "'p9'", "p1"),
)  # fmt: skip
"""What is not written, and not erased."""


def raw(text: str) -> bytes:
    """What a client might send."""
    return text.encode()


BODIES = (
    Case("no JSON", "seated", "p1", raw("declare!"), "malformed", "not JSON"),
    Case("nothing", "seated", "p1", b"", "malformed", "not JSON"),
    Case("bytes that are no text", "seated", "p1", b'{"do": "\xff"}', "malformed", "not JSON"),
    Case("a list", "seated", "p1", raw("[]"), "malformed", "not a JSON object"),
    Case("null", "seated", "p1", raw("null"), "malformed", "not a JSON object"),
    Case("an unknown command", "seated", "p1", raw('{"do": "fly"}'),
         "unknown", "'fly'", "declare/1"),
    Case("an unknown version", "seated", "p1", raw('{"do": "resolve/2", "roll": 1}'),
         "unknown", "`do` names no version known here: 'resolve/2'", "resolve/1"),
    Case("a command without its version", "seated", "p1", raw('{"do": "resolve", "roll": 1}'),
         "unknown", "`do` names no version known here: 'resolve'", "resolve/1"),
    Case("a command without a name", "seated", "p1", raw('{"seat": "p1"}'),
         "malformed", "None", "declare/1"),
    Case("a command with a number for a name", "seated", "p1", raw('{"do": 1}'),
         "malformed", "`do` names no command: 1", "declare/1"),
    Case("an unknown field", "resolved", "p1", raw('{"do": "resolve/1", "roll": 1, "luck": 7}'),
         "unknown", "luck is 7", "roll"),
    Case("a missing field", "resolved", "p1", raw('{"do": "resolve/1"}'),
         "malformed", "missing required field `roll`"),
    Case("a field of the wrong type", "resolved", "p1", raw('{"do": "resolve/1", "roll": "1"}'),
         "malformed", "roll is '1'"),
    Case("a truth for a number", "resolved", "p1", raw('{"do": "resolve/1", "roll": true}'),
         "malformed", "roll is True"),
    Case("half a number", "resolved", "p1", raw('{"do": "resolve/1", "roll": 1.5}'),
         "malformed", "roll is 1.5"),
    Case("a number beyond all numbers", "seated", "p1",
         raw('{"do": "note/1", "about": 1e999, "text": "x"}'),
         "malformed", "about: the number 1e999 has"),
    Case("a number of five thousand digits", "seated", "p1",
         raw(f'{{"do": "erase/1", "seq": {"9" * 5000}}}'),
         "malformed", "seq: the number 9999"),
    Case("nesting without end", "seated", "p1",
         raw(f'{{"do": "name/1", "character": {"[" * 7000}{"]" * 7000}}}'),
         "malformed", "nested too deeply"),
    Case("an oversized command", "seated", "p1",
         raw(f'{{"do": "note/1", "about": 0, "text": "{"x" * BODY}"}}'),
         "too-long", "bytes", f"at most {BODY}"),
    Case("a value that no JSON holds", "seated", "p1",
         EnterCharacter("c9", "p1", {"BLE": object()}),  # type: ignore[dict-item]
         "malformed", "object"),
    Case("half a character", "seated", "p1", EnterCharacter("\ud83d", "p1"),
         "malformed", "\\ud83d"),
)  # fmt: skip
"""What is no command."""

CASES = (*OPENINGS, *SEATS, *CHARACTERS, *TEXTS, *NOTES, *BODIES)
