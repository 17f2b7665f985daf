"""The command `urim serve`: a server for the tables of a database, until it is stopped."""

import asyncio
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import Refused, pip_install
from ...events.log.location import Location
from ..server.process.config import Config
from ..server.process.settings import FILE as CONFIG_FILE
from ..server.process.settings import Setting, gathered, settings
from .database import DATABASE
from .frame import FILE, command
from .shared import print_objects, say

if TYPE_CHECKING:
    from ..access.secret import Secret

NEEDED = {
    "h11",
    "httptools",
    "litestar",
    "platformdirs",
    "prometheus_client",
    "segno",
    "uvicorn",
    "websockets",
}
"""What the extra `server` brings, and a server cannot do without."""


def _options() -> Iterator[click.Option]:
    """A flag for every setting."""
    for each in settings():
        text = f"{each.help.removesuffix('.')}{_shown(each)}."
        if isinstance(each.default, bool):
            flags = f"{each.flag}/--no-{each.flag.removeprefix('--')}"
            yield click.Option([flags, each.name], default=None, help=text)
            continue
        yield click.Option(
            [each.flag, each.name],
            type=FILE if each.form == "a file" else str,
            metavar=_metavar(each),
            multiple=each.several,
            help=text,
        )


def _metavar(setting: Setting) -> str:
    first = setting.form.removeprefix("a list; each ").split(",", 1)[0]
    return {"a whole number": "N", "a number": "N", "a file": "FILE"}.get(first, "ADDRESS")


def _shown(setting: Setting) -> str:
    """The value it has by itself, where there is one to show."""
    if setting.default in (None, (), False):
        return ""
    shown = setting.default
    text = (
        ", ".join(shown)
        if isinstance(shown, tuple)
        else f"{shown:g}"
        if isinstance(shown, float)
        else str(shown)
    )
    return f" (by itself {text})"


@command(
    DATABASE,
    click.Option(
        ["--config", "file"],
        type=FILE,
        metavar="FILE",
        help=f"Settings as TOML; the variable {CONFIG_FILE} names it too.",
    ),
    *_options(),
    click.Option(
        ["--new-host-link"],
        is_flag=True,
        help="Print another host's link, and end; the old one and all tokens from it are revoked.",
    ),
)
def serve(
    database: Location, *, file: Path | None, new_host_link: bool, as_json: bool, **flags: Any
) -> None:
    """Serve the tables of a database to clients, until it is stopped.

    The database is made if it is not there. The host's link is printed once: the first to open it
    is the host, who opens tables and invites their narrators.
    """
    given = {
        name: str(value) if isinstance(value, Path) else value for name, value in flags.items()
    }
    config = gathered(given, os.environ, file)
    with needing_server():
        from ..server.process import server  # noqa: PLC0415  only with the extra

    def show(event: str, config: Config, link: "Secret | None") -> None:
        _show(event, config, link and server.host_url(config, link), as_json=as_json)

    with asyncio.Runner(loop_factory=server.loop_factory()) as runner:
        if new_host_link:
            link = runner.run(server.new_host_link(database, config))
            show("host-link", config, link)
            return
        runner.run(server.serve(database, config, started=lambda *known: show("serving", *known)))


@contextmanager
def needing_server() -> Generator[None]:
    """Refuse with "due" what imports a package of the extra `server` that is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        why = f"a server needs the package {error.name}, which is not installed"
        raise Refused("due", why, allowed=[pip_install("server")]) from error


def _show(event: str, config: Config, link: str | None, *, as_json: bool) -> None:
    """Say where the server is, and the host's link where it was made now."""
    if as_json:
        found = {"type": event, "url": config.own[0], "host_link": link}
        print_objects([{name: value for name, value in found.items() if value is not None}])
        return
    if event == "serving":
        say(f"serving at {config.own[0]}")
    if link is not None:
        say(f"the host's link, shown once: {link}")
