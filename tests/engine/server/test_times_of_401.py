"""How long the answer to a token that is not good takes, whatever is wrong with it: reported."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter_ns

import httpx
import pytest

from tests.engine.helpers.clocks import Ahead
from tests.engine.helpers.stages.server import Served, bearer
from tests.engine.server.admission.test_intruders import same
from urim.engine.access.protocol import DAY
from urim.engine.access.secret import draw
from urim.engine.server.admission.guesses import Guesses

TABLE = "table001"


def apart(one: Sequence[int], other: Sequence[int]) -> float:
    """How far two distributions are from each other: Kolmogorov and Smirnov's distance."""
    left, right = sorted(one), sorted(other)
    return max(
        abs(bisect_right(left, each) / len(left) - bisect_right(right, each) / len(right))
        for each in (*left, *right)
    )


@pytest.mark.prove
def test_what_is_wrong_with_a_token_is_not_in_the_answer(
    tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    clock = Ahead()
    random = Random(seed)  # noqa: S311 - any order will do
    with Served(tmp_path, now=clock, known={"guesses": Guesses(burst=10_000_000)}) as served:
        expired = served.open(TABLE)["p1"]
        clock.more = 367 * DAY
        revoked = served.token(TABLE, "auditor")
        good = served.token(TABLE, "auditor")
        httpx.delete(f"{served.url}/access", headers=bearer(revoked))
        kinds: dict[str, Callable[[], dict[str, str]]] = {
            "none": dict,
            "of no form": lambda: bearer("xyz"),
            "unknown": lambda: bearer(draw("t").reveal()),
            "nearly right": lambda: bearer(good[:-1] + random.choice("AEIMQUYcgkosw048")),
            "expired": lambda: bearer(expired),
            "revoked": lambda: bearer(revoked),
        }
        times: dict[str, list[int]] = {kind: [] for kind in kinds}
        answers = set()
        with httpx.Client(base_url=served.url, timeout=60) as client:
            for _ in range(4 * count):
                # In another order each time: the machine has its moods.
                for kind in random.sample(list(kinds), len(kinds)):
                    headers = kinds[kind]()
                    began = perf_counter_ns()
                    answer = client.get("/access", headers=headers)
                    times[kind].append(perf_counter_ns() - began)
                    if answer.status_code != 200:  # of the last letters one is the right one
                        answers.add(repr(same(answer)))
    assert len(answers) == 1
    distance = max(apart(times[one], times[other]) for one in kinds for other in kinds)
    shown = ", ".join(f"{kind} {median(each) / 1_000:,.0f}" for kind, each in times.items())
    tried(f"{4 * count:,} of each; median µs: {shown}; farthest apart: {distance:.3f}")
