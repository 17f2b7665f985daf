// @ts-check
/** The words of the link of a roll, in English. */

export const en = {
  "link.help": "Who has this link sees the roll as it is now, with its proof, and needs no seat. The proof has more in it: the rolls of its chain, notes and reasons about them, all characters with their sheets, and the names of people at this table.",
  "link.open": "Open it",
  "link.none": "No link may show this roll. A narrator may allow it.",
  "link.allow": "Allow a link to this roll",
  "link.back": "Take the link back",
  "link.allow-all": "Allow links to every open roll of this table",
  "link.back-all": "Allow no links at this table any more",
};
