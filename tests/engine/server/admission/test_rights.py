"""The matrix of rights over real HTTP: every route, every role, at three tables, both ways."""

from collections.abc import Callable, Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import httpx
import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.server.http_table import FACES, WISH
from tests.engine.server.routes.test_reading import plain
from urim.engine.access.rights import RIGHTS, ROLES, AccessRole, Right, allowed
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.server.admission.guesses import Guesses

Place: TypeAlias = Literal["own", "other", "nowhere"]

TABLES: dict[Place, str] = {"own": "table001", "other": "table002", "nowhere": "table999"}

SEATS: dict[AccessRole, str] = {"narrator": NARRATOR, "player": "p1", "witness": "w1"}

numbers = count(1)


class Site:
    """A server with two tables alike, and a token for every role at the first of them."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.http = httpx.Client(base_url=served.url, timeout=60)
        tokens = {table: self._open(table) for table in (TABLES["own"], TABLES["other"])}
        own = tokens[TABLES["own"]]
        self.tokens: dict[AccessRole, str] = {role: own[seat] for role, seat in SEATS.items()}
        self.tokens |= {
            "host": served.host_token,
            "auditor": served.token(TABLES["own"], "auditor"),
        }

    def _open(self, table: str) -> dict[str, str]:
        tokens = self.served.open(table, {"p1": "player", "w1": "witness"})
        self.does(tokens[NARRATOR], table, c.EnterCharacter("c1", "p1", {"BLE": 3}))
        self.does(tokens[NARRATOR], table, c.SetTable("advice", value=True))
        self.does(tokens["p1"], table, c.Declare("c1", dict(WISH)))
        self.does(tokens["p1"], table, c.RollDice(1, "initiator", faces=FACES))
        return tokens

    def does(self, token: str, table: str, asked: Any) -> list[int]:
        """Have a command done over HTTP; the entries that it added."""
        answer = self.http.post(
            f"/tables/{table}/requests", headers=bearer(token) | JSON, content=written(asked)
        )
        assert answer.status_code == 200, answer.text
        seqs: list[int] = answer.json()["seqs"]
        return seqs

    def ask(self, row: "Row", role: AccessRole, place: Place, token: str) -> httpx.Response:
        """The request of a row, by a role, at a table."""
        body = row.body(self, role) if callable(row.body) else row.body
        path = row.path.format(table=TABLES[place])
        headers = bearer(token) if token else {}
        if body is not None:
            headers |= JSON
        return self.http.request(row.method, path, headers=headers, content=body)


JSON = {"Content-Type": "application/json"}


def written(asked: Any) -> bytes:
    """A command as a request under an id of its own; a note comes with its text."""
    command, text = c.apart(asked)
    return WireRequest(body_of(command).decode(), f"request-{next(numbers)}", text).written()


# --- the table: right -> requests -----------------------------------------------------------------


Body: TypeAlias = Callable[[Site, AccessRole], bytes] | bytes | None


class Row(NamedTuple):
    """A request that needs a right. `codes`: refused otherwise than with "no-right"."""

    right: Right
    method: str
    path: str
    body: Body = None
    status: int = 200
    codes: dict[AccessRole, str] = {}  # noqa: RUF012 - never changed

    @property
    def of_a_table(self) -> bool:
        return "{table}" in self.path


def note(_site: Site, _role: AccessRole) -> bytes:
    return written(c.worded(c.Note(0), "a note"))


def erase(site: Site, role: AccessRole) -> bytes:
    """An erasure of a text that the role's seat has written."""
    seq = 0
    if role in SEATS:
        asked = c.worded(c.Note(0), "to be erased")
        seq = site.does(site.tokens[role], TABLES["own"], asked)[-1]
    return written(c.Erase(seq))


def opening(_site: Site, _role: AccessRole) -> bytes:
    table = f"opened{next(numbers):04}"
    return b'{"table":"%s","ruleset":"milhamah","source":"scripted"}' % table.encode()


def own_seat(_site: Site, role: AccessRole) -> bytes:
    seat = SEATS.get(role, "p1")
    of = role if role in SEATS else "player"
    return f'{{"role":"{of}","seat":"{seat}"}}'.encode()


