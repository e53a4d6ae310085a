// How a backtest was run, as tables of the page: script, market, account, costs and inputs; and what there is to know of it first.

import type { ScriptDiagnostic } from '../../library/script-runner.ts';
import type { BarColumns, StrategyReport } from '../../pine/light.ts';
import { accountWords, inputWords, type NamedWords } from '../how-it-was-run.ts';
import { priceSourceWords } from '../price-source-words.ts';
import { momentOf } from './chart-frame.ts';
import { html, type Markup } from './html.ts';

/** A script with hundreds of inputs would push the trades off the page. */
const MAX_INPUTS = 100;

export function runTables(report: StrategyReport, bars: BarColumns, priceSource: string | undefined): Markup {
  const inputs = inputWords(report);
  const more = inputs.length - MAX_INPUTS;
  const shown = inputs.slice(0, MAX_INPUTS);
  const rest: readonly NamedWords[] = more > 0 ? [['…', `and ${more} more`]] : [];
  return html`<div class="run-grid">${tableOf('How it was run', [...marketWords(report, bars, priceSource), ...accountWords(report)])}
${inputs.length === 0 ? html`` : tableOf('Inputs', [...shown, ...rest])}</div>`;
}

function marketWords(
  { symbol, timeframe, fromMs, toMs }: StrategyReport,
  { time, count }: BarColumns,
  priceSource: string | undefined,
): readonly NamedWords[] {
  const traded = Number.isNaN(fromMs) ? 'no bar' : `${momentOf(fromMs)} to ${momentOf(toMs)} UTC`;
  const first = time[0] ?? Number.NaN;
  const last = time[count - 1] ?? Number.NaN;
  const range = count === 0 ? '' : `, ${momentOf(first)} to ${momentOf(last)} UTC`;
  return [
    ['Symbol', symbol || '-'],
    ['Timeframe', timeframe],
    ['Bars', `${count.toLocaleString('en-US')}${range}`],
    ['Traded', traded],
    ['Prices', priceSourceWords(priceSource) ?? 'bars of a file'],
  ];
}

function tableOf(title: string, rows: readonly NamedWords[]): Markup {
  const lines = rows.map(([name, words]) => html`<tr><th scope="row">${name}</th><td>${words}</td></tr>`);
  return html`<section><h2>${title}</h2><div class="wide"><table class="figures words"><tbody>${lines}</tbody></table></div></section>`;
}

/** Nothing where there is none. */
export function warningList(warnings: readonly ScriptDiagnostic[]): Markup {
  if (warnings.length === 0) return html``;
  const items = warnings.map(
    ({ code, line, message, remedy }) =>
      html`<li><b>${message}</b> ${remedy ?? ''} <small>${code}, line ${line}</small></li>`,
  );
  return html`<ul class="warnings">${items}</ul>
`;
}
