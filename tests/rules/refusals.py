"""How a table refuses: by a code, in words that name what is wrong, and with nothing changed."""

import pytest

from urim.engine.core.commands import Asking
from urim.engine.table import Table
from urim.errors import Refused


def refused(table: Table, seat: str, command: Asking, code: str, *texts: str) -> None:
    """The command is refused with this code and these words, and changes nothing."""
    size, state = len(table.entries), table.state
    with pytest.raises(Refused) as found:
        table.submit(seat, command)
    assert found.value.code == code
    for words in texts:
        assert words in str(found.value)
    assert len(table.entries) == size
    assert table.state == state
