"""A real PgBouncer for tests, started by them and ended with them.

It runs as a user without rights, even where root starts the tests, in a folder of its own, and is
reached through a socket there alone.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg

from tests.events.postgres.server import PATIENCE, lesser_user, name_in, roomy, run_now
from tests.tools import needed
from urim.events.log.postgres.place import FAULTS

CONFIGURED = """
[databases]
* = {server}
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = {mode}
default_pool_size = {size}
"""


def server_of(url: str) -> str:
    """Where a server is, in the words of PgBouncer."""
    parts = urlsplit(url)
    given = parse_qs(parts.query)
    words = {
        "host": parts.hostname or given["host"][0],
        "port": parts.port or given.get("port", ["5432"])[0],
        "password": parts.password,
    }
    return " ".join(f"{name}={word}" for name, word in words.items() if word)


@contextmanager
def pooled(url: str, mode: str = "session", size: int = 40) -> Generator[str]:
    """The URL of a database by way of a pooler with so many sessions. Skips where none is here."""
    found = needed("pgbouncer")
    user, folder = lesser_user(), Path(tempfile.mkdtemp(prefix="urim-pool-", dir=roomy()))
    config, name = folder / "pgbouncer.ini", urlsplit(url).username
    config.write_text(CONFIGURED.format(server=server_of(url), folder=folder, mode=mode, size=size))
    (folder / "users").write_text(f'"{name}" ""\n')
    names: dict[str, Any] = {}
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
        names = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [found, config], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **names
        )
    try:
        there = f"postgresql://{name}@/{name_in(url)}?host={folder}&port=6432"
        run_now(_answers(there, process, folder / "log"))
        yield there
    finally:
        process.kill()
        process.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


async def _answers(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            connection = await asyncpg.connect(url, timeout=PATIENCE)
        except FAULTS:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(log.read_text()) from None  # noqa: ASYNC240 - it is one line
            await asyncio.sleep(0.02)
        else:
            await connection.close()
            return
