// @ts-check
// The chain of shares of a seat: 32 random bytes, and what follows from them (events/share.py).

import { hexOf, sha256, utf8 } from "verifier/seat.js";

/** The asks that one chain answers. */
export const LENGTH = 1_000;

/**
 * x_i of the chain that ends with `last`, which is x_1000; both 64 hex digits.
 *
 * @param {string} table
 * @param {string} seat
 * @param {string} last
 * @param {number} i  from 0, the anchor, to 1,000
 * @returns {string}
 */
export function link(table, seat, last, i) {
  if (!(i >= 0 && i <= LENGTH)) throw new RangeError(`link ${i} of a chain`);
  const start = `urim/1 share\n${table}\n${seat}\n`;
  let found = last;
  for (let at = LENGTH; at > i; at--) found = hexOf(sha256(utf8(`${start}${found}\n`)));
  return found;
}
