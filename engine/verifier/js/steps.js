// The sixteen steps as a list: number, name, verdict, and what was seen.

import { clear, element } from "./parts.js";
import { QUESTIONS, VERDICTS } from "./words.js";

/** Verdicts whose remarks are open from the start. */
const OPEN = new Set(["fail", "finding"]);

/** Show results of `verify` in a list. */
export function showSteps(list, results) {
  clear(list);
  for (const result of results) list.append(item(result));
}

function item(result) {
  const { step, name, verdict, summary, remarks } = result;
  const [sign, word] = VERDICTS[verdict];
  const badge = element("span", { class: "badge", "data-verdict": verdict });
  badge.append(element("span", { "aria-hidden": "true" }, sign), ` ${word}`);
  const head = [
    element("span", { class: "number" }, String(step)),
    element("span", { class: "name" }, name),
    badge,
    element("span", { class: "question" }, QUESTIONS[name]),
    element("span", { class: "summary" }, summary),
  ];
  const made = element("li", { "data-verdict": verdict, "data-step": String(step) });
  if (remarks.length === 0) {
    made.append(element("div", { class: "step" }, ...head));
    return made;
  }
  const details = element("details", {}, element("summary", { class: "step" }, ...head));
  details.open = OPEN.has(verdict);
  details.append(element("ul", { class: "remarks" }, ...remarks.map(remark)));
  if (result.more) details.append(element("p", { class: "more" }, `and ${result.more} more`));
  made.append(details);
  return made;
}

function remark({ kind, seq, why, expected, found }) {
  const made = element("li", { "data-kind": kind });
  if (seq !== undefined) made.append(element("b", {}, `Entry ${seq}`), ": ");
  made.append(element("bdi", {}, why));
  if (expected === undefined && found === undefined) return made;
  const compared = element("dl", { class: "compared" });
  for (const [name, value] of [["expected", expected], ["found", found]]) {
    if (value !== undefined) {
      compared.append(element("dt", {}, name), element("dd", {}, element("code", {}, value)));
    }
  }
  made.append(compared);
  return made;
}
