// @ts-check
// The page: a bundle in, and what urimcheck says of it. Text only ever enters as text.

import { asJson, check, LOOKS, listed, seatLine, STATED, STEPS, Unreadable } from "./urimcheck.js";

/** @import { Numbers, Remark, Report } from "./urimcheck.js" */

/** What each step asks. @type {Record<string, string>} */
const ASKS = {
  parse: "Is every payload and every command of its form?",
  signature: "Is the checkpoint signed by the log's key?",
  tree: "Do the entries lead to the signed root, and to every earlier checkpoint?",
  sequence: "Do the entries count up, and does time not go back?",
  payloads: "Is each payload the one that was sealed?",
  throws: "Does each throw answer what was committed to, asked for and planned?",
  commitments: "Is each seed the one that was committed to?",
  transcripts: "Was each throw at its level, and each share the next of its seat?",
  dice: "Does every face follow from seed, nonce and shares?",
  transitions: "Does each commit say what was asked, and who asked it?",
  reuse: "Is every seed used once?",
  voids: "Does each void open its seed?",
  rulings: "Is what was ruled also what was done, with a reason?",
  hidden: "Is all of a revealed roll shown?",
};
/** The words for what was found, the worst first. @type {Record<string, string>} */
const WORDS = { wrong: "wrong", unchecked: "not checked", look: "look" };
/** How many remarks of one step are shown. */
const MOST = 100;

/** @param {string} id @returns {any} */
const at = (id) => document.getElementById(id);

/** An element with attributes and children. @param {string} name @param {Record<string, string>} attributes @param {(string | Node)[]} children */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Texts as the items of a list, which is hidden where there are none. @param {string} id @param {readonly string[]} texts */
function items(id, texts) {
  at(id).hidden = !texts.length;
  at(id).replaceChildren(...texts.map((text) => element("li", {}, element("bdi", {}, text))));
}

/** Signed notes that stand one behind the other: each ends with its signatures. @param {string} text @returns {string[]} */
function notes(text) {
  const found = text.replaceAll("\r\n", "\n").match(/\S[^]*?\n\n(?:— .*(?:\n|$))+|\S[^]*$/g) ?? [];
  return found.map((note) => (note.endsWith("\n") ? note : `${note}\n`));
}

/** Keys by seat, null for none, of lines SEAT or SEAT=KEY. @param {string} text @returns {Record<string, string | null>} */
function seatsOf(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.split("=")[0], line.split("=").slice(1).join("=") || null]));
}

let file = /** @type {File | null} */ (null);
let run = 0;

/** Judge the file that was chosen, with what the form has. */
async function judge() {
  if (file === null) return;
  const mine = ++run;
  const seats = seatsOf(at("seats").value);
  const given = { key: at("key").value.trim() || null, seats, seen: notes(at("seen").value) };
  at("outcome").hidden = true;
  at("status").textContent = `Verifying ${file.name} …`;
  at("status").classList.remove("unseen");
  await new Promise((resume) => setTimeout(resume, 30)); // so that this is seen
  const began = performance.now();
  try {
    const log = await check(file, given);
    if (mine === run) present(log, Object.keys(seats), (performance.now() - began) / 1000);
  } catch (error) {
    if (!(error instanceof Unreadable)) console.error(error);
    if (mine === run) verdict("wrong", `Refused: ${/** @type {any} */ (error).message}`);
    if (mine === run) at("parts").hidden = true;
  }
}

/** Say the verdict, and move there. @param {string} tone @param {string} text */
function verdict(tone, text) {
  const [title, looks = ""] = text.split(/ (?=Look at: )/);
  items("mine", []);
  at("verdict").dataset.tone = tone;
  at("verdict-title").textContent = title;
  at("verdict-text").textContent = looks;
  at("took").textContent = file?.name ?? "";
  at("status").textContent = text; // read aloud; what is seen of it is the verdict
  at("status").classList.add("unseen");
  at("outcome").hidden = false;
  at("verdict").focus();
}

