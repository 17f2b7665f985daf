// Ed25519 (RFC 8032): which keys are refused, and which signatures are good.
//
// As OpenSSL, Go and BoringSSL verify, without the cofactor: S < L, and the encoding of [S]B - [k]A
// equals R byte for byte.

import { fromBase64, joined } from "./bytes.js";
import { sha512 } from "./sha512.js";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const mod = (value) => {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
};

function power(base, exponent) {
  let [found, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) found = (found * square) % P;
    square = (square * square) % P;
  }
  return found;
}

const inverse = (value) => power(value, P - 2n);

const D = mod(-121665n * inverse(121666n));
const ROOT = power(2n, (P - 1n) / 4n);

/** Bytes as a number, the lowest first. */
function numberOf(bytes) {
  let found = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) found = (found << 8n) | BigInt(bytes[at]);
  return found;
}

/** The y of a key of 32 bytes: without the top bit, which is the sign of x. */
const yOf = (key) => numberOf(key) & (2n ** 255n - 1n);

/** The y of every point of small order: of order 4, 1 and 2, and both of order 8. */
const SMALL = new Set([
  ...[0n, 1n, P - 1n],
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]);

/** Why nobody may have this key of 32 bytes, whatever its top bit; null for one that may be had. */
export function weakness(key) {
  const y = yOf(key);
  if (y >= P) return "its y is not below 2^255 - 19";
  return SMALL.has(y) ? "it is of small order" : null;
}

/** The key of 32 bytes in a text, as a seat has it; null where it is none that may be had. */
export function keyOf(text) {
  const key = fromBase64(text);
  return key !== null && key.length === 32 && weakness(key) === null ? key : null;
}

/** Whether the S of a signature is the one there is for it. */
export const isBelowL = (signature) => numberOf(signature.subarray(32)) < L;

/** Whether the bytes of a signature are good, by a key of 32 bytes that may be had. */
export async function verifies(key, signature, message) {
  if (weakness(key) !== null || signature.length !== 64 || !isBelowL(signature)) return false;
  return (await byWebCrypto(key, signature, message)) || fits(key, signature, message);
}

/**
 * Whether WebCrypto finds the signature good; not where there is none, or no Ed25519 in it. Some
 * refuse an R of small order too: what it does not take is left to `fits`, which is the rule.
 */
async function byWebCrypto(key, signature, message) {
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle) return false;
  try {
    const imported = await subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", imported, signature, message);
  } catch {
    return false;
  }
}

// --- by this module alone -------------------------------------------------------------------------

/** A point is [X, Y, Z, T] with x = X/Z, y = Y/Z, xy = T/Z (RFC 8032, 5.1.4). */
const NEUTRAL = [0n, 1n, 1n, 0n];

function added([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = ((y1 + x1) * (y2 + x2)) % P;
  const c = (((2n * t1 * D) % P) * t2) % P;
  const d = (2n * z1 * z2) % P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function doubled([x, y, z]) {
  const a = (x * x) % P;
  const b = (y * y) % P;
  const h = a + b;
  const e = h - (x + y) * (x + y);
  const g = a - b;
  const f = 2n * z * z + g;
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

const negative = ([x, y, z, t]) => [mod(-x), y, z, mod(-t)];

/** The point that 32 bytes are of (5.1.3); null where they are of none. */
function pointOf(bytes) {
  const y = yOf(bytes);
  if (y >= P) return null;
  const square = (y * y) % P;
  const [u, v] = [mod(square - 1n), mod(D * square + 1n)];
  const cube = (v * v * v) % P;
  let x = (((u * cube) % P) * power(u * cube * v * v * v * v, (P - 5n) / 8n)) % P;
  const found = (v * x * x) % P;
  if (found === mod(-u)) x = (x * ROOT) % P;
  else if (found !== u) return null;
  const odd = BigInt(bytes[31] >> 7);
  if (x === 0n && odd) return null;
  if ((x & 1n) !== odd) x = P - x;
  return [x, y, 1n, (x * y) % P];
}

const BASE = [
  15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  46316835694926478169428394003475163141307993866256225615783033603165251855960n,
  1n,
  46827403850823179245072216630277197565144205554125654976674165829533817101731n,
];

/** [s]B + [k]A, both scalars bit by bit at once. */
function sum(s, k, a) {
  const table = [null, BASE, a, added(BASE, a)];
  let found = NEUTRAL;
  for (let at = 252n; at >= 0n; at--) {
    found = doubled(found);
    const which = Number((s >> at) & 1n) + 2 * Number((k >> at) & 1n);
    if (which) found = added(found, table[which]);
  }
  return found;
}

/** The 32 bytes of a point. */
function encoded([x, y, z]) {
  const by = inverse(z);
  let rest = ((y * by) % P) | ((((x * by) % P) & 1n) << 255n);
  return Uint8Array.from({ length: 32 }, () => {
    const byte = Number(rest & 255n);
    rest >>= 8n;
    return byte;
  });
}

/** As `verifies`, at once and by this module alone; S is below L. */
export function fits(key, signature, message) {
  const a = pointOf(key);
  if (a === null) return false;
  const r = signature.subarray(0, 32);
  const k = numberOf(sha512(joined(r, key, message))) % L;
  const found = encoded(sum(numberOf(signature.subarray(32)), k, negative(a)));
  return found.every((byte, at) => byte === r[at]);
}
