"""`urim epoch`: refused over a log that fits its heads, begun where a head shows what it lost."""

import shutil
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from urim.events.checkpoint import Checkpoint, origin_of, sign

TABLE = "evening1"


def said(folder: Path, words: str) -> None:
    """A narrator's note; its head is signed when the command ends."""
    done = urim("note", str(folder / "night.db"), TABLE, "0", words, "--seat", "narrator")
    assert done.exit_code == 0, done.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table put back by another program, secrets and all; `seen` is a head that it lost."""
    folder = tmp_path / "here"
    folder.mkdir()
    opened = urim("open", str(folder / "night.db"), "--system", "plain", "--id", TABLE)
    assert opened.exit_code == 0, opened.output
    said(folder, "kept")
    shutil.copytree(folder, tmp_path / "away")
    said(folder, "lost")
    shutil.copy(folder / "night.db.secrets" / "heads" / TABLE, tmp_path / "seen")
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "away", folder)
    return folder


def epoch(folder: Path, *words: str) -> dict[str, object]:
    """What `urim epoch` prints, as an object."""
    done = urim("epoch", str(folder / "night.db"), TABLE, *words, "--json")
    [found] = objects(done.stdout)
    assert (found["type"] == "refusal") is (done.exit_code == 2)
    return found


def test_a_head_that_a_client_kept_lets_a_restored_table_go_on(folder: Path) -> None:
    seen = ("--seen", str(folder.parent / "seen"))
    refused = epoch(folder, "--yes")
    assert refused["code"] == "not-offered"
    assert refused["allowed"] == [
        "a signed head that the log has lost, kept by anybody (--seen NOTE)",
        "a damaged or lost head",
        "urim restore",
    ]
    asked = epoch(folder, *seen)
    assert (asked["code"], asked["allowed"]) == ("due", ["--yes"])
    begun = epoch(folder, *seen, "--yes")
    assert (begun["type"], begun["epoch"], begun["seq"]) == ("epoch", 1, 3)
    for words in ((), seen):
        assert epoch(folder, *words, "--yes")["code"] == "not-offered"
    said(folder, "new")
    for words in ((), seen):
        assert epoch(folder, *words, "--yes")["code"] == "not-offered"


def test_of_several_heads_the_one_that_is_of_no_use_is_named(folder: Path) -> None:
    seen, wrong = folder.parent / "seen", folder.parent / "wrong"
    wrong.write_bytes(
        sign(Checkpoint(origin_of(TABLE), 9, bytes(32)), b"a private key of someone else's!")
    )
    for note, why in (
        (b"", "no note"),
        (seen.read_bytes().replace(TABLE.encode(), b"evening2"), "a head of urim.local/t/evening2"),
        (wrong.read_bytes(), "was not signed with the key in"),
    ):
        wrong.write_bytes(note)
        refused = epoch(folder, "--seen", str(seen), "--seen", str(wrong), "--yes")
        assert refused["code"] == "unreadable"
        assert str(refused["why"]).startswith(str(wrong))
        assert why in str(refused["why"])
