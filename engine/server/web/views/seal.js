// @ts-check
/** The seal: whether what this page was sent fits together, in plain words. */

import { bundle, seal } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Answer, saveFile, sentence, useAction } from "./parts.js";

/** Marks of the three states: a shape beside the colour. */
export const MARKS = { green: "✓", grey: "–", red: "!" };

/** The seal in the page's head. @param {{open: () => void}} props */
export function SealMark({ open }) {
  const { state } = seal.value;
  return html`
    <button type="button" class="seal is-${state}" aria-haspopup="dialog" onClick=${open}>
      <span aria-hidden="true">${MARKS[state]}</span> ${say(`seal.${state}`)}
    </button>`;
}

/** Across the page when the seal is red: where, that play has stopped, and what to keep. */
export function Broken() {
  if (seal.value.state !== "red") return null;
  const part = seal.value.parts.find((each) => each.state === "wrong");
  const entry = seal.value.wrong[0]?.seq ?? part?.entry ?? null;
  const why = seal.value.wrong[0]?.why ?? seal.value.forks[0]?.why ?? part?.why;
  return html`
    <div class="broken" role="alert">
      <p><strong>${entry === null ? say("seal.stopped") : sentence("seal.stopped-at", { entry })}</strong></p>
      ${why && html`<p><${Foreign} text=${why} most=${300} /></p>`}
      <p>${say("seal.keep")}</p>
      <p><${SaveBundle} /></p>
    </div>`;
}

/** Has the browser save the bundle. */
async function save() {
  const found = await bundle();
  if (found.type === "done") saveFile(found.name, found.text, "application/jsonl");
  return found;
}

/** A button that saves the table's bundle as a file. */
export function SaveBundle() {
  const [busy, answer, run] = useAction();
  return html`
    <button type="button" aria-disabled=${busy} onClick=${() => run(save)}>${say("seal.save")}</button>
    <${Answer} answer=${answer?.type === "refused" ? answer : null} />`;
}
