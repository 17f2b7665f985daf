"""Ed25519 in plain integers, as RFC 8032 writes it: slow, and beside the code that is tested.

Points are (x, y) on -x^2 + y^2 = 1 + d x^2 y^2 modulo P. Signatures are made here that no honest
signer makes: with points of small order in key and R, and numbers that are not reduced.
"""

from hashlib import sha512
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ONE: Point = (0, 1)


def add(a: Point, b: Point) -> Point:
    """The sum of two points; complete, so that it also doubles."""
    product = D * a[0] * b[0] * a[1] * b[1] % P
    x = (a[0] * b[1] + a[1] * b[0]) * pow(1 + product, -1, P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P)
    return x % P, y % P


def times(n: int, point: Point) -> Point:
    """The point n times, n >= 0."""
    found = ONE
    while n:
        if n & 1:
            found = add(found, point)
        point, n = add(point, point), n >> 1
    return found


def at(y: int) -> Point | None:
    """The point with this y whose x is even; None where there is none."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        return None
    return (P - x if x & 1 else x), y % P


def encoded(point: Point) -> bytes:
    """The 32 bytes of a point, y reduced."""
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def encodings(point: Point) -> list[bytes]:
    """Every 32 bytes that some reader takes for the point: y not reduced, -0 for 0."""
    signs = (0, 1) if point[0] == 0 else (point[0] & 1,)
    numbers = [y for y in (point[1], point[1] + P) if y < 1 << 255]
    return [(y | sign << 255).to_bytes(32, "little") for sign in signs for y in numbers]


def challenge(r: bytes, key: bytes, message: bytes) -> int:
    """The number k of RFC 8032, below L."""
    return int.from_bytes(sha512(r + key + message).digest(), "little") % L


def base() -> Point:
    """B, the point of order L whose y is 4/5."""
    found = at(4 * pow(5, -1, P) % P)
    assert found is not None
    return found


def small() -> list[Point]:
    """The 8 points of small order, found from any point: L times it is one of them."""
    for y in range(2, 1000):
        point = at(y)
        found = [times(i, times(L, point)) for i in range(8)] if point else []
        if len(set(found)) == len(found) and found:
            return found
    raise AssertionError("no point of order 8 times L")


def good(key: bytes, signature: bytes, message: bytes) -> bool:
    """The rule of RFC 8032 without the cofactor, and R compared as bytes."""
    y = int.from_bytes(key, "little") & (1 << 255) - 1
    point = at(y)
    s = int.from_bytes(signature[32:], "little")
    if point is None or s >= L:
        return False
    if key[31] >> 7 != point[0] & 1:
        point = (P - point[0]) % P, point[1]
    k = challenge(signature[:32], key, message)
    minus = (P - point[0]) % P, point[1]
    return encoded(add(times(s, base()), times(k, minus))) == signature[:32]
