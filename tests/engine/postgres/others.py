"""A database as any program has it that is no service: what it answers, and what it does."""

from typing import Any

import asyncpg

from tests.events.postgres.server import run_now
from urim.events.log.location import DatabaseUrl


def asked(place: DatabaseUrl, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """What the database answers to its keeper."""

    async def within() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(place.reveal())
        try:
            return [tuple(row) for row in await connection.fetch(sql, *values)]
        finally:
            await connection.close()

    return run_now(within())


def by_others(place: DatabaseUrl, *statements: str) -> None:
    """Run statements as a superuser."""

    async def within() -> None:
        connection = await asyncpg.connect(place.reveal())
        try:
            for each in statements:
                await connection.execute(each)
        finally:
            await connection.close()

    run_now(within())
