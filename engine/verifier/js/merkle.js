// A log that only ever grew: RFC 6962 roots, and proofs checked as RFC 9162 says.

import { joined, same } from "./bytes.js";
import { sha256 } from "./sha256.js";

const NODE = Uint8Array.of(1);

/** The hash of an inner node. */
export const nodeOf = (left, right) => sha256(joined(NODE, left, right));

/** The root of a tree without leaves. */
export const EMPTY_ROOT = sha256(new Uint8Array(0));

/** A tree that grows by leaves of 32 bytes and keeps only its right-hand edge. */
export class Tree {
  size = 0;
  /** The roots of the perfect subtrees, largest first: one for every 1 in the binary `size`. */
  peaks = [];

  append(leaf) {
    let peak = leaf;
    // A size is counted in doubles, beyond 32 bits too: no bitwise operators.
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) {
      peak = nodeOf(this.peaks.pop(), peak);
    }
    this.peaks.push(peak);
    this.size++;
  }

  root() {
    if (this.peaks.length === 0) return EMPTY_ROOT;
    return this.peaks.reduceRight((right, left) => nodeOf(left, right));
  }
}

/** The roots of a log over any number of its first leaves: every perfect subtree is kept. */
export class Roots {
  /** By height the perfect subtrees, from the left. */
  #levels = [[]];

  /** `leafAt` gives the leaf at a place, or null where there is none. */
  constructor(leafAt) {
    this.leafAt = leafAt;
  }

  /** The root over the first `size` leaves; null where they are not all there. */
  at(size) {
    const [leaves] = this.#levels;
    while (leaves.length < size) {
      const leaf = this.leafAt(leaves.length);
      if (leaf === null) return null;
      this.#append(leaf);
    }
    const peaks = [];
    for (let height = this.#levels.length - 1, from = 0; height >= 0; height--) {
      const width = 2 ** height;
      if (from + width > size) continue;
      peaks.push(this.#levels[height][from / width]);
      from += width;
    }
    return peaks.length ? peaks.reduceRight((right, left) => nodeOf(left, right)) : EMPTY_ROOT;
  }

  #append(leaf) {
    const levels = this.#levels;
    levels[0].push(leaf);
    for (let height = 0; levels[height].length % 2 === 0; height++) {
      const level = levels[height];
      if (levels.length === height + 1) levels.push([]);
      levels[height + 1].push(nodeOf(level.at(-2), level.at(-1)));
    }
  }
}

/** The root over the leaves of records: {leaf}. */
export function rootOf(records) {
  const tree = new Tree();
  for (const { leaf } of records) tree.append(leaf);
  return tree.root();
}

/** Whether `leaf` is number `seq`, from 0, in the tree of `size` under `root` (2.1.3.2). */
export function isIncluded(leaf, seq, size, proof, root) {
  if (!(seq >= 0 && seq < size)) return false;
  let [index, last, found] = [seq, size - 1, leaf];
  for (const step of proof) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      found = nodeOf(step, found);
      [index, last] = climbed(index, last);
    } else {
      found = nodeOf(found, step);
    }
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 && same(found, root);
}

/** Whether the tree of `size` under `root` begins with that of `old` under `oldRoot` (2.1.4.2). */
export function isConsistent(old, oldRoot, size, root, proof) {
  if (!(old >= 0 && old <= size)) return false;
  if (old === size) return proof.length === 0 && same(oldRoot, root);
  if (old === 0) return proof.length === 0 && same(oldRoot, EMPTY_ROOT);
  const steps = Number.isInteger(Math.log2(old)) ? [oldRoot, ...proof] : [...proof];
  if (steps.length === 0) return false;
  let [index, last] = [old - 1, size - 1];
  while (index % 2 === 1) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  let [before, after] = [steps[0], steps[0]];
  for (const step of steps.slice(1)) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      [before, after] = [nodeOf(step, before), nodeOf(step, after)];
      [index, last] = climbed(index, last);
    } else {
      after = nodeOf(after, step);
    }
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 && same(before, oldRoot) && same(after, root);
}

/** Past the levels on which a node at the right-hand edge has no sibling. */
function climbed(index, last) {
  while (index > 0 && index % 2 === 0) [index, last] = [index / 2, Math.floor(last / 2)];
  return [index, last];
}
