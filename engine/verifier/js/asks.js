// Level table: anchors, what a throw asks for, shares, breaks; `it` is the Rolls that they are of.

import { isHash } from "./bytes.js";
import { CHAIN, commitment, linkBefore, throwId } from "./throw.js";

const THROWS = 6;
const COMMITMENTS = 7;
const TRANSCRIPTS = 8;

/** Milliseconds after an ask from which on a throw may be broken off. */
const BREAKING = 10_000;

/** The dice that fall, by the trigger of their plan. */
const FALLS = { roll: "dice-rolled/1", reroll: "dice-rerolled/1" };

/** An event that is always open is hidden from somebody. */
function mustBeOpen(it, event, { seq, class: kind }) {
  if (kind === "open") return;
  const why = `${event.type} is for everybody to see, of hidden rolls too`;
  it.report.fail(TRANSCRIPTS, seq, why, "class open", `class ${kind}`);
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
    else if (known.key === null) report.note(TRANSCRIPTS, seq, `seat ${seat} anchors once more`);
  }
  links.add(anchor);
  known.anchor = { seq, link: anchor, at: 0, asks: 0 };
}

/** What a throw will show, before anybody is asked for a share of it. */
export function planned(it, event, where) {
  if (where.seq !== where.commit) {
    const why = "a throw is planned within another command's commit";
    it.report.fail(TRANSCRIPTS, where.seq, why, "a commit of its own", event.type);
  }
  it.shares.planned = { event, seq: where.seq };
}

/** The roller asked for shares, its own among them. */
export function asked(it, event, where) {
  const { shares, report } = it;
  const { seats } = shares;
  const roll = it.roll(event.roll);
  const { by: seat, throw: number, committed, asked: links, left = [] } = event;
  const id = throwId(it.facts.table, event.roll, number);
  report.looked(TRANSCRIPTS);
  const fail = (...why) => report.fail(TRANSCRIPTS, where.seq, ...why);
  mustBeOpen(it, event, where);
  it.answers(roll, number, committed, where, `the ask of ${id}`);
  if (shares.ask !== null) fail(`${id} asks while ${shares.ask.id} waits`, "one ask at a time", id);
  const plan = planOf(it, event, where, id);
  const level = shares.level(seat, roll);
  if (!roll.shadow && level !== "table") fail(`${id} takes no shares`, "level table", `level ${level}`);
  const names = links.map(([name]) => name);
  const ordered = names.every((name, at) => at === 0 || names[at - 1] < name);
  if (!ordered) fail(`${id} names seats twice or out of order`, "each once, by id", names.join(", "));
  if (!names.includes(seat)) fail(`${id} does not ask its roller`, seat, names.join(", ") || "nobody");
  if (!names.some((name) => name !== seat)) fail(`${id} asks its roller alone`, "another seat", seat);
  for (const [name, i] of links) counted(it, name, i, id, fail);
  const out = seats.anchored(seat).filter((name) => !names.includes(name));
  if (out.join() !== left.join()) {
    const why = `${id} does not name the seats that it leaves out`;
    fail(why, out.join(", ") || "none", left.join(", ") || "none");
  }
  shares.ask = {
    ...{ id, roll: event.roll, throw: number, seat, seq: where.seq, at: where.at, committed, plan },
    ...{ asked: new Map(links), opened: new Map(), full: null },
  };
}

