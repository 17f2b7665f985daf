// @ts-check
/** What the page has to say about itself: its connection, a newer version, what went wrong. */

import { useEffect, useRef } from "preact/hooks";

import { acceptBackup, dismiss, language, link, live, notices, place, spoken, stale } from "../state/app.js";
import { QUIET, SERVERS } from "../state/reader.js";
import { speaks } from "../state/signals.js";
import { known, say } from "../words/index.js";
import { eventLine } from "./events.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Trouble } from "./shares.js";

/** Reasons for which a connection has ended, that have words of their own. */
const ENDS = new Set(["no-token", "left", "forked", "closed"]);

/** The state of the connection, as a small mark. */
export function LinkMark() {
  const { state, why } = link.value;
  if (place.value.name !== "table") return null;
  return html`<span class="link-mark ${state}" title=${why}>
    <span class="dot" aria-hidden="true"></span><span class="word">${say(`link.${state}`)}</span></span>`;
}

/** What needs more words than a mark. */
export function Notices() {
  const { state, why } = link.value;
  const inside = place.value.name === "table";
  return html`
    <div class="notices">
      ${stale.value && html`<${Notice} kind="warning" text=${say("link.old-page")}>
        <button type="button" onClick=${() => location.reload()}>${say("link.reload")}</button><//>`}
      ${inside && state === "polling" && html`<${Notice} kind="info" text=${say("link.polling-long")} />`}
      ${inside && state === "offline" && html`<${Notice} kind="warning" text=${say("link.offline-long")} />`}
      ${inside && state === "stopped" && html`<${Notice} kind="fault"
        text=${ENDS.has(why) ? say(`link.stopped-${why}`) : why || say("link.stopped-closed")}>
        ${why === "forked" && html`<button type="button" onClick=${acceptBackup}>${say("link.backup")}</button>`}<//>`}
      ${inside && html`<${Trouble} />`}
      ${notices.value.map((each) => html`<${Passing} key=${each.id} notice=${each} />`)}
    </div>`;
}

/** Milliseconds that a notice without a fault stays. */
const STAYS = 12_000;

/** One notice of the list, which goes by itself where nothing is wrong. @param {{notice: import("../state/signals.js").Notice}} props */
function Passing({ notice }) {
  const { id, kind, text } = notice;
  useEffect(() => {
    if (kind !== "info") return undefined;
    const timer = setTimeout(dismiss, STAYS, id);
    return () => clearTimeout(timer);
  }, [id]);
  return html`
    <${Notice} kind=${kind} text=${known(text) ? say(text) : text}>
      <button type="button" class="plain" aria-label=${say("notice.dismiss")} onClick=${() => dismiss(id)}>✕</button>
    <//>`;
}

/** @param {{kind: string, text: string, children?: any}} props */
function Notice({ kind, text, children }) {
  return html`<div class="notice ${kind}" role=${kind === "fault" ? "alert" : "status"}>
    <p><${Foreign} text=${text} most=${600} /></p>${children}</div>`;
}

/** Milliseconds in which names come to what they name. */
const NAMED = 400;

/** Words have no line of their own: they stand at what they are about. */
const WORDS = "text-said/1";

/**
 * The one place that is read aloud: a line for each event, when the reader is at rest. What a roll does is in the
 * server's words, where these are in the page's language. Of a history nothing is read.
 */
export function Spoken() {
  const last = useRef(-1);
  const { size } = live.value;
  const servers = language.value === SERVERS;
  useEffect(() => {
    const now = link.value.state === "live" || link.value.state === "polling";
    if (!now || last.current < 0) last.current = now ? size : -1;
    if (last.current < 0 || last.current >= size) return undefined;
    const timer = setTimeout(() => {
      const news = live.value.log.slice(last.current, size).filter((each) => each.event && each.event.type !== WORDS && !QUIET.has(each.event.type) && (each.roll === null || !servers));
      speaks(news.map((each) => ({ key: `${each.seq}`, text: eventLine(each) })));
      last.current = size;
    }, NAMED);
    return () => clearTimeout(timer);
  }, [size]);
  return html`<div class="quiet" role="status" aria-live="polite" aria-atomic="false" aria-relevant="additions">${spoken.value.map(({ key, text }) => html`<p key=${key}><${Foreign} text=${text} most=${600} /></p>`)}</div>`;
}
