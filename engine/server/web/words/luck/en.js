// @ts-check
/** The words of luck, in English. */

export const en = {
  "luck.title": "Was anybody unusually lucky or unlucky?",
  "luck.busy": "What each throw was worth is calculated …",
  "luck.none": "No roll has ended yet that could be counted.",
  "luck.nobody": "Nobody is outside their range.",
  "luck.successes.more": {
    one: "{who}: {luck} successes more than fair dice give on average, in one roll.",
    other: "{who}: {luck} successes more than fair dice give on average, in {n} rolls.",
  },
  "luck.successes.fewer": {
    one: "{who}: {luck} successes fewer than fair dice give on average, in one roll.",
    other: "{who}: {luck} successes fewer than fair dice give on average, in {n} rolls.",
  },
  "luck.points.more": {
    one: "{who}: {luck} points more than fair dice give on average, in one roll.",
    other: "{who}: {luck} points more than fair dice give on average, in {n} rolls.",
  },
  "luck.points.fewer": {
    one: "{who}: {luck} points fewer than fair dice give on average, in one roll.",
    other: "{who}: {luck} points fewer than fair dice give on average, in {n} rolls.",
  },
  "luck.range": "Range: from {least} fewer to {most} more.",
  "luck.lucky": "This is unusual: good luck.",
  "luck.unlucky": "This is unusual: bad luck.",
  "luck.standing": {
    one: "One throw is counted before rerolls or changes of its dice, whose effect is too complicated to calculate.",
    other: "{n} throws are counted before rerolls or changes of their dice, whose effect is too complicated to calculate.",
  },
  "luck.left": {
    one: "Not counted: one more throw, which is too complicated to calculate.",
    other: "Not counted: {n} more throws, which are too complicated to calculate.",
  },
  "luck.successes.counts": "A roll may have several throws. A throw counts much where it changed the chance of a success much, and little where it changed it little.",
  "luck.points.counts": "A throw counts by how far its total is above or below the average.",
  "luck.range.why": "How wide a range is depends on which dice were thrown, not only on how many; after few rolls hardly anybody can be outside. Look as often as you like: with fair dice, at most one table in a hundred ever has somebody outside the range.",
  "luck.not": "This does not say who played well or badly. It does not say what comes next: dice have no memory. And it does not say whether the dice are fair: that is what the seal above is about.",
};
