// The bar magnifier of a strategy: finds the shorter bars that its broker looks into, or says that there are none.

import { type Broker, Magnifier } from '../broker/index.ts';
import { timeframes } from '../values/index.ts';
import type { BarColumns } from './bars.ts';
import type { Market } from './market.ts';
import type { BarLibrary } from './request/bar-library.ts';
import type { Requests } from './request/requests.ts';
import { NOT_MAGNIFIED, type RunWarnings } from './run-warnings.ts';

export interface MagnifierHost {
  readonly broker: Broker;
  readonly market: Market;
  readonly requests: Requests;
  readonly warnings: RunWarnings;
  /** Bars from here on came live. */
  readonly liveSinceMs: number;
}

/** The timeframe that TradingView looks into, by the shortest timeframe of the chart that it does so for. */
const TRADINGVIEW: readonly (readonly [chart: string, inside: string])[] = [
  ['1W', '1D'],
  ['3D', '240'],
  ['1D', '60'],
  ['240', '30'],
  ['60', '10'],
  ['30', '5'],
  ['15', '2'],
  ['10', '1'],
  ['5', '30S'],
  ['1', '10S'],
  ['30S', '5S'],
  ['1S', '1S'],
];

export function magnifyBars({ broker, market, requests, warnings, liveSinceMs }: MagnifierHost): void {
  const symbol = String(market.facts['syminfo.tickerid'] ?? '');
  const inside = insideOf(market.timeframe);
  const remedy = `Hand in bars of the chart's symbol: --bars ${symbol}:${inside}=FILE.csv on the command line, symbol_bars in a request to the API.`;
  const bars = shorterBars(requests.library, market.timeframe, inside);
  if (bars === null) {
    const message = `use_bar_magnifier finds no bars shorter than those of the chart: the path inside a bar is made of its four prices.`;
    warnings.add(NOT_MAGNIFIED, message, remedy);
    return;
  }
  const onMissing = (timeMs: number): void => {
    const when = new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
    const message = `use_bar_magnifier finds no shorter bars that reach the high and the low of the bar of ${when} UTC: the path inside of it, and of others like it, is made of its four prices.`;
    warnings.add(NOT_MAGNIFIED, message, remedy);
  };
  const { closeOf } = requests.chart;
  broker.magnifier = new Magnifier({ bars, closeOf, tolerance: market.mintick / 2, untilMs: liveSinceMs, onMissing });
}

function insideOf(frame: timeframes.Timeframe): string {
  const seconds = timeframes.inSeconds(frame);
  const found = TRADINGVIEW.find(([chart]) => seconds >= timeframes.inSeconds(timeframes.parseTimeframe(chart)));
  return found?.[1] ?? '1S';
}

/** Bars of TradingView's timeframe, handed in or made of shorter ones; else the shortest that fit into the chart's. */
function shorterBars(library: BarLibrary, chart: timeframes.Timeframe, inside: string): BarColumns | null {
  const length = timeframes.inSeconds(chart);
  if (timeframes.inSeconds(timeframes.parseTimeframe(inside)) < length) {
    const found = library.find('', inside);
    if (found !== null) return found.bars;
  }
  let shortest: { readonly seconds: number; readonly bars: BarColumns } | null = null;
  for (const { frame, bars } of library.handedIn('')) {
    const seconds = timeframes.inSeconds(frame);
    const fits = seconds < length && (timeframes.isDwm(chart) || length % seconds === 0);
    if (fits && (shortest === null || seconds < shortest.seconds)) shortest = { seconds, bars };
  }
  return shortest?.bars ?? null;
}
