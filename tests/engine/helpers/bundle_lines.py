"""A bundle as lines of JSON, to be changed; and why what comes of it is none."""

import json
from io import BytesIO
from typing import Any

import pytest

from urim.engine.bundle.read import Bundle
from urim.errors import Refused


def objects(file: bytes) -> list[dict[str, Any]]:
    """The lines of a bundle."""
    return [json.loads(line) for line in file.splitlines()]


def written(lines: list[dict[str, Any]]) -> bytes:
    """Lines as a file."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def changed(file: bytes, line: int, **values: Any) -> bytes:
    """A bundle with other values in a line; None takes a key away."""
    lines = objects(file)
    lines[line] |= values
    lines[line] = {key: value for key, value in lines[line].items() if value is not None}
    return written(lines)


def why_not(file: bytes) -> str:
    """Why a file is no bundle."""
    with pytest.raises(Refused) as refused:
        for _ in Bundle(BytesIO(file)):
            pass
    assert refused.value.code == "unreadable"
    return refused.value.why
