"""Every command: where it is, in which group and line the help lists it, an example, exit codes.

The module of a command is imported when that command is called, so the list itself,
`urim --help`, costs none of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .shared import FAILED, PASSED, UNUSABLE

PLAY, TABLES, PROOF, KEEPING, ABOUT = "Play", "Tables", "Proof", "Keeping", "About"

GROUPS = (PLAY, TABLES, PROOF, KEEPING, ABOUT)
"""The groups of commands, in the order of the help."""


class Home(NamedTuple):
    """Where a command is: its module here and its name there; and what the help says of it.

    `exits` are the exit codes that mean something of its own, as EXITS.
    """

    module: str
    name: str
    group: str
    help: str
    examples: tuple[str, ...]
    exits: Mapping[int, str] = {}


PLAYED = {FAILED: "an expectation of a scenario failed"}

COMMANDS: Mapping[str, Home] = {
    "demo": Home(
        "play",
        "demo",
        PLAY,
        "Play the scenario that comes with each system.",
        ("urim demo plain",),
        PLAYED,
    ),
    "dice": Home(
        "dice",
        "dice",
        PLAY,
        "Throw plain dice; no table is needed.",
        ("urim dice 4d6kh3 '1d20+5 >= 15 # to hit'",),
    ),
    "run": Home(
        "play",
        "run",
        PLAY,
        "Play scenario files, one after the other, and check what they expect.",
        ("urim run evening.toml --log night.db",),
        {**PLAYED, UNUSABLE: "a file cannot be used; the others were played"},
    ),
    "tables": Home(
        "show", "tables", TABLES, "List the tables of a log.", ("urim tables night.db",)
    ),
    "show": Home(
        "show",
        "show",
        TABLES,
        "Show a table, or one roll: what happened, how it came out, how everybody is.",
        ("urim show night.db fixture0 --roll 2",),
    ),
    "replay": Home(
        "replay",
        "replay",
        TABLES,
        "Go through a roll step by step; in a terminal by keys, forwards and back.",
        ("urim replay night.db fixture0 --roll 2",),
    ),
    "audit": Home(
        "audit",
        "audit_file",
        PROOF,
        "Check a bundle step by step: signature, log, throws, every die, every rule.",
        ("urim audit night.urim.jsonl --seen seen.txt",),
        {
            PASSED: "nothing is wrong",
            FAILED: "something is wrong",
            UNUSABLE: "the file is no bundle",
        },
    ),
    "fairness": Home(
        "fairness",
        "fairness",
        PROOF,
        "Say whether a table's fair dice fell as fair dice do, and whether its voids select.",
        ("urim fairness night.db fixture0 --plot fairness.svg",),
    ),
    "verifier": Home(
        "verifier",
        "verifier",
        PROOF,
        "Write the page that checks bundles in a browser, without a network or this code.",
        ("urim verifier check.html",),
    ),
    "key": Home(
        "key",
        "key",
        PROOF,
        "The key that signs the heads of tables.",
        ("urim key show night.db fixture0",),
    ),
    "export": Home(
        "export",
        "export",
        KEEPING,
        "Write a table, or one roll, for others.",
        ("urim export night.db fixture0 --as bundle --out night.urim.jsonl",),
    ),
    "erase": Home(
        "keeper",
        "erase",
        KEEPING,
        "Erase a text for good, as a narrator may; its entry stays in the log.",
        ("urim erase night.db fixture0 3",),
    ),
    "epoch": Home(
        "keeper",
        "epoch",
        KEEPING,
        "Let a table whose log was restored from a backup go on, under a new secret.",
        ("urim epoch night.db fixture0",),
    ),
    "systems": Home(
        "systems",
        "systems",
        ABOUT,
        "List the installed systems; or show one: its dice, tracks, declarations and readings.",
        ("urim systems plain",),
    ),
    "completion": Home(
        "completion",
        "completion",
        ABOUT,
        "Print the script that completes commands, options, tables and seats in a shell.",
        ('eval "$(urim completion bash)"', "urim completion fish | source"),
    ),
}
"""Every command, in the order in which the help lists them within their groups."""
