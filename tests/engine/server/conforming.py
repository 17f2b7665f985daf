"""A running server holds its OpenAPI document: every role asks all that the document allows.

Every operation is asked with every role's token: as it should be asked, with values out of its
schemas, and with such as they forbid. test_schemathesis.py runs this as a program of its own:
schemathesis puts its own parts into Hypothesis, which no longer shows what made a law fail.

    python -m tests.engine.server.conforming COUNT SEED DIRECTORY
"""

import json
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from itertools import count as count_from
from pathlib import Path
from typing import Any

import httpx
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, core, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.helpers.stages.service import noting
from tests.engine.server.attacking import written
from tests.engine.server.http_table import OPEN, TABLE, WISH, Site
from urim.engine.access.rights import ROLES, AccessRole, allowed
from urim.engine.core import commands as c
from urim.engine.server.admission.buckets import Buckets
from urim.engine.server.admission.guesses import Guesses
from urim.engine.server.openapi.operations import OPERATIONS, Operation

CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

ALSO = {"invite": "invite-own", "revokeHolder": "revoke-own", "revokeSeat": "revoke-own"}
"""What a role may do for itself that has not the right of an operation."""

WHO: dict[AccessRole, str] = {
    "host": "host", "narrator": NARRATOR, "player": "p1", "witness": "w1", "auditor": "auditor",
}  # fmt: skip

Json = dict[str, Any]

Asked = tuple[Json, Json, Any]
"""Parameters of a path, of a query, and a body or None."""


def may(role: AccessRole, operation: Operation) -> bool:
    """Whether a role has a right to an operation, or to some of what it does."""
    needs = operation.needs
    if needs is None or needs == "token":
        return True
    also = ALSO.get(operation.id)
    return allowed(role, needs) or (also is not None and allowed(role, also))  # type: ignore[arg-type]


class Good:
    """For every operation what succeeds, other values each time where they are spent."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._numbers = count_from(1)
        self._rooms = count_from(1)

    def of(self, operation: Operation) -> Asked:
        """What succeeds, for who has the right."""
        made = getattr(self, f"_{operation.id}", None)
        path: Json = {"table": TABLE} if "{table}" in operation.path else {}
        known: Json = {"roll": OPEN, "seq": 0, "size": 1, "id": "nobody", "seat": "nobody"}
        known["name"] = "sagatafl"
        path |= {name: each for name, each in known.items() if f"{{{name}}}" in operation.path}
        query, body = ({}, None) if made is None else made()
        return path, query, body

    def _exchange(self) -> tuple[Json, Any]:
        number = next(self._numbers)
        # A holder who leaves makes room for the next one.
        self._room()
        secret = self._site.served.invitation(TABLE, "auditor")
        return {}, {"secret": secret, "client": f"client-{number:016}"}

    def _invitation(self) -> tuple[Json, Any]:
        self._room()
        return {}, {"secret": self._site.served.invitation(TABLE, "auditor")}

    def _room(self) -> None:
        """Revoke what would be too many one day."""
        narrator = self._site.clients[NARRATOR]
        if next(self._rooms) % 10 == 0:
            mine = self._site.clients["auditor"].get("/access").json()["id"]
            for each in narrator.get(f"/tables/{TABLE}/holders").json()["holders"]:
                if each["role"] == "auditor" and each["id"] != mine:
                    narrator.delete(f"/tables/{TABLE}/holders/{each['id']}")
            for each in narrator.get(f"/tables/{TABLE}/invitations").json()["invitations"]:
                narrator.delete(f"/tables/{TABLE}/invitations/{each['id']}")

    def _invite(self) -> tuple[Json, Any]:
        self._room()
        return {}, {"role": "auditor", "uses": 1, "seconds": 60, "name": "anybody"}

    def _openTable(self) -> tuple[Json, Any]:  # noqa: N802 - as the operation
        number = next(self._numbers)
        return {}, {
            "table": f"opened{number:04}", "ruleset": "milhamah", "source": "scripted",
            "request": f"open-{number}",
        }  # fmt: skip

    def _request(self) -> tuple[Json, Any]:
        number = next(self._numbers)
        return {}, json.loads(written(noting(f"note {number}"), f"good-{number}"))

    def _rollDice(self) -> tuple[Json, Any]:  # noqa: N802 - as the operation
        wish = {"request": f"roll-{next(self._numbers)}", "character": "c1"}
        return {}, {**wish, "declaration": dict(WISH)}

    def _preview(self) -> tuple[Json, Any]:
        return {}, {"body": json.loads(written(noting("a note"), "x"))["body"]}

    def _makeHook(self) -> tuple[Json, Any]:  # noqa: N802 - as the operation
        for seat in ("p1", NARRATOR, "w1"):
            client = httpx.Client(
                base_url=self._site.served.url, headers=bearer(self._site.tokens[seat])
            )
            with client:
                for each in client.get(f"/tables/{TABLE}/hooks").json()["hooks"]:
                    client.delete(f"/tables/{TABLE}/hooks/{each['id']}")
        return {}, {"url": "https://127-0-0-1.invalid/", "form": "content"}

    def _testHook(self) -> tuple[Json, Any]:  # noqa: N802 - as the operation
        client = self._site.clients["p1"]
        path = f"/tables/{TABLE}/hooks"
        found = client.get(path).json()["hooks"]
        if not found:
            body = self._makeHook()[1]
            found = [client.post(path, json=body).json()["hook"]]
        return {}, {"hook": found[0]["id"]}

    def _whatIf(self) -> tuple[Json, Any]:  # noqa: N802 - as the operation
        return {"language": "he"}, {"changes": [{"change": "voided", "roll": OPEN}]}

    def _choices(self) -> tuple[Json, Any]:
        return {"character": "c1", "field": "root"}, None

    def _rollables(self) -> tuple[Json, Any]:
        return {"character": "c1"}, None

    def _history(self) -> tuple[Json, Any]:
        return {"after": next(self._numbers) % 3, "most": 2, "language": "he"}, None

    def _entries(self) -> tuple[Json, Any]:
        return {"after": next(self._numbers) % 5 - 1}, None

    def _bundle(self) -> tuple[Json, Any]:
        return ({"roll": OPEN} if next(self._numbers) % 2 else {}), None


class Asking:
    """A server, who asks it, and what it answered."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.good = Good(site)
        self.successes: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.session = requests.Session()
        self.schema: Any = schemathesis.openapi.from_url(f"{site.served.url}/openapi.json")

    def ask(self, case: Any, role: AccessRole, operation: Operation, *, good: bool) -> None:
        """Ask, and hold the answer against the document."""
        token = self.site.tokens[WHO[role]]
        if operation.id == "giveUpAccess":
            token = self._spare(role)
        answer = case.call(session=self.session, headers=bearer(token), allow_redirects=False)
        status = answer.status_code
        self.statuses[status] += 1
        assert status < 500, (status, case.as_curl_command(), answer.text)
        case.validate_response(answer, checks=CHECKS)
        if not may(role, operation):
            assert status in (401, 403, 404), (status, role, case.as_curl_command())
        elif good and allowed_here(role, operation):
            assert status == operation.status, (status, role, operation.id, answer.text)
        if 200 <= status < 300:
            self.successes[operation.id] += 1

    def _spare(self, role: AccessRole) -> str:
        """A token to be given up; the host has the one."""
        if role == "host":
            return self.site.served.token(TABLE, "auditor")
        seat = None if role == "auditor" else WHO[role]
        return self.site.served.token(TABLE, role, seat)


