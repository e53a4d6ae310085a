// How deep each paper market is: what an order of some size costs there, and the largest order it takes at once.
//
// A book that holds some at the best price and the same amount at every price behind it: a small order pays the best price, the
// rest of a larger one walks away from it in proportion to its value, and pays on average half of that way. `DEPTHS` has the value that rests within 1 % of the price on either side, a hundredth of
// what the market trades in a day. Where the numbers come from is told in docs/guides/paper-trading.md.

import { type Decimal, decimal, ZERO } from '../../../trading/decimal.ts';
import type { TierName } from './margin-tiers.ts';

export interface MarketDepth {
  /** USDT within 1 % of the price, on either side. */
  readonly depth: Decimal;
  /** Base currency, of an order that opens. */
  readonly maxQuantity: Decimal;
  readonly tiers: TierName;
}

/** Market, USDT in millions within 1 % of the price, largest order in base currency, margin tiers. */
const DEPTHS: readonly (readonly [string, number, string, TierName])[] = [
  ['BTCUSDT', 180, '120', 'btc'],
  ['ETHUSDT', 150, '2000', 'eth'],
  ['SOLUSDT', 50, '20000', 'large'],
  ['XRPUSDT', 35, '1000000', 'large'],
  ['BNBUSDT', 12, '1000', 'large'],
  ['DOGEUSDT', 25, '10000000', 'large'],
  ['ADAUSDT', 9, '1000000', 'large'],
  ['TRXUSDT', 2.5, '800000', 'large'],
  ['AVAXUSDT', 5, '20000', 'large'],
  ['LINKUSDT', 7, '40000', 'large'],
  ['SUIUSDT', 9, '300000', 'large'],
  ['TONUSDT', 1.2, '50000', 'small'],
  ['DOTUSDT', 2.5, '80000', 'large'],
  ['LTCUSDT', 5, '5000', 'large'],
  ['BCHUSDT', 3, '500', 'large'],
  ['1000SHIBUSDT', 1.5, '10000000', 'large'],
  ['1000PEPEUSDT', 9, '100000000', 'large'],
  ['1000BONKUSDT', 2, '10000000', 'small'],
  ['1000FLOKIUSDT', 0.6, '900000', 'small'],
  ['WIFUSDT', 2.5, '500000', 'small'],
  ['NEARUSDT', 2.5, '90000', 'large'],
  ['APTUSDT', 2, '60000', 'small'],
  ['ARBUSDT', 2, '600000', 'small'],
  ['OPUSDT', 1.8, '400000', 'small'],
  ['ATOMUSDT', 0.9, '30000', 'small'],
  ['FILUSDT', 1.5, '70000', 'small'],
  ['ETCUSDT', 1.2, '7000', 'large'],
  ['UNIUSDT', 3, '40000', 'large'],
  ['AAVEUSDT', 2.5, '1000', 'large'],
  ['INJUSDT', 1, '10000', 'small'],
  ['SEIUSDT', 0.9, '500000', 'small'],
  ['TIAUSDT', 1, '100000', 'small'],
  ['HBARUSDT', 2.5, '1000000', 'small'],
  ['XLMUSDT', 2, '600000', 'small'],
  ['ICPUSDT', 1.5, '20000', 'small'],
  ['ALGOUSDT', 0.6, '300000', 'small'],
  ['VETUSDT', 0.4, '2000000', 'small'],
  ['LDOUSDT', 0.8, '90000', 'small'],
  ['CRVUSDT', 1.2, '200000', 'small'],
  ['ENAUSDT', 3.5, '1000000', 'small'],
  ['HYPEUSDT', 12, '30000', 'large'],
  ['WLDUSDT', 2, '200000', 'small'],
  ['TAOUSDT', 2, '500', 'small'],
  ['ONDOUSDT', 1, '100000', 'small'],
  ['JUPUSDT', 0.6, '100000', 'small'],
  ['ZECUSDT', 15, '3000', 'large'],
  ['XMRUSDT', 1.2, '300', 'small'],
  ['PAXGUSDT', 0.9, '20', 'small'],
  ['USDCUSDT', 3, '300000', 'small'],
  ['SHIBUSDT', 1.5, '10000000000', 'large'],
  ['PEPEUSDT', 9, '100000000000', 'large'],
  ['BONKUSDT', 2, '10000000000', 'small'],
  ['FLOKIUSDT', 0.6, '900000000', 'small'],
  ['SHIB1000USDT', 1.5, '10000000', 'large'],
];

const TABLE: ReadonlyMap<string, MarketDepth> = new Map(
  DEPTHS.map(([market, millions, maxQuantity, tiers]) => [
    market,
    { depth: decimal(millions * 1e6), maxQuantity: decimal(maxQuantity), tiers },
  ]),
);

/** Of a market outside the table: as deep as the thinnest in it. */
const THIN_DEPTH = decimal('400000');
const THIN_ORDER_USDT = 40_000;

/** `price` counts only for a market outside the table. */
export function depthOf(market: string, price: number): MarketDepth {
  const listed = TABLE.get(market);
  if (listed) return listed;
  const quantity = THIN_ORDER_USDT / price;
  const digit = 10 ** Math.floor(Math.log10(quantity));
  return {
    depth: THIN_DEPTH,
    maxQuantity: decimal(Math.max(Math.floor(quantity / digit) * digit, 0.001).toFixed(3)),
    tiers: 'small',
  };
}

/** What rests at the best price itself: half a hundredth of the depth, as much as lies within half a spread elsewhere. */
const TOUCH_DIVISOR = 200n;
/** An order that walks the whole depth moves the price by 1 %, and what walked paid half of that on average. */
const WAY_DIVISOR = 200n;

/** How far from the best price an order of this value pays on average; nothing while the best price holds enough for it. */
export function impactOf(last: Decimal, value: Decimal, depth: Decimal): Decimal {
  const walks = value - depth / TOUCH_DIVISOR;
  if (walks <= 0n) return ZERO;
  return ((last * walks * walks) / (value * depth * WAY_DIVISOR)) as Decimal;
}
