// @ts-check
/** What is pressed stays under the finger: a click is lost where what it began on has moved when it ends. */

import { options } from "preact";

/** Milliseconds for which a press keeps the page as it is, at most. */
const LONGEST = 3000;

/** Milliseconds from letting go to the click of it, at most. */
const CLICKED = 50;

/** From now on no view is drawn between a press and its click. */
export function keepPressed() {
  let finger = -1;
  let over = () => {};
  let rest = Promise.resolve();
  addEventListener("pointerdown", ({ isPrimary, button, pointerId, target }) => {
    if (!isPrimary || button !== 0 || (target instanceof Element && target.closest("select"))) return; // a list that opens has no end
    over();
    finger = pointerId;
    rest = new Promise((resume) => (over = resume));
    setTimeout(over, LONGEST);
  }, true);
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
    addEventListener(end, ({ pointerId }) => pointerId === finger && setTimeout(over, CLICKED), true);
  }
  addEventListener("click", () => over()); // once all have heard it
  options.debounceRendering = (draw) => void rest.then(draw);
}
