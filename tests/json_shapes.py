"""What every command of `urim` prints with --json: the types of its objects, and their keys.

They are read off real runs, in one folder, in this process; ONLINE has those that need more.
"""

import json
from collections.abc import Mapping
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from urim.engine.cli.app import app
from urim.engine.cli.commands import COMMANDS

Shapes = Mapping[str, Mapping[str, tuple[str, ...]]]
"""The command -> the type of an object -> its keys, without `type`."""

AS = ("--seat", "narrator")
T = ("t.db", "table001")
NEXT = ("n.db", "table002")

RUNS: tuple[tuple[str, ...], ...] = (
    ("demo", "plain"),
    ("dice", "1d6"),
    ("odds", "1d6"),
    ("open", "t.db", "--system", "plain", "--id", "table001"),
    ("seat", *T, "p1", *AS),
    ("enter", *T, "Ruth", *AS),
    ("declare", *T, "expression=4d6", "--level", "table", *AS),
    ("anchor-shares", *T, "--seat", "p1"),
    ("roll", *T, *AS),
    ("moves", *T, "--seat", "p1"),
    ("open-share", *T, "--seat", "p1"),
    ("resolve", *T, *AS),
    ("submit", *T, '{"do": "note", "about": 0, "text": "so"}', *AS),
    ("tables", "t.db"),
    ("show", *T),
    ("show", *T, "--roll", "1"),
    ("replay", *T, "--roll", "1"),
    ("whatif", *T, "--roll", "1"),
    ("whatif", *T, "--roll", "1", "--void"),
    ("rerun", "t.db"),
    ("export", *T, "--format", "jsonl"),
    ("export", *T, "--format", "bundle", "--out", "t.urim.jsonl"),
    ("audit", "t.urim.jsonl"),
    ("case", *T, "--roll", "1"),
    ("case", "t.urim.jsonl", "--roll", "1", "--out", "t.html"),
    ("fairness", *T),
    ("luck", *T),
    ("luck", *T, "--roll", "1"),
    ("check", "t.db"),
    ("verifier", "page.html"),
    ("key", "show", *T),
    ("systems",),
    ("systems", "plain"),
    ("schema", "plain", "--options"),
    ("completion", "bash"),
    ("erase", *T, "3", "--yes"),
    ("epoch", *T, "--yes"),
    ("copy", "t.db", "u.db"),
    ("backup", "t.db", "t.backup"),
    ("restore", "t.backup", "v.db", "--yes"),
    ("open", "n.db", "--system", "milhamah", "--id", "table002"),
    ("seat", *NEXT, "p1", *AS),
    ("enter", *NEXT, "Ruth", "--track", "soak=2", *AS),
    ("export", *NEXT, "--format", "character", "--character", "Ruth", "--out", "r.json"),
    ("enter", *NEXT, "Ruth", "--from", "r.json", "--seat", "p1"),
)


SAME = {"run": "demo", **{n: "seat" for n, home in COMMANDS.items() if home.module == "single"}}
"""Commands that print what another one does."""

ONLINE: Shapes = {
    "key seat": {"seat-key": ("key", "made", "file", "seat")},
    "join": {"joined": ("url", "table", "seat")},
    "play": {"playing": ("url", "network", "file", "host_link")},
    "serve": {"serving": ("url", "host_link"), "host-link": ("url", "host_link")},
}
"""Commands with a network, or with files of the user's own, each shown by tests of its own."""


@cache
def shapes() -> Shapes:
    """Run everything once. Raises AssertionError where a run fails."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    with TemporaryDirectory() as folder, chdir(folder):
        for words in RUNS:
            if words[0] == "epoch":  # which needs something that is lost
                Path("t.db.secrets", "heads", T[1]).unlink()
            done = CliRunner().invoke(app, [*words, "--json"], prog_name="urim")
            assert done.exit_code == 0, (words, done.output)
            name = "key show" if words[0] == "key" else words[0]
            for line in done.stdout.splitlines():
                each = json.loads(line)
                kind = str(each.pop("type"))
                kept = found.setdefault(name, {}).get(kind, ())
                found[name][kind] = tuple(dict.fromkeys((*kept, *each)))
    alike = {name: found[other] for name, other in SAME.items() if name not in found}
    return {**found, **alike, **ONLINE}
