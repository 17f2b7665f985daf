// @ts-check
/** The root of the page: what is shown where. */

import { effect } from "@preact/signals-core";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import * as state from "../state/app.js";
import { say } from "../words/index.js";
import { EnterCharacter } from "./character.js";
import { declared } from "./focus.js";
import { useDraft } from "./drafted.js";
import { Declare } from "./form.js";
import { useGrowing } from "./growing.js";
import { html } from "./html.js";
import { Dead, Join } from "./join.js";
import { inviting, Later, line, sealed } from "./later.js";
import { Name } from "./names.js";
import { LinkMark, Notices, Spoken } from "./notices.js";
import { sentence } from "./parts.js";
import { People } from "./people.js";
import { Again, Rollables, useRollables } from "./rollables.js";
import { Roll } from "./roll.js";
import { Broken, SealMark } from "./seal.js";
import { Asking } from "./shares.js";
import { Document, KEYS, Settings, Shortcuts } from "./settings.js";
import { characters, isLive, isMine, isNarrator, isOpen, offered, rolls, seats, waitedFor } from "./shown.js";
import { Start } from "./start.js";
import { Past, Timeline } from "./timeline.js";

/** @import { CharacterSight, Rollable } from "../urim.d.ts" */

/** All that views read: the page is drawn again when any of these changes, whichever views are open. */
const READ = [
  state.session, state.place, state.live, state.until, state.table, state.sight, state.moves,
  state.waiting, state.present, state.system, state.accounts, state.seal, state.link,
  state.language, state.theme, state.motion, state.notices, state.spoken, state.stale, state.sharing, state.going, state.stepwise,
];

/** Ended rolls that stay beside the open ones; older ones are in the timeline. */
const RECENT = 3;

/** Cards that are drawn at once. */
const STEP = 3;

/** Milliseconds that rolls wait for the server's words when the page opens; else each is drawn twice. */
const PATIENCE = 1000;

/** Milliseconds for which keys are kept for the line, which comes when it is wanted. */
const AWAITED = 3000;

/** The parts of a table, of which a narrow page shows one at a time. */
const PARTS = ["rolls", "people", "timeline"];

/** The page. It is put into the document once, and draws itself again in the frame after a signal changes. */
export function App() {
  const [, again] = useState(0);
  useLayoutEffect(() => {
    let waits = false;
    const draw = () => {
      waits = false;
      again((times) => times + 1);
    };
    return effect(() => {
      for (const each of READ) void each.value;
      if (waits) return;
      waits = true;
      if (document.hidden) setTimeout(draw); // it gets no frames
      else requestAnimationFrame(draw);
    });
  }, []);
  return html`<${Document} /><${Page} />`;
}

function Page() {
  const [open, setOpen] = useState("");
  const [part, setPart] = useState("rolls");
  const [typing, setTyping] = useState(false);
  const main = useRef(/** @type {HTMLElement|null} */ (null));
  useKeys(setOpen, setPart, setTyping);
  useEffect(() => effect(() => void (declared.value !== null && setPart("rolls"))), []);
  const { name } = state.place.value;
  const inside = name === "table";
  const close = () => setOpen("");
  useEffect(() => {
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true }); // what had it is gone
  }, [name]);
  const invite = useCallback(() => setOpen("invite"), []);
  /** @param {Event} event */
  function skip(event) {
    event.preventDefault(); // the part of the address after # belongs to links
    main.current?.focus();
  }
  return html`
    <a class="skip" href="#main" onClick=${skip}>${say("page.skip")}</a>
    <${Head} inside=${inside} open=${setOpen} />
    <${Notices} />
    ${inside && html`<${Broken} /><${Past} />`}
    <main id="main" ref=${main} tabindex="-1" class=${inside ? `inside show-${part}` : "outside"}>
      ${inside ? html`<${Table} ...${{ invite, typing, setTyping }} />` : html`<${Outside} name=${name} />`}
    </main>
    ${inside && html`<${Tabs} part=${part} set=${setPart} />`}
    <${Foot} open=${setOpen} />
    <${Spoken} />
    ${open === "settings" && html`<${Settings} close=${close} />`}
    ${open === "keys" && html`<${Shortcuts} close=${close} />`}
    ${open === "seal" && html`<${Later} load=${sealed} view="Seal" close=${close} />`}
    ${open === "invite" && html`<${Later} load=${inviting} view="Invite" close=${close} />`}`;
}