PREVIEW = b'{"body":"{\\"do\\":\\"note/1\\",\\"about\\":0}"}'
ROLL = b'{"request":"roll-1","character":"nobody","declaration":{}}'
HOOK = b'{"url":"https://bot.example/urim"}'
WHATIF = b'{"changes":[{"change":"voided","roll":1}]}'
OF_TABLE = "/tables/{table}"

ROWS = (
    Row("list-tables", "GET", "/tables"),
    Row("open-table", "POST", "/tables", opening, 201),
    Row("health", "GET", "/metrics"),
    Row("command", "POST", f"{OF_TABLE}/requests", note),
    Row("command", "POST", f"{OF_TABLE}/preview", PREVIEW),
    Row("command", "POST", f"{OF_TABLE}/rolls", ROLL, status=404),
    Row("erase", "POST", f"{OF_TABLE}/requests", erase),
    Row("sight", "GET", OF_TABLE),
    Row("sight", "GET", f"{OF_TABLE}/seats"),
    Row("sight", "GET", f"{OF_TABLE}/characters"),
    Row("sight", "GET", f"{OF_TABLE}/disputes"),
    Row("sight", "GET", f"{OF_TABLE}/moves"),
    Row("sight", "GET", f"{OF_TABLE}/awaiting"),
    Row("sight", "GET", f"{OF_TABLE}/rolls/1"),
    Row("sight", "POST", f"{OF_TABLE}/whatif", WHATIF),
    Row("sight", "GET", f"{OF_TABLE}/rolls/1/alternatives"),
    Row("sight", "GET", f"{OF_TABLE}/rolls/1/odds"),
    Row("sight", "GET", f"{OF_TABLE}/luck"),
    Row("bundle", "GET", f"{OF_TABLE}/rolls/1/case"),
    Row("sight", "GET", f"{OF_TABLE}/rolls/1/account"),
    Row("sight", "GET", f"{OF_TABLE}/rolls/1/link"),
    Row("sight", "GET", f"{OF_TABLE}/rolls/1/moves"),
    Row("sight", "GET", f"{OF_TABLE}/history"),
    Row("sight", "GET", f"{OF_TABLE}/choices?character=c1&field=rating"),
    Row("sight", "GET", f"{OF_TABLE}/rollables?character=c1"),
    Row("follow", "GET", f"{OF_TABLE}/entries"),
    Row("follow", "GET", f"{OF_TABLE}/hooks"),
    Row("follow", "POST", f"{OF_TABLE}/hooks", HOOK, 201),
    Row("follow", "POST", f"{OF_TABLE}/hooks/test", b'{"hook":"nothing"}', status=404),
    Row("follow", "DELETE", f"{OF_TABLE}/hooks/none"),
    Row("bundle", "GET", f"{OF_TABLE}/bundle"),
    Row("proofs", "GET", f"{OF_TABLE}/checkpoint"),
    Row("proofs", "GET", f"{OF_TABLE}/proofs/inclusion/0"),
    Row("proofs", "GET", f"{OF_TABLE}/proofs/consistency/1"),
    Row("invite", "POST", f"{OF_TABLE}/invitations", b'{"role":"auditor"}', 201),
    Row("invite-own", "POST", f"{OF_TABLE}/invitations", own_seat, 201, {"host": "not-yours"}),
    Row("holders", "GET", f"{OF_TABLE}/invitations"),
    Row("holders", "GET", f"{OF_TABLE}/holders"),
    Row("revoke", "DELETE", f"{OF_TABLE}/invitations/none"),
    Row("revoke", "DELETE", f"{OF_TABLE}/holders/none"),
    Row("revoke", "DELETE", f"{OF_TABLE}/seats/nobody/holders"),
    Row("revoke-own", "DELETE", "/access"),
)
"""Each right with the requests that need it."""

