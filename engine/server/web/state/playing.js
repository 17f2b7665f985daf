// @ts-check
// The seat that plays on this page: what it knows is shown, with the server's words about it.

import { say } from "../words/index.js";
import { Reader } from "./reader.js";
import { Seat } from "./seat.js";
import * as shown from "./signals.js";
import { isOld } from "./version.js";

/**
 * @import { Times } from "./feed.js"
 * @import { Keeper, KeptSeat } from "./kept.js"
 * @import { Changed } from "./seat.js"
 */

/** The seat that plays on this page. */
export class Playing extends Seat {
  #over = false;

  /**
   * @param {KeptSeat} kept
   * @param {{origin: string, keeper: Keeper, times?: Times, tell?: (text: string, kind?: "info"|"warning") => void}} where
   *   `tell` shows the player a text, or the words of a key
   */
  constructor(kept, { origin, keeper, times, tell = () => undefined }) {
    super(kept, {
      origin, keeper, ...(times ? { times } : {}),
      changed: (what) => this.#show(what),
      told: (what, given) => (what === "elsewhere" ? tell("shares.elsewhere") : tell(say(`shares.${what}`, given), what === "ruled" ? "info" : "warning")),
      words: { get back() { return say("shares.back"); } }, // in the language of then
    });
    const { table, token } = kept;
    this.reader = new Reader({ origin, table, token, changed: (sight) => this.#bound(sight) });
  }

  /** Stop; what was shown can still be read. @param {string} [why] */
  end(why) {
    super.end(why);
    this.#over = true;
    this.reader.stop();
  }

  /** @param {import("../urim").Command} command @param {string|null} [text] @returns {Promise<import("./requests.js").Outcome>} */
  async ask(command, text = null) {
    shown.commands.value = { ...shown.commands.value, asked: shown.commands.value.asked + 1 };
    const outcome = await super.ask(command, text);
    const first = outcome.type === "done" ? outcome.seqs[0] : null;
    const { roll } = this.table.log.find(({ seq }) => seq === first) ?? {};
    if (roll) this.keeper.keep(`acted/${this.key}`, [...shown.acted.add(roll)]); // after a reload, too, it goes on
    shown.commands.value = { ...shown.commands.value, ended: shown.commands.value.ended + 1 };
    return outcome;
  }

  /** @param {Changed} what */
  #show(what) {
    if (this.#over) return; // another seat is shown by now
    if (what === "again") return void this.#versioned();
    if (what === "table" || what === "kept") shown.live.value = this.table;
    else shown[what].value = /** @type {any} */ (this[what]);
    if (what === "table" || what === "waiting") this.reader.refetch();
    if (what === "link" && this.link.state === "stopped") this.#gone(this.link.why);
  }

  /** @param {import("../urim").Sight} sight */
  #bound({ tracks }) {
    this.bound(tracks);
    shown.live.value = this.table;
  }

  /** @param {string} why */
  #gone(why) {
    if (why === "no-token" || why === "left" || why === "no-right") {
      shown.place.value = { name: "dead", why, table: this.kept.table };
    }
  }

  /** After a cut another version may be served. */
  async #versioned() {
    if (await isOld(this.origin)) shown.stale.value = true;
  }
}
