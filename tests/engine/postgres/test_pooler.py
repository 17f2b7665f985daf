"""A pooler in session mode: a table is played, kept and served through it as without."""

from pathlib import Path

import pytest

from tests.engine.postgres.test_dump import audited
from tests.engine.postgres.test_roles import TABLE, ran, rolled, served
from tests.events.postgres.pooler import pooled
from tests.events.postgres.server import run_now
from urim.events.log.location import DatabaseUrl


@pytest.mark.slow
def test_a_table_is_played_and_audited_through_a_pooler(place: DatabaseUrl, tmp_path: Path) -> None:
    with pooled(place.reveal()) as url:
        ran("open", url, "--system", "plain", "--id", TABLE, "--request", "first")
        ran("enter", url, TABLE, "Dana", "--seat", "narrator", "--owner", "narrator")
        rolled(url)
        run_now(served(url))
        audited(url, tmp_path / "a.urim.jsonl")
