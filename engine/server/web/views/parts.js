// @ts-check
/** Small things that many views have: a dialog, a field, a button that copies, a sentence. */

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { known, parts, say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign, Name } from "./names.js";

/** Characters of a name within a sentence, at most. */
const SHORT = 60;

/**
 * A sentence with names in it, each by itself.
 *
 * @param {string} key
 * @param {Record<string, unknown>} [given]
 */
export function sentence(key, given = {}) {
  return parts(key, given).map(([piece, placed]) =>
    placed && typeof piece === "string" ? html`<${Name} text=${piece} most=${SHORT} />` : piece);
}

/**
 * A window over the page, closed with Escape, by its button, or by a press beside it.
 *
 * @param {{title: string, close: () => void, children?: any, wide?: boolean}} props
 */
export function Dialog({ title, close, children, wide = false }) {
  const ref = useRef(/** @type {HTMLDialogElement|null} */ (null));
  const id = useId();
  useEffect(() => {
    const back = document.activeElement;
    ref.current?.showModal();
    // As long as the window is there, nothing outside of it takes the focus.
    return () => void setTimeout(() => {
      if (document.activeElement === document.body) (back instanceof HTMLElement && back.isConnected ? back : document.getElementById("main"))?.focus();
    });
  }, []);
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById(id)?.focus(); // what had it is done
  });
  return html`
    <dialog ref=${ref} class=${wide ? "wide" : ""} aria-labelledby=${id} onClose=${close}
      onClick=${(/** @type {Event} */ event) => event.target === ref.current && ref.current?.close()}>
      <div class="sheet">
        <header>
          <h2 id=${id} tabindex="-1">${title}</h2>
          <button type="button" class="plain" onClick=${() => ref.current?.close()}
            aria-label=${say("dialog.close")}>✕</button>
        </header>
        ${children}
      </div>
    </dialog>`;
}

/**
 * A field with its label, and what helps to fill it in. All other properties are the element's;
 * `known` are values to choose from, where others are possible.
 *
 * @param {{label: any, help?: any, as?: "input"|"select"|"textarea", known?: readonly string[],
 *   children?: any, [property: string]: any}} props
 */
export function Field({ label, help, as = "input", known, children, ...own }) {
  const id = useId();
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <${as} id=${id} aria-describedby=${help ? `${id}-help` : undefined} list=${known ? `${id}-known` : undefined}
        ...${own}>${children}<//>
      ${known && html`<datalist id="${id}-known">${known.map((each) => html`<option value=${each}></option>`)}</datalist>`}
      ${help && html`<p class="help" id="${id}-help">${help}</p>`}
    </div>`;
}

/** What to do with the value of a field that changes. @param {(value: string) => void} set */
export function valueTo(set) {
  return (/** @type {{currentTarget: {value: string}}} */ event) => set(event.currentTarget.value);
}

/**
 * One of a few, as a list of radio buttons: `[value, label, help]` each.
 *
 * @param {{legend: any, name: string, value: string, set: (value: string) => void,
 *   choices: [string, any, any?][]}} props
 */
export function Choices({ legend, name, value, set, choices }) {
  const id = useId();
  return html`
    <fieldset class="choices">
      <legend>${legend}</legend>
      ${choices.map(([each, label, help]) => html`
        <label class="choice" key=${each}>
          <input type="radio" name="${id}-${name}" value=${each} checked=${each === value}
            onChange=${() => set(each)} />
          <span><strong>${label}</strong>${help && html`<span class="help">${help}</span>`}</span>
        </label>`)}
    </fieldset>`;
}

/** A button that copies a text. Where that is not allowed, the text stands beside it. @param {{text: string}} props */
export function Copy({ text }) {
  const [done, setDone] = useState("");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setDone("copy.done");
    } catch {
      setDone("copy.failed"); // on plain http a page may not write to the clipboard
    }
  }
  return html`<button type="button" onClick=${copy}>${say("copy.do")}</button>
    <span role="status" class="help">${done && say(done)}</span>`;
}

/** A refusal without the picture of where in a text it is: that needs a line of its own. @param {unknown} why */
const firstLine = (why) => String(why ?? "").split("\n", 1)[0];

/**
 * What came of an action: nothing where it was done, else why not, and what would be allowed.
 *
 * @param {{answer: any}} props
 */
export function Answer({ answer }) {
  const turn = useRef(0);
  const before = useRef(answer);
  if (before.current !== answer) turn.current += 1; // the same words once more are read once more
  before.current = answer;
  if (!answer || answer.type === "done") return null;
  return html`<div class="refused" role="alert" key=${turn.current}><${Refusal} answer=${answer} /></div>`;
}

/** Why something is not done, or would not be, and what would be allowed. @param {{answer: any}} props */
export function Refusal({ answer }) {
  const allowed = answer.allowed ?? [];
  return html`
    ${known(`refused.${answer.code}`) && html`<p>${say(`refused.${answer.code}`)}</p>`}
    <p>${answer.type === "refused" || answer.why
      ? html`<${Foreign} text=${firstLine(answer.why)} />`
      : say(`answer.${answer.type}`)}</p>
    ${allowed.length > 0 && html`
      <p class="help">${say("answer.allowed")} ${allowed.map((/** @type {string} */ each, /** @type {number} */ index) =>
        html`${index > 0 && ", "}<${Foreign} text=${each} most=${120} />`)}</p>`}`;
}

/** Has the browser save a text as a file. @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

/**
 * An action in progress, and what came of the last one: `[busy, answer, run]`.
 *
 * A button that waits is `aria-disabled`, never `disabled`, which would lose the focus: so `run` does
 * nothing as long as the one before goes on.
 */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState(/** @type {any} */ (null));
  const there = useRef(true);
  const going = useRef(false);
  useEffect(() => () => void (there.current = false), []);
  /** @param {() => Promise<any>} action */
  async function run(action) {
    if (going.current) return undefined;
    going.current = true;
    setBusy(true);
    try {
      const found = await action();
      if (there.current) setAnswer(found);
      return found;
    } finally {
      going.current = false;
      if (there.current) setBusy(false);
    }
  }
  return /** @type {const} */ ([busy, answer, run]);
}

/** What a form holds, by the names of its fields. @param {Event} event @returns {Record<string, string>} */
export function filled(event) {
  event.preventDefault();
  return Object.fromEntries(
    [...new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))]
      .map(([name, value]) => [name, String(value)]),
  );
}
