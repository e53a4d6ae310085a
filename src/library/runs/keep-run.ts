// Makes the record of a backtest from what was asked and what came of it.

import { type StrategyReport, strategyAnswer } from '../../pine/light.ts';
import { isRead } from '../imported-sources.ts';
import { type RepaintCheck, repaintAnswer } from '../repaint-check.ts';
import type { RunRequest } from '../script-runner.ts';
import { barsDigest, fieldsDigest, resultDigest, textDigest } from './digests.ts';
import { type KeptMarket, type KeptRun, type KeptTrade, MAX_KEPT_TRADES } from './kept-run.ts';

export interface RanBacktest {
  readonly request: Pick<RunRequest, 'source' | 'libraries' | 'inputs' | 'symbol' | 'symbolBars' | 'bars'>;
  /** Where the prices come from; undefined where nobody knows. */
  readonly priceSource?: string | undefined;
  readonly report: StrategyReport;
  readonly repaint: RepaintCheck | undefined;
  /** The file, or the id in the library. */
  readonly name: string;
  readonly revision: number | null;
  readonly engine: string;
  readonly atMs: number;
  readonly note: string;
}

export type UnnamedRun = Omit<KeptRun, 'id'>;

export function keepRun(ran: RanBacktest): UnnamedRun {
  const { request, report, repaint, name, revision, engine, atMs, note } = ran;
  const { source, libraries = [], inputs = {} } = request;
  const answer = strategyAnswer(report);
  return {
    atMs,
    note,
    engine,
    script: {
      title: report.title,
      name,
      revision,
      digest: textDigest(source),
      libraries: libraries.filter(isRead).map(({ namespace, name: title, version, source: text }) => ({
        name: `${namespace}/${title}/${version}`,
        digest: textDigest(text),
      })),
    },
    inputs,
    settings: settingsOf(report),
    market: marketOf(ran),
    repaint: repaintAnswer(repaint),
    metrics: answer.metrics,
    tradeCount: report.trades.length,
    trades: report.trades.slice(0, MAX_KEPT_TRADES).map(tradeOf),
    resultDigest: resultDigest(answer),
  };
}

/** An open end of the range has no number in JSON. */
const settingsOf = ({ settings }: StrategyReport): KeptRun['settings'] =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'number' && !Number.isFinite(value) ? null : value,
    ]),
  );

function marketOf({ request, report, priceSource }: RanBacktest): KeptMarket {
  const { bars, symbol = {}, symbolBars = [] } = request;
  return {
    symbol: report.symbol,
    timeframe: report.timeframe,
    ...(priceSource === undefined ? {} : { priceSource }),
    fromMs: bars.time[0] ?? 0,
    toMs: bars.time[bars.count - 1] ?? 0,
    bars: bars.count,
    digest: barsDigest(bars),
    infoDigest: fieldsDigest(symbol),
    others: symbolBars.map(({ symbol: ticker, timeframe, bars: columns }) => ({
      ...{ symbol: ticker, timeframe, bars: columns.count },
      digest: barsDigest(columns),
    })),
  };
}

function tradeOf(trade: StrategyReport['trades'][number]): KeptTrade {
  const { direction, entryTimeMs, entryPrice, exit, quantity, profit } = trade;
  const left = { exitTimeMs: exit?.timeMs ?? null, exitPrice: exit?.price ?? null };
  return { direction, entryTimeMs, entryPrice, ...left, quantity, profit: Number.isFinite(profit) ? profit : null };
}
