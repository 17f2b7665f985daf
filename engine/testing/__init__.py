"""What Urim is tested with, shipped so that yours can be: a kit, a plugin, strategies, a suite."""
