// The figures of a strategy's report as a trader reads them. They are worked out by the engine; here they only get names and units.

import type { StrategyAnswer } from '../../../../src/pine/light.ts';
import { fixed, percent, signed } from '../../../ui/numbers.ts';

type Metrics = Readonly<Record<string, unknown>>;

/** One of those that are looked at first. */
export interface HeadFigure {
  readonly title: string;
  readonly value: string;
  readonly words: string;
  readonly gain?: number | undefined;
}

/** One line of the table; figures of the whole account have no sides. */
export interface FigureLine {
  readonly name: string;
  readonly all: string;
  readonly long: string;
  readonly short: string;
}

/** Null where it is undefined: an average of nothing, a profit factor without losses. */
export function metric(metrics: Metrics, name: string): number | null {
  const value = metrics[name];
  return typeof value === 'number' ? value : null;
}

/** What the engine tells as percent; the signs of shares are those of gains and losses. */
const share = (value: number | null): string => percent(value === null ? null : value / 100);
const unsignedShare = (value: number | null): string => (value === null ? fixed(null) : `${fixed(value)} %`);
const whole = (value: number | null): string => fixed(value, 0);
const ratio = (value: number | null): string => fixed(value, 3);
const negative = (value: number | null): number | null => (value === null ? null : -value);

type Cell = (metrics: Metrics) => string;

const cell =
  (name: string, show: (value: number | null) => string): Cell =>
  (metrics) =>
    show(metric(metrics, name));

/** An amount with its share of the capital. */
const both =
  (name: string, sign: (value: number | null) => number | null = (value) => value): Cell =>
  (metrics) =>
    `${signed(sign(metric(metrics, name)))} (${share(sign(metric(metrics, `${name}_percent`)))})`;

const OF_EACH_SIDE: readonly (readonly [name: string, of: Cell])[] = [
  ['Net profit', both('net_profit')],
  ['Open profit', both('open_profit')],
  ['Gross profit', both('gross_profit')],
  ['Gross loss', both('gross_loss', negative)],
  ['Profit factor', cell('profit_factor', ratio)],
  ['Commission paid', cell('commission_paid', (value) => fixed(value))],
  ['Expectancy', cell('expectancy', (value) => signed(value))],
  ['Growth a year (CAGR)', cell('cagr', share)],
  ['Closed trades', cell('total_trades', whole)],
  ['Open trades', cell('open_trades', whole)],
  ['Winning trades', cell('winning_trades', whole)],
  ['Losing trades', cell('losing_trades', whole)],
  ['Won', cell('percent_profitable', unsignedShare)],
  ['Average trade', both('avg_trade')],
  ['Average winning trade', both('avg_winning_trade')],
  ['Average losing trade', both('avg_losing_trade', negative)],
  ['Average win / average loss', cell('ratio_avg_win_loss', ratio)],
  ['Largest winning trade', cell('largest_winning_trade', (value) => signed(value))],
  ['Largest winning trade, %', cell('largest_winning_trade_percent', share)],
  ['Largest losing trade', cell('largest_losing_trade', (value) => signed(negative(value)))],
  ['Largest losing trade, %', cell('largest_losing_trade_percent', (value) => share(negative(value)))],
  ['Average bars in trades', cell('avg_bars_in_trades', (value) => fixed(value, 1))],
  ['Most wins in a row', cell('max_consecutive_wins', whole)],
  ['Most losses in a row', cell('max_consecutive_losses', whole)],
  ['Margin calls', cell('margin_calls', whole)],
];

const OF_THE_ACCOUNT: readonly (readonly [name: string, of: Cell])[] = [
  ['Initial capital', cell('initial_capital', (value) => fixed(value))],
  ['Final equity', cell('final_equity', (value) => fixed(value))],
  ['Max drawdown', both('max_drawdown', negative)],
  ['Max drawdown, exit to exit', both('max_drawdown_close_to_close', negative)],
  ['Max run-up', both('max_runup')],
  ['Buy and hold', both('buy_and_hold')],
  ['Sharpe ratio', cell('sharpe_ratio', ratio)],
  ['Sortino ratio', cell('sortino_ratio', ratio)],
];

export function figureLines({ metrics }: StrategyAnswer): readonly FigureLine[] {
  const { long, short } = metrics as { readonly long: Metrics; readonly short: Metrics };
  return [
    ...OF_EACH_SIDE.map(([name, of]) => ({ name, all: of(metrics), long: of(long), short: of(short) })),
    ...OF_THE_ACCOUNT.map(([name, of]) => ({ name, all: of(metrics), long: '', short: '' })),
  ];
}

export const currencyOf = ({ metrics }: StrategyAnswer): string => String(metrics.currency ?? '');

/** The few that are looked at first. */
export function headFigures(strategy: StrategyAnswer): readonly HeadFigure[] {
  const of = (name: string): number | null => metric(strategy.metrics, name);
  const currency = currencyOf(strategy);
  const [netProfit, drawdown] = [of('net_profit'), negative(of('max_drawdown'))];
  const open = of('open_trades') ?? 0;
  return [
    {
      ...{ title: `Net profit, ${currency}`, value: signed(netProfit), gain: netProfit ?? undefined },
      words: `${share(of('net_profit_percent'))}, buy and hold ${share(of('buy_and_hold_percent'))}`,
    },
    {
      ...{ title: `Max drawdown, ${currency}`, value: fixed(drawdown), gain: drawdown ?? undefined },
      words: `${share(negative(of('max_drawdown_percent')))} (from closed trades)`,
    },
    {
      ...{ title: 'Profit factor', value: ratio(of('profit_factor')) },
      words: `${whole(of('total_trades'))} closed${open === 0 ? '' : `, ${whole(open)} open`}`,
    },
    {
      ...{ title: 'Won', value: unsignedShare(of('percent_profitable')) },
      words: `${signed(of('avg_trade'))} ${currency} a trade`,
    },
    {
      ...{ title: 'Sharpe ratio', value: ratio(of('sharpe_ratio')) },
      words: `Sortino ${ratio(of('sortino_ratio'))}`,
    },
  ];
}
