"""Bodies are strict as tests/vectors/bodies.json has them; the quick way is never wrong."""

import json

import pytest

from tests.tree import ROOT
from urim.engine.verifier import urimcheck
from urim.events.strict import Malformed, plain_body, strict_body

CASES = json.loads((ROOT / "tests" / "vectors" / "bodies.json").read_bytes())
"""What urimcheck.js reads of them, urimcheck.test.mjs tests."""


@pytest.mark.parametrize("name", CASES["strict"])
def test_a_strict_body_means_what_everybody_reads(name: str) -> None:
    text = CASES["strict"][name]
    assert strict_body(text.encode("utf-8")) == urimcheck.strict(text, "body") == json.loads(text)


@pytest.mark.parametrize("name", CASES["refused"])
def test_any_other_body_is_refused(name: str) -> None:
    text = CASES["refused"][name]
    with pytest.raises(Malformed):
        strict_body(text.encode("utf-8"))
    with pytest.raises(urimcheck.Malformed):
        urimcheck.strict(text, "body")


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (b'{"a":"\\u0041"}', b'{"a":"A"}'),
        (b'{"a": 1}', b'{"a":1}'),
        (b'{"a":1,"a":1}', b'{"a":1}'),
        (b'{"b":1,"a":2}', b'{"a":2,"b":1}'),
    ],
)
def test_a_body_that_would_be_written_otherwise_is_looked_at_slowly(
    text: bytes, again: bytes
) -> None:
    assert plain_body(again, again)
    assert not plain_body(text, again)
    assert not plain_body(again, text)
