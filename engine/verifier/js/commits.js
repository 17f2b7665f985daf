// Commits: what was asked, that its first event says the same, and the text that came with it.

import { hexOf, utf8 } from "./bytes.js";
import { COMMANDS, differences, furtherDifferences } from "./commands.js";
import { NotJson, parseBody } from "./json.js";
import { sha256 } from "./sha256.js";

const PARSE = 1;
const TRANSITIONS = 10;

/** The version of what commands lead to that is compared here. */
export const CORE = 5;

/** The versions that are compared: a log is under the one that it was opened with. */
const CORES = [4, CORE];

/** The longest body of a command in bytes of UTF-8. */
export const BODY = 16 * 1024;

const REQUEST = /^[A-Za-z0-9._-]{1,64}$/;
const SALT = /^[0-9a-f]{32}$/;
const NAME = /^[a-z][a-z0-9_-]*\/[1-9][0-9]*$/;
const SAID = "text-said/1";

/** What a roller did, behind the share of another seat: the last share lets the dice fall. */
const FALLS = ["dice-rolled/1", "dice-rerolled/1"];

/** Whether an entry's class is that of a text, which alone can be erased. */
export const isText = (kind) => kind === "text" || kind === "hidden-text";

/** Whether not every seat may have an entry of this class. */
export const isHidden = (kind) => kind === "hidden" || kind === "hidden-text";

/** Whether an entry asks for shares right behind the plan of its throw, which may be hidden. */
const isAsk = ({ seq, commit }, read) => seq === commit + 1 && read?.event.type === "throw-asked/1";

/** The hash that a command holds in the place of its text, as hex. */
export const textHash = (salt, text) => hexOf(sha256(utf8(`urim/1 text\n${salt}\n${text}`)));

/** Puts the entries together to commits; the rules of a system are not needed for what is checked. */
export class Commits {
  constructor(report) {
    this.report = report;
    this.current = null;
    this.requests = new Map();
    this.blind = new Set();
    this.count = 0;
    this.compared = 0;
    /** Why nothing is compared with what was asked, or the opening is not; empty where it is. */
    this.unknown = { core: "", rules: "" };
  }

  /** The table is opened; `rules` is why its rules are not known here, empty where they are. */
  opens({ core }, rules) {
    const known = `here it is ${CORES.join(" or ")}`;
    const why = CORES.includes(core) ? "" : `what commands lead to is of version ${core}, ${known}`;
    this.unknown = { core: why, rules };
    for (const each of [why, rules]) if (each) this.report.unchecked(TRANSITIONS, 0, each);
  }

  /** An entry, and {asked, event} of its payload; null where that is withheld or no event. */
  take(entry, read) {
    const { current } = this;
    this.report.looked(TRANSITIONS);
    if (read !== null && read.odd) {
      const why = "the payload is written in another way";
      this.#fail(entry.seq, why, "as its command leads to, to the byte", read.odd);
    }
    const next = current !== null && entry.seq === current.last.seq + 1;
    if (next && entry.commit === current.seq && entry.commit !== entry.seq) {
      this.#goOn(entry, read);
    } else {
      this.#finish();
      this.#begin(entry, read);
    }
    const open = entry.class === "open" && entry.commit !== entry.seq;
    if (open && next && current.last.class === "hidden" && !isAsk(entry, read)) {
      const why = "an open entry that does not say what was asked is right after a hidden one";
      this.#fail(entry.seq, why, "what was asked, or a hidden entry", entry.class);
    }
    this.current.last = entry;
  }

  /** Checks that need every entry. */
  end() {
    this.#finish();
    const compared = `${this.compared} commands compared with what they led to`;
    const rules = "the rules are not checked here: this needs the Python audit";
    this.report.say(TRANSITIONS, `${this.count} commits, ${compared}; ${rules}`);
  }

