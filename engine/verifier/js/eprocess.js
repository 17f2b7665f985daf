// Bets against fair dice: a stake that grows on biased ones and, on fair ones, hardly ever does.

/** The κ that E is averaged over. */
const CONCENTRATIONS = [20, 100, 500, 2500];

/** Log of the mean of what these are logs of, and of `ones` more of which the log is 0. */
function logMean(logs, ones = 0) {
  const most = logs.reduce((one, other) => Math.max(one, other), ones ? 0 : -Infinity);
  const total = logs.reduce((sum, each) => sum + Math.exp(each - most), ones * Math.exp(-most));
  return most + Math.log(total / (logs.length + ones));
}

/** The places of a die's distinct faces, and 1/p of each: a face that is on it twice is as likely again. */
export function nullOf(faces) {
  const sides = new Map();
  for (const face of faces) sides.set(face, (sides.get(face) ?? 0) + 1);
  const odds = [...sides.values()].map((count) => faces.length / count);
  return { places: new Map([...sides.keys()].map((face, place) => [face, place])), odds };
}

/** The e-process of one kind of die: how often each face fell, log E now. */
class Process {
  constructor(kind) {
    Object.assign(this, { kind, counts: kind.odds.map(() => 0), dice: 0, now: 0 });
    this.logs = CONCENTRATIONS.map(() => 0);
  }

  /** Count the faces of one throw, [face, count] each: every die is bet on by those before it. */
  take(fallen) {
    for (const [face, count] of fallen) {
      const place = this.kind.places.get(face);
      const odds = this.kind.odds[place];
      for (let n = 0; n < count; n++) {
        CONCENTRATIONS.forEach((kappa, at) => {
          const [has, of] = [kappa / odds + this.counts[place], kappa + this.dice];
          this.logs[at] += Math.log((has / of) * odds);
        });
        this.counts[place]++;
        this.dice++;
      }
    }
    this.now = logMean(this.logs);
  }
}

/**
 * One sort of dice: an e-process a kind, and all together, half of the stake on their product and half
 * on their mean. `kinds` are the nulls of all kinds by name; `most` is the largest that log E ever was.
 */
export class Sort {
  constructor(kinds) {
    this.kinds = kinds;
    this.processes = new Map();
    this.dice = 0;
    this.most = 0;
  }

  /** Count one throw's dice: [kind, face, count] each. */
  take(fallen) {
    if (fallen.length === 0) return;
    const byKind = new Map();
    for (const [kind, face, count] of fallen) {
      if (!byKind.has(kind)) byKind.set(kind, []);
      byKind.get(kind).push([face, count]);
      this.dice += count;
    }
    for (const [kind, faces] of byKind) {
      if (!this.processes.has(kind)) this.processes.set(kind, new Process(this.kinds.of(kind)));
      this.processes.get(kind).take(faces);
    }
    const logs = [...this.processes.values()].map(({ now }) => now);
    const product = logs.reduce((sum, each) => sum + each, 0);
    const now = logMean([product, logMean(logs, this.kinds.size - logs.length)]);
    this.most = Math.max(this.most, now);
  }
}
