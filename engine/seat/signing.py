"""A seat's requests, signed with the seat's key where it has one.

The key itself is elsewhere: here it is a function that signs bytes, under its public key.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from msgspec.structs import replace

from ...errors import Refused
from ...events.asked import Asked, Seen, signed
from ...events.checkpoint import Checkpoint
from ..core.commands import AnyCommand, TakeSeat
from ..core.request import WireRequest

Signers: TypeAlias = Mapping[str, Callable[[bytes], bytes]]
"""What signs bytes, 64 bytes each time, by its Ed25519 public key in base64."""

NO_SIGNERS: Signers = MappingProxyType({})


def signed_request(
    request: WireRequest,
    command: AnyCommand,
    seat: str,
    key: str | None,
    head: Checkpoint | None,
    signers: Signers,
) -> WireRequest:
    """The request as it is sent: signed over this head where the seat has a key, or takes one.

    Raises Refused: "not-yours" where the key is none of the signers', "due" before any head.
    """
    taken = command.key if isinstance(command, TakeSeat) and command.seat == seat else None
    wanted = key or taken
    if wanted is None:
        return request
    if wanted not in signers:
        why = f"seat {seat} signs with key {wanted}, which this client does not have"
        raise Refused("not-yours", why, allowed=sorted(signers))
    if head is None:
        why = "a signed command names a signed head, and there is none yet"
        raise Refused("due", why, allowed=["a signed head first"])
    seen = Seen(head.size, head.root.hex())
    asked = Asked(str(request.request), request.body, seen)
    sig = signers[wanted](signed(head.origin, seat, asked))
    return replace(request, seen=seen, sig=b64encode(sig).decode("ascii"))
