// @ts-check
/** A roll in dispute: what a ruling would give and what it gave, what else could have been, its case file. */

import { effect } from "@preact/signals-core";
import { useEffect, useState } from "preact/hooks";

import { commands, language, live, sight } from "../state/app.js";
import { alternatives, caseFile, dependents, whatIf } from "../state/court.js";
import { known, say } from "../words/index.js";
import "../words/court/index.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Answer, saveFile, sentence, useAction } from "./parts.js";
import { characterName } from "./shown.js";

/**
 * @import { Alternative, Fact, Fallen, Gone, Missing, Result, RollDifference, Side, WhatIf } from "../urim.d.ts"
 * @import { Change, Wanted } from "../state/court.js"
 *
 * @typedef {[what: string, before: string, after: string]} Row
 */

/** Milliseconds from the last key to a question to the server. */
const PAUSE = 500;

/** What stands in both sentences of a result already. */
const IN_SENTENCES = ["margin", "amount"];

/** States of a roll that is over. */
const OVER = ["voided", "resolved", "damaged"];

// --- what the server reckons ----------------------------------------------------------------------

/**
 * An answer of the server to a question of this key, asked again when the table goes on: null as long
 * as it is not here. A command of this page overtakes a question: after it the answer is another one,
 * or a refusal of what was just done.
 *
 * @template T
 * @param {string} key
 * @param {(wanted: Wanted) => Promise<T>} ask
 * @returns {T|null}
 */
function useReckoned(key, ask) {
  const [found, set] = useState(/** @type {{of: string, answer: any}|null} */ (null));
  const of = `${key} ${sight.value?.size} ${language.value}`;
  const { asked, ended } = commands.value;
  useEffect(() => {
    if (asked > ended) return undefined;
    let there = true;
    const over = new AbortController();
    const overtaken = effect(() => { if (commands.value.asked > asked) over.abort(); });
    const timer = setTimeout(async () => {
      const answer = await ask({ wanted: () => there, over: over.signal });
      if (there && !over.signal.aborted) set({ of, answer });
    }, PAUSE);
    return () => {
      there = false;
      overtaken();
      clearTimeout(timer);
    };
  }, [of, asked, ended]);
  return found?.of === of ? found.answer : null;
}

/**
 * What would be different, beside a ruling before it is made. With `made` it is what a ruling gave:
 * what was asked about is that it had never been.
 *
 * @param {{changes: Change[], roll: number, title: string, note?: string, made?: boolean}} props
 */
export function Difference({ changes, roll, title, note, made = false }) {
  const found = useReckoned(JSON.stringify(changes), (wanted) => whatIf(changes, wanted));
  return html`
    <section class="whatif" aria-label=${title} aria-busy=${found === null}>
      <h3>${title}</h3>
      <p class="help">${say(made ? "whatif.reckoned-made" : "whatif.reckoned")}</p>
      ${note && html`<p>${note}</p>`}
      <div role="status">
        ${found === null ? html`<p class="help">${say("form.loading")}</p>`
          : found.type === "what-if" ? html`<${Compared} found=${found} roll=${roll} made=${made} />`
            : html`<${Answer} answer=${found} />`}
      </div>
    </section>`;
}

/** @param {{found: WhatIf, roll: number, made: boolean}} props */
function Compared({ found, roll, made }) {
  const own = found.rolls.some((each) => each.roll === roll);
  const rolls = found.rolls.toSorted((one, other) => Number(other.roll === roll) - Number(one.roll === roll) || one.roll - other.roll);
  const ends = found.tracks.filter((each) => each.before !== each.after || each.known === false)
    .map((each) => /** @type {Row} */ ([`${each.who}: ${each.label}`, String(each.before), each.known === false ? say("whatif.not-known") : String(each.after)]));
  return html`
    ${!own && html`<p>${say(rolls.length ? "whatif.same" : "whatif.same-all", { roll })}</p>`}
    ${rolls.map((each) => html`
      <${Sides} key=${each.roll} caption=${sentence("whatif.roll", { roll: each.roll, who: each.who })} rows=${rowsOf(each)} made=${made} />`)}
    ${ends.length > 0 && html`<${Sides} caption=${say("whatif.ends")} rows=${ends} made=${made} />`}
    ${found.fallen.length > 0 && html`<h4>${say(made ? "whatif.fell" : "whatif.falls")}</h4>
      <ul class="falls">${found.fallen.map((each) => html`<${Falls} key=${each.entry} fallen=${each} />`)}</ul>`}
    ${found.missing.length > 0 && html`<h4>${say("whatif.missing")}</h4>
      <ul class="falls">${found.missing.map((each) => html`<${Unthrown} key=${each.entry} missing=${each} />`)}</ul>`}
    ${found.uncertain.length > 0 && html`<p class="help">${say("whatif.uncertain", { rolls: found.uncertain.join(", ") })}</p>`}`;
}

