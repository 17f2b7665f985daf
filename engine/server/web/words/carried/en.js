// @ts-check
/** The words of rolls that are taken to another device, and of characters to another table, in English. */

export const en = {
  "carried.help": "Rolls under names are on this browser alone. A file takes those of this seat to another device.",
  "carried.save": "Save them as a file",
  "carried.bring": "Bring them from a file",
  "carried.none": "The file has no rolls of this seat.",
  "carried.brought": { one: "{n} roll is here now.", other: "{n} rolls are here now." },
  "carried.leave": "Save as a file",
  "carried.leave-help": "For the next table: what it has now, and that it was at this one.",
  "carried.arrived": { one: "As it was at table {table}, with one entry. Look at it, then bring it.", other: "As it was at table {table}, with {n} entries. Look at it, then bring it." },
  "carried.tracks": "A narrator is to set: {tracks}.",
  "carried.no-sheet": "That is no character that was saved at a table.",
  "carried.other-system": "It is a character of {theirs}; this table plays {ours}.",
};
