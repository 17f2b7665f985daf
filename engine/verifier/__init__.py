"""The second verifier: plain JavaScript in one page, and the script that builds it."""
