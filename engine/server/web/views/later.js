// @ts-check
/** A view whose module comes when it is wanted: most evenings have no dispute. */

import { useEffect, useState } from "preact/hooks";

import { say } from "../words/index.js";
import { useDraft } from "./drafted.js";
import { html } from "./html.js";

/**
 * The view of this name, as soon as its module is here.
 *
 * @param {{load: () => Promise<any>, view: string, [property: string]: any}} props
 */
export function Later({ load, view, ...own }) {
  const [found, set] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let there = true;
    load().then((all) => there && set(all), () => there && set({}));
    return () => void (there = false);
  }, []);
  if (!found) return html`<p class="help">${say("form.loading")}</p>`;
  if (!found[view]) return html`<p class="help">${say("answer.lost")}</p>`;
  return html`<${found[view]} ...${own} />`;
}

/** How a table reads its book. */
export const readings = () => import("./readings.js");

/** Where damage fell. */
export const body = () => import("./body.js");

/** Links to the table. */
export const inviting = () => import("./invite.js");

/** What is typed in one line. */
export const line = () => import("./line/line.js");

/** How a character answers a roll. */
export const answering = () => import("./answering.js");

/** Rolls under names on another device, a character at another table. */
export const carried = () => import("./carried.js");

/** All of the seal. */
export const sealed = () => import("./sealed.js");

/** Where the seat is told what happens. */
export const hooks = () => import("./hooks.js");

/** What somebody may want to know of a roll: why something is not possible now, its link, what is best; a character's file. */
const WANTED = { "character.file": carried, "why.not": () => import("./why.js"), "link.title": () => import("./link.js"), "advice.title": () => import("./advice.js") };

/** One of these, once somebody wants it; `kept`: then in every roll. @param {{of: keyof typeof WANTED, view: string, number: number, state?: string, kept?: boolean, [property: string]: any}} props */
export function Wanted({ of, kept, ...own }) {
  const { value: open, set } = useDraft(kept ? of : `${of}/${own.number}`, false);
  return html`
    <details class="why" open=${open} onToggle=${(/** @type {Event} */ event) => set(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)}>
      <summary>${say(of)}</summary>
      ${open && html`<${Later} load=${WANTED[of]} ...${own} />`}
    </details>`;
}

/** The disputes of a roll. */
export const disputed = () => import("./disputed.js");

/** What else belongs to a dispute. */
export const court = () => import("./court.js");

/** What a ruling would give, before it is made. @param {{roll: number, change: any, note?: string}} props */
export function Foreseen({ roll, change, note }) {
  return html`<${Later} load=${court} view="Difference" changes=${[change]} roll=${roll} title=${say("whatif.title")} note=${note} />`;
}
