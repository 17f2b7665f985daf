"""Two systems of others, a file each: a momentum that is burnt, and a push of all dice."""

import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests import tree
from tests.test_third_party import registered
from tests.third_party import frostline, lodestar
from urim.engine.audit import PASSED, UNCHECKED, audit
from urim.engine.core.aggregate import environment
from urim.engine.table import RollHandle, Table
from urim.engine.testing.kit import Who, check
from urim.engine.testing.plugin.tables import FixtureTable
from urim.engine.testing.recorded import bundle
from urim.errors import Refused

HOME = tree.ROOT / "tests" / "third_party"


LODESTAR, FROSTLINE = lodestar.RULESET, frostline.RULESET
SYSTEMS = {"lodestar": LODESTAR, "frostline": FROSTLINE}

TRIALS: dict[str, dict[str, Any]] = {
    "lodestar": {
        "characters": [
            Who({"edge": 3}, {"momentum": 9}),
            Who({"edge": 1}, {"momentum": -3}),
            Who({"edge": 2}, {"momentum": 10}),
        ],
        "declarations": [{"stat": "edge"}, {"stat": "edge", "adds": 2}],
        "amendments": [{"adds": 1}],
    },
    "frostline": {
        "characters": [Who({"wits": 4, "scout": 2}), Who({"wits": 2})],
        "declarations": [
            {"attribute": "wits", "skill": "scout", "gear": 2, "artifacts": ["d8", "d12"]},
            {"attribute": "wits", "artifacts": ["d10"], "needed": 2},
        ],
        "amendments": [{"needed": 3}],
    },
}

