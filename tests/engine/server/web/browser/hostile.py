"""Fifty strings that somebody might put where a name belongs."""

OVERRIDES = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u061c\u200e\u200f"
"""What turns the direction of what follows, and does not end it."""

MARKS = "".join(map(chr, range(0x300, 0x34F)))
"""Combining marks."""

HTML = (
    "<b>bold</b>",
    "<script>globalThis.hostile = 1; alert(1)</script>",
    "<img src=x onerror='globalThis.hostile = 1; alert(1)'>",
    "<svg onload=alert(1)>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "</script><script>alert(1)</script>",
    "</title><style>* { display: none }</style>",
    "</textarea><input autofocus onfocus=alert(1)>",
    "<!-- a comment that never ends",
    "<a href='javascript:alert(1)'>press</a>",
    "<base href='//elsewhere.example/'>",
    "<meta http-equiv=refresh content='0;url=//elsewhere.example/'>",
    "<form action=//elsewhere.example/><button>send</button></form>",
    "<dialog open>",
    "<bdi></bdi></bdi></li></ol></main>",
    "&lt;b&gt; &amp; &#60;script&#62; &nbsp;",
    "'\"><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "javascript:alert(1)",
)

CODE = (
    "${globalThis.hostile = 1}",
    "{{constructor.constructor('alert(1)')()}}",
    "`;alert(1);//",
    "'; DROP TABLE entries; --",
    "__proto__",
    "constructor",
    "toString",
    '{"type": "done"}',
    "{who} {n} {roll}",
    "%s %n %x",
    "\\u003cscript\\u003e",
    "../../etc/passwd",
    "#i=urim-i1-" + "x" * 43,
    "null",
    "undefined",
    "NaN",
    "-0",
)

LETTERS = (
    "\u202egnp.exe",
    f"{OVERRIDES}abc{OVERRIDES}",
    "שלום \u202d hello \u202e םולש",
    "a\u200bb\u200cc\u200dd\ufeffe",
    f"Z{MARKS}a{MARKS}l{MARKS}go",
    "e\u0301" * 40,
    "👩‍👩‍👧‍👦🏳️‍🌈" * 12,
    "🎲" * 100,
    "﷽" * 50,
    "ａｂｃ ⅷ ℵ א ـــ",
    "W" * 10_000,
    "longwordwithoutablank" * 400,
    "\u00a0\u3000 x \u2028\u2029 y",
    "x\ty\nz",
    "שגיאה" * 1000,
)

STRINGS = (*HTML, *CODE, *LETTERS)
