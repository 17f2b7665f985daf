// @ts-check
/** One stop of the Tab key for a row of things; the arrows go from one to the next. */

import { useRef, useState } from "preact/hooks";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * `of(id)` has the properties of the thing with this id; `row` those of what holds them all.
 *
 * @param {readonly string[]} ids
 */
export function useRoving(ids) {
  const [wanted, stop] = useState("");
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  const now = ids.includes(wanted) ? wanted : ids[0];

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const held = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    const at = ids.indexOf(held?.getAttribute("data-id") ?? "");
    if (at < 0) return;
    const way = getComputedStyle(/** @type {Element} */ (row.current)).direction === "rtl" ? -1 : 1;
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    const to = event.key === "Home" ? 0 : event.key === "End" ? ids.length - 1 : step ? at + step * way : null;
    if (to === null || !ids[to]) return;
    event.preventDefault();
    stop(ids[to]);
    /** @type {HTMLElement | null | undefined} */ (row.current?.querySelector(`[data-id="${CSS.escape(ids[to])}"]`))?.focus();
  }

  return {
    row: { ref: row, onKeyDown },
    of: (/** @type {string} */ id) => ({ "data-id": id, tabindex: id === now ? 0 : -1, onFocus: () => stop(id) }),
  };
}
