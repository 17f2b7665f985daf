// @ts-check
/** A long list is drawn some at a time, so that the page never stands still. */

import { useEffect, useState } from "preact/hooks";

/**
 * How many of so many things are drawn now: `step` at first, and as many more at a time.
 *
 * @param {number} count
 * @param {number} step
 */
export function useGrowing(count, step) {
  const [most, grow] = useState(step);
  useEffect(() => {
    if (most >= count) return undefined;
    const timer = setTimeout(() => grow(most + step));
    return () => clearTimeout(timer);
  }, [most, count]);
  return Math.min(most, count);
}
