"""What Urim is tested with, shipped so that yours can be: conformance suites, kits, strategies."""
