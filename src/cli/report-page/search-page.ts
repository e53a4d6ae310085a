// What a search found as one HTML page that stands alone: the best, the heat map, the walk-forward with its equity, and its cautions.

import type { HeatMap } from '../../library/search/heat-map.ts';
import type { AnswerTrial, AnswerWalkForward, SearchAnswer } from '../../library/search/search-answer.ts';
import { money, percent, plain } from '../backtest-figures.ts';
import { chartOf, dayOf, frameOf, line } from './chart-frame.ts';
import { html, type Markup, own } from './html.ts';
import { priceBadge } from './page.ts';
import { STYLE } from './style.ts';

/** No address is allowed at all, and no script: the page does not move. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
/** Cells of a heat map that a page still opens quickly with. */
const MAX_CELLS = 40_000;
/** How strong the colour of the best and of the worst is, in percent. */
const FULL = 60;

const number = (value: number | null | undefined): string =>
  value == null ? '-' : plain(Number(value.toPrecision(6)));
const amount = (value: number | null | undefined): string => money(value ?? Number.NaN);
const share = (value: number | null | undefined): string => percent(value ?? Number.NaN);
const heads = (names: readonly string[]): Markup[] => names.map((name) => html`<th scope="col">${name}</th>`);
const tableOf = (names: readonly string[], rows: readonly Markup[]): Markup =>
  html`<div class="wide tall"><table><thead><tr>${heads(names)}</tr></thead><tbody>${rows}</tbody></table></div>`;

