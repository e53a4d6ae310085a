// What each simulated market is like: its price level, tick, restlessness and trade; a name outside the list gets its own.

import { hashText, unit } from './hash.ts';

export interface ReferenceMarket {
  /** The price around which the market wanders. */
  readonly anchor: number;
  /** Decimal places of the tick. */
  readonly priceDecimals: number;
  /** 1 moves like Bitcoin. */
  readonly volatility: number;
  readonly dailyTurnoverUsd: number;
}

/** Market, anchor, decimals of the tick, volatility, daily turnover in millions of dollars. */
const USUAL: readonly (readonly [string, number, number, number, number])[] = [
  ['BTCUSDT', 104_000, 1, 1, 18_000],
  ['ETHUSDT', 3_600, 2, 1.2, 15_000],
  ['SOLUSDT', 170, 2, 1.35, 5_000],
  ['XRPUSDT', 2.4, 4, 1.3, 3_500],
  ['BNBUSDT', 920, 2, 1, 1_200],
  ['DOGEUSDT', 0.19, 5, 1.4, 2_500],
  ['ADAUSDT', 0.62, 4, 1.3, 900],
  ['TRXUSDT', 0.3, 5, 0.8, 250],
  ['AVAXUSDT', 19, 3, 1.35, 500],
  ['LINKUSDT', 16.5, 3, 1.3, 700],
  ['SUIUSDT', 2.3, 4, 1.4, 900],
  ['TONUSDT', 2.1, 4, 1.2, 120],
  ['DOTUSDT', 3, 3, 1.3, 250],
  ['LTCUSDT', 98, 2, 1.2, 500],
  ['BCHUSDT', 510, 2, 1.2, 300],
  ['1000SHIBUSDT', 0.0098, 6, 1.35, 150],
  ['1000PEPEUSDT', 0.0062, 7, 1.4, 900],
  ['1000BONKUSDT', 0.0135, 6, 1.4, 200],
  ['1000FLOKIUSDT', 0.066, 5, 1.4, 60],
  ['WIFUSDT', 0.5, 4, 1.4, 250],
  ['NEARUSDT', 2.6, 4, 1.35, 250],
  ['APTUSDT', 3.2, 4, 1.35, 200],
  ['ARBUSDT', 0.3, 4, 1.35, 200],
  ['OPUSDT', 0.42, 4, 1.35, 180],
  ['ATOMUSDT', 2.9, 3, 1.25, 90],
  ['FILUSDT', 2.1, 3, 1.3, 150],
  ['ETCUSDT', 15.8, 3, 1.2, 120],
  ['UNIUSDT', 7.2, 3, 1.35, 300],
  ['AAVEUSDT', 205, 2, 1.35, 250],
  ['INJUSDT', 7.5, 3, 1.4, 100],
  ['SEIUSDT', 0.18, 5, 1.4, 90],
  ['TIAUSDT', 0.95, 4, 1.4, 100],
  ['HBARUSDT', 0.18, 5, 1.35, 250],
  ['XLMUSDT', 0.29, 5, 1.3, 200],
  ['ICPUSDT', 6.1, 3, 1.35, 150],
  ['ALGOUSDT', 0.18, 4, 1.3, 60],
  ['VETUSDT', 0.0165, 6, 1.3, 40],
  ['LDOUSDT', 0.85, 4, 1.4, 80],
  ['CRVUSDT', 0.47, 4, 1.4, 120],
  ['ENAUSDT', 0.33, 5, 1.4, 350],
  ['HYPEUSDT', 39, 3, 1.4, 1_200],
  ['WLDUSDT', 0.76, 4, 1.4, 200],
  ['TAOUSDT', 380, 2, 1.35, 200],
  ['ONDOUSDT', 0.63, 4, 1.3, 100],
  ['JUPUSDT', 0.34, 4, 1.35, 60],
  ['ZECUSDT', 480, 2, 1.4, 1_500],
  ['XMRUSDT', 385, 2, 1, 120],
  ['PAXGUSDT', 4_050, 2, 0.4, 90],
  ['USDCUSDT', 0.9998, 5, 0.005, 300],
];

/** The same coins under the names that spot markets and other venues use. */
const ALIASES: Readonly<Record<string, { readonly of: string; readonly scale: number }>> = {
  SHIBUSDT: { of: '1000SHIBUSDT', scale: 1000 },
  PEPEUSDT: { of: '1000PEPEUSDT', scale: 1000 },
  BONKUSDT: { of: '1000BONKUSDT', scale: 1000 },
  FLOKIUSDT: { of: '1000FLOKIUSDT', scale: 1000 },
  SHIB1000USDT: { of: '1000SHIBUSDT', scale: 1 },
};

const TABLE = new Map<string, ReferenceMarket>(
  USUAL.map(([name, anchor, priceDecimals, volatility, millions]) => [
    name,
    { anchor, priceDecimals, volatility, dailyTurnoverUsd: millions * 1e6 },
  ]),
);

export const USUAL_MARKETS: readonly string[] = [...TABLE.keys()];
/** The same with the other names that some of them have. */
export const LISTED_MARKETS: readonly string[] = [...USUAL_MARKETS, ...Object.keys(ALIASES)];

/** A market that the owner adds to the list. */
export interface AddedMarket {
  readonly market: string;
  /** The price around which it wanders. */
  readonly price: number;
}

/** Unknown names cost from thousandths to thousands of a dollar. */
const LOWEST_EXPONENT = -3;
const EXPONENTS = 7;
/** Ticks of one ten-thousandth of the price or a little less, as venues set them. */
const TICK_DIGITS = 4;

/**
 * What the path and the prices of a market are made from. Aliases share the path of the coin they name. A name that is not
 * listed has prices too: what was opened there before there was a list must be shown and closed.
 */
export function referenceMarket(
  seed: number,
  market: string,
  added?: AddedMarket,
): ReferenceMarket & { readonly pathSeed: number } {
  const alias = ALIASES[market];
  if (alias) {
    const base = referenceMarket(seed, alias.of);
    const priceDecimals = base.priceDecimals + Math.round(Math.log10(alias.scale));
    return { ...base, anchor: base.anchor / alias.scale, priceDecimals };
  }
  const pathSeed = hashText(seed, market);
  const known = TABLE.get(market) ?? (added ? addedMarket(added) : unknownMarket(pathSeed));
  return { ...known, pathSeed };
}

const addedMarket = ({ price }: AddedMarket): ReferenceMarket => ({
  anchor: price,
  priceDecimals: Math.min(12, Math.max(0, TICK_DIGITS - Math.floor(Math.log10(price)))),
  volatility: 1.2,
  dailyTurnoverUsd: 1e7,
});

/**
 * Two to five times a power of ten: the path moves a price by at most 1.8 times either way, so the price never leaves
 * its power of ten, and rules that a venue derives from the price's size stay the same for ever.
 */
function unknownMarket(pathSeed: number): ReferenceMarket {
  const exponent = LOWEST_EXPONENT + Math.floor(unit(pathSeed, -1) * EXPONENTS);
  return {
    anchor: (2 + 3 * unit(pathSeed, -2)) * 10 ** exponent,
    priceDecimals: Math.max(0, TICK_DIGITS - exponent),
    volatility: 1.2,
    dailyTurnoverUsd: 10 ** (6.5 + unit(pathSeed, -3)),
  };
}
