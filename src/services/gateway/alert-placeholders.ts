// The placeholders of an alert's Message: which there are in a text, which of them the charting platform knows, and the text with
// sample values in their places, put in as the platform does it: as they are, without a look at what stands around them.

import { PLACEHOLDERS as OWN } from '../../trading/books/outcome-values.ts';
import { placeholdersIn } from './unfilled-placeholders.ts';

/** What each renders as, for an example. */
const EXAMPLES: Readonly<Record<string, string>> = {
  ticker: 'BTCUSDT.P',
  exchange: 'BINANCE',
  interval: '60',
  open: '68000',
  high: '68250.5',
  low: '67900',
  close: '68120.3',
  volume: '1250.75',
  time: '2026-01-05T14:00:00Z',
  timenow: '2026-01-05T15:00:00Z',
  'syminfo.currency': 'USDT',
  'syminfo.basecurrency': 'BTC',
  'strategy.order.action': 'buy',
  'strategy.order.contracts': '0.01',
  'strategy.order.price': '68120.3',
  'strategy.order.id': 'Long',
  'strategy.order.comment': 'Long',
  'strategy.order.alert_message': 'Long',
  'strategy.position_size': '0.01',
  'strategy.market_position': 'long',
  'strategy.market_position_size': '0.01',
  'strategy.prev_market_position': 'flat',
  'strategy.prev_market_position_size': '0',
};
/** `plot_0` to `plot_19`, and those of a plot's title. */
const PLOT = /^plot(?:_1?\d|\(.*\))$/;
const OF_A_PLOT = '68120.3';
const own: ReadonlySet<string> = new Set(OWN);

export type Samples = Readonly<Record<string, string | number | boolean>>;

export interface SeenPlaceholder {
  /** As it is written. */
  readonly placeholder: string;
  /** `tradingview` fills it in when the alert fires; `signalbox` in the text of a notification; null: nobody knows it. */
  readonly filledBy: 'tradingview' | 'signalbox' | null;
  /** The sample that was put in; null where it was left as it is. */
  readonly value: string | null;
  /** What it may render as. */
  readonly example: string | null;
}

export interface FilledAlert {
  readonly text: string;
  readonly placeholders: readonly SeenPlaceholder[];
  /** Samples for which there is no place. */
  readonly warnings: readonly string[];
}

export function fillAlert(text: string, samples: Samples): FilledAlert {
  const written = [...new Set(placeholdersIn(text))];
  const named = written.map((placeholder) => ({ placeholder, name: nameIn(placeholder) }));
  const values = new Map(named.map(({ placeholder, name }) => [placeholder, sampleOf(name, samples)]));
  const filled = [...values].reduce(
    (all, [placeholder, value]) => (value === undefined ? all : all.replaceAll(placeholder, () => value)),
    text,
  );
  const names = new Set(named.map(({ name }) => name));
  const unused = Object.keys(samples).filter((name) => !names.has(name));
  return {
    text: filled,
    placeholders: named.map(({ placeholder, name }) => seen(placeholder, name, values.get(placeholder))),
    warnings: unused.map((name) => `samples: {{${name}}} is nowhere in the body`),
  };
}

const nameIn = (placeholder: string): string => placeholder.slice(2, -2).trim();

const sampleOf = (name: string, samples: Samples): string | undefined =>
  Object.hasOwn(samples, name) ? String(samples[name]) : undefined;

function seen(placeholder: string, name: string, value: string | undefined): SeenPlaceholder {
  const example = Object.hasOwn(EXAMPLES, name) ? (EXAMPLES[name] as string) : PLOT.test(name) ? OF_A_PLOT : null;
  const filledBy = example === null ? (own.has(name) ? 'signalbox' : null) : 'tradingview';
  return { placeholder, filledBy, value: value ?? null, example };
}
