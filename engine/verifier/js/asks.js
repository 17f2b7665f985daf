// Level table: anchors, what a throw asks for, shares, breaks; `it` is the Rolls that they are of.

import { isHash } from "./bytes.js";
import { isHidden } from "./commits.js";
import { checkSeed } from "./proofs.js";
import { isPlan } from "./shares.js";
import { CHAIN, linkBefore, throwId } from "./throw.js";

const THROWS = 6;
const COMMITMENTS = 7;
const TRANSCRIPTS = 8;
const TRANSITIONS = 10;

/** Seats that a throw asks, at most: the form's own bound. */
const ASKED = 100;

/** Milliseconds after an ask from which on a throw may be broken off. */
const BREAKING = 10_000;

/** The dice that fall, by the trigger of their plan. */
const FALLS = { roll: "dice-rolled/1", reroll: "dice-rerolled/1" };

/** What a client that draws nothing has as its last link. */
const ZEROS = "0".repeat(64);

/** x_0 of the chain that ends with this link. */
function linkOf(table, seat, last) {
  let found = last;
  for (let at = 0; at < CHAIN; at++) found = linkBefore(table, seat, found);
  return found;
}

/** An event that is always open is hidden from somebody. */
function mustBeOpen(it, event, { seq, class: kind }) {
  if (kind === "open") return;
  const why = `${event.type} is for everybody to see, of hidden rolls too`;
  it.report.fail(TRANSITIONS, seq, why, "class open", `class ${kind}`);
}

/** A seat published the anchor of a chain: it is of none that the seat had before. */
export function anchored(it, { by: seat, anchor }, { seq }) {
  const { report, shares: { seats } } = it;
  report.looked(TRANSCRIPTS);
  const known = seats.seats.get(seat);
  const fail = (...why) => report.fail(TRANSCRIPTS, seq, ...why);
  if (known === undefined) return fail(`seat ${seat} anchors, and nobody ever took it`, "a seat", seat);
  if (!isHash(anchor)) return fail(`the anchor of seat ${seat} is none`, "64 hex digits", anchor);
  const { links } = known;
  if (links.size > 0) {
    let [back, old] = [anchor, links.has(anchor)];
    for (let at = 0; at < CHAIN && !old; at++) {
      back = linkBefore(it.facts.table, seat, back);
      old = links.has(back);
    }
    if (old) fail(`the anchor of seat ${seat} is of a chain that it had before`, "a new chain", anchor);
    if (known.anchor !== null && known.anchor.asks >= CHAIN) {
      const why = `seat ${seat} begins another chain: the one before answered all its asks`;
      report.note(TRANSCRIPTS, seq, why);
      report.count("renewed", seq);
    } else if (known.key === null) {
      report.look(TRANSCRIPTS, "anchored-again", seq, `seat ${seat} anchors once more`);
    }
  }
  if (anchor === linkOf(it.facts.table, seat, ZEROS)) {
    const why = `the chain of seat ${seat} ends with zeros: anybody knows its links`;
    report.look(TRANSCRIPTS, "weak-chain", seq, why);
  }
  links.add(anchor);
  known.anchor = { seq, link: anchor, at: 0, asks: 0 };
}

/** The roller asked for shares, its own among them. */
export function asked(it, event, where) {
  const { shares, report, facts } = it;
  const roll = it.roll(event.roll);
  const { by: seat, throw: number, committed, asked: links } = event;
  const id = throwId(facts.table, event.roll, number);
  report.looked(TRANSCRIPTS);
  mustBeOpen(it, event, where);
  if (shares.ask !== null) {
    const why = `${id} asks while ${shares.ask.id} waits`;
    report.fail(THROWS, where.seq, why, "one ask at a time", id);
  }
  if (facts.oneMachine || !it.fair) {
    const why = "at this table no throw asks for shares";
    report.fail(TRANSCRIPTS, where.seq, why, "fair dice, several machines", facts.source);
  }
  const plan = planOf(it, event, where, id);
  answered(it, roll, event, where, id);
  const level = shares.levels.next(seat, roll);
  if (!roll.shadow && level !== "table") {
    report.fail(TRANSITIONS, where.seq, `${id} takes no shares`, "level table", `level ${level}`);
  }
  named(it, event, id, where.seq);
  shares.ask = {
    ...{ id, roll: event.roll, throw: number, seat, seq: where.seq, at: where.at, committed, plan },
    ...{ asked: new Map(links.slice(0, ASKED)), opened: new Map(), full: null, disturbed: false },
    left: event.left ?? [],
  };
}

