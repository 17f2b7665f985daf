// What people decided, with their reasons; what was erased; what was kept hidden.

const PAYLOADS = 5;
const RULINGS = 14;
const HIDDEN = 15;

const DECISIONS = {
  "dispute-raised/1": () => "disputed it",
  "ruling-made/1": (event) => `ruled "${event.ruling}" on the dispute of entry ${event.dispute}`,
  "roll-amended/1": (event) => `amended what ${event.character} had declared`,
  "declaration-vetoed/1": () => "vetoed the declaration",
  "declaration-replaced/1": () => "replaced the declaration",
};

/** Follows decisions, notes and erasures; each may concern an entry far before it. */
export class People {
  constructor(report, scope) {
    Object.assign(this, { report, scope });
    this.decisions = [];
    this.latest = null;
    this.notes = new Map();
    this.erased = new Map();
    this.opened = new Set();
    this.withheld = { open: [], hidden: [] };
    this.hidden = 0;
  }

  /** An entry, with its event where that is disclosed and could be read. */
  take(entry, event) {
    const { seq } = entry;
    if (entry.class === "hidden") this.hidden++;
    if (entry.payload === undefined) {
      this.withheld[entry.class].push(seq);
      // The entry right behind a decision is its reason.
      if (this.latest?.class === entry.class) this.latest.gone = true;
      if (entry.class === "open") this.latest = null;
      return;
    }
    this.opened.add(seq);
    if (event === null) return;
    if (event.type === "entry-erased/1") this.#erase(seq, event);
    if (event.type === "noted/1") this.#note(event);
    if (event.type in DECISIONS) this.#decide(entry, event);
    else if (event.type !== "roll-voided/1") this.latest = null;
  }

  /** A decision; rolls that follow an amended one are amended with it, for the same reason. */
  #decide(entry, event) {
    const { seq } = entry;
    const along = event.type === "roll-amended/1" && this.latest?.event.by === event.by;
    if (along) return;
    this.latest = { seq, class: entry.class, event, gone: false };
    this.decisions.push(this.latest);
  }

  #note({ about, text }) {
    if (!this.notes.has(about)) this.notes.set(about, []);
    this.notes.get(about).push(text);
  }

  #erase(seq, { seq: gone }) {
    this.report.looked(PAYLOADS);
    if (gone >= seq || gone < 0) {
      this.report.fail(PAYLOADS, seq, "an erasure of no earlier entry", `below ${seq}`, gone);
    } else if (this.opened.has(gone)) {
      const [why, found] = [`erased by entry ${seq}, but still there`, "salt and payload"];
      this.report.fail(PAYLOADS, gone, why, "neither salt nor payload", found);
    }
    this.erased.set(gone, seq);
  }

  /** Checks that need every entry. */
  end() {
    for (const seq of this.withheld.open) {
      if (!this.erased.has(seq)) {
        const why = "an open entry is withheld, and no later one erased it";
        this.report.fail(PAYLOADS, seq, why, "salt and payload", "neither");
      }
    }
    this.decisions.forEach((decision) => this.#judge(decision));
    const count = this.decisions.length;
    this.report.say(RULINGS, count ? `${count} decided, listed below` : "nobody decided anything");
    this.#countHidden();
  }

  #judge({ seq, event, gone }) {
    this.report.looked(RULINGS);
    const text = `roll ${event.roll}: ${event.by} ${DECISIONS[event.type](event)}`;
    const reasons = this.notes.get(seq);
    if (reasons) this.report.note(RULINGS, seq, `${text}: ${reasons.join(" / ")}`);
    else if (gone) this.report.note(RULINGS, seq, `${text}; the reason is erased or hidden`);
    else if (this.scope === "table") this.report.finding(RULINGS, seq, `${text}, without a reason`);
    else this.report.unchecked(RULINGS, seq, `${text}; the reason is not in the file`);
  }

  #countHidden() {
    this.report.looked(HIDDEN, this.hidden);
    const kept = this.withheld.hidden.filter((seq) => !this.erased.has(seq)).length;
    if (kept) this.report.unchecked(HIDDEN, null, `${kept} hidden entries are not disclosed`);
    const summary = this.hidden ? `${this.hidden} hidden, ${kept} not disclosed` : "nothing was hidden";
    this.report.say(HIDDEN, summary);
  }
}
