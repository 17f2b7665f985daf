// @ts-check
/** The first page: the tables that this browser knows, and, for the host, a new one. */

import { useEffect, useState } from "preact/hooks";

import { hostToken, openTable, seats, session, sit } from "../state/app.js";
import { systemNamed, systems } from "../state/systems.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Later, readings } from "./later.js";
import { Foreign, Name } from "./names.js";
import { Answer, Choices, Field, filled, useAction } from "./parts.js";

/** Who adds chance to a throw, from the fewest to the most. */
const LEVELS = ["server", "player", "table"];

/** Where faces come from: the server's fair dice, or dice on the table that are typed in. */
const SOURCES = ["fair", "manual"];

/** Tables to come back to, and the form for a new one. */
export function Start() {
  const host = session.value?.role === "host" || hostToken() !== null;
  return html`
    <section class="start">
      <header class="title">
        <h1>${say("start.title")}</h1>
        <p class="lead">${say("start.lead")}</p>
      </header>
      <${Known} />
      ${host ? html`<${NewTable} />` : html`<${Strangers} />`}
    </section>`;
}

function Known() {
  const found = seats();
  if (found.length === 0) return null;
  return html`
    <section aria-labelledby="known-title">
      <h2 id="known-title">${say("start.known")}</h2>
      <ul class="tables">${found.map((seat) => html`
        <li key=${`${seat.table}/${seat.seat}`}>
          <button type="button" class="table" onClick=${() => sit(seat)}>
            <strong><${Name} text=${seat.title || seat.table} /></strong>
            <span class="help">${seat.title && html`<${Name} text=${seat.table} /> · `}${say(`role.${seat.role}`)}${seat.name ? html` · <${Name} text=${seat.name} />` : ""}</span>
          </button>
        </li>`)}</ul>
    </section>`;
}

/** What somebody reads who came without a link. */
function Strangers() {
  return html`
    <section class="strangers">
      <h2>${say("start.no-link")}</h2>
      <p>${say("start.no-link-player")}</p>
      <p>${say("start.no-link-host")}</p>
    </section>`;
}

// --- a new table ----------------------------------------------------------------------------------

function NewTable() {
  const [known, setKnown] = useState(/** @type {any[]} */ ([]));
  const [fresh] = useState(freshName);
  const [name, setName] = useState("");
  const [body, setBody] = useState(/** @type {any} */ (null));
  const [options, setOptions] = useState(/** @type {Record<string, unknown>} */ ({}));
  const [level, setLevel] = useState("player");
  const [source, setSource] = useState("fair");
  const [busy, answer, run] = useAction();

  useEffect(() => void systems().then((found) => {
    setKnown(found);
    setName((before) => before || found[0]?.name || "");
  }), []);
  useEffect(() => {
    setOptions({});
    if (name) systemNamed(name).then(setBody);
  }, [name]);

  async function send(/** @type {Event} */ event) {
    const { table = "", person, title } = filled(event);
    await run(() => openTable({ table, ruleset: name, options, level: /** @type {any} */ (level), source }, person, title));
  }
  return html`
    <section aria-labelledby="new-title">
      <h2 id="new-title">${say("start.new")}</h2>
      <form onSubmit=${send} class="new-table">
        <${Field} label=${say("start.name")} help=${say("start.name-help")} name="title" maxlength="200" dir="auto" />
        <div class="line">
          <${Field} label=${say("start.table")} help=${say("start.table-help")} name="table" required dir="ltr"
              pattern="[a-z0-9]{8,32}" maxlength="32" autocapitalize="none" defaultValue=${fresh} />
          <${Field} label=${say("start.person")} help=${say("start.person-help")} name="person" required maxlength="200" dir="auto"
              autocomplete="nickname" />
        </div>
        <${Choices} legend=${say("start.system")} name="system" value=${name} set=${setName}
          choices=${known.map((each) => [each.name, html`<${Foreign} text=${each.title} />`,
            html`<${Foreign} text=${each.source} />`])} />
        ${body?.name === name && html`<${Later} load=${readings} view="Readings" readings=${body.readings} values=${options} set=${setOptions} />`}
        <${Choices} legend=${say("start.level")} name="level" value=${level} set=${setLevel}
          choices=${LEVELS.map((each) => [each, say(`start.level-${each}`), say(`start.level-${each}-help`)])} />
        <${Choices} legend=${say("start.source")} name="source" value=${source} set=${setSource}
          choices=${SOURCES.map((each) => [each, say(`start.source-${each}`), say(`start.source-${each}-help`)])} />
        <${Answer} answer=${answer} />
        <p class="ends"><button class="main" aria-disabled=${busy} disabled=${!name}>${say("start.open")}</button></p>
      </form>
    </section>`;
}

/** A name that no table has yet: the day, and a few letters. */
function freshName() {
  const day = new Date().toISOString().slice(2, 10).replaceAll("-", "");
  const letters = [...crypto.getRandomValues(new Uint8Array(3))].map((each) => "abcdefghjkmnpqrstuvwxyz"[each % 23]);
  return `evening${day}${letters.join("")}`;
}
