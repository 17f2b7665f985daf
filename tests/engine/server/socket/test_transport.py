"""A text as a frame: as the library writes it."""

import pytest
from websockets.frames import Frame, Opcode

from urim.engine.server.socket.transport import framed


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
def test_a_text_is_framed_as_the_library_frames_it(length: int) -> None:
    assert framed(b"x" * length) == Frame(Opcode.TEXT, b"x" * length).serialize(mask=False)
