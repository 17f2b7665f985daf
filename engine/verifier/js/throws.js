// The table of throws, a page at a time: a log may have a hundred thousand of them.

import { clear, element, shown } from "./parts.js";
import { VERDICTS } from "./words.js";

/** Rows that are added at once. */
const ROWS = 100;

/** Show throws of `verify` in a section with a filter, a table and a button for more. */
export function showThrows(section, throws) {
  const body = section.querySelector("tbody");
  const more = section.querySelector("[data-more]");
  const filter = section.querySelector("[data-filter]");
  const counted = section.querySelector("[data-counted]");
  let chosen = throws;
  const add = () => {
    const from = body.children.length;
    body.append(...chosen.slice(from, from + ROWS).map(row));
    const left = chosen.length - body.children.length;
    shown(more, left > 0);
    more.textContent = `Show ${Math.min(left, ROWS)} more of ${left.toLocaleString("en")}`;
  };
  const renew = () => {
    const roll = Number.parseInt(filter.value, 10);
    chosen = Number.isNaN(roll) ? throws : throws.filter((each) => each.roll === roll);
    clear(body);
    const [some, all] = [chosen, throws].map((list) => list.length.toLocaleString("en"));
    counted.textContent = `${some} of ${all} throws`;
    add();
  };
  more.onclick = add;
  filter.oninput = renew;
  filter.value = "";
  renew();
  shown(section, throws.length > 0);
}

function row({ roll, throw: number, seq, at, by, hand, kind, source, level, dice, verdict }) {
  const [sign, word] = VERDICTS[verdict];
  const badge = element("span", { class: "badge", "data-verdict": verdict });
  badge.append(element("span", { "aria-hidden": "true" }, sign), ` ${word}`);
  const time = new Date(at);
  const when = Number.isNaN(time.getTime()) ? String(at) : time.toISOString();
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, `${roll} / ${number}`),
    element("td", { class: "dice" }, ...dice.map(die)),
    element("td", {}, badge),
    element("td", {}, element("bdi", {}, by)),
    element("td", {}, element("bdi", {}, hand), kind === "reroll" ? " (again)" : ""),
    element("td", {}, String(seq)),
    element("td", {}, source === "fair" && level ? `fair, ${level}` : source),
    element("td", {}, element("time", { datetime: when }, when.slice(0, 19).replace("T", " "))),
  );
}

function die([id, kind, face]) {
  const named = `${id}, ${kind}`;
  return element("span", { class: "die", title: named }, element("bdi", {}, String(face)));
}
