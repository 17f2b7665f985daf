// @ts-check
/** What is typed or chosen and not sent yet: kept over events and reloads, undone step by step; and who follows a signal. */

import { effect } from "@preact/signals-core";
import { useEffect, useRef, useState } from "preact/hooks";

import { draft } from "../state/app.js";

/** Steps that can be undone, at most. */
const STEPS = 50;

/**
 * @template T
 * @typedef {object} Drafted
 * @property {T} value
 * @property {(next: T, typing?: boolean) => void} set  `typing` adds to the step before
 * @property {() => void} undo  to before the last step
 * @property {boolean} undoable
 * @property {() => void} clear  as if nothing had been typed
 */

/**
 * A draft under a key, drawn again whenever it changes.
 *
 * @template T
 * @param {string} key
 * @param {T} empty  what it is as long as nothing was typed
 * @returns {Drafted<T>}
 */
export function useDraft(key, empty) {
  // A form that is opened by a click is drawn outside the page's effect: it follows by itself.
  const kept = draft(key, null);
  const found = useValue(kept);
  const typed = useRef(false);
  /** @type {{now: T, past: T[]}} */
  const { now, past } = found ?? { now: empty, past: [] };
  return {
    value: now,
    set(next, typing = false) {
      const step = typing && typed.current ? past : [...past, now].slice(-STEPS);
      typed.current = typing;
      kept.value = { now: next, past: step };
    },
    undo() {
      typed.current = false;
      kept.value = past.length ? { now: past[past.length - 1], past: past.slice(0, -1) } : null;
    },
    undoable: past.length > 0,
    clear() {
      typed.current = false;
      kept.value = null;
    },
  };
}

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
