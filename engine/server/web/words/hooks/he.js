// @ts-check
/** The words of where a seat is told what happens, in Hebrew. */

export const he = {
  "hooks.title": "לספר לי כאן",
  "hooks.help": "השרת הזה קורא לכתובת שלך כשהתור שלך, כשהטלה שרואים מכאן הסתיימה, או כשערעור ממתין להכרעה שלך.",
  "hooks.url": "כתובת",
  "hooks.url-help": "כפי שצ׳אט או תוכנה נתנו אותה. היא נשמרת כסוד: איש בשולחן אינו רואה אותה, וכאן מוצג רק המארח שלה.",
  "hooks.form": "מי נמצא שם",
  "hooks.content": "צ׳אט",
  "hooks.content-help": "נשלח אליו טקסט: דיסקורד, סלאק, מאטרמוסט, גשר למטריקס.",
  "hooks.standard": "תוכנה",
  "hooks.standard-help": "נשלח אליה JSON חתום, כפי ש־Standard Webhooks קובע.",
  "hooks.view": "מה מספרים",
  "hooks.view.seat": "מה שרואים מכאן",
  "hooks.view.seat-help": "התורות שלי ומה שהסתיים, גם הטלות נסתרות שרואים מכאן: כדאי לדעת מי קורא.",
  "hooks.view.table": "מה שכולם רואים",
  "hooks.view.table-help": "למי ממתינים, ומה שהסתיים בגלוי: לחדר שכולם קוראים.",
  "hooks.make": "לספר לי כאן",
  "hooks.secret": "הסוד שחותם על מה שנשלח, מוצג רק הפעם:",
  "hooks.test": "לקרוא לה עכשיו",
  "hooks.good": "התשובה הייתה {status}: זה עובד.",
  "hooks.bad": "זה אינו עובד: {why}",
  "hooks.end": "להסיר",
  "hooks.new": "עוד לא סופר דבר.",
  "hooks.told": "סופר לאחרונה: {at}.",
  "hooks.failing": "אין מענה מאז {at}: {why}. מנסים שוב.",
  "hooks.over": "ויתרנו, כי דבר לא התקבל מאז {at}: {why}. קריאה שעובדת מחדשת אותה.",
};
