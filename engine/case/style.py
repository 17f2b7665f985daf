"""The style of a case's page: light and dark, a phone, print. It names fonts by family only."""

STYLE = """
:root{color-scheme:light dark;--ground:#f6f5f1;--sheet:#fff;--ink:#1d2026;--faint:#5a5f69;
--line:#d9d7d0;
--gold:#f3c94b;--gold-ink:#2b2100;--gold-line:#a67c00;--pale:#efede7;--pale-ink:#555b66;
--accent:#1f4e79;
--good:#17683a;--bad:#a3161f;--warm:#fbf3df;--warm-line:#d7a93a;
font:100%/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans Hebrew",sans-serif}
@media (prefers-color-scheme:dark){:root{--ground:#14161a;--sheet:#1c1f25;--ink:#e8e6e1;
--faint:#a2a7b1;
--line:#343943;--gold:#e0b43a;--gold-ink:#1d1600;--gold-line:#ffdf85;--pale:#2a2e36;
--pale-ink:#b3b8c2;
--accent:#8ab8e6;--good:#7fd6a0;--bad:#ff9a9a;--warm:#2b2617;--warm-line:#8d7030}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink)}
main{max-width:52rem;margin:0 auto;padding:1.25rem 1rem 3rem;overflow-wrap:anywhere}
h1{margin:0;font-size:1.6rem;line-height:1.2}
h2{margin:2.2rem 0 .6rem;font-size:1.2rem;border-bottom:1px solid var(--line);
padding-bottom:.25rem}
h3{margin:1.2rem 0 .4rem;font-size:1rem}
p{margin:.4rem 0}
a{color:var(--accent)}
.sub,.small{color:var(--faint);font-size:.9rem}
.tale{font-size:1.08rem;margin:.9rem 0}
.boxes{display:grid;grid-template-columns:repeat(4,1fr);gap:.6rem;margin:1rem 0}
.box{background:var(--sheet);border:1px solid var(--line);border-radius:10px;
padding:.6rem .75rem}
.box h3{margin:0;font-size:.85rem;font-weight:400;color:var(--faint)}
.box b{display:block;font-size:1.15rem;line-height:1.25}
.box p{margin:.3rem 0 0;font-size:.85rem;color:var(--faint)}
.bad b{color:var(--bad)}
.good b{color:var(--good)}
.dispute{background:var(--warm);border:1px solid var(--warm-line);border-radius:10px;
padding:.75rem 1rem;margin:.8rem 0}
blockquote{margin:.3rem 0;padding-inline-start:.8rem;
border-inline-start:3px solid var(--warm-line)}
.step blockquote{border-color:var(--line)}
.log{border-radius:8px;background:var(--sheet);padding:.5rem .75rem;margin:.6rem 0;
border:1px solid var(--line)}
.log b{display:block}
.more{border:0;background:none;padding:0;font-size:.92rem}
ol.steps{list-style:none;margin:0;padding:0}
.step{display:grid;grid-template-columns:2.2rem 1fr;gap:0 .6rem;padding:.55rem 0;
border-top:1px solid var(--line)}
.step:first-child{border-top:0}
.n{font-weight:700;text-align:end;color:var(--faint);font-variant-numeric:tabular-nums}
.step time{float:inline-end;color:var(--faint);font-size:.8rem;margin-inline-start:.6rem}
.dice{display:flex;flex-wrap:wrap;gap:.35rem;list-style:none;margin:.4rem 0;padding:0}
.die{min-width:2.7rem;padding:.1rem .35rem .2rem;border:2px solid var(--line);border-radius:8px;
background:var(--pale);
color:var(--pale-ink);text-align:center;line-height:1.15;break-inside:avoid}
.die i{display:block;font-style:normal;font-size:.72rem}
.die b{font-size:1.2rem}
.die del,.die ins{font-size:.85rem;margin-inline-end:.25rem}
.die ins{font-weight:700;text-decoration:none}
.die.gold{background:var(--gold);border-color:var(--gold-line);color:var(--gold-ink)}
.die.again{border-style:dashed;border-color:currentColor}
.part{color:var(--accent);font-size:.85rem}
table{border-collapse:collapse;width:100%;margin:.4rem 0}
td,th{padding:.25rem .5rem;text-align:start;vertical-align:top;font-weight:400;
border-top:1px solid var(--line)}
.sum td:first-child{text-align:end;white-space:nowrap;font-variant-numeric:tabular-nums;
width:5rem}
.sum td:last-child{color:var(--faint);font-size:.9rem}
.sum tr.total{font-weight:700}
.sum tr.total th{font-weight:700}
thead th{color:var(--faint);font-size:.9rem;border-top:0}
.mark{font-weight:700}
.yes .mark{color:var(--good)}
.no .mark{color:var(--bad)}
details{margin-top:2rem;border:1px solid var(--line);border-radius:10px;background:var(--sheet);
padding:.6rem .9rem}
summary{cursor:pointer;font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--ground);
border:1px solid var(--line);border-radius:6px;
padding:.5rem;font:.72rem/1.45 ui-monospace,Consolas,"DejaVu Sans Mono",monospace;
margin:.4rem 0;tab-size:2}
footer{margin-top:2rem;border-top:1px solid var(--line);padding-top:.6rem;color:var(--faint);
font-size:.9rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (max-width:40rem){.boxes{grid-template-columns:1fr 1fr}
.step{grid-template-columns:1.6rem 1fr}
.sum tr{display:grid;grid-template-columns:3.2rem 1fr;border-top:1px solid var(--line)}
.sum td,.sum th{border:0}
.sum td:first-child{width:auto}
.sum td:last-child{grid-column:2;padding-top:0}
h1{font-size:1.35rem}
.what thead{display:none}
.what tr{display:block;
border-top:1px solid var(--line);padding:.3rem 0}
.what td,.what th{display:block;border:0;padding:.1rem 0}
.what td[data-is]::before{content:attr(data-is) ": ";color:var(--faint)}}
@media print{:root{--ground:#fff;--sheet:#fff;--ink:#000;--faint:#333;--line:#999;--warm:#fff;
--pale:#fff;
--pale-ink:#333;--gold:#ffe08a;--gold-ink:#000;--gold-line:#7a5a00;--accent:#000;--good:#000;
--bad:#000;
color-scheme:light;font-size:10pt}
.die,.box,.dispute{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.step,.box,.dispute,tr{break-inside:avoid}
h2,h3{break-after:avoid}
main{max-width:none;padding:0}}
"""
