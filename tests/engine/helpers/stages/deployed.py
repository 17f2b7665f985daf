"""The deployment of docs/deploy as it is shipped: two servers of its unit, nginx in front of them.

async with deployed(place, folder) as servers:
    ...

Only what must be another one on this machine is replaced: the program's folder, the ports, the
address, the certificate, and what urim.env names. The servers run under the unit's filter of system
calls, and may write to no file.
"""

import asyncio
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from secrets import token_hex

from tests.engine.helpers.stages import confined
from tests.engine.helpers.stages.hosted import Hosted
from tests.engine.server.process.test_server import self_signed
from tests.events.postgres.server import lesser_user, roomy
from tests.tools import needed
from tests.tree import ROOT
from urim.events.log.location import DatabaseUrl

DEPLOY = ROOT / "docs" / "deploy"
UNIT = DEPLOY / "urim@.service"
SITE = DEPLOY / "nginx.conf"
ENV = DEPLOY / "urim.env"

QUICK = {"URIM_SERVE_RATE": "100000", "URIM_SERVE_BURST": "100000"}
"""So that a test need not wait."""

INSTALLED = "/opt/urim/bin/"
"""Where the unit has its program."""

HERE = f"{Path(sys.executable).parent}/"

PORTS = ("8001", "8002")
"""Of the servers, in the shipped configuration of nginx."""

NGINX = """
daemon off;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 512; }
http {
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include site.conf;
}
"""
"""What a distribution's nginx.conf has, for a user without rights."""


def said(key: str) -> list[str]:
    """What the unit says under a key."""
    lines = UNIT.read_text(encoding="utf-8").splitlines()
    return [value for name, _, value in (line.partition("=") for line in lines) if name == key]


def variables(text: str) -> dict[str, str]:
    """What a file of variables gives, as systemd reads it."""
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, _, value in lines if name}


def words(line: str, port: str, env: dict[str, str]) -> list[str]:
    """A command of the unit as systemd starts it, with this machine's program."""
    found = [word.replace("%i", port) for word in shlex.split(line)]
    given = [re.sub(r"\$\{(\w+)\}", lambda name: env[name[1]], word) for word in found]
    return [given[0].replace(INSTALLED, HERE), *given[1:]]


@cache
def calls() -> str:
    """The system calls that the unit lets its server make, with commas between."""
    allowed: set[str] = set()
    for line in said("SystemCallFilter"):
        named = _expanded(*line.removeprefix("~").split())
        allowed = allowed - named if line.startswith("~") else allowed | named
    return ",".join(sorted(allowed))


def _expanded(*names: str) -> set[str]:
    """Calls, in place of the sets of them that have a name."""
    found = {name for name in names if not name.startswith("@")}
    if sets := [name for name in names if name.startswith("@")]:
        asked = [str(needed("systemd-analyze")), "--no-pager", "syscall-filter", *sets]
        said = subprocess.run(asked, capture_output=True, check=True, encoding="utf-8").stdout
        lines = [line.strip() for line in said.splitlines() if line.startswith(" ")]
        found |= _expanded(*(line for line in lines if not line.startswith("#")))
    return found


def free_port() -> str:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])


def make_key() -> None:
    """Make the key of the secrets, as docs/postgres.md says."""
    key = Path(os.environ["URIM_SECRETS_KEY"])
    key.parent.mkdir(mode=0o700)
    key.touch(mode=0o600)
    key.write_text(token_hex(32), encoding="utf-8")


