// @ts-check
/** The button of a roll's disputes; what is behind it comes once it is opened. */

import { useState } from "preact/hooks";

import { isDisputed } from "../state/rolls.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { disputed, Later } from "./later.js";
import { Dialog } from "./parts.js";
import { offered } from "./shown.js";

/**
 * @import { Roll } from "../state/rolls.js"
 */

/** The button that opens the dispute of a roll, with what is open. @param {{roll: Roll}} props */
export function DisputeButton({ roll }) {
  const [open, setOpen] = useState(false);
  const waiting = openDisputes(roll);
  const mayRaise = offered(roll.number, "dispute");
  if (!open && !roll.disputes.length && !mayRaise) return null;
  const may = waiting.length === 0 ? (mayRaise ? "do" : "read") : offered(roll.number, "rule") ? "rule" : "open";
  return html`
    <button type="button" class="plain ${waiting.length ? "alarm" : ""}" aria-haspopup="dialog"
      aria-label=${say(`dispute.${may}-of`, { roll: roll.number })}
      onClick=${() => setOpen(true)}>${say(`dispute.${may}`)}</button>
    ${open && html`
      <${Dialog} title=${say("dispute.title", { roll: roll.number })} close=${() => setOpen(false)} wide>
        <${Later} load=${disputed} view="Disputed" number=${roll.number} />
      <//>`}`;
}

/** The disputes of a roll on which nobody has ruled. @param {Roll} roll */
export function openDisputes(roll) {
  return isDisputed(roll) ? roll.disputes.filter((each) => !each.ruling) : [];
}
