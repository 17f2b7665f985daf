"""Tries a running server against OWASP ASVS 5.0, as far as its answers show what is kept.

    python -m tests.engine.server.asvs 'https://dice.example/#h=urim-h1-...' [--rest 1]

It takes the host's link of a server that was started for this on a new database, with the settings
and the proxy of the real one, and opens tables there. It prints a line for each number; the code is
1 where one is not kept that tests/asvs.toml says is. SSL_CERT_FILE names a certificate of your own.
"""

import argparse
import re
import socket
import ssl
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from secrets import token_urlsafe
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import pytest

from tests import asvs
from tests.engine.helpers.stages.server import NARRATOR, PLAYERS, bearer
from tests.engine.server import attacks_on_form, attacks_on_limits, attacks_on_tables
from tests.engine.server.attacking import ATTACKS, Act, Scene
from tests.engine.server.http_table import OTHER, TABLE, Site
from tests.engine.server.routes.test_reading import refused
from urim.engine.access.secret import draw

MODULES = (attacks_on_form, attacks_on_limits, attacks_on_tables)
"""Where the attacks are: once imported, they are in ATTACKS."""

LAST = ("a hundred guesses of one address", "another address in a header")
"""Tries after which the address has no guess left."""


NAMES = {name for each in asvs.KEPT.values() for name in each.tries}
"""Every try by its name."""

FAILED, UNTRIED = "NOT KEPT", "not tried"


class Untried(Exception):
    """What cannot be tried at this server, and why."""


class Away:
    """A server that is reached over HTTP alone; for a `Site` it is as `Served` is."""

    def __init__(self, link: str) -> None:
        self.url, _, secret = link.partition("/#h=")
        self.ws_url = self.url.replace("http", "ws", 1)
        self.here = SimpleNamespace(config=SimpleNamespace(port=urlsplit(self.url).port or 443))
        self.host_token = self.exchange(secret)
        self._held: dict[tuple[str, str | None], str] = {}

    def open(self, table: str, seats: Mapping[str, str] = PLAYERS) -> dict[str, str]:
        """Open a table with these seats; a token for each, and for the narrator."""
        body = {"table": table, "ruleset": "milhamah", "source": "scripted"}
        opened = self._posted("/tables", body, self.host_token)
        self._held[table, NARRATOR] = self.exchange(opened["invitation"])
        for seat, role in seats.items():
            self._held[table, seat] = self.token(table, role, seat)
        return {seat: self._held[table, seat] for seat in (NARRATOR, *seats)}

    def token(self, table: str, role: str, seat: str | None = None) -> str:
        """A further token."""
        return self.exchange(self.invitation(table, role, seat))

    def invitation(self, table: str, role: str, seat: str | None = None) -> str:
        """An invitation's secret, from who holds the seat, or from the narrator."""
        by = self._held.get((table, seat)) or self._held[table, NARRATOR]
        body = {"role": role} if seat is None else {"role": role, "seat": seat}
        secret: str = self._posted(f"/tables/{table}/invitations", body, by)["secret"]
        return secret

    def exchange(self, secret: str) -> str:
        """The token for a link."""
        body = {"secret": secret, "client": token_urlsafe(24)}
        token: str = self._posted("/access/exchange", body)["token"]
        return token

    def _posted(self, path: str, body: Mapping[str, str], token: str = "") -> dict[str, Any]:
        headers = bearer(token) if token else {}
        answer = httpx.post(f"{self.url}{path}", json=body, headers=headers, timeout=60)
        if not answer.is_success:
            sys.exit(f"{path}: {answer.text}: take the host's link of a server on a new database")
        found: dict[str, Any] = answer.json()
        return found


class FromAway(Scene):
    """A scene of which nobody here sees the log."""

    def rows(self) -> list[Any]:
        """Nothing."""
        return []


# --- what is tried, beside the attacks ------------------------------------------------------------

OWN: dict[str, Act] = {}
"""The tries of this file by name."""


def own(act: Act) -> Act:
    """Add a try; its name is the function's."""
    OWN[act.__name__.replace("_", " ")] = act
    return act


PAGES = ("/", "/verifier", "/problems", f"/r/{TABLE}/1")
FILES = ("/web/main.js", "/web/sw.js", "/web/look/page.css", "/urim.d.ts")
DOCUMENTS = ("/openapi.json", "/schema.json", "/systems", "/systems/milhamah")
STATES = ("/health", "/ready", "/nothing", "/web/", "/metrics")
TABLES = ("", "/entries", "/checkpoint", "/bundle", "/moves", "/holders", "/rolls/1/case")


