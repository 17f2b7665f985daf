"""The page is urimcheck.js and its own script in one file, which allows itself nothing more."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from urim.engine.verifier import build

RECEIPT, _ = build.receipt("A <roll>", "12", {"steps": []}, b"{}")


@pytest.mark.parametrize("text", [build.page(), RECEIPT], ids=["verifier", "receipt"])
def test_a_page_names_its_script_and_style_by_their_hashes_and_allows_no_more(text: str) -> None:
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)[0]
    for tag, allowed in (("script", "script-src"), ("style", "style-src")):
        [*_, inside] = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{allowed} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; ") and "connect-src" not in policy
    assert not re.findall(r'(?:src|href)="(?!#|data:)', text)


def test_the_page_of_a_link_has_the_same_policy_as_it_says_it_has() -> None:
    text, policy = build.receipt("A <roll>", "12", {"steps": ["</script>"]}, b"{}")
    assert f'content="{policy}"' in text
    assert "A &lt;roll&gt;" in text
    assert "</script>" not in text.partition('id="said">')[2].partition("\n")[0][:-9]
    assert not re.findall(r"%(?:title|description|said|bundle)%", text)
    assert not re.findall(r"^import ", text, re.MULTILINE)


def test_it_runs_urimcheck_as_it_stands_and_imports_nothing() -> None:
    text = build.page()
    assert (Path(build.__file__).parent / "urimcheck.js").read_text("utf-8") in text
    assert not re.findall(r"^import ", text, re.MULTILINE)
    assert not re.findall(r"\{(?:policy|style|script)\}", text)