/** Two sides of something, row by row. @param {{caption: any, rows: Row[], made: boolean}} props */
function Sides({ caption, rows, made }) {
  return html`
    <table class="sides">
      <caption>${caption}</caption>
      <thead><tr><td></td><th scope="col">${say(made ? "whatif.without" : "whatif.was")}</th><th scope="col">${say(made ? "whatif.with" : "whatif.would")}</th></tr></thead>
      <tbody>${rows.map(([what, before, after]) => html`
        <tr key=${what}><th scope="row"><${Foreign} text=${what} /></th>
          ${(made ? [after, before] : [before, after]).map((each) => html`<td><${Foreign} text=${each} most=${600} /></td>`)}</tr>`)}
      </tbody>
    </table>`;
}

/** A command that falls away, and why. @param {{fallen: Fallen}} props */
function Falls({ fallen }) {
  const { why, allowed = [] } = fallen.refusal;
  return html`<li><${Place} gone=${fallen} />
    <p class="help"><${Foreign} text=${why} />${allowed.length > 0 && html`; ${say("answer.allowed")} <${Foreign} text=${allowed.join(", ")} most=${300} />`}</p></li>`;
}

/** Dice that never fell. @param {{missing: Missing}} props */
function Unthrown({ missing }) {
  const dice = missing.dice.map((each) => `${each.die} (${each.kind})`).join(", ");
  const behind = missing.behind.map((each) => each.entry).join(", ");
  const percent = new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: 1 });
  const chances = Object.entries(missing.chances ?? {}).sort((a, b) => b[1] - a[1]).map(([name, chance]) => `${name} ${percent.format(chance)}`).join(", ");
  return html`<li><${Place} gone=${missing} />
    <p class="help">${sentence("whatif.needs", { dice })} ${chances && sentence("whatif.chances", { chances })} ${behind && say("whatif.behind", { entries: behind })}</p></li>`;
}

/** Where a command of the log is, and what happened. @param {{gone: Gone}} props */
function Place({ gone }) {
  const { roll, step, entry } = gone;
  return html`<span class="place">${roll === null ? say("whatif.entry", { entry }) : say("whatif.step", { roll, step, entry })}</span> <${Foreign} text=${gone.text} most=${600} />`;
}

// --- two sides of a roll --------------------------------------------------------------------------

/** What is not the same of a roll. @param {RollDifference} roll @returns {Row[]} */
export function rowsOf({ before, after }) {
  /** @type {Row[]} */
  const found = [[say("whatif.state"), stateOf(before), stateOf(after)], ...declaredIn(before, after)];
  if (after?.known === false) {
    const results = /** @type {[string, string][]} */ ([["whatif.outcome", result(before?.outcome_words)], ["whatif.damage", result(before?.damage_words)]]);
    for (const [what, was] of results) if (was !== say("whatif.none")) found.push([say(what), was, say("whatif.not-known")]);
  } else {
    found.push(
      [say("whatif.outcome"), result(before?.outcome_words), result(after?.outcome_words)], ...figures(before, after, "outcome"),
      [say("whatif.damage"), result(before?.damage_words), result(after?.damage_words)], ...figures(before, after, "damage"),
      ...tracks(before, after),
    );
  }
  return found.filter(([, was, would]) => was !== would);
}

/** How a roll stands. @param {Side|null} side */
function stateOf(side) {
  if (!side) return say("whatif.not-there");
  if (side.state === null) return say("whatif.not-known");
  const words = known(`state.${side.state}`) ? say(`state.${side.state}`) : side.state;
  if (side.known === false) return say("whatif.then-not-known", { state: words });
  return OVER.includes(side.state) ? words : say("whatif.not-resolved", { state: words });
}

/** @param {Result|null|undefined} words */
const result = (words) => words?.headline ?? say("whatif.none");

/** Fields of the declaration and of answers, where both sides have them. @param {Side|null} before @param {Side|null} after @returns {Row[]} */
function declaredIn(before, after) {
  if (!before || !after || [before.state, after.state].includes("voided")) return [];
  const fields = (/** @type {Side} */ side) => new Map([["", side.declared ?? {}], ...(side.answers ?? []).map(([who, given]) => /** @type {[string, any]} */ ([characterName(who), given]))].flatMap(
    ([of, given]) => Object.entries(given ?? {}).map(([name, value]) => [`${of}${of && " "}${name.replaceAll("_", " ")}`, written(value)])));
  return paired(fields(before), fields(after), say("whatif.none"));
}

