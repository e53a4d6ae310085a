// The tables of the page: figures by all, long and short, and the list of trades, newest first.

import type { StrategyReport } from '../../pine/light.ts';
import { figureGroups, money, percent, plain } from '../backtest-figures.ts';
import { momentOf } from './chart-frame.ts';
import { html, type Markup, own } from './html.ts';

type Trade = StrategyReport['trades'][number];

/** A page of more takes long to open; --trades writes them all. */
const MAX_LISTED = 2_000;

export function figureTables(report: StrategyReport): Markup[] {
  return figureGroups(report).map(({ title, rows }) => {
    const isSided = rows.some(({ long }) => long !== undefined);
    const sides = isSided ? html`<th scope="col">All</th><th scope="col">Long</th><th scope="col">Short</th>` : html``;
    const head = isSided ? html`<thead><tr><th></th>${sides}</tr></thead>` : html``;
    const lines = rows.map(
      ({ name, all, long, short }) =>
        html`<tr><th scope="row">${name}</th><td>${figure(all)}</td>${long === undefined ? html`` : html`<td>${figure(long)}</td><td>${figure(short ?? '')}</td>`}</tr>`,
    );
    return html`<section><h2>${title}</h2><div class="wide"><table class="figures">${head}<tbody>${lines}</tbody></table></div></section>
`;
  });
}

/** The share behind an amount is smaller, and on a phone below it. */
function figure(text: string): Markup {
  const [, amount, share] = /^(.+) \((.+)\)$/.exec(text) ?? [];
  return amount === undefined || share === undefined ? html`${text}` : html`${amount} <small>${share}</small>`;
}

export function tradeTable({ trades, runningProfits, last }: StrategyReport): Markup {
  if (trades.length === 0) return html`<p>It made no trades.</p>`;
  const rows = trades.map((trade, index) => rowOf(trade, index + 1, runningProfits[index]!, last));
  const note =
    trades.length > MAX_LISTED
      ? html`<p class="note">The newest ${MAX_LISTED} of ${trades.length}; --trades writes all of them as CSV.</p>`
      : html``;
  const heads = ['#', 'Side', 'Entry', 'Price', 'Exit', 'Price', 'Qty', 'Profit', 'Run-up', 'Drawdown', 'Sum'];
  return html`${note}<div class="wide tall"><table class="trades"><thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>
${rows.slice(-MAX_LISTED).reverse()}</tbody></table></div>`;
}

function rowOf(trade: Trade, number: number, sum: number, last: StrategyReport['last']): Markup {
  const { direction, entryId, entryComment, entryTimeMs, entryPrice, exit, profit } = trade;
  const end = exit === null ? { signal: 'open', ...last } : { signal: exit.comment || exit.id, ...exit };
  const amount = (value: number, share: number): Markup => html`${money(value)} <small>${percent(share)}</small>`;
  const tint = own(profit < 0 ? 'lost' : 'won');
  return html`<tr><td>${number}</td><td class="${direction}">${direction}</td>
<td>${entryComment || entryId}<br><small>${momentOf(entryTimeMs)}</small></td><td>${plain(entryPrice)}</td>
<td>${end.signal}<br><small>${momentOf(end.timeMs)}</small></td><td>${plain(end.price)}</td><td>${plain(trade.quantity)}</td>
<td class="${tint}">${amount(profit, trade.profitPercent)}</td><td>${amount(trade.runup, trade.runupPercent)}</td>
<td>${amount(trade.drawdown, trade.drawdownPercent)}</td><td>${money(sum)}</td></tr>
`;
}
