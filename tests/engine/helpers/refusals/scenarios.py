"""Refusals of scenarios: files that are none, and steps that are no command."""

from tests.engine.helpers.refusals.case import Told

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
    """One more step behind what is told so far."""
    return f"{start}\n[[step]]\n{lines}\n"


FILES = (
    Told("no TOML", "steps: []", "unreadable", "not TOML"),
    Told("an unknown key", 'colour = "red"', "unknown", "colour is 'red'", "title"),
    Told("a title twice", 'title = "again"', "unreadable", "not TOML"),
    Told("an unknown kind of dice", 'dice = "loaded"', "unknown", "'loaded'", "scripted"),
    Told("a seed of nothing", 'dice = "seeded:"',
         "malformed", "''", "1 to 64 of A-Z a-z 0-9 . _ -"),
    Told("a level that is none", 'level = "high"', "malformed", "level is 'high'"),
    Told("a table id with a space", 'table = "our table"', "malformed", "table is 'our table'"),
    Told("an unknown reading", "[options]\nmercy = true", "unknown", "mercy is True", "supply"),
    Told("an unknown value of a reading", '[options]\ncounter = "always"',
         "malformed", "counter is 'always'"),
    Told("a character without a name", "[[character]]\nattributes = { BLE = 3 }",
         "malformed", "missing required field `name`"),
    Told("an attribute beyond all numbers",
         f'[[character]]\nname = "Etgar"\nattributes = {{ BLE = {"9" * 30} }}',
         "out-of-range", "9" * 30),
    Told("a number of five thousand digits", f"[options]\nsupply = {'9' * 5000}",
         "unreadable", "not TOML"),
    Told("a number that is none",
         f"{PEOPLE}\n[[step]]\ndo = 'declare'\nas = 'Etgar'\nroot = 'רוח'\nrating = nan",
         "malformed", "nan", "finite numbers"),
    Told("tables without end", f"about{DEEP} = 1", "malformed", "nested too deep", "32 levels"),
    Told("a step without end", step(PEOPLE, f"do = 'declare'\nstatus{DEEP} = 1"),
         "malformed", "nested too deep", "32 levels"),
    Told("an unknown track", '[[character]]\nname = "Etgar"\ntracks = { mana = 1 }',
         "unknown", "'mana'", "merit"),
    Told("a seat twice", '[[seat]]\nid = "dana"\n[[seat]]\nid = "dana"',
         "taken", "'dana' is taken", "another id"),
    Told("an expectation of nobody", f"{DECLARED}\n[expect.Nobody]\nsoak = 1",
         "unknown", "'Nobody'", "Etgar"),
    Told("an expectation that is no table",
         step(DECLARED, f'do = "roll"\n{EIGHT}\nexpect = 1'),
         "malformed", "not 1"),
)  # fmt: skip
"""Files that are no scenario, or not of this system."""

STEPS = (
    Told("a step that does nothing", step(PEOPLE, 'as = "Etgar"'),
         "malformed", "it is None", "declare"),
    Told("a step of a number", step(PEOPLE, "do = 1"), "malformed", "it is 1", "declare"),
    Told("an unknown command", step(PEOPLE, 'do = "fly"'),
         "unknown", "no command 'fly'", "declare"),
    Told("an unknown command to a roll", step(DECLARED, 'do = "fly"'),
         "unknown", "no command 'fly'", "roll"),
    Told("opening the table in a step", step(PEOPLE, 'do = "open"'),
         "unknown", "no command 'open'", "declare"),
    Told("a character who is not there", step(PEOPLE, 'do = "declare"\nas = "Noa"'),
         "unknown", "'Noa'", "Etgar"),
    Told("a list for a character", step(PEOPLE, 'do = "declare"\nas = ["Etgar"]'),
         "unknown", "['Etgar']", "Etgar"),
    Told("a seat that is not there", step(DECLARED, 'do = "roll"\nby = "p9"'),
         "unknown", "'p9'", "p1"),
    Told("a roll that is not there", step(DECLARED, 'do = "roll"\nof = 2'),
         "unknown", "no roll 2", "1 to 1"),
    Told("a roll before the first", step(PEOPLE, 'do = "roll"'),
         "unknown", "no roll 0", "declare one first"),
    Told("a roll in words", step(DECLARED, 'do = "roll"\nof = "two"'), "malformed", "not 'two'"),
    Told("a key that the command lacks", step(DECLARED, 'do = "resolve"\nluck = 1'),
         "unknown", "luck is 1", "roll"),
    Told("dice in words", step(ROLLED, 'do = "reroll"\ndice = "d1"'), "malformed", "dice is 'd1'"),
    Told("a face that no die has", step(DECLARED, 'do = "roll"\nfaces = ["Q"]'),
         "face", "d1 cannot show 'Q'", "א"),
    Told("faces that run out", step(DECLARED, 'do = "roll"\nfaces = ["ר"]'),
         "dice-short", "d2 has none", "8 faces"),
    Told("a third die to reroll",
         step(ROLLED, 'do = "reroll"\ndice = ["d1", "d2", "d3"]\nfaces = ["ר", "ר", "ר"]'),
         "too-many", "3 dice", "1 to 2"),
    Told("a throw out of turn", step(ROLLED, 'do = "roll"\nhand = "reactor"\nfaces = []'),
         "not-offered", "roll reactor", "resolve"),
    Told("an amendment without a reason", step(ROLLED, 'do = "amend"\nfields = { target = 1 }'),
         "malformed", "missing required field `reason`"),
    Told("an amendment that changes the dice",
         step(ROLLED, 'do = "amend"\nfields = { dice = { green = 4, red = 4 } }\nreason = "so"'),
         "history", "other dice", "void and declare again"),
    Told("a root of five letters",
         step(PEOPLE, 'do = "declare"\nas = "Etgar"\nroot = "תרגום"\nrating = 1'),
         "needs-leave", "'תרגום'"),
    Told("a wait in words", step(DECLARED, f'do = "roll"\n{EIGHT}\nwait = "a while"'),
         "malformed", "seconds, not 'a while'"),
    Told("a wait into the past", step(DECLARED, f'do = "roll"\n{EIGHT}\nwait = -1'),
         "out-of-range", "`wait` is -1", "0 to 86400 seconds"),
    Told("a nonce of dice that are not fair", step(DECLARED, 'do = "commit_nonce"'),
         "nonce", "level player binds no nonces", "level table"),
)  # fmt: skip
"""Steps that cannot be taken."""
