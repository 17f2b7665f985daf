"""A backend for clients in any language: commands in, commits out, hidden things hidden.

The server is thin: who comes in is the access store's to say, and what a seat may see or do the
service's. Nothing here can reach a whole table (`front.Front`).
"""
