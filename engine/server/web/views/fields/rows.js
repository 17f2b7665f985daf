// @ts-check
/** Inputs for what has names of its own: a number by name, or several fields by name. */

import { useState } from "preact/hooks";

import { say } from "../../words/index.js";
import { html } from "../html.js";
import { plain } from "../names.js";
import { FieldView } from "./field.js";
import { properties, shown } from "./model.js";
import { Stepped } from "./simple.js";

/** @import { Input } from "./field.js" */

/** Without one name. @param {Record<string, any>} rows @param {string} name */
function without(rows, name) {
  return Object.fromEntries(Object.entries(rows).filter(([each]) => each !== name));
}

/** A number by name; where the names are known, one number each. @param {Input} input */
export function Rates({ id, sort, value, set, choices }) {
  const rows = /** @type {Record<string, any>} */ (value ?? {});
  const put = (/** @type {string} */ name, /** @type {any} */ rate, /** @type {boolean} */ typing = false) =>
    set(sort.values && rate === "" ? without(rows, name) : { ...rows, [name]: rate }, typing);
  const names = sort.values?.map(String) ?? Object.keys(rows);
  return html`
    <div class="rates">
      ${names.map((name, at) => html`
        <div class="rate" key=${name}>
          <bdi class="what">${plain(name)}</bdi>
          <${Stepped} named id=${`${id}-${at}`} label=${plain(name)} sort=${sort} value=${rows[name] ?? ""}
            set=${(/** @type {any} */ rate, /** @type {boolean} */ typing) => put(name, rate, typing)} />
          ${!sort.values && html`<${Away} name=${name} act=${() => set(without(rows, name))} />`}
        </div>`)}
      ${!sort.values && html`<${NewName} id=${id} taken=${names} choices=${choices} add=${(/** @type {string} */ name) => put(name, "1")} />`}
    </div>`;
}

/** Fields by name: what is in force, each with what it changes. @param {Input} input */
export function Parts({ id, field, sort, whole, value, set, choices }) {
  const rows = /** @type {Record<string, any>} */ (value ?? {});
  const schema = { ...sort.inner, $defs: whole.$defs };
  const known = properties(schema);
  return html`
    <div class="rates">
      ${Object.entries(rows).map(([name, part], at) => html`
        <fieldset class="inner" key=${name}>
          <legend><bdi>${plain(name)}</bdi> <${Away} name=${name} act=${() => set(without(rows, name))} /></legend>
          <div class="fields">
            ${shown(field.fields, part, { link: null }).map((inner) => html`
              <${FieldView} key=${inner.name} form=${`${id}-${at}`} field=${inner} schema=${known[inner.name] ?? {}}
                whole=${schema} value=${part[inner.name]} wrong=${false} missing=${false} choices=${[]}
                set=${(/** @type {any} */ now, /** @type {boolean} */ typing) => set({ ...rows, [name]: { ...part, [inner.name]: now } }, typing)} />`)}
          </div>
        </fieldset>`)}
      <${NewName} id=${id} taken=${Object.keys(rows)} choices=${choices} add=${(/** @type {string} */ name) => set({ ...rows, [name]: {} })} />
    </div>`;
}

/** @param {{name: string, act: () => void}} props */
function Away({ name, act }) {
  return html`<button type="button" class="plain away" aria-label=${say("form.away", { what: plain(name) })} onClick=${act}>✕</button>`;
}

/** @param {{id: string, taken: readonly string[], choices: Input["choices"], add: (name: string) => void}} props */
function NewName({ id, taken, choices, add }) {
  const [name, type] = useState("");
  const list = `${id}-list`;
  const put = () => {
    if (name.trim() && !taken.includes(name.trim())) add(name.trim());
    type("");
  };
  return html`
    <div class="rate rate-new">
      <input id=${`${id}-new`} type="text" dir="auto" maxlength="60" autocomplete="off" value=${name} list=${choices.length ? list : undefined}
        aria-label=${say("form.name")} placeholder=${say("form.name")}
        onInput=${(/** @type {Event} */ event) => type(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Enter") return;
          event.preventDefault(); // Enter here adds a line, and does not send the form
          put();
        }} />
      ${choices.length > 0 && html`<datalist id=${list}>${choices.map((each) => html`<option key=${each.value} value=${each.value} />`)}</datalist>`}
      <button type="button" disabled=${!name.trim()} onClick=${put}>${say("form.add")}</button>
    </div>`;
}