/** @param {{inside: boolean, open: (name: string) => void}} props */
function Head({ inside, open }) {
  const { live, system, seal } = state;
  const name = state.sight.value?.name ?? "";
  const known = state.sight.value !== null;
  useEffect(() => void (known && state.called(name)), [known, name]);
  return html`
    <header class="head">
      ${inside
        ? html`<button type="button" class="mark plain" aria-label=${`Urim: ${say("settings.tables")}`} onClick=${state.toStart}>Urim</button>`
        : html`<p class="mark" lang="en">Urim</p>`}
      ${inside && html`
        <h1 dir="auto" title=${live.value?.id}><${Name} text=${name || live.value?.id} /></h1>
        <p class="help system" lang="en">${system.value?.title ?? ""}</p>`}
      <div class="tools">
        ${inside && html`<${LinkMark} />`}
        ${inside && seal.value && html`<${SealMark} open=${() => open("seal")} />`}
        <button type="button" class="plain" aria-haspopup="dialog" onClick=${() => open("settings")}>
          <span class="icon" aria-hidden="true">⚙</span><span class="word">${say("page.settings")}</span></button>
      </div>
    </header>`;
}

/** @param {{name: string}} props */
function Outside({ name }) {
  if (name === "join") return html`<${Join} />`;
  if (name === "dead") return html`<${Dead} />`;
  return html`<${Start} />`;
}

/**
 * A table: rolls in the middle, people on one side, the timeline on the other.
 *
 * @param {{invite: () => void, typing: boolean, setTyping: (typing: boolean) => void}} props
 */
function Table({ invite, typing, setTyping }) {
  return html`
    <div class="part part-people"><${People} invite=${invite} /></div>
    <div class="part part-rolls"><${Rolls} ...${{ typing, setTyping }} /></div>
    <aside class="part part-timeline" aria-label=${say("timeline.title")}><${Timeline} /></aside>`;
}

/** The newest entry of a roll. @param {{entries: readonly number[]}} roll */
const newest = (roll) => roll.entries.at(-1) ?? 0;

/** Open rolls and those that ended last, newest first, and the form for a new one. @param {{typing: boolean, setTyping: (typing: boolean) => void}} props */
function Rolls({ typing, setTyping }) {
  const found = rolls();
  const own = characters().filter((each) => each.here !== false && isMine(each));
  const who = useDraft("who", "");
  const chosen = own.find((each) => each.id === who.value) ?? own[0];
  const begun = useRollables(chosen);
  const ended = found.filter((roll) => !isOpen(roll)).sort((one, other) => newest(other) - newest(one)).slice(0, RECENT);
  const shown = found.filter((roll) => isOpen(roll) || ended.includes(roll)); // each where it was while it was open
  const owes = (state.waiting.value?.mine ?? []).some((each) => each.trigger === "react"); // an answer comes first
  const begins = html`<${New} ...${{ own, chosen, begun, choose: who.set, typing, setTyping }} />`;
  const drawn = useGrowing(useReady() ? shown.length : 0, STEP);
  return html`
    <section class="rolls" aria-labelledby="rolls-title">
      <h2 id="rolls-title" class="quiet">${say("rolls.title")}</h2>
      ${typing && state.until.value === null && html`<${Later} load=${line} view="Line" character=${chosen?.id} rollables=${chosen ? begun : []} />`}
      <${Asking} />
      <${Awaits} />
      <${First} />
      ${!owes && begins}
      ${shown.slice(0, drawn).map((roll) => html`<${Roll} key=${roll.number} number=${roll.number} />`)}
      ${owes && begins}
      ${shown.length === 0 && html`<p class="empty">${say("rolls.none")}</p>`}
      ${found.length > shown.length && html`<p class="help">${say("rolls.older", { n: found.length - shown.length })}</p>`}
    </section>`;
}

/** Whether rolls can be drawn: with the server's words about them, or without where these do not come soon. */
function useReady() {
  const [patient, wait] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => wait(false), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  return isLive() || state.until.value !== null || !patient;
}

