"""The second verifier knows the thousand kinds of plain dice: it proves throws of them."""

from pathlib import Path

from msgspec import json

from tests.engine.helpers.cli_runs import objects, urim
from tests.verifier.nodejs import run

ASK = """
import { readFile } from "node:fs/promises";
import { verify } from "../../engine/verifier/js/verify.js";
const found = await verify(await readFile(process.argv[1], "utf-8"));
const steps = found.results.map(({ step, verdict, checked }) => [step, verdict, checked]);
console.log(JSON.stringify([found.exit, found.problem, steps]));
"""


def test_throws_of_any_kind_are_proved(tmp_path: Path) -> None:
    log, bundle = tmp_path / "dice.db", tmp_path / "dice.urim.jsonl"
    texts = ["3d2+2d1000+1d997", "2d%+4dF", "5d6!-3d10rr<3", "8d4ro1"]
    table = objects(urim("dice", *texts, "--json", "--log", str(log)).stdout)[0]["table"]
    done = urim("export", str(log), table, "--as", "bundle", "--out", str(bundle))
    assert done.exit_code == 0, done.stderr
    asked = run("--input-type=module", "--eval", ASK, bundle)
    assert asked.returncode == 0, asked.stderr
    _, problem, steps = json.decode(asked.stdout)
    assert problem is None
    verdicts = {step: (verdict, checked) for step, verdict, checked in steps}
    assert not [step for step, (verdict, _) in verdicts.items() if verdict in ("fail", "finding")]
    assert verdicts[9][0] == "pass"
    assert verdicts[9][1] >= 6 + 6 + 8 + 8