@cache
def answers(scene: Scene) -> tuple[httpx.Response, ...]:
    """Answers of every kind, good ones and refusals."""
    return tuple(_answers(scene))


def _answers(scene: Scene) -> Iterator[httpx.Response]:
    url, client = scene.served.url, scene.site.clients["p1"]
    yield from (client.get(path) for path in (*PAGES, *FILES, *DOCUMENTS, *STATES))
    yield from told(scene)
    foreign = {"Origin": "https://evil.example"}
    yield httpx.get(f"{url}/health", headers=foreign)
    asking = {"Origin": url, "Access-Control-Request-Method": "POST"}
    yield httpx.options(f"{url}/tables", headers=asking)
    yield httpx.post(f"{url}/health")
    yield httpx.post(f"{url}/access/exchange", content=b"no JSON")
    yield httpx.get(f"{url}/web/main.js", headers={"If-None-Match": etag(client)})


def etag(client: httpx.Client) -> str:
    """How a browser knows the page's first module."""
    return str(client.get("/web/main.js").headers["etag"])


@cache
def told(scene: Scene) -> tuple[httpx.Response, ...]:
    """Answers that nobody else may have."""
    clients = scene.site.clients
    own = [scene.site.get("p1", path) for path in TABLES]
    return *own, clients["p1"].get("/access"), clients["host"].get("/tables")


