// The signed head against the entries: signature, root or proofs, earlier heads.

import { fromHex, hexOf, same } from "./bytes.js";
import { hasMultiproof } from "./bundle.js";
import { isIncluded, nodeOf, Tree } from "./merkle.js";
import { weakness } from "./ed25519.js";
import { opened, readKey } from "./note.js";

const SIGNATURE = 2;
const TREE = 3;
const SEQUENCE = 4;

/**
 * The root of the tree of `size` that these leaves, [seq, leaf] ascending, make with a multiproof; null
 * where no tree has them, or the proof has another number of hashes.
 */
function provedRoot(leaves, size, proof) {
  const seqs = [-1, ...leaves.map(([seq]) => seq), size];
  if (size < 1 || seqs.some((seq, at) => at > 0 && seq <= seqs[at - 1])) return null;
  let next = 0;
  /** The root between `low` and `high`, where leaves `first` up to `last` are; null for none. */
  const root = (low, high, first, last) => {
    if (first === last) return proof[next++] ?? null;
    if (high - low === 1) return leaves[first][1];
    let half = 1;
    while (2 * half < high - low) half *= 2;
    let at = first;
    while (at < last && leaves[at][0] < low + half) at++;
    const left = root(low, low + half, first, at);
    const right = left && root(low + half, high, at, last);
    return right && nodeOf(left, right);
  };
  const found = root(0, size, 0, leaves.length);
  return next === proof.length ? found : null;
}

/** Follows the entries' leaves. `key` is a vkey the user trusts, `seen` earlier notes. */
export class Head {
  constructor(report, header, { key = null, seen = [] } = {}) {
    Object.assign(this, { report, header, key, seen });
    this.keys = key === null ? header.known : [readKey(key)];
    this.checkpoint = null;
    this.signer = null;
    this.earlier = [];
    this.roots = new Map();
    this.tree = new Tree();
    this.count = 0;
    this.leaves = [];
  }

