"""docs/testing.md names every fixture of the plugin. tests/test_readme.py runs the page."""

from tests import tree
from urim.engine.testing import plugin

PAGE = (tree.ROOT / "docs" / "testing.md").read_text(encoding="utf-8")


def test_every_fixture_is_named() -> None:
    fixtures = [name for name in vars(plugin) if name.startswith("urim_")]
    assert len(fixtures) == 4
    assert all(f"| `{name}` |" in PAGE for name in fixtures)
    assert plugin.MARKER.replace("'", '"') in PAGE
