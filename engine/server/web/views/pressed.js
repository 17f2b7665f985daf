// @ts-check
/** What is pressed stays under the finger: a click is lost where what it began on has moved when it ends. */

import { options } from "preact";

/** Milliseconds for which a press keeps the page as it is, at most. */
const LONGEST = 3000;

/** Milliseconds from letting go to the click of it, at most. */
const CLICKED = 50;

/** From now on no view is drawn between a press and its click. */
export function keepPressed() {
  let over = () => {};
  let rest = Promise.resolve();
  const press = (/** @type {PointerEvent} */ { isPrimary, button }) => {
    if (!isPrimary || button !== 0) return;
    over();
    rest = new Promise((resume) => (over = resume));
    setTimeout(over, LONGEST);
  };
  addEventListener("pointerdown", press, true);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(over, CLICKED), true);
  addEventListener("click", () => over()); // once all have heard it
  options.debounceRendering = (draw) => void rest.then(draw);
}
