// The face tables of the systems that come with Urim; made by engine/verifier/build.py.

/** System -> version, faces by kind of die, readings that change them, own dice. */
export const SYSTEMS = {
  "milhamah": {"version": 1, "faces": {"location": ["א", "ב", "ג", "ד", "ה", "ו", "ז", "ח", "ט", "י", "כ", "ל", "מ", "נ", "ס", "ע", "פ", "צ", "ק", "ר", "ש", "ת", "*", "*"], "red-a": ["א", "ת", "ב", "ש", "ג", "ר", "ד", "ק", "ה", "צ", "ו", "*"], "red-b": ["ז", "ע", "ח", "ס", "ט", "נ", "י", "מ", "כ", "ל", "פ", "*"], "blue-a": ["א", "ל", "ב", "מ", "ג", "נ", "ד", "ס", "ה", "ע", "ו", "*"], "blue-b": ["ז", "צ", "ח", "ק", "ט", "ר", "י", "ש", "כ", "ת", "פ", "*"], "green-a": ["א", "כ", "ב", "י", "ג", "ט", "ד", "ח", "ה", "ז", "ו", "*"], "green-b": ["ל", "ת", "מ", "ש", "נ", "ר", "ס", "ק", "ע", "צ", "פ", "*"]}, "readings": [{"name": "location_die", "usual": "wilds", "others": [{"value": "letters", "faces": {"location": ["א", "ב", "ג", "ד", "ה", "ו", "ז", "ח", "ט", "י", "כ", "ל", "מ", "נ", "ס", "ע", "פ", "צ", "ק", "ר", "ש", "ת"]}}]}], "own": "faces"},
  "sagatafl": {"version": 1, "faces": {"d12": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, "readings": [], "own": null},
  "majesty": {"version": 1, "faces": {"d12": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, "readings": [], "own": null},
  "scarterra": {"version": 1, "faces": {"d10": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, "readings": [], "own": null},
  "age_of_magic": {"version": 1, "faces": {"d6": [1, 2, 3, 4, 5, 6]}, "readings": [], "own": null},
};
