"""A skip is a failure where none is allowed, and laws are tried as often as was asked for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tree

SKIPPED_TEST = """
import pytest

@pytest.mark.skip(reason="no luck")
def test_marked(): pass

def test_halfway(): pytest.skip("no luck")

@pytest.mark.xfail
def test_known(): assert False
"""
SAMPLED = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", range(9))
def test_it(n): pass

@pytest.mark.sampled(1)
@pytest.mark.parametrize("n", range(3))
def test_another(n): pass

@pytest.mark.sampled(1, rest=2)
@pytest.mark.parametrize("n", range(7))
def test_seldom(n): pass

@pytest.mark.sampled(0, rest=0)
def test_before_a_release(): pass
"""
WORKERS = """
import pytest

@pytest.mark.parametrize("n", range(12))
def test_it(n, worker_id): print("ran in", worker_id)
"""
SKIPPED_MODULE = "import pytest; pytest.skip('no luck', allow_module_level=True)"


def run_pytest(folder: Path, text: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on one file of that text, under our conftest."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    ours = {"URIM_NO_SKIP", "URIM_COUNT", "URIM_SEED"}
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        env=clean | env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("which", "often", "count"), [("slow", "10", 11), ("not slow", "10", 4), ("slow", "100", 16)]
)
def test_of_what_is_sampled_some_cases_are_not_slow(
    tmp_path: Path, which: str, often: str, count: int
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: it\n  sampled: it\n")
    words = f"-vv -p no:schemathesis -m '{which}'"
    done = run_pytest(tmp_path, SAMPLED, PYTEST_ADDOPTS=words, URIM_COUNT=often)
    assert f"{count} passed, {20 - count} deselected" in done.stdout
    ran = re.findall(r"test_it\[(\d)\] PASSED", done.stdout)
    assert which == "slow" or ran == ["0", "4"]


def test_a_skip_fails_where_none_is_allowed(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, SKIPPED_TEST, URIM_NO_SKIP="1")
    assert done.returncode == 1
    # On a loaded machine a warning of pytest's own may stand among them.
    assert re.search(r"1 failed, 1 xfailed, (\d+ warnings?, )?1 error", done.stdout)
    assert "URIM_NO_SKIP forbids" in done.stdout


def test_a_skipped_module_fails_where_none_is_allowed(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, SKIPPED_MODULE, URIM_NO_SKIP="1")
    assert done.returncode != 0
    assert "1 error" in done.stdout


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", [SKIPPED_TEST, SKIPPED_MODULE])
def test_a_skip_is_a_skip_elsewhere(tmp_path: Path, text: str) -> None:
    done = run_pytest(tmp_path, text)
    assert "skipped" in done.stdout
    assert "failed" not in done.stdout.replace("xfailed", "")
    assert "error" not in done.stdout


def test_laws_are_tried_as_often_as_was_asked_for(tmp_path: Path) -> None:
    text = """
from hypothesis import settings

def test_it(count, seed):
    assert count == settings().max_examples == 321
    assert seed == 7
"""
    done = run_pytest(tmp_path, text, URIM_COUNT="321", URIM_SEED="7")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_laws_are_tried_seldom_and_without_chance_by_default(tmp_path: Path) -> None:
    text = """
from hypothesis import settings

def test_it(count):
    assert count <= 100
    assert settings().derandomize
"""
    done = run_pytest(tmp_path, text)
    assert done.returncode == 0, done.stdout


SOURCES = "SOURCES.txt", "__main__.py\nengine/testing/plugin/__init__.py\n"
ENTRY = "entry_points.txt", "[pytest11]\nurim = urim.engine.testing.plugin\n"
NAMED = "PKG-INFO", "Metadata-Version: 2.4\nName: urim\nVersion: 0.2.0\n"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "workers"])
def test_an_installation_from_the_checkout_does_not_stop_the_tests(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    """What `pip install path/to/urim` leaves in the checkout, its tests do not mind."""
    left = tmp_path / "urim.egg-info"
    left.mkdir()
    for name, text in (SOURCES, ENTRY, NAMED):
        (left / name).write_text(text, encoding="utf-8")
    shutil.copy(tree.ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "test_it.py").write_text("def test_it(urim_tables): pass\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *workers, "test_it.py"],
        cwd=tmp_path, env=tree.plain_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "beside"),
    [
        ('@pytest.fixture(scope="module")\ndef dear(): ...', ""),
        ("@functools.cache\ndef dear(): ...\n@cache\ndef it(): ...", ""),
        ("", '@pytest.fixture(scope="module")\ndef dear(): ...'),
    ],
)
def test_one_process_runs_the_tests_of_a_file_that_share_something(
    own: str, beside: str, tmp_path: Path
) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    file = tmp_path / "tests" / "a" / "test_it.py"
    file.parent.mkdir(parents=True)
    means = "import functools\nfrom functools import cache\nimport pytest\n"
    file.write_text(f"{means}{WORKERS}\n{own}\n", encoding="utf-8")
    file.with_name("conftest.py").write_text(f"import pytest\n{beside}\n", encoding="utf-8")
    words = ("-n", "2", "-q", "-rP", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("ran in gw") == 12
    assert len(set(re.findall(r"ran in (gw\d)", done.stdout))) == 1
