"""Tidewater keeps every law of a ruleset; run where both distributions are installed."""

from urim.engine.testing.kit import Who, check
from urim.rules import ruleset_named

check(
    ruleset_named("tidewater"),
    characters=[Who({"grit": 2}), Who()],
    declarations=[{"dice": 3}, {"dice": 4, "opponent": "c2"}, {"dice": 2, "opponent": "c1"}],
    reactions=[{"dice": 3}],
)
print("Tidewater keeps every law.")
