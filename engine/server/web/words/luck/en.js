// @ts-check
/** The words of luck, in English. */

export const en = {
  "luck.title": "Was anybody lucky?",
  "luck.busy": "What each throw was worth is counted …",
  "luck.none": "No throw has been counted yet: luck is told of rolls that have ended.",
  "luck.successes": {
    one: "{who}: {luck} successes beside what was to be expected, in one roll.",
    other: "{who}: {luck} successes beside what was to be expected, in {n} rolls.",
  },
  "luck.points": {
    one: "{who}: {luck} points beside what was to be expected, in one roll.",
    other: "{who}: {luck} points beside what was to be expected, in {n} rolls.",
  },
  "luck.bounds": "From {least} to {most} is as dice fall.",
  "luck.lucky": "That is luck.",
  "luck.unlucky": "That is bad luck.",
  "luck.left": { one: "One throw is in no sum: it is too much to count.", other: "{n} throws are in no sum: they are too much to count." },
  "luck.claims": "A throw counts for what it changed. The bounds hold however often you look: of a hundred tables with fair dice, one at most ever calls anybody lucky or unlucky. Whether the dice are fair is another question: above stands what is proved.",
};
