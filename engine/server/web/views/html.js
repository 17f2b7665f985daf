// @ts-check
/** How views are written: htm's tags for Preact, and a view that waits for other properties. */

import { h } from "preact";
import htm from "htm";

/** A tagged template that gives what Preact draws. */
export const html = htm.bind(h);

/**
 * The same view, drawn again only when one of its properties is another one.
 *
 * What such a view reads of signals is among its properties too: else it would not be drawn when
 * they change.
 *
 * @template P
 * @param {(props: P) => any} view
 * @returns {(props: P) => any}
 */
export function memo(view) {
  return function kept(props) {
    this.shouldComponentUpdate = differs;
    return h(/** @type {any} */ (view), /** @type {any} */ (props));
  };
}

/** @this {{props: Record<string, unknown>}} @param {Record<string, unknown>} next */
function differs(next) {
  const names = new Set([...Object.keys(this.props), ...Object.keys(next)]);
  return [...names].some((name) => this.props[name] !== next[name]);
}
