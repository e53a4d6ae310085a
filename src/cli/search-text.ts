// What a search found, for a terminal: the best in a table, the heat map, the walk-forward, and what to be careful about.

import type { AnswerTrial, AnswerWalkForward, SearchAnswer } from '../library/search/search-answer.ts';
import { money, percent, plain } from './backtest-figures.ts';
import { heatMapText } from './heat-map-text.ts';
import type { Paint } from './paint.ts';
import { SIMULATED } from './price-source-words.ts';
import { sparkline } from './sparkline.ts';
import { type Column, cell, column, type Fields, pairs, table, words } from './table.ts';

interface TextIo {
  readonly paint: Paint;
  readonly columns: number;
}

/** Failures that are shown; --json has more. */
const MAX_FAILURES = 3;
const MAX_SPARK = 60;
const right = { right: true };

const number = (value: number | null | undefined): string =>
  value == null ? '-' : plain(Number(value.toPrecision(6)));
const amount = (value: number | null | undefined): string => money(value ?? Number.NaN);
const share = (value: number | null | undefined): string => percent(value ?? Number.NaN);
const day = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

export function searchText(answer: SearchAnswer, { paint, columns }: TextIo): string {
  const { heat_map, walk_forward, objective } = answer;
  const isMaximized = objective.goal === 'maximize';
  const parts = [
    paint('bold', cell(answer.script_name)),
    headOf(answer, paint),
    walk_forward === null ? '' : walkForwardOf(walk_forward, answer, paint),
    topOf(answer, paint),
    heat_map === null ? '' : heatMapText(heat_map, { columns, paint, isMaximized }),
    failuresOf(answer, paint),
    cautionOf(answer, paint),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function headOf(
  { markets, objective, method, seed, combinations, backtests, inputs }: SearchAnswer,
  paint: Paint,
): string {
  const { metric, goal, combine } = objective;
  const over = markets.length > 1 ? `, ${combine} of ${markets.length} markets` : '';
  const drawn = method === 'random' ? `, drawn with seed ${seed}` : '';
  return pairs(
    [
      ['markets', markets.map(({ market, bars }) => `${cell(market)} (${bars} bars)`).join(', ')],
      ...(markets.some(({ price_source }) => price_source === 'simulated') ? [['prices', SIMULATED] as const] : []),
      ['varied', inputs.map(({ title, values }) => `${cell(title)} (${values.length})`).join(', ')],
      ['tried', `${combinations} combinations${drawn}; ${backtests.done} of ${backtests.total} backtests`],
      ['objective', `${metric}, ${goal}d${over}`],
    ],
    paint,
  );
}

function topOf({ top, inputs, markets, objective, walk_forward }: SearchAnswer, paint: Paint): string {
  if (top.length === 0) return 'Nothing could be run to its end.';
  const title = walk_forward === null ? 'the best:' : 'the best of the newest in-sample window:';
  const columns: Column[] = [
    column('#', 'rank', right),
    ...inputs.map(({ title: name }, axis): Column => column(cell(name), `input${axis}`, right)),
    column(objective.metric, 'value', right),
    column('net profit', 'profit', right),
    column('drawdown', 'drawdown', right),
    column('factor', 'factor', right),
    column('trades', 'trades', right),
    ...(markets.length > 1 ? [column('market', 'market')] : []),
    ...(top.some(({ meets_constraints }) => !meets_constraints) ? [column('', 'note')] : []),
  ];
  return `${paint('bold', title)}\n${table(
    columns,
    top.flatMap((trial) => rowsOf(trial, inputs)),
    paint,
  )}`;
}

/** One row a market; what they share stands in the first. */
const rowsOf = (trial: AnswerTrial, inputs: SearchAnswer['inputs']): Fields[] =>
  trial.markets.map(({ market, figures }, index): Fields => {
    const shared = {
      rank: trial.rank,
      value: number(trial.value),
      note: trial.meets_constraints ? ' ' : 'a bound is not kept',
      ...Object.fromEntries(inputs.map(({ title }, axis) => [`input${axis}`, trial.inputs[title]])),
    };
    return {
      ...(index === 0 ? shared : Object.fromEntries(Object.keys(shared).map((name) => [name, ' ']))),
      market,
      profit: `${amount(figures.net_profit)} (${share(figures.net_profit_percent)})`,
      drawdown: share(figures.max_drawdown_percent),
      factor: number(figures.profit_factor),
      trades: figures.total_trades,
    };
  });

function walkForwardOf(walk: AnswerWalkForward, { inputs, objective }: SearchAnswer, paint: Paint): string {
  const rows = walk.windows.map(
    ({ in_sample, out_of_sample, inputs: best, in_sample_value, out_of_sample_value }): Fields => ({
      inside: `${day(in_sample.from)} to ${day(in_sample.to)}`,
      outside: `${day(out_of_sample.from)} to ${day(out_of_sample.to)}`,
      insideValue: number(in_sample_value),
      outsideValue: number(out_of_sample_value),
      ...Object.fromEntries(inputs.map(({ title }, axis) => [`input${axis}`, best?.[title] ?? '-'])),
    }),
  );
  const columns = [
    column('in sample', 'inside'),
    ...inputs.map(({ title }, axis) => column(cell(title), `input${axis}`, right)),
    column(objective.metric, 'insideValue', right),
    column('out of sample', 'outside'),
    column(objective.metric, 'outsideValue', right),
  ];
  const totals = walk.markets.map(({ market, figures, equity }): [string, string] => [
    cell(market),
    figures === null
      ? 'nothing was traded out of sample'
      : `${amount(figures.net_profit)} (${share(figures.net_profit_percent)}) with ${figures.total_trades} trades, drawdown ${share(figures.max_drawdown_percent)}  ${sparkline(
          equity.map((point) => point.equity ?? Number.NaN),
          MAX_SPARK,
        )}`,
  ]);
  const efficiency = walk.efficiency === null ? '-' : share(walk.efficiency * 100);
  return [
    paint('bold', `walk-forward, ${walk.anchored ? 'anchored' : 'rolling'}:`),
    table(columns, rows, paint),
    '',
    paint('bold', 'out of sample, all windows together:'),
    pairs(
      [...totals, [objective.metric, number(walk.value)], ['efficiency', `${efficiency} of what a day in sample made`]],
      paint,
    ),
  ].join('\n');
}

function failuresOf({ backtests, failures }: SearchAnswer, paint: Paint): string {
  if (backtests.failed === 0) return '';
  const shown = failures.slice(0, MAX_FAILURES).map(({ inputs, market, reason }) => {
    const values = Object.entries(inputs).map(([title, value]) => `${title}=${String(value)}`);
    return `  ${words(`${values.join(', ')} on ${market}: ${reason}`)}`;
  });
  const count = backtests.failed === 1 ? '1 backtest failed' : `${backtests.failed} backtests failed`;
  return [paint('yellow', `${count}, and the search went on:`), ...shown].join('\n');
}

function cautionOf({ overfitting, combinations, walk_forward }: SearchAnswer, paint: Paint): string {
  if (overfitting === null) return '';
  const { neighbours, best_by_luck, warnings, deviation } = overfitting;
  const facts = pairs(
    [
      [
        'neighbours',
        neighbours === null
          ? 'not tried'
          : `${number(neighbours.mean)} on average, ${number(neighbours.worst)} at worst`,
      ],
      ['spread', `${number(deviation)} is the standard deviation of all`],
      [
        'by luck',
        best_by_luck === null ? '-' : `about ${number(best_by_luck)} would be the best of as many worthless settings`,
      ],
    ],
    paint,
  );
  const lines = warnings.map((warning) => paint('yellow', `! ${words(warning)}`));
  const advice =
    walk_forward === null
      ? `The best of ${combinations} looks better than it is: it was chosen because it fitted these bars. Try it on others, or with --in-sample and --out-of-sample.`
      : 'What was found out of sample is the fairer figure; looking at it and searching again makes it in-sample too.';
  return [paint('bold', 'how much of it may be luck:'), facts, ...lines, advice].join('\n');
}