/** A value of a declaration: of a whole the parts that are there, of an id the name. @param {unknown} value @returns {string} */
function written(value) {
  if (value === null || value === "") return say("whatif.none");
  if (Array.isArray(value)) return value.map(written).join(", ");
  if (typeof value === "string") return characterName(value);
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(/** @type {object} */ (value)).filter(([, part]) => part !== null);
  return parts.map(([name, part]) => `${name.replaceAll("_", " ")} ${written(part)}`).join("; ");
}

/** Figures of both sides: where a blow hit, what it met. @param {Side|null} before @param {Side|null} after @param {string} of @returns {Row[]} */
function figures(before, after, of) {
  const own = (/** @type {Side|null} */ side) => (side?.facts ?? []).filter((fact) => fact.of === of && !IN_SENTENCES.includes(fact.key));
  const [was, would] = [own(before), own(after)];
  if (of === "outcome" && (!was.length || !would.length)) return []; // its sentence is enough
  // A label is in the form for one only where no side has more, or none.
  const labels = new Map([...was, ...would].toSorted((one, other) => Number(single(other)) - Number(single(one))).map((fact) => [fact.key, fact.label]));
  const named = (/** @type {Fact[]} */ facts) => new Map(facts.map((fact) => [labels.get(fact.key) ?? fact.label, fact.text]));
  return paired(named(was), named(would), say("whatif.none"));
}

/** Whether a figure is one of what it counts. @param {Fact} fact */
const single = ({ number }) => Math.abs(number ?? 0) === 1;

/** The tracks that a roll changes, each from where to where. @param {Side|null} before @param {Side|null} after @returns {Row[]} */
function tracks(before, after) {
  const changed = (/** @type {Side|null} */ side) => {
    const found = /** @type {Map<string, [number, number]>} */ (new Map());
    for (const { who, track, before: from, after: to } of side?.changes ?? []) {
      found.set(`${who}: ${track}`, [found.get(`${who}: ${track}`)?.[0] ?? from, to]);
    }
    return new Map([...found].map(([what, [from, to]]) => [what, `${from} → ${to}`]));
  };
  return paired(changed(before), changed(after), say("whatif.unchanged"));
}

/** @param {Map<string, string>} was @param {Map<string, string>} would @param {string} nothing @returns {Row[]} */
function paired(was, would, nothing) {
  const names = new Set([...was.keys(), ...would.keys()]);
  return [...names].map((name) => [name, was.get(name) ?? nothing, would.get(name) ?? nothing]);
}

// --- what depends on it, what else could have been, the case file ---------------------------------

/** The rolls that follow one. @param {{number: number}} props */
export function Depends({ number }) {
  const found = dependents(number, live.value?.rolls ?? new Map());
  return html`<p class="help">${found.length
    ? say("dispute.depends", { n: found.length, rolls: found.join(", ") }) : say("dispute.depends-none")}</p>`;
}

/** Other decisions in a roll, and what each would have given. @param {{number: number}} props */
export function Otherwise({ number }) {
  const found = useReckoned(`otherwise ${number}`, (wanted) => alternatives(number, wanted));
  const [at, pick] = useState(-1);
  if (found === null) return html`<p class="help">${say("form.loading")}</p>`;
  if (!("alternatives" in found)) return html`<${Answer} answer=${found} />`;
  const every = found.alternatives;
  if (!every.length) return html`<p class="help">${say("whatif.no-others")}</p>`;
  const id = `otherwise-${number}`;
  return html`
    <div class="field"><label for=${id}>${say("whatif.what-if")}</label>
      <select id=${id} value=${at} onChange=${(/** @type {any} */ event) => pick(Number(event.currentTarget.value))}>
        <option value="-1">${say("whatif.pick")}</option>
        ${every.map((each, index) => html`<option key=${index} value=${index}>${say(`whatif.if-${each.kind}`, { who: plainly(each.who), what: plainly(each.what) })}</option>`)}
      </select></div>
    ${every[at] && html`<${Difference} key=${at} changes=${[every[at].change]} roll=${number} title=${say("whatif.had-been")} />`}`;
}

/** Words for a list, which marks nothing in them. @param {string} text */
const plainly = (text) => text.replace(/[\u2066-\u2069]/g, "");

/** Saves the case file of a roll. @param {{number: number}} props */
export function CaseFile({ number }) {
  const [busy, answer, run] = useAction();
  const save = async () => {
    const found = await caseFile(number);
    if (found?.type === "done") saveFile(found.name, found.text, "text/html");
    return found;
  };
  return html`
    <p class="ends"><button type="button" aria-disabled=${busy} onClick=${() => run(save)}>${say("case.save")}</button></p>
    <p class="help">${say("case.help")}</p>
    <${Answer} answer=${answer} />`;
}
