"""What docs/deploy/Containerfile does, done without a builder of images: in a bare prefix.

The wheel is installed there as its step says, and its command, its health check and its end are
those of the file; paths and the port are others.
"""

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.engine.helpers.stages.deployed import free_port
from tests.installs import dist, run, stranger
from tests.tree import ROOT, plain_environment

__all__ = ["dist"]  # a fixture

pytestmark = pytest.mark.slow

TEXT = (ROOT / "docs" / "deploy" / "Containerfile").read_text(encoding="utf-8")

PATIENCE = 60
"""Seconds until it is given up."""


def words(instruction: str) -> list[str]:
    """The words of an instruction that is a list."""
    [found] = re.findall(rf"^{instruction} (\[.*\])$", TEXT, re.MULTILINE)
    said: list[str] = json.loads(found)
    return said


def test_the_image_is_of_few_rights_and_pinned() -> None:
    lines = TEXT.replace("\\\n", "").splitlines()
    assert "USER nobody" in lines
    [step] = [" ".join(line.split()) for line in lines if line.startswith("RUN ")]
    # tests/test_installed.py installs by the hashes as it does.
    assert "--require-hashes --only-binary :all: --requirement /opt/wheel/hashes.txt" in step
    assert "--no-deps --no-index /opt/wheel/*.whl" in step


def test_its_command_serves_is_found_well_and_writes_to_its_data_alone(
    dist: Path, tmp_path: Path
) -> None:
    home, data = tmp_path / "home", tmp_path / "data"
    home.mkdir()
    data.mkdir(mode=0o700)
    python = stranger(home, next(dist.glob("*.whl")), "server")
    port = free_port()

    def here(instruction: str) -> list[str]:
        places = {"/opt/urim": str(python.parent.parent), "/data": str(data), "8000": port}
        said = words(instruction)
        for place, other in places.items():
            said = [word.replace(place, other) for word in said]
        return said

    around = {"PYTHONDONTWRITEBYTECODE": "1", "URIM_SERVE_URL": "https://dice.example"}
    check = here("HEALTHCHECK CMD")
    before = sorted(home.rglob("*"))
    server = subprocess.Popen(
        [*here("ENTRYPOINT"), *here("CMD")],
        env=plain_environment(**around),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=home,
    )
    try:
        given_up = time.monotonic() + PATIENCE
        while run(*check, cwd=home, **around).returncode:
            assert time.monotonic() < given_up, "it is never well"
            assert server.poll() is None, "it ended"
        assert sorted(home.rglob("*")) == before
        assert (data / "tables.db").exists()
    finally:
        server.send_signal(signal.SIGTERM)
        said, _ = server.communicate(timeout=60)
    assert server.returncode == 0, said
    assert run(*check, cwd=home, **around).returncode != 0  # who is gone is not well
