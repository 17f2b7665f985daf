// @ts-check
/** Damage, where it fell, and what the narrator makes of it. */

import { useState } from "preact/hooks";

import { ask } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { body, Later } from "./later.js";
import { Bare, Outcome } from "./outcome.js";
import { Answer, useAction } from "./parts.js";
import { characters } from "./shown.js";

/** @import { Account } from "../urim.d.ts" */

const FATES = /** @type {const} */ (["spared", "destroyed", "killed"]);

/**
 * The damage of a roll and the place that it fell on.
 *
 * @param {{roll: any, result: Account["damage"] | undefined}} props
 */
export function Damage({ roll, result }) {
  const location = locationOf(roll);
  const target = targetOf(roll);
  const who = characters().find((each) => each.id === target);
  return html`
    ${result
      ? html`<${Outcome} result=${result} title=${say("damage.title")} />`
      : roll.damage && html`<${Bare} outcome=${{ degree: String(roll.damage.head ?? roll.damage.amount), margin: 0, figures: {} }} title=${say("damage.title")} />`}
    ${location && who && html`<${Later} load=${body} view="Body" character=${who} location=${location} />`}`;
}

/** The place that a roll hits, in the system's word. @param {any} roll @returns {string} */
function locationOf(roll) {
  const found = roll.damage?.figures?.location ?? roll.outcome?.figures?.location;
  return typeof found === "string" ? found : "";
}

/** Who is hit: who takes the damage, else the opponent or the only target. @param {any} roll @returns {string} */
function targetOf(roll) {
  const { opponent, targets } = roll.declaration ?? {};
  return roll.damage?.target ?? opponent ?? (Array.isArray(targets) && targets.length === 1 ? targets[0] : "");
}

/** What damage did beyond its numbers: a narrator's. @param {{roll: any, done: () => void}} props */
export function Fate({ roll, done }) {
  const [fate, pick] = useState("");
  const [part, type] = useState(locationOf(roll));
  const [busy, answer, run] = useAction();
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const more = fate === "destroyed" && part.trim() ? { part: part.trim() } : {};
    const found = await run(() => ask(/** @type {any} */ ({ do: "fate/1", roll: roll.number, fate, ...more })));
    if (found?.type === "done") done();
  }
  return html`
    <form class="filling fate" onSubmit=${submit} aria-label=${say("move.fate")}>
      <div class="chips" role="radiogroup" aria-label=${say("move.fate")}>
        ${FATES.map((each) => html`
          <label class="chip" key=${each}><input type="radio" name=${`fate-${roll.number}`} checked=${fate === each} onChange=${() => pick(each)} />
            <span>${say(`fate.${each}`)}</span></label>`)}
      </div>
      ${fate === "destroyed" && html`
        <label class="asked"><span>${say("fate.part")}</span>
          <input type="text" dir="auto" maxlength="60" value=${part} onInput=${(/** @type {Event} */ event) => type(/** @type {HTMLInputElement} */ (event.currentTarget).value)} /></label>`}
      <div class="acts"><button type="submit" aria-disabled=${busy} disabled=${!fate}>${say("fate.decide")}</button></div>
      <${Answer} answer=${answer} />
    </form>`;
}
