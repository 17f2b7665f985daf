// Voided rolls: the outstanding seed is opened, and the throw that it would have given is shown.

import { isHash } from "./bytes.js";
import { sidesOf } from "./faces.js";
import { commitment, dice, throwId, transcript } from "./throw.js";

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
    it.report.sealed(VOIDS, seq, `what roll ${event.roll} had committed to is not disclosed`);
  } else {
    opened(it, event, roll, seq);
  }
  Object.assign(roll, { voided: true, outstanding: null });
}

/** The void opens the seed of the outstanding throw. */
function opened(it, event, roll, seq) {
  const open = roll.outstanding;
  const { number } = open;
  const id = throwId(it.facts.table, roll.number, number);
  it.uses.take("seed", event.seed, id, seq);
  const found = isHash(event.seed) ? commitment(id, event.seed) : "no seed";
  if (event.throw !== number || found !== open.commit) {
    const why = `the void does not open the seed of ${id}`;
    const expected = `throw ${number}, ${open.commit}`;
    it.report.fail(VOIDS, seq, why, expected, `throw ${event.throw ?? "none"}, ${found}`);
    return;
  }
  it.report.note(VOIDS, seq, wouldHaveCome(it, event, roll, id));
}

/** What a voided throw would have shown, where the seed alone decides it. */
function wouldHaveCome({ facts, shares }, event, roll, id) {
  const { outstanding: open } = roll;
  if (shares.levels.due(roll.seat, roll) !== "server") {
    return `${id} will not be thrown; no nonce had been given, so its dice were not yet decided`;
  }
  const all = Object.keys(facts.faces ?? facts.listed ?? {});
  const known = all.filter((kind) => sidesOf(facts, kind, roll).count);
  if (!known.length) return `${id} is opened; its dice are not known: ${facts.facesWhy}`;
  const draw = dice(event.seed, transcript(id, open.seq, open.leaf, roll.seat, null, []));
  const kinds = known.slice(0, KINDS).map((kind) => {
    const { count, at } = sidesOf(facts, kind, roll);
    const shown = Array.from({ length: SHOWN }, (_, j) => at(draw(j, count)[0]));
    return `${kind} ${shown.join(" ")}`;
  });
  return `${id}, thrown by ${roll.seat}, would have come: ${kinds.join("; ")} …`;
}
