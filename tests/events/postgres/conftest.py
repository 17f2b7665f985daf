"""What the tests of the PostgreSQL log get: a database of their own on a server they share."""

import asyncio
from collections.abc import Generator

import pytest

from tests.events.postgres.server import Databases, shared


@pytest.fixture(scope="session")
def databases() -> Generator[Databases]:
    """Where databases are made; one server for all tests of this process."""
    with shared() as url:
        found = Databases(url)
        yield found
        asyncio.run(found.remove())


@pytest.fixture
def url(databases: Databases) -> Generator[str]:
    """A database with an empty log in it that the test uses as Urim does."""
    found = asyncio.run(databases.empty())
    yield found
    databases.free.append(found)


@pytest.fixture
def own_url(databases: Databases) -> str:
    """A database with an empty log in it that the test may harm."""
    return asyncio.run(databases.log())
