// Seats: who sits where, with which anchor and key; and that commands of a seat with a key are its own.

import { fromBase64, hexOf, isHash, utf8 } from "./bytes.js";
import { keyOf, verifies } from "./ed25519.js";
import { EMPTY_ROOT } from "./merkle.js";
import { sha256 } from "./sha256.js";

const PARSE = 1;
const TRANSITIONS = 10;

/** What the key of a seat signs of a request: `seen` is [size, root] of the head that it verified. */
export const signedText = (origin, seat, { request, body, seen: [size, root] }) =>
  `urim/1 asked\n${origin}\n${seat}\n${request}\n${size} ${root}\n${hexOf(sha256(utf8(body)))}\n`;

/**
 * Follows the seats. `roots` gives the root over the first entries, null where they are not all
 * there; `origin` the log's, null where nothing named it; `seatKeys` are those that the reader knows.
 */
export class Seats {
  constructor(report, { roots, origin = () => null, seatKeys = {} }) {
    Object.assign(this, { report, roots, origin });
    /** By seat what a reader who names its key trusts: the keys that follow from it. */
    this.trusted = new Map(Object.entries(seatKeys).map(([seat, key]) => [seat, new Set([key])]));
    /** Seats that asked with such a key. */
    this.begun = new Set();
    this.seats = new Map();
    this.seen = new Map();
    this.keyed = new Set();
    /** By roll who acted last: seat `by`, and in `other` the last entry of another one. */
    this.turns = new Map();
    /** Commands that were asked before another seat's entry in the roll was seen. */
    this.unseeing = [];
    /** Signatures to be checked, which takes time: {seq, check}. */
    this.pending = [];
  }

  /** An entry whose event is known, before the rolls take it; `waits` is the ask that is open. */
  take(entry, { asked, event }, waits) {
    if (asked !== null && entry.seq === entry.commit) this.#asked(entry, asked, event, waits);
    const change = CHANGES[event.type];
    if (change) change(this, event, entry);
    if (inRoll(event)) this.#turn(event, entry.seq);
  }

