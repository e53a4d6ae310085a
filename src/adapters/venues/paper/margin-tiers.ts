// Margin tiers: the more a position is worth, the less leverage it may have and the more margin it must keep.
//
// The maintenance margin grows like an income tax: each tier's rate counts for the part of the value inside the tier, so that
// it has no steps. `deduction` is what makes value × rate − deduction come to the same sum.

import { type Decimal, decimal, minus, plus, times, ZERO } from '../../../trading/decimal.ts';
import { type LeverageTier, tierAt } from '../../../trading/leverage-tiers.ts';

/** In USDT. */
export interface MarginTier extends LeverageTier {
  readonly maintenanceRate: Decimal;
  readonly deduction: Decimal;
}

export type TierName = 'btc' | 'eth' | 'large' | 'small';

type Row = readonly [upToThousands: number, maxLeverage: number, maintenancePercent: number];

/** Modelled on the brackets that Binance publishes for its USDⓈ-M futures; see docs/guides/paper-trading.md. */
const ROWS: Readonly<Record<TierName, readonly Row[]>> = {
  btc: [
    [50, 125, 0.4],
    [600, 100, 0.5],
    [3_000, 75, 0.65],
    [12_000, 50, 1],
    [70_000, 25, 2],
    [100_000, 20, 2.5],
    [230_000, 10, 5],
    [480_000, 5, 10],
    [600_000, 4, 12.5],
    [800_000, 3, 15],
    [1_200_000, 2, 25],
    [1_800_000, 1, 50],
  ],
  eth: [
    [50, 125, 0.4],
    [600, 100, 0.5],
    [3_000, 75, 0.65],
    [12_000, 50, 1],
    [50_000, 25, 2],
    [65_000, 20, 2.5],
    [150_000, 10, 5],
    [320_000, 5, 10],
    [400_000, 4, 12.5],
    [530_000, 3, 15],
    [800_000, 2, 25],
    [1_200_000, 1, 50],
  ],
  large: [
    [50, 100, 0.5],
    [250, 75, 0.65],
    [1_000, 50, 1],
    [5_000, 25, 2],
    [10_000, 20, 2.5],
    [25_000, 10, 5],
    [50_000, 5, 10],
    [60_000, 4, 12.5],
    [100_000, 2, 25],
    [200_000, 1, 50],
  ],
  small: [
    [10, 75, 1],
    [50, 50, 1.5],
    [200, 25, 2],
    [500, 20, 2.5],
    [1_000, 10, 5],
    [2_000, 5, 10],
    [2_500, 4, 12.5],
    [5_000, 2, 25],
    [10_000, 1, 50],
  ],
};

function tiersFrom(rows: readonly Row[]): readonly MarginTier[] {
  let [from, rate, deduction] = [ZERO, ZERO, ZERO];
  return rows.map(([thousands, maxLeverage, percent]) => {
    const maintenanceRate = decimal(`${percent}e-2`);
    deduction = plus(deduction, times(from, minus(maintenanceRate, rate)));
    [from, rate] = [decimal(thousands * 1000), maintenanceRate];
    return { upTo: from, maxLeverage, maintenanceRate, deduction };
  });
}

const TIERS: Readonly<Record<TierName, readonly MarginTier[]>> = {
  btc: tiersFrom(ROWS.btc),
  eth: tiersFrom(ROWS.eth),
  large: tiersFrom(ROWS.large),
  small: tiersFrom(ROWS.small),
};

/** The first tier is that of the market's own greatest leverage, which its venue may set higher or lower. */
export function tiersOf(name: TierName, maxLeverage: number): readonly MarginTier[] {
  const [first, ...others] = TIERS[name] as [MarginTier, ...MarginTier[]];
  const below = others.map((tier) => ({ ...tier, maxLeverage: Math.min(tier.maxLeverage, maxLeverage) }));
  return [{ ...first, maxLeverage }, ...below];
}

/** The margin that a position of this worth must keep. */
export function maintenanceAt(tiers: readonly MarginTier[], worth: Decimal): Decimal {
  const { maintenanceRate, deduction } = tierAt(tiers, worth);
  return minus(times(worth, maintenanceRate), deduction);
}
