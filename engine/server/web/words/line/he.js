// @ts-check
/** The words of the line that takes what people type, in Hebrew. */

export const he = {
  "line.title": "הטלה, או מה לעשות עכשיו",
  "line.do": "לבצע",
  "line.unknown": "„{word}” אינו פותח כאן דבר.",
  "line.more": "„{word}” היא מילה אחת יותר מדי.",
  "line.field": "„{word}” אינו שדה של ההטלה הזאת.",
  "line.value": "„{word}” אינו דבר ש־{name} מקבל.",
  "line.wrong": "„{word}” ב־{name} אינו קריא, או חורג מן הגבולות.",
  "line.missing": "{name} חסר.",
  "line.idle": "ל־{name} אין כאן משמעות.",
  "line.die": "„{word}” אינה אחת מן הקוביות האלה.",
  "line.faces": { one: "דרושה הפאה של קובייה אחת, ולא יותר.", two: "דרושות הפאות של שתי קוביות, ולא יותר.", other: "דרושות הפאות של {n} קוביות, ולא יותר." },
  "line.which": { one: "„{name}” אפשרי בהטלה אחת, ולא בזו.", two: "„{name}” אפשרי בשתי הטלות: ציינו באיזו.", other: "„{name}” אפשרי ב־{n} הטלות: ציינו באיזו." },
  "line.roll": "„{word}” אינו מספר של הטלה.",
  "line.title-of": "{who}: הטלה, או מה לעשות עכשיו",
  "line.several": "„{word}” יכול להיות כמה דברים.",
  "line.twice": "{name} נתון פעמיים.",
  "line.whose": "יש כמה אפשרויות ל„{name}”: בחרו למעלה של מי.",
  "line.label": "# לשם מה",
};
