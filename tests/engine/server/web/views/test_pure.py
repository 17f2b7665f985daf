"""What is pure in the views of a roll: forms, commands, shapes, places; tested in Node."""

from pathlib import Path

import pytest
from msgspec.json import encode

from tests.engine.server.web.node import run
from urim.engine.render.systems import system_object
from urim.rules import ruleset_named, ruleset_names

HERE = Path(__file__).parent


@pytest.mark.sampled(1)
@pytest.mark.parametrize("script", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_views(script: str, tmp_path: Path) -> None:
    systems = tmp_path / "systems.json"
    systems.write_bytes(
        encode({name: system_object(ruleset_named(name)) for name in ruleset_names()})
    )
    done = run(HERE / script, systems)
    assert done.returncode == 0, done.stdout + done.stderr
