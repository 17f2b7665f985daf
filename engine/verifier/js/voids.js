// Voided rolls: the outstanding seed is opened, and the throw that it would have given is shown.

import { isHash } from "./bytes.js";
import { commitment, dice, nonceCommitment, throwId, transcript } from "./throw.js";

const VOIDS = 13;

/** How many dice of each kind are shown of a throw that never was. */
const SHOWN = 6;

/** How many kinds are shown, at most. */
const KINDS = 8;

/** A roll counts for nothing from here on; what it had committed to is opened. */
export function voided(it, event, { seq }) {
  const roll = it.roll(event.roll);
  if (!it.fair || (roll.outstanding === null && !it.mayHide(roll))) {
    it.report.note(VOIDS, seq, `roll ${event.roll} was voided, with nothing to open`);
    return;
  }
  if (roll.voided) return;
  it.report.looked(VOIDS);
  if (roll.outstanding === null) {
    it.report.unchecked(VOIDS, seq, `what roll ${event.roll} had committed to is not disclosed`);
  } else {
    opened(it, event, roll, seq);
  }
  Object.assign(roll, { voided: true, outstanding: null, binding: null });
}

/** The void opens the seed of the outstanding throw, and a nonce that fits its commitment. */
function opened(it, event, roll, seq) {
  const open = roll.outstanding;
  const { number } = open;
  const id = throwId(it.facts.table, roll.number, number);
  it.use("seed", event.seed, id, seq);
  it.use("nonce", event.nonce, id, seq);
  const found = isHash(event.seed) ? commitment(id, event.seed) : "no seed";
  if (event.throw !== number || found !== open.commit) {
    const why = `the void does not open the seed of ${id}`;
    const expected = `throw ${number}, ${open.commit}`;
    it.report.fail(VOIDS, seq, why, expected, `throw ${event.throw ?? "none"}, ${found}`);
    return;
  }
  const bound = roll.binding;
  const nonce = event.nonce ?? null;
  if (nonce !== null && (!isHash(nonce) || (bound && nonceCommitment(id, nonce) !== bound.commit))) {
    const why = `the nonce that the void opens is not the one bound for ${id}`;
    it.report.fail(VOIDS, seq, why, bound?.commit ?? "64 hex digits", nonceCommitment(id, nonce));
    return;
  }
  it.report.note(VOIDS, seq, wouldHaveCome(it, event, roll, id));
}

/** What a voided throw would have shown, as far as seed and nonces decide it. */
function wouldHaveCome({ facts }, event, roll, id) {
  const { binding, outstanding: open, level } = roll;
  const nonce = event.nonce ?? null;
  if (nonce === null && level !== "server") {
    const lost = binding ? "a nonce was bound, but is not opened" : "no nonce had been given";
    return `${id} will not be thrown; ${lost}, so its dice were not yet decided`;
  }
  if (facts.faces === null) return `${id} is opened; its dice are not known: ${facts.facesWhy}`;
  const roller = binding ? binding.seat : roll.seat;
  const witnesses = binding ? binding.given : [];
  const text = transcript(id, open.seq, open.leaf, roller, nonce, witnesses);
  const draw = dice(event.seed, text);
  const kinds = Object.entries(facts.faces).slice(0, KINDS).map(([kind, faces]) => {
    const shown = Array.from({ length: SHOWN }, (_, j) => faces[draw(j, faces.length)[0]]);
    return `${kind} ${shown.join(" ")}`;
  });
  return `${id}, thrown by ${roller}, would have come: ${kinds.join("; ")} …`;
}
