// @ts-check
/** All of the seal: what was checked, and beside it what luck is and is not. */

import { seal, session, sight } from "../state/app.js";
import { known, say } from "../words/index.js";
import { html } from "./html.js";
import { Luck } from "./luck.js";
import { Foreign } from "./names.js";
import { Dialog } from "./parts.js";
import { Broken, MARKS, SaveBundle } from "./seal.js";
import { Anchors } from "./shares.js";

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
      <${Luck} />
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
        ${part.what === "signature" && session.value?.key && html`<span class="help"><code dir="ltr">${session.value.key}</code></span>`}
        ${part.why && html`<span class="help"><${Foreign} text=${part.why} most=${300} /></span>`}
      </span>
    </li>`;
}
