"""The command `urim play`: a server on this machine for an evening, and its page in a browser."""

import asyncio
import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import Refused
from ...events.log.location import Location
from .frame import LOG_PLACE, NUMBER, command
from .serve import needing_server
from .shared import print_objects, say

if TYPE_CHECKING:
    from ..access.secret import Secret
    from ..server.process.evening import Place

PORTS = 65_535
"""The highest port."""


@command(
    click.Argument(
        ["database"],
        type=LOG_PLACE,
        metavar="[DB]",
        required=False,
        help="The tables' file or database; by itself play.db among your data, which is named.",
    ),
    click.Option(
        ["--lan"],
        is_flag=True,
        help="Let phones and laptops of the local network play, over plain http.",
    ),
    click.Option(
        ["--host", "hosts"],
        multiple=True,
        metavar="ADDRESS",
        help="With --lan: this machine's address there, where it is not found by itself.",
    ),
    click.Option(
        ["--port"],
        type=NUMBER,
        metavar="N",
        help="Port to listen on, 0 for any; by itself 8000 or the next that is free.",
    ),
    click.Option(["--no-browser"], is_flag=True, help="Print the host's link, and open nothing."),
)
def play(
    database: Location | None,
    *,
    lan: bool,
    hosts: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    as_json: bool,
) -> None:
    """Start a server on this machine and open its page, until Ctrl-C.

    The browser comes in as the host: it opens tables and invites the others, by links and QR codes.
    Each start has another link for the host, which works once; browsers that are in stay in.
    """
    with needing_server():
        from ..server.process import evening, server  # noqa: PLC0415  only with the extra
    if port is not None and port > PORTS:
        raise Refused("out-of-range", f"the port is {port}", allowed=[f"0 to {PORTS}"])
    network = _network(lan=lan, hosts=hosts)
    opens = not no_browser and _has_browser()

    def show(place: "Place", link: "Secret") -> None:
        _show(place, link, opens=opens, as_json=as_json)

    with asyncio.Runner(loop_factory=server.loop_factory()) as runner:
        playing = evening.play(database or _usual(), port=port, network=network, started=show)
        runner.run(playing)


def _network(*, lan: bool, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses in the local network at which others come in."""
    from ..server.process.evening import checked, own_addresses  # noqa: PLC0415  as in `play`

    given = tuple(map(checked, hosts))
    if not lan:
        if given:
            why = f"{given[0]} is for the local network, which was not asked for"
            raise Refused("due", why, allowed=["--lan"])
        return ()
    found = given or own_addresses()
    if not found:
        why = "no private address of this machine was found: it is in no local network"
        raise Refused("due", why, allowed=["--host 192.168.1.5", "no --lan"])
    return found


def _usual() -> Path:
    """Where the tables are kept by themselves: the folder is made, for its owner alone."""
    from platformdirs import user_data_path  # noqa: PLC0415  only with the extra

    folder = user_data_path("urim", appauthor=False)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        why = f"{folder} cannot be made: {error.strerror}"
        raise Refused("unreadable", why, allowed=["urim play DB"]) from error
    return folder / "play.db"


def _has_browser() -> bool:
    """Whether one opens in a window: one in a terminal would take the terminal."""
    windows = sys.platform in ("win32", "darwin")
    return windows or any(os.environ.get(e) for e in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))


def _show(place: "Place", link: "Secret", *, opens: bool, as_json: bool) -> None:
    """Say where it is, and open the page."""
    host = f"{place.url}/#h={link.reveal()}"
    if as_json:
        known = {"url": place.url, "network": place.network, "file": str(place.database)}
        print_objects([{"type": "playing", **known, "host_link": host}])
    else:
        _say(place, link, host, opens=opens)
    if opens:  # not in the server's thread, which a slow browser would stop
        threading.Thread(target=webbrowser.open, args=(host,), daemon=True).start()


def _say(place: "Place", link: "Secret", host: str, *, opens: bool) -> None:
    """Say where it is, in sentences."""
    say(f"playing at {place.url}; Ctrl-C ends it")
    say(f"the tables are kept in {place.database}")
    way = "your browser opens it; if not, this" if opens else "this"
    say(f"{way} link lets the host in, once: {host}")
    if place.network:
        _say_network(place, "" if opens else f"#h={link.reveal()}")


def _say_network(place: "Place", secret: str) -> None:
    """Say where phones come in, with a QR code; with the host's secret where no browser has it."""
    from ..server.qr import qr_lines  # noqa: PLC0415  only with the extra

    url = f"{place.network[0]}/{secret}"
    for each in place.network:
        say(f"in the local network: {each}")
    say("everybody in that network may read along: play where you trust it")
    code = qr_lines(url)
    try:
        code.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return
    say("the host may come in by a phone, with this code:" if secret else "a phone gets there by:")
    for line in code.splitlines():
        say(line)
