// @ts-check
/** Whether anybody was lucky in the rolls that have ended, once somebody wants to know. */

import { useEffect, useState } from "preact/hooks";

import { language, session } from "../state/app.js";
import { answerOf } from "./advice.js";
import { say } from "../words/index.js";
import "../words/luck/index.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { sentence } from "./parts.js";
import { seatName } from "./shown.js";

/** @import { SeatLuck, TableLuck } from "../urim.d.ts" */

/** What is asked when it is opened. */
export function Luck() {
  const [open, set] = useState(false);
  return html`
    <details class="why" onToggle=${(/** @type {Event} */ event) => set(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)}>
      <summary>${say("luck.title")}</summary>
      ${open && html`<${Told} />`}
    </details>`;
}

/** What the server says. */
function Told() {
  const [found, set] = useState(/** @type {{body?: TableLuck, why?: string} | null} */ (null));
  useEffect(() => {
    let there = true;
    void answerOf(`/tables/${session.value?.table}/luck`, () => there).then((all) => there && set(all));
    return () => void (there = false);
  }, []);
  if (!found) return html`<p class="help" role="status">${say("luck.busy")}</p>`;
  if (!found.body) return html`<p class="help"><${Foreign} text=${found.why ?? ""} /></p>`;
  const { seats, standing, left, aim } = found.body;
  const many = Object.values(left).reduce((sum, each) => sum + each, 0);
  const usual = seats.every((seat) => seat.said === "normal");
  const unit = aim === "margin" ? "points" : "successes";
  return html`
    ${usual && html`<p>${say(seats.length ? "luck.nobody" : "luck.none")}</p>`}
    <ul class="luck">${seats.map((seat) => html`<li key=${seat.seat}><${OfSeat} seat=${seat} unit=${unit} /></li>`)}</ul>
    ${standing > 0 && html`<p class="help">${say("luck.standing", { n: standing })}</p>`}
    ${many > 0 && html`<p class="help">${say("luck.left", { n: many })}</p>`}
    ${[`luck.${unit}.counts`, "luck.range.why", "luck.not"].map((key) => html`<p class="help" key=${key}>${say(key)}</p>`)}`;
}

/** @param {{seat: SeatLuck, unit: string}} props */
function OfSeat({ seat, unit }) {
  const number = new Intl.NumberFormat(language.value, { maximumFractionDigits: 1, minimumFractionDigits: 1, signDisplay: "never" });
  const key = `luck.${unit}.${seat.luck < 0 ? "fewer" : "more"}`;
  return html`
    ${sentence(key, { who: seatName(seat.seat), luck: number.format(seat.luck), n: seat.rolls })}
    ${" "}${say("luck.range", { least: number.format(seat.least), most: number.format(seat.most) })}${" "}
    ${seat.said !== "normal" && html`<strong>${say(`luck.${seat.said}`)}</strong>`}`;
}
