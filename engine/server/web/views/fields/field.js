// @ts-check
/** One field of a system's form, as what it takes asks for. */

import { useState } from "preact/hooks";

import { say } from "../../words/index.js";
import { html } from "../html.js";
import { Foreign } from "../names.js";
import { Flag, Maybe, Numbers, Text, Whole } from "./simple.js";
import { Either, Many, One, Picked } from "./picked.js";
import { Root } from "./root.js";
import { Parts, Rates } from "./rows.js";
import { sortOf } from "./model.js";

/**
 * @import { Choice } from "../../urim.d.ts"
 * @import { Field, Schema, Sort } from "./model.js"
 *
 * What every input is given. `choices` are those that the server names; `halves` that numbers may
 * be halves; `set` takes what was typed, and whether it is in the midst of typing.
 * @typedef {object} Input
 * @property {string} id
 * @property {string | undefined} about  id of what describes it
 * @property {Field} field
 * @property {Sort} sort
 * @property {Schema} whole
 * @property {any} value
 * @property {(value: any, typing?: boolean, tap?: boolean) => void} set
 * @property {readonly Choice[]} choices
 * @property {boolean} wrong
 * @property {"" | "one" | "many"} tapped  every choice is a button, of one question or of several
 */

/** @type {Record<string, (input: Input) => any>} */
const INPUTS = {
  flag: Flag,
  maybe: Maybe,
  number: Whole,
  numbers: Numbers,
  one: One,
  either: Either,
  many: Many,
  rates: Rates,
  parts: Parts,
  text: Text,
};

/** Inputs of several controls, which a legend names instead of a label. */
const SEVERAL = new Set(["many", "rates", "parts", "maybe"]);

/** @param {Field} field @param {Sort} sort */
function inputOf(field, sort) {
  if (sort.sort !== "text") return INPUTS[sort.sort];
  if (field.picks.of === "root") return Root;
  return ["sheet", "character", "chart"].includes(field.picks.of ?? "") ? Picked : Text;
}

/**
 * A field with its label, its input, and a sentence about it.
 *
 * @param {{form: string, field: Field, schema: Schema, whole: Schema, value: any, wrong: boolean,
 *   missing: boolean, choices: readonly Choice[], tapped: Input["tapped"], set: Input["set"]}} props
 */
export function FieldView({ form, field, schema, whole, value, wrong, missing, choices, tapped, set }) {
  const [open, unfold] = useState(false);
  const sort = sortOf(schema, whole);
  const id = `${form}-${field.name}`;
  const about = field.help ? `${id}-help` : undefined;
  const view = inputOf(field, sort);
  const input = html`<${view} ...${{ id, about, field, sort, whole, value, set, choices, wrong, tapped }} />`;
  const title = html`<${Foreign} text=${field.title} />`;
  const needed = field.required && html`<span class="needed" aria-hidden="true">${say("form.needed")}</span>`;
  const ask = about && html`<${About} id=${about} title=${field.title} open=${open} turn=${() => unfold(!open)} />`;
  const help = html`
    ${(wrong || missing) && html`<p class="wrong" role="alert">${say(wrong ? "form.wrong" : "form.missing")}</p>`}
    ${about && html`<p class="help" id=${about} hidden=${!open}><${Foreign} text=${field.help} /></p>`}`;
  const look = `asked is-${sort.sort}`;
  if (sort.sort === "flag") {
    return html`<div class=${look}><div class="head-of"><label class="tick">${input}<span>${title}</span></label>${ask}</div>${help}</div>`;
  }
  if (SEVERAL.has(sort.sort) || tapped) {
    return html`<fieldset class=${look} aria-describedby=${about}><legend class="head-of">${title}${needed}${ask}</legend>${help}${input}</fieldset>`;
  }
  return html`<div class=${look}><div class="head-of"><label for=${id}>${title}</label>${needed}${ask}</div>${input}${help}</div>`;
}

/** The button that shows what a field is about. @param {{id: string, title: string, open: boolean, turn: () => void}} props */
function About({ id, title, open, turn }) {
  return html`<button type="button" class="about" aria-expanded=${open} aria-controls=${id} aria-label=${say("form.about", { what: title })} onClick=${turn}>?</button>`;
}
