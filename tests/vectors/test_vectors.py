"""The checker of vectors passes what is right, names what differs, and refuses the rest."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, TypeAlias

import pytest

HERE = Path(__file__).parent
GOOD = HERE / "urim-1.json"


def load() -> Any:
    """The checker, as a package of its own: the repository's root need not be on the path."""
    spec = spec_from_file_location(
        "vectors_checker", HERE / "__main__.py", submodule_search_locations=[str(HERE)]
    )
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


main = load().main

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | None"
Path_: TypeAlias = tuple[str | int, ...]


def leaves(value: Json, at: Path_ = ()) -> Iterator[tuple[Path_, Json]]:
    """Every single value of a JSON value, with the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*at, index))
    else:
        yield at, value


def kind_of(at: Path_) -> str:
    """The way to a value, whichever of a list's items it goes through."""
    return ".".join("*" if isinstance(step, int) else step for step in at)


def other(value: Json) -> Json:
    """A value of the same form that is not the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    assert isinstance(value, str)
    if value in ("open", "hidden"):
        return "hidden" if value == "open" else "open"
    # Not the last character: in base64 its lowest bits may not count.
    middle = len(value) // 2
    return value[:middle] + ("b" if value[middle] != "b" else "c") + value[middle + 1 :]


def changed(at: Path_, value: Any) -> dict[str, Any]:
    """The good vectors with one value in place of another."""
    vectors: dict[str, Any] = json.loads(GOOD.read_bytes())
    inner: Any = vectors
    for step in at[:-1]:
        inner = inner[step]
    if value is Ellipsis:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return vectors


VALUES = list(leaves(json.loads(GOOD.read_bytes())))
OF_A_SIGNATURE = "seats.signatures."
# One of each kind, from the middle of the file's; of signatures the second, which is good. A name
# is a label, `format` is form, and most other keys are as good as one.
KINDS = {
    kind: places[1 if kind.startswith(OF_A_SIGNATURE) else len(places) // 2]
    for kind in dict.fromkeys(kind_of(at) for at, _ in VALUES)
    if kind not in ("format", "seats.keys.*.key") and not kind.endswith(".name")
    for places in [[(at, value) for at, value in VALUES if kind_of(at) == kind]]
}
GROUPS = (
    *("throws", "fixture salts", "fixture seeds", "commitments"),
    *("entries", "roots", "inclusion", "consistency", "checkpoint"),
)
LATER = ("chains", "asks", "throws with shares", "signed requests", "keys", "signatures")


def stored(folder: Path, vectors: object) -> str:
    path = folder / "vectors.json"
    path.write_text(json.dumps(vectors, ensure_ascii=False), encoding="utf-8")
    return str(path)


def test_the_vectors_that_urim_is_defined_by_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(GOOD)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines] == [*GROUPS, *LATER]
    for line in lines:
        held, of, count, hold = line.split(": ")[2].split()
        assert (held, of, hold) == (count, "of", "hold") and int(count) > 0


def test_a_file_from_before_there_were_shares_is_of_the_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors = json.loads(GOOD.read_bytes())
    del vectors["shares"], vectors["seats"]
    assert main([stored(tmp_path, vectors)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines] == [*GROUPS]


def test_the_chain_that_the_form_is_defined_by() -> None:
    chain, *_ = json.loads(GOOD.read_bytes())["shares"]["chains"]
    assert (chain["table"], chain["seat"], chain["last"]) == ("t0000001", "p1", "0" * 64)
    anchor = "8d99af9ede429b23a5ab278d3fcd0437dab88042139423d090d79062677f4bf4"
    assert {"i": 0, "link": anchor} in chain["links"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_differs_is_named(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at, value = KINDS[kind]
    assert main([stored(tmp_path, changed(at, other(value)))]) == 1
    printed = capsys.readouterr().out
    names = [line.strip().split(":")[0] for line in printed.splitlines() if "expected" in line]
    items = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at)[1:]
    item = items if kind == "log.roots.*" else items.rpartition(".")[0]
    assert any(name.startswith(item) for name in names), printed
    assert "expected" in printed and "found" in printed


def test_a_missing_root_or_one_too_many_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roots = json.loads(GOOD.read_bytes())["log"]["roots"]
    for wrong in (roots[:-1], [*roots, roots[0]], []):
        assert main([stored(tmp_path, changed(("log", "roots"), wrong))]) == 1
        assert "log.roots, how many" in capsys.readouterr().out


def test_many_differences_are_counted_and_not_all_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([stored(tmp_path, changed(("log", "roots", 0), "0" * 64))]) == 1
    roots = json.loads(GOOD.read_bytes())["log"]["roots"]
    assert main([stored(tmp_path, changed(("log", "roots"), roots[::-1]))]) == 1
    printed = capsys.readouterr().out
    assert "more" in printed and len(printed.splitlines()) < 100


NO_VECTORS: dict[str, object] = {
    "no object": [],
    "nothing in it": {},
    "another format": changed(("format",), "urim/2"),
    "a format that is no text": changed(("format",), 1),
    "a key too many": changed(("more",), []),
    "a key too many inside": changed(("log", "more"), 1),
    "no throws": changed(("throws",), ...),
    "no proof": changed(("log", "inclusion", 3, "proof"), ...),
    "a list for an object": changed(("log",), []),
    "text for a number": changed(("throws", 0, "dice", 0, "sides"), "6"),
    "a number below 0": changed(("throws", 0, "dice", 0, "j"), -1),
    "a number beyond bounds": changed(("throws", 0, "dice", 0, "sides"), 2**63),
    "upper-case hex": changed(("throws", 0, "seed"), "A" * 64),
    "short hex": changed(("log", "roots", 0), "a" * 63),
    "hex and a newline": changed(("log", "roots", 0), "a" * 64 + "\n"),
    "another class": changed(("log", "entries", 0, "class"), "secret"),
    "null": changed(("log", "checkpoint"), None),
    "no chains": changed(("shares", "chains"), ...),
    "a key too many in a share": changed(("shares", "throws", 0, "shares", 0, "more"), 1),
    "a verdict that is no bool": changed(("seats", "keys", 0, "good"), 1),
}


@pytest.mark.parametrize("vectors", NO_VECTORS.values(), ids=NO_VECTORS)
def test_what_is_not_of_the_form_is_not_checked(
    vectors: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path, vectors)
    assert main([path]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{path}: not a file of urim/1 vectors: ")


@pytest.mark.parametrize("garbage", [b"", b"\xff\xfe", b"{", b'{"format":"\xff"}', b"[" * 100_000])
def test_garbage_is_unreadable(
    garbage: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "garbage").write_bytes(garbage)
    assert main([str(tmp_path / "garbage")]) == 2
    assert capsys.readouterr().err


# Correct in form, and still nothing that could be computed.
UNUSUAL: list[tuple[Path_, object]] = [
    (("throws", 0, "transcript"), "urim/1 throw\n"),
    (("throws", 0, "transcript"), "é"),
    (("throws", 0, "dice", 0, "sides"), 0),
    (("throws", 0, "dice", 0, "sides"), 2**60),
    (("fixture", 0, "seed"), "not a seed text"),
    (("fixture", 0, "throw"), "x"),
    (("fixture_salts", 0, "table"), "X"),
    (("commitments", 0, "throw"), ""),
    (("log", "origin"), "a b"),
    (("log", "vkey"), "x"),
    (("log", "checkpoint"), ""),
    (("log", "entries"), []),
    (("log", "entries", 0, "entry"), ""),
    (("log", "entries", 0, "entry"), f"urim/1 entry\n0\n{'9' * 5000}\n"),
    (("log", "inclusion", 0, "seq"), 2**62),
    (("log", "inclusion", 0, "size"), 0),
    (("log", "consistency", 0, "from"), 99),
    (("shares", "chains", 0, "links", 0, "i"), 1001),
    (("shares", "chains", 0, "seat"), "P1"),
    (("shares", "throws", 0, "shares", 0, "i"), 0),
    (("shares", "throws", 0, "plan", "payload"), "{}"),
    (("shares", "throws", 0, "ask", "payload"), ""),
    (("shares", "throws", 0, "id"), "x"),
    (("shares", "throws", 0, "roller"), "p9"),
    (("seats", "signed", 0, "key"), "x"),
    (("seats", "signed", 0, "sig"), "x"),
    (("seats", "signatures", 0, "message"), "x"),
]


@pytest.mark.parametrize(("at", "value"), UNUSUAL)
def test_a_value_that_nothing_can_be_computed_from_differs(
    at: Path_, value: object, tmp_path: Path
) -> None:
    assert main([stored(tmp_path, changed(at, value))]) == 1


def test_the_worst_file_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = stored(tmp_path, changed(("fixture", 0, "S"), "0" * 64))
    assert main([str(GOOD), wrong]) == 1
    assert main([wrong, "missing.json", str(GOOD)]) == 2
    assert main([str(tmp_path)]) == 2
    assert "missing.json: not a file of urim/1 vectors: No such file" in capsys.readouterr().err


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.vectors", *arguments],
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_as_a_command_from_the_root(tmp_path: Path) -> None:
    good = run("tests/vectors/urim-1.json")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.count("hold") == len(GROUPS) + len(LATER)
    wrong = run(stored(tmp_path, changed(("fixture", 0, "S"), "0" * 64)))
    assert wrong.returncode == 1 and "fixture[0].S" in wrong.stdout
    none = run()
    assert none.returncode == 2 and none.stderr.startswith("usage: ")
    missing = run("missing.json")
    assert missing.returncode == 2 and "Traceback" not in missing.stderr
