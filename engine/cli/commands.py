"""Every command: where it is, in which group and line the help lists it, an example, exit codes.

The module of a command is imported when that command is called, so the list itself,
`urim --help`, costs none of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .shared import FAILED, PASSED, UNCHECKED, UNUSABLE

PLAY, SEATS, ROLLS, TABLES = "Play", "A table and its seats", "A roll", "Tables"
PROOF, KEEPING, ABOUT = "Proof", "Keeping", "About"

GROUPS = (PLAY, SEATS, ROLLS, TABLES, PROOF, KEEPING, ABOUT)
"""The groups of commands, in the order of the help."""


class Home(NamedTuple):
    """Where a command is: its module here; and what the help says of it.

    `exits` are the exit codes that mean something of its own, as EXITS. `name` is what it is called
    in its module, where that is not as in a shell.
    """

    module: str
    group: str
    help: str
    examples: tuple[str, ...]
    exits: Mapping[int, str] = {}
    name: str = ""


PLAYED = {FAILED: "an expectation of a scenario failed"}

COMMANDS: Mapping[str, Home] = {
    "demo": Home(
        "play",
        PLAY,
        "Play one fair roll, its dispute and its audit; or the story of a system.",
        ("urim demo", "urim demo plain"),
        PLAYED,
    ),
    "play": Home(
        "evening",
        PLAY,
        "Start a server on this machine and open its page, until Ctrl-C.",
        ("urim play", "urim play --lan"),
    ),
    "dice": Home(
        "dice",
        PLAY,
        "Throw plain dice; no table is needed.",
        ("urim dice 4d6kh3 '1d20+5 >= 15 # to hit'",),
    ),
    "odds": Home(
        "odds",
        PLAY,
        "Show the exact odds of a roll, before any die falls.",
        ("urim odds 4d6kh3", "urim odds plain 'expression=1d20+5 >= 15' --json"),
        name="odds_of",
    ),
    "run": Home(
        "play",
        PLAY,
        "Play scenario files, one after the other, and check what they expect.",
        ("urim run evening.toml --log night.db",),
        {**PLAYED, UNUSABLE: "a file cannot be used; the others were played"},
    ),
    "open": Home(
        "table",
        SEATS,
        "Open a table, and print its id.",
        ("urim open night.db --system plain --level player",),
        name="open_table",
    ),
    "seat": Home(
        "single",
        SEATS,
        "Let a person take a seat; a narrator's to ask.",
        ("urim seat night.db fixture0 p1 --name Dana --seat narrator",),
    ),
    "enter": Home(
        "single",
        SEATS,
        "Bring a character to the table.",
        (
            "urim enter night.db fixture0 Ruth Lockpicking=3 --owner p1 --seat narrator",
            "urim enter night.db fixture0 Ruth --from ruth.urim.json --seat narrator",
        ),
    ),
    "name": Home(
        "single",
        SEATS,
        "Name a character.",
        ("urim name night.db fixture0 c1 Ruth --seat p1",),
    ),
    "name-seat": Home(
        "single",
        SEATS,
        "Name the person on a seat.",
        ("urim name-seat night.db fixture0 p1 Dana --seat p1",),
    ),
    "name-table": Home(
        "single",
        SEATS,
        "Name the table.",
        ("urim name-table night.db fixture0 'Friday evening' --seat narrator",),
    ),
    "set-table": Home(
        "single",
        SEATS,
        "Give the table a setting; a narrator's.",
        ("urim set-table night.db fixture0 links true --seat narrator",),
    ),
    "leave": Home("single", SEATS, "Leave a seat.", ("urim leave night.db fixture0 --seat p1",)),
    "give": Home(
        "single",
        SEATS,
        "Hand a character to another seat.",
        ("urim give night.db fixture0 Ruth p2 --seat p1",),
    ),
    "remove": Home(
        "single",
        SEATS,
        "Take a character away from the table.",
        ("urim remove night.db fixture0 Ruth --seat p1",),
    ),
    "set-track": Home(
        "single",
        SEATS,
        "Set a track of a character; a narrator's.",
        ("urim set-track night.db fixture0 Ruth wounds 1 --seat narrator",),
    ),
    "set-attribute": Home(
        "single",
        SEATS,
        "Set a rating of a character from here on; a narrator's.",
        ("urim set-attribute night.db fixture0 Ruth Lockpicking 4 --seat narrator",),
    ),
    "set-reading": Home(
        "single",
        SEATS,
        "Give a reading of the rules another value for rolls declared from here on; a narrator's.",
        ("urim set-reading night.db fixture0 spec_and_edge two 'From now on.' --seat narrator",),
    ),
    "anchor-shares": Home(
        "single",
        SEATS,
        "Publish a chain of shares, so that throws can ask the seat for one.",
        ("urim anchor-shares night.db fixture0 --seat p2",),
    ),
    "declare": Home(
        "single",
        ROLLS,
        "Declare a roll of one's own character.",
        ("urim declare night.db fixture0 trait=Lockpicking rd=7 --seat p1",),
    ),
    "react": Home(
        "single",
        ROLLS,
        "Answer a declaration.",
        ("urim react night.db fixture0 root=חננ rating=3 --seat p2",),
    ),
    "decline": Home(
        "single",
        ROLLS,
        "Decline to react.",
        ("urim decline night.db fixture0 --seat p2",),
    ),
    "roll": Home(
        "single",
        ROLLS,
        "Declare a roll and do all that needs no decision; without words, throw a hand.",
        (
            "urim roll night.db fixture0 Lockpicking rd=7 --seat p1",
            "urim roll night.db fixture0 --seat p1",
        ),
    ),
    "freeze": Home(
        "single",
        ROLLS,
        "Freeze exactly these dice of a hand and no others.",
        ("urim freeze night.db fixture0 d1 d4 --seat p1",),
    ),
    "stand": Home(
        "single",
        ROLLS,
        "Freeze every die of a hand.",
        ("urim stand night.db fixture0 --seat p1",),
    ),
    "reroll": Home(
        "single",
        ROLLS,
        "Throw some dice of a hand again.",
        ("urim reroll night.db fixture0 d2 d3 --seat p1",),
    ),
    "adjust": Home(
        "single",
        ROLLS,
        "Adjust dice: the complete set that shows another face.",
        ("urim adjust night.db fixture0 d1=3 --seat p1",),
    ),
    "choose": Home(
        "single",
        ROLLS,
        "Take one of the options offered; final.",
        ("urim choose night.db fixture0 natural allow --seat p1",),
    ),
    "resolve": Home(
        "single",
        ROLLS,
        "Announce the outcome of a roll.",
        ("urim resolve night.db fixture0 --seat p1",),
    ),
    "damage": Home(
        "single",
        ROLLS,
        "Apply the damage of a resolved roll.",
        ("urim damage night.db fixture0 --roll 1 --seat p1",),
    ),
    "reveal": Home(
        "single",
        ROLLS,
        "Reveal a hidden roll to everybody.",
        ("urim reveal night.db fixture0 --roll 2 --seat narrator",),
    ),
    "withdraw": Home(
        "single",
        ROLLS,
        "Take one's own declaration back.",
        ("urim withdraw night.db fixture0 --seat p1",),
    ),
    "ask": Home(
        "single",
        ROLLS,
        "Ask for shares of a throw at level table; `roll` does it too.",
        ("urim ask night.db fixture0 --ask p1 --ask p2 --seat p1",),
    ),
    "open-share": Home(
        "single",
        ROLLS,
        "Open one's share of the throw that waits for it.",
        ("urim open-share night.db fixture0 --seat p2",),
    ),
    "break-throw": Home(
        "single",
        ROLLS,
        "Break off a throw that waited 10 seconds for a share.",
        ("urim break-throw night.db fixture0 --seat p1",),
    ),
    "confirm": Home(
        "single",
        ROLLS,
        "Confirm the typed faces of a throw of physical dice.",
        ("urim confirm night.db fixture0 --seat p2",),
    ),
    "dispute": Home(
        "single",
        ROLLS,
        "Dispute a roll, with a reason.",
        ("urim dispute night.db fixture0 'It was dark.' --roll 1 --seat p2",),
    ),
    "rule": Home(
        "single",
        ROLLS,
        "Decide a dispute, and do it; a narrator's, with a reason.",
        (
            "urim rule night.db fixture0 stands 'There was a lamp.' --seat narrator",
            "urim rule night.db fixture0 amend 'It was dark.' modifiers.dark=2 --seat narrator",
        ),
    ),
    "amend": Home(
        "single",
        ROLLS,
        "Correct what was declared; a narrator's, with a reason.",
        ("urim amend night.db fixture0 'It was dark.' modifiers.dark=2 --roll 1 --seat narrator",),
    ),
    "void": Home(
        "single",
        ROLLS,
        "Void a roll; a narrator's, with a reason.",
        ("urim void night.db fixture0 'Wrong dice.' --roll 1 --seat narrator",),
    ),
    "veto": Home(
        "single",
        ROLLS,
        "Refuse a declaration before the first throw; a narrator's.",
        ("urim veto night.db fixture0 'No lock here.' --seat narrator",),
    ),
    "replace": Home(
        "single",
        ROLLS,
        "Replace fields of a declaration before the first throw; a narrator's.",
        ("urim replace night.db fixture0 'A harder lock.' rd=9 --seat narrator",),
    ),
    "flavour": Home(
        "single",
        ROLLS,
        "Name words that the final dice of a hand spell.",
        ("urim flavour night.db fixture0 שלום --roll 1 --seat narrator",),
    ),
    "fate": Home(
        "single",
        ROLLS,
        "Decide what applied damage did beyond its numbers; a narrator's.",
        ("urim fate night.db fixture0 spared --roll 1 --seat narrator",),
    ),
    "note": Home(
        "single",
        ROLLS,
        "Write a note about an entry of the log.",
        ("urim note night.db fixture0 0 'A quiet night.' --seat p1",),
    ),
    "moves": Home(
        "table",
        ROLLS,
        "Say what waits for a seat, and all that it may do, roll by roll.",
        ("urim moves night.db fixture0 --seat p1",),
    ),
    "submit": Home(
        "table",
        ROLLS,
        "Do what a seat asks, given as JSON.",
        ('urim submit night.db fixture0 \'{"do": "resolve"}\' --seat p1',),
    ),
    "tables": Home("show", TABLES, "List the tables of a log.", ("urim tables night.db",)),
    "show": Home(
        "show",
        TABLES,
        "Show a table, or one roll: what happened, how it came out, how everybody is.",
        (
            "urim show night.db fixture0 --roll 2",
            "urim show night.db fixture0 --roll 2 --format html",
        ),
    ),
    "replay": Home(
        "replay",
        TABLES,
        "Go through a roll step by step; in a terminal by keys, forwards and back.",
        ("urim replay night.db fixture0 --roll 2",),
    ),
    "whatif": Home(
        "whatif",
        TABLES,
        "Show what would be different: a reading, a command, a declaration, a ruling.",
        (
            "urim whatif night.db fixture0 --roll 2 --void",
            "urim whatif night.db fixture0 --roll 2 --instead 12 dice=d1,d4",
        ),
        name="whatif_command",
    ),
    "join": Home(
        "online",
        SEATS,
        "Take the seat that a link leads to, and print the table's URL.",
        ("urim join https://HOST/#i=urim-i1-…", "urim moves https://HOST/tables/fixture0"),
    ),
    "serve": Home(
        "serve",
        TABLES,
        "Serve the tables of a database to clients, until it is stopped.",
        ("urim serve night.db --port 8000",),
    ),
    "case": Home(
        "case",
        PROOF,
        "Tell a disputed roll on one page, for somebody who was not there.",
        ("urim case night.db fixture0 --roll 1 --out roll1.html",),
        {UNUSABLE: "there is no such roll, or it is hidden from this reader"},
    ),
    "audit": Home(
        "audit",
        PROOF,
        "Check a bundle: signature, log, throws, every die; then every rule.",
        ("urim audit night.urim.jsonl --seen seen.txt",),
        {
            PASSED: "nothing is wrong, and everything was checked",
            FAILED: "something is wrong",
            UNUSABLE: "the file is no bundle, or --key, --seen or --seat is of no use for it",
            UNCHECKED: "no step fails, but not everything was checked",
        },
        name="audit_file",
    ),
    "rerun": Home(
        "rerun",
        PROOF,
        "Decide every roll of logs again, by rules that changed: the same or not.",
        ("urim rerun evenings/", "urim rerun night.db --rules plain=./house.py"),
        {
            PASSED: "every roll comes out the same",
            FAILED: "a roll comes out otherwise",
            UNCHECKED: "the rules of a log are not known here, or some of it is hidden",
        },
    ),
    "fairness": Home(
        "fairness",
        PROOF,
        "Say whether a table's fair dice fell as fair dice do, and whether its voids select.",
        ("urim fairness night.db fixture0 --plot fairness.svg",),
    ),
    "luck": Home(
        "luck",
        PROOF,
        "Say whether anybody at a table was lucky: what fell, less what was to be expected.",
        ("urim luck night.db fixture0", "urim luck night.db fixture0 --roll 1"),
    ),
    "verifier": Home(
        "verifier",
        PROOF,
        "Write the page that checks bundles in a browser, without a network or this code.",
        ("urim verifier check.html",),
    ),
    "key": Home(
        "key",
        PROOF,
        "The key that signs the heads of tables, your own, and the one that secrets are under.",
        (
            "urim key show night.db fixture0",
            "urim key seat",
            "urim key seat --host dice.example",
            "urim key rotate postgresql://urim@db.example/tables --to new.key",
        ),
    ),
    "check": Home(
        "check",
        KEEPING,
        "Check a log: every entry, signed head and request, the secrets, and whose the files are.",
        ("urim check night.db", "urim check night.db fixture0 --json"),
        {PASSED: "the log is whole", FAILED: "something is wrong", UNUSABLE: "it is no log"},
        name="check_log",
    ),
    "export": Home(
        "export",
        KEEPING,
        "Write a table, one roll or a character for others.",
        (
            "urim export night.db fixture0 --format bundle --out night.urim.jsonl",
            "urim export night.db fixture0 --format character --character Ruth --out r.urim.json",
        ),
    ),
    "erase": Home(
        "keeper",
        KEEPING,
        "Erase a text for good, as a narrator may; its entry stays in the log.",
        ("urim erase night.db fixture0 3",),
    ),
    "epoch": Home(
        "keeper",
        KEEPING,
        "Let a table whose log was restored from a backup go on, under a new secret.",
        ("urim epoch night.db fixture0",),
    ),
    "copy": Home(
        "moving",
        KEEPING,
        "Copy tables of a log into another: entries, requests and signed heads, compared.",
        ("urim copy night.db new.db --secrets", "urim copy night.db new.db --table fixture0"),
        {UNUSABLE: "a table cannot be copied; the others were"},
    ),
    "backup": Home(
        "moving",
        KEEPING,
        "Copy a log's file to another file, while it is in use, whole and checked.",
        ("urim backup night.db night.backup --secrets",),
    ),
    "restore": Home(
        "moving",
        KEEPING,
        "Put a backup in the place of a log that is lost, and begin an epoch of each table.",
        ("urim restore night.backup night.db --seen seen.txt",),
    ),
    "systems": Home(
        "systems",
        ABOUT,
        "List the installed systems; or show one: its dice, tracks, declarations and readings.",
        ("urim systems plain",),
    ),
    "completion": Home(
        "completion",
        ABOUT,
        "Print the script that completes commands, options, tables, seats and fields in a shell.",
        ('eval "$(urim completion bash)"', "urim completion fish | source"),
    ),
    "schema": Home(
        "schema",
        ABOUT,
        "Print the JSON Schema of commands and events, of a system where one is named.",
        ("urim schema plain --declaration",),
        name="schema_of",
    ),
}
"""Every command, in the order in which the help lists them within their groups."""
