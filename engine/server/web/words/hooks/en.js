// @ts-check
/** The words of where a seat is told what happens, in English. */

export const en = {
  "hooks.title": "Tell me here",
  "hooks.help": "This server calls an address of yours when it is your turn, when a roll that you see has ended, or when a dispute waits for your ruling.",
  "hooks.url": "Address",
  "hooks.url-help": "As a chat or a program of yours gave it to you. It is kept as a secret: nobody at the table sees it, and here only its host is shown.",
  "hooks.form": "Who is there",
  "hooks.content": "A chat",
  "hooks.content-help": "It is sent a text: Discord, Slack, Mattermost, a bridge to Matrix.",
  "hooks.standard": "A program",
  "hooks.standard-help": "It is sent JSON that is signed, as Standard Webhooks has it.",
  "hooks.view": "What is told",
  "hooks.view.seat": "What I see",
  "hooks.view.seat-help": "My turns, and what ended, hidden rolls that I see too: mind who reads it.",
  "hooks.view.table": "What everybody sees",
  "hooks.view.table-help": "Whoever is waited for, and what ended in the open: for a room that all read.",
  "hooks.make": "Tell me here",
  "hooks.secret": "The secret that signs what is sent, shown this once:",
  "hooks.test": "Call it now",
  "hooks.good": "It answered {status}: it works.",
  "hooks.bad": "It does not work: {why}",
  "hooks.end": "Take it away",
  "hooks.new": "Nothing was told yet.",
  "hooks.told": "Told last at {at}.",
  "hooks.failing": "Not reached since {at}: {why}. It is tried again.",
  "hooks.over": "Given up, since nothing was taken from {at} on: {why}. A call that works lets it go on.",
};