/** Show what was found. @param {Report} log @param {readonly string[]} first the seats that were named @param {number} seconds */
function present(log, first, seconds) {
  const found = asJson(log);
  const looked = log.exit === 3 || Object.keys(found.looks).length > 0;
  verdict(log.exit === 1 ? "wrong" : looked ? "look" : "pass", found.says);
  items("mine", first.map((seat) => seatLine(seat, log.of(seat))));
  at("took").textContent = `${file?.name}, judged in ${seconds.toFixed(2)} s on this device`;
  at("parts").hidden = false;
  facts(found);
  at("numbers").replaceChildren(...Object.entries(found.seats).map(([seat, of]) => rowOf(seat, of)));
  at("elsewhere").textContent = `Hidden rolls of seats that are not shown: ${found.elsewhere}`;
  at("steps").replaceChildren(...Object.keys(STEPS).map((step) => stepOf(step, log.remarks)));
  const stated = Object.entries(found.stated).map(([kind, times]) => `${STATED[kind]} (${times})`);
  items("stated", stated.length ? stated : ["nothing"]);
}

/** What the file is about. @param {ReturnType<typeof asJson>} found */
function facts(found) {
  const levels = Object.entries(found.levels).filter(([, times]) => times).map(([level, times]) => `${times} at ${level}`);
  const own = found.trusted ? "the key that you gave" : "as the file itself says: give its key, from somebody else than the file";
  const known = {
    Log: found.origin,
    Entries: `${found.entries} of ${found.size}, ${found.scope === "table" ? "the whole table" : `of roll ${found.roll}; others may be missing`}`,
    "Signed by": found.signer ? `${found.signer}, ${own}` : "nobody",
    Dice: `${found.source}${found.one_machine ? ", on one machine" : ""}; ${levels.join(", ") || "no throws"}`,
    "Seats with keys": found.keyed.join(", ") || "none: who asked is the host's word",
    "Unknown kinds": Object.entries(found.unknown).map(([kind, times]) => `${kind} (${times})`).join(", ") || "none",
  };
  at("facts").replaceChildren(...Object.entries(known).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

/** The numbers of a seat as a row. @param {string} seat @param {Numbers} of */
function rowOf(seat, of) {
  const drops = [of.dropped, of.broken].map((some) => (some.length ? `${some.length} (${listed(some)})` : "0"));
  const rolls = of.sealed.length ? `${of.sealed.length} (roll ${of.sealed.join(", ")})` : "0";
  const cells = [of.throws, ...drops, rolls, of.at_table, of.asked, of.passed, of.kept];
  return element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, seat)), ...cells.map((each) => element("td", {}, `${each}`)));
}

/** A step, and what was found in it, as an item. @param {string} step @param {readonly Remark[]} remarks */
function stepOf(step, remarks) {
  const its = Object.keys(WORDS).flatMap((word) => remarks.filter((each) => each.step === step && each.word === word));
  const [worst] = its;
  const [tone, said] = worst ? [worst.word, WORDS[worst.word]] : ["pass", "right"];
  const badge = element("span", { class: "badge", "data-tone": tone }, its.length > 1 ? `${said} (${its.length})` : said);
  const parts = [element("span", { class: "name" }, `${STEPS[step]} ${step}`), badge, element("span", { class: "asks" }, ASKS[step])];
  if (!worst) return element("li", { class: "step", "data-step": step }, ...parts);
  const lines = its.slice(0, MOST).map(({ seq, word, kind, why }) => {
    const what = kind in LOOKS ? `${WORDS[word]}, ${LOOKS[kind]}` : WORDS[word];
    return element("li", {}, element("b", {}, seq === null ? what : `${what}, entry ${seq}`), ": ", element("bdi", {}, why));
  });
  if (its.length > MOST) lines.push(element("li", {}, `and ${its.length - MOST} more`));
  return element("li", { class: "step", "data-step": step }, ...parts, element("ul", { class: "lines" }, ...lines));
}

/** @param {FileList} files */
function choose([chosen]) {
  if (!chosen) return;
  file = chosen;
  at("again").disabled = false;
  judge();
}

// The same file once more, perhaps written again, is a choice too.
at("file").addEventListener("click", (event) => (event.target.value = ""));
at("file").addEventListener("change", (event) => choose(event.target.files));
at("again").addEventListener("click", judge);
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (/** @type {any} */ event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", name === "dragenter" || name === "dragover");
    if (name === "drop") choose(event.dataTransfer.files);
  });
}
at("not-started").hidden = true;
at("form").hidden = false;

// For the console, and for tests: what the page calls.
Object.assign(globalThis, { urimcheck: Object.freeze({ asJson, check, Unreadable }) });
