// How the page looks: light or dark as its reader has it, in one column on a phone.

export const STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f27; --soft: #667085; --line: #e4e7ec; --card: #f7f8fa;
  --won: #12805c; --lost: #c8373a; --long: #12805c; --short: #c8373a; --accent: #2f6fde; --warning: #8a5a00; --candle-up: #8fc9b4; --candle-down: #e3a3a4; }
@media (prefers-color-scheme: dark) { :root { --paper: #11151c; --ink: #e6e9ef; --soft: #98a2b3; --line: #2a313d; --card: #1a202a;
  --won: #3fbf94; --lost: #f0716f; --long: #3fbf94; --short: #f0716f; --accent: #6ea2ff; --warning: #e0b04c; --candle-up: #2f6b58; --candle-down: #7c4345; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 24px 20px 48px; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 32px 0 10px; }
p.about, .note, small { color: var(--soft); }
p.about { margin: 0 0 20px; }
small { font-size: 12px; }
.badge { display: inline-block; margin: -8px 0 20px; padding: 2px 10px; border-radius: 10px; border: 1px solid var(--line); font-size: 13px; }
.badge.none_found { color: var(--won); border-color: var(--won); } .badge.repaints, .badge.simulated { color: var(--lost); border-color: var(--lost); }
.badge.not_checked { color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin-bottom: 12px; }
.cards div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.cards span { display: block; color: var(--soft); font-size: 12px; }
.cards b { font-size: 19px; font-weight: 600; }
.cards small { display: block; }
.won { color: var(--won); } .lost { color: var(--lost); }
td.long { color: var(--long); } td.short { color: var(--short); }
.chart { margin: 22px 0 0; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: 2px 6px; align-items: center; margin-bottom: 6px; }
.zoom { margin-left: auto; color: var(--soft); font-size: 12px; } .zoom label { margin-left: 10px; cursor: pointer; }
.zoom input { margin: 0 4px 0 0; vertical-align: -2px; }
.plot { --axis: 76px; --height: 300px; position: relative; border: 1px solid var(--line); border-radius: 10px; overflow: hidden;
  background: var(--card); padding-right: var(--axis); }
.low .plot { --height: 110px; }
.pane { overflow-x: auto; scrollbar-width: thin; }
.sheet { position: relative; height: calc(var(--height) + 24px); }
.chart:has([value="4"]:checked) .sheet { width: 400%; } .chart:has([value="16"]:checked) .sheet { width: 1600%; }
.plot svg { position: absolute; inset: 0 0 24px; width: 100%; height: var(--height); }
.plot path { fill: none; vector-effect: non-scaling-stroke; }
.values { position: absolute; top: 0; right: 0; height: var(--height); width: var(--axis); border-left: 1px solid var(--line); }
.values span { position: absolute; left: 8px; top: clamp(9px, var(--at), calc(100% - 9px)); transform: translateY(-50%); font-size: 11px;
  color: var(--soft); white-space: nowrap; }
.dates { position: absolute; inset: auto 0 0; height: 20px; }
.dates span { position: absolute; transform: translateX(-50%); font-size: 11px; color: var(--soft); white-space: nowrap; }
.dates .at4, .dates .at16 { display: none; }
.chart:has([value="4"]:checked) .dates .at4, .chart:has([value="16"]:checked) .dates .at16 { display: inline; }
.chart:has([value="4"]:checked) .dates .at1, .chart:has([value="16"]:checked) .dates .at1 { display: none; }
.plot .grid { stroke: var(--line); stroke-width: 1; } .wider .grid { display: none; }
.plot .wick { stroke: var(--soft); stroke-width: 1; opacity: .55; }
.plot .body { stroke-width: 1; }
.plot .up { fill: var(--candle-up); stroke: var(--candle-up); } .plot .down { fill: var(--candle-down); stroke: var(--candle-down); }
.plot .trade { stroke-width: 1.5; opacity: .8; } .plot .trade.won { stroke: var(--won); } .plot .trade.lost { stroke: var(--lost); }
.plot .dots { stroke-width: 6; stroke-linecap: round; }
.plot .dots.long { stroke: var(--long); } .plot .dots.short { stroke: var(--short); } .plot .dots.exit { stroke: var(--ink); stroke-width: 4; }
.plot .dots.live { stroke: var(--accent); stroke-width: 5; } .plot .trade.between { stroke: var(--accent); }
.plot .many .trade { stroke-width: 1; opacity: .6; } .plot .many .dots { stroke-width: 2.5; } .plot .many .dots.exit { stroke-width: 1.5; }
.chart:has([value="4"]:checked) .many .dots, .chart:has([value="16"]:checked) .many .dots { stroke-width: 5; }
.chart:has([value="4"]:checked) .many .dots.exit, .chart:has([value="16"]:checked) .many .dots.exit { stroke-width: 3; }
.plot .equity { stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.plot .capital { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; }
.plot .drawdown { fill: color-mix(in srgb, var(--lost) 30%, transparent); stroke: var(--lost); stroke-width: 1; }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-left: 8px; }
.dot.long { background: var(--long); } .dot.short { background: var(--short); } .dot.exit { background: var(--ink); } .dot.live { background: var(--accent); }
.stroke { display: inline-block; width: 16px; height: 2px; background: var(--accent); margin-left: 8px; }
figcaption { font-size: 14px; }
.cursor { position: absolute; top: 0; bottom: 24px; border-left: 1px solid var(--soft); pointer-events: none; }
.cursor::after { content: attr(data-text); position: absolute; top: 6px; left: 8px; padding: 3px 8px; border-radius: 6px;
  background: var(--paper); border: 1px solid var(--line); font-size: 12px; white-space: pre; }
.cursor.left::after { left: auto; right: 8px; }
.tall { max-height: 75vh; overflow-y: auto; } .tall thead th { position: sticky; top: 0; z-index: 1; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: 6px 10px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child th, tr:last-child td { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 500; background: var(--card); }
th[scope="row"] { text-align: left; font-weight: 500; }
.months td, .months th { padding: 6px 8px; }
.trades td:nth-child(2), .trades td:nth-child(3), .trades td:nth-child(5), .trades th:nth-child(2), .trades th:nth-child(3), .trades th:nth-child(5) { text-align: left; }
.trades td:nth-child(3), .trades td:nth-child(5) { max-width: 220px; overflow: hidden; text-overflow: ellipsis; }
table.words td { text-align: left; white-space: normal; overflow-wrap: anywhere; } table.words th { width: 1%; }
.warnings { margin: 0 0 16px; padding: 10px 14px 10px 30px; border: 1px solid var(--warning); border-radius: 10px; font-size: 14px; }
.warnings li + li { margin-top: 6px; } .warnings b { color: var(--warning); }
@media (min-width: 900px) { .run-grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 0 24px; align-items: start; } .figures-grid { display: grid; grid-template-columns: 1fr 1fr; gap: 0 24px; align-items: start; }
  .figures-grid section:last-child { grid-column: 1 / -1; } }
@media (max-width: 600px) { body { padding: 16px 12px 32px; } h1 { font-size: 21px; } .plot { --axis: 60px; --height: 230px; }
  .values span { left: 4px; font-size: 10px; } .dates .at1:nth-child(odd) { display: none; }
  .figures th[scope="row"] { white-space: normal; } .figures small { display: block; } th, td { padding: 6px 7px; } }
@media print { .wide, .tall { overflow: visible; max-height: none; } .zoom { display: none; } }
`;