SCENARIOS = {
    "lodestar": """
title = "A crossing"
system = "lodestar"

[[character]]
name = "Ida"
attributes = { edge = 2 }
tracks = { momentum = 8 }

[[character]]
name = "Oss"
attributes = { edge = 1 }
tracks = { momentum = -3 }

[[step]]
do = "declare"
as = "Ida"
stat = "edge"

[[step]]
do = "roll"
faces = [2, 7, 4]

[[step]]
do = "choose"
choice = "momentum"
option = "burn 8"

[[step]]
do = "resolve"
expect = { degree = "strong hit", margin = 1, score = 8, burnt = true }

[[step]]
do = "declare"
as = "Oss"
stat = "edge"
adds = 1

[[step]]
do = "roll"
faces = [3, 5, 5]

[[step]]
do = "resolve"
expect = { degree = "miss", margin = -1, score = 2, cancelled = true, match = true }

[expect.Ida]
momentum = 2

[expect.Oss]
momentum = -4
""",
    "frostline": """
title = "Over the ice"
system = "frostline"

[[character]]
name = "Runa"
attributes = { wits = 3, scout = 1 }

[[step]]
do = "declare"
as = "Runa"
attribute = "wits"
skill = "scout"
gear = 1
artifacts = ["d8", "d12"]
needed = 3

[[step]]
do = "roll"
faces = [1, 3, 6, 1, 2, 5, 4]

[[step]]
do = "reroll"
dice = ["d2", "d5"]
refused = "out-of-range"

[[step]]
do = "reroll"
dice = ["d1", "d2", "d5", "d6", "d7"]
refused = "unknown"

[[step]]
do = "reroll"
dice = ["d2", "d5", "d6", "d7"]
faces = [1, 1, 8, 12]

[[step]]
do = "resolve"
expect = { degree = "success", margin = 4, successes = 7, pushed = true, wounds = 2, wear = 1 }

[expect.Runa]
wounds = 2
wear = 1
""",
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_is_one_small_file_that_no_file_of_ours_knows_of(name: str) -> None:
    assert len((HOME / f"{name}.py").read_text("utf-8").splitlines()) <= 200
    for folder in ("engine", "events", "projections", "rules"):
        for path in (tree.ROOT / folder).rglob("*.py"):
            assert name not in path.read_text("utf-8").lower(), path


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_it_keeps_every_law(name: str) -> None:
    report = check(SYSTEMS[name], **TRIALS[name])
    assert {trigger for _, trigger in report.taken} == set(SYSTEMS[name].triggers)


def fair(name: str) -> Table:
    """A table with fair dice, on which one roll after another is resolved, until one is bettered.

    That is: until momentum was burnt, or a pool pushed.
    """
    found = SYSTEMS[name]
    table = Table(name, environment=replace(environment("fair"), rulesets=lambda name: found))
    who, wish = TRIALS[name]["characters"][0], TRIALS[name]["declarations"][0]
    ida = table.character("Ida", attributes=who.attributes, tracks=who.tracks)
    for _ in range(100):
        roll = table.declare(ida, **wish)
        roll.roll()
        better = [offer for offer in roll.offers if offer.trigger in ("reroll", "adjust")]
        for offer in better:
            if offer.trigger == "reroll":
                roll.reroll(*offer.dice)
            else:
                roll.choose(offer.choice, str(offer.options[0]))
        roll.resolve()
        if better:
            return table
    raise AssertionError("a hundred rolls without anything to better")


@pytest.mark.parametrize("name", SYSTEMS)
def test_its_log_passes_the_audit_with_the_rules_and_without(name: str) -> None:
    file = bundle(fair(name).aggregate)
    report = audit(BytesIO(file), rulesets=lambda name: SYSTEMS[name])
    assert (report.exit, report.rules.verdict) == (PASSED, "pass")
    without = audit(BytesIO(file))
    # The faces are in the log: the rules alone are missing.
    assert (without.exit, without.unchecked) == (UNCHECKED, ("11 rules",))


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_its_scenario_plays_is_exported_and_plays_again(name: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    registered(site, name, (HOME / f"{name}.py").read_text("utf-8"))
    (tmp_path / "story.toml").write_text(SCENARIOS[name], "utf-8")

    def urim(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "urim", *words],
            env={**os.environ, "PYTHONPATH": str(site)}, cwd=tmp_path,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    urim("run", "story.toml", "--log", "story.db")
    text = urim("export", "story.db", "fixture0", "--format", "scenario")
    (tmp_path / "again.toml").write_text(text, "utf-8")
    urim("run", "again.toml")
    urim("export", "story.db", "fixture0", "--format", "bundle", "--out", "story.urim.jsonl")
    audited = json.loads(urim("audit", "story.urim.jsonl", "--json"))
    assert (audited["exit"], audited["rules"]["verdict"]) == (0, "pass")


def test_momentum_that_was_burnt_is_set_and_recomputed_when_a_roll_before_it_is_voided() -> None:
    table = FixtureTable(LODESTAR)
    ida = table.character("Ida", attributes={"edge": 2}, tracks={"momentum": 7})

    def move(*faces: int) -> RollHandle:
        roll = table.declare(ida, stat="edge")
        roll.roll(faces=faces)
        return roll

    first = move(6, 1, 1)
    first.resolve()
    assert ida.sheet.tracks["momentum"] == 8
    burnt = move(1, 7, 4)
    burnt.choose("momentum", "burn 8")
    outcome = burnt.resolve()
    assert (outcome.degree, ida.sheet.tracks["momentum"]) == ("strong hit", 2)
    first.void("no such move")
    assert ida.sheet.tracks["momentum"] == 2
    burnt.void("nor this")
    assert ida.sheet.tracks["momentum"] == 7


def test_momentum_that_beats_no_more_dice_is_not_offered() -> None:
    table = FixtureTable(LODESTAR)
    ida = table.character("Ida", attributes={"edge": 2}, tracks={"momentum": 3})
    roll = table.declare(ida, stat="edge")
    roll.roll(faces=(3, 4, 9))
    with pytest.raises(Refused):
        roll.choose("momentum", "burn 3")


def test_a_push_is_offered_once_and_not_where_every_die_is_locked() -> None:
    table = FixtureTable(FROSTLINE)
    runa = table.character("Runa", attributes={"wits": 2})
    roll = table.declare(runa, attribute="wits")
    roll.roll(faces=(1, 6))
    assert [offer.trigger for offer in roll.offers] == ["resolve"]
    again = table.declare(runa, attribute="wits")
    again.roll(faces=(2, 3))
    again.reroll("d1", "d2", faces=(4, 1))
    assert [offer.trigger for offer in again.offers] == ["resolve"]
    assert again.resolve().figures["wounds"] == 1
    assert roll.resolve().figures["wounds"] == 0
