// @ts-check
/** Where a seat is told what happens, though it does not look: addresses that the server calls. */

import { useEffect, useState } from "preact/hooks";

import { ask as request } from "../state/api.js";
import { ask, language, live, session, sight } from "../state/app.js";
import { say } from "../words/index.js";
import "../words/hooks/index.js";
import { useValue } from "./drafted.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Answer, Choices, Copy, Field, filled, sentence, useAction } from "./parts.js";
import { settingOf } from "./setting.js";
import { seatName } from "./shown.js";

/** @import { CalledBody, HookMadeBody, HooksBody, HookShown } from "../urim.d.ts" */

/** Milliseconds that a test call may take. */
const PATIENCE = 60_000;

/** Hours that a throw may wait by post, at most. */
const LONGEST = 336;

/** Whom an address leads to. */
const FORMS = /** @type {const} */ (["content", "standard"]);

/** Whose view is told. */
const VIEWS = /** @type {const} */ (["seat", "table"]);

/** Ask for something of the seat's hooks. @param {string} path @param {{method?: string, body?: object}} [how] */
async function asked(path, how = {}) {
  const { origin = "", table, token } = session.value ?? {};
  const answer = await request(origin, `/tables/${table}/hooks${path}`, { token, patience: PATIENCE, ...how });
  return answer.ok ? { type: "done", body: answer.body } : { type: "refused", ...answer.problem };
}

/** A time as people read it. @param {number} at */
const when = (at) => new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(at);

/** All of it: those that there are, and a form for another. */
export function Hooks() {
  const [{ hooks, told }, set] = useState(/** @type {HooksBody} */ ({ type: "hooks", hooks: [], told: {} }));
  const [form, choose] = useState(/** @type {string} */ (FORMS[0]));
  const [view, see] = useState(/** @type {string} */ (VIEWS[0]));
  const [secret, show] = useState("");
  const [busy, answer, run] = useAction();
  async function look() {
    const found = await asked("");
    if (found.type === "done") set(/** @type {HooksBody} */ (found.body));
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
      <${Told} told=${told} />
      ${session.value?.role === "narrator" && html`<${Post} />`}
    </section>`;
}

/** Which seats were told, and when last. @param {{told: HooksBody["told"]}} props */
function Told({ told }) {
  const others = (sight.value?.seats ?? []).filter((each) => each.here && each.id !== session.value?.seat);
  return others.length > 0 && html`
    <h4>${say("hooks.others")}</h4>
    <ul>${others.map(({ id }) => html`
      <li key=${id}>${sentence(!(id in told) ? "hooks.nowhere" : told[id] ? "hooks.who-told" : "hooks.who-new", { who: seatName(id), at: told[id] ? when(told[id]) : "" })}</li>`)}</ul>`;
}

/** How long throws wait for shares, for a narrator to say. */
function Post() {
  const [busy, answer, run] = useAction();
  useValue(live);
  const set = settingOf("post");
  const hours = typeof set === "number" ? set : null;
  /** @param {number | null} value */
  const put = (value) => run(() => ask({ do: "set-table/1", name: "post", value }));
  return html`
    <form class="post" onSubmit=${(/** @type {Event} */ event) => put(Number(filled(event).hours))}>
      <h4>${say("post.title")}</h4>
      <p class="help">${hours === null ? say("post.not") : say("post.now", { n: hours })}</p>
      <${Field} label=${say("post.hours")} help=${say("post.help")} name="hours" type="number" class="short" min="1" max=${LONGEST} required />
      <${Answer} answer=${answer} />
      <p class="ends">
        ${hours !== null && html`<button type="button" aria-disabled=${busy} onClick=${() => put(null)}>${say("post.end")}</button>`}
        <button aria-disabled=${busy}>${say("post.set")}</button></p>
    </form>`;
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
