// @ts-check
// The page: a bundle in, and what urimcheck says of it.

import { at, element, stepOf } from "./parts.js";
import { asJson, check, listed, seatLine, STATED, STEPS, Unreadable } from "./urimcheck.js";

/** @import { Numbers, Report } from "./urimcheck.js" */

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
