// @ts-check
/** How a table reads its book where it leaves a question open: as it is opened, and later. */

import { useState } from "preact/hooks";

import { ask, sight, system, table } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign, plain } from "./names.js";
import { Answer, Dialog, Field, filled, sentence, useAction, valueTo } from "./parts.js";

/**
 * @typedef {{name: string, heading: string, says: string, assumed: string, default: unknown, values: unknown[],
 *   offered: unknown[], since: number, before: unknown}} Reading
 */

/** Each reading as a choice, with why. @param {{readings: Reading[], values: Record<string, unknown>, set: (values: Record<string, unknown>) => void}} props */
export function Readings({ readings, values, set }) {
  if (readings.length === 0) return null;
  const changed = Object.keys(values).length;
  return html`
    <details class="readings">
      <summary>${say("start.readings", { n: readings.length })}
        ${changed > 0 && html` · ${say("start.readings-changed", { n: changed })}`}</summary>
      <p class="help">${say("start.readings-help")}</p>
      ${readings.map((each) => html`<${Asked} key=${each.name} reading=${each} value=${values[each.name] ?? each.default}
        set=${(/** @type {unknown} */ value) => set(without({ ...values, [each.name]: value }, each))} />`)}
    </details>`;
}

/** The values without one that is its reading's own. @param {Record<string, unknown>} values @param {Reading} reading */
function without(values, reading) {
  if (values[reading.name] !== reading.default) return values;
  const { [reading.name]: own, ...others } = values;
  return others;
}

/**
 * What may be chosen: the values that show the difference, and the one that the table goes by; what was
 * so before a correction is nothing to choose.
 *
 * @param {Reading} reading
 * @param {unknown} value
 */
function offered(reading, value) {
  const found = reading.values.filter((each) => same(each, value) || reading.offered.some((other) => same(each, other)));
  return found.some((each) => same(each, value)) ? found : [value, ...found];
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** @param {{reading: Reading, value: unknown, set: (value: unknown) => void}} props */
function Asked({ reading, value, set }) {
  const values = offered(reading, value);
  return html`
    <div class="rule-reading">
      <p class="help"><em><${Foreign} text=${reading.heading} /></em></p>
      <p><${Foreign} text=${reading.says} /></p>
      <p class="help"><${Foreign} text=${reading.assumed} /></p>
      <${Field} label=${html`<${Foreign} text=${reading.name.replaceAll("_", " ")} />`} as="select"
          value=${String(values.findIndex((each) => same(each, value)))} onChange=${valueTo((place) => set(values[Number(place)]))}>
          ${values.map((each, index) => html`<option value=${String(index)}>${shownValue(each)}${
            same(each, reading.default) ? ` (${say("start.default")})` : ""}</option>`)}
        <//>
    </div>`;
}

/** @param {unknown} value */
function shownValue(value) {
  if (typeof value === "boolean") return say(value ? "field.yes" : "field.no");
  return plain(value);
}

/** The readings of a table that is open: a narrator may give one another value from now on. @param {{close: () => void}} props */
export function TableReadings({ close }) {
  const [chosen, choose] = useState(/** @type {{name: string, value: unknown} | null} */ (null));
  const [busy, answer, run] = useAction();
  const found = /** @type {Reading[]} */ (system.value?.readings ?? []);
  const version = sight.value?.version ?? 0;
  const now = /** @type {Record<string, unknown>} */ ({ ...sight.value?.options, ...table.value.options });
  const sorted = [...found].sort((one, other) => Number(other.since > version) - Number(one.since > version));

  async function send(/** @type {Event} */ event) {
    const { reason = "" } = filled(event);
    const wish = chosen;
    if (!wish) return;
    const done = await run(() => ask({ do: "set-reading/1", ...wish }, reason));
    if (done?.type === "done") choose(null);
  }
  return html`
    <${Dialog} title=${say("readings.title")} close=${close}>
      <p class="help">${say("readings.help")}</p>
      ${sorted.map((each) => {
        const value = chosen?.name === each.name ? chosen.value : now[each.name];
        return html`
          <form key=${each.name} onSubmit=${send}>
            ${each.since > version && same(now[each.name], each.before) &&
              html`<p class="notice">${sentence("readings.new", { n: each.since, value: shownValue(each.before) })}</p>`}
            <${Asked} reading=${each} value=${value}
              set=${(/** @type {unknown} */ to) => choose(same(to, now[each.name]) ? null : { name: each.name, value: to })} />
            ${chosen?.name === each.name && html`
              <${Field} label=${say("readings.reason")} name="reason" required maxlength="200" dir="auto" />
              <${Answer} answer=${answer} />
              <p class="ends"><button class="main" aria-disabled=${busy}>${say("readings.set")}</button></p>`}
          </form>`;
      })}
    <//>`;
}
