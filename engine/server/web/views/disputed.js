// @ts-check
/** Disputes: any seat raises one with a reason, a narrator rules on it, and both stay in the log. */

import { useState } from "preact/hooks";

import { ask, draft, live, system, undoDraft } from "../state/app.js";
import { latestRuling } from "../state/rolls.js";
import { say } from "../words/index.js";
import "../words/court/index.js";
import { contradicting } from "./commands.js";
import { Correct } from "./form.js";
import { eventLine, stepText } from "./events.js";
import { openDisputes } from "./dispute.js";
import { html } from "./html.js";
import { court, Foreseen, Later } from "./later.js";
import { Foreign, plain } from "./names.js";
import { Answer, Choices, Field, filled, sentence, useAction, valueTo } from "./parts.js";
import { offered, seatName } from "./shown.js";
import { useValue } from "./drafted.js";

/**
 * @import { Roll } from "../state/rolls.js"
 */

/** Rulings, in the order in which they are offered. */
const RULINGS = ["stands", "amend", "replay", "void"];

/** What a ruling would have been that changes nothing. */
const STOOD = { ruling: "stands", character: null, fields: null, against: null };

/** Everything about the disputes of a roll. @param {{number: number}} props */
export function Disputed({ number }) {
  const roll = live.value?.rolls.get(number);
  const found = roll?.disputes ?? [];
  const rules = offered(number, "rule");
  return html`
    ${found.map((each) => html`<${Raised} key=${each.seq} number=${number} dispute=${each} />`)}
    <${Later} load=${court} view="Depends" number=${number} />
    ${roll && rules && openDisputes(roll).map((each) => html`
      <${Rule} key=${`rule-${each.seq}`} roll=${roll} dispute=${each} />`)}
    ${!rules && offered(number, "dispute") && html`<${Raise} number=${number} />`}
    ${offered(number, "withdraw") && html`<${Withdraw} number=${number} />`}
    <${Folded} title=${say("whatif.otherwise")} view="Otherwise" number=${number} />
    <${Later} load=${court} view="CaseFile" number=${number} />`;
}

/** Something of a dispute that the server is asked for once it is unfolded. @param {{title: string, view: string, [property: string]: any}} props */
function Folded({ title, view, ...own }) {
  const [open, set] = useState(false);
  return html`
    <details open=${open} onToggle=${(/** @type {Event} */ event) => set(/** @type {HTMLDetailsElement} */ (event.currentTarget).open)}>
      <summary>${title}</summary>
      ${open && html`<${Later} load=${court} view=${view} ...${own} />`}
    </details>`;
}

/** A dispute with its reason, and how it was ruled on. @param {{number: number, dispute: any}} props */
function Raised({ number, dispute }) {
  const reason = reasonOf(dispute.seq);
  const changed = dispute.ruling === "amend" ? changedBy(dispute.ruled) : [];
  return html`
    <article class="raised">
      <p>${sentence("dispute.raised", { by: seatName(dispute.by) })}</p>
      ${reason && html`<blockquote><${Foreign} text=${reason} /></blockquote>`}
      <p class="help">${say(dispute.ruling ? `dispute.ruled-${dispute.ruling}` : "dispute.waits", { instead: dispute.instead ?? "" })}</p>
      ${dispute.ruled != null && reasonOf(dispute.ruled) && html`<blockquote><${Foreign} text=${reasonOf(dispute.ruled)} /></blockquote>`}
      ${changed.map(([title, before, after]) => html`
        <p class="changed" key=${title}><${Foreign} text=${title} />: <bdi>${before}</bdi> → <bdi>${after}</bdi></p>`)}
      ${dispute.ruling && dispute.ruling !== "stands" && html`
        <${Folded} title=${say("whatif.changed")} view="Difference" made roll=${number}
          changes=${[{ change: "instead", seq: dispute.ruled, fields: STOOD }]} />`}
    </article>`;
}

/**
 * What the ruling of an entry corrected: each field's title, its value before, and now.
 *
 * @param {number} seq
 * @returns {[string, string, string][]}
 */
function changedBy(seq) {
  const log = live.value?.log ?? [];
  const events = log.map((each) => /** @type {any} */ (each.event));
  const at = events.findIndex((event, place) => log[place]?.commit === seq && event?.type === "roll-amended/2");
  const made = events[at];
  if (!made) return [];
  const own = events.slice(0, at).filter((event) => event?.roll === made.roll);
  const mine = own.filter((event) => (event.character ?? live.value?.rolls.get(made.roll)?.character) === made.character);
  const before = mine.map((event) => event.declared ?? event.declaration ?? event.reaction).filter(Boolean).at(-1) ?? {};
  const titles = new Map((system.value?.declaration?.fields ?? []).map((/** @type {any} */ each) => [each.name, each.title]));
  const names = Object.keys({ ...before, ...made.declared });
  const shown = (/** @type {unknown} */ value) => (typeof value === "string" ? value : value == null ? "–" : JSON.stringify(value));
  return names
    .filter((name) => shown(before[name]) !== shown(made.declared[name]))
    .map((name) => [titles.get(name) ?? name, shown(before[name]), shown(made.declared[name])]);
}

