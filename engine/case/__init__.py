"""The case file of a roll: one page that tells a disputed roll to somebody who was not there.

`gather` collects the facts (`facts`) from a bundle: the log, an audit of it, and commands decided
again. The writers, `page` for HTML and `markdown`, read nothing else.
"""
