"""Files for their owner alone, and the lock of a directory, which one at a time holds."""

import errno
import os
import sys
from pathlib import Path

import pytest

from urim.engine.service import files
from urim.engine.service.files import SECRET_BYTES, hold, make_file, read_secret, write_new
from urim.errors import Damaged, Unavailable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="directories have no locks there")


def test_a_link_is_never_held_in_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    held = hold(tmp_path / "file")
    assert held is not None
    held.release()
    with pytest.raises(Unavailable):
        hold(tmp_path / "link")


def test_a_file_for_which_there_is_no_room_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "link", full)
    path = tmp_path / "own" / "table.db"
    with pytest.raises(Unavailable, match=r"table\.db cannot be written: no space left"):
        make_file(path)
    assert list(path.parent.iterdir()) == []


def test_no_more_of_a_file_is_read_than_shows_that_it_holds_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    write_new(path, b"ab" * 10_000)
    found: list[int] = []

    def counted(path: Path, most: int) -> bytes | None:
        content = read(path, most)
        found.append(len(content or b""))
        return content

    read = files.read
    monkeypatch.setattr(files, "read", counted)
    with pytest.raises(Damaged, match="holds no secret"):
        read_secret(path, "secret")
    assert found == [2 * SECRET_BYTES + 2]


@pytest.mark.parametrize(("given", "place"), [("", ".local/state/urim"), ("kept", "kept/urim")])
def test_what_is_kept_for_a_user_lies_where_the_system_says(
    given: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / given) if given else "")
    assert files.state_directory() == tmp_path / place
