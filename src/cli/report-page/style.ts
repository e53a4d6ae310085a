// How the page looks: light or dark as its reader has it, in one column on a phone.

export const STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f27; --soft: #667085; --line: #e4e7ec; --card: #f7f8fa;
  --won: #12805c; --lost: #c8373a; --long: #12805c; --short: #c8373a; --accent: #2f6fde; --candle-up: #8fc9b4; --candle-down: #e3a3a4; }
@media (prefers-color-scheme: dark) { :root { --paper: #11151c; --ink: #e6e9ef; --soft: #98a2b3; --line: #2a313d; --card: #1a202a;
  --won: #3fbf94; --lost: #f0716f; --long: #3fbf94; --short: #f0716f; --accent: #6ea2ff; --candle-up: #2f6b58; --candle-down: #7c4345; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 24px 20px 48px; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 32px 0 10px; }
p.about, .note, small { color: var(--soft); }
p.about { margin: 0 0 20px; }
small { font-size: 12px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin-bottom: 12px; }
.cards div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.cards span { display: block; color: var(--soft); font-size: 12px; }
.cards b { font-size: 19px; font-weight: 600; }
.cards small { display: block; }
.won { color: var(--won); } .lost { color: var(--lost); }
td.long { color: var(--long); } td.short { color: var(--short); }
.chart { margin: 22px 0 0; }
.chart figcaption { font-weight: 600; margin-bottom: 6px; }
.chart figcaption small, .chart figcaption i { font-weight: 400; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: 2px 6px; align-items: center; }
.plot { position: relative; height: 320px; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--card); margin-right: 0; }
.low .plot { height: 120px; }
.plot svg { position: absolute; inset: 0; width: calc(100% - 76px); height: 100%; }
.plot path { fill: none; vector-effect: non-scaling-stroke; }
.values { position: absolute; inset: 0 0 0 auto; width: 76px; border-left: 1px solid var(--line); }
.values span { position: absolute; left: 8px; transform: translateY(-50%); font-size: 11px; color: var(--soft); white-space: nowrap; }
.dates { position: relative; height: 20px; margin-right: 76px; }
.dates span { position: absolute; transform: translateX(-50%); font-size: 11px; color: var(--soft); top: 4px; white-space: nowrap; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .wick { stroke: var(--soft); stroke-width: 1; opacity: .55; }
.plot .body { stroke-width: 1; }
.plot .up { fill: var(--candle-up); stroke: var(--candle-up); } .plot .down { fill: var(--candle-down); stroke: var(--candle-down); }
.plot .trade { stroke-width: 1.5; opacity: .8; } .plot .trade.won { stroke: var(--won); } .plot .trade.lost { stroke: var(--lost); }
.plot .dots { stroke-width: 6; stroke-linecap: round; }
.plot .dots.long { stroke: var(--long); } .plot .dots.short { stroke: var(--short); } .plot .dots.exit { stroke: var(--ink); stroke-width: 4; }
.plot .equity { stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.plot .capital { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; }
.plot .drawdown { fill: color-mix(in srgb, var(--lost) 30%, transparent); stroke: var(--lost); stroke-width: 1; }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-left: 8px; }
.dot.long { background: var(--long); } .dot.short { background: var(--short); } .dot.exit { background: var(--ink); }
.stroke { display: inline-block; width: 16px; height: 2px; background: var(--accent); margin-left: 8px; }
figcaption { font-size: 14px; }
.cursor { position: absolute; top: 0; bottom: 0; border-left: 1px solid var(--soft); pointer-events: none; }
.cursor::after { content: attr(data-text); position: absolute; top: 6px; left: 8px; padding: 3px 8px; border-radius: 6px;
  background: var(--paper); border: 1px solid var(--line); font-size: 12px; white-space: pre; }
.cursor.left::after { left: auto; right: 8px; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: 6px 10px; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child th, tr:last-child td { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 500; background: var(--card); }
th[scope="row"] { text-align: left; font-weight: 500; }
.months td, .months th { padding: 6px 8px; }
.trades td:nth-child(2), .trades td:nth-child(3), .trades td:nth-child(5), .trades th:nth-child(2), .trades th:nth-child(3), .trades th:nth-child(5) { text-align: left; }
.trades td:nth-child(3), .trades td:nth-child(5) { max-width: 220px; overflow: hidden; text-overflow: ellipsis; }
@media (min-width: 900px) { .figures-grid { display: grid; grid-template-columns: 1fr 1fr; gap: 0 24px; align-items: start; }
  .figures-grid section:last-child { grid-column: 1 / -1; } }
@media (max-width: 600px) { body { padding: 16px 12px 32px; } h1 { font-size: 21px; } .plot { height: 240px; }
  .values, .dates { font-size: 10px; } .plot svg { width: calc(100% - 62px); } .values { width: 62px; } .values span { left: 4px; }
  .dates { margin-right: 62px; } .dates span:nth-child(even) { display: none; } .figures th[scope="row"] { white-space: normal; min-width: 130px; } }
@media print { .wide { overflow: visible; } }
`;
