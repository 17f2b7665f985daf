"""Where there is no PostgreSQL a test says how to get one; what is here is found, newest first."""

from pathlib import Path

import pytest

from tests.events.postgres import server


@pytest.fixture(autouse=True)
def unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test is of a server that the environment names."""
    monkeypatch.setattr(server, "PROGRAMS", None)


def test_without_a_postgresql_the_skip_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "DEBIAN", tmp_path)
    monkeypatch.setattr(server, "find_spec", lambda _: None)
    with pytest.raises(pytest.skip.Exception, match="apt-get install postgresql"):
        server.running().__enter__()


def test_the_newest_postgresql_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(server, "DEBIAN", tmp_path)
    for version in ("9", "15", "14"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "postgres").touch()
    assert server.binaries() == tmp_path / "15" / "bin"


def test_programs_that_are_named_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(server, "PROGRAMS", tmp_path)
    assert server.binaries() == tmp_path


def test_a_server_runs_as_nobody_of_importance_and_leaves_nothing() -> None:
    with server.running() as found:
        assert found.process is not None
        status = Path(f"/proc/{found.process.pid}/status").read_text(encoding="ascii")
        [line] = [line for line in status.splitlines() if line.startswith("Uid:")]
        assert "0" not in line.split()[1:]
        folder, pid = found.folder, found.process.pid
    assert not folder.exists()
    assert not Path(f"/proc/{pid}").exists()
