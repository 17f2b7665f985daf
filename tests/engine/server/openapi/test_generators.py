"""Ordinary generators make clients of the OpenAPI document, which understand what is answered."""

import importlib
import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.helpers.nodejs import NODE
from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.wire.test_typescript import OPTIONS, TSC, compiled
from tests.tree import plain_environment
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.server.openapi.document import document

pytestmark = pytest.mark.slow

TABLE = "table001"
PACKAGE = "generated_from_urim"
UNSUPPORTED = 2
"""Answers of lines of JSON (`application/x-ndjson`), which the generator for Python leaves out."""

DECLARED = body_of(c.Declare("c1", {"expression": "1d6"})).decode()

CALLS: tuple[tuple[str, str, str, Any], ...] = (
    ("server.health", "GET", "/health", None),
    ("access.my_access", "GET", "/access", None),
    ("reading.sight", "GET", "/tables/{table}", None),
    ("reading.legal_moves", "GET", "/tables/{table}/moves", None),
    ("reading.awaiting", "GET", "/tables/{table}/awaiting", None),
    ("reading.account", "GET", "/tables/{table}/rolls/{roll}/account", None),
    ("log.inclusion", "GET", "/tables/{table}/proofs/inclusion/{seq}", None),
    ("requests.roll_dice", "POST", "/tables/{table}/rolls",
     ("RollBody", {"request": "b", "expression": "2d6", "visibility": "public"})),
    ("requests.request", "POST", "/tables/{table}/requests",
     ("WireRequest", {"request": "c", "body": DECLARED})),
    ("requests.roll_dice", "POST", "/tables/{table}/rolls",
     ("RollBody", {"request": "d", "expression": "2q6", "visibility": "public"})),
    ("reading.roll", "GET", "/tables/{table}/rolls/99", None),
)  # fmt: skip
"""What is called: the generator's module, method, path, and a body with its model."""

STATUSES = [200] * 9 + [422, 404]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Served, str]]:
    """A server with a roll, and a player's token."""
    with Served(tmp_path_factory.mktemp("generated")) as served:
        tokens = served.open(TABLE, ruleset="plain", source="fair", level="server")
        asking = c.EnterCharacter("c1", "p1", {})
        served.run(served.service.submit(TABLE, NARRATOR, asking))
        url = f"{served.url}/tables/{TABLE}/rolls"
        wish = {"request": "a", "expression": "4d6kh3"}
        httpx.post(url, json=wish, headers=bearer(tokens["p1"])).raise_for_status()
        yield served, tokens["p1"]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document as a file."""
    path = tmp_path_factory.mktemp("described") / "openapi.json"
    path.write_bytes(document())
    return path


def parts(path: str) -> dict[str, Any]:
    """What stands in a path."""
    known = {"table": TABLE, "roll": 1, "seq": 0}
    return {name: value for name, value in known.items() if f"{{{name}}}" in path}


def answers(served: Served, token: str) -> Generator[httpx.Response]:
    """What the server answers to each call, one after the other."""
    for (_, method, path, body), status in zip(CALLS, STATUSES, strict=True):
        sent = {} if body is None else {"json": body[1]}
        url = served.url + path.format(**parts(path))
        found = httpx.request(method, url, headers=bearer(token), **sent)
        assert found.status_code == status
        yield found


def test_a_client_in_python_reads_what_is_answered(
    served: tuple[Served, str], described: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = Path(sys.executable).parent
    done = subprocess.run(
        [tools / "openapi-python-client", "generate", "--meta", "none",
         "--path", described, "--output-path", tmp_path / PACKAGE],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env=plain_environment(PATH=str(tools), NO_COLOR="1"),
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert said.count("Unsupported content_type application/x-ndjson") == UNSUPPORTED
    assert said.count("WARNING") == UNSUPPORTED, said
    assert "rror" not in said, said

    monkeypatch.syspath_prepend(tmp_path)
    server, token = served
    whole = importlib.import_module(PACKAGE)
    models = importlib.import_module(f"{PACKAGE}.models")
    client = whole.AuthenticatedClient(base_url=server.url, token=token)
    for answer, (name, _, path, body) in zip(answers(*served), CALLS, strict=True):
        module = importlib.import_module(f"{PACKAGE}.api.{name}")
        given = parts(path) | ({"roll": 99} if "99" in path else {})
        named = {} if body is None else {"body": getattr(models, body[0]).from_dict(body[1])}
        found = module.sync_detailed(**given, **named, client=client)
        assert found.status_code == answer.status_code, name
        many = isinstance(found.parsed, list)
        read = [each.to_dict() for each in found.parsed] if many else found.parsed.to_dict()
        assert spare(read) == spare(answer.json()), name
    client.get_httpx_client().close()


def spare(value: Any) -> Any:
    """JSON without what differs each time that it is asked for."""
    if isinstance(value, list):
        return [spare(each) for each in value]
    if isinstance(value, Mapping):
        return {k: spare(each) for k, each in value.items() if k not in ("head", "size", "entries")}
    return value


@compiled
def test_types_of_typescript_hold_what_is_answered(
    served: tuple[Served, str], described: Path, tmp_path: Path
) -> None:
    cli = TSC.parents[2] / "openapi-typescript" / "bin" / "cli.js"
    out = tmp_path / "types.ts"
    run = [str(NODE), str(cli), str(described), "--output", str(out)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    lines = ['import type { paths } from "./types";']
    for at, (answer, (_, method, path, body)) in enumerate(
        zip(answers(*served), CALLS, strict=True)
    ):
        shape = path.replace("99", "{roll}")
        media = answer.headers["content-type"].partition(";")[0]
        operation = f'paths["{shape}"]["{method.lower()}"]'
        kind = f'{operation}["responses"][{answer.status_code}]["content"]["{media}"]'
        lines.append(f"export const answer{at}: {kind} = {answer.text};")
        if body is not None:
            kind = f'{operation}["requestBody"]["content"]["application/json"]'
            lines.append(f"export const sent{at}: {kind} = {json.dumps(body[1])};")
    wrong = 'export const wrong: paths["/health"]["get"]["responses"][200] = 7;'
    for name, more in {"right.ts": [], "wrong.ts": [wrong]}.items():
        (tmp_path / name).write_text("\n".join([*lines, *more]), encoding="utf-8")
        command = [str(NODE), str(TSC), *OPTIONS, name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode != 0) == bool(more), done.stdout
