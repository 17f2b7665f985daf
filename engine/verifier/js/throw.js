// A throw as `urim/1` defines it: commitments, transcript, and every die drawn from seed and nonces.

import { fromHex, hexOf, utf8 } from "./bytes.js";
import { hkdf, sha256 } from "./sha256.js";

/** Draws per die, at most. */
const ATTEMPTS = 128;

/** How many values a draw may have: 6 bytes. */
export const DRAWS = 2 ** 48;

/** In place of the committing entry's leaf where nothing was committed. */
export const NO_LEAF = "0".repeat(64);

/** The id of a throw. */
export const throwId = (table, roll, number) => `${table}/${roll}/${number}`;

const hashed = (...lines) => hexOf(sha256(utf8(lines.map((line) => `${line}\n`).join(""))));

/** C, which binds the server to a seed; seed and result are hex. */
export const commitment = (id, seed) => hashed("urim/1 seed", id, seed);

/** N, which binds the roller to a nonce; nonce and result are hex. */
export const nonceCommitment = (id, nonce) => hashed("urim/1 nonce", id, nonce);

/** The asks that one chain of shares answers. */
export const CHAIN = 1000;

/** x_i of x_(i+1), a link of a seat's chain; both are hex. */
export const linkBefore = (table, seat, link) => hashed("urim/1 share", table, seat, link);

/** S of a throw in a fixture, as hex. */
export const fixtureSeed = (text, id) => hashed("urim/1 fixture", text, id);

/** The salt of an entry in a fixture, as hex. */
export const fixtureSalt = (text, table, seq) => hashed("urim/1 fixture salt", text, table, seq);

/**
 * T: all that the dice of a throw depend on beside the seed. `leaf` and nonces are hex, `nonce` is
 * null where nobody gave one, `witnesses` are [seat, nonce] in any order.
 */
export function transcript(id, committed, leaf, roller, nonce, witnesses) {
  // Seats are ASCII, so that the order of code units is the order of bytes.
  const given = [...witnesses].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = [
    "urim/1 throw",
    `throw ${id}`,
    `committed ${committed} ${leaf}`,
    `roller ${roller} ${nonce ?? "-"}`,
    ...given.map(([seat, q]) => `witness ${seat} ${q}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/**
 * The dice of a throw: a function from a die's number in the throw, from 0, and its count of faces
 * to [index of the face, attempt], both from 0; null where no draw was fair.
 */
export function dice(seed, text) {
  const expand = hkdf(fromHex(seed), sha256(utf8(text)));
  return (j, faces) => {
    if (!(faces >= 1 && faces <= DRAWS)) return null;
    const fair = DRAWS - (DRAWS % faces);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn = expand(utf8(`urim/1 die\n${j}\n${attempt}\n`), 6);
      const value = drawn.reduce((sum, byte) => sum * 256 + byte, 0);
      if (value < fair) return [value % faces, attempt];
    }
    return null;
  };
}
