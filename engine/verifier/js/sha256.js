// SHA-256, HMAC and HKDF at once and many times over: WebCrypto answers each call only later.
// FIPS 180-4, RFC 2104, RFC 5869. The tests compare every function with WebCrypto's.

import { joined } from "./bytes.js";

const BLOCK = 64;

/** The bits of the fraction of a root, as FIPS 180-4 derives its constants. */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;

function primes(count) {
  const found = [];
  for (let next = 2; found.length < count; next++) {
    if (found.every((prime) => next % prime)) found.push(next);
  }
  return found;
}

const ROUNDS = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const words = new Int32Array(64);

/** Work one block of 64 bytes, found at `at`, into a state of 8 words. */
function compress(state, bytes, at) {
  for (let t = 0; t < 16; t++, at += 4) {
    words[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let t = 16; t < 64; t++) {
    const w = words[t - 15];
    const x = words[t - 2];
    const s0 = ((w >>> 7) | (w << 25)) ^ ((w >>> 18) | (w << 14)) ^ (w >>> 3);
    const s1 = ((x >>> 17) | (x << 15)) ^ ((x >>> 19) | (x << 13)) ^ (x >>> 10);
    words[t] = (words[t - 16] + s0 + words[t - 7] + s1) | 0;
  }
  // Not by destructuring, which would call an iterator for each of the eight.
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let t = 0; t < 64; t++) {
    const S1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + S1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
    const S0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (S0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** The last blocks of what is hashed; one place for all, as most of it is short and there is much. */
const tail = new Uint8Array(2 * BLOCK);

/** The hash of `done` bytes that made this state, a whole number of blocks, and then `bytes`. */
function finish(start, done, bytes) {
  const state = start.slice();
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) compress(state, bytes, at);
  const left = bytes.length - whole;
  const end = left < 56 ? BLOCK : 2 * BLOCK;
  for (let at = 0; at < left; at++) tail[at] = bytes[whole + at];
  tail.fill(0, left, end);
  tail[left] = 0x80;
  let bits = 8 * (done + bytes.length);
  for (let at = end - 1; bits > 0; at--, bits = Math.floor(bits / 256)) tail[at] = bits % 256;
  for (let at = 0; at < end; at += BLOCK) compress(state, tail, at);
  const hash = new Uint8Array(32);
  for (let at = 0; at < 32; at++) hash[at] = state[at >> 2] >>> (24 - 8 * (at & 3));
  return hash;
}

/** SHA-256 of bytes: 32 bytes. */
export const sha256 = (bytes) => finish(START, 0, bytes);

/** HMAC-SHA256 under a key: a function from message to 32 bytes, the key's part done once. */
export function hmac(key) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const after = (pad) => {
    const block = new Uint8Array(BLOCK).fill(pad);
    short.forEach((byte, at) => (block[at] ^= byte));
    const state = START.slice();
    compress(state, block, 0);
    return state;
  };
  const inner = after(0x36);
  const outer = after(0x5c);
  return (message) => finish(outer, BLOCK, finish(inner, BLOCK, message));
}

/** HKDF-SHA256 up to 32 bytes: a function from info and length, the extraction done once. */
export function hkdf(secret, salt) {
  const expand = hmac(hmac(salt)(secret));
  const first = Uint8Array.of(1);
  return (info, length) => expand(joined(info, first)).subarray(0, length);
}
