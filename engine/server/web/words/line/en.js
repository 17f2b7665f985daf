// @ts-check
/** The words of the line that takes what people type, in English. */

export const en = {
  "line.title": "A roll, or what is to be done next",
  "line.do": "Do it",
  "line.unknown": "“{word}” begins nothing here.",
  "line.more": "“{word}” is one word too many.",
  "line.field": "“{word}” is no field of this roll.",
  "line.value": "“{word}” is nothing that {name} takes.",
  "line.wrong": "“{word}” in {name} cannot be read, or is outside the bounds.",
  "line.missing": "{name} is missing.",
  "line.idle": "{name} has no meaning here.",
  "line.die": "“{word}” is no die of this hand.",
  "line.faces": { one: "The face of {n} die is needed, and no more.", other: "The faces of {n} dice are needed, and no more." },
  "line.which": { one: "“{name}” is possible in {n} roll, and not in that one.", other: "“{name}” is possible in {n} rolls: say in which." },
  "line.roll": "“{word}” is the number of no roll.",
  "line.title-of": "{who}: a roll, or what is to be done next",
  "line.several": "“{word}” may be several.",
  "line.twice": "{name} is given twice.",
  "line.whose": "Several may “{name}”: choose whose above.",
  "line.label": "# what it is for",
};
