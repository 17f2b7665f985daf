// One throw against its proof: the seed it opens, the nonces in it, every die that fell.

import { isHash } from "./bytes.js";
import { sidesOf } from "./faces.js";
import { commitment, dice, fixtureSeed, NO_LEAF, throwId, transcript } from "./throw.js";

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
    report.sealed(COMMITMENTS, seq, `there is no commitment to compare the seed of ${id} with`);
  } else {
    report.looked(COMMITMENTS);
    const found = commitment(id, proof.seed);
    if (found !== open.commit) {
      report.fail(COMMITMENTS, seq, `another seed of ${id} was committed to`, open.commit, found);
    }
  }
}

/** Step 8: the throw holds the nonce, or the share of its roller, that its level asks for. */
export function checkNonces({ report, facts, shares }, roll, event, ask, seq) {
  const id = throwId(facts.table, event.roll, event.proof.throw);
  const nonce = event.proof.nonce ?? null;
  const fail = (...why) => report.fail(TRANSCRIPTS, seq, ...why);
  if (ask !== null) {
    report.looked(TRANSCRIPTS);
    shares.levels.asked(ask);
    const own = ask.opened.get(ask.seat) ?? null;
    const why = `${id} has another nonce than its roller's share`;
    if (nonce !== own) fail(why, own ?? "none", nonce ?? "none");
    return;
  }
  if (roll.shadow) {
    report.sealed(TRANSCRIPTS, seq, `the level of ${id} is not disclosed`);
    return;
  }
  report.looked(TRANSCRIPTS);
  shares.levels.alone(event.by, roll);
  const due = shares.levels.due(event.by, roll);
  if (due === "server") {
    if (nonce !== null) fail(`${id} is of level server and has a nonce`, "none", nonce);
  } else if (!isHash(nonce)) {
    fail(`${id} is of level ${due} and has no nonce`, "64 hex digits", nonce ?? "none");
  }
  if (due !== "table") return;
  // In the file of one roll other rolls may show who kept a share back.
  if (shares.levels.next(event.by, roll) === "table" && shares.whole) {
    fail(`${id} is of level table, and nobody is asked for a share`, "throw-asked/1 before", "none");
  } else {
    const why = `${id} was due at level table, and nobody else could be asked`;
    report.look(TRANSCRIPTS, "alone", seq, why);
  }
}

/** What the seats asked add to the transcript, beside the roller. */
const witnesses = (ask) => (ask ? [...ask.opened].filter(([seat]) => seat !== ask.seat) : []);

/** The nonce and the shares in the transcript, where there are any. */
const noncesOf = ({ nonce }, ask) => [
  ...(nonce === undefined || nonce === null ? [] : [nonce]),
  ...witnesses(ask).map(([, share]) => share),
];

/** Step 9: every face follows from seed and transcript. Gives the verdict on these dice. */
export function checkDice({ report, facts }, roll, event, id, seq, ask = null) {
  const proof = event.proof;
  const seeded = proof.source === "seeded";
  const seed = seeded ? fixtureSeed(facts.source.slice("seeded:".length), id) : proof.seed;
  const open = seeded ? { seq: 0, leaf: NO_LEAF } : roll.outstanding;
  if (open === null) return "not-checked"; // it answers nothing, and step 6 fails
  if (facts.listed === null && facts.faces === null) {
    report.unchecked(DICE, seq, facts.facesWhy);
    return "not-checked";
  }
  const missing =
    (!isHash(seed) && `${id} opens no seed`) ||
    (!noncesOf(proof, ask).every(isHash) && `a nonce or a share of ${id} is none`);
  if (missing) {
    report.sealed(DICE, seq, missing);
    return "not-checked";
  }
  if (seeded && proof.seed !== seed) {
    report.fail(DICE, seq, `the seed of ${id} does not follow from the table's`, seed, proof.seed);
  }
  const text = transcript(id, open.seq, open.leaf, event.by, proof.nonce ?? null, witnesses(ask));
  const draw = dice(seed, text);
  let right = true;
  event.dice.forEach(([die, kind, face], j) => {
    const { count, at } = sidesOf(facts, kind, roll);
    const drawn = draw(j, count);
    const expected = drawn === null ? "no die of this kind" : at(drawn[0]);
    report.looked(DICE);
    if (expected !== face) {
      right = false;
      const [wanted, fell] = [expected, face].map((each) => JSON.stringify(each));
      report.fail(DICE, seq, `die ${die} (${kind}) of ${id} does not follow`, wanted, fell);
    }
  });
  return right ? "pass" : "fail";
}
