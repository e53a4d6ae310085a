// Returns by month: a row a year, a column a month, and what the year came to.

import type { StrategyReport } from '../../pine/light.ts';
import { money, percent } from '../backtest-figures.ts';
import { html, type Markup, own } from './html.ts';

type Month = StrategyReport['months'][number];

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** A return of so many percent, and every larger one, has the full colour. */
const FULL_PERCENT = 10;
/** The newest; nobody reads more. */
const MAX_YEARS = 100;

export function monthTable({ months }: StrategyReport): Markup {
  const years = new Map<number, Map<number, Month>>();
  for (const month of months) {
    const date = new Date(month.startMs);
    const year = years.get(date.getUTCFullYear()) ?? new Map<number, Month>();
    years.set(date.getUTCFullYear(), year.set(date.getUTCMonth(), month));
  }
  const rows = [...years].slice(-MAX_YEARS).map(([year, byMonth]) => {
    const cells = NAMES.map((_, index) => cellOf(byMonth.get(index)));
    return html`<tr><th scope="row">${year}</th>${cells}${totalOf([...byMonth.values()])}</tr>`;
  });
  const heads = [...NAMES, 'Year'].map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="wide"><table class="months"><thead><tr><th></th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function cellOf(month: Month | undefined): Markup {
  if (month === undefined) return html`<td></td>`;
  return shaded(month.returnPercent, month.profit);
}

/** What the returns of the months come to, one after another. */
function totalOf(months: readonly Month[]): Markup {
  const factor = months.reduce((product, { returnPercent }) => product * (1 + returnPercent / 100), 1);
  const profit = months.reduce((sum, month) => sum + month.profit, 0);
  return shaded((factor - 1) * 100, profit);
}

function shaded(returnPercent: number, profit: number): Markup {
  if (!Number.isFinite(returnPercent)) return html`<td>-</td>`;
  const strength = Math.round(Math.min(1, Math.abs(returnPercent) / FULL_PERCENT) * 45);
  const name = returnPercent < 0 ? 'lost' : 'won';
  const style =
    strength === 0 ? '' : ` style="background:color-mix(in srgb, var(--${name}) ${strength}%, transparent)"`;
  return html`<td${own(style)} title="${money(profit)}">${percent(returnPercent).replace(' %', '')}</td>`;
}
