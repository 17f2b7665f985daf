// @ts-check
/** The words of what a way to decide is worth, in English. */

export const en = {
  "advice.none": "No narrator allows advice in this roll.",
  "advice.soon": "There is advice once dice have fallen.",
  "advice.allow": "Allow advice at this table",
  "advice.back": "Allow no advice at this table any more",
  "advice.aim": "Wanted:",
  "advice.success": "a success",
  "advice.above 0": "a margin above 0",
  "advice.margin": "as high a margin as can be",
  "advice.busy": "The ways are counted …",
  "advice.nothing": "There is nothing to decide: {worth}.",
  "advice.played": { one: "An estimate: played once, it is worth {worth}.", other: "An estimate: played {n} times, it is worth {worth} ± {error}." },
  "advice.play": "Where something was to be decided, it was what would be best if all dice were then left as they fall.",
  "advice.again": "throw again",
  "advice.keep": "keep",
  "advice.rest": { one: ", throw one die again", other: ", throw {n} dice again" },
  "advice.first": { one: "throw one die", other: "throw {n} dice" },
  "advice.freeze": "leave the dice as they are",
  "advice.resolve": "announce it as it is",
  "advice.adjust": "turn",
  "advice.plain": "To keep what counts and throw the rest again is worth {worth}, {lost} from the best:",
  "advice.against": "Who decides here wants as little of it as can be: the least comes first.",
  "advice.opponent": "The other side is taken to do what is best for it.",
};
