"""The documentation's pictures are those of the demonstration, and load nothing from anywhere."""

import re
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.pictures import main, pictures
from tests.tree import ROOT

PICTURES = ROOT / "docs" / "pictures"

current = cache(pictures)
"""Those of the demonstration; one that moves is of the page, and drawn by its own program."""

SVG = "http://www.w3.org/2000/svg"


def constrained(package: str) -> str:
    """The version of a package that the constraints name."""
    text = (ROOT / "constraints.txt").read_text("utf-8")
    found = re.search(rf"^{package}==(\S+)", text, re.MULTILINE)
    assert found
    return found[1]


@pytest.mark.skipif(
    version("rich") != constrained("rich"), reason="another version of Rich draws otherwise"
)
def test_the_pictures_of_the_documentation_are_up_to_date() -> None:
    every = {path.name: path.read_text("utf-8") for path in PICTURES.glob("*.svg")}
    kept = {name: text for name, text in every.items() if "data:image/jpeg" not in text}
    stale = sorted(name for name in kept | current() if kept.get(name) != current().get(name))
    assert not stale, f"run `python -m tests.pictures docs/pictures` for {stale}"


@pytest.mark.slow
def test_a_picture_is_the_same_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"NO_COLOR": "1", "COLUMNS": "40", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    assert pictures() == current()


def test_a_picture_is_xml_and_names_no_address() -> None:
    for name, picture in current().items():
        assert ET.fromstring(picture).tag == f"{{{SVG}}}svg", name  # noqa: S314  it is our own
        rest = picture.replace(f'xmlns="{SVG}"', "")
        for address in ("http", "//", "@import", "@font-face", "href", "<script", "<image"):
            assert address not in rest, name
        clips = re.findall(r'<(?:clipPath|marker) id="([^"]*)"', rest)
        assert {*re.findall(r"url\(#([^)]*)\)", rest)} <= {*clips}, name
        assert rest.count("url(") == rest.count("url(#"), name


def test_letters_are_measured_in_columns() -> None:
    dice = current()["milhamah-dice.svg"]
    faces = re.findall(r'textLength="([\d.]+)"[^>]*>\u2068[א-ת]\u2069<', dice)
    assert len(faces) > 20
    assert set(faces) == {"12.64"}


def test_main_writes_every_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "new" / "pictures"
    monkeypatch.setattr(sys, "argv", ["pictures", str(folder)])
    main()
    assert {path.name: path.read_text("utf-8") for path in folder.iterdir()} == current()


def test_main_says_how_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pictures"])
    with pytest.raises(SystemExit, match=r"usage: python -m tests\.pictures DIR"):
        main()
