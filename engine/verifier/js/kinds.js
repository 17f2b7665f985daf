// What is counted besides failures: what is stated, and what people should look at.

/** Entries of a kind that are shown, at most. */
export const ENTRIES = 20;

const kind = (word) => (one, many, means, but) => ({ word, one, many, means, but });
const [look, stated] = ["look", "stated"].map(kind);

/**
 * Every kind by its name, the worst first, in the words of `urim audit`: a look or stated, what one of
 * it is called, and several; `means` is what a reader may conclude, `but` what not.
 */
export const KINDS = {
  broken: look(
    "broken off", "broken off",
    "a share was kept back, by the seats named, or the host did not pass it on",
    "whether the seat or the host did; no throw that stands is touched",
  ),
  "left-open": look(
    "ask left open", "asks left open",
    "the log ends while a throw waits for shares",
    "that it will never be thrown: the log may go on",
  ),
  epoch: look(
    "epoch", "epochs",
    "the host says that it restored the log; throws that waited got new seeds",
    "that nothing was lost: a head that somebody kept shows it (--seen)",
  ),
  removed: look(
    "seat removed by another", "seats removed by another",
    "a narrator took the seat away, and its chain of shares ended",
    "who plays the seat after that",
  ),
  "key-reset": look(
    "key reset", "keys reset",
    "a seat had a key, and its later commands are not signed with it",
    "that the same person asked before and after",
  ),
  "lower-level": look(
    "level named below table", "levels named below table",
    "a declaration named a lower level than was due: host and roller could choose its throws",
    "that they did",
  ),
  alone: look(
    "throw due at table with nobody to ask", "throws due at table with nobody to ask",
    "these are at level player: host and roller could choose them",
    "that they did, or who could have been asked",
  ),
  "anchored-again": look(
    "further anchor without a key", "further anchors without a key",
    "a seat without a key began another chain; its player knows whether it was them",
    "that the seat did it, and not the host",
  ),
  "weak-chain": look(
    "chain that anybody knows", "chains that anybody knows",
    "the seat's shares added nothing to these throws",
    "that somebody used it",
  ),
  nonce: look(
    "nonce constant or used twice", "nonces constant or used twice",
    "the seat's part of these throws was known, so that the host alone may have chosen them",
    "that it did: a bad client draws so too",
  ),
  again: look(
    "roll declared again", "rolls declared again",
    "the same character declared the same after a roll was dropped whose dice could be known",
    "that the first was dropped for what it would have brought",
  ),
  "some-hidden": look(
    "seat with hidden rolls revealed and others not",
    "seats with hidden rolls revealed and others not",
    "a roll was revealed when others lay there, which are not: it may have been picked",
    "anything from how good the revealed rolls are",
  ),
  "given-back": look(
    "character given for a throw", "characters given for a throw",
    "another seat threw for the character without its owner's share, and gave it back",
    "that the seat's level, key or share was evaded",
  ),
  voids: look(
    "void after the dice", "voids after the dice",
    "two rolls or more were voided once dice had fallen",
    "that the dice were the reason: the reasons are in step 13 and 14",
  ),
  clock: look(
    "time later than this clock", "times later than this clock",
    "the log says a time that is still to come",
    "when these entries were written",
  ),
  dice: look(
    "unusual dice", "unusual dice",
    "dice fall so rarely as these; see step 16",
    "that they were chosen: each follows from its seed",
  ),
  "not-shown": look(
    "revealed roll that is not shown", "revealed rolls that are not shown",
    "the roll is revealed, and this file leaves it out",
    "what it brought",
  ),
  "no-reason": look(
    "decision without its reason", "decisions without their reasons",
    "a roll was disputed or changed, and the log does not say why",
    "that nobody had a reason",
  ),
  erased: stated("erased text", "erased texts", "who erased which text, and when", "what it was"),
  given: stated(
    "character given", "characters given",
    "another seat acts for the character from there on",
    "why",
  ),
  dispute: stated("dispute", "disputes", "somebody disputed a roll", "who was right"),
  ruling: stated("ruling", "rulings", "a narrator ruled, with the reason", "that it is fair"),
  correction: stated(
    "amendment, veto or replacement", "amendments, vetoes and replacements",
    "what people changed about a roll, with the reason",
    "that the reason is true",
  ),
  withdrawn: stated(
    "withdrawn roll", "withdrawn rolls",
    "its own seat took it back before any dice",
    "why",
  ),
  "early-void": stated(
    "void before the dice", "voids before the dice",
    "a roll was voided before anything was thrown",
    "why, but for the reason given",
  ),
  "late-void": stated(
    "void after the dice", "voids after the dice",
    "one roll was voided once dice had fallen",
    "that the dice were the reason",
  ),
  lying: stated(
    "roll left lying", "rolls left lying",
    "it was declared and is not resolved",
    "that it was dropped: the log may go on",
  ),
  hidden: stated(
    "hidden roll not revealed", "hidden rolls not revealed",
    "it is under seal: its throws are as bound as others",
    "what it brought, where it is not disclosed here",
  ),
  "before-seen": stated(
    "command asked before something was seen", "commands asked before something was seen",
    "the seat had not seen another seat's last entry in the roll when it signed",
    "who held what back",
  ),
  renewed: stated(
    "chain renewed at its last link", "chains renewed at their last links",
    "a seat's chain had answered all of its 1,000 asks, and another one begins",
    "that the seat made it: its player's client knows",
  ),
  "host-word": stated(
    "seat with shares and no key", "seats with shares and no key",
    "its anchor and shares are the host's word until its player compares them",
    "that the seat made them",
  ),
};

/** So many of a kind, in words. */
export function named(kind, count) {
  const { one, many } = KINDS[kind];
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