/** For a narrator who was alone at a new table: the way in for the others, until something is rolled. */
function First() {
  const [away, setAway] = useState(false);
  const alone = useRef(false);
  if (isNarrator() && state.live.value.size > 0 && seats().length === 1) alone.current = true;
  if (!alone.current || away || state.until.value !== null || rolls().length > 0) return null;
  return html`
    <section class="new" aria-labelledby="first-title">
      <h3 id="first-title">${say("rolls.first")}</h3>
      <p>${say("rolls.first-help")}</p>
      <${Later} load=${inviting} view="Inviting" />
      <p class="ends"><button type="button" class="plain" onClick=${() => setAway(true)}>${say("rolls.first-away")}</button></p>
    </section>`;
}

/** What a page does by itself, or offers where it waits for shares. */
const SHARES = new Set(["open_share", "break_throw"]);

const THROWS = new Set(["roll", "ask"]);

/** Milliseconds for which a phone says that the table waits for its seat. */
const SHORTLY = 60;

/** What the table waits for from this seat, but what the page does by itself. */
function useDue() {
  const mine = state.until.value === null ? state.waiting.value?.mine ?? [] : [];
  const blind = useDraft(state.THROWN, /** @type {string[]} */ ([])).value;
  return mine.filter((each) => !state.going.value.has(each.roll) && !SHARES.has(each.trigger) && !(THROWS.has(each.trigger) && blind.includes(`${each.roll} ${each.character}`)));
}

