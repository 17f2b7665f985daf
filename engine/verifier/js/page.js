// The page: a file in, verdicts out; text only ever enters as text.

import { splitNotes } from "./note.js";
import { clear, element, shown, size } from "./parts.js";
import { showSteps } from "./steps.js";
import { showThrows } from "./throws.js";
import { BadNote, BadSeatKey, BadSeen, verify } from "./verify.js";
import { conclusion, looks, stated } from "./words.js";

const at = (id) => document.getElementById(id);

let file = null;
let run = 0;

/** Another run has begun since. */
class Overtaken extends Error {}

async function check() {
  if (file === null) return;
  const mine = ++run;
  const key = at("key").value.trim() || null;
  const seen = splitNotes(at("seen").value);
  const seats = at("seats").value.split("\n").filter((line) => line.trim());
  begin();
  try {
    const started = performance.now();
    const onProgress = (done) => {
      if (mine !== run) throw new Overtaken();
      progress(done);
    };
    const outcome = await verify(file, { key, seen, seats: keysOf(seats), onProgress });
    if (mine === run) present(outcome, performance.now() - started);
  } catch (error) {
    if (!(error instanceof Overtaken) && mine === run) trouble(error);
  }
}

/** Keys by seat, of lines SEAT=KEY. */
const keysOf = (lines) =>
  Object.fromEntries(
    lines.map((line) => {
      const [seat, ...key] = line.trim().split("=");
      return [seat, key.join("=")];
    }),
  );

function begin() {
  shown(at("work"), true);
  shown(at("outcome"), false);
  for (const name of ["key", "seen", "seats"]) {
    at(name).removeAttribute("aria-invalid");
    at(`${name}-problem`).textContent = "";
  }
  at("file-name").textContent = `${file.name}, ${size(file.size)}`;
  at("bar").value = 0;
  at("status").textContent = `Verifying ${file.name} …`;
}

function progress({ entries, bytes }) {
  at("bar").value = bytes / file.size;
  at("count").textContent = `${entries.toLocaleString("en")} entries`;
}

function present(outcome, milliseconds) {
  const { tone, title, text } = conclusion(outcome);
  shown(at("work"), false);
  shown(at("outcome"), true);
  at("verdict").dataset.tone = tone;
  at("verdict-title").textContent = title;
  at("verdict-text").textContent = text;
  // The live region is read aloud; the heading is there to be found.
  at("status").textContent = `${title}. ${text}`;
  const seconds = (milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 0);
  at("took").textContent = `${file.name}, ${size(file.size)}, verified in ${seconds} s on this device`;
  const known = outcome.header !== null && outcome.problem === null;
  lines(at("stated"), known ? stated(outcome) : []);
  lines(at("looks"), known ? looks(outcome) : []);
  facts(outcome);
  shown(at("steps-part"), outcome.results.length > 0);
  showSteps(at("steps"), outcome.results);
  showThrows(at("throws"), outcome.throws);
  at("verdict").focus();
}

/** Show sentences in a list; none at all where there are none. */
function lines(list, sentences) {
  clear(list);
  shown(list, sentences.length > 0);
  list.append(...sentences.map((each) => element("li", {}, element("bdi", {}, each))));
}

function facts({ header, signer, seats }) {
  const list = at("facts");
  clear(list);
  shown(at("log-part"), header !== null);
  if (header === null) return;
  const log = {
    Log: header.origin,
    System: `${header.system}, version ${header.version}`,
    Scope: header.scope === "roll" ? `roll ${header.roll}` : "the whole table",
    Size: `${header.size.toLocaleString("en")} entries when it was signed`,
    "Signed by": signer ?? "nobody who could be checked",
    "Seats with keys": seats.keyed.join(", ") || "none",
  };
  for (const [name, value] of Object.entries(log)) {
    list.append(element("dt", {}, name), element("dd", {}, value));
  }
}

function trouble(error) {
  shown(at("work"), false);
  const known = error instanceof BadNote;
  at("status").textContent = `Not verified: ${error.message}`;
  if (!known) return;
  at("options").open = true;
  const name = error instanceof BadSeatKey ? "seats" : error instanceof BadSeen ? "seen" : "key";
  at(`${name}-problem`).textContent = error.message;
  at(name).setAttribute("aria-invalid", "true");
  at(name).focus();
}

function choose(files) {
  if (files.length === 0) return;
  [file] = files;
  at("again").disabled = false;
  check();
}

function start() {
  const drop = at("drop");
  // The same file once more, perhaps written again, is a choice too.
  at("file").addEventListener("click", (event) => (event.target.value = ""));
  at("file").addEventListener("change", (event) => choose(event.target.files));
  at("again").addEventListener("click", check);
  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragenter" || name === "dragover");
      if (name === "drop") choose(event.dataTransfer.files);
    });
  }
  shown(at("not-started"), false);
  shown(at("form"), true);
  document.documentElement.dataset.ready = "";
}

start();

// For the console, and for tests: the same that the page calls.
globalThis.urim = Object.freeze({ verify });
