"""One suite that every log must pass unchanged, whatever keeps its entries.

    class TestMyLog(EventLogConformance):
        @asynccontextmanager
        async def make_log(self) -> AsyncGenerator[EventLog, None]:
            log = await MyLog.open(...)      # empty, and nobody else's
            yield log
            await log.close()

It needs pytest and nothing more: every test runs an event loop of its own.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"{__package__}.{name}" for name in ("harness", "stored", "heads", "live", "bells"))
)

# Imported only now, so that pytest explains their failures as it does those of any test.
from .bells import BellTests  # noqa: E402
from .heads import HeadTests  # noqa: E402
from .live import LiveTests  # noqa: E402
from .stored import StoredTests  # noqa: E402


class EventLogConformance(StoredTests, HeadTests, LiveTests, BellTests):
    """Subclass it, name your log in `make_log`, and let pytest find the subclass.

    Set `patience` lower or higher, in seconds, if waiting for your log takes less or more.
    """
