"""What a request brings, at its bounds."""

import pytest

from urim.engine.server.http.incoming import check_depth, number
from urim.engine.wire.numbers import DEEP
from urim.errors import Refused
from urim.events.strict import MOST


def test_a_body_may_be_nested_so_deep_and_no_deeper() -> None:
    check_depth(b"[" * DEEP + b"]" * DEEP)
    check_depth((b"[" * DEEP + b"]" * DEEP) * 2)
    check_depth(b'["' + b"[{" * DEEP + b'\\"["]')
    for deep in (b"[" * (DEEP + 1), b'{"a":' * (DEEP + 1), b'"\\""' + b"[" * (DEEP + 1)):
        with pytest.raises(Refused, match="nested"):
            check_depth(deep)


def test_a_number_is_within_its_bounds() -> None:
    assert number(str(MOST), "n") == MOST
    assert number("-1", "n", least=-1) == -1
    for text, code in (
        (str(MOST + 1), "out-of-range"), ("9" * 5_000, "out-of-range"), ("-1", "out-of-range"),
        ("007", "malformed"), ("1 ", "malformed"), ("+1", "malformed"), ("1\n", "malformed"),
    ):  # fmt: skip
        with pytest.raises(Refused) as refused:
            number(text, "n")
        assert refused.value.code == code
