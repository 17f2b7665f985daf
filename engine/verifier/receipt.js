// @ts-check
// The page of a roll's link: the bundle that is inside it, checked here against what the link pins, and
// the roll as the log has it.

import { at, element, stepOf } from "./parts.js";
import { asJson, check, fromBase64, hexOf, Malformed, readNote, sha256, STEPS, Unreadable, utf8 } from "./urimcheck.js";

/** @import { Report } from "./urimcheck.js" */

/** A step in the host's words: its entry, the sentence, and each die that it shows, with its face.
 * @typedef {{seq: number, text: string, dice: readonly (readonly [string, string | number])[] | null}} Told */
/** What the host says: the table, the roll, the origins that may hold the page, the result, the steps.
 * @typedef {{table: string, roll: number, frames: readonly string[], headline: string, steps: readonly Told[]}} Said */
/** A die of a hand: every face that it fell on, and the one that it was put to.
 * @typedef {{id: string, kind: string, fell: (string | number)[], put: string | number | null, frozen: boolean}} Die */
/** @typedef {Map<string, Die>} Hand */

/** Bytes of a digest that a link has. */
const PINNED = 16;

const said = /** @type {Said} */ (JSON.parse(at("said").textContent));

/** What a link says of a receipt: a digest of its root, and of the places of its entries. @param {Report} log */
function pinOf(log) {
  const root = hexOf(readNote(log.header.checkpoint).root);
  const digest = sha256(utf8(`urim/1 receipt\n${root}\n${log.entries.map(({ seq }) => seq)}\n`));
  return btoa(String.fromCharCode(...digest.slice(0, PINNED))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bundle that stands in the page, once it is unpacked. */
const file = (async () => {
  const bytes = fromBase64(at("bundle").textContent);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Blob([await new Response(stream).arrayBuffer()], { type: "application/x-ndjson" });
})();

/** Whether this is the host's page, and no file. */
const hosted = location.protocol.startsWith("http");
/** Where the newest receipt is; of others the root stands behind it. */
const newest = location.pathname.replace(/^(\/r\/[^/]+\/[^/]+)\/.*$/, "$1");

/** What the address pins; empty for nothing. */
const wanted = () => location.hash.slice(1);
/** What a pin looks like. */
const PIN = /^[\w-]{22}$/;

// --- the verdict ---------------------------------------------------------------------------------------

/** @param {"pass" | "wrong" | "look"} tone @param {string} title @param {readonly string[]} reasons */
function verdict(tone, title, reasons) {
  at("verdict").dataset.tone = tone;
  at("verdict-title").textContent = title;
  at("reasons").replaceChildren(...reasons.map((why) => element("li", {}, element("bdi", {}, why))));
  at("reasons").hidden = !reasons.length;
  at("status").textContent = `${title} ${reasons.join(" ")}`;
  at("verdict").hidden = false;
}

/** Why the receipt is not what its link pins. @param {Report} log @param {string} pin @param {string} own */
function* misfits(log, pin, own) {
  const { roll, origin } = log.header;
  if (pin && pin !== own) yield `The link pins ${pin}, this receipt is ${own}: it is of another log, something was left out, or it was changed.`;
  if (roll !== said.roll) yield `The link is of roll ${said.roll}, this is roll ${roll ?? "of no number"}.`;
  if (!origin.endsWith(`/t/${said.table}`)) yield `The link is of table ${said.table}, this is ${origin}.`;
}

/** What was found wrong, or not checked. @param {Report} log @param {string} word */
const found = (log, word) => log.remarks.filter((each) => each.word === word)
  .map(({ step, seq, why }) => `Step ${STEPS[step]} ${step}${seq === null ? "" : `, entry ${seq}`}: ${why}`);

/** Check the receipt, and show it. */
async function judge() {
  const pin = wanted();
  at("not-started").hidden = true;
  try {
    const log = await check(await file);
    at("bundle-alone").href ||= URL.createObjectURL(await file);
    const own = pinOf(log);
    if (hosted && PIN.test(pin) && pin !== own && location.pathname === newest) return location.replace(`${newest}/${pin}#${pin}`);
    present(log, pin, own);
  } catch (error) {
    if (!(error instanceof Unreadable || error instanceof Malformed)) console.error(error);
    verdict("wrong", "This receipt cannot be read.", [/** @type {any} */ (error).message]);
  }
}

/** @param {Report} log @param {string} pin @param {string} own */
function present(log, pin, own) {
  const reasons = [...misfits(log, pin, own), ...found(log, "wrong"), ...course(log)];
  const open = found(log, "unchecked");
  at("pin").textContent = own;
  at("pinned").textContent = pin === own ? "as the link pins it" : pin ? "not the one that the link pins" : "no link pins it here";
  at("size").textContent = log.header.size;
  at("table").textContent = said.table;
  at("save").setAttribute("href", `${newest}/${own}`);
  at("steps").replaceChildren(...Object.keys(STEPS).map((step) => stepOf(step, log.remarks)));
  at("parts").hidden = false;
  if (reasons.length) return verdict("wrong", "Wrong: this is not what the log of the table had.", reasons);
  if (open.length) return verdict("look", "Not all of it could be checked.", open);
  const looks = asJson(log).says.split(/ (?=Look at: )/).slice(1);
  if (pin !== own) return verdict("look", "Checked, but no link pins it here.", [`Compare ${own} with the end of the link that you were given.`, ...looks]);
  verdict("pass", "Checked: the roll is as the link pins it.", looks);
}

// --- the roll ------------------------------------------------------------------------------------------

/** Events of dice, and how each changes a hand, by the hand's dice and what the event has of them.
 * @type {Record<string, (hand: Hand, dice: any[]) => void>} */
const FOLLOW = {
  "dice-rolled": (hand, dice) => (hand.clear(), fall(hand, dice)),
  "dice-rerolled": fall,
  "dice-frozen": (hand, dice) => hand.forEach((die) => (die.frozen = dice.includes(die.id))),
  "dice-adjusted": (hand, dice) => {
    const put = new Map(dice);
    hand.forEach((die) => (die.put = put.get(die.id) ?? null));
  },
};

/** Dice fall, some perhaps again; the others stay as they were put. @param {Hand} hand @param {any[]} dice */
function fall(hand, dice) {
  for (const [id, kind, shown] of dice) {
    const { fell = [], frozen = false } = hand.get(id) ?? {};
    hand.set(id, { id, kind, fell: [...fell, shown], put: null, frozen });
  }
}

/** What a roll comes to that counts for nothing, by what happened; a replaced declaration counts again.
 * @type {Record<string, string>} */
const ENDS = { "roll-voided": "void", "declaration-vetoed": "refused", "declaration-replaced": "" };

/** The face that a die shows. @param {Die | undefined} die */
const face = (die) => die?.put ?? die?.fell.at(-1);

/** @param {Die} die */
const drawn = (die) => element("li", { class: die.frozen ? "die frozen" : "die" }, element("span", { class: "unseen" }, `${die.id}, ${die.kind}: `),
  ...(die.fell.length > 1 || die.put !== null ? [element("s", {}, die.fell.slice(0, die.put === null ? -1 : undefined).join(" ")), " "] : []), element("b", {}, `${face(die)}`));

/** The texts of a table by the first entry of their commit. @param {Report} log @returns {Map<number, string>} */
const textsOf = (log) => new Map(log.entries.filter(({ what }) => what === "text-said").map(({ commit, event }) => [commit, event.text]));

/** What people call a character. @param {Report} log @param {string} id */
function nameOf(log, id) {
  const texts = textsOf(log);
  const names = log.entries.filter(({ what, event, seq }) => /^character-(entered|named)$/.test(what) && event?.character === id && texts.has(seq));
  return names.length ? `${texts.get(names.at(-1)?.seq ?? -1)}` : id;
}

/** What people call the table; its id where nobody named it. @param {Report} log */
function tableOf(log) {
  const [texts, named] = [textsOf(log), log.entries.findLast(({ what, event }) => what === "table-set" && event?.name === "name")];
  return (named && texts.get(named.seq)) || said.table;
}

/** Show the roll, entry by entry; gives what the host tells otherwise than the log has it. @param {Report} log @returns {string[]} */
function course(log) {
  const own = log.entries.filter(({ event, seq }) => event?.roll === said.roll && !log.beside.has(seq));
  const [hands, lines, wrong] = [new Map(), /** @type {Node[]} */ ([]), /** @type {string[]} */ ([])];
  const told = new Map(said.steps.map((each) => [each.seq, each]));
  for (const seq of told.keys()) if (!log.there.has(seq)) wrong.push(`The host tells of entry ${seq}, which is not in the receipt.`);
  let [outcome, ended] = [/** @type {any} */ (null), ""];
  for (const { seq, what, event } of own) {
    const hand = what in FOLLOW ? (hands.get(event.hand) ?? new Map()) : null;
    if (hand) FOLLOW[what](hand, event.dice);
    if (hand) hands.set(event.hand, hand);
    const step = told.get(seq);
    const other = (step?.dice ?? []).filter(([id, shown]) => face(hand?.get(id)) !== shown);
    if (other.length || (step && hand?.size && !step.dice?.length)) wrong.push(`The host tells of other dice in entry ${seq} than the log has.`);
    outcome = event.outcome ?? outcome;
    ended = ENDS[what] ?? ended;
    lines.push(element("li", { value: `${seq}` }, element("b", {}, what.replaceAll("-", " ")), " ", element("q", {}, step?.text ?? ""),
      ...(hand ? [element("ul", { class: "hand" }, ...[...hand.values()].map(drawn))] : [])));
    if (!step) /** @type {any} */ (lines.at(-1)).querySelector("q").remove();
  }
  const declared = own.find(({ what }) => what === "roll-declared")?.event;
  const result = outcome === null ? "no result yet" : `${outcome.degree ?? ""}${typeof outcome.margin === "number" ? `, margin ${outcome.margin}` : ""}`;
  at("result").textContent = `In the log: ${ended ? `${ended}, it counts for nothing` : result}`;
  const headline = ended || outcome === null ? "" : said.headline;
  at("title").replaceChildren(`Roll ${said.roll} at `, element("bdi", {}, tableOf(log)));
  at("who").replaceChildren(element("bdi", {}, nameOf(log, declared?.character ?? "")), ...(headline ? [", in the host's words: ", element("q", {}, headline)] : []));
  at("course").replaceChildren(...lines);
  at("roll").hidden = false;
  return wrong;
}

// --- the page ------------------------------------------------------------------------------------------

/** Tell the page around this one how high it is, once it says hello. */
function framed() {
  let around = "";
  const tell = () => around && window.parent.postMessage({ urim: "height", height: document.body.offsetHeight }, around);
  addEventListener("message", (event) => {
    if (event.source !== window.parent || !said.frames.includes(event.origin) || event.data?.urim !== "hello") return;
    around = event.origin;
    tell();
  });
  new ResizeObserver(tell).observe(document.body);
}

const name = `${said.table}-roll-${said.roll}`;
at("save").setAttribute("download", `${name}.html`);
at("save").hidden = !hosted;
at("bundle-alone").setAttribute("download", `${name}.urim.jsonl`);
addEventListener("hashchange", judge);
if (window.parent !== window) framed();
await judge();
