"""Bundles over HTTP: what a seat and an auditor may have, whole, and audited."""

from collections.abc import Generator
from io import BytesIO

import pytest

from tests.engine.helpers.stages.server import Served
from tests.engine.server.http_table import HIDDEN, OPEN, Site
from tests.engine.server.routes.test_reading import refused
from urim.engine.audit import PASSED, audit
from urim.engine.core import commands as c


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table with a roll of an outcome, and a hidden one."""
    with Served(tmp_path_factory.mktemp("site")) as served:
        found = Site(served)
        found.does("p1", c.Resolve(OPEN))
        yield found
        found.close()


@pytest.mark.parametrize("who", ["p1", "p2", "auditor"])
@pytest.mark.parametrize("path", ["/bundle", f"/bundle?roll={OPEN}"])
def test_a_bundle_passes_the_audit(site: Site, who: str, path: str) -> None:
    answer = site.get(who, path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.headers["cache-control"] == "no-store"
    report = audit(BytesIO(answer.content))
    assert report.exit == PASSED, report.says


def test_a_bundle_holds_what_its_reader_may_see(site: Site) -> None:
    def seen(who: str) -> int:
        return site.get(who, "/bundle").content.count(b'"payload"')

    assert seen("p1") == seen("auditor") == seen("p2") - 1


def test_a_hidden_rolls_bundle_is_as_that_of_none(site: Site) -> None:
    for who in ("p1", "auditor"):
        hidden, missing = (site.get(who, f"/bundle?roll={roll}") for roll in (HIDDEN, 9))
        assert hidden.status_code == missing.status_code >= 400
        said = hidden.content.replace(b"roll %d" % HIDDEN, b"roll 9")
        assert said == missing.content


def test_who_may_not_have_it(site: Site) -> None:
    refused(site.get("host", "/bundle"), 403, "no-right")
    for roll in ("0", "x", "99999999999999999999"):
        refused(site.get("p1", f"/bundle?roll={roll}"), 422, "malformed", "out-of-range")
