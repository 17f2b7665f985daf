"""The bodies of commands: both readers take the same ones, and refuse the same ones.

`tests/vectors/bodies.json` holds the cases; the page's reader runs them in units.test.mjs.
"""

import json

import pytest

from tests.tree import ROOT
from urim.events.strict import Malformed, strict_body

CASES = json.loads((ROOT / "tests" / "vectors" / "bodies.json").read_bytes())


@pytest.mark.parametrize("name", CASES["strict"])
def test_a_strict_body_means_what_everybody_reads(name: str) -> None:
    text = CASES["strict"][name]
    assert strict_body(text.encode("utf-8")) == json.loads(text)


@pytest.mark.parametrize("name", CASES["refused"])
def test_any_other_body_is_refused(name: str) -> None:
    with pytest.raises(Malformed):
        strict_body(CASES["refused"][name].encode("utf-8"))
