// @ts-check
/** A Hebrew root: typed, tapped letter by letter, or picked from the table's own. */

import { say } from "../../words/index.js";
import { html } from "../html.js";
import { plain } from "../names.js";

/** @import { Input } from "./field.js" */

/** The letters, without the final forms: dice have none. */
const LETTERS = [..."אבגדהוזחטיכלמנסעפצקרשת"];

/** What a root is called beside its letters. @param {{value: unknown, label: string}} choice */
function labelOf({ value, label }) {
  return plain(label).replace(String(value), "").replace(/^[\s(]+|[\s)]+$/g, "");
}

/** @param {Input} input */
export function Root({ id, about, sort, value, set, choices, wrong }) {
  const now = String(value ?? "");
  return html`
    <input id=${id} class="root" type="text" dir="rtl" lang="he" autocomplete="off" spellcheck=${false} value=${now}
      maxlength=${sort.length} aria-describedby=${about} aria-invalid=${wrong}
      onInput=${(/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.currentTarget).value, true)} />
    ${choices.length > 0 && html`
      <div class="chips" role="group" aria-label=${say("form.roots")}>
        ${choices.map((each) => html`
          <button type="button" class="chip" key=${`${each.value} ${each.label}`} aria-pressed=${now === String(each.value)}
            onClick=${() => set(now === String(each.value) ? null : each.value)}>
            <bdi lang="he" class="letters">${plain(each.value)}</bdi>${labelOf(each) && html` <bdi>${labelOf(each)}</bdi>`}
          </button>`)}
      </div>`}
    <details class="alphabet">
      <summary>${say("form.alphabet")}</summary>
      <div class="keys" dir="rtl" role="group" aria-label=${say("form.alphabet")}>
        ${LETTERS.map((letter) => html`
          <button type="button" lang="he" key=${letter} onClick=${() => set(now + letter)}>${letter}</button>`)}
        <button type="button" class="wide" aria-label=${say("form.rub")} onClick=${() => set(now.slice(0, -1))}>⌫</button>
      </div>
    </details>`;
}