/** What is due; who looks elsewhere sees it in the window's title. */
function Awaits() {
  const due = useDue();
  const title = useRef(document.title);
  useEffect(() => {
    document.title = due.length ? `(${due.length}) ${title.current}` : title.current;
    if (due.length && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(SHORTLY); // else it is refused
    return () => void (document.title = title.current);
  }, [due.length]);
  return html`<div role="status">${due.length > 0 && html`
    <section class="awaits" aria-label=${say("rolls.yours", { n: due.length })}>
      <p>${say("rolls.yours", { n: due.length })}</p>
      <ul>${due.map((each) => html`
        <li key=${`${each.roll} ${each.trigger} ${each.character}`}>
          <button type="button" class="plain" onClick=${() => toRoll(each.roll)}>
            ${sentence("rolls.due", { roll: each.roll, what: waitedFor(each) })}</button></li>`)}</ul>
    </section>`}</div>`;
}

/** Shows a roll, and takes the keyboard there. @param {number} number */
function toRoll(number) {
  const heading = document.getElementById(`roll-${number}`);
  heading?.closest("article")?.scrollIntoView({ block: "start" });
  heading?.focus({ preventScroll: true });
}

/**
 * A new roll of one of the characters that this seat acts for: what its sheet begins, and the whole form. That is
 * closed until it is wanted where the sheet begins something, or something was rolled. A player who comes in
 * without a character is asked for one at once.
 *
 * @param {{own: CharacterSight[], chosen: CharacterSight | undefined, begun: Rollable[] | null, choose: (id: string) => void,
 *   typing: boolean, setTyping: (typing: boolean) => void}} props
 */
function New({ own, chosen, begun, choose, typing, setTyping }) {
  const [wanted, setWanted] = useState(/** @type {boolean|null} */ (null));
  const [entering, setEntering] = useState(state.place.value.came === true && state.session.value?.role === "player");
  const last = rolls().find((roll) => own.some((each) => each.id === roll.character))?.number;
  useEffect(() => setWanted(null), [last]);
  useEffect(() => void (chosen && setEntering(false)), [chosen?.id]);
  if (state.until.value !== null) return null;
  if (!chosen) {
    const key = isNarrator() ? "rolls.no-character-narrator" : "rolls.no-character";
    return state.session.value?.role === "witness" ? null : html`
      <section class="new"><p>${say(key)}</p>
        <p class="ends"><button type="button" class=${isNarrator() ? "" : "main"} onClick=${() => setEntering(true)}>${say("character.enter")}</button></p>
        ${entering && isLive() && html`<${EnterCharacter} seat=${state.session.value?.seat ?? ""} close=${() => setEntering(false)} />`}
      </section>`;
  }
  if (!offered(null, "declare")) return null;
  const open = wanted ?? (rolls().length === 0 && begun?.length === 0);
  const whose = own.length > 1 && html`
    <div class="who" role="group" aria-label=${say("rolls.who")}>${own.map((each) => html`
      <button type="button" key=${each.id} aria-pressed=${each === chosen ? "true" : "false"}
        onClick=${() => choose(each.id)}><${Name} text=${each.name || each.id} /></button>`)}</div>`;
  const heading = html`
    <header><h3><button type="button" class="plain" aria-expanded=${open ? "true" : "false"}
      onClick=${() => setWanted(!open)}>${say("rolls.new")}</button></h3>
      <button type="button" class="plain types" aria-expanded=${typing ? "true" : "false"} aria-keyshortcuts="/" onClick=${() => setTyping(!typing)}>${say("line.open")}</button></header>`;
  const again = html`
    <${Again} key=${`again ${chosen.id}`} character=${chosen.id} />
    <${Rollables} key=${`rollables ${chosen.id}`} character=${chosen} found=${begun ?? []} place="new" />`;
  if (!open) return html`<section class="new closed">${heading}${whose}${again}</section>`;
  return html`
    <section class="new" aria-label=${say("rolls.new")} onInput=${() => setWanted(true)}>
      ${heading}
      ${whose}
      ${again}
      <${Declare} key=${chosen.id} character=${chosen.id} opened=${wanted === true} />
    </section>`;
}

/** On a narrow page: which part is shown. @param {{part: string, set: (part: string) => void}} props */
function Tabs({ part, set }) {
  const due = useDue().length;
  return html`
    <nav class="tabs" aria-label=${say("page.parts")}>${PARTS.map((each) => html`
      <button type="button" key=${each} aria-current=${each === part ? "page" : undefined} onClick=${() => set(each)}>
        ${say(`page.part-${each}`)}${each === "rolls" && due > 0 && html` <strong aria-hidden="true">${due}</strong><span class="unseen">. ${say("rolls.yours", { n: due })}</span>`}</button>`)}</nav>`;
}

/** @param {{open: (name: string) => void}} props */
function Foot({ open }) {
  return html`
    <footer class="foot">
      <button type="button" class="plain" aria-haspopup="dialog" onClick=${() => open("keys")}>${say("page.keys")}</button>
      <a href="/verifier">${say("page.verifier")}</a>
    </footer>`;
}

/**
 * Single keys, but never while something is typed.
 *
 * @param {(name: string) => void} setOpen
 * @param {(part: string) => void} setPart
 * @param {(typing: boolean) => void} setTyping
 */
function useKeys(setOpen, setPart, setTyping) {
  useEffect(() => {
    /** @type {Record<string, () => void>} */
    const doing = {
      "keys.rolls": () => goTo(setPart, "rolls"),
      "keys.people": () => goTo(setPart, "people"),
      "keys.timeline": () => goTo(setPart, "timeline"),
      "keys.seal": () => setOpen("seal"),
      "keys.now": () => (state.until.value = null),
      "keys.line": () => {
        setPart("rolls");
        setTyping(true);
        begun = state.until.value === null ? "" : null; // of the past there is no line
        given = performance.now() + AWAITED;
        requestAnimationFrame(toLine);
      },
      "keys.help": () => setOpen("keys"),
    };
    /** What is typed before the line is there; null while none is awaited. @type {string | null} */
    let begun = null;
    let given = 0;
    function toLine() {
      const input = /** @type {HTMLInputElement | null} */ (document.querySelector(".line input"));
      if (!input && begun !== null && performance.now() < given) return void requestAnimationFrame(toLine);
      if (!input) return void (begun = null); // it does not come: keys are the page's again
      input.focus();
      if (begun) {
        input.value += begun;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
      begun = null;
    }
    /** @param {KeyboardEvent} event */
    function pressed(event) {
      if (begun !== null && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) {
        event.preventDefault();
        begun += event.key;
        return;
      }
      if (event.key === "Escape") begun = null;
      const found = KEYS[event.key] ?? KEYS[event.code];
      if (!found || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      doing[found[1]]?.();
    }
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

/** @param {EventTarget|null} target */
function isTyping(target) {
  return target instanceof Element && target.closest("input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;
}

/** Shows a part, and takes the keyboard there. @param {(part: string) => void} setPart @param {string} part */
function goTo(setPart, part) {
  setPart(part);
  requestAnimationFrame(() => {
    const heading = document.querySelector(`.part-${part} h2`);
    heading?.setAttribute("tabindex", "-1");
    /** @type {HTMLElement|null} */ (heading)?.focus();
  });
}
