"""Secrets on their way to another place: those of the tables named, and never over another one."""

from pathlib import Path

import pytest

from urim.engine.service.files import make_directory, write_new
from urim.engine.service.moving import check_secrets, copy_secrets
from urim.engine.service.secrets import FileSecrets
from urim.errors import Damaged, Refused
from urim.events.checkpoint import Checkpoint

TABLE, OTHER, LONGER = "table001", "table002", "table0011"

OF_TABLE = {
    "key",
    "table001",
    "table001.aside",
    "table001.aside.2",
    "table001.epoch-1",
    "table001.epoch-12",
    "table001.epoch-2.aside",
    "table001.epoch-2.aside.1",
    f"shares/{'a1' * 32}",
    "heads/table001.before-epoch-1",
    "heads/table001.before-epoch-2.1",
}
"""Files that go with the first table."""

NOT_OF_TABLE = {
    "table002",
    "table0011",
    "xtable001",
    "table001.epoch-",
    "table001.new",
    "table001.epoch-1.new",
    "heads/table002.before-epoch-1",
    "heads/table001.other",
    "shares/short",
}
"""Files that do not."""


def note(size: int, root: bytes = bytes(32), table: str = TABLE) -> bytes:
    """A head that nobody signed."""
    return Checkpoint(f"host/t/{table}", size, root).text + b"\nnobody signed it\n"


def place(path: Path, *names: str) -> FileSecrets:
    """A directory of secrets with these files, each with its own name in it."""
    for folder in (path, path / "heads", path / "shares"):
        make_directory(folder)
    for name in names:
        assert write_new(path / name, name.encode()) is not None
    return FileSecrets(path)


def files_of(secrets: FileSecrets) -> dict[str, bytes]:
    """All files of a place, by their paths in it."""
    every = (each for each in secrets.directory.rglob("*") if each.is_file())
    return {each.relative_to(secrets.directory).as_posix(): each.read_bytes() for each in every}


def test_what_belongs_to_a_table_goes_with_it_and_nothing_else(tmp_path: Path) -> None:
    source = place(tmp_path / "from", *OF_TABLE, *NOT_OF_TABLE)
    target = FileSecrets(tmp_path / "to")
    assert copy_secrets(source, target, [TABLE]) == len(OF_TABLE)
    assert files_of(target) == {name: name.encode() for name in OF_TABLE}
    modes = {each.stat().st_mode & 0o777 for each in target.directory.rglob("*") if each.is_file()}
    assert modes == {0o600}
    assert copy_secrets(source, target, [TABLE]) == 0
    assert copy_secrets(source, target, [TABLE, OTHER]) == 2
    assert files_of(target).keys() - OF_TABLE == {"table002", "heads/table002.before-epoch-1"}


def test_of_no_table_the_key_and_the_chains_go(tmp_path: Path) -> None:
    source = place(tmp_path / "from", *OF_TABLE)
    assert copy_secrets(source, target := FileSecrets(tmp_path / "to"), []) == 2
    assert files_of(target).keys() == {"key", f"shares/{'a1' * 32}"}


def test_of_two_heads_the_later_stays(tmp_path: Path) -> None:
    source, target = place(tmp_path / "from"), place(tmp_path / "to")
    source.heads.keep(TABLE, note(5))
    assert copy_secrets(source, target, [TABLE]) == 1
    assert copy_secrets(source, target, [TABLE]) == 0
    source.heads.keep(TABLE, note(7))
    assert copy_secrets(source, target, [TABLE, OTHER]) == 1
    assert target.heads.find(TABLE) == note(7)
    target.heads.keep(TABLE, note(9))
    assert copy_secrets(source, target, [TABLE]) == 0
    assert target.heads.find(TABLE) == note(9)


@pytest.mark.parametrize("name", sorted(OF_TABLE))
def test_another_file_of_that_name_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str
) -> None:
    source, target = place(tmp_path / "from", *OF_TABLE), place(tmp_path / "to")
    source.heads.keep(TABLE, note(5))
    write_new(target.directory / name, b"another one")
    for copy in (copy_secrets, check_secrets):
        with pytest.raises(Refused, match="is there, and another one") as refused:
            copy(source, target, [TABLE])
        assert refused.value.code == "taken"
        assert str(target.directory / name) in refused.value.why
    assert files_of(target) == {name: b"another one"}
    write_new(target.directory / "table002", b"of another table")
    assert copy_secrets(source, FileSecrets(tmp_path / "new"), [TABLE]) == len(OF_TABLE) + 1


def test_another_head_of_the_same_size_is_damage_and_nothing_is_written(tmp_path: Path) -> None:
    source, target = place(tmp_path / "from", *OF_TABLE), place(tmp_path / "to")
    source.heads.keep(TABLE, note(5))
    target.heads.keep(TABLE, note(5, b"1" * 32))
    before = files_of(target)
    with pytest.raises(Damaged, match="another root for its first 5 entries"):
        copy_secrets(source, target, [TABLE])
    assert files_of(target) == before
