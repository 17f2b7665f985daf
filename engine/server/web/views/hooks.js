// @ts-check
/** Where a seat is told what happens, though it does not look: addresses that the server calls. */

import { useEffect, useState } from "preact/hooks";

import { language, session } from "../state/app.js";
import { ask } from "../state/api.js";
import { say } from "../words/index.js";
import "../words/hooks/index.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Answer, Choices, Copy, Field, filled, sentence, useAction } from "./parts.js";

/** @import { CalledBody, HookMadeBody, HooksBody, HookShown } from "../urim.d.ts" */

/** Milliseconds that a test call may take. */
const PATIENCE = 60_000;

/** Whom an address leads to. */
const FORMS = /** @type {const} */ (["content", "standard"]);

/** Whose view is told. */
const VIEWS = /** @type {const} */ (["seat", "table"]);

/** Ask for something of the seat's hooks. @param {string} path @param {{method?: string, body?: object}} [how] */
async function asked(path, how = {}) {
  const { origin = "", table, token } = session.value ?? {};
  const answer = await ask(origin, `/tables/${table}/hooks${path}`, { token, patience: PATIENCE, ...how });
  return answer.ok ? { type: "done", body: answer.body } : { type: "refused", ...answer.problem };
}

/** A time as people read it. @param {number} at */
const when = (at) => new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(at);

/** All of it: those that there are, and a form for another. */
export function Hooks() {
  const [hooks, set] = useState(/** @type {readonly HookShown[]} */ ([]));
  const [form, choose] = useState(/** @type {string} */ (FORMS[0]));
  const [view, see] = useState(/** @type {string} */ (VIEWS[0]));
  const [secret, show] = useState("");
  const [busy, answer, run] = useAction();
  async function look() {
    const found = await asked("");
    if (found.type === "done") set(/** @type {HooksBody} */ (found.body).hooks);
  }
  useEffect(() => void look(), []);
  async function make(/** @type {Event} */ event) {
    const { url = "" } = filled(event);
    const field = /** @type {HTMLFormElement} */ (event.currentTarget);
    const found = await run(() => asked("", { body: { url: url.trim(), form, view } }));
    if (found?.type !== "done") return;
    field.reset();
    show(form === "standard" ? /** @type {HookMadeBody} */ (found.body).secret : "");
    await look();
  }
  return html`
    <section class="hooks">
      <h3>${say("hooks.title")}</h3>
      <p class="help">${say("hooks.help")}</p>
      ${hooks.map((each) => html`<${Hook} key=${each.id} hook=${each} look=${look} />`)}
      <form onSubmit=${make}>
        <${Field} label=${say("hooks.url")} help=${say("hooks.url-help")} name="url" type="url" dir="ltr" required
          maxlength="1000" autocomplete="off" />
        <${Choices} legend=${say("hooks.form")} name="form" value=${form} set=${choose}
          choices=${FORMS.map((each) => [each, say(`hooks.${each}`), say(`hooks.${each}-help`)])} />
        <${Choices} legend=${say("hooks.view")} name="view" value=${view} set=${see}
          choices=${VIEWS.map((each) => [each, say(`hooks.view.${each}`), say(`hooks.view.${each}-help`)])} />
        <${Answer} answer=${answer} />
        <p class="ends"><button aria-disabled=${busy}>${say("hooks.make")}</button></p>
      </form>
      ${secret && html`
        <div class="note"><p>${say("hooks.secret")}</p><p><code dir="ltr">${secret}</code></p><p><${Copy} text=${secret} /></p></div>`}
    </section>`;
}

/** One address: its host, how it goes, and what can be done with it. @param {{hook: HookShown, look: () => Promise<void>}} props */
function Hook({ hook, look }) {
  const [called, set] = useState(/** @type {CalledBody | null} */ (null));
  const [busy, answer, run] = useAction();
  async function test() {
    set(null);
    const found = await run(() => asked("/test", { body: { hook: hook.id } }));
    if (found?.type !== "done") return;
    set(/** @type {CalledBody} */ (found.body));
    await look();
  }
  async function end() {
    const found = await run(() => asked(`/${hook.id}`, { method: "DELETE" }));
    if (found?.type === "done") await look();
  }
  return html`
    <article class="hook">
      <p><strong><${Foreign} text=${hook.host} /></strong> · ${say(`hooks.${hook.form}`)} · ${say(`hooks.view.${hook.view}`)}</p>
      <p class="help">${state(hook)}</p>
      <p role="status">${called && (called.why ? sentence("hooks.bad", { why: called.why }) : say("hooks.good", { status: String(called.status) }))}</p>
      <${Answer} answer=${answer} />
      <p class="ends">
        <button type="button" aria-disabled=${busy} onClick=${test}>${say("hooks.test")}</button>
        <button type="button" class="danger" aria-disabled=${busy} onClick=${end}>${say("hooks.end")}</button>
      </p>
    </article>`;
}

/** How it goes. @param {HookShown} hook */
function state({ told, failing, why, over }) {
  if (failing != null) return sentence(over ? "hooks.over" : "hooks.failing", { at: when(failing), why });
  return told == null ? say("hooks.new") : say("hooks.told", { at: when(told) });
}
