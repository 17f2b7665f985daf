// @ts-check
/** Kinds of dice: what people call them, and their faces. */

import { sight, system } from "../state/app.js";

/** @param {string} kind @returns {import("./die.js").Kind} */
export function kindOf(kind) {
  return { label: sight.value?.kinds?.[kind] ?? kind, faces: facesOf(kind) };
}

const NUMBERED = /^d(\d+)$/;

/** The faces of a kind; none where they are not listed. @param {string} kind @returns {readonly (number|string)[]} */
export function facesOf(kind) {
  const own = /** @type {any} */ (sight.value?.options?.faces)?.[kind];
  const known = own ?? system.value?.dice?.[kind];
  if (known) return known;
  const sides = Number(NUMBERED.exec(kind)?.[1] ?? 0);
  return sides && sides <= 1000 ? Array.from({ length: sides }, (_, at) => at + 1) : [];
}
