"""Refusals of scenarios: files that are none, and steps that are no command."""

from tests.engine.helpers.refusals.case import File

HEAD = """\
title = "A scenario that is refused"
system = "milhamah"
"""

PEOPLE = """
[[character]]
name = "Etgar"
attributes = { BLE = 3 }

[[character]]
name = "Toad"
attributes = { GRA = 2 }
"""

DECLARED = f"""{PEOPLE}
[[step]]
do = "declare"
as = "Etgar"
root = "רוח"
rating = 2
"""

ROLLED = f"""{DECLARED}
[[step]]
do = "roll"
faces = ["ר", "ב", "ג", "ד", "ה", "ז", "ט", "י"]
"""

EIGHT = 'faces = ["ר", "ב", "ג", "ד", "ה", "ז", "ט", "י"]'
DEEP = ".a" * 2000


def step(start: str, lines: str) -> str:
    """The lines so far and one more step."""
    return f"{start}\n[[step]]\n{lines}\n"


FILES = (
    File("no TOML", "steps: []", "unreadable", "not TOML"),
    File("an unknown key", 'colour = "red"', "unknown", "colour is 'red'", "title"),
    File("a title twice", 'title = "again"', "unreadable", "not TOML"),
    File("an unknown kind of dice", 'dice = "loaded"', "unknown", "'loaded'", "scripted"),
    File("a seed of nothing", 'dice = "seeded:"',
         "malformed", "''", "1 to 64 of A-Z a-z 0-9 . _ -"),
    File("a level that is none", 'level = "high"', "malformed", "level is 'high'", "table"),
    File("a table id with a space", 'table = "our table"', "malformed", "table is 'our table'",
         "8 to 32 of a-z 0-9"),
    File("an unknown reading", "[options]\nmercy = true", "unknown", "mercy is True", "supply"),
    File("an unknown value of a reading", '[options]\ncounter = "always"',
         "malformed", "counter is 'always'", "fresh"),
    File("a character without a name", "[[character]]\nattributes = { BLE = 3 }",
         "malformed", "missing required field `name`"),
    File("an attribute beyond all numbers",
         f'[[character]]\nname = "Etgar"\nattributes = {{ BLE = {"9" * 30} }}',
         "out-of-range", "9" * 30, "at most 1000000"),
    File("a number of five thousand digits", f"[options]\nsupply = {'9' * 5000}",
         "unreadable", "not TOML"),
    File("a number that is none",
         f"{PEOPLE}\n[[step]]\ndo = 'declare'\nas = 'Etgar'\nroot = 'רוח'\nrating = nan",
         "malformed", "nan", "finite numbers"),
    File("tables without end", f"about{DEEP} = 1", "malformed", "nested too deep", "32 levels"),
    File("a step without end", step(PEOPLE, f"do = 'declare'\nstatus{DEEP} = 1"),
         "malformed", "nested too deep", "32 levels"),
    File("an unknown track", '[[character]]\nname = "Etgar"\ntracks = { mana = 1 }',
         "unknown", "'mana'", "merit"),
    File("a seat twice", '[[seat]]\nid = "dana"\n[[seat]]\nid = "dana"',
         "taken", "'dana' is taken", "another id"),
    File("an expectation of nobody", f"{DECLARED}\n[expect.Nobody]\nsoak = 1",
         "unknown", "'Nobody'", "Etgar"),
    File("an expectation that is no table",
         step(DECLARED, f'do = "roll"\n{EIGHT}\nexpect = 1'),
         "malformed", "not 1"),
)  # fmt: skip
"""Files that are no scenario, or not of this system."""

STEPS = (
    File("a step that does nothing", step(PEOPLE, 'as = "Etgar"'),
         "malformed", "it is None", "declare"),
    File("a step of a number", step(PEOPLE, "do = 1"), "malformed", "it is 1", "declare"),
    File("an unknown command", step(PEOPLE, 'do = "fly"'),
         "unknown", "no command 'fly'", "declare"),
    File("an unknown command to a roll", step(DECLARED, 'do = "fly"'),
         "unknown", "no command 'fly'", "roll"),
    File("opening the table in a step", step(PEOPLE, 'do = "open"'),
         "unknown", "no command 'open'", "declare"),
    File("a character who is not there", step(PEOPLE, 'do = "declare"\nas = "Noa"'),
         "unknown", "'Noa'", "Etgar"),
    File("a list for a character", step(PEOPLE, 'do = "declare"\nas = ["Etgar"]'),
         "unknown", "['Etgar']", "Etgar"),
    File("a seat that is not there", step(DECLARED, 'do = "roll"\nby = "p9"'),
         "unknown", "'p9'", "p1"),
    File("a roll that is not there", step(DECLARED, 'do = "roll"\nof = 2'),
         "unknown", "no roll 2", "1 to 1"),
    File("a roll before the first", step(PEOPLE, 'do = "roll"'),
         "unknown", "no roll 0", "declare one first"),
    File("a roll in words", step(DECLARED, 'do = "roll"\nof = "two"'), "malformed", "not 'two'"),
    File("a key that the command lacks", step(DECLARED, 'do = "resolve"\nluck = 1'),
         "unknown", "luck is 1", "roll"),
    File("dice in words", step(ROLLED, 'do = "reroll"\ndice = "d1"'),
         "malformed", "dice is 'd1'", "a list"),
    File("a face that no die has", step(DECLARED, 'do = "roll"\nfaces = ["Q"]'),
         "face", "d1 cannot show 'Q'", "א"),
    File("faces that run out", step(DECLARED, 'do = "roll"\nfaces = ["ר"]'),
         "dice-short", "d2 has none", "8 faces"),
    File("a third die to reroll",
         step(ROLLED, 'do = "reroll"\ndice = ["d1", "d2", "d3"]\nfaces = ["ר", "ר", "ר"]'),
         "too-many", "3 dice", "1 to 2"),
    File("a throw out of turn", step(ROLLED, 'do = "roll"\nhand = "reactor"\nfaces = []'),
         "not-offered", "roll reactor", "resolve"),
    File("an amendment without a reason", step(ROLLED, 'do = "amend"\nfields = { target = 1 }'),
         "malformed", "amend needs a reason", "its hash, 64 hex digits, and the text with it"),
    File("an amendment that changes the dice",
         step(ROLLED, 'do = "amend"\nfields = { dice = { green = 4, red = 4 } }\nreason = "so"'),
         "history", "other dice", "void and declare again"),
    File("a root of five letters",
         step(PEOPLE, 'do = "declare"\nas = "Etgar"\nroot = "תרגום"\nrating = 1'),
         "needs-leave", "'תרגום'"),
    File("a wait in words", step(DECLARED, f'do = "roll"\n{EIGHT}\nwait = "a while"'),
         "malformed", "seconds, not 'a while'"),
    File("a wait into the past", step(DECLARED, f'do = "roll"\n{EIGHT}\nwait = -1'),
         "out-of-range", "`wait` is -1", "0 to 86400 seconds"),
    File("shares for dice that are not fair", step(DECLARED, 'do = "ask"\nasked = ["p1", "p2"]'),
         "nonce", "the dice of this table are scripted", "roll or reroll"),
)  # fmt: skip
"""Steps that cannot be taken."""
