"""What the tests of the PostgreSQL log get: a database of their own on a server they share."""

import asyncio
from collections.abc import Generator

import pytest

from tests.events.postgres.server import Databases, name_in, shared
from urim.events.log.postgres import PostgresLog


@pytest.fixture(scope="session")
def databases() -> Generator[Databases]:
    """Where databases are made; one server for all tests of this process."""
    with shared() as url:
        found = Databases(url)
        yield found
        found.remove()


@pytest.fixture(scope="session")
def template(databases: Databases) -> str:
    """The name of a database with an empty log in it."""
    url = databases.new()

    async def make() -> None:
        await (await PostgresLog.open(url)).close()

    asyncio.run(make())
    return name_in(url)


@pytest.fixture
def url(databases: Databases, template: str) -> str:
    """A database with an empty log in it, and nobody else's."""
    return databases.new(template)
