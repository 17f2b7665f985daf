"""The command line, loaded once and forked for each command: `python -m tests.warm SOCKET`.

A small program, CLIENT, stands where a reader has `urim`. It hands its words, its folder, its
environment and its streams to the one process that has loaded everything, and ends as its fork.
"""

import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from tests import tree

CLIENT = """#!{python} -IS
import _socket, json, os, struct, sys
if sys.argv[1:2] in (["serve"], ["play"]) or os.listdir({site}) != ["ours.pth"]:
    os.execv({real}, [{real}, *sys.argv[1:]])
line = _socket.socket(_socket.AF_UNIX)
line.connect({path})
rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("3i", 0, 1, 2))]
told = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
line.sendmsg([struct.pack("I", len(told))], rights)
line.sendall(told)
sys.exit(line.recv(1)[0])
"""
"""What lasts is a process of its own, and so is what comes after the reader installed something.

`real` is the program itself, `site` where the reader's installations go, `path` the socket.
"""

LOADED = ("engine.cli", "engine.core", "engine.render", "engine.scenario", "projections", "rules")
"""The packages of which each module is loaded before the first command."""


def load() -> None:
    """Import what commands need."""
    for name in LOADED:
        package = import_module(f"urim.{name}")
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(each.name)


def answer(line: socket.socket) -> None:
    """Take a command, let a fork of this process run it, and tell its exit code."""
    size, streams, *_ = socket.recv_fds(line, 4, 3)
    with line.makefile("rb") as file:
        words, folder, env = json.loads(file.read(int.from_bytes(size, sys.byteorder)))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if not child:
        line.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        # What is known of those before, as whether one can seek in them, is not so of these.
        sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww", (-1, -1, 1))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = words
        run()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    line.sendall(bytes([code if code >= 0 else 128 - code]))


def run() -> NoReturn:
    """Be the command. What was loaded is left to the system: to take it apart would take longer."""
    code: str | int | None = None
    try:
        import_module("urim.engine.cli").main()
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else 0)


def main(path: str) -> None:
    """Say when everything is loaded, then wait for commands."""
    load()
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for a fork
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        print("loaded", flush=True)
        while True:
            line, _ = server.accept()
            if not os.fork():
                server.close()
                answer(line)
                os._exit(0)
            line.close()


def program(path: Path, python: Path, site: Path, real: Path) -> str:
    """The program that asks the process at a path; see CLIENT."""
    given = {"path": str(path), "site": str(site), "real": str(real)}
    return CLIENT.format(python=python, **{name: repr(each) for name, each in given.items()})


@contextmanager
def running(path: Path) -> Generator[None]:
    """A process that waits for commands at this path, until it is not needed any more."""
    words = [sys.executable, "-m", "tests.warm", str(path)]
    env = tree.plain_environment(PYTHONUTF8="1")
    with subprocess.Popen(words, cwd=tree.ROOT, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"loaded\n"
        try:
            yield
        finally:
            process.kill()


if __name__ == "__main__":
    main(sys.argv[1])
