// What the verifier found: sixteen steps, each with a verdict and what was seen at which entry.

import { ENTRIES, KINDS } from "./kinds.js";
import { STEPS } from "./names.js";

/** Remarks that a step keeps, at most; the others are counted. */
export const SHOWN = 100;

/** The worst comes last. */
const ORDER = ["not-checked", "finding", "fail"];

class Step {
  constructor(step, name) {
    Object.assign(this, { step, name, verdict: null, summary: "", checked: 0 });
    Object.assign(this, { remarks: [], more: 0 });
  }
}

/** What the steps have seen so far. */
export class Report {
  /** How often any step failed. */
  failures = 0;
  /** The steps that could not check something that they had. */
  gaps = new Set();
  /** What was counted, by its kind: {count, entries}. */
  kinds = new Map();
  steps = STEPS.map((name, at) => new Step(at + 1, name));

  #seen(step, verdict, remark) {
    const found = this.steps[step - 1];
    if (verdict && ORDER.indexOf(verdict) > ORDER.indexOf(found.verdict)) found.verdict = verdict;
    if (found.remarks.length < SHOWN) found.remarks.push(remark);
    else found.more++;
  }

  /** The step looked at something more, and passes unless it says otherwise. */
  looked(step, count = 1) {
    this.steps[step - 1].checked += count;
  }

  /** The step fails because of entry `seq`, null where it is none. */
  fail(step, seq, why, expected = null, found = null) {
    this.failures++;
    this.#seen(step, "fail", remark("fail", seq, why, expected, found));
  }

  /** Something to look at closer, and no proof of anything; the step does not pass. */
  finding(step, seq, why, kind = null) {
    if (kind !== null) this.count(kind, seq);
    this.#seen(step, "finding", remark("finding", seq, why));
  }

  /** Something of a kind that people should look at; the verdict stays. */
  look(step, kind, seq, why) {
    this.count(kind, seq);
    this.#seen(step, null, remark("look", seq, why));
  }

  /** Count something of a kind, of that entry where it is not null. */
  count(kind, seq, count = 1) {
    const { count: before, entries } = this.kinds.get(kind) ?? { count: 0, entries: [] };
    if (seq !== null && entries.length < ENTRIES) entries.push(seq);
    this.kinds.set(kind, { count: before + count, entries });
  }

  /** What this check needs is not there, or not known here. */
  unchecked(step, seq, why) {
    this.gaps.add(step);
    this.sealed(step, seq, why);
  }

  /** What this check needs is hidden from the reader, or not this page's: that is no gap. */
  sealed(step, seq, why) {
    this.#seen(step, "not-checked", remark("not-checked", seq, why));
  }

  /** As `sealed`, of an event that everybody sees, of what not everybody sees. */
  hidden(step, seq, why) {
    this.sealed(step, seq, why);
  }

  /** Worth showing; the verdict stays. */
  note(step, seq, why) {
    this.#seen(step, null, remark("note", seq, why));
  }

  /** The result of the step, in one line. */
  say(step, summary) {
    this.steps[step - 1].summary = summary;
  }

  failed(step) {
    return this.steps[step - 1].verdict === "fail";
  }

  /** What was counted, the worst first: {kind, word, count, entries}. */
  seen() {
    const found = Object.keys(KINDS).filter((kind) => this.kinds.has(kind));
    return found.map((kind) => ({ kind, word: KINDS[kind].word, ...this.kinds.get(kind) }));
  }

  /** Every step in order; one that looked at nothing is not applicable. */
  results() {
    return this.steps.map((step) => ({
      ...step,
      verdict: step.verdict ?? (step.checked ? "pass" : "not-applicable"),
    }));
  }
}

function remark(kind, seq, why, expected = null, found = null) {
  const kept = { kind, why };
  if (seq !== null) kept.seq = seq;
  if (expected !== null) kept.expected = String(expected);
  if (found !== null) kept.found = String(found);
  return kept;
}
