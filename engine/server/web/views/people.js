// @ts-check
/** The people at the table: who is here now, who is waited for, and each one's characters. */

import { useState } from "preact/hooks";

import { ask, language, live, present, session, sight, system, table, until, waiting } from "../state/app.js";
import { say } from "../words/index.js";
import { Character, EnterCharacter } from "./character.js";
import { html, memo } from "./html.js";
import { Later, readings } from "./later.js";
import { Name, plain } from "./names.js";
import { Answer, Dialog, Field, filled, sentence, useAction } from "./parts.js";
import { awaitedOf, characters, isNarrator, seats } from "./shown.js";

/** @import { Awaited, SeatSight } from "../urim.d.ts" */

/** Seats with their characters, in the order in which they came; a seat's own first. @param {{invite: () => void}} props */
export function People({ invite }) {
  return html`<${Everybody} invite=${invite} seats=${until.value === null && sight.value ? sight.value.seats : table.value}
    characters=${characters()} tracks=${sight.value?.tracks} came=${Object.keys(live.value.seats).join()} present=${present.value}
    waiting=${waiting.value.others} session=${session.value} system=${system.value} until=${until.value} language=${language.value} />`;
}

/** Drawn again where a property is another one: it reads no other signals. */
const Everybody = memo(function Everybody(/** @type {{invite: () => void}} */ { invite }) {
  const [open, setOpen] = useState(false);
  const mine = session.value?.seat;
  const found = seats().filter((seat) => seat.here || ownedBy(seat.id).length > 0);
  const came = Object.keys(live.value.seats);
  const place = (/** @type {string} */ id) => (id === mine ? -1 : came.indexOf(id));
  const sorted = [...found].sort((one, other) => place(one.id) - place(other.id));
  return html`
    <section class="people" aria-labelledby="people-title">
      <header class="bar">
        <h2 id="people-title">${say("people.title")}</h2>
        ${isNarrator() && until.value === null &&
          html`<button type="button" class="plain" onClick=${() => setOpen(true)}>${say("readings.open")}</button>
            <button type="button" onClick=${invite}>${say("people.invite")}</button>`}
      </header>
      ${sorted.map((seat) => html`<${Seat} key=${seat.id} seat=${seat} own=${seat.id === mine} />`)}
      ${open && html`<${Later} load=${readings} view="TableReadings" close=${() => setOpen(false)} />`}
    </section>`;
});

/** @param {string} seat */
function ownedBy(seat) {
  return characters().filter((each) => each.seat === seat && each.here !== false);
}

/** @param {{seat: SeatSight, own: boolean}} props */
function Seat({ seat, own }) {
  const [open, setOpen] = useState("");
  const here = present.value.includes(seat.id);
  const awaited = awaitedOf(seat.id);
  const mayEnter = until.value === null && (own ? session.value?.role !== "witness" : isNarrator() && seat.role !== "witness");
  return html`
    <article class="seat ${own ? "own" : ""}">
      <header>
        <span class="dot ${here ? "on" : ""}" aria-hidden="true"></span>
        <h3><${Name} text=${seat.name || seat.id} /></h3>
        <p class="help">
          ${say(`role.${seat.role}`)}${own && html` · ${say("people.you")}`}
          ${" · "}${say(seat.here ? (here ? "people.here" : "people.away") : "people.left")}
        </p>
        ${own && until.value === null && html`
          <button type="button" class="plain" onClick=${() => setOpen("name")}>${say("people.rename")}</button>`}
      </header>
      ${awaited.map((each) => html`<${Waits} key=${`${each.roll}-${each.trigger}`} awaited=${each} />`)}
      ${ownedBy(seat.id).map((each) => html`<${Character} key=${each.id} character=${each} />`)}
      ${mayEnter && html`
        <button type="button" class="add" onClick=${() => setOpen("enter")}>${say("character.enter")}</button>`}
      ${open === "name" && html`<${Rename} seat=${seat} close=${() => setOpen("")} />`}
      ${open === "enter" && html`<${EnterCharacter} seat=${seat.id} close=${() => setOpen("")} />`}
    </article>`;
}

/** Whom the table waits for, and until when; the level `table` needs nobody to press anything. @param {{awaited: Awaited}} props */
function Waits({ awaited }) {
  const what = say(`trigger.${awaited.trigger}`);
  const { roll, until, since } = awaited;
  return html`<p class="awaited">${until
    ? sentence("people.awaited-until", { what, roll, until: moment(until) })
    : sentence("people.awaited", { what, roll, since: moment(since ?? 0) })}</p>`;
}

/** Hours, minutes, seconds. To make one takes long, so there is one for all. */
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** The same on another day. */
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** A moment that may be days from now. @param {number} at milliseconds since 1970 */
const moment = (at) => (Math.abs(at - Date.now()) < 43_200_000 ? time(at) : DAY.format(at));

/** A moment as the clock shows it where the reader is. @param {number} at milliseconds since 1970 */
export function time(at) {
  return CLOCK.format(at);
}

/** @param {{seat: SeatSight, close: () => void}} props */
function Rename({ seat, close }) {
  const [busy, answer, run] = useAction();
  async function send(/** @type {Event} */ event) {
    const { name = "" } = filled(event);
    const found = await run(() => ask({ do: "name-seat/1", seat: seat.id }, name));
    if (found?.type === "done") close();
  }
  return html`
    <${Dialog} title=${say("people.rename-title")} close=${close}>
      <form onSubmit=${send}>
        <${Field} label=${say("people.name")} help=${say("people.name-help")} name="name" required
            maxlength="200" dir="auto" autocomplete="nickname" defaultValue=${plain(seat.name === seat.id ? "" : seat.name)} />
        <${Answer} answer=${answer} />
        <p class="ends"><button class="main" aria-disabled=${busy}>${say("field.save")}</button></p>
      </form>
    <//>`;
}
