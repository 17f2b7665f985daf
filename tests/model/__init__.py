"""A small model of throws at level `table`, searched whole for a way to choose what stands.

No module here imports Urim: it is the protocol that is searched, not the program. `shares` names
the rules, `logs` says which logs an audit lets stand, `seats` what an honest client does, `moves`
what host, roller and their league may do, `search` computes what that is worth, and `found` writes
it down. What the model knows and what it leaves out stands in `shares`.
"""