  /** Steps 2 and, for the notes alone, 3. */
  async begin() {
    this.report.looked(SIGNATURE);
    for (const { name, bytes } of this.header.known) {
      const weak = weakness(bytes);
      const why = `the header has a key of ${name} that nobody may have`;
      if (weak !== null) this.report.fail(SIGNATURE, null, why, "a good Ed25519 key", weak);
    }
    await this.#signed(this.header.checkpoint, SIGNATURE, "the checkpoint", (checkpoint) => {
      this.checkpoint = checkpoint;
    });
    if (this.checkpoint) this.#same("origin", this.checkpoint.origin);
    if (this.checkpoint) this.#same("size", this.checkpoint.size);
    for (const [at, note] of this.seen.entries()) {
      const name = `earlier checkpoint ${at + 1}`;
      this.report.looked(TREE);
      await this.#signed(note, TREE, name, (checkpoint) => this.earlier.push({ name, checkpoint }));
    }
    this.#say();
    this.#keep();
  }

  #same(name, found) {
    const expected = this.header[name];
    if (found === expected) return;
    this.report.fail(SIGNATURE, null, `the note is of another ${name} than the header`, expected, found);
  }

  /** Read a note, check who signed it, and hand it on unless that fails. */
  async #signed(note, step, name, accept) {
    const { checkpoint, signer, wrong, unchecked } = await opened(note, this.keys);
    if (wrong !== null) {
      this.report.fail(step, null, `${name} is not accepted`, this.#wanted(), wrong);
      return;
    }
    if (unchecked !== null) this.report.unchecked(step, null, unchecked);
    if (step === SIGNATURE) this.signer = signer;
    accept(checkpoint);
  }

  #wanted() {
    return `a note signed by ${this.keys.map(({ name, id }) => `${name}+${id}`).join(" or ")}`;
  }

  #say() {
    if (this.signer === null) return;
    const trust = this.key === null ? "a self-asserted key" : "the key you gave";
    const { name, id } = this.signer;
    this.report.say(SIGNATURE, `signed by ${trust}, ${name}+${id}`);
  }

  /** An entry, and its leaf of 32 bytes. */
  take(entry, leaf) {
    const { report, header, checkpoint } = this;
    const { seq } = entry;
    this.count++;
    if (header.scope === "table") {
      this.tree.append(leaf);
      this.#keep();
    } else if (hasMultiproof(header)) {
      this.leaves.push([seq, leaf]);
    } else if (checkpoint) {
      report.looked(TREE);
      if (!isIncluded(leaf, seq, checkpoint.size, entry.proof.map(fromHex), checkpoint.root)) {
        const root = hexOf(checkpoint.root);
        report.fail(TREE, seq, "the entry's proof does not lead to the signed root", root, "another");
      }
    }
  }

  /** Keep the root over the entries so far, where an earlier checkpoint is of that size. */
  #keep() {
    if (this.earlier.some(({ checkpoint }) => checkpoint.size === this.tree.size)) {
      this.roots.set(this.tree.size, this.tree.root());
    }
  }

  /** Checks that need every entry; `proof` is the multiproof of the end, if there is one. */
  end(proof) {
    const { header, count } = this;
    if (header.scope === "table" && count !== header.size) {
      const why = "the entries do not go up to the size that was signed";
      this.report.fail(SEQUENCE, null, why, `${header.size} entries`, `${count} entries`);
    }
    if (this.checkpoint === null) {
      this.report.unchecked(TREE, null, "there is no checkpoint to hold the entries against");
    } else {
      this.#compare(proof);
    }
    for (const { name, checkpoint } of this.earlier) this.#precedes(name, checkpoint);
  }

  #compare(proof) {
    const { report, header, checkpoint, count } = this;
    report.looked(TREE);
    if (hasMultiproof(header)) {
      const root = provedRoot(this.leaves, checkpoint.size, proof.map(fromHex));
      if (root === null || !same(root, checkpoint.root)) {
        const found = root === null ? "a proof of other entries" : hexOf(root);
        report.fail(TREE, null, "the entries are not those that were signed", hexOf(checkpoint.root), found);
      }
    }
    if (header.scope === "roll") {
      report.say(TREE, `${count} entries proved to be among ${checkpoint.size}`);
      return;
    }
    const root = this.tree.root();
    if (count !== checkpoint.size) {
      const [expected, found] = [`${checkpoint.size} entries`, `${count} entries`];
      report.fail(TREE, null, "the file has not as many entries as were signed", expected, found);
    } else if (!same(root, checkpoint.root)) {
      const [expected, found] = [hexOf(checkpoint.root), hexOf(root)];
      report.fail(TREE, null, "the entries are not those that were signed", expected, found);
    }
    report.say(TREE, `${count} entries, root ${hexOf(root)}`);
  }

  #precedes(name, checkpoint) {
    const { report, header } = this;
    const { size } = checkpoint;
    if (checkpoint.origin !== header.origin) {
      const [expected, found] = [header.origin, checkpoint.origin];
      report.fail(TREE, null, `${name} is of another log`, expected, found);
      return;
    }
    const limit = this.checkpoint ? this.checkpoint.size : header.size;
    if (size > limit) {
      const why = `${name} signed more entries than this log has: some were cut off`;
      report.fail(TREE, null, why, `${size} entries`, `${limit} entries`);
      return;
    }
    const known = this.#rootOf(size);
    if (known === undefined) {
      report.unchecked(TREE, null, `${name}: entries are missing to compare it with`);
    } else if (!same(known, checkpoint.root)) {
      const why = `${name} is not of a prefix of this log: its past was changed, or shown in two ways`;
      report.fail(TREE, null, why, hexOf(checkpoint.root), hexOf(known));
    }
  }

  #rootOf(size) {
    if (this.header.scope === "table") return this.roots.get(size);
    return size === this.checkpoint?.size ? this.checkpoint.root : undefined;
  }
}