/** The ask names the outstanding commitment, of an earlier commit; or one that is not disclosed. */
function answered(it, roll, { throw: number, committed }, { seq, commit }, id) {
  const { report } = it;
  const open = roll.outstanding;
  const fail = (...why) => report.fail(THROWS, seq, ...why);
  const known = open?.number === number && open.seq === committed;
  if (known && open.seq >= commit) {
    const why = `the ask of ${id} answers a commitment of its own commit`;
    fail(why, `an entry before ${commit}`, `entry ${committed}`);
  } else if (known && open.epoch !== it.epochs) {
    const why = `the ask of ${id} answers a commitment from before the latest epoch`;
    fail(why, "a commitment of that epoch", `entry ${committed}`);
  } else if (!known && it.mayAnswer(roll, number, committed, seq)) {
    Object.assign(roll, { outstanding: null, throws: number });
  } else if (!known) {
    const expected = open ? `entry ${open.seq}, throw ${open.number}` : "none is outstanding";
    const why = `the ask of ${id} does not answer the outstanding commitment`;
    fail(why, expected, `entry ${committed}, throw ${number}`);
  }
}

/** Who is asked for which link, and who is left out. */
function named(it, { by: seat, asked: links, left = [] }, id, seq) {
  const { seats } = it.shares;
  const fail = (...why) => it.report.fail(TRANSCRIPTS, seq, ...why);
  const names = links.map(([name]) => name);
  if (names.length > ASKED) {
    fail(`${id} asks too many seats`, `at most ${ASKED}`, names.length);
    return;
  }
  const ordered = names.every((name, at) => at === 0 || names[at - 1] < name);
  if (!ordered) fail(`${id} names seats twice or out of order`, "each once, by id", names.join(", "));
  if (!names.includes(seat)) fail(`${id} does not ask its roller`, seat, names.join(", ") || "nobody");
  if (!names.some((name) => name !== seat)) fail(`${id} asks its roller alone`, "another seat", seat);
  for (const [name, i] of links) counted(it, name, i, id, fail);
  const out = seats.anchored(null).filter((name) => !names.includes(name));
  if (out.join() !== left.join()) {
    const why = `${id} does not name the seats that it leaves out`;
    fail(why, out.join(", ") || "none", left.join(", ") || "none");
  }
}

/** The plan that an ask is right behind; null where it is hidden, and not disclosed. */
function planOf(it, event, { seq, commit }, id) {
  const { last } = it.shares;
  const plan = isPlan(last) ? last.event : null;
  const second = last?.entry.seq === commit && seq === commit + 1;
  if (second && last.event === null && isHidden(last.entry.class)) return null;
  const same = plan !== null && ["by", "roll", "throw"].every((name) => plan[name] === event[name]);
  if (!same || !second) {
    const why = `${id} asks without a plan of its dice`;
    it.report.fail(THROWS, seq, why, "throw-planned/1 right before", plan ? "another" : "none");
  }
  return plan;
}

/** A seat that is asked has an anchor, and opens the link whose turn it is. */
function counted(it, name, i, id, fail) {
  const { seats, whole } = it.shares;
  const { here, anchor } = seats.of(name);
  if (!here || anchor === null) {
    fail(`${id} asks seat ${name}, which has no anchor`, "a seat with an anchor", name);
    return;
  }
  anchor.asks++;
  // In some entries of a log the asks of other rolls are missing.
  const right = whole ? i === anchor.asks : i >= anchor.asks;
  if (!right) fail(`${id} does not ask seat ${name} for its next link`, anchor.asks, i);
  else if (i > CHAIN) fail(`${id} asks seat ${name} beyond its chain`, `at most ${CHAIN}`, i);
  anchor.asks = Math.max(anchor.asks, i);
}

