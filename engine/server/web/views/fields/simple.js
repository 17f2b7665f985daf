// @ts-check
/** Inputs for a text, a number, a list of numbers, yes or no. */

import { say } from "../../words/index.js";
import { html } from "../html.js";

/** @import { Input } from "./field.js" */

/** @param {Event} event */
const typed = (event) => /** @type {HTMLInputElement} */ (event.currentTarget).value;

/** A text, with examples to tap where the system has some. @param {Input} input */
export function Text({ id, about, field, sort, value, set, wrong, tapped }) {
  return html`
    <input id=${id} type="text" aria-label=${tapped ? field.title : undefined} dir="auto" autocomplete="off" spellcheck=${false} value=${value ?? ""}
      maxlength=${sort.length} aria-describedby=${about} aria-invalid=${wrong} aria-required=${field.required}
      onInput=${(/** @type {Event} */ event) => set(typed(event), true)} />
    ${sort.examples?.length && html`
      <div class="chips" role="group" aria-label=${say("form.examples")}>
        ${sort.examples.map((each) => html`
          <button type="button" class="chip" key=${each} onClick=${() => set(each)}><bdi dir="ltr">${each}</bdi></button>`)}
      </div>`}`;
}

/**
 * A number, with a step down and a step up beside it. It is kept as it was typed.
 *
 * @param {Input} input
 */
export function Whole({ id, about, field, sort, value, set, wrong, tapped }) {
  return html`<${Stepped} ...${{ id, about, sort, value, set, wrong }} label=${field.title} named=${Boolean(tapped)} />`;
}

/**
 * @param {{id: string, about?: string, label: string, value: any, wrong?: boolean, named?: boolean,
 *   sort: import("./model.js").Sort, set: (value: any, typing?: boolean) => void}} props  `named`: no
 *   label stands beside it, so it is called by `label`
 */
export function Stepped({ id, about, label, sort, value, set, wrong = false, named = false }) {
  const step = sort.whole ? 1 : 0.5;
  const by = (/** @type {number} */ change) => {
    const now = Number(value ?? 0) || 0;
    const next = Math.min(sort.most ?? Infinity, Math.max(sort.least ?? -Infinity, now + change));
    set(String(next));
  };
  return html`
    <span class="stepped">
      <button type="button" tabindex="-1" aria-label=${say("form.less", { what: label })} onClick=${() => by(-step)}>−</button>
      <input id=${id} type="text" inputmode=${sort.whole && (sort.least ?? 0) >= 0 ? "numeric" : "text"} dir="ltr"
        autocomplete="off" value=${value ?? ""} aria-describedby=${about} aria-invalid=${wrong}
        aria-label=${named ? label : undefined}
        onInput=${(/** @type {Event} */ event) => set(typed(event), true)}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          by(event.key === "ArrowUp" ? step : -step);
        }} />
      <button type="button" tabindex="-1" aria-label=${say("form.more", { what: label })} onClick=${() => by(step)}>+</button>
    </span>`;
}

/** Numbers with blanks between them. @param {Input} input */
export function Numbers({ id, about, value, set, wrong }) {
  const text = Array.isArray(value) ? value.join(" ") : (value ?? "");
  return html`<input id=${id} type="text" dir="ltr" autocomplete="off" value=${text} aria-describedby=${about}
    aria-invalid=${wrong} onInput=${(/** @type {Event} */ event) => set(typed(event), true)} />`;
}

/** @param {Input} input */
export function Flag({ id, about, value, set }) {
  return html`<input id=${id} type="checkbox" checked=${Boolean(value)} aria-describedby=${about}
    onChange=${(/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.currentTarget).checked)} />`;
}

/** Yes, no, or what the rules say by themselves. @param {Input} input */
export function Maybe({ id, value, set }) {
  const ways = /** @type {const} */ ([[null, "form.byitself"], [true, "form.yes"], [false, "form.no"]]);
  return html`
    <div class="chips">
      ${ways.map(([each, key]) => html`
        <label class="chip" key=${key}>
          <input type="radio" name=${`${id}-way`} checked=${(value ?? null) === each} onChange=${() => set(each)} />
          <span>${say(key)}</span>
        </label>`)}
    </div>`;
}
