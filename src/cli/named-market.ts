// A market that a command line names: described by its exchange, and what was assumed of it told.

import { EXCHANGE_ROWS } from '../exchanges/exchange.ts';
import { type AssumedMarket, describeMarket } from '../market-data/assumed-market.ts';
import type { BarColumns, SymbolInfo } from '../pine/index.ts';
import { marketOf } from '../trading/intake/market-symbol.ts';
import type { LocalIo } from './command.ts';
import { printable } from './table.ts';

/** What the file of `--symbol-info` says always counts; without a name there is nothing to add to it. */
export function namedMarket(
  symbol: string | undefined,
  info: SymbolInfo,
  bars: BarColumns,
  io: Pick<LocalIo, 'err'>,
): SymbolInfo {
  if (symbol === undefined) return info;
  const { symbol: described, market } = describeMarket(
    { ticker: symbol, ...info },
    marketOf,
    '',
    bars.close[bars.count - 1],
  );
  if (market !== undefined) io.err(assumedWords(market));
  return described;
}

function assumedWords({ symbol, source, assumed }: AssumedMarket): string {
  const { mintick, mincontract, pointvalue, currency } = assumed;
  const parts = [
    ...(mintick === undefined ? [] : [`ticks of ${mintick}`]),
    ...(mincontract === undefined ? [] : [`quantities in steps of ${plain(mincontract)}`]),
    ...(pointvalue === undefined ? [] : [`a point value of ${pointvalue}`]),
    ...(currency === undefined ? [] : [currency]),
  ];
  const whose =
    source === 'default'
      ? 'is in no table of an exchange'
      : source === 'price'
        ? 'is in no table of an exchange, so its price decides'
        : `is the perpetual of ${EXCHANGE_ROWS[source].title}`;
  const taken = parts.length === 0 ? '' : `; assumed: ${parts.join(', ')}`;
  return `${printable(symbol)} ${whose}${taken}. --symbol-info says otherwise.`;
}

/** A millionth as 0.000001. */
const plain = (value: number): string => value.toFixed(12).replace(/\.?0+$/, '');
