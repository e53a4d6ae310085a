// A live deployment beside its backtest as one HTML page that stands alone: what both made, the fills on the price, each fill.

import type { ComparedFill, LiveComparison } from '../../library/live-comparison/compared-fill.ts';
import type { BarColumns } from '../../pine/index.ts';
import { money, plain } from '../backtest-figures.ts';
import { delayWords, verdictWords } from '../comparison-text.ts';
import { momentOf } from './chart-frame.ts';
import { fillChart } from './fill-chart.ts';
import { html, type Markup, own } from './html.ts';
import { POLICY } from './page.ts';
import { STYLE } from './style.ts';

/** A page of more takes long to open; --fills writes them all. */
const MAX_LISTED = 2_000;

export function comparisonPage(comparison: LiveComparison, bars: BarColumns): string {
  const { name, symbol, interval, mode, fromMs, toMs, fills } = comparison;
  const about = [
    symbol,
    interval,
    `${momentOf(fromMs)} to ${momentOf(toMs)} UTC`,
    mode === 'trade' ? 'trades' : 'dry run',
  ];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${own(POLICY)}"><title>${name}: live over backtest</title>
<style>${own(STYLE)}</style></head><body>
<header><h1>${name}</h1><p class="about">${about.join(' · ')}</p></header>
<div class="cards">${cardsOf(comparison)}</div>
${bars.count > 0 ? fillChart(fills, bars) : html``}
<h2>Fill by fill</h2>
${fillTable(fills)}
<p class="note">Slippage is what a price was worse than that of the backtest. Made by Signalbox.</p>
</body></html>
`.html;
}

function cardsOf({ totals }: LiveComparison): Markup[] {
  const card = (name: string, value: string, below: string, tint = ''): Markup =>
    html`<div><span>${name}</span><b class="${own(tint)}">${value}</b><small>${below}</small></div>`;
  const { backtestProfit, liveProfit, slippageMoney, fees, meanDelayMs } = totals;
  const tint = (value: number): string => (value < 0 ? 'lost' : 'won');
  return [
    card('Backtest', money(backtestProfit), 'with what is open', tint(backtestProfit)),
    card('Live', money(liveProfit), `${money(liveProfit - backtestProfit)} to the backtest`, tint(liveProfit)),
    card('Slippage', money(slippageMoney), `fees ${money(fees)}`),
    card('Delay', delayWords(meanDelayMs), 'on average'),
    card('Fills', verdictWords(totals.verdicts), ''),
  ];
}

function fillTable(fills: readonly ComparedFill[]): Markup {
  if (fills.length === 0) return html`<p>The script has filled nothing yet.</p>`;
  const heads = [
    'Bar',
    'Order',
    'Side',
    'Qty',
    'Backtest',
    'Live',
    'Live qty',
    'Delay',
    'Slippage',
    'Fee',
    'What became of it',
  ];
  const note =
    fills.length > MAX_LISTED
      ? html`<p class="note">The newest ${MAX_LISTED} of ${fills.length}; --fills writes all of them as CSV.</p>`
      : html``;
  return html`${note}<div class="wide tall"><table class="trades"><thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${fills.slice(-MAX_LISTED).reverse().map(rowOf)}</tbody></table></div>`;
}

function rowOf({ barTimeMs, orderId, expected, live, delayMs, slippageMoney, verdict, reason }: ComparedFill): Markup {
  const { side, quantity } = expected ?? live ?? { side: '-', quantity: Number.NaN };
  const price = (value: number | undefined): string => plain(value ?? Number.NaN);
  const tint = own(verdict === 'filled' ? 'won' : 'lost');
  return html`<tr><td>${momentOf(barTimeMs)}</td><td>${orderId}</td><td class="${own(side === 'buy' ? 'long' : 'short')}">${side}</td><td>${plain(quantity)}</td>
<td>${price(expected?.price)}</td><td>${price(live?.price)}</td><td>${price(live?.quantity)}</td><td>${delayWords(delayMs)}</td>
<td>${money(slippageMoney ?? Number.NaN)}</td><td>${money(live?.fee ?? Number.NaN)}</td><td><span class="${tint}">${verdict}</span> <small>${reason ?? ''}</small></td></tr>
`;
}
