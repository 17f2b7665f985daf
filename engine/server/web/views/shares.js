// @ts-check
/** Shares of throws: whom a throw waits for, what stands in the way, and the anchors to compare. */

import { useEffect, useMemo, useState } from "preact/hooks";

import { acceptShares, breakOff, live, session, sharing, until } from "../state/app.js";
import { say } from "../words/index.js";
import { Countdown } from "./countdown.js";
import { html } from "./html.js";
import { Foreign, Name } from "./names.js";
import { Answer, sentence, useAction } from "./parts.js";
import { seatName } from "./shown.js";

/** @import { Ask } from "../state/table.js" */

/** Milliseconds after which a throw that waits for shares is worth words: most take less. */
const SOON = 1_500;

/** Digits of an anchor that people compare. */
const DIGITS = 8;

/** Whom the throw waits for that is under way, and then a way out. */
export function Asking() {
  const { ask } = live.value;
  if (ask === null || until.value !== null) return null;
  return html`<${Waited} key=${ask.seq} ask=${ask} />`;
}

/** Time runs here from when the page saw the ask: clocks differ. @param {{ask: Ask}} props */
function Waited({ ask }) {
  const { seq, at, roll, waiting } = ask;
  const late = useMemo(() => Date.now() + ask.until - at, [seq]);
  const [now, set] = useState(0);
  const [busy, answer, run] = useAction();
  useEffect(() => {
    const timers = [SOON, ask.until - at].map((after, step) => setTimeout(() => set(step + 1), after));
    return () => timers.forEach(clearTimeout);
  }, [seq]);
  if (now === 0) return null;
  return html`
    <section class="awaits asking" aria-label=${say("shares.waits", { roll, who: waiting.map(seatName).join(", ") })}>
      <p>${sentence("shares.waits", { roll, who: waiting.map(seatName).join(", ") })}
        ${" "}${now === 1 && html`<${Countdown} until=${late} />`}</p>
      ${now === 2 && html`
        <div class="acts"><button type="button" aria-disabled=${busy} onClick=${() => run(() => breakOff(roll))}>${say("shares.break")}</button>
          <span class="help">${say("shares.break-help")}</span></div>`}
      <${Answer} answer=${answer} />
    </section>`;
}

/** Why this browser opens no shares, and how it does again. */
export function Trouble() {
  const { trouble } = sharing.value;
  if (trouble === null) return null;
  const { what, seq } = trouble;
  const fault = what === "moved" || what === "count";
  return html`<div class="notice ${fault ? "fault" : "warning"}" role="alert">
    <p>${sentence(`shares.trouble-${what}`, { entry: seq })}</p>
    ${what === "moved" && trouble.proof?.asks.map((each) => html`
      <p class="help" key=${each.seq} dir="ltr"><${Foreign} text=${`${each.seq} ${each.leaf}`} most=${120} /></p>`)}
    ${!fault && html`<button type="button" onClick=${acceptShares}>
      ${say(what === "epoch" ? "shares.accept-epoch" : "shares.accept")}</button>`}</div>`;
}

/** The anchor of every seat, this one's as this browser keeps it. */
export function Anchors() {
  const seats = Object.values(live.value.seats).filter((seat) => seat.here);
  const mine = session.value?.seat;
  if (!seats.some((seat) => seat.anchor)) return null;
  const shown = (/** @type {{id: string, anchor: string|null}} */ seat) =>
    (seat.id === mine ? sharing.value.anchor : seat.anchor ?? "").slice(0, DIGITS);
  return html`
    <h3>${say("seal.anchors")}</h3>
    <p class="help">${say("seal.anchors-help")}</p>
    <dl class="anchors">${seats.map((seat) => html`
      <div key=${seat.id}><dt><${Name} text=${seat.name || seat.id} /></dt>
        <dd>${shown(seat) ? html`<code dir="ltr">${shown(seat)}</code>` : say("seal.anchor-none")}
          ${seat.id === mine && shown(seat) && html`${" "}<span class="help">${say("seal.anchor-own")}</span>`}</dd></div>`)}</dl>`;
}
