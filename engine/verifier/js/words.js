// The verdict in words: what people should take from sixteen steps.

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

const SOURCES = {
  seeded: "The dice follow from a seed that was known beforehand: repeatable, and not fair dice.",
  scripted: "The dice were given by a script: nothing about them is proved.",
  manual: "Real dice were thrown and typed in: nothing about them is proved.",
};

/** What there may be to look at, one of it and several: the words of `urim audit`. */
export const LOOKS = {
  broken: ["broken off", "broken off"],
  "left-open": ["ask left open", "asks left open"],
  epoch: ["epoch", "epochs"],
  removed: ["seat removed by another", "seats removed by another"],
  "key-reset": ["key reset", "keys reset"],
  "lower-level": ["level named below table", "levels named below table"],
  alone: ["throw due at table with nobody to ask", "throws due at table with nobody to ask"],
  "anchored-again": ["further anchor without a key", "further anchors without a key"],
  "weak-chain": ["chain that anybody knows", "chains that anybody knows"],
  nonce: ["nonce constant or used twice", "nonces constant or used twice"],
  "not-shown": ["revealed roll that is not shown", "revealed rolls that are not shown"],
};

/** What the page may say at best: it has no rules, so that it never says that nothing is wrong. */
const NOTHING = "Nothing wrong was found here; urim audit checks the rules";

/** {tone: pass | fail | finding, title, text} of an outcome of `verify`. */
export function conclusion(outcome) {
  const { exit, problem, results } = outcome;
  if (exit === 2) return { tone: "fail", title: "This file is not a bundle", text: `${problem}.` };
  const named = (verdict) =>
    results.filter((step) => step.verdict === verdict).map(({ step, name }) => `${step} ${name}`);
  if (exit === 1) {
    const failed = named("fail");
    const [steps, fail] = failed.length === 1 ? ["Step", "fails"] : ["Steps", "fail"];
    const text = `${steps} ${failed.join(", ")} ${fail}. ${first(results)}`;
    return { tone: "fail", title: "Something is wrong", text };
  }
  const findings = named("finding");
  const looks = outcome.looks.map(({ kind, count }) => plural(count, ...LOOKS[kind]));
  const dice = outcome.throws.reduce((sum, each) => sum + each.dice.length, 0);
  const counted = [
    plural(outcome.entries, "entry", "entries"),
    plural(outcome.throws.length, "throw", "throws"),
    plural(dice, "die", "dice"),
  ];
  const sentences = [
    findings.length ? `${NOTHING}.` : null,
    `${counted.join(", ")}.`,
    signature(outcome),
    outcome.seats.asserted.length ? `Seat keys self-asserted: ${outcome.seats.asserted.join(", ")}.` : null,
    SOURCES[outcome.source?.split(":")[0]],
    looks.length ? `Look at: ${looks.join(", ")}.` : null,
    findings.length ? `Look closer at ${findings.join(", ")}.` : null,
    `Not checked here: ${named("not-checked").join(", ")}.`,
  ];
  const title = findings.length ? "Nothing fails, but look closer" : NOTHING;
  return { tone: findings.length ? "finding" : "pass", title, text: sentences.filter(Boolean).join(" ") };
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
