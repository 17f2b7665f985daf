"""How much work something is, counted without a clock: the steps of Python's own interpreter."""

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(work: Callable[[], object]) -> int:
    """The bytecodes that are run meanwhile, in this thread, in functions that are called here.

    What C does inside one of them counts as one: a copy of a long list, a look into a database.
    """
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        if event == "opcode":
            count += 1
        elif event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return seen

    before = sys.gettrace()
    gc.disable()  # it may call Python's own code at any time
    sys.settrace(seen)
    try:
        work()
    finally:
        sys.settrace(before)
        gc.enable()
    return count
