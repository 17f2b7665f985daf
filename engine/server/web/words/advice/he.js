// @ts-check
/** The words of what a way to decide is worth, in Hebrew. */

export const he = {
  "advice.none": "שום מספר אינו מתיר עצות בהטלה הזאת.",
  "advice.soon": "עצות באות אחרי שנפלו קוביות.",
  "advice.allow": "להתיר עצות בשולחן הזה",
  "advice.back": "לא להתיר עוד עצות בשולחן הזה",
  "advice.aim": "מה רוצים:",
  "advice.success": "הצלחה",
  "advice.above 0": "הפרש מעל 0",
  "advice.margin": "הפרש גבוה ככל האפשר",
  "advice.busy": "הדרכים נספרות …",
  "advice.nothing": "אין מה להחליט: {worth}.",
  "advice.played": { one: "הערכה: בפעם אחת זה שווה {worth}.", other: "הערכה: ב־{n} משחקים זה שווה {worth} ± {error}." },
  "advice.play": "מי שצריך להחליט בחר במה שהיה הטוב ביותר לו נשארו מאז כל הקוביות כפי שנפלו.",
  "advice.again": "להטיל שוב",
  "advice.keep": "לשמור",
  "advice.rest": { one: ", להטיל שוב קובייה אחת", other: ", להטיל שוב {n} קוביות" },
  "advice.first": { one: "להטיל קובייה אחת", other: "להטיל {n} קוביות" },
  "advice.freeze": "להשאיר את הקוביות כמות שהן",
  "advice.resolve": "להכריז כמות שזה",
  "advice.adjust": "להפוך",
  "advice.plain": "לשמור מה שנחשב ולהטיל שוב את השאר שווה {worth}, במרחק {lost} מהטוב ביותר:",
  "advice.against": "מי שמחליט כאן רוצה מזה כמה שפחות: המעט ביותר בא ראשון.",
  "advice.opponent": "ההנחה היא שהצד השני עושה מה שטוב לו.",
};
