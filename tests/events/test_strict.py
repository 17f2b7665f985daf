"""The quick way to see that a body is strict: never a yes for one that is not."""

import pytest

from urim.events.strict import plain_body


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
