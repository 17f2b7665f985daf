// The names of the sixteen steps; docs/bundle.md says what each one checks.

/** The name of every step, from 1. */
export const STEPS = [
  ...["parse", "signature", "tree", "sequence", "payloads", "throws", "commitments", "transcripts"],
  ...["dice", "transitions", "rules", "reuse", "voids", "rulings", "hidden", "fairness"],
];
