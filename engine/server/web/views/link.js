// @ts-check
/** The link of a roll: to be copied, and for a narrator to be allowed and taken back. */

import { useEffect, useState } from "preact/hooks";

import { ask, listed, live, session } from "../state/app.js";
import { say } from "../words/index.js";
import "../words/link/index.js";
import { useValue } from "./drafted.js";
import { html } from "./html.js";
import { Answer, Copy, useAction } from "./parts.js";
import { settingOf } from "./setting.js";

/** @param {{number: number}} props */
export function RollLink({ number }) {
  const [found, set] = useState(/** @type {{link: string|null}|null} */ (null));
  const [busy, answer, run] = useAction();
  const { size } = useValue(live); // a card is not drawn again for what is set at the table
  const own = `links/${number}`;
  const [of, all] = [settingOf(own), settingOf("links")];
  useEffect(() => {
    let there = true;
    void listed(`rolls/${number}/link`, {}).then((body) => there && set(body));
    return () => void (there = false);
  }, [number, of, all, size]);
  /** @param {string} name @param {boolean} value @param {string} words */
  const button = (name, value, words) => html`
    <p><button type="button" aria-disabled=${busy} onClick=${() => run(() => ask({ do: "set-table/1", name, value }))}>${say(words)}</button></p>`;
  if (!found) return html`<p class="help">${say("form.loading")}</p>`;
  const url = found.link && new URL(found.link, location.href).href;
  return html`
    ${url ? html`
      <p><code class="link" dir="ltr">${url}</code></p>
      <p><${Copy} key=${url} text=${url} /> <a href=${url} target="_blank" rel="noopener">${say("link.open")}</a></p>
      <p class="help">${say("link.help")}</p>` : html`<p class="help">${say("link.none")}</p>`}
    ${session.value?.role === "narrator" && html`
      ${url ? button(own, false, "link.back") : button(own, true, "link.allow")}
      ${all === true ? button("links", false, "link.back-all") : button("links", true, "link.allow-all")}`}
    <${Answer} answer=${answer} />`;
}
