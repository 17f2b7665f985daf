// @ts-check
/** The last rolls of a character, each declared again by one tap. */

import { ask, live, sight, system } from "../state/app.js";
import { say } from "../words/index.js";
import { expectRoll, useDeed } from "./deed.js";
import { html } from "./html.js";
import { plain } from "./names.js";
import { Answer } from "./parts.js";
import { rolls } from "./shown.js";
import { valueText } from "./roll.js";

/**
 * @import { Command } from "../urim.d.ts"
 * @typedef {{command: Command, label: string}} Wish  what was asked for, and the text beside it
 */

/** Wishes that are offered, at most, and rolls that are looked at for them. */
const MOST = 5;
const RECENT = 40;

/** Buttons for what a character rolled last, the newest first, each once. @param {{character: string}} props */
export function Again({ character }) {
  const [busy, answer, run] = useDeed();
  const wishes = lastOf(character);
  if (!wishes.length) return null;
  /** @param {Wish} wish */
  async function roll({ command, label }) {
    const found = await run(() => ask(command, label || null));
    if (found?.type === "done") expectRoll(live.value.log.find((line) => line.seq === found.seqs[0])?.roll ?? null);
  }
  return html`
    <div class="again" role="group" aria-label=${say("again.title")}>
      ${wishes.map((wish) => html`
        <button type="button" key=${JSON.stringify(wish)} aria-disabled=${busy} onClick=${() => roll(wish)}>
          <span aria-hidden="true">↻</span> <bdi>${called(wish)}</bdi></button>`)}
    </div>
    <${Answer} answer=${answer} />`;
}

/** @param {string} character @returns {Wish[]} */
function lastOf(character) {
  /** @type {Map<string, Wish>} */
  const found = new Map();
  for (const roll of rolls().filter((each) => each.character === character && !each.follows).slice(0, RECENT)) {
    if (found.size === MOST) break;
    const wish = wishOf(roll.seq);
    if (wish && !found.has(JSON.stringify(wish))) found.set(JSON.stringify(wish), wish);
  }
  return [...found.values()];
}

/** The declaration that an entry was asked for by; null where that is not shown. @param {number} seq @returns {Wish|null} */
function wishOf(seq) {
  const payload = live.value.lines[seq]?.payload;
  const body = payload ? JSON.parse(payload).asked?.body : null;
  if (!body) return null;
  const { text, ...command } = JSON.parse(body);
  const label = text === undefined ? "" : sight.value?.texts.find((each) => each.about === `entry:${seq}`)?.text ?? "";
  return command.do === "declare/1" ? { command, label } : null;
}

/** A wish in a few words: its own text, or else what was filled in. @param {Wish} wish */
function called({ command, label }) {
  if (label) return label;
  const { declaration = {} } = /** @type {{declaration?: Record<string, unknown>}} */ (command);
  const fields = system.value?.declaration?.fields ?? [];
  const of = (/** @type {string} */ name) => fields.find((/** @type {any} */ each) => each.name === name)?.picks.of;
  return Object.entries(declaration).map(([name, value]) => plain(valueText(value, of(name) === "character"))).join(" · ");
}