  #turn({ roll, by }, seq) {
    const { by: last, seq: before, other } = this.turns.get(roll) ?? { by, other: -1 };
    this.turns.set(roll, { by, seq, other: last === by ? other : before });
  }

  /** Whether a seat asked before it saw what another one did in the roll. */
  #late(event, size) {
    const turn = inRoll(event) ? this.turns.get(event.roll) : undefined;
    return turn !== undefined && size <= (turn.by === event.by ? turn.other : turn.seq);
  }

  /** A seat by its id; one that nobody took has no role. */
  of(seat) {
    return this.seats.get(seat) ?? NOBODY;
  }

  /** The other seats that may be asked for shares: somebody is there, and has an anchor. By id. */
  anchored(seat) {
    const others = [...this.seats].filter(([id, { here, anchor }]) => id !== seat && here && anchor);
    return others.map(([id]) => id).sort();
  }

  #fail(seq, ...why) {
    this.report.fail(TRANSITIONS, seq, ...why);
  }

  #asked({ seq }, asked, event, waits) {
    const { by: seat } = event;
    const taken = event.type === "seat-taken/2" && event.seat === seat ? event.key : null;
    const key = this.of(seat).key ?? taken ?? null;
    const { sig = null, seen = null, request } = asked;
    this.#trust(seq, seat, key, taken);
    if (key === null) {
      if (sig === null && seen === null) return;
      this.#fail(seq, `seat ${seat} signs a command and has no key`, "no signature", sig ?? "seen");
      return;
    }
    if (event.type === "epoch-begun/1" && sig === null) return; // the host's, signed by nobody
    if (keyOf(key) !== null) this.keyed.add(seat);
    if (sig === null || seen === null) {
      const why = `a command of seat ${seat}, which has a key, is not signed`;
      this.#fail(seq, why, "sig and seen", sig === null ? "no sig" : "no seen");
      return;
    }
    if (request.startsWith("~")) {
      this.#fail(seq, `seat ${seat} signs a request without an id of its own`, "an id", request);
    }
    this.#head(seq, seat, seen);
    if (event.type === "share-opened/1" && waits !== null && seen[0] <= waits.seq) {
      const why = `seat ${seat} opened its share before it had seen the ask`;
      this.#fail(seq, why, `a head of ${waits.seq + 1} entries or more`, seen[0]);
    }
    this.#signature(seq, seat, keyOf(key), asked, this.#late(event, seen[0]));
  }

  /** A seat whose key the reader named asks with that, or with one that follows from it. */
  #trust(seq, seat, key, taken) {
    const keys = this.trusted.get(seat);
    if (keys === undefined) return;
    if (keys.has(key)) {
      this.begun.add(seat);
      if (taken !== null && taken !== undefined) keys.add(taken);
    } else if (this.begun.has(seat)) {
      const why = `seat ${seat} asks without the key that was given for it`;
      this.#fail(seq, why, [...keys].join(" or "), key ?? "none");
    }
  }

  /** The head that the seat had seen is of this log, before the command, and not an older one. */
  #head(seq, seat, [size, root]) {
    const before = this.seen.has(seat) ? Math.max(this.seen.get(seat), 1) : 0;
    const place = `a head that seat ${seat} had seen`;
    if (!(size >= 0 && size <= seq)) {
      this.#fail(seq, `${place} is beyond the command`, `at most ${seq} entries`, size);
      return;
    }
    if (size < before) {
      this.#fail(seq, `${place} is older than its last one`, `${before} entries or more`, size);
    }
    this.seen.set(seat, Math.max(size, before));
    const found = size === 0 ? EMPTY_ROOT : this.roots(size);
    if (!isHash(root)) {
      this.#fail(seq, `${place} is not of its form`, "64 hex digits", root.slice(0, 80));
    } else if (found === null) {
      this.report.unchecked(TRANSITIONS, seq, `${place} cannot be compared: entries are missing`);
    } else if (hexOf(found) !== root) {
      const why = `${place} is not of this log`;
      this.#fail(seq, why, hexOf(found), root);
    }
  }

  #signature(seq, seat, key, asked, late) {
    if (key === null) return; // failed where it was taken
    const signature = fromBase64(asked.sig);
    const why = `the signature of seat ${seat} does not fit what it asked`;
    if (signature === null || signature.length !== 64) {
      this.#fail(seq, why, "64 bytes in base64", asked.sig.slice(0, 80));
      return;
    }
    const check = async (origin) => {
      const message = utf8(signedText(origin, seat, asked));
      if (!(await verifies(key, signature, message))) {
        this.#fail(seq, why, "a signature by its key", asked.sig);
      } else if (late) {
        this.unseeing.push(seq);
      }
    };
    this.pending.push({ seq, check });
  }

  /** Check the signatures that wait for it; `turn` lets others work in between. */
  async settle(turn) {
    const origin = this.origin();
    if (origin === null) return;
    for (const { check } of this.pending.splice(0)) {
      await turn();
      await check(origin);
    }
  }

  /** Checks that need every entry. */
  end() {
    for (const seat of this.trusted.keys()) {
      const why = `seat ${seat} never asks with the key that was given for it`;
      if (!this.begun.has(seat)) this.#fail(null, why, "a command with it", "none");
    }
    const { length, 0: first } = this.unseeing;
    if (length) this.report.count("before-seen", first, length);
    if (this.origin() !== null) return;
    for (const { seq } of this.pending) {
      const why = "the signature of a seat cannot be checked: no head names the log's origin";
      this.report.unchecked(TRANSITIONS, seq, why);
    }
  }
}

/** What people do in a roll, one after another; shares come in any order. */
const inRoll = ({ type, roll }) => roll !== undefined && type !== "share-opened/1";

const NOBODY = Object.freeze({ role: null, here: false, key: null, anchor: null, links: new Set() });

/** A seat as somebody takes it; `links` are those of all its chains that are known. */
const newSeat = (role, links) => ({ role, here: true, key: null, anchor: null, links });

function opened(it, event) {
  it.seats.set(event.by, newSeat("narrator", new Set()));
}

function taken(it, event, { seq }) {
  const { seat, key = null } = event;
  if (key !== null && keyOf(key) === null) {
    const why = `seat ${seat} takes a key that nobody may have`;
    it.report.fail(PARSE, seq, why, "a good Ed25519 key of 32 bytes in base64", key.slice(0, 80));
  }
  const known = it.of(seat);
  const own = known.here && event.by === seat;
  if (key !== null && !own) {
    const why = "a key is taken for another seat";
    it.report.fail(TRANSITIONS, seq, why, `seat ${seat} itself`, `seat ${event.by}`);
  }
  if (known.key !== null && !(own && key !== null)) {
    it.report.look(TRANSITIONS, "key-reset", seq, `seat ${seat} had a key, and has none from here on`);
  }
  if (own) {
    known.key = key !== null && keyOf(key) === null ? null : key;
    return;
  }
  it.seats.set(seat, newSeat(event.role, new Set(known.links)));
  it.seen.delete(seat);
}

function left(it, { seat, by }, { seq }) {
  if (by !== seat) it.report.look(TRANSITIONS, "removed", seq, `seat ${seat} is removed by seat ${by}`);
  if (it.seats.has(seat)) Object.assign(it.seats.get(seat), { here: false, anchor: null });
}

function epoch(it) {
  for (const seat of it.seats.values()) seat.anchor = null;
}

const CHANGES = {
  "table-opened/3": opened,
  "seat-taken/2": taken,
  "seat-left/1": left,
  "epoch-begun/1": epoch,
};
