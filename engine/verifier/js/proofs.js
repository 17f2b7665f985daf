// One throw against its proof: the seed it opens, the nonces in it, every die that fell.

import { isHash } from "./bytes.js";
import { missing } from "./nonces.js";
import { commitment, dice, fixtureSeed, nonceCommitment, NO_LEAF, transcript } from "./throw.js";

const COMMITMENTS = 7;
const TRANSCRIPTS = 8;
const DICE = 9;

/** Step 7: the commitment that the throw answers is to the seed that it opens. */
export function checkSeed({ report }, roll, proof, id, seq) {
  const open = roll.outstanding;
  if (!isHash(proof.seed)) {
    report.looked(COMMITMENTS);
    report.fail(COMMITMENTS, seq, `${id} opens no seed`, "64 hex digits", proof.seed ?? "nothing");
  } else if (open === null) {
    report.unchecked(COMMITMENTS, seq, `there is no commitment to compare the seed of ${id} with`);
  } else {
    report.looked(COMMITMENTS);
    const found = commitment(id, proof.seed);
    if (found !== open.commit) {
      report.fail(COMMITMENTS, seq, `another seed of ${id} was committed to`, open.commit, found);
    }
  }
}

/** Step 8: the throw holds the nonces that its level asks for. */
export function checkNonces({ report }, roll, event, id, seq) {
  const { level, binding } = roll;
  const nonce = event.proof.nonce ?? null;
  if (level === null) {
    report.unchecked(TRANSCRIPTS, seq, `the level of ${id} is not disclosed`);
    return;
  }
  report.looked(TRANSCRIPTS);
  const fail = (...why) => report.fail(TRANSCRIPTS, seq, ...why);
  if (level === "server") {
    if (nonce !== null) fail(`${id} is of level server and has a nonce`, "none", nonce);
  } else if (!isHash(nonce)) {
    fail(`${id} is of level ${level} and has no nonce`, "64 hex digits", nonce ?? "none");
  }
  if (level !== "table") return;
  if (!binding) {
    fail(`${id} is of level table, but no nonce was bound for it`, "a binding", "none");
  } else {
    checkBinding(fail, binding, event, nonce, id);
  }
}

function checkBinding(fail, binding, event, nonce, id) {
  if (binding.seat !== event.by) {
    fail(`another seat than the roller bound the nonce of ${id}`, event.by, binding.seat);
  }
  if (isHash(nonce) && nonceCommitment(id, nonce) !== binding.commit) {
    fail(`another nonce was bound for ${id}`, binding.commit, nonceCommitment(id, nonce));
  }
  for (const seat of missing(binding)) {
    fail(`seat ${seat} was asked for a nonce for ${id}`, "given, or passed over", "neither");
  }
}

/** Sequence and leaf of the commitment that a throw answers: the outstanding one, if that is known. */
function answered(facts, roll, proof, seq) {
  const open = roll.outstanding;
  if (open) return [open.seq, open.leaf];
  return [proof.committed, facts.leafBefore(proof.committed, seq)];
}

/** Step 9: every face follows from seed and transcript. Gives the verdict on these dice. */
export function checkDice({ report, facts }, roll, event, id, seq) {
  const proof = event.proof;
  const seeded = proof.source === "seeded";
  const seed = seeded ? fixtureSeed(facts.source.slice("seeded:".length), id) : proof.seed;
  const [committed, leaf] = seeded ? [0, NO_LEAF] : answered(facts, roll, proof, seq);
  const missing =
    (facts.faces === null && facts.facesWhy) ||
    (!isHash(seed) && `${id} opens no seed`) ||
    (leaf === null && `the entry that ${id} answers is not before it in the file`);
  if (missing) {
    report.unchecked(DICE, seq, missing);
    return "not-checked";
  }
  if (seeded && proof.seed !== seed) {
    report.fail(DICE, seq, `the seed of ${id} does not follow from the table's`, seed, proof.seed);
  }
  const witnesses = roll.binding ? roll.binding.given : [];
  const text = transcript(id, committed, leaf, event.by, proof.nonce ?? null, witnesses);
  const draw = dice(seed, text);
  let right = true;
  event.dice.forEach(([die, kind, face], j) => {
    const table = Object.hasOwn(facts.faces, kind) ? facts.faces[kind] : [];
    const drawn = draw(j, table.length);
    const expected = drawn === null ? "no die of this kind" : table[drawn[0]];
    report.looked(DICE);
    if (expected !== face) {
      right = false;
      const [wanted, fell] = [expected, face].map((each) => JSON.stringify(each));
      report.fail(DICE, seq, `die ${die} (${kind}) of ${id} does not follow`, wanted, fell);
    }
  });
  return right ? "pass" : "fail";
}
