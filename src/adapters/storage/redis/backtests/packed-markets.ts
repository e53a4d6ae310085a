// The markets of a search as bytes: kept once under the digest of what they hold, however many jobs run on them.

import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { BacktestMarket } from '../../../../library/backtest-runner.ts';
import { sharedBars } from '../../../../library/search/shared-bars.ts';
import type { BarColumns } from '../../../../pine/index.ts';

export interface PackedMarkets {
  readonly digest: string;
  readonly bytes: Buffer;
}

export function packMarkets(markets: readonly BacktestMarket[]): PackedMarkets {
  const bytes = serialize(markets.map((market) => withBars(market, ownBars)));
  return { digest: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** With their bars in shared memory, so that no thread gets a copy of its own. */
export const unpackMarkets = (bytes: Uint8Array): readonly BacktestMarket[] =>
  (deserialize(bytes) as readonly BacktestMarket[]).map((market) => withBars(market, sharedBars));

function withBars(market: BacktestMarket, place: (bars: BarColumns) => BarColumns): BacktestMarket {
  const { bars, symbolBars } = market;
  return {
    ...market,
    bars: place(bars),
    ...(symbolBars && { symbolBars: symbolBars.map((other) => ({ ...other, bars: place(other.bars) })) }),
  };
}

/** Shared memory cannot be written out: a copy that is not shared, and holds no more than there are bars. */
function ownBars(bars: BarColumns): BarColumns {
  const own = (column: Float64Array): Float64Array => Float64Array.from(column.subarray(0, bars.count));
  const { time, open, high, low, close, volume } = bars;
  return {
    ...{ ...bars, time: own(time), open: own(open), high: own(high) },
    ...{ low: own(low), close: own(close), volume: own(volume) },
  };
}
