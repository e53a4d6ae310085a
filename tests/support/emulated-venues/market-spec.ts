// The rules of the markets that emulated venues list. Venues publish them in their own words; the numbers are the same
// everywhere, so that one test can run against all of them.

import { type Decimal, decimal } from '../../../src/trading/decimal.ts';

/** Up to this notional a position may have this leverage, and must keep this share of its value as margin. */
export interface LeverageBracket {
  readonly notionalCap: Decimal;
  readonly maxLeverage: number;
  readonly maintenanceRate: Decimal;
  /** What the lower brackets make the maintenance margin less than the rate times the whole. */
  readonly maintenanceDeduction: Decimal;
}

/** Quantities are in the base currency. */
export interface MarketSpec {
  /** The plain name, such as BTCUSDT; a venue that writes it otherwise translates. */
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tickSize: Decimal;
  readonly stepSize: Decimal;
  readonly minPrice: Decimal;
  readonly maxPrice: Decimal;
  readonly minQuantity: Decimal;
  readonly maxQuantity: Decimal;
  readonly maxMarketQuantity: Decimal;
  readonly minNotional: Decimal;
  /** A limit may be this many times the mark price at most (buying) or at least (selling). */
  readonly priceUp: Decimal;
  readonly priceDown: Decimal;
  readonly maxOpenOrders: number;
  readonly maxOpenStops: number;
  /** Where a venue counts contracts: the base currency in one. */
  readonly contractSize: Decimal;
  readonly brackets: readonly LeverageBracket[];
}

const bracket = (cap: string, maxLeverage: number, rate: string, deduction: string): LeverageBracket => ({
  notionalCap: decimal(cap),
  maxLeverage,
  maintenanceRate: decimal(rate),
  maintenanceDeduction: decimal(deduction),
});

const COMMON = {
  quote: 'USDT',
  priceUp: decimal('1.05'),
  priceDown: decimal('0.95'),
  maxOpenOrders: 200,
  maxOpenStops: 10,
};

export const DEFAULT_MARKETS: readonly MarketSpec[] = [
  {
    ...COMMON,
    symbol: 'BTCUSDT',
    base: 'BTC',
    tickSize: decimal('0.1'),
    stepSize: decimal('0.001'),
    minPrice: decimal('556.8'),
    maxPrice: decimal('4529764'),
    minQuantity: decimal('0.001'),
    maxQuantity: decimal('1000'),
    maxMarketQuantity: decimal('120'),
    minNotional: decimal('100'),
    contractSize: decimal('0.0001'),
    brackets: [
      bracket('300000', 125, '0.004', '0'),
      bracket('800000', 100, '0.005', '300'),
      bracket('3000000', 75, '0.0065', '1500'),
      bracket('12000000', 50, '0.01', '12000'),
      bracket('70000000', 25, '0.02', '132000'),
    ],
  },
  {
    ...COMMON,
    symbol: 'ETHUSDT',
    base: 'ETH',
    tickSize: decimal('0.01'),
    stepSize: decimal('0.001'),
    minPrice: decimal('39.86'),
    maxPrice: decimal('306177'),
    minQuantity: decimal('0.001'),
    maxQuantity: decimal('10000'),
    maxMarketQuantity: decimal('2000'),
    minNotional: decimal('20'),
    contractSize: decimal('0.01'),
    brackets: [
      bracket('300000', 100, '0.005', '0'),
      bracket('800000', 75, '0.0065', '450'),
      bracket('3000000', 50, '0.01', '3250'),
      bracket('12000000', 25, '0.02', '33250'),
    ],
  },
  {
    ...COMMON,
    symbol: 'DOGEUSDT',
    base: 'DOGE',
    tickSize: decimal('0.00001'),
    stepSize: decimal('1'),
    minPrice: decimal('0.00244'),
    maxPrice: decimal('30'),
    minQuantity: decimal('1'),
    maxQuantity: decimal('50000000'),
    maxMarketQuantity: decimal('30000000'),
    minNotional: decimal('5'),
    contractSize: decimal('100'),
    brackets: [bracket('50000', 75, '0.01', '0'), bracket('1000000', 50, '0.015', '250')],
  },
];
