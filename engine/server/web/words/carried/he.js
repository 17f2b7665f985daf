// @ts-check
/** The words of rolls that are taken to another device, and of characters to another table, in Hebrew. */

export const he = {
  "carried.help": "הטלות בשמות נשמרות בדפדפן הזה בלבד. קובץ מעביר את אלה של המושב הזה למכשיר אחר.",
  "carried.save": "לשמור אותן בקובץ",
  "carried.bring": "להביא אותן מקובץ",
  "carried.none": "אין בקובץ הטלות של המושב הזה.",
  "carried.brought": { one: "הטלה אחת כאן עכשיו.", two: "שתי הטלות כאן עכשיו.", other: "{n} הטלות כאן עכשיו." },
  "carried.leave": "לשמור בקובץ",
  "carried.leave-help": "לשולחן הבא: מה שיש לה עכשיו, ושהייתה בשולחן הזה.",
  "carried.arrived": { one: "כפי שהייתה בשולחן {table}, עם רשומה אחת. לעבור עליה, ואז להביא אותה.", two: "כפי שהייתה בשולחן {table}, עם שתי רשומות. לעבור עליה, ואז להביא אותה.", other: "כפי שהייתה בשולחן {table}, עם {n} רשומות. לעבור עליה, ואז להביא אותה." },
  "carried.tracks": "על המנחה לקבוע: {tracks}.",
  "carried.no-sheet": "זו אינה דמות שנשמרה בשולחן.",
  "carried.other-system": "זו דמות של {theirs}; בשולחן הזה משחקים {ours}.",
};
