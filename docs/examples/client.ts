// A client of `urim serve` in TypeScript: it comes in, keeps what it gets, and asks.
// `urim.d.ts` is served by every server at /urim.d.ts; save it beside this file.
//
//   const table = new Table("ws://127.0.0.1:8000", "mytable1", token, console.log);
//   table.ask({ do: "note/1", text: hash }, { salt, text });
import type { Command, EntryLine, FromClient, FromServer, Payload, Text } from "./urim";

type Answered = Extract<FromServer, { request: string | null }>;

export class Table {
  /** Entries by `seq`, as this seat may have them. */
  readonly entries = new Map<number, EntryLine>();
  private size = 0;
  private socket: WebSocket;
  private entered = false;
  private readonly asked = new Map<string, { frame: FromClient; answer: (it: Answered) => void }>();

  constructor(
    private readonly server: string,
    private readonly table: string,
    private readonly token: string,
    private readonly happened: (frame: FromServer) => void,
  ) {
    this.socket = this.open();
  }

  /** Send a command; the answer is `done`, `refused` or `later`: then `again` with the same. */
  ask(command: Command, text?: Text, request: string = crypto.randomUUID()): Promise<Answered> {
    const frame: FromClient = { type: "ask", request, body: JSON.stringify(command) };
    if (text !== undefined) frame.text = text;
    return new Promise((answer) => {
      this.asked.set(request, { frame, answer });
      if (this.entered) this.send(frame); // or else once the socket has entered
    });
  }

  private open(): WebSocket {
    const socket = new WebSocket(`${this.server}/tables/${this.table}/socket`);
    socket.onopen = () => this.send({ type: "enter", token: this.token, after: this.size - 1 });
    socket.onmessage = ({ data }) => this.take(JSON.parse(String(data)) as FromServer);
    socket.onclose = ({ code }) => {
      this.entered = false;
      const again = code < 4400 || code === 4413; // cut off, restarted, too slow: go on after `size`
      if (again) setTimeout(() => (this.socket = this.open()), 1_000);
    };
    return socket;
  }

  private send(frame: FromClient): void {
    this.socket.send(JSON.stringify(frame));
  }

  private answer(request: string, frame: Answered): void {
    this.asked.get(request)?.answer(frame);
    this.asked.delete(request);
  }

  private take(frame: FromServer): void {
    switch (frame.type) {
      case "commit":
        for (const line of [...frame.entries, ...(frame.changed ?? [])]) {
          this.entries.set(line.seq, line);
        }
        this.size = frame.size;
        break;
      case "done":
      case "refused":
      case "later":
        if (frame.request !== null) this.answer(frame.request, frame);
        break;
      case "entered": // what was not answered is sent again: under its id it is done once
        this.entered = true;
        this.asked.forEach(({ frame }) => this.send(frame));
        break;
      case "caught-up":
      case "present":
      case "waiting":
      case "proof":
      case "forked":
      case "left":
      case "behind":
        break;
      default: {
        const unknown: never = frame; // a frame that this file does not know is found by tsc
        void unknown;
      }
    }
    this.happened(frame);
  }
}

/** What an entry holds, in a sentence; null where it is sealed. */
export function inWords(line: EntryLine): string | null {
  if (line.payload == null) return null;
  const { event } = JSON.parse(line.payload) as Payload;
  switch (event.type) {
    case "dice-rolled/1":
      return `${event.by}: ${event.dice.map(([, , face]) => face).join(", ")}`;
    default:
      return `${event.by}: ${event.type}`;
  }
}
