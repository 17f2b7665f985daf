// The verdict in words: what people should take from sixteen steps.

import { KINDS, named } from "./kinds.js";

/** A verdict's sign and word; the sign is never there alone. */
export const VERDICTS = {
  pass: ["✓", "pass"],
  fail: ["✗", "fail"],
  finding: ["!", "look closer"],
  "not-checked": ["…", "not checked"],
  "not-applicable": ["–", "not applicable"],
};

/** What each step asks, for people. */
export const QUESTIONS = {
  parse: "Is every line and every event of its form?",
  signature: "Who signed the log's head?",
  tree: "Are these the entries that were signed, and that earlier checkpoints signed?",
  sequence: "Is nothing missing in between, and does time run forward?",
  payloads: "Is every event the one that its entry commits to?",
  throws: "Was every throw committed to before, made once, and in order?",
  commitments: "Is each opened seed the one that was committed to?",
  transcripts: "Are the nonces and shares in, of everyone who was asked?",
  dice: "Does every face follow from seed, nonces and shares?",
  transitions: "Was every step allowed to the seat that made it?",
  rules: "Do the rules give what was announced?",
  reuse: "Was no seed used twice, and no nonce?",
  voids: "Does every voided roll open what it held back?",
  rulings: "Has every decision of a person its reason?",
  hidden: "How much is hidden?",
  fairness: "Do the dice look chosen?",
};

const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** What the dice of each source are. */
const SOURCES = {
  fair: "fair, each throw committed to before",
  seeded: "from a seed that was known beforehand: repeatable, and not fair",
  scripted: "given by a script: nothing about them is proved",
  manual: "thrown by people and typed in: nothing about them is proved",
};

/** What the page may say at best: it has no rules, so that it never says that nothing is wrong. */
const NOTHING = "Nothing wrong was found here; urim audit checks the rules";

/** What was counted of one word, in a row. */
function counted({ seen }, word) {
  const found = seen.filter((each) => each.word === word);
  return found.map(({ kind, count }) => named(kind, count)).join(", ");
}

const steps = (some) => some.map(({ step, name }) => `${step} ${name}`).join(", ");

/** {tone: pass | fail | finding, title, text} of an outcome of `verify`. */
export function conclusion(outcome) {
  const { exit, problem, results, unchecked } = outcome;
  if (exit === 2) return { tone: "fail", title: "This file is not a bundle", text: `${problem}.` };
  const verdict = (word) => results.filter((step) => step.verdict === word);
  if (exit === 1) {
    const failed = verdict("fail");
    const [one, fail] = failed.length === 1 ? ["Step", "fails"] : ["Steps", "fail"];
    const text = `${one} ${steps(failed)} ${fail}. ${first(results)}`;
    return { tone: "fail", title: "Something is wrong", text };
  }
  const looks = counted(outcome, "look");
  const findings = verdict("finding");
  const sealed = verdict("not-checked").filter(({ name }) => !RULED.includes(name) && !gap(outcome, name));
  const sentences = [
    unchecked.length && "No step fails.",
    looks && `Look at: ${looks}.`,
    findings.length && `Look closer at ${steps(findings)}.`,
    signature(outcome),
    sealed.length && `Hidden from you, and so not checked: ${steps(sealed)}.`,
    "This page has no rules of a game: urim audit checks 10 transitions, 11 rules.",
  ];
  const title = unchecked.length ? `Not everything was checked: ${steps(unchecked)}` : NOTHING;
  const tone = unchecked.length || findings.length || looks ? "finding" : "pass";
  return { tone, title, text: sentences.filter(Boolean).join(" ") };
}

/** The steps that the rules of a game decide. */
const RULED = ["transitions", "rules"];

const gap = ({ unchecked }, name) => unchecked.some((each) => each.name === name);

/**
 * What a reader has to know at once, a sentence each, without a judgement: what there is, dice, throws by
 * level and role, keys, rules, and what else is stated.
 */
export function stated(outcome) {
  const { header, entries, throws, source, levels, oneMachine, seats } = outcome;
  const dice = throws.reduce((sum, each) => sum + each.dice.length, 0);
  const sum = [
    plural(entries, "entry", "entries"),
    plural(throws.length, "throw", "throws"),
    plural(dice, "die", "dice"),
  ];
  const of = SOURCES[source?.split(":")[0]];
  const byLevel = levels && thrown(levels);
  const more = counted(outcome, "stated");
  return [
    `${sum.join(", ")}.`,
    of && `Dice: ${of}.`,
    byLevel && `Throws: ${byLevel}.`,
    oneMachine && "One machine plays every seat: nobody is protected from its owner.",
    `Seats with keys: ${seats.keyed.join(", ") || "none, so that who asked is the host's word"}.`,
    seats.asserted.length && `Seat keys self-asserted: ${seats.asserted.join(", ")}.`,
    `Rules: ${header.system}, version ${header.version}, not run on this page.`,
    more && `Stated: ${more}.`,
  ].filter(Boolean);
}

/** Throws by level and by role. */
function thrown({ other, ...levels }) {
  const found = Object.entries(levels).flatMap(([level, { throws, narrators, passed, asked }]) => {
    const more = [
      `${throws.toLocaleString("en")} at ${level}`,
      asked && `${asked.toLocaleString("en")} shares asked for`,
      passed && `${passed.toLocaleString("en")} of them with a seat passed over`,
      narrators && `${narrators.toLocaleString("en")} of those by a narrator`,
    ];
    return throws ? [more.filter(Boolean).join(", ")] : [];
  });
  if (other) found.push(`${other.toLocaleString("en")} without a level`);
  return found.join("; ");
}

/** What people should look at, a line a kind: how many, where, what it means and what not. */
export function looks({ seen }) {
  return seen.filter(({ word }) => word === "look").map(({ kind, count, entries }) => {
    const { means, but } = KINDS[kind];
    const places = `${entries.join(", ")}${count > entries.length ? ", …" : ""}`;
    const where = entries.length ? ` (${entries.length === 1 ? "entry" : "entries"} ${places})` : "";
    return `Look: ${named(kind, count)}${where}: ${means}. It does not show ${but}.`;
  });
}

/** The first thing that is wrong, as a sentence. */
function first(results) {
  const { remarks } = results.find(({ verdict }) => verdict === "fail");
  const { seq, why } = remarks.find(({ kind }) => kind === "fail") ?? remarks[0];
  return `First of all${seq === undefined ? "" : `, at entry ${seq}`}: ${why}.`;
}

function signature({ signer, trusted }) {
  if (signer === null) return "The signature was not checked.";
  if (trusted) return "Signed by the key you gave.";
  return "Signed by a self-asserted key: compare it with one you have from elsewhere.";
}
