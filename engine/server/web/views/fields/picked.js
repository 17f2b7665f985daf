// @ts-check
/** Inputs for what is picked: of a sheet, a chart, the characters, or the values of a type. */

import { say } from "../../words/index.js";
import { html } from "../html.js";
import { Foreign, plain } from "../names.js";
import { Text } from "./simple.js";

/**
 * @import { Choice } from "../../urim.d.ts"
 * @import { Input } from "./field.js"
 */

/** Choices that stand beside each other as buttons, at most; more are a list to open. */
const FEW = 6;

/** @param {Event} event */
const typed = (event) => /** @type {HTMLInputElement} */ (event.currentTarget).value;

/** A choice in words, with its number. @param {Choice} choice */
function called({ label, number }) {
  return number === null || number === undefined ? plain(label) : `${plain(label)} · ${number}`;
}

/** @param {readonly Choice[]} choices @param {readonly (string|number)[]} [values] @returns {readonly Choice[]} */
function known(choices, values = []) {
  if (choices.length) return choices;
  return values.map((value) => ({ type: "choice", value, label: String(value) }));
}

/** A list to open. What was given and is in it no more stays in it. @param {Input & {options: readonly Choice[]}} input */
function Listed({ id, about, field, value, set, wrong, options }) {
  const now = value === null || value === undefined ? "" : String(value);
  const missing = now !== "" && !options.some((each) => String(each.value) === now);
  return html`
    <select id=${id} aria-describedby=${about} aria-invalid=${wrong} aria-required=${field.required} value=${now} onChange=${(/** @type {Event} */ event) => set(typed(event))}>
      <option value="">${say("form.none")}</option>
      ${missing && html`<option value=${now}>${plain(now)}</option>`}
      ${options.map((each) => html`<option key=${String(each.value)} value=${String(each.value)}>${called(each)}</option>`)}
    </select>`;
}

/** A button for each. Of several questions a second tap takes a choice back; the only one is answered. @param {Input & {options: readonly Choice[]}} input */
function Taps({ id, about, field, value, set, options, tapped }) {
  const now = String(value ?? field.default ?? "");
  return html`
    <div class="chips" role="group" id=${id} aria-label=${field.title} aria-describedby=${about}>${options.map((each) => html`
      <button type="button" class="chip" key=${String(each.value)} aria-pressed=${now === String(each.value)}
        onClick=${() => set(tapped === "many" && String(value) === String(each.value) ? null : each.value, false, true)}><${Foreign} text=${called(each)} /></button>`)}</div>`;
}

/** A word that is picked, or typed where there is nothing to pick from. @param {Input} input */
export function Picked(input) {
  // Choices may come while somebody types: the field under their hands stays what it is.
  const held = document.activeElement;
  const typing = held?.localName === "input" && held.id === input.id;
  if (typing || !input.choices.length) return html`<${Text} ...${input} />`;
  return html`<${input.tapped ? Taps : Listed} ...${input} options=${input.choices} />`;
}

/** One of a few values. @param {Input} input */
export function One(input) {
  const { field, sort, value, set } = input;
  const options = known(input.choices, sort.values);
  if (input.tapped) return html`<${Taps} ...${input} options=${options} />`;
  if (options.length > FEW) return html`<${Listed} ...${input} options=${options} />`;
  const now = value ?? field.default;
  return html`
    <div class="chips" role="radiogroup" id=${input.id} aria-label=${field.title} aria-required=${field.required}>
      ${!field.required && field.default === null && html`
        <label class="chip"><input type="radio" name=${`${input.id}-way`} checked=${holdsNothing(now)} onChange=${() => set(null)} />
          <span>${say("form.none")}</span></label>`}
      ${options.map((each) => html`
        <label class="chip" key=${String(each.value)}>
          <input type="radio" name=${`${input.id}-way`} checked=${String(now) === String(each.value)} onChange=${() => set(each.value)} />
          <span><${Foreign} text=${called(each)} /></span>
        </label>`)}
    </div>`;
}

/** @param {unknown} value */
const holdsNothing = (value) => value === null || value === undefined || value === "";

/** A line of a chart, or a number of one's own. @param {Input} input */
export function Either(input) {
  const { id, field, value, set, choices } = input;
  const now = value ?? field.default ?? "";
  const own = now !== "" && !choices.some((each) => String(each.value) === String(now));
  return html`
    <span class="either">
      ${choices.length > 0 && html`<${input.tapped ? Taps : Listed} ...${input} value=${own ? "" : value} options=${choices} />`}
      <input id=${choices.length ? `${id}-own` : id} type="text" dir="ltr" autocomplete="off" inputmode="numeric"
        aria-label=${choices.length ? say("form.own", { what: field.title }) : input.tapped ? field.title : undefined}
        placeholder=${say("form.number")} value=${own ? value : ""} aria-invalid=${input.wrong}
        onInput=${(/** @type {Event} */ event) => set(typed(event), true)} />
    </span>`;
}

/** Any of several. @param {Input} input */
export function Many(input) {
  const { sort, set } = input;
  const now = /** @type {(string|number)[]} */ (input.value ?? []);
  const options = known(input.choices, sort.values);
  const turn = (/** @type {any} */ value) =>
    set(now.includes(value) ? now.filter((each) => each !== value) : [...now, value]);
  if (!options.length) return html`<p class="help">${say("form.nothing")}</p>`;
  return html`
    <div class="chips">
      ${options.map((each) => html`
        <label class="chip" key=${String(each.value)}>
          <input type="checkbox" checked=${now.includes(/** @type {any} */ (each.value))} onChange=${() => turn(each.value)} />
          <span><${Foreign} text=${called(each)} /></span>
        </label>`)}
    </div>`;
}