/** The plan that an ask is right behind; null where it is hidden, and not disclosed. */
function planOf(it, event, { seq, commit }, id) {
  const { planned: found } = it.shares;
  it.shares.planned = null;
  const roll = it.roll(event.roll);
  if (found === null && !it.facts.disclosed.has(commit) && seq === commit + 1 && it.mayHide(roll)) {
    return null;
  }
  const plan = found?.event;
  const same = plan && ["by", "roll", "throw"].every((name) => plan[name] === event[name]);
  if (!same || found.seq !== seq - 1) {
    const why = `${id} asks without a plan of its dice`;
    it.report.fail(TRANSCRIPTS, seq, why, "throw-planned/1 right before", plan ? "another" : "none");
  }
  return plan ?? null;
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
  const ask = shares.waiting(event, where.seq);
  if (ask === null) return;
  const i = ask.asked.get(seat);
  const wrong =
    (i === undefined && ["was not asked", [...ask.asked.keys()].join(", ")]) ||
    (ask.opened.has(seat) && ["opened a share before", "one share"]) ||
    (!isHash(share) && ["opened no share", "64 hex digits"]);
  if (wrong) {
    const [why, expected] = wrong;
    report.fail(TRANSCRIPTS, where.seq, `seat ${seat} ${why}, for ${ask.id}`, expected, share);
    return;
  }
  it.use("share", share, `seat ${seat} in ${ask.id}`, where.seq);
  follows(it, seat, share, i, where.seq);
  ask.opened.set(seat, share);
  if (ask.opened.size === ask.asked.size) ask.full = where.commit;
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
  if (i <= at || found !== link) {
    const why = `the share of seat ${seat} is not link ${i} of its chain`;
    it.report.fail(TRANSCRIPTS, seq, why, `a link that leads to ${link}`, share);
    return;
  }
  for (const each of between) links.add(each);
  Object.assign(anchor, { link: share, at: i });
}

/** A throw was broken off, for seats kept their shares back. */
export function broken(it, event, where) {
  const { shares, report } = it;
  const { seq, at } = where;
  report.looked(TRANSCRIPTS);
  mustBeOpen(it, event, where);
  const ask = shares.waiting(event, seq);
  if (ask === null) return;
  const fail = (...why) => report.fail(TRANSCRIPTS, seq, ...why);
  const kept = [...ask.asked.keys()].filter((seat) => !ask.opened.has(seat)).sort();
  if (at < ask.at + BREAKING) {
    fail(`${ask.id} is broken off too early`, `${BREAKING} ms after the ask`, `${at - ask.at} ms`);
  }
  if (!kept.length) fail(`${ask.id} is broken off, and nobody kept a share back`, "the throw", "a break");
  if (kept.join() !== event.kept.join()) {
    fail(`${ask.id} names others as keeping back`, kept.join(", "), event.kept.join(", ") || "nobody");
  }
  const roll = it.roll(event.roll);
  it.use("seed", event.seed, ask.id, seq);
  seedOf(it, event, roll, ask.id, seq);
  roll.throws = event.throw + 1;
  it.publish(roll, roll.throws, event.next, where);
  shares.ask = null;
  for (const seat of event.kept) shares.keptBack.add(seat);
  report.note(TRANSCRIPTS, seq, `${ask.id} was broken off: ${event.kept.join(", ")} kept back`);
}

/** What a break opens is the seed that was committed to. */
function seedOf({ report }, event, roll, id, seq) {
  const open = roll.outstanding;
  const found = isHash(event.seed) ? commitment(id, event.seed) : "no seed";
  if (open === null) {
    report.unchecked(COMMITMENTS, seq, `there is no commitment to compare the seed of ${id} with`);
    return;
  }
  report.looked(COMMITMENTS);
  if (found !== open.commit) {
    report.fail(COMMITMENTS, seq, `another seed of ${id} was committed to`, open.commit, found);
  }
}

/** A throw shows exactly what was planned; a die that is thrown again within it is planned once. */
export function asPlanned(it, ask, event, seq) {
  const { report } = it;
  const { plan, id } = ask;
  const fail = (...why) => report.fail(THROWS, seq, ...why);
  if (event.by !== ask.seat) fail(`${id} is thrown by another seat than asked`, ask.seat, event.by);
  if (plan === null) return;
  const seen = new Set();
  const first = event.dice.filter(([die]) => !seen.has(die) && seen.add(die));
  const shown = (dice) => dice.map(([die, kind]) => `${die} ${kind}`).join(", ");
  const pairs = [
    ["what is thrown", FALLS[plan.trigger], event.type],
    ["the hand", plan.hand, event.hand],
    ["the option", String(plan.option ?? null), String(event.option ?? null)],
    ["the dice", shown(plan.dice), shown(first)],
  ];
  for (const [what, expected, found] of pairs) {
    if (expected !== found) fail(`${what} of ${id} is not as planned`, expected, found);
  }
}
