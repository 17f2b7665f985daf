"""What a server listens with: its socket, its certificate, its address. Refused before it runs."""

import errno
import socket
import ssl

from ....errors import Refused
from .config import Config


def listener_of(config: Config) -> socket.socket:
    """The socket that listens. Raises Refused where the address or the port cannot be had."""
    return listener_at(config.host, config.port)


def listener_at(host: str, port: int) -> socket.socket:
    """The socket that listens at an address; refused as `listener_of` says."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = f"{host}, port {port}"
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            why = f"{place} is in use by another program"
            raise Refused("taken", why, allowed=["another --port"]) from error
        why = f"nobody can listen on {place}: {error.strerror or error}"
        raise Refused("unreadable", why, allowed=["another --host or --port"]) from error
    # What it accepts inherits it: without, each small answer waits 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def check_tls(config: Config) -> None:
    """Refuse a certificate or a key that cannot be read, or that do not fit each other."""
    if config.tls_cert is None:
        return
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(config.tls_cert, config.tls_key)
    except OSError as error:  # ssl's errors are OSErrors
        why = f"{config.tls_cert} and {config.tls_key}: {error.strerror or error}"
        raise Refused("unreadable", why, allowed=["a certificate and its key, PEM"]) from error


def check_reached(config: Config) -> None:
    """Refuse an address that is every address, where nothing says by which name clients come."""
    if config.url is None and config.host in ("0.0.0.0", "::"):  # noqa: S104  to refuse it
        why = f"clients come to {config.host} by another name, and no other name is served"
        raise Refused("due", why, allowed=["--url https://dice.example"])
