"""urim.d.ts is what the schemas say, and a compiler of TypeScript holds what is sent to it."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias, get_args

import pytest

from tests import typescript
from tests.engine.helpers.nodejs import NODE
from tests.engine.wire import samples
from tests.tree import ROOT, plain_environment
from tests.typescript import Unwritable
from urim.engine.core.parse import COMMANDS
from urim.engine.wire import frames
from urim.events.codec import EVENTS

TSC = ROOT / ".venv" / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
CLIENT = ROOT / "docs" / "examples" / "client.ts"
OPTIONS = (
    *("--strict", "--noEmit", "--noUncheckedIndexedAccess", "--pretty", "false"),
    *("--target", "es2022", "--lib", "es2022,dom"),
    *("--module", "esnext", "--moduleResolution", "bundler"),
)

compiled = pytest.mark.skipif(not TSC.exists(), reason="make dev has not fetched TypeScript")


def tsc(folder: Path, files: Mapping[str, str]) -> list[str]:
    """What the compiler finds wrong in these files, beside urim.d.ts and the example."""
    shutil.copy(typescript.PATH, folder)
    shutil.copy(CLIENT, folder)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [str(NODE), str(TSC), *OPTIONS, "urim.d.ts", "client.ts", *files],
        cwd=folder,
        env=plain_environment(NO_COLOR="1"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode == 0) == (not done.stdout), done.stderr
    return [line for line in done.stdout.splitlines() if not line.startswith(" ")]


def constants(values: Mapping[str, tuple[str, str]]) -> str:
    """A file of constants: name -> type and JSON."""
    names = ", ".join(sorted({kind for kind, _ in values.values()}))
    lines = [f"export const {name}: {kind} = {text};" for name, (kind, text) in values.items()]
    return "\n".join([f'import type {{ {names} }} from "./urim";', *lines])


Values: TypeAlias = dict[str, tuple[str, str]]
"""Constants: name -> type and JSON."""


def golden(folder: Path, tags: Mapping[str, object], kind: str, tag: str) -> Values:
    """The golden samples of commands or events that are written today."""
    found: Values = {}
    for path in sorted(folder.glob("*.json")):
        text = path.read_text(encoding="utf-8")
        if json.loads(text)[tag] in tags:
            found[re.sub(r"\W", "_", f"{kind}_{path.stem}")] = kind, text
    return found


def test_the_file_is_what_the_schemas_say() -> None:
    assert typescript.PATH.read_text(encoding="utf-8") == typescript.typescript(), (
        "stale: python -m tests.generated --write"
    )


@pytest.mark.slow
@compiled
def test_all_that_is_sent_has_its_type(tmp_path: Path) -> None:
    sent = {kind.__name__ for kind in get_args(frames.Incoming)}
    got = {kind.__name__ for kind in get_args(frames.Outgoing)}
    values = {f"own_{name}": (name, text.decode()) for name, text in samples.SENT.items()}
    values |= {f"sent_{name}": ("FromClient", samples.SENT[name].decode()) for name in sent}
    values |= {f"got_{name}": ("FromServer", samples.SENT[name].decode()) for name in got}
    commands = golden(ROOT / "tests/engine/core/golden", COMMANDS, "Command", "do")
    events = golden(ROOT / "tests/events/golden", EVENTS, "TableEvent", "type")
    assert len(commands) >= len(COMMANDS)
    assert len(events) >= len(EVENTS)
    assert tsc(tmp_path, {"sent.ts": constants({**values, **commands, **events})}) == []


WRONG: Mapping[str, str] = {
    "a command that is none": 'const x: Command = { do: "roll/0", roll: 1 };',
    "a command without a field": 'const x: Command = { do: "withdraw/1" };',
    "a command with a field too many": 'const x: Command = { do: "withdraw/1", roll: 1, of: 2 };',
    "a frame of the other side": 'const x: FromClient = { type: "left", size: 1 };',
    "a frame with a number as text": 'const x: FromServer = { type: "left", size: "1" };',
    "a code that is none": 'const x: Code = "wrong";',
    "an event that is none": 'const x: TableEvent = { type: "seat-left/0", by: "p1", seat: "p1" };',
    "a frame that is forgotten": """
export function f(frame: FromClient): number {
  switch (frame.type) {
    case "enter": return 1;
    case "ask": return 2;
    default: { const none: never = frame; return none; }
  }
}""",
    "a field of another frame": """
export function f(frame: FromServer): string {
  return frame.type === "left" ? frame.request : "";
}""",
}
"""What the compiler must find wrong, each on its own."""


@pytest.mark.slow
@compiled
def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    kinds = "Code, Command, FromClient, FromServer, TableEvent"
    head = f'import type {{ {kinds} }} from "./urim";\nexport type Used = [{kinds}];\n'
    files = {f"wrong{number}.ts": f"{head}{text}\n" for number, text in enumerate(WRONG.values())}
    found = {line.partition("(")[0] for line in tsc(tmp_path, files)}
    assert found == set(files)


def test_words_that_are_not_known_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def strange(*_: object) -> dict[str, object]:
        made = {"type": "object", "properties": {"a": {"not": {}}}, "required": []}
        return {"$defs": {"frames.A": made, "bodies.Problem": PROBLEM}}

    monkeypatch.setattr(typescript, "schema_among", strange)
    with pytest.raises(Unwritable, match="no type is known for"):
        typescript.typescript()


def test_two_types_of_one_name_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(*_: object) -> dict[str, object]:
        one = {"type": "object", "properties": {"a": {"type": "null"}}, "required": []}
        other = {"type": "object", "properties": {"b": {"type": "null"}}, "required": []}
        return {"$defs": {"frames.A": one, "bodies.A": other, "bodies.Problem": PROBLEM}}

    monkeypatch.setattr(typescript, "schema_among", twice)
    with pytest.raises(Unwritable, match="two types are called A"):
        typescript.typescript()


PROBLEM = {
    "type": "object",
    "properties": {"code": {"title": "Code", "enum": ["a"]}},
    "required": ["code"],
}
