// @ts-check
/** How a roll ended, and how it came to that: the server's account of it, line by line. */

import { say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign, Name } from "./names.js";

/**
 * @import { Item, Line, Outcome as Announced, Preview, Result } from "../urim.d.ts"
 * @import { Refused } from "../state/requests.js"
 */

/** Characters of a degree that is set large; a longer one is set smaller. */
const LARGE = 24;

/**
 * An outcome or damage, as announced; `of`: whose, and who sees it, for who reads no further up.
 *
 * @param {{result: Result, title: string, of?: string[]}} props
 */
export function Outcome({ result, title, of = [] }) {
  const { head, text, reason, items = [], idle = [], readings = [], changes = [], now } = result;
  const long = head.length > LARGE;
  return html`
    <section class=${`outcome ${result.sort}`} aria-label=${title}>
      <h4>${title}${of.map((each) => html` · <${Name} text=${each} />`)}</h4>
      <p class=${`verdict ${long ? "long" : ""}`}><strong><${Foreign} text=${head} /></strong> <span class="margin"><${Foreign} text=${text} /></span></p>
      ${reason && html`<p class="reason"><${Foreign} text=${reason} /></p>`}
      ${now && html`<p class="warn"><${Foreign} text=${now} /></p>`}
      ${changes.length > 0 && html`<ul class="changes">${changes.map((each, at) => html`
        <li key=${at}><${Name} text=${each.who} /> <span class="what"><${Foreign} text=${each.track} /></span>
          <bdi dir="ltr" class="figures">${each.before} → <strong>${each.after}</strong>${each.most !== null && ` / ${each.most}`}</bdi></li>`)}</ul>`}
      ${(items.length > 0 || idle.length > 0) && html`
        <details class="ledger">
          <summary>${say("outcome.how")}</summary>
          <dl>${items.map((item, at) => html`<${Sum} key=${at} item=${item} />`)}</dl>
          ${idle.map(([words, labels], at) => html`<p class="help" key=${at}>${labels.map((each, i) => html`${i > 0 && "; "}<${Foreign} text=${each} />`)}: <${Foreign} text=${words} /></p>`)}
          ${readings.map((each, at) => html`<p class="reading" key=${at}><${Foreign} text=${each} /></p>`)}
        </details>`}
    </section>`;
}

/** @param {{item: Item}} props */
function Sum({ item: { total, terms = [], then = [] } }) {
  return html`
    <div class=${terms.length ? "sum" : "fact"}>
      ${terms.map((term, at) => html`<${Entry} key=${at} line=${term} sign=${at > 0} />`)}
      <${Entry} line=${total} total=${terms.length > 0} />
      ${then.map((each, at) => html`<dd class="then" key=${at}><${Foreign} text=${each} /></dd>`)}
      ${(total.readings ?? []).map((each, at) => html`<dd class="reading" key=${`r${at}`}><${Foreign} text=${each} /></dd>`)}
    </div>`;
}

/** @param {{line: Line, total?: boolean, sign?: boolean}} props */
function Entry({ line, total = false, sign = false }) {
  const plus = sign && typeof line.number === "number" && !line.text.startsWith("-") ? "+" : "";
  return html`
    <div class=${`entry ${total ? "total" : ""}`}>
      <dt><${Foreign} text=${line.label} />${line.heading && html` <small><${Foreign} text=${line.heading} /></small>`}</dt>
      <dd><bdi>${plus}<${Foreign} text=${line.text} /></bdi>${line.unit && html` <small><${Foreign} text=${line.unit} /></small>`}</dd>
    </div>`;
}

/** An outcome of a table in the past, in the log's own words. @param {{outcome: Announced, title: string}} props */
export function Bare({ outcome, title }) {
  return html`
    <section class="outcome" aria-label=${title}>
      <h4>${title}</h4>
      <p class="verdict"><strong><${Foreign} text=${outcome.degree} /></strong></p>
    </section>`;
}

// --- before and after -----------------------------------------------------------------------------

/** Figures that a change is shown of, at most. */
const MOST = 6;

/** All figures of a result, by key: those of its facts, totals and terms. @param {Result} result @returns {Map<string, Line>} */
function figuresOf({ items = [] }) {
  const lines = items.flatMap(({ total, terms = [] }) => [...terms, total]);
  return new Map(lines.map((line) => [line.key, line]));
}

/**
 * The numbers that differ between two results, as `[label, before, after]`; the margin is not among
 * them. A figure that one of them leaves out changes nothing there: it is 0.
 *
 * @param {Result} before @param {Result} after
 * @returns {[string, string, string][]}
 */
export function changes(before, after) {
  const [old, now] = [figuresOf(before), figuresOf(after)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    const line = is ?? was;
    const numbers = [was, is].every((each) => !each || typeof each.number === "number");
    if (!line || key === "margin" || !numbers || (was?.number ?? 0) === (is?.number ?? 0)) return [];
    return [/** @type {[string, string, string]} */ ([line.label, was?.text ?? "0", is?.text ?? "0"])];
  });
}

/** What a change of the dice makes of the outcome, before it is made. @param {{ahead: Preview|Refused}} props */
export function Change({ ahead }) {
  if (ahead.type !== "preview") return html`<p class="ahead refused" role="status"><${Foreign} text=${ahead.why} /></p>`;
  const { before_words: before, after_words: after } = ahead;
  if (!before || !after) return null;
  const numbers = changes(before, after).slice(0, MOST);
  return html`
    <div class="ahead change" role="status" aria-label=${say("outcome.ahead")}>
      <span class="from"><${Foreign} text=${before.head} /> <bdi>${before.text}</bdi></span>
      <span class="arrow" aria-label=${say("outcome.becomes")}>→</span>
      <strong class="to"><${Foreign} text=${after.head} /> <bdi>${after.text}</bdi></strong>
      ${numbers.length > 0 && html`<ul class="figures">${numbers.map(([label, was, is]) => html`
        <li key=${label}><${Foreign} text=${label} /> <bdi dir="ltr">${was} → <strong>${is}</strong></bdi></li>`)}</ul>`}
    </div>`;
}
