"""What tests need beside Python is found where it may be, or its test is skipped and says why."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests import tools, tree
from tests.tools import PROGRAMS, found, missing, needed


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine on which none of them is: the only folder that is looked into, which is empty."""
    (folder := tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for program in PROGRAMS.values():
        monkeypatch.delenv(program.variable or "-", raising=False)
    alone = {name: replace(program, folders=()) for name, program in PROGRAMS.items()}
    monkeypatch.setattr(tools, "PROGRAMS", alone)
    return folder


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_is_not_here_skips_and_says_how_to_get_it(name: str, nothing: Path) -> None:
    assert found(name) is None
    with pytest.raises(pytest.skip.Exception) as skipped:
        needed(name)
    assert str(skipped.value) == missing(name)
    assert str(skipped.value).startswith(f"no {name} is here: apt-get install ")
    assert (PROGRAMS[name].variable or "") in str(skipped.value)


@pytest.mark.parametrize(
    ("name", "called"),
    [(name, called) for name, program in PROGRAMS.items() for called in program.names or (name,)],
)
def test_a_program_is_found_by_each_of_its_names(name: str, called: str, nothing: Path) -> None:
    (nothing / called).touch(mode=0o755)
    assert found(name) == needed(name) == nothing / called


def test_a_program_is_found_in_further_folders_and_where_a_variable_says(
    nothing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (far := tmp_path / "sbin").mkdir()
    (far / "nginx").touch(mode=0o755)
    there = {"nginx": replace(PROGRAMS["nginx"], folders=(str(far),))}
    monkeypatch.setattr(tools, "PROGRAMS", {**tools.PROGRAMS, **there})
    assert found("nginx") == far / "nginx"
    (nothing / "chromium").touch(mode=0o755)
    monkeypatch.setenv("URIM_CHROMIUM", "/opt/other")
    assert found("chromium") == Path("/opt/other")


def test_no_other_file_looks_for_programs() -> None:
    look = "shutil" + ".which"
    looking = [path for path in tree.test_files() if look in path.read_text(encoding="utf-8")]
    assert looking == [Path(tools.__file__)]
