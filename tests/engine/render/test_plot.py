"""A plot of E over the dice is drawn to scale, keeps its peaks, and any name does it no harm."""

from xml.etree import ElementTree as ET

import pytest

from urim.engine.render.plot import POINTS, plot, thinned

NS = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> tuple[list[str], list[str]]:
    """The texts of a picture, and its curves' points."""
    # The picture was drawn by us a moment ago.
    tree = ET.fromstring(text)  # noqa: S314
    texts = [each.text or "" for each in tree.iter(f"{NS}text")]
    return texts, [each.get("points", "") for each in tree.iter(f"{NS}polyline")]


def test_a_curve_stands_where_its_figures_are() -> None:
    _, [points] = drawn(plot("x", [("d6", [(50, 2.0), (100, 4.0)])]))
    start, middle, end = [tuple(map(float, point.split(","))) for point in points.split()]
    assert start[0] < middle[0] < end[0]
    assert start[1] > middle[1] > end[1]
    assert middle[0] - start[0] == pytest.approx(end[0] - middle[0], abs=0.2)
    assert start[1] - middle[1] == pytest.approx(middle[1] - end[1], abs=0.2)


def test_a_plot_of_nothing_has_its_axes() -> None:
    texts, curves = drawn(plot("empty", []))
    assert not curves
    assert {"empty", "log10 of E", "dice", "look closer: 100"} <= set(texts)


def test_names_do_no_harm_in_a_plot() -> None:
    texts, _ = drawn(plot("a<b>&\"'\x1b", [("<d6>", [(1, 0.0)])]))
    assert {"a<b>&\"'\\x1b", "<d6>"} <= set(texts)


def test_a_long_curve_keeps_its_peaks_and_its_end() -> None:
    curve = [(dice, 9.0 if dice == 777 else dice / 1e6) for dice in range(1, 100_001)]
    short = thinned(curve)
    assert len(short) <= POINTS
    assert (777, 9.0) in short
    assert short[-1] == curve[-1]
    assert short == sorted(short)
    assert thinned(curve[:POINTS]) == curve[:POINTS]
    falling = [(dice, -float(dice)) for dice in range(1, 1_002)]
    assert thinned(falling)[-1] == falling[-1]
    assert not thinned([])
