"""What is registered as a system is one, and is called what it is registered as."""

from pathlib import Path

import pytest

from tests.test_third_party import RECORD, registered
from urim.errors import Refused
from urim.rules import BUILT_IN, ruleset_named, ruleset_names


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("nothing", "RULESET = None"),
        ("lookalike", "class RULESET: name = 'lookalike'"),
        ("alias", RECORD.format(name="another", options="pass")),
        ("younger", RECORD.format(name="another", options="pass")),
    ],
)
def test_what_is_no_system_of_that_name_is_refused(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(tmp_path, name, module)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Refused, match=f"as '{name}' is no Ruleset of that name") as refused:
        ruleset_named(name)
    assert refused.value.code == "unknown"


def test_a_system_that_is_registered_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(tmp_path, "own", RECORD.format(name="own", options="pass"))
    monkeypatch.syspath_prepend(tmp_path)
    assert ruleset_named("own").name == "own"
    assert ruleset_names()[: len(BUILT_IN)] == BUILT_IN
    assert "own" in ruleset_names()
    with pytest.raises(Refused, match="no system called 'owned'") as refused:
        ruleset_named("owned")
    assert refused.value.allowed == ruleset_names()
