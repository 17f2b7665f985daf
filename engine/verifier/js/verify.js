// The sixteen steps over a bundle, its lines read once from the first to the last.

import { linesOf, NotABundle, readHeader, readLine } from "./bundle.js";
import { keyOf } from "./ed25519.js";
import { Fold, unsealed } from "./fold.js";
import { Fairness } from "./fairness.js";
import { equal } from "./json.js";
import { BadNote, readKey, readNote } from "./note.js";
import { Report } from "./report.js";
import { Story } from "./story.js";
import { Head } from "./tree.js";

const [PARSE, SEQUENCE, TRANSITIONS] = [1, 4, 10];

/** Steps that need the rules of a game system; nothing that is counted does. */
const FOR_PYTHON = [TRANSITIONS, 11];

/** The last step without which not everything was checked; the others are shown. */
const NEEDED = 14;

/** Milliseconds of work after which the page may do something else. */
const TURN = 40;

/** One verification, from its first line to its last. */
class Audit {
  constructor(asked) {
    this.asked = asked;
    this.report = new Report();
    this.header = null;
    this.end = null;
    this.line = 0;
    this.fold = null;
    this.story = null;
    this.fairness = null;
  }

  get entries() {
    return this.fold?.entries ?? 0;
  }

  /** One line; a promise for the first and the last, which check signatures, and nothing for the others. */
  take(text) {
    this.line++;
    if (this.header === null) return this.begin(readHeader(text));
    if (this.end) throw new NotABundle(this.line, "a line after the end");
    const value = readLine(text, this.line, this.header);
    if ("end" in value) return this.finish(value);
    this.entry(value);
    return null;
  }

  async begin(header) {
    this.header = header;
    checkGiven(this.asked, header.origin);
    this.report.looked(PARSE);
    this.head = new Head(this.report, header, this.asked);
    const { scope, size, origin, roll: subject } = header;
    const of = { whole: scope === "table", subject, size, origin: () => origin, seatKeys: this.asked.seats };
    this.fold = new Fold(this.report, of);
    this.story = new Story(this.report, this.fold, of.whole, this.asked.now);
    this.fairness = new Fairness(this.report, this.fold.facts);
    await this.head.begin();
  }

  entry(entry) {
    const record = unsealed(entry);
    this.head.take(entry, record.leaf);
    this.fold.take(record);
    if (this.fold.entries === 1 && this.fold.opened) this.opened(this.fold.opened);
    const event = record.read && record.read.event;
    this.story.take(entry, event);
    this.fairness.take(event);
  }

  /** What the header says of the table is what its first entry says. */
  opened(event) {
    const { header, report } = this;
    for (const [name, opened] of [["system", event.ruleset], ["version", event.version]]) {
      if (header[name] !== opened) {
        report.fail(PARSE, 0, `the header says another ${name}`, opened, header[name]);
      }
    }
    if (!equal(header.options, event.options)) {
      const [expected, found] = [event.options, header.options].map((each) => JSON.stringify(each));
      report.fail(PARSE, 0, "the header says other readings than the first entry", expected, found);
    }
    if (!header.origin.endsWith(`/t/${event.table}`)) {
      report.fail(PARSE, 0, "the origin is of another table", `…/t/${event.table}`, header.origin);
    }
  }

  async finish(end) {
    this.end = end;
    if (end.count !== this.entries) {
      throw new NotABundle(this.line, `it counts ${end.count} entries, there are ${this.entries}`);
    }
    await this.fold.settle();
    if (this.entries === 0) this.report.fail(PARSE, null, "there is no entry", "1 or more", 0);
    if (this.header.scope === "roll" && !this.fold.rolls.declared(this.header.roll)) {
      const why = "the roll that the file is about is not in it";
      this.report.fail(PARSE, null, why, `roll ${this.header.roll}`, "no declaration of it");
    }
    if (this.header.scope === "roll") {
      const why = "the file of one roll cannot show that nothing of the roll is left out";
      this.report.unchecked(SEQUENCE, null, why);
    }
    this.head.end(end.proof);
    this.fold.end();
    this.story.end();
    this.fairness.end();
    const { report, fold: { facts } } = this;
    report.say(PARSE, `${this.entries} entries, scope ${this.header.scope}`);
    const dice = facts.throws.reduce((sum, each) => sum + each.dice.length, 0);
    const count = facts.throws.length ? `throws: ${facts.throws.length}, dice: ${dice}` : "no throws";
    report.say(9, `${count}, source ${facts.source ?? "unknown"}`);
    for (const step of FOR_PYTHON) {
      if (step !== TRANSITIONS) report.say(step, "needs the Python audit");
      report.sealed(step, null, "the rules of the game are not part of this page: urim audit FILE");
    }
  }