class Nginx:
    """nginx with the shipped configuration, as a user without rights, in a folder of its own."""

    def __init__(self, ports: dict[str, str]) -> None:
        """`ports` are those of the servers, by the shipped ones."""
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="urim-nginx-", dir=roomy()))
        site = SITE.read_text(encoding="utf-8")
        for shipped, port in ports.items():
            site = site.replace(f"127.0.0.1:{shipped} ", f"127.0.0.1:{port} ")
        site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl")
        key, self.certificate = self_signed()
        files = {"site.conf": site.encode(), "nginx.conf": NGINX.encode()}
        files |= {"urim/privkey.pem": key, "urim/fullchain.pem": self.certificate}
        (self.folder / "urim").mkdir()
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        user = lesser_user()
        as_user = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid}
        if user is not None:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, user.pw_uid, user.pw_gid)
        asked = [needed("nginx"), "-p", f"{self.folder}/", "-c", "nginx.conf", "-e", "error.log"]
        self.process = subprocess.Popen(asked, **as_user)  # type: ignore[call-overload]

    @property
    def url(self) -> str:
        """Where clients come in."""
        return f"https://127.0.0.1:{self.port}"

    def end(self) -> None:
        """End it, and remove its files."""
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


class Deployed(Hosted):
    """Both servers behind nginx; `kill` ends one of them, in turn: `killed` of them by SIGKILL.

    The others drain. `serve` starts whichever does not run, as the unit does, and waits as the unit
    waits.
    """

    def __init__(self, place: DatabaseUrl, nginx: Nginx, ports: dict[str, str]) -> None:
        self.database = place
        self.nginx = nginx
        self.ports = list(ports.values())
        self.link = self.host_token = ""
        self.starts = self.ends = self.killed = 0
        self.running: dict[str, subprocess.Popen[str]] = {}
        given = variables(ENV.read_text(encoding="utf-8"))
        own = {"URIM_DATABASE": place.reveal(), "URIM_SERVE_URL": nginx.url}
        own["URIM_SECRETS_KEY"] = os.environ["URIM_SECRETS_KEY"]
        assert {*given} == {*own}
        self.env = variables("\n".join(said("Environment"))) | own | QUICK

    @property
    def url(self) -> str:
        return self.nginx.url

    async def serve(self, *more: str) -> None:
        for port in self.ports:
            if port not in self.running:
                self.running[port] = await asyncio.to_thread(self._started, port, *more)
                self.starts += 1

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws", 1)

    async def kill(self) -> None:
        """One drains, the other is killed, then the other way round."""
        how = (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)[self.ends % 4]
        await self.stop(self.ports[self.ends % 2], how)
        self.ends += 1
        self.killed += how is signal.SIGKILL

    async def end(self) -> None:
        for port in [*self.running]:
            await self.stop(port)

    def close(self) -> None:
        """End all that is left, by whatever is needed."""
        for process in self.running.values():
            process.kill()
            process.communicate()

    async def stop(self, port: str, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server at a port. It complained of nothing."""
        process = self.running.pop(port)
        process.send_signal(how)
        _, complaints = await asyncio.to_thread(process.communicate)
        ended = 0 if how is signal.SIGTERM else -how
        assert (process.returncode, complaints) == (ended, "")

    def _started(self, port: str, *more: str) -> "subprocess.Popen[str]":
        [start], [ready] = said("ExecStart"), said("ExecStartPost")
        process = subprocess.Popen(
            [sys.executable, confined.__file__, calls(), *words(start, port, self.env), *more],
            cwd="/",
            env={"PATH": os.defpath, **self.env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        done = subprocess.run(words(ready, port, self.env), check=False, capture_output=True)
        assert done.returncode == 0, (done.stderr, process.poll(), process.stderr)
        assert process.stdout is not None
        assert process.stdout.readline() == f"serving at {self.url}\n"
        if not self.link:
            self.link = process.stdout.readline().rpartition(" ")[2].strip()
        return process


@asynccontextmanager
async def deployed(place: DatabaseUrl) -> AsyncGenerator[Deployed]:
    """Two servers on a database behind nginx, ended at the end by whatever is needed.

    Skips where a program is not here that the deployment uses.
    """
    for program in ("nginx", "systemd-analyze", "curl"):
        needed(program)
    make_key()
    ports = {shipped: free_port() for shipped in PORTS}
    nginx = Nginx(ports)
    found = Deployed(place, nginx, ports)
    try:
        await found.serve()
        yield found
    finally:
        found.close()
        nginx.end()
