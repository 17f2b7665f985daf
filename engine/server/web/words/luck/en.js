// @ts-check
/** The words of luck, in English. */

export const en = {
  "luck.title": "Was anybody lucky?",
  "luck.busy": "What each throw was worth is calculated …",
  "luck.none": "No roll has ended yet that could be counted.",
  "luck.successes.more": {
    one: "{who}: {luck} successes more than average, in one roll.",
    other: "{who}: {luck} successes more than average, in {n} rolls.",
  },
  "luck.successes.fewer": {
    one: "{who}: {luck} successes fewer than average, in one roll.",
    other: "{who}: {luck} successes fewer than average, in {n} rolls.",
  },
  "luck.points.more": {
    one: "{who}: {luck} points more than average, in one roll.",
    other: "{who}: {luck} points more than average, in {n} rolls.",
  },
  "luck.points.fewer": {
    one: "{who}: {luck} points fewer than average, in one roll.",
    other: "{who}: {luck} points fewer than average, in {n} rolls.",
  },
  "luck.normal": "Normal: from {least} fewer to {most} more.",
  "luck.lucky": "That is unusually many: good luck.",
  "luck.unlucky": "That is unusually few: bad luck.",
  "luck.standing": { one: "One throw is counted as its dice fell, without rerolls or adjustments: the rest is too complicated to calculate.", other: "{n} throws are counted as their dice fell, without rerolls or adjustments: the rest is too complicated to calculate." },
  "luck.left": { one: "Left out: one throw that is too complicated to calculate.", other: "Left out: {n} throws that are too complicated to calculate." },
  "luck.claims": "A throw counts by how much it changed what its roll is worth: a die that decided counts, one that did not hardly does. To look often gives no more false alarms: about one in a hundred tables with fair dice, or fewer, ever has somebody outside what is normal. This does not say whether the dice are fair, which is checked above, who played well, or what comes next.",
};