/** The text of the commit of an entry. @param {number} seq */
function reasonOf(seq) {
  const log = live.value?.log ?? [];
  const commit = log[seq]?.commit;
  return log.filter((each) => each.commit === commit).map((each) => live.value?.texts.get(each.seq)?.text).find(Boolean);
}

/** Characters of a reason, at most: a few less than the server takes, for the step that it is about. */
const LONGEST = 3900;

/** A reason that is kept while it is typed. @param {{form: string, label: string, help?: string}} props */
function Reason({ form, label, help }) {
  const kept = draft(form, "");
  const typedSoFar = useValue(kept);
  return html`
    <${Field} label=${label} help=${help} as="textarea" name="reason" required rows="3"
        maxlength=${LONGEST} dir="auto" value=${typedSoFar}
        onInput=${valueTo((text) => (kept.value = text))} />`;
}

/** @param {{number: number}} props */
function Raise({ number }) {
  const [busy, answer, run] = useAction();
  const [sent, setSent] = useState(false);
  const form = `dispute-${number}`;
  async function send(/** @type {Event} */ event) {
    const { reason, step } = filled(event);
    const about = step ? `${say("dispute.about", { entry: Number(step) })} ${reason}` : reason;
    const found = await run(() => ask({ do: "dispute/1", roll: number }, about));
    if (found?.type !== "done") return;
    undoDraft(form, "");
    setSent(true); // the dispute stands above now: an empty form under it would ask for another
  }
  if (sent) return null;
  return html`
    <form onSubmit=${send}>
      <${Field} label=${say("dispute.step")} as="select" name="step">
        <option value="">${say("dispute.step-none")}</option>
        ${stepsOf(number).map(([seq, words]) => html`<option key=${seq} value=${seq}>${say("dispute.about", { entry: seq })} ${words}</option>`)}
      <//>
      <${Reason} form=${form} label=${say("dispute.reason")} help=${say("dispute.reason-help")} />
      <${Answer} answer=${answer} />
      <p class="ends"><button class="main" aria-disabled=${busy}>${say("dispute.send")}</button></p>
    </form>`;
}

/** The steps of a roll in words, each by its entry. @param {number} number @returns {[number, string][]} */
function stepsOf(number) {
  const own = (live.value?.log ?? []).filter((line) => line.roll === number && line.event);
  // Where others add chance, dice fall behind the last share, in its commit.
  const steps = own.map((line) => /** @type {const} */ ([line, stepText(line)])).filter(([line, step]) => step || line.seq === line.commit);
  return steps.map(([line, step]) => [line.seq, plain(step || eventLine(line))]);
}

/** Takes back a declaration that nobody has answered yet. @param {{number: number}} props */
function Withdraw({ number }) {
  const [busy, answer, run] = useAction();
  return html`
    <p class="ends"><button type="button" aria-disabled=${busy}
      onClick=${() => run(() => ask({ do: "withdraw/1", roll: number }))}>${say("dispute.withdraw")}</button></p>
    <${Answer} answer=${answer} />`;
}

// --- the narrator ---------------------------------------------------------------------------------

/** @param {{roll: Roll, dispute: {seq: number}}} props */
function Rule({ roll, dispute }) {
  const [ruling, setRuling] = useState("stands");
  const may = RULINGS.filter((each) => each === "stands" || offered(roll.number, each === "amend" ? "amend" : "void"));
  return html`
    <div class="ruling">
      <${Choices} legend=${say("dispute.ruling")} name=${`ruling-${dispute.seq}`} value=${ruling} set=${setRuling}
        choices=${may.map((each) => [each, say(`ruling.${each}`), say(`ruling.${each}-help`)])} />
      ${ruling !== "stands" && html`<${Against} roll=${roll} />`}
      ${(ruling === "void" || ruling === "replay") && html`
        <${Foreseen} key=${ruling} roll=${roll.number} change=${{ change: "voided", roll: roll.number }} note=${ruling === "replay" ? say("whatif.replay") : ""} />`}
      ${ruling === "amend"
        ? html`<${Correct} roll=${roll} trigger="amend" dispute=${dispute.seq} done=${() => undefined} />`
        : html`<${Decide} roll=${roll} dispute=${dispute.seq} ruling=${ruling} />`}
    </div>`;
}

/** Says which ruling would be contradicted. @param {{roll: Roll}} props */
function Against({ roll }) {
  const made = latestRuling(roll);
  return made === null ? null : html`<p class="help">${say("dispute.against", { entry: made })}</p>`;
}

/** A ruling that needs a reason alone. @param {{roll: Roll, dispute: number, ruling: string}} props */
function Decide({ roll, dispute, ruling }) {
  const [busy, answer, run] = useAction();
  const form = `rule-${dispute}`;
  async function send(/** @type {Event} */ event) {
    const { reason } = filled(event);
    const against = ruling === "stands" ? {} : contradicting(roll);
    const command = { do: "rule/3", roll: roll.number, dispute, ruling, ...against };
    const done = await run(() => ask(/** @type {any} */ (command), reason));
    if (done?.type === "done") undoDraft(form, "");
  }
  return html`
    <form onSubmit=${send}>
      <${Reason} form=${form} label=${say("dispute.why")} />
      <${Answer} answer=${answer} />
      <p class="ends"><button class="main" aria-disabled=${busy}>${say("dispute.rule-do")}</button></p>
    </form>`;
}
