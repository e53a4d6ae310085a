// Opens the requests of a run: over the bars that its caller handed in, or over those of the run that requested it.

import type { PineVersion } from '../../builtins/types.ts';
import type { BarColumns } from '../bars.ts';
import type { SymbolInfo } from '../market-symbol.ts';
import { BarLibrary } from './bar-library.ts';
import type { RequestedRun } from './requested-run.ts';
import { Requests, type RequestsHost } from './requests.ts';
import { barsBetween } from './resample.ts';
import type { SymbolBars } from './symbol-bars.ts';

/** What the caller of a run says for its requests. */
export interface RequestOptions {
  readonly symbol?: SymbolInfo;
  /** Bars of other symbols and timeframes. */
  readonly symbolBars?: readonly SymbolBars[];
  /** Requests know no bars before this: TradingView's tester over a range of dates has none. */
  readonly requestsFromMs?: number;
  /**
   * Bars from here on came after the script was started: `calc_bars_count` counts those before, and on these requests
   * see bars that are not over yet, as they did when they came.
   */
  readonly liveSinceMs?: number;
}

export interface RequestsParts extends Pick<RequestsHost, 'requests' | 'market' | 'bars' | 'journal' | 'logs'> {
  readonly version: PineVersion;
  readonly options: RequestOptions;
  /** Of the run that requested this one, or null where it is the script's own. */
  readonly outer: BarLibrary | null;
  start(...asked: [...Parameters<RequestsHost['start']>, BarLibrary]): RequestedRun;
}

export function openRequests({ version, options, outer, start, ...host }: RequestsParts): Requests {
  const { bars, market } = host;
  const { symbol, symbolBars: others = [], requestsFromMs: fromMs, liveSinceMs } = options;
  const historyCount = countBefore(bars, liveSinceMs);
  let library = outer;
  const known = (): BarLibrary => {
    // What came live is not known to history, and grows bar by bar.
    library ??= new BarLibrary({ chart: barsBetween(bars, 0, historyCount), market, symbol, others, version, fromMs });
    return library;
  };
  return new Requests({
    ...host,
    historyCount,
    library: known,
    start: (request, found, place) => start(request, found, place, known()),
  });
}

function countBefore({ count, time }: BarColumns, timeMs = Number.POSITIVE_INFINITY): number {
  let before = count;
  while (before > 0 && time[before - 1]! >= timeMs) before -= 1;
  return before;
}
