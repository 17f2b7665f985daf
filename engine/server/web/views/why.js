// @ts-check
/** Why something is not possible in a roll now: asked of the server when somebody wants to know. */

import { useEffect, useState } from "preact/hooks";

import { language, session, sight } from "../state/app.js";
import { ask, withParameters } from "../state/api.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";

/** @import { Move } from "../urim.d.ts" */

/** Moves that the page makes by itself, and refusals that say nothing to people. */
const SILENT = new Set(["ask", "open_share"]);

/** Codes that say the least: that it is not the time, or not this seat's. */
const FAR = ["not-yours", "wrong-state", "unknown", "nonce"];

/** Moves that only a narrator makes. */
const NARRATED = new Set(["amend", "void", "veto", "flavour", "rule", "fate", "reveal"]);

/** Moves that the rules offer at their own time. */
const OFFERED = new Set(["declare", "react", "roll", "freeze", "reroll", "adjust", "resolve", "apply_damage", "fate"]);

/** Why not, in the page's words where these tell as much. @param {Move} move @param {string} state of the roll */
function reason({ trigger, code, why }, state) {
  if (code === "wrong-state") return say("why.state", { state: say(`state.${state}`) });
  if (code === "not-yours" && NARRATED.has(trigger)) return say("why.narrator");
  if (code === "not-offered" && OFFERED.has(trigger)) return say("why.offered");
  return why;
}

/** @param {{number: number, state: string}} props */
export function Reasons({ number, state }) {
  const [moves, found] = useState(/** @type {Move[] | null} */ (null));
  const size = sight.value?.size;
  useEffect(() => {
    let there = true;
    movesOf(number).then((all) => there && found(all));
    return () => void (there = false);
  }, [number, size]);
  if (moves === null) return html`<p class="help">${say("form.loading")}</p>`;
  const not = moves.filter((move) => !move.legal && move.why && !SILENT.has(move.trigger))
    .sort((one, other) => FAR.indexOf(one.code ?? "") - FAR.indexOf(other.code ?? ""));
  return html`
    <dl>${not.map((move) => html`
      <div key=${move.trigger}><dt>${say(`move.${move.trigger}`)}</dt><dd><${Foreign} text=${reason(move, state)} />${move.code === "due" && move.allowed?.length && html`: ${move.allowed.map((each, at) => html`${at > 0 && ", "}<${Foreign} text=${each} />`)}`}</dd></div>`)}</dl>`;
}

/** Every trigger of a roll, legal or not. @param {number} number @returns {Promise<Move[]>} */
async function movesOf(number) {
  const { origin = "", table, token } = session.value ?? {};
  const path = withParameters(`/tables/${table}/rolls/${number}/moves`, { language: language.value });
  const answer = await ask(origin, path, { token });
  return answer.ok ? /** @type {any} */ (answer.body) : [];
}
