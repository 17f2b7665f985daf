// @ts-check
/** Who comes by a link: which door it opens, and the name that the others will see. */

import { useEffect, useState } from "preact/hooks";

import { invitation, join, notify, place, session, toStart } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Answer, Field, filled, sentence, useAction } from "./parts.js";

/** @import { InvitationBody } from "../urim" */

/** The page behind an invitation. Nothing is spent before the button is pressed. */
export function Join() {
  const [busy, answer, run] = useAction();
  const { secret, kind } = place.value;
  const host = kind === "host";
  const [to, setTo] = useState(/** @type {InvitationBody|null} */ (null));
  useEffect(() => void (host || !secret || invitation(secret).then(setTo)), [secret]);
  async function send(/** @type {Event} */ event) {
    const { name } = filled(event);
    const found = await run(() => join(secret ?? "", name));
    const at = session.value;
    if (found?.type === "done" && at?.table) {
      notify(say("join.welcome", { table: to?.name || at.table, role: say(`role.${at.role}`) }));
    }
  }
  return html`
    <section class="door">
      <h1>${to?.by ? sentence("join.by", { by: to.by }) : say(host ? "join.host-title" : "join.title")}</h1>
      <p class="lead">${to ? sentence("join.to", { ...to, table: to.name || to.table, role: say(`role.${to.role}`) })
        : say(host ? "join.host-lead" : "join.lead")}</p>
      <form onSubmit=${send}>
        ${!host && html`
          <${Field} label=${say("join.name")} help=${say("join.name-help")} name="name" required maxlength="200"
              dir="auto" autocomplete="nickname" />`}
        <${Answer} answer=${answer} />
        <p class="ends"><button class="main" aria-disabled=${busy}>${say(host ? "join.host-do" : "join.do")}</button></p>
      </form>
      ${(host || to) && html`<p class="help">${say("join.once", { n: to?.left ?? 1 })}</p>`}
    </section>`;
}

/** A link that opens nothing any more, or a seat that is gone. */
export function Dead() {
  const { why = "no-token" } = place.value;
  const reason = ["no-token", "left", "forked"].includes(why) ? why : "other";
  return html`
    <section class="door">
      <h1>${say(`dead.${reason}`)}</h1>
      <p class="lead">${say(`dead.${reason}-why`)}</p>
      <p>${say("dead.ask")}</p>
      <p class="ends"><${Home} /></p>
    </section>`;
}

/** A way back to the tables that this browser knows. */
export function Home() {
  return html`<button type="button" onClick=${toStart}>${say("dead.home")}</button>`;
}
