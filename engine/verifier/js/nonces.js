// Nonces at level table: bound by the roller, given by the seats asked; `it` is the Rolls they are of.

import { isHash } from "./bytes.js";
import { throwId } from "./throw.js";

const THROWS = 6;
const TRANSCRIPTS = 8;

/** The most seats that one throw may ask. */
const ASKED = 100;

/** The roller bound its nonce for a throw and asked other seats for theirs. */
export function bound(it, event, where) {
  const roll = it.roll(event.roll);
  const id = throwId(it.facts.table, event.roll, event.throw);
  it.answers(roll, event.throw, event.committed, where, `the nonce of ${id}`);
  const { throw: number, nonce_commit: commit, asked, by: seat } = event;
  const { binding, level } = roll;
  const fail = (...why) => it.report.fail(TRANSCRIPTS, where.seq, ...why);
  if (level !== null && level !== "table") fail(`${id} takes no bound nonce`, "level table", level);
  if (binding?.number === number) {
    fail(`the nonce of ${id} is bound a second time`, "once", `by entry ${binding.seq} already`);
  }
  if (asked.includes(seat)) fail("the roller is asked for a witness's nonce", "other seats", seat);
  if (new Set(asked).size < asked.length) fail("a seat is asked twice", "once each", asked.join(", "));
  if (asked.length > ASKED) fail("too many seats are asked", `at most ${ASKED}`, asked.length);
  roll.binding = { number, commit, asked, seat, seq: where.seq, given: new Map(), passed: new Set() };
}

/** The binding that an event is about; null, and step 8 fails, where there is none. */
function bindingOf(it, event, seq) {
  const { binding } = it.roll(event.roll);
  if (binding?.number === event.throw) return binding;
  const id = throwId(it.facts.table, event.roll, event.throw);
  const why = `for ${id} no nonce is bound at this point`;
  it.report.fail(TRANSCRIPTS, seq, why, "nonce-committed/1 before, the throw behind", event.type);
  return null;
}

/** A seat that was asked gave its nonce. */
export function witnessed(it, event, { seq }) {
  const id = throwId(it.facts.table, event.roll, event.throw);
  it.use("nonce", event.nonce, `witness ${event.by} in ${id}`, seq);
  const binding = bindingOf(it, event, seq);
  if (binding === null) return;
  const wrong =
    (!binding.asked.includes(event.by) && ["was not asked", binding.asked.join(", ") || "nobody"]) ||
    (binding.given.has(event.by) && ["gave a nonce before", "one nonce"]) ||
    (!isHash(event.nonce) && ["gave no nonce", "64 hex digits"]);
  if (wrong) {
    const [why, expected] = wrong;
    const found = `${event.by} ${event.nonce}`;
    it.report.fail(TRANSCRIPTS, seq, `seat ${event.by} ${why}, for ${id}`, expected, found);
  } else {
    binding.given.set(event.by, event.nonce);
  }
}

/** The throw goes on without seats that were silent. */
export function passedOver(it, event, { seq }) {
  const binding = bindingOf(it, event, seq);
  for (const seat of binding ? event.seats : []) {
    if (!binding.asked.includes(seat)) {
      const asked = binding.asked.join(", ") || "nobody";
      it.report.fail(TRANSCRIPTS, seq, "a seat is passed over that was not asked", asked, seat);
    } else if (binding.given.has(seat)) {
      const why = "a seat is passed over that gave its nonce";
      it.report.fail(TRANSCRIPTS, seq, why, "a silent seat", seat);
    } else {
      binding.passed.add(seat);
      it.report.note(TRANSCRIPTS, seq, `seat ${seat} gave no nonce in time and was passed over`);
    }
  }
}

/** A roller who bound its nonce did not throw, though all others were heard. */
export function withheld(it, event, { seq }) {
  const binding = bindingOf(it, event, seq);
  if (binding === null) return;
  const id = throwId(it.facts.table, event.roll, event.throw);
  const silent = missing(binding).join(", ");
  if (event.seat !== binding.seat) {
    const why = `a nonce of ${id} is recorded as withheld by another than its roller`;
    it.report.fail(TRANSCRIPTS, seq, why, binding.seat, event.seat);
  } else if (silent) {
    const why = `a nonce of ${id} is recorded as withheld while others were missing`;
    it.report.fail(TRANSCRIPTS, seq, why, "all others given or passed over", silent);
  } else {
    it.report.note(TRANSCRIPTS, seq, `seat ${event.seat} withheld its nonce for ${id}`);
  }
}

/** The seats that were asked and neither gave their nonce nor were passed over. */
export const missing = (binding) =>
  binding.asked.filter((seat) => !binding.given.has(seat) && !binding.passed.has(seat));