def allowed_here(role: AccessRole, operation: Operation) -> bool:
    """Whether what is good is done for the role: some may do it for themselves alone."""
    needs = operation.needs
    if operation.id in ("rollDice", "testHook"):
        return role == "player"  # whose the character is, and the hook
    return needs is None or needs == "token" or allowed(role, needs)


QUIET = settings(
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
        HealthCheck.large_base_example,
    ],
)


def asked_often(asking: Asking, role: AccessRole, operation: Operation, count: int) -> None:
    """Ask for an operation in every way: as it should be, and so often as schemas have it."""
    found = asking.schema[operation.path][operation.method.upper()]
    for _ in range(count):
        path, query, body = asking.good.of(operation)
        given_body = {} if body is None else {"body": body, "media_type": "application/json"}
        case = found.Case(path_parameters=path, query=query, **given_body)
        asking.ask(case, role, operation, good=True)
    own = {name: each for name, each in asking.good.of(operation)[0].items() if name == "table"}
    ways = [
        found.as_strategy(path_parameters=own),
        found.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE),
        found.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE),
    ]
    if not operation.path.count("{") and not operation.takes and operation.asks is None:
        ways = ways[:1]  # there is nothing to vary
    for way in ways:

        @settings(QUIET, max_examples=max(1, count // 2))
        @given(case=way)
        def vary(case: Any) -> None:
            asking.ask(case, role, operation, good=False)

        try:
            vary()
        except Unsatisfiable:
            # Of a path that may be any text nothing is forbidden.
            assert way is ways[-1], operation.id


@contextmanager
def begun(directory: Path) -> Generator[Site]:
    """A server whose seats may be fast."""
    fast: Json = {"burst": 100_000, "rate": 100_000.0}
    known = {"guesses": Guesses(burst=1_000_000), "tests": Buckets(1e6, 1_000_000)}
    with Served(directory, known=known, **fast) as served:
        found = Site(served)
        # A witness comes as guests do, and is seated by the server.
        url, asked = f"{served.url}/tables/{TABLE}/invitations", {"role": "witness", "seat": "w1"}
        link = httpx.post(url, headers=bearer(found.tokens[NARRATOR]), json=asked).json()
        body = {"secret": link["secret"], "client": "client-0000000000000001"}
        came = httpx.post(f"{served.url}/access/exchange", json=body).json()
        found.tokens["w1"] = came["token"]
        yield found
        found.close()


def conform(site: Site, count: int) -> str:
    """Ask for everything; what was tried."""
    each = max(1, min(20, count // 25))
    site.does(NARRATOR, c.SetTable("advice", value=True))
    asking = Asking(site)
    ask = partial(asked_often, asking, count=each)
    for operation in OPERATIONS:
        for role in ROLES:
            ask(role, operation)
        least = 20 if count >= 500 else each
        assert asking.successes[operation.id] >= least, operation.id
    statuses = ", ".join(f"{status}: {many:,}" for status, many in sorted(asking.statuses.items()))
    fewest = min(asking.successes.values())
    total = asking.statuses.total()
    return f"{total:,} requests for {len(OPERATIONS)} operations, {fewest}+ done each; {statuses}"


if __name__ == "__main__":
    core.global_force_seed = int(sys.argv[2])  # type: ignore[assignment]  # it says None alone
    with begun(Path(sys.argv[3])) as site:
        print(conform(site, int(sys.argv[1])))
