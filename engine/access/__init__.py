"""Who comes in to a table of a server: rights, secrets, invitations, and the store that keeps them.

Nothing of it is in a log: a log says who did what, and never with which token. `rights` is the one
matrix of roles and rights, `protocol` what every store promises, `sqlite` the store in a file.
"""
