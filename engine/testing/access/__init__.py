"""One suite that every store of access must pass unchanged, whatever keeps its grants.

    class TestMyStore(AccessConformance):
        @asynccontextmanager
        async def make_store(self, limits: Limits) -> AsyncGenerator[AccessStore, None]:
            store = await MyStore.open(..., limits=limits)      # empty, and nobody else's
            yield store
            await store.close()

It needs pytest and nothing more: every test runs an event loop of its own.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"{__package__}.{name}" for name in ("harness", "coming", "going"))
)

# Imported only now, so that pytest explains their failures as it does those of any test.
from .coming import ComingTests  # noqa: E402
from .going import GoingTests  # noqa: E402


class AccessConformance(ComingTests, GoingTests):
    """Subclass it, name your store in `make_store`, and let pytest find the subclass.

    Set `patience` lower or higher, in seconds, if waiting for your store takes less or more.
    """
