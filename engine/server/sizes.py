"""What a signed head says of its table's size."""

from .asker import Asker


def covered(head: bytes) -> int:
    """How many entries a signed head covers: the second line of its note."""
    return int(head.split(b"\n", 2)[1])


async def size_of(asker: Asker, head: bytes | None) -> int:
    """How many entries the asker's table has. Raises Refused("unknown") as reading it does."""
    if head is not None:
        return covered(head)
    # Nothing is signed between the beginning of an epoch and the entry after it.
    return len(await asker.front.view(asker.table, asker.seat))
