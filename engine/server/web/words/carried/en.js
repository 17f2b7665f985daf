// @ts-check
/** The words of rolls that are taken to another device, in English. */

export const en = {
  "carried.help": "Rolls under names are on this browser alone. A file takes those of this seat to another device.",
  "carried.save": "Save them as a file",
  "carried.bring": "Bring them from a file",
  "carried.none": "The file has no rolls of this seat.",
  "carried.brought": { one: "{n} roll is here now.", other: "{n} rolls are here now." },
};
