// @ts-check
/** The timeline: every event as one sentence, and a slider that takes the whole page back. */

import { useId, useState } from "preact/hooks";

import { accounts, language, live, moves, sight, until } from "../state/app.js";
import { say } from "../words/index.js";
import { DisputeButton } from "./dispute.js";
import { eventText, stepText } from "./events.js";
import { useGrowing } from "./growing.js";
import { html, memo } from "./html.js";
import { Foreign, Name, plain } from "./names.js";
import { time } from "./people.js";
import { sentence, valueTo } from "./parts.js";
import { characterName, characters, people } from "./shown.js";

/** @import { Logged } from "../state/table.js" */

/** Events shown at first, and further ones at each press. */
const PAGE = 60;

/** Events that are drawn at once. */
const STEP = 15;

/** The whole timeline, newest event first. */
export function Timeline() {
  return html`<${Events} live=${live.value} until=${until.value} accounts=${accounts.value} moves=${moves.value}
    people=${people.value} tracks=${sight.value?.tracks} language=${language.value} />`;
}

/** Drawn again where a property is another one: it reads no other signals. */
const Events = memo(function Events() {
  const [who, setWho] = useState("");
  const [most, setMost] = useState(PAGE);
  const id = useId();
  const log = live.value?.log ?? [];
  const found = log.filter((entry) => isLine(entry) && (!who || concerns(entry, who)));
  const drawn = useGrowing(Math.min(most, found.length), STEP);
  const shown = found.slice(-Math.min(most, drawn)).reverse();
  return html`
    <section class="timeline" aria-labelledby="timeline-title">
      <header class="bar"><h2 id="timeline-title">${say("timeline.title")}</h2>
        <p class="filter">
          <label for=${id} class="quiet">${say("timeline.filter")}</label>
          <select id=${id} value=${who} onChange=${valueTo(setWho)}>
            <option value="">${say("timeline.everybody")}</option>
            ${characters().map((each) => html`<option value=${each.id}>${plain(characterName(each.id), 60)}</option>`)}
          </select>
        </p>
      </header>
      <${Slider} log=${log} />
      ${shown.length === 0 && html`<p class="help">${say("timeline.none")}</p>`}
      ${grouped(shown).map(([roll, entries]) => html`
        <${Group} key=${`${roll}-${entries.at(-1)?.seq}`} roll=${roll} entries=${entries} />`)}
      ${found.length > most && html`
        <button type="button" onClick=${() => setMost(most + PAGE)}>
          ${say("timeline.earlier", { n: found.length - most })}</button>`}
      <${Room} />
    </section>`;
});

/** A text stands with what it is about, never by itself. @param {Logged} entry */
function isLine(entry) {
  return entry.type !== "text-said/1";
}

/** Whether an entry is of a roll of this character, or about the character itself. @param {Logged} entry @param {string} who */
function concerns(entry, who) {
  const event = /** @type {any} */ (entry.event);
  const roll = entry.roll === null ? null : live.value?.rolls.get(entry.roll);
  return event?.character === who || event?.target === who || roll?.character === who
    || Boolean(roll?.reactions?.some((each) => each.character === who));
}

/** Entries of one roll that follow one another, together. @param {Logged[]} entries @returns {[number|null, Logged[]][]} */
function grouped(entries) {
  const groups = /** @type {[number|null, Logged[]][]} */ ([]);
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last && last[0] === entry.roll) last[1].push(entry);
    else groups.push([entry.roll, [entry]]);
  }
  return groups;
}

/** @param {{roll: number|null, entries: Logged[]}} props */
function Group({ roll, entries }) {
  const found = roll === null ? null : live.value?.rolls.get(roll);
  return html`
    <div class="group ${roll === null ? "" : "of-roll"}">
      ${roll !== null && html`
        <header>
          <h3>${sentence("timeline.roll", { number: roll })}${found?.character && html`
            ${" · "}<${Name} text=${characterName(found.character)} />`}</h3>
          ${found && html`<${DisputeButton} roll=${found} />`}
        </header>`}
      <ol reversed>${entries.map((entry) => html`
        <${Line} key=${entry.seq} entry=${entry} current=${until.value === entry.seq} words=${stepText(entry)}
          text=${textOf(entry)} roll=${found} people=${people.value}
          tracks=${entry.event && "track" in entry.event ? sight.value?.tracks : undefined} language=${language.value} />`)}</ol>
    </div>`;
}

/** One event: drawn again where a property is another one. Its sentence reads no more than these. */
const Line = memo(OneLine);

/** @param {{entry: Logged, current: boolean, words: string, own: string, text: string}} props */
function OneLine({ entry, current, words, text }) {
  return html`
    <li class="${current ? "current" : ""} ${entry.event ? "" : "sealed"}" aria-current=${current ? "step" : undefined}>
      <button type="button" class="seq" onClick=${() => (until.value = entry.seq)}
        aria-label=${say("timeline.go", { entry: entry.seq, time: time(entry.at) })}>
        <time datetime=${new Date(entry.at).toISOString()}>${time(entry.at)}</time>
      </button>
      <div>
        <p>${words ? html`<${Foreign} text=${words} most=${600} />` : eventText(entry)}</p>
        ${text && html`<blockquote><${Foreign} text=${text} most=${600} /></blockquote>`}
      </div>
    </li>`;
}

/** Events whose text is a name, which stands in their sentence. */
const NAMING = new Set(["seat-taken/1", "seat-named/1", "character-entered/1", "character-named/1"]);

/** The words of people that came with an entry's commit: a reason, a note, a label. @param {Logged} entry */
function textOf(entry) {
  if (NAMING.has(entry.type) || entry.seq !== entry.commit) return "";
  for (let seq = entry.seq + 1; live.value?.log[seq]?.commit === entry.commit; seq += 1) {
    const found = live.value.texts.get(seq);
    if (found) return found.text;
  }
  return "";
}

/** Where the page stands in time. At its end it is now, and goes on with the table. @param {{log: readonly Logged[]}} props */
function Slider({ log }) {
  const id = useId();
  const last = log.length - 1;
  if (last < 1) return null;
  const at = until.value ?? last;
  const move = (/** @type {number} */ seq) => (until.value = seq >= last ? null : Math.max(0, seq));
  return html`
    <div class="slider">
      <label for=${id}>${say("timeline.slider")}</label>
      <button type="button" onClick=${() => move(at - 1)} disabled=${at <= 0}
        aria-label=${say("timeline.back")}><span class="turned" aria-hidden="true">◀</span></button>
      <input id=${id} type="range" min="0" max=${last} value=${at}
        aria-valuetext=${until.value === null ? say("timeline.now") : say("timeline.at", { entry: at, of: last })}
        onInput=${valueTo((place) => move(Number(place)))} />
      <button type="button" onClick=${() => move(at + 1)} disabled=${until.value === null}
        aria-label=${say("timeline.forth")}><span class="turned" aria-hidden="true">▶</span></button>
    </div>`;
}

/** What says that the page shows the past, and leads back. */
export function Past() {
  if (until.value === null) return null;
  const entry = live.value?.log[until.value];
  return html`
    <div class="past" role="status">
      <p><strong>${say("past.title")}</strong>${" "}
        ${sentence("past.at", { entry: until.value, time: entry ? time(entry.at) : "" })}</p>
      <button type="button" class="main" onClick=${() => (until.value = null)}>${say("past.now")}</button>
    </div>`;
}

/** A place for what a roll would have been under another declaration, and for its case file. */
function Room() {
  return html`<div class="room" data-room="what-if"></div>`;
}
