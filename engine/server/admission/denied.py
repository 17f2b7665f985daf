"""What a server itself refuses, before any service was asked."""

from ...wire.problems import OURS


class Denied(Exception):
    """A request that is refused with one of `wire.problems.OURS`; nothing was changed.

    `why` is the sentence that the client reads: for 401 always the same. `retry_after` is in
    seconds; `head` the signed head that goes with `forked`.
    """

    def __init__(
        self,
        code: str,
        why: str | None = None,
        *,
        retry_after: float | None = None,
        head: bytes | None = None,
    ) -> None:
        self.code = code
        self.status, meaning = OURS[code]
        self.why = why or meaning
        self.retry_after = retry_after
        self.head = head
        super().__init__(code, self.why)
