// The level of each throw: which is due as the table stands, and how many there are of each.

import { COUNTED } from "./faces.js";

const TRANSCRIPTS = 8;

/** Rolls of which is kept that they named a lower level than was due. */
const NAMED = 100;

const LEVELS = ["table", "player", "server"];

/** Of one level: throws, of them a narrator's and those without a seat; seats asked, and left out. */
const noThrows = () => ({ throws: 0, narrators: 0, passed: 0, asked: 0, left: 0 });

/** Follows who kept a share back; `it` is the Rolls that this is of, `seats` the seats. */
export class Levels {
  constructor(it, seats) {
    Object.assign(this, { it, seats });
    this.keptBack = new Set();
    this.counts = { ...Object.fromEntries(LEVELS.map((level) => [level, noThrows()])), other: 0 };
    /** By roll the throws for which table was due, and its declaration named less. */
    this.lowered = new Map();
  }

  /** The level that is due for a throw of a seat in a roll; `named` by its declaration. */
  due(seat, roll, named = roll.level) {
    const { level, source, oneMachine, core } = this.it.facts;
    if (named !== null || source !== "fair" || oneMachine) return named ?? level;
    const early = this.seats.of(seat).role === "narrator" || this.it.mayHide(roll); // of version 0.2
    const watched = core >= COUNTED ? level !== "server" : early;
    return watched && this.seats.anchored(seat).length ? "table" : level;
  }

  /** The level at which that throw is made: player where nobody else can be asked. */
  next(seat, roll) {
    const due = this.due(seat, roll);
    const others = this.seats.anchored(seat).filter((id) => !this.keptBack.has(id));
    return due === "table" && !others.length ? "player" : due;
  }

  /** A throw fell for which shares were asked. */
  asked({ seat, asked, left }) {
    this.#count("table", seat, asked.size, left.length);
  }

  #count(level, seat, asked, left) {
    const count = this.counts[level];
    count.throws++;
    if (this.seats.of(seat).role === "narrator") count.narrators++;
    if (left) count.passed++;
    count.asked += asked;
    count.left += left;
  }

  /** A throw fell for which nobody was asked. */
  alone(seat, roll) {
    const { lowered } = this;
    this.#count(this.due(seat, roll) === "server" ? "server" : "player", seat, 0, 0);
    const less = roll.level === "server" || roll.level === "player";
    if (!less || this.due(seat, roll, null) !== "table") return;
    const known = lowered.get(roll.number) ?? 0;
    if (known || lowered.size < NAMED) lowered.set(roll.number, known + 1);
  }

  /** Checks that need every entry. */
  end() {
    const { report } = this.it;
    for (const [roll, count] of this.lowered) {
      const why = `roll ${roll} names a level below table, which was due for ${count} of its throws`;
      report.look(TRANSCRIPTS, "lower-level", null, why);
    }
    const { table, player, server } = this.counts;
    const some = (count, words) => (count ? ` (${count} ${words})` : "");
    const said = [
      `${table.throws} at level table${some(table.passed, "without a seat that has an anchor")}`,
      `${player.throws} at level player${some(player.narrators, "by a narrator")}`,
      `${server.throws} at level server`,
    ];
    report.say(TRANSCRIPTS, said.filter((each) => !each.startsWith("0")).join(", "));
  }
}