/** A seat that was asked opened its share. */
export function opened(it, event, where) {
  const { shares, report } = it;
  const { by: seat, share } = event;
  report.looked(TRANSCRIPTS);
  mustBeOpen(it, event, where);
  const ask = shares.waiting(event, where.seq, TRANSCRIPTS);
  if (ask === null) return;
  const i = ask.asked.get(seat);
  if (i === undefined || ask.opened.has(seat)) {
    const what = i === undefined ? "was not asked" : "opened a share before";
    const expected = [...ask.asked.keys()].filter((each) => !ask.opened.has(each)).join(", ");
    report.fail(TRANSCRIPTS, where.seq, `seat ${seat} ${what}, for ${ask.id}`, expected, seat);
    return;
  }
  follows(it, seat, share, i, where.seq);
  it.uses.take("share", share, `seat ${seat} in ${ask.id}`, where.seq);
  ask.opened.set(seat, share);
  if (ask.opened.size === ask.asked.size) ask.full = { seq: where.seq, commit: where.commit };
}

/** A share hashes back to the newest link of its seat that is known. */
function follows(it, seat, share, i, seq) {
  const { anchor, links } = it.shares.seats.of(seat);
  if (anchor === null) return; // the ask failed
  const { link, at } = anchor;
  let found = share;
  const between = [share];
  for (let n = i; n > at && n <= CHAIN; n--) {
    found = linkBefore(it.facts.table, seat, found);
    between.push(found);
  }
  if (!isHash(share) || i <= at || i > CHAIN || found !== link) {
    const why = `the share of seat ${seat} is not link ${i} of its chain`;
    it.report.fail(TRANSCRIPTS, seq, why, `a link that leads to ${link}`, share);
    return;
  }
  for (const each of between) links.add(each);
  Object.assign(anchor, { link: share, at: i });
  it.shares.byKey(seat, anchor.seq);
}

/** A throw was broken off, for seats kept their shares back. */
export function broken(it, event, where) {
  const { shares, report } = it;
  const { seq, at } = where;
  mustBeOpen(it, event, where);
  const ask = shares.waiting(event, seq, THROWS);
  if (ask === null) return;
  const fail = (...why) => report.fail(THROWS, seq, ...why);
  const kept = [...ask.asked.keys()].filter((seat) => !ask.opened.has(seat)).sort();
  if (at < ask.at + BREAKING) {
    fail(`${ask.id} is broken off too early`, `${BREAKING} ms after the ask`, `${at - ask.at} ms`);
  }
  if (kept.join() !== event.kept.join()) {
    fail(`${ask.id} names others as keeping back`, kept.join(", "), event.kept.join(", ") || "nobody");
  }
  const roll = it.roll(event.roll);
  it.uses.take("seed", event.seed, ask.id, seq);
  if (roll.outstanding === null && isHash(event.seed)) {
    const why = `the commitment to the seed of ${ask.id} is not disclosed`;
    report.hidden(COMMITMENTS, seq, why);
  } else {
    checkSeed(it, roll, event, ask.id, seq);
  }
  roll.throws = event.throw + 1;
  it.publish(roll, roll.throws, event.next, where);
  shares.ask = null;
  for (const seat of event.kept) shares.levels.keptBack.add(seat);
  const why = `${ask.id} was broken off: ${event.kept.join(", ")} kept back`;
  report.look(THROWS, "broken", seq, why);
}

/** A throw is that which was asked for, and shows what was planned. */
export function asPlanned({ report }, ask, event, seq) {
  const { id } = ask;
  const pairs = [
    ["the roller", ask.seat, event.by],
    ["the number", ask.throw, event.proof.throw],
    ["the commitment", ask.committed, event.proof.committed ?? null],
    ...(ask.plan ? inPlan(ask.plan, event) : []),
  ];
  for (const [what, expected, found] of pairs) {
    if (expected === found) continue;
    const why = `${what} of ${id} is not as planned`;
    report.fail(THROWS, seq, why, expected ?? "none", found ?? "none");
  }
  const missing = [...ask.asked.keys()].filter((seat) => !ask.opened.has(seat)).join(", ");
  if (missing) {
    report.fail(THROWS, seq, `${id} falls before every share is open`, "every share", `not of ${missing}`);
  }
}

/** What a plan says of a throw; a die that is thrown again within it is planned once. */
function inPlan(plan, event) {
  const seen = new Set();
  const first = event.dice.filter(([die]) => !seen.has(die) && seen.add(die));
  const shown = (dice) => dice.map(([die, kind]) => `${die} ${kind}`).join(", ");
  return [
    ["what is thrown", FALLS[plan.trigger], event.type],
    ["the hand", plan.hand, event.hand],
    ["the option", plan.option ?? null, event.option ?? null],
    ["the list of dice", shown(plan.dice), shown(first)],
  ];
}