export function searchPage(answer: SearchAnswer): string {
  const { script_name: title, objective, markets, backtests, combinations, heat_map, walk_forward } = answer;
  const about = [
    markets.map(({ market, bars }) => `${market} (${bars} bars)`).join(', '),
    `${objective.metric}, ${objective.goal}d`,
    `${combinations} combinations, ${backtests.done} of ${backtests.total} backtests`,
    ...(backtests.failed > 0 ? [`${backtests.failed} failed`] : []),
    ...(answer.stopped === null ? [] : [`stopped early: ${answer.stopped}`]),
  ];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${own(POLICY)}"><title>${title}: search</title>
<style>${own(STYLE)}</style></head><body>
<header><h1>${title}</h1><p class="about">${about.join(' · ')}</p>${markets.some(({ price_source }) => price_source === 'simulated') ? priceBadge('simulated') : html``}</header>
${walk_forward === null ? html`` : walkForwardPart(walk_forward, answer)}
<h2>${walk_forward === null ? 'The best' : 'The best of the newest in-sample window'}</h2>
${topTable(answer)}
${heat_map === null ? html`` : heatMapPart(heat_map, objective.goal === 'maximize')}
${cautionPart(answer)}
<p class="note">Made by Signalbox. A search shows what would have been best, not what will be.</p>
</body></html>
`.html;
}

function topTable({ top, inputs, markets, objective }: SearchAnswer): Markup {
  const titles = inputs.map(({ title }) => title);
  const figures = ['Net profit', 'Drawdown', 'Profit factor', 'Sharpe', 'Profitable', 'Trades'];
  const market = markets.length > 1 ? ['Market'] : [];
  const rows = top.flatMap((trial) => trialRows(trial, titles, markets.length > 1));
  return tableOf(['#', ...titles, objective.metric, ...market, ...figures], rows);
}

const trialRows = (trial: AnswerTrial, titles: readonly string[], isOfSeveral: boolean): Markup[] =>
  trial.markets.map(({ market, figures }, index) => {
    const shared = [trial.rank, ...titles.map((title) => String(trial.inputs[title])), number(trial.value)];
    const cells = shared.map((text) => html`<td>${index === 0 ? text : ''}</td>`);
    const tint = own((figures.net_profit ?? 0) < 0 ? 'lost' : 'won');
    const ofMarket = isOfSeveral ? html`<td>${market}</td>` : html``;
    return html`<tr${own(trial.meets_constraints ? '' : ' title="does not keep a bound" style="opacity:.5"')}>${cells}${ofMarket}
<td class="${tint}">${amount(figures.net_profit)} <small>${share(figures.net_profit_percent)}</small></td><td>${share(figures.max_drawdown_percent)}</td>
<td>${number(figures.profit_factor)}</td><td>${number(figures.sharpe_ratio)}</td><td>${share(figures.percent_profitable)}</td><td>${number(figures.total_trades)}</td></tr>
`;
  });

function heatMapPart({ x, y, values }: HeatMap, isMaximized: boolean): Markup {
  const title = html`<h2>${y.title} by ${x.title}</h2>`;
  if (x.values.length * y.values.length > MAX_CELLS)
    return html`${title}<p class="note">Too large for a page; --trials writes every combination.</p>`;
  const known = values.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const cellOf = (value: number | null): Markup => {
    if (value === null) return html`<td>·</td>`;
    const rank = high > low ? (value - low) / (high - low) : 1;
    const good = (isMaximized ? rank : 1 - rank) * 2 - 1;
    const strength = Math.round(Math.abs(good) * FULL);
    const colour = own(`color-mix(in srgb, var(--${good < 0 ? 'lost' : 'won'}) ${strength}%, transparent)`);
    return html`<td style="background:${colour}">${Number(value.toPrecision(4))}</td>`;
  };
  const rows = values.map(
    (row, index) => html`<tr><th scope="row">${String(y.values[index])}</th>${row.map(cellOf)}</tr>
`,
  );
  return html`${title}<p class="note">${y.title} down, ${x.title} across.</p>${tableOf(['', ...x.values.map(String)], rows)}`;
}

function walkForwardPart(walk: AnswerWalkForward, { inputs, objective }: SearchAnswer): Markup {
  const titles = inputs.map(({ title }) => title);
  const rows = walk.windows.map(
    ({ in_sample, out_of_sample, inputs: best, in_sample_value, out_of_sample_value }) => html`<tr>
<td>${dayOf(in_sample.from)} to ${dayOf(in_sample.to)}</td>${titles.map((title) => html`<td>${best === null ? '-' : String(best[title])}</td>`)}
<td>${number(in_sample_value)}</td><td>${dayOf(out_of_sample.from)} to ${dayOf(out_of_sample.to)}</td><td>${number(out_of_sample_value)}</td></tr>
`,
  );
  const efficiency = walk.efficiency === null ? '-' : share(walk.efficiency * 100);
  return html`<h2>Out of sample</h2>
<div class="cards">${card('Efficiency', efficiency, 'of what a day in sample made')}${card(objective.metric, number(walk.value), 'all windows together')}
${walk.markets.map(({ market, figures }) => card(market, amount(figures?.net_profit), `${number(figures?.total_trades)} trades, drawdown ${share(figures?.max_drawdown_percent)}`))}</div>
${walk.markets.map(equityChart)}
<h2>Windows, ${walk.anchored ? 'anchored' : 'rolling'}</h2>
${tableOf(['In sample', ...titles, objective.metric, 'Out of sample', objective.metric], rows)}`;
}

const card = (name: string, value: string, below: string): Markup =>
  html`<div><span>${name}</span><b>${value}</b><small>${below}</small></div>`;

function equityChart({ market, equity }: AnswerWalkForward['markets'][number], index: number): Markup {
  const points = equity.flatMap(({ time, equity: value }) => (value === null ? [] : [{ time, value }]));
  if (points.length < 2) return html``;
  const values = points.map(({ value }) => value);
  const frame = frameOf({
    from: 0,
    to: points.length,
    low: values.reduce((a, b) => Math.min(a, b)),
    high: values.reduce((a, b) => Math.max(a, b)),
  });
  const path = line(points.map(({ value }, at) => [frame.x(at), frame.y(value)] as const));
  return chartOf({
    id: `equity-${index}`,
    title: `Equity out of sample, ${market}`,
    frame,
    times: Float64Array.from(points, ({ time }) => time),
    label: money,
    drawing: [html`<path class="equity" d="${own(path)}"/>`],
    legend: [],
  });
}

function cautionPart({ overfitting, failures }: SearchAnswer): Markup {
  const failed = failures.map(({ inputs, market, reason }) => {
    const values = Object.entries(inputs).map(([title, value]) => `${title}=${String(value)}`);
    return html`<tr><td>${values.join(', ')}</td><td>${market}</td><td>${reason}</td></tr>`;
  });
  const list = failed.length === 0 ? html`` : html`<h2>Failed</h2>${tableOf(['Inputs', 'Market', 'Reason'], failed)}`;
  if (overfitting === null) return list;
  const { trials, deviation, neighbours, best_by_luck, warnings } = overfitting;
  return html`<h2>How much of it may be luck</h2>
<div class="cards">${card('Trials', String(trials), `standard deviation ${number(deviation)}`)}${card('Neighbours of the best', number(neighbours?.mean), `${number(neighbours?.worst)} at worst`)}
${card('By luck alone', number(best_by_luck), 'about the best of as many worthless settings')}</div>
${warnings.map((warning) => html`<p>${warning}</p>`)}${list}`;
}
