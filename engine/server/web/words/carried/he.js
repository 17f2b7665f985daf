// @ts-check
/** The words of rolls that are taken to another device, in Hebrew. */

export const he = {
  "carried.help": "הטלות בשמות נשמרות בדפדפן הזה בלבד. קובץ מעביר את אלה של המושב הזה למכשיר אחר.",
  "carried.save": "לשמור אותן בקובץ",
  "carried.bring": "להביא אותן מקובץ",
  "carried.none": "אין בקובץ הטלות של המושב הזה.",
  "carried.brought": { one: "הטלה אחת כאן עכשיו.", two: "שתי הטלות כאן עכשיו.", other: "{n} הטלות כאן עכשיו." },
};