def sent(url: str, data: bytes) -> bytes:
    """All that is answered to these bytes, where HOST stands for the server's own."""
    parts = urlsplit(url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    with socket.create_connection((host, port), timeout=30) as plain:
        trusting = ssl.create_default_context()
        with trusting.wrap_socket(plain, server_hostname=host) if secure else plain as found:
            found.sendall(data.replace(b"HOST", parts.netloc.encode()))
            return b"".join(iter(lambda: found.recv(65_536), b""))


@own
def what_answers_may_run(scene: Scene) -> None:
    for answer in answers(scene):
        policy = answer.headers["content-security-policy"]
        parts = (each.strip().partition(" ") for each in policy.split(";"))
        named = {name: rest for name, _, rest in parts}
        assert named["default-src"] == "'none'", (answer.url, policy)
        assert named["base-uri"] == "'none'", (answer.url, policy)
        assert "object-src" not in named, (answer.url, policy)
        assert "frame-ancestors" in named, (answer.url, policy)
        assert "unsafe" not in policy.replace("require-trusted-types", ""), (answer.url, policy)


@own
def a_type_to_be_guessed(scene: Scene) -> None:
    for answer in answers(scene):
        assert answer.headers["x-content-type-options"] == "nosniff", answer.url


@own
def an_address_told_to_others(scene: Scene) -> None:
    for answer in answers(scene):
        assert answer.headers["referrer-policy"] == "no-referrer", answer.url


@own
def an_answer_that_is_kept(scene: Scene) -> None:
    for answer in told(scene):
        assert answer.headers["cache-control"] == "no-store", answer.url


@own
def a_body_of_no_type(scene: Scene) -> None:
    for answer in answers(scene):
        if answer.content:
            media = answer.headers["content-type"]
            assert not media.startswith("text/") or media.endswith("charset=utf-8"), answer.url
            if media in ("application/json", "application/problem+json"):
                answer.json()


@own
def a_page_of_another_origin(scene: Scene) -> None:
    for origin in ("null", "https://evil.example", f"{scene.served.url}.evil.example"):
        answer = scene.site.clients["host"].get("/tables", headers={"Origin": origin})
        refused_foreign = (answer.status_code, "access-control-allow-origin" in answer.headers)
        assert refused_foreign == (403, False), origin


@own
def a_document_for_everybody(scene: Scene) -> None:
    for answer in answers(scene):
        everybody = answer.headers.get("access-control-allow-origin") == "*"
        assert not everybody or answer.url.path in (*DOCUMENTS, "/urim.d.ts"), answer.url


@own
def markup_in_an_address(scene: Scene) -> None:
    for path in ("/<i id=mark>", f"/r/{TABLE}/<i id=mark>", "/r/<i id=mark>/1/<i id=mark>"):
        answer = scene.site.clients["p1"].get(path)
        assert answer.status_code == 404, path
        assert "<i id=mark>" not in answer.text, path


@own
def a_token_that_is_a_statement(scene: Scene) -> None:
    client = scene.site.clients["p1"]
    for text in ("' OR 1=1 --", "x'; DROP TABLE tokens; --"):
        answer = httpx.get(f"{scene.served.url}/access", headers=bearer(text))
        refused(answer, 401, "no-token")
        refused(client.get(f"/tables/{text}"), 404, "no-table")
    assert client.get("/access").status_code == 200


@own
def an_address_inside_is_called(scene: Scene) -> None:
    for url in (
        *("http://127.0.0.1/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/"),
        *("https://10.0.0.1/", "https://[::ffff:127.0.0.1]/", "ftp://dice.example/", "file:///etc"),
        *("https://dice.example:22/", "https://user@dice.example/", "https://0x7f000001/"),
    ):
        asked = {"url": url, "form": "content"}
        answer = scene.site.clients["p1"].post(f"/tables/{TABLE}/hooks", json=asked)
        assert answer.status_code in (409, 422), (url, answer.text)
        assert url not in answer.text


@own
def a_change_by_a_safe_method(scene: Scene) -> None:
    for path in (f"/tables/{TABLE}/requests", f"/tables/{TABLE}/rolls", "/access/exchange"):
        for method in ("GET", "HEAD"):
            answer = scene.site.clients["p1"].request(method, path)
            assert answer.status_code in (404, 405), (method, path, answer.status_code)


@own
def another_address_in_a_header(scene: Scene) -> None:
    url = f"{scene.served.url}/access"
    for number in range(40):  # one a second is given back
        headers = {"X-Forwarded-For": f"198.51.100.{number}"} | bearer(draw("t").reveal())
        if httpx.get(url, headers=headers).status_code == 429:
            return
    raise AssertionError("a guess under another address was not counted")


@own
def two_lengths_of_one_request(scene: Scene) -> None:
    second = b"GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
    length = len(second) + 5  # of the second too, for who counts by it
    head = b"POST /health HTTP/1.1\r\nHost: HOST\r\nContent-Length: %d\r\n" % length
    chunks = b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answer = sent(scene.served.url, head + chunks + second)
    first = answer.split(b" ", 2)[1]
    # Refused, or the chunks count and what follows is a request of its own.
    assert first == b"400" or answer.count(b"HTTP/1.1 ") == 2, answer


@own
def a_file_outside_the_page(scene: Scene) -> None:
    for path in (
        *("/.git/config", "/web/.git/config", "/web/../app.py", "/web/%2e%2e/app.py"),
        *("/web/..%2fapp.py", "/web//etc/passwd", "/web/verifier/../build.py", "/web/README.md"),
    ):
        data = f"GET {path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n".encode()
        assert sent(scene.served.url, data).split(b" ", 2)[1] in (b"400", b"404"), path


@own
def a_list_of_a_folder(scene: Scene) -> None:
    for path in ("/web/", "/web", "/web/look/", "/web/vendor", "/tables/", "/r/"):
        answer = scene.site.clients["p1"].get(path)
        assert answer.status_code in (403, 404), (path, answer.status_code)


@own
def a_request_that_comes_back(scene: Scene) -> None:
    headers = {"X-Mark": "of-this-try"}
    answer = httpx.request("TRACE", f"{scene.served.url}/health", headers=headers)
    assert answer.status_code in (405, 501), answer.status_code
    assert "of-this-try" not in answer.text


@own
def tokens_that_repeat(scene: Scene) -> None:
    found = {scene.served.token(TABLE, "auditor") for _ in range(5)} | {*scene.tokens.values()}
    assert len(found) == 5 + len(scene.tokens)
    assert all(len(each.partition("1-")[2]) >= 43 for each in found)  # 256 bits as base64


@own
def a_client_that_the_narrator_put_out(scene: Scene) -> None:
    token = scene.served.token(TABLE, "auditor")
    url = f"{scene.served.url}/access"
    id = httpx.get(url, headers=bearer(token)).json()["id"]
    put_out = scene.site.clients[NARRATOR].delete(f"/tables/{TABLE}/holders/{id}")
    assert put_out.json() == {"revoked": 1}
    refused(httpx.get(url, headers=bearer(token)), 401, "no-token")


@own
def a_right_of_another_role(scene: Scene) -> None:
    for who, path in (
        *(("p1", each) for each in ("/metrics", "/tables", f"/tables/{TABLE}/holders")),
        *(("auditor", f"/tables/{TABLE}{each}") for each in ("", "/entries", "/holders")),
        *(("host", f"/tables/{TABLE}{each}") for each in ("", "/entries", "/bundle")),
    ):
        refused(scene.site.clients[who].get(path), 403, "no-right")
    refused(httpx.get(f"{scene.served.url}/metrics"), 401, "no-token")


@own
def an_error_that_tells_much(scene: Scene) -> None:
    for answer in answers(scene):
        if answer.is_error:
            for word in ("Traceback", ".py", "sqlite", "/home", "litestar", "uvicorn"):
                assert word not in answer.text + str(answer.headers), (answer.url, word)


@own
def a_field_too_many(scene: Scene) -> None:
    more = {"secret": "x", "client": token_urlsafe(24), "role": "host"}
    refused(httpx.post(f"{scene.served.url}/access/exchange", json=more), 422, "malformed")
    asked = {"role": "player", "expires": 1, "by": "host"}
    client = scene.site.clients[NARRATOR]
    refused(client.post(f"/tables/{TABLE}/invitations", json=asked), 422, "malformed")


@own
def a_parameter_twice(scene: Scene) -> None:
    for query in ("after=1&after=2", "after=1&other=2"):
        refused(scene.site.get("p1", f"/entries?{query}"), 422, "malformed")


def shaken(
    scene: Scene,
    ciphers: str = "DEFAULT",
    least: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
    most: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED,
) -> str | None:
    """The version of TLS that is agreed on by a client with these limits; None for none."""
    parts = urlsplit(scene.served.url)
    if parts.scheme != "https":
        raise Untried("plain http")
    context = ssl.create_default_context()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # old versions are what is tried
        context.minimum_version, context.maximum_version = least, most
    context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    place = (parts.hostname or "", parts.port or 443)
    with (
        suppress(ssl.SSLError, ConnectionError),
        socket.create_connection(place, 30) as plain,
        context.wrap_socket(plain, server_hostname=place[0]) as found,
    ):
        return found.version()
    return None


@own
def an_old_version_of_tls(scene: Scene) -> None:
    assert shaken(scene) == "TLSv1.3"
    assert shaken(scene, "ALL", ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1) is None


@own
def a_weak_cipher_of_tls(scene: Scene) -> None:
    assert shaken(scene, most=ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    for ciphers in ("ALL:!AESGCM:!CHACHA20", "kRSA:DHE"):
        assert shaken(scene, ciphers, most=ssl.TLSVersion.TLSv1_2) is None, ciphers


# --- all of it ------------------------------------------------------------------------------------


def tried(scene: Scene, names: Iterable[str], rest: float = 0) -> dict[str, str]:
    """What came of tries: "" for good, else why not; a rest in seconds after each."""
    acts = {each.name: each.act for each in ATTACKS} | OWN
    found = {}
    for name in sorted(names, key=lambda each: (each in LAST, each)):
        try:
            acts[name](scene)
            found[name] = ""
        except Untried as error:
            found[name] = f"{UNTRIED}: {error}"
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever it is
            found[name] = f"{name}: {error!r}"
        time.sleep(rest)
    return found


def judged(results: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every number, and what is known of it now."""
    for number in asvs.STANDARD:
        if number in asvs.WITHOUT:
            yield number, f"does not apply, without {asvs.WITHOUT[number]}"
        elif number in asvs.NOT_KEPT:
            yield number, f"not kept, as stated: {asvs.NOT_KEPT[number]}"
        else:
            kept = asvs.KEPT[number]
            known = [results[name] for name in kept.tries if name in results]
            bad = [each for each in known if each]
            failed = [each for each in bad if not each.startswith(UNTRIED)]
            if failed:
                yield number, f"{FAILED}: {failed[0]}"
            else:
                yield number, bad[0] if bad else "kept" if known else f"{UNTRIED}: {kept.where}"


def main(words: Sequence[str] | None = None) -> int:
    """Try the server behind a host's link; 1 where something is not kept that is said to be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("link", help="the host's link, with #h=")
    parser.add_argument("--rest", type=float, default=1.0, help="seconds after each try")
    given = parser.parse_args(words)
    if not re.fullmatch(r"https?://[^/]+/#h=urim-h1-\S+", given.link):
        parser.error(f"{given.link!r} is no host's link: https://dice.example/#h=urim-h1-...")
    away = Away(given.link)
    away.open(OTHER)
    site = Site(cast("Any", away))
    found = dict(judged(tried(FromAway(site), NAMES, given.rest)))
    site.close()
    for number, text in found.items():
        print(f"{number:8}{text}")
    return int(any(text.startswith(FAILED) for text in found.values()))


if __name__ == "__main__":
    sys.exit(main())
