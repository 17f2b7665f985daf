// @ts-check
// What the server gave before and gives again stays the very same object, so that views compare by identity.

/**
 * `next`, with each part of it that equals its part of `before` being that part. Only for what JSON has;
 * `next` is changed.
 *
 * @template T
 * @param {unknown} before
 * @param {T} next
 * @returns {T}
 */
export function shared(before, next) {
  if (!isBranch(before) || !isBranch(next) || Array.isArray(before) !== Array.isArray(next)) return next;
  /** @type {Record<string, unknown>} */
  const found = next;
  const names = Object.keys(found);
  let same = names.length === Object.keys(before).length;
  for (const name of names) {
    found[name] = shared(before[name], found[name]);
    if (found[name] !== before[name]) same = false;
  }
  return /** @type {T} */ (same ? before : next);
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isBranch = (value) => typeof value === "object" && value !== null;