  /** The result; `problem` is why the file is no bundle, and then no step has a verdict. */
  outcome(problem) {
    const results = problem === null ? this.report.results() : [];
    const failed = results.some(({ verdict }) => verdict === "fail");
    const unchecked = results.filter(({ step }) => step <= NEEDED && this.report.gaps.has(step));
    const exit = problem !== null ? 2 : failed ? 1 : unchecked.length ? 3 : 0;
    const { header, entries, head, fold } = this;
    const { throws = [], source = null, oneMachine = false } = fold?.facts ?? {};
    const signer = head?.signer ? `${head.signer.name}+${head.signer.id}` : null;
    const trusted = Boolean(this.asked.key);
    const keyed = [...(this.fold?.seats.keyed ?? [])];
    const seats = { keyed, asserted: keyed.filter((seat) => !Object.hasOwn(this.asked.seats, seat)) };
    const levels = fold?.rolls.shares.levels.counts ?? null;
    const judged = { results, exit, problem, unchecked: unchecked.map(({ step, name }) => ({ step, name })) };
    const facts = { header, entries, throws, levels, source, oneMachine, signer, trusted, seats };
    return { ...judged, ...facts, seen: this.report.seen() };
  }
}

/** Why a key of a seat is not accepted. */
export class BadSeatKey extends BadNote {}

/** Why an earlier checkpoint is not accepted. */
export class BadSeen extends BadNote {}

/** What the user gave is of this log. Throws BadNote for a key, BadSeen for a checkpoint that is not. */
function checkGiven({ key, seen }, origin) {
  const keyed = key === null ? origin : readKey(key).name;
  if (keyed !== origin) throw new BadNote(`the key is one of ${keyed}, and this file is of ${origin}`);
  for (const [at, note] of seen.entries()) {
    const name = `earlier checkpoint ${at + 1}`;
    const found = formed(note, name);
    if (found.origin !== origin) throw new BadSeen(`${name} is of ${found.origin}, not of this log`);
  }
}

function formed(note, name) {
  try {
    return readNote(note);
  } catch (error) {
    throw error instanceof BadNote ? new BadSeen(`${name} is no checkpoint: ${error.message}`) : error;
  }
}

/** Keys of seats that the user gave. Throws BadSeatKey for one that nobody may have. */
function checkKeys(seats) {
  for (const [seat, key] of Object.entries(seats)) {
    if (keyOf(key) === null) throw new BadSeatKey(`not a key of seat ${seat}: ${key.slice(0, 200)}`);
  }
}

/** Let whatever else waits have its turn. */
const pause = () => new Promise((resume) => setTimeout(resume, 0));

/**
 * Verify a bundle: a Blob, its whole text, or its lines one by one. `key` is a vkey that the user
 * trusts, `seen` earlier checkpoints as notes, `seats` keys of seats by seat, in base64; `now` is the
 * reader's clock in milliseconds since 1970; `onProgress` gets {entries, bytes} now and then.
 *
 * Gives {results, exit, problem, unchecked, header, entries, throws, levels, source, oneMachine, signer,
 * trusted, seats, seen}. `exit` is 1 where a step fails, 2 for no bundle, 3 where a step up to 14 could not
 * check something that it had, and `unchecked` are these as {step, name}; what needs the rules of a game is
 * none of this page's, and what is hidden from the reader is stated. `levels` counts throws; `seats` has
 * those with keys, `keyed`, and of these those whose key the log alone asserts; `seen` is what was counted
 * besides failures, as {kind, word, count, entries}; `results` is every step as
 * {step, name, verdict, summary, checked, remarks: [{kind, why, seq, expected, found}], more}.
 *
 * Throws BadNote for a `key` that is no vkey or another log's, BadSeatKey for a seat's that is none, BadSeen
 * for one of `seen` that is no checkpoint or another log's; nothing else in the file throws.
 */
export async function verify(source, options = {}) {
  const { key = null, seen = [], seats = {}, now = Date.now(), onProgress = () => {} } = options;
  if (key !== null) readKey(key);
  checkKeys(seats);
  const audit = new Audit({ key, seen, seats, now });
  let turn = performance.now();
  try {
    for await (const [lines, bytes] of linesOf(source)) {
      for (const line of lines) {
        const begun = audit.take(line);
        if (begun) await begun;
        if (performance.now() - turn > TURN) {
          onProgress({ entries: audit.entries, bytes });
          await pause();
          turn = performance.now();
        }
      }
      await audit.fold?.settle();
    }
    if (audit.end === null) throw new NotABundle(audit.line + 1, "the end line is missing");
  } catch (error) {
    if (error instanceof NotABundle) return audit.outcome(error.message);
    throw error;
  }
  return audit.outcome(null);
}

export { BadNote };