FREE = {
    ("POST", "/access/exchange"),
    ("POST", "/access/invitation"),
    ("GET", "/access"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/"),
    ("GET", "/openapi.json"),
    ("GET", "/schema.json"),
    ("GET", "/systems"),
    ("GET", "/systems/{}"),
    ("GET", "/urim.d.ts"),
    ("GET", "/problems"),
    ("GET", "/verifier"),
    ("GET", "/r/{}/{}"),
    ("GET", "/r/{}/{}/{}"),
    ("GET", "/web/{}"),
    ("GET", "/web/verifier/{}"),
}
"""What needs no right: `/access` is anybody's who has a token."""

SOCKET = ("GET", "/tables/{}/socket")
"""Whose rights are asked for by its first frame."""


class Cell(NamedTuple):
    """What a request of a row is answered: a code, or none where it is done."""

    row: Row
    role: AccessRole
    place: Place
    code: str | None


def cells(row: Row) -> Iterator[Cell]:
    """Every role and place of a row."""
    for role in ROLES:
        refused = None if allowed(role, row.right) else row.codes.get(role, "no-right")
        if not row.of_a_table:
            yield Cell(row, role, "own", refused)
            continue
        host = role == "host"
        yield Cell(row, role, "own", refused)
        yield Cell(row, role, "other", refused if host else "no-table")
        nowhere = "no-table" if refused is None or not host else refused
        yield Cell(row, role, "nowhere", nowhere)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """One server for all rows: a row changes nothing that another one asks for."""
    path: Path = tmp_path_factory.mktemp("rights")
    with Served(path, known={"guesses": Guesses(burst=1_000_000)}) as served:
        site = Site(served)
        yield site
        site.http.close()


def named(row: Row) -> str:
    return f"{row.right} {row.method} {row.path.replace('{table}', 'T')}"


@pytest.mark.sampled(9)
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_request_is_done_for_who_has_the_right_and_refused_to_all_others(
    site: Site, row: Row
) -> None:
    wrong = []
    for cell in cells(row):
        answer = site.ask(row, cell.role, cell.place, _token(site, cell))
        found = None if answer.is_success else answer.json()["code"]
        right = answer.status_code == row.status if cell.code is None else found == cell.code
        if not right:
            wrong.append((cell.role, cell.place, cell.code, answer.status_code, answer.text))
    assert wrong == []


def _token(site: Site, cell: Cell) -> str:
    """The role's token; one to be given up where that is asked for."""
    if cell.row.path != "/access" or cell.role == "host":
        return site.tokens[cell.role]
    return site.served.token(TABLES["own"], cell.role, SEATS.get(cell.role))


@pytest.mark.sampled(27)
@pytest.mark.parametrize("row", [row for row in ROWS if row.of_a_table], ids=named)
def test_a_table_of_others_is_answered_as_one_that_is_not_there(site: Site, row: Row) -> None:
    for role in ("narrator", "player", "witness", "auditor"):
        other = site.ask(row, role, "other", site.tokens[role])
        nowhere = site.ask(row, role, "nowhere", site.tokens[role])
        assert other.status_code == 404
        assert other.content == nowhere.content
        assert plain(other) == plain(nowhere)


@pytest.mark.sampled(25)
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_nobody_is_answered_without_a_good_token(site: Site, row: Row) -> None:
    for place in TABLES:
        for token in ("", "urim-t1-wrong", site.tokens["player"][:-1]):
            answer = site.ask(row, "host", place, token)
            assert answer.status_code == 401
            assert answer.json()["code"] == "no-token"


def test_there_are_enough_cells_both_ways() -> None:
    every = [cell for row in ROWS for cell in cells(row)]
    assert len(every) >= 300
    assert sum(cell.code is None for cell in every) >= 80
    assert sum(cell.code is not None for cell in every) >= 200


def test_every_right_has_a_row() -> None:
    assert {row.right for row in ROWS} == set(RIGHTS)


def test_every_route_has_a_row(site: Site) -> None:
    known = {(row.method, _shape(row.path)) for row in ROWS} | FREE | {SOCKET}
    routes = {
        (method, _shape(route.path))
        for route in site.served.app.routes
        for method in getattr(route, "methods", ["GET"])
        if method != "OPTIONS"
    }
    assert routes - known == set()


def _shape(path: str) -> str:
    """A path with every parameter as `{}`."""
    filled = {"1", "0", "none", "nobody"}
    parts = path.partition("?")[0].split("/")
    return "/".join("{}" if part in filled or part.startswith("{") else part for part in parts)
