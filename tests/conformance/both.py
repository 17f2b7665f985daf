"""What urimcheck.py and urimcheck.js say of the same files, as far as it must be the same."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any

from tests.conformance.run import in_process
from tests.conformance.suite import Case
from tests.engine.helpers.nodejs import run

Said = dict[str, Any]

OF_JSON = re.compile("the payload is no event: no strict JSON")
"""Behind this stands why a payload is no strict JSON: each language says it in its own words."""


def by_python(case: Case) -> Said:
    """What urimcheck.py says."""
    found: Said = json.loads(json.dumps(in_process(case)))
    return found


def by_node(cases: Iterable[Case]) -> list[Said]:
    """What urimcheck.js says of each, in one run of Node."""
    done = run("tests/conformance/many.mjs", given="".join(map(_line, cases)))
    assert done.returncode == 0, done.stderr
    return [*map(json.loads, done.stdout.splitlines())]


def _line(case: Case) -> str:
    given = case._asdict() | {"bundle": b64encode(case.bundle).decode()}
    return f"{json.dumps(given)}\n"


def comparable(said: Said) -> Said:
    """What both must say in the same words; of a file that cannot be read, only that."""
    if said["exit"] == 2:
        return {"exit": 2, "crash": said.get("says", "").startswith("crash")}
    remarks = [{**each, "why": OF_JSON.split(each["why"])[0]} for each in said["remarks"]]
    return {**said, "remarks": remarks}


def unlike(mine: Sequence[Said], theirs: Iterable[Said]) -> list[int]:
    """The places of the files of which both do not say the same."""
    pairs = enumerate(zip(mine, theirs, strict=True))
    return [at for at, (one, other) in pairs if comparable(one) != comparable(other)]
