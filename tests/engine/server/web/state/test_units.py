"""Parts of the page's state that need no server, under Node's own runner of tests."""

from pathlib import Path

from tests.engine.server.web.node import run

HERE = Path(__file__).parent


def test_the_parts_do_what_they_say() -> None:
    done = run("--test", HERE / "units.test.mjs")
    assert done.returncode == 0, done.stdout + done.stderr
