// Seeds, nonces and shares that came before: step 12.

import { isHash } from "./bytes.js";

const REUSE = 12;

/** What was used so far: seeds by themselves, nonces and shares together. */
export class Uses {
  constructor(report) {
    this.report = report;
    this.known = new Map();
  }

  /** A seed, nonce or share, `what` of `id`. The same seed a second time fails. */
  take(what, value, id, seq) {
    if (!isHash(value)) return;
    this.report.looked(REUSE);
    const key = what === "seed" ? `seed ${value}` : value;
    const before = this.known.get(key);
    const why = `the ${what} of ${id} was used before`;
    if (before === undefined) {
      this.known.set(key, { first: `the ${what} of ${id}, entry ${seq}`, again: null });
    } else if (what === "seed") {
      this.report.fail(REUSE, seq, why, "a fresh one", before.first);
    } else {
      before.again = { seq, why: `${why}: ${before.first}` };
    }
  }

  /** Nonces and shares used again, once each: the dice stay fair as long as another part is fresh. */
  end() {
    const again = [...this.known.values()].flatMap((use) => use.again ?? []);
    for (const { seq, why } of again.sort((one, other) => one.seq - other.seq)) {
      this.report.finding(REUSE, seq, why, "nonce");
    }
  }
}
