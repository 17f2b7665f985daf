// @ts-check
/** The seal: whether what this page was sent fits together, in plain words. */

import { bundle, seal, sight } from "../state/app.js";
import { known, say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Answer, Dialog, saveFile, sentence, useAction } from "./parts.js";
import { Anchors } from "./shares.js";

/** Marks of the three states: a shape beside the colour. */
const MARKS = { green: "✓", grey: "–", red: "!" };

/** The seal in the page's head. @param {{open: () => void}} props */
export function SealMark({ open }) {
  const { state } = seal.value;
  return html`
    <button type="button" class="seal is-${state}" aria-haspopup="dialog" onClick=${open}>
      <span aria-hidden="true">${MARKS[state]}</span> ${say(`seal.${state}`)}
    </button>`;
}

/** All of the seal. @param {{close: () => void}} props */
export function Seal({ close }) {
  const { state, parts, head, unchecked } = seal.value;
  return html`
    <${Dialog} title=${say("seal.title")} close=${close} wide>
      <p class="seal-verdict is-${state}"><span aria-hidden="true">${MARKS[state]}</span> ${say(`seal.${state}-long`)}</p>
      ${state === "red" && html`<${Broken} />`}
      <h3>${say("seal.parts")}</h3>
      <ul class="parts">${parts.map((part) => html`<${Part} key=${part.what} part=${part} />`)}</ul>
      ${unchecked.length > 0 && html`<p class="help">${say("seal.unchecked", { n: unchecked.length })}</p>`}
      ${sight.value?.dice.startsWith("fair") && html`<p class="help">${say("start.level")}: <strong>${say(`start.level-${sight.value.level}`)}.</strong> ${say(`start.level-${sight.value.level}-help`)}</p>`}
      ${head && html`<p class="help">${say(head.signed ? "seal.head" : "seal.head-unsigned", { n: head.size })}</p>`}
      <${Anchors} />
      <p>${say("seal.limits")}</p>
      <p class="ends">${state !== "red" && html`<${SaveBundle} />`}
        <a href="/verifier" target="_blank" rel="noopener">${say("seal.verifier")}</a></p>
    <//>`;
}

/** @param {{part: import("../state/seal.js").Part}} props */
function Part({ part }) {
  const key = `seal.part.${part.what}`;
  return html`
    <li class="is-${part.state}">
      <span class="mark" aria-hidden="true">${{ ok: "✓", wrong: "!", unchecked: "–" }[part.state]}</span>
      <span>
        <strong>${known(key) ? say(key) : part.what}</strong>
        <span class="quiet"> (${say(`seal.state.${part.state}`)})</span>
        ${part.entry !== null && part.state !== "ok" && html` · ${say("seal.entry", { entry: part.entry })}`}
        ${part.why && html`<span class="help"><${Foreign} text=${part.why} most=${300} /></span>`}
      </span>
    </li>`;
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
function SaveBundle() {
  const [busy, answer, run] = useAction();
  return html`
    <button type="button" aria-disabled=${busy} onClick=${() => run(save)}>${say("seal.save")}</button>
    <${Answer} answer=${answer?.type === "refused" ? answer : null} />`;
}
