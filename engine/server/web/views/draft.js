// @ts-check
/** A half-typed form: a signal that one view follows by itself. */

import { effect } from "@preact/signals-core";
import { useEffect, useState } from "preact/hooks";

/**
 * The value of a signal; the view is drawn again whenever it changes, and no other view is.
 *
 * @template T
 * @param {import("@preact/signals-core").Signal<T>} signal
 * @returns {T}
 */
export function useValue(signal) {
  const [, set] = useState(signal.peek());
  useEffect(() => effect(() => set(() => signal.value)), [signal]);
  return signal.peek();
}