  #fail(seq, why, expected, found) {
    this.report.fail(TRANSITIONS, seq, why, expected, found);
  }

  #begin(entry, read) {
    const { seq, at, commit } = entry;
    this.count++;
    const known = { seq: commit, at, class: entry.class, event: read?.event ?? null };
    this.current = { ...known, last: entry, body: null, command: null, text: null };
    if (commit !== seq) {
      const why = "the entry is of a commit that is not right before it";
      this.#fail(seq, why, `commit ${seq}, or that of entry ${seq - 1}`, `commit ${commit}`);
      this.current.event = null;
      return;
    }
    if (isText(entry.class)) this.#fail(seq, "a text begins a commit", "open or hidden", entry.class);
    if (read === null) return;
    this.#isText(entry, read.event);
    if (read.asked === null) {
      this.#fail(seq, "the first entry of a commit does not say what was asked", "asked", "none");
      return;
    }
    this.#request(seq, read.event.by, read.asked.request);
    this.#body(seq, read);
  }

  #goOn(entry, read) {
    const { current } = this;
    const { seq, at } = entry;
    if (at !== current.at) this.#fail(seq, "a commit is of two times", current.at, at);
    if (current.text !== null) {
      this.#fail(seq, "an entry is behind the text of its commit", "the text last", entry.class);
    }
    if (isText(entry.class)) {
      const kind = isHidden(current.class) ? "hidden-text" : "text";
      if (entry.class !== kind) this.#fail(seq, "a text is of the wrong class", kind, entry.class);
      current.text = { entry, event: read?.event ?? null };
    }
    if (read === null) return;
    const { asked, event } = read;
    this.#isText(entry, event);
    if (asked !== null) {
      const why = "an entry that is not the first of its commit says what was asked";
      this.#fail(seq, why, "nothing", asked.request);
    }
    const falls = current.event?.type === "share-opened/1" && FALLS.includes(event.type);
    if (current.event !== null && event.by !== current.event.by && !falls) {
      this.#fail(seq, "an event of another seat than asked", current.event.by, event.by);
    }
    const more = current.command?.more;
    if (more && event.type !== SAID && !more.includes(event.type)) {
      const why = `${current.body.do} does not lead to this further event`;
      this.#fail(seq, why, more.join(" or ") || "no further event", event.type);
    } else if (more) {
      const blind = this.blind.has(event.roll);
      for (const wrong of furtherDifferences(current.body, event, blind)) this.#fail(seq, ...wrong);
    }
  }

  /** A text is in an entry of a text's class, and nothing else is. */
  #isText({ seq, class: kind }, { type }) {
    if (isText(kind) === (type === SAID)) return;
    const expected = isText(kind) ? SAID : "a class of texts";
    this.#fail(seq, `an entry of class ${kind} holds ${type}`, expected, isText(kind) ? type : kind);
  }

  #request(seq, seat, request) {
    const host = `~${seq}`;
    if (request === host) return;
    if (!REQUEST.test(request)) {
      const expected = `1 to 64 of A-Z a-z 0-9 . _ -, or ${host}`;
      this.#fail(seq, "a request id that no client may send", expected, request.slice(0, 80));
      return;
    }
    const key = `${seat} ${request}`;
    const before = this.requests.get(key);
    if (before === undefined) {
      this.requests.set(key, seq);
    } else {
      const why = `seat ${seat} has used this request id before`;
      this.#fail(seq, why, `${request} once, in entry ${before}`, `entry ${seq}`);
    }
  }

  #body(seq, { asked, event }) {
    if (event.visibility === "blind") this.blind.add(event.roll);
    const size = utf8(asked.body).length;
    if (size > BODY) {
      this.report.fail(PARSE, seq, "the body of a command is too long", `at most ${BODY}`, size);
      return;
    }
    let body;
    try {
      body = parseBody(asked.body);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      const why = "the body of a command is not strict";
      this.report.fail(PARSE, seq, why, "one object of strict JSON", error.message);
      return;
    }
    if (typeof body.do !== "string" || !NAME.test(body.do)) {
      const found = JSON.stringify(body.do) ?? "nothing";
      this.#fail(seq, "what was asked is no command", "do: name/version", found.slice(0, 80));
      return;
    }
    this.current.body = body;
    const { core, rules } = this.unknown;
    if (core || (rules && event.type === "table-opened/3")) return;
    const command = COMMANDS.get(body.do);
    if (command === undefined) {
      this.report.unchecked(TRANSITIONS, seq, `what ${body.do} leads to is not known here`);
      return;
    }
    this.compared++;
    this.current.command = command;
    for (const wrong of differences(body, event, this.blind.has(event.roll))) this.#fail(seq, ...wrong);
  }

  /** The text, which only the end of a commit shows to be there or not. */
  #finish() {
    if (this.current === null || this.current.body === null) return;
    const { seq, body, command, text } = this.current;
    const hash = body.text ?? null;
    if (command?.text === "must" && hash === null) {
      this.#fail(seq, `${body.do} needs a text`, "the hash of one", "none");
    }
    if (hash !== null && text === null) {
      this.#fail(seq, "the text that a command names is missing", hash, "no text");
    } else if (hash === null && text !== null) {
      const why = "a text comes with a command that names none";
      this.#fail(text.entry.seq, why, "no text", text.entry.class);
    } else if (text?.event?.type === SAID) {
      this.#hash(hash, text);
    }
  }

  #hash(hash, { entry, event }) {
    if (!SALT.test(event.salt)) {
      const found = event.salt.slice(0, 80);
      this.#fail(entry.seq, "the salt of a text is not of its form", "32 hex digits", found);
      return;
    }
    const found = textHash(event.salt, event.text);
    if (found !== hash) {
      const why = "the text is not the one that the command names";
      this.#fail(entry.seq, why, typeof hash === "string" ? hash : JSON.stringify(hash), found);
    }
  }
}
